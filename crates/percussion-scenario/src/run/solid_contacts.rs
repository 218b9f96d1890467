//! What `contacts.csv` tells of solids: which surfaces meet, where, along which normal, with which force and pressure.
//!
//!   x = X + u of the node a contact stands for,    f = p/τ over the time τ it acted,    pressure = f_n / area

use crate::run::table::Table;
use percussion_model::bodies::math::Vec3;
use percussion_model::solid::Solid;
use percussion_model::solid::contact::{Against, Candidate, Obstacle};
use percussion_step::State;
use std::sync::Arc;

/// What `contacts.csv` has behind the columns of places where solids meet.
pub const PRESSURE: &str = ",pressure";

/// Places of the contacts of a solid; the displacements are those of the state placed last.
#[derive(Clone)]
pub struct SolidContacts {
    solid: Arc<Solid>,
    u: Vec<Vec3>,
}

impl SolidContacts {
    /// Of a solid.
    pub fn new(solid: &Arc<Solid>) -> Self {
        Self { solid: Arc::clone(solid), u: vec![[0.0; 3]; solid.matter().n_nodes()] }
    }

    /// Takes the displacements of a state.
    pub fn place(&mut self, state: &State) {
        self.solid.coordinates().displacements(&state.q, state.t, &mut self.u);
    }

    /// Writes the cells of contact i: surfaces, place, normal, forces, pressure. p is the impulse over the time it acted.
    pub fn write(&self, table: &mut Table, i: usize, p: [f64; 3], acted: f64, tangents: usize) {
        let Some(candidate) = self.solid.candidates().get(i) else {
            (0..12).for_each(|_| {
                table.word("");
            });
            return;
        };
        let Candidate { node, frame, area, .. } = candidate;
        let law = &self.solid.laws()[candidate.contact];
        let other = match &law.against {
            Against::Surface { surface, .. } => surface.as_str(),
            Against::Obstacle { shape: Obstacle::Plane { .. }, .. } => "plane",
            Against::Obstacle { shape: Obstacle::Sphere { .. }, .. } => "sphere",
            Against::Obstacle { shape: Obstacle::Cylinder { .. }, .. } => "cylinder",
        };
        table.text(&law.surface).text(other);
        let (X, u) = (&self.solid.matter().X[*node], &self.u[*node]);
        (0..3).for_each(|k| {
            table.number(X[k] + u[k]);
        });
        frame[0].iter().for_each(|n| {
            table.number(*n);
        });
        let force = |p: f64| if p == 0.0 { 0.0 } else { p / acted };
        for (k, &p) in p.iter().enumerate() {
            if k <= tangents {
                table.number(force(p));
            } else {
                table.word("");
            }
        }
        if *area > 0.0 {
            table.number(force(p[0]) / area);
        } else {
            table.word("");
        }
    }
}
