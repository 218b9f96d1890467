//! Elastic solids among bodies: the same motion as a linear model has, ledgers and momenta to round-off, joints and springs on groups, and
//! what is refused.

#[path = "common/blocks.rs"]
mod blocks;
mod common;

use blocks::{add_block, add_points, no_mesh};
use common::{bodies, run, scheme};
use percussion_matrix::{Matrix, SparseMatrix};
use percussion_model::bodies::math::{norm, sub};
use percussion_model::bodies::{Bodies, BodyParts, ElasticParts, JointKind, PairLaw, SceneParts, Shape, Spring};
use percussion_model::solid::finite::Law;
use percussion_model::solid::{Axis, Hooke, Kinematics, Mesh, Part, Section, Solid, SolidMass, SolidParts, Support};
use percussion_model::{Code, Contact, LinearModel, LinearParts, Signal};
use percussion_step::problems::{self, ball, floor, ground, joint, scene};
use percussion_step::{Problem, Trajectory};
use std::sync::Arc;

type Vec3 = [f64; 3];

const RUBBER: Hooke = Hooke { young: 1e6, poisson: 0.3, density: 1000.0 };
const LAW: PairLaw = PairLaw { restitution: 0.0, friction: 0.0, rolling: 0.0, compliance: None };

/// A block of 0.4 × 0.2 × 0.2 m about the origin, with a group for each face and one for the middle of its top.
fn block() -> Mesh {
    let mut mesh = no_mesh();
    add_block(&mut mesh, "block", [-0.2, -0.1, -0.1], [0.4, 0.2, 0.2], [4, 2, 2]);
    for (axis, name, end) in [(0, "left", -0.2), (0, "right", 0.2), (2, "bottom", -0.1), (2, "top", 0.1)] {
        add_points(&mut mesh, name, |x| (x[axis] - end).abs() < 1e-9);
    }
    add_points(&mut mesh, "middle", |x| norm(&sub(x, &[0.0, 0.0, 0.1])) < 1e-9);
    add_points(&mut mesh, "edge", |x| norm(&sub(x, &[x[0], 0.1, 0.1])) < 1e-9);
    mesh
}

fn parts(kinematics: Kinematics, material: Hooke) -> SolidParts {
    SolidParts {
        mesh: block(),
        section: Section::Space,
        kinematics,
        mass: SolidMass::Lumped,
        gravity: Default::default(),
        parts: vec![Part::new("block", material)],
        supports: vec![],
        loads: vec![],
        contacts: vec![],
    }
}

fn finite(law: Law) -> SolidParts {
    parts(Kinematics::Finite(vec![law]), RUBBER)
}

fn clamped() -> SolidParts {
    let supports = ["left", "right"].map(|group| Support::fixed(group, &[0, 1, 2])).to_vec();
    SolidParts { supports, ..parts(Kinematics::Linear, RUBBER) }
}

fn elastic(solid: SolidParts, surfaces: &[&str], groups: &[&str]) -> ElasticParts {
    ElasticParts {
        name: "block".into(),
        solid: Arc::new(Solid::new(solid).expect("a solid")),
        surfaces: surfaces.iter().map(|name| (name.to_string(), 0)).collect(),
        groups: groups.iter().map(ToString::to_string).collect(),
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        shaking: Default::default(),
    }
}

fn among(gravity: Vec3, others: Vec<BodyParts>, solid: ElasticParts, law: PairLaw) -> SceneParts {
    let mut parts = scene(false, gravity, others, law).expect("a scene");
    parts.flexible.solids.push(solid);
    parts
}

/// Largest |ΔE − works| of a step over the largest energy.
fn open(motion: &Trajectory) -> f64 {
    let size = motion.ledger.iter().map(|entry| entry.kinetic.abs().max(entry.potential.abs())).fold(0.0, f64::max);
    motion.ledger.iter().map(|entry| entry.balance.abs()).fold(0.0, f64::max) / size
}

/// Largest change of linear and angular momentum over the largest Σ m|v| and Σ m|x||v|.
fn drift(problem: &Problem, motion: &Trajectory) -> f64 {
    let scene = problem.model.bodies().expect("bodies");
    let at = |row: usize| scene.momentum(motion.q(row), motion.v(row));
    let (start, mut worst, mut size) = (at(0).0, [0.0_f64; 2], [0.0_f64; 2]);
    for row in 0..motion.len() {
        let (now, sizes) = at(row);
        for k in 0..2 {
            worst[k] = worst[k].max(norm(&sub(&now[k], &start[k])));
            size[k] = size[k].max(sizes[k]);
        }
    }
    (worst[0] / size[0]).max(worst[1] / size[1])
}

/// A ball that strikes the middle of a clamped block moves as the same block does as a linear model with the ball as one more mass.
#[test]
fn a_ball_on_a_clamped_block_is_a_mass_more() {
    let solid = Solid::new(clamped()).expect("a solid");
    let node = solid.nodes_of("middle", "").expect("a group")[0];
    let Axis::Free(below) = solid.coordinates().axes(node)[2] else { panic!("a free node") };
    for (e, name) in [(0.0, "moreau-jean"), (0.5, "moreau-jean"), (0.5, "energy-momentum")] {
        let law = PairLaw { restitution: e, ..LAW };
        let thrown = BodyParts { velocity: [0.0, 0.0, -2.0], ..ball("ball", 0.1, [0.0, 0.0, 0.2013]) };
        let problem = bodies(among([0.0; 3], vec![thrown], elastic(clamped(), &["middle"], &[]), law));
        let mass = problem.model.bodies().expect("bodies").bodies()[0].mass;

        let whole = solid.linear_parts();
        let (n, Some(K)) = (whole.mass.n_rows(), whole.stiffness) else { panic!("a stiffness") };
        let mut masses = whole.mass.triplets();
        masses.push((n, n, mass));
        let larger = |entries: &[(usize, usize, f64)]| {
            Matrix::Sparse(SparseMatrix::from_triplets(n + 1, n + 1, entries).expect("entries"))
        };
        let contact = Contact {
            normal: vec![(n, 1.0), (below, -1.0)],
            offset: Signal::constant(0.0),
            restitution: e,
            tangents: vec![],
            friction: 0.0,
            angular: false,
            name: String::new(),
        };
        let model = LinearModel::new(LinearParts {
            mass: larger(&masses),
            damping: None,
            stiffness: Some(larger(&K.triplets())),
            force: vec![Signal::default(); n + 1],
            contacts: vec![contact],
            joints: vec![],
        });
        let (mut q0, mut v0) = (vec![0.0; n + 1], vec![0.0; n + 1]);
        // both gaps to the last digit
        (q0[n], v0[n]) = (0.2013 - 0.1 - 0.1, -2.0);
        let alone = Problem::linear(model.expect("a model"), q0, v0).expect("a problem");

        let scheme = scheme(name, |_| ());
        let (h, end) = (2e-4, 0.06);
        let (one, other) = (run(&problem, &scheme, h, end), run(&alone, &scheme, h, end));
        assert!(one.ledger.iter().any(|entry| entry.work_contact < -1e-3), "it lands");
        let (mut worst, mut depth) = (0.0_f64, 0.0_f64);
        for row in 0..one.len() {
            let ball = one.q(row)[2] - 0.2;
            let middle = one.q(row)[7 * (1 + node) + 2] - 0.1;
            worst = worst.max((ball - other.q(row)[n]).abs()).max((middle - other.q(row)[below]).abs());
            depth = depth.max(middle.abs());
        }
        assert!(depth > 1e-3 && worst < 1e-9 * depth, "{name} {e}: {worst:e} of {depth:e}");
        assert!(open(&one) < 1e-11, "{:e}", open(&one));
    }
}

/// A block that turns and flies and a ball that strikes it keep energy, momentum and angular momentum.
#[test]
fn free_solids_keep_their_momenta() {
    for (law, mu, name) in [
        (Law::SaintVenantKirchhoff, 0.0, "energy-momentum"),
        (Law::NeoHookean, 0.4, "energy-momentum"),
        (Law::SaintVenantKirchhoff, 0.4, "moreau-jean"),
    ] {
        let thrown = BodyParts { velocity: [0.3, 0.0, -3.0], ..ball("ball", 0.15, [0.05, 0.02, 0.27]) };
        let turning = ElasticParts {
            velocity: [0.1, -0.2, 0.3],
            angular_velocity: [1.0, 3.0, 2.0],
            ..elastic(finite(law), &["top"], &[])
        };
        let pair = PairLaw { friction: mu, ..LAW };
        let problem = bodies(among([0.0; 3], vec![thrown], turning, pair));
        let motion = run(&problem, &scheme(name, |_| ()), 5e-4, 0.1);
        assert!(motion.ledger.iter().any(|entry| entry.work_contact < -1e-3), "they meet");
        assert!(motion.ledger.iter().all(|entry| entry.work_contact < 1e-9), "and make nothing");
        assert!(open(&motion) < 1e-11, "{law:?}: {:e}", open(&motion));
        let drift = drift(&problem, &motion);
        assert!(drift < 1e-11, "{law:?}: {drift:e}");
    }
}

/// A stiff block that hangs on a hinge by a face and on a spring by the other swings as a rigid body does.
#[test]
fn joints_and_springs_hold_groups() {
    let stiff = Hooke { young: 1e9, ..RUBBER };
    let rigid = |motion: &Trajectory, row: usize| motion.q(row)[7..10].to_vec();
    let spring = |body: usize, point: Vec3| Spring {
        bodies: [0, body],
        points: [[0.2, 0.0, 0.6], point],
        stiffness: 2000.0,
        damping: 0.0,
        length: 0.4,
    };
    let hinge = |body: usize| joint("hinge", JointKind::Revolute, [0, body], [-0.2, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let solid = elastic(parts(Kinematics::Finite(vec![Law::SaintVenantKirchhoff]), stiff), &[], &["left", "right"]);
    // the moments of inertia of the nodes
    let nodes = solid.solid.node_mass().lumped.iter().zip(&solid.solid.matter().X);
    let inertia = nodes.fold([0.0; 3], |I, (m, x)| {
        [0, 1, 2].map(|k: usize| I[k] + m * (x[(k + 1) % 3].powi(2) + x[(k + 2) % 3].powi(2)))
    });
    let rod = problems::solid("rod", [0.0; 3], 16.0, inertia);
    let mut one = scene(false, [0.0, 0.0, -9.81], vec![ground(), rod], LAW).expect("a scene");
    one.joints.push(hinge(1));
    one.springs.push(spring(1, [0.2, 0.0, 0.0]));
    let n = solid.n_nodes();
    let mut other = among([0.0, 0.0, -9.81], vec![ground()], solid, LAW);
    other.joints.push(hinge(1 + n));
    other.springs.push(spring(2 + n, [0.0; 3]));
    let (h, end) = (5e-4, 0.25);
    let scheme = scheme("energy-momentum", |_| ());
    let (problem, first) = (bodies(other), run(&bodies(one), &scheme, h, end));
    let motion = run(&problem, &scheme, h, end);
    assert!(open(&motion) < 1e-11, "{:e}", open(&motion));
    let scene = problem.model.bodies().expect("bodies");
    for row in (0..motion.len()).step_by(50) {
        let held = (0..scene.n_rigid_rows()).map(|k| scene.rigid_violation(k, motion.q(row)).abs()).fold(0.0, f64::max);
        assert!(held < 1e-12, "{held:e}");
        let places = scene.elastic()[0].nodes().map(|i| (scene.bodies()[i].mass, scene.frame(i, motion.q(row)).x));
        let markers = (1 + n..3 + n).map(|i| (scene.bodies()[i].mass, scene.frame(i, motion.q(row)).x));
        let (mut mass, mut centre) = (0.0, [0.0; 3]);
        for (m, x) in places.chain(markers) {
            mass += m;
            (0..3).for_each(|k| centre[k] += m * x[k]);
        }
        assert!((mass - 16.0).abs() < 1e-12);
        let centre = centre.map(|x| x / mass);
        let apart = norm(&sub(&centre, &[0, 1, 2].map(|k| rigid(&first, row)[k])));
        assert!(apart < 2e-3, "step {row}: {apart}");
    }
    let way = norm(&sub(&[0, 1, 2].map(|k| rigid(&first, first.len() - 1)[k]), &[0.0; 3]));
    assert!(way > 0.05, "it has swung: {way}");
}

/// A block pushed over a floor comes to rest after v²/2μg, under a body that it carries.
#[test]
fn a_block_slides_to_rest() {
    let stiff = Hooke { young: 2e6, ..RUBBER };
    let law = PairLaw { friction: 0.5, ..LAW };
    let sliding = ElasticParts {
        velocity: [1.0, 0.0, 0.0],
        ..elastic(parts(Kinematics::Finite(vec![Law::NeoHookean]), stiff), &["bottom"], &[])
    };
    let low = BodyParts { position: [0.0, 0.0, -0.1], ..floor() };
    let problem = bodies(among([0.0, 0.0, -9.81], vec![low], sliding, law));
    let motion = run(&problem, &scheme("moreau-jean", |_| ()), 1e-3, 0.35);
    let scene = problem.model.bodies().expect("bodies");
    let mean = |row: usize| {
        let nodes = scene.elastic()[0].nodes();
        let sum: f64 = nodes.clone().map(|i| motion.q(row)[7 * i]).sum();
        sum / nodes.len() as f64
    };
    let (way, expected) = (mean(motion.len() - 1) - mean(0), 1.0 / (2.0 * 0.5 * 9.81));
    assert!((way - expected).abs() < 0.03 * expected, "{way} {expected}");
    assert!(open(&motion) < 1e-11, "{:e}", open(&motion));
}

/// What solids among bodies do not have is refused by name.
#[test]
fn refusals_have_codes() {
    let refused = |parts: SceneParts| Bodies::new(parts).expect_err("refused");
    let free = elastic(parts(Kinematics::Linear, RUBBER), &["top"], &[]);
    let error = refused(among([0.0; 3], vec![], free, LAW));
    assert_eq!((error.code, &*error.field), (Code::CONTRADICTION, "solid[0].kinematics"));
    let heavy = SolidParts { mass: SolidMass::Consistent, ..finite(Law::NeoHookean) };
    let error = refused(among([0.0; 3], vec![], elastic(heavy, &[], &[]), LAW));
    assert_eq!((error.code, &*error.field), (Code::NOT_YET, "solid[0].mass"));
    let edge = elastic(finite(Law::NeoHookean), &[], &["edge"]);
    assert_eq!(refused(among([0.0; 3], vec![], edge, LAW)).code, Code::BAD_SOLID);
    let both = elastic(clamped(), &[], &["left"]);
    assert_eq!(refused(among([0.0; 3], vec![], both, LAW)).code, Code::BAD_SOLID);
    let post = BodyParts { shape: Shape::cylinder(0.1, 0.2), position: [0.0, 0.0, 1.0], ..Default::default() };
    let error = refused(among([0.0; 3], vec![post], elastic(clamped(), &["top"], &[]), LAW));
    assert_eq!((error.code, &*error.field), (Code::NOT_YET, "solid[0].contact"));
    let rolling = PairLaw { rolling: 1e-3, friction: 0.3, ..LAW };
    let error = refused(among([0.0; 3], vec![floor()], elastic(clamped(), &["top"], &[]), rolling));
    assert_eq!((error.code, &*error.field), (Code::NOT_YET, "solid[0].contact"));
    let flat = SceneParts { planar: true, ..among([0.0; 3], vec![], elastic(clamped(), &[], &[]), LAW) };
    assert_eq!(refused(flat).code, Code::BAD_SHAPE);
    let problem = bodies(among([0.0; 3], vec![], elastic(finite(Law::NeoHookean), &[], &[]), LAW));
    let scheme = scheme("generalized-alpha-ggl", |_| ());
    let options = percussion_solve::SolverOptions::default();
    let error = percussion_step::Simulation::new(&problem, &scheme, options, 1e-3).err();
    assert_eq!(error.map(|error| error.code), Some(Code::UNSUPPORTED));
}
