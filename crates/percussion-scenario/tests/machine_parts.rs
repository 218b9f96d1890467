//! Parts of machines on joints: servos, dry friction, rotors, springs from one side and by tables, backlash, ropes, shafts at an angle.
//! Each against its closed form, each with a ledger that closes, and on random chains all of them at once.

use percussion_model::Code;
use percussion_scenario::{Live, LoadOptions, load_text, scenario_text};
use percussion_step::Step;

fn options(scheme: &str, step: f64) -> LoadOptions {
    LoadOptions { scheme: Some(scheme.into()), step: Some(step), ..LoadOptions::default() }
}

/// The code with which a scene is refused.
fn refused(text: &str, options: &LoadOptions) -> Code {
    match load_text("parts.toml", text, options) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.code,
    }
}

/// Every step of a run up to t = 1 s.
fn steps(text: &str, scheme: &str, h: f64) -> Vec<Step> {
    steps_to(1.0, text, scheme, h)
}

fn steps_to(end: f64, text: &str, scheme: &str, h: f64) -> Vec<Step> {
    let loaded = load_text("parts.toml", text, &options(scheme, h)).unwrap_or_else(|e| panic!("{scheme}: {e}\n{text}"));
    // what is written is read as the same scene
    let written = scenario_text(&loaded.scenario).0;
    let again = load_text("again.toml", &written, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again.scenario.problem.q0, loaded.scenario.problem.q0);
    let mut run = loaded.simulation;
    (0..(end / h).round() as usize).map(|_| run.advance().unwrap_or_else(|e| panic!("{scheme}: {e}")).clone()).collect()
}

/// The largest balance of the ledger against the largest energy or work.
fn open(steps: &[Step]) -> f64 {
    let scale = |s: &Step| s.ledger.kinetic.abs() + s.ledger.potential.abs() + s.ledger.work_external.abs();
    let largest = steps.iter().map(scale).fold(1e-300, f64::max);
    steps.iter().map(|s| s.ledger.balance.abs()).fold(0.0, f64::max) / largest
}

/// A wheel of 0.5 kg·m² on a fixed axle, in the plane.
fn wheel(more: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n\
         [[body]]\nname = \"wheel\"\nshape = {{ kind = \"disk\", radius = 0.2 }}\nmass = 1.0\ninertia = [0.5]\ncontact = false\n\
         [[joint]]\nname = \"axle\"\nkind = \"revolute\"\na = \"frame\"\nb = \"wheel\"\nanchor = [0.0, 0.0]\n{more}\n\
         [scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n"
    )
}

/// A servo of stiffness 50 and damping 2 leads the wheel to 0.3 rad as a damped oscillator goes; what its motor did is the wheel's energy.
#[test]
fn a_servo_leads_to_its_target() {
    let text = wheel("motor = { target = 0.3, stiffness = 50.0, damping = 2.0 }");
    let (omega, zeta) = (10.0_f64, 0.2_f64);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let exact = |t: f64| {
        let decay = (-zeta * omega * t).exp();
        0.3 * (1.0 - decay * ((damped * t).cos() + zeta * omega / damped * (damped * t).sin()))
    };
    for (scheme, tolerance) in
        [("event-driven", 1e-9), ("moreau-jean", 2e-5), ("energy-momentum", 2e-5), ("generalized-alpha-ggl", 4e-5)]
    {
        let steps = steps(&text, scheme, 1e-3);
        let worst = steps.iter().map(|s| (s.after.q[5] - exact(s.after.t)).abs()).fold(0.0, f64::max);
        assert!(worst < tolerance, "{scheme}: {worst:e}");
        if scheme != "generalized-alpha-ggl" {
            let work: f64 = steps.iter().map(|s| s.ledger.work_external).sum();
            assert!((work - steps[999].ledger.kinetic).abs() < 1e-9, "{scheme}: {work}");
        }
        assert!(open(&steps) < 1e-12, "{scheme}: {:e}", open(&steps));
    }
}

/// A servo that asks for more than its limit of 1 N·m pushes with that: ½ (l/J) t²; one of velocity drags the wheel to it as e^{−d t/J}.
#[test]
fn a_servo_is_as_strong_as_its_limit() {
    let limited = wheel("motor = { target = 30.0, stiffness = 50.0, damping = 2.0, limit = 1.0 }");
    let led = wheel("motor = { velocity = 4.0, damping = 2.0 }");
    for scheme in ["event-driven", "moreau-jean", "energy-momentum", "generalized-alpha-ggl"] {
        let end = &steps(&limited, scheme, 1e-2)[99].after;
        // a moment does its work on the angle 2 atan(h w/2) of a step: h²w³/12 behind
        assert!((end.q[5] - 1.0).abs() < 3e-5 && (end.v[5] - 2.0).abs() < 3e-5, "{scheme}: {:?} {:?}", end.q, end.v);
        let end = &steps(&led, scheme, 1e-3)[999].after;
        assert!((end.v[5] - 4.0 * (1.0 - (-4.0_f64).exp())).abs() < 2e-4, "{scheme}: {:?}", end.v);
    }
}

/// Dry friction of 1 N·m stops a wheel of 1 rad/s after J w/τ = 0.5 s and takes its energy; it holds against 0.9 N·m, and lets (1.5 − 1)/J through of 1.5.
#[test]
fn dry_friction_holds_and_drags() {
    for scheme in ["moreau-jean", "energy-momentum"] {
        let spun =
            wheel("friction_force = 1.0").replace("inertia = [0.5]", "inertia = [0.5]\nangular_velocity = [1.0]");
        let steps_ = steps(&spun, scheme, 1e-3);
        let work: f64 = steps_.iter().map(|s| s.ledger.work_contact).sum();
        assert!((work + 0.25).abs() < 1e-12, "{scheme}: {work}");
        assert!((steps_[499].after.q[5] - 0.25).abs() < 1e-6, "{scheme}: {:?}", steps_[499].after.q);
        assert!(steps_[600..].iter().all(|s| s.after.v[5].abs() < 1e-10) && open(&steps_) < 1e-13, "{scheme}");
        let held = steps(&wheel("friction_force = 1.0\nmotor = { force = 0.9 }"), scheme, 1e-3);
        assert!(held.iter().all(|s| s.after.v[5].abs() < 1e-10), "{scheme}");
        let pushed = steps(&wheel("friction_force = 1.0\nmotor = { force = 1.5 }"), scheme, 1e-3);
        assert!((pushed[999].after.v[5] - 1.0).abs() < 1e-7, "{scheme}: {:?}", pushed[999].after.v);
    }
    for scheme in ["event-driven", "generalized-alpha-ggl"] {
        assert_eq!(refused(&wheel("friction_force = 1.0"), &options(scheme, 1e-3)), Code::UNSUPPORTED, "{scheme}");
    }
}

/// A rotor of 0.3 kg·m² shares the moment with the wheel of 0.5: 2/0.8 rad/s², and its energy is counted.
#[test]
fn a_rotor_turns_with_its_joint() {
    for scheme in ["event-driven", "moreau-jean", "energy-momentum"] {
        let steps = steps(&wheel("armature = 0.3\nmotor = { force = 2.0 }"), scheme, 1e-3);
        assert!((steps[999].after.v[5] - 2.5).abs() < 1e-6, "{scheme}: {:?}", steps[999].after.v);
        assert!((steps[999].ledger.kinetic - 0.5 * 0.8 * 6.25).abs() < 2e-6 && open(&steps) < 1e-13, "{scheme}");
    }
}

/// A chain of four boxes in space, its joints with a part of every kind drawn at random.
fn chain(seed: u64, friction: bool) -> String {
    let mut state = seed.wrapping_mul(2862933555777941757).wrapping_add(3037000493);
    let mut draw = |low: f64, high: f64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut text = "[model]\nkind = \"bodies\"\n[[body]]\nname = \"b0\"\nfixed = true\n".to_string();
    for k in 1..5 {
        let (x, before) = (0.4 * k as f64, k - 1);
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nshape = {{ kind = \"box\", size = [0.4, {:?}, {:?}] }}\ndensity = 300.0\nposition = [{x:?}, 0.0, 0.0]\ncontact = false\n\
             [[joint]]\nname = \"j{k}\"\nkind = \"revolute\"\na = \"b{before}\"\nb = \"b{k}\"\nanchor = [{:?}, 0.0, 0.0]\naxis = [{:?}, {:?}, {:?}]\narmature = {:?}\n",
            draw(0.05, 0.2),
            draw(0.05, 0.2),
            x - 0.2,
            draw(-1.0, 1.0),
            draw(0.5, 1.0),
            draw(-1.0, 1.0),
            draw(0.0, 0.5),
        );
        if friction {
            text += &format!("friction_force = {:?}\n", draw(0.0, 2.0));
        }
        text += &match k {
            1 => format!("motor = {{ target = {{ mean = {:?}, sines = [{{ amplitude = 0.5, omega = 9.0, phase = 0.0 }}] }}, stiffness = 60.0, damping = {:?}, limit = {:?} }}\n", draw(-1.0, 1.0), draw(0.0, 5.0), draw(2.0, 40.0)),
            2 => format!("stiffness = {:?}\ndamping = 0.3\nrest = 0.1\nacts = \"above\"\n", draw(10.0, 90.0)),
            3 => "force_table = [[-0.5, 20.0], [-0.1, 1.0], [0.1, -1.0], [0.6, -30.0]]\nrate_table = [[-1.0, 1.0], [0.0, 0.0], [2.0, -1.5]]\n".into(),
            _ => "motor = { velocity = 1.0, damping = 0.2 }\n".to_string(),
        };
    }
    text + "[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n"
}

/// On random chains the ledger closes to round-off for any θ, and friction, dampers and rates take energy or none.
#[test]
fn ledgers_of_random_chains_close() {
    for seed in 0..6 {
        for (scheme, theta) in [("energy-momentum", None), ("moreau-jean", Some(0.5)), ("moreau-jean", Some(0.8))] {
            let text = chain(seed, true);
            let text = theta.map_or(text.clone(), |theta| {
                text.replace("name = \"moreau-jean\"", &format!("name = \"moreau-jean\"\ntheta = {theta:?}"))
            });
            let steps = steps(&text, scheme, 4e-3);
            assert!(open(&steps) < 1e-11, "{seed} {scheme} {theta:?}: {:e}", open(&steps));
            for s in &steps {
                assert!(s.ledger.work_damping < 1e-11 && s.ledger.work_contact < 1e-11, "{seed}: {:?}", s.ledger);
            }
        }
    }
}

/// Without dry friction `energy-momentum` goes to the motion that `event-driven` finds, as h².
#[test]
fn chains_converge_to_the_located_motion() {
    for seed in [1, 2] {
        let text = chain(seed, false);
        let end = |scheme: &str, h: f64| {
            let all = steps_to(0.3, &text, scheme, h);
            all.last().expect("steps").after.q.clone()
        };
        let exact = end("event-driven", 1e-2);
        let error =
            |h: f64| end("energy-momentum", h).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let (coarse, fine) = (error(2e-3), error(1e-3));
        assert!(fine < 1e-4 && (1.6..2.6).contains(&(coarse / fine).log2()), "{seed}: {coarse:e} {fine:e}");
    }
}

/// Two bodies joined in free flight, with rotor, dry friction and servo: what one joint does inside changes neither momentum.
#[test]
fn parts_inside_keep_momentum() {
    let text = "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n\
        [[body]]\nname = \"a\"\nshape = { kind = \"box\", size = [0.4, 0.1, 0.2] }\ndensity = 500.0\nangular_velocity = [3.0, -2.0, 1.0]\ncontact = false\n\
        [[body]]\nname = \"b\"\nshape = { kind = \"box\", size = [0.4, 0.1, 0.1] }\ndensity = 500.0\nposition = [0.4, 0.0, 0.0]\nvelocity = [0.0, 0.4, 0.8]\nangular_velocity = [3.0, -2.0, 1.0]\ncontact = false\n\
        [[joint]]\nname = \"hinge\"\nkind = \"revolute\"\na = \"a\"\nb = \"b\"\nanchor = [0.2, 0.0, 0.0]\naxis = [0.0, 0.6, 0.8]\n\
        armature = 0.05\nfriction_force = 0.1\nmotor = { target = 0.5, stiffness = 3.0, damping = 0.05 }\n\
        [scheme]\nname = \"energy-momentum\"\n[time]\nend = 1.0\nstep = 2e-3\n";
    let loaded = load_text("parts.toml", text, &LoadOptions::default()).expect("a scene");
    let scene = std::sync::Arc::clone(loaded.scenario.model().bodies().expect("bodies"));
    let all = steps(text, "energy-momentum", 2e-3);
    let (p0, l0) = scene.momenta(&all[0].after.q, &all[0].after.v);
    for s in &all {
        let (p, l) = scene.momenta(&s.after.q, &s.after.v);
        let apart = (0..3).map(|k| (p[k] - p0[k]).abs().max((l[k] - l0[k]).abs())).fold(0.0, f64::max);
        assert!(apart < 1e-11, "t = {}: {apart:e}", s.after.t);
    }
    assert!(open(&all) < 1e-12, "{:e}", open(&all));
}

/// Pinion of 0.005 and wheel of 0.08 kg·m² at 2 : 1, 0.04 rad of backlash, the pinion driven by 0.02 N·m: half the play passes in √(2·0.02/4) = 0.1 s, the
/// blow leaves 0.08 rad/s, and both then gain 0.02/0.025 rad/s².
#[test]
fn backlash_is_dead_time() {
    let body = |name: &str, inertia: f64, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1.0\ninertia = [{inertia:?}]\nposition = [{x:?}, 0.0]\n\
            [[joint]]\nname = \"{name}\"\nkind = \"revolute\"\na = \"frame\"\nb = \"{name}\"\nanchor = [{x:?}, 0.0]\n"
        )
    };
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n{}motor = {{ force = 0.02 }}\n{}\
         [[joint]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"pinion\", \"wheel\"]\nratio = 2.0\nbacklash = 0.04\n\
         [scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n",
        body("pinion", 0.005, 0.0),
        body("wheel", 0.08, 0.3)
    );
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl"] {
        let all = steps(&text, scheme, 1e-3);
        let first = all.iter().position(|s| s.contacts.iter().any(|c| c.p > 0.0)).expect("contact");
        assert!((98..=101).contains(&first), "{scheme}: {first}");
        let end = &all[999].after;
        assert!((end.v[5] - 0.8).abs() < 1e-6 && (end.v[8] + 0.4).abs() < 1e-6, "{scheme}: {:?}", end.v);
        assert!(open(&all) < 1e-11, "{scheme}: {:e}", open(&all));
    }
    assert_eq!(refused(&text, &options("event-driven", 1e-3)), Code::UNSUPPORTED);
}

/// Weights of 3 and 1 kg on a rope over a pulley fall with g/2; a block on two strands is held by half its weight.
#[test]
fn ropes_run_over_pulleys() {
    let weight = |name: &str, mass: f64, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = {mass:?}\ninertia = [0.01, 0.01, 0.01]\nposition = [{x:?}, 0.0, -4.0]\n\
            [[joint]]\nname = \"{name} strand\"\nkind = \"line\"\na = \"ceiling\"\nb = \"{name}\"\nanchor = [{x:?}, 0.0, 0.0]\nanchor_b = [{x:?}, 0.0, -4.0]\n"
        )
    };
    let text = |masses: [f64; 2], ratio: f64| {
        format!(
            "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"ceiling\"\nfixed = true\n{}{}\
             [[joint]]\nname = \"rope\"\nkind = \"gear\"\njoints = [\"left strand\", \"right strand\"]\nratio = {ratio:?}\n\
             [scheme]\nname = \"energy-momentum\"\n[time]\nend = 1.0\nstep = 1e-2\n",
            weight("left", masses[0], -0.5),
            weight("right", masses[1], 0.5)
        )
    };
    for scheme in ["energy-momentum", "moreau-jean", "generalized-alpha-ggl", "event-driven"] {
        let falling = steps(&text([3.0, 1.0], 1.0), scheme, 1e-2);
        let z = falling[99].after.q[9];
        assert!((z + 4.0 + 0.5 * 4.905).abs() < 1e-9, "{scheme}: {z}");
        let still = steps(&text([1.0, 2.0], 2.0), scheme, 1e-2);
        assert!(still[99].after.v.iter().all(|v| v.abs() < 1e-10), "{scheme}: {:?}", still[99].after.v);
    }
}

/// A slider of 2 kg at 1 m/s runs into a spring of 800 N/m that only pushes: half a swing of π√(m/k) later it leaves as fast; with its damper it leaves
/// slower and is never held back.
#[test]
fn a_bumper_pushes_and_never_pulls() {
    let slider = |more: &str| {
        format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"rail\"\nfixed = true\n\
             [[body]]\nname = \"slider\"\nmass = 2.0\ninertia = [1.0]\nvelocity = [-1.0, 0.0]\n\
             [[joint]]\nname = \"guide\"\nkind = \"prismatic\"\na = \"rail\"\nb = \"slider\"\nanchor = [0.0, 0.0]\naxis = [1.0, 0.0]\n{more}\n\
             [scheme]\nname = \"energy-momentum\"\n[time]\nend = 1.0\nstep = 1e-3\n"
        )
    };
    let spring = "stiffness = 800.0\nrest = -0.1\nacts = \"below\"\n";
    for (scheme, tolerance) in [("energy-momentum", 1e-12), ("event-driven", 1e-9), ("generalized-alpha-ggl", 2e-3)] {
        let all = steps(&slider(spring), scheme, 1e-3);
        let end = &all[999].after;
        assert!((end.v[3] - 1.0).abs() < tolerance, "{scheme}: {:?}", end.v);
        let back = -0.1 + (0.9 - std::f64::consts::PI / 20.0);
        assert!((end.q[3] - back).abs() < 1e-3, "{scheme}: {} {back}", end.q[3]);
        let damped = slider(&format!("{spring}damping = 20.0\n"));
        if scheme == "generalized-alpha-ggl" {
            // the damper sets in with a jump, which its Newton iterations cannot meet
            assert_eq!(refused(&damped, &options(scheme, 1e-3)), Code::UNSUPPORTED);
            continue;
        }
        let all = steps(&damped, scheme, 1e-3);
        // never pulled back: once it moves away it only gains; event-driven has no identity of its own to close
        let away: Vec<f64> = all.iter().map(|s| s.after.v[3]).filter(|v| *v > 0.0).collect();
        assert!(away.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{scheme}");
        assert!(
            away.last().is_some_and(|v| (0.5..0.95).contains(v)) && (scheme == "event-driven" || open(&all) < 1e-11),
            "{scheme}: {:?}",
            away.last()
        );
    }
}

/// Shafts that bend by 30° and turn alike: 3 rad/s in, 3 rad/s out, at every angle.
#[test]
fn a_constant_velocity_joint_turns_evenly() {
    let (s, c) = 30.0_f64.to_radians().sin_cos();
    let shaft = |name: &str, at: [f64; 3], axis: [f64; 3], more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.01, 0.02, 0.01]\nposition = {at:?}\n\
             [[joint]]\nname = \"{name} bearing\"\nkind = \"revolute\"\na = \"ground\"\nb = \"{name}\"\nanchor = {at:?}\naxis = {axis:?}\n{more}"
        )
    };
    let text = format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"ground\"\nfixed = true\n{}{}\
         [[joint]]\nname = \"joint\"\nkind = \"constant-velocity\"\na = \"first\"\nb = \"second\"\nanchor = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n\
         shaft = [{s:?}, 0.0, {c:?}]\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n",
        shaft("first", [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], "motor = { velocity = 3.0 }\n"),
        shaft("second", [s, 0.0, c], [s, 0.0, c], "")
    );
    let all = steps(&text, "moreau-jean", 1e-3);
    for step in &all[1..] {
        let v = &step.after.v;
        let omega: f64 = [s, 0.0, c].iter().zip(&v[15..18]).map(|(a, w)| a * w).sum();
        assert!((omega - 3.0).abs() < 1e-5, "{omega}");
    }
    assert!(open(&all) < 1e-12, "{:e}", open(&all));
}

/// A Geneva drive of four slots, its wheel held by dry friction between the turns: a turn of the crank is a quarter turn of the wheel, and in the slot the
/// wheel is at −π/4 − β, tan β = r sin θ/(d − r cos θ), within the 0.1 mm that the slot is wider than the pin to each side.
#[test]
fn a_geneva_drive_turns_by_quarters() {
    let (r, width) = (0.1_f64, 0.0101);
    let d = r * 2.0_f64.sqrt();
    let mut points = Vec::new();
    for k in 0..4 {
        let (s, c) = ((0.25 + 0.5 * k as f64) * std::f64::consts::PI).sin_cos();
        let inner = d - r - 0.012;
        for (x, y) in [(r, -width), (inner, -width), (inner, width), (r, width)] {
            points.push([c * x - s * y, s * x + c * y]);
        }
    }
    let start = -60.0_f64.to_radians();
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n\
         [[body]]\nname = \"crank\"\nshapes = [{{ kind = \"disk\", radius = 0.01, position = [{:?}, {:?}] }}]\nmass = 1.0\ninertia = [0.01]\n\
         [[body]]\nname = \"wheel\"\nshape = {{ kind = \"outline\", points = {points:?} }}\nmass = 1.0\ninertia = [0.004]\nposition = [{d:?}, 0.0]\n\
         [[joint]]\nname = \"crank\"\nkind = \"revolute\"\na = \"frame\"\nb = \"crank\"\nanchor = [0.0, 0.0]\nmotor = {{ velocity = {:?} }}\n\
         [[joint]]\nname = \"wheel\"\nkind = \"revolute\"\na = \"frame\"\nb = \"wheel\"\nanchor = [{d:?}, 0.0]\nfriction_force = 0.02\n\
         [scheme]\nname = \"moreau-jean\"\ntheta = 1.0\nactivation = \"gap\"\n[time]\nend = 1.0\nstep = 5e-4\n",
        r * start.cos(),
        r * start.sin(),
        2.0 * std::f64::consts::PI
    );
    let all = steps(&text, "moreau-jean", 5e-4);
    for s in &all {
        let (theta, phi) = (s.after.q[5] + start, s.after.q[8]);
        if theta.abs() < 44.0_f64.to_radians() {
            let (y, x) = (r * theta.sin(), d - r * theta.cos());
            let off = (phi + std::f64::consts::FRAC_PI_4 + y.atan2(x)).abs() * y.hypot(x);
            assert!(off < 1.05e-4, "t = {}: {off:e} m", s.after.t);
        }
    }
    let turned = all.last().expect("steps").after.q[8];
    assert!((turned + std::f64::consts::FRAC_PI_2).abs() < 1.05e-4 / r, "{turned}");
}

/// A ratchet of twelve teeth lets its wheel forward and stops it backward, always at the same place of a tooth.
#[test]
fn a_ratchet_holds_at_every_tooth() {
    let (radius, depth, pitch) = (0.1_f64, 0.015, std::f64::consts::PI / 6.0);
    let mut points = Vec::new();
    for k in 0..12 {
        for (r, angle) in [(radius, pitch * k as f64), (radius - depth, pitch * (k + 1) as f64)] {
            points.push([r * angle.cos(), r * angle.sin()]);
        }
    }
    let (length, angle) = (0.1_f64.hypot(0.019), 0.019_f64.atan2(0.1));
    let rests = |velocity: &str| {
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n\
             [[body]]\nname = \"wheel\"\nshape = {{ kind = \"outline\", points = {points:?} }}\nmass = 1.0\ninertia = [0.004]\n\
             [[body]]\nname = \"pawl\"\nshape = {{ kind = \"capsule\", radius = 0.003, length = {length:?} }}\nmass = 0.05\ninertia = [4e-5]\n\
             position = [0.05, 0.1155]\nangle = {angle:?}\n\
             [[joint]]\nname = \"axle\"\nkind = \"revolute\"\na = \"frame\"\nb = \"wheel\"\nanchor = [0.0, 0.0]\n\
             motor = {{ velocity = {velocity}, damping = 0.2, limit = 0.3 }}\n\
             [[joint]]\nname = \"pivot\"\nkind = \"revolute\"\na = \"frame\"\nb = \"pawl\"\nanchor = [0.1, 0.125]\nmotor = {{ force = 0.02 }}\ndamping = 1e-4\n\
             [scheme]\nname = \"moreau-jean\"\ntheta = 1.0\nactivation = \"gap\"\n[time]\nend = 1.0\nstep = 1e-3\n"
        );
        let all = steps(&text, "moreau-jean", 1e-3);
        let last = &all.last().expect("steps").after;
        assert!(last.v[5].abs() < 1e-3, "{:?}", last.v);
        (last.q[5], all.iter().map(|s| s.after.q[5]).fold(0.0, f64::max))
    };
    let (held, _) = rests("-2.0");
    let (caught, farthest) = rests("{ step = { at = 0.6, from = 3.0, to = -2.0 } }");
    let teeth = (caught - held) / pitch;
    assert!(farthest > 1.5 && farthest - caught < pitch && teeth > 2.5, "{held} {caught} {farthest}");
    assert!((teeth - teeth.round()).abs() < 1e-3, "{teeth}");
}

/// A program sets the target of a servo by the joint's name; given back, the scenario's own holds again.
#[test]
fn targets_are_set_by_name() {
    let text = wheel("motor = { target = 0.0, stiffness = 50.0, damping = 10.0 }");
    let loaded = load_text("parts.toml", &text, &options("moreau-jean", 1e-3).live()).expect("a scene");
    let mut live = Live::new(loaded).expect("live");
    live.set("axle.motor", &[0.7]).expect("a servo");
    for _ in 0..3000 {
        live.step().expect("a step");
    }
    assert!((live.state().q[5] - 0.7).abs() < 1e-6, "{:?}", live.state().q);
    live.release("axle.motor").expect("given back");
    for _ in 0..3000 {
        live.step().expect("a step");
    }
    assert!(live.state().q[5].abs() < 1e-6, "{:?}", live.state().q);
}

/// What makes no sense is refused by name.
#[test]
fn nonsense_is_refused() {
    let cases = [
        ("motor = { target = 0.0, force = 1.0 }", Code::CONTRADICTION),
        ("motor = { target = 0.0 }", Code::CONTRADICTION),
        ("motor = { force = 1.0, limit = 2.0 }", Code::CONTRADICTION),
        ("motor = { velocity = 1.0, stiffness = 2.0 }", Code::CONTRADICTION),
        ("acts = \"above\"", Code::CONTRADICTION),
        ("force_table = [[0.0, 1.0]]", Code::BAD_PARAMETER),
        ("force_table = [[0.0, 1.0], [0.0, 2.0]]", Code::BAD_PARAMETER),
    ];
    for (more, code) in cases {
        assert_eq!(refused(&wheel(more), &LoadOptions::default()), code, "{more}");
    }
}

/// Points of a curve, as a list of TOML.
fn points(n: usize, of: impl Fn(f64) -> [f64; 2]) -> String {
    let rows: Vec<String> = (0..n).map(|k| of(k as f64 / n as f64)).map(|[x, y]| format!("[{x:?}, {y:?}]")).collect();
    format!("[{}]", rows.join(", "))
}

/// A bead on a cycloid, x = a (φ + sin φ), y = −a (1 + cos φ), takes π √(a/g) to its lowest point from wherever it starts (Huygens): turns with
/// kinetic energy of its own are taken out by a disk that is free to turn. Nothing leaves the wire, and the ledger closes.
#[test]
fn a_bead_on_a_cycloid_keeps_time() {
    let a = 0.5;
    let at = |phi: f64| [a * (phi + phi.sin()), -a * (1.0 + phi.cos())];
    let wire = points(201, |s| at(3.0 * (2.0 * s - 0.995)));
    let time = std::f64::consts::PI * (a / 9.81_f64).sqrt();
    for scheme in ["moreau-jean", "energy-momentum", "generalized-alpha-ggl", "event-driven"] {
        for start in [-0.4, -1.2, -2.2] {
            let [x, y] = at(start);
            let text = format!(
                "[model]\nkind = \"bodies\"\ndimension = 2\n[[body]]\nname = \"frame\"\nfixed = true\n[[body]]\nname = \"bead\"\n\
                 mass = 0.3\ninertia = [1e-3]\nposition = [{x:?}, {y:?}]\n[[joint]]\nname = \"wire\"\nkind = \"curve\"\na = \"frame\"\n\
                 b = \"bead\"\nanchor = [{x:?}, {y:?}]\npoints = {wire}\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n"
            );
            let run = steps(&text, scheme, 1e-3);
            // when it passes x = 0, between two steps
            let k = run.iter().position(|s| s.after.q[3] > 0.0).expect("it comes down");
            let (before, after) = (&run[k - 1].after, &run[k].after);
            let t = before.t - before.q[3] * (after.t - before.t) / (after.q[3] - before.q[3]);
            assert!((t - time).abs() < 3e-5, "{scheme} from {start}: {t}, {time}");
            assert!(open(&run) < 1e-11, "{scheme}: {:e}", open(&run));
            // on the exact curve to what the spline leaves
            for s in &run {
                let [x, y] = [s.after.q[3], s.after.q[4]];
                let phi = (-y / a - 1.0).clamp(-1.0, 1.0).acos() * x.signum();
                assert!((x - at(phi)[0]).abs() < 1e-4, "{scheme}: off the wire by {:e}", x - at(phi)[0]);
            }
        }
    }
}

/// An eccentric disk of 50 mm, 15 mm off its shaft, at 10 rad/s: a follower in a groove along its edge, and one with a roller of 10 mm that its weight
/// keeps on it, are at e cos φ + √(ρ² − e² sin² φ), ρ = R and R + r. The follower that is lifted too fast leaves the cam.
#[test]
fn followers_follow_cams() {
    let (R, e, r) = (0.05_f64, 0.015_f64, 0.01_f64);
    let profile = points(64, |s| {
        let angle = std::f64::consts::TAU * s;
        [e + R * angle.cos(), R * angle.sin()]
    });
    let text = |kind: &str, more: &str, start: f64, omega: f64| {
        format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [-9.81, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n[[body]]\nname = \"cam\"\n\
             mass = 1.0\ninertia = [1e-3]\nangular_velocity = [{omega:?}]\n[[body]]\nname = \"follower\"\nmass = 0.2\ninertia = [1e-4]\n\
             position = [{start:?}, 0.0]\n[[joint]]\nname = \"shaft\"\nkind = \"revolute\"\na = \"frame\"\nb = \"cam\"\nanchor = [0.0, 0.0]\n\
             motor = {{ velocity = {omega:?} }}\n[[joint]]\nname = \"guide\"\nkind = \"prismatic\"\na = \"frame\"\nb = \"follower\"\n\
             anchor = [{start:?}, 0.0]\naxis = [1.0, 0.0]\n[[joint]]\nname = \"edge\"\nkind = \"{kind}\"\na = \"cam\"\nb = \"follower\"\n\
             anchor = [{start:?}, 0.0]\npoints = {profile}\nclosed = true\n{more}\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n"
        )
    };
    let lift = |rho: f64, phi: f64| e * phi.cos() + (rho * rho - (e * phi.sin()).powi(2)).sqrt();
    for scheme in ["moreau-jean", "energy-momentum", "landing"] {
        for (kind, more, rho) in [("curve", "", R), ("cam", "limits = [0.01, 1.0]", R + r)] {
            // a roller a micrometre above its cam: the spline is as round as its points make it
            let above = if kind == "cam" { 1e-6 } else { 0.0 };
            let run = steps(&text(kind, more, e + rho + above, 10.0), scheme, 5e-4);
            // a stop is a law on velocities: one that lasts sinks by h² a/2 in a step, a = e ω² (1 + e/ρ) at most, where nothing promises its gap
            let sinks =
                if kind == "cam" && scheme != "landing" { 0.5 * 5e-4 * e * 100.0 * (1.0 + e / rho) } else { 0.0 };
            for s in &run {
                let off = s.after.q[6] - lift(rho, s.after.q[5]);
                let most = 2e-5 + sinks * s.after.t;
                assert!(off.abs() < most, "{scheme} {kind}: t = {}: {off:e}", s.after.t);
            }
            assert!(open(&run) < 1e-9, "{scheme} {kind}: {:e}", open(&run));
        }
        let fast = steps(&text("cam", "limits = [0.01, 1.0]", e + R + r + 1e-6, 60.0), scheme, 2e-4);
        assert!(fast.iter().any(|s| s.after.q[6] - lift(R + r, s.after.q[5]) > 1e-3), "{scheme}: it never leaves");
    }
    let code = |text: &str| refused(text, &options("moreau-jean", 1e-3));
    // off its curve, without points, and points where no curve is
    assert_eq!(code(&text("curve", "", e + R + r, 10.0)), Code::JOINT_POSITION);
    assert_eq!(code(&text("curve", "", e + R, 10.0).replace(&format!("points = {profile}\n"), "")), Code::BAD_SIZE);
    assert_eq!(code(&text("line", "", e + R, 10.0)), Code::CONTRADICTION);
}
