//! One rigid body: matter, shape, and how it is moved.

use super::math::{Mat3, Quaternion, Vec3, add, inverse, mul, norm, rotation};
use super::shapes::Manner;
use super::{Frame, MassProperties, Materials, Shape};
use crate::flexible::Seat;
use crate::{Code, InputError, Signal};

/// Where mass and inertia come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Matter {
    /// From the shape, uniform [kg/m³; kg/m² in the plane].
    Density(f64),
    /// Given; the inertia about the centre of mass in the body's axes [kg·m²]. The centre of mass is the shape's origin.
    Given {
        /// m [kg].
        mass: f64,
        /// I; planar bodies use the last entry.
        inertia: Mat3,
    },
    /// None: a link between joints, moved by what they join it to.
    Massless,
}

/// Who decides how a body moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Mechanics.
    #[default]
    Free,
    /// It stays.
    Fixed,
    /// It follows given velocities, whatever pushes it.
    Prescribed {
        /// World velocity of its origin [m/s].
        velocity: Box<[Signal; 3]>,
        /// Body-frame angular velocity [rad/s].
        angular_velocity: Box<[Signal; 3]>,
    },
}

/// A body as described.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyParts {
    /// Unique.
    pub name: String,
    /// In the body's frame.
    pub shape: Shape,
    /// Not used by bodies that are fixed or moved.
    pub matter: Matter,
    /// World position of the shape's origin at t = 0 [m].
    pub position: Vec3,
    /// Rotation at t = 0 as a unit quaternion w, i, j, k.
    pub rotation: Quaternion,
    /// World velocity of the centre of mass at t = 0 [m/s].
    pub velocity: Vec3,
    /// Body-frame angular velocity at t = 0 [rad/s].
    pub angular_velocity: Vec3,
    /// Who moves it.
    pub motion: Motion,
    /// Number of its material.
    pub material: usize,
    /// World force at the centre of mass [N].
    pub force: [Signal; 3],
    /// Body-frame moment [N·m].
    pub torque: [Signal; 3],
    /// What gravity adds to its constant part in time: a load m a(t) in the world [m/s²].
    pub shaking: [Signal; 3],
    /// Viscous drag against velocity [N·s/m] and angular velocity [N·m·s].
    pub drag: [f64; 2],
    /// Whether it meets other bodies at all.
    pub contact: bool,
    /// Where its shape sits, if not in its frame; the centre of mass is then the origin.
    pub placed: Option<Seat>,
    /// Whether its place is three modal coordinates of a reduced body: it has neither weight nor momentum.
    pub modal: bool,
    /// Whether it is a node of an elastic solid, which has no size: nothing turns it, and it meets bodies but no other node.
    pub node: bool,
}

impl Default for BodyParts {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: Shape::point(),
            matter: Matter::Density(1000.0),
            position: [0.0; 3],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            motion: Motion::Free,
            material: 0,
            force: Default::default(),
            torque: Default::default(),
            shaking: Default::default(),
            drag: [0.0; 2],
            contact: true,
            placed: None,
            modal: false,
            node: false,
        }
    }
}

/// A body that makes sense, its frame moved to the centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// In the frame at the centre of mass.
    pub shape: Shape,
    /// m [kg]; infinite for bodies that are fixed or moved, zero for those without mass.
    pub mass: f64,
    /// I in the body's axes [kg·m²].
    pub inertia: Mat3,
    /// 1/m, zero for bodies that are fixed or moved, of the stand-in for those without mass [1/kg].
    pub inverse_mass: f64,
    /// I⁻¹, zero for bodies that are fixed or moved, of the stand-in for those without mass; only the last entry in the plane.
    pub inverse_inertia: Mat3,
    /// Mass and moment that elimination divides by where the body has none (`massless.rs`).
    pub stand_in: Option<[f64; 2]>,
    /// I is a multiple of 1 (or planar), and no rotor turns with the body: no gyroscopic moment, and its spin is counted in the world frame.
    pub isotropic: bool,
    /// Who moves it.
    pub motion: Motion,
    /// Number of its material.
    pub material: usize,
    /// Numbers of the materials of its shapes, each once.
    pub materials: Vec<usize>,
    /// World force [N].
    pub force: [Signal; 3],
    /// Body-frame moment [N·m].
    pub torque: [Signal; 3],
    /// Viscous drag.
    pub drag: [f64; 2],
    /// Whether it meets other bodies at all.
    pub contact: bool,
    /// Radius of the ball about the centre of mass that holds the shape [m].
    pub reach: f64,
    /// Where its shape sits, if not in its frame.
    pub placed: Option<Seat>,
    /// Whether its place is three modal coordinates of a reduced body.
    pub modal: bool,
    /// Whether it is a node of an elastic solid.
    pub node: bool,
}

impl Body {
    /// The mass that gravity pulls at: none of modal coordinates.
    #[inline]
    pub fn heavy_mass(&self) -> f64 {
        if self.modal { 0.0 } else { self.mass }
    }

    /// The frame of its shape for a frame of the body.
    #[inline]
    pub fn shape_frame(&self, frame: &Frame) -> Frame {
        self.placed.map_or(*frame, |seat| seat.frame(frame))
    }

    /// Whether mechanics moves it.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.inverse_mass > 0.0
    }

    /// Checks a description; fields are named relative to the body. Gives the body and the place of its centre of mass.
    pub fn new(parts: &BodyParts, planar: bool, materials: &Materials) -> Result<(Self, Vec3), InputError> {
        check_numbers(parts, planar)?;
        let several = parts.shape.manner() == Manner::Several;
        if !parts.node {
            parts.shape.check(planar).map_err(|e| if several { e } else { e.below("shape".into()) })?;
        }
        let mut of: Vec<usize> = parts.shape.pieces().iter().map(|p| p.material.unwrap_or(parts.material)).collect();
        of.sort_unstable();
        of.dedup();
        if let Some(unknown) = of.iter().chain([&parts.material]).find(|&&m| m >= materials.names().len()) {
            let message = format!("there is no material number {unknown}");
            return Err(InputError::new(Code::BAD_NAME, "material", message, "add a [[material]]"));
        }
        let mut body = Self {
            name: parts.name.clone(),
            shape: parts.shape.clone(),
            mass: f64::INFINITY,
            inertia: [[0.0; 3]; 3],
            inverse_mass: 0.0,
            inverse_inertia: [[0.0; 3]; 3],
            stand_in: None,
            isotropic: true,
            motion: parts.motion.clone(),
            material: parts.material,
            materials: if several { of } else { vec![parts.material] },
            force: parts.force.clone(),
            torque: parts.torque.clone(),
            drag: parts.drag,
            contact: parts.contact && parts.shape.manner() != Manner::Nothing,
            reach: parts.shape.reach(),
            placed: parts.placed,
            modal: parts.modal,
            node: parts.node,
        };
        if parts.motion != Motion::Free {
            return Ok((body, parts.position));
        }
        let properties = match &parts.matter {
            Matter::Density(density) => from_density(parts, *density, planar)?,
            Matter::Given { mass, inertia } => {
                check_inertia(*mass, inertia, planar)?;
                MassProperties { mass: *mass, centre: [0.0; 3], inertia: *inertia }
            }
            Matter::Massless => {
                // the scene gives the stand-in, once it knows what is beside
                (body.mass, body.inverse_mass, body.stand_in) = (0.0, 1.0, Some([1.0; 2]));
                return Ok((body, parts.position));
            }
        };
        let I = properties.inertia;
        body.mass = properties.mass;
        for (force, a) in body.force.iter_mut().zip(&parts.shaking) {
            force.add(if parts.modal { 0.0 } else { body.mass }, a);
        }
        body.inertia = I;
        body.inverse_mass = 1.0 / properties.mass;
        if planar {
            body.inertia = [[0.0; 3], [0.0; 3], [0.0, 0.0, I[2][2]]];
            body.inverse_inertia[2][2] = 1.0 / I[2][2];
        } else {
            body.inverse_inertia = inverse(&I).ok_or_else(|| extreme(parts))?;
            body.isotropic = I[0][0] == I[1][1] && I[1][1] == I[2][2] && [I[0][1], I[0][2], I[1][2]] == [0.0; 3];
        }
        let numbers = [[body.mass, body.inverse_mass, 0.0]];
        let mut numbers = numbers.iter().chain(&body.inertia).chain(&body.inverse_inertia).flatten();
        if !numbers.all(|x| x.is_finite()) {
            return Err(extreme(parts));
        }
        body.shape = parts.shape.recentred(&properties.centre);
        body.reach = body.shape.reach() + parts.placed.map_or(0.0, |seat| norm(&seat.point));
        let centre = add(&parts.position, &mul(&rotation(&parts.rotation), &properties.centre));
        Ok((body, centre))
    }
}

/// E124 for a mass or an inertia whose inverse leaves the range of numbers.
fn extreme(parts: &BodyParts) -> InputError {
    let field = if matches!(parts.matter, Matter::Density(_)) { "density" } else { "inertia" };
    let message = "mass or inertia is too large or too small to be inverted";
    InputError::new(Code::BAD_INERTIA, field, message, "choose units in which the numbers are nearer to one")
}

fn not_finite(field: &str) -> InputError {
    InputError::new(Code::NOT_FINITE, field, "is NaN or infinite", "give finite numbers")
}

fn check_numbers(parts: &BodyParts, planar: bool) -> Result<(), InputError> {
    let vectors =
        [("position", &parts.position), ("velocity", &parts.velocity), ("angular_velocity", &parts.angular_velocity)];
    for (field, x) in vectors {
        if !x.iter().all(|x| x.is_finite()) {
            return Err(not_finite(field));
        }
    }
    let mut signals = vec![("force", &parts.force), ("torque", &parts.torque), ("shaking", &parts.shaking)];
    if let Motion::Prescribed { velocity, angular_velocity } = &parts.motion {
        signals.extend([("motion.velocity", &**velocity), ("motion.angular_velocity", &**angular_velocity)]);
    }
    for (field, x) in signals {
        if !x.iter().all(|x| x.is_finite()) {
            return Err(not_finite(field));
        }
    }
    let q = &parts.rotation;
    if !q.iter().all(|x| x.is_finite()) {
        return Err(not_finite("rotation"));
    }
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (size - 1.0).abs() > 1e-6 {
        let message = format!("the quaternion {q:?} has length {size}, not 1");
        let help = "divide w, x, y, z by that length";
        return Err(InputError::new(Code::BAD_ROTATION, "rotation", message, help));
    }
    if parts.drag.iter().any(|&c| !(c >= 0.0 && c.is_finite())) {
        let message = format!("is {:?}", parts.drag);
        return Err(InputError::new(Code::BAD_PARAMETER, "drag", message, "give coefficients of 0 or more"));
    }
    let flat = [parts.position[2], parts.velocity[2], parts.angular_velocity[0], parts.angular_velocity[1], q[1], q[2]];
    if planar && flat.iter().any(|&x| x != 0.0) {
        let help = "planar bodies have x, y and an angle";
        return Err(InputError::new(Code::BAD_SHAPE, "position", "leaves the plane", help));
    }
    if parts.shape.manner() == Manner::HalfSpace && parts.motion == Motion::Free {
        let help = "add fixed = true";
        return Err(InputError::new(Code::BAD_SHAPE, "fixed", "a plane has no finite mass", help));
    }
    Ok(())
}

fn from_density(parts: &BodyParts, density: f64, planar: bool) -> Result<MassProperties, InputError> {
    if !density.is_finite() {
        return Err(not_finite("density"));
    }
    if density <= 0.0 {
        let message = format!("density = {density} is not positive");
        return Err(InputError::new(Code::BAD_MASS, "density", message, "give a density above zero"));
    }
    let Some(properties) = parts.shape.mass_properties(density, planar) else {
        let message = format!("a {} has no volume to fill", parts.shape.name());
        return Err(InputError::new(Code::BAD_MASS, "density", message, "give mass and inertia"));
    };
    let I = &properties.inertia;
    if !(properties.mass > 0.0 && properties.mass.is_finite() && I[2][2] > 0.0 && I[2][2].is_finite()) {
        let message =
            format!("mass {} kg and inertia {I:?} kg·m² are beyond the numbers of a computer", properties.mass);
        return Err(InputError::new(Code::BAD_MASS, "density", message, "choose other units or sizes"));
    }
    Ok(properties)
}

/// m > 0, I symmetric positive definite, and no principal moment above the sum of the two others: 2 J = tr(I) 1 − 2 I, the
/// second moments of the mass, must not be negative.
fn check_inertia(mass: f64, I: &Mat3, planar: bool) -> Result<(), InputError> {
    let bad = |message: String, help: &str| Err(InputError::new(Code::BAD_INERTIA, "inertia", message, help));
    if !mass.is_finite() || !I.iter().flatten().all(|x| x.is_finite()) {
        return Err(not_finite(if mass.is_finite() { "inertia" } else { "mass" }));
    }
    if mass <= 0.0 {
        return Err(InputError::new(
            Code::BAD_MASS,
            "mass",
            format!("mass = {mass} is not positive"),
            "give a mass above zero",
        ));
    }
    if planar {
        return if I[2][2] > 0.0 {
            Ok(())
        } else {
            bad(format!("{} is not positive", I[2][2]), "give a positive moment")
        };
    }
    let size = I[0][0].abs() + I[1][1].abs() + I[2][2].abs();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if (I[i][j] - I[j][i]).abs() > 1e-12 * size {
            return bad(format!("entries ({i},{j}) and ({j},{i}) differ"), "an inertia is symmetric");
        }
    }
    let positive = |A: &Mat3, slack: f64| {
        let minor = A[0][0] * A[1][1] - A[0][1] * A[1][0];
        let det = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0])
            + A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
        A[0][0] >= -slack * size
            && A[1][1] >= -slack * size
            && A[2][2] >= -slack * size
            && minor >= -slack * size * size
            && det >= -slack * size * size * size
    };
    if !positive(I, 0.0) || inverse(I).is_none() || I[0][0] <= 0.0 {
        return bad(format!("{I:?} is not positive definite"), "every axis needs a positive moment");
    }
    let trace = I[0][0] + I[1][1] + I[2][2];
    let J =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace - 2.0 * I[i][i] } else { -2.0 * I[i][j] }));
    if !positive(&J, 1e-12) {
        let message = "a principal moment exceeds the sum of the two others, which no body has".to_string();
        return bad(message, "check the moments: I_x ≤ I_y + I_z, and so on");
    }
    Ok(())
}
