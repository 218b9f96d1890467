//! From displacements of nodes to free coordinates: supports take directions of nodes away.
//!
//!   u_i(t) = Σ_k b_ik q_k   with orthonormal b_i1, b_i2 (, b_i3); q_k free, or a support's s_k(t)
//!
//! Free coordinates are numbered node by node, d·node + component where nothing is supported. A roller on a slanted plane
//! turns the axes of its nodes.

use crate::bodies::math::{Vec3, axpy, dot, norm, scale};
use crate::code::Code;
use crate::{InputError, Signal};

/// A direction of a node: free, or moved by a support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Number of the free coordinate.
    Free(usize),
    /// Number of the supported coordinate.
    Supported(usize),
}

/// The coordinates of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates {
    d: usize,
    n_free: usize,
    /// d axes per node.
    axes: Vec<Axis>,
    /// Directions of the axes of nodes that are turned.
    turned: Vec<Option<Box<[Vec3; 3]>>>,
    /// s(t) of the supported coordinates [m].
    motions: Vec<Signal>,
}

/// n·u = s(t) at a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constraint {
    pub node: usize,
    pub direction: Vec3,
    pub motion: Signal,
    /// Key of the input it came from.
    pub field: String,
}

const AXES: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Directions nearer to each other than this (sine of the angle) are one.
const SAME_DIRECTION: f64 = 1e-9;

impl Coordinates {
    /// Of n nodes in d dimensions under the constraints.
    pub(super) fn new(n: usize, d: usize, constraints: &[Constraint]) -> Result<Self, InputError> {
        let mut by_node: Vec<Vec<&Constraint>> = vec![Vec::new(); n];
        constraints.iter().for_each(|c| by_node[c.node].push(c));
        let (mut axes, mut turned, mut motions) = (Vec::with_capacity(d * n), vec![None; n], Vec::new());
        let mut n_free = 0;
        for (node, own) in by_node.iter().enumerate() {
            let held = basis(own)?;
            let frame = completed(&held, d);
            if frame[..d] != AXES[..d] {
                turned[node] = Some(Box::new(frame));
            }
            for axis in &frame[..d] {
                match held.iter().find(|(direction, _)| direction == axis) {
                    Some((_, motion)) => {
                        axes.push(Axis::Supported(motions.len()));
                        motions.push(motion.clone());
                    }
                    None => {
                        axes.push(Axis::Free(n_free));
                        n_free += 1;
                    }
                }
            }
        }
        Ok(Self { d, n_free, axes, turned, motions })
    }

    /// Dimension of space.
    pub fn dimension(&self) -> usize {
        self.d
    }

    /// Number of free coordinates.
    pub fn n_free(&self) -> usize {
        self.n_free
    }

    /// Motions of the supported coordinates.
    pub fn motions(&self) -> &[Signal] {
        &self.motions
    }

    /// The axes of a node.
    pub fn axes(&self, node: usize) -> &[Axis] {
        &self.axes[self.d * node..self.d * (node + 1)]
    }

    /// Direction of axis k of a node.
    pub fn direction(&self, node: usize, k: usize) -> Vec3 {
        self.turned[node].as_ref().map_or(AXES[k], |frame| frame[k])
    }

    /// Whether the axes of a node are turned.
    pub fn is_turned(&self, node: usize) -> bool {
        self.turned[node].is_some()
    }

    /// u ← the displacement of each node at coordinates q and time t.
    pub fn displacements(&self, q: &[f64], t: f64, u: &mut [Vec3]) {
        self.expand(u, |axis| match axis {
            Axis::Free(i) => q[i],
            Axis::Supported(i) => self.motions[i].at(t),
        });
    }

    /// u̇ ← the velocity of each node.
    pub fn velocities(&self, v: &[f64], t: f64, u: &mut [Vec3]) {
        self.expand(u, |axis| match axis {
            Axis::Free(i) => v[i],
            Axis::Supported(i) => self.motions[i].rate(t),
        });
    }

    fn expand(&self, u: &mut [Vec3], value: impl Fn(Axis) -> f64) {
        for (node, u) in u.iter_mut().enumerate() {
            *u = [0.0; 3];
            for (k, &axis) in self.axes(node).iter().enumerate() {
                *u = axpy(u, value(axis), &self.direction(node, k));
            }
        }
    }

    /// The free coordinates of a field of vectors at the nodes.
    pub fn gather(&self, u: &[Vec3]) -> Vec<f64> {
        let mut q = vec![0.0; self.n_free];
        for (node, u) in u.iter().enumerate() {
            for (k, &axis) in self.axes(node).iter().enumerate() {
                if let Axis::Free(i) = axis {
                    q[i] = dot(&self.direction(node, k), u);
                }
            }
        }
        q
    }
}

/// The constraints of a node as orthonormal directions with their motions.
fn basis(own: &[&Constraint]) -> Result<Vec<(Vec3, Signal)>, InputError> {
    let mut held: Vec<(Vec3, Signal)> = Vec::new();
    // constraints along the axes first: then what is left of slanted ones is known to round-off
    let along_axis = |c: &&&Constraint| AXES.contains(&c.direction);
    for constraint in own.iter().filter(along_axis).chain(own.iter().filter(|c| !along_axis(c))) {
        let mut rest = constraint.direction;
        let mut motion = constraint.motion.clone();
        let mut size = largest(&motion);
        for (direction, s) in &held {
            let along = dot(&rest, direction);
            if along != 0.0 {
                rest = axpy(&rest, -along, direction);
                add_signal(&mut motion, -along, s);
                size = size.max(largest(s));
            }
        }
        let left = norm(&rest);
        if left > SAME_DIRECTION {
            let factor = 1.0 / left;
            let mut scaled = Signal::default();
            add_signal(&mut scaled, factor, &motion);
            held.push((if left == 1.0 { rest } else { scale(factor, &rest) }, scaled));
        } else if largest(&motion) > SAME_DIRECTION * size {
            let message = "two supports move the same nodes differently";
            let help = "give the nodes one support, or the same motion";
            return Err(InputError::new(Code::CONTRADICTION, constraint.field.clone(), message, help));
        }
    }
    Ok(held)
}

/// d orthonormal directions that contain the held ones: the axes themselves where held ones are axes.
fn completed(held: &[(Vec3, Signal)], d: usize) -> [Vec3; 3] {
    let mut frame = AXES;
    if held.iter().all(|(direction, _)| AXES[..d].contains(direction)) {
        return frame;
    }
    let mut n = 0;
    for (direction, _) in held {
        frame[n] = *direction;
        n += 1;
    }
    while n < d {
        // the axis that is farthest from those present
        let rest = |axis: &Vec3| frame[..n].iter().fold(*axis, |rest, b| axpy(&rest, -dot(axis, b), b));
        let mut best = rest(&AXES[0]);
        for axis in &AXES[1..d] {
            let other = rest(axis);
            if norm(&other) > norm(&best) + 1e-12 {
                best = other;
            }
        }
        frame[n] = scale(1.0 / norm(&best), &best);
        n += 1;
    }
    frame
}

/// sum ← sum + c s.
pub(super) fn add_signal(sum: &mut Signal, c: f64, s: &Signal) {
    sum.add(c, s);
}

/// The largest of a signal's mean, amplitudes and factors; zero when it is zero at all times.
pub(super) fn largest(s: &Signal) -> f64 {
    let sines = s.sines.iter().fold(s.mean.abs(), |size, sine| size.max(sine.amplitude.abs()));
    s.terms.iter().fold(sines, |size, term| size.max(term.factor.abs()))
}
