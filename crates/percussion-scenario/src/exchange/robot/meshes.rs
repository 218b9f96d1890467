//! Meshes of robots: found by package, by path or beside the file; read as STL, OBJ, DAE or MSH; kept as the corners of their hulls.
//!
//! What is collided with is the hull of a mesh, as most simulators do, of at most 100 corners. Each is written once as an OBJ file beside
//! the scenario.

use super::pose::Pose;
use super::{Form, ImportOptions, dae};
use crate::exchange::mesh;
use percussion_model::bodies::TriangleMesh;
use percussion_model::bodies::math::{Vec3, mul_t, sub};
use percussion_model::bodies::shapes::hull_of;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Corners of a hull at most.
const MOST_CORNERS: usize = 100;
/// Bytes of a mesh at most.
const LARGEST: u64 = 256 << 20;

/// How the vertices of a file become those of a mesh: S Rᵀ (v − x), seen from a reference and scaled there.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    pub reference: Pose,
    pub scale: Vec3,
}

impl Fit {
    /// Scaled only.
    pub fn scaled(scale: Vec3) -> Self {
        Self { reference: Pose::IDENTITY, scale }
    }

    pub fn point(&self, v: &Vec3) -> Vec3 {
        let seen = mul_t(&self.reference.R, &sub(v, &self.reference.x));
        std::array::from_fn(|k| self.scale[k] * seen[k])
    }
}

/// The meshes of a robot.
pub struct Meshes {
    folder: Option<PathBuf>,
    name: String,
    /// Hulls by file and fit.
    known: BTreeMap<String, std::result::Result<Form, String>>,
    /// Files to be written.
    pub files: Vec<(String, String)>,
    /// What is to be said about them.
    pub notes: Vec<String>,
}

impl Meshes {
    pub fn new(options: &ImportOptions) -> Self {
        let (folder, name) = (options.folder.clone(), options.name.clone());
        Self { folder, name, known: BTreeMap::new(), files: Vec::new(), notes: Vec::new() }
    }

    /// The hull of the mesh that a robot names, as it fits; or why there is none.
    pub fn hull(&mut self, name: &str, fit: &Fit) -> std::result::Result<Form, String> {
        let key = format!("{name} {fit:?}");
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.surface(name).and_then(|mesh| hull(name, mesh, fit));
        self.known.insert(key, found.clone());
        found
    }

    /// The surface in the file that a robot names.
    pub fn surface(&self, name: &str) -> std::result::Result<TriangleMesh, String> {
        let path = self.find(name).ok_or("is not found: looked for upwards from the robot's folder")?;
        if std::fs::metadata(&path).is_ok_and(|there| there.len() > LARGEST) {
            return Err("is larger than 256 MB".into());
        }
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot be read: {error}"))?;
        let file = path.file_name().map(|f| f.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if file.ends_with(".dae") {
            return dae::read(&bytes);
        }
        mesh::read(&file, &bytes).map_err(|error| error.message)
    }

    /// `package://NAME/path`, `model://NAME/path`, `file://path` or a path: from the robot's folder upwards.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let (package, path) = match name.split_once("://") {
            Some(("file", path)) => (None, path),
            Some((_, path)) => path.split_once('/').map_or((None, path), |(package, rest)| (Some(package), rest)),
            None => (None, name),
        };
        let path = path.trim_start_matches("./");
        let ending = Path::new(path).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        if !["stl", "obj", "dae", "msh", "ply"].iter().any(|known| ending.as_deref() == Some(known)) {
            return None;
        }
        let folder = folder.canonicalize().ok()?;
        let exists = |path: PathBuf| path.is_file().then_some(path);
        folder.ancestors().take(12).find_map(|at| {
            let named = package.and_then(|package| {
                let inside = at.file_name().is_some_and(|f| f == package).then(|| at.join(path));
                inside.and_then(exists).or_else(|| exists(at.join(package).join(path)))
            });
            named.or_else(|| exists(at.join(path)))
        })
    }

    /// The surface in the file that a robot names, as it fits; or why there is none.
    pub fn fitted(&self, name: &str, fit: &Fit) -> std::result::Result<TriangleMesh, String> {
        let mut mesh = self.surface(name)?;
        mesh.vertices.iter_mut().for_each(|v| *v = fit.point(v));
        // a mirrored mesh is inside out
        if fit.scale.iter().product::<f64>() < 0.0 {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        Ok(mesh)
    }

    /// The same for what is only seen; why there is none is noted.
    pub fn seen(&self, name: &str, fit: &Fit, link: &str, notes: &mut Vec<String>) -> Option<TriangleMesh> {
        let found = self.fitted(name, fit);
        found.map_err(|reason| notes.push(format!("link \"{link}\": the visual mesh \"{name}\" {reason}"))).ok()
    }

    /// The first colour in a mesh's file, where it has one.
    pub fn colour(&self, name: &str) -> Option<Vec3> {
        let path = self.find(name).filter(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("dae")))?;
        dae::colour(&std::fs::read(path).ok()?)
    }

    /// The name of the file that holds a look.
    pub fn look(&mut self, name: &str, mesh: &TriangleMesh) -> String {
        let mut text = format!("# coarse {}\n", name.replace(['\n', '\r'], " "));
        for v in &mesh.vertices {
            let _ = writeln!(text, "v {:.6} {:.6} {:.6}", v[0], v[1], v[2]);
        }
        for t in &mesh.triangles {
            let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
        }
        self.keep(&format!("look-{}", name.rsplit(['/', '\\']).next().unwrap_or("mesh")), text)
    }

    /// The name of the file that holds a hull, written where it is asked for the first time.
    pub fn file(&mut self, name: &str, corners: &[Vec3]) -> Option<String> {
        let mut text = format!("# hull of {}\n", name.replace(['\n', '\r'], " "));
        let mesh = hull_of(corners)?;
        for v in &mesh.vertices {
            let _ = writeln!(text, "v {:?} {:?} {:?}", v[0], v[1], v[2]);
        }
        for t in &mesh.triangles {
            let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
        }
        Some(self.keep(name, text))
    }

    /// The name of a file that holds this text, written where it is asked for the first time.
    fn keep(&mut self, name: &str, text: String) -> String {
        if let Some((known, _)) = self.files.iter().find(|(_, other)| *other == text) {
            return known.clone();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let stem = name.rsplit(['/', '\\']).next().unwrap_or("mesh");
        let stem: String = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).chars().take(60).map(plain).collect();
        let taken = |name: &String| self.files.iter().any(|(known, _)| known == name);
        let plain_name: String = self.name.chars().map(plain).collect();
        let mut file = format!("{plain_name}-shapes/{stem}.obj");
        let mut number = 2;
        while taken(&file) {
            file = format!("{plain_name}-shapes/{stem}-{number}.obj");
            number += 1;
        }
        self.files.push((file.clone(), text));
        file
    }
}

fn hull(name: &str, mesh: TriangleMesh, fit: &Fit) -> std::result::Result<Form, String> {
    let points: Vec<Vec3> = mesh.vertices.iter().map(|v| fit.point(v)).collect();
    let corners = percussion_model::bodies::shapes::corners_of_hull(&points, MOST_CORNERS);
    match hull_of(&corners) {
        Some(_) => Ok(Form::Hull { corners, name: name.to_string() }),
        None => Err("encloses no volume".into()),
    }
}

/// A shape whose sizes are sizes; what is none is named.
pub fn sized(form: Form, link: &str, notes: &mut Vec<String>) -> Option<Form> {
    let good = match &form {
        Form::Box(size) => size.iter().all(|x| *x > 0.0),
        Form::Sphere(radius) => *radius > 0.0,
        Form::Cylinder { radius, length } => *radius > 0.0 && *length > 0.0,
        Form::Capsule { radius, length } => *radius > 0.0 && *length >= 0.0,
        Form::Hull { .. } | Form::Plane => true,
    };
    if !good {
        notes.push(format!("link \"{link}\": a shape without size"));
        return None;
    }
    // a capsule without length is a ball
    Some(match form {
        Form::Capsule { radius, length: 0.0 } => Form::Sphere(radius),
        other => other,
    })
}
