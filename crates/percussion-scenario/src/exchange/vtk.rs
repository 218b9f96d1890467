//! A run for ParaView: one file per frame, and a `.pvd` with the physical times. Bodies by their surfaces (`.vtp`), solids by their elements
//! (`.vtu`), other models as the report draws them.
//!
//! Contacts and joints of bodies are parts of their own: places with forces, and the chains along which these run; beams are lines, solids among
//! bodies their elements where they are.
//!
//! Cell data: number of the body, speed of its centre of mass, its angular speed. Point data: velocity of the surface.

use crate::error::{Result, ScenarioError};
use crate::exchange::vtk_beams::beams;
use crate::exchange::vtk_forces::{Reactions, contacts};
use crate::exchange::vtk_picture::PictureFrames;
use crate::exchange::vtu::SolidFrames;
use crate::run::folder::{Row, RunFolder};
use crate::scene::{self, shapeless};
use percussion_model::Code;
use percussion_model::bodies::math::{add, mul, norm};
use percussion_model::bodies::shapes::Surface;
use percussion_model::bodies::{Bodies, Body};
use std::fmt::Write as _;
use std::path::Path;

/// Frames at most; longer runs are thinned evenly.
const MAX_FRAMES: u64 = 1000;

/// Writes `run.pvd` and its frames into a folder; gives the number of frames.
pub fn export_vtk(folder: &Path, out: &Path) -> Result<u64> {
    let run = RunFolder::open(folder)?;
    let scenario = &run.loaded.scenario;
    let mut frames = match (scene::elements(&scenario.description), run.model().bodies()) {
        (Some(solid), _) => {
            let frames = SolidFrames::new(solid, run.model().finite_solid());
            // of matrices with a mesh nothing is known of what holds it
            let frames = if run.model().is_of_elements() { frames.with_reactions()? } else { frames };
            Frames::Solid(Box::new(frames))
        }
        (None, Some(scene)) => {
            // coarser in large scenes
            let fineness = if scene.len() > 200 { 8 } else { 16 };
            let surface = |(i, body): (usize, &Body)| {
                let pieces = shapeless::pieces(scene, i);
                match body.node {
                    true => Surface::default(),
                    false if pieces.is_empty() => body.shape.surface(scene.is_planar(), fineness),
                    false => Surface::joined(pieces),
                }
            };
            Frames::Bodies(scene, scene.bodies().iter().enumerate().map(surface).collect())
        }
        (None, None) => match PictureFrames::open(&run)? {
            Some(frames) => Frames::Picture(Box::new(frames)),
            None => {
                let message = "the run has no moving picture, or its tables hold a part of the coordinates only";
                let help = "give the model a picture, run it without output.select, or use --to csv";
                return Err(ScenarioError::file(Code::UNSUPPORTED, folder.display().to_string(), message, help));
            }
        },
    };
    let failed = |path: &Path, error: std::io::Error| {
        let message = format!("cannot be written: {error}");
        ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, "choose another --out folder")
    };
    let below = out.join("frames");
    std::fs::create_dir_all(&below).map_err(|error| failed(&below, error))?;
    let stored = scenario.count.n / scenario.every.max(1) + 1;
    let stride = stored.div_ceil(MAX_FRAMES).max(1);
    let mut index = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    let mut reactions = Reactions::open(&run)?;
    let (mut rows, mut row) = (run.rows()?, Row::default());
    let (mut number, mut written, mut before) = (0_u64, 0_u64, 0.0);
    while rows.next(&mut row)? {
        frames.see(&row);
        if number.is_multiple_of(stride) {
            let name = format!("frames/frame-{written:05}.{}", frames.extension());
            let bytes = frames.frame(&row, row.state.t - before);
            let mut parts = vec![(name, bytes)];
            if let Some(scene) = run.model().bodies() {
                let forces = contacts(scene, &row, row.state.t - before).into_bytes();
                parts.push((format!("frames/contacts-{written:05}.vtp"), forces));
                if let Some(reactions) = &mut reactions {
                    parts.push((format!("frames/joints-{written:05}.vtp"), reactions.frame(scene, &row)?.into_bytes()));
                }
                for (k, solid) in scene.elastic().iter().enumerate() {
                    let of = |i: usize| (scene.frame(i, &row.state.q).x, scene.twist(i, &row.state.v).v);
                    let (places, velocities): (Vec<_>, Vec<_>) = solid.nodes().map(of).unzip();
                    let cells = SolidFrames::new(&solid.solid, None).among_bodies(&places, &velocities);
                    parts.push((format!("frames/solid-{k}-{written:05}.vtu"), cells));
                }
                if !scene.beams().is_empty() {
                    let lines = beams(scene, &row.state.q, &row.state.v).into_bytes();
                    parts.push((format!("frames/beams-{written:05}.vtp"), lines));
                }
            }
            for (part, (name, bytes)) in parts.into_iter().enumerate() {
                let path = out.join(&name);
                crate::run::plain_file::write(&path, &bytes).map_err(|error| failed(&path, error))?;
                let t = row.state.t;
                let _ = writeln!(index, "    <DataSet timestep=\"{t:?}\" part=\"{part}\" file=\"{name}\"/>");
            }
            written += 1;
        }
        before = row.state.t;
        number += 1;
    }
    index.push_str("  </Collection>\n</VTKFile>\n");
    let path = out.join("run.pvd");
    crate::run::plain_file::write(&path, index.as_bytes()).map_err(|error| failed(&path, error))?;
    Ok(written)
}

/// What is written frame by frame.
enum Frames<'a> {
    Bodies(&'a Bodies, Vec<Surface>),
    Solid(Box<SolidFrames<'a>>),
    Picture(Box<PictureFrames>),
}

impl Frames<'_> {
    fn extension(&self) -> &'static str {
        match self {
            Self::Bodies(..) | Self::Picture(_) => "vtp",
            Self::Solid(_) => "vtu",
        }
    }

    /// Takes a row, written or not.
    fn see(&mut self, row: &Row) {
        match self {
            Self::Solid(frames) => frames.see(row),
            Self::Bodies(..) | Self::Picture(_) => (),
        }
    }

    /// The file of one row, whose impulses acted for the time h.
    fn frame(&mut self, row: &Row, h: f64) -> Vec<u8> {
        match self {
            Self::Bodies(scene, surfaces) => frame(scene, surfaces, &row.state.q, &row.state.v).into_bytes(),
            Self::Solid(frames) => frames.frame(row, h),
            Self::Picture(frames) => frames.frame(row).into_bytes(),
        }
    }
}

/// One frame as XML poly data.
fn frame(scene: &Bodies, surfaces: &[Surface], q: &[f64], v: &[f64]) -> String {
    let (mut points, mut velocities) = (String::new(), String::new());
    let (mut connectivity, mut offsets) = (String::new(), String::new());
    let (mut bodies, mut speeds, mut spins) = (String::new(), String::new(), String::new());
    let (mut n_points, mut n_faces, mut end) = (0, 0, 0);
    for (i, surface) in surfaces.iter().enumerate() {
        let (place, twist) = (scene.frame(i, q), scene.twist(i, v));
        for r in &surface.points {
            let r = &scene.bodies()[i].placed.map_or(*r, |seat| add(&seat.point, &mul(&seat.axes, r)));
            let x = place.point(r);
            let u = place.velocity(&twist, r);
            let _ = writeln!(points, "{:?} {:?} {:?}", x[0], x[1], x[2]);
            let _ = writeln!(velocities, "{:?} {:?} {:?}", u[0], u[1], u[2]);
        }
        for face in &surface.faces {
            for k in face {
                let _ = write!(connectivity, "{} ", n_points + k);
            }
            end += face.len();
            let _ = write!(offsets, "{end} ");
            let _ = write!(bodies, "{i} ");
            let _ = write!(speeds, "{:?} ", norm(&twist.v));
            let _ = write!(spins, "{:?} ", norm(&twist.w));
        }
        n_points += surface.points.len();
        n_faces += surface.faces.len();
    }
    let array = |kind: &str, name: &str, components: usize, data: &str| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{data}\n</DataArray>\n"
        )
    };
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n\
         <Piece NumberOfPoints=\"{n_points}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{n_faces}\">\n\
         <Points>\n{}</Points>\n<PointData>\n{}</PointData>\n<CellData>\n{}{}{}</CellData>\n<Polys>\n{}{}</Polys>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n",
        array("Float64", "points", 3, &points),
        array("Float64", "velocity", 3, &velocities),
        array("Int32", "body", 1, &bodies),
        array("Float64", "speed", 1, &speeds),
        array("Float64", "angular_speed", 1, &spins),
        array("Int32", "connectivity", 1, &connectivity),
        array("Int32", "offsets", 1, &offsets),
    )
}
