//! Watches reduced bodies for the limits of their theory, and says so once for each.
//!
//!   m|Φη|² > 0.05 J_min,    |w| > 0.3 ω₁

use percussion_model::Code;
use percussion_model::bodies::BeyondReduction;
use percussion_step::{Model, Recorder, Start, Step, Stop, Warning};

/// What was seen of a model's reduced bodies.
pub struct ReductionWatch<'a> {
    model: &'a Model,
    /// Whether something was said of a body.
    told: Vec<bool>,
    /// What there is to say.
    pub warnings: Vec<String>,
}

impl<'a> ReductionWatch<'a> {
    /// Of a model; of bodies that `earlier` warnings name nothing more is said.
    pub fn new(model: &'a Model, earlier: &[String]) -> Self {
        let reduced = model.bodies().map_or(&[][..], |scene| scene.reduced());
        let told = |name: &str| earlier.iter().any(|said| said.starts_with(&remark_of(name)));
        Self { model, told: reduced.iter().map(|body| told(&body.name)).collect(), warnings: Vec::new() }
    }

    fn look(&mut self, t: f64, q: &[f64], v: &[f64]) {
        if self.told.iter().all(|told| *told) {
            return;
        }
        let Some(scene) = self.model.bodies() else { return };
        for (k, body) in scene.reduced().iter().enumerate().filter(|(k, _)| !self.told[*k]).collect::<Vec<_>>() {
            // with full inertia the scheme itself stops where its theory ends
            let Some(beyond) = scene.beyond_reduction(k, q, v).filter(|_| body.full.is_none()) else { continue };
            self.told[k] = true;
            let message = match beyond {
                BeyondReduction::Bent(part) => format!(
                    "bends so far at t = {t:.4} s that m|u|² is {part:.2} of its smallest moment of inertia, which is taken as constant"
                ),
                BeyondReduction::Spinning(part) => format!(
                    "turns at t = {t:.4} s with {part:.2} of its lowest frequency: centrifugal forces on its modes are left out"
                ),
            };
            self.warnings.push(format!("{} {message}", remark_of(&body.name)));
        }
    }
}

fn remark_of(name: &str) -> String {
    Warning { code: Code::BEYOND_REDUCTION, message: format!("\"{name}\"") }.to_string()
}

impl Recorder for ReductionWatch<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.look(start.state.t, &start.state.q, &start.state.v);
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        self.look(step.after.t, &step.after.q, &step.after.v);
        Ok(())
    }
}
