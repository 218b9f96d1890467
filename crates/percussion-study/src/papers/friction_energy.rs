//! Impacts with friction: Newton's law with Coulomb's can create energy, Frémond's cannot.

use super::play::{Played, Points, over_time, play, play_text};
use super::{Page, Sheet};
use percussion_report::{Line, Look, Plot, Table};
use percussion_scenario::Result;

pub const PAGE: Page = Page {
    name: "friction-energy",
    title: "Energy at impacts with friction",
    source: "Acary, Collins-Craft: energy conservation and dissipation for impact and Coulomb friction",
    cost: 8.0,
    build,
};

fn build(sheet: &mut Sheet) -> Result<()> {
    let place = "exact numbers of the example";
    let laws = [("Newton and Coulomb", "newton"), ("Frémond", "fremond"), ("checked rule", "checked")];
    let rod: Vec<Played> = laws
        .iter()
        .map(|(label, law)| play(label, "slanted-rod", &format!("moreau-jean:theta=0.5:friction_law={law}")))
        .collect::<Result<_>>()?;
    let end = |run: &Played| run.run.ledger[run.run.len() - 1].energy();
    let start = rod[0].energy_at(0.0);
    sheet.value("rod at 45°: energy before the impact [J]", place, 0.66245, start, 1e-12);
    sheet.value("  after it under Newton's law [J]: 8 % more", place, 0.71529375, end(&rod[0]), 1e-10);
    sheet.value("  after it under Frémond's law [J]", place, 0.62445, end(&rod[1]), 1e-10);
    sheet.holds(
        "Newton's law with Coulomb friction can generate energy",
        "§2.3, §3.2",
        format!("{:+.1} % in one impact", 100.0 * (end(&rod[0]) / start - 1.0)),
        end(&rod[0]) > start,
    );
    let gains: Vec<f64> = [1e-2, 1e-3, 1e-4]
        .iter()
        .map(|h| {
            play("", "slanted-rod", &format!("moreau-jean:theta=0.5:friction_law=newton:time.step={h:e}"))
                .map(|run| end(&run) - start)
        })
        .collect::<Result<_>>()?;
    sheet.holds(
        "energy can be generated even by reducing the time step",
        "§3.2",
        format!("gain {:.5}, {:.5}, {:.5} J at h = 1e-2, 1e-3, 1e-4 s", gains[0], gains[1], gains[2]),
        gains.iter().all(|g| (g - 0.05284375).abs() < 1e-9),
    );
    sheet.holds(
        "the new scheme dissipates",
        "proposition 1",
        format!(
            "{:+.5} J under Frémond's law, {:+.5} J under the checked rule",
            end(&rod[1]) - start,
            end(&rod[2]) - start
        ),
        end(&rod[1]) <= start && end(&rod[2]) <= start,
    );

    let counts = scan(sheet.short)?;
    let total = counts.configurations;
    count_gains(sheet, &counts);

    let block: Vec<Played> = laws
        .iter()
        .map(|(label, law)| {
            play(
                label,
                "sliding-block",
                &format!("moreau-jean:theta=0.5:friction_law={law}:activation=predicted-and-closing"),
            )
        })
        .collect::<Result<_>>()?;
    sheet.value(
        "sliding block, Frémond θ = ½: where it stops [m], exact 0.16989467",
        "independent implementation",
        0.16989460,
        last(&block[1]),
        1e-8,
    );
    sheet.value("  Newton θ = ½ [m]", "independent implementation", 0.16989770, last(&block[0]), 1e-8);

    sheet.text("A uniform rod (1 kg, 2 m) at 45° touches the floor with its lower end at (0.57, −1) m/s, e = 0.9, μ = 1. Friction that stops the sliding end pushes it along its own motion, and with the rebound the sum is a gain. Frémond's law puts Coulomb's on the mean of the velocities before and after, and work is never positive for ½ ≤ θ ≤ 1/(1 + e).");
    let lines = |runs: &[Played], of: &dyn Fn(&Played) -> Points| -> Vec<Line> {
        runs.iter().map(|run| run.line(of)).collect()
    };
    sheet.figures(vec![
        over_time("Rod: energy", "E [J]", lines(&rod, &|p| p.energy())),
        over_time("Block: velocity along the floor", "v [m/s]", lines(&block, &|p| p.v(0))),
        over_time("Block: energy", "E [J]", lines(&block, &|p| p.energy())),
        Plot {
            title: "Double pendulum: gain over the energy before, sorted".into(),
            caption: "The configurations that gain under Newton's law; under Frémond's there is none.".into(),
            x_label: "configuration, sorted".into(),
            y_label: "relative gain".into(),
            lines: vec![
                Line::new(
                    "Newton and Coulomb",
                    counts.gains.iter().enumerate().map(|(k, g)| (k as f64 + 1.0, *g)).collect(),
                )
                .look(Look::Solid),
            ],
            log_y: true,
            ..Plot::default()
        },
    ]);
    let mut table = Table::new(["law", "configurations", "gain energy"]);
    table.push(["Newton and Coulomb".to_string(), total.to_string(), counts.newton.to_string()]);
    table.push(["Frémond".to_string(), total.to_string(), counts.fremond.to_string()]);
    sheet.table(table);
    Ok(())
}

/// How many configurations of the double pendulum gain energy, and under which law.
fn count_gains(sheet: &mut Sheet, counts: &Counts) {
    let total = counts.configurations;
    if !sheet.short {
        sheet.value(
            "double pendulum: approaching configurations of the scan",
            "independent implementation",
            10039.0,
            total as f64,
            0.5,
        );
        sheet.value(
            "  of which gain energy under Newton's law",
            "independent implementation",
            366.0,
            counts.newton as f64,
            0.5,
        );
    }
    sheet.value(
        "  of which gain energy under Frémond's law",
        "proposition 1; independent implementation",
        0.0,
        counts.fremond as f64,
        0.5,
    );
    sheet.holds(
        "the example of Kane: a double pendulum gains energy at a frictional impact under Newton's law",
        "§2.3",
        format!("{} of {total} configurations gain; parameters are ours, Kane's are not in the text", counts.newton),
        counts.newton > 0,
    );
}

fn last(run: &Played) -> f64 {
    run.run.q(run.run.len() - 1)[0]
}

struct Counts {
    configurations: usize,
    newton: usize,
    fremond: usize,
    /// Relative gains under Newton's law, rising.
    gains: Vec<f64>,
}

/// Two rods of 1 kg and 1 m, the tip of the second on the floor, e = μ = ½: θ1 = 5 … 75°, θ2 = −75 … 75°, ω = (−1, w).
fn scan(short: bool) -> Result<Counts> {
    let mut counts = Counts { configurations: 0, newton: 0, fremond: 0, gains: Vec::new() };
    let degrees = if short { 10 } else { 5 };
    for one in (1..=15).map(|k| 5 * k).filter(|k| k % degrees == 5 % degrees) {
        for two in (-15..=15).map(|k| 5 * k).filter(|&k| k != one && (k - 5) % degrees == 0) {
            for quarter in -16..=16 {
                let w = f64::from(quarter) / 4.0;
                let (a, b) = (f64::from(one).to_radians(), f64::from(two).to_radians());
                // only impacts that approach faster than 1 mm/s
                if b.sin() * w - a.sin() > -1e-3 {
                    continue;
                }
                counts.configurations += 1;
                let text = impact(a, b, w);
                let gain = |law: &str| -> Result<f64> {
                    let run = play_text("", &text, &format!("moreau-jean:theta=0.5:friction_law={law}"))?;
                    let energies = run.energy();
                    Ok((energies[energies.len() - 1].1 - energies[0].1) / energies[0].1)
                };
                let (newton, fremond) = (gain("newton")?, gain("fremond")?);
                if newton > 1e-9 {
                    counts.newton += 1;
                    counts.gains.push(newton);
                }
                counts.fremond += usize::from(fremond > 1e-9);
            }
        }
    }
    counts.gains.sort_by(f64::total_cmp);
    Ok(counts)
}

/// One step over the impact, no loads: the contact is closed at the start.
fn impact(a: f64, b: f64, w: f64) -> String {
    let c = 0.5 * (a - b).cos();
    format!(
        "[model]\nkind = \"linear\"\nmass = [[{:?}, {c:?}], [{c:?}, {:?}]]\nq0 = [0.0, 0.0]\nv0 = [-1.0, {w:?}]\n[[model.contact]]\nnormal = [{:?}, {:?}]\n\
         tangents = [[{:?}, {:?}]]\noffset = 0.0\nrestitution = 0.5\nfriction = 0.5\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1e-3\nstep = 1e-3\n",
        4.0 / 3.0,
        1.0 / 3.0,
        a.sin(),
        b.sin(),
        a.cos(),
        b.cos()
    )
}
