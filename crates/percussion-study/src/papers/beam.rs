//! The flexible rotating beam of Chen et al., as Acary's lecture "Numerical methods for nonsmooth mechanical systems" shows it: tip position, velocity and energy.

use super::play::{Played, Points, over_time, play};
use super::{Page, Sheet};
use percussion_report::{Agreement, Line, Look};
use percussion_scenario::Result;
use percussion_step::Verdict;

pub const PAGE: Page = Page {
    name: "rotating-beam",
    title: "A flexible rotating beam that strikes a stop",
    source: "Chen et al. (2013) in the lectures, §5.4, figures 10 and 11",
    cost: 33.0,
    build,
};

fn build(sheet: &mut Sheet) -> Result<()> {
    let rule = ":activation=predicted:prediction=1.0";
    let end = if sheet.short { ":time.end=0.5" } else { ":time.end=1.5" };
    let alpha_words = format!("generalized-alpha:rho_inf=0.65{rule}{end}");
    let moreau_words = format!("moreau-jean:theta=1.0{rule}{end}");
    let alpha = play("generalized-α ρ∞ = 0.65", "rotating-beam", &alpha_words)?;
    let moreau = play("Moreau–Jean θ = 1", "rotating-beam", &moreau_words)?;
    let newmark_words = format!("implicit-newmark{rule}{end}");
    let newmark = play("implicit Newmark γ = 1, β = 0.5625", "rotating-beam", &newmark_words)?;
    let half = play("Moreau–Jean θ = ½", "rotating-beam", &format!("moreau-jean:theta=0.5{rule}{end}"))?;
    let fine = match sheet.short {
        true => None,
        false => Some((
            play("Moreau–Jean θ = 1, h = 0.02 ms", "rotating-beam", &format!("{moreau_words}:time.step=2e-5"))?,
            play("generalized-α, h = 0.02 ms", "rotating-beam", &format!("{alpha_words}:time.step=2e-5"))?,
        )),
    };
    // the legend of figure 11 names a reference of h = 0.01 ms
    let finest = match sheet.short {
        true => None,
        false => {
            Some(play("Moreau–Jean θ = 1, h = 0.01 ms", "rotating-beam", &format!("{moreau_words}:time.step=1e-5"))?)
        }
    };
    let place = "independent implementation";
    sheet.value(
        "energy at 0.2 s, before the impact, generalized-α [J]",
        place,
        -1.47858e-6,
        alpha.energy_at(0.2),
        5e-9,
    );
    sheet.value("  Moreau–Jean θ = 1 [J]", place, -3.32375e-3, moreau.energy_at(0.2), 5e-8);
    sheet.value(
        "energy at 0.4 s, after the first impacts, generalized-α [J]",
        place,
        -1.09178,
        alpha.energy_at(0.4),
        5e-5,
    );
    sheet.value("  Moreau–Jean θ = 1 [J]", place, -1.95131, moreau.energy_at(0.4), 5e-5);
    let touch = |run: &Played| run.impulse(0).iter().find(|p| p.1 > 0.0).map_or(0.0, |p| p.0);
    sheet.value("first step with contact, generalized-α [s]", place, 0.3305, touch(&alpha), 1e-9);
    sheet.holds(
        "generalized-α has the best energy performance between impacts",
        "fig. 11",
        format!(
            "lost by 0.2 s: {:.1e} J; Moreau–Jean {:.1e} J, Newmark {:.1e} J",
            -alpha.energy_at(0.2),
            -moreau.energy_at(0.2),
            -newmark.energy_at(0.2)
        ),
        alpha.energy_at(0.2) > moreau.energy_at(0.2).max(newmark.energy_at(0.2)),
    );
    sheet.holds(
        "with θ = ½ Moreau–Jean diverges",
        "§5.4",
        half.failure.as_ref().map_or("it did not".into(), |f| {
            format!("Newton fails at t = {:.4} s, E = {:.1e} J", f.t, half.run.ledger[half.run.len() - 1].energy())
        }),
        half.failure.is_some(),
    );
    converging(sheet, [&alpha_words, &moreau_words, &newmark_words]);
    if let Some((fine_moreau, fine_alpha)) = &fine {
        let off = |run: &Played, to: &Played| (run.energy_at(0.8) - to.energy_at(0.8)).abs();
        sheet.judged(
            "generalized-α is much closer to Moreau–Jean with a smaller step",
            "figs. 10 and 11",
            format!(
                "E(0.8 s) of generalized-α is {:.3} J from it, Moreau–Jean with h = 0.5 ms {:.3} J; but the two fine runs themselves differ by {:.3} J at 0.8 s and by {:.2} J at 1.5 s: neither is converged",
                off(&alpha, fine_moreau),
                off(&moreau, fine_moreau),
                off(fine_alpha, fine_moreau),
                (fine_alpha.energy_at(1.5) - fine_moreau.energy_at(1.5)).abs()
            ),
            Agreement::Partly,
        );
        for (name, run, stated) in
            [("Moreau–Jean", fine_moreau, [-1.06076, -1.23427]), ("generalized-α", fine_alpha, [-0.997628, -1.0125])]
        {
            sheet.value(&format!("E(0.4 s) with h = 0.02 ms, {name} [J]"), place, stated[0], run.energy_at(0.4), 5e-4);
            sheet.value(&format!("E(0.8 s) with h = 0.02 ms, {name} [J]"), place, stated[1], run.energy_at(0.8), 5e-4);
        }
    }

    sheet.text("l = 1 m, section 1 cm × 1 cm, E = 2.1·10¹¹ Pa, ν = 0.3, ρ = 7800 kg/m³, g = 9.81 m/s², four geometrically exact elements, stop x ≥ √2/2 at the tip, e = 0.8, h = 0.5 ms. The fully implicit Newmark carries the contact force inside the acceleration, M a = f + g_qᵀP/h, with the law on the velocity at the end of the step. After the first impacts the motion is sensitive: later values are those of a scheme, not of the beam.");
    let mut runs: Vec<&Played> = vec![&alpha, &moreau, &newmark];
    runs.extend(fine.iter().map(|(moreau, _)| moreau));
    runs.extend(&finest);
    let lines = |of: &dyn Fn(&Played) -> Points| -> Vec<Line> {
        runs.iter()
            .map(|run| if run.label.contains("0.01 ms") { run.line(of).look(Look::Reference) } else { run.line(of) })
            .collect()
    };
    let n = alpha.run.n;
    sheet.figures(vec![
        over_time("Fig. 10a: tip position", "x [m]", lines(&|p| p.q(n - 3))),
        over_time("Fig. 10b: tip velocity", "ẋ [m/s]", lines(&|p| p.v(n - 3))),
        over_time("Fig. 11: energy", "E [J]", lines(&|p| p.energy())),
    ]);
    Ok(())
}

/// Which of generalized-α, Moreau–Jean and Newmark converge at h = 1 ms; a run whose residuals miss the tolerance asked has not, though it
/// goes on.
fn converging(sheet: &mut Sheet, words: [&String; 3]) {
    let coarse = words.map(|words| play("", "rotating-beam", &format!("{words}:time.step=1e-3")));
    let asked = |run: &Played| run.audit.judged(&run.scenario.guarantee(), &run.scenario.solver).solver.status;
    let verdict = |run: &Result<Played>| match run {
        Ok(run) if run.failure.is_some() => "fails",
        Ok(run) if asked(run) == Verdict::Fail => "goes on with residuals above the tolerance asked",
        Ok(_) => "converges",
        Err(_) => "is refused",
    };
    let [of_alpha, of_moreau, of_newmark] = coarse.each_ref().map(verdict);
    let only = of_alpha == "converges" && of_moreau != "converges" && of_newmark != "converges";
    sheet.judged(
        "at h = 1 ms only generalized-α converges",
        "§5.4",
        format!("generalized-α {of_alpha}, Moreau–Jean with θ = 1 {of_moreau}, implicit Newmark {of_newmark}"),
        if only { Agreement::Agrees } else { Agreement::Differs },
    );
}
