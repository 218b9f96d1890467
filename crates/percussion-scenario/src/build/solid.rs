//! From `[model]` of kind "solid" to a mesh with its matrices and contacts.

use crate::build::dials::{Reach, on_solid};
use crate::build::linear::Built;
use crate::build::load::Source;
use crate::build::matrices::written_vector;
use crate::build::scenario::Description;
use crate::build::scenario_folder::bytes;
use crate::error::{Result, ScenarioError};
use crate::format::keys::solid::{
    AgainstSpec, ElasticSpec, LoadSpec, SolidContactSpec, SolidPartSpec, SolidSpec, SupportSpec,
};
use crate::format::suggest;
use crate::format::values::{SignalSpec, Spread};
use percussion_model::solid::contact::{Against, Method, Multipliers, Obstacle, SurfaceContact};
use percussion_model::solid::finite::{FiniteModel, Law};
use percussion_model::solid::{
    Hooke, Kinematics, Load, LoadKind, Mesh, Part, Rayleigh, Section, Solid, SolidMass, SolidParts,
};
use percussion_model::{Code, InputError, Lagrangian, Signal, factor_size};
use percussion_step::{Model, Warning};
use std::sync::Arc;

/// Poisson's ratio from which on λ is thousands of times μ.
const NEARLY_INCOMPRESSIBLE: f64 = 0.4999;

/// A solid as it was described, with its mesh, so that it can be written out again.
#[derive(Clone, Debug)]
pub struct SolidDescription {
    /// Its keys, with what was left to default.
    pub spec: SolidSpec,
    /// The bytes of its mesh.
    pub mesh: Arc<[u8]>,
    /// The solid.
    pub solid: Arc<Solid>,
}

impl PartialEq for SolidDescription {
    /// The same keys and the same mesh make the same solid.
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec && self.mesh == other.mesh
    }
}

/// A model of kind "solid"; `massless` says whether the scheme moves nodes without mass, `reach` what hands are put on.
pub fn solid(mut spec: SolidSpec, source: &Source, (massless, reach): (bool, Reach)) -> Result<Built> {
    let kinematics = kinematics(&spec)?;
    let finite = kinematics != Kinematics::Linear;
    if finite {
        decide_for_finite(&mut spec);
    }
    decide_masses(&mut spec, massless && !finite)?;
    let (mut parts, bytes) = described(&spec, source)?;
    let hands = on_solid(&mut parts, if finite { reach.min(Reach::Loads) } else { reach });
    let (q0, v0) = (spec.q0.take(), spec.v0.take());
    let solid = Solid::new(parts)?;
    let solid = Arc::new(match spec.damping.as_ref().map(|modal| &modal.ratios) {
        None => solid,
        Some(Spread::All(ratio)) => solid.with_modal_damping(|_| *ratio)?,
        Some(Spread::Each(list)) => solid.with_modal_damping(|k| list.get(k).copied().unwrap_or(0.0))?,
    });
    let model = if finite {
        let model: Arc<dyn Lagrangian> = Arc::new(FiniteModel::new(Arc::clone(&solid))?);
        Model::from(model)
    } else {
        let model = solid.linear_model()?;
        // as of bodies, constant weight has a potential
        let falls = solid.weight().iter().any(|&w| w != 0.0);
        Model::from(if falls { model.with_potential_load(solid.weight().to_vec())? } else { model })
    };
    let start = solid.initial_state()?;
    let q0 = written_vector(q0, "model.q0", source)?.unwrap_or(start.0);
    let v0 = written_vector(v0, "model.v0", source)?.unwrap_or(start.1);
    let description = SolidDescription { spec, mesh: bytes, solid };
    let description = Description::Solid(Box::new(description));
    Ok(Built { description, model, q0, v0, start: Some("model.contact"), tables: Vec::new(), hands })
}

/// What a solid is made of, with the bytes of its mesh.
pub fn described(spec: &SolidSpec, source: &Source) -> Result<(SolidParts, Arc<[u8]>)> {
    let (kinematics, section) = (kinematics(spec)?, section(spec)?);
    let (bytes, shown) = bytes(&spec.mesh, "model.mesh", source)?;
    let mut mesh = Mesh::from_gmsh(&bytes)
        .map_err(|error| ScenarioError::file(error.code, shown, error.message, error.help).about("model.mesh"))?;
    mesh.scale(spec.scale)?;
    let size = extent(&mesh);
    let parts = SolidParts {
        section,
        kinematics,
        mass: if spec.mass.as_deref() == Some("lumped") { SolidMass::Lumped } else { SolidMass::Consistent },
        gravity: gravity(&spec.gravity, section)?,
        parts: each(&spec.part, |part, at| self::part(part, section, &at), "part")?,
        supports: each(&spec.support, |support, at| self::support(support, section, &at), "support")?,
        loads: each(&spec.load, |load, at| self::load(load, &at), "load")?,
        contacts: each(&spec.contact, |contact, at| self::contact(contact, section, size, &at), "contact")?,
        mesh,
    };
    Ok((parts, bytes))
}

impl SolidDescription {
    /// Remarks on what was found in the mesh and in the laws.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut list = Vec::new();
        let matter = self.solid.matter();
        let mut warn = |code: Code, message: String| list.push(Warning { code, message });
        if matter.left_out > 0 {
            warn(
                Code::MESH_REMARK,
                format!("{} nodes of the mesh belong to no part and are left out", matter.left_out),
            );
        }
        if matter.reordered > 0 {
            warn(Code::MESH_REMARK, format!("{} elements were inside out and have been reordered", matter.reordered));
        }
        let seams = self.solid.seams();
        let first = seams.first.map_or_else(String::new, |i| format!(", the first is node {}", self.solid.node_tag(i)));
        for (n, fact) in [
            (
                seams.twins,
                "lie where others do, and nothing joins them: the mesh is cut there (Gmsh's `Coherence Mesh;` joins them)",
            ),
            (seams.hanging, "lie on the side of an element they do not belong to, and nothing joins them to it"),
        ] {
            if n > 0 {
                warn(Code::MESH_REMARK, format!("{n} nodes {fact}{first}"));
            }
        }
        for (k, part) in self.solid.parts().iter().enumerate() {
            let nu = part.material.poisson;
            if nu > NEARLY_INCOMPRESSIBLE && !matches!(matter.section, Section::Stress { .. }) {
                let stiffer = 2.0 * nu / (1.0 - 2.0 * nu);
                let message = format!(
                    "model.part[{k}].material.poisson = {nu}: λ/μ = {stiffer:.0e} makes linear elements far too stiff in bending, waves fast and \
                     sums of forces lose that many digits"
                );
                warn(Code::NEARLY_INCOMPRESSIBLE, message);
            }
        }
        if self.solid.held_candidates() > 0 {
            let n = self.solid.held_candidates();
            warn(Code::MESH_REMARK, format!("{n} contact nodes are held by supports and cannot touch anything"));
        }
        let change = self.solid.node_mass().inertia_change;
        if change > 0.0 {
            let message = format!(
                "too few elements behind the contact surface to keep the moments of inertia: they change by {change:.1e}"
            );
            warn(Code::MESH_REMARK, message);
        }
        for (k, contact) in self.spec.contact.iter().enumerate() {
            let paired = self.solid.candidates().iter().any(|candidate| candidate.contact == k);
            if let (Some(other), false) = (&contact.against.surface, paired) {
                let message = format!(
                    "nothing of \"{}\" is within reach of \"{other}\": they pass through each other; make model.contact[{k}].reach larger than the gap",
                    contact.surface
                );
                warn(Code::MESH_REMARK, message);
            }
            let e = contact.restitution;
            if e > 0.0 {
                let fact = if e < 1.0 {
                    "loses more than e = 0, since nodes land many times; to lose energy use damping"
                } else {
                    "keeps energy but makes the pressure alternate from node to node"
                };
                warn(Code::NODE_RESTITUTION, format!("model.contact[{k}].restitution = {e} at the nodes {fact}"));
            }
        }
        list
    }

    /// What `check` says of it: sizes, mass, the step against waves, how systems are solved, memory.
    pub fn facts(&self, h: f64, by_products: bool) -> Vec<(&'static str, String)> {
        let solid = &self.solid;
        let (n, m) = (solid.coordinates().n_free(), solid.candidates().len());
        let matter = solid.matter();
        let mass: f64 = solid.node_mass().lumped.iter().sum();
        let courant = h / solid.crossing_time();
        vec![
            ("nodes", matter.n_nodes().to_string()),
            ("elements", matter.cells.len().to_string()),
            ("coordinates", n.to_string()),
            ("mass", format!("{mass:.6} kg")),
            ("volume", format!("{:.6e} m³", solid.volume())),
            ("contact candidates", m.to_string()),
            ("h c/Δx", format!("{courant:.3}")),
            ("systems", if by_products { "by conjugate gradients" } else { "by factors" }.into()),
            ("memory", format!("up to {:.0} MB", memory(solid, by_products) / 1e6)),
        ]
    }
}

/// Bytes a run may want: K twice and Ŝ, the factor of Ŝ by nested dissection, and the responses of all candidates.
fn memory(solid: &Solid, by_products: bool) -> f64 {
    let (n, m) = (solid.coordinates().n_free(), solid.candidates().len());
    let (entries, numbers) = (solid.stiffness().n_entries() as f64, |count: usize| 8.0 * count as f64);
    if by_products {
        return 58.0 * entries + numbers(m * m) + 300.0 * n as f64;
    }
    8.0 * factor_size(n, solid.matter().dimension()) + numbers(m * n) + numbers(m * m) + 400.0 * n as f64
}

/// How far displacements may go, with the laws of the parts.
fn kinematics(spec: &SolidSpec) -> Result<Kinematics> {
    word(&spec.kinematics, &["linear", "finite"], "model.kinematics")?;
    let finite = spec.kinematics == "finite";
    let mut laws = Vec::with_capacity(spec.part.len());
    for (k, part) in spec.part.iter().enumerate() {
        let field = format!("model.part[{k}].material.law");
        word(&part.material.law, &["hooke", "saint-venant-kirchhoff", "neo-hookean"], &field)?;
        let law = match part.material.law.as_str() {
            "saint-venant-kirchhoff" => Some(Law::SaintVenantKirchhoff),
            "neo-hookean" => Some(Law::NeoHookean),
            _ => None,
        };
        match (finite, law) {
            (true, Some(law)) => laws.push(law),
            (false, None) => (),
            (true, None) => {
                let message = "Hooke's law is for small displacements";
                let help =
                    "use law = \"saint-venant-kirchhoff\", which is Hooke's in Green's strain, or \"neo-hookean\"";
                return Err(InputError::new(Code::CONTRADICTION, field, message, help).into());
            }
            (false, Some(_)) => {
                let message = format!("{} is a law of finite deformation", part.material.law);
                let help = "use law = \"hooke\", or kinematics = \"finite\"";
                return Err(InputError::new(Code::CONTRADICTION, field, message, help).into());
            }
        }
    }
    Ok(if finite { Kinematics::Finite(laws) } else { Kinematics::Linear })
}

fn section(spec: &SolidSpec) -> Result<Section> {
    let thickness = spec.thickness.unwrap_or(1.0);
    let Some(plane) = &spec.plane else {
        if spec.thickness.is_some_and(|t| t != 1.0) {
            let help = "remove it, or give plane = \"strain\" or \"stress\"";
            let message = "a solid in space has no thickness of its own";
            return Err(InputError::new(Code::CONTRADICTION, "model.thickness", message, help).into());
        }
        return Ok(Section::Space);
    };
    word(plane, &["strain", "stress", "axisymmetric"], "model.plane")?;
    Ok(match plane.as_str() {
        "strain" => Section::Strain { thickness },
        "stress" => Section::Stress { thickness },
        _ => Section::Axisymmetric,
    })
}

/// Largest extent of the nodes.
fn extent(mesh: &Mesh) -> f64 {
    let length = |k: usize| {
        let (low, high) =
            mesh.nodes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x[k]), b.max(x[k])));
        high - low
    };
    (0..3).map(length).fold(0.0, f64::max)
}

/// What is left to default where displacements are finite: lumped mass, and nodes against faces.
fn decide_for_finite(spec: &mut SolidSpec) {
    spec.mass.get_or_insert_with(|| "lumped".into());
    for contact in spec.contact.iter_mut().filter(|contact| contact.against.surface.is_some()) {
        contact.method.get_or_insert_with(|| "node".into());
    }
}

/// Fills in the masses that are left to default: redistributed on contact surfaces where the scheme can, else consistent.
fn decide_masses(spec: &mut SolidSpec, massless: bool) -> Result<()> {
    for (k, contact) in spec.contact.iter_mut().enumerate() {
        let field = format!("model.contact[{k}].mass");
        let whole = spec.mass.as_deref();
        let default = match whole {
            Some("consistent") => "consistent",
            Some(_) | None if massless && contact.restitution == 0.0 => "redistributed",
            Some(_) => "lumped",
            None => "consistent",
        };
        let mass = contact.mass.get_or_insert_with(|| default.into());
        word(mass, &["redistributed", "consistent", "lumped"], &field)?;
        if mass == "redistributed" && contact.restitution > 0.0 {
            let message = format!("restitution = {} at nodes without mass, which have no impact", contact.restitution);
            let help = "set restitution = 0, or mass = \"lumped\"";
            let field = format!("model.contact[{k}].restitution");
            return Err(InputError::new(Code::CONTRADICTION, field, message, help).into());
        }
    }
    let asks = |name: &str| {
        spec.contact.iter().position(|c| (c.mass.as_deref() == Some("consistent")) == (name == "consistent"))
    };
    let (consistent, lumped) = (asks("consistent"), asks("lumped"));
    let own = if lumped.is_some() { "lumped" } else { "consistent" };
    let own = spec.mass.get_or_insert_with(|| own.into()).clone();
    word(&own, &["consistent", "lumped"], "model.mass")?;
    if let Some(k) = if own == "lumped" { consistent } else { lumped } {
        let mass = spec.contact[k].mass.clone().unwrap_or_default();
        let message = format!("mass = \"{mass}\" on a surface of a solid whose mass is {own}");
        let help = "one mass matrix holds for the whole solid; redistributed mass is taken from lumped";
        return Err(InputError::new(Code::CONTRADICTION, format!("model.contact[{k}].mass"), message, help).into());
    }
    Ok(())
}

/// A word that is none of those.
fn word(found: &str, words: &[&'static str], field: &str) -> Result<()> {
    if words.contains(&found) {
        return Ok(());
    }
    let help = suggest::help(found, words.iter().copied());
    Err(InputError::new(Code::WRONG_TYPE, field, format!("\"{found}\" does not exist here"), help).into())
}

/// Entries of a list, each with its place.
fn each<A, B>(list: &[A], make: impl Fn(&A, String) -> Result<B>, key: &str) -> Result<Vec<B>> {
    list.iter().enumerate().map(|(k, entry)| make(entry, format!("model.{key}[{k}]"))).collect()
}

/// Two numbers in the plane, three in space, as three.
fn vector(x: &[f64], section: Section, field: &str) -> Result<[f64; 3]> {
    let d = section.dimension();
    if x.len() != d {
        let message = format!("has {} entries where the solid has {d} axes", x.len());
        let help = match section {
            Section::Space => "give 3 numbers; a plane mesh needs plane = \"strain\", \"stress\" or \"axisymmetric\"",
            Section::Strain { .. } | Section::Stress { .. } | Section::Axisymmetric => "give 2 numbers",
        };
        return Err(InputError::new(Code::BAD_SHAPE, field, message, help).into());
    }
    let mut full = [0.0; 3];
    full[..d].copy_from_slice(x);
    if full.iter().any(|x| !x.is_finite()) {
        let message = "a number is NaN or infinite";
        return Err(InputError::new(Code::NOT_FINITE, field, message, "give a finite number").into());
    }
    Ok(full)
}

fn optional(x: &Option<Vec<f64>>, section: Section, field: &str) -> Result<[f64; 3]> {
    x.as_ref().map_or(Ok([0.0; 3]), |x| vector(x, section, field))
}

/// One signal for each axis.
fn gravity(spec: &Option<Vec<SignalSpec>>, section: Section) -> Result<[Signal; 3]> {
    let list = spec.as_ref().map_or_else(Vec::new, |list| signals(list));
    if spec.is_some() {
        vector(&list.iter().map(|g| g.mean).collect::<Vec<_>>(), section, "model.gravity")?;
    }
    let mut list = list.into_iter();
    Ok(std::array::from_fn(|_| list.next().unwrap_or_default()))
}

fn signals(list: &[SignalSpec]) -> Vec<Signal> {
    list.iter().map(|SignalSpec(signal)| signal.clone()).collect()
}

fn part(spec: &SolidPartSpec, section: Section, at: &str) -> Result<Part> {
    let d = section.dimension();
    let ElasticSpec { young, poisson, density, .. } = spec.material;
    let turn = match spec.angular_velocity.as_deref() {
        None => [0.0; 3],
        Some(&[w]) if d == 2 => [0.0, 0.0, w],
        Some(w) if d == 3 => vector(w, section, &format!("{at}.angular_velocity"))?,
        Some(w) => {
            let message = format!("has {} entries", w.len());
            let field = format!("{at}.angular_velocity");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, "give one number in the plane").into());
        }
    };
    let mut gradient = [[0.0; 3]; 3];
    if let Some(rows) = &spec.gradient {
        if rows.len() != d {
            let message = format!("has {} rows where the solid has {d} axes", rows.len());
            let field = format!("{at}.gradient");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {d} rows")).into());
        }
        for (k, row) in rows.iter().enumerate() {
            gradient[k] = vector(row, section, &format!("{at}.gradient[{k}]"))?;
        }
    }
    let damping = spec
        .damping
        .as_ref()
        .map_or(Rayleigh::default(), |damping| Rayleigh { mass: damping.mass, stiffness: damping.stiffness });
    Ok(Part {
        damping,
        offset: optional(&spec.offset, section, &format!("{at}.offset"))?,
        displacement: optional(&spec.displacement, section, &format!("{at}.displacement"))?,
        gradient,
        velocity: optional(&spec.velocity, section, &format!("{at}.velocity"))?,
        angular_velocity: turn,
        ..Part::new(spec.group.clone(), Hooke { young, poisson, density })
    })
}

fn support(spec: &SupportSpec, section: Section, at: &str) -> Result<percussion_model::solid::Support> {
    let d = section.dimension();
    let names = ["x", "y", "z"];
    let directions: Vec<[f64; 3]> = match (&spec.fix, &spec.normal) {
        (Some(_), Some(_)) => {
            let message = "fix and normal both say which directions are held";
            return Err(InputError::new(Code::CONTRADICTION, format!("{at}.normal"), message, "keep one").into());
        }
        (None, Some(normal)) => vec![vector(normal, section, &format!("{at}.normal"))?],
        (fix, None) => {
            let all: Vec<String> = names[..d].iter().map(ToString::to_string).collect();
            let mut list = Vec::new();
            for (k, axis) in fix.as_ref().unwrap_or(&all).iter().enumerate() {
                word(axis, &names[..d], &format!("{at}.fix[{k}]"))?;
                let mut direction = [0.0; 3];
                names.iter().zip(&mut direction).filter(|(name, _)| *name == axis).for_each(|(_, x)| *x = 1.0);
                list.push(direction);
            }
            list
        }
    };
    let motion = match &spec.motion {
        None => vec![Signal::default(); directions.len()],
        Some(list) if list.len() == directions.len() => signals(list),
        Some(list) => {
            let message = format!("has {} signals for {} directions held", list.len(), directions.len());
            let help = "give one for each axis of fix, in its order";
            return Err(InputError::new(Code::BAD_SHAPE, format!("{at}.motion"), message, help).into());
        }
    };
    let directions = directions.into_iter().zip(motion).collect();
    Ok(percussion_model::solid::Support { group: spec.group.clone(), directions })
}

fn load(spec: &LoadSpec, at: &str) -> Result<Load> {
    let kinds = [
        spec.pressure.as_ref().map(|SignalSpec(p)| LoadKind::Pressure(p.clone())),
        spec.traction.as_deref().map(|t| LoadKind::Traction(signals(t))),
        spec.force.as_deref().map(|f| LoadKind::Nodal(signals(f))),
    ];
    let mut given: Vec<LoadKind> = kinds.into_iter().flatten().collect();
    match (given.pop(), given.is_empty()) {
        (Some(kind), true) => Ok(Load { group: spec.group.clone(), kind }),
        (found, _) => {
            let message = if found.is_none() { "nothing acts" } else { "two kinds of load at once" };
            let help = "give one of pressure, traction and force";
            Err(InputError::new(Code::CONTRADICTION, at, message, help).into())
        }
    }
}

fn contact(spec: &SolidContactSpec, section: Section, size: f64, at: &str) -> Result<SurfaceContact> {
    let (e, mu) = (spec.restitution, spec.friction);
    if !(0.0..=1.0).contains(&e) {
        let message = format!("restitution = {e} is outside [0, 1]");
        let field = format!("{at}.restitution");
        return Err(InputError::new(Code::RESTITUTION, field, message, "0 is the choice for solids").into());
    }
    if !(mu >= 0.0 && mu.is_finite()) {
        let message = format!("friction = {mu} is not a number of at least 0");
        return Err(InputError::new(Code::FRICTION, format!("{at}.friction"), message, "give μ ≥ 0").into());
    }
    Ok(SurfaceContact {
        surface: spec.surface.clone(),
        against: against(spec, section, size, at)?,
        restitution: e,
        friction: mu,
        massless: spec.mass.as_deref() == Some("redistributed"),
    })
}

fn against(spec: &SolidContactSpec, section: Section, size: f64, at: &str) -> Result<Against> {
    let AgainstSpec { plane, sphere, cylinder, r#box: block, surface, motion } = &spec.against;
    if let Some(method) = &spec.method {
        word(method, &["node", "mortar"], &format!("{at}.method"))?;
    }
    let point = |x: &[f64], key: &str| vector(x, section, &format!("{at}.against.{key}"));
    let shape = match (plane, sphere, cylinder, block, surface) {
        (Some(plane), None, None, None, None) => Obstacle::Plane {
            point: point(&plane.point, "plane.point")?,
            normal: point(&plane.normal, "plane.normal")?,
        },
        (None, Some(sphere), None, None, None) => {
            Obstacle::Sphere { centre: point(&sphere.centre, "sphere.centre")?, radius: sphere.radius }
        }
        (None, None, Some(bar), None, None) => Obstacle::Cylinder {
            point: point(&bar.point, "cylinder.point")?,
            axis: point(&bar.axis, "cylinder.axis")?,
            radius: bar.radius,
        },
        (None, None, None, Some(block), None) => {
            let mut half = point(&block.size, "box.size")?.map(|l| 0.5 * l);
            half[section.dimension()..].fill(f64::INFINITY);
            Obstacle::Block { centre: point(&block.centre, "box.centre")?, half, angle: block.angle }
        }
        (None, None, None, None, Some(surface)) => return between(spec, surface, size, at),
        _ => {
            let message = "does not name one thing to touch";
            let help = "give one of plane, sphere, cylinder, box and surface";
            return Err(InputError::new(Code::CONTRADICTION, format!("{at}.against"), message, help).into());
        }
    };
    for (key, given) in [("method", spec.method.as_deref() == Some("mortar")), ("reach", spec.reach.is_some())] {
        if given {
            let message = format!("{key} is for contact between two surfaces");
            return Err(InputError::new(Code::CONTRADICTION, format!("{at}.{key}"), message, "remove it").into());
        }
    }
    let motion = motion.as_deref().map(signals).unwrap_or_default();
    if !motion.is_empty() && motion.len() != section.dimension() {
        let message = format!("has {} signals where the solid has {} axes", motion.len(), section.dimension());
        let field = format!("{at}.against.motion");
        return Err(InputError::new(Code::BAD_SHAPE, field, message, "give one for each axis").into());
    }
    Ok(Against::Obstacle { shape, motion })
}

/// Contact with another surface.
fn between(spec: &SolidContactSpec, surface: &str, size: f64, at: &str) -> Result<Against> {
    if spec.against.motion.is_some() {
        let message = "motion is for rigid shapes; a surface moves with its solid";
        let field = format!("{at}.against.motion");
        return Err(InputError::new(Code::CONTRADICTION, field, message, "remove it").into());
    }
    let method = match spec.method.as_deref() {
        Some("node") => Method::Node,
        Some(_) | None => Method::Mortar(Multipliers::Standard),
    };
    let reach = spec.reach.unwrap_or(0.1 * size);
    if !(reach > 0.0 && reach.is_finite()) {
        let message = format!("reach = {reach} is not a positive number");
        return Err(InputError::new(Code::BAD_SIZE, format!("{at}.reach"), message, "give it in metres").into());
    }
    Ok(Against::Surface { surface: surface.to_string(), method, reach })
}
