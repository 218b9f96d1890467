//! The dissipation statements of Acary's paper on energy, measured on random systems.

use super::random_systems::{Dice, problem};
use super::{Page, Sheet, dissipation_size};
use percussion_report::{Line, Look, Plot, Table};
use percussion_scenario::Result;
use percussion_solve::SolverOptions;
use percussion_step::{Activation, Audit, Outcome, Scheme, SchemeOptions, simulate};

pub const PAGE: Page = Page {
    name: "dissipation",
    title: "Which schemes cannot create energy",
    source: "Acary (2016): propositions on Moreau–Jean, its variant, Newmark, HHT, generalized-α, KH",
    cost: 18.0,
    build,
};

/// What counts as no gain, over the largest energy.
const ROUND_OFF: f64 = 1e-13;
const H: f64 = 0.02;
const STEPS: f64 = 150.0;

/// What a scheme does to random systems: largest gain in a step and largest residual of its identity, over the largest energy.
struct Measured {
    gain: f64,
    residual: f64,
}

fn build(sheet: &mut Sheet) -> Result<()> {
    let systems = if sheet.short { 8 } else { 40 };
    sheet.text(format!(
        "{systems} random systems for each point: six coordinates, three contacts, springs, a constant load, h = 0.02 s, 150 steps, the index \
         set of the paper. A gain is ΔH minus the works of loads and dampers in a step, over the largest energy of the run: the quantity the \
         propositions say is never positive. Residuals are those of the identities, over the same energy."
    ));
    theta_against_e(sheet, systems)?;
    schemes(sheet, systems)?;
    dissipation_size::add(sheet, systems)
}

/// θ from ½ to 1 for several e, beside the bound θ ≤ 1/(1 + e).
fn theta_against_e(sheet: &mut Sheet, systems: u64) -> Result<()> {
    let thetas: Vec<f64> = (0..=20).map(|k| 0.5 + 0.025 * f64::from(k)).collect();
    let restitutions = [0.0, 0.25, 0.5, 0.75, 1.0];
    let mut lines = Vec::new();
    let (mut inside, mut outside, mut variant, mut half) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for e in restitutions {
        let mut points = Vec::new();
        for &theta in &thetas {
            let found = measure("moreau-jean", &theta_of(theta), Some(e), systems, true)?;
            if found.gain > ROUND_OFF {
                points.push((theta, found.gain));
            }
            let within = theta <= 1.0 / (1.0 + e) + 1e-12;
            if within {
                inside = inside.max(found.gain)
            } else {
                outside = outside.max(found.gain)
            }
            if theta == 0.5 {
                half = half.max(found.gain);
            }
            let other = measure("moreau-jean-midpoint", &theta_of(theta), Some(e), systems, false)?;
            variant = variant.max(other.gain);
        }
        lines.push(Line::new(format!("e = {e}"), points).look(Look::Marked));
    }
    sheet.holds(
        "Moreau–Jean dissipates for ½ ≤ θ ≤ 1/(1 + e)",
        "proposition 1, (40)",
        format!("largest gain {inside:.1e} of the energy inside"),
        inside <= ROUND_OFF,
    );
    sheet.holds(
        "the bound cannot be left out: outside it energy is created",
        "remarks on (44)",
        format!("largest gain {:.2} % of the energy in one step", 100.0 * outside),
        outside > 1e-3,
    );
    sheet.holds(
        "θ = ½ dissipates for every e ≤ 1",
        "remark 1 on (44)",
        format!("largest gain {half:.1e}"),
        half <= ROUND_OFF,
    );
    sheet.holds(
        "the variant with midpoint positions always dissipates",
        "(29), (91)",
        format!("largest gain {variant:.1e} over θ ∈ [½, 1], e ∈ [0, 1]"),
        variant <= ROUND_OFF,
    );
    sheet.heading("θ and e");
    sheet.figures(vec![Plot {
        title: "Moreau–Jean: largest gain in a step".into(),
        caption: "Where there is no mark there is no gain beyond round-off: for each e up to θ = 1/(1 + e), that is 1, 0.8, 0.667, 0.571 and \
                  0.5 for the five values of e. The variant with midpoint positions has no gain at any of these points."
            .into(),
        x_label: "θ".into(),
        y_label: "gain / largest energy".into(),
        log_y: true,
        x_range: Some((0.5, 1.0)),
        lines,
        ..Plot::default()
    }]);
    Ok(())
}

/// Every scheme of the paper within its condition, with damping and loads: gains and residuals of its identity.
fn schemes(sheet: &mut Sheet, systems: u64) -> Result<()> {
    let options = SchemeOptions::default;
    let newmark = |beta: f64, gamma: f64| SchemeOptions { beta: Some(beta), gamma: Some(gamma), ..options() };
    let rho = |rho_inf: f64| SchemeOptions { rho_inf: Some(rho_inf), ..options() };
    let alpha = |alpha: f64| SchemeOptions { alpha: Some(alpha), ..options() };
    let cases = [
        ("Moreau–Jean θ = ½", "moreau-jean", theta_of(0.5), "(33)"),
        ("variant θ = 1", "moreau-jean-midpoint", theta_of(1.0), "(29), (91)"),
        ("Newmark γ = ½, β = ¼", "newmark", newmark(0.25, 0.5), "(90)"),
        ("Newmark γ = 0.6, β = 0.36", "newmark", newmark(0.36, 0.6), "(87)"),
        ("Newmark γ = 2β = 1", "newmark", newmark(0.5, 1.0), "(91)"),
        ("HHT α = 0.1", "hht", alpha(0.1), "(81)"),
        ("HHT α = 0.3", "hht", alpha(0.3), "(81)"),
        ("generalized-α ρ∞ = 0.8", "generalized-alpha", rho(0.8), "(58)"),
        ("generalized-α ρ∞ = 0", "generalized-alpha", rho(0.0), "(58)"),
        ("KH ρ∞ = 0.8", "kh-generalized-alpha", rho(0.8), "(73)"),
        ("KH ρ∞ = 0", "kh-generalized-alpha", rho(0.0), "(73)"),
    ];
    let mut table = Table::new(["scheme", "identity", "largest gain / E", "largest residual / E"]);
    let (mut worst_gain, mut worst_residual) = (0.0_f64, 0.0_f64);
    for (label, name, options, identity) in cases {
        // the theorem of generalized-α and HHT in H is for systems without damping; KH's and the others' for any
        let damped = !matches!(name, "hht" | "generalized-alpha");
        let found = measure(name, &options, None, systems, damped)?;
        worst_gain = worst_gain.max(found.gain);
        worst_residual = worst_residual.max(found.residual);
        table.push([
            label.to_string(),
            identity.to_string(),
            format!("{:.1e}", found.gain),
            format!("{:.1e}", found.residual),
        ]);
    }
    sheet.holds(
        "Newmark, HHT, generalized-α and KH dissipate their algorithmic energy within their conditions",
        "propositions (74), (82), (88)",
        format!("largest gain {worst_gain:.1e} of the energy over all of them"),
        worst_gain <= ROUND_OFF,
    );
    sheet.holds(
        "the identities close",
        "(33), (58), (73), (81), (87), (90), (91)",
        format!("largest residual {worst_residual:.1e} of the energy"),
        worst_residual <= 1e-12,
    );
    sheet.heading("Every scheme within its condition");
    sheet.table(table);
    Ok(())
}

fn theta_of(theta: f64) -> SchemeOptions {
    SchemeOptions { theta: Some(theta), ..SchemeOptions::default() }
}

fn measure(name: &str, options: &SchemeOptions, e: Option<f64>, systems: u64, damping: bool) -> Result<Measured> {
    let mut worst = Measured { gain: 0.0, residual: 0.0 };
    for seed in 0..systems {
        let mut dice = Dice(1 + seed);
        let restitution = e.unwrap_or_else(|| dice.real(0.0, 1.0));
        let problem = problem(&mut dice, restitution, damping)?;
        let scheme = Scheme::resolve(name, options)?.0.with_activation(Activation::PredictedAndClosing);
        let mut audit = Audit::new();
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), H, STEPS * H, &mut audit)?;
        if !matches!(outcome, Outcome::Finished) {
            worst.gain = f64::INFINITY;
            continue;
        }
        worst.gain = worst.gain.max(audit.largest_gain() / audit.largest_energy());
        worst.residual = worst.residual.max(audit.largest_residual() / audit.largest_energy());
    }
    Ok(worst)
}
