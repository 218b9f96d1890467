//! A beam as described, and how it is laid out: frames of its nodes, their matter, the axes of its sections.
//!
//!   node k:  m = Σ ½ρAL,  I = Σ ½L QρJQᵀ;    an element sees the frames R_aQ_a, R_bQ_b of its section at both ends
//!
//! Corners of a polygon stand half-way between its sides; elements there are held at axes of their own and stay straight.

use super::blocks::{Mat6, Vec6, add_scaled, apply, inverse_spd};
use super::layout::{arc, polygon, section_frame};
use super::{BeamElement, Bushing, Element, ElementMass, MassKind, Seat, Section, SectionShape, StrainMeasure};
use crate::bodies::Frame;
use crate::bodies::math::{IDENTITY, Mat3, Vec3, add, cross, mul_mat, mul_t, norm, scale, sub, transpose};
use crate::{Code, InputError, Signal};
use percussion_matrix::math::sin_cos;

/// Part of a right angle by which the axes of an element may stand off those of its nodes and still count as the same.
const SAME_AXES: f64 = 1e-9;

/// Part of its stiffness against shear that an element with residual flexibility may carry as tension from the start.
const PULLED: f64 = 0.25;

/// The line a beam follows at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// Straight from point to point.
    Points(Vec<Vec3>),
    /// Along a circle.
    Arc {
        /// Where it starts.
        from: Vec3,
        /// The middle of the circle.
        centre: Vec3,
        /// About which it turns.
        axis: Vec3,
        /// By how much [rad].
        angle: f64,
    },
}

/// Where stiffness and mass come from.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionParts {
    /// From an outline and a material.
    Shape {
        /// The outline.
        shape: SectionShape,
        /// E [Pa].
        young: f64,
        /// ν.
        poisson: f64,
        /// ρ [kg/m³].
        density: f64,
    },
    /// Given.
    Given {
        /// C [N, N·m²].
        stiffness: Box<Mat6>,
        /// ρA [kg/m].
        mass: f64,
        /// ρJ [kg·m].
        inertia: Mat3,
    },
}

/// Masses and inertias of nodes, and elements with μ/6 of each.
pub type Pieces = (Vec<(f64, Mat3)>, Vec<(Element, f64)>);

/// A beam as described.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamParts {
    /// Its nodes are called NAME.0, NAME.1, …
    pub name: String,
    /// Where it lies.
    pub course: Course,
    /// Elements, of a polygon on each of its sides.
    pub elements: usize,
    /// Third axis of the section; the second is up × direction.
    pub up: Vec3,
    /// What it is made of.
    pub section: SectionParts,
    /// τ of Kelvin and Voigt [s].
    pub damping: f64,
    /// How strain is measured.
    pub strain: StrainMeasure,
    /// How mass is shared.
    pub mass: MassKind,
    /// Whether elements carry a linear moment with its own flexibility.
    pub residual: bool,
    /// Curvature without stress, in the axes of the section [1/m]; absent: as placed.
    pub rest_curvature: Option<Vec3>,
    /// Axial force where it is placed [N].
    pub tension: f64,
    /// World velocity of its first node at t = 0 [m/s].
    pub velocity: Vec3,
    /// Angular velocity at t = 0, world frame, about its first node [rad/s].
    pub angular_velocity: Vec3,
    /// What gravity adds to its constant part in time [m/s²].
    pub shaking: [Signal; 3],
    /// How it meets other bodies, if it does.
    pub contact: Option<BeamContact>,
}

/// The surface of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamContact {
    /// [m].
    pub radius: f64,
    /// Number of its material.
    pub material: usize,
}

impl SectionParts {
    /// The section, checked.
    pub fn section(&self) -> Result<Section, InputError> {
        match self {
            Self::Shape { shape, young, poisson, density } => Section::of_shape(shape, *young, *poisson, *density)
                .map_err(|e| match e.field.as_str() {
                    "width" | "depth" | "radius" | "inner" => e.below("section".into()),
                    _ => e,
                }),
            Self::Given { stiffness, mass, inertia } => Section::new(**stiffness, *mass, *inertia),
        }
    }

    /// Its outline as it is drawn, along the second and third axis [m]; one that is given by its stiffness as the rectangle with I/A = d²/12.
    pub fn outline(&self) -> Vec<[f64; 2]> {
        let rectangle = |width: f64, depth: f64| {
            let (y, z) = (0.5 * width, 0.5 * depth);
            vec![[y, z], [-y, z], [-y, -z], [y, -z]]
        };
        match self {
            Self::Shape { shape: SectionShape::Rectangle { width, depth }, .. } => rectangle(*width, *depth),
            Self::Shape { shape: SectionShape::Circle { radius } | SectionShape::Tube { radius, .. }, .. } => {
                round_outline(*radius)
            }
            Self::Given { stiffness: C, .. } => {
                rectangle((12.0 * C[5][5] / C[0][0]).sqrt(), (12.0 * C[4][4] / C[0][0]).sqrt())
            }
        }
    }

    /// How thick it is drawn [m].
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Shape { shape: SectionShape::Rectangle { width, depth }, .. } => width.max(*depth),
            Self::Shape { shape: SectionShape::Circle { radius } | SectionShape::Tube { radius, .. }, .. } => {
                2.0 * radius
            }
            // of a rectangle I/A = d²/12
            Self::Given { stiffness: C, .. } => (12.0 * C[4][4].max(C[5][5]) / C[0][0]).sqrt(),
        }
    }
}

/// A circle as it is drawn.
pub fn round_outline(radius: f64) -> Vec<[f64; 2]> {
    const CORNERS: usize = 12;
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / CORNERS as f64;
        let (sin, cos) = sin_cos(angle);
        [radius * cos, radius * sin]
    };
    (0..CORNERS).map(corner).collect()
}

/// One element of a beam, by the numbers of its nodes within the beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaidElement {
    /// The section's frame at rest, or that of a node where the beam is curved.
    axes: Option<Mat3>,
}

impl BeamParts {
    /// The frames of its nodes at t = 0.
    pub fn nodes(&self) -> Result<Vec<Frame>, InputError> {
        let refuse = |code, field: &str, message: &str, help: &str| Err(InputError::new(code, field, message, help));
        if self.elements == 0 {
            return refuse(Code::BAD_SHAPE, "elements", "a beam has at least one element", "give 1 or more");
        }
        let laid = match &self.course {
            Course::Points(points) if points.len() < 2 => {
                return refuse(Code::BAD_SHAPE, "points", "a beam runs between two points", "give two or more");
            }
            Course::Points(points) => {
                if points.windows(2).any(|side| side[0] == side[1]) {
                    return refuse(Code::BAD_SIZE, "to", "two points of the beam are the same", "move one of them");
                }
                polygon(points, &self.up, self.elements)
            }
            Course::Arc { from, centre, axis, angle } => {
                let across = norm(&cross(axis, &sub(from, centre)));
                if !(across > 0.0 && *angle != 0.0) {
                    let message = "the arc has no length: from lies on its axis, or its angle is zero";
                    return refuse(Code::BAD_SIZE, "arc", message, "move its centre, or give an angle");
                }
                arc(from, centre, axis, *angle, &self.up, self.elements)
            }
        };
        let Some(nodes) = laid else {
            let message = "up runs along the beam and says nothing of its section";
            return refuse(Code::BAD_ROTATION, "up", message, "choose another direction");
        };
        if !nodes.iter().all(|node| node.x.iter().chain(node.R.iter().flatten()).all(|x| x.is_finite())) {
            return refuse(Code::NOT_FINITE, "from", "is NaN or infinite", "give finite numbers");
        }
        Ok(nodes)
    }

    /// Velocities of a node: world velocity and angular velocity in its frame.
    pub fn start_velocity(&self, first: &Vec3, node: &Frame) -> (Vec3, Vec3) {
        let w = &self.angular_velocity;
        (add(&self.velocity, &cross(w, &sub(&node.x, first))), mul_t(&node.R, w))
    }

    /// The section's axes of each element, where the beam is straight.
    fn sides(&self, n: usize) -> Vec<LaidElement> {
        match &self.course {
            Course::Arc { .. } => vec![LaidElement { axes: None }; n],
            Course::Points(points) => {
                let of = |k: usize| {
                    let side = &points[k / self.elements..];
                    section_frame(&side[0], &sub(&side[1], &side[0]), &self.up).map(|frame| frame.R)
                };
                (0..n).map(|k| LaidElement { axes: of(k) }).collect()
            }
        }
    }

    /// Mass and inertia of its nodes, and its elements with μ/6 of each, between these frames.
    pub fn elements(&self, nodes: &[Frame]) -> Result<Pieces, InputError> {
        let section = self.section.section()?;
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            let message = format!("damping = {} is negative or not finite", self.damping);
            return Err(InputError::new(Code::BAD_PARAMETER, "damping", message, "give 0 or more seconds"));
        }
        let mut matter = vec![(0.0, [[0.0; 3]; 3]); nodes.len()];
        let mut elements = Vec::with_capacity(nodes.len() - 1);
        for (k, side) in self.sides(nodes.len() - 1).iter().enumerate() {
            let ends = [&nodes[k], &nodes[k + 1]];
            let seats = ends.map(|node| {
                let axes = side.axes.map_or(IDENTITY, |R| mul_mat(&transpose(&node.R), &R));
                let off = axes.iter().flatten().zip(IDENTITY.iter().flatten()).any(|(x, y)| (x - y).abs() > SAME_AXES);
                Seat { point: [0.0; 3], axes: if off { axes } else { IDENTITY } }
            });
            let straight = seats.iter().all(|seat| seat.axes == IDENTITY);
            let held =
                if straight { ends.map(|node| *node) } else { [seats[0].frame(ends[0]), seats[1].frame(ends[1])] };
            let element = self.element(&section, &held)?;
            let mass = ElementMass::new(&section, element.length, self.mass);
            for (seat, at) in seats.iter().zip(k..) {
                let inertia = mul_mat(&mul_mat(&seat.axes, &mass.inertia), &transpose(&seat.axes));
                matter[at].0 += mass.node;
                matter[at].1 = add_scaled(&matter[at].1, 1.0, &inertia);
            }
            let element = if straight { Element::Beam(element) } else { Element::Bushing(Bushing { element, seats }) };
            elements.push((element, mass.coupling));
        }
        Ok((matter, elements))
    }

    /// The element between two frames of the section.
    fn element(&self, section: &Section, ends: &[Frame; 2]) -> Result<BeamElement, InputError> {
        let [a, b] = ends;
        let plain = BeamElement::unstressed(self.strain, a, b, *section.stiffness(), self.damping);
        let C = self.stiffness(section, plain.length);
        let mut element = BeamElement::unstressed(self.strain, a, b, C, self.damping);
        if let Some(k) = self.rest_curvature {
            element.rest = [1.0, 0.0, 0.0, k[0], k[1], k[2]];
        }
        if self.tension != 0.0 {
            let pull: Vec6 = [self.tension, 0.0, 0.0, 0.0, 0.0, 0.0];
            let Some(flexibility) = inverse_spd(&C) else { return Ok(element) };
            let stretch = apply(&flexibility, &pull);
            element.rest = std::array::from_fn(|k| element.rest[k] - stretch[k]);
        }
        let numbers = [self.tension].into_iter().chain(element.rest).chain([element.length]);
        if !numbers.into_iter().all(f64::is_finite) || element.length <= 0.0 {
            let message = "an element has no finite length or strain";
            return Err(InputError::new(Code::NOT_FINITE, "elements", message, "check lengths and curvature"));
        }
        Ok(element)
    }

    /// C of an element, with the flexibility of a linear moment unless that left its tension too little stiffness against shear.
    fn stiffness(&self, section: &Section, length: f64) -> Mat6 {
        let C = section.with_residual_flexibility(length);
        if self.residual && self.tension <= PULLED * C[1][1].min(C[2][2]) { C } else { *section.stiffness() }
    }

    /// Number of its nodes.
    pub fn n_nodes(&self) -> usize {
        match &self.course {
            Course::Points(points) => points.len().saturating_sub(1) * self.elements + 1,
            Course::Arc { .. } => self.elements + 1,
        }
    }

    /// The capsule that node k carries, half of each element beside it: radius, length, and where it sits. `lengths` are those of the
    /// elements.
    pub fn capsule(&self, k: usize, lengths: &[f64]) -> Option<(f64, f64, Seat)> {
        let radius = self.contact?.radius;
        let before = k.checked_sub(1).map_or(0.0, |k| lengths[k]);
        let after = lengths.get(k).copied().unwrap_or(0.0);
        // capsules lie along z of their own
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Some((radius, 0.5 * (before + after), Seat { point: [0.25 * (after - before), 0.0, 0.0], axes }))
    }

    /// Its length along the nodes [m].
    pub fn length(&self) -> f64 {
        match &self.course {
            Course::Points(points) => points.windows(2).map(|side| norm(&sub(&side[1], &side[0]))).sum(),
            Course::Arc { from, centre, axis, angle } => {
                let axis = scale(1.0 / norm(axis), axis);
                (angle * norm(&cross(&axis, &sub(from, centre)))).abs()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flexible::diagonal6;

    fn parts(course: Course) -> BeamParts {
        let inertia = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        BeamParts {
            name: "rod".into(),
            course,
            elements: 2,
            up: [0.0, 0.0, 1.0],
            section: SectionParts::Given {
                stiffness: Box::new(diagonal6(&[9.0, 5.0, 4.0, 3.0, 2.0, 1.0])),
                mass: 3.0,
                inertia,
            },
            damping: 0.0,
            strain: StrainMeasure::Se3,
            mass: MassKind::Consistent,
            residual: false,
            rest_curvature: None,
            tension: 0.0,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            shaking: Default::default(),
            contact: None,
        }
    }

    /// A right angle: elements at the corner are straight and without stress, and nodes together have the whole mass.
    #[test]
    fn corner_without_stress() {
        let beam = parts(Course::Points(vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]]));
        let nodes = beam.nodes().unwrap();
        let (matter, elements) = beam.elements(&nodes).unwrap();
        assert_eq!((nodes.len(), elements.len()), (5, 4));
        assert!((matter.iter().map(|m| m.0).sum::<f64>() - 9.0).abs() < 1e-14);
        for (k, (element, coupling)) in elements.iter().enumerate() {
            assert!(element.energy(&nodes[k], &nodes[k + 1]).abs() < 1e-28);
            let inner = match element {
                Element::Beam(beam) => *beam,
                Element::Bushing(bushing) => bushing.element,
                Element::Cable(_) | Element::Modes(_) => panic!("a beam has no cables"),
            };
            let length = if k < 2 { 0.5 } else { 1.0 };
            assert!((inner.length - length).abs() < 1e-15 && (coupling - 0.5 * length).abs() < 1e-15);
            assert!((inner.rest[0] - 1.0).abs() < 1e-15 && inner.rest[1..].iter().all(|x| x.abs() < 1e-15));
        }
    }

    /// A tension is there from the start; a beam told to be straight at rest starts bent.
    #[test]
    fn stress_from_the_start() {
        let mut beam = parts(Course::Points(vec![[0.0; 3], [1.0, 0.0, 0.0]]));
        beam.tension = 0.5;
        beam.rest_curvature = Some([0.0, 0.0, 0.1]);
        let nodes = beam.nodes().unwrap();
        let (_, elements) = beam.elements(&nodes).unwrap();
        let Element::Beam(element) = elements[0].0 else { panic!("a straight beam") };
        let stress = element.section_forces(&nodes[0], &nodes[1]);
        assert!((stress[0] - 0.5).abs() < 1e-15 && (stress[5] + 0.1).abs() < 1e-15, "{stress:?}");
    }

    /// What is no beam is refused.
    #[test]
    fn refusals() {
        let mut beam = parts(Course::Points(vec![[0.0; 3], [0.0, 0.0, 1.0]]));
        assert_eq!(beam.nodes().unwrap_err().field, "up");
        beam.course = Course::Points(vec![[1.0; 3], [1.0; 3]]);
        assert_eq!(beam.nodes().unwrap_err().code, Code::BAD_SIZE);
        beam.course = Course::Arc { from: [0.0; 3], centre: [0.0; 3], axis: [0.0, 0.0, 1.0], angle: 1.0 };
        assert_eq!(beam.nodes().unwrap_err().field, "arc");
        beam.course = Course::Points(vec![[0.0; 3], [1.0, 0.0, 0.0]]);
        beam.damping = -1.0;
        let nodes = beam.nodes().unwrap();
        assert_eq!(beam.elements(&nodes).unwrap_err().field, "damping");
    }
}
