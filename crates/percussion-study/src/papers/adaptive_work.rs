//! Work–precision diagrams of adaptive Moreau–Jean: orders 0, 1, 2, violation, variable order.

use super::{Page, Sheet};
use crate::{Against, ConvergeOptions, Convergence, Levels, Threads, converge, variants};
use percussion_report::{Agreement, Line, Look, Plot, Table};
use percussion_scenario::{LoadOptions, Result, load};

pub const PAGE: Page = Page {
    name: "adaptive-work",
    title: "Adaptive steps: work and precision",
    source: "Acary, lectures: precision–work diagrams, order 0/1/2, violation, variable order",
    cost: 1.0,
    build,
};

const STRATEGIES: [(&str, &str, bool); 7] = [
    ("order 0", "0", false),
    ("order 1", "1", false),
    ("order 2", "2", false),
    ("order 0 + violation", "0", true),
    ("order 1 + violation", "1", true),
    ("variable order", "variable", false),
    ("variable order + violation", "variable", true),
];
/// Steps computed and L1 error of q at tolerances 1e-2 … 1e-5 of an independent implementation, ball then oscillator.
const STATED: [[[(f64, f64); 4]; 7]; 2] = [
    [
        [(195.0, 1.15e-2), (297.0, 1.07e-2), (1209.0, 8.35e-4), (5646.0, 7.61e-4)],
        [(183.0, 1.88e-2), (264.0, 9.34e-3), (648.0, 2.39e-3), (1185.0, 8.81e-4)],
        [(144.0, 4.24e-2), (258.0, 1.17e-2), (489.0, 6.10e-3), (849.0, 1.99e-3)],
        [(195.0, 1.15e-2), (477.0, 4.31e-3), (1083.0, 9.01e-4), (5211.0, 1.12e-4)],
        [(183.0, 1.88e-2), (282.0, 6.53e-3), (609.0, 1.95e-3), (1086.0, 5.91e-4)],
        [(195.0, 1.15e-2), (306.0, 1.12e-2), (375.0, 8.95e-3), (738.0, 2.75e-3)],
        [(195.0, 1.15e-2), (306.0, 7.48e-3), (513.0, 1.70e-3), (1095.0, 5.53e-4)],
    ],
    [
        [(342.0, 1.40e-2), (411.0, 2.21e-3), (450.0, 1.77e-3), (1731.0, 4.58e-4)],
        [(333.0, 4.19e-2), (426.0, 5.68e-3), (480.0, 2.12e-3), (648.0, 1.20e-3)],
        [(312.0, 3.60e-2), (417.0, 1.31e-2), (474.0, 1.34e-3), (546.0, 1.63e-3)],
        [(342.0, 1.40e-2), (411.0, 2.21e-3), (450.0, 1.77e-3), (1731.0, 4.58e-4)],
        [(333.0, 4.19e-2), (426.0, 5.68e-3), (480.0, 2.12e-3), (648.0, 1.20e-3)],
        [(342.0, 1.40e-2), (411.0, 2.21e-3), (486.0, 1.87e-3), (582.0, 1.63e-3)],
        [(342.0, 1.40e-2), (411.0, 2.21e-3), (486.0, 1.87e-3), (582.0, 1.63e-3)],
    ],
];
const TOLERANCES: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];

fn build(sheet: &mut Sheet) -> Result<()> {
    sheet.text("Moreau–Jean, θ = ½, positions controlled, atol = rtol = 10⁻² … 10⁻⁵, first step 10 ms, none longer than 0.1 s. Work is the number of steps computed: three for each attempt. Each point is one run; the error against the tolerance is not monotone, and no general ranking should be read from single points. The violation is controlled by its growth in a step: the literal rule (128) stalls once a resting contact sits below −atol.");
    for (p, (problem, scenario)) in
        [("ball", "bouncing-ball-f2"), ("oscillator", "impact-oscillator")].into_iter().enumerate()
    {
        let adaptive = adaptive(scenario)?;
        let constant = constant(scenario)?;
        let mut table = Table::new([
            "strategy",
            "tolerance",
            "steps computed",
            "stated",
            "off by",
            "L1 error of q",
            "stated ",
            "off by ",
        ]);
        let (mut work_off, mut error_off) = (Vec::new(), Vec::new());
        let (mut same, mut near, mut all) = (0, 0, 0);
        for (k, row) in adaptive.rows.iter().enumerate() {
            let (s, t) = (k / TOLERANCES.len(), k % TOLERANCES.len());
            let (work, error) = STATED[p][s][t];
            let found = row.errors.as_ref().map_or(f64::NAN, |e| e.l1_q);
            all += 1;
            // errors of unequal steps depend on which end of a step weighs: 1 %
            same += usize::from(row.work as f64 == work && (found / error - 1.0).abs() < 0.015);
            near +=
                usize::from((0.5..=2.0).contains(&(row.work as f64 / work)) && (0.2..=5.0).contains(&(found / error)));
            table.push([
                STRATEGIES[s].0.to_string(),
                format!("{:.0e}", row.level),
                row.work.to_string(),
                format!("{work}"),
                format!("{:+.1} %", 100.0 * (row.work as f64 / work - 1.0)),
                format!("{found:.2e}"),
                format!("{error:.2e}"),
                format!("{:+.1} %", 100.0 * (found / error - 1.0)),
            ]);
            work_off.push(factor(row.work as f64 / work));
            error_off.push(factor(found / error));
        }
        let found = format!(
            "{same} of {all} the same number of steps and the error to 1.5 %; {near} of {all} within a factor of 2 in work and 5 in error"
        );
        let off = format!("work {}; error {}", spread(&mut work_off), spread(&mut error_off));
        sheet.compared(
            &format!("work and error of {all} adaptive runs of the {problem}"),
            "independent implementation",
            ("the table below", found, off),
            if same == all {
                Agreement::Agrees
            } else if near * 10 >= all * 8 {
                Agreement::Partly
            } else {
                Agreement::Differs
            },
        );
        // at equal work, adaptive steps against equal ones
        let gain = |s: usize| -> Vec<f64> {
            let rows = adaptive.of(s).filter_map(|row| row.errors.as_ref().ok().map(|e| (row.work as f64, e.l1_q)));
            rows.map(|(work, error)| interpolated(&constant, work) / error).collect()
        };
        let gains = gain(4);
        let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
        sheet.compared(
            &format!(
                "adaptive steps need less work for the same error than equal ones ({problem}, order 1 + violation)"
            ),
            "lectures",
            (
                "above 1",
                format!(
                    "error of equal steps over error at the same work: {}",
                    gains.iter().map(|g| format!("{g:.1}")).collect::<Vec<_>>().join(", ")
                ),
                if least > 1.0 { "0".into() } else { format!("{:+.1} at worst", least - 1.0) },
            ),
            if gains.iter().all(|g| *g > 1.0) {
                Agreement::Agrees
            } else if gains.iter().any(|g| *g > 1.0) {
                Agreement::Partly
            } else {
                Agreement::Differs
            },
        );
        sheet.heading(&format!("The {problem}"));
        sheet.figures(vec![
            diagram(&format!("{problem}: orders 0, 1, 2"), &adaptive, &constant, &[0, 1, 2]),
            diagram(&format!("{problem}: with the violation"), &adaptive, &constant, &[0, 3, 4]),
            diagram(&format!("{problem}: variable order"), &adaptive, &constant, &[1, 5, 6]),
        ]);
        sheet.table(table);
    }
    Ok(())
}

fn adaptive(scenario: &str) -> Result<Convergence> {
    let words: Vec<String> = STRATEGIES
        .iter()
        .map(|(_, order, violation)| {
            format!("moreau-jean:theta=0.5:activation=predicted-and-closing:time.step=1e-2:time.adaptive.order={order}:time.adaptive.violation={violation}:time.adaptive.control=q:time.adaptive.step_max=0.1")
        })
        .collect();
    run(scenario, &words, Levels::Tolerances(TOLERANCES.to_vec()))
}

fn constant(scenario: &str) -> Result<Convergence> {
    let words = vec!["moreau-jean:theta=0.5:activation=predicted-and-closing".to_string()];
    let steps = (0..10).map(|j| 0.08 / f64::from(1 << j) * 0.997).collect();
    run(scenario, &words, Levels::Steps(steps))
}

fn run(scenario: &str, words: &[String], levels: Levels) -> Result<Convergence> {
    let source = |options: &LoadOptions| load(scenario, options);
    let variants = variants(words.iter().map(String::as_str), &LoadOptions::default())?;
    let options = ConvergeOptions {
        variants,
        levels,
        against: Against::Automatic,
        hausdorff: false,
        norm: None,
        threads: Threads(1),
    };
    converge(&source, &options, &|_| true)?.ok_or_else(super::stopped)
}

/// By what factor two numbers differ, at least 1.
fn factor(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio)
}

/// Median and largest of some factors.
fn spread(factors: &mut [f64]) -> String {
    factors.sort_by(f64::total_cmp);
    format!("× {:.2} (median), × {:.2} at most", factors[factors.len() / 2], factors[factors.len() - 1])
}

/// Error of equal steps at a work, straight in logarithms.
fn interpolated(constant: &Convergence, work: f64) -> f64 {
    let points: Vec<(f64, f64)> =
        constant.of(0).filter_map(|row| Some((row.work as f64, row.errors.as_ref().ok()?.l1_q))).collect();
    let k = points.partition_point(|p| p.0 < work).clamp(1, points.len() - 1);
    let (a, b) = (points[k - 1], points[k]);
    let s = (work.ln() - a.0.ln()) / (b.0.ln() - a.0.ln());
    (a.1.ln() + s * (b.1.ln() - a.1.ln())).exp()
}

fn diagram(title: &str, adaptive: &Convergence, constant: &Convergence, which: &[usize]) -> Plot {
    let points = |study: &Convergence, k: usize| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> =
            study.of(k).filter_map(|row| Some((row.work as f64, row.errors.as_ref().ok()?.l1_q))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let mut lines = vec![Line::new("equal steps", points(constant, 0)).look(Look::Reference)];
    lines.extend(which.iter().map(|&k| Line::new(STRATEGIES[k].0, points(adaptive, k)).look(Look::Marked)));
    Plot {
        title: title.into(),
        x_label: "steps computed".into(),
        y_label: "L1 error of q".into(),
        log_x: true,
        log_y: true,
        lines,
        ..Plot::default()
    }
}
