//! The bouncing bar of Chen et al., as Acary's lecture "Numerical methods for nonsmooth mechanical systems" shows it: position, pressure and energy of three schemes.

use super::play::{Played, Points, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_report::{Line, Look};
use percussion_scenario::Result;
use percussion_step::measure::{BarImpact, Exact};

pub const PAGE: Page = Page {
    name: "chen-bar",
    title: "An elastic bar against a wall: three schemes",
    source: "Chen et al. (2013) in the lectures, figures 8 and 9",
    cost: 10.0,
    build,
};

fn build(sheet: &mut Sheet) -> Result<()> {
    let exact = BarImpact { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 201 };
    let rule = ":activation=predicted-and-closing";
    let alpha = play("generalized-α ρ∞ = 0.6", "elastic-bar", &format!("generalized-alpha:rho_inf=0.6{rule}"))?;
    let moreau = play("Moreau–Jean θ = 1", "elastic-bar", &format!("moreau-jean:theta=1.0{rule}"))?;
    let newmark = play("implicit Newmark γ = 1", "elastic-bar", &format!("implicit-newmark{rule}"))?;
    let fine =
        play("Moreau–Jean θ = 1, h = 0.2 ms", "elastic-bar", &format!("moreau-jean:theta=1.0{rule}:time.step=2e-4"))?;
    let finer = match sheet.short {
        true => None,
        false => Some(play(
            "Moreau–Jean θ = 1, h = 0.02 ms",
            "elastic-bar",
            &format!("moreau-jean:theta=1.0{rule}:time.step=2e-5"),
        )?),
    };
    let place = "independent implementation, consistent mass, d0 = 5.005 m";
    let end = |run: &Played| run.energy_at(1.5);
    for (run, stated) in [(&alpha, 495.781899), (&moreau, 430.936679), (&newmark, 451.244820), (&fine, 478.167709)] {
        sheet.value(&format!("energy at 1.5 s, {} [J] of 500 J", run.label), place, stated, end(run), 1e-6);
    }
    sheet.holds(
        "generalized-α has the least energy dissipation after the impact",
        "fig. 9",
        format!(
            "{:.1} J; Moreau–Jean {:.1} J, Newmark {:.1} J, Moreau–Jean with h/10 {:.1} J",
            end(&alpha),
            end(&moreau),
            end(&newmark),
            end(&fine)
        ),
        end(&alpha) > end(&fine).max(end(&newmark)),
    );
    if let Some(finer) = &finer {
        sheet.holds(
            "with smaller steps Moreau–Jean tends to a behaviour without dissipation",
            "fig. 9",
            format!("{:.1} → {:.1} → {:.1} J at 2, 0.2 and 0.02 ms", end(&moreau), end(&fine), end(finer)),
            end(finer) > end(&fine) && end(&fine) > end(&moreau),
        );
    }
    for run in [&alpha, &moreau, &newmark] {
        let middle = mean_force(run);
        sheet.value(
            &format!("contact force in the middle of the contact, {} [N]", run.label),
            "exact: ρ c v0 A",
            300.0,
            middle,
            0.5,
        );
    }
    let error =
        |run: &Played| -> f64 { run.gap(0).iter().map(|&(t, g)| (g - exact.q(t)[0] - 5.005).abs() * 2e-3).sum() };
    sheet.holds(
        "generalized-α has the better accuracy for the position, in particular after take-off",
        "fig. 8",
        format!(
            "L1 error of the gap {:.4} m·s; Moreau–Jean {:.4}, Newmark {:.4}",
            error(&alpha),
            error(&moreau),
            error(&newmark)
        ),
        error(&alpha) < error(&moreau).min(error(&newmark)),
    );
    sheet.value("  L1 error of the gap, generalized-α [m·s]", place, 2.133972e-2, error(&alpha), 1e-8);

    sheet.text("E = 900 Pa, ρ = 1 kg/m³, L = 10 m, A = 1 m², v0 = 10 m/s, e = 0, 200 elements, h = 2 ms. The paper starts 5 m from the wall; there the first impact falls on a step and round-off decides which one, so 5.005 m is used here, as in the later paper of the same group.");
    let times = || (0..=1500).map(|k| k as f64 * 1e-3);
    let exactly = Line::new("exact", times().map(|t| (t, exact.q(t)[0] + 5.005)).collect()).look(Look::Reference);
    let pressure = times().map(|t| (t, if (0.5005..0.5005 + 2.0 / 3.0).contains(&t) { 300.0 } else { 0.0 })).collect();
    let runs = [&alpha, &moreau, &newmark];
    let lines = |first: Option<Line>, of: &dyn Fn(&Played) -> Points| -> Vec<Line> {
        first.into_iter().chain(runs.iter().map(|run| run.line(of))).collect()
    };
    let position =
        over_time("Fig. 8a: distance of the end from the wall", "gap [m]", lines(Some(exactly), &|p| p.gap(0)));
    let position_zoom = zoom(&position, (0.45, 1.3), Some((-0.05, 0.3)));
    let force = over_time(
        "Fig. 8b: contact force P/h",
        "force [N]",
        lines(Some(Line::new("exact", pressure).look(Look::Reference)), &|p| {
            p.impulse(0).into_iter().map(|(t, p)| (t, p / 2e-3)).collect()
        }),
    );
    let mut energy = over_time("Fig. 9: energy", "E [J]", lines(None, &|p| p.energy()));
    energy.lines.push(fine.line(|p| p.energy()).look(Look::Dashed));
    energy.lines.extend(finer.iter().map(|run| run.line(|p| p.energy()).look(Look::Dashed)));
    sheet.figures(vec![position, position_zoom, force, energy]);
    Ok(())
}

/// Mean of P/h over the middle half of the contact.
fn mean_force(run: &Played) -> f64 {
    let p = run.run.impulses(0);
    let rows: Vec<usize> = (0..p.len()).filter(|&k| p[k] > 0.0).collect();
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return f64::NAN };
    let quarter = (last - first) / 4;
    let middle = &p[first + quarter..last - quarter];
    middle.iter().sum::<f64>() / middle.len() as f64 / run.scenario.step
}
