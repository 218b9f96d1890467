//! Scenes that lie on each other, with nothing written but shapes, masses, friction and a step: they run, and they stand.
//!
//!   |x(T) − x(0)| ≤ 1e-5 m for every body of a wall that nothing pushes
//!
//! Courses of a wall are odd in number: the last brick of every second one has its centre of mass over the edge of the brick below it, and only
//! the course above holds it down. On top it would stand on its edge, and tip.
//!
//! `PERCUSSION_LONG=1` runs 10 s instead of 1 s, and 500 bricks.

use percussion_model::bodies::PathSearch;
use percussion_scenario::{LoadOptions, Loaded, load_text};
use percussion_step::{Activation, Audit, EventDetector, Outcome, Recorder, Start, Step, Stop, Verdict, Verdicts};

/// A scene on a floor; `bodies` are the tables of what stands on it.
fn scene(bodies: &str, end: f64) -> Loaded {
    let text = format!(
        "[model]\nkind = \"bodies\"\nfriction = 0.6\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n{bodies}\
         [scheme]\nname = \"moreau-jean\"\n[time]\nstep = 1e-3\nend = {end:?}\n"
    );
    load_text("wall.toml", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn body(k: usize, shape: &str, [x, y, z]: [f64; 3]) -> String {
    format!("[[body]]\nname = \"b{k}\"\nshape = {shape}\ndensity = 2000.0\nposition = [{x:?}, {y:?}, {z:?}]\n")
}

/// Bricks in courses of `wide`, every second one shifted by half a brick.
fn wall(count: usize, wide: usize) -> String {
    let place = |k: usize| {
        let (course, i) = (k / wide, k % wide);
        [0.4 * i as f64 + 0.2 * (course % 2) as f64, 0.0, 0.1 + 0.2 * course as f64]
    };
    (0..count).map(|k| body(k, "{ kind = \"box\", size = [0.4, 0.2, 0.2] }", place(k))).collect()
}

/// Logs laid crosswise, two to a layer.
fn logs(count: usize) -> String {
    let log = |k: usize| {
        let (z, side) = (0.05 + 0.1 * (k / 2) as f64, if k.is_multiple_of(2) { -0.4 } else { 0.4 });
        match (k / 2) % 2 {
            0 => body(k, "{ kind = \"box\", size = [1.2, 0.1, 0.1] }", [0.0, side, z]),
            _ => body(k, "{ kind = \"box\", size = [0.1, 1.2, 0.1] }", [side, 0.0, z]),
        }
    };
    (0..count).map(log).collect()
}

/// A half circle of wedges, 2 m inside and 0.4 m thick.
fn arch(count: usize) -> String {
    let angle = |k: f64| std::f64::consts::PI * k / count as f64;
    let wedge = |k: usize| {
        let middle = angle(k as f64 + 0.5);
        let centre = [2.2 * middle.cos(), 0.0, 2.2 * middle.sin()];
        let mut points = Vec::new();
        for (r, end, y) in [2.0, 2.4]
            .into_iter()
            .flat_map(|r| [0.0, 1.0].map(|end| (r, end)))
            .flat_map(|(r, end)| [-0.3, 0.3].map(|y| (r, end, y)))
        {
            let a = angle(k as f64 + end);
            points.push(format!("[{:?}, {y:?}, {:?}]", r * a.cos() - centre[0], r * a.sin() - centre[2]));
        }
        body(k, &format!("{{ kind = \"hull\", points = [{}] }}", points.join(", ")), centre)
    };
    (0..count).map(wedge).collect()
}

/// Boxes in layers of n², (n − 1)², … each over the gaps of the layer below it.
fn pyramid(n: usize) -> String {
    let mut text = String::new();
    let mut k = 0;
    for layer in 0..n {
        let wide = n - layer;
        let at = |i: usize| 0.2 * (i as f64 - 0.5 * (wide as f64 - 1.0));
        for i in 0..wide * wide {
            text += &body(
                k,
                "{ kind = \"box\", size = [0.2, 0.2, 0.2] }",
                [at(i % wide), at(i / wide), 0.1 + 0.2 * layer as f64],
            );
            k += 1;
        }
    }
    text
}

/// Hulls of twelve random points each, a millimetre above each other in a column of `wide` by `wide`.
fn hulls(count: usize, wide: usize) -> String {
    let mut dice = percussion_step::problems::Dice(7);
    let hull = |k: usize| {
        let points: Vec<String> = (0..12)
            .map(|_| {
                let d = [0, 1, 2].map(|_| dice.real(-1.0, 1.0));
                let r = 0.09 / d.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
                format!("{:?}", d.map(|x| r * x))
            })
            .collect();
        let place = [k % wide, k / wide % wide, k / (wide * wide)].map(|i| 0.19 * i as f64);
        let at = [place[0], place[1], place[2] + 0.1];
        body(k, &format!("{{ kind = \"hull\", points = [{}] }}", points.join(", ")), at)
    };
    (0..count).map(hull).collect()
}

/// How far the bodies came, the fastest coordinate at the end, the verdicts, and steps per second of this thread.
fn stand(loaded: Loaded) -> (f64, f64, Verdicts, Option<f64>) {
    let Loaded { scenario, mut simulation } = loaded;
    let started = cpu();
    let mut audit = Audit::new();
    let outcome = simulation.run(scenario.count.n, &mut audit);
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    let rate = started.zip(cpu()).map(|(a, b)| scenario.count.n as f64 / (b - a));
    let state = simulation.state();
    let moved = state.q.chunks_exact(7).zip(scenario.problem.q0.chunks_exact(7));
    let far = moved.map(|(q, q0)| (0..3).map(|k| (q[k] - q0[k]).powi(2)).sum::<f64>().sqrt()).fold(0.0, f64::max);
    let fast = state.v.iter().fold(0.0, |v: f64, x| v.max(x.abs()));
    (far, fast, audit.judged(&scenario.guarantee(), &scenario.solver), rate)
}

fn cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

fn long() -> bool {
    std::env::var_os("PERCUSSION_LONG").is_some()
}

/// Nobody wrote θ, a law or a tolerance: the scene gets those under which it stands, and says so.
#[test]
fn what_lies_on_each_other_stands() {
    let end = if long() { 10.0 } else { 1.0 };
    let mut scenes = vec![
        ("30 bricks", wall(30, 6)),
        ("180 bricks", wall(180, 12)),
        ("24 logs", logs(24)),
        ("25 wedges", arch(25)),
        ("pyramid of 55", pyramid(5)),
    ];
    if long() {
        scenes.push(("500 bricks", wall(500, 20)));
        scenes.push(("pyramid of 204", pyramid(8)));
    }
    for (name, bodies) in scenes {
        let loaded = scene(&bodies, end);
        assert_eq!(loaded.scenario.scheme.activation, Activation::Gap, "{name}");
        assert!(loaded.scenario.chosen.is_some(), "{name}");
        let (far, fast, verdicts, rate) = stand(loaded);
        println!("{name}: {far:.1e} m, {fast:.1e} m/s, {} steps/s; {}", rate.unwrap_or(0.0), verdicts.solver.text);
        assert!(far <= 1e-5 && fast <= 1e-4, "{name} moved by {far:e} m and moves at {fast:e} m/s");
        assert!(!verdicts.failed(), "{name}: {verdicts:?}");
        assert!(matches!(verdicts.solver.status, Verdict::Pass | Verdict::Warn), "{name}");
    }
}

/// Round logs laid crosswise, two to a layer, under a scheme that promises gaps.
///
/// The bug: where sides cross, the collision library knew the normal to 1e-5 and named the one point now so, now so: eight logs took 0.9 s a step, and overlapped
/// by 8.6e-8 m where 1e-11 m are promised.
#[test]
fn crossed_round_logs_stand() {
    for (kind, count) in [("cylinder", 8), ("capsule", 8), ("cylinder", if long() { 40 } else { 16 })] {
        let log = |k: usize| {
            let (z, side) = (0.05 + 0.1 * (k / 2) as f64, if k.is_multiple_of(2) { -0.4 } else { 0.4 });
            let (at, rotation) = if (k / 2).is_multiple_of(2) {
                ([0.0, side, z], "[0.5, 0.5, 0.5, 0.5]")
            } else {
                ([side, 0.0, z], "[0.7071067811865476, 0.7071067811865476, 0.0, 0.0]")
            };
            body(k, &format!("{{ kind = \"{kind}\", radius = 0.05, length = 1.2 }}"), at)
                + &format!("rotation = {rotation}\n")
        };
        let bodies: String = (0..count).map(log).collect();
        let text = format!(
            "[model]\nkind = \"bodies\"\nfriction = 0.6\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n{bodies}\
             [scheme]\nname = \"landing\"\n[time]\nstep = 1e-3\nend = 0.2\n"
        );
        let loaded = load_text("logs.toml", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let (far, fast, verdicts, rate) = stand(loaded);
        println!(
            "{count} {kind}s: {far:.1e} m, {fast:.1e} m/s, {} steps/s; {}",
            rate.unwrap_or(0.0),
            verdicts.gap.text
        );
        assert!(far <= 1e-8 && fast <= 1e-6, "{count} {kind}s moved by {far:e} m and move at {fast:e} m/s");
        assert!(!verdicts.failed(), "{kind}: {verdicts:?}");
    }
}

/// The impacts of a run.
struct Impacts(EventDetector);

impl Recorder for Impacts {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.0.start(start.scheme, start.model);
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        self.0.step(number, step, |_| {});
        Ok(())
    }
}

/// Bricks at rest strike nothing.
///
/// The bug: two bricks on each other fall alike, so that no load shows at the contact between them, and what the solver leaves of their velocities, 1e-9 m/s,
/// counted as an approach: 119,265 impacts of a wall that stands. A brick let fall onto it has its impacts.
#[test]
fn what_rests_has_no_impacts() {
    for (bodies, struck) in [
        (wall(30, 6), false),
        (wall(30, 6) + &body(30, "{ kind = \"box\", size = [0.4, 0.2, 0.2] }", [1.0, 0.0, 1.2]), true),
    ] {
        let Loaded { scenario, mut simulation } = scene(&bodies, 0.2);
        let mut impacts = Impacts(EventDetector::new(0));
        assert!(matches!(simulation.run(scenario.count.n, &mut impacts), Outcome::Finished));
        let counts = impacts.0.counts;
        println!("{counts:?}");
        assert_eq!(counts.impact > 0, struck, "{counts:?}");
        assert!(counts.impact < 50, "{counts:?}");
    }
}

/// A brick whose centre of mass stands over the edge of its support, turned by θ₀, tips as it must: θ = θ₀ cosh λt, λ² = m g a/(I + m a²) with
/// a = 0.1 m, λ = 6.07/s. A rest of 1e-10 m is a fallen brick after 3.5 s, so that no accuracy lets a wall stand whose top course ends with one.
#[test]
fn a_brick_on_its_edge_tips() {
    let (turned, end) = (1e-5_f64, 0.5);
    let (m_a, inertia) = (0.1, (0.4_f64.powi(2) + 0.2_f64.powi(2)) / 12.0);
    let rate = (9.81 * m_a / (inertia + m_a * m_a)).sqrt();
    let brick = "shape = { kind = \"box\", size = [0.4, 0.2, 0.2] }";
    let bodies = format!(
        "[[body]]\nname = \"support\"\n{brick}\nfixed = true\nposition = [0.0, 0.0, 0.1]\n[[body]]\nname = \"brick\"\n{brick}\ndensity = 2000.0\n\
         position = [{:?}, 0.0, {:?}]\nrotation = [{:?}, 0.0, {:?}, 0.0]\n",
        0.2 + m_a * turned.sin(),
        0.2 + m_a * turned.cos(),
        (0.5 * turned).cos(),
        (0.5 * turned).sin()
    );
    let Loaded { scenario, mut simulation } = scene(&bodies, end);
    assert!(matches!(simulation.run(scenario.count.n, &mut Audit::new()), Outcome::Finished));
    let over = (simulation.state().q[14] - 0.2) / (m_a * turned);
    let exact = (rate * end).cosh();
    println!("λ = {rate:.3}/s: over the edge by {over:.3} of the start, exactly {exact:.3}");
    assert!((over / exact - 1.0).abs() < 0.01, "{over} {exact}");
}

/// Looking for what passes through costs at most a twentieth of a step of a pile, in which nothing is fast.
#[test]
fn sweeping_costs_little() {
    let Loaded { mut simulation, scenario } = scene(&wall(180, 12), 0.05);
    let bodies = scenario.model().bodies().expect("bodies").clone();
    let mut audit = Audit::new();
    let first = simulation.state().q.clone();
    let Some(started) = cpu() else { return };
    assert!(matches!(simulation.run(50, &mut audit), Outcome::Finished));
    let step = (cpu().unwrap_or(started) - started) / 50.0;
    let (mut search, mut found) = (PathSearch::new(&bodies), 0);
    let started = cpu().unwrap_or(0.0);
    for _ in 0..5000 {
        search.crossings(&bodies, &first, &simulation.state().q, |_| found += 1);
    }
    let look = (cpu().unwrap_or(0.0) - started) / 5000.0;
    println!("a look takes {look:.1e} s of {step:.1e} s");
    assert!(found == 0 && look <= 0.05 * step, "{found} found, {look:e} s of {step:e} s");
}

/// Random hulls fall into a heap: nothing passes through, energy is accounted for, and every step is solved.
#[test]
fn hulls_fall_into_a_heap() {
    let (count, wide, end) = if long() { (300, 5, 10.0) } else { (40, 3, 0.25) };
    let (_, fast, verdicts, rate) = stand(scene(&hulls(count, wide), end));
    println!(
        "{count} hulls: {fast:.1e} m/s, {} steps/s; {}; {}",
        rate.unwrap_or(0.0),
        verdicts.gap.text,
        verdicts.solver.text
    );
    assert!(!verdicts.failed(), "{verdicts:?}");
    assert!(!long() || fast < 0.1, "still moving at {fast:e} m/s");
}

/// A written key is kept: the same wall under `hold` keeps θ = ½.
#[test]
fn written_keys_are_kept() {
    let text = "[model]\nkind = \"bodies\"\n".to_string() + &wall(4, 2) + "[scheme]\nname = \"moreau-jean\"\n";
    let with = |keys: &str| {
        let text = format!("{text}{keys}[time]\nstep = 1e-3\nend = 1.0\n");
        load_text("wall.toml", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}")).scenario
    };
    for keys in ["theta = 0.5\n", "activation = \"hold\"\n", "friction_law = \"newton\"\n"] {
        let scenario = with(keys);
        assert_eq!((scenario.scheme.activation, scenario.chosen), (Activation::Hold, None), "{keys}");
    }
    assert_eq!(with("").solver.enough, Some(1e-6));
    assert_eq!(with("[solver]\ntolerance = 1e-9\n").solver.enough, None);
}

/// The resolved scenario is the run: what was chosen is written, a tolerance nobody wrote is not.
#[test]
fn the_resolved_scenario_says_what_was_chosen() {
    let loaded = scene(&wall(6, 3), 0.01);
    let text = percussion_scenario::scenario_text(&loaded.scenario).0;
    assert!(
        text.contains("theta = 1") && text.contains("activation = \"gap\"") && !text.contains("tolerance"),
        "{text}"
    );
    let again = load_text("again.toml", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.scenario.scheme, loaded.scenario.scheme);
    assert_eq!(again.scenario.solver, loaded.scenario.solver);
}
