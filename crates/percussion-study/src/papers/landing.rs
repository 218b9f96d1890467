//! `landing` beside Moreau–Jean, GGL and Schatzman–Paoli: what penetrates, and what creates energy.
//!
//!   created in a step = W_contact + W_projection + W_joints − D,   summed over the steps in which it is positive

use super::play::{Played, Points, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_report::{Line, Table};
use percussion_scenario::Result;

pub const PAGE: Page = Page {
    name: "landing",
    title: "No penetration and no energy created: four schemes at one floor",
    source: "ours: the scheme landing beside Moreau–Jean, GGL (Brüls, Acary, Cardona 2014) and Schatzman–Paoli",
    cost: 0.5,
    build,
};

const SCHEMES: [(&str, &str); 4] = [
    ("landing", "landing"),
    ("Moreau–Jean θ = ½", "moreau-jean"),
    ("GGL ρ∞ = 0.8", "generalized-alpha-ggl"),
    ("Schatzman–Paoli θ = ½", "schatzman-paoli"),
];

fn build(sheet: &mut Sheet) -> Result<()> {
    let runs: Vec<Played> = SCHEMES
        .iter()
        .map(|(label, words)| play(label, "two-mass-oscillator-1e3", &format!("{words}:time.end=1.5")))
        .collect::<Result<_>>()?;
    let mut table = Table::new(["scheme", "deepest [m]", "energy created, sum [J]", "energy with weight at 1.5 s [J]"]);
    for run in &runs {
        let last = created(run).last().map_or(0.0, |p| p.1);
        table.push([
            run.label.clone(),
            format!("{:.1e}", run.penetration()),
            format!("{last:.1e}"),
            format!("{:.4}", run.total(run.run.len() - 1)),
        ]);
    }
    let sum = |k: usize| created(&runs[k]).last().map_or(0.0, |p| p.1);
    sheet.holds(
        "landing: nothing penetrates and no step creates energy",
        "theorem of the scheme",
        format!("deepest {:.1e} m, created {:.1e} J in all", runs[0].penetration(), sum(0)),
        runs[0].penetration() <= 1e-15 && sum(0) <= 1e-13,
    );
    sheet.holds(
        "Moreau–Jean creates no energy; GGL does not penetrate and creates some; Schatzman–Paoli creates energy and penetrates",
        "their theorems, and what is measured",
        format!(
            "created {:.1e}, {:.1e} and {:.1e} J; deepest {:.1e}, {:.1e} and {:.1e} m",
            sum(1),
            sum(2),
            sum(3),
            runs[1].penetration(),
            runs[2].penetration(),
            runs[3].penetration()
        ),
        sum(1) <= 1e-13
            && runs[2].penetration() <= 1e-12
            && sum(2) > 1e-6
            && sum(3) > 1e-3
            && runs[3].penetration() > 1e-6,
    );
    let bar = |words| play(words, "elastic-bar", words).map(|run| run.penetration());
    let (free, landed) = (bar("moreau-jean")?, bar("landing")?);
    sheet.holds(
        "Moreau–Jean penetrates where many waves pass through a contact, landing does not: the elastic bar, h = 2 ms",
        "Moreau–Jean promises nothing on positions",
        format!("deepest {free:.1e} and {landed:.1e} m"),
        free > 1e-4 && landed <= 1e-14,
    );
    sheet.text("Two masses of 1 kg on a spring of 10³ N/m dropped from 1 m, e = 0.8, h = 2 ms. Energy created is what contacts, projection and scheme put in, summed over the steps in which they put in more than they took.");
    sheet.table(table);
    let lines = |of: &dyn Fn(&Played) -> Points| -> Vec<Line> { runs.iter().map(|run| run.line(of)).collect() };
    let gap = over_time("Gap of the lower mass", "g [m]", lines(&|p| p.gap(0)));
    let near = zoom(&gap, (0.43, 0.53), Some((-0.008, 0.03)));
    sheet.figures(vec![
        gap,
        near,
        over_time("Energy created so far", "[J]", lines(&created)),
        over_time("Energy with weight", "E [J]", lines(&|p| p.totals())),
    ]);
    Ok(())
}

/// What was created so far.
fn created(run: &Played) -> Points {
    let mut sum = 0.0;
    let rows = run.run.t.iter().zip(&run.run.ledger);
    rows.map(|(&t, entry)| {
        sum += entry.created().max(0.0);
        (t, sum)
    })
    .collect()
}
