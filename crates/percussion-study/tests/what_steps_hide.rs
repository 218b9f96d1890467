//! Derivatives and events where the steps of a motion say nothing of them: columns that swing while the motion does not, loads that change on a body at
//! rest, orders of impacts that change with next to nothing.

use percussion_scenario::{LoadOptions, load_text};
use percussion_study::Threads;
use percussion_study::sensitivity::{Sensitivity, SensitivityOptions, Way, sensitivity};

fn differentiate(text: &str, of: &[&str], wrt: &[&str], set: &[&str]) -> percussion_scenario::Result<Sensitivity> {
    let list = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<String>>();
    let base = LoadOptions { set: list(set), ..LoadOptions::default() };
    let options = SensitivityOptions { of: list(of), wrt: list(wrt), times: Vec::new(), base };
    let load = |base: &LoadOptions| load_text("test", text, base);
    sensitivity(&load, &options, Threads(1), &|_| true).map(|made| made.expect("nobody stopped it"))
}

/// q and v at the end of a run.
fn end(text: &str, set: &[String]) -> Vec<f64> {
    let base = LoadOptions { set: set.to_vec(), ..LoadOptions::default() };
    let loaded = load_text("test", text, &base).expect("a scenario");
    let mut simulation = loaded.simulation;
    for _ in 0..loaded.scenario.count.n {
        simulation.advance().expect("a step");
    }
    let state = simulation.state();
    state.q.iter().chain(&state.v).copied().collect()
}

/// (4 D(δ/2) − D(δ))/3 of runs.
fn extrapolated(text: &str, key: &str, (at, d): (f64, f64), set: &[&str]) -> Vec<f64> {
    let run = |x: f64| {
        let mut list: Vec<String> = set.iter().map(|word| word.to_string()).collect();
        list.push(format!("{key}={x:e}"));
        end(text, &list)
    };
    let slope = |d: f64| run(at + d).iter().zip(run(at - d)).map(|(a, b)| (a - b) / (2.0 * d)).collect::<Vec<f64>>();
    slope(0.5 * d).iter().zip(slope(d)).map(|(fine, coarse)| (4.0 * fine - coarse) / 3.0).collect()
}

fn assert_close(made: &[f64], expected: &[f64], tolerance: f64) {
    let size = expected.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    for (a, b) in made.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * size, "{made:?}, expected {expected:?}");
    }
}

fn derivatives(made: &Sensitivity) -> Vec<f64> {
    made.rows.iter().map(|row| row.derivatives[0]).collect()
}

/// Two masses fall with a stiff spring unstretched between them: the motion takes one step, and the derivative by the first place swings,
/// δq = ½(1 ± cos Ωt), Ω = √(2k/m).
///
/// The bug: columns took the steps of the motion, and came out as 1e16.
#[test]
fn columns_swing_where_the_motion_falls_freely() {
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nstiffness = [[1e4, -1e4], [-1e4, 1e4]]\nforce = [-10.0, -10.0]\n\
        q0 = [9.0, 9.0]\nv0 = [0.0, 0.0]\n[[model.contact]]\nnormal = [1.0, 0.0]\noffset = 0.0\nrestitution = 0.8\n\
        [scheme]\nname = \"event-driven\"\n[time]\nend = 1.3\nstep = 0.01\n";
    let (omega, t) = (2e4_f64.sqrt(), 1.3);
    let made = differentiate(text, &["q0", "q1", "v0", "v1"], &["model.q0.0"], &[]).expect("derivatives");
    let (cos, sin) = ((omega * t).cos(), (omega * t).sin());
    let expected = [0.5 * (1.0 + cos), 0.5 * (1.0 - cos), -0.5 * omega * sin, 0.5 * omega * sin];
    assert_close(&derivatives(&made), &expected, 1e-10);
    // through impacts that make it ring
    let set = ["time.end=1.6"];
    let made = differentiate(text, &["q0", "q1", "v0", "v1"], &["model.stiffness.0.0"], &set).expect("derivatives");
    // over 1e-2 N/m the motion is too curved for four runs
    assert_close(&derivatives(&made), &extrapolated(text, "model.stiffness.0.0", (1e4, 1e-3), &set), 1e-6);
}

/// A load that is not there yet: δx by its amplitude at zero swings with it.
#[test]
fn a_load_of_amplitude_zero() {
    let text = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nforce = [{ sines = [{ amplitude = 0.0, omega = 40.0, phase = 0.0 }] }]\nq0 = [1.0]\nv0 = [0.1]\n\
        [scheme]\nname = \"event-driven\"\n[time]\nend = 5.0\nstep = 1.0\n";
    let made = differentiate(text, &["q0", "v0"], &["model.force.0.sines.0.amplitude"], &[]).expect("derivatives");
    let (w, t) = (40.0_f64, 5.0);
    assert_close(&derivatives(&made), &[t / w - (w * t).sin() / (w * w), (1.0 - (w * t).cos()) / w], 1e-10);
}

const OSCILLATOR: &str = "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[1.0]]\n\
    force = [{ sines = [{ amplitude = 1.0, omega = 1.210125281371043, phase = 4.914902546154276 }] }]\nq0 = [0.0]\nv0 = [0.0]\n\
    [[model.contact]]\nnormal = [1.0]\noffset = 0.0\nrestitution = 0.0\n[scheme]\nname = \"event-driven\"\n[time]\nend = 20.0\nstep = 0.01\n";

/// A mass that rests on its stop under a load that comes and goes: whatever the step, it leaves when the load pulls.
///
/// The bug: nothing of q and v changes at rest, so a step of 20 s went over four flights, and the mass had never moved.
#[test]
fn long_steps_see_forces_end() {
    let exact = end(OSCILLATOR, &[]);
    for step in ["0.1", "2.5", "20.0"] {
        assert_close(&end(OSCILLATOR, &[format!("time.step={step}")]), &exact, 1e-9);
    }
    let made = differentiate(OSCILLATOR, &["q0", "v0"], &["model.mass.0.0"], &[]).expect("derivatives");
    assert_close(&derivatives(&made), &extrapolated(OSCILLATOR, "model.mass.0.0", (1.0, 1e-4), &[]), 1e-6);
    let values: Vec<f64> = made.rows.iter().map(|row| row.value).collect();
    assert_close(&values, &exact, 1e-9);
    // from the side that is left, too
    let made = differentiate(OSCILLATOR, &["q0", "v0"], &["model.contact.0.offset"], &[]).expect("derivatives");
    let (low, high) = (end(OSCILLATOR, &["model.contact.0.offset=1e-7".into()]), &exact);
    let slope: Vec<f64> = low.iter().zip(high).map(|(a, b)| (a - b) / 1e-7).collect();
    assert_close(&derivatives(&made), &slope, 1e-4);
}

/// The load begins at nothing and presses: E205 where the run finished.
#[test]
fn a_load_that_begins_at_nothing_and_presses() {
    let set =
        ["model.force.0.sines.0.amplitude=-1.0", "model.force.0.sines.0.phase=0.0", "model.contact.0.restitution=0.5"];
    let made = differentiate(OSCILLATOR, &["q0", "v0"], &["model.mass.0.0"], &set).expect("derivatives");
    assert_close(&derivatives(&made), &extrapolated(OSCILLATOR, "model.mass.0.0", (1.0, 1e-4), &set), 1e-6);
}

fn rattling(size: [f64; 2], e: f64, mu: f64, m: f64, [y, angle]: [f64; 2], [vx, vy, w]: [f64; 3], t: f64) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\nrestitution = {e:?}\nfriction = {mu:?}\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape = {{ kind = \"plane\" }}\n\
         [[body]]\nname = \"box\"\nshape = {{ kind = \"box\", size = {size:?} }}\nmass = {m:?}\nposition = [0.0, {y:?}]\nangle = {angle:?}\n\
         velocity = [{vx:?}, {vy:?}]\nangular_velocity = [{w:?}]\n[scheme]\nname = \"event-driven\"\n[time]\nend = {t:?}\nstep = 0.01\n"
    )
}

/// Two corners of a box rattle to rest: where their impacts change places lies ever closer, and behind each place the slope is another. The derivative
/// says how far it holds, and keeps to what is counted as rest.
#[test]
fn a_derivative_says_how_far_it_holds() {
    let text = rattling(
        [0.9613924525085429, 0.4180767115731323],
        0.5764456760726311,
        0.13436163090778314,
        1.6640190088244562,
        [0.6012990346887613, 0.3862004162852523],
        [-0.18077275906441792, -0.4123507124592939, -1.4632616871113],
        0.7356326761178028,
    );
    let key = "model.restitution";
    let made = differentiate(&text, &["q3"], &[key], &[]).expect("a derivative");
    let narrow = made.reach[0].expect("impacts that move").change;
    assert!((1e-10..1e-7).contains(&narrow), "{narrow:e}");
    let set = ["scheme.cut=1e-4"];
    let made = differentiate(&text, &["q3"], &[key], &set).expect("a derivative");
    assert_eq!(made.way, Way::Exact);
    let reach = made.reach[0].expect("impacts that move").change;
    assert!((1e-7..1e-2).contains(&reach), "{reach:e}");
    let expected = extrapolated(&text, key, (0.5764456760726311, 0.2 * reach.min(1e-5)), &set)[3];
    // what is cut off counts in the derivative: it is right to about that part
    assert!((made.rows[0].derivatives[0] - expected).abs() < 1e-3, "{} {expected}", made.rows[0].derivatives[0]);
}
