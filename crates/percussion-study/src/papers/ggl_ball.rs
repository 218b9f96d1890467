//! The bouncing ball of Brüls, Acary and Cardona: gap, velocity, energy, impulses and multipliers of four schemes.

use super::multipliers::of_ggl;
use super::play::{Played, Points, largest, last_above, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_model::Lagrangian;
use percussion_model::nonlinear::PointMass;
use percussion_report::{Agreement, Line, Look};
use percussion_scenario::Result;
use percussion_step::measure::{Bounce, Exact};
use std::sync::Arc;

pub const PAGE: Page = Page {
    name: "ggl-ball",
    title: "The bouncing ball under position and velocity constraints",
    source: "Brüls, Acary, Cardona (2014), figures 2–7",
    cost: 0.5,
    build,
};

const H: f64 = 2e-3;

fn build(sheet: &mut Sheet) -> Result<()> {
    let exact = Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 };
    let smooth = play("smooth generalized-α", "bouncing-ball", "smooth-generalized-alpha:rho_inf=0.8")?;
    let lcp = play("modified LCP", "bouncing-ball", "generalized-alpha-modified-lcp:rho_inf=0.8:activation=predicted")?;
    let moreau = play(
        "Moreau–Jean θ = 0.556",
        "bouncing-ball",
        "moreau-jean:theta=0.5555555555555556:activation=predicted:prediction=1.0",
    )?;
    let ggl = play("GGL", "bouncing-ball", "generalized-alpha-ggl:rho_inf=0.8:activation=predicted")?;
    let model: Arc<dyn Lagrangian> = Arc::new(PointMass::new(1.0, 0.2, 10.0, 0.8)?);
    let multipliers = of_ggl(&model, 0.8, &[1.001], (H, 5.0))?;

    findings(sheet, &exact, [&smooth, &lcp, &moreau, &ggl], multipliers.points(&multipliers.position, 0));

    sheet.text(
        "m = 1 kg, R = 0.2 m, a_g = 10 m/s², h0 = 1.001 m, e = 0.8, h = 2 ms; ρ∞ = 0.8, θ = 1/(1 + ρ∞). The gap at the start is h0 − R = \
         0.801 m. Moreau–Jean is activated by g(q + h v) ≤ 0 (the paper leaves the prediction open).",
    );
    let times: Vec<f64> = (0..=5000).map(|k| k as f64 * 1e-3).collect();
    let of_exact = |f: &dyn Fn(f64) -> f64| -> Line {
        Line::new("exact", times.iter().map(|&t| (t, f(t))).collect()).look(Look::Reference)
    };
    let gap = of_exact(&|t| exact.q(t)[0] - 0.2);
    let velocity = of_exact(&|t| exact.v(t)[0]);

    sheet.heading("Figures 2 and 3: the smooth scheme and the modified condition");
    let mut two =
        over_time("Fig. 2: gap", "gap [m]", vec![gap.clone(), smooth.line(|p| p.gap(0)), lcp.line(|p| p.gap(0))]);
    two.caption =
        "The smooth scheme gains energy at each impact; the modified condition follows the ball until it should rest."
            .into();
    let mut two_zoom = zoom(&two, (3.4, 5.0), Some((-5e-4, 8e-3)));
    two_zoom.caption = "After the accumulation the modified condition switches the contact on and off for ever.".into();
    let three = over_time("Fig. 3: velocity", "v [m/s]", vec![velocity.clone(), lcp.line(|p| p.v(0))]);
    let three_zoom = zoom(&three, (3.4, 5.0), Some((-0.4, 0.4)));
    sheet.figures(vec![two, two_zoom, three, three_zoom]);

    sheet.heading("Figures 4 and 5: Moreau–Jean and GGL");
    let four = over_time("Fig. 4: gap", "gap [m]", vec![gap, moreau.line(|p| p.gap(0)), ggl.line(|p| p.gap(0))]);
    let mut four_zoom = zoom(&four, (3.4, 3.8), Some((-5e-4, 3e-3)));
    four_zoom.caption =
        "GGL never penetrates; it rests 0.09 s before the accumulation, Moreau–Jean 0.13 s after it.".into();
    let five = over_time("Fig. 5: velocity", "v [m/s]", vec![velocity, moreau.line(|p| p.v(0)), ggl.line(|p| p.v(0))]);
    let energy = over_time(
        "Fig. 5: energy",
        "½v² + a_g (q − R) [J]",
        vec![
            of_exact(&|t| 0.5 * exact.v(t)[0].powi(2) + 10.0 * (exact.q(t)[0] - 0.2)),
            moreau.line(total),
            ggl.line(total),
        ],
    );
    sheet.figures(vec![four, four_zoom, five, energy]);

    sheet.heading("Figures 6 and 7: multipliers");
    let six = over_time(
        "Fig. 6: impulse Λ of the contact",
        "Λ [N·s]",
        vec![moreau.line(|p| p.impulse(0)), ggl.line(|p| p.impulse(0))],
    );
    let six_zoom = zoom(&six, (3.2, 5.0), Some((-0.005, 0.2)));
    let mut seven = over_time(
        "Fig. 7: multiplier ν of the position correction",
        "ν [kg·m]",
        vec![Line::new("GGL", multipliers.points(&multipliers.position, 0)).colour(1)],
    );
    seven.caption = "ν projects the position on the floor in the steps of impact and never pulls.".into();
    let seven_zoom = zoom(&seven, (3.2, 5.0), Some((-1e-5, 3e-4)));
    sheet.figures(vec![six, six_zoom, seven, seven_zoom]);
    Ok(())
}

/// ½v² + 10 (q − 0.2).
fn total(run: &Played) -> Points {
    let weight = 10.0 * 0.2;
    run.totals().into_iter().map(|(t, e)| (t, e - weight)).collect()
}

fn findings(sheet: &mut Sheet, exact: &Bounce, [smooth, lcp, moreau, ggl]: [&Played; 4], nu: Points) {
    let at = |points: &Points, t: f64| points[(t / H).round() as usize].1;
    sheet.value("accumulation instant [s]", "§10.1", 3.602, exact.accumulation(), 5e-4);
    let deepest = ggl.penetration();
    sheet.holds(
        "GGL satisfies the constraint at position level",
        "§10.1, fig. 4",
        format!("deepest penetration {deepest:.1e} m"),
        deepest <= 1e-15,
    );
    let (of_ggl, of_moreau) = (total(ggl), total(moreau));
    let drift = largest(&of_ggl.iter().map(|p| (p.0, p.1 - of_ggl[0].1)).collect(), 0.0, 0.398);
    sheet.holds(
        "energy strictly constant in free flight for GGL",
        "fig. 5",
        format!("changes by at most {drift:.1e} J up to 0.398 s"),
        drift < 1e-11,
    );
    sheet.value(
        "and slowly decreasing for Moreau: change by 0.398 s [J]",
        "fig. 5; value: independent implementation",
        -4.42e-3,
        at(&of_moreau, 0.398) - of_moreau[0].1,
        5e-6,
    );
    for (name, run) in [("GGL", ggl), ("Moreau", moreau)] {
        sheet.value(
            &format!("Λ converges to m a_g h after the accumulation, {name} [N·s]"),
            "fig. 6",
            0.02,
            at(&run.impulse(0), 4.8),
            1e-9,
        );
    }
    let least = nu.iter().fold(f64::INFINITY, |m, p| m.min(p.1));
    sheet.holds("ν takes positive values only", "fig. 7", format!("smallest value {least:.1e} kg·m"), least >= 0.0);
    let (v, g) = (largest(&lcp.v(0), 4.2, 5.0), largest(&lcp.gap(0), 4.2, 5.0));
    sheet.holds(
        "the modified condition chatters after the accumulation",
        "figs. 2 and 3",
        format!("after 4.2 s |v| up to {v:.3} m/s, gap up to {g:.1e} m"),
        v > 0.01,
    );
    sheet.value("  its largest |v| after 4.2 s [m/s]", "independent implementation", 0.105, v, 5e-4);
    let energies: Vec<f64> = [0.2, 2.0, 4.9].iter().map(|&t| at(&total(smooth), t)).collect();
    sheet.holds(
        "the smooth scheme gains energy at impacts",
        "fig. 2",
        format!("{:.2} → {:.1} → {:.1} J", energies[0], energies[1], energies[2]),
        energies[1] > 5.0 * energies[0],
    );
    sheet.value("  its energy at the end [J]", "independent implementation", 123.044, energies[2], 1e-2);
    for (name, run, stated) in [("GGL", ggl, 3.516), ("Moreau", moreau, 3.736)] {
        sheet.value(
            &format!("last |v| > 1e-6, {name} [s]"),
            "independent implementation",
            stated,
            last_above(&run.v(0), 1e-6),
            1e-3,
        );
    }
    let error = |points: &Points, t: f64| at(points, t) - (0.5 * exact.v(t)[0].powi(2) + 10.0 * (exact.q(t)[0] - 0.2));
    let (near, far) = ([error(&of_ggl, 2.0), error(&of_ggl, 3.0)], [error(&of_moreau, 2.0), error(&of_moreau, 3.0)]);
    sheet.judged(
        "GGL has the better energy behaviour",
        "§10, conclusion",
        format!(
            "in flight yes; after impacts no: E(2 s) is off by {:+.4} J (GGL) and {:+.4} J (Moreau), E(3 s) by {:+.4} J and {:+.4} J",
            near[0], far[0], near[1], far[1]
        ),
        if near[0].abs() < far[0].abs() && near[1].abs() < far[1].abs() { Agreement::Agrees } else { Agreement::Partly },
    );
}
