//! Watches reduced bodies and beams for the limits of their theory, and says so once for each.
//!
//!   reduced bodies   m|Φη|² > 0.05 J_min,    |w| > 0.3 ω₁
//!   beams            N > the least shear stiffness of an element: its nodes turn away from its line, for l cos φ takes more from ½EAε² than ½GAφ² asks

use percussion_model::Code;
use percussion_model::bodies::BeyondReduction;
use percussion_step::{Model, Recorder, Start, Step, Stop, Warning};

/// Steps between two looks at beams.
const BEAMS_EVERY: u64 = 4;

/// What was seen of a model's reduced bodies and beams.
pub struct LimitWatch<'a> {
    model: &'a Model,
    /// Whether something was said of a body, and of a beam.
    told: Vec<bool>,
    told_of_beam: Vec<bool>,
    /// What there is to say.
    pub warnings: Vec<String>,
}

impl<'a> LimitWatch<'a> {
    /// Of a model; of bodies and beams that `earlier` warnings name nothing more is said.
    pub fn new(model: &'a Model, earlier: &[String]) -> Self {
        let (reduced, beams) = model.bodies().map_or((&[][..], &[][..]), |scene| (scene.reduced(), scene.beams()));
        let told = |code: Code, name: &str| earlier.iter().any(|said| said.starts_with(&remark_of(code, name)));
        Self {
            model,
            told: reduced.iter().map(|body| told(Code::BEYOND_REDUCTION, &body.name)).collect(),
            told_of_beam: beams.iter().map(|beam| told(Code::PULLED_APART, &beam.name)).collect(),
            warnings: Vec::new(),
        }
    }

    fn look_at_beams(&mut self, t: f64, q: &[f64]) {
        let Some(scene) = self.model.bodies() else { return };
        for (beam, told) in scene.beams().iter().zip(&mut self.told_of_beam).filter(|(_, told)| !**told) {
            let spans = &scene.spans()[beam.first_span..beam.first_span + beam.elements];
            let pulled = spans.iter().enumerate().find_map(|(k, span)| {
                let [a, b] = span.bodies.map(|i| scene.frame(i, q));
                let (pull, shear) = span.element.pull_and_shear_stiffness(&a, &b)?;
                (pull > shear).then_some((k, pull, shear))
            });
            let Some((k, pull, shear)) = pulled else { continue };
            *told = true;
            self.warnings.push(format!(
                "{} carries {pull:.3e} N in element {k} at t = {t:.4} s, which resists shear with {shear:.3e} N only: its nodes turn away from its line. \
                 Use residual = false, or shorter elements",
                remark_of(Code::PULLED_APART, &beam.name)
            ));
        }
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
            self.warnings.push(format!("{} {message}", remark_of(Code::BEYOND_REDUCTION, &body.name)));
        }
    }
}

fn remark_of(code: Code, name: &str) -> String {
    Warning { code, message: format!("\"{name}\"") }.to_string()
}

impl Recorder for LimitWatch<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.look(start.state.t, &start.state.q, &start.state.v);
        self.look_at_beams(start.state.t, &start.state.q);
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        self.look(step.after.t, &step.after.q, &step.after.v);
        if number.is_multiple_of(BEAMS_EVERY) {
            self.look_at_beams(step.after.t, &step.after.q);
        }
        Ok(())
    }
}
