//! The mesh that matrices from another program came from: what they look like, and what their coordinates are called.
//!
//!   coordinate d k + i  is the displacement of node k of the file along axis i

use crate::build::load::Source;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::format::keys::linear::PictureMeshSpec;
use percussion_model::solid::{Hooke, Kinematics, Mesh, Part, Section, Solid, SolidMass, SolidParts};
use percussion_model::{Code, InputError};
use std::sync::Arc;

/// A mesh beside matrices.
#[derive(Clone, Debug)]
pub struct MeshPicture {
    /// Its keys.
    pub spec: PictureMeshSpec,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Its elements, free, of one material.
    pub solid: Arc<Solid>,
}

impl PartialEq for MeshPicture {
    /// The same keys and the same mesh make the same picture.
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec && self.bytes == other.bytes
    }
}

/// The mesh of a model with n coordinates.
pub fn mesh_picture(spec: PictureMeshSpec, n: usize, source: &Source) -> Result<MeshPicture> {
    let (bytes, shown) = bytes(&spec.file, "model.mesh.file", source)?;
    let mut mesh = Mesh::from_gmsh(&bytes)
        .map_err(|error| ScenarioError::file(error.code, shown, error.message, error.help).about("model.mesh"))?;
    mesh.scale(spec.scale)?;
    let d = mesh.groups.iter().map(|group| group.dimension).max().unwrap_or(0);
    if d < 2 {
        let message = "the mesh has no group of elements in the plane or in space";
        let help = "give the elements a physical group";
        return Err(InputError::new(Code::BAD_SOLID, "model.mesh", message, help).into());
    }
    // the density is that of nothing: masses are those of the matrices
    let material = Hooke { young: spec.young, poisson: spec.poisson, density: 1.0 };
    let elements = mesh.groups.iter().filter(|group| group.dimension == d);
    let parts = elements.map(|group| Part::new(group.name.clone(), material)).collect();
    let solid = Solid::new(SolidParts {
        kinematics: Kinematics::Linear,
        mesh,
        section: if d == 2 { Section::Strain { thickness: 1.0 } } else { Section::Space },
        mass: SolidMass::Lumped,
        gravity: Default::default(),
        parts,
        supports: Vec::new(),
        loads: Vec::new(),
        contacts: Vec::new(),
    })?;
    let nodes = solid.matter().n_nodes();
    if d * nodes != n {
        let message = format!("the mesh has {nodes} nodes with {d} axes each, and the matrices {n} coordinates");
        let help = "give the mesh whose nodes, in the order of the file, the coordinates belong to; coordinates that are held stay in the matrices \
                    (fix)";
        return Err(InputError::new(Code::BAD_SHAPE, "model.mesh", message, help).into());
    }
    Ok(MeshPicture { spec, bytes, solid: Arc::new(solid) })
}
