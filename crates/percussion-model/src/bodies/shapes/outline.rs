//! Any simple polygon, cut into convex ones: a way of writing several shapes, in the plane or extruded in space.
//!
//!   ears are cut off one by one (Meisters 1975), then triangles are joined while their union stays convex (Hertel & Mehlhorn 1983)
//!
//! Its area, centre and inertia are those of the whole polygon: pieces touch and do not overlap.

use super::compound::{Compound, Piece};
use super::lengths::PLANAR_POINT;
use super::mesh::refuse;
use super::{Figure, Hull, Polygon, Shape};
use crate::written::Values;
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
use percussion_matrix::math;

/// Corners of an outline at most.
const MAX_CORNERS: usize = 4096;

/// A simple polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its corners in either sense [m].
    pub points: Vec<[f64; 2]>,
    /// In space, along z and centred [m].
    pub height: f64,
}

const KEYS: &[Key] = &[
    Key::new(
        "points",
        Form::List { of: &PLANAR_POINT, least: 3, most: MAX_CORNERS },
        "m",
        KeyDefault::Required,
        "corners of a polygon that does not cross itself",
    ),
    Key::new("height", Form::POSITIVE, "m", KeyDefault::Absent("needed in space"), "space: along z, centred"),
];

type Point = [f64; 2];

/// Twice the area of a triangle, positive counter-clockwise.
fn turn(a: &Point, b: &Point, c: &Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

impl Outline {
    /// Word, keys and meaning.
    pub(super) const KIND: Kind = Kind {
        name: "outline",
        also: &[],
        keys: KEYS,
        meaning: "any polygon that does not cross itself, cut into convex ones; in space with a height along z",
    };

    /// The pieces that these keys describe.
    pub(super) fn read<V: Values>(values: &V, planar: bool) -> Result<Compound, V::Error> {
        let points = values.needed("points", values.points("points")?)?;
        let height = values.number("height")?;
        if planar {
            return Ok(Self { points, height: 0.0 }.flat()?);
        }
        Ok(Self { points, height: values.needed("height", height)? }.solid()?)
    }

    /// Convex polygons.
    pub fn flat(&self) -> Result<Compound, InputError> {
        self.pieces(|points| Polygon { points: points.to_vec() }.into())
    }

    /// Convex prisms.
    pub fn solid(&self) -> Result<Compound, InputError> {
        let z = 0.5 * self.height;
        self.pieces(|points| {
            let points = [-z, z].iter().flat_map(|&z| points.iter().map(move |p| [p[0], p[1], z])).collect();
            Hull { points }.into()
        })
    }

    fn pieces(&self, of: impl Fn(&[Point]) -> Shape) -> Result<Compound, InputError> {
        let piece = |ring: Vec<usize>| {
            let corners: Vec<Point> = ring.iter().map(|&i| self.points[i]).collect();
            Piece::new(of(&corners), [0.0; 3], &[1.0, 0.0, 0.0, 0.0], None)
        };
        Ok(Compound { pieces: self.convex_rings()?.into_iter().map(piece).collect() })
    }

    /// Numbers of the corners of convex polygons, counter-clockwise.
    fn convex_rings(&self) -> Result<Vec<Vec<usize>>, InputError> {
        let p = &self.points;
        if p.iter().flatten().any(|x| !x.is_finite()) {
            return Err(InputError::new(Code::NOT_FINITE, "points", "a corner is not finite", "give finite numbers"));
        }
        if !(3..=MAX_CORNERS).contains(&p.len()) {
            return refuse("points", format!("{} corners", p.len()), "give 3 to 4096 corners");
        }
        let area: f64 = (0..p.len()).map(|i| turn(&[0.0; 2], &p[i], &p[(i + 1) % p.len()])).sum();
        let mut ring: Vec<usize> = (0..p.len()).collect();
        if area < 0.0 {
            ring.reverse();
        }
        let mut rings = self.triangles(ring)?;
        // triangles of a polygon that crosses itself do not fill what its boundary encloses
        let filled: f64 = rings.iter().map(|t| turn(&p[t[0]], &p[t[1]], &p[t[2]])).sum();
        if (filled - area.abs()).abs() > 1e-9 * filled {
            return refuse("points", "the polygon crosses itself".into(), "give the corners of a simple polygon");
        }
        self.join(&mut rings);
        Ok(rings)
    }

    /// Ears cut off one by one: a convex corner whose triangle holds no other corner.
    fn triangles(&self, mut ring: Vec<usize>) -> Result<Vec<Vec<usize>>, InputError> {
        let p = &self.points;
        let mut found = Vec::new();
        while ring.len() > 3 {
            let n = ring.len();
            let at = |k: usize| &p[ring[k % n]];
            let size = |k: usize| turn(at(k + n - 1), at(k), at(k + 1));
            let holds = |k: usize| {
                let (a, b, c) = (at(k + n - 1), at(k), at(k + 1));
                (k + 2..k + n - 1).any(|j| {
                    let x = at(j);
                    x != a && x != b && x != c && turn(a, b, x) >= 0.0 && turn(b, c, x) >= 0.0 && turn(c, a, x) >= 0.0
                })
            };
            // a corner on a straight side is dropped, the roundest ear comes first
            let flat = (0..n).find(|&k| size(k) == 0.0);
            let ear = flat.or_else(|| {
                let best = |k: &usize| size(*k) / side(at(k + n - 1), at(k + 1));
                (0..n).filter(|&k| size(k) > 0.0 && !holds(k)).max_by(|a, b| best(a).total_cmp(&best(b)))
            });
            let Some(k) = ear else {
                return refuse("points", "the polygon crosses itself".into(), "give the corners of a simple polygon");
            };
            if flat.is_none() {
                found.push(vec![ring[(k + n - 1) % n], ring[k], ring[(k + 1) % n]]);
            }
            ring.remove(k);
        }
        if turn(&p[ring[0]], &p[ring[1]], &p[ring[2]]) > 0.0 {
            found.push(ring);
        }
        if found.is_empty() {
            return refuse("points", "the polygon has no area".into(), "give corners that enclose an area");
        }
        Ok(found)
    }

    /// Joins neighbours across a common side while the union stays convex.
    fn join(&self, rings: &mut Vec<Vec<usize>>) {
        let mut a = 0;
        while a < rings.len() {
            let joined = (a + 1..rings.len()).find_map(|b| Some((b, self.union(&rings[a], &rings[b])?)));
            match joined {
                Some((b, ring)) => {
                    rings.swap_remove(b);
                    rings[a] = ring;
                }
                None => a += 1,
            }
        }
    }

    /// The union of two rings that share a side, where it is convex.
    fn union(&self, a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
        let (n, m) = (a.len(), b.len());
        let (i, j) = (0..n).find_map(|i| {
            (0..m).find(|&j| a[i] == b[(j + 1) % m] && a[(i + 1) % n] == b[j]).map(|j| (i, j))
        })?;
        // around a from the end of the common side to its start, then b's other corners
        let ring: Vec<usize> = (0..n).map(|k| a[(i + 1 + k) % n]).chain((2..m).map(|k| b[(j + k) % m])).collect();
        let r = ring.len();
        let convex = |k: usize| {
            let [x, y, z] = [k, k + 1, k + 2].map(|k| &self.points[ring[k % r]]);
            turn(x, y, z) > 1e-12 * side(x, y) * side(y, z)
        };
        ((0..r).all(convex) && r <= super::hull::MAX_HULL_POINTS / 2).then_some(ring)
    }
}

fn side(a: &Point, b: &Point) -> f64 {
    math::hypot(a[0] - b[0], a[1] - b[1])
}

/// Of the whole, for tests and users.
impl Outline {
    /// Area of the polygon [m²].
    pub fn area(&self) -> f64 {
        self.flat().ok().and_then(|flat| flat.mass_properties(1.0, true)).map_or(0.0, |properties| properties.mass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stars of any number of points, in either sense: convex pieces whose areas add up to the shoelace formula's.
    #[test]
    fn stars_are_cut_into_convex_pieces() {
        for n in 3..40_usize {
            let mut points: Vec<Point> = (0..2 * n)
                .map(|k| {
                    let (s, c) = (std::f64::consts::PI * k as f64 / n as f64).sin_cos();
                    let r = if k % 2 == 0 { 1.0 } else { 0.3 + 0.3 / n as f64 };
                    [r * c + 5.0, r * s - 2.0]
                })
                .collect();
            let area: f64 = (0..2 * n).map(|i| turn(&[0.0; 2], &points[i], &points[(i + 1) % (2 * n)])).sum::<f64>() / 2.0;
            for _ in 0..2 {
                let outline = Outline { points: points.clone(), height: 0.1 };
                let flat = outline.flat().unwrap();
                flat.check(true).unwrap();
                assert!((outline.area() - area).abs() < 1e-12, "{n}: {} and {area}", outline.area());
                assert!(flat.pieces.len() <= 2 * n, "{n}: {}", flat.pieces.len());
                let solid = outline.solid().unwrap().mass_properties(1.0, false).unwrap();
                assert!((solid.mass - 0.1 * area).abs() < 1e-12);
                points.reverse();
            }
        }
    }

    /// What crosses itself or has no area is refused.
    #[test]
    fn crossed_outlines_are_refused() {
        let bow = vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let line = vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        for points in [bow, line] {
            assert_eq!(Outline { points, height: 1.0 }.flat().unwrap_err().code, Code::BAD_MESH);
        }
    }
}
