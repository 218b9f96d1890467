//! Orders of Moreau–Jean and Schatzman–Paoli on the ball and the oscillator, in L1 and as filled-in graphs.

use super::play::over_time;
use super::{Page, Sheet};
use crate::convergence_page::fitted;
use crate::{Against, ConvergeOptions, Convergence, Levels, Threads, converge, variants};
use percussion_report::{Line, Look};
use percussion_scenario::{LoadOptions, Result, load};
use percussion_step::measure::{Bounce, Exact, ImpactOscillator};

pub const PAGE: Page = Page {
    name: "empirical-order",
    title: "Empirical orders of Moreau–Jean and Schatzman–Paoli",
    source: "Acary, lectures: analytical solutions, empirical order of convergence",
    cost: 3.0,
    build,
};

/// Scheme words, and of ball and oscillator: printed slopes of L1 q and v, then of the Hausdorff distances of q and v.
type Row = (&'static str, [[f64; 4]; 2]);

/// An independent implementation; its errors scatter by 0.1 to 0.2 in the slope, as it says.
const STATED: [Row; 4] = [
    ("moreau-jean:theta=0.5:activation=predicted-and-closing", [[1.01, 0.89, 0.97, 0.78], [0.98, 0.90, 1.03, 0.86]]),
    ("moreau-jean:theta=1.0:activation=predicted-and-closing", [[1.00, 0.91, 1.16, 0.73], [0.99, 1.03, 1.01, 1.05]]),
    ("moreau-jean:theta=0.5:activation=predicted:prediction=0.5", [[1.00, 0.90, 0.91, 0.88], [0.91, 0.89, 0.95, 0.93]]),
    ("schatzman-paoli:theta=0.5", [[0.95, 0.93, 0.97, 0.81], [0.99, 0.98, 0.99, 0.93]]),
];
const NAMES: [&str; 4] =
    ["Moreau–Jean θ = ½", "Moreau–Jean θ = 1", "Moreau–Jean θ = ½, prediction ½", "Schatzman–Paoli θ = ½"];

fn build(sheet: &mut Sheet) -> Result<()> {
    let ball = study("bouncing-ball-f2", |j| std::f64::consts::PI / 60.0 / f64::from(1 << j), 7, false)?;
    let oscillator = study("impact-oscillator", |j| 0.05 / f64::from(1 << j), 7, false)?;
    let levels = if sheet.short { 4 } else { 6 };
    let ball_graphs = study("bouncing-ball-f2", |j| std::f64::consts::PI / 60.0 / f64::from(1 << j), levels, true)?;
    let oscillator_graphs = study("impact-oscillator", |j| 0.05 / f64::from(1 << j), levels, true)?;

    for (p, (problem, study, graphs)) in
        [("ball", &ball, &ball_graphs), ("oscillator", &oscillator, &oscillator_graphs)].into_iter().enumerate()
    {
        for (k, (_, stated)) in STATED.iter().enumerate() {
            let fits = [
                study.fit(k, |e| Some(e.l1_q)),
                study.fit(k, |e| Some(e.l1_v)),
                graphs.fit(k, |e| e.hausdorff_q),
                graphs.fit(k, |e| e.hausdorff_v),
            ];
            for (m, (measure, fit)) in
                ["L1 of q", "L1 of v", "graphs of q", "graphs of v"].into_iter().zip(fits).enumerate()
            {
                if m >= 2 && sheet.short {
                    continue;
                }
                let order = fit.map_or(f64::NAN, |fit| fit.order);
                // as far as the scatter of the fit supports it, and no closer than the two digits stated
                let allowed = fit.map_or(0.0, |fit| fit.scatter).max(0.006);
                sheet.value(
                    &format!("order of the {problem}, {measure}, {}: {}", NAMES[k], fitted(fit)),
                    "independent implementation",
                    stated[p][m],
                    order,
                    allowed,
                );
            }
        }
        let all: Vec<f64> =
            (0..STATED.len()).filter_map(|k| study.fit(k, |e| Some(e.l1_q)).map(|fit| fit.order)).collect();
        sheet.holds(
            &format!("order one in L1 for both schemes on the {problem}"),
            "lectures",
            format!("orders of q {all:.2?}"),
            (0..STATED.len())
                .filter_map(|k| study.fit(k, |e| Some(e.l1_q)))
                .all(|f| (f.order - 1.0).abs() <= (2.0 * f.scatter).max(0.02)),
        );
    }

    sheet.text("The ball: f = −2 N, e = ½, from 1 m, accumulation at 3 s; the oscillator: m = k = 1, wall at its equilibrium, e = ½ (the lecture does not give their parameters). L1 = h Σ|f_i − f(t_i)|; the Hausdorff distance is that of the filled-in graphs with max{|t − s|, |x − y|}. A velocity that jumps one step late is far off pointwise, near as a graph.");
    let (b, o) = (Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 }, ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 });
    let exact = |title: &str, unit: &str, end: f64, f: &dyn Fn(f64) -> f64| {
        let points = (0..=4000).map(|k| end * k as f64 / 4000.0).map(|t| (t, f(t))).collect();
        over_time(title, unit, vec![Line::new("exact", points).look(Look::Reference)])
    };
    sheet.heading("Analytical solutions");
    sheet.figures(vec![
        exact("Ball: position", "q [m]", 4.0, &|t| b.q(t)[0]),
        exact("Ball: velocity", "v [m/s]", 4.0, &|t| b.v(t)[0]),
        exact("Oscillator: position", "q [m]", 10.0, &|t| o.q(t)[0]),
        exact("Oscillator: velocity", "v [m/s]", 10.0, &|t| o.v(t)[0]),
    ]);
    for (name, study, graphs) in [("ball", &ball, &ball_graphs), ("oscillator", &oscillator, &oscillator_graphs)] {
        sheet.heading(&format!("Empirical order: the {name}"));
        let mut plots: Vec<_> = study.plots().into_iter().take(2).collect();
        plots.extend(graphs.plots().into_iter().skip(4));
        sheet.figures(plots);
    }
    Ok(())
}

fn study(scenario: &str, step: impl Fn(u32) -> f64, levels: u32, hausdorff: bool) -> Result<Convergence> {
    let source = |options: &LoadOptions| load(scenario, options);
    let options = ConvergeOptions {
        variants: variants(STATED.iter().map(|(words, _)| *words), &LoadOptions::default())?,
        levels: Levels::Steps((0..levels).map(step).collect()),
        against: Against::Automatic,
        hausdorff,
        norm: None,
        threads: Threads(1),
    };
    let mut study = converge(&source, &options, &|_| true)?.ok_or_else(super::stopped)?;
    study.labels = NAMES.map(str::to_string).to_vec();
    Ok(study)
}
