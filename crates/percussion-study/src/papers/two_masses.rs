//! Two masses on a spring dropped on a floor: positions, velocities and energy after Acary's lecture "Numerical methods for nonsmooth mechanical systems" and Chen et al.

use super::play::{Played, Points, over_time, play};
use super::{Page, Sheet};
use percussion_report::{Line, Look};
use percussion_scenario::{Result, exact};

pub const PAGE: Page = Page {
    name: "two-masses",
    title: "Two masses on a spring",
    source: "Acary, lectures: two balls oscillator (k = 10³ N/m); Chen et al. (2013), figures 5–7 (k = 10⁴ N/m)",
    cost: 0.5,
    build,
};

const RULE: &str = ":activation=predicted-and-closing";

fn build(sheet: &mut Sheet) -> Result<()> {
    let soft = "two-mass-oscillator-1e3";
    let slides = [
        play("Moreau–Jean θ = 1", soft, &format!("moreau-jean:theta=1.0{RULE}"))?,
        play("Newmark γ = 1, β = ½", soft, &format!("newmark:gamma=1.0:beta=0.5{RULE}"))?,
        play("HHT α = 0.1", soft, &format!("hht:alpha=0.1{RULE}"))?,
    ];
    // the figure of the lecture: e read off its axes
    let drawn_e = ":model.contact.0.restitution=0.9";
    let drawn = [
        play("Moreau–Jean θ = 1", soft, &format!("moreau-jean:theta=1.0{RULE}{drawn_e}"))?,
        play("Newmark γ = 1, β = ½", soft, &format!("newmark:gamma=1.0:beta=0.5{RULE}{drawn_e}"))?,
        play("HHT α = 0.1", soft, &format!("hht:alpha=0.1{RULE}{drawn_e}"))?,
    ];
    axes(sheet, &slides, &drawn);
    let stiff = "two-mass-oscillator";
    let chen = [
        play("Moreau–Jean θ = 1", stiff, &format!("moreau-jean:theta=1.0{RULE}"))?,
        play("implicit Newmark γ = 1", stiff, &format!("implicit-newmark{RULE}"))?,
        play("generalized-α ρ∞ = 0.8", stiff, &format!("generalized-alpha:rho_inf=0.8{RULE}"))?,
    ];
    let place = "independent implementation";
    for (run, stated) in slides.iter().zip([(9.506749, 0.127450), (11.094656, 1.059400), (12.584674, 5.079155)]) {
        sheet.value(
            &format!("k = 10³: energy with weight at 0.6 s, {} [J]", run.label),
            place,
            stated.0,
            total(run, 0.6),
            1e-6,
        );
        sheet.value(&format!("  at 2 s, {} [J]", run.label), place, stated.1, total(run, 2.0), 1e-6);
    }
    for (run, stated) in chen.iter().zip([(10.409867, 3.990210), (11.232677, 4.007576), (14.588333, 10.331761)]) {
        sheet.value(
            &format!("k = 10⁴: energy with weight at 0.6 s, {} [J]", run.label),
            place,
            stated.0,
            total(run, 0.6),
            1e-6,
        );
        sheet.value(&format!("  at 2 s, {} [J]", run.label), place, stated.1, total(run, 2.0), 1e-6);
    }
    let loss = |run: &Played| (total(run, 0.40), total(run, 0.99));
    let between: Vec<String> =
        chen.iter().map(|run| format!("{} {:+.3} J", run.label, loss(run).1 - total(run, 0.45))).collect();
    let least = chen.iter().map(|run| total(run, 0.45) - loss(run).1).fold(f64::INFINITY, f64::min);
    sheet.holds(
        "generalized-α dissipates least in free flight after the impact; the others damp the vibration",
        "Chen et al., fig. 7",
        format!("between 0.45 and 0.99 s: {}", between.join(", ")),
        (total(&chen[2], 0.45) - loss(&chen[2]).1 - least).abs() < 1e-12,
    );
    sheet.holds(
        "HHT keeps the vibration, Moreau–Jean with θ = 1 damps it",
        "lectures",
        format!(
            "energy with weight at 2 s: {:.3} J and {:.3} J of 20 J",
            total(&slides[2], 2.0),
            total(&slides[0], 2.0)
        ),
        total(&slides[2], 2.0) > 10.0 * total(&slides[0], 2.0),
    );

    sheet.text("Two masses of 1 kg, dropped unstretched. k = 10³ N/m: h = 2 ms; Acary's lecture gives neither e nor height. Its figure has axes from −6 to 5 m/s and from −0.2 to 1 m, which e = 0.8 does not fill and e = 0.9 with g = 10 m/s² and 1 m does: the figure below takes e = 0.9, the table keeps the e = 0.8 of the scenario, for which there are independent numbers. k = 10⁴ N/m: R = 0.2 m, h0 = 1.001 m, e = 0.8, h = 1 ms. The exact motion is flown from impact to impact; after some four impacts it cannot be compared with any scheme, small differences having grown.");
    sheet.heading("k = 10³ N/m, e = 0.9");
    let lines = |runs: &[Played], of: &dyn Fn(&Played) -> Points, exact: Option<Line>| -> Vec<Line> {
        exact.into_iter().chain(runs.iter().map(|run| run.line(of))).collect()
    };
    let known = |run: &Played, i: usize, v: bool| -> Option<Line> {
        let exact = exact(&run.scenario)?;
        let value = |t: f64| if v { exact.v(t)[i] } else { exact.q(t)[i] };
        let points = (0..=2000).map(|k| (k as f64 * 1e-3, value(k as f64 * 1e-3))).collect();
        Some(Line::new("exact", points).look(Look::Reference))
    };
    sheet.figures(vec![
        over_time("Position of the first ball", "q₁ [m]", lines(&drawn, &|p| p.q(0), known(&drawn[0], 0, false))),
        over_time("Velocity of the first ball", "v₁ [m/s]", lines(&drawn, &|p| p.v(0), known(&drawn[0], 0, true))),
        over_time("Energy with weight", "E [J]", lines(&drawn, &|p| p.totals(), None)),
    ]);
    sheet.heading("k = 10⁴ N/m");
    sheet.figures(vec![
        over_time("Fig. 5: position of the lower mass", "q₁ [m]", lines(&chen, &|p| p.q(0), known(&chen[0], 0, false))),
        over_time(
            "Fig. 6: velocity of the lower mass",
            "v₁ [m/s]",
            lines(&chen, &|p| p.v(0), known(&chen[0], 0, true)),
        ),
        over_time("Fig. 7: energy with weight", "E [J]", lines(&chen, &|p| p.totals(), None)),
    ]);
    Ok(())
}

/// Which e fills the axes of the lecture's figure.
fn axes(sheet: &mut Sheet, with_08: &[Played], with_09: &[Played]) {
    let range = |runs: &[Played]| {
        let v = runs.iter().flat_map(|run| run.v(0)).map(|p| p.1);
        v.fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((low_08, high_08), (low, high)) = (range(with_08), range(with_09));
    sheet.holds(
        "the axes of the figure for k = 10³, −6 to 5 m/s, ask for v₁ below −5 and above 4 m/s: e = 0.9",
        "lectures, figure",
        format!("v₁ from {low:.3} to {high:.3} m/s with e = 0.9, from {low_08:.3} to {high_08:.3} m/s with e = 0.8"),
        low < -5.0 && high > 4.0 && low > -6.0 && high < 5.0 && low_08 > -5.0,
    );
}

fn total(run: &Played, t: f64) -> f64 {
    run.total(run.row(t))
}
