//! Trajectories of solids from an independent implementation, reproduced to 1e-8 of the largest value of each group of columns:
//! positions, velocities, energies and works, impulse. The files are beside the repository; without them nothing is compared.

use percussion_model::Signal;
use percussion_model::solid::contact::{Against, Obstacle, SurfaceContact};
use percussion_model::solid::{Hooke, Kinematics, Mesh, Part, Section, Solid, SolidMass, SolidParts};
use percussion_solve::SolverOptions;
use percussion_step::{Outcome, Problem, Scheme, SchemeOptions, Trajectory, simulate};
use std::path::PathBuf;

fn reference(name: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/solids").join(name);
    let bytes = std::fs::read(path).ok();
    if bytes.is_none() {
        eprintln!("{name} is not beside the repository: not compared");
    }
    bytes
}

struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

fn table(name: &str) -> Option<Table> {
    let text = String::from_utf8(reference(name)?).expect("text");
    let mut lines = text.lines();
    let columns = lines.next().expect("a header").split(',').map(str::to_string).collect();
    let rows = lines.map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    Some(Table { columns, rows })
}

/// The solid of a mesh with one part and a floor.
fn on_floor(
    mesh: &str,
    d: usize,
    material: Hooke,
    mass: SolidMass,
    surface: &str,
    friction: f64,
) -> Option<SolidParts> {
    let mut normal = [0.0; 3];
    normal[d - 1] = 1.0;
    Some(SolidParts {
        kinematics: Kinematics::Linear,
        mesh: Mesh::from_gmsh(&reference(mesh)?).expect("a mesh"),
        section: if d == 2 { Section::Strain { thickness: 1.0 } } else { Section::Space },
        mass,
        gravity: Default::default(),
        parts: vec![Part::new("solid", material)],
        supports: vec![],
        loads: vec![],
        contacts: vec![SurfaceContact {
            surface: surface.into(),
            against: Against::Obstacle { shape: Obstacle::Plane { point: [0.0; 3], normal }, motion: vec![] },
            restitution: 0.0,
            friction,
            massless: false,
        }],
    })
}

/// The group a column is measured in.
fn group(column: &str) -> &str {
    match column {
        "step" | "t" => "t",
        "kinetic" | "potential" | "work_contact_sum" => "energy",
        "impulse_normal_sum" => "impulse",
        _ => &column[..1],
    }
}

/// Runs and returns the worst difference relative to its group, with the column.
fn compare(file: &str, parts: SolidParts, scheme: (&str, SchemeOptions), h: f64, steps: usize) -> Option<f64> {
    let table = table(file)?;
    let solid = Solid::new(parts).expect("a solid");
    let (q0, v0) = solid.initial_state().expect("a start");
    let problem = Problem::linear(solid.linear_model().expect("a model"), q0, v0).expect("a problem");
    let on_gaps = scheme.1.activation.as_deref() == Some("gap");
    let scheme = Scheme::resolve(scheme.0, &scheme.1).expect("a scheme").0;
    let options = SolverOptions { tolerance: 1e-13, ..SolverOptions::default() };
    let mut run = Trajectory::new();
    let outcome = simulate(&problem, &scheme, options, h, h * steps as f64, &mut run).expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{file}: {outcome:?}");

    let n_contacts = solid.contacts().len();
    let mut impulse = vec![0.0; run.len()];
    for k in 0..n_contacts {
        run.impulses(k).iter().zip(&mut impulse).for_each(|(p, sum)| *sum += p);
    }
    let summed = |x: Vec<f64>| -> Vec<f64> {
        x.iter()
            .scan(0.0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
            .collect()
    };
    let impulse = summed(impulse);
    let work = summed(run.ledger.iter().map(|entry| entry.work_contact).collect());
    let d = solid.coordinates().dimension();
    let found = |column: &str, row: usize| match column {
        "step" => row as f64,
        "t" => run.t[row],
        "kinetic" => run.ledger[row].kinetic,
        "potential" => run.ledger[row].potential,
        "work_contact_sum" => work[row],
        "impulse_normal_sum" => impulse[row],
        _ => {
            let (node, axis) = column[1..].split_at(column.len() - 2);
            let k = d * node.parse::<usize>().expect("a node") + "xyz".find(axis).expect("an axis");
            if column.starts_with('q') { run.q(row)[k] } else { run.v(row)[k] }
        }
    };
    // under the law on gaps the velocity of a node without mass is shown as that of the middle of the step
    let shown_otherwise = |column: &str| {
        let node = column.strip_prefix('v').and_then(|rest| rest[..rest.len() - 1].parse::<usize>().ok());
        on_gaps && node.is_some_and(|node| solid.node_mass().massless[node])
    };
    let mut worst = (0.0, String::new());
    for (k, column) in table.columns.iter().enumerate().filter(|(_, column)| !shown_otherwise(column)) {
        let own = |(_, other): &(usize, &String)| group(other) == group(column);
        let size =
            table.columns.iter().enumerate().filter(own).flat_map(|(j, _)| table.rows.iter().map(move |r| r[j].abs()));
        let size = size.fold(f64::MIN_POSITIVE, f64::max);
        for row in &table.rows {
            let difference = (found(column, row[0] as usize) - row[k]).abs() / size;
            if difference > worst.0 {
                worst = (difference, column.clone());
            }
        }
    }
    let last = run.len() - 1;
    eprintln!(
        "{file}: {} rows, worst {:.1e} in {}; energy {:.10}, impulse {:.10}, contact work {:.6}",
        table.rows.len(),
        worst.0,
        worst.1,
        run.ledger[last].energy(),
        impulse[last],
        work[last]
    );
    Some(worst.0)
}

fn half() -> SchemeOptions {
    SchemeOptions { theta: Some(0.5), friction_law: None, ..Default::default() }
}

fn disc(mass: SolidMass) -> Option<SolidParts> {
    let mut parts = on_floor("disc.msh", 2, Hooke::from_lame(1e6, 5e5, 6000.0), mass, "foot", 0.0)?;
    parts.parts[0].velocity = [0.0, -1.0, 0.0];
    Some(parts)
}

#[test]
fn disc_by_moreau_jean_with_consistent_mass() {
    let Some(parts) = disc(SolidMass::Consistent) else { return };
    let worst = compare("disc-mj-consistent.csv", parts, ("moreau-jean", half()), 6.8e-4, 125);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

#[test]
fn disc_by_generalized_alpha_with_lumped_mass() {
    let Some(parts) = disc(SolidMass::Lumped) else { return };
    let options = SchemeOptions { rho_inf: Some(0.8), ..Default::default() };
    let worst = compare("disc-ga08-lumped.csv", parts, ("generalized-alpha", options), 6.8e-4, 125);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

#[test]
fn block_with_friction() {
    let hooke = Hooke { young: 2e6, poisson: 0.3, density: 1200.0 };
    let Some(mut parts) = on_floor("block.msh", 2, hooke, SolidMass::Lumped, "bottom", 0.3) else { return };
    parts.parts[0].velocity = [1.5, 0.0, 0.0];
    parts.gravity[1] = Signal::constant(-9.81);
    let options = SchemeOptions { friction_law: Some("newton".into()), ..half() };
    let worst = compare("block-friction.csv", parts, ("moreau-jean", options), 1e-3, 400);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

#[test]
fn turning_cube_with_friction() {
    let hooke = Hooke { young: 2e6, poisson: 0.3, density: 1500.0 };
    let Some(mut parts) = on_floor("cube.msh", 3, hooke, SolidMass::Lumped, "bottom", 0.25) else { return };
    parts.parts[0].velocity = [0.5, 0.0, -1.0];
    parts.parts[0].angular_velocity = [0.0, -1.5, 0.0];
    let options = SchemeOptions { friction_law: Some("newton".into()), ..half() };
    let worst = compare("cube-friction.csv", parts, ("moreau-jean", options), 1e-4, 150);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

/// The same with mass taken from the surface of contact.
fn massless(mut parts: SolidParts) -> SolidParts {
    parts.contacts[0].massless = true;
    parts
}

#[test]
fn disc_in_equilibrium_without_mass_at_its_surface() {
    let Some(parts) = disc(SolidMass::Lumped) else { return };
    let options = SchemeOptions { activation: Some("equilibrium".into()), ..half() };
    let worst = compare("disc-equilibrium.csv", massless(parts), ("moreau-jean", options), 6.8e-4, 125);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

#[test]
fn disc_by_the_law_on_gaps() {
    let Some(parts) = disc(SolidMass::Lumped) else { return };
    let options = SchemeOptions { activation: Some("gap".into()), ..half() };
    let worst = compare("disc-gap.csv", massless(parts), ("moreau-jean", options), 6.8e-4, 125);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}

#[test]
fn block_with_friction_by_the_law_on_gaps() {
    let hooke = Hooke { young: 2e6, poisson: 0.3, density: 1200.0 };
    let Some(mut parts) = on_floor("block.msh", 2, hooke, SolidMass::Lumped, "bottom", 0.3) else { return };
    parts.parts[0].velocity = [1.5, 0.0, 0.0];
    parts.gravity[1] = Signal::constant(-9.81);
    let options = SchemeOptions { activation: Some("gap".into()), ..half() };
    let worst = compare("block-gap-friction.csv", massless(parts), ("moreau-jean", options), 1e-3, 150);
    assert!(worst.is_none_or(|worst| worst <= 1e-8));
}
