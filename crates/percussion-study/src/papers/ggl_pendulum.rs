//! The pendulum of Brüls, Acary and Cardona: joints and a wall, with every multiplier of both schemes.

use super::multipliers::{Multipliers, of_ggl, of_moreau};
use super::play::{Played, Points, largest, over_time, play, zoom};
use super::{Page, Sheet};
use percussion_model::Lagrangian;
use percussion_model::nonlinear::Pendulum;
use percussion_report::{Agreement, Line, Look, Plot};
use percussion_scenario::Result;
use std::sync::Arc;

pub const PAGE: Page = Page {
    name: "ggl-pendulum",
    title: "A pendulum with joints that strikes a wall",
    source: "Brüls, Acary, Cardona (2014), figures 8–16",
    cost: 15.0,
    build,
};

const H: f64 = 1e-3;
const END: f64 = 8.0;
/// Time over which the fine run is there in the short form too [s].
const FIRST: f64 = 1.2;

struct All {
    ggl: Played,
    moreau: Played,
    reference: Option<Played>,
    of_ggl: Multipliers,
    of_moreau: Multipliers,
    /// ρ∞ = 0.5 and 0.
    damped: Vec<(f64, Multipliers)>,
    of_reference: Option<Multipliers>,
    /// GGL with h/10 over the first impacts.
    of_first: Multipliers,
}

fn build(sheet: &mut Sheet) -> Result<()> {
    let model: Arc<dyn Lagrangian> = Arc::new(Pendulum::new(1.0, 0.1, 1.0, 10.0, 0.5_f64.sqrt(), 0.8)?);
    let angle = std::f64::consts::PI / 12.0;
    let q0 = [angle.cos(), angle.sin(), angle];
    let ggl = "generalized-alpha-ggl:rho_inf=0.8:activation=predicted";
    let all = All {
        ggl: play("GGL", "pendulum", ggl)?,
        moreau: play(
            "Moreau–Jean θ = 0.556",
            "pendulum",
            "moreau-jean:theta=0.5555555555555556:activation=predicted:prediction=1.0",
        )?,
        reference: match sheet.short {
            true => None,
            false => Some(play("GGL, h/10", "pendulum", &format!("{ggl}:time.step=1e-4"))?),
        },
        of_ggl: of_ggl(&model, 0.8, &q0, (H, END))?,
        of_moreau: of_moreau(&model, 1.0 / 1.8, &q0, (H, END))?,
        damped: vec![(0.5, of_ggl(&model, 0.5, &q0, (H, 2.0))?), (0.0, of_ggl(&model, 0.0, &q0, (H, 2.0))?)],
        of_reference: if sheet.short { None } else { Some(of_ggl(&model, 0.8, &q0, (1e-4, END))?) },
        of_first: of_ggl(&model, 0.8, &q0, (1e-4, FIRST))?,
    };
    findings(sheet, &all);
    sheet.text(
        "q = (x, y, θ), M = diag(1, 1, 0.1), l = 1 m, a_g = 10 m/s², θ0 = π/12, joints x = l cos θ and y = l sin θ, wall x ≥ √2/2, e = 0.8, \
         h = 1 ms; the reference is GGL with h = 0.1 ms. λ̃ and Λ are the smooth force and the impulse of a joint or contact, ν the \
         multiplier of the position correction; 1 is the joint in x, 3 the contact.",
    );
    motion(sheet, &all);
    multipliers(sheet, &all);
    Ok(())
}

impl All {
    /// The fine run, as far as it goes.
    fn fine(&self) -> &Multipliers {
        self.of_reference.as_ref().unwrap_or(&self.of_first)
    }
}

fn motion(sheet: &mut Sheet, all: &All) {
    let lines = |of: &dyn Fn(&Played) -> Points| -> Vec<Line> {
        let mut lines: Vec<Line> = all.reference.iter().map(|r| r.line(of).look(Look::Reference)).collect();
        lines.extend([all.moreau.line(of), all.ggl.line(of)]);
        lines
    };
    sheet.heading("Figures 8 and 9: gap, velocity, energy");
    let eight = over_time("Fig. 8: gap x − √2/2", "gap [m]", lines(&|p| p.gap(0)));
    let eight_zoom = zoom(&eight, (2.5, 5.0), Some((-1e-3, 2e-2)));
    let nine = over_time("Fig. 9: velocity of the mass in x", "ẋ [m/s]", lines(&|p| p.v(0)));
    let energy = over_time("Fig. 9: energy", "E [J]", lines(&|p| p.energy()));
    sheet.figures(vec![eight, eight_zoom, nine, energy]);
    sheet.heading("Figures 10 to 12: multipliers of the contact, joint at position level");
    let ten = over_time("Fig. 10: impulse Λ₃ of the contact", "Λ₃ [N·s]", lines(&|p| p.impulse(0)));
    let ten_zoom = zoom(&ten, (4.0, 8.0), Some((-0.002, 0.05)));
    let mut nu: Vec<Line> = all
        .of_reference
        .iter()
        .map(|m| Line::new("GGL, h/10", m.points(&m.position, 2)).look(Look::Reference))
        .collect();
    nu.push(Line::new("GGL", all.of_ggl.points(&all.of_ggl.position, 2)).colour(1));
    let mut eleven = over_time("Fig. 11: multiplier ν₃ of the position correction", "ν₃ [kg·m]", nu);
    eleven.x_range = Some((0.0, 4.0));
    let twelve = over_time(
        "Fig. 12: joint x − l cos θ at position level",
        "violation [m]",
        vec![
            Line::new("Moreau–Jean θ = 0.556", all.of_moreau.points(&all.of_moreau.joints, 0)),
            Line::new("GGL", all.of_ggl.points(&all.of_ggl.joints, 0)),
        ],
    );
    sheet.figures(vec![ten, ten_zoom, eleven, twelve]);
}

fn multipliers(sheet: &mut Sheet, all: &All) {
    let (ggl, moreau) = (&all.of_ggl, &all.of_moreau);
    sheet.heading("Figures 13 to 16: multipliers of the joint");
    let of_impulse = |m: &Multipliers, name: &str| Line::new(name, m.points(&m.impulse, 0));
    let thirteen = over_time(
        "Fig. 13: impulse Λ₁ of the joint",
        "Λ₁ [N·s]",
        vec![of_impulse(moreau, "Moreau–Jean θ = 0.556"), of_impulse(ggl, "GGL")],
    );
    let thirteen_zoom = zoom(&thirteen, (0.0, 3.0), Some((-0.05, 0.05)));
    let at = first_impact(ggl);
    let thirteen_impact =
        Plot { title: "Fig. 13: impulse Λ₁, first impact".into(), ..zoom(&thirteen, (at - 0.02, at + 0.1), None) };
    let smooth = over_time(
        "Fig. 13: smooth force λ̃₁ of the joint",
        "λ̃₁ [N]",
        vec![Line::new("GGL", ggl.points(&ggl.smooth, 0)).colour(1)],
    );
    let impact = first_impact(ggl);
    let smooth_all =
        Plot { title: "Fig. 13: smooth force λ̃₁, first impacts".into(), ..zoom(&smooth, (0.0, 3.0), None) };
    let mut smooth_zoom = zoom(&smooth, (impact - 0.02, impact + 0.1), None);
    smooth_zoom.caption = "The impact violates the hidden constraint of accelerations; the oscillation is the scheme's answer, and is damped.".into();
    let mut fourteen = over_time(
        "Fig. 14: λ̃₁ after the first impact for three spectral radii",
        "λ̃₁ [N]",
        vec![Line::new("ρ∞ = 0.8", ggl.points(&ggl.smooth, 0))],
    );
    fourteen.lines.extend(all.damped.iter().map(|(rho, m)| Line::new(format!("ρ∞ = {rho}"), m.points(&m.smooth, 0))));
    fourteen.x_range = Some((impact - 0.01, impact + 0.05));
    let force = |m: &Multipliers, h: f64, joint: bool| -> Points {
        let row = |k: usize| m.impulse[k][0] / h + if joint { m.smooth[k][0] } else { 0.0 };
        (0..m.t.len()).map(|k| (m.t[k], row(k))).collect()
    };
    let mut fifteen = over_time(
        "Fig. 15: reaction Λ₁/h + λ̃₁ of the joint",
        "force [N]",
        vec![Line::new("Moreau–Jean θ = 0.556", force(moreau, H, false)), Line::new("GGL", force(ggl, H, true))],
    );
    fifteen.y_range = Some((-60.0, 20.0));
    let mut sixteen = over_time(
        "Fig. 16: multiplier ν₁ of the joint's position correction",
        "ν₁ [kg·m]",
        vec![
            Line::new("GGL, h/10", all.fine().points(&all.fine().position, 0)).look(Look::Reference),
            Line::new("GGL", ggl.points(&ggl.position, 0)).colour(1),
        ],
    );
    sixteen.x_range = Some((0.0, 4.0));
    sheet.figures(vec![thirteen, thirteen_zoom, thirteen_impact, smooth, smooth_all, smooth_zoom]);
    sheet.figures(vec![fourteen, fifteen, sixteen]);
}

/// The first step in which the contact pushes.
fn first_impact(m: &Multipliers) -> f64 {
    let row = m.impulse.iter().position(|row| row[2] > 0.0).unwrap_or(0);
    m.t[row]
}

fn findings(sheet: &mut Sheet, all: &All) {
    let independent = "independent implementation";
    sheet.holds(
        "GGL satisfies the wall exactly at position level",
        "fig. 8",
        format!("deepest penetration {:.1e} m", all.ggl.penetration()),
        all.ggl.penetration() <= 1e-15,
    );
    sheet.judged(
        "Moreau–Jean does not satisfy the wall at position level",
        "fig. 8",
        format!("it penetrates by {:.1e} m with the prediction q + h v; with q + h v/2 by 1.1e-3 m: it depends on the prediction", all.moreau.penetration()),
        if all.moreau.penetration() > 1e-12 { Agreement::Partly } else { Agreement::Differs },
    );
    let drift = |m: &Multipliers| m.joints.iter().flatten().fold(0.0_f64, |w, g| w.max(g.abs()));
    sheet.holds(
        "no drift of the joints under GGL",
        "fig. 12",
        format!("largest violation {:.1e} m", drift(&all.of_ggl)),
        drift(&all.of_ggl) < 1e-14,
    );
    sheet.value(
        "drift of the joints under Moreau [m]",
        "fig. 12; value: independent implementation",
        4.62059e-4,
        drift(&all.of_moreau),
        1e-8,
    );
    let e = |run: &Played, t: f64| run.energy_at(t) - run.energy_at(0.0);
    sheet.value("energy lost by 0.3 s, before the impact, GGL [J]", independent, -7.1e-6, e(&all.ggl, 0.3), 1e-7);
    sheet.value("energy lost by 0.3 s, Moreau [J]", independent, -2.9e-3, e(&all.moreau, 0.3), 5e-5);
    let rest = |run: &Played, t: f64| run.impulse(0)[run.row(t)].1;
    sheet.value(
        "Λ₃ at rest, h = 1 ms [N·s]: Λ₃/h is the contact force 10 N",
        "fig. 10",
        0.01,
        rest(&all.ggl, 7.9),
        1e-4,
    );
    if let Some(reference) = &all.reference {
        sheet.value("Λ₃ at rest, h = 0.1 ms: ten times smaller [N·s]", "fig. 10", 0.001, rest(reference, 7.9), 1e-5);
        let energies = |run: &Played| [1.0, 2.0, 3.0].map(|t| run.energy_at(t));
        let (r, g, m) = (energies(reference), energies(&all.ggl), energies(&all.moreau));
        for (k, stated) in [-0.8899, -4.5434, -6.0367].into_iter().enumerate() {
            sheet.value(&format!("E({} s) of the reference [J]", k + 1), independent, stated, r[k], 1e-4);
        }
        let closer = (0..3).filter(|&k| (g[k] - r[k]).abs() < (m[k] - r[k]).abs()).count();
        sheet.judged(
            "GGL has the better energy behaviour",
            "§10.2, fig. 9",
            format!("GGL is closer to the reference at {closer} of the three times 1, 2, 3 s (off by {:+.4}, {:+.4}, {:+.4} J; Moreau {:+.4}, {:+.4}, {:+.4} J)", g[0] - r[0], g[1] - r[1], g[2] - r[2], m[0] - r[0], m[1] - r[1], m[2] - r[2]),
            if closer == 3 { Agreement::Agrees } else { Agreement::Partly },
        );
        if let Some(of_reference) = &all.of_reference {
            let top = |m: &Multipliers| largest(&m.points(&m.position, 2), 0.0, END);
            sheet.holds(
                "ν₃ is smaller for the smaller step",
                "fig. 11",
                format!("largest ν₃ {:.1e} at 1 ms, {:.1e} at 0.1 ms", top(&all.of_ggl), top(of_reference)),
                top(of_reference) < top(&all.of_ggl),
            );
        }
    }
    // figure 16 against figure 11: both multipliers act at the impacts and shrink with the step
    let top = |m: &Multipliers, j: usize| largest(&m.points(&m.position, j), 0.0, FIRST);
    let shrinks = |j: usize| top(&all.of_ggl, j) / top(&all.of_first, j);
    sheet.holds(
        "ν₁ of the joint behaves like ν₃ of the contact: smaller for the smaller step",
        "fig. 16, \"similar to fig. 11\"",
        format!("{:.1} times smaller at h/10, ν₃ {:.1} times, up to {FIRST} s", shrinks(0), shrinks(2)),
        shrinks(0) > 1.0 && shrinks(2) > 1.0,
    );
    for (rho, m, stated) in [
        (0.8, &all.of_ggl, [-28.50, 1.81]),
        (0.5, &all.damped[0].1, [-22.83, -6.75]),
        (0.0, &all.damped[1].1, [-13.45, -12.80]),
    ] {
        let row = m.impulse.iter().position(|row| row[2] > 0.0).unwrap_or(0);
        for k in 0..2 {
            sheet.value(
                &format!("λ̃₁ in step {} after the first impact, ρ∞ = {rho} [N]", k + 1),
                "fig. 14; value: independent implementation",
                stated[k],
                m.smooth[row + 1 + k][0],
                6e-3,
            );
        }
    }
    let m = &all.damped[1].1;
    let row = m.impulse.iter().position(|row| row[2] > 0.0).unwrap_or(0);
    let after: Vec<f64> = (1..6).map(|k| m.smooth[row + k][0]).collect();
    sheet.holds(
        "for ρ∞ = 0 the oscillations of λ̃₁ are eliminated",
        "fig. 14",
        format!("{after:.2?} N"),
        after.windows(2).all(|w| w[1] >= w[0]),
    );
}
