//! Robots of other programs as scenes of bodies: URDF, MJCF and SDF are read to one description, which is reduced and written.
//!
//!   file → links and joints → fixed links merged, massless ones removed → placed at joint angles → scenario, notes, files of shapes
//!
//! What a file says and a scene does not is named, never dropped in silence.

mod dae;
mod floor;
mod grip;
pub(crate) mod inertia;
mod looks;
mod meshes;
mod mjcf;
mod mjcf_actuators;
mod mjcf_defaults;
mod mjcf_frames;
mod mjcf_mesh;
mod mjcf_world;
mod mobility;
mod planes;
mod pose;
mod reduce;
mod sdf;
mod sdf_joints;
mod sdf_tree;
mod start;
mod urdf;
mod write;
mod xml;

use crate::error::{Result, ScenarioError};
pub use dae::read as read_dae;
use grip::{Grip, Mixing};
use looks::LinkLook;
use percussion_model::Code;
use percussion_model::bodies::math::{Mat3, Vec3};
use pose::Pose;
use std::path::PathBuf;

/// What the user asks for beside the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// The root link is free instead of fixed, where the file does not say.
    pub floating: bool,
    /// A plane below the lowest point.
    pub floor: bool,
    /// Joint angles or shifts at the start, or the name of a keyframe with no number.
    pub pose: Vec<(String, Option<f64>)>,
    /// Inertias that no body has are replaced by the nearest one that a body has.
    pub mend_inertia: bool,
    /// Where the file lies: meshes are looked for from there.
    pub folder: Option<PathBuf>,
    /// What the scenario is called; its shapes go into NAME-shapes.
    pub name: String,
}

/// A scenario made from a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The scenario.
    pub toml: String,
    /// What was not taken over, or was changed, in words.
    pub ignored: Vec<String>,
    /// Files of shapes beside it: name and text.
    pub files: Vec<(String, String)>,
}

/// A shape of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    Box(Vec3),
    Sphere(f64),
    Cylinder {
        radius: f64,
        length: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    /// Corners of the hull of a mesh and the name of the file they come from.
    Hull {
        corners: Vec<Vec3>,
        name: String,
    },
    Plane,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkShape {
    /// In the frame of the link.
    pub pose: Pose,
    pub form: Form,
    /// Its friction, where it is not that of the robot's shapes.
    pub grip: Option<Grip>,
}

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub name: String,
    /// [kg].
    pub mass: f64,
    /// Of the mass, in the frame of the link [m].
    pub centre: Vec3,
    /// About the centre, in the axes of the link [kg·m²].
    pub inertia: Mat3,
    pub shapes: Vec<LinkShape>,
    /// What pictures show instead of its shapes.
    pub looks: Vec<LinkLook>,
    /// Whether it is part of the ground.
    pub fixed: bool,
    /// Bits of what it is and of what it meets: two links meet where either's first has a bit of the other's second.
    pub masks: [u32; 2],
}

impl Link {
    pub fn new(name: &str) -> Self {
        let (name, inertia) = (name.to_string(), [[0.0; 3]; 3]);
        Self {
            name,
            mass: 0.0,
            centre: [0.0; 3],
            inertia,
            shapes: Vec::new(),
            looks: Vec::new(),
            fixed: false,
            masks: [1; 2],
        }
    }
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    Nothing,
    Turn,
    Slide,
    Ball,
    Everything,
}

/// A servo on a joint; one without stiffness follows the velocity zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Servo {
    /// [N·m/rad or N/m].
    pub stiffness: f64,
    /// [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coordinate it holds.
    pub target: f64,
    /// The most it pushes with.
    pub limit: Option<f64>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    pub name: String,
    pub freedom: Freedom,
    pub parent: usize,
    pub child: usize,
    /// The child's frame in that of the parent at coordinate zero.
    pub pose: Pose,
    /// Where the axis passes, in the frame of the child [m].
    pub anchor: Vec3,
    /// Unit, in the frame of the child.
    pub axis: Vec3,
    pub limits: Option<[f64; 2]>,
    pub damping: f64,
    pub stiffness: f64,
    /// Coordinate at which its spring is at rest.
    pub rest: f64,
    /// Dry friction [N·m or N].
    pub friction_force: f64,
    /// Inertia of its rotor [kg·m² or kg].
    pub armature: f64,
    pub servo: Option<Servo>,
    /// Whether a motor pushes with what a program tells it.
    pub pushed: bool,
    /// The most that actuators push it with.
    pub most: Option<f64>,
    /// c = multiplier · c of another + offset.
    pub mimic: Option<(String, f64, f64)>,
    /// Coordinate at the start, where the file gives one.
    pub start: f64,
    /// Words for its comment: effort, velocity.
    pub comment: String,
}

impl RobotJoint {
    pub fn new(name: &str, freedom: Freedom, parent: usize, child: usize, pose: Pose) -> Self {
        Self {
            name: name.to_string(),
            freedom,
            parent,
            child,
            pose,
            anchor: [0.0; 3],
            axis: [1.0, 0.0, 0.0],
            limits: None,
            damping: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            friction_force: 0.0,
            armature: 0.0,
            servo: None,
            pushed: false,
            most: None,
            mimic: None,
            start: 0.0,
            comment: String::new(),
        }
    }

    /// The child's frame in that of the parent at a coordinate.
    pub fn moved(&self, c: f64) -> Pose {
        let inner = match self.freedom {
            Freedom::Turn => {
                let R = pose::about(&self.axis, c);
                // the anchor stays: x = p − R p
                Pose {
                    x: std::array::from_fn(|k| self.anchor[k] - (0..3).map(|j| R[k][j] * self.anchor[j]).sum::<f64>()),
                    R,
                }
            }
            Freedom::Slide => Pose::at(self.axis.map(|a| a * c)),
            Freedom::Nothing | Freedom::Ball | Freedom::Everything => Pose::IDENTITY,
        };
        self.pose.then(&inner)
    }

    pub fn has_coordinate(&self) -> bool {
        matches!(self.freedom, Freedom::Turn | Freedom::Slide)
    }
}

/// Two links held together outside the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub name: String,
    pub freedom: Freedom,
    pub links: [usize; 2],
    /// In the frame of the first link, like its axis.
    pub anchor: Vec3,
    pub axis: Vec3,
    /// How it gives way, where it does.
    pub softness: Option<Softness>,
}

/// Stiffness and damping of a hold by what its link would weigh there [1/s², 1/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    pub stiffness: f64,
    pub damping: f64,
}

/// A named start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframe {
    pub name: String,
    /// Joint and coordinate.
    pub coordinates: Vec<(String, f64)>,
    /// Joint and what its servo holds.
    pub targets: Vec<(String, f64)>,
    /// Links that move freely and where they stand.
    pub roots: Vec<(usize, Pose)>,
}

/// A robot as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    pub name: String,
    pub gravity: Vec3,
    /// Of contacts.
    pub friction: f64,
    /// How the frictions of two shapes make that of their pair.
    pub mixing: Mixing,
    pub links: Vec<Link>,
    /// A tree over the links: the links that are no child are roots.
    pub joints: Vec<RobotJoint>,
    pub loops: Vec<Loop>,
    /// Where the roots stand.
    pub roots: Vec<(usize, Pose)>,
    /// Pairs that the file says not to meet, and to meet whatever else it says.
    pub excluded: Vec<[usize; 2]>,
    pub paired: Vec<[usize; 2]>,
    /// Named starts.
    pub keyframes: Vec<Keyframe>,
    /// What was left out.
    pub notes: Vec<String>,
}

impl Robot {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            gravity: [0.0, 0.0, -9.81],
            friction: 0.8,
            mixing: Mixing::Least,
            links: Vec::new(),
            joints: Vec::new(),
            loops: Vec::new(),
            roots: Vec::new(),
            excluded: Vec::new(),
            paired: Vec::new(),
            keyframes: Vec::new(),
            notes: Vec::new(),
        }
    }
}

fn refuse<T>(file: &str, message: impl Into<String>, help: &str) -> Result<T> {
    Err(ScenarioError::file(Code::BAD_ROBOT, file, message, help))
}

/// Every note once, with how often it was made.
fn counted(notes: Vec<String>) -> Vec<String> {
    let mut times: Vec<(String, usize)> = Vec::new();
    let mut place = std::collections::HashMap::new();
    for note in notes {
        let at = *place.entry(note.clone()).or_insert(times.len());
        match times.get_mut(at) {
            Some((_, n)) => *n += 1,
            None => times.push((note, 1)),
        }
    }
    times.into_iter().map(|(note, n)| if n > 1 { format!("{note} ({n} times)") } else { note }).collect()
}

/// The scenario of a robot in URDF, MJCF or SDF, told apart by the first element; `file` is what messages call it.
pub fn import_robot(file: &str, text: &str, options: &ImportOptions) -> Result<Imported> {
    let whole = mjcf_defaults::included(file, text, options.folder.as_deref())?;
    let whole = xml::with_prefixes(&whole);
    let document = xml::parse(file, &whole)?;
    let root = document.root_element();
    let mut meshes = meshes::Meshes::new(options);
    let mut robot = match root.tag_name().name() {
        "robot" => urdf::read(file, &root, options, &mut meshes)?,
        "mujoco" => mjcf::read(file, &root, options, &mut meshes)?,
        "sdf" => sdf::read(file, &root, options, &mut meshes)?,
        other => {
            let help = "give a URDF, MJCF or SDF file, which begins with <robot>, <mujoco> or <sdf>";
            return refuse(file, format!("begins with <{other}>"), help);
        }
    };
    let asked = |key: &Keyframe| options.pose.iter().any(|(name, angle)| angle.is_none() && *name == key.name);
    let left: Vec<&str> = robot.keyframes.iter().filter(|key| !asked(key)).map(|key| key.name.as_str()).collect();
    if !left.is_empty() {
        robot.notes.push(format!("keyframes to start from with --pose NAME: {}", left.join(", ")));
    }
    robot.notes.append(&mut meshes.notes);
    urdf::check_tree(file, &robot)?;
    reduce::reduce(&mut robot, &options.pose);
    inertia::check(&mut robot, options.mend_inertia);
    let mut start = start::Start::new(file, &mut robot, options)?;
    planes::leave(&mut robot, &mut start);
    let toml = write::scenario(&mut robot, &start, options, &mut meshes);
    Ok(Imported { toml, ignored: counted(robot.notes), files: meshes.files })
}
