//! Masses of MJCF's meshes, which need not be closed: MuJoCo spreads them in one of four ways.
//!
//!   legacy  Σ |v| over the tetrahedra between the faces and c, the centre of those from the mean of the faces (closed meshes without dents: the volume)
//!   exact   the volume inside;    convex  that of the hull;    shell  the faces, the density by area
//!
//!   ∫ x xᵀ  of a tetrahedron  v/20 (Σ p pᵀ + s sᵀ),  of a triangle  a/12 (Σ p pᵀ + s sᵀ),  s = Σ p

use percussion_model::bodies::math::{Vec3, add, cross, dot, norm, scale, sub};
use percussion_model::bodies::shapes::hull_of;
use percussion_model::bodies::{MassProperties, TriangleMesh};

/// How the mass of a mesh is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    Legacy,
    Exact,
    Convex,
    Shell,
}

impl Filling {
    /// By the word of `<mesh inertia>`; `None` for a word that names none.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "legacy" => Some(Self::Legacy),
            "exact" => Some(Self::Exact),
            "convex" => Some(Self::Convex),
            "shell" => Some(Self::Shell),
            _ => None,
        }
    }
}

/// Mass, centre and inertia of a mesh by its density, or of this mass.
pub fn mass(mesh: &TriangleMesh, filling: Filling, density: f64, mass: Option<f64>) -> Option<MassProperties> {
    let hull = if filling == Filling::Convex { Some(hull_of(&mesh.vertices)?) } else { None };
    let mesh = hull.as_ref().unwrap_or(mesh);
    let corners = || mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i]));
    let area = |[a, b, c]: &[Vec3; 3]| 0.5 * norm(&cross(&sub(b, a), &sub(c, a)));
    // the mean of the faces
    let (mut apex, mut all) = ([0.0; 3], 0.0);
    for t in corners() {
        let a = area(&t);
        let third = scale(a / 3.0, &add(&add(&t[0], &t[1]), &t[2]));
        (apex, all) = (add(&apex, &third), all + a);
    }
    if all <= 0.0 {
        return None;
    }
    apex = scale(1.0 / all, &apex);
    let about = |apex: &Vec3| {
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for t in corners() {
            let p = t.map(|x| sub(&x, apex));
            let sum = add(&add(&p[0], &p[1]), &p[2]);
            let tetrahedron = dot(&p[0], &cross(&p[1], &p[2])) / 6.0;
            let (part, mean, spread) = match filling {
                Filling::Shell => (area(&t), 1.0 / 3.0, 1.0 / 12.0),
                Filling::Legacy => (tetrahedron.abs(), 0.25, 0.05),
                Filling::Exact | Filling::Convex => (tetrahedron, 0.25, 0.05),
            };
            volume += part;
            first = add(&first, &scale(part * mean, &sum));
            for i in 0..3 {
                for j in 0..3 {
                    second[i][j] += part * spread * (p.iter().map(|p| p[i] * p[j]).sum::<f64>() + sum[i] * sum[j]);
                }
            }
        }
        (volume, first, second)
    };
    let (volume, first, _) = about(&apex);
    if volume <= 0.0 {
        return None;
    }
    let centre = add(&apex, &scale(1.0 / volume, &first));
    // about the centre, from which the tetrahedra of a mesh with dents are other ones
    let (volume, _, second) = about(&centre);
    if volume <= 0.0 {
        return None;
    }
    let rho = mass.map_or(density, |mass| mass / volume);
    let S = second.map(|row| row.map(|x| rho * x));
    let trace = S[0][0] + S[1][1] + S[2][2];
    let inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { trace - S[i][i] } else { -S[i][j] }));
    Some(MassProperties { mass: rho * volume, centre, inertia }).filter(|p| p.mass > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube: m a²/6 filled in any way; a shell of six faces has 5/18 m a².
    #[test]
    fn a_cube_weighs_what_it_is_filled_with() {
        let corners: Vec<Vec3> =
            (0..8_usize).map(|k| std::array::from_fn(|i| 3.0 + if k >> i & 1 == 1 { 2.0 } else { 0.0 })).collect();
        let cube = hull_of(&corners).expect("a cube");
        for (filling, m, moment) in [
            (Filling::Legacy, 8.0, 8.0 * 4.0 / 6.0),
            (Filling::Exact, 8.0, 8.0 * 4.0 / 6.0),
            (Filling::Convex, 8.0, 8.0 * 4.0 / 6.0),
            (Filling::Shell, 24.0, 24.0 * 4.0 * 5.0 / 18.0),
        ] {
            let found = mass(&cube, filling, 1.0, None).expect("a mass");
            assert!((found.mass - m).abs() < 1e-12 && (found.inertia[1][1] - moment).abs() < 1e-11, "{filling:?}");
            assert!((0..3).all(|k| (found.centre[k] - 4.0).abs() < 1e-12), "{filling:?} {:?}", found.centre);
            assert!(found.inertia[0][2].abs() < 1e-11);
        }
    }
}
