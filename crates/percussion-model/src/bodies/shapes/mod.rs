//! Shapes of bodies: one file per shape, and one line in the list below.
//!
//! Axes of capsules and cylinders lie along z; a plane is solid below z = 0 (in a planar scene below y = 0). Whatever the program
//! wants to know of a shape is a method of `Figure` without default, so that a shape that leaves one out does not compile.

mod figure;
mod lengths;
mod surface;

use super::math::Vec3;
use super::{Frame, MassProperties};
use crate::written::{Value, Values};
use crate::{Code, Form, InputError, Key, KeyDefault, Kind};
pub use compound::Piece;
pub(crate) use figure::{Figure, Manner, Scenes};
pub use hull::{corners_of_hull, hull_of};
pub(super) use mesh::VolumeIntegrals;
pub use surface::{Picture, Surface};

/// Where a piece stands among the shapes of a body.
const PLACE: &[Key] = &[
    Key::new(
        "position",
        Form::List { of: &Form::NUMBER, least: 2, most: 3 },
        "m",
        KeyDefault::Absent("the origin"),
        "in the frame of the body",
    ),
    Key::new(
        "rotation",
        Form::exactly(4, &Form::NUMBER),
        "",
        KeyDefault::Absent("not turned"),
        "unit quaternion w, x, y, z",
    ),
    Key::new("angle", Form::NUMBER, "rad", KeyDefault::Absent("0"), "planar scenes: by which it is turned"),
    Key::new("material", Form::Text, "", KeyDefault::Absent("the body's"), "name of its material"),
];

/// The keys of a kind with those of its place.
const fn joined<const N: usize>(own: &[Key]) -> [Key; N] {
    let (mut all, mut k) = ([PLACE[0]; N], 0);
    while k < N {
        all[k] = if k < own.len() { own[k] } else { PLACE[k - own.len()] };
        k += 1;
    }
    all
}

/// A kind as it stands among several.
macro_rules! placed {
    ($Type:ident) => {{
        const KEYS: [Key; $Type::KIND.keys.len() + PLACE.len()] = joined($Type::KIND.keys);
        Kind { keys: &KEYS, ..$Type::KIND }
    }};
}

/// From the list: the files, the type [`Shape`], and for every question the one place that hands it to the shape asked.
macro_rules! shapes {
    (composed { $Several:ident($several:ident::$Pieces:ident), } shapes { $($Shape:ident($module:ident::$Type:ident),)+ } written { $($other:ident::$Other:ident,)* }) => {
        shapes! { @all { $Several($several::$Pieces), $($Shape($module::$Type),)+ } }

        $(mod $other; pub use $other::$Other;)*

        /// Keys of a shape that stands among several of a body, by its word.
        pub(super) const PLACED: &[Kind] = &[$(placed!($Type),)+ $(placed!($Other),)*];

        impl Shape {
            /// Words and keys by which shapes are written, some of them in more than one way.
            pub const KINDS: &'static [Kind] = &[$($Type::KIND,)+ $($Other::KIND,)*];

            /// The words alone.
            pub const NAMES: &'static [&'static str] = &[$($Type::KIND.name,)+ $($Other::KIND.name,)*];

            /// The shape of that kind from its keys; `None` for an unknown kind.
            pub fn read<V: Values>(kind: &str, values: &V, planar: bool) -> Option<Result<Self, V::Error>> {
                let is = |known: &Kind| known.name == kind || known.also.contains(&kind);
                $(if is(&$Type::KIND) {
                    return Some($Type::read(values, planar).map(Self::from));
                })+
                $(if is(&$Other::KIND) {
                    return Some($Other::read(values, planar).map(Self::from));
                })*
                None
            }
        }
    };
    (@all { $($Shape:ident($module:ident::$Type:ident),)+ }) => {
        $(mod $module; pub use $module::$Type;)+

        /// What a body looks like, in the frame of the body.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Shape {
            $(#[doc = concat!("See [`", stringify!($Type), "`].")] $Shape($Type),)+
        }

        $(impl From<$Type> for Shape {
            fn from(shape: $Type) -> Self {
                Self::$Shape(shape)
            }
        })+

        const MANNERS: &[Manner] = &[$($Type::MANNER),+];

        impl Shape {
            /// Word, keys and meaning.
            pub fn kind(&self) -> &'static Kind {
                match self { $(Self::$Shape(_) => const { &$Type::KIND },)+ }
            }

            /// The keys with which it is written.
            pub fn values(&self, planar: bool) -> Vec<(&'static str, Value)> {
                match self { $(Self::$Shape(s) => s.values(planar),)+ }
            }

            fn scenes(&self) -> Scenes {
                match self { $(Self::$Shape(_) => $Type::SCENES,)+ }
            }

            /// How it meets others.
            #[inline]
            pub(crate) fn manner(&self) -> Manner {
                match self { $(Self::$Shape(_) => $Type::MANNER,)+ }
            }

            /// Whether each of its gaps to a plane follows from the places of the two bodies alone.
            pub(crate) fn has_lasting_gaps(&self) -> bool {
                match self { $(Self::$Shape(s) => s.lasting(),)+ }
            }

            /// Its place in the list.
            #[inline]
            pub(crate) fn rank(&self) -> u8 {
                #[derive(Clone, Copy)]
                enum Place { $($Shape),+ }
                match self { $(Self::$Shape(_) => Place::$Shape as u8,)+ }
            }

            fn check_sizes(&self, planar: bool) -> Result<(), InputError> {
                match self { $(Self::$Shape(s) => s.check(planar),)+ }
            }

            /// Mass, centre of mass and inertia for a density ρ [kg/m³; kg/m² in the plane]; `None` without a finite volume.
            pub fn mass_properties(&self, density: f64, planar: bool) -> Option<MassProperties> {
                match self { $(Self::$Shape(s) => s.mass_properties(density, planar),)+ }
            }

            /// The same shape with its origin at `centre`.
            pub fn recentred(&self, centre: &Vec3) -> Self {
                match self { $(Self::$Shape(s) => Self::$Shape(s.recentred(centre)),)+ }
            }

            /// The radius of the ball about the body's origin that holds it; infinite for a plane [m].
            pub fn reach(&self) -> f64 {
                match self { $(Self::$Shape(s) => s.reach(),)+ }
            }

            /// The radius of a ball about the body's origin inside it, at most half its least width; zero for a surface, which
            /// is hollow to contact detection [m].
            pub fn half_thickness(&self, planar: bool) -> f64 {
                match self { $(Self::$Shape(s) => s.half_thickness(planar),)+ }
            }

            /// The balls whose convex hull it is, in the frame of the body, with the numbers of these features.
            pub(crate) fn balls(&self, planar: bool, visit: impl FnMut(u16, &Vec3, f64)) {
                match self { $(Self::$Shape(s) => s.balls(planar, visit),)+ }
            }

            /// World centres and radii of what may touch a plane with the normal n.
            #[inline]
            pub(crate) fn before_plane(
                &self,
                frame: &Frame,
                n: &Vec3,
                planar: bool,
                visit: impl FnMut(u16, &Vec3, f64),
            ) {
                match self { $(Self::$Shape(s) => s.before_plane(frame, n, planar, visit),)+ }
            }

            /// Corners of a polygon in the plane, counter-clockwise.
            pub(crate) fn corners(&self, visit: impl FnMut(f64, f64)) {
                match self { $(Self::$Shape(s) => s.corners(visit),)+ }
            }

            /// The shape as the collision library knows it; `None` where it has none.
            pub(crate) fn solid(&self) -> Option<super::detect::Solid> {
                match self { $(Self::$Shape(s) => s.solid(),)+ }
            }

            /// Points by which to see whether it is inside a surface, with the radius of the ball about each.
            pub(crate) fn probes(&self) -> Vec<(Vec3, f64)> {
                match self { $(Self::$Shape(s) => s.probes(),)+ }
            }

            /// Its surface as polygons, with `fineness` sides around.
            pub fn surface(&self, planar: bool, fineness: usize) -> Surface {
                match self { $(Self::$Shape(s) => s.surface(planar, fineness),)+ }
            }

            /// How it is drawn, if at all.
            pub fn picture(&self, planar: bool) -> Option<Picture> {
                match self { $(Self::$Shape(s) => s.picture(planar),)+ }
            }
        }
    };
}

// in the order in which the shapes of a pair are sorted: rounder first, then surfaces, planes, and what meets nothing
shapes! {
    // not written as a shape: the list `shapes` of a body
    composed {
        Compound(compound::Compound),
    }
    shapes {
        Sphere(sphere::Sphere),
        Capsule(capsule::Capsule),
        Box(cuboid::Cuboid),
        Polygon(polygon::Polygon),
        Cylinder(cylinder::Cylinder),
        Hull(hull::Hull),
        Mesh(mesh::TriangleMesh),
        Plane(plane::Plane),
        Point(point::Point),
    }
    // other ways of writing one of them
    written {
        heightfield::Heightfield,
        outline::Outline,
        pieces::Pieces,
    }
}

const fn is_sorted(manners: &[Manner]) -> bool {
    let mut k = 1;
    while k < manners.len() {
        if (manners[k - 1] as u8) > (manners[k] as u8) {
            return false;
        }
        k += 1;
    }
    true
}
const _: () = assert!(
    is_sorted(MANNERS),
    "several pieces first, then convex shapes, surfaces, half-spaces, and what meets nothing"
);

impl Shape {
    /// Words and keys of the shapes of a body that has several: their own, and where each stands.
    pub const PLACED: &'static [Kind] = PLACED;

    /// How it is drawn: several shapes of the plane by the outline of each.
    pub fn pictures(&self, planar: bool) -> Vec<Picture> {
        let outline = |piece: &Piece| {
            let points = piece.shape.surface(true, 32).points;
            let points = points.iter().map(|p| piece.frame.point(p)).map(|p| [p[0], p[1]]).collect();
            Picture::Polygon { points }
        };
        if planar && !self.pieces().is_empty() {
            return self.pieces().iter().map(outline).collect();
        }
        self.picture(planar).into_iter().collect()
    }

    /// The word in a scenario.
    pub fn name(&self) -> &'static str {
        self.kind().name
    }

    /// Refuses what is no shape, or none of a scene of that kind; fields are named relative to the shape.
    pub fn check(&self, planar: bool) -> Result<(), InputError> {
        let other = match (self.scenes(), planar) {
            (Scenes::Both, _) | (Scenes::Planar, true) | (Scenes::Spatial, false) => return self.check_sizes(planar),
            (Scenes::Planar, false) => "planar",
            (Scenes::Spatial, true) => "spatial",
        };
        let message = format!("a {} belongs to a {other} scene", self.name());
        let help = if planar { "use sphere, box, polygon or plane in the plane" } else { "use a hull in space" };
        Err(InputError::new(Code::BAD_SHAPE, "kind", message, help))
    }
}
