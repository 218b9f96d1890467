//! Free bodies as coordinates with q̇ = v: rotations near a chosen one are three numbers.
//!
//!   R = R₀ cay(ψ),    ω = T ψ̇,   T = (1 − ½[ψ])/s,   T⁻¹ = 1 + ½[ψ] + ¼ψψᵀ,   s = 1 + ¼|ψ|²
//!   ω̇ = T ψ̈ − ω (ψ·ψ̇)/(2s)        (ω in the frame of the body)
//!
//! At ψ = 0 velocities in coordinates are the body's own. The centre R₀ is moved to where the body is at the start of every
//! step, and whenever ψ has grown; the map is regular up to half a turn. In the plane the angle itself is the coordinate.

use percussion_matrix::math;
use percussion_model::bodies::math::{Quaternion, Vec3, axpy, compose, cross, dot, normalised, rotation, scale};
use percussion_model::bodies::{Bodies, Frame, Twist};
use std::sync::Arc;

/// A turn of about 30° after which the centre is moved.
const FAR: f64 = 0.5;

/// The free bodies of a scene in coordinates.
pub struct Chart {
    /// The scene.
    pub scene: Arc<Bodies>,
    /// Places of the free bodies among the coordinates, by number of the body.
    slots: Vec<Option<usize>>,
    /// R₀ by slot.
    centres: Vec<Quaternion>,
    /// The last state entered: what does not move stays as it is there.
    q: Vec<f64>,
    v: Vec<f64>,
    /// Coordinates per body.
    size: usize,
}

fn vec3(x: &[f64]) -> Vec3 {
    [x[0], x[1], x[2]]
}

/// T ψ̇.
#[inline]
fn spin(psi: &Vec3, rate: &Vec3) -> Vec3 {
    let s = 1.0 + 0.25 * dot(psi, psi);
    scale(1.0 / s, &axpy(rate, -0.5, &cross(psi, rate)))
}

/// T⁻¹ ω.
#[inline]
fn turning(psi: &Vec3, w: &Vec3) -> Vec3 {
    axpy(&axpy(w, 0.5, &cross(psi, w)), 0.25 * dot(psi, w), psi)
}

impl Chart {
    /// At the scene's own start.
    pub fn new(scene: Arc<Bodies>) -> Self {
        let mut free = 0;
        let slots = scene.bodies().iter().map(|body| {
            free += usize::from(body.is_free());
            body.is_free().then_some(free - 1)
        });
        let slots: Vec<Option<usize>> = slots.collect();
        let size = if scene.is_planar() { 3 } else { 6 };
        let (q, v) = (scene.q0().to_vec(), scene.v0().to_vec());
        Self { scene, slots, centres: vec![[1.0, 0.0, 0.0, 0.0]; free], q, v, size }
    }

    /// Number of coordinates.
    pub fn n(&self) -> usize {
        self.size * self.centres.len()
    }

    /// Where the coordinates of body i begin; none where it does not move.
    #[inline]
    pub fn slot(&self, i: usize) -> Option<usize> {
        self.slots[i].map(|slot| self.size * slot)
    }

    /// Place of body i.
    #[inline]
    pub fn frame(&self, i: usize, q: &[f64]) -> Frame {
        let Some(slot) = self.slots[i] else { return self.scene.frame(i, &self.q) };
        let q = &q[self.size * slot..self.size * (slot + 1)];
        if self.size == 3 {
            let (s, c) = math::sin_cos(q[2]);
            let (sh, ch) = math::sin_cos(0.5 * q[2]);
            return Frame {
                x: [q[0], q[1], 0.0],
                q: [ch, 0.0, 0.0, sh],
                R: [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
            };
        }
        let turn = self.turned(slot, &vec3(&q[3..]));
        Frame { x: vec3(q), q: turn, R: rotation(&turn) }
    }

    fn turned(&self, slot: usize, psi: &Vec3) -> Quaternion {
        normalised(&compose(&self.centres[slot], &[1.0, 0.5 * psi[0], 0.5 * psi[1], 0.5 * psi[2]]))
    }

    /// Velocities of body i.
    #[inline]
    pub fn twist(&self, i: usize, q: &[f64], v: &[f64]) -> Twist {
        let Some(at) = self.slot(i) else { return Twist::default() };
        let v = &v[at..at + self.size];
        if self.size == 3 {
            return Twist { v: [v[0], v[1], 0.0], w: [0.0, 0.0, v[2]] };
        }
        Twist { v: vec3(v), w: spin(&vec3(&q[at + 3..]), &vec3(&v[3..])) }
    }

    /// Velocities of the bodies, or small displacements, become rates of coordinates.
    pub fn to_coordinates(&self, q: &[f64], x: &mut [f64]) {
        if self.size == 3 {
            return;
        }
        for (q, x) in q.chunks_exact(6).zip(x.chunks_exact_mut(6)) {
            let rate = turning(&vec3(&q[3..]), &vec3(&x[3..]));
            x[3..].copy_from_slice(&rate);
        }
    }

    /// Accelerations of the bodies become second derivatives of coordinates: ψ̈ = T⁻¹(ω̇ + ω (ψ·ψ̇)/(2s)).
    pub fn to_second_derivatives(&self, q: &[f64], v: &[f64], a: &mut [f64]) {
        if self.size == 3 {
            return;
        }
        for ((q, v), a) in q.chunks_exact(6).zip(v.chunks_exact(6)).zip(a.chunks_exact_mut(6)) {
            let (psi, rate) = (vec3(&q[3..]), vec3(&v[3..]));
            let w = spin(&psi, &rate);
            let s = 1.0 + 0.25 * dot(&psi, &psi);
            let second = turning(&psi, &axpy(&vec3(&a[3..]), 0.5 * dot(&psi, &rate) / s, &w));
            a[3..].copy_from_slice(&second);
        }
    }

    /// The way back: ω̇ = T ψ̈ − ω (ψ·ψ̇)/(2s).
    pub fn to_accelerations(&self, q: &[f64], v: &[f64], a: &mut [f64]) {
        if self.size == 3 {
            return;
        }
        for ((q, v), a) in q.chunks_exact(6).zip(v.chunks_exact(6)).zip(a.chunks_exact_mut(6)) {
            let (psi, rate) = (vec3(&q[3..]), vec3(&v[3..]));
            let s = 1.0 + 0.25 * dot(&psi, &psi);
            let dw = axpy(&spin(&psi, &vec3(&a[3..])), -0.5 * dot(&psi, &rate) / s, &spin(&psi, &rate));
            a[3..].copy_from_slice(&dw);
        }
    }

    /// Coordinates of a state of the scene, centred there.
    pub fn enter(&mut self, state: (&[f64], &[f64]), q: &mut Vec<f64>, v: &mut Vec<f64>) {
        self.q.clear();
        self.q.extend_from_slice(state.0);
        self.v.clear();
        self.v.extend_from_slice(state.1);
        q.clear();
        v.clear();
        let (nq, nv) = (self.scene.q_per_body(), self.scene.v_per_body());
        for (i, slot) in self.slots.iter().enumerate() {
            let Some(slot) = *slot else { continue };
            let (place, velocity) = (&state.0[nq * i..nq * (i + 1)], &state.1[nv * i..nv * (i + 1)]);
            v.extend_from_slice(velocity);
            q.extend_from_slice(&place[..3]);
            if self.size == 6 {
                self.centres[slot] = [place[3], place[4], place[5], place[6]];
                q.extend([0.0; 3]);
            }
        }
    }

    /// The state of the scene at these coordinates.
    pub fn leave(&self, (q, v): (&[f64], &[f64]), to_q: &mut Vec<f64>, to_v: &mut Vec<f64>) {
        to_q.clone_from(&self.q);
        to_v.clone_from(&self.v);
        let nq = self.scene.q_per_body();
        for i in 0..self.slots.len() {
            let (Some(slot), Some(at)) = (self.slots[i], self.slot(i)) else { continue };
            let place = &mut to_q[nq * i..nq * (i + 1)];
            place[..3].copy_from_slice(&q[at..at + 3]);
            if self.size == 6 {
                place[3..].copy_from_slice(&self.turned(slot, &vec3(&q[at + 3..])));
            }
            self.scene.write_twist(i, &self.twist(i, q, v), to_v);
        }
    }

    /// Moves the centres to the bodies where one has turned far; whether coordinates have changed.
    pub fn recentre(&mut self, q: &mut [f64], v: &mut [f64]) -> bool {
        if self.size == 3 || q.chunks_exact(6).all(|q| q[3..].iter().all(|x| x.abs() <= FAR)) {
            return false;
        }
        for slot in 0..self.centres.len() {
            let at = 6 * slot;
            let psi = vec3(&q[at + 3..]);
            let w = spin(&psi, &vec3(&v[at + 3..]));
            self.centres[slot] = self.turned(slot, &psi);
            q[at + 3..at + 6].fill(0.0);
            v[at + 3..at + 6].copy_from_slice(&w);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T⁻¹ T = 1, and ω and ω̇ are what the turning frame shows: R(t) = cay(ψ(t)), differences over 1e-5 s (error 1e-9).
    #[test]
    fn spin_is_that_of_the_frame() {
        let psi = |t: f64| [0.3 + 0.7 * t - t * t, -0.4 + 0.2 * t, 0.5 - 1.1 * t + 0.6 * t * t];
        let rate = |t: f64| [0.7 - 2.0 * t, 0.2, -1.1 + 1.2 * t];
        let second = [-2.0, 0.0, 1.2];
        let h = 1e-5;
        let q = |t: f64| {
            let p = psi(t);
            normalised(&[1.0, 0.5 * p[0], 0.5 * p[1], 0.5 * p[2]])
        };
        // ω = 2 q̄ q̇
        let (a, b, now) = (q(h), q(-h), q(0.0));
        let slope: Quaternion = std::array::from_fn(|k| (a[k] - b[k]) / (2.0 * h));
        let w = compose(&[now[0], -now[1], -now[2], -now[3]], &slope);
        let ours = spin(&psi(0.0), &rate(0.0));
        for k in 0..3 {
            assert!((2.0 * w[k + 1] - ours[k]).abs() < 1e-9);
            assert!((turning(&psi(0.0), &ours)[k] - rate(0.0)[k]).abs() < 1e-15);
        }
        // ψ̈ from ω̇
        let (later, before) = (spin(&psi(h), &rate(h)), spin(&psi(-h), &rate(-h)));
        let dw: Vec3 = std::array::from_fn(|k| (later[k] - before[k]) / (2.0 * h));
        let (p, r) = (psi(0.0), rate(0.0));
        let s = 1.0 + 0.25 * dot(&p, &p);
        let again = turning(&p, &axpy(&dw, 0.5 * dot(&p, &r) / s, &ours));
        for k in 0..3 {
            assert!((again[k] - second[k]).abs() < 1e-8, "{again:?}");
        }
    }
}
