//! Every scheme gives the contact problem of its last step on every kind of model it takes, with friction and without: a
//! well-formed problem that its own impulses solve.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Motion, PairLaw, SceneParts, Shape,
};
use percussion_model::nonlinear::RockingBlock;
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_solve::friction::friction_residuals;
use percussion_step::{Problem, SCHEMES, Scheme, Simulation};
use std::sync::Arc;

/// Two masses that fall on an obstacle each, joined by a spring, moving sideways.
fn linear(mu: f64) -> Problem {
    let contact = |row: usize| Contact {
        normal: vec![(row, 1.0)],
        tangents: if mu > 0.0 { vec![vec![(row + 1, 1.0)]] } else { vec![] },
        restitution: 0.5,
        friction: mu,
        ..Contact::default()
    };
    let mut K = DenseMatrix::zeros(4, 4);
    for (i, j, k) in [(1, 1, 3.0), (1, 3, -3.0), (3, 1, -3.0), (3, 3, 3.0)] {
        K.set(i, j, k);
    }
    let parts = LinearParts {
        mass: Matrix::Dense(DenseMatrix::identity(4)),
        damping: None,
        stiffness: Some(Matrix::Dense(K)),
        force: [-9.81, 0.0, -9.81, 0.0].map(Signal::constant).to_vec(),
        contacts: vec![contact(0), contact(2)],
        joints: vec![],
    };
    let model = LinearModel::new(parts).expect("a model");
    Problem::linear(model, vec![0.02, 0.0, 0.03, 0.0], vec![0.0, 0.3, 0.0, -0.2]).expect("a problem")
}

/// A block that falls on a corner.
fn nonlinear(mu: f64) -> Problem {
    let block = RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.3).and_then(|block| block.with_friction(mu)).expect("a block");
    Problem::nonlinear(Arc::new(block), vec![0.0, 0.92, 0.2], vec![0.2, 0.0, 0.0]).expect("a problem")
}

/// A ball that falls on the floor, alone or at the end of an arm.
fn bodies(mu: f64, jointed: bool) -> Problem {
    let floor = BodyParts { name: "floor".into(), shape: Shape::plane(), motion: Motion::Fixed, ..Default::default() };
    let ball = BodyParts {
        name: "ball".into(),
        shape: Shape::sphere(0.1),
        position: [0.0, 0.0, 0.12],
        velocity: if jointed { [0.0; 3] } else { [0.4, 0.1, 0.0] },
        ..Default::default()
    };
    // bodies that a joint connects do not touch each other
    let post = BodyParts { name: "post".into(), motion: Motion::Fixed, ..Default::default() };
    let hinge = JointParts {
        name: "arm".into(),
        kind: JointKind::Revolute,
        bodies: [2, 1],
        anchor: [-1.0, 0.0, 0.12],
        axis: [0.0, 1.0, 0.0],
        ..Default::default()
    };
    let law = PairLaw { restitution: 0.5, friction: mu, ..Default::default() };
    let parts = SceneParts {
        planar: false,
        gravity: [0.0, 0.0, -9.81],
        bodies: if jointed { vec![floor, ball, post] } else { vec![floor, ball] },
        materials: Materials::uniform(law).expect("a law"),
        springs: Vec::new(),
        joints: if jointed { vec![hinge] } else { Vec::new() },
        no_contact: Vec::new(),
        flexible: Default::default(),
    };
    Problem::bodies(Bodies::new(parts).expect("a scene")).expect("a problem")
}

/// Falls, and at the first step with an impulse asks for the problem; none where the scheme does not take the model.
fn first_problem(problem: &Problem, scheme: &Scheme, what: &str) -> Option<()> {
    let mut run = Simulation::new(problem, scheme, SolverOptions::default(), 1e-3).ok()?;
    for _ in 0..2000 {
        let step = run.advance().unwrap_or_else(|failure| panic!("{what}: {failure}"));
        let pushed: Vec<usize> = step.contacts.iter().filter(|c| c.p > 0.0).map(|c| c.id).collect();
        if pushed.is_empty() {
            continue;
        }
        let (solved, r) = run.contact_problem().unwrap_or_else(|| panic!("{what}: no problem"));
        assert!(solved.is_well_formed(), "{what}");
        assert_eq!(r.len(), solved.dim() * solved.len(), "{what}");
        assert!(pushed.iter().any(|id| solved.ids.contains(id)), "{what}: {pushed:?} {:?}", solved.ids);
        let mut u = vec![0.0; r.len()];
        solved.velocity(&r, &mut u);
        let worst = friction_residuals(&solved, &r, &u).worst();
        assert!(worst <= 1e-8, "{what}: its impulses leave {worst:e}");
        return Some(());
    }
    panic!("{what}: nothing touched in two seconds");
}

#[test]
fn every_scheme_gives_its_contact_problem() {
    let kinds: [(&str, Problem); 8] = [
        ("linear", linear(0.0)),
        ("linear with friction", linear(0.4)),
        ("nonlinear", nonlinear(0.0)),
        ("nonlinear with friction", nonlinear(0.4)),
        ("bodies", bodies(0.0, false)),
        ("bodies with friction", bodies(0.4, false)),
        ("jointed bodies", bodies(0.0, true)),
        ("jointed bodies with friction", bodies(0.4, true)),
    ];
    let mut without = Vec::new();
    for entry in SCHEMES {
        let scheme = Scheme::named(entry.name).expect("a scheme");
        let mut taken = Vec::new();
        for (kind, problem) in &kinds {
            if first_problem(problem, &scheme, &format!("{} on {kind}", entry.name)).is_some() {
                taken.push(*kind);
            }
        }
        println!("{}: {}", entry.name, taken.join(", "));
        if taken.is_empty() {
            without.push(entry.name);
        }
    }
    assert!(without.is_empty(), "these schemes took none of the models: {without:?}");
}
