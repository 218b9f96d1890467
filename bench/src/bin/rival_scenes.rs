//! The scenes of `bench/rivals/scenes.py` in this program, the same columns, judged by places and velocities in the same way.
//!
//! `rival_scenes scene[=steps] ...` with the scenes ball, spin3, spin5, spin10, brick, chain, pile200, pile1000.

use percussion_model::bodies::{
    Bodies, BodyParts, JointKind, JointParts, Materials, Matter, Motion, PairLaw, SceneParts, Shape,
};
use percussion_solve::{Method, SolverOptions};
use percussion_step::{Activation, FrictionLaw, Problem, Scheme, Simulation, State};

const G: f64 = 9.81;

/// One row: a scene under a scheme.
struct Case {
    name: String,
    settings: String,
    scene: Bodies,
    scheme: Scheme,
    options: SolverOptions,
    h: f64,
    steps: usize,
    every: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Pile { half: f64 },
    Ball { e: f64 },
    Brick,
    Chain,
}

fn plane(name: &str, position: [f64; 3], rotation: [f64; 4]) -> BodyParts {
    BodyParts {
        name: name.into(),
        shape: Shape::plane(),
        motion: Motion::Fixed,
        position,
        rotation,
        ..Default::default()
    }
}

fn scene(bodies: Vec<BodyParts>, joints: Vec<JointParts>, restitution: f64, friction: f64) -> Bodies {
    let materials = Materials::uniform(PairLaw { restitution, friction, ..Default::default() }).expect("a law");
    let gravity = [0.0, 0.0, -G];
    let parts = SceneParts {
        planar: false,
        gravity,
        bodies,
        materials,
        springs: Vec::new(),
        joints,
        no_contact: Vec::new(),
        flexible: Default::default(),
    };
    Bodies::new(parts).expect("a scene")
}

fn pile(edge: [usize; 3], steps: Option<usize>) -> Case {
    let half = 0.11 * edge[0] as f64;
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let mut bodies = vec![
        plane("floor", [0.0; 3], [1.0, 0.0, 0.0, 0.0]),
        plane("west", [-half, 0.0, 0.0], [s, 0.0, s, 0.0]),
        plane("east", [half, 0.0, 0.0], [s, 0.0, -s, 0.0]),
        plane("south", [0.0, -half, 0.0], [s, -s, 0.0, 0.0]),
        plane("north", [0.0, half, 0.0], [s, s, 0.0, 0.0]),
    ];
    let mut seed = 1_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.009 * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    for k in 0..edge[2] {
        for j in 0..edge[1] {
            for i in 0..edge[0] {
                let at = |i: usize, n: usize| 0.22 * (i as f64 - 0.5 * (n as f64 - 1.0));
                let position = [at(i, edge[0]) + dice(), at(j, edge[1]) + dice(), 0.12 + 0.22 * k as f64];
                bodies.push(BodyParts {
                    name: format!("ball {}", bodies.len()),
                    shape: Shape::sphere(0.1),
                    matter: Matter::Density(1000.0),
                    position,
                    ..Default::default()
                });
            }
        }
    }
    Case {
        name: format!("pile-{}", edge.iter().product::<usize>()),
        settings: "moreau-jean; theta 1; gap; 1e-4".into(),
        scene: scene(bodies, Vec::new(), 0.0, 0.5),
        scheme: Scheme::moreau_jean(1.0).with_activation(Activation::Gap),
        options: SolverOptions { method: Method::Auto, tolerance: 1e-4, enough: None, max_iterations: 2000 },
        h: 2e-3,
        steps: steps.unwrap_or(1000),
        every: 20,
        kind: Kind::Pile { half },
    }
}

fn ball(name: &str, e: f64, mu: f64, end: f64, v: [f64; 3], w: [f64; 3]) -> Case {
    let body = BodyParts {
        name: "ball".into(),
        shape: Shape::sphere(0.2),
        matter: Matter::Given { mass: 1.0, inertia: diagonal([0.016; 3]) },
        position: [0.0, 0.0, 1.0],
        velocity: v,
        angular_velocity: w,
        ..Default::default()
    };
    single(name, body, e, mu, end, Kind::Ball { e })
}

fn brick() -> Case {
    let body = BodyParts {
        name: "brick".into(),
        shape: Shape::cuboid([0.4, 0.2, 0.1]),
        matter: Matter::Density(125.0),
        position: [0.0, 0.0, 1.0],
        velocity: [2.0, 0.5, 0.0],
        angular_velocity: [5.0, 7.0, 3.0],
        ..Default::default()
    };
    single("brick", body, 1.0, 0.5, 5.0, Kind::Brick)
}

fn single(name: &str, body: BodyParts, e: f64, mu: f64, end: f64, kind: Kind) -> Case {
    let law = if let Kind::Brick = kind { FrictionLaw::Checked } else { FrictionLaw::Newton };
    Case {
        name: name.into(),
        settings: format!("moreau-jean; theta 1/2; {}", law.name()),
        scene: scene(vec![plane("floor", [0.0; 3], [1.0, 0.0, 0.0, 0.0]), body], Vec::new(), e, mu),
        scheme: Scheme::moreau_jean(0.5).with_friction_law(law),
        options: SolverOptions::default(),
        h: 2e-3,
        steps: (end / 2e-3).round() as usize,
        every: 1,
        kind,
    }
}

fn chain() -> Case {
    let mut bodies = vec![BodyParts { name: "hook".into(), motion: Motion::Fixed, ..Default::default() }];
    let mut joints = Vec::new();
    for k in 0..20 {
        let x = 0.5 * k as f64;
        bodies.push(BodyParts {
            name: format!("rod {k}"),
            matter: Matter::Given { mass: 1.0, inertia: diagonal([6e-4, 0.25 / 12.0, 0.25 / 12.0]) },
            position: [x + 0.25, 0.0, 0.0],
            ..Default::default()
        });
        joints.push(JointParts {
            name: format!("hinge {k}"),
            kind: JointKind::Revolute,
            bodies: [k, k + 1],
            anchor: [x, 0.0, 0.0],
            axis: [0.0, 1.0, 0.0],
            ..Default::default()
        });
    }
    Case {
        name: "chain-20".into(),
        settings: "energy-momentum".into(),
        scene: scene(bodies, joints, 0.0, 0.0),
        scheme: Scheme::named("energy-momentum").expect("a scheme"),
        options: SolverOptions::default(),
        h: 1e-3,
        steps: 5000,
        every: 10,
        kind: Kind::Chain,
    }
}

fn diagonal(d: [f64; 3]) -> [[f64; 3]; 3] {
    [[d[0], 0.0, 0.0], [0.0, d[1], 0.0], [0.0, 0.0, d[2]]]
}

impl Case {
    /// The same scene under another scheme.
    fn under(self, scheme: Scheme, settings: &str) -> Self {
        Self { scheme, settings: settings.into(), ..self }
    }

    fn energy(&self, state: &State) -> f64 {
        let floor = if let Kind::Ball { .. } = self.kind { 0.2 * G } else { 0.0 };
        self.scene.kinetic_energy(&state.v) + self.scene.potential_energy(&state.q) - floor
    }

    fn overlap(&self, q: &[f64]) -> f64 {
        let frame = |i: usize| self.scene.frame(i, q);
        match self.kind {
            Kind::Ball { .. } => 0.2 - frame(1).x[2],
            Kind::Brick => {
                let f = frame(1);
                0.2 * f.R[2][0].abs() + 0.1 * f.R[2][1].abs() + 0.05 * f.R[2][2].abs() - f.x[2]
            }
            Kind::Chain => {
                let (mut end, mut widest) = ([0.0; 3], 0.0_f64);
                for i in 1..self.scene.len() {
                    let f = frame(i);
                    let off: [f64; 3] = std::array::from_fn(|k| f.x[k] - 0.25 * f.R[k][0] - end[k]);
                    widest = widest.max((off[0] * off[0] + off[1] * off[1] + off[2] * off[2]).sqrt());
                    end = std::array::from_fn(|k| f.x[k] + 0.25 * f.R[k][0]);
                }
                widest
            }
            Kind::Pile { half } => {
                let places: Vec<[f64; 3]> = (5..self.scene.len()).map(|i| frame(i).x).collect();
                let mut deepest = f64::NEG_INFINITY;
                for (i, a) in places.iter().enumerate() {
                    deepest = deepest.max(0.1 - a[2].min(half - a[0].abs()).min(half - a[1].abs()));
                    for b in &places[..i] {
                        let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                        if d[2].abs() < 0.2 {
                            deepest = deepest.max(0.2 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt());
                        }
                    }
                }
                deepest
            }
        }
    }

    /// Once for speed, as often as the clock needs it, once to look.
    fn run(self) {
        let problem = Problem::bodies(self.scene.clone()).expect("no overlap");
        let begin = || Simulation::new(&problem, &self.scheme, self.options, self.h).expect("a valid run");
        let (mut made, mut used) = (0, 0.0);
        while used < 0.5 {
            let mut run = begin();
            let start = cpu_seconds();
            for _ in 0..self.steps {
                run.advance().expect("a step");
            }
            used += cpu_seconds() - start;
            made += self.steps;
        }

        let mut run = begin();
        let energy = self.energy(run.state());
        let (mut highest, mut last) = (energy, energy);
        let (mut deepest, mut now, mut residual, mut balance) = (self.overlap(&run.state().q), 0.0, 0.0_f64, 0.0_f64);
        let (mut fastest, mut remark) = (0.0, String::new());
        for k in 0..self.steps {
            let step = run.advance().expect("a step");
            residual = residual.max(step.info.residual);
            balance = balance.max(step.ledger.balance.abs());
            if let Kind::Pile { .. } = self.kind {
                remark = format!("{} contacts at the end", step.contacts.len());
            }
            if (k + 1) % self.every != 0 && k + 1 != self.steps {
                continue;
            }
            let after = &step.after;
            now = self.overlap(&after.q);
            deepest = deepest.max(now);
            last = self.energy(after);
            highest = highest.max(last);
            if let Kind::Ball { e } = self.kind
                && after.v[8] > fastest
            {
                fastest = after.v[8];
                remark = if e < 1.0 {
                    format!("rebound {:+.2} %", 100.0 * (fastest / (e * (2.0 * G * 0.8_f64).sqrt()) - 1.0))
                } else {
                    format!("v_x {:.3}; w_y {:.2}; E {last:.2} J", after.v[6], after.v[10])
                };
            }
        }
        let scale = if let Kind::Chain = self.kind { G * 100.0 } else { energy };
        let remark = [remark, format!("energy ledger closes to {balance:.1e} J")];
        let remark: Vec<&str> = remark.iter().map(String::as_str).filter(|x| !x.is_empty()).collect();
        println!(
            "{},Percussion,{},{},{:.4e},{deepest:.3e},{now:.3e},{:.3e},{:.3e},{residual:.1e},{}",
            self.name,
            self.settings,
            self.steps,
            made as f64 / used,
            (last - energy) / scale,
            (highest - energy) / scale,
            remark.join("; ")
        );
    }
}

/// CPU seconds of this process, user and system.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let spin = |mu: f64, name: &str| ball(name, 1.0, mu, 0.6, [1.0, 0.0, 0.0], [0.0, -60.0, 0.0]);
    let drop = || ball("bouncing-ball", 0.8, 0.0, 1.0, [0.0; 3], [0.0; 3]);
    for argument in std::env::args().skip(1) {
        let (name, steps) = argument.split_once('=').unwrap_or((&argument, ""));
        let steps = steps.parse().ok();
        match name {
            "ball" => {
                drop().run();
                drop().under(Scheme::named("generalized-alpha-ggl").expect("a scheme"), "generalized-alpha-ggl").run();
            }
            "spin3" => spin(0.3, "spinning-sphere-0.3").run(),
            "spin5" => spin(0.5, "spinning-sphere-0.5").run(),
            "spin10" => spin(1.0, "spinning-sphere-1").run(),
            "brick" => {
                brick().run();
                let fremond = Scheme::moreau_jean(0.5).with_friction_law(FrictionLaw::Fremond);
                brick().under(fremond, "moreau-jean; theta 1/2; fremond").run();
            }
            "chain" => chain().run(),
            "pile200" => pile([5, 5, 8], steps).run(),
            "pile1000" => pile([10, 10, 10], steps).run(),
            other => eprintln!("no scene {other}"),
        }
    }
}
