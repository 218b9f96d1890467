//! How much energy each scheme takes: against the step, against its parameter, and mode by mode.
//!
//!   D_k = (θ − ½)(‖Δv‖²_M + ‖Δq‖²_K)  (33),   D_k = (γ − ½)‖Δq‖²_K  (91)

use super::Sheet;
use super::random_systems::{Dice, problem};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{LinearModel, LinearParts, Signal};
use percussion_report::{Line, Look, Plot};
use percussion_scenario::Result;
use percussion_solve::SolverOptions;
use percussion_step::measure::fit_order;
use percussion_step::{Activation, Outcome, Problem, Recorder, Scheme, SchemeOptions, Start, Step, Stop, simulate};

/// Length of the runs [s].
const END: f64 = 3.0;
/// Restitution of the runs over h: Moreau–Jean is within its condition up to θ = 2/3.
const RESTITUTION: f64 = 0.5;

/// What a run adds up to.
#[derive(Default)]
struct Sums {
    /// What the scheme took [J].
    scheme: f64,
    /// What the contacts took [J].
    contacts: f64,
    /// The largest energy [J].
    energy: f64,
    /// E after each step [J].
    energies: Vec<f64>,
}

impl Recorder for Sums {
    fn start(&mut self, start: &Start) -> std::result::Result<(), Stop> {
        self.energy = start.ledger.energy();
        self.energies.push(self.energy);
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> std::result::Result<(), Stop> {
        self.scheme += step.ledger.dissipation_numerical;
        self.contacts -= step.ledger.work_contact;
        self.energy = self.energy.max(step.ledger.energy());
        self.energies.push(step.ledger.energy());
        Ok(())
    }
}

/// hω of a mode as good as infinitely fast: at 10³ the roots are still (hω)^{−2/3} from −ρ∞, where they meet.
const FAST: f64 = 1e6;

/// A scheme with its options, as (label, name, options).
type Case = (&'static str, &'static str, SchemeOptions);

fn theta(theta: f64) -> SchemeOptions {
    SchemeOptions { theta: Some(theta), ..SchemeOptions::default() }
}

fn rho(rho_inf: f64) -> SchemeOptions {
    SchemeOptions { rho_inf: Some(rho_inf), ..SchemeOptions::default() }
}

fn newmark(beta: f64, gamma: f64) -> SchemeOptions {
    SchemeOptions { beta: Some(beta), gamma: Some(gamma), ..SchemeOptions::default() }
}

/// The three sections.
pub fn add(sheet: &mut Sheet, systems: u64) -> Result<()> {
    against_step(sheet, systems)?;
    against_parameter(sheet, systems)?;
    by_mode(sheet)
}

/// Means over random systems: what scheme and contacts take, over the largest energy.
fn means(name: &str, options: &SchemeOptions, e: f64, h: f64, systems: u64) -> Result<(f64, f64)> {
    let (mut scheme_took, mut contacts_took) = (0.0, 0.0);
    for seed in 0..systems {
        let problem = problem(&mut Dice(101 + seed), e, false)?;
        let sums = run(&problem, name, options, h, END)?;
        scheme_took += sums.scheme / sums.energy / systems as f64;
        contacts_took += sums.contacts / sums.energy / systems as f64;
    }
    Ok((scheme_took, contacts_took))
}

fn run(problem: &Problem, name: &str, options: &SchemeOptions, h: f64, end: f64) -> Result<Sums> {
    let scheme = Scheme::resolve(name, options)?.0.with_activation(Activation::PredictedAndClosing);
    let mut sums = Sums::default();
    match simulate(problem, &scheme, SolverOptions::default(), h, end, &mut sums)? {
        Outcome::Finished => Ok(sums),
        // a page with a hole in it would be no measurement
        _ => Ok(Sums { scheme: f64::NAN, ..sums }),
    }
}

fn against_step(sheet: &mut Sheet, systems: u64) -> Result<()> {
    let steps: Vec<f64> = (0..if sheet.short { 4 } else { 6 }).map(|k| 0.04 / f64::from(1 << k)).collect();
    let cases: [Case; 8] = [
        ("Moreau–Jean θ = ½", "moreau-jean", theta(0.5)),
        ("Moreau–Jean θ = 0.66", "moreau-jean", theta(0.66)),
        ("variant θ = 0.66", "moreau-jean-midpoint", theta(0.66)),
        ("variant θ = 1", "moreau-jean-midpoint", theta(1.0)),
        ("Newmark γ = ½, β = ¼", "newmark", newmark(0.25, 0.5)),
        ("Newmark γ = 2β = 1", "newmark", newmark(0.5, 1.0)),
        ("generalized-α ρ∞ = 0.8", "generalized-alpha", rho(0.8)),
        ("generalized-α ρ∞ = 0", "generalized-alpha", rho(0.0)),
    ];
    let mut lines = Vec::new();
    let mut took = Vec::new();
    for (label, name, options) in &cases {
        let values: Vec<f64> =
            steps.iter().map(|&h| means(name, options, RESTITUTION, h, systems).map(|m| m.0)).collect::<Result<_>>()?;
        let points: Vec<(f64, f64)> =
            steps.iter().copied().zip(values.iter().copied()).filter(|p| p.1 > 1e-13).collect();
        if !points.is_empty() {
            lines.push(Line::new(*label, points).look(Look::Marked));
        }
        took.push(values);
    }
    let order = |k: usize| fit_order(&steps, &took[k]).map_or(f64::NAN, |fit| fit.order);
    let largest = |k: usize| took[k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    sheet.holds(
        "for θ = ½ the energy dissipated is only that of the contacts; for γ = ½ H only changes by works",
        "conclusion, (44), (90), (92)",
        format!("the schemes took at most {:.1e} of the energy", largest(0).max(largest(4))),
        largest(0).max(largest(4)) <= 1e-13,
    );
    let limit = took[1].last().copied().unwrap_or(f64::NAN) / took[1][0];
    sheet.holds(
        "the inertial term (½ − θ)‖v_{k+1} − v_k‖²_M dissipates at impacts, whatever the step",
        "remark 2 on (40)",
        format!(
            "θ = 0.66: over a range of steps of {:.0} the scheme's part changes by a factor of {limit:.2}: it has a limit",
            steps[0] / steps[steps.len() - 1]
        ),
        limit > 0.3,
    );
    sheet.holds(
        "the variant has no such term: (½ − γ)‖q_{k+1} − q_k‖²_K vanishes with the step",
        "(29), (91)",
        format!(
            "falls like h^{:.2} (θ = 0.66), h^{:.2} (θ = 1), h^{:.2} (Newmark γ = 2β = 1)",
            order(2),
            order(3),
            order(5)
        ),
        [2, 3, 5].iter().all(|&k| (order(k) - 1.0).abs() < 0.3),
    );
    sheet.heading("Against the step");
    sheet.figures(vec![Plot {
        title: "What the scheme takes, over the largest energy".into(),
        caption: format!(
            "Sum of the numerical dissipation over {END} s, mean of {systems} undamped systems with e = {RESTITUTION}. Moreau–Jean and Newmark at \
             θ = γ = ½ take nothing and have no marks. Generalized-α falls like h^{:.2} (ρ∞ = 0.8) and h^{:.2} (ρ∞ = 0).",
            order(6),
            order(7)
        ),
        x_label: "h [s]".into(),
        y_label: "Σ D / largest energy".into(),
        log_x: true,
        log_y: true,
        lines,
        ..Plot::default()
    }]);
    Ok(())
}

fn against_parameter(sheet: &mut Sheet, systems: u64) -> Result<()> {
    const STEP: f64 = 0.02;
    let points = if sheet.short { 6 } else { 11 };
    let share = |k: usize| k as f64 / (points - 1) as f64;
    let curve = |name: &str, e: f64, options: &dyn Fn(f64) -> (f64, SchemeOptions)| -> Result<[Vec<(f64, f64)>; 2]> {
        let mut both = [Vec::new(), Vec::new()];
        for k in 0..points {
            let (x, options) = options(share(k));
            let (scheme, contacts) = means(name, &options, e, STEP, systems)?;
            both[0].push((x, scheme));
            both[1].push((x, contacts));
        }
        Ok(both)
    };
    let by_theta = |s: f64| (0.5 + 0.5 * s, theta(0.5 + 0.5 * s));
    let by_rho = |s: f64| (s, rho(s));
    let mut over_theta = Vec::new();
    for (label, name, colour) in [("Moreau–Jean", "moreau-jean", 0), ("variant", "moreau-jean-midpoint", 1)] {
        let [scheme, contacts] = curve(name, 0.0, &by_theta)?;
        let sum = scheme.iter().zip(&contacts).map(|(a, b)| (a.0, a.1 + b.1)).collect();
        over_theta.push(Line::new(format!("{label}: scheme"), scheme).look(Look::Marked).colour(colour));
        over_theta.push(Line::new(format!("{label}: scheme and contacts"), sum).look(Look::Dashed).colour(colour));
    }
    let mut over_rho = Vec::new();
    let mut falls = true;
    let mut at_one = 0.0_f64;
    for (label, name) in [("generalized-α", "generalized-alpha"), ("KH", "kh-generalized-alpha")] {
        let [scheme, _] = curve(name, RESTITUTION, &by_rho)?;
        falls &= scheme.windows(2).all(|w| w[1].1 < w[0].1);
        at_one = at_one.max(scheme[scheme.len() - 1].1.abs());
        over_rho.push(Line::new(label, scheme).look(Look::Marked));
    }
    sheet.holds(
        "generalized-α controls its damping by ρ∞, from the most at 0 to none at 1",
        "§4.2, (58) with γ = ½",
        format!(
            "what the scheme takes falls from each ρ∞ to the next: {falls}; at ρ∞ = 1 it is {at_one:.1e} of the energy"
        ),
        falls && at_one <= 1e-13,
    );
    sheet.heading("Against the parameter");
    sheet.figures(vec![
        Plot {
            title: "What θ takes (e = 0)".into(),
            caption: "For e = 0 every θ ∈ [½, 1] is within the condition of Moreau–Jean. Dashed: with the work of the contacts, U_{k+θ}ᵀP \
                      under Moreau–Jean and U_{k+½}ᵀP under the variant."
                .into(),
            x_label: "θ".into(),
            y_label: "Σ D / largest energy".into(),
            lines: over_theta,
            ..Plot::default()
        },
        Plot {
            title: "What ρ∞ takes (e = ½)".into(),
            caption: format!("h = {STEP} s, mean of {systems} undamped systems over {END} s."),
            x_label: "ρ∞".into(),
            y_label: "Σ D / largest energy".into(),
            lines: over_rho,
            ..Plot::default()
        },
    ]);
    Ok(())
}

/// One mode, free of contacts: how much of its energy a step takes, against hω.
fn by_mode(sheet: &mut Sheet) -> Result<()> {
    let cases: [Case; 6] = [
        ("θ = 0.6", "moreau-jean", theta(0.6)),
        ("θ = 1", "moreau-jean", theta(1.0)),
        ("Newmark γ = 0.6, β = 0.36", "newmark", newmark(0.36, 0.6)),
        ("generalized-α ρ∞ = 0.8", "generalized-alpha", rho(0.8)),
        ("generalized-α ρ∞ = 0.5", "generalized-alpha", rho(0.5)),
        ("generalized-α ρ∞ = 0", "generalized-alpha", rho(0.0)),
    ];
    let frequencies: Vec<f64> = (0..=24).map(|k| 10f64.powf(-1.0 + f64::from(k) / 6.0)).collect();
    let (mut lines, mut slopes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (label, name, options) in &cases {
        let points: Vec<(f64, f64)> =
            frequencies.iter().map(|&x| lost(name, options, x).map(|y| (x, y))).collect::<Result<_>>()?;
        let low: (Vec<f64>, Vec<f64>) = points.iter().filter(|p| p.0 < 0.5).copied().unzip();
        slopes.push(fit_order(&low.0, &low.1).map_or(f64::NAN, |fit| fit.order));
        ends.push(lost(name, options, FAST)?);
        lines.push(Line::new(*label, points).look(Look::Marked));
    }
    sheet.holds(
        "generalized-α damps high frequencies without altering the order; a θ or γ above ½ makes it one",
        "§4.2",
        format!(
            "what a step takes of a slow mode grows like (hω)^{:.2} for θ = 0.6, (hω)^{:.2} for Newmark γ = 0.6, (hω)^{:.2} for ρ∞ = 0.8",
            slopes[0], slopes[2], slopes[3]
        ),
        (slopes[0] - 2.0).abs() < 0.06 && (slopes[2] - 2.0).abs() < 0.06 && (slopes[3] - 4.0).abs() < 0.06,
    );
    // (33) with ‖Δv‖² + ‖Δq‖²_K = 2E(hω)² + O((hω)⁴)
    let slow = lines[0].points[0].1 / (frequencies[0] * frequencies[0]);
    sheet.value(
        "share of a slow mode's energy that a step takes at θ = 0.6, over (hω)²: 2θ − 1",
        "(33)",
        0.2,
        slow,
        2e-3,
    );
    for (k, rho) in [(3, 0.8), (4, 0.5)] {
        let statement =
            format!("share of the energy of an infinitely fast mode that a step takes at ρ∞ = {rho}: 1 − ρ∞²");
        // between k/2 and k steps of E ∝ k²ρ^{2k}: off by ρ²·(2/k)·ln 4
        sheet.value(&statement, "§4.2, the meaning of ρ∞", 1.0 - rho * rho, ends[k], 5e-3);
    }
    sheet.heading("Mode by mode");
    sheet.figures(vec![Plot {
        title: "Share of a mode's energy taken by a step".into(),
        caption: "One undamped oscillator of frequency ω, no contact: the mean over many steps. A θ above ½ takes (2θ − 1)(hω)² of slow \
                  modes too; generalized-α spares them."
            .into(),
        x_label: "hω".into(),
        y_label: "1 − E(t + h)/E(t), mean".into(),
        log_x: true,
        log_y: true,
        lines,
        ..Plot::default()
    }]);
    Ok(())
}

/// Mean loss of a step at hω, from the largest energies of two stretches: inside a period E goes up and down. Late ones: where the
/// two roots of a scheme coincide, as those of generalized-α do at infinity, E falls like k²ρ^{2k}, and k² fades slowly.
fn lost(name: &str, options: &SchemeOptions, frequency: f64) -> Result<f64> {
    let one = || Matrix::Dense(DenseMatrix::identity(1));
    let parts = LinearParts {
        mass: one(),
        damping: None,
        stiffness: Some(one()),
        force: vec![Signal::constant(0.0)],
        contacts: vec![],
        joints: vec![],
    };
    let problem = Problem::linear(LinearModel::new(parts)?, vec![1.0], vec![0.0])?;
    let stretch = (4.0 * std::f64::consts::PI / frequency).ceil().max(8.0) as usize;
    let n = (10 * stretch).max(1200);
    let e = run(&problem, name, options, frequency, n as f64 * frequency)?.energies;
    // strongly damped modes reach the smallest numbers: look while there is something left
    let left = e.iter().take_while(|e| **e > 1e-200).count();
    let (length, end) =
        if left >= 4 * stretch { (stretch, left - stretch) } else { (1, left.saturating_sub(1).max(1)) };
    let begin = end.min(left / 2);
    let peak = |from: usize| e[from..from + length].iter().fold(0.0_f64, |m, e| m.max(*e));
    Ok(1.0 - (peak(end) / peak(begin)).powf(1.0 / (end - begin).max(1) as f64))
}
