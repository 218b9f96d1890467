//! What a scheme carries from step to step besides the state: its energy, the last impulses, vectors of its own.

/// What a scheme carries from step to step besides the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// E_k of the state, or the part of H_k that does not depend on the step size [J].
    pub H: f64,
    /// The largest |U| of any contact so far [m/s]; scales velocity tests.
    pub u_max: f64,
    /// P of each contact in the last step, by contact number [N·s]: warm starts, persistent contact.
    pub p: Vec<f64>,
    /// p_T of each contact in the last step [N·s]; empty where no contact rubs.
    pub p_t: Vec<[f64; 2]>,
    /// W_ii P_i of each contact in the last step: the velocity its own impulse gave it [m/s].
    pub push: Vec<f64>,
    /// Contacts of bodies in the last step, by rising identity.
    pub persistent: Vec<PersistentContact>,
    /// The scheme's own vectors (accelerations, filters), in its own order.
    pub fields: Vec<Vec<f64>>,
}

impl Memory {
    /// At the start: no impulse yet.
    pub fn new(H: f64, n_contacts: usize, fields: Vec<Vec<f64>>) -> Self {
        Self {
            H,
            u_max: 0.0,
            p: vec![0.0; n_contacts],
            p_t: Vec::new(),
            push: vec![0.0; n_contacts],
            persistent: Vec::new(),
            fields,
        }
    }

    /// No impulse yet at any of m contacts.
    #[inline]
    pub fn clear_impulses(&mut self, m: usize) {
        self.p.clear();
        self.p.resize(m, 0.0);
        self.push.clear();
        self.push.resize(m, 0.0);
    }

    /// Whether a contact pushed in the last step.
    pub fn pushed(&self, id: usize) -> bool {
        match self.p.get(id) {
            Some(&p) => p > 0.0,
            None => {
                let found = self.persistent.binary_search_by_key(&(id as u64), |p| p.id);
                found.is_ok_and(|k| self.persistent[k].p[0] > 0.0)
            }
        }
    }
}

/// What a contact between bodies leaves for the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PersistentContact {
    /// Its identity.
    pub id: u64,
    /// Normal and tangential impulses, and moments of rolling over the length their rows are taken with [N·s].
    pub p: [f64; 5],
    /// W_NN P, the velocity its own normal impulse gave it [m/s].
    pub push: f64,
    /// ν of the position correction, under GGL [kg·m]; else zero.
    pub nu: f64,
}

crate::packed! {
    Memory { H, u_max, p, p_t, push, persistent, fields }
    PersistentContact { id, p, push, nu }
}
