//! Error measures for motions with jumps, and the fitted order.
//!
//!   L1 = h Σ_i |x_i − x(t_i)|,   relative: Σ|x_i − x(t_i)| / Σ|x(t_i)|,   error ≈ C h^p by least squares in logarithms
//!
//! Pointwise errors of a velocity do not converge at an impact (it is off by O(1) for one step); integrals do.

/// h Σ |found − exact|.
pub fn l1(h: f64, found: &[f64], exact: &[f64]) -> f64 {
    h * sum_of_differences(found, exact)
}

/// Σ_i (t_i − t_{i−1}) |found_i − exact_i| over rows of unequal distance, of one coordinate.
pub fn l1_unequal(t: &[f64], found: &[f64], exact: &[f64]) -> f64 {
    assert!(t.len() == found.len() && t.len() == exact.len(), "one value per time");
    (1..t.len()).map(|i| (t[i] - t[i - 1]) * (found[i] - exact[i]).abs()).sum()
}

/// Σ |found − exact| / Σ |exact|.
pub fn relative_l1(found: &[f64], exact: &[f64]) -> f64 {
    sum_of_differences(found, exact) / exact.iter().map(|x| x.abs()).sum::<f64>()
}

fn sum_of_differences(found: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(found.len(), exact.len(), "one exact value per found value");
    found.iter().zip(exact).map(|(a, b)| (a - b).abs()).sum()
}

/// error ≈ C h^p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderFit {
    /// p.
    pub order: f64,
    /// C.
    pub constant: f64,
    /// Standard error of p: errors of impact problems are not monotone in h.
    pub scatter: f64,
}

/// Least squares of ln error over ln h; `None` for fewer than two usable points.
pub fn fit_order(steps: &[f64], errors: &[f64]) -> Option<OrderFit> {
    let points: Vec<(f64, f64)> =
        steps.iter().zip(errors).filter(|(h, e)| **h > 0.0 && **e > 0.0).map(|(h, e)| (h.ln(), e.ln())).collect();
    let n = points.len() as f64;
    if points.len() < 2 {
        return None;
    }
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let xx: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    if xx == 0.0 {
        return None;
    }
    let order = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / xx;
    let misfit: f64 = points.iter().map(|p| (p.1 - y - order * (p.0 - x)).powi(2)).sum();
    let scatter = if points.len() > 2 { (misfit / (n - 2.0) / xx).sqrt() } else { 0.0 };
    Some(OrderFit { order, constant: (y - order * x).exp(), scatter })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pure power is recovered exactly, and its scatter is nil.
    #[test]
    fn a_power_is_recovered() {
        let steps = [0.1, 0.05, 0.025, 0.0125];
        let errors = steps.map(|h: f64| 3.0 * h.powf(1.5));
        let fit = fit_order(&steps, &errors).expect("four points");
        assert!((fit.order - 1.5).abs() < 1e-12 && (fit.constant - 3.0).abs() < 1e-11 && fit.scatter < 1e-7);
        assert_eq!(fit_order(&[0.1], &[1.0]), None);
        assert_eq!(fit_order(&[0.1, 0.1], &[1.0, 1.0]), None);
    }

    #[test]
    fn l1_of_a_constant_offset() {
        assert_eq!(l1(0.5, &[1.0, 2.0], &[0.0, 1.0]), 1.0);
        assert_eq!(relative_l1(&[1.0, 3.0], &[1.0, 1.0]), 1.0);
    }
}
