//! What the columns of a run's tables are called, with their units.
//!
//!   q3 → ball.x [m],    v2 → ball.omega [rad/s];    contacts by their bodies and a number, joints by their names

use crate::build::coordinates::{self, rate, unit_of_linear};
use crate::build::scenario::{Description, Scenario};
use crate::run::atomic_file::replace;
use crate::run::body_tables::joint_unit;
use crate::run::contact_names::ContactNames;
use crate::run::csv_text::quoted;
use percussion_model::solid::{Axis, Mesh, Solid};
use percussion_step::Model;
use std::fmt::Write as _;
use std::path::Path;

/// The table of names in a run folder.
pub const NAMES: &str = "names.csv";
/// Its header.
pub const NAMES_HEADER: &str = "kind,column,name,unit";

/// A coordinate or a velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnName {
    /// Its column of `trajectory.csv`.
    pub column: String,
    /// What a reader of the scenario would call it.
    pub name: String,
    /// Its unit; empty where the model does not tell.
    pub unit: &'static str,
    /// Further names it answers to.
    pub also: Vec<String>,
    /// What keys of the scenario call it: `body.0.angle`, `body.0.position.1`. They are no words of `output.select`, where `body` is a name.
    pub keys: Vec<String>,
}

impl ColumnName {
    /// Whether it is called this.
    pub fn answers(&self, word: &str) -> bool {
        let one = |names: &[String]| names.iter().any(|name| name == word);
        self.column == word || self.name == word || one(&self.also) || one(&self.keys)
    }
}

/// The names of q and of v.
pub fn columns(description: &Description, model: &Model) -> [Vec<ColumnName>; 2] {
    let named = |letter: &str, k: usize, name: String, unit: &'static str| ColumnName {
        column: format!("{letter}{k}"),
        name,
        unit,
        ..ColumnName::default()
    };
    let both = |name: &dyn Fn(usize) -> (String, &'static str)| {
        let q = (0..model.n_q()).map(|k| named("q", k, name(k).0, name(k).1)).collect();
        let v = (0..model.n_v()).map(|k| named("v", k, format!("{}_dot", name(k).0), rate(name(k).1))).collect();
        [q, v]
    };
    // x, y, θ of a point that turns
    let planar = |k: usize| [("x", "m"), ("y", "m"), ("theta", "rad")][k % 3];
    match description {
        Description::Linear(linear) => {
            let place = |k: usize| linear.kept.as_ref().map_or(k, |kept| kept[k]);
            let unit = |k: usize| unit_of_linear(linear, place(k));
            if !linear.coordinates.is_empty() {
                return both(&|k| (linear.coordinates[place(k)].clone(), unit(k)));
            }
            if let Some(picture) = &linear.picture {
                let names = of_solid(&picture.solid);
                return both(&|k| (names[place(k)].clone(), unit(k)));
            }
            // the columns of a condensed model are not the coordinates of the scenario any more
            let name = |letter: &str, k: usize| match &linear.kept {
                Some(kept) => format!("coordinate{}.{letter}", kept[k]),
                None => format!("{letter}{k}"),
            };
            let q = (0..model.n_q()).map(|k| named("q", k, name("q", k), unit(k))).collect();
            let v = (0..model.n_v()).map(|k| named("v", k, name("v", k), rate(unit(k)))).collect();
            [q, v]
        }
        Description::Own(spec) => {
            let unit = |k: usize| coordinates::unit(spec.units.as_ref(), k).unwrap_or("");
            if !spec.coordinates.is_empty() {
                return both(&|k| (spec.coordinates.get(k).cloned().unwrap_or_default(), unit(k)));
            }
            let q = (0..model.n_q()).map(|k| named("q", k, format!("q{k}"), unit(k))).collect();
            let v = (0..model.n_v()).map(|k| named("v", k, format!("v{k}"), rate(unit(k)))).collect();
            [q, v]
        }
        Description::Bar { .. } => both(&|k| (format!("node{k}.u"), "m")),
        Description::Pendulum(_) | Description::RockingBlock(_) => both(&|k| (planar(k).0.into(), planar(k).1)),
        Description::Beam(spec) => {
            let pinned = if spec.joints { 0 } else { 2 };
            both(&|k| (format!("node{}.{}", (k + pinned) / 3, planar(k + pinned).0), planar(k + pinned).1))
        }
        Description::Formula(spec) => both(&|k| {
            let unit = coordinates::unit(spec.units.as_ref(), k).unwrap_or("");
            (spec.coordinates.get(k).cloned().unwrap_or_default(), unit)
        }),
        Description::Solid(solid) => {
            let names = of_solid(&solid.solid);
            both(&|k| (names[k].clone(), "m"))
        }
        Description::Bodies(..) => of_bodies(model),
    }
}

/// x, y, z and the quaternion, or x, y and θ, body by body.
fn of_bodies(model: &Model) -> [Vec<ColumnName>; 2] {
    let Some(scene) = model.bodies() else { return [Vec::new(), Vec::new()] };
    let (places, rates): (&[_], &[_]) = if scene.is_planar() {
        (&[("x", "m"), ("y", "m"), ("theta", "rad")], &[("v_x", "m/s"), ("v_y", "m/s"), ("omega", "rad/s")])
    } else {
        (
            &[("x", "m"), ("y", "m"), ("z", "m"), ("w", "1"), ("i", "1"), ("j", "1"), ("k", "1")],
            &[
                ("v_x", "m/s"),
                ("v_y", "m/s"),
                ("v_z", "m/s"),
                ("omega_1", "rad/s"),
                ("omega_2", "rad/s"),
                ("omega_3", "rad/s"),
            ],
        )
    };
    let list = |letter: &str, parts: &[(&str, &'static str)]| {
        let mut names = Vec::new();
        for (number, body) in scene.bodies().iter().enumerate() {
            for (k, &(part, unit)) in parts.iter().enumerate() {
                let (column, name) = (format!("{letter}{}", names.len()), format!("{}.{part}", body.name));
                // modal coordinates are places of unit mass
                let unit = match (body.modal && k < 3, unit) {
                    (true, "m") => "m√kg",
                    (true, "m/s") => "m√kg/s",
                    (_, unit) => unit,
                };
                let keys = of_key(part).into_iter().chain([part.to_string()]);
                let keys =
                    keys.flat_map(|key| [format!("body.{number}.{key}"), format!("{}.{key}", body.name)]).collect();
                names.push(ColumnName { column, name, unit, also: Vec::new(), keys });
            }
        }
        names
    };
    [list("q", places), list("v", rates)]
}

/// The keys of a body that say where a coordinate or velocity of it starts.
fn of_key(part: &str) -> Vec<String> {
    let numbered = |key: &str, place: usize| vec![format!("{key}.{place}")];
    match part {
        "x" => numbered("position", 0),
        "y" => numbered("position", 1),
        "z" => numbered("position", 2),
        "v_x" => numbered("velocity", 0),
        "v_y" => numbered("velocity", 1),
        "v_z" => numbered("velocity", 2),
        "omega_1" => numbered("angular_velocity", 0),
        "omega_2" => numbered("angular_velocity", 1),
        "omega_3" => numbered("angular_velocity", 2),
        "theta" => vec!["angle".into()],
        "omega" => vec!["angular_velocity".into(), "angular_velocity.0".into()],
        _ => Vec::new(),
    }
}

/// The free displacements of a solid by the numbers of their nodes in the mesh.
fn of_solid(solid: &Solid) -> Vec<String> {
    let coordinates = solid.coordinates();
    let mut names = vec![String::new(); coordinates.n_free()];
    for node in 0..solid.matter().n_nodes() {
        for (a, axis) in coordinates.axes(node).iter().enumerate() {
            let Axis::Free(i) = axis else { continue };
            // turned axes are numbered, the others are those of the world
            let letter = if coordinates.is_turned(node) { ["1", "2", "3"][a] } else { ["x", "y", "z"][a] };
            names[*i] = format!("node{}.{letter}", solid.node_tag(node));
        }
    }
    names
}

/// Gives the coordinates of a solid the names of the groups their nodes belong to as well: `tip.x`.
pub fn add_groups(description: &Description, names: &mut [Vec<ColumnName>; 2]) {
    let (bytes, solid) = match description {
        Description::Solid(own) => (&own.mesh, &own.solid),
        Description::Linear(linear) => match &linear.picture {
            Some(picture) if linear.kept.is_none() && linear.coordinates.is_empty() => (&picture.bytes, &picture.solid),
            Some(_) | None => return,
        },
        Description::Bar { .. }
        | Description::Pendulum(_)
        | Description::RockingBlock(_)
        | Description::Beam(_)
        | Description::Formula(_)
        | Description::Own(_)
        | Description::Bodies(..) => return,
    };
    let Ok(mesh) = Mesh::from_gmsh(bytes) else { return };
    let (matter, coordinates) = (solid.matter(), solid.coordinates());
    for group in &mesh.groups {
        let Ok(nodes) = mesh.nodes_of(&group.name, "output.select") else { continue };
        for node in nodes.into_iter().filter_map(|node| matter.node(node)) {
            for axis in coordinates.axes(node) {
                let Axis::Free(i) = axis else { continue };
                for list in names.iter_mut() {
                    let part = list[*i].name.rsplit_once('.').map_or("", |(_, part)| part);
                    let name = format!("{}.{part}", group.name);
                    if !list[*i].also.contains(&name) {
                        list[*i].also.push(name);
                    }
                }
            }
        }
    }
}

/// Writes `names.csv`: the columns of the trajectory and the joints that are kept, and the contacts that were met.
pub fn write_names(scenario: &Scenario, contacts: &ContactNames, folder: &Path) -> std::io::Result<()> {
    let mut text = format!("{NAMES_HEADER}\n");
    for [kind, column, name, unit] in name_rows(scenario, contacts) {
        let _ = writeln!(text, "{kind},{},{},{unit}", quoted(&column), quoted(&name));
    }
    replace(&folder.join(NAMES), text.as_bytes())
}

/// The unit of a contact's gap: of stops and backlash of hinges an angle; empty where the model does not tell.
pub fn gap_unit(scenario: &Scenario, id: usize) -> &'static str {
    match (&scenario.description, scenario.model().bodies()) {
        (_, Some(scene)) if scene.is_angular(id as u64) => "rad",
        (Description::Own(_), _) => "",
        (Description::Linear(linear), _) => {
            let contact = scenario.model().linear().and_then(|linear| linear.contacts().get(id));
            contact.map_or("m", |contact| coordinates::gap_unit(linear, &contact.normal))
        }
        (Description::Formula(_), _) => "m",
        (
            Description::Bar { .. }
            | Description::Pendulum(_)
            | Description::RockingBlock(_)
            | Description::Beam(_)
            | Description::Solid(_)
            | Description::Bodies(..),
            _,
        ) => "m",
    }
}

/// The rows of `names.csv`; contacts in the order they were met.
pub fn name_rows(scenario: &Scenario, contacts: &ContactNames) -> Vec<[String; 4]> {
    let model = scenario.model();
    let [q, v] = columns(&scenario.description, model);
    let mut rows = Vec::new();
    let mut line = |kind: &str, column: &str, name: &str, unit: &str| {
        rows.push([kind, column, name, unit].map(String::from));
    };
    for &k in &scenario.selection.q {
        line("coordinate", &q[k].column, &q[k].name, q[k].unit);
    }
    for &k in &scenario.selection.v {
        line("velocity", &v[k].column, &v[k].name, v[k].unit);
    }
    for (j, joint) in model.bodies().iter().flat_map(|scene| scene.joints().iter().enumerate()) {
        if scenario.selection.joint(j) {
            let unit = joint.coordinate.as_ref().map_or("", |term| joint_unit(&term.measure));
            line("joint", &joint.name, &joint.name, unit);
        }
    }
    // those that are not kept too: events and verdicts are about the whole model
    for &id in contacts.order() {
        line("contact", &id.to_string(), &contacts.name(model, id), gap_unit(scenario, id));
    }
    rows
}
