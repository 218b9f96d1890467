//! Splitting: a Runge–Kutta flow, then an impact; beside it the time-discontinuous Galerkin schemes.

use super::{Page, Sheet};
use crate::convergence_page::fitted;
use crate::{Against, ConvergeOptions, Convergence, Levels, Threads, converge, variants};
use percussion_report::{Agreement, Line, Look, Plot};
use percussion_scenario::{LoadOptions, Result, load};

pub const PAGE: Page = Page {
    name: "splitting",
    title: "Splitting the smooth motion from the impacts",
    source: "Acary, lectures: splitting, empirical order and adaptive precision–work; time-discontinuous Galerkin",
    cost: 1.0,
    build,
};

const SCHEMES: [(&str, &str); 4] = [
    ("splitting, variant 1", "splitting:variant=1"),
    ("splitting, variant 2", "splitting:variant=2"),
    ("D1 minus linear", "d1-minus-linear:activation=predicted-and-closing"),
    ("D0 constant", "d0-constant:activation=predicted-and-closing"),
];
/// L1 errors of q at seven steps of an independent implementation, ball then oscillator.
const STATED: [[[f64; 7]; 4]; 2] = [
    [
        [1.01e-1, 5.03e-2, 1.21e-2, 1.14e-2, 2.95e-3, 2.80e-3, 7.30e-4],
        [8.51e-2, 4.30e-2, 9.60e-3, 1.02e-2, 2.36e-3, 2.52e-3, 5.91e-4],
        [1.17e-1, 5.69e-2, 1.47e-2, 1.27e-2, 3.53e-3, 3.09e-3, 8.69e-4],
        [8.74e-2, 4.47e-2, 2.89e-2, 1.05e-2, 7.04e-3, 2.60e-3, 1.75e-3],
    ],
    [
        [1.48e-1, 2.45e-2, 2.44e-2, 2.17e-2, 6.26e-3, 5.58e-3, 1.73e-3],
        [1.48e-1, 2.45e-2, 2.44e-2, 2.17e-2, 6.26e-3, 5.58e-3, 1.73e-3],
        [1.48e-1, 2.46e-2, 2.44e-2, 2.17e-2, 6.27e-3, 5.58e-3, 1.73e-3],
        [1.86e-1, 1.19e-1, 7.15e-2, 2.66e-2, 1.81e-2, 6.81e-3, 4.69e-3],
    ],
];

fn build(sheet: &mut Sheet) -> Result<()> {
    sheet.text("One Runge–Kutta step of the motion without contact (order 5 of Dormand and Prince, where the lecture takes Fehlberg's 4(5)), then an impact at the end of the step. Variant 1 knows no persistent contact and sinks at rest; variant 2 carries contact forces in the flow. The steps are those of the published table and are not commensurate with the impacts.");
    for (p, (problem, scenario)) in
        [("ball", "bouncing-ball-f2"), ("oscillator", "impact-oscillator")].into_iter().enumerate()
    {
        let steps: Vec<f64> = match p {
            0 => [77.0, 153.0, 307.0, 613.0, 1227.0, 2453.0, 4907.0].iter().map(|n| 4.0 / n).collect(),
            _ => (0..7).map(|j| 0.05 / f64::from(1 << j)).collect(),
        };
        let study = run(scenario, steps)?;
        for (k, (label, _)) in SCHEMES.iter().enumerate() {
            let found: Vec<f64> = study.of(k).filter_map(|row| row.errors.as_ref().ok().map(|e| e.l1_q)).collect();
            let off = found.iter().zip(STATED[p][k]).map(|(f, s)| (f / s - 1.0).abs()).fold(0.0, f64::max);
            sheet.judged(
                &format!("seven L1 errors of q, {problem}, {label}"),
                "independent implementation, three digits",
                format!("largest relative difference {off:.1e}"),
                if off <= 6e-3 && found.len() == 7 { Agreement::Agrees } else { Agreement::Differs },
            );
            let fit = study.fit(k, |e| Some(e.l1_q));
            sheet.holds(
                &format!("order one with impacts, {problem}, {label}"),
                "lectures",
                format!("order {}", fitted(fit)),
                fit.is_some_and(|f| (f.order - 1.0).abs() <= (2.0 * f.scatter).max(0.25)),
            );
        }
        sheet.heading(&format!("The {problem}"));
        sheet.figures(study.plots());
        adaptive(sheet, problem, scenario)?;
    }
    Ok(())
}

/// Adaptive steps of splitting beside those of Moreau–Jean: error against steps computed.
fn adaptive(sheet: &mut Sheet, problem: &str, scenario: &str) -> Result<()> {
    const RULE: &str = "time.step=1e-2:time.adaptive.order=0:time.adaptive.step_max=0.1";
    let words = [
        ("splitting, variant 1", format!("splitting:variant=1:{RULE}")),
        ("splitting, variant 2", format!("splitting:variant=2:{RULE}")),
        ("Moreau–Jean θ = ½", format!("moreau-jean:activation=predicted-and-closing:{RULE}")),
    ];
    let tolerances = if sheet.short { vec![1e-2, 1e-3] } else { vec![1e-2, 3e-3, 1e-3, 3e-4, 1e-4] };
    let study = converged(scenario, words.iter().map(|(_, words)| words.as_str()), Levels::Tolerances(tolerances))?;
    let points = |k: usize| -> Vec<(f64, f64)> {
        let rows = study.of(k).filter_map(|row| Some((row.work as f64, row.errors.as_ref().ok()?.l1_q)));
        let mut points: Vec<(f64, f64)> = rows.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let last = |k: usize| points(k).last().copied().unwrap_or((f64::NAN, f64::NAN));
    let (split, jean) = (last(1), last(2));
    sheet.judged(
        &format!("adaptive splitting needs less work than adaptive Moreau–Jean, {problem}"),
        "lectures, precision–work",
        format!(
            "{:.2e} m·s in {} steps by variant 2, {:.2e} m·s in {} steps by Moreau–Jean at the finest tolerance",
            split.1, split.0, jean.1, jean.0
        ),
        if split.0 < jean.0 && split.1 < jean.1 { Agreement::Agrees } else { Agreement::Partly },
    );
    let lines = words.iter().enumerate().map(|(k, (label, _))| Line::new(*label, points(k)).look(Look::Marked));
    sheet.figures(vec![Plot {
        title: format!("{problem}: adaptive steps, error against work"),
        caption: "Order 0 in the estimate by halving, tolerances from 10⁻².".into(),
        x_label: "steps computed".into(),
        y_label: "L1 error of q".into(),
        log_x: true,
        log_y: true,
        lines: lines.collect(),
        ..Plot::default()
    }]);
    Ok(())
}

fn run(scenario: &str, steps: Vec<f64>) -> Result<Convergence> {
    let mut study = converged(scenario, SCHEMES.iter().map(|(_, words)| *words), Levels::Steps(steps))?;
    study.labels = SCHEMES.iter().map(|(label, _)| label.to_string()).collect();
    Ok(study)
}

fn converged<'a>(scenario: &str, words: impl Iterator<Item = &'a str>, levels: Levels) -> Result<Convergence> {
    let source = |options: &LoadOptions| load(scenario, options);
    let options = ConvergeOptions {
        variants: variants(words, &LoadOptions::default())?,
        levels,
        against: Against::Automatic,
        hausdorff: false,
        norm: None,
        threads: Threads(1),
    };
    converge(&source, &options, &|_| true)?.ok_or_else(super::stopped)
}
