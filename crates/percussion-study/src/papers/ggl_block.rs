//! The rocking block of Brüls, Acary and Cardona: two contacts on one body.

use super::play::{Played, Points, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_report::{Agreement, Line, Look, Table};
use percussion_scenario::Result;

pub const PAGE: Page = Page {
    name: "ggl-block",
    title: "A rocking block",
    source: "Brüls, Acary, Cardona (2014), figures 20–24",
    cost: 1.0,
    build,
};

/// Energies at t = 0.1 … 0.8 s of an independent implementation: reference, GGL, Moreau.
const STATED: [[f64; 8]; 3] = [
    [9.810000, 8.957176, 8.023258, 8.023258, 7.713940, 7.526923, 7.366267, 7.357500],
    [9.810000, 8.959284, 8.016178, 8.016178, 7.702628, 7.517197, 7.361880, 7.357500],
    [9.804654, 8.978142, 8.044435, 8.039089, 7.741585, 7.547025, 7.397984, 7.355125],
];
/// Energies after the first five impacts, located.
const EXACT: [(f64, f64); 5] =
    [(0.183751, 8.957548), (0.296297, 8.023831), (0.472693, 7.714286), (0.518577, 7.527534), (0.614646, 7.440634)];

fn build(sheet: &mut Sheet) -> Result<()> {
    let ggl_words = "generalized-alpha-ggl:rho_inf=0.8:activation=predicted";
    let ggl = play("GGL", "rocking-block", ggl_words)?;
    let moreau = play(
        "Moreau–Jean θ = 0.556",
        "rocking-block",
        "moreau-jean:theta=0.5555555555555556:activation=predicted:prediction=1.0",
    )?;
    let end = if sheet.short { ":time.end=1" } else { "" };
    let reference = play("GGL, h = 0.2 ms", "rocking-block", &format!("{ggl_words}:time.step=2e-4{end}"))?;

    let deepest = ggl.penetration();
    sheet.holds(
        "GGL satisfies the constraints at position level",
        "fig. 21",
        format!("deepest penetration {deepest:.1e} m"),
        deepest < 1e-15,
    );
    let times: Vec<f64> = (1..=8).map(|k| k as f64 / 10.0).collect();
    let of = |run: &Played| -> Vec<f64> { times.iter().map(|&t| run.energy_at(t)).collect() };
    let (r, g, m) = (of(&reference), of(&ggl), of(&moreau));
    for (name, found, stated) in [("reference", &r, STATED[0]), ("GGL", &g, STATED[1]), ("Moreau", &m, STATED[2])] {
        let worst =
            (0..8).max_by(|&a, &b| (found[a] - stated[a]).abs().total_cmp(&(found[b] - stated[b]).abs())).unwrap_or(0);
        sheet.value(
            &format!("E at 0.1 … 0.8 s, {name}: the worst of eight, at {} s [J]", times[worst]),
            "independent implementation",
            stated[worst],
            found[worst],
            2e-6,
        );
    }
    sheet.holds(
        "less numerical dissipation in free flight than Moreau",
        "fig. 23",
        format!("E(0.1 s) = {:.4} J and {:.4} J of 9.81 J", g[0], m[0]),
        g[0] > m[0],
    );
    let closer = (0..8).filter(|&k| (g[k] - r[k]).abs() <= (m[k] - r[k]).abs()).count();
    sheet.judged(
        "an improved description of the energy, with less dissipation than Moreau",
        "§10.4, fig. 23",
        format!(
            "after impacts Moreau has more energy, not less (t = 0.5 s: {:.4} J, GGL {:.4} J, reference {:.4} J); GGL is closer to the reference at {closer} of 8 times, but the reference is GGL itself",
            m[4], g[4], r[4]
        ),
        Agreement::Partly,
    );
    let located = play("event-driven", "rocking-block", "event-driven:time.end=0.65:time.step=1e-3")?;
    for (k, (t, e)) in EXACT.into_iter().enumerate().take(5) {
        sheet.value(
            &format!("energy after impact {}, located [J]", k + 1),
            "independent event-driven integration",
            e,
            located.energy_at(t + 1.5e-3),
            2e-5,
        );
    }

    sheet.text(
        "m = 1 kg, L = 1 m, l = 1.5 m, J = m(L² + l²)/12, a_g = 9.81 m/s², e = 0.5, q0 = (0, 1, 0.2), h = 10 ms.",
    );
    let lines = |of: &dyn Fn(&Played) -> Points| -> Vec<Line> {
        vec![reference.line(of).look(Look::Reference), moreau.line(of), ggl.line(of)]
    };
    let mut plots = vec![over_time("Fig. 20: height of the centre", "y [m]", lines(&|p| p.q(1)))];
    for corner in 0..2 {
        let mut gap =
            over_time(&format!("Fig. 21: gap of corner {}", corner + 1), "gap [m]", lines(&|p| p.gap(corner)));
        gap.x_range = Some((0.0, 1.5));
        plots.push(gap.clone());
        if corner == 0 {
            plots.push(zoom(&gap, (0.4, 1.2), Some((-2e-3, 2e-2))));
        }
    }
    for corner in 0..2 {
        let mut rate = over_time(
            &format!("Fig. 22: rate of the gap of corner {}", corner + 1),
            "ġ [m/s]",
            lines(&|p| p.gap_rate(corner)),
        );
        rate.x_range = Some((0.0, 1.5));
        plots.push(rate);
    }
    let mut energy = over_time("Fig. 23: energy", "E [J]", lines(&|p| p.energy()));
    energy.x_range = Some((0.0, 1.5));
    let energy_zoom = zoom(&energy, (0.4, 1.0), Some((7.3, 8.1)));
    let mut impulse = over_time(
        "Fig. 24: impulse Λ₁ over h",
        "Λ₁/h [N]",
        vec![moreau.line(|p| per_step(p, 0)), ggl.line(|p| per_step(p, 0))],
    );
    impulse.x_range = Some((0.0, 2.0));
    let impulse_zoom = zoom(&impulse, (0.7, 2.0), Some((-1.0, 20.0)));
    plots.extend([energy, energy_zoom, impulse, impulse_zoom]);
    sheet.figures(plots);
    let mut table = Table::new(["t [s]", "reference E [J]", "GGL", "Moreau–Jean"]);
    for k in 0..8 {
        table.push([
            format!("{:.1}", times[k]),
            format!("{:.6}", r[k]),
            format!("{:.6}", g[k]),
            format!("{:.6}", m[k]),
        ]);
    }
    sheet.table(table);
    Ok(())
}

fn per_step(run: &Played, contact: usize) -> Points {
    run.impulse(contact).into_iter().map(|(t, p)| (t, p / 1e-2)).collect()
}
