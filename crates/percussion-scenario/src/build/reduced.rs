//! From `[[flexible]]` as typed to reduced bodies: matrices in files, a mesh, or the reduction itself.

use crate::build::bodies::{below, size, unknown, vector};
use crate::build::flexible::{finite, surface};
use crate::build::load::Source;
use crate::build::matrices::matrix;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::format::keys::bodies::BodiesSpec;
use crate::format::keys::reduced::{FlexibleEntry, InterfaceSpec, ReducedSpec};
use crate::format::values::{Either, MatrixSpec};
use percussion_matrix::{Matrix, SparseMatrix};
use percussion_model::bodies::Materials;
use percussion_model::bodies::math::Mat3;
use percussion_model::flexible::{FiniteBody, MarkerParts, ModalInertia, ReducedParts, Reduction};
use percussion_model::solid::{Hooke, Kinematics, Mesh, Part, Section, Solid, SolidMass, SolidParts};
use percussion_model::{Code, InputError, Signal};

const WAYS: &str = "give nodes and stiffness, or mesh, young and density";

/// The reduced bodies of a scene.
pub fn reduced(
    spec: &BodiesSpec,
    shaking: &[Signal; 3],
    materials: &Materials,
    source: &Source,
) -> Result<Vec<ReducedParts>> {
    let of = |(i, entry): (usize, &FlexibleEntry)| {
        let mut parts = parts(entry, materials, source).map_err(|e| below(e, &format!("flexible[{i}]")))?;
        parts.shaking.clone_from(shaking);
        Ok(parts)
    };
    spec.flexible.iter().enumerate().map(of).collect()
}

fn refuse<T>(code: Code, field: &str, message: &str, help: &str) -> Result<T> {
    Err(InputError::new(code, field, message, help).into())
}

fn parts(spec: &FlexibleEntry, materials: &Materials, source: &Source) -> Result<ReducedParts> {
    match spec.inertia.as_str() {
        "full" => {}
        "constant" if spec.geometric_stiffness.is_some() => {
            let help = "set inertia = \"full\", or remove geometric_stiffness";
            return refuse(
                Code::CONTRADICTION,
                "geometric_stiffness",
                "constant inertia knows no centrifugal forces",
                help,
            );
        }
        "constant" => {}
        other => return Err(unknown(other, "inertia".into(), ["constant", "full"].into_iter())),
    }
    let of = |x: &Option<Vec<f64>>, field: &str| x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, false, field));
    let rotation = match spec.rotation.as_deref() {
        None => [1.0, 0.0, 0.0, 0.0],
        Some(&[w, x, y, z]) => [w, x, y, z],
        Some(other) => return Err(size(other.len(), 4, "rotation")),
    };
    let reduction = reduction(spec, source)?;
    Ok(ReducedParts {
        name: spec.name.clone(),
        mass: reduction.mass,
        centre: reduction.centre,
        inertia: reduction.inertia,
        lowest: reduction.lowest,
        frequencies: reduction.frequencies,
        cutoff: reduction.cutoff,
        damping_ratio: finite([spec.damping_ratio], "damping_ratio")?[0],
        markers: reduction.markers,
        witnesses: reduction.witnesses,
        full: reduction.full,
        position: of(&spec.position, "position")?,
        rotation,
        velocity: of(&spec.velocity, "velocity")?,
        angular_velocity: of(&spec.angular_velocity, "angular_velocity")?,
        shaking: Default::default(),
        contact: spec.contact.as_ref().map(|contact| surface(contact, materials)).transpose()?,
    })
}

fn reduction(spec: &FlexibleEntry, source: &Source) -> Result<Reduction> {
    let idle = |given: &[(&str, bool)], message: &str| match given.iter().find(|(_, given)| *given) {
        Some((field, _)) => refuse(Code::CONTRADICTION, field, message, WAYS),
        None => Ok(()),
    };
    let of_mesh = [
        ("mesh", spec.mesh.is_some()),
        ("scale", spec.scale.is_some()),
        ("young", spec.young.is_some()),
        ("poisson", spec.poisson.is_some()),
        ("density", spec.density.is_some()),
    ];
    let matrices = [("nodes", spec.nodes.is_some()), ("stiffness", spec.stiffness.is_some())];
    if let Some(given) = &spec.reduced {
        idle(&of_mesh, "the body is reduced already")?;
        idle(&matrices, "the body is reduced already")?;
        idle(&[("interfaces", !spec.interfaces.is_empty())], "the body is reduced already")?;
        if given.cutoff < 0.0 {
            let message = format!("cutoff = {} is negative", given.cutoff);
            return refuse(Code::BAD_PARAMETER, "reduced.cutoff", &message, "give a frequency of 0 or more");
        }
        idle(&[("geometric_stiffness", spec.geometric_stiffness.is_some())], "the body is reduced already")?;
        return Ok(as_written(given, spec.inertia == "full"));
    }
    let Ok(modes) = usize::try_from(spec.modes) else {
        let message = format!("modes = {} is negative", spec.modes);
        return refuse(Code::BAD_PARAMETER, "modes", &message, "give 0 or more");
    };
    if let Some(mesh) = &spec.mesh {
        idle(&matrices, "a mesh has nodes and stiffness of its own")?;
        let (body, solid) = of_solid(spec, mesh, source)?;
        let interfaces = groups(&spec.interfaces, |group, field| {
            let nodes = solid.nodes_of(group, field)?;
            Ok(if of_points(&solid, group) { nodes.into_iter().map(|i| vec![i]).collect() } else { vec![nodes] })
        })?;
        return in_full_or_not(&body, &interfaces, modes, (spec, source));
    }
    idle(&of_mesh[1..], "belongs to a mesh")?;
    let (Some(nodes), Some(stiffness)) = (&spec.nodes, &spec.stiffness) else {
        let field = if spec.nodes.is_none() { "nodes" } else { "stiffness" };
        return refuse(Code::WRONG_TYPE, field, "the body has no matter", WAYS);
    };
    let body = of_matrices(nodes, stiffness, source)?;
    let interfaces = groups(&spec.interfaces, |_, field| {
        Err(InputError::new(Code::UNKNOWN_GROUP, field, "only a mesh has groups", "give numbers of nodes"))
    })?;
    in_full_or_not(&body, &interfaces, modes, (spec, source))
}

/// The reduction with the inertia that is asked for.
fn in_full_or_not(
    body: &FiniteBody,
    interfaces: &[Vec<usize>],
    modes: usize,
    (spec, source): (&FlexibleEntry, &Source),
) -> Result<Reduction> {
    if spec.inertia != "full" {
        return Ok(body.reduce(interfaces, modes)?);
    }
    let given = spec.geometric_stiffness.as_deref().unwrap_or_default();
    if ![0, 3, 6].contains(&given.len()) {
        let message = format!("has {} matrices", given.len());
        let help = "give three, for the spin about x, y and z, or six, with xy, xz and yz after them";
        return refuse(Code::BAD_SHAPE, "geometric_stiffness", &message, help);
    }
    let of = |(k, K): (usize, &MatrixSpec)| sparse(matrix(K.clone(), &format!("geometric_stiffness[{k}]"), source)?);
    let geometric: Vec<SparseMatrix> = given.iter().enumerate().map(of).collect::<Result<_>>()?;
    Ok(body.reduce_in_full(interfaces, modes, &geometric)?)
}

fn sparse(K: Matrix) -> Result<SparseMatrix> {
    match K {
        Matrix::Sparse(K) => Ok(K),
        Matrix::Dense(_) => Ok(SparseMatrix::from_triplets(K.n_rows(), K.n_cols(), &K.triplets())
            .ok_or_else(|| InputError::new(Code::BAD_SHAPE, "stiffness", "is empty", "give K"))?),
    }
}

/// The sets of nodes behind interfaces.
fn groups(
    list: &[InterfaceSpec],
    group: impl Fn(&str, &str) -> std::result::Result<Vec<Vec<usize>>, InputError>,
) -> Result<Vec<Vec<usize>>> {
    let mut all = Vec::new();
    for (k, interface) in list.iter().enumerate() {
        // negative numbers are no nodes, and refused as such
        let node = |i: &i64| usize::try_from(*i).unwrap_or(usize::MAX);
        match interface {
            Either::One(i) => all.push(vec![node(i)]),
            Either::Other(Either::One(nodes)) => all.push(nodes.iter().map(node).collect()),
            Either::Other(Either::Other(name)) => all.extend(group(name, &format!("interfaces[{k}]"))?),
        }
    }
    Ok(all)
}

fn of_points(solid: &Solid, group: &str) -> bool {
    solid.mesh().groups.iter().any(|g| g.name == group && g.dimension == 0)
}

/// Nodes and stiffness of a mesh, its mass lumped at the nodes.
fn of_solid(spec: &FlexibleEntry, name: &str, source: &Source) -> Result<(FiniteBody, Solid)> {
    let (Some(young), Some(density)) = (spec.young, spec.density) else {
        let field = if spec.young.is_none() { "young" } else { "density" };
        return refuse(Code::WRONG_TYPE, field, "a mesh needs it", WAYS);
    };
    let (bytes, shown) = bytes(name, "mesh", source)?;
    let mut mesh = Mesh::from_gmsh(&bytes)
        .map_err(|error| ScenarioError::file(error.code, shown, error.message, error.help).about("mesh"))?;
    mesh.scale(spec.scale.unwrap_or(1.0))?;
    let material = Hooke { young, poisson: spec.poisson.unwrap_or(0.3), density };
    let volumes = mesh.groups.iter().filter(|group| group.dimension == 3);
    let parts: Vec<Part> = volumes.map(|group| Part::new(group.name.clone(), material)).collect();
    if parts.is_empty() {
        return refuse(Code::BAD_SOLID, "mesh", "has no group of volumes", "give the body a physical volume");
    }
    let solid = Solid::new(SolidParts {
        kinematics: Kinematics::Linear,
        mesh,
        section: Section::Space,
        mass: SolidMass::Lumped,
        gravity: Default::default(),
        parts,
        supports: Vec::new(),
        loads: Vec::new(),
        contacts: Vec::new(),
    })?;
    let body = FiniteBody {
        places: solid.matter().X.clone(),
        masses: solid.node_mass().lumped.clone(),
        inertias: None,
        stiffness: solid.stiffness().clone(),
    };
    Ok((body, solid))
}

fn of_matrices(nodes: &MatrixSpec, stiffness: &MatrixSpec, source: &Source) -> Result<FiniteBody> {
    let rows = node_rows(nodes, source)?;
    let width = rows.first().map_or(0, Vec::len);
    if ![4, 7].contains(&width) || rows.iter().any(|row| row.len() != width) {
        let message = "a node has neither 4 nor 7 numbers, or not as many as the others";
        return refuse(Code::BAD_SHAPE, "nodes", message, "give x, y, z, mass, or x, y, z, mass, jx, jy, jz");
    }
    let K = matrix(stiffness.clone(), "stiffness", source)?;
    let stiffness = sparse(K)?;
    Ok(FiniteBody {
        places: rows.iter().map(|row| [row[0], row[1], row[2]]).collect(),
        masses: rows.iter().map(|row| row[3]).collect(),
        inertias: (width == 7).then(|| rows.iter().map(|row| [row[4], row[5], row[6]]).collect()),
        stiffness,
    })
}

/// The rows of a table of nodes: written out, in a Matrix Market file, or as CSV with or without a header.
fn node_rows(nodes: &MatrixSpec, source: &Source) -> Result<Vec<Vec<f64>>> {
    if let MatrixSpec::File(name) = nodes
        && !source.given.matrices.contains_key(name)
    {
        let (bytes, shown) = bytes(name, "nodes.file", source)?;
        if let Ok(text) = std::str::from_utf8(&bytes)
            && !text.starts_with("%%MatrixMarket")
        {
            return csv_rows(text, &shown);
        }
    }
    let A = matrix(nodes.clone(), "nodes", source)?;
    Ok((0..A.n_rows()).map(|i| (0..A.n_cols()).map(|j| A.get(i, j)).collect()).collect())
}

fn csv_rows(text: &str, shown: &str) -> Result<Vec<Vec<f64>>> {
    let mut rows = Vec::new();
    for (k, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: std::result::Result<Vec<f64>, _> = line.split(',').map(|x| x.trim().parse()).collect();
        match row {
            Ok(row) if row.iter().all(|x: &f64| x.is_finite()) => rows.push(row),
            Err(_) if k == 0 => {}
            Ok(_) | Err(_) => {
                let help = "give finite numbers separated by commas, below one line of names";
                let error = ScenarioError::file(Code::BAD_MATRIX_FILE, shown, "is no table of numbers", help);
                return Err(error.at_line(k + 1, None));
            }
        }
    }
    Ok(rows)
}

fn as_written(given: &ReducedSpec, full: bool) -> Reduction {
    let sixes = |list: &[[f64; 6]]| list.iter().map(symmetric).collect();
    Reduction {
        mass: given.mass,
        centre: given.centre,
        inertia: symmetric(&given.inertia),
        frequencies: given.frequencies.clone(),
        whole: vec![given.lowest],
        lowest: given.lowest,
        cutoff: given.cutoff,
        markers: given
            .marker
            .iter()
            .map(|marker| MarkerParts {
                place: marker.place,
                mass: marker.mass,
                inertia: symmetric(&marker.inertia),
                shapes: marker.shapes.clone(),
            })
            .collect(),
        witnesses: given.witnesses.clone(),
        full: full.then(|| ModalInertia {
            first: sixes(&given.first),
            second: sixes(&given.second),
            turning: given.turning.clone(),
            stiffened: given.stiffened,
        }),
    }
}

/// From x, y, z, xy, xz, yz.
fn symmetric(&[x, y, z, xy, xz, yz]: &[f64; 6]) -> Mat3 {
    [[x, xy, xz], [xy, y, yz], [xz, yz, z]]
}
