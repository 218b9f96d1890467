//! Any element between two bodies in space, as a step sees it.
//!
//!   r_a += h F_a,  r_b += h F_b;    Newton's matrix in (v₁, w₁) += h²θ K

use super::action::{BodyTangent, body_tangent, spatial_change};
use super::beam_element::BeamElement;
use super::blocks::Vec6;
use super::bushing::Bushing;
use super::cable::Cable;
use super::modal_spring::ModalSpring;
use crate::bodies::Frame;
use crate::bodies::measure::{BodyRow, Passage};

/// One of the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Between the frames of two nodes.
    Beam(BeamElement),
    /// Between seats on two bodies.
    Bushing(Bushing),
    /// Between points of two bodies.
    Cable(Cable),
    /// On three modal coordinates, which are the place of b.
    Modes(ModalSpring),
}

/// What an element does over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementStep {
    /// F, what holds it: world force and body moment on a and b, multiplying (Δx, a) of each.
    pub force: [BodyRow; 2],
    /// n̄ [N, N·m]; of a cable the tension alone.
    pub stress: Vec6,
    /// V₁ − V₀ [J].
    pub energy_increment: f64,
    /// What viscosity takes, ≥ 0 [J].
    pub dissipation: f64,
    /// Whether its ends are turned by 0.9π or more against each other.
    pub folded: bool,
    /// ∂N/∂e of a cable at the end of the step, which changes where it goes slack or taut; zero of others [N/m].
    pub slope: f64,
}

impl Element {
    /// V [J].
    pub fn energy(&self, a: &Frame, b: &Frame) -> f64 {
        match self {
            Self::Beam(beam) => beam.energy(a, b),
            Self::Bushing(bushing) => bushing.energy(a, b),
            Self::Cable(cable) => cable.energy(a, b),
            Self::Modes(modes) => modes.energy(b),
        }
    }

    /// The same element whose stress over a step of length h is that of its end.
    pub fn stressed_at_the_end(&self, h: f64) -> Self {
        let at_end = |element: &BeamElement| {
            let viscosity = Some(element.stiffness.map(|row| row.map(|c| 0.5 * h * c)));
            BeamElement { viscosity, ..*element }
        };
        match self {
            Self::Beam(beam) => Self::Beam(at_end(beam)),
            Self::Bushing(bushing) => Self::Bushing(Bushing { element: at_end(&bushing.element), ..*bushing }),
            Self::Cable(cable) => Self::Cable(Cable { at_end: true, ..*cable }),
            Self::Modes(modes) => Self::Modes(modes.stressed_at_the_end(h)),
        }
    }

    /// The same element without what resists the rate of its strain.
    pub fn without_viscosity(&self) -> Self {
        let elastic = |element: &BeamElement| BeamElement { viscosity: None, ..*element };
        match self {
            Self::Beam(beam) => Self::Beam(elastic(beam)),
            Self::Bushing(bushing) => Self::Bushing(Bushing { element: elastic(&bushing.element), ..*bushing }),
            Self::Cable(cable) => Self::Cable(*cable),
            Self::Modes(modes) => Self::Modes(ModalSpring { damping: [0.0; 3], ..*modes }),
        }
    }

    /// L, without load [m]; modes have none.
    pub fn length(&self) -> f64 {
        match self {
            Self::Beam(beam) => beam.length,
            Self::Bushing(bushing) => bushing.element.length,
            Self::Cable(cable) => cable.length,
            Self::Modes(_) => 0.0,
        }
    }

    /// n = C(ε − ε_ref) of two frames at rest, and ε − ε_ref; of a cable its tension and stretch alone, of modes nothing.
    pub fn section_forces(&self, a: &Frame, b: &Frame) -> (Vec6, Vec6) {
        let of = |element: &BeamElement, a: &Frame, b: &Frame| {
            let strain = element.strain(a, b);
            (element.section_forces(a, b), std::array::from_fn(|k| strain[k] - element.rest[k]))
        };
        match self {
            Self::Beam(beam) => of(beam, a, b),
            Self::Bushing(bushing) => of(&bushing.element, &bushing.seats[0].frame(a), &bushing.seats[1].frame(b)),
            Self::Cable(cable) => {
                let (tension, stretch) = cable.tension(a, b);
                ([tension, 0.0, 0.0, 0.0, 0.0, 0.0], [stretch, 0.0, 0.0, 0.0, 0.0, 0.0])
            }
            Self::Modes(_) => ([0.0; 6], [0.0; 6]),
        }
    }

    /// The beam element in it, with where it sits; none of a cable or of modes.
    fn beam(&self) -> Option<&BeamElement> {
        match self {
            Self::Beam(beam) => Some(beam),
            Self::Bushing(bushing) => Some(&bushing.element),
            Self::Cable(_) | Self::Modes(_) => None,
        }
    }

    /// N of a beam element at rest, and the least stiffness against shear in it [N]; none of what is no beam.
    pub fn pull_and_shear_stiffness(&self, a: &Frame, b: &Frame) -> Option<(f64, f64)> {
        let shear = self.beam().map(|beam| beam.stiffness[1][1].min(beam.stiffness[2][2]))?;
        Some((self.section_forces(a, b).0[0], shear))
    }

    /// Whether it only pulls.
    pub fn is_cable(&self) -> bool {
        matches!(self, Self::Cable(_))
    }

    /// ε of two frames; of a cable e/L alone, negative where it is slack.
    pub fn strain(&self, a: &Frame, b: &Frame) -> Vec6 {
        match self {
            Self::Beam(beam) => beam.strain(a, b),
            Self::Bushing(bushing) => bushing.element.strain(&bushing.seats[0].frame(a), &bushing.seats[1].frame(b)),
            Self::Cable(cable) => [cable.elongation(a, b) / cable.length, 0.0, 0.0, 0.0, 0.0, 0.0],
            Self::Modes(_) => [0.0; 6],
        }
    }

    /// ε_ref.
    pub fn rest(&self) -> Vec6 {
        self.beam().map_or([0.0; 6], |beam| beam.rest)
    }

    /// n̄ over a step of length h between two strains; of a cable its tension alone.
    pub fn mean_stress(&self, from: &Vec6, to: &Vec6, h: f64) -> Vec6 {
        match self {
            Self::Beam(beam) => beam.mean_stress(from, to, h),
            Self::Bushing(bushing) => bushing.element.mean_stress(from, to, h),
            Self::Cable(cable) => {
                let [e0, e1] = [from, to].map(|strain| strain[0] * cable.length);
                [cable.mean_tension(e0, e1), 0.0, 0.0, 0.0, 0.0, 0.0]
            }
            Self::Modes(_) => [0.0; 6],
        }
    }

    /// Over a step of length h.
    #[inline]
    pub fn over_step(&self, a: &Passage, b: &Passage, h: f64) -> ElementStep {
        self.evaluate(a, b, h, None)
    }

    /// The same with ∂F/∂(Δx, a). `stress` stands in the geometric part of the tangent; absent, that of this step itself.
    #[inline]
    pub fn with_tangent(&self, a: &Passage, b: &Passage, h: f64, stress: Option<&Vec6>) -> (ElementStep, BodyTangent) {
        let mut K = [[[[0.0; 6]; 6]; 2]; 2];
        let step = self.evaluate(a, b, h, Some((stress, &mut K)));
        (step, K)
    }

    /// n̄ of `step` and what a change of (Δx, a) of both bodies adds to it to first order: the stress to give the next tangent.
    pub fn predicted_stress(
        &self,
        step: &ElementStep,
        a: &Passage,
        b: &Passage,
        h: f64,
        change: &[BodyRow; 2],
    ) -> Vec6 {
        let increment = match self {
            Self::Beam(beam) => {
                let change = spatial_change(a, b, &[[0.0; 3]; 2], change);
                beam.stress_increment(&beam.over_step(a, b, h), a, b, &change)
            }
            Self::Bushing(bushing) => bushing.stress_increment(a, b, h, change),
            // the tangent of a cable has its own tension, that of modes is constant
            Self::Cable(_) | Self::Modes(_) => [0.0; 6],
        };
        std::array::from_fn(|k| step.stress[k] + increment[k])
    }

    /// `with_tangent` that writes ∂F where that of this element was before, or zero.
    #[inline]
    pub fn with_tangent_at(
        &self,
        a: &Passage,
        b: &Passage,
        h: f64,
        stress: Option<&Vec6>,
        K: &mut BodyTangent,
    ) -> ElementStep {
        self.evaluate(a, b, h, Some((stress, K)))
    }

    #[inline]
    fn evaluate(
        &self,
        a: &Passage,
        b: &Passage,
        h: f64,
        tangent: Option<(Option<&Vec6>, &mut BodyTangent)>,
    ) -> ElementStep {
        match self {
            Self::Beam(beam) => {
                let step = beam.over_step(a, b, h);
                if let Some((stress, to)) = tangent {
                    let (K, action) = beam.tangent(&step, a, b, stress.unwrap_or(&step.stress));
                    *to = body_tangent(&K, &action, a, b);
                }
                ElementStep {
                    force: step.action.on_bodies(a, b),
                    stress: step.stress,
                    energy_increment: beam.energy_increment(&step),
                    dissipation: beam.dissipation(&step),
                    folded: step.is_folded(),
                    ..Default::default()
                }
            }
            Self::Bushing(bushing) => {
                let step = bushing.over_step(a, b, h);
                if let Some((stress, to)) = tangent {
                    *to = bushing.tangent(&step, a, b, stress.unwrap_or(&step.inner.stress));
                }
                ElementStep {
                    force: bushing.rows(&step, a, b),
                    stress: step.inner.stress,
                    energy_increment: bushing.element.energy_increment(&step.inner),
                    dissipation: bushing.element.dissipation(&step.inner),
                    folded: step.inner.is_folded(),
                    ..Default::default()
                }
            }
            Self::Cable(cable) => {
                let step = cable.over_step(a, b);
                if let Some((_, to)) = tangent {
                    cable.tangent(&step, a, b, to);
                }
                ElementStep {
                    force: cable.rows(&step, a, b),
                    stress: [step.tension, 0.0, 0.0, 0.0, 0.0, 0.0],
                    energy_increment: cable.energy_increment(&step),
                    slope: step.slope,
                    ..Default::default()
                }
            }
            Self::Modes(modes) => {
                if let Some((_, to)) = tangent {
                    modes.tangent(h, to);
                }
                modes.over_step(b, h)
            }
        }
    }
}
