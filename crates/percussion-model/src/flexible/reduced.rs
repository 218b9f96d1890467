//! A reduced body as described: a rigid rest, its modal coordinates, and markers at which it is held and touched.
//!
//!   T = ½m|v|² + ½w·Jw + ½|η̇|² + Σ markers,    V = ½ Σ ω²η²,    marker k: Rᵀ(p_k − x) = r_k + Φ_kη, turned by Ψ_kη
//!
//! Markers are bodies with their own share of the mass; m, J and the modes are those of what is left. Modes have unit mass and neither
//! move nor turn the rest as a whole, so that gravity and spin act on the frame alone (constant inertia); with full inertia the modes feel
//! the spin, and the spin the modes (`modal_inertia.rs`).

use super::beam::BeamContact;
use super::modal_inertia::ModalInertia;
use crate::bodies::math::{Mat3, Quaternion, Vec3, add, axpy, cross, mul, norm, rotation, scale, sub};
use crate::{Code, InputError, Signal};

/// A place of the body that joints, springs and contacts take hold of.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerParts {
    /// In the axes of the body's nodes [m].
    pub place: Vec3,
    /// Its share of the mass [kg].
    pub mass: f64,
    /// Its inertia about its own centre [kg·m²].
    pub inertia: Mat3,
    /// Φ and Ψ: displacement and turn for each mode [1/√kg, 1/(m√kg)].
    pub shapes: Vec<[f64; 6]>,
}

/// A reduced body as described.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedParts {
    /// Its name; its markers are bodies NAME.0, NAME.1, …
    pub name: String,
    /// m without the markers [kg].
    pub mass: f64,
    /// Where the centre of mass of that is, in the axes of the nodes [m].
    pub centre: Vec3,
    /// J of that about its centre [kg·m²].
    pub inertia: Mat3,
    /// ω of the modes of that, with the markers let go [rad/s].
    pub frequencies: Vec<f64>,
    /// ω₁ of the whole body, free or held at one marker, whichever is lower [rad/s].
    pub lowest: f64,
    /// The highest frequency of the fixed-interface modes that were kept [rad/s].
    pub cutoff: f64,
    /// ζ of every mode.
    pub damping_ratio: f64,
    /// The markers.
    pub markers: Vec<MarkerParts>,
    /// Φ of the nodes that move most, by mode: how far the body bends is looked up there.
    pub witnesses: Vec<Vec<Vec3>>,
    /// What bending changes in the inertia, where that is asked for.
    pub full: Option<ModalInertia>,
    /// World place of the origin of its nodes at t = 0 [m].
    pub position: Vec3,
    /// Rotation at t = 0, w, i, j, k.
    pub rotation: Quaternion,
    /// World velocity of its centre of mass at t = 0 [m/s].
    pub velocity: Vec3,
    /// Body-frame angular velocity at t = 0 [rad/s].
    pub angular_velocity: Vec3,
    /// What gravity adds to its constant part in time [m/s²].
    pub shaking: [Signal; 3],
    /// Balls at the markers.
    pub contact: Option<BeamContact>,
}

impl ReducedParts {
    /// World place of a point of the body at t = 0.
    pub fn world(&self, point: &Vec3) -> Vec3 {
        add(&self.position, &mul(&rotation(&self.rotation), point))
    }

    /// World velocity of a point of the body at t = 0.
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        let arm = sub(point, &self.whole().1);
        add(&self.velocity, &mul(&rotation(&self.rotation), &cross(&self.angular_velocity, &arm)))
    }

    /// Mass and centre of mass with the markers.
    pub fn whole(&self) -> (f64, Vec3) {
        let (mut mass, mut moment) = (self.mass, scale(self.mass, &self.centre));
        for marker in &self.markers {
            mass += marker.mass;
            moment = axpy(&moment, marker.mass, &marker.place);
        }
        (mass, scale(1.0 / mass, &moment))
    }

    /// Number of bodies that carry modal coordinates, three each.
    pub fn n_carriers(&self) -> usize {
        self.frequencies.len().div_ceil(3)
    }

    /// Number of bodies of a scene it is made of: markers, its frame, carriers.
    pub fn n_bodies(&self) -> usize {
        self.markers.len() + 1 + self.n_carriers()
    }

    /// Its extent, by its markers [m].
    pub fn size(&self) -> f64 {
        self.markers.iter().map(|marker| norm(&sub(&marker.place, &self.centre))).fold(0.0, f64::max)
    }

    /// Refuses what makes no sense; masses and inertias are those of bodies and checked there.
    pub fn check(&self, planar: bool) -> Result<(), InputError> {
        let refuse = |code, field: &str, message: String, help: &str| Err(InputError::new(code, field, message, help));
        if planar {
            let help = "use dimension = 3, or [[beam]], which the plane has";
            return refuse(Code::BAD_SHAPE, "name", "a reduced body needs space".into(), help);
        }
        if self.markers.is_empty() {
            let help = "name the nodes that joints and contacts take hold of";
            return refuse(Code::BAD_SHAPE, "interfaces", "the body has no marker".into(), help);
        }
        let n = self.frequencies.len();
        let shapes = self.markers.iter().map(|marker| marker.shapes.len());
        if let Some(found) = shapes.chain(self.witnesses.iter().map(Vec::len)).find(|&found| found != n) {
            let message = format!("a marker has the shapes of {found} modes where there are {n} frequencies");
            return refuse(Code::BAD_SHAPE, "reduced.frequencies", message, "give one for each mode");
        }
        if let Some(full) = &self.full {
            let wanted = [n, n * (n + 1) / 2, n * n.saturating_sub(1) / 2];
            let given = [full.first.len(), full.second.len(), full.turning.len()];
            if let Some(k) = (0..3).find(|&k| given[k] != wanted[k]) {
                let field = ["first", "second", "turning"][k];
                let message = format!("has {} entries where {n} modes have {}", given[k], wanted[k]);
                let help = "give one for each mode, for each pair m ≤ n, and for each pair m < n";
                return refuse(Code::BAD_SHAPE, &format!("reduced.{field}"), message, help);
            }
        }
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if !self.frequencies.iter().chain([&self.lowest]).all(positive) {
            let message = "a frequency is not positive".into();
            return refuse(Code::BAD_PARAMETER, "reduced.frequencies", message, "leave out rigid motions");
        }
        let numbers = self.markers.iter().flat_map(|m| m.place.iter().chain(m.shapes.iter().flatten()));
        let numbers = numbers.chain(&self.centre).chain(self.witnesses.iter().flatten().flatten());
        if !numbers.chain([&self.damping_ratio]).all(|x| x.is_finite()) {
            return refuse(Code::NOT_FINITE, "reduced", "is NaN or infinite".into(), "give finite numbers");
        }
        if self.damping_ratio < 0.0 {
            let message = format!("damping_ratio = {} is negative", self.damping_ratio);
            return refuse(Code::BAD_PARAMETER, "damping_ratio", message, "give a ratio of 0 or more");
        }
        if let Some(contact) = self.contact
            && !(contact.radius > 0.0 && contact.radius.is_finite())
        {
            return refuse(Code::BAD_SIZE, "contact.radius", "is not positive".into(), "give a radius above zero");
        }
        Ok(())
    }
}
