//! What each scheme supports, found by asking it: the scheme is bound to one small model of each kind.

use crate::{Ability, AdaptiveOptions, Problem, Scheme, Simulation};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::bodies::{Bodies, BodyParts, Materials, PairLaw, SceneParts, Shape};
use percussion_model::nonlinear::{Pendulum, PointMass};
use percussion_model::{Contact, Joint, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// One column of the table: a word, and whether a scheme has it.
type Column = (&'static str, fn(&Scheme) -> bool);

/// The columns, in the order they are shown.
const COLUMNS: &[Column] = &[
    ("linear", |scheme| accepts(scheme, linear(Signal::constant(1.0), false))),
    ("nonlinear", |scheme| {
        accepts(scheme, PointMass::new(1.0, 0.5, 10.0, 0.5).ok().and_then(|m| nonlinear(m, vec![1.0])))
    }),
    ("bodies", |scheme| accepts(scheme, ball())),
    ("joints", |scheme| accepts(scheme, linear(Signal::constant(1.0), true)) || accepts(scheme, pendulum())),
    ("friction", |scheme| accepts(scheme, frictional())),
    ("moving obstacles", |scheme| accepts(scheme, linear(Signal::harmonic(1.0, 0.1, 1.0, 0.0), false))),
    ("adaptive steps", |scheme| {
        let adaptive = AdaptiveOptions::new(1e-4, 1.0);
        linear(Signal::constant(1.0), false).is_some_and(|p| adaptive.check(scheme, &p.model, 1.0).is_ok())
    }),
    ("located events", |scheme| scheme.facts().has(Ability::LocatesEvents)),
];

/// The words of what a scheme of `SCHEMES` supports.
pub fn support(name: &str) -> Vec<&'static str> {
    let Ok(scheme) = Scheme::named(name) else { return Vec::new() };
    COLUMNS.iter().filter(|(_, has)| has(&scheme)).map(|&(word, _)| word).collect()
}

/// Whether the scheme can be bound to the problem.
fn accepts(scheme: &Scheme, problem: Option<Problem>) -> bool {
    problem.is_some_and(|problem| Simulation::new(&problem, scheme, SolverOptions::default(), 1e-3).is_ok())
}

/// Two masses over an obstacle, tied together or not.
fn linear(offset: Signal, tied: bool) -> Option<Problem> {
    let joint = Joint { row: vec![(0, 1.0), (1, -1.0)], offset: 0.0 };
    let parts = LinearParts {
        mass: Matrix::Dense(DenseMatrix::identity(2)),
        damping: None,
        stiffness: None,
        force: vec![Signal::constant(-1.0); 2],
        contacts: vec![Contact { normal: vec![(0, 1.0)], offset, restitution: 0.5, ..Contact::default() }],
        joints: if tied { vec![joint] } else { vec![] },
    };
    Problem::linear(LinearModel::new(parts).ok()?, vec![0.0; 2], vec![0.0; 2]).ok()
}

/// A mass that can slide along what it rests on.
fn frictional() -> Option<Problem> {
    let parts = LinearParts {
        mass: Matrix::Dense(DenseMatrix::identity(2)),
        damping: None,
        stiffness: None,
        force: vec![Signal::constant(-1.0); 2],
        contacts: vec![Contact {
            normal: vec![(0, 1.0)],
            tangents: vec![vec![(1, 1.0)]],
            friction: 0.3,
            ..Contact::default()
        }],
        joints: vec![],
    };
    Problem::linear(LinearModel::new(parts).ok()?, vec![0.0; 2], vec![0.0; 2]).ok()
}

fn nonlinear(model: impl percussion_model::Lagrangian + 'static, q0: Vec<f64>) -> Option<Problem> {
    let v0 = vec![0.0; q0.len()];
    Problem::nonlinear(Arc::new(model), q0, v0).ok()
}

/// A ball in free space.
fn ball() -> Option<Problem> {
    let ball = BodyParts { name: "ball".into(), shape: Shape::sphere(0.1), ..Default::default() };
    let materials = Materials::uniform(PairLaw::default()).ok()?;
    let (springs, no_contact) = (Vec::new(), Vec::new());
    let parts = SceneParts {
        planar: false,
        gravity: [0.0; 3],
        bodies: vec![ball],
        materials,
        springs,
        joints: Vec::new(),
        no_contact,
        flexible: Default::default(),
    };
    Problem::bodies(Bodies::new(parts).ok()?).ok()
}

fn pendulum() -> Option<Problem> {
    let pendulum = Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.5, 0.5).ok()?;
    let q0 = pendulum.at_angle(0.2).to_vec();
    nonlinear(pendulum, q0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMES;

    /// Every scheme moves linear models, those without a reason not to move nonlinear ones, and seven move bodies.
    #[test]
    fn models_by_scheme() {
        let linear_only = ["naive-newmark-velocity", "naive-newmark-position"];
        let bodies = [
            "moreau-jean",
            "moreau-jean-fremond",
            "generalized-alpha-ggl",
            "energy-momentum",
            "landing",
            "event-driven",
            "runge-kutta-moreau",
        ];
        for entry in SCHEMES {
            let words = support(entry.name);
            println!("{:<32} {}", entry.name, words.join(", "));
            assert!(words.contains(&"linear"), "{}", entry.name);
            assert_eq!(words.contains(&"nonlinear"), !linear_only.contains(&entry.name), "{}", entry.name);
            assert_eq!(words.contains(&"bodies"), bodies.contains(&entry.name), "{}", entry.name);
        }
    }
}
