//! Nothing passes through: fast bodies of every shape thrown at thin ones, under every scheme for bodies.
//!
//!   on the wrong side at the end  ⟹  the certificate of the gap failed, or the step was refused
//!   GGL, `landing`, the law `gap`:  none on the wrong side
//!
//! No certificate of energy fails either. `PERCUSSION_LONG=1` throws 2000 bodies under every scheme instead of 60, `PERCUSSION_FIRST=k` others.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, Loaded, RunEnd, load_text, run_kept};
use percussion_step::{Audit, Outcome, Verdict};

/// Schemes with what is written after their names, and whether they promise g ≥ 0.
const SCHEMES: [(&str, &str, bool); 7] = [
    ("moreau-jean", "", false),
    ("moreau-jean", "theta = 1.0\nactivation = \"gap\"\n", true),
    ("generalized-alpha-ggl", "", true),
    ("energy-momentum", "", false),
    ("landing", "", true),
    ("event-driven", "", false),
    ("runge-kutta-moreau", "", false),
];

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() * list.len() as f64) as usize]
    }
}

/// A body of size r; thin ones are rods.
fn projectile(dice: &mut Dice, planar: bool, r: f64) -> String {
    let flat = dice.between(0.1, 0.5);
    let kinds: &[&str] = match planar {
        true => &["sphere", "box", "polygon"],
        false => &["sphere", "box", "capsule", "cylinder", "hull", "mesh"],
    };
    let corner = |x: f64, y: f64, z: f64| format!("[{:?}, {:?}, {:?}]", x * r, y * r, z * r);
    let corners = [corner(1.0, 0.0, -0.5), corner(-0.6, 0.9, -0.5), corner(-0.6, -0.9, -0.5), corner(0.1, 0.1, 1.0)];
    match dice.of(kinds) {
        "sphere" => format!("{{ kind = \"sphere\", radius = {r:?} }}"),
        "box" if planar => format!("{{ kind = \"box\", size = [{:?}, {:?}] }}", 6.0 * r, 2.0 * flat * r),
        "box" => format!("{{ kind = \"box\", size = [{:?}, {:?}, {:?}] }}", 4.0 * r, 2.0 * r, 2.0 * flat * r),
        "capsule" => format!("{{ kind = \"capsule\", radius = {:?}, length = {:?} }}", flat * r, 6.0 * r),
        "cylinder" => format!("{{ kind = \"cylinder\", radius = {r:?}, length = {:?} }}", 2.0 * flat * r),
        "polygon" => format!(
            "{{ kind = \"polygon\", points = [[{:?}, {:?}], [{:?}, {:?}], [{:?}, {:?}]] }}",
            -r,
            -0.5 * r,
            r,
            -0.6 * r,
            0.1 * r,
            r
        ),
        "hull" => format!("{{ kind = \"hull\", points = [{}] }}", corners.join(", ")),
        _ => format!(
            "{{ kind = \"mesh\", vertices = [{}], triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }}",
            corners.join(", ")
        ),
    }
}

/// A thin body in the plane of the first axes, fixed or free and heavy.
fn target(dice: &mut Dice, planar: bool, half: f64) -> String {
    let plate = |x: f64, y: f64| {
        [
            [x, y, -half],
            [x, -y, -half],
            [-x, y, -half],
            [-x, -y, -half],
            [x, y, half],
            [x, -y, half],
            [-x, y, half],
            [-x, -y, half],
        ]
    };
    let shape = match (planar, dice.of(&["box", "cylinder", "hull", "mesh"])) {
        (true, "box" | "mesh") => format!("{{ kind = \"box\", size = [40.0, {:?}] }}", 2.0 * half),
        (true, _) => format!(
            "{{ kind = \"polygon\", points = [[-20.0, {:?}], [20.0, {:?}], [20.0, {half:?}], [-20.0, {half:?}]] }}",
            -half, -half
        ),
        (false, "box") => format!("{{ kind = \"box\", size = [40.0, 40.0, {:?}] }}", 2.0 * half),
        (false, "cylinder") => format!("{{ kind = \"cylinder\", radius = 20.0, length = {:?} }}", 2.0 * half),
        (false, "hull") => format!("{{ kind = \"hull\", points = {:?} }}", plate(20.0, 20.0)),
        (false, _) => format!(
            "{{ kind = \"mesh\", vertices = {:?}, triangles = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]] }}",
            plate(20.0, 20.0)
        ),
    };
    let held = if dice.next() < 0.6 { "fixed = true" } else { "density = 8000.0" };
    format!("[[body]]\nname = \"plate\"\nshape = {shape}\n{held}\n")
}

/// A body above a thin plate, thrown at it, turning; whether the scene is plane.
fn thrown(dice: &mut Dice, (scheme, more, _): (&str, &str, bool)) -> (String, bool) {
    let planar = dice.next() < 0.3;
    let r = dice.between(0.005, 0.05);
    let half = dice.between(0.001, 0.02);
    let (target, shape) = (target(dice, planar, half), projectile(dice, planar, r));
    let speed = 10_f64.powf(dice.between(0.0, 2.0));
    let h = dice.of(&[1e-3, 2e-3, 5e-3]);
    let height = half + 8.0 * r + dice.next() * speed * h * 3.0;
    let end = ((height + 8.0 * r) / speed / h).ceil().max(2.0) * h + 2.0 * h;
    let w: Vec<f64> = (0..3).map(|_| dice.between(-40.0, 40.0)).collect();
    let e = if more.contains("gap") { 0.0 } else { dice.of(&[0.0, 0.5]) };
    let (at, aside) = (
        [dice.between(-0.1, 0.1), dice.between(-0.1, 0.1)],
        [dice.between(-0.3, 0.3) * speed, dice.between(-0.3, 0.3) * speed],
    );
    let motion = if planar {
        format!(
            "position = [{:?}, {height:?}]\nvelocity = [{:?}, {:?}]\nangular_velocity = [{:?}]",
            at[0], aside[0], -speed, w[0]
        )
    } else {
        format!(
            "position = [{:?}, {:?}, {height:?}]\nvelocity = [{:?}, {:?}, {:?}]\nangular_velocity = {w:?}",
            at[0], at[1], aside[0], aside[1], -speed
        )
    };
    let (dimension, gravity) = if planar { (2, "[0.0, 0.0]") } else { (3, "[0.0, 0.0, 0.0]") };
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = {dimension}\ngravity = {gravity}\nrestitution = {e:?}\n{target}\
         [[body]]\nname = \"thrown\"\nshape = {shape}\ndensity = 1000.0\n{motion}\n\
         [scheme]\nname = \"{scheme}\"\n{more}[time]\nstep = {h:?}\nend = {end:?}\n"
    );
    (text, planar)
}

fn load(text: &str) -> Option<Loaded> {
    load_text("thrown.toml", text, &LoadOptions::default()).ok()
}

/// How a throw ended.
struct Thrown {
    /// Whether the body is on the wrong side of the plate.
    passed: bool,
    gap: Verdict,
    /// What the certificate of energy says where it failed.
    energy: Option<String>,
}

/// How a throw ends, or why the run stopped.
fn throw(loaded: Loaded, planar: bool) -> Result<Thrown, String> {
    let Loaded { scenario, mut simulation } = loaded;
    let mut audit = Audit::new();
    match simulation.run(scenario.count.n, &mut audit) {
        Outcome::Finished => {
            let scene = scenario.model().bodies().expect("bodies");
            let (plate, body) = (scene.frame(0, &simulation.state().q), scene.frame(1, &simulation.state().q));
            let up = if planar { 1 } else { 2 };
            let height: f64 = (0..3).map(|k| plate.R[k][up] * (body.x[k] - plate.x[k])).sum();
            let verdicts = audit.judged(&scenario.guarantee(), &scenario.solver);
            let energy = (verdicts.energy.status == Verdict::Fail).then_some(verdicts.energy.text);
            Ok(Thrown { passed: height < 0.0, gap: verdicts.gap.status, energy })
        }
        Outcome::Failed(failure) => Err(failure.message),
        Outcome::Stopped(_) => Err("stopped".into()),
    }
}

/// Throws so many under a scheme: what went wrong.
fn throws(scheme: (&str, &str, bool), count: usize, seed: u64) -> Vec<String> {
    let (mut dice, mut refused, mut stopped, mut through, mut failed) = (Dice(seed), 0, 0, 0, 0);
    let mut wrong = Vec::new();
    for k in 0..count {
        let (text, planar) = thrown(&mut dice, scheme);
        let Some(loaded) = load(&text) else {
            refused += 1;
            continue;
        };
        let end = match throw(loaded, planar) {
            Ok(end) => end,
            Err(why) => {
                stopped += 1;
                println!("{} {k}: {why}", scheme.0);
                continue;
            }
        };
        if end.gap == Verdict::Fail {
            println!("{} {k}: the certificate of the gap failed\n{text}", scheme.0);
        }
        failed += usize::from(end.gap == Verdict::Fail);
        through += usize::from(end.passed);
        if end.passed && (scheme.2 || end.gap != Verdict::Fail) {
            wrong.push(format!("{scheme:?} {k}: passed, {:?}\n{text}", end.gap));
        }
        if let Some(energy) = end.energy {
            wrong.push(format!("{scheme:?} {k}: {energy}\n{text}"));
        }
    }
    println!(
        "{} {}: {count} thrown, {refused} refused, {stopped} stopped, {through} through, {failed} certificates failed",
        scheme.0,
        scheme.1.replace('\n', " ")
    );
    wrong
}

#[test]
fn nothing_passes_through() {
    let long = std::env::var_os("PERCUSSION_LONG").is_some();
    let seed = std::env::var("PERCUSSION_FIRST").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let wrong: Vec<String> = if long {
        // one thread a scheme: they take minutes
        std::thread::scope(|scope| {
            let all = SCHEMES.map(|scheme| scope.spawn(move || throws(scheme, 2000, seed)));
            all.into_iter().flat_map(|one| one.join().expect("no panic")).collect()
        })
    } else {
        SCHEMES.into_iter().flat_map(|scheme| throws(scheme, 60, seed)).collect()
    };
    wrong.iter().for_each(|text| println!("{text}"));
    assert!(wrong.is_empty(), "{} wrong, the first:\n{}", wrong.len(), wrong[0]);
}

/// Discs that come to lie flat on a plate as they spin, and bodies that meet it edge on edge at 90 m/s, by numbers of throws: the gap of `landing` is kept.
///
/// The bug: the point of a rim that is lowest at a slope of 1e-8 lay 4e-10 m beside the rim, and without friction a residual of 1e-10 of 90 m/s was
/// left, which is 5e-12 m in a millisecond. 7 of 12,000 certificates failed.
#[test]
fn regression_thrown_discs_keep_their_gaps() {
    const THROWS: [(u64, &[usize]); 4] = [(7, &[275, 485]), (8, &[1068, 1230]), (10, &[938, 1661]), (12, &[502])];
    let landing = SCHEMES[4];
    assert_eq!(landing.0, "landing");
    for (seed, numbers) in THROWS {
        let mut dice = Dice(seed);
        let last = numbers.iter().max().expect("some");
        for k in 0..=*last {
            let (text, planar) = thrown(&mut dice, landing);
            if numbers.contains(&k) {
                let end = throw(load(&text).expect("valid"), planar).expect("a run");
                assert!(end.gap == Verdict::Pass && end.energy.is_none(), "{seed} {k}: {:?}\n{text}", end.gap);
            }
        }
    }
}

/// A ball of 4 cm dropped 5 m on a plate of 1 cm, and two balls of 2 cm that meet at 20 m/s: through, or not, but never unseen.
#[test]
fn balls_do_not_pass_unseen() {
    let ball = "[model]\nkind = \"bodies\"\nrestitution = 0.5\n[[body]]\nname = \"plate\"\nshape = { kind = \"box\", size = [1.0, 1.0, 0.01] }\nfixed = true\n\
                [[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.02 }\ndensity = 1000.0\nposition = [0.0, 0.0, 5.0]\n";
    let pair = "[model]\nkind = \"bodies\"\nrestitution = 0.0\ngravity = [0.0, 0.0, 0.0]\n\
                [[body]]\nname = \"a\"\nshape = { kind = \"sphere\", radius = 0.01 }\ndensity = 1000.0\nposition = [0.0, 0.0, 0.021]\nvelocity = [0.0, 0.0, -10.0]\n\
                [[body]]\nname = \"b\"\nshape = { kind = \"sphere\", radius = 0.01 }\ndensity = 1000.0\nposition = [0.0, 0.0, 0.0]\nvelocity = [0.0, 0.0, 10.0]\n";
    for (scheme, more, _) in SCHEMES {
        for (scene, end) in [(ball, 1.2), (pair, 0.1)] {
            let text = format!("{scene}[scheme]\nname = \"{scheme}\"\n{more}[time]\nstep = 5e-3\nend = {end:?}\n");
            let Some(loaded) = load(&text) else { continue };
            let first = loaded.scenario.problem.q0.clone();
            let Loaded { scenario, mut simulation } = loaded;
            let mut audit = Audit::new();
            if !matches!(simulation.run(scenario.count.n, &mut audit), Outcome::Finished) {
                continue;
            }
            let q = &simulation.state().q;
            let above = |q: &[f64]| q[2] - q[9];
            let same = above(q).signum() == above(&first).signum();
            let gap = audit.judged(&scenario.guarantee(), &scenario.solver).gap;
            println!("{scheme}: {} {:?}", if same { "stays" } else { "passes" }, gap.text);
            assert!(same || gap.status == Verdict::Fail, "{scheme}: {gap:?}");
        }
    }
}

/// A cylinder that rolls on its rim and a capsule that spins on the floor, thrown at random: what lasts and turns does not sink into the floor step by
/// step. Without balls under rims and deep contacts held, the first was 0.86 of its half-thickness deep after 1 s, the second 0.55 after 0.6 s.
#[test]
fn what_turns_does_not_sink() {
    let cylinder = "restitution = 0.0\nfriction = 0.5\n[[body]]\nname = \"ground\"\nshape = { kind = \"plane\" }\nfixed = true\n\
        [[body]]\nname = \"b0\"\nshape = { kind = \"cylinder\", radius = 0.0822, length = 0.0779 }\ndensity = 1000.0\n\
        position = [0.0, 0.0, 0.1439]\nrotation = [-0.11048535575955382, -0.6461169497481732, 0.4034581019594642, 0.6383944183450132]\nvelocity = [2.7346, 2.5163, -2.1449]\n\
        angular_velocity = [-8.242, -8.4895, 1.6679]\n";
    let capsule = "restitution = 0.0\nfriction = 0.9\n[[body]]\nname = \"ground\"\nshape = { kind = \"plane\" }\nfixed = true\n\
        [[body]]\nname = \"b0\"\nshape = { kind = \"capsule\", radius = 0.0414508375339518, length = 0.15564709182725206 }\ndensity = 3000.0\n\
        position = [0.0, 0.0, 0.0580560316783841]\nvelocity = [0.9423, 2.4677, -2.0233]\nangular_velocity = [0.2988, 9.5681, -1.516]\n\
        rotation = [-0.47691253472802697, 0.3927667063464751, -0.6040089852993513, 0.5034499918389893]\n";
    for (name, bodies, scheme, h) in [
        ("cylinder", cylinder, "moreau-jean-fremond", 2e-3),
        ("cylinder", cylinder, "moreau-jean", 5e-3),
        ("capsule", capsule, "moreau-jean-fremond", 5e-3),
        ("capsule", capsule, "moreau-jean", 5e-3),
    ] {
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 3\n{bodies}[scheme]\nname = \"{scheme}\"\n[time]\nstep = {h:?}\nend = 1.0\n"
        );
        let Loaded { scenario, mut simulation } = load(&text).expect("a scene");
        let mut audit = Audit::new();
        let outcome = simulation.run(scenario.count.n, &mut audit);
        assert!(matches!(outcome, Outcome::Finished), "{name}: {outcome:?}");
        let verdicts = audit.judged(&scenario.guarantee(), &scenario.solver);
        println!("{name} by {scheme}: {}; {}", verdicts.gap.text, verdicts.energy.text);
        assert!(!verdicts.failed(), "{name} by {scheme}: {verdicts:?}");
    }
}

/// Pins thrown in holes and sliders in guides, of 1 to 10 clearances a step, plane and space: the play of a joint is as thin as a plate. Looked at
/// along the normals of its start alone, a step led a pin out of its hole by 2.9 clearances, and nothing was said.
#[test]
fn pins_stay_in_their_holes() {
    let mut dice = Dice(11);
    let mut deepest: f64 = 0.0;
    for k in 0..40 {
        let (kind, planar) = (dice.of(&["journal", "slot"]), dice.next() < 0.5);
        let (clearance, h) = (1e-2_f64.powf(dice.between(1.0, 2.0)), 1e-3);
        let speed = dice.between(1.0, 10.0) * clearance / h;
        let along = dice.between(-3.1, 3.1);
        let (x, y, e) = (speed * along.cos(), speed * along.sin(), dice.between(0.0, 1.0));
        let (dimension, inertia, velocity, turning) = match planar {
            true => (2, "[1e-3]".to_string(), format!("[{x}, {y}]"), format!("[{}]", dice.between(-9.0, 9.0))),
            false => {
                let w = [0; 3].map(|_| dice.between(-9.0, 9.0));
                (3, "[1e-3, 2e-3, 2e-3]".to_string(), format!("[{x}, {y}, 0.0]"), format!("{w:?}"))
            }
        };
        let anchor = if planar { "[0.0, 0.0]" } else { "[0.0, 0.0, 0.0]" };
        let axis = match (kind, planar) {
            ("slot", true) => "axis = [1.0, 0.0]\n",
            ("slot", false) => "axis = [1.0, 0.0, 0.0]\n",
            (_, true) => "",
            (_, false) => "axis = [0.0, 0.0, 1.0]\n",
        };
        for scheme in ["moreau-jean", "moreau-jean-fremond", "energy-momentum", "landing"] {
            let text = format!(
                "[model]\nkind = \"bodies\"\ndimension = {dimension}\n[[body]]\nname = \"wall\"\nfixed = true\n\
                 [[body]]\nname = \"pin\"\nmass = 1.0\ninertia = {inertia}\nposition = {anchor}\nvelocity = {velocity}\nangular_velocity = {turning}\n\
                 [[joint]]\nname = \"hole\"\nkind = \"{kind}\"\na = \"wall\"\nb = \"pin\"\nanchor = {anchor}\n{axis}radius = 0.01\n\
                 clearance = {clearance:?}\nlength = 0.02\nrestitution = {e}\n\
                 [scheme]\nname = \"{scheme}\"\n[time]\nstep = {h:?}\nend = 0.1\n"
            );
            let Loaded { scenario, mut simulation } = load_text("pin.toml", &text, &LoadOptions::default())
                .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            let mut audit = Audit::new();
            let outcome = simulation.run(scenario.count.n, &mut audit);
            assert!(matches!(outcome, Outcome::Finished), "{k} {scheme}: {outcome:?}\n{text}");
            let verdicts = audit.judged(&scenario.guarantee(), &scenario.solver);
            deepest = deepest.max(audit.deepest() / clearance);
            assert!(!verdicts.failed(), "{k} {scheme}: {verdicts:?}\n{text}");
        }
    }
    println!("the deepest is {deepest:.2} of a clearance");
    assert!(deepest > 0.1, "some came near");
}

/// A ball between walls that close has nowhere to go: the step that cannot be made says that no impulses satisfy the law, not that a solver stopped, and
/// names who touches whom. Positions under GGL called their rows contacts 0 and 1, both "left – left".
#[test]
fn a_ball_between_closing_walls_has_no_motion() {
    let wall = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"box\", size = [0.1, 1.0, 1.0] }}\nposition = [{x:?}, 0.0, 0.0]\n\
             motion = {{ velocity = [{:?}, 0.0, 0.0] }}\n",
            -x
        )
    };
    for (scheme, friction) in [("moreau-jean", 0.3), ("generalized-alpha-ggl", 0.0)] {
        let text = format!(
            "[model]\nkind = \"bodies\"\nfriction = {friction:?}\nrestitution = 0.3\ngravity = [0.0, 0.0, 0.0]\n{}{}\
             [[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\ndensity = 1000.0\nposition = [0.05, 0.0, 0.0]\n\
             [scheme]\nname = \"{scheme}\"\n[time]\nstep = 1e-3\nend = 1.2\n",
            wall("left", -0.5),
            wall("right", 0.5)
        );
        let Loaded { scenario, mut simulation } = load(&text).expect("a scene");
        let outcome = simulation.run(scenario.count.n, &mut Audit::new());
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        // they leave 0.2 m at 0.7 s
        assert!((failure.t - 0.7).abs() < 0.01, "{failure:?}");
        assert!(failure.code == Code::NO_SOLUTION && failure.message.contains("has no solution"), "{failure:?}");
        let scene = scenario.model().bodies().expect("bodies");
        let failure = failure.with_names(|id| scene.name_of_pair(id as u64, 0));
        assert!(failure.message.contains("left – ball") && failure.message.contains("right – ball"), "{failure:?}");
    }
}

/// An arm that a motor turns at a given speed reaches the floor: nothing gives way, and the step that cannot be made says what is reached and that joints and
/// drives leave no freedom, with nothing recorded but what happened before.
///
/// The bug: the mobility of the contact was the round-off of its joint, so that under `generalized-alpha-ggl` the run went on with works of 5e25 J, and a
/// sphere at the end of a driven arm took 1e15 J under `landing`.
#[test]
fn a_driven_arm_that_is_blocked_has_no_motion() {
    let joined = "[[body]]\nname = \"end\"\nshape = { kind = \"sphere\", radius = 0.1 }\ndensity = 1000.0\nposition = [1.2, 0.0]\n\
                  [[joint]]\nkind = \"revolute\"\na = \"arm\"\nb = \"end\"\nanchor = [1.2, 0.0]\n";
    for (scheme, more, friction) in [
        ("landing", "", 0.0),
        ("landing", joined, 0.5),
        ("generalized-alpha-ggl", "", 0.0),
        ("generalized-alpha-ggl", joined, 0.5),
    ] {
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\nrestitution = 0.0\nfriction = {friction:?}\n\
             [[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nposition = [0.0, -0.5]\nfixed = true\n\
             [[body]]\nname = \"frame\"\nfixed = true\nposition = [0.0, 0.0]\n\
             [[body]]\nname = \"arm\"\nshape = {{ kind = \"box\", size = [1.0, 0.1] }}\ndensity = 1000.0\nposition = [0.5, 0.0]\n\
             [[joint]]\nkind = \"revolute\"\na = \"frame\"\nb = \"arm\"\nanchor = [0.0, 0.0]\nmotor = {{ velocity = -1.0 }}\n{more}\
             [scheme]\nname = \"{scheme}\"\n[time]\nstep = 2e-3\nend = 2.0\n"
        );
        let Loaded { mut simulation, scenario } = load(&text).expect("a scene");
        let mut audit = Audit::new();
        let outcome = simulation.run(scenario.count.n, &mut audit);
        let Outcome::Failed(failure) = outcome else { panic!("{scheme}: {outcome:?}") };
        println!("{scheme}: {:?} at {} s, {}", failure.code, failure.t, failure.message);
        assert!(failure.code == Code::NO_SOLUTION && failure.message.contains("no freedom"), "{scheme}: {failure:?}");
        assert!(audit.largest_energy() < 1e5, "{scheme}: {:e} J", audit.largest_energy());
    }
}

/// Tetrahedra fall on each other, some steps in parts: what is left of momentum over such a step is that of its whole change, as `verify` has it.
///
/// The bug: the parts' remainders were added by size, and the run folder that nobody had touched was rejected.
#[test]
fn momentum_over_a_step_in_parts_is_that_of_the_whole() {
    let shape = "{ kind = \"mesh\", vertices = [[0.1, 0.0, -0.05], [-0.05, 0.09, -0.05], [-0.05, -0.09, -0.05], [0.0, 0.0, 0.08]], \
                 triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }";
    let body = |k: usize| {
        let (s, c) = (0.35 * k as f64).sin_cos();
        format!(
            "[[body]]\nname = \"t{k}\"\nshape = {shape}\ndensity = 1500.0\nposition = [{:?}, {:?}, {:?}]\nrotation = [{c:?}, {:?}, {:?}, 0.0]\n",
            0.02 * (k % 3) as f64,
            0.03 * (k % 2) as f64,
            0.12 + 0.2 * k as f64,
            0.6 * s,
            0.8 * s
        )
    };
    let text = format!(
        "[model]\nkind = \"bodies\"\nfriction = 0.5\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n{}\
         [scheme]\nname = \"moreau-jean\"\n[time]\nstep = 2e-3\nend = 0.53\n",
        (0..12).map(body).collect::<String>()
    );
    let folder = std::env::temp_dir().join(format!("percussion-parts-{}", std::process::id()));
    let (_, run, _) = run_kept(load(&text).expect("a scene"), Some(&folder), &mut |_| true).expect("a run");
    assert!(matches!(run.end, RunEnd::Finished), "{:?}", run.end);
    let verification = percussion_scenario::verify(&folder).expect("a folder");
    std::fs::remove_dir_all(&folder).expect("a folder");
    assert!(!verification.differs(), "{verification:?}");
}

/// A capsule that is turned by 97° in the step in which it strikes a plate.
///
/// The bug: the places where it is struck, in the middle of such a step, do not settle in sixty rounds, and the ledger was left open by 3.4 J of 47.5 J, the
/// momentum by a hundredth. Two throws of 2000 did so.
#[test]
fn regression_fast_turns_close_the_ledger() {
    for scheme in ["moreau-jean", "energy-momentum"] {
        let text = format!("{FAST_CAPSULE}[scheme]\nname = \"{scheme}\"\n[time]\nstep = 0.005\nend = 0.035\n");
        let Loaded { scenario, mut simulation } = load(&text).expect("valid");
        let mut audit = Audit::new();
        assert!(matches!(simulation.run(scenario.count.n, &mut audit), Outcome::Finished));
        let verdicts = audit.judged(&scenario.guarantee(), &scenario.solver);
        for verdict in [&verdicts.energy, &verdicts.momentum] {
            assert_eq!(verdict.status, Verdict::Pass, "{scheme}: {}", verdict.text);
        }
    }
}

const FAST_CAPSULE: &str = r#"
[model]
kind = "bodies"
dimension = 3
gravity = [0.0, 0.0, 0.0]
restitution = 0.5
[[body]]
name = "plate"
shape = { kind = "mesh", vertices = [[20.0, 20.0, -0.01733417560814029], [20.0, -20.0, -0.01733417560814029], [-20.0, 20.0, -0.01733417560814029], [-20.0, -20.0, -0.01733417560814029], [20.0, 20.0, 0.01733417560814029], [20.0, -20.0, 0.01733417560814029], [-20.0, 20.0, 0.01733417560814029], [-20.0, -20.0, 0.01733417560814029]], triangles = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]] }
fixed = true
[[body]]
name = "thrown"
shape = { kind = "capsule", radius = 0.00958012494900118, length = 0.16340330058387698 }
density = 1000.0
position = [0.09836972876741673, -0.016172724862335536, 0.7552501156884374]
velocity = [-5.9617294931274865, -2.559261632775053, -42.74606065883474]
angular_velocity = [-29.025391176630198, 4.544332069686298, 7.303855034592324]
"#;

/// A thin rod and a tetrahedron that turn by a radian while they strike a thin plate.
///
/// The bug: rows in the middle of so long a step do not settle, and what pushed along them made 57.8 J of 5.5 J under Frémond's law, e = 0, and
/// 0.04 J of 6.4 J at defaults, e = 1: the certificate failed although the theorem holds. Such a step is made in parts.
#[test]
fn regression_fast_turns_create_no_energy() {
    for text in [FAST_ROD, FAST_TETRAHEDRON] {
        let Loaded { scenario, mut simulation } = load(text).expect("valid");
        let mut audit = Audit::new();
        assert!(matches!(simulation.run(scenario.count.n, &mut audit), Outcome::Finished));
        let energy = audit.judged(&scenario.guarantee(), &scenario.solver).energy;
        assert_eq!(energy.status, Verdict::Pass, "{}", energy.text);
        assert!(energy.text.contains("none created, as the theorem says"), "{}", energy.text);
    }
}

const FAST_ROD: &str = r#"
name="t"
[model]
kind="bodies"
dimension=3
restitution=0
friction=0.0
gravity=[0, 0, 0]
[[body]]
name="a"
shape={kind="box",size=[0.2502723890424658,0.2502723890424658,0.0002502723890424658]}
density=3000.0
position=[0, 0, -0.043580277433760174]
velocity=[0, 0, 15.174806318615717]
angular_velocity=[0, 0, -1.4387888819103576]
[[body]]
name="b"
shape={kind="box",size=[0.0012513619452123289, 0.0012513619452123289, 0.050054477808493154]}
density=1000.0
position=[0, 0, 0.043580277433760174]
velocity=[0, 0, -44.734411837791754]
rotation=[-0.42047263767791837, -0.2837816347831366, 0.8363044842612122, 0.2080037363332019]
[scheme]
name="moreau-jean-fremond"
[time]
step=0.001
end=0.006
"#;

const FAST_TETRAHEDRON: &str = r#"
name="t"
[model]
kind="bodies"
dimension=3
restitution=1
friction=0.0
gravity=[0, 0, 0]
[[body]]
name="a"
shape={kind="box",size=[1.1328531596160383,1.1328531596160383,0.0011328531596160383]}
density=3000.0
position=[0, 0, -0.20551865693186136]
velocity=[0, 0, 1.5911589549417737]
angular_velocity=[0, 0, 0.3818211260848704]
[[body]]
name="b"
shape={kind="mesh",vertices=[[0.05664265798080191,0.05664265798080191,0.05664265798080191],[-0.05664265798080191,-0.05664265798080191,0.05664265798080191],[-0.05664265798080191,0.05664265798080191,-0.05664265798080191],[0.05664265798080191,-0.05664265798080191,-0.05664265798080191]],triangles=[[0,1,3],[0,2,1],[0,3,2],[1,2,3]]}
density=1000.0
position=[0, 0, 0.20551865693186136]
velocity=[0, 0, -1.8068962833713127]
rotation=[0.1145477125413039, -0.383786926654007, -0.8267662751644281, -0.39502397741373085]
[time]
step=0.01
end=0.26
"#;
