//! Runs for figures: a scenario in the words of the command line, kept in memory.

use crate::variant::Variant;
use percussion_report::{Line, Plot};
use percussion_scenario::{LoadOptions, Loaded, Result, Scenario, load, load_text};
use percussion_step::{Audit, Both, Outcome, StepFailure, Trajectory};

/// A run.
pub struct Played {
    /// Its name in legends.
    pub label: String,
    pub scenario: Scenario,
    pub run: Trajectory,
    pub audit: Audit,
    /// Why it ended early.
    pub failure: Option<StepFailure>,
}

pub type Points = Vec<(f64, f64)>;

/// A built-in scenario by a scheme: `words` as in `--schemes`, such as `moreau-jean:theta=1:time.end=2`.
pub fn play(label: &str, scenario: &str, words: &str) -> Result<Played> {
    let variant = Variant::parse(words, &LoadOptions::default())?;
    Ok(run(label, load(scenario, &variant.options)?))
}

/// The same of a scenario given as text.
pub fn play_text(label: &str, text: &str, words: &str) -> Result<Played> {
    let variant = Variant::parse(words, &LoadOptions::default())?;
    Ok(run(label, load_text("scenario", text, &variant.options)?))
}

fn run(label: &str, loaded: Loaded) -> Played {
    let Loaded { scenario, mut simulation } = loaded;
    let (mut run, mut audit) = (Trajectory::new(), Audit::new());
    let n = if scenario.adaptive.is_some() { u64::MAX } else { scenario.count.n };
    let failure = match simulation.run(n, &mut Both(&mut run, &mut audit)) {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Finished | Outcome::Stopped(_) => None,
    };
    Played { label: label.into(), scenario, run, audit, failure }
}

impl Played {
    fn rows(&self, of: impl Fn(usize) -> f64) -> Points {
        (0..self.run.len()).map(|row| (self.run.t[row], of(row))).collect()
    }

    /// The row at a time, or the last.
    pub fn row(&self, t: f64) -> usize {
        let last = self.run.len() - 1;
        self.run.t.partition_point(|&row| row < t - 1e-9 * (1.0 + t)).min(last)
    }

    pub fn q(&self, i: usize) -> Points {
        self.rows(|row| self.run.q(row)[i])
    }

    pub fn v(&self, i: usize) -> Points {
        self.rows(|row| self.run.v(row)[i])
    }

    pub fn gap(&self, contact: usize) -> Points {
        let model = self.scenario.model();
        self.rows(|row| model.gap(contact, self.run.q(row), self.run.t[row]))
    }

    pub fn gap_rate(&self, contact: usize) -> Points {
        let model = self.scenario.model();
        self.rows(|row| model.gap_rate(contact, self.run.q(row), self.run.v(row), self.run.t[row]))
    }

    pub fn impulse(&self, contact: usize) -> Points {
        self.run.t.iter().copied().zip(self.run.impulses(contact)).collect()
    }

    /// E of the model, the potentials of loads left out.
    pub fn energy(&self) -> Points {
        self.rows(|row| self.run.ledger[row].energy())
    }

    /// E at a time.
    pub fn energy_at(&self, t: f64) -> f64 {
        self.run.ledger[self.row(t)].energy()
    }

    /// E with the potential −F·q of a constant load.
    pub fn total(&self, row: usize) -> f64 {
        let (energy, q) = (self.run.ledger[row].energy(), self.run.q(row));
        let Some(model) = self.scenario.linear() else { return energy };
        let work: f64 = model.loads().iter().zip(q).map(|(f, q)| f.mean * q).sum();
        energy - (work - model.potential_work(q))
    }

    pub fn totals(&self) -> Points {
        self.rows(|row| self.total(row))
    }

    /// Deepest penetration of contact 0 at any row [m].
    pub fn penetration(&self) -> f64 {
        self.audit.deepest().max(0.0)
    }

    pub fn line(&self, of: impl Fn(&Played) -> Points) -> Line {
        Line::new(self.label.clone(), of(self))
    }
}

/// A plot over time.
pub fn over_time(title: &str, y_label: &str, lines: Vec<Line>) -> Plot {
    Plot { title: title.into(), y_label: y_label.into(), lines, ..Plot::default() }
}

/// The same, only a part of it.
pub fn zoom(plot: &Plot, x: (f64, f64), y: Option<(f64, f64)>) -> Plot {
    Plot { title: format!("{}, zoom", plot.title), x_range: Some(x), y_range: y, ..plot.clone() }
}

/// Largest |y| with t in a range.
pub fn largest(points: &Points, from: f64, to: f64) -> f64 {
    points.iter().filter(|p| (from..=to).contains(&p.0)).fold(0.0, |m, p| p.1.abs().max(m))
}

/// The last time |y| exceeds a bound.
pub fn last_above(points: &Points, bound: f64) -> f64 {
    points.iter().rev().find(|p| p.1.abs() > bound).map_or(0.0, |p| p.0)
}
