//! A ball, a box and a capsule thrown above a floor, in space: `cargo run -p percussion-report --example space -- page.html`.
//! The motion is written out, not computed: the page of a model is what is shown here.

use percussion_report::{
    Column, ContactMark, Geometry, Meta, Place, ReportBuilder, Role, Rule, RunInfo, SceneDescription, ScenePoint,
    Shape, TableMeta, render,
};

/// Centre and turn of a body that bounces between heights `low` and `low` + 1.
fn body(x: f64, low: f64, rate: f64, t: f64) -> [f64; 7] {
    let phase = (rate * t).rem_euclid(1.0);
    let angle = 1.5 * rate * t;
    let (s, c) = (0.5 * angle).sin_cos();
    [x, 0.3 * t, low + 4.0 * phase * (1.0 - phase), c, 0.6 * s, 0.8 * s, 0.0]
}

fn main() -> std::io::Result<()> {
    let bodies = [
        ("ball", Geometry::Sphere { radius: 0.25 }, -0.9, 0.25, 0.7),
        ("box", Geometry::Box { size: [0.5, 0.3, 0.2] }, 0.0, 0.35, 0.9),
        ("capsule", Geometry::Capsule { radius: 0.12, length: 0.5 }, 0.9, 0.37, 0.8),
        ("cylinder", Geometry::Cylinder { radius: 0.2, length: 0.3 }, 1.7, 0.3, 1.0),
    ];
    let column = |name: &str| Column {
        name: name.into(),
        rule: Rule::Value,
        words: if name == "kind" { vec!["impact".into()] } else { Vec::new() },
    };
    let columns = ["t", "step", "kind", "contact", "u_n_before", "u_n_after", "p_n"].map(column).to_vec();
    let events = TableMeta { file: "events.csv".into(), columns, budget: 100_000 };
    let mut builder =
        ReportBuilder::new(Meta { n_contacts: 1, film: (0..28).collect(), tables: vec![events], ..Meta::default() });
    let mut bounces = 0.0;
    for k in 0..=600 {
        let t = k as f64 * 0.005;
        let q: Vec<f64> = bodies.iter().flat_map(|(_, _, x, low, rate)| body(*x, *low, *rate, t)).collect();
        let gap = q[2] - 0.25;
        if (0.7 * t).floor() > bounces {
            bounces = (0.7 * t).floor();
            builder.push_event(t, "impact", 0, -2.8, 2.8, 5.6);
            builder.push_row(0, k, true, [t, k as f64, 0.0, 0.0, -2.8, 2.8, 5.6]);
            builder.push_arrow(t, [q[21], q[22], 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]);
        }
        builder.push_state(t, &q, &[0.0]);
        builder.push_gap(t, 0, gap, 0.0);
    }
    let floor = Shape {
        name: "floor".into(),
        role: Role::Obstacle,
        geometry: Geometry::Plane { normal: [0.0, 0.0, 1.0], extent: 0.0 },
        place: Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] },
    };
    let moving = bodies.into_iter().enumerate().map(|(i, (name, geometry, ..))| Shape {
        name: name.into(),
        role: Role::Body,
        geometry,
        place: Place::Body { first: 7 * i },
    });
    let point = ScenePoint::On { shape: 1, local: [0.0; 3] };
    let scene = SceneDescription {
        space: true,
        shapes: std::iter::once(floor).chain(moving).collect(),
        contacts: vec![ContactMark { contact: 0, point, normal: [0.0, 0.0, 1.0], tangents: Vec::new() }],
        profiles: Vec::new(),
        note: "Drag to turn the picture.".into(),
    };
    let mut report = builder.finish(RunInfo { scenario: "thrown bodies".into(), t_end: 3.0, ..RunInfo::default() });
    report.set_scene(scene);
    let path = std::env::args().nth(1).unwrap_or_else(|| "space.html".into());
    std::fs::write(path, render(&[report]))
}
