//! `percussion dynamics`: sections, bifurcation diagrams and basins of attraction of a scenario.

use crate::args::DynamicsOptions;
use crate::bar::RunsBar;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::run_command::{default_folder, interrupt_flag};
use crate::show_error::{clean, show};
use crate::{complain, say};
use percussion::scenario::{Dynamics, LoadOptions, Result, Shard};
use percussion::study::dynamics::{
    Basin, Bifurcation, ExponentStudy, Made, OrbitStudy, Repeated, Stability, make as make_study, repeat_differences,
    repeat_words,
};
use percussion::study::{StudyProgress, Threads};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Part of a diagram's range from which on a repeated value is told though its cycle agrees.
const FAR_APART: f64 = 0.05;

/// `percussion dynamics SCENARIO`.
pub fn dynamics(options: &DynamicsOptions) -> Exit {
    let Some(shard) = options.shard.as_deref().map_or(Some(Shard::ALL), Shard::parse) else {
        complain!(
            "percussion dynamics --shard i/n: give a part and their number, counted from 1, such as --shard 3/16"
        );
        return Exit::Usage;
    };
    let load = LoadOptions {
        set: options.set.clone(),
        scheme: options.scheme.clone(),
        anywhere: options.allow_outside,
        ..LoadOptions::default()
    };
    let study = match Dynamics::open(&options.scenario, &load) {
        Ok(study) => study,
        Err(error) => return show(&error, options.json),
    };
    if shard != Shard::ALL && !study.has_independent_rows() {
        complain!(
            "percussion dynamics --shard is for basins, exponents and diagrams with dynamics.carry = false; otherwise the values of a diagram \
             follow from each other"
        );
        return Exit::Usage;
    }
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&format!("{}-dynamics", study.name)));
    let made = match make(options, &study, &folder, shard) {
        Ok(Some(made)) => made,
        Ok(None) => {
            complain!("interrupted; what was made is kept, and the same command goes on with the rest");
            return Exit::Interrupted;
        }
        Err(error) => return show(&error, options.json),
    };
    if options.json {
        say!("{}", json(&study, &made));
    } else if !options.quiet {
        tell(&study, &made);
    }
    if failed_everywhere(&made) { Exit::Numerical } else { Exit::Good }
}

/// Whether all values were made and none of them came to an end.
fn failed_everywhere(made: &Made) -> bool {
    let none =
        |missing: u64, mut finished: Box<dyn Iterator<Item = bool> + '_>| missing == 0 && !finished.any(|own| own);
    match made {
        Made::Section(_) | Made::Spectrum(_) | Made::Orbit(_) => false,
        Made::Bifurcation(made) => {
            let columns = made.columns.iter().flat_map(|(_, list)| list);
            none(made.missing as u64, Box::new(columns.map(|column| column.finished())))
        }
        Made::Basin(made) => none(made.missing, Box::new(made.attractors.iter().map(|(_, starts)| *starts > 0))),
        Made::Exponent(made) => none(made.missing, Box::new(made.rows.iter().map(|(_, list)| list.is_some()))),
    }
}

fn make(options: &DynamicsOptions, study: &Dynamics, folder: &Path, shard: Shard) -> Result<Option<Made>> {
    let threads = options.threads.map_or_else(Threads::default, |n| Threads(n as usize));
    let (stop, bar) = (interrupt_flag(), Mutex::new(RunsBar::new(!options.json && !options.quiet)));
    let watch = |progress: StudyProgress| {
        if let Ok(mut bar) = bar.lock() {
            bar.weigh(progress.done as u64, progress.runs as u64, progress.share);
        }
        !stop.load(Ordering::Relaxed)
    };
    let made = make_study(study, folder, shard, threads, options.format.into(), &watch)?;
    if let Ok(bar) = bar.lock() {
        bar.clear();
    }
    Ok(made)
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|path| path.display().to_string()).collect()
}

fn json(study: &Dynamics, made: &Made) -> serde_json::Value {
    match made {
        Made::Section(made) => serde_json::json!({
            "study": study.name, "kind": "section", "scheme": made.scheme, "points": made.points,
            "cycle": made.cycle.as_ref().map(|cycle| cycle.points), "impacts_per_period": made.per_period.then_some(made.impacts), "impacts": (!made.per_period).then_some(made.impacts),
            "files": names(&made.files),
        }),
        Made::Spectrum(made) => serde_json::json!({
            "study": study.name, "kind": "spectrum", "scheme": made.scheme, "column": made.column, "samples": made.samples,
            "lines": made.lines.iter().map(|(f, n, a)| serde_json::json!({ "frequency": f, "harmonic": n, "amplitude": a })).collect::<Vec<_>>(),
            "files": names(&made.files),
        }),
        Made::Bifurcation(made) => {
            let differences = repeat_differences(&made.repeated);
            let failed = made.columns.iter().flat_map(|(_, list)| list).filter(|column| !column.finished()).count();
            serde_json::json!({
                "study": study.name, "kind": "bifurcation", "scheme": made.scheme, "made": made.made, "missing": made.missing,
                "failed": failed, "repeated": made.repeated.len(),
                "distance_median": differences.map(|d| d.0), "distance_largest": differences.map(|d| d.1),
                "cycles_agree": differences.map(|d| d.2),
                "not_repeated": made.repeated.iter().find(|one| one.distance.is_none()).map(|one| one.message.clone()),
                "files": names(&made.files),
            })
        }
        Made::Basin(made) => serde_json::json!({
            "study": study.name, "kind": "basin", "scheme": made.scheme, "made": made.made, "missing": made.missing,
            "failed": made.failed, "followed": made.followed[0], "joined": made.followed[1], "drift": made.followed[2],
            "attractors": made.attractors.iter().skip(1).map(|(m, n)| serde_json::json!({ "cycle": m, "starts": n })).collect::<Vec<_>>(),
            "no_cycle": made.attractors.first().map(|(_, n)| n), "files": names(&made.files),
        }),
        Made::Orbit(made) => serde_json::json!({
            "study": study.name, "kind": "orbit", "value": made.value, "periods": made.orbit.periods, "x": made.orbit.x,
            "multipliers": made.orbit.multipliers, "residual": made.orbit.residual,
            "impacts": made.orbit.impacts().count(),
            "orbits": made.branches.iter().map(|branch| branch.points.len()).collect::<Vec<_>>(),
            "losses": made.losses().iter().map(|(p, loss)| serde_json::json!([p, loss.name()])).collect::<Vec<_>>(),
            "ends": made.branches.iter().map(|branch| branch.end.clone()).collect::<Vec<_>>(), "files": names(&made.files),
        }),
        Made::Exponent(made) => serde_json::json!({
            "study": study.name, "kind": "exponent", "made": made.made, "missing": made.missing,
            "rows": made.rows, "files": names(&made.files),
        }),
    }
}

fn tell(study: &Dynamics, made: &Made) {
    let paint = Paint::stdout();
    let title = |scheme: &str| say!("{}, made by {scheme}", paint.bold(&clean(&study.name)));
    match made {
        Made::Section(made) => {
            title(&made.scheme);
            let none = if made.points < 9 { "too few to tell a cycle" } else { "no cycle" };
            let cycle = made.cycle.as_ref().map_or(none.into(), |cycle| format!("a cycle of {}", cycle.points));
            let per = if made.per_period { " a period" } else { "" };
            say!("{} points, {cycle}; {} impacts{per}", made.points, (1e4 * made.impacts).round() / 1e4);
        }
        Made::Spectrum(made) => {
            title(&made.scheme);
            say!("{} samples; the strongest lines of {}:", made.samples, made.column);
            for (frequency, harmonic, amplitude) in &made.lines {
                let harmonic = harmonic.map_or(String::new(), |x| format!(", {x:.6} times the drive"));
                say!("  {frequency:.6} Hz{harmonic}: amplitude {amplitude:.6e}");
            }
        }
        Made::Bifurcation(made) => {
            title(&made.scheme);
            tell_diagram(study, made);
        }
        Made::Basin(made) => {
            title(&made.scheme);
            tell_basin(made);
        }
        Made::Orbit(made) => {
            title("event-driven");
            tell_orbit(study, made);
        }
        Made::Exponent(made) => {
            title("event-driven");
            tell_exponents(made);
        }
    }
    for name in names(made.files()) {
        say!("  {name}");
    }
}

fn tell_diagram(study: &Dynamics, made: &Bifurcation) {
    if made.missing > 0 {
        say!("{} values made; {} are missing", made.made, made.missing);
        return;
    }
    for (direction, list) in &made.columns {
        let points: usize = list.iter().map(|column| column.values.len() / column.width.max(1)).sum();
        let failed = list.iter().filter(|column| !column.finished()).count();
        let why = list.iter().find(|column| !column.finished());
        let why = why.map_or(String::new(), |column| first_failure(&format!("{}: {}", column.code, column.message)));
        say!(
            "{}: {} values of {}, {}, {} failed{why}",
            direction.name(),
            list.len(),
            study.axes[0].key,
            counted(points, "point"),
            counted(failed, "value")
        );
    }
    let Some(words) = repeat_words(&made.repeated) else {
        if let Some(first) = made.repeated.first() {
            say!(
                "no value could be repeated event-driven, so what the scheme does to the diagram is not known: {}",
                clean(&first.message)
            );
        }
        return;
    };
    say!("{words}");
    let told = |one: &&Repeated| one.cycle != one.cycle_located || one.distance.is_none_or(|x| x > FAR_APART);
    for one in made.repeated.iter().filter(told) {
        let words = |cycle: Option<usize>| cycle.map_or("no cycle".to_string(), |n| format!("a cycle of {n}"));
        let x = study.axes[0].at(one.number);
        let distance = one.distance.map_or(one.message.clone(), |x| format!("distance {x:.1e}"));
        let (here, located) = (words(one.cycle), words(one.cycle_located));
        say!("  {} at {x:.6}: {here}, event-driven {located}; {distance}", one.direction.name());
    }
}

fn tell_basin(made: &Basin) {
    if made.missing > 0 {
        say!("{} starts made; {} are missing", made.made, made.missing);
        return;
    }
    for (k, (m, starts)) in made.attractors.iter().enumerate() {
        match k {
            0 => say!(
                "{} on no cycle",
                if *starts == 1 { "1 start ends".into() } else { format!("{starts} starts end") }
            ),
            _ => say!("attractor {k}: a cycle of {m}, {}", counted(*starts, "start")),
        }
    }
    let [followed, joined, drift] = made.followed;
    if followed > 0 || drift > 0 {
        let drift = if drift > 0 { format!("; {drift} still drift") } else { String::new() };
        say!(
            "{} of starts that had not settled followed on; {} proved to be one with others{drift}",
            counted(followed, "group"),
            counted(joined, "group")
        );
    }
    let why = made.message.as_ref().map_or(String::new(), |message| first_failure(message));
    say!("{} failed{why}", counted(made.failed, "start"));
}

/// So many of a thing.
fn counted(n: impl TryInto<u64> + std::fmt::Display + Copy, thing: &str) -> String {
    let plural = if n.try_into().is_ok_and(|n| n == 1) { "" } else { "s" };
    format!("{n} {thing}{plural}")
}

/// Why the first of several failed.
fn first_failure(message: &str) -> String {
    format!(", the first by {}", clean(message))
}

fn tell_orbit(study: &Dynamics, made: &OrbitStudy) {
    let orbit = &made.orbit;
    let stable = match orbit.stability() {
        Stability::Stable => "stable",
        Stability::Neutral => "neutral (perturbations stay: a multiplier on the unit circle)",
        Stability::Unstable => "unstable",
    };
    let impacts = orbit.impacts().count();
    let (periods, impacts) = (counted(orbit.periods, "period"), counted(impacts, "impact"));
    say!("an orbit of {periods}, {impacts}, {stable}, closed to {:.1e}", orbit.residual);
    for (re, im) in &orbit.multipliers {
        say!("  multiplier {re:+.12} {im:+.12} i, absolute {:.12}", re.hypot(*im));
    }
    let key = study.axes.first().map_or("", |axis| axis.key.as_str());
    for (p, loss) in made.losses() {
        say!("  {} near {key} = {p:.8}", loss.name());
    }
    for branch in &made.branches {
        let last = branch.points.last().map_or(0.0, |point| point.p);
        let end = branch.end.as_ref().map_or(String::new(), |end| format!("; it ends: {end}"));
        say!("  a branch of {} to {key} = {last:.8}{end}", counted(branch.points.len(), "orbit"));
    }
}

fn tell_exponents(made: &ExponentStudy) {
    if made.missing > 0 {
        say!("{} values made; {} are missing", made.made, made.missing);
        return;
    }
    let finished: Vec<_> = made.rows.iter().filter_map(|(x, list)| list.as_ref().map(|list| (x, list))).collect();
    if let [(None, list)] = finished[..] {
        say!("exponents [1/s]: {}", list.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>().join(", "));
        return;
    }
    let chaotic = finished.iter().filter(|(_, list)| list.first().is_some_and(|x| *x > 0.0)).count();
    say!(
        "{}, {} failed{}; the largest exponent is positive at {chaotic} of {} values",
        counted(made.rows.len(), "value"),
        made.rows.len() - finished.len(),
        made.message.as_ref().map_or(String::new(), |message| first_failure(message)),
        finished.len()
    );
}
