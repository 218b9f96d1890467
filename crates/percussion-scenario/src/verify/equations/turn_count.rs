//! Whole turns of sprung hinges, counted again from the rows of a run.

use percussion_model::bodies::Frame;
use percussion_step::Model;

/// The count, row by row.
pub struct TurnCount {
    model: Model,
    counted: Vec<usize>,
    turns: Vec<f64>,
}

impl TurnCount {
    /// At t = 0.
    pub fn new(model: &Model) -> Self {
        let scene = model.bodies();
        let (counted, n) = scene.map_or((Vec::new(), 0), |scene| (scene.counted_joints(), scene.joints().len()));
        Self { model: model.clone(), counted, turns: vec![0.0; n] }
    }

    /// Whether there is anything to count.
    pub fn matter(&self) -> bool {
        !self.counted.is_empty()
    }

    /// From one row to the next, one step apart.
    pub fn go(&mut self, before: &[f64], after: &[f64]) {
        let Some(scene) = self.model.bodies() else { return };
        if self.counted.is_empty() {
            return;
        }
        let [before, after] =
            [before, after].map(|q| (0..scene.len()).map(|i| scene.frame(i, q)).collect::<Vec<Frame>>());
        for &j in &self.counted {
            self.turns[j] = scene.turns_after(j, self.turns[j], &before, &after);
        }
    }

    /// V with the turns made so far.
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        match self.model.bodies() {
            Some(scene) => scene.potential_energy_turned(q, &self.turns),
            None => self.model.potential_energy(q),
        }
    }
}
