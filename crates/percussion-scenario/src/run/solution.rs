//! A run kept in memory: the motion, the verdicts and how it ended.

use crate::build::load::Loaded;
use crate::build::scenario::Scenario;
use percussion_step::{Audit, Both, Outcome, State, Trajectory, Verdicts};

/// What came of a scenario.
#[derive(Debug)]
pub struct Solution {
    /// What was run.
    pub scenario: Scenario,
    /// Every accepted step, the initial state first.
    pub trajectory: Trajectory,
    /// Whether energy, gaps, cones, joints and solver kept what was promised.
    pub verdicts: Verdicts,
    /// At its end, or at the step that could not be made.
    pub outcome: Outcome,
}

impl Solution {
    /// The last state reached.
    pub fn last(&self) -> State {
        let k = self.trajectory.len() - 1;
        State { t: self.trajectory.t[k], q: self.trajectory.q(k).to_vec(), v: self.trajectory.v(k).to_vec() }
    }
}

impl Loaded {
    /// Runs to the end of the scenario and keeps everything in memory; `percussion_scenario::run` writes to a folder instead.
    pub fn solve(mut self) -> Solution {
        let (mut trajectory, mut audit) = (Trajectory::new(), Audit::new());
        let steps = if self.scenario.adaptive.is_some() { u64::MAX } else { self.scenario.count.n };
        let outcome = self.simulation.run(steps, &mut Both(&mut trajectory, &mut audit));
        let verdicts = audit.judged(&self.scenario.guarantee(), &self.scenario.solver);
        Solution { scenario: self.scenario, trajectory, verdicts, outcome }
    }
}
