//! Hinges beyond half a turn, drives that cannot be followed, structures at rest, springs too stiff for their step.

use percussion_scenario::{Finding, LoadOptions, Loaded, load_text, run, verify};
use percussion_step::{Audit, Guarantee, Outcome, Pack, PackPart, Verdict};
use std::path::Path;

mod tables;
use tables::{number, rows};

fn loaded(text: &str) -> Loaded {
    load_text("hinge.toml", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A wheel on a hinge to the ground, in the plane or in space.
fn wheel(planar: bool, joint: &str, step: f64) -> String {
    let (dimension, inertia, zero) = if planar { (2, "[0.1]", "[0, 0]") } else { (3, "[0.2, 0.1, 0.3]", "[0, 0, 0]") };
    let axis = if planar { "" } else { "axis = [0, 1, 0]" };
    format!(
        "[model]\nkind = \"bodies\"\ndimension = {dimension}\ngravity = {zero}\n\
         [[body]]\nname = \"ground\"\nfixed = true\n\
         [[body]]\nname = \"wheel\"\nmass = 1.0\ninertia = {inertia}\nposition = {zero}\n\
         [[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"wheel\"\nanchor = {zero}\n{axis}\n{joint}\n\
         [scheme]\nname = \"energy-momentum\"\n[time]\nend = 1.0\nstep = {step}\n"
    )
}

/// The angle of the wheel, brought to the branch of the one before it.
fn angle(planar: bool, q: &[f64], before: f64) -> f64 {
    if planar {
        return q[5];
    }
    let here = 2.0 * q[7 + 5].atan2(q[7 + 3]);
    let turn = std::f64::consts::TAU;
    here + turn * ((before - here) / turn).round()
}

/// A torsion spring k = 1 under a moment of 5 on I = 0.1 goes to 10 rad and back, c = 5 (1 − cos √10 t), and its potential to 50 J; in
/// space as in the plane. Errors are of order h²: the midpoint rule loses 5 (ωt)(ωh)²/24 = 1.3e-5 rad in 2 s at h = 1 ms, and cay(hw)
/// turns by hw (1 − (hw)²/12), up to 2e-5 of hw less.
///
/// The bug: the angle was read from the places of the two bodies, which know it up to 2π. A spring wound by more than half a turn
/// saw it jump, pulled the other way, and its potential was wrong. Whole turns are now counted from step to step.
#[test]
fn regression_torsion_springs_wind_up_beyond_half_a_turn() {
    for planar in [true, false] {
        let mut run = loaded(&wheel(planar, "stiffness = 1.0\nmotor = { force = 5.0 }", 1e-3));
        let (mut c, mut largest, mut potential, mut gone) = (0.0, 0.0_f64, 0.0_f64, 0.0_f64);
        for k in 1..=2000 {
            let step = run.simulation.advance().unwrap_or_else(|failure| panic!("{failure}"));
            c = angle(planar, &step.after.q, c);
            let exact = 5.0 * (1.0 - (10.0_f64.sqrt() * 1e-3 * f64::from(k)).cos());
            gone = gone.max((c - exact).abs());
            largest = largest.max(c);
            potential = potential.max(step.ledger.potential);
            assert!(
                (step.ledger.potential - 0.5 * c * c).abs() < 1e-10,
                "{planar}, step {k}: {:?} at {c}",
                step.ledger
            );
            assert!(step.ledger.balance.abs() < 1e-11, "{planar}, step {k}: {:?}", step.ledger);
        }
        println!("planar {planar}: largest {largest:.6}, V {potential:.4}, off by {gone:.2e}");
        assert!(gone < 5e-4, "planar {planar}: {gone}");
        assert!((largest - 10.0).abs() < 1e-4 && (potential - 50.0).abs() < 1e-3, "{largest}, {potential}");
    }
}

/// Stops beyond half a turn and beyond a whole one stop the wheel where they are, within the step it comes with, and hold it.
///
/// The bug: with an angle between −π and π a stop beyond π could not be met where it is. Stops now know the whole turns of
/// their joint; the count is carried from step to step, so a checkpoint keeps it (next test).
#[test]
fn regression_stops_beyond_half_a_turn_hold() {
    for planar in [true, false] {
        for (low, high) in [(-3.0, 3.5), (-0.3, 9.0), (-20.0, 0.5)] {
            let force = if high > 1.0 { 2.0 } else { -2.0 };
            let stops = format!("limits = [{low:?}, {high:?}]\nmotor = {{ force = {force:?} }}");
            let mut run = loaded(&wheel(planar, &stops, 2e-3));
            let (mut c, mut deepest) = (0.0, 0.0_f64);
            for _ in 0..1500 {
                let step = run.simulation.advance().unwrap_or_else(|failure| panic!("{failure}"));
                c = angle(planar, &step.after.q, c);
                deepest = deepest.max(c - high).max(low - c);
                assert!(step.ledger.balance.abs() < 1e-10, "{:?}", step.ledger);
            }
            let stop = if force > 0.0 { high } else { low };
            // it arrives with √(2 F c/I), 28 rad/s at most, and the impact is found in the step after
            println!("planar {planar}, [{low}, {high}]: deepest {deepest:.2e}, at rest at {c:.4}");
            assert!(deepest < 30.0 * 2e-3 && (c - stop).abs() < 30.0 * 2e-3, "{deepest}, {c} at {stop}");
        }
    }
}

/// A run taken up again after some turns goes on as the whole run does, bit for bit.
#[test]
fn turns_are_kept_by_a_checkpoint() {
    let text = wheel(false, "stiffness = 1.0\nlimits = [-1.0, 9.5]\nmotor = { force = 5.0 }", 1e-3);
    let (mut whole, mut again) = (loaded(&text).simulation, loaded(&text).simulation);
    for _ in 0..700 {
        whole.advance().unwrap();
    }
    let mut bytes = Vec::new();
    whole.pack_part(&mut bytes);
    again.unpack_part(&mut &bytes[..]).expect("a checkpoint of this run");
    let mut kept = 0.0_f64;
    for _ in 0..600 {
        let step = whole.advance().unwrap().clone();
        assert_eq!(step.ledger, again.advance().unwrap().ledger);
        kept = kept.max(step.ledger.potential);
    }
    assert_eq!(whole.state(), again.state());
    assert!(kept > 0.5 * 6.5 * 6.5, "{kept} J: more than a turn was to be kept");
    let mut other = Vec::new();
    again.pack_part(&mut other);
    bytes.clear();
    whole.pack_part(&mut bytes);
    // counts of factorisations are those of the steps made since
    let (mut a, mut b) = (&bytes[..], &other[..]);
    assert_eq!(u64::unpack(&mut a), u64::unpack(&mut b));
}

/// A wheel that makes half a turn in a step cannot be counted: the step is made in parts, and where these are too long as well the run says
/// so; with smaller steps it runs.
///
/// The story: turns are counted from the places before and after a step, which tells them apart below half a turn a step only.
/// Beyond it a count would be a guess, with a spring or a stop acting on it: the run stops with E207 instead.
#[test]
fn regression_a_wheel_too_fast_to_count_is_a_coded_failure() {
    let turning = |speed: &str| {
        let speed = format!("inertia = [0.1]\nangular_velocity = [{speed}]");
        wheel(true, "stiffness = 1e-3", 0.1).replace("inertia = [0.1]", &speed)
    };
    let failure = loaded(&turning("4e3")).simulation.advance().expect_err("25 rad in a sixteenth of a step");
    assert_eq!(failure.code.as_str(), "E207", "{failure}");
    assert!(failure.message.contains("turned by 400.000 rad"), "{failure}");
    let mut whole = loaded(&turning("40.0"));
    assert_eq!(whole.simulation.advance().expect("2 rad in each half").parts, 2);
    assert!(loaded(&turning("40.0").replace("step = 0.1", "step = 0.05")).simulation.advance().is_ok());
}

const ARM: &str = r#"
[model]
kind = "bodies"
[[body]]
name = "frame"
fixed = true
[[body]]
name = "arm"
shape = { kind = "box", size = [0.4, 0.1, 0.1] }
density = 1000
position = [0.2, 0, 0]
[[body]]
name = "hand"
shape = { kind = "box", size = [0.4, 0.1, 0.1] }
density = 1000
position = [0.6, 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
a = "frame"
b = "arm"
anchor = [0, 0, 0]
axis = [0, 1, 0]
# shoulder
[[joint]]
name = "elbow"
kind = "revolute"
a = "arm"
b = "hand"
anchor = [0.4, 0, 0]
axis = [0, 1, 0]
# more
[scheme]
name = "energy-momentum"
[time]
end = 1.0
step = 2e-3
"#;

const SECOND: &str = "[[joint]]\nname = \"second\"\nkind = \"revolute\"\na = \"frame\"\nb = \"arm\"\nanchor = [0, 0, 0]\naxis = [0, 1, 0]\n";
const CLAMP: &str =
    "[[joint]]\nname = \"clamp\"\nkind = \"fixed\"\na = \"frame\"\nb = \"hand\"\nanchor = [0.4, 0, 0]\n";

/// Two speeds on one hinge, and a speed on a locked one, are refused by name; equal speeds are redundant and run.
///
/// The bug: such drives were accepted, because a row that follows from others is allowed, and the motion obeyed not all of them.
/// Rows that contradict each other are now told from rows that repeat each other, and refused with E141.
#[test]
fn regression_drives_that_exclude_each_other_are_refused() {
    let scene = |first: f64, more: &str| {
        let drive = format!("motor = {{ velocity = {first:?} }}");
        ARM.replace("# shoulder", &drive).replace("# more", more)
    };
    let refused = |text: &str| {
        let Err(error) = load_text("arm.toml", text, &LoadOptions::default()) else { panic!("accepted: {text}") };
        assert_eq!(error.code.as_str(), "E141", "{error}");
        error.to_string()
    };
    let text = refused(&scene(1.0, &format!("{SECOND}motor = {{ velocity = 2.0 }}")));
    assert!(text.contains("shoulder") && text.contains("second") && !text.contains("elbow"), "{text}");
    let text = refused(&scene(1.0, CLAMP));
    assert!(text.contains("shoulder") && text.contains("clamp"), "{text}");
    for fine in [scene(1.0, &format!("{SECOND}motor = {{ velocity = 1.0 }}")), scene(0.0, CLAMP), scene(1.0, SECOND)] {
        let mut run = loaded(&fine).simulation;
        for _ in 0..50 {
            run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

/// A speed drive that runs into its stop has no solution, and the run says that and not that the solver was too slow.
///
/// The bug: the contact solver was given an impossible problem, and the message advised more iterations. That no impulse can stop
/// the motion is now seen from the mobility that joints and drives leave to the stop, and said (E201).
#[test]
fn regression_a_drive_against_a_stop_has_no_solution() {
    let text = ARM.replace("# shoulder", "motor = { velocity = 1.0 }\nlimits = [-0.3, 0.3]");
    let mut run = loaded(&text).simulation;
    let failure = (0..200).find_map(|_| run.advance().err()).expect("the stop is reached at 0.3 s");
    assert_eq!(failure.code.as_str(), "E201", "{failure}");
    assert!(failure.message.contains("stop of joint \"shoulder\"") && failure.help.contains("force"), "{failure}");
    assert!((failure.t - 0.3).abs() < 5e-3, "{failure}");
}

/// A joint between two bodies that do not move is refused by name.
///
/// The bug: a joint between bodies that cannot move was accepted; its rows are zero and hold nothing. It is refused with E140.
#[test]
fn regression_a_joint_of_fixed_bodies_is_refused() {
    let bolt = "[[body]]\nname = \"wall\"\nfixed = true\n[[joint]]\nname = \"bolt\"\nkind = \"fixed\"\na = \"frame\"\nb = \"wall\"\nanchor = [0, 0, 0]";
    let Err(error) = load_text("arm.toml", &ARM.replace("# more", bolt), &LoadOptions::default()) else {
        panic!("accepted")
    };
    assert_eq!(error.code.as_str(), "E140", "{error}");
    assert!(error.to_string().contains("bolt") && error.to_string().contains("wall"), "{error}");
}

/// A structure that cannot move has no energy but round-off, 4.5e-16 J a step, and that is not called created; in whatever order its
/// joints are given, four of whose rows follow from the others.
///
/// The bug: a structure at rest has no energy to measure a residual by, and failed its certificate by round-off. What is allowed is
/// now no less than the round-off of m g x, of which potentials and works of reactions are made.
#[test]
fn regression_a_locked_structure_at_rest_passes() {
    for place in ["# shoulder", "# more"] {
        let mut run = loaded(&ARM.replace(place, CLAMP));
        let mut audit = Audit::new();
        let outcome = run.simulation.run(500, &mut audit);
        assert!(matches!(outcome, Outcome::Finished), "{place}: {outcome:?}");
        let guarantee = Guarantee::new(&run.scenario.scheme, run.scenario.model());
        let energy = audit.verdicts(&guarantee, 1e-10).energy;
        assert_eq!(energy.status, Verdict::Pass, "{place}: {}", energy.text);
        assert!(audit.largest_energy() < 1e-12, "{} J", audit.largest_energy());
    }
}

/// A spring above the bound of its step is warned of and does grow; below it there is no warning, and the motion stays. The bound is
/// h √(k (1/m + 1/m)) < 2 at θ = ½.
///
/// The bug: springs between bodies act explicitly under `moreau-jean`, and above the bound the motion grew without a word. It is
/// warned of when the run starts (W405).
#[test]
fn regression_springs_too_stiff_for_the_step_are_warned_of() {
    let scene = |k: f64| {
        format!(
            "[model]\nkind = \"bodies\"\ngravity = [0, 0, 0]\n\
             [[body]]\nname = \"a\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 4.0\ninertia = [0.016, 0.016, 0.016]\nposition = [0, 0, 0]\n\
             [[body]]\nname = \"b\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 4.0\ninertia = [0.016, 0.016, 0.016]\nposition = [0, 0, 0.5]\n\
             [[spring]]\na = \"a\"\nb = \"b\"\nstiffness = {k:?}\nlength = 0.501\n[time]\nend = 1.0\nstep = 1e-3\n"
        )
    };
    // h² k (1/4 + 1/4) = 4 at k = 8e6
    for (k, stable) in [(7.9e6, true), (8.1e6, false)] {
        let mut run = loaded(&scene(k)).simulation;
        let warnings = run.warnings();
        assert_eq!(warnings.iter().any(|w| w.code.as_str() == "W405"), !stable, "{warnings:?}");
        let start = 0.5 * k * 1e-6;
        let grown = (0..300).map(|_| run.advance().unwrap().ledger.energy()).fold(0.0, f64::max);
        println!("k = {k:e}: energy {start:.3} J to {grown:.3e} J");
        assert!((grown < 200.0 * start) == stable, "{grown} of {start}");
    }
    let damped = scene(1e3).replace("length = 0.501", "length = 0.501\ndamping = 5e3");
    assert!(loaded(&damped).simulation.warnings().iter().any(|w| w.code.as_str() == "W405"));
    // ends that meet have no direction yet, and the bound all the same
    let meeting =
        scene(8.1e6).replace("length = 0.501", "length = 0.0\npoint_a = [0, 0, 0.25]\npoint_b = [0, 0, -0.25]");
    assert!(loaded(&meeting).simulation.warnings().iter().any(|w| w.code.as_str() == "W405"));
}

/// Schemes that locate events follow a hinge within half a turn and say where they stop.
#[test]
fn located_schemes_stop_where_turns_would_count() {
    for planar in [true, false] {
        for (scheme, joint) in [
            ("event-driven", "stiffness = 1.0\nmotor = { force = 5.0 }"),
            ("event-driven", "limits = [-1.0, 9.0]\nmotor = { force = 5.0 }"),
            ("runge-kutta-moreau", "limits = [-1.0, 9.0]\nmotor = { force = 5.0 }"),
        ] {
            let text = wheel(planar, joint, 1e-2).replace("energy-momentum", scheme);
            let mut run = loaded(&text);
            let failure = loop {
                match run.simulation.advance() {
                    Ok(step) => assert!(step.after.t < 1.0, "{scheme}, {joint}: no word"),
                    Err(failure) => break failure,
                }
            };
            assert_eq!(failure.code.as_str(), "E207", "{scheme}, {joint}: {failure}");
            let c = angle(planar, &run.simulation.state().q, 3.0);
            assert!((2.5..=std::f64::consts::PI).contains(&c), "{scheme}, {joint}: stopped at {c}");
        }
    }
}

/// Gears of any ratio turn as their inertias say, and their joints hold, however many turns the wheels have made.
#[test]
fn gears_hold_over_many_turns() {
    for ratio in [0.3, 1.5, 2.0, -0.7] {
        let wheel = |name: &str, x: f64| {
            format!("[[body]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.1]\nposition = [{x:?}, 0.0]\n")
        };
        let hinge = |name: &str, wheel: &str, x: f64, motor: &str| {
            format!(
                "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\na = \"ground\"\nb = \"{wheel}\"\nanchor = [{x:?}, 0.0]\n{motor}\n"
            )
        };
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"ground\"\nfixed = true\n{}{}{}{}\
             [[joint]]\nkind = \"gear\"\njoints = [\"p\", \"q\"]\nratio = {ratio:?}\n\
             [scheme]\nname = \"energy-momentum\"\n[time]\nend = 3.0\nstep = 1e-3\n",
            wheel("one", 1.0),
            wheel("two", 2.0),
            hinge("p", "one", 1.0, "motor = { force = 1.0 }"),
            hinge("q", "two", 2.0, "")
        );
        let mut run = loaded(&text);
        let guarantee = Guarantee::new(&run.scenario.scheme, run.scenario.model());
        let mut audit = Audit::new();
        assert!(matches!(run.simulation.run(3000, &mut audit), Outcome::Finished), "ratio {ratio}");
        let joints = audit.verdicts(&guarantee, 1e-10).joints;
        assert_eq!(joints.status, Verdict::Pass, "ratio {ratio}: {}", joints.text);
        // the second wheel turns 1/ratio as fast and weighs 1/ratio² as much: ω = t/(I (1 + 1/ratio²))
        let w = run.simulation.state().v[5];
        let exact = 3.0 / (0.1 * (1.0 + 1.0 / (ratio * ratio)));
        // cay(hw) turns by hw (1 − (hw)²/12): rates of wheels of different speed are in the ratio of the gear to that order
        let fastest = 1e-3 * exact * (1.0_f64 / ratio).abs().max(1.0);
        assert!((w - exact).abs() < fastest * fastest / 6.0 * exact, "ratio {ratio}: {w}, not {exact}");
    }
}

/// A wheel that turns by five radians in a step, which is made in parts: `joints.csv` tells the angle of which ½ k c² is the potential, and `verify`
/// confirms the run, of every row or of every third.
///
/// The bug: turns were counted from state to state, half a turn at most. The table said 0.525 rad for 6.81 rad, and `verify` rejected the untouched run.
#[test]
fn regression_turns_within_a_step_made_in_parts_are_counted() {
    let k = 5e4;
    for every in [1, 3] {
        let text = format!(
            "[model]\nkind = \"bodies\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"ground\"\nfixed = true\n\
             [[body]]\nname = \"wheel\"\nshape = {{ kind = \"box\", size = [0.2, 0.2, 0.2] }}\ndensity = 1000.0\n\
             angular_velocity = [0, 0, 1e4]\n\
             [[joint]]\nkind = \"revolute\"\na = \"ground\"\nb = \"wheel\"\nanchor = [0, 0, 0]\nstiffness = {k:?}\n\
             [time]\nend = 0.03\nstep = 1e-3\n[output]\nevery = {every}\n"
        );
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hinges").join(format!("turns-{every}"));
        run(loaded(&text), &folder, &mut |_| true).expect("runs");
        let mut farthest = 0.0_f64;
        for (joint, entry) in rows(&folder, "joints.csv").iter().zip(rows(&folder, "ledger.csv")) {
            let (c, potential) = (number(joint, "value"), number(&entry, "potential"));
            let energy = number(&entry, "energy");
            assert!((0.5 * k * c * c - potential).abs() <= 1e-9 * energy, "every {every}: {c} rad, {potential} J");
            farthest = farthest.max(c.abs());
        }
        // ½ I ω² = ½ k c², I = 8/150 kg·m²
        let amplitude = 1e4 * (8.0_f64 / 150.0 / k).sqrt();
        assert!(farthest > 6.0 && farthest < 1.01 * amplitude, "{farthest} of {amplitude} rad");
        for check in verify(&folder).expect("a run").checks {
            assert!(
                !matches!(check.finding, Finding::Differs { .. }),
                "every {every}: {}: {:?}",
                check.name,
                check.finding
            );
            if check.name == "potential" {
                assert!(matches!(check.finding, Finding::Agrees(_)), "every {every}: {:?}", check.finding);
            }
        }
    }
}
