//! A nonlinear model answers without allocating, by hand or automatically (up to 16 coordinates).

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::nonlinear::{Beam, BeamParts, LinearAsLagrangian, Pendulum, PointMass, RockingBlock};
use percussion_model::{Auto, Contact, Energies, Lagrangian, LinearModel, LinearParts, Number, Signal};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTER: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A chain of n pendulum-like coordinates with a mass that depends on q and a damper.
#[derive(Debug)]
struct Chain(usize);

impl Energies for Chain {
    fn n(&self) -> usize {
        self.0
    }
    fn restitutions(&self) -> &[f64] {
        &[0.5]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        q.iter().zip(v).map(|(q, v)| *v * *v * (q.cos() + 2.0)).sum()
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        q.windows(2).map(|q| (q[0] - q[1]).powi(2)).sum()
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0].sin()
    }
    fn force<D: Number>(&self, _q: &[D], v: &[D], _t: f64, Q: &mut [D]) {
        Q[0] = v[0] * -0.1;
    }
}

fn weight_on_a_spring() -> LinearModel {
    let one = || Matrix::Dense(DenseMatrix::identity(1));
    LinearModel::new(LinearParts {
        mass: one(),
        damping: Some(one()),
        stiffness: Some(one()),
        force: vec![Signal::constant(-1.0)],
        contacts: vec![Contact {
            normal: vec![(0, 1.0)],
            offset: Signal::constant(0.0),
            restitution: 0.5,
            ..Contact::default()
        }],
        joints: vec![],
    })
    .unwrap()
}

/// Every question of the interface, once, with buffers made before.
#[test]
fn answers_allocate_nothing() {
    let steel = BeamParts {
        length: 1.0,
        width: 0.01,
        depth: 0.01,
        young: 2.1e11,
        poisson: 0.3,
        density: 7800.0,
        gravity: 9.81,
        elements: 12,
        wall: 0.7,
        restitution: 0.8,
    };
    let models: [Box<dyn Lagrangian>; 7] = [
        Box::new(PointMass::new(1.0, 0.2, 10.0, 0.8).unwrap()),
        Box::new(Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.7, 0.8).unwrap()),
        Box::new(RockingBlock::new(1.0, 1.0, 1.5, 9.81, 0.5).unwrap()),
        Box::new(Beam::new(steel).unwrap()),
        Box::new(Beam::with_joints(steel).unwrap()),
        Box::new(LinearAsLagrangian::new(weight_on_a_spring())),
        Box::new(Auto::new(Chain(16)).unwrap()),
    ];
    for model in models {
        let n = model.n();
        let (q, v, mut f) = (vec![0.3; n], vec![0.7; n], vec![0.0; n]);
        let (mut A, mut B) = (DenseMatrix::zeros(n, n), DenseMatrix::zeros(n, n));
        let region = Region::new(COUNTER);
        model.mass(&q, &mut A);
        model.mass_tangent(&q, &v, &mut A);
        model.force(&q, &v, 0.0, &mut f);
        model.force_tangents(&q, &v, 0.0, &mut A, &mut B);
        let mut sum = model.potential_energy(&q) + model.kinetic_energy(&q, &v);
        sum += model.power_without_potential(&q, &v, 0.0);
        for j in 0..model.n_joints() + model.restitutions().len() {
            sum += model.constraint(j, &q);
            model.gradient(j, &q, &mut f);
            model.hessian(j, &q, 1.0, &mut A);
        }
        let change = region.change();
        assert_eq!(change.allocations, 0, "{model:?}: {change:?}");
        assert!(sum.is_finite());
    }
}
