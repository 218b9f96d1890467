//! The stored rows audited again: their fingerprint against the summary's, their certificates.

use crate::run::folder::{Row, RunFolder};
use crate::verify::Finding;
use percussion_model::bodies::{Crossing, PathSearch};
use percussion_solve::SolverOptions;
use percussion_step::{Audit, Guarantee, Model, Recorder, Scheme, Start, State, Step, Verdicts};

/// A velocity of bodies whose features no longer touch is not known; it only sizes energies.
fn known(u: f64) -> f64 {
    if u.is_finite() { u } else { 0.0 }
}

/// The audit of the stored rows.
pub struct Fingerprint {
    audit: Audit,
    step: Step,
    begun: bool,
    /// The state before.
    last: State,
    model: Model,
    scheme: Scheme,
    adaptive: bool,
    thinned: bool,
    /// Looks for what bodies passed through between two rows.
    path: Option<PathSearch>,
}

impl Fingerprint {
    /// Nothing seen yet.
    pub fn new(run: &RunFolder) -> Self {
        let scenario = &run.loaded.scenario;
        Self {
            audit: Audit::new(),
            step: Step { h: scenario.step, ..Step::default() },
            begun: false,
            last: State::default(),
            model: scenario.problem.model.clone(),
            scheme: scenario.scheme.clone(),
            adaptive: scenario.adaptive.is_some(),
            thinned: scenario.every > 1,
            path: scenario.problem.model.bodies().filter(|_| scenario.every == 1).map(|scene| PathSearch::new(scene)),
        }
    }

    /// Takes in a row.
    pub fn add(&mut self, row: &Row) {
        let (state, ledger) = (&row.state, &row.ledger);
        // an audit keeps, it does not write: nothing here can fail
        let _ = if self.begun {
            self.step.crossing = self.deepest(&state.q);
            // the smallest gap where the step began
            let gaps = (0..self.model.n_contacts()).map(|i| (self.model.gap(i, &self.last.q, self.last.t), i));
            self.step.smallest_gap = gaps.min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some(scene) = self.model.bodies() {
                self.step.smallest_gap = scene.deepest_overlap(&self.last.q).map(|(depth, id)| (-depth, id as usize));
            }
            // velocities that are not stored only size the energies exchanged
            self.step.contacts.clone_from(&row.contacts);
            let last = &self.last;
            // where bodies touch is stored: looking for it again would cost more than the run where they are meshes
            let told = |k: usize| {
                Some((self.model.bodies()?, (*row.places.get(k)?)?)).and_then(|(scene, place)| {
                    place.at.map(|(x, n)| scene.velocity_at(place.bodies, &x, &n, &last.q, &last.v))
                })
            };
            for (k, c) in self.step.contacts.iter_mut().enumerate().filter(|(_, c)| c.p > 0.0) {
                let found = || known(self.model.gap_rate(c.id, &last.q, &last.v, last.t));
                c.u_before = told(k).map_or_else(found, |[u, ..]| u);
                c.u_free = c.u_after - c.p * self.model.mobility(c.id, &state.q);
            }
            if self.adaptive {
                self.step.h = state.t - self.last.t;
            }
            self.step.friction.clone_from(&row.friction);
            for (k, (c, along)) in row.contacts.iter().zip(&mut self.step.friction).enumerate() {
                let found = || self.model.tangent_rate(c.id, &state.q, &last.v);
                along.u_before = told(k).map_or_else(found, |[_, s, t]| [s, t]);
            }
            self.last.clone_from(state);
            self.step.after.clone_from(state);
            self.step.ledger = *ledger;
            self.audit.record(0, &self.step)
        } else {
            self.begun = true;
            self.last.clone_from(state);
            let started = self.audit.start(&Start { model: &self.model, scheme: &self.scheme, state, ledger });
            if self.thinned {
                self.audit.without_paths();
            }
            started
        };
    }

    /// The deepest overlap on the way from the last row to q.
    fn deepest(&mut self, q: &[f64]) -> Option<Crossing> {
        let (path, scene) = (self.path.as_mut()?, self.model.bodies()?);
        let mut deepest: Option<Crossing> = None;
        path.crossings(scene, &self.last.q, q, |c| {
            if deepest.is_none_or(|d| c.part > d.part) {
                deepest = Some(*c);
            }
        });
        deepest
    }

    /// The certificates of the stored rows; residuals of contact problems are not among them.
    pub fn verdicts(&self, guarantee: &Guarantee, options: &SolverOptions) -> Verdicts {
        self.audit.judged(guarantee, options)
    }

    /// The largest energy that was created in a step, and the largest that dampers put in [J].
    pub fn gains(&self) -> [f64; 2] {
        [self.audit.largest_gain(), self.audit.largest_of_dampers()]
    }

    /// Compares with the summary.
    pub fn compare(&self, run: &RunFolder, last: &Row, count: u64, thinned: &Option<String>) -> Finding {
        let summary = &run.summary;
        let differs = |place: String| Finding::Differs { worst: 1.0, place };
        if count == 0 && summary.steps == 0 && summary.failure.is_some() {
            return Finding::Unsupported("the run ended before its first row".into());
        }
        if count == 0 {
            return differs("the tables are empty".into());
        }
        if summary.steps != last.step || summary.t_end != last.state.t {
            return differs(format!("summary.json: {} steps to t = {}", summary.steps, summary.t_end));
        }
        if let Some(reason) = thinned {
            return Finding::Unsupported(format!("steps and t_end agree; state_hash: {reason}"));
        }
        if self.audit.state_hash() != summary.state_hash {
            return differs(format!(
                "state_hash {} of the stored states, {} in summary.json",
                self.audit.state_hash(),
                summary.state_hash
            ));
        }
        Finding::Agrees(0.0)
    }
}
