//! What `contacts.csv` tells of solids: which surfaces meet, where, along which normal, with which force and pressure.
//!
//!   x = X + u of the node a contact stands for,    f = p/τ over the time τ it acted,    pressure = f_n / area

use crate::run::table::Table;
use percussion_model::bodies::math::{Vec3, add};
use percussion_model::solid::Solid;
use percussion_model::solid::contact::{Against, Candidate, Obstacle};
use percussion_step::{Model, State};
use std::sync::Arc;

/// What `contacts.csv` has behind the columns of places where solids meet.
pub const PRESSURE: &str = ",pressure";

/// Places of the contacts of a solid; the places are those of the state placed last.
#[derive(Clone)]
pub struct SolidContacts {
    solid: Arc<Solid>,
    model: Model,
    x: Vec<Vec3>,
    t: f64,
}

impl SolidContacts {
    /// Of a solid.
    pub fn new(solid: &Arc<Solid>, model: &Model) -> Self {
        Self { solid: Arc::clone(solid), model: model.clone(), x: vec![[0.0; 3]; solid.matter().n_nodes()], t: 0.0 }
    }

    /// Takes the places of a state.
    pub fn place(&mut self, state: &State) {
        self.t = state.t;
        self.solid.coordinates().displacements(&state.q, state.t, &mut self.x);
        self.x.iter_mut().zip(&self.solid.matter().X).for_each(|(x, X)| *x = add(x, X));
    }

    /// Which surfaces meet in contact i, where, and along which normal; none where there is no such contact.
    pub fn met(&self, i: usize) -> Option<Met<'_>> {
        let Candidate { node, frame, area, contact, .. } = self.solid.candidates().get(i)?;
        let law = &self.solid.laws()[*contact];
        let other = match &law.against {
            Against::Surface { surface, .. } => surface.as_str(),
            Against::Obstacle { shape: Obstacle::Plane { .. }, .. } => "plane",
            Against::Obstacle { shape: Obstacle::Sphere { .. }, .. } => "sphere",
            Against::Obstacle { shape: Obstacle::Cylinder { .. }, .. } => "cylinder",
            Against::Obstacle { shape: Obstacle::Block { .. }, .. } => "box",
        };
        // where displacements are finite, normals turn
        let row = self.model.finite_solid().and_then(|solid| solid.row_at(i, &self.x, self.t));
        let normal = row.map_or(frame[0], |row| row.normal[0]);
        Some(Met { surfaces: [&law.surface, other], place: self.x[*node], normal, area: *area })
    }

    /// Writes the cells of contact i: surfaces, place, normal, forces, pressure. p is the impulse over the time it acted.
    pub fn write(&self, table: &mut Table, i: usize, p: [f64; 3], acted: f64, tangents: usize) {
        let Some(Met { surfaces, place, normal, area }) = self.met(i) else {
            (0..12).for_each(|_| {
                table.word("");
            });
            return;
        };
        table.text(surfaces[0]).text(surfaces[1]);
        place.iter().chain(&normal).for_each(|x| {
            table.number(*x);
        });
        let force = |p: f64| if p == 0.0 { 0.0 } else { p / acted };
        for (k, &p) in p.iter().enumerate() {
            if k <= tangents {
                table.number(force(p));
            } else {
                table.word("");
            }
        }
        if area > 0.0 {
            table.number(force(p[0]) / area);
        } else {
            table.word("");
        }
    }
}

/// A contact of a solid.
pub struct Met<'a> {
    /// Its own surface, and the other one or the obstacle.
    pub surfaces: [&'a str; 2],
    /// Of its node [m].
    pub place: Vec3,
    /// From the other to the own surface.
    pub normal: Vec3,
    /// Zero where a node stands for no area [m²].
    pub area: f64,
}
