//! Nodes, elements and joints of a small structure, its energies and momenta.

use crate::joints::Joint;
use percussion_model::bodies::math::{IDENTITY, Mat3, Vec3, add, axpy, cross, dot, mul, norm, scale, sub};
use percussion_model::bodies::{Frame, Twist};
use percussion_model::flexible::blocks::Vec6;
use percussion_model::flexible::{BeamElement, Element, ElementMass, MassKind, Section, StrainMeasure};

pub const GROUND: Frame = Frame { x: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0], R: IDENTITY };

/// Who moves a node.
#[derive(Clone, Copy)]
pub enum Motion {
    Free,
    Fixed,
    /// It turns about its third axis by this angle at time t.
    Turning(fn(f64) -> f64),
}

#[derive(Clone)]
pub struct Node {
    pub frame: Frame,
    pub twist: Twist,
    pub mass: f64,
    pub inertia: Mat3,
    pub motion: Motion,
}

impl Node {
    pub fn new(frame: Frame) -> Self {
        Self { frame, twist: Twist::default(), mass: 0.0, inertia: [[0.0; 3]; 3], motion: Motion::Free }
    }

    pub fn fixed(frame: Frame) -> Self {
        Self { motion: Motion::Fixed, ..Self::new(frame) }
    }

    pub fn is_free(&self) -> bool {
        matches!(self.motion, Motion::Free)
    }
}

#[derive(Clone)]
pub struct Link {
    pub nodes: [usize; 2],
    pub element: Element,
    /// μ/6 of consistent mass.
    pub mass: ElementMass,
    /// n̄ of the last step, then the stress of the geometric part.
    pub stress: Vec6,
}

/// A dead load on a node: world force and moment.
#[derive(Clone, Copy)]
pub struct Load {
    pub node: usize,
    pub force: Vec3,
    pub moment: Vec3,
}

/// x ≤ place for a node, with Newton's law of impact.
#[derive(Clone, Copy)]
pub struct Stop {
    pub node: usize,
    pub place: f64,
    pub restitution: f64,
}

#[derive(Clone, Default)]
pub struct Structure {
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    pub gravity: Vec3,
    pub stop: Option<Stop>,
}

/// How a beam is made of its section.
#[derive(Clone, Copy)]
pub struct Make {
    pub measure: StrainMeasure,
    pub residual: bool,
    pub mass: MassKind,
    pub damping: f64,
}

/// As the reference files were made.
pub const PLAIN: Make = Make { measure: StrainMeasure::Se3, residual: false, mass: MassKind::Consistent, damping: 0.0 };

impl Structure {
    pub fn add_node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// One element between two nodes that exist, with its mass; the section stands in the frames of the nodes.
    pub fn connect(&mut self, nodes: [usize; 2], section: &Section, make: Make) {
        let [a, b] = nodes.map(|k| self.nodes[k].frame);
        let bare = BeamElement::unstressed(make.measure, &a, &b, *section.stiffness(), make.damping);
        let C = if make.residual { section.with_residual_flexibility(bare.length) } else { *section.stiffness() };
        let element = BeamElement::unstressed(make.measure, &a, &b, C, make.damping);
        let mass = ElementMass::new(section, element.length, make.mass);
        for k in nodes {
            let node = &mut self.nodes[k];
            node.mass += mass.node;
            for i in 0..3 {
                for j in 0..3 {
                    node.inertia[i][j] += mass.inertia[i][j];
                }
            }
        }
        self.links.push(Link { nodes, element: Element::Beam(element), mass, stress: [0.0; 6] });
    }

    /// A beam through these frames, all nodes new; the numbers of its nodes.
    pub fn add_beam(&mut self, frames: &[Frame], section: &Section, make: Make) -> Vec<usize> {
        let nodes: Vec<usize> = frames.iter().map(|f| self.add_node(Node::new(*f))).collect();
        for pair in nodes.windows(2) {
            self.connect([pair[0], pair[1]], section, make);
        }
        nodes
    }

    pub fn kinetic(&self) -> f64 {
        let mut sum = 0.0;
        for node in self.nodes.iter().filter(|n| n.is_free()) {
            let Twist { v, w } = &node.twist;
            sum += 0.5 * node.mass * dot(v, v) + 0.5 * dot(w, &mul(&node.inertia, w));
        }
        for link in &self.links {
            let [a, b] = link.nodes.map(|k| &self.nodes[k].twist.v);
            sum += link.mass.coupling_energy(a, b);
        }
        sum
    }

    pub fn elastic(&self) -> f64 {
        let of = |l: &Link| l.element.energy(&self.nodes[l.nodes[0]].frame, &self.nodes[l.nodes[1]].frame);
        self.links.iter().map(of).sum()
    }

    pub fn gravity_energy(&self) -> f64 {
        let of = |n: &&Node| n.is_free();
        -self.nodes.iter().filter(of).map(|n| n.mass * dot(&self.gravity, &n.frame.x)).sum::<f64>()
    }

    pub fn energy(&self) -> f64 {
        self.kinetic() + self.elastic() + self.gravity_energy()
    }

    /// Momentum and angular momentum about the origin.
    pub fn momenta(&self) -> (Vec3, Vec3) {
        let (mut P, mut H) = ([0.0; 3], [0.0; 3]);
        for node in &self.nodes {
            let p = scale(node.mass, &node.twist.v);
            P = add(&P, &p);
            let spin = mul(&node.frame.R, &mul(&node.inertia, &node.twist.w));
            H = add(&H, &add(&cross(&node.frame.x, &p), &spin));
        }
        for link in &self.links {
            let [a, b] = link.nodes.map(|k| &self.nodes[k]);
            let p = scale(link.mass.coupling, &sub(&b.twist.v, &a.twist.v));
            H = axpy(&H, -1.0, &cross(&sub(&b.frame.x, &a.frame.x), &p));
        }
        (P, H)
    }
}

/// |a − b|/|b|.
pub fn apart(a: &Vec3, b: &Vec3) -> f64 {
    norm(&sub(a, b)) / norm(b)
}
