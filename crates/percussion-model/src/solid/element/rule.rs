//! Quadrature on the reference domains.
//!
//!   ∫ f dξ = Σ w f(ξ)
//!
//! Squares and cubes are products of Gauss rules. Triangles and tetrahedra of high degree are squares and cubes with one side
//! collapsed (Stroud 1971): n points each way integrate degree 2n − 2 on a triangle and 2n − 3 on a tetrahedron.

/// A point ξ with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// ξ.
    pub xi: [f64; 3],
    /// w.
    pub weight: f64,
}

/// Gauss points on [−1, 1] with their weights, 1 to 4 of them.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    match n {
        1 => vec![(0.0, 2.0)],
        2 => {
            let x = (1.0_f64 / 3.0).sqrt();
            vec![(-x, 1.0), (x, 1.0)]
        }
        3 => {
            let x = 0.6_f64.sqrt();
            vec![(-x, 5.0 / 9.0), (0.0, 8.0 / 9.0), (x, 5.0 / 9.0)]
        }
        4 => {
            let (a, b) = (3.0 / 7.0, 2.0 / 7.0 * 1.2_f64.sqrt());
            let (near, far) = ((a - b).sqrt(), (a + b).sqrt());
            let (w_near, w_far) = ((18.0 + 30.0_f64.sqrt()) / 36.0, (18.0 - 30.0_f64.sqrt()) / 36.0);
            vec![(-far, w_far), (-near, w_near), (near, w_near), (far, w_far)]
        }
        other => unreachable!("no Gauss rule of {other} points is listed"),
    }
}

/// A single point of weight one.
pub fn point() -> Vec<Point> {
    vec![Point { xi: [0.0; 3], weight: 1.0 }]
}

/// n points on the line [−1, 1], exact to degree 2n − 1.
pub fn line(n: usize) -> Vec<Point> {
    gauss(n).into_iter().map(|(x, weight)| Point { xi: [x, 0.0, 0.0], weight }).collect()
}

/// n² points on the square [−1, 1]².
pub fn square(n: usize) -> Vec<Point> {
    let g = gauss(n);
    let row = |&(y, v): &(f64, f64)| {
        g.iter().map(move |&(x, w)| Point { xi: [x, y, 0.0], weight: v * w }).collect::<Vec<_>>()
    };
    g.iter().flat_map(row).collect()
}

/// n³ points in the cube [−1, 1]³.
pub fn cube(n: usize) -> Vec<Point> {
    let layer = |(z, v): (f64, f64)| {
        square(n).into_iter().map(move |p| Point { xi: [p.xi[0], p.xi[1], z], weight: v * p.weight })
    };
    gauss(n).into_iter().flat_map(layer).collect()
}

/// The centre of the triangle, exact to degree 1.
pub fn triangle_centre() -> Vec<Point> {
    vec![Point { xi: [1.0 / 3.0, 1.0 / 3.0, 0.0], weight: 0.5 }]
}

/// Three points in the triangle, exact to degree 2.
pub fn triangle_three() -> Vec<Point> {
    let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
    [[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]].into_iter().map(|xi| Point { xi, weight: 1.0 / 6.0 }).collect()
}

/// n² points in the triangle, exact to degree 2n − 2.
pub fn triangle(n: usize) -> Vec<Point> {
    let collapse = |p: Point| {
        let (x, y) = (0.5 * (1.0 + p.xi[0]), 0.5 * (1.0 + p.xi[1]));
        Point { xi: [x, y * (1.0 - x), 0.0], weight: 0.25 * p.weight * (1.0 - x) }
    };
    square(n).into_iter().map(collapse).collect()
}

/// The centre of the tetrahedron, exact to degree 1.
pub fn tetrahedron_centre() -> Vec<Point> {
    vec![Point { xi: [0.25; 3], weight: 1.0 / 6.0 }]
}

/// Four points in the tetrahedron, exact to degree 2.
pub fn tetrahedron_four() -> Vec<Point> {
    let (a, b) = ((5.0 + 3.0 * 5.0_f64.sqrt()) / 20.0, (5.0 - 5.0_f64.sqrt()) / 20.0);
    [[b, b, b], [a, b, b], [b, a, b], [b, b, a]].into_iter().map(|xi| Point { xi, weight: 1.0 / 24.0 }).collect()
}

/// n³ points in the tetrahedron, exact to degree 2n − 3.
pub fn tetrahedron(n: usize) -> Vec<Point> {
    let collapse = |p: Point| {
        let [x, y, z] = p.xi.map(|x| 0.5 * (1.0 + x));
        let (y, z) = (y * (1.0 - x), z * (1.0 - x) * (1.0 - y));
        Point { xi: [x, y, z], weight: 0.125 * p.weight * (1.0 - x) * (1.0 - x) * (1.0 - y / (1.0 - x)) }
    };
    cube(n).into_iter().map(collapse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: u32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    /// Monomials x^a y^b z^c over simplices: a! b! c! / (a + b + c + d)!; over squares and cubes products of 2/(a + 1).
    #[test]
    fn degrees_are_exact() {
        let sum = |rule: &[Point], a: u32, b: u32, c: u32| {
            let f = |p: &Point| p.weight * p.xi[0].powi(a as i32) * p.xi[1].powi(b as i32) * p.xi[2].powi(c as i32);
            rule.iter().map(f).sum::<f64>()
        };
        let triangles = [(triangle_centre(), 1), (triangle_three(), 2), (triangle(3), 4), (triangle(4), 6)];
        for (rule, degree) in triangles {
            for (a, b) in (0..=degree).flat_map(|a| (0..=degree - a).map(move |b| (a, b))) {
                let exact = factorial(a) * factorial(b) / factorial(a + b + 2);
                assert!((sum(&rule, a, b, 0) - exact).abs() < 1e-15, "triangle {degree}: {a} {b}");
            }
        }
        let tetrahedra = [(tetrahedron_centre(), 1), (tetrahedron_four(), 2), (tetrahedron(3), 3), (tetrahedron(4), 5)];
        for (rule, degree) in tetrahedra {
            for (a, b, c) in (0..=degree)
                .flat_map(|a| (0..=degree - a).flat_map(move |b| (0..=degree - a - b).map(move |c| (a, b, c))))
            {
                let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
                assert!((sum(&rule, a, b, c) - exact).abs() < 1e-15, "tetrahedron {degree}: {a} {b} {c}");
            }
        }
        let one = |a: u32| if a.is_multiple_of(2) { 2.0 / f64::from(a + 1) } else { 0.0 };
        for n in 1..=4 {
            for (a, b) in (0..2 * n).flat_map(|a| (0..2 * n).map(move |b| (a, b))) {
                assert!((sum(&square(n as usize), a, b, 0) - one(a) * one(b)).abs() < 1e-14);
                assert!((sum(&cube(n as usize), a, b, 2 * n - 2) - one(a) * one(b) * one(2 * n - 2)).abs() < 1e-14);
            }
        }
    }
}
