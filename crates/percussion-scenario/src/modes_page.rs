//! Mode shapes as a page with moving pictures: one swing a second, whatever their frequency, as far as can be seen.
//!
//!   q(s) = q₀ ⊕ a φ sin 2πs,    a |φ|_max = a tenth of the scene's size, no turn beyond 0.3 rad

use crate::build::scenario::Scenario;
use crate::run::names::{ColumnName, columns};
use crate::scene;
use percussion_model::bodies::Bodies;
use percussion_model::bodies::math::{Vec3, normalised, turned};
use percussion_report::{Meta, Report, ReportBuilder, RunInfo, render};
use percussion_step::Mode;

/// Pictures of a swing, and how many swings.
const PICTURES: usize = 40;
const SWINGS: usize = 2;
/// Part of the scene's size by which the body that moves most is drawn away from its place, and the largest turn [rad].
const SWAY: f64 = 0.1;
const TURN: f64 = 0.3;

/// The page; a run for each mode, named by its number and frequency. None for scenarios that are not bodies.
pub fn modes_page(scenario: &Scenario, modes: &[Mode]) -> Option<String> {
    let scene = scenario.problem.model.bodies()?;
    let reports: Vec<Report> = modes.iter().enumerate().map(|(k, mode)| report(scenario, scene, (k, mode))).collect();
    Some(render(&reports))
}

fn report(scenario: &Scenario, scene: &Bodies, (k, mode): (usize, &Mode)) -> Report {
    let names = columns(&scenario.description, scenario.model());
    let of = |list: &[ColumnName]| -> (Vec<String>, Vec<String>) {
        list.iter().map(|column| (column.name.clone(), column.unit.to_string())).unzip()
    };
    let ((q_names, q_units), (v_names, v_units)) = (of(&names[0]), of(&names[1]));
    let mut meta = Meta { q_names, q_units, v_names, v_units, film: scene::film(scenario), ..Meta::default() };
    scene::bodies::choose(scene, &mut meta);
    let mut builder = ReportBuilder::new(meta);
    let (q0, sway) = (&scenario.problem.q0, sway(scene, &scenario.problem.q0, mode));
    let v = vec![0.0; scene.n_v()];
    for picture in 0..=PICTURES * SWINGS {
        let t = picture as f64 / PICTURES as f64;
        builder.push_state(t, &displaced(scene, q0, mode, sway * (std::f64::consts::TAU * t).sin()), &v);
    }
    let drawn = scene::scene(scenario, builder.ranges());
    let mut report = builder.finish(RunInfo {
        scenario: format!("modes of {}", scenario.name),
        scheme: format!("mode {k}, {:.6} Hz", mode.frequency()),
        step: 1.0 / PICTURES as f64,
        steps: (PICTURES * SWINGS) as u64,
        t_end: SWINGS as f64,
        version: env!("CARGO_PKG_VERSION").into(),
        ..RunInfo::default()
    });
    if let Some(drawn) = drawn {
        report.set_scene(drawn);
    }
    report
}

/// a.
fn sway(scene: &Bodies, q: &[f64], mode: &Mode) -> f64 {
    let places: Vec<Vec3> =
        (0..scene.len()).filter(|&i| !scene.bodies()[i].modal).map(|i| scene.frame(i, q).x).collect();
    let width = |k: usize| {
        let (low, high) =
            places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x[k]), h.max(x[k])));
        high - low
    };
    let size = (0..3).map(|k| width(k).powi(2)).sum::<f64>().sqrt();
    let largest = |of: std::ops::Range<usize>| {
        let norm = |row: &[f64; 6]| row[of.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
        mode.shape.iter().map(norm).fold(0.0, f64::max)
    };
    let (moved, turned) = (largest(0..3), largest(3..6));
    // a lone body has no size but what it turns by
    let by_place = if moved > 0.0 && size > 0.0 { SWAY * size / moved } else { f64::INFINITY };
    let by_turn = if turned > 0.0 { TURN / turned } else { f64::INFINITY };
    let sway = by_place.min(by_turn);
    if sway.is_finite() { sway } else { 1.0 }
}

/// The scene moved by a part of a mode.
pub fn displaced(scene: &Bodies, q: &[f64], mode: &Mode, a: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    let n = if scene.is_planar() { 3 } else { 7 };
    for (place, shape) in q.chunks_exact_mut(n).zip(&mode.shape) {
        if scene.is_planar() {
            place[0] += a * shape[0];
            place[1] += a * shape[1];
            place[2] += a * shape[5];
            continue;
        }
        (0..3).for_each(|k| place[k] += a * shape[k]);
        let rotation = [place[3], place[4], place[5], place[6]];
        let turn = [a * shape[3], a * shape[4], a * shape[5]];
        place[3..].copy_from_slice(&turned(&normalised(&rotation), &turn));
    }
    q
}
