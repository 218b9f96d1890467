//! From `[model]` to matrices, contacts and joints.

use crate::build::coordinates;
use crate::build::dials::Hands;
use crate::build::load::Source;
use crate::build::matrices::{matrix, row, vector, written_list, written_vector};
use crate::build::mesh_picture::mesh_picture;
use crate::build::scenario::{Description, LinearDescription};
use crate::error::{Result, ScenarioError};
use crate::format::keys::linear::{BarContactSpec, BarSpec, ContactSpec, DampingSpec, LinearSpec, ModalSpec};
use crate::format::keys::solid::RayleighSpec;
use crate::format::suggest;
use crate::format::values::{ListSpec, SignalSpec, Spread};
use crate::limits::{MAX_CONTACTS, MAX_N};
use percussion_matrix::{Matrix, SparseMatrix};
use percussion_model::build::{Bar, MassKind};
use percussion_model::{Code, Contact, InputError, Joint, LinearModel, LinearParts, Signal, reduce};
use percussion_step::Model;
use toml::Value;

/// A checked model with its initial state, not yet checked against contacts and joints.
pub struct Built {
    /// How it was described.
    pub description: Description,
    /// The model.
    pub model: Model,
    /// q at t = 0.
    pub q0: Vec<f64>,
    /// v at t = 0.
    pub v0: Vec<f64>,
    /// The key that places the bodies, where contacts and joints have no tables of their own.
    pub start: Option<&'static str>,
    /// The table each body was described by; copies share one. Empty for other kinds of models.
    pub tables: Vec<usize>,
    /// Hands on its loads and supports that were there before its matrices.
    pub hands: Hands,
}

/// A model of kind "linear".
pub fn linear(spec: LinearSpec, source: &Source) -> Result<Built> {
    let mut description = LinearDescription {
        conservative: spec.conservative,
        coordinates: spec.coordinates.clone(),
        units: spec.units.clone(),
        ..LinearDescription::default()
    };
    let keys = (spec.symmetrize, spec.condense);
    let (q0, v0, gravity, fix) = (spec.q0.clone(), spec.v0.clone(), spec.gravity.clone(), spec.fix.clone());
    let mesh = spec.mesh.clone();
    let mut parts = given_parts(spec, source, &mut description)?;
    let n = parts.mass.n_rows();
    coordinates::check(&description.coordinates, description.units.as_ref(), n)?;
    coordinates::check_contacts(parts.contacts.iter().map(|contact| contact.name.as_str()))?;
    description.picture = mesh.map(|mesh| mesh_picture(mesh, n, source)).transpose()?;
    if keys.0 {
        parts.mass = symmetrized(parts.mass, "model.mass")?;
        parts.stiffness = parts.stiffness.map(|K| symmetrized(K, "model.stiffness")).transpose()?;
    }
    let start =
        |x, field| Ok::<_, Box<ScenarioError>>(written_vector(x, field, source)?.unwrap_or_else(|| vec![0.0; n]));
    let (mut q0, mut v0) = (start(q0, "model.q0")?, start(v0, "model.v0")?);
    description.force.clone_from(&parts.force);
    description.gravity = gravity.map(|a| signals(a, "model.gravity", source)).transpose()?;
    refuse_length(description.gravity.as_ref().map_or(n, Vec::len), n, "model.gravity")?;
    let mut weight = vec![0.0; n];
    if let Some(a) = &description.gravity {
        parts.mass.mul_add(1.0, &a.iter().map(|a| a.mean).collect::<Vec<_>>(), &mut weight);
        let varying: Vec<Signal> = a.iter().map(|a| Signal { mean: 0.0, ..a.clone() }).collect();
        if varying.iter().any(|a| *a != Signal::default()) {
            parts.mass.triplets().into_iter().for_each(|(i, j, m)| parts.force[i].add(m, &varying[j]));
        }
    }

    // what counts as a potential: the weight, the pull of coordinates held elsewhere than at zero, and constant loads where they
    // are said to be conservative
    let mut pull = vec![0.0; n];
    if let Some(fix) = fix {
        let list = written_list(fix, "model.fix", source, |x| (x >= 0.0 && x.fract() == 0.0).then_some(x as i64))?;
        description.fixed = list.into_iter().map(|i| usize::try_from(i).unwrap_or(usize::MAX)).collect();
        description.given = Some(parts.clone());
        refuse_length(q0.len(), n, "model.q0")?;
        (parts, pull) = reduce::hold(parts, &description.fixed, &q0)?;
        still(&description.fixed, &mut weight, &v0)?;
    }
    if keys.1 {
        let whole = parts.clone();
        let (smaller, kept) = reduce::condense(parts)?;
        parts = smaller;
        if kept.len() < n {
            description.given.get_or_insert(whole);
            for (x, field) in [(&mut q0, "model.q0"), (&mut v0, "model.v0"), (&mut weight, ""), (&mut pull, "")] {
                refuse_length(x.len(), n, field)?;
                *x = kept.iter().map(|&i| x[i]).collect();
            }
            description.kept = Some(kept);
        }
    }
    for contact in &mut parts.contacts {
        contact.angular = coordinates::gap_unit(&description, &contact.normal) == "rad";
    }
    parts.damping = damping(&description, &parts)?.or(parts.damping);
    let booked = description.gravity.is_some() || description.conservative || pull.iter().any(|&f| f != 0.0);
    let mut potential: Vec<f64> = weight.iter().zip(&pull).map(|(a, b)| a + b).collect();
    for (load, potential) in parts.force.iter_mut().zip(&mut potential) {
        let own = *potential;
        if description.conservative && load.is_constant() && !load.is_live() {
            *potential += load.mean;
        }
        load.mean += own;
    }
    description.own_load = weight.iter().zip(&pull).map(|(a, b)| a + b).collect();
    let model = LinearModel::new(parts)?;
    let model = if booked { model.with_potential_load(potential)? } else { model };
    let description = Description::Linear(Box::new(description));
    Ok(Built {
        description,
        model: Model::from(model),
        q0,
        v0,
        start: None,
        tables: Vec::new(),
        hands: Hands::default(),
    })
}

/// Matrices, loads, contacts and joints as they stand in the scenario and its files; damping that is no matrix goes into the description.
fn given_parts(spec: LinearSpec, source: &Source, description: &mut LinearDescription) -> Result<LinearParts> {
    limit("model.contact", "contacts", spec.contact.len(), MAX_CONTACTS)?;
    let mass = matrix(spec.mass, "model.mass", source)?;
    let n = mass.n_rows();
    // before the vectors, whose lengths are judged by it
    if n == 0 || mass.n_cols() != n {
        let message = format!("is {n} × {}", mass.n_cols());
        let help = "give a square matrix with at least one row";
        return Err(InputError::new(Code::BAD_SHAPE, "model.mass", message, help).into());
    }
    let stiffness = spec.stiffness.map(|K| matrix(K, "model.stiffness", source)).transpose()?;
    for (A, field) in stiffness.iter().map(|K| (K, "model.stiffness")) {
        if (A.n_rows(), A.n_cols()) != (n, n) {
            let message = format!("is {} × {}", A.n_rows(), A.n_cols());
            let help = format!("give a {n} × {n} matrix, the size of the mass matrix");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, help).into());
        }
    }
    let damping = match spec.damping {
        None => None,
        Some(DampingSpec::Matrix(C)) => Some(matrix(C, "model.damping", source)?),
        Some(other @ (DampingSpec::Rayleigh(_) | DampingSpec::Modal(_))) => {
            description.damping = Some(other);
            None
        }
    };
    let force: Vec<Signal> = match spec.force {
        Some(force) => signals(force, "model.force", source)?,
        None => vec![Signal::default(); n],
    };
    refuse_length(force.len(), n, "model.force")?;
    let mut contacts = Vec::with_capacity(spec.contact.len());
    for (i, contact) in spec.contact.into_iter().enumerate() {
        contacts.push(given_contact(contact, n, &format!("model.contact[{i}]"))?);
    }
    let mut joints = Vec::with_capacity(spec.joint.len());
    for (i, joint) in spec.joint.into_iter().enumerate() {
        let row = row(joint.row, n, &format!("model.joint[{i}].row"))?;
        joints.push(Joint { row, offset: joint.offset });
    }
    Ok(LinearParts { mass, damping, stiffness, force, contacts, joints })
}

/// Signals one by one, or numbers of a file.
fn signals(list: ListSpec<SignalSpec>, field: &str, source: &Source) -> Result<Vec<Signal>> {
    let list = written_list(list, field, source, |x| Some(SignalSpec(Signal::constant(x))))?;
    Ok(list.into_iter().map(|SignalSpec(signal)| signal).collect())
}

fn given_contact(contact: ContactSpec, n: usize, field: &str) -> Result<Contact> {
    let normal = row(contact.normal, n, &format!("{field}.normal"))?;
    let mut tangents = Vec::new();
    for (k, tangent) in contact.tangents.unwrap_or_default().into_iter().enumerate() {
        tangents.push(row(tangent, n, &format!("{field}.tangents[{k}]"))?);
    }
    if contact.friction.is_none() && !tangents.is_empty() {
        let help = "give friction = μ, which may be 0, or remove the tangents";
        return Err(
            InputError::new(Code::FRICTION, format!("{field}.tangents"), "tangents without friction", help).into()
        );
    }
    let (offset, restitution) = (contact.offset.0, contact.restitution);
    Ok(Contact {
        normal,
        offset,
        restitution,
        tangents,
        friction: contact.friction.unwrap_or(0.0),
        name: contact.name.unwrap_or_default(),
        angular: false,
    })
}

/// Takes the weight of coordinates held, and refuses one that would start with a velocity.
fn still(fixed: &[usize], weight: &mut [f64], v0: &[f64]) -> Result<()> {
    for (k, &i) in fixed.iter().enumerate() {
        weight[i] = 0.0;
        if v0.get(i).is_some_and(|&v| v != 0.0) {
            let message = format!("coordinate {i} is held, but v0 gives it a velocity of {}", v0[i]);
            let help = "set its velocity to 0, or do not hold it";
            return Err(InputError::new(Code::CONTRADICTION, format!("model.fix[{k}]"), message, help).into());
        }
    }
    Ok(())
}

/// Difference of two mirrored entries, relative to their size, from which they are not the same up to round-off.
const NO_ROUND_OFF: f64 = 1e-3;

/// ½(A + Aᵀ) where that only takes out round-off.
fn symmetrized(A: Matrix, field: &str) -> Result<Matrix> {
    if A.n_rows() != A.n_cols() {
        return Ok(A);
    }
    let diagonal = A.diagonal();
    let mut unequal = None;
    A.for_each_pair(|i, j, x, y| {
        let size = x.abs().max(y.abs()).max((diagonal[i] * diagonal[j]).abs().sqrt());
        if unequal.is_none() && (x - y).abs() > NO_ROUND_OFF * size {
            unequal = Some((i, j, x, y));
        }
    });
    if let Some((i, j, x, y)) = unequal {
        let message = format!("entry ({i}, {j}) = {x} but ({j}, {i}) = {y}: that is more than round-off");
        let help = "check the file; one that holds one triangle needs \"symmetric\" in its first line";
        let code = if field == "model.mass" { Code::MASS_NOT_SYMMETRIC } else { Code::STIFFNESS_NOT_SYMMETRIC };
        return Err(InputError::new(code, field, message, help).into());
    }
    Ok(A.symmetric_part())
}

/// C = a M + b K, or that of the modes.
fn damping(description: &LinearDescription, parts: &LinearParts) -> Result<Option<Matrix>> {
    let zero = Matrix::Sparse(SparseMatrix::from_diagonal(&vec![0.0; parts.mass.n_rows()]));
    let K = parts.stiffness.as_ref().unwrap_or(&zero);
    Ok(match &description.damping {
        None | Some(DampingSpec::Matrix(_)) => None,
        Some(DampingSpec::Rayleigh(RayleighSpec { mass: a, stiffness: b })) => {
            let terms = [(*a, &parts.mass), (*b, K)];
            let present: Vec<_> = terms.into_iter().filter(|(c, _)| *c != 0.0).collect();
            (!present.is_empty()).then(|| Matrix::combination(parts.mass.n_rows(), &present))
        }
        Some(DampingSpec::Modal(ModalSpec { ratios })) => Some(match ratios {
            Spread::All(ratio) => reduce::modal_damping(&parts.mass, K, |_| *ratio)?,
            Spread::Each(list) => reduce::modal_damping(&parts.mass, K, |k| list.get(k).copied().unwrap_or(0.0))?,
        }),
    })
}

/// Refuses a vector of another length than that of the mass matrix.
fn refuse_length(found: usize, n: usize, field: &str) -> Result<()> {
    if found == n {
        return Ok(());
    }
    let message = format!("has {found} entries where the mass matrix has {n} rows");
    Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {n} numbers")).into())
}

/// A model of kind "bar".
pub fn bar(spec: BarSpec) -> Result<Built> {
    limit("model.contact", "contacts", spec.contact.len(), MAX_CONTACTS)?;
    let mass = match spec.mass.as_str() {
        "consistent" => MassKind::Consistent,
        "lumped" => MassKind::Lumped,
        other => {
            let message = format!("mass = \"{other}\" does not exist for a bar");
            let help = suggest::help(other, ["consistent", "lumped"]);
            return Err(InputError::new(Code::WRONG_TYPE, "model.mass", message, help).into());
        }
    };
    let elements = usize::try_from(spec.elements).unwrap_or(0);
    limit("model.elements", "elements", elements, MAX_N as usize - 1)?;
    let bar = Bar { young: spec.young, density: spec.density, area: spec.area, length: spec.length, elements, mass };
    let (mass, stiffness) = bar.matrices()?;
    let n = bar.n_nodes();
    let force: Vec<Signal> = match spec.force {
        Some(force) => spread(force, n).into_iter().map(|SignalSpec(signal)| signal).collect(),
        None => vec![Signal::default(); n],
    };
    let mut contacts = Vec::with_capacity(spec.contact.len());
    for (i, contact) in spec.contact.into_iter().enumerate() {
        contacts.push(bar_contact(contact, n, &format!("model.contact[{i}]"))?);
    }
    let initial = |x: Option<Spread<f64>>| x.map(|x| spread(x, n));
    let (q0, v0) = (vector(initial(spec.q0), n, "model.q0")?, vector(initial(spec.v0), n, "model.v0")?);
    let description = Description::Bar { bar, force: force.clone() };
    let model = LinearModel::new(LinearParts {
        mass,
        damping: None,
        stiffness: Some(stiffness),
        force,
        contacts,
        joints: Vec::new(),
    })?;
    Ok(Built {
        description,
        model: Model::from(model),
        q0,
        v0,
        start: None,
        tables: Vec::new(),
        hands: Hands::default(),
    })
}

fn bar_contact(contact: BarContactSpec, n: usize, field: &str) -> Result<Contact> {
    let node = match usize::try_from(contact.node) {
        Ok(node) if node < n => node,
        _ => {
            let message = format!("there is no node {} on a bar with nodes 0 to {}", contact.node, n - 1);
            return Err(InputError::new(
                Code::BAD_SHAPE,
                format!("{field}.node"),
                message,
                "nodes are numbered from 0",
            )
            .into());
        }
    };
    if contact.direction.abs() != 1 {
        let message = format!("direction = {} is neither 1 nor -1", contact.direction);
        let help = "1: the obstacle lies below the node, -1: above";
        return Err(InputError::new(Code::WRONG_TYPE, format!("{field}.direction"), message, help).into());
    }
    let normal = vec![(node, contact.direction as f64)];
    Ok(Contact { normal, offset: contact.offset.0, restitution: contact.restitution, ..Contact::default() })
}

/// The nodes of a bar have no tangential velocity: friction has nothing to act on.
pub fn refuse_friction(bar: &Value) -> Result<()> {
    let contacts = bar.get("contact").and_then(Value::as_array).into_iter().flatten();
    for (i, contact) in contacts.enumerate() {
        if let Some(key) = ["friction", "tangents"].into_iter().find(|key| contact.get(key).is_some()) {
            let message = "the nodes of a bar move along it and along nothing else";
            let help = "remove friction and tangents, or describe the system by matrices";
            return Err(InputError::new(Code::FRICTION, format!("model.contact[{i}].{key}"), message, help).into());
        }
    }
    Ok(())
}

/// Refuses more than the most.
pub fn limit(field: &str, what: &str, found: usize, most: usize) -> Result<()> {
    if found <= most {
        return Ok(());
    }
    let message = format!("{found} {what}; the limit is {most}");
    Err(InputError::new(Code::TOO_LARGE, field, message, "use a coarser model, or sparse matrix files").into())
}

fn spread<T: Clone>(x: Spread<T>, n: usize) -> Vec<T> {
    match x {
        Spread::All(x) => vec![x; n],
        Spread::Each(list) => list,
    }
}
