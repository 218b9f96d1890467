//! The energy account of a GGL step: every entry by its own formula, so that their sum is a test.
//!
//! Since Δv = h a_γ + M⁻¹GᵀΛ with a_γ = (1−γ)a_n + γ a_{n+1}, and ΔT = v_½ᵀM Δv, whatever the forces and gaps are
//!
//!   ΔE = ½Λᵀ(u_n + u_{n+1}) + [ΔV + h v_½ᵀM a_γ],      u = G(q_{n+1}) v,      v_½ = (v_n + v_{n+1})/2
//!
//!   law         L = ½ p·(u_n + u_{n+1}), all components of the contact impulses, u_n as the law sees it
//!   turning     T = ½ Λᵀ(G_{n+1} − G_n)v_n where the law sees G_n v_n, else 0
//!   joints      J = ½ Λ_bᵀG_b(v_n + v_{n+1}) + h v_½ᵀf_γ,   f = G_bᵀλ filtered as a is
//!   projection  Pr = −(G_A ζ)ᵀ W_A⁻¹ (G_A a_γ),   ζ = Δq − h v_½,   A: joints and pushing contacts,   W_A = G_A M⁻¹G_Aᵀ
//!   loads       ΔqᵀF_γ and −ΔqᵀC v_γ
//!   α-method    Al = [ΔV + h v_½ᵀM a_γ] less the entries above that belong to the bracket
//!
//! G_A ζ is the gap a step leaves over: nothing in persistent contact, O(h) where a contact lands. On the kernel of G_A only the
//! α-method makes ζ. No energy is taken at (q̂, v̂): with a light node in contact that state is one that never exists.

use crate::LedgerEntry;
use percussion_matrix::stop::requested;

/// The entries of one step [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct Works {
    /// L.
    pub law: f64,
    /// T.
    pub turning: f64,
    /// The two parts of J: impulses, and forces inside the bracket.
    pub joint_impulses: f64,
    pub joint_forces: f64,
    /// Pr.
    pub projection: f64,
    /// Loads inside the bracket, and what moving obstacles and motors put in by impulses.
    pub loads: f64,
    pub driven: f64,
    /// ΔqᵀF in the middle of the step, where loads vary.
    pub plain: Option<f64>,
    /// Dampers.
    pub damping: f64,
    /// ΔV + h v_½ᵀM a_γ, and ½v_nᵀ(M_{n+1} − M_n)v_n where M varies.
    pub bracket: f64,
}

impl Works {
    /// The entry of a step that began with energy E_n.
    pub fn entry(&self, kinetic: f64, potential: f64, E_n: f64) -> LedgerEntry {
        let alpha_method = self.bracket - self.joint_forces - self.projection - self.loads - self.damping;
        let mut entry = LedgerEntry {
            kinetic,
            potential,
            work_external: self.loads + self.driven,
            work_damping: self.damping,
            work_contact: self.law,
            work_joints: self.joint_impulses + self.joint_forces,
            work_projection: Some(self.turning + self.projection),
            work_external_plain: self.plain.map(|loads| loads + self.driven),
            dissipation_numerical: -alpha_method,
            ..Default::default()
        };
        entry.close(E_n, entry.energy());
        entry
    }
}

/// Part of a row's own W_ii below which what earlier rows leave of it is round-off: the row spans nothing new.
const DEPENDENT: f64 = 1e-12;

/// W_A = L Lᵀ.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    /// The lower triangle by rows; a zero on the diagonal marks a row that depends on earlier ones.
    L: Vec<f64>,
    /// The first number of each row that is not zero: rows of a chain know their neighbours alone.
    from: Vec<usize>,
    /// L⁻¹G_A ζ and L⁻¹G_A a_γ.
    defect: Vec<f64>,
    push: Vec<f64>,
}

impl Projection {
    /// Factorises W_A of n rows.
    pub fn factorise(&mut self, n: usize, W: impl Fn(usize, usize) -> f64) {
        self.L.clear();
        self.from.clear();
        for i in 0..n {
            if requested() {
                // the step is thrown away
                self.L.resize(n * (n + 1) / 2, 0.0);
                return;
            }
            let row = self.L.len();
            let mut from = i;
            for j in 0..i {
                let w = W(i, j);
                if from == i && w == 0.0 {
                    self.L.push(0.0);
                    continue;
                }
                from = from.min(j);
                let at = j * (j + 1) / 2;
                let sum: f64 = (from.max(self.from[j])..j).map(|k| self.L[row + k] * self.L[at + k]).sum();
                let pivot = self.L[at + j];
                self.L.push(if pivot > 0.0 { (w - sum) / pivot } else { 0.0 });
            }
            self.from.push(from);
            let own = W(i, i);
            let rest = own - self.L[row + from..].iter().map(|x| x * x).sum::<f64>();
            self.L.push(if rest > DEPENDENT * own { rest.sqrt() } else { 0.0 });
        }
    }

    /// W_A⁻¹ of a right-hand side by row, in its place; rows that depend on earlier ones get nothing.
    pub fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let place = |i: usize| i * (i + 1) / 2;
        let inverse = |i: usize| {
            let pivot = self.L[place(i) + i];
            if pivot > 0.0 { 1.0 / pivot } else { 0.0 }
        };
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| self.L[place(i) + k] * x[k]).sum();
            x[i] = inverse(i) * (x[i] - sum);
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| self.L[place(k) + i] * x[k]).sum();
            x[i] = inverse(i) * (x[i] - sum);
        }
    }

    /// Pr from G_A ζ and G_A a_γ by row.
    pub fn work(&mut self, rows: impl Iterator<Item = (f64, f64)>) -> f64 {
        self.defect.clear();
        self.push.clear();
        let mut at = 0;
        let mut sum = 0.0;
        for (i, (mut defect, mut push)) in rows.enumerate() {
            for k in 0..i {
                defect -= self.L[at + k] * self.defect[k];
                push -= self.L[at + k] * self.push[k];
            }
            let pivot = self.L[at + i];
            let inverse = if pivot > 0.0 { 1.0 / pivot } else { 0.0 };
            self.defect.push(inverse * defect);
            self.push.push(inverse * push);
            sum -= self.defect[i] * self.push[i];
            at += i + 1;
        }
        sum
    }
}
