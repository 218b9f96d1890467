//! The energy account of one step.
//!
//!   ΔH = W_external + W_damping + W_contact + W_joints + W_projection − D_numerical + balance

use crate::State;
use percussion_model::LinearModel;

/// The energy account of one step [J]; works and dissipation are of the step, energies at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LedgerEntry {
    /// ½ vᵀM v.
    pub kinetic: f64,
    /// ½ qᵀK q and other potentials.
    pub potential: f64,
    /// H, the energy the scheme's identity speaks of.
    pub algorithmic_energy: f64,
    /// Work of loads and of moving obstacles.
    pub work_external: f64,
    /// Work of C, ≤ 0 for ordinary dampers.
    pub work_damping: f64,
    /// Work of the contact impulses.
    pub work_contact: f64,
    /// Work of the joints.
    pub work_joints: f64,
    /// Work of the projection on g ≥ 0 and of turning rows, where a scheme corrects positions by multipliers of their own (GGL).
    pub work_projection: Option<f64>,
    /// Work of the loads by the midpoint rule and of moving obstacles, where `work_external` is that of filtered or late loads.
    pub work_external_plain: Option<f64>,
    /// The part of `work_external` that motors of joints did.
    pub work_motors: Option<f64>,
    /// What the scheme itself dissipates (≥ 0 when dissipative).
    pub dissipation_numerical: f64,
    /// ΔH − works + dissipation: zero but for round-off where the scheme has an identity.
    pub balance: f64,
}

impl LedgerEntry {
    /// E = kinetic + potential.
    #[inline]
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Energy that neither loads nor dampers account for: positive when the contact law or the scheme created some.
    #[inline]
    pub fn created(&self) -> f64 {
        self.work_contact + self.work_joints + self.work_projection.unwrap_or(0.0) - self.dissipation_numerical
    }

    /// The same beyond the work of the loads by the midpoint rule, where a scheme that corrects positions books loads that vary by F at the time
    /// t_k + γh: with γ = ½ + η that is the work of loads ηh late, off by O(h) at order 2 of the motion, and either way (Acary 2016, (56)).
    #[inline]
    pub fn gained(&self) -> f64 {
        let late = match (self.work_projection, self.work_external_plain) {
            (Some(_), Some(plain)) => self.work_external - plain,
            (None, _) | (_, None) => 0.0,
        };
        self.created() + late
    }

    /// Books a constant load F_c as the potential −F_cᵀq instead of as work; `before` and `after` are F_cᵀq at the ends of the step. Energy
    /// and work change by the same amount, and the balance not at all: ΔH − F_cᵀΔq = (W_ext − F_cᵀΔq) + … .
    pub fn book_potential(&mut self, before: f64, after: f64) {
        self.potential -= after;
        self.algorithmic_energy -= after;
        self.work_external -= after - before;
        if let Some(plain) = &mut self.work_external_plain {
            *plain -= after - before;
        }
    }

    /// The energies of a linear model at a state, without works.
    #[inline(always)] // a step fills in the rest where the entry is made
    pub fn of(model: &LinearModel, State { q, v, .. }: &State) -> Self {
        Self { kinetic: model.kinetic_energy(v), potential: model.potential_energy(q), ..Default::default() }
    }

    /// Closes the account of a step from H_k to H_{k+1}: what the works and the scheme's own dissipation leave of ΔH is
    /// the balance.
    #[inline]
    pub fn close(&mut self, H_before: f64, H_after: f64) {
        self.algorithmic_energy = H_after;
        self.balance = H_after - H_before - self.work_external - self.work_damping - self.created();
    }

    /// Adds the works of a further step and takes over its energies; the balance of larger size stays.
    pub fn accumulate(&mut self, later: &LedgerEntry) {
        let worst = if later.balance.abs() > self.balance.abs() { later.balance } else { self.balance };
        *self = LedgerEntry {
            work_external: self.work_external + later.work_external,
            work_damping: self.work_damping + later.work_damping,
            work_contact: self.work_contact + later.work_contact,
            work_joints: self.work_joints + later.work_joints,
            work_projection: later.work_projection.map(|work| self.work_projection.unwrap_or(0.0) + work),
            work_external_plain: later.work_external_plain.map(|work| self.work_external_plain.unwrap_or(0.0) + work),
            work_motors: later.work_motors.map(|work| self.work_motors.unwrap_or(0.0) + work),
            dissipation_numerical: self.dissipation_numerical + later.dissipation_numerical,
            balance: worst,
            ..*later
        };
    }
}

crate::packed! {
    LedgerEntry {
        kinetic,
        potential,
        algorithmic_energy,
        work_external,
        work_damping,
        work_contact,
        work_joints,
        work_projection,
        work_external_plain,
        work_motors,
        dissipation_numerical,
        balance,
    }
}
