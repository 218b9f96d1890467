//! Newton's matrix written out is that of differences of the residual.

use super::*;
use percussion_model::{Auto, Energies, Number};

/// Three coordinates whose mass, forces, joint and contact depend on all of them.
#[derive(Debug)]
struct Tangled;

impl Energies for Tangled {
    fn n(&self) -> usize {
        3
    }
    fn n_joints(&self) -> usize {
        1
    }
    fn restitutions(&self) -> &[f64] {
        &[0.6]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let turning = v[0] * v[0] * (q[1].cos() + 2.0) + v[2] * v[2] * (q[0].sin() + 1.5);
        turning * 0.5 + v[0] * v[1] * (q[0] - q[1]).cos() * 0.4 + v[1] * v[1] * (q[2] * q[2] * 0.3 + 1.0)
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q[0].sin() * q[1] * 3.0 + q[2] * q[2] * q[2] * q[2]
    }
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        if j == 0 { q[0] + q[1] * q[1] - q[2] * 0.3 } else { q[2] + q[0].sin() * 0.5 - 0.2 }
    }
    fn force<D: Number>(&self, q: &[D], v: &[D], _t: f64, Q: &mut [D]) {
        for (Q, v) in Q.iter_mut().zip(v) {
            *Q = -*v * (q[0] * q[0] + 1.0) * 0.3;
        }
    }
}

#[test]
fn the_matrix_is_that_of_differences() {
    let model: Arc<dyn Lagrangian> = Arc::new(Auto::new(Tangled).expect("a model"));
    let mut stepper = EnergyMomentumVarying::new(model, Activation::Hold, 1e-12);
    let state = State { t: 0.3, q: vec![0.4, -0.7, 0.1], v: vec![-1.0, 0.5, -2.0] };
    let memory = stepper.start(&state);
    let (mut step, mut next) = (Step::default(), Memory::default());
    let from = StepStart { state: &state, memory: &memory, h: 0.2 };
    stepper.frame.begin(&from, &mut step, &mut next).expect("a start");
    stepper.prepare(&from);
    for (k, x) in stepper.x.iter_mut().enumerate() {
        *x += 0.07 * (k as f64 - 2.2);
    }
    stepper.P = vec![0.8, 0.5];
    stepper.frame.index = vec![false, true];
    stepper.evaluate(&from).expect("a residual");
    assert!(stepper.frame.active[1], "the contact takes part");
    stepper.assemble(&from).expect("a matrix");
    let size = stepper.r.len();
    let entries = |stepper: &EnergyMomentumVarying| -> Vec<f64> {
        (0..size * 6).map(|k| stepper.frame.system.entry(k % size, k / size)).collect()
    };
    let written = entries(&stepper);
    stepper.frame.system.clear(size);
    stepper.differences(&from).expect("differences");
    let differenced = entries(&stepper);
    let largest = vector::max_abs(&differenced);
    for (k, (a, b)) in written.iter().zip(&differenced).enumerate() {
        // M in the last term of D_g turns with q₁, which is left out: the rows of momentum and of the contact have a part of it
        let allowed = if k % size < 3 { 1e-7 } else { 2e-2 };
        assert!((a - b).abs() <= allowed * largest, "row {}, column {}: {a} and {b}", k % size, k / size);
    }
    stepper.P = vec![0.0; 2];
    stepper.frame.index = vec![false; 2];
    stepper.evaluate(&from).expect("a residual");
    stepper.assemble(&from).expect("a matrix");
    let written = entries(&stepper);
    stepper.frame.system.clear(size);
    stepper.differences(&from).expect("differences");
    let differenced = entries(&stepper);
    for (k, (a, b)) in written.iter().zip(&differenced).enumerate().filter(|(k, _)| k % size < 7) {
        let allowed = 1e-7 * largest;
        assert!((a - b).abs() <= allowed, "free, row {}, column {}: {a} and {b}", k % size, k / size);
    }
}
