//! `percussion converge`: error against step, fitted order, work and precision.

use crate::args::ConvergeOptions;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::{clean, show};
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::study::{self, Against, Convergence, Levels, Variant, converge as run_all, variants};

/// `percussion converge SCENARIO --schemes a,b --steps 1e-2,5e-3,…`.
pub fn converge(options: &ConvergeOptions) -> Exit {
    let asked = &options.study;
    let result = asked.source().and_then(|source| {
        let base = asked.load_options(None);
        let levels = match options.tolerances.is_empty() {
            true => Levels::Steps(options.steps.clone()),
            false => Levels::Tolerances(options.tolerances.clone()),
        };
        let study = study::ConvergeOptions {
            variants: variants(asked.schemes.iter().map(String::as_str), &base)?,
            levels,
            against: match options.reference.as_deref() {
                Some(word) => Against::Scheme(Variant::parse(word, &base)?),
                None => Against::Automatic,
            },
            hausdorff: options.hausdorff,
            norm: options.norm,
            threads: asked.threads(),
        };
        let folder = asked.folder(&source, "converge");
        let load = |options: &_| source.load(options);
        let made = asked.watched(|watch| run_all(&load, &study, watch))?;
        if let Some(convergence) = &made {
            convergence.write(&folder)?;
        }
        Ok((made, folder))
    });
    let (convergence, folder) = match result {
        Ok((Some(convergence), folder)) => (convergence, folder),
        Ok((None, _)) => {
            complain!("interrupted");
            return Exit::Interrupted;
        }
        Err(error) => return show(&error, asked.json),
    };
    if asked.json {
        say!("{}", json(&convergence));
    } else if asked.talks() {
        table(&convergence);
        say!("\ntables and page are in {}", folder.display());
    }
    for reason in convergence.shortfalls() {
        complain!("{}", clean(&reason));
    }
    let failed = convergence.rows.iter().any(|row| row.errors.as_ref().is_err_and(|short| !short.refused));
    if failed { Exit::Numerical } else { Exit::Good }
}

fn json(convergence: &Convergence) -> serde_json::Value {
    let row = |row: &study::ConvergenceRow| {
        let (e, short) = (row.errors.as_ref().ok(), row.errors.as_ref().err());
        serde_json::json!({
            "status": short.map_or("finished", |short| if short.refused { "refused" } else { "failed" }),
            "code": short.map(|short| &short.code), "message": short.map(|short| &short.words),
            "scheme": convergence.labels[row.variant], convergence.levels.name(): row.level, "steps": row.steps, "work": row.work,
            "wall_s": row.wall_s, "penetration": row.penetration, "l1_q": e.map(|e| e.l1_q), "l1_v": e.map(|e| e.l1_v),
            "relative_q": e.map(|e| e.relative_q), "relative_v": e.map(|e| e.relative_v),
            "hausdorff_q": e.and_then(|e| e.hausdorff_q), "hausdorff_v": e.and_then(|e| e.hausdorff_v),
            "lp_q": e.and_then(|e| e.lp_q), "lp_v": e.and_then(|e| e.lp_v),
        })
    };
    let order = |o: &study::Order| {
        serde_json::json!({
            "scheme": convergence.labels[o.variant], "measure": o.measure,
            "order": o.fit.map(|f| f.order), "scatter": o.fit.map(|f| f.scatter), "constant": o.fit.map(|f| f.constant),
            "at_round_off": o.at_round_off,
        })
    };
    serde_json::json!({
        "scenario": convergence.scenario,
        "reference": convergence.reference,
        "runs": convergence.rows.iter().map(row).collect::<Vec<_>>(),
        "orders": convergence.orders().iter().map(order).collect::<Vec<_>>(),
    })
}

fn table(convergence: &Convergence) {
    let paint = Paint::stdout();
    say!("{}, errors against {}", paint.bold(&clean(&convergence.scenario)), convergence.reference);
    let graphs = convergence.rows.iter().any(|row| row.errors.as_ref().is_ok_and(|e| e.hausdorff_q.is_some()));
    let mut header = vec!["scheme", convergence.levels.name(), "L1 q", "L1 v", "relative q"];
    if graphs {
        header.extend(["Hausdorff q", "Hausdorff v"]);
    }
    header.extend(["steps computed", "wall [s]"]);
    let mut table = plain(&header);
    for row in &convergence.rows {
        let mut cells = vec![clean(&convergence.labels[row.variant]), format!("{:.4e}", row.level)];
        match &row.errors {
            Ok(e) => {
                cells.extend([e.l1_q, e.l1_v, e.relative_q].map(|x| format!("{x:.3e}")));
                if graphs {
                    cells.extend([e.hausdorff_q, e.hausdorff_v].map(|x| x.map_or("–".into(), |x| format!("{x:.3e}"))));
                }
            }
            Err(short) => {
                cells.push(short.status());
                cells.resize(if graphs { 7 } else { 5 }, String::new());
            }
        }
        cells.extend([row.work.to_string(), format!("{:.1e}", row.wall_s)]);
        table.add_row(cells);
    }
    for line in table.lines() {
        say!("{}", line.trim_end());
    }
    say!("");
    for (variant, label) in convergence.labels.iter().enumerate() {
        let orders: Vec<String> = convergence
            .orders()
            .into_iter()
            .filter(|o| o.variant == variant)
            .map(|o| format!("{} {}", o.measure, o.words()))
            .collect();
        say!("order of {}: {}", clean(label), orders.join(", "));
    }
}
