//! `gaps.csv`: contacts that approach, beside those of the index set in `contacts.csv`.
//!
//!   u_N < 0 and 0 < g ≤ −N h u_N: would touch within N steps if nothing changed

use crate::error::Result;
use crate::run::folder::{Row, RunFolder};
use crate::run::names::{NAMES, write_names};
use crate::run::table::Table;
use crate::run::unwritable;

use percussion_model::bodies::{Bodies, Detector, Frame, JointTouch, Twist, math::norm};
use percussion_step::{Model, State};

/// The table.
pub const GAPS: &str = "gaps.csv";
/// Its header.
pub const GAPS_HEADER: &str = "step,t,contact,gap,u_n";
/// N.
const STEPS: f64 = 20.0;
/// Gaps of a run that are looked at, at most; bodies of a scene that is looked at.
const LOOKED_AT: u64 = 2_000_000;
const BODIES: usize = 30;

/// Whether contacts of a model are looked for before they touch. Of two meshes this would take longer than the run, and keep one that is told to stop
/// from ending.
pub fn is_looked_at(model: &Model) -> bool {
    model.has_contacts() && model.bodies().is_none_or(|scene| scene.len() <= BODIES && !scene.surfaces_meet())
}

/// Looks for contacts that approach, state after state.
#[derive(Default)]
pub struct Approach {
    detector: Detector,
    frames: Vec<Frame>,
    margins: Vec<f64>,
    /// Frames of the state before, and whole turns of the joints since the first.
    before: Vec<Frame>,
    turns: Vec<f64>,
    touches: Vec<JointTouch>,
}

impl Approach {
    /// Calls `tell` with identity, gap and normal velocity of each, by rising identity.
    pub fn of(&mut self, model: &Model, state: &State, h: f64, mut tell: impl FnMut(usize, f64, f64)) {
        let State { t, q, v } = state;
        let near = |g: f64, u: f64| g > 0.0 && u < 0.0 && g <= -STEPS * h * u;
        let Some(scene) = model.bodies() else {
            for i in 0..model.n_contacts() {
                let (g, u) = (model.gap(i, q, *t), model.gap_rate(i, q, v, *t));
                if near(g, u) {
                    tell(i, g, u);
                }
            }
            return;
        };
        std::mem::swap(&mut self.before, &mut self.frames);
        self.frames.clear();
        self.frames.extend((0..scene.len()).map(|i| scene.frame(i, q)));
        self.margins.clear();
        self.margins.extend((0..scene.len()).map(|i| {
            let (twist, reach) = (scene.twist(i, v), scene.bodies()[i].reach);
            let reach = if reach.is_finite() { reach } else { 0.0 };
            STEPS * h * (norm(&twist.v) + reach * norm(&twist.w))
        }));
        for point in self.detector.detect(scene, &self.frames, &self.margins) {
            let u = scene.contact_velocity(point, q, v)[0];
            if near(point.gap, u) {
                tell(point.id as usize, point.gap, u);
            }
        }
        // stops and play of joints, whose numbers are higher
        self.follow_turns(scene);
        self.touches.clear();
        scene.joint_touches(&self.frames, &self.turns, &mut self.touches);
        for touch in &self.touches {
            let side = |k: usize| {
                let (row, Twist { v, w }) = (&touch.rows[0][k], scene.twist(touch.bodies[k], v));
                (0..3).map(|i| row[i] * v[i] + row[3 + i] * w[i]).sum::<f64>()
            };
            let u = side(0) + side(1);
            if near(touch.gap, u) {
                tell(touch.id as usize, touch.gap, u);
            }
        }
    }

    /// Counts the whole turns that joints made since the state before.
    fn follow_turns(&mut self, scene: &Bodies) {
        self.turns.resize(scene.joints().len(), 0.0);
        if self.before.len() == self.frames.len() {
            for (j, turns) in self.turns.iter_mut().enumerate() {
                *turns = scene.turns_after(j, *turns, &self.before, &self.frames);
            }
        }
    }
}

/// Writes the table of a finished run from its states; none where these are not whole, too many or of too many bodies.
pub fn write_gaps(run: &RunFolder) -> Result<()> {
    let (model, scenario) = (run.model(), &run.loaded.scenario);
    let looked_at = (run.summary.steps / scenario.every.max(1)).saturating_mul(model.n_contacts().max(1) as u64);
    if !is_looked_at(model) || looked_at > LOOKED_AT || !run.selection().is_whole() {
        return Ok(());
    }
    let failed = |error: std::io::Error| unwritable(&run.folder.join(GAPS), &error);
    let mut table = Table::create(Some(&run.folder), None, GAPS, GAPS_HEADER).map_err(failed)?;
    let (mut rows, mut row, mut approach) = (run.rows()?, Row::default(), Approach::default());
    let mut names = run.contact_names()?;
    let met = names.order().len();
    while rows.next(&mut row)? {
        let mut written = Ok(());
        approach.of(model, &row.state, scenario.step, |id, gap, u| {
            // those of the index set are in the other table
            if written.is_ok() && row.contacts.iter().all(|c| c.id != id) {
                names.meet(model, id);
                table.integer(row.step).number(row.state.t).integer(id as u64).number(gap).number(u);
                written = table.end();
            }
        });
        written.map_err(failed)?;
    }
    table.flush().map_err(failed)?;
    // contacts that never touched have a name, too
    if names.order().len() > met {
        write_names(scenario, &names, &run.folder).map_err(|error| unwritable(&run.folder.join(NAMES), &error))?;
    }
    Ok(())
}
