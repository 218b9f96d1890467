//! `kind = "bodies"` as typed, not yet checked against mechanics.
//!
//! The tables `[[body]]`, `[[material]]`, `[[pair]]` and `[[spring]]` stand at the top level or below `[model]`.

use crate::value::SignalSpec;
use serde::Deserialize;

/// Lists of a scene that may stand at the top level.
pub const LISTS: [&str; 4] = ["body", "material", "pair", "spring"];

/// `[model]` of kind "bodies".
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodiesSpec {
    /// "bodies".
    #[serde(rename = "kind")]
    pub _kind: String,
    /// 2 or 3.
    #[serde(default = "three")]
    pub dimension: i64,
    /// g [m/s²]; 9.81 against the last axis when absent.
    pub gravity: Option<Vec<f64>>,
    /// e of pairs that are not named.
    #[serde(default)]
    pub restitution: f64,
    /// μ of pairs that are not named.
    #[serde(default)]
    pub friction: f64,
    /// Bodies that pass through each other.
    #[serde(default)]
    pub no_contact: Vec<[String; 2]>,
    /// The bodies.
    #[serde(default)]
    pub body: Vec<BodySpec>,
    /// The materials.
    #[serde(default)]
    pub material: Vec<MaterialSpec>,
    /// How they meet.
    #[serde(default)]
    pub pair: Vec<PairSpec>,
    /// The springs.
    #[serde(default)]
    pub spring: Vec<SpringSpec>,
}

fn three() -> i64 {
    3
}

/// `[[body]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Its name.
    pub name: String,
    /// A point when absent.
    pub shape: Option<ShapeSpec>,
    /// [kg/m³; kg/m² in the plane].
    pub density: Option<f64>,
    /// m [kg].
    pub mass: Option<f64>,
    /// I_x, I_y, I_z and optionally I_xy, I_xz, I_yz; one number in the plane [kg·m²].
    pub inertia: Option<Vec<f64>>,
    /// The origin when absent.
    pub position: Option<Vec<f64>>,
    /// w, x, y, z.
    pub rotation: Option<Vec<f64>>,
    /// Planar scenes: θ [rad].
    pub angle: Option<f64>,
    /// World velocity.
    pub velocity: Option<Vec<f64>>,
    /// Body frame; one number in the plane.
    pub angular_velocity: Option<Vec<f64>>,
    /// It stays.
    #[serde(default)]
    pub fixed: bool,
    /// It is moved.
    pub motion: Option<MotionSpec>,
    /// Name of its material.
    pub material: Option<String>,
    /// World force [N].
    pub force: Option<Vec<SignalSpec>>,
    /// Body-frame moment [N·m]; one in the plane.
    pub torque: Option<Vec<SignalSpec>>,
    /// Against velocity and angular velocity.
    pub drag: Option<[f64; 2]>,
    /// Many like it on a grid.
    pub repeat: Option<RepeatSpec>,
}

/// `motion = { … }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionSpec {
    /// World velocity.
    pub velocity: Option<Vec<SignalSpec>>,
    /// Body-frame angular velocity.
    pub angular_velocity: Option<Vec<SignalSpec>>,
}

/// `repeat = { … }`: copies NAME.0, NAME.1, … along the axes, the last axis slowest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatSpec {
    /// Copies along each axis.
    pub count: Vec<i64>,
    /// Distances between them [m].
    pub spacing: Vec<f64>,
    /// Largest random shift along each axis, uniform [m]; none when absent.
    pub jitter: Option<Vec<f64>>,
    /// Which random shifts.
    #[serde(default)]
    pub seed: u64,
}

/// `shape = { kind = "…", … }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A ball, or a disk in the plane.
    #[serde(alias = "disk")]
    Sphere {
        /// [m].
        radius: f64,
    },
    /// Edges along the axes.
    Box {
        /// Lengths of the edges [m].
        size: Vec<f64>,
    },
    /// Along z.
    Capsule {
        /// [m].
        radius: f64,
        /// Of the cylindrical part [m].
        length: f64,
    },
    /// Along z.
    Cylinder {
        /// [m].
        radius: f64,
        /// [m].
        length: f64,
    },
    /// The convex hull of points.
    Hull {
        /// [m].
        points: Vec<[f64; 3]>,
    },
    /// A closed surface.
    Mesh {
        /// [m].
        vertices: Vec<[f64; 3]>,
        /// Numbers of vertices from 0, counter-clockwise seen from outside.
        triangles: Vec<[i64; 3]>,
    },
    /// Convex, counter-clockwise; planar scenes.
    Polygon {
        /// [m].
        points: Vec<[f64; 2]>,
    },
    /// Solid below its last axis.
    Plane,
    /// No extent.
    Point,
}

/// `[[material]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// Its name.
    pub name: String,
}

/// `[[pair]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairSpec {
    /// Two materials, or one that meets itself.
    pub materials: Vec<String>,
    /// e; 0 when absent.
    #[serde(default)]
    pub restitution: f64,
    /// μ; 0 when absent.
    #[serde(default)]
    pub friction: f64,
}

/// `[[spring]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpringSpec {
    /// A body.
    pub a: String,
    /// Another.
    pub b: String,
    /// End on the first, from its shape's origin in its frame; there when absent.
    pub point_a: Option<Vec<f64>>,
    /// End on the second.
    pub point_b: Option<Vec<f64>>,
    /// k [N/m].
    pub stiffness: f64,
    /// c [N·s/m].
    #[serde(default)]
    pub damping: f64,
    /// l₀ [m].
    pub length: f64,
}
