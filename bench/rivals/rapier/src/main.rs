//! Rapier on the scenes of `../scenes.py`, the same columns: `rapier-scenes scene ...`.

use rapier3d_f64::prelude::*;

const G: f64 = 9.81;
const LIMIT_S: f64 = 40.0;

/// What is judged: bodies of one kind, and how deep they overlap.
struct Scene {
    name: String,
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    mass: f64,
    inertia: [f64; 3],
    steps: usize,
    every: usize,
    /// Energy that changes are measured by, if not the one at the start.
    scale: Option<f64>,
    kind: Kind,
}

enum Kind {
    Pile { half: f64 },
    Ball { e: f64 },
    Brick,
    Chain,
}

fn world(h: f64, iterations: usize, coulomb: bool) -> PhysicsWorld {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -G), ..Default::default() };
    let p = &mut world.integration_parameters;
    p.dt = h;
    p.num_solver_iterations = iterations;
    if coulomb {
        p.friction_model = FrictionModel::Coulomb;
    }
    world
}

fn plane(world: &mut PhysicsWorld, point: [f64; 3], normal: [f64; 3], mu: f64, e: f64) {
    let n = Vector::new(normal[0], normal[1], normal[2]);
    let at = Vector::new(point[0], point[1], point[2]);
    let collider = ColliderBuilder::new(SharedShape::halfspace(n)).friction(mu).restitution(e);
    world.insert(RigidBodyBuilder::fixed().translation(at), collider);
}

fn given(mass: f64, inertia: [f64; 3]) -> MassProperties {
    MassProperties::new(Vector::ZERO, mass, Vector::new(inertia[0], inertia[1], inertia[2]))
}

fn pile(edge: [usize; 3], iterations: usize, coulomb: bool) -> Scene {
    let mut world = world(2e-3, iterations, coulomb);
    let half = 0.11 * edge[0] as f64;
    let (mu, e) = (0.5, 0.0);
    for (p, n) in [
        ([0.0; 3], [0.0, 0.0, 1.0]),
        ([-half, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([half, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0, -half, 0.0], [0.0, 1.0, 0.0]),
        ([0.0, half, 0.0], [0.0, -1.0, 0.0]),
    ] {
        plane(&mut world, p, n, mu, e);
    }
    let mut seed = 1_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.009 * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let inertia = [0.4 * mass * 0.01; 3];
    let mut bodies = Vec::new();
    for k in 0..edge[2] {
        for j in 0..edge[1] {
            for i in 0..edge[0] {
                let at = |i: usize, n: usize| 0.22 * (i as f64 - 0.5 * (n as f64 - 1.0));
                let (x, y) = (at(i, edge[0]) + dice(), at(j, edge[1]) + dice());
                let body =
                    RigidBodyBuilder::dynamic().translation(Vector::new(x, y, 0.12 + 0.22 * k as f64)).can_sleep(false);
                let collider = ColliderBuilder::ball(0.1).density(1000.0).friction(mu).restitution(e);
                bodies.push(world.insert(body, collider).0);
            }
        }
    }
    let name = format!("pile-{}", bodies.len());
    Scene { name, world, bodies, mass, inertia, steps: 1000, every: 20, scale: None, kind: Kind::Pile { half } }
}

fn single(name: &str, e: f64, mu: f64, end: f64, v: [f64; 3], w: [f64; 3]) -> Scene {
    let mut world = world(2e-3, 4, true);
    plane(&mut world, [0.0; 3], [0.0, 0.0, 1.0], mu, e);
    let brick = name == "brick";
    let (inertia, kind) =
        if brick { ([0.05 / 12.0, 0.17 / 12.0, 0.2 / 12.0], Kind::Brick) } else { ([0.016; 3], Kind::Ball { e }) };
    let body = RigidBodyBuilder::dynamic()
        .translation(Vector::new(0.0, 0.0, 1.0))
        .linvel(Vector::new(v[0], v[1], v[2]))
        .angvel(AngVector::new(w[0], w[1], w[2]))
        .can_sleep(false)
        .gyroscopic_forces_enabled(true);
    let shape = if brick { ColliderBuilder::cuboid(0.2, 0.1, 0.05) } else { ColliderBuilder::ball(0.2) };
    let collider = shape.mass_properties(given(1.0, inertia)).friction(mu).restitution(e);
    let bodies = vec![world.insert(body, collider).0];
    let steps = (end / 2e-3_f64).round() as usize;
    Scene { name: name.into(), world, bodies, mass: 1.0, inertia, steps, every: 1, scale: None, kind }
}

fn chain() -> Scene {
    let mut world = world(1e-3, 4, true);
    let inertia = [6e-4, 0.25 / 12.0, 0.25 / 12.0];
    let mut last = world.insert_body(RigidBodyBuilder::fixed());
    let mut bodies = Vec::new();
    for k in 0..20 {
        let x = 0.5 * k as f64;
        let body = RigidBodyBuilder::dynamic()
            .translation(Vector::new(x + 0.25, 0.0, 0.0))
            .additional_mass_properties(given(1.0, inertia))
            .can_sleep(false)
            .gyroscopic_forces_enabled(true);
        let handle = world.insert_body(body);
        let hook = if k == 0 { 0.0 } else { 0.25 };
        let joint = RevoluteJointBuilder::new(Vector::Y)
            .local_anchor1(Vector::new(hook, 0.0, 0.0))
            .local_anchor2(Vector::new(-0.25, 0.0, 0.0));
        world.impulse_joints.insert(last, handle, joint, true);
        bodies.push(handle);
        last = handle;
    }
    let scale = Some(9.81 * 0.25 * 400.0);
    Scene { name: "chain-20".into(), world, bodies, mass: 1.0, inertia, steps: 5000, every: 10, scale, kind: Kind::Chain }
}

impl Scene {
    fn energy(&self) -> f64 {
        let floor = if let Kind::Ball { .. } = self.kind { 0.2 } else { 0.0 };
        let of = |&h: &RigidBodyHandle| {
            let body = &self.world.bodies[h];
            let (v, w) = (body.linvel(), body.rotation().inverse() * body.angvel());
            let turning = self.inertia[0] * w.x * w.x + self.inertia[1] * w.y * w.y + self.inertia[2] * w.z * w.z;
            0.5 * (self.mass * v.dot(v) + turning) + self.mass * G * (body.translation().z - floor)
        };
        self.bodies.iter().map(of).sum()
    }

    fn overlap(&self) -> f64 {
        let at = |h: RigidBodyHandle| self.world.bodies[h].translation();
        match self.kind {
            Kind::Ball { .. } => 0.2 - at(self.bodies[0]).z,
            Kind::Brick => {
                let up = self.world.bodies[self.bodies[0]].rotation().inverse() * Vector::Z;
                0.2 * up.x.abs() + 0.1 * up.y.abs() + 0.05 * up.z.abs() - at(self.bodies[0]).z
            }
            Kind::Chain => {
                let (mut end, mut widest) = (Vector::ZERO, 0.0_f64);
                for &h in &self.bodies {
                    let arm = self.world.bodies[h].rotation() * Vector::new(0.25, 0.0, 0.0);
                    widest = widest.max((at(h) - arm - end).length());
                    end = at(h) + arm;
                }
                widest
            }
            Kind::Pile { half } => {
                let mut deepest = f64::NEG_INFINITY;
                for (i, &a) in self.bodies.iter().enumerate() {
                    let x = at(a);
                    let wall = x.z.min(half - x.x.abs()).min(half - x.y.abs());
                    deepest = deepest.max(0.1 - wall);
                    for &b in &self.bodies[..i] {
                        let d = x - at(b);
                        if d.z.abs() < 0.2 {
                            deepest = deepest.max(0.2 - d.length());
                        }
                    }
                }
                deepest
            }
        }
    }

    /// What happens, looked at on the way.
    fn watch(mut self, settings: &str, speed: f64) {
        let start = self.energy();
        let (mut highest, mut deepest, mut now) = (start, self.overlap(), 0.0);
        let (mut made, mut fastest, mut after) = (0, 0.0_f64, String::from("never rises"));
        let steps = self.steps.min((LIMIT_S * speed) as usize);
        while made < steps {
            for _ in 0..self.every {
                self.world.step();
            }
            made += self.every;
            now = self.overlap();
            deepest = deepest.max(now);
            highest = highest.max(self.energy());
            let body = &self.world.bodies[self.bodies[0]];
            if let Kind::Ball { e } = self.kind
                && body.linvel().z > fastest
            {
                fastest = body.linvel().z;
                after = if e < 1.0 {
                    format!("rebound {:+.2} %", 100.0 * (fastest / (e * (2.0 * G * 0.8_f64).sqrt()) - 1.0))
                } else {
                    format!("v_x {:.3}; w_y {:.2}; E {:.2} J", body.linvel().x, body.angvel().y, self.energy())
                };
            }
        }
        let mut remark = if let Kind::Ball { .. } = self.kind { after } else { String::new() };
        if made < self.steps {
            remark = format!("cut after {made} of {} steps", self.steps);
        }
        let scale = self.scale.unwrap_or(start);
        println!(
            "{},Rapier,{settings},{made},{speed:.4e},{deepest:.3e},{now:.3e},{:.3e},{:.3e},,{remark}",
            self.name,
            (self.energy() - start) / scale,
            (highest - start) / scale
        );
    }
}

/// Once for speed, as often as the clock needs it, once to look.
fn run(build: impl Fn() -> Scene, settings: &str) {
    let (start, mut made) = (cpu_seconds(), 0);
    while cpu_seconds() - start < 0.5 {
        let mut scene = build();
        let mut k = 0;
        while k < scene.steps && cpu_seconds() - start < LIMIT_S {
            for _ in 0..scene.every.max(10) {
                scene.world.step();
            }
            k += scene.every.max(10);
        }
        made += k;
    }
    let speed = made as f64 / (cpu_seconds() - start);
    build().watch(settings, speed);
}

/// CPU seconds of this process, user and system.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let spin = |mu: f64, name: &'static str| move || single(name, 1.0, mu, 0.6, [1.0, 0.0, 0.0], [0.0, -60.0, 0.0]);
    for name in std::env::args().skip(1) {
        match name.as_str() {
            "ball" => run(|| single("bouncing-ball", 0.8, 0.0, 1.0, [0.0; 3], [0.0; 3]), "f64; 4 iterations"),
            "spin3" => run(spin(0.3, "spinning-sphere-0.3"), "f64; 4 iterations; Coulomb"),
            "spin5" => run(spin(0.5, "spinning-sphere-0.5"), "f64; 4 iterations; Coulomb"),
            "spin10" => run(spin(1.0, "spinning-sphere-1"), "f64; 4 iterations; Coulomb"),
            "brick" => {
                run(|| single("brick", 1.0, 0.5, 5.0, [2.0, 0.5, 0.0], [5.0, 7.0, 3.0]), "f64; 4 iterations; Coulomb")
            }
            "chain" => run(chain, "f64; impulse joints; 4 iterations"),
            "pile200" => run(|| pile([5, 5, 8], 4, false), "f64; 4 iterations"),
            "pile1000" => {
                run(|| pile([10, 10, 10], 4, false), "f64; 4 iterations");
                run(|| pile([10, 10, 10], 20, true), "f64; 20 iterations; Coulomb");
            }
            other => eprintln!("no scene {other}"),
        }
    }
}
