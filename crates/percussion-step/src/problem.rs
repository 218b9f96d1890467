//! What is to be simulated: a model and its initial state.

use crate::schemes::equations::System;
use percussion_model::bodies::Bodies;
use percussion_model::solid::finite::FiniteModel;
use percussion_model::{Code, InputError, Lagrangian, LagrangianModel, LinearModel, Mechanics, Structure};
use std::ops::Deref;
use std::sync::Arc;

/// A model as all parts of the program share it: its one face, and what it is made of for the schemes that move it.
#[derive(Clone, Debug)]
pub struct Model {
    face: Arc<dyn Mechanics>,
    structure: Structure,
}

impl Model {
    /// Any model, by its face.
    pub fn new(face: Arc<dyn Mechanics>) -> Self {
        let structure = Arc::clone(&face).structure();
        Self { face, structure }
    }

    /// What it is made of.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The structure of its equations.
    pub fn system(&self) -> System {
        match self.structure {
            Structure::Constant(_) => System::Linear,
            Structure::Lagrangian(_) => System::Lagrangian,
            Structure::Bodies(_) => System::Bodies,
        }
    }

    /// The constant matrices, where it has them.
    pub fn linear(&self) -> Option<&Arc<LinearModel>> {
        if let Structure::Constant(model) = &self.structure { Some(model) } else { None }
    }

    /// M(q), f(q, v, t), g(q), where it is made of them.
    pub fn lagrangian(&self) -> Option<&Arc<dyn Lagrangian>> {
        if let Structure::Lagrangian(model) = &self.structure { Some(model) } else { None }
    }

    /// The first contact whose obstacle has no place at a state; asked after every step.
    #[inline]
    pub fn lost_obstacle(&self, q: &[f64], t: f64) -> Option<usize> {
        // the same for every model; one with constant matrices knows that nothing can be lost
        match &self.structure {
            Structure::Constant(linear) if linear.offsets_are_constant() => None,
            Structure::Constant(_) | Structure::Lagrangian(_) | Structure::Bodies(_) => self.face.lost_obstacle(q, t),
        }
    }

    /// The solid in finite deformation, where it is one.
    pub fn finite_solid(&self) -> Option<&FiniteModel> {
        self.lagrangian().and_then(|model| model.finite_solid())
    }

    /// Whether its coordinates are displacements of the nodes of a solid.
    pub fn is_of_elements(&self) -> bool {
        self.linear().is_some_and(|linear| linear.is_of_elements()) || self.finite_solid().is_some()
    }

    /// Linear and angular momentum at a state with what they are measured against: of bodies, and of solids that nothing holds.
    pub fn momentum(&self, q: &[f64], v: &[f64]) -> Option<([[f64; 3]; 2], [f64; 2])> {
        match &self.structure {
            Structure::Bodies(scene) => Some(scene.momentum(q, v)),
            Structure::Constant(linear) => linear.momenta().map(|momenta| momenta.total(v)),
            Structure::Lagrangian(model) => model.finite_solid().and_then(|solid| solid.momentum(q, v)),
        }
    }

    /// Whether its momentum has a table; none where it has not, else whether all of it lies in the plane.
    pub fn momentum_is_planar(&self) -> Option<bool> {
        match &self.structure {
            Structure::Bodies(scene) => Some(scene.is_planar()),
            Structure::Constant(linear) => linear.momenta().map(|momenta| momenta.is_planar()),
            Structure::Lagrangian(model) => {
                model.finite_solid().filter(|solid| solid.is_free()).map(|solid| solid.is_planar())
            }
        }
    }

    /// The bodies, where it has them.
    pub fn bodies(&self) -> Option<&Arc<Bodies>> {
        if let Structure::Bodies(scene) = &self.structure { Some(scene) } else { None }
    }
}

impl Deref for Model {
    type Target = dyn Mechanics;

    fn deref(&self) -> &Self::Target {
        &*self.face
    }
}

impl From<Arc<LinearModel>> for Model {
    fn from(model: Arc<LinearModel>) -> Self {
        Self::new(model)
    }
}

impl From<LinearModel> for Model {
    fn from(model: LinearModel) -> Self {
        Self::new(Arc::new(model))
    }
}

impl From<Arc<dyn Lagrangian>> for Model {
    fn from(model: Arc<dyn Lagrangian>) -> Self {
        Self::new(Arc::new(LagrangianModel(model)))
    }
}

impl From<Arc<Bodies>> for Model {
    fn from(scene: Arc<Bodies>) -> Self {
        Self::new(scene)
    }
}

impl From<Bodies> for Model {
    fn from(scene: Bodies) -> Self {
        Self::new(Arc::new(scene))
    }
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
        Self::unchecked(Model::from(model), q0, v0)
    }

    /// A nonlinear problem; refuses what `linear` refuses.
    pub fn nonlinear(model: Arc<dyn Lagrangian>, q0: Vec<f64>, v0: Vec<f64>) -> Result<Self, InputError> {
        let problem = Self::unchecked(Model::from(model), q0, v0)?;
        problem.check_start()?;
        Ok(problem)
    }

    /// Bodies in their initial state; refuses overlaps.
    pub fn bodies(scene: Bodies) -> Result<Self, InputError> {
        let (q0, v0) = (scene.q0().to_vec(), scene.v0().to_vec());
        let problem = Self::unchecked(Model::from(scene), q0, v0)?;
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
        model.check_laws()?;
        Ok(Self { model, q0, v0 })
    }

    /// Gaps not negative, joints satisfied in position and velocity, to round-off of the numbers that enter.
    pub fn check_start(&self) -> Result<(), InputError> {
        self.model.check_start(&self.q0, &self.v0)
    }
}
