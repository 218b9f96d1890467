//! Where a run is, as a value: saved, restored and fed back to the same bits.
//!
//!   (number, t, q, v, memory)_k  →  steps k+1, k+2, …  as if the run had not been left

use crate::bodies::onto_joints::onto_joints;
use crate::linear::projection::project_start;
use crate::{Memory, Problem, Simulation, State};
use percussion_model::bodies::Bodies;
use percussion_model::{Code, InputError};
use percussion_solve::SolverOptions;

/// Part of energies by which those of one model may differ from machine to machine.
const SAME: f64 = 1e-9;

/// A run at an instant: the state and all a scheme carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Steps made.
    pub number: u64,
    /// Length of a step [s].
    pub h: f64,
    /// t, q, v.
    pub state: State,
    /// What the scheme carries.
    pub memory: Memory,
    /// Kinetic and potential energy there, by which another model is told [J].
    pub energies: Vec<f64>,
}
crate::packed! { Saved { number, h, state, memory, energies } }
crate::packed! { percussion_model::Course { written, since, place, rate, later, over } }
crate::packed! { percussion_model::Turn { now, before, after } }

impl Simulation {
    /// What the scheme would carry if the run began here, under the loads of this moment.
    pub fn begun_here(&mut self) -> Memory {
        self.stepper.start(&self.state)
    }

    /// Where the run is; equal steps only.
    pub fn save(&self) -> Saved {
        let energies = self.energies(&self.state);
        Saved {
            number: self.number,
            h: self.h,
            state: self.state.clone(),
            memory: Memory::clone(&self.memory),
            energies,
        }
    }

    fn energies(&self, State { q, v, .. }: &State) -> Vec<f64> {
        vec![self.model.kinetic_energy(q, v), self.model.potential_energy(q)]
    }

    /// Whether a model with these masses, springs and weights saved it: what the scheme carries holds its energy, and the ledger would not close.
    fn has_energies(&self, saved: &Saved) -> bool {
        let own = self.energies(&saved.state);
        let size: f64 = own.iter().chain(&saved.energies).map(|x| x.abs()).sum();
        own.len() == saved.energies.len() && own.iter().zip(&saved.energies).all(|(a, b)| (a - b).abs() <= SAME * size)
    }

    /// Puts the run where it was saved, this one or another of the same model, scheme and step. False, and nothing is changed,
    /// where it was saved from something else or steps are adaptive.
    ///
    /// A state that a run produced is always admitted, whatever it penetrates or violates by the errors of its scheme.
    pub fn restore(&mut self, saved: &Saved) -> bool {
        let mut memory = saved.memory.clone();
        if self.controller.is_some() || saved.h != self.h || !self.fits(&mut memory, &saved.state) {
            return false;
        }
        if !self.has_energies(saved) {
            return false;
        }
        self.number = saved.number;
        self.state.clone_from(&saved.state);
        *self.memory = memory;
        true
    }

    /// Begins again at another state, at the present time: what the scheme carries is made for it. Bodies that miss their joints by round-off are
    /// moved onto them; by more where `project` asks for it, which moves other models to the nearest admissible state.
    pub fn place(&mut self, q: &[f64], v: &[f64], project: bool) -> Result<(), InputError> {
        let refuse = |message: String, help: &str| Err(InputError::new(Code::BAD_SHAPE, "state", message, help));
        if self.controller.is_some() {
            return refuse("adaptive steps cannot be begun again".into(), "use equal steps");
        }
        if q.len() != self.state.q.len() || v.len() != self.state.v.len() {
            let (n, m) = (self.state.q.len(), self.state.v.len());
            return refuse(format!("needs {n} coordinates and {m} velocities"), "give arrays of these lengths");
        }
        if let Some(x) = q.iter().chain(v).find(|x| !x.is_finite()) {
            return Err(InputError::new(Code::NOT_FINITE, "state", format!("holds {x}"), "give finite numbers"));
        }
        let mut state = State { t: self.state.t, q: q.to_vec(), v: v.to_vec() };
        if let Some(scene) = self.model.bodies() {
            upright(scene, &mut state.q)?;
            onto_joints(scene, &mut state, project)?;
        } else if project {
            let problem = Problem { model: self.model.clone(), q0: state.q, v0: state.v };
            let (moved, _) = project_start(&problem, SolverOptions::default())?;
            (state.q, state.v) = (moved.q0, moved.v0);
        }
        self.stepper.settle(&mut state);
        if let Some(error) = self.stepper.refuse(&state, self.h) {
            return Err(error);
        }
        *self.memory = self.stepper.start(&state);
        self.state = state;
        Ok(())
    }
}

/// Quaternions of length one, where they are to round-off.
fn upright(scene: &Bodies, q: &mut [f64]) -> Result<(), InputError> {
    if scene.is_planar() {
        return Ok(());
    }
    for (body, q) in scene.bodies().iter().zip(q.chunks_exact_mut(7)) {
        let length = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > 1e-6 {
            let message = format!("the rotation (w, i, j, k) of \"{}\" has length {length}", body.name);
            return Err(InputError::new(Code::BAD_ROTATION, "state.q", message, "give quaternions of length 1"));
        }
        if (length - 1.0).abs() > 1e-14 {
            q[3..].iter_mut().for_each(|x| *x /= length);
        }
    }
    Ok(())
}
