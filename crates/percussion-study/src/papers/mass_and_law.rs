//! An elastic disc on a plane under every pair of mass and law of its contact nodes: what energy is lost, and what becomes of the force.
//!
//!   loss = (E₀ − E_end)/E₀,    variation = Σ|F_{k+1} − F_k| / (2 max F),   1 for a force that rises and falls once

use super::play::{Played, Points, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_report::{Line, Table};
use percussion_scenario::Result;

pub const PAGE: Page = Page {
    name: "mass-and-law",
    title: "An elastic disc lands: mass and law at contact nodes",
    source: "ours: equilibrium and gap (mass redistributed as by Khenous, Laborde, Renard 2008) beside restitution at nodes",
    cost: 0.5,
    build,
};

const PAIRS: [(&str, &str); 6] = [
    ("consistent mass, e = 0", "moreau-jean:activation=hold:model.contact.0.mass=consistent"),
    ("lumped mass, e = 0", "moreau-jean:activation=hold:model.contact.0.mass=lumped"),
    (
        "consistent mass, e = 1",
        "moreau-jean:activation=hold:model.contact.0.mass=consistent:model.contact.0.restitution=1.0",
    ),
    ("lumped mass, e = 1", "moreau-jean:activation=hold:model.contact.0.mass=lumped:model.contact.0.restitution=1.0"),
    ("no mass, gap", "moreau-jean:activation=gap"),
    ("no mass, equilibrium", "moreau-jean:activation=equilibrium"),
];
/// Those with e = 1 among them.
const BOUNCING: [usize; 2] = [2, 3];
/// The last two.
const GAP: usize = 4;
const EQUILIBRIUM: usize = 5;

fn build(sheet: &mut Sheet) -> Result<()> {
    let runs: Vec<Played> =
        PAIRS.iter().map(|(label, words)| play(label, "elastic-disc", words)).collect::<Result<_>>()?;
    let centre = centre(&runs[EQUILIBRIUM]);
    let mut table =
        Table::new(["mass and law", "energy lost", "variation of the force", "at the centre", "deepest [m]"]);
    for run in &runs {
        table.push([
            run.label.clone(),
            format!("{:.1e}", loss(run)),
            format!("{:.2}", variation(&force(run))),
            format!("{:.2}", variation(&at(run, centre))),
            format!("{:.1e}", run.penetration()),
        ]);
    }
    sheet.value("energy lost under equilibrium, of E₀", "theorem", 0.0, loss(&runs[EQUILIBRIUM]), 1e-11);
    sheet.value("  under gap", "independent implementation", 5.4e-4, loss(&runs[GAP]), 5e-5);
    sheet.value("  with consistent mass, e = 0", "independent implementation", 7.6e-3, loss(&runs[0]), 5e-4);
    sheet.value("  with lumped mass, e = 0", "independent implementation", 1.4e-2, loss(&runs[1]), 1e-3);
    sheet.holds(
        "without mass at contact nodes nothing penetrates and the force rises and falls once",
        "ours",
        format!(
            "deepest {:.1e} and {:.1e} m; variation {:.2} and {:.2}",
            runs[GAP].penetration(),
            runs[EQUILIBRIUM].penetration(),
            variation(&force(&runs[GAP])),
            variation(&force(&runs[EQUILIBRIUM]))
        ),
        [GAP, EQUILIBRIUM].iter().all(|&k| runs[k].penetration() <= 1e-14 && variation(&force(&runs[k])) <= 1.2),
    );
    sheet.holds(
        "e = 1 at nodes with mass keeps the energy and makes the force alternate",
        "ours",
        BOUNCING
            .iter()
            .map(|&k| format!("lost {:.1e}, variation {:.1}", loss(&runs[k]), variation(&force(&runs[k]))))
            .collect::<Vec<_>>()
            .join("; "),
        BOUNCING.iter().all(|&k| loss(&runs[k]).abs() <= 1e-11 && variation(&force(&runs[k])) > 5.0),
    );
    sheet.text("A disc of 0.2 m and 752 kg/m strikes a plane at 1 m/s, h = 0.68 ms, half of what a wave takes through an element. A node is a point: with mass it has an impact of its own. With e = 0 each landing takes ½ m v² away, with e = 1 nodes rattle and no mesh is fine enough for a pressure. Without mass a node has no impact, and the contact force is what holds it in place.");
    sheet.table(table);
    let lines = |of: &dyn Fn(&Played) -> Points| -> Vec<Line> { runs.iter().map(|run| run.line(of)).collect() };
    let all = over_time("Contact force", "F [N/m]", lines(&force));
    let below = zoom(&all, (0.0, 0.0952), Some((0.0, 40e3)));
    let pressed = over_time("Force on the node at the centre", "F [N/m]", lines(&|run| at(run, centre)));
    let near = zoom(&pressed, (0.0, 0.0952), Some((0.0, 12e3)));
    sheet.figures(vec![over_time("Energy", "E [J/m]", lines(&|run| run.energy())), all, below, pressed, near]);
    Ok(())
}

fn loss(run: &Played) -> f64 {
    let ledger = &run.run.ledger;
    1.0 - ledger[ledger.len() - 1].energy() / ledger[0].energy()
}

/// The contact that gives most.
fn centre(run: &Played) -> usize {
    let sum = |i: &usize| run.run.impulses(*i).iter().sum::<f64>();
    (0..run.scenario.model().n_contacts()).max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or(0)
}

/// p/h of a contact.
fn at(run: &Played, contact: usize) -> Points {
    let h = run.scenario.step;
    run.impulse(contact).into_iter().map(|(t, p)| (t, p / h)).collect()
}

/// Σ p/h.
fn force(run: &Played) -> Points {
    let mut sum: Points = run.run.t.iter().map(|&t| (t, 0.0)).collect();
    for i in 0..run.scenario.model().n_contacts() {
        sum.iter_mut().zip(at(run, i)).for_each(|(sum, (_, f))| sum.1 += f);
    }
    sum
}

fn variation(force: &Points) -> f64 {
    let most = force.iter().fold(f64::MIN_POSITIVE, |most, (_, f)| most.max(*f));
    force.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).sum::<f64>() / (2.0 * most)
}
