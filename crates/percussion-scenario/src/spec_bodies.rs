//! `kind = "bodies"` as typed, not yet checked against mechanics.
//!
//! The tables `[[body]]`, `[[material]]`, `[[pair]]`, `[[spring]]` and `[[joint]]` stand at the top level or below `[model]`.

use crate::value::SignalSpec;
use serde::Deserialize;

/// Lists of a scene that may stand at the top level.
pub const LISTS: [&str; 5] = ["body", "material", "pair", "spring", "joint"];

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
    /// μ_r of pairs that are not named [m].
    #[serde(default)]
    pub rolling: f64,
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
    /// The joints.
    #[serde(default)]
    pub joint: Vec<JointSpec>,
}

fn one() -> f64 {
    1.0
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
    /// Whether it meets other bodies; true when absent.
    pub contact: Option<bool>,
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
        vertices: Option<Vec<[f64; 3]>>,
        /// Numbers of vertices from 0, counter-clockwise seen from outside.
        triangles: Option<Vec<[i64; 3]>>,
        /// Instead of the two, an STL or OBJ file in the scenario's folder.
        file: Option<String>,
        /// Metres per unit of the file; 1 when absent.
        scale: Option<f64>,
    },
    /// A ground of heights above a grid.
    Heightfield {
        /// Rows along y, each along x [m].
        heights: Vec<Vec<f64>>,
        /// Of the grid along x and y, centred [m].
        size: [f64; 2],
        /// Below the lowest point, where it is closed [m].
        #[serde(default = "one")]
        depth: f64,
    },
    /// Convex, counter-clockwise; planar scenes.
    Polygon {
        /// [m].
        points: Vec<[f64; 2]>,
    },
    /// Solid below its last axis.
    Plane {},
    /// No extent.
    Point {},
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
    /// μ_r [m]; 0 when absent.
    #[serde(default)]
    pub rolling: f64,
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

/// `[[joint]]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// `joint N` when absent.
    pub name: Option<String>,
    /// fixed, revolute, …
    pub kind: String,
    /// A body.
    pub a: Option<String>,
    /// Another.
    pub b: Option<String>,
    /// World place at t = 0 [m].
    pub anchor: Option<Vec<f64>>,
    /// The place on b, where it is another [m].
    pub anchor_b: Option<Vec<f64>>,
    /// World direction at t = 0; z when absent, x for sliders in the plane.
    pub axis: Option<Vec<f64>>,
    /// Journals and slots: the direction on b, where it starts tilted.
    pub axis_b: Option<Vec<f64>>,
    /// Stops of the coordinate [rad or m].
    pub limits: Option<[f64; 2]>,
    /// e of stops and play.
    #[serde(default)]
    pub restitution: f64,
    /// μ of play.
    #[serde(default)]
    pub friction: f64,
    /// What drives the coordinate.
    pub motor: Option<MotorSpec>,
    /// k of a spring on the coordinate.
    #[serde(default)]
    pub stiffness: f64,
    /// Of a damper on it.
    #[serde(default)]
    pub damping: f64,
    /// Coordinate at which the spring is at rest.
    #[serde(default)]
    pub rest: f64,
    /// Screws: [m per turn].
    pub pitch: Option<f64>,
    /// Gears: two joints.
    pub joints: Option<[String; 2]>,
    /// Gears: c₁ + ratio c₂ keeps its value.
    pub ratio: Option<f64>,
    /// Journals and slots: of the pin, half the width of the slider [m].
    pub radius: Option<f64>,
    /// Journals and slots [m].
    pub clearance: Option<f64>,
    /// Journals in space and slots: of the pin or slider along the axis [m].
    pub length: Option<f64>,
}

/// `motor = { … }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// Of the coordinate [rad/s or m/s].
    pub velocity: Option<SignalSpec>,
    /// On the coordinate [N·m or N].
    pub force: Option<SignalSpec>,
}
