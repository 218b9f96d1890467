//! Inertias that no body has: named, and mended on request.
//!
//!   J = ½ tr(I) 1 − I, the second moments of the mass, has no negative eigenvalue;    mended: those below 1e-6 of the largest are raised to it
//!   √(tr(I)/2m), the radius of gyration, is no hundredth of the reach of the shapes;    mended: the mass fills the shapes evenly

use super::{Link, Robot};
use percussion_model::bodies::math::{Mat3, mul_mat, norm, sub, transpose};

/// The least eigenvalue of the second moments, in parts of the largest: thinner bodies are accepted, none is made thinner.
const LEAST: f64 = 1e-6;

/// Part of the reach of its shapes within which no body has all its mass.
const CONCENTRATED: f64 = 1e-2;

/// What the digits of a file may miss, in parts of the largest second moment.
const ROUNDED: f64 = 1e-3;

/// Names every inertia of a link that moves and that no body has; replaces it where `mend` is set.
pub fn check(robot: &mut Robot, mend: bool) {
    for i in 0..robot.links.len() {
        let moves = !robot.links[i].fixed
            && (robot.joints.iter().any(|j| j.child == i || j.parent == i) || robot.roots.iter().any(|r| r.0 == i));
        // links that stay without mass have nothing to mend
        if !moves || super::reduce::is_massless(&robot.links[i]) {
            continue;
        }
        let link = &mut robot.links[i];
        if let Some(part) = rounded(link) {
            mended(link);
            robot.notes.push(format!(
                "link \"{}\": its inertia misses that of a body by {part:.0e}, as rounding does: mended",
                link.name
            ));
            continue;
        }
        if let Some((radius, reach)) = concentrated(link) {
            let fact = format!("its mass lies within {radius:.0e} m though its shapes reach {reach:.0e} m");
            let filled = if mend { filled(link) } else { None };
            let words = match filled {
                Some(inertia) => {
                    link.inertia = inertia;
                    "replaced by the inertia of its shapes, filled evenly"
                }
                None => "--mend-inertia fills its shapes evenly",
            };
            robot.notes.push(format!("link \"{}\": {fact}; {words}", link.name));
        }
        let Some(defect) = defect(link) else { continue };
        let words = if mend {
            mended(link);
            format!("link \"{}\": {defect}; replaced by the nearest inertia that a body has", link.name)
        } else {
            format!("link \"{}\": {defect}; --mend-inertia replaces it", link.name)
        };
        robot.notes.push(words);
    }
}

/// Radius of gyration of a link and reach of its shapes, where no matter in them explains the first.
fn concentrated(link: &Link) -> Option<(f64, f64)> {
    let trace = link.inertia[0][0] + link.inertia[1][1] + link.inertia[2][2];
    if link.mass <= 0.0 || trace <= 0.0 {
        return None;
    }
    let (radius, mut reach) = ((0.5 * trace / link.mass).sqrt(), 0.0_f64);
    for shape in &link.shapes {
        super::floor::points(&shape.form, |p, r| reach = reach.max(norm(&sub(&shape.pose.point(p), &link.centre)) + r));
    }
    (radius < CONCENTRATED * reach).then_some((radius, reach))
}

/// The inertia of a link whose mass fills its shapes evenly.
fn filled(link: &Link) -> Option<Mat3> {
    let full = super::floor::solid(link).mass_properties(1.0, false).filter(|full| full.mass > 0.0)?;
    Some(full.inertia.map(|row| row.map(|x| x * link.mass / full.mass)))
}

/// By how much an inertia misses one of a body, where the digits of a file explain it.
fn rounded(link: &Link) -> Option<f64> {
    let mut values = eigen(&second_moments(&link.inertia)).0;
    values.sort_by(f64::total_cmp);
    let part = values[0] / values[2];
    (link.mass > 0.0 && values[1] > 1e-9 * values[2] && (-ROUNDED..0.0).contains(&part)).then_some(-part)
}

/// What is wrong with the matter of a link.
fn defect(link: &Link) -> Option<String> {
    if link.mass <= 0.0 {
        return Some(format!("its mass is {} kg", link.mass));
    }
    let (values, _) = eigen(&second_moments(&link.inertia));
    let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    if largest == 0.0 {
        return Some(format!("a mass of {} kg without inertia", link.mass));
    }
    // a rod has two zeros and no moment about its axis, which no equation of a body can do without
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    if least < 0.0 {
        let [x, y, z] = principal(&link.inertia);
        return Some(format!(
            "principal moments {x:.3e}, {y:.3e}, {z:.3e} kg·m², of which one exceeds the sum of the two others"
        ));
    }
    if sorted[1] <= 1e-12 * largest {
        return Some("it has no moment about one axis".into());
    }
    None
}

fn principal(I: &Mat3) -> [f64; 3] {
    let mut values = eigen(I).0;
    values.sort_by(f64::total_cmp);
    values
}

fn second_moments(I: &Mat3) -> Mat3 {
    let half = 0.5 * (I[0][0] + I[1][1] + I[2][2]);
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { half - I[i][i] } else { -0.5 * (I[i][j] + I[j][i]) }))
}

/// Raises what is too small; a link without inertia gets that of a ball of water of its mass.
fn mended(link: &mut Link) {
    if link.mass <= 0.0 {
        link.mass = 1e-3;
    }
    let (mut values, axes) = eigen(&second_moments(&link.inertia));
    let mut largest = values.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        // J = m r²/5 of a ball
        let r = (3.0 * link.mass / (4.0 * std::f64::consts::PI * 1000.0)).cbrt();
        largest = 0.2 * link.mass * r * r;
        values = [largest; 3];
    }
    values.iter_mut().for_each(|x| *x = x.max(LEAST * largest));
    let D = [[values[0], 0.0, 0.0], [0.0, values[1], 0.0], [0.0, 0.0, values[2]]];
    let J = mul_mat(&mul_mat(&axes, &D), &transpose(&axes));
    let trace = J[0][0] + J[1][1] + J[2][2];
    link.inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace - J[i][i] } else { -J[i][j] }));
}

/// Eigenvalues and, as columns, eigenvectors of a symmetric matrix by Jacobi's rotations.
pub fn eigen(A: &Mat3) -> ([f64; 3], Mat3) {
    let (mut A, mut V) = (*A, percussion_model::bodies::math::IDENTITY);
    for _ in 0..60 {
        let size = A.iter().map(norm).fold(0.0, f64::max);
        let (i, j) = [(0, 1), (0, 2), (1, 2)]
            .into_iter()
            .max_by(|a, b| A[a.0][a.1].abs().total_cmp(&A[b.0][b.1].abs()))
            .unwrap_or((0, 1));
        if A[i][j].abs() <= 1e-16 * size {
            break;
        }
        let angle = 0.5 * (2.0 * A[i][j]).atan2(A[j][j] - A[i][i]);
        let (s, c) = angle.sin_cos();
        let mut G = percussion_model::bodies::math::IDENTITY;
        (G[i][i], G[j][j], G[i][j], G[j][i]) = (c, c, s, -s);
        A = mul_mat(&mul_mat(&transpose(&G), &A), &G);
        V = mul_mat(&V, &G);
    }
    ([A[0][0], A[1][1], A[2][2]], V)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An inertia that breaks the triangle's rule is named and becomes one that a body has; one that keeps it stays as it is.
    #[test]
    fn inertias_are_mended() {
        let mut link =
            Link { mass: 2.0, inertia: [[1.0, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.3]], ..Link::new("x") };
        assert!(defect(&link).unwrap().contains("exceeds"));
        mended(&mut link);
        assert_eq!(defect(&link), None);
        let (values, _) = eigen(&second_moments(&link.inertia));
        assert!(values.iter().all(|x| *x > 0.0), "{values:?}");
        let whole =
            Link { mass: 2.0, inertia: [[0.3, 0.01, 0.0], [0.01, 0.2, 0.0], [0.0, 0.0, 0.25]], ..Link::new("y") };
        assert_eq!(defect(&whole), None);
        let point = Link { mass: 2.0, ..Link::new("z") };
        assert!(defect(&point).is_some());
    }
}
