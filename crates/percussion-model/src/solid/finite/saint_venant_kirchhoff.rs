//! St. Venant–Kirchhoff.
//!
//!   E = ½(C − 1),   ψ = ½λ (tr E)² + μ E:E,   S = λ tr E 1 + 2μ E

use super::tensor::{UNIT, add, inner, trace};
use crate::solid::hooke::{Lame, Tensor};

fn strain(C: &Tensor) -> Tensor {
    add(C, -1.0, &UNIT).map(|x| 0.5 * x)
}

fn law(lame: &Lame, E: &Tensor) -> Tensor {
    add(&E.map(|x| 2.0 * lame.mu * x), lame.lambda * trace(E), &UNIT)
}

pub(super) fn energy(lame: &Lame, C: &Tensor) -> f64 {
    let E = strain(C);
    0.5 * lame.lambda * trace(&E).powi(2) + lame.mu * inner(&E, &E)
}

pub(super) fn stress(lame: &Lame, C: &Tensor) -> Tensor {
    law(lame, &strain(C))
}

pub(super) fn stress_change(lame: &Lame, dC: &Tensor) -> Tensor {
    law(lame, &dC.map(|x| 0.5 * x))
}
