//! Random linear systems with contacts, the same ones every time.

use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_scenario::Result;
use percussion_step::Problem;
pub use percussion_step::problems::Dice;

/// Six coordinates, three contacts of the same restitution, springs, a constant load; with damping if asked.
pub fn problem(dice: &mut Dice, e: f64, damping: bool) -> Result<Problem> {
    let n = 6;
    let (mass, stiffness) = (dice.positive(n, 1.0, 0.5), dice.positive(n, 30.0, 0.1));
    let damping = damping.then(|| dice.positive(n, 0.3, 0.05));
    let contacts = (0..3)
        .map(|_| Contact {
            normal: (0..n).map(|i| (i, dice.real(-1.0, 1.0))).collect(),
            offset: Signal::constant(dice.real(0.0, 0.2)),
            restitution: e,
            ..Contact::default()
        })
        .collect();
    let force = (0..n).map(|_| Signal::constant(dice.real(-2.0, 2.0))).collect();
    let parts = LinearParts { mass, damping, stiffness: Some(stiffness), force, contacts, joints: vec![] };
    let v0 = (0..n).map(|_| dice.real(-2.0, 2.0)).collect();
    Ok(Problem::linear(LinearModel::new(parts)?, vec![0.0; n], v0)?)
}
