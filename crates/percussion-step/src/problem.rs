//! What is to be simulated: a model and its initial state.

use crate::schemes::equations::System;
use percussion_matrix::{DenseMatrix, Factor, Matrix, vector};
use percussion_model::bodies::{Bodies, PairLaw};
use percussion_model::{Code, InputError, Lagrangian, LinearModel};
use std::sync::Arc;

/// The kinds of model a scheme can be asked to move.
#[derive(Clone, Debug)]
pub enum Model {
    /// Constant matrices.
    Linear(Arc<LinearModel>),
    /// M(q), f(q, v, t), g(q).
    Nonlinear(Arc<dyn Lagrangian>),
    /// Rigid bodies, whose contacts come and go.
    Bodies(Arc<Bodies>),
}

impl Model {
    /// The structure of its equations.
    pub fn system(&self) -> System {
        match self {
            Self::Linear(_) => System::Linear,
            Self::Nonlinear(_) => System::Lagrangian,
            Self::Bodies(_) => System::Bodies,
        }
    }

    /// The constant matrices, where it has them.
    pub fn linear(&self) -> Option<&Arc<LinearModel>> {
        if let Self::Linear(model) = self { Some(model) } else { None }
    }

    /// The bodies, where it has them.
    pub fn bodies(&self) -> Option<&Arc<Bodies>> {
        if let Self::Bodies(scene) = self { Some(scene) } else { None }
    }

    /// Number of coordinates q.
    pub fn n_q(&self) -> usize {
        match self {
            Self::Linear(model) => model.n(),
            Self::Nonlinear(model) => model.n(),
            Self::Bodies(scene) => scene.n_q(),
        }
    }

    /// Number of velocities v.
    pub fn n_v(&self) -> usize {
        match self {
            Self::Bodies(scene) => scene.n_v(),
            _ => self.n_q(),
        }
    }

    /// Number of contacts; contacts of bodies come and go and are not counted.
    pub fn n_contacts(&self) -> usize {
        match self {
            Self::Linear(model) => model.n_contacts(),
            Self::Nonlinear(model) => model.restitutions().len(),
            Self::Bodies(_) => 0,
        }
    }

    /// Number of joints.
    pub fn n_joints(&self) -> usize {
        match self {
            Self::Linear(model) => model.joints().len(),
            Self::Nonlinear(model) => model.n_joints(),
            Self::Bodies(scene) => scene.n_rigid_rows(),
        }
    }

    /// Whether anything can touch anything.
    pub fn has_contacts(&self) -> bool {
        match self {
            Self::Bodies(scene) => scene.len() > 1,
            _ => self.n_contacts() > 0,
        }
    }

    /// Whether a contact of that number or identity can exist.
    pub fn knows_contact(&self, id: usize) -> bool {
        match self {
            Self::Bodies(scene) => match scene.joint_of(id as u64) {
                Some(j) => j < scene.joints().len(),
                None => {
                    let [a, b] = scene.pair_of(id as u64);
                    a < b && b < scene.len()
                }
            },
            _ => id < self.n_contacts(),
        }
    }

    /// Whether any contact has tangents.
    pub fn has_tangents(&self) -> bool {
        match self {
            Self::Bodies(scene) => scene.len() > 1,
            _ => (0..self.n_contacts()).any(|i| self.n_tangents(i) > 0),
        }
    }

    /// ē, the largest restitution of any contact.
    pub fn largest_restitution(&self) -> f64 {
        match self {
            Self::Bodies(scene) => scene.largest_restitution(),
            _ => (0..self.n_contacts()).map(|i| self.restitution(i)).fold(0.0, f64::max),
        }
    }

    /// e of contact i.
    pub fn restitution(&self, i: usize) -> f64 {
        match self {
            Self::Linear(model) => model.contacts()[i].restitution,
            Self::Nonlinear(model) => model.restitutions()[i],
            Self::Bodies(scene) => pair_law(scene, i).restitution,
        }
    }

    /// μ of contact i.
    pub fn friction(&self, i: usize) -> f64 {
        match self {
            Self::Linear(model) => model.contacts()[i].friction,
            Self::Nonlinear(model) => model.frictions().get(i).copied().unwrap_or(0.0),
            Self::Bodies(scene) => pair_law(scene, i).friction,
        }
    }

    /// μ_r of contact i [m].
    pub fn rolling(&self, i: usize) -> f64 {
        match self {
            Self::Linear(_) | Self::Nonlinear(_) => 0.0,
            Self::Bodies(scene) => pair_law(scene, i).rolling,
        }
    }

    /// Whether any contact resists rolling.
    pub fn has_rolling(&self) -> bool {
        matches!(self, Self::Bodies(scene) if scene.has_rolling())
    }

    /// Whether any contact rubs.
    pub fn has_friction(&self) -> bool {
        match self {
            Self::Linear(model) => model.has_friction(),
            Self::Nonlinear(model) => model.frictions().iter().any(|&mu| mu > 0.0),
            Self::Bodies(scene) => scene.has_friction(),
        }
    }

    /// Number of tangents of contact i; none along which a nonlinear model does not rub.
    pub fn n_tangents(&self, i: usize) -> usize {
        match self {
            Self::Linear(model) => model.tangent_columns(i).len(),
            Self::Nonlinear(model) if self.friction(i) > 0.0 => model.n_tangents(i),
            Self::Nonlinear(_) => 0,
            Self::Bodies(scene) => {
                if scene.is_planar() {
                    1
                } else {
                    2
                }
            }
        }
    }

    /// u_T of contact i, zero beyond the tangents it has.
    pub fn tangent_rate(&self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        match self {
            Self::Linear(model) => model.tangent_rate(i, v),
            Self::Nonlinear(model) => {
                let mut u = [0.0; 2];
                let mut row = vec![0.0; q.len()];
                for (k, u) in u.iter_mut().enumerate().take(self.n_tangents(i)) {
                    row.fill(0.0);
                    model.contact_tangent(i, k, q, &mut row);
                    *u = vector::dot(&row, v);
                }
                u
            }
            Self::Bodies(scene) => contact_rates(scene, i, q, v).map_or([0.0; 2], |u| [u[1], u[2]]),
        }
    }

    /// g_i(q, t) of contact i.
    pub fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        match self {
            Self::Linear(model) => model.gap(i, q, t),
            Self::Nonlinear(model) => model.constraint(model.n_joints() + i, q),
            Self::Bodies(scene) => scene.contact(i as u64, q).map_or(f64::NAN, |c| c.gap),
        }
    }

    /// Rate of gap i.
    pub fn gap_rate(&self, i: usize, q: &[f64], v: &[f64], t: f64) -> f64 {
        match self {
            Self::Linear(model) => model.gap_rate(i, v, t),
            Self::Nonlinear(model) => {
                let mut row = vec![0.0; q.len()];
                model.gradient(model.n_joints() + i, q, &mut row);
                vector::dot(&row, v)
            }
            Self::Bodies(scene) => contact_rates(scene, i, q, v).map_or(f64::NAN, |u| u[0]),
        }
    }

    /// g_j(q) of joint j, zero when satisfied.
    pub fn joint(&self, j: usize, q: &[f64]) -> f64 {
        match self {
            Self::Linear(model) => model.joint_violation(j, q),
            Self::Nonlinear(model) => model.constraint(j, q),
            Self::Bodies(scene) => scene.rigid_violation(j, q),
        }
    }

    /// How far q is from satisfying joint j: |g_j| over the length of its row, whatever the row's scale.
    pub fn joint_distance(&self, j: usize, q: &[f64]) -> f64 {
        let length = match self {
            Self::Linear(model) => model.joints()[j].row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt(),
            Self::Nonlinear(_) | Self::Bodies(_) => 1.0,
        };
        (self.joint(j, q) / length.max(f64::MIN_POSITIVE)).abs()
    }

    /// ½ vᵀM v.
    pub fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        match self {
            Self::Linear(model) => model.kinetic_energy(v),
            Self::Nonlinear(model) => model.kinetic_energy(q, v),
            Self::Bodies(scene) => scene.kinetic_energy(v),
        }
    }

    /// V(q).
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        match self {
            Self::Linear(model) => model.potential_energy(q),
            Self::Nonlinear(model) => model.potential_energy(q),
            Self::Bodies(scene) => scene.potential_energy(q),
        }
    }
}

/// The law behind a contact's identity.
fn pair_law(scene: &Bodies, id: usize) -> PairLaw {
    if let Some(joint) = scene.joint_of(id as u64).and_then(|j| scene.joints().get(j)) {
        // stops do not rub
        let friction = if joint.play.is_some() { joint.friction } else { 0.0 };
        return PairLaw { restitution: joint.restitution, friction, rolling: 0.0 };
    }
    let [a, b] = scene.pair_of(id as u64).map(|i| scene.bodies()[i].material);
    scene.materials().law(a, b)
}

/// Normal and tangential velocities of a contact of bodies, while it exists.
fn contact_rates(scene: &Bodies, id: usize, q: &[f64], v: &[f64]) -> Option<[f64; 3]> {
    crate::bodies::rows::contact_velocity(scene, &scene.contact(id as u64, q)?, q, v)
}

/// A model with its state at t = 0.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The model.
    pub model: Model,
    /// q at t = 0.
    pub q0: Vec<f64>,
    /// v at t = 0.
    pub v0: Vec<f64>,
}

impl Problem {
    /// A linear problem; refuses sizes that do not fit, numbers that are not finite, penetration and violated joints.
    pub fn linear(model: LinearModel, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        let problem = Self::linear_unchecked(model, q0, v0)?;
        problem.check_start()?;
        Ok(problem)
    }

    /// A linear problem whose initial state may still penetrate or violate joints; only sizes and numbers are checked.
    pub fn linear_unchecked(model: LinearModel, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        Self::unchecked(Model::Linear(Arc::new(model)), q0, v0)
    }

    /// A nonlinear problem; refuses what `linear` refuses.
    pub fn nonlinear(model: Arc<dyn Lagrangian>, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        let problem = Self::unchecked(Model::Nonlinear(model), q0, v0)?;
        problem.check_start()?;
        Ok(problem)
    }

    /// Bodies in their initial state; refuses overlaps.
    pub fn bodies(scene: Bodies) -> Result<Self, InputError> {
        let (q0, v0) = (scene.q0().to_vec(), scene.v0().to_vec());
        let problem = Self::unchecked(Model::Bodies(Arc::new(scene)), q0, v0)?;
        problem.check_start()?;
        Ok(problem)
    }

    /// Any problem of which only sizes and numbers are checked.
    pub fn unchecked(model: Model, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        for (field, x, n) in [("model.q0", &q0, model.n_q()), ("model.v0", &v0, model.n_v())] {
            if x.len() != n {
                let message = format!("has {} entries where the model has {n}", x.len());
                return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {n} numbers")));
            }
            if let Some(i) = x.iter().position(|x| !x.is_finite()) {
                let message = format!("entry {i} is {}", x[i]);
                return Err(InputError::new(Code::NOT_FINITE, field, message, "give a finite number"));
            }
        }
        if let Model::Nonlinear(model) = &model {
            check_frictions(&**model)?;
        }
        Ok(Self { model, q0, v0 })
    }

    /// Every motion the joints allow has inertia: M + Σ ĝĝᵀ over the joints is positive definite, so [M gᵀ; g 0] is regular
    /// but for redundant joints.
    fn check_inertia(&self) -> Result<(), InputError> {
        let Model::Nonlinear(model) = &self.model else { return Ok(()) };
        let n = model.n();
        let mut A = DenseMatrix::zeros(n, n);
        model.mass(&self.q0, &mut A);
        let size = vector::max_abs(A.values());
        let mut row = vec![0.0; n];
        for j in 0..model.n_joints() {
            row.fill(0.0);
            model.gradient(j, &self.q0, &mut row);
            let length = vector::norm(&row).max(f64::MIN_POSITIVE);
            for k in 0..n {
                vector::axpy(size * row[k] / (length * length), &row, A.column_mut(k));
            }
        }
        match Factor::cholesky(&Matrix::Dense(A)) {
            Ok(_) if size.is_finite() && size > 0.0 => Ok(()),
            result => {
                let place = result.err().and_then(|failure| failure.row);
                let place = place.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
                let message = format!("some motion the joints allow has no inertia{place}: [M gᵀ; g 0] is singular");
                let help = "give that coordinate a mass, or a joint that ties it to one that has";
                Err(InputError::new(Code::MASS_NOT_POSITIVE, "model.mass", message, help))
            }
        }
    }

    /// Gaps not negative, joints satisfied in position and velocity, to round-off of the numbers that enter.
    pub fn check_start(&self) -> Result<(), InputError> {
        // q0 is at fault where it alone gives no number, else v0
        let gaps = (0..self.model.n_contacts()).map(|i| self.model.gap(i, &self.q0, 0.0));
        let joints = (0..self.model.n_joints()).map(|j| self.model.joint(j, &self.q0));
        let rest = vec![0.0; self.v0.len()];
        let energies = [self.model.potential_energy(&self.q0), self.model.kinetic_energy(&self.q0, &rest)];
        let placed = energies.into_iter().chain(gaps).chain(joints).all(f64::is_finite);
        let rates = (0..self.model.n_joints()).map(|j| self.joint_rate(j));
        let moving = [self.model.kinetic_energy(&self.q0, &self.v0)].into_iter().chain(rates).all(f64::is_finite);
        if !(placed && moving) {
            let (field, message, help) = if placed {
                (
                    "model.v0",
                    "the kinetic energy or a joint's rate is infinite or NaN at the start",
                    "give smaller velocities",
                )
            } else {
                let help = "check q0, and that the model is defined there";
                ("model.q0", "an energy, a gap or a joint is infinite or NaN at the start", help)
            };
            return Err(InputError::new(Code::NOT_FINITE, field, message, help));
        }
        self.check_inertia()?;
        if let Model::Bodies(scene) = &self.model {
            check_overlap(scene, &self.q0)?;
            return check_joints(scene, &self.v0, |k| self.joint_rate(k));
        }
        for i in 0..self.model.n_contacts() {
            let gap = self.model.gap(i, &self.q0, 0.0);
            if gap < -1e-12 * self.terms(self.model.n_joints() + i, &self.q0, true) {
                let message = format!("contact {i} penetrates by {:.6e} m at t = 0", -gap);
                let help = "move q0 or the offset, or use --fix-initial project";
                return Err(InputError::new(Code::PENETRATION, format!("model.contact[{i}]"), message, help));
            }
        }
        for j in 0..self.model.n_joints() {
            let field = format!("model.joint[{j}]");
            let position = self.model.joint(j, &self.q0);
            if position.abs() > 1e-10 * self.terms(j, &self.q0, true) {
                let message = format!("the joint is violated by {position:.6e} instead of 0");
                let help = "correct q0, or use --fix-initial project";
                return Err(InputError::new(Code::JOINT_POSITION, field, message, help));
            }
            let velocity = self.joint_rate(j);
            if velocity.abs() > 1e-10 * self.terms(j, &self.v0, false) {
                let message = format!("the joint's velocity is {velocity:.6e} instead of 0");
                let help = "correct v0, or use --fix-initial project";
                return Err(InputError::new(Code::JOINT_VELOCITY, field, message, help));
            }
        }
        Ok(())
    }

    /// Rate of joint j at the start.
    fn joint_rate(&self, j: usize) -> f64 {
        match &self.model {
            Model::Linear(model) => model.joint_rate(j, &self.v0),
            Model::Nonlinear(model) => {
                let mut row = vec![0.0; self.q0.len()];
                model.gradient(j, &self.q0, &mut row);
                vector::dot(&row, &self.v0)
            }
            Model::Bodies(scene) => scene.rigid_rate(j, &self.q0, &self.v0),
        }
    }

    /// The size of the terms whose difference constraint k is (joints first), or of those of its rate: the unit of its
    /// round-off.
    pub(crate) fn terms(&self, k: usize, x: &[f64], offset: bool) -> f64 {
        let nb = self.model.n_joints();
        match &self.model {
            Model::Linear(model) => {
                let (row, constant) = if k < nb {
                    (&model.joints()[k].row, model.joints()[k].offset)
                } else {
                    (&model.contacts()[k - nb].normal, model.contacts()[k - nb].offset.at(0.0))
                };
                row_scale(row, x) + if offset { constant.abs() } else { 0.0 }
            }
            Model::Nonlinear(model) => {
                let mut row = vec![0.0; x.len()];
                model.gradient(k, &self.q0, &mut row);
                let row: Vec<(usize, f64)> = row.into_iter().enumerate().collect();
                // a nonlinear constraint has its constants inside: they are of the size of its terms, at least in one of them
                let largest = row.iter().fold(0.0_f64, |s, &(_, g)| s.max(g.abs())) * vector::max_abs(x);
                row_scale(&row, x) + if offset { largest } else { 0.0 }
            }
            Model::Bodies(_) => vector::max_abs(x),
        }
    }
}

/// Velocities at the start that the joints allow: reactions act between states and would not remove what is there before.
fn check_joints(scene: &Bodies, v0: &[f64], rate: impl Fn(usize) -> f64) -> Result<(), InputError> {
    let largest = vector::max_abs(v0);
    for k in 0..scene.n_rigid_rows() {
        let Some((j, _, _)) = scene.rigid_row(k) else { continue };
        let joint = &scene.joints()[j];
        let arms = joint.points.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
        if rate(k).abs() > 1e-9 * largest * arms {
            let message = format!("the bodies of joint \"{}\" part at {:.6e} per second", joint.name, rate(k));
            let help = "correct the velocities, or start at rest";
            return Err(InputError::new(Code::JOINT_VELOCITY, format!("joint[{j}]"), message, help));
        }
    }
    Ok(())
}

/// Bodies overlap by no more than round-off of their places and sizes.
fn check_overlap(scene: &Bodies, q: &[f64]) -> Result<(), InputError> {
    let frames: Vec<_> = (0..scene.len()).map(|i| scene.frame(i, q)).collect();
    let inside = scene.inside_surfaces(&frames).into_iter().map(|inside| (inside.depth, inside.bodies));
    let touching = scene.deepest_overlap(q).map(|(depth, contact)| (depth, scene.pair_of(contact)));
    let Some((depth, pair)) = inside.chain(touching).max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
    let size = pair.iter().fold(0.0_f64, |s, &i| {
        let reach = scene.bodies()[i].reach;
        let x = scene.frame(i, q).x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        s.max(if reach.is_finite() { reach } else { 0.0 }).max(x)
    });
    if depth <= 1e-12 * size {
        return Ok(());
    }
    let [a, b] = pair.map(|i| scene.bodies()[i].name.as_str());
    let message = format!("bodies \"{a}\" and \"{b}\" overlap by {depth:.6e} m at t = 0");
    let help = "move one of them, or use --fix-initial project";
    // the one that may be moved
    let placed = if scene.bodies()[pair[0]].is_free() { pair[0] } else { pair[1] };
    Err(InputError::new(Code::PENETRATION, format!("body[{placed}].position"), message, help))
}

/// μ ≥ 0 for every contact or for none, with one tangent or two where it is positive.
fn check_frictions(model: &dyn Lagrangian) -> Result<(), InputError> {
    let (mu, m) = (model.frictions(), model.restitutions().len());
    let refuse = |code: Code, i: usize, message: String, help: &str| {
        Err(InputError::new(code, format!("model.contact[{i}].friction"), message, help))
    };
    if !mu.is_empty() && mu.len() != m {
        let message = format!("{} coefficients of friction for {m} contacts", mu.len());
        return refuse(Code::FRICTION, mu.len().min(m), message, "give one for each contact, or none at all");
    }
    for (i, &mu) in mu.iter().enumerate() {
        if !mu.is_finite() {
            return refuse(Code::NOT_FINITE, i, format!("friction = {mu}"), "give a finite number");
        }
        if mu < 0.0 {
            let message = format!("friction = {mu} is negative");
            return refuse(Code::FRICTION, i, message, "give a coefficient of 0 or more");
        }
        if mu > 0.0 && !(1..=2).contains(&model.n_tangents(i)) {
            let message = format!("friction = {mu} with {} tangents", model.n_tangents(i));
            return refuse(
                Code::FRICTION,
                i,
                message,
                "a contact that rubs has one tangent in the plane, two in space",
            );
        }
    }
    Ok(())
}

fn row_scale(row: &[(usize, f64)], x: &[f64]) -> f64 {
    let entries: Vec<f64> = row.iter().map(|&(i, a)| a * x[i]).collect();
    vector::norm(&entries)
}
