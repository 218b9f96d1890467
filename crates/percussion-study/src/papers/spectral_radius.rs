//! Spectral radius and period error of Newmark's family and of Hilber, Hughes and Taylor.
//!
//!   γ = ½: ρ = 1 and T̄/T − 1 = ½(β − 1/12)(hω)² + …;   α of Hilber, Hughes and Taylor: ρ → (1−α)/(1+α);   ρ∞ of Chung and Hulbert

use super::{Page, Sheet};
use crate::{spectrum, variants};
use percussion_scenario::{LoadOptions, Result};

pub const PAGE: Page = Page {
    name: "spectral-radius",
    title: "Spectral radius and period error",
    source: "Acary, lectures: graphs of Hughes for Newmark and HHT",
    cost: 0.1,
    build,
};

const NEWMARK: [(&str, f64); 4] = [
    ("newmark:preset=average-acceleration", 0.25),
    ("newmark:preset=linear-acceleration", 1.0 / 6.0),
    ("newmark:preset=fox-goodwin", 1.0 / 12.0),
    ("newmark:preset=central-difference", 0.0),
];
const ALPHAS: [f64; 4] = [0.0, 0.05, 0.1, 0.3];
const RADII: [f64; 3] = [0.8, 0.5, 0.0];

fn build(sheet: &mut Sheet) -> Result<()> {
    let modes = |words: &[String], at: &[f64]| {
        spectrum(&variants(words.iter().map(String::as_str), &LoadOptions::default())?, at)
    };
    let newmark: Vec<String> = NEWMARK.iter().map(|(words, _)| words.to_string()).collect();
    let hht: Vec<String> = ALPHAS.iter().map(|alpha| format!("hht:alpha={alpha}")).collect();
    let alpha: Vec<String> = RADII.iter().map(|rho| format!("generalized-alpha:rho_inf={rho}")).collect();

    const SLOW: f64 = 0.1;
    for ((_, beta), (label, found)) in NEWMARK.iter().zip(modes(&newmark, &[SLOW])?.list) {
        let error = found[0].period_error.unwrap_or(f64::NAN);
        let stated = 0.5 * (beta - 1.0 / 12.0);
        let statement = format!("period error over (hω)² at hω = {SLOW}, {label}: ½(β − 1/12)");
        sheet.value(&statement, "Hughes (1987)", stated, error / (SLOW * SLOW), 5e-4);
    }
    const FAST: f64 = 1e7;
    for (alpha, (_, found)) in ALPHAS.iter().zip(modes(&hht, &[FAST])?.list) {
        let statement = format!("spectral radius at infinite hω, HHT α = {alpha}: (1 − α)/(1 + α)");
        sheet.value(&statement, "Hughes (1987)", (1.0 - alpha) / (1.0 + alpha), found[0].radius, 1e-5);
    }
    // three roots meet at −ρ∞ and come apart like (hω)^{−2/3}
    for (rho, (_, found)) in RADII.iter().zip(modes(&alpha, &[1e9])?.list) {
        let statement = format!("spectral radius at infinite hω, generalized-α ρ∞ = {rho}");
        sheet.value(&statement, "Chung and Hulbert (1993)", *rho, found[0].radius, 1e-4);
    }
    sheet.text("The roots λ of a step of one undamped mode without contact, from `percussion spectrum`: the spectral radius is the largest |λ|, the period that of the angle of the complex pair, the damping ratio −ln|λ| over that angle.");
    for (heading, words) in [("Newmark, γ = ½", newmark), ("Hilber, Hughes and Taylor", hht), ("Generalized-α", alpha)]
    {
        sheet.heading(heading);
        sheet.figures(modes(&words, &[])?.plots());
    }
    Ok(())
}
