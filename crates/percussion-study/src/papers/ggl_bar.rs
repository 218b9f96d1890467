//! The elastic bar of Brüls, Acary and Cardona against a wall: position, velocity, energy, contact force.

use super::play::{Played, Points, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_report::{Line, Look};
use percussion_scenario::Result;
use percussion_step::measure::{BarImpact, Exact};

pub const PAGE: Page = Page {
    name: "ggl-bar",
    title: "An elastic bar against a wall under position and velocity constraints",
    source: "Brüls, Acary, Cardona (2014), figures 17–19",
    cost: 7.0,
    build,
};

const H: f64 = 2e-3;

fn build(sheet: &mut Sheet) -> Result<()> {
    let exact = BarImpact { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 201 };
    let ggl = play("GGL", "elastic-bar", "generalized-alpha-ggl:rho_inf=0.8:activation=predicted:time.end=2")?;
    let moreau = play(
        "Moreau–Jean θ = 0.556",
        "elastic-bar",
        "moreau-jean:theta=0.5555555555555556:activation=predicted:prediction=1.0:time.end=2",
    )?;
    // a dense Newton system per step: half a minute
    let smooth = match sheet.short {
        true => None,
        false => Some(play("smooth generalized-α", "elastic-bar", "smooth-generalized-alpha:rho_inf=0.8:time.end=2")?),
    };
    let runs: Vec<&Played> = smooth.iter().chain([&moreau, &ggl]).collect();

    let place = "independent implementation, consistent mass";
    sheet.value(
        "contact lasts 2L√(ρ/E) = 2/3 s, GGL: steps with contact × h [s]",
        "§10.3",
        2.0 / 3.0,
        lasting(&ggl),
        3.0 * H,
    );
    sheet.value("E(2 s), GGL [J]", place, 497.306, ggl.energy_at(2.0), 1e-3);
    sheet.value("E(2 s), Moreau [J]", place, 475.480, moreau.energy_at(2.0), 1e-3);
    sheet.holds(
        "GGL dissipates less after the impact than Moreau",
        "fig. 18",
        format!("{:.3} J and {:.3} J of 500 J are left", ggl.energy_at(2.0), moreau.energy_at(2.0)),
        ggl.energy_at(2.0) > moreau.energy_at(2.0),
    );
    sheet.holds(
        "no penetration under GGL, some under Moreau",
        "fig. 17",
        format!("{:.1e} m and {:.1e} m", ggl.penetration(), moreau.penetration()),
        ggl.penetration() < 1e-15 && moreau.penetration() > 1e-4,
    );
    let (mean, spread) = force(&ggl);
    sheet.value("contact force between 0.55 and 1.1 s, GGL: mean [N], exact 300", place, 300.001, mean, 1e-3);
    sheet.value("  its standard deviation [N]", place, 0.050, spread, 1e-3);
    if let Some(smooth) = &smooth {
        let (mean, spread) = force(smooth);
        sheet.holds(
            "the smooth scheme has significant spurious oscillations of the contact force",
            "fig. 19",
            format!("{mean:.1} ± {spread:.1} N"),
            spread > 10.0,
        );
        sheet.value("  standard deviation of its contact force [N]", place, 51.8, spread, 0.1);
        let increase = smooth.run.ledger.windows(2).map(|w| w[1].energy() - w[0].energy()).fold(0.0, f64::max);
        sheet.holds(
            "its energy evolves in a non-monotonous way",
            "fig. 18",
            format!("largest gain in a step {increase:.2} J"),
            increase > 0.1,
        );
    }

    sheet.text("E = 900 Pa, ρ = 1 kg/m³, L = 10 m, A = 1 m², d0 = 5.005 m, v0 = 10 m/s, e = 0, 200 elements with consistent mass, h = 2 ms. The paper does not say which mass matrix it uses; with a lumped one GGL ends with 497.219 J and Moreau with 475.195 J.");
    let lines = |of: &dyn Fn(&Played) -> Points, exactly: Option<&dyn Fn(f64) -> f64>| -> Vec<Line> {
        let times = (0..=2000).map(|k| k as f64 * 1e-3);
        let mut lines: Vec<Line> = exactly
            .iter()
            .map(|f| Line::new("exact", times.clone().map(|t| (t, f(t))).collect()).look(Look::Reference))
            .collect();
        lines.extend(runs.iter().map(|run| run.line(of)));
        lines
    };
    let gap = over_time("Fig. 17: gap", "gap [m]", lines(&|p| p.gap(0), Some(&|t| exact.q(t)[0] + 5.005)));
    let gap_zoom = zoom(&gap, (0.45, 1.25), Some((-0.01, 0.03)));
    let velocity = over_time("Fig. 18: velocity of the end", "v [m/s]", lines(&|p| p.v(0), Some(&|t| exact.v(t)[0])));
    let energy = over_time("Fig. 18: energy", "E [J]", lines(&|p| p.energy(), Some(&|_| 500.0)));
    let contact = over_time(
        "Fig. 19: contact force Λ/h",
        "force [N]",
        lines(&|p| p.impulse(0).into_iter().map(|(t, p)| (t, p / H)).collect(), None),
    );
    let contact_zoom = zoom(&contact, (0.45, 1.25), Some((200.0, 400.0)));
    sheet.figures(vec![gap, gap_zoom, velocity, energy, contact, contact_zoom]);
    Ok(())
}

fn lasting(run: &Played) -> f64 {
    let p = run.run.impulses(0);
    let pushing: Vec<usize> = (0..p.len()).filter(|&k| p[k] > 0.0).collect();
    pushing.first().zip(pushing.last()).map_or(0.0, |(first, last)| (last - first + 1) as f64 * H)
}

/// Mean and standard deviation of the contact force between 0.55 and 1.1 s [N].
fn force(run: &Played) -> (f64, f64) {
    let p = run.run.impulses(0);
    let forces: Vec<f64> = p[run.row(0.55)..run.row(1.1)].iter().map(|p| p / H).collect();
    let mean = forces.iter().sum::<f64>() / forces.len() as f64;
    let square = forces.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / forces.len() as f64;
    (mean, square.sqrt())
}
