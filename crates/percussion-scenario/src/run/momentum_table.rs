//! `momentum.csv` of a run of bodies, or of a solid that nothing holds: where momentum is, where it came from, and what is left unexplained.
//!
//!   P_k − P_0 = Σ (load + contact + joint) + Σ r    with the sums from t = 0; residuals are the largest since the last row

use crate::run::table::Table;
use percussion_step::{Model, MomentumEntry, State, Step, packed_part};

/// The table of momentum.
pub const MOMENTUM: &str = "momentum.csv";

/// Its header.
pub fn momentum_header() -> String {
    let six = |prefix: &str| ["px", "py", "pz", "lx", "ly", "lz"].map(|name| format!("{prefix}{name}")).join(",");
    let groups = ["", "load_", "contact_", "joint_"].map(six).join(",");
    format!("step,t,{groups},residual_p,residual_l")
}

/// Momentum with the sums of what changed it, for the next row.
#[derive(Default)]
pub struct Momenta {
    planar: bool,
    /// Momentum at the last step.
    total: [[f64; 3]; 2],
    /// Loads, contacts, joints since t = 0.
    sums: [[[f64; 3]; 2]; 3],
    /// The largest residuals since the last row; none where the scheme keeps no account.
    residual: Option<[f64; 2]>,
}

impl Momenta {
    /// Of a model in the plane or in space.
    pub fn new(planar: bool) -> Self {
        Self { planar, ..Self::default() }
    }

    /// The initial state.
    pub fn start(&mut self, model: &Model, state: &State) {
        if let Some((total, _)) = model.momentum(&state.q, &state.v) {
            self.total = total;
        }
        self.residual = Some([0.0; 2]);
    }

    /// Takes in a step.
    pub fn take(&mut self, model: &Model, step: &Step) {
        let MomentumEntry { kept, total, load, contact, joint, residual, .. } = &step.momentum;
        if !kept {
            self.start(model, &step.after);
            self.residual = None;
            return;
        }
        self.total = *total;
        for (sum, given) in self.sums.iter_mut().zip([load, contact, joint]) {
            for (sum, x) in sum.iter_mut().flatten().zip(given.iter().flatten()) {
                *sum += x;
            }
        }
        let seen = self.residual.get_or_insert([0.0; 2]);
        *seen = [seen[0].max(residual[0]), seen[1].max(residual[1])];
    }

    /// Writes a row.
    pub fn row(&mut self, table: &mut Table, number: u64, t: f64) {
        table.integer(number).number(t);
        let kept = self.residual.take();
        self.residual = kept.map(|_| [0.0; 2]);
        for (group, values) in std::iter::once(&self.total).chain(&self.sums).enumerate() {
            for (k, &x) in values.iter().flatten().enumerate() {
                // the plane has p_x, p_y and l_z
                let exists = (!self.planar || matches!(k, 0 | 1 | 5)) && (group == 0 || kept.is_some());
                if exists {
                    table.number(x)
                } else {
                    table.word("")
                };
            }
        }
        match kept {
            Some([p, l]) => table.number(p).number(l),
            None => table.word("").word(""),
        };
    }
}

packed_part! {
    Momenta { total, sums, residual } except { planar }
}
