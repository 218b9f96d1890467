//! What goes wrong when the contact impulse is put inside Newmark's acceleration: the first naive approach of Acary's lecture "Numerical methods for nonsmooth mechanical systems".

use super::play::{Played, over_time, play_text};
use super::{Page, Sheet};
use percussion_report::Line;
use percussion_scenario::Result;

pub const PAGE: Page = Page {
    name: "naive-newmark",
    title: "Naive Newmark: constraints inside the acceleration",
    source: "Acary, lectures on nonsmooth time integration: naive approaches at velocity and position level",
    cost: 0.5,
    build,
};

const BALL: &str = "
name = \"ball\"
[model]
kind = \"linear\"
mass = [[1.0]]
force = [-9.81]
q0 = [1.0]
v0 = [0.0]
[[model.contact]]
normal = [1.0]
offset = 0.0
restitution = 0.9
[scheme]
name = \"newmark\"
[time]
end = 3.0
step = 1e-3
";

fn build(sheet: &mut Sheet) -> Result<()> {
    let rule = "activation=predicted-and-closing";
    let good = play_text("nonsmooth Newmark γ = ½", BALL, &format!("newmark:beta=0.25:gamma=0.5:{rule}"))?;
    let one =
        play_text("velocity level, γ = 1, β = ½", BALL, &format!("naive-newmark-velocity:gamma=1.0:beta=0.5:{rule}"))?;
    let half =
        play_text("velocity level, γ = ½, β = ¼", BALL, &format!("naive-newmark-velocity:gamma=0.5:beta=0.25:{rule}"))?;
    let position = "naive-newmark-position:gamma=1.0:beta=0.5";
    let at = play_text("position level, x0 = 1", BALL, position)?;
    let above = play_text("position level, x0 = 1.01", BALL, &format!("{position}:model.q0.0=1.01"))?;

    let place = "independent implementation";
    sheet.value(
        "velocity level, γ = 1: effective restitution of the first impact",
        place,
        0.9,
        restitution(&one).0,
        5e-5,
    );
    let growth = |run: &Played| run.totals().iter().fold(0.0_f64, |m, p| m.max(p.1)) / run.total(0);
    sheet.value("  its largest energy over the initial one", place, 1.0, growth(&one), 5e-5);
    sheet.value("velocity level, γ = ½: largest energy over the initial one", place, 61.3896, growth(&half), 5e-4);
    sheet.holds(
        "for γ = ½ the velocity-level scheme is inconsistent: the energy blows up",
        "slides",
        format!("×{:.1} within 3 s", growth(&half)),
        growth(&half) > 10.0,
    );
    sheet.value(
        "position level, x0 = 1: velocity two steps after the first contact [m/s]",
        place,
        0.211880,
        restitution(&at).1,
        5e-7,
    );
    sheet.value("position level, x0 = 1.01: the same [m/s]", place, 2.455780, restitution(&above).1, 5e-7);
    sheet.holds(
        "at position level the rebound depends on where in its step the impact falls, not on e",
        "slides",
        format!(
            "{:.3} m/s from 1 m, {:.3} m/s from 1.01 m, where e = 0.9 asks for 3.98 m/s",
            restitution(&at).1,
            restitution(&above).1
        ),
        (restitution(&at).1 - restitution(&above).1).abs() > 1.0,
    );
    sheet.value("nonsmooth Newmark γ = ½: effective restitution", place, 0.9, restitution(&good).0, 5e-5);

    sheet.text("A ball, m = 1 kg, g = 9.81 m/s², e = 0.9, from 1 m (1.01 m), h = 1 ms. The impulse, divided by h, is part of the acceleration and is carried into the next step: with γ = ½ half of it acts a second time.");
    let lines = |runs: &[&Played], v: bool| -> Vec<Line> {
        runs.iter().map(|r| r.line(|p| if v { p.v(0) } else { p.q(0) })).collect()
    };
    let position = |title: &str, runs: &[&Played]| over_time(title, "q [m]", lines(runs, false));
    let velocity = |title: &str, runs: &[&Played]| over_time(title, "v [m/s]", lines(runs, true));
    sheet.figures(vec![
        position("Velocity level: position", &[&one, &half]),
        velocity("Velocity level: velocity", &[&one, &half]),
        position("Position level: position", &[&at, &above]),
        velocity("Position level: velocity", &[&at, &above]),
        over_time("Energy", "½v² + g q [J]", [&good, &one, &at, &above].map(|run| run.line(|p| p.totals())).to_vec()),
    ]);
    Ok(())
}

/// −v⁺/v⁻ of the first step that turns or stops the ball, and the velocity one step later.
fn restitution(run: &Played) -> (f64, f64) {
    let v = run.v(0);
    let k = (1..v.len() - 1).find(|&k| v[k].1 > v[k - 1].1).unwrap_or(1);
    (-v[k].1 / v[k - 1].1, v[k + 1].1)
}
