//! A bouncing ball in thirty lines, and the page about it: `cargo run -p percussion-report --example sample -- ball.html`.
//! With `compare` as second argument: three values of θ on one page. With a figure's name: that figure as SVG.

use percussion_report::{FIGURES, GuaranteeInfo, Meta, Report, ReportBuilder, RunInfo, VerdictInfo, plot_svg, render};

/// Moreau–Jean on a ball above a floor: m = 1 kg, gravity as a load.
fn ball(theta: f64, h: f64, t_end: f64) -> Report {
    let (g, e) = (10.0, 0.8);
    let (mut q, mut v) = (0.801_f64, 0.0_f64);
    let mut builder = ReportBuilder::new(Meta { n_contacts: 1, ..Meta::default() });
    builder.push_state(0.0, &[q], &[v]);
    builder.push_ledger(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, Some(0.0));
    builder.push_gap(0.0, 0, q, 0.0);
    let (mut worst, mut deepest, mut energy_max) = ((0.0, 0.0), (0.0, 0.0), 0.0_f64);
    let steps = (t_end / h).round() as u64;
    for k in 1..=steps {
        let t = k as f64 * h;
        let v_free = v - h * g;
        let closes = q + h * v <= 0.0 && v < 0.0;
        let p = if closes { (-e * v - v_free).max(0.0) } else { 0.0 };
        let v_next = v_free + p;
        let middle = theta * v_next + (1.0 - theta) * v;

        // identity (33): ΔE = W_ext + U_{k+θ} P + (½−θ) Δv²
        let (kinetic_before, kinetic) = (0.5 * v * v, 0.5 * v_next * v_next);
        let (external, contact) = (-g * h * middle, middle * p);
        let dissipation = (theta - 0.5) * (v_next - v) * (v_next - v);
        let residual = kinetic - kinetic_before - external - contact + dissipation;

        q += h * middle;
        builder.push_state(t, &[q], &[v_next]);
        builder.push_ledger(t, kinetic, 0.0, kinetic, external, 0.0, contact, dissipation, Some(residual));
        builder.push_gap(t, 0, q, p);
        if p > 0.0 && v < -0.2 {
            builder.push_event(t, "impact", 0, v, v_next, p);
        }
        if residual.abs() > worst.0 {
            worst = (residual.abs(), t);
        }
        if -q > deepest.0 {
            deepest = (-q, t);
        }
        energy_max = energy_max.max(kinetic);
        v = v_next;
    }
    let verdict = |name: &str, status: &str, text: &str, worst: (f64, f64), contact| VerdictInfo {
        name: name.into(),
        status: status.into(),
        text: text.into(),
        worst: Some(worst.0),
        t: Some(worst.1),
        contact,
    };
    let holds = (0.5..=1.0 / (1.0 + e)).contains(&theta);
    builder.finish(RunInfo {
        scenario: "bouncing ball".into(),
        scheme: "moreau-jean".into(),
        scheme_parameters: vec![("theta".into(), theta.to_string()), ("activation".into(), "hold".into())],
        solver: "auto".into(),
        solver_parameters: vec![("tolerance".into(), "1e-10".into())],
        step: h,
        steps,
        t_end,
        wall_s: 0.0021,
        version: "0.1.0".into(),
        verdicts: vec![
            verdict("energy", if holds { "pass" } else { "warn" }, "ledger closes to round-off", worst, None),
            verdict("gap", "report", "the scheme acts on velocities and promises nothing on positions", deepest, Some(0)),
            verdict("cone", "none", "no frictional contact", (0.0, 0.0), None),
            verdict("joints", "none", "no joint", (0.0, 0.0), None),
            verdict("solver", "pass", "every contact problem solved exactly", (0.0, 0.0), None),
        ],
        guarantee: Some(GuaranteeInfo {
            theorem: "Moreau–Jean dissipation".into(),
            condition: format!("½ ≤ θ ≤ 1/(1+e): θ = {theta}, largest e = {e}, 1/(1+e) = {:.6}", 1.0 / (1.0 + e)),
            holds,
            reason: if holds { "contact impulses and the scheme can only take energy out" } else { "energy can be created" }.into(),
            identity: "(33) ΔE = W_ext + W_damp + U_{k+θ}ᵀP + (½−θ)(‖Δv‖²_M + ‖Δq‖²_K)".into(),
        }),
        warnings: vec![],
        state_hash: "0f3c9a7715be2d48".into(),
        scenario_toml: format!("name = \"bouncing ball\"\n[model]\nkind = \"linear\"\nmass = [[1.0]]\nforce = [-10.0]\nq0 = [0.801]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\nrestitution = 0.8\n[scheme]\nname = \"moreau-jean\"\ntheta = {theta}\n[time]\nend = {t_end}\nstep = {h}\n"),
        ..RunInfo::default()
    })
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "sample.html".into());
    let what = arguments.next().unwrap_or_default();
    let one = || vec![ball(0.5, 1e-3, 4.0)];
    let text = match what.as_str() {
        "compare" => render(&[ball(0.5, 1e-2, 4.0), ball(0.75, 1e-2, 4.0), ball(1.0, 1e-2, 4.0)]),
        name if FIGURES.contains(&name) => plot_svg(&one(), name).unwrap_or_default(),
        _ => render(&one()),
    };
    std::fs::write(path, text)
}
