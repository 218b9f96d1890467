//! A model of the user's own: energies written once, derivatives by automatic differentiation, two schemes.

use percussion::model::{Auto, Energies, Number};
use percussion::prelude::*;
use percussion::step::{Both, Guarantee};
use std::sync::Arc;

/// A mass on a nonlinear spring k(r − l)⁴/4 about the origin, in the plane, above a floor.
#[derive(Debug)]
struct SpringMass {
    mass: f64,
    stiffness: f64,
    length: f64,
    gravity: f64,
    floor: f64,
    restitution: [f64; 1],
}

impl Energies for SpringMass {
    fn n(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &self.restitution
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn kinetic<D: Number>(&self, _q: &[D], v: &[D]) -> D {
        (v[0] * v[0] + v[1] * v[1]) * (0.5 * self.mass)
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        let stretch = (q[0] * q[0] + q[1] * q[1]).sqrt() - D::from(self.length);
        stretch.powi(4) * (0.25 * self.stiffness) + q[1] * (self.mass * self.gravity)
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[1] - D::from(self.floor)
    }
}

/// Energy-momentum closes its ledger exactly and creates nothing; GGL does not penetrate.
#[test]
fn user_model_under_two_schemes() -> Result<(), Box<dyn std::error::Error>> {
    let mass = SpringMass { mass: 1.0, stiffness: 1e3, length: 1.0, gravity: 9.81, floor: -1.1, restitution: [0.7] };
    let problem = Problem::nonlinear(Arc::new(Auto::new(mass)?), vec![1.0, 0.2], vec![0.0, 0.0])?;
    for name in ["generalized-alpha-ggl", "energy-momentum"] {
        let scheme = Scheme::named(name)?;
        let (mut trajectory, mut audit) = (Trajectory::new(), Audit::new());
        let recorder = &mut Both(&mut trajectory, &mut audit);
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), 1e-3, 2.0, recorder)?;
        assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
        let verdicts = audit.verdicts(&Guarantee::new(&scheme, &problem.model), 1e-10);
        println!("{name}: residual {:.1e} J, {}", audit.largest_residual(), verdicts.gap.text);
        assert!(audit.largest_residual() < 1e-9 * audit.largest_energy());
        assert!(trajectory.impulses(0).iter().any(|&p| p > 0.0), "the floor is met");
        match name {
            "energy-momentum" => assert_eq!(verdicts.energy.status, Verdict::Pass),
            _ => assert_eq!(verdicts.gap.status, Verdict::Pass),
        }
    }
    Ok(())
}
