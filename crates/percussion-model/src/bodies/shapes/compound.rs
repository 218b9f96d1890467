//! Several convex shapes that one body carries, each placed in its frame and of its own material.
//!
//!   m = Σ m_k,    m c = Σ m_k c_k,    I = Σ R_k I_k R_kᵀ + m_k (|d_k|² 1 − d_k d_kᵀ),  d_k = c_k − c
//!
//! Shapes that overlap count twice in the mass. Before a plane its features are those of the pieces, one piece after the other.

use super::{Figure, Manner, Picture, Scenes, Shape, Surface};
use crate::bodies::detect::Solid;
use crate::bodies::math::{Mat3, Quaternion, Vec3, add, dot, mul, mul_mat, norm, normalised, rotation, sub, transpose};
use crate::bodies::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Code, InputError, Kind};

/// Pieces of one body at most.
pub const MAX_PIECES: usize = 4096;
/// Features of one body before a plane at most: there are names for so many.
const MAX_FEATURES: usize = 1 << 15;

/// One of the shapes of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// In its own frame.
    pub shape: Shape,
    /// Its origin and its axes in the frame of the body.
    pub frame: Frame,
    /// Number of its material; that of the body where it has none.
    pub material: Option<usize>,
}

impl Piece {
    /// A shape at a place, turned by a unit quaternion.
    pub fn new(shape: Shape, position: Vec3, turn: &Quaternion, material: Option<usize>) -> Self {
        let q = normalised(turn);
        Self { shape, frame: Frame { x: position, q, R: rotation(&q) }, material }
    }

    /// The same piece with its origin at the centre of its own volume, seen from `centre`.
    fn recentred(&self, centre: &Vec3) -> Self {
        let own = self.shape.mass_properties(1.0, self.is_flat()).map_or([0.0; 3], |properties| properties.centre);
        let own = if own.iter().all(|x| x.is_finite()) { own } else { [0.0; 3] };
        let x = sub(&self.frame.point(&own), centre);
        Self { shape: self.shape.recentred(&own), frame: Frame { x, ..self.frame }, material: self.material }
    }

    fn is_flat(&self) -> bool {
        self.shape.scenes() == Scenes::Planar
    }
}

/// Several shapes of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    /// The shapes.
    pub pieces: Vec<Piece>,
}

impl Shape {
    /// Several shapes of one body.
    pub fn compound(pieces: Vec<Piece>) -> Self {
        Compound { pieces }.into()
    }

    /// The pieces of a compound; none for a single shape.
    pub fn pieces(&self) -> &[Piece] {
        if let Self::Compound(compound) = self { &compound.pieces } else { &[] }
    }
}

impl Compound {
    /// Calls with every feature of every piece in the frame of the body, numbered one piece after the other, and the piece's number.
    pub(crate) fn features(&self, planar: bool, visit: &mut dyn FnMut(usize, u16, &Vec3, f64)) {
        let mut first = 0;
        for (k, piece) in self.pieces.iter().enumerate() {
            let mut next = first;
            piece.shape.balls(planar, |feature, centre, radius| {
                visit(k, first + feature, &piece.frame.point(centre), radius);
                next = first + feature + 1;
            });
            first = next;
        }
    }

    fn pieces_before_plane(&self, frame: &Frame, n: &Vec3, planar: bool, visit: &mut dyn FnMut(u16, &Vec3, f64)) {
        let mut first = 0;
        for piece in &self.pieces {
            let of = |feature, centre: &Vec3, radius: f64| visit(first + feature, centre, radius);
            piece.shape.before_plane(&frame.then(&piece.frame), n, planar, of);
            first += Self::n_features(piece, planar);
        }
    }

    /// The number of features of a piece before a plane.
    pub(crate) fn n_features(piece: &Piece, planar: bool) -> u16 {
        let mut n = 0;
        piece.shape.before_plane(&Frame::ORIGIN, &[0.0, 0.0, 1.0], planar, |feature, _, _| n = n.max(feature + 1));
        n
    }
}

impl Figure for Compound {
    const KIND: Kind = Kind { name: "compound", also: &[], keys: &[], meaning: "several shapes: shapes = [ … ]" };
    const SCENES: Scenes = Scenes::Both;
    const MANNER: Manner = Manner::Several;

    /// It is written as `shapes = [ … ]` of the body.
    fn read<V: Values>(_: &V, _planar: bool) -> Result<Self, V::Error> {
        let help = "write shapes = [{ kind = …, position = …, rotation = … }, …] in the body";
        Err(InputError::new(Code::UNKNOWN_KIND, "kind", "a compound is no single shape", help).into())
    }

    fn values(&self, _planar: bool) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn lasting(&self) -> bool {
        self.pieces.iter().all(|piece| piece.shape.has_lasting_gaps())
    }

    fn check(&self, planar: bool) -> Result<(), InputError> {
        let refuse = |code, field: String, message: String, help: &str| Err(InputError::new(code, field, message, help));
        if self.pieces.is_empty() || self.pieces.len() > MAX_PIECES {
            let message = format!("{} shapes", self.pieces.len());
            return refuse(Code::BAD_SHAPE, "shapes".into(), message, "give 1 to 4096 shapes");
        }
        let mut features = 0;
        for (k, piece) in self.pieces.iter().enumerate() {
            piece.shape.check(planar).map_err(|e| e.below(format!("shapes[{k}]")))?;
            if piece.shape.manner() != Manner::Convex {
                let message = format!("a {} is not one of several shapes of a body", piece.shape.name());
                let help = "use convex shapes, or pieces = the convex pieces of a mesh; give a plane or a mesh a body of its own";
                return refuse(Code::BAD_SHAPE, format!("shapes[{k}].kind"), message, help);
            }
            let q = &piece.frame;
            if !q.x.iter().chain(&q.q).all(|x| x.is_finite()) {
                let message = "position or rotation is not finite".into();
                return refuse(Code::NOT_FINITE, format!("shapes[{k}]"), message, "give finite numbers");
            }
            features += usize::from(Self::n_features(piece, planar));
        }
        if features > MAX_FEATURES {
            let message = format!("the shapes have {features} corners; the limit is {MAX_FEATURES}");
            return refuse(Code::TOO_LARGE, "shapes".into(), message, "use fewer or coarser shapes");
        }
        Ok(())
    }

    fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties> {
        let parts: Option<Vec<MassProperties>> =
            self.pieces.iter().map(|piece| piece.shape.mass_properties(density, planar)).collect();
        let parts = parts?;
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        let centres: Vec<Vec3> = self.pieces.iter().zip(&parts).map(|(p, part)| p.frame.point(&part.centre)).collect();
        let mut centre = [0.0; 3];
        for (part, c) in parts.iter().zip(&centres) {
            (0..3).for_each(|k| centre[k] += part.mass * c[k] / mass);
        }
        let mut inertia: Mat3 = [[0.0; 3]; 3];
        for ((piece, part), c) in self.pieces.iter().zip(&parts).zip(&centres) {
            let (R, d) = (&piece.frame.R, sub(c, &centre));
            let own = mul_mat(&mul_mat(R, &part.inertia), &transpose(R));
            for i in 0..3 {
                for j in 0..3 {
                    let steiner = if i == j { dot(&d, &d) - d[i] * d[j] } else { -d[i] * d[j] };
                    inertia[i][j] += own[i][j] + part.mass * steiner;
                }
            }
        }
        Some(MassProperties { mass, centre, inertia })
    }

    fn recentred(&self, centre: &Vec3) -> Self {
        Self { pieces: self.pieces.iter().map(|piece| piece.recentred(centre)).collect() }
    }

    fn reach(&self) -> f64 {
        self.pieces.iter().map(|piece| norm(&piece.frame.x) + piece.shape.reach()).fold(0.0, f64::max)
    }

    /// Of the thinnest piece about its own centre.
    fn half_thickness(&self, planar: bool) -> f64 {
        self.pieces.iter().map(|piece| piece.shape.half_thickness(planar)).fold(f64::INFINITY, f64::min)
    }

    fn balls(&self, planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        self.features(planar, &mut |_, feature, centre, radius| visit(feature, centre, radius));
    }

    fn before_plane(&self, frame: &Frame, n: &Vec3, planar: bool, mut visit: impl FnMut(u16, &Vec3, f64)) {
        self.pieces_before_plane(frame, n, planar, &mut visit);
    }

    /// It is no single polygon.
    fn corners(&self, _visit: impl FnMut(f64, f64)) {}

    fn solid(&self) -> Option<Solid> {
        None
    }

    fn probes(&self) -> Vec<(Vec3, f64)> {
        let of = |piece: &Piece| -> Vec<(Vec3, f64)> {
            piece.shape.probes().into_iter().map(|(p, r)| (piece.frame.point(&p), r)).collect()
        };
        self.pieces.iter().flat_map(of).collect()
    }

    fn surface(&self, planar: bool, fineness: usize) -> Surface {
        let placed = |piece: &Piece| {
            let mut part = piece.shape.surface(planar, fineness);
            part.points.iter_mut().for_each(|p| *p = piece.frame.point(p));
            part
        };
        Surface::joined(self.pieces.iter().map(placed).collect())
    }

    /// In space one surface of all pieces.
    fn picture(&self, planar: bool) -> Option<Picture> {
        (!planar).then(|| Picture::Mesh(self.surface(false, 16).triangulated()))
    }
}

impl Frame {
    /// Axes and origin of the world.
    pub const ORIGIN: Self =
        Self { x: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0], R: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// The frame that is `inner` in this one.
    #[inline]
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            x: add(&self.x, &mul(&self.R, &inner.x)),
            q: crate::bodies::math::compose(&self.q, &inner.q),
            R: mul_mat(&self.R, &inner.R),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box cut into two, each turned, has the mass, the centre and the inertia of the whole.
    #[test]
    fn two_halves_make_a_box() {
        let half = Shape::cuboid([0.3, 0.2, 0.1]);
        let (s, c) = std::f64::consts::FRAC_PI_4.sin_cos();
        let turn = [c, 0.0, 0.0, s];
        // turned about z by 90°, the long sides lie along y
        let pieces = [-0.15, 0.15].map(|y| Piece::new(half.clone(), [1.0, y + 2.0, 0.5], &turn, None));
        let whole = Shape::cuboid([0.2, 0.6, 0.1]).mass_properties(700.0, false).unwrap();
        let found = Shape::compound(pieces.to_vec()).mass_properties(700.0, false).unwrap();
        assert!((found.mass - whole.mass).abs() < 1e-13 && norm(&sub(&found.centre, &[1.0, 2.0, 0.5])) < 1e-14);
        for (a, b) in found.inertia.iter().flatten().zip(whole.inertia.iter().flatten()) {
            assert!((a - b).abs() < 1e-14, "{found:?}");
        }
    }

    /// Planes and surfaces stand alone.
    #[test]
    fn pieces_are_convex() {
        let plane = Piece::new(Shape::plane(), [0.0; 3], &[1.0, 0.0, 0.0, 0.0], None);
        assert_eq!(Shape::compound(vec![plane]).check(false).unwrap_err().code, Code::BAD_SHAPE);
        assert_eq!(Shape::compound(vec![]).check(false).unwrap_err().code, Code::BAD_SHAPE);
    }
}
