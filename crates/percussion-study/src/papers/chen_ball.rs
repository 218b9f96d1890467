//! The bouncing ball of Chen et al., as Acary's lecture "Numerical methods for nonsmooth mechanical systems" shows it: three schemes, relative L1 error against the step.

use super::play::{over_time, play, zoom};
use super::{Page, Sheet};
use crate::convergence_page::fitted;
use crate::{Against, ConvergeOptions, Levels, Threads, converge, variants};
use percussion_report::{Agreement, Line, Look};
use percussion_scenario::{LoadOptions, Result, load};
use percussion_step::measure::{Bounce, Exact};

pub const PAGE: Page = Page {
    name: "chen-ball",
    title: "Three schemes on the bouncing ball",
    source: "Chen, Acary, Virlez, Brüls (2013) in the lectures, figures 3 and 4",
    cost: 1.0,
    build,
};

const SCHEMES: [(&str, &str); 3] = [
    ("generalized-α ρ∞ = 0.8", "generalized-alpha:rho_inf=0.8"),
    ("Moreau–Jean θ = 1", "moreau-jean:theta=1.0"),
    ("implicit Newmark γ = 1", "implicit-newmark"),
];
const RULE: &str = ":activation=predicted-and-closing";

fn build(sheet: &mut Sheet) -> Result<()> {
    let exact = Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 };
    let mut position = Vec::new();
    let mut velocity = Vec::new();
    let times = || (0..=4000).map(|k| k as f64 * 1e-3);
    position.push(Line::new("exact", times().map(|t| (t, exact.q(t)[0])).collect()).look(Look::Reference));
    velocity.push(Line::new("exact", times().map(|t| (t, exact.v(t)[0])).collect()).look(Look::Reference));
    for (label, words) in SCHEMES {
        let run = play(label, "bouncing-ball", &format!("{words}{RULE}:time.step=1e-3:time.end=4"))?;
        position.push(run.line(|p| p.q(0)));
        velocity.push(run.line(|p| p.v(0)));
        let stated = match label {
            "Moreau–Jean θ = 1" => 4.422243e-3,
            "implicit Newmark γ = 1" => 2.712112e-3,
            _ => 2.713803e-3,
        };
        let errors: (f64, f64) = run.q(0).iter().fold((0.0, 0.0), |(e, f), &(t, q)| {
            let x = exact.q(t)[0];
            (e + (q - x).abs(), f + x.abs())
        });
        sheet.value(
            &format!("relative L1 error of q at h = 1 ms, {label}"),
            "independent implementation",
            stated,
            errors.0 / errors.1,
            1e-9,
        );
    }

    let words: Vec<String> = SCHEMES.iter().map(|(_, words)| format!("{words}{RULE}:time.end=4")).collect();
    let levels = if sheet.short { 5 } else { 8 };
    // not commensurate with the impacts
    let steps: Vec<f64> = (0..levels).map(|j| 4.0 / f64::from(311 << j)).collect();
    let options = ConvergeOptions {
        variants: variants(words.iter().map(String::as_str), &LoadOptions::default())?,
        levels: Levels::Steps(steps),
        against: Against::Automatic,
        hausdorff: false,
        norm: None,
        threads: Threads(1),
    };
    let source = |options: &LoadOptions| load("bouncing-ball", options);
    let Some(mut study) = converge(&source, &options, &|_| true)? else { return Ok(()) };
    study.labels = SCHEMES.map(|(label, _)| label.to_string()).to_vec();
    for (k, label) in study.labels.clone().into_iter().enumerate() {
        let fit = study.fit(k, |e| Some(e.relative_q));
        let order = fit.map_or(0.0, |fit| fit.order);
        let scatter = fit.map_or(0.0, |fit| fit.scatter);
        sheet.holds(
            &format!("first order accurate in the overall range: {label}"),
            "fig. 4",
            format!("order {}", fitted(fit)),
            (order - 1.0).abs() <= (3.0 * scatter).max(0.1),
        );
    }
    let error = |variant: usize| -> Vec<f64> {
        study.of(variant).filter_map(|row| row.errors.as_ref().ok().map(|e| e.relative_q)).collect()
    };
    let (alpha, moreau, newmark) = (error(0), error(1), error(2));
    let better = (0..alpha.len()).filter(|&k| alpha[k] < moreau[k] && newmark[k] < moreau[k]).count();
    sheet.judged(
        "generalized-α and implicit Newmark have a slightly better accuracy than Moreau–Jean with θ = 1",
        "fig. 4",
        format!(
            "at {better} of {} steps; median ratio {:.2}",
            alpha.len(),
            median(alpha.iter().zip(&moreau).map(|(a, m)| a / m).collect())
        ),
        if better == alpha.len() { Agreement::Agrees } else { Agreement::Partly },
    );

    sheet.text("m = 1 kg, R = 0.2 m, a_g = 10 m/s², h0 = 1.001 m, e = 0.8 on [0, 4] s. On a ball generalized-α and every other second-order scheme of the family coincide: the load is constant. The index set is that of the papers (predicted and closing).");
    let mut q = over_time("Fig. 3: position", "q [m]", position);
    q.caption = "h = 1 ms.".into();
    let v = over_time("Fig. 3: velocity", "v [m/s]", velocity);
    let q_zoom = zoom(&q, (3.0, 4.0), Some((0.199, 0.225)));
    let mut plots = vec![q, q_zoom, v];
    plots.extend(study.plots().into_iter().take(3));
    sheet.figures(plots);
    Ok(())
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x.get(x.len() / 2).copied().unwrap_or(f64::NAN)
}
