//! What is measured of a run: `last q0`, `rms q0 after 10`, `p95 p_n`, `rate impacts`, `frequency v0 after 5`, `amplitude q0 at 2.5`, ….
//!
//! Columns are those of ledger, trajectory, contacts and momentum, looked for in this order; `bob.x` is what the scenario calls a column of the
//! trajectory, `pin.value` and `pin.fx` are columns of the joints and their reactions; `impacts` counts the impacts of the events. `after T` leaves
//! out rows before T, the transient of a driven motion. `per KEY` makes a rate one per period 2π/ω, ω the number of a key of the run.

use crate::build::scenario::Scenario;
use crate::build::sensitivity::scenario_number;
use crate::run::body_tables::REACTIONS;
use crate::run::folder::tables;
use crate::run::memory::{Cells, Kept};
use crate::run::names::{ColumnName, columns as column_names};
use crate::sweep::spectrum::{amplitude_at, strongest_frequency};
use percussion_model::{Code, InputError};
use std::f64::consts::PI;

/// How a column becomes a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    First,
    Last,
    Min,
    Max,
    /// max − min.
    Range,
    Sum,
    Mean,
    /// √(mean of squares).
    Rms,
    Count,
    /// Σ x over the time it took: a mean power of works, a mean force of impulses, impacts per second.
    Rate,
    /// Where the spectrum of x − mean is largest [Hz].
    Frequency,
    /// The amplitude of the line at a frequency.
    Amplitude,
    /// The value below which a part of all lies, between neighbours linearly.
    Percentile(u8),
}

const WORDS: [(&str, How); 12] = [
    ("first", How::First),
    ("last", How::Last),
    ("min", How::Min),
    ("max", How::Max),
    ("range", How::Range),
    ("sum", How::Sum),
    ("mean", How::Mean),
    ("rms", How::Rms),
    ("count", How::Count),
    ("rate", How::Rate),
    ("frequency", How::Frequency),
    ("amplitude", How::Amplitude),
];

impl How {
    fn parse(word: &str) -> Option<Self> {
        let percentile = || word.strip_prefix('p')?.parse::<u8>().ok().filter(|&p| p <= 100).map(Self::Percentile);
        WORDS.iter().find(|(name, _)| *name == word).map(|&(_, how)| how).or_else(percentile)
    }

    fn name(self) -> String {
        match self {
            Self::Percentile(p) => format!("p{p}"),
            how => WORDS.iter().find(|(_, own)| *own == how).map_or(String::new(), |(word, _)| word.to_string()),
        }
    }
}

/// One number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    how: How,
    column: String,
    /// The time before which nothing counts [s].
    after: Option<f64>,
    /// The key of ω, for a rate in a period.
    per: Option<String>,
    /// The frequency of an amplitude [Hz], or the key of its ω.
    at: Option<String>,
}

impl Measure {
    /// From its words.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let refused = || {
            let help = "write first, last, min, max, range, sum, mean, rms, count, rate, frequency, amplitude or a percentile such as p95, a \
                        column, and perhaps after and a time: \"max q0\", \"rms q0 after 10\"; a rate may go per a key that holds an angular \
                        frequency, \"rate impacts after 10 per model.force.0.sines.0.omega\"; an amplitude is at one, or at a number of hertz";
            InputError::new(Code::BAD_SWEEP, "", format!("\"{text}\" is no measure"), help)
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [how, ref rest @ ..] = words[..] else { return Err(refused()) };
        let how = How::parse(how).ok_or_else(refused)?;
        // names of bodies may have spaces
        let end = rest.iter().position(|word| ["after", "per", "at"].contains(word)).unwrap_or(rest.len());
        let (column, rest) = (rest[..end].join(" "), &rest[end..]);
        if column.is_empty() {
            return Err(refused());
        }
        let mut made = Self { how, column, after: None, per: None, at: None };
        for pair in rest.chunks(2) {
            match *pair {
                ["after", t] if made.after.is_none() => {
                    let t = t.parse::<f64>().ok().filter(|t| t.is_finite() && *t >= 0.0).ok_or_else(refused)?;
                    made.after = Some(t);
                }
                ["per", key] if made.per.is_none() && how == How::Rate => made.per = Some(key.into()),
                ["at", place] if made.at.is_none() && how == How::Amplitude => {
                    // the mean is no line
                    if place.parse::<f64>().is_ok_and(|f| !(f.is_finite() && f > 0.0)) {
                        return Err(refused());
                    }
                    made.at = Some(place.into());
                }
                _ => return Err(refused()),
            }
        }
        if how == How::Amplitude && made.at.is_none() { Err(refused()) } else { Ok(made) }
    }

    /// As the column of the table is called.
    pub fn name(&self) -> String {
        let after = self.after.map_or(String::new(), |t| format!(" after {t}"));
        let word =
            |name: &str, key: &Option<String>| key.as_ref().map_or(String::new(), |key| format!(" {name} {key}"));
        format!("{} {}{after}{}{}", self.how.name(), self.column, word("per", &self.per), word("at", &self.at))
    }

    /// Why runs of a scenario have no such number.
    pub fn missing(&self, scenario: &Scenario) -> Option<String> {
        let model = scenario.model();
        let numbered = |table: &str| !["events.csv", "beams.csv", "joints.csv", "reactions.csv"].contains(&table);
        let headers = tables(model, &scenario.selection);
        let in_table =
            headers.iter().any(|(name, header)| numbered(name) && header.split(',').any(|own| own == self.column));
        let of_joint = || {
            let (name, part) = self.column.rsplit_once('.')?;
            let joint = model.bodies()?.joints().iter().find(|joint| joint.name == name)?;
            let own = joint.coordinate.as_ref().is_some_and(|_| JOINT_PARTS.contains(&part));
            (own || REACTIONS.split(',').skip(3).any(|own| own == part)).then_some(())
        };
        if !(in_table || self.column == "impacts" || self.alias(scenario).is_some() || of_joint().is_some()) {
            return Some(format!("runs have no column {}", self.column));
        }
        let key = |key: &&String| key.parse::<f64>().is_err() && scenario_number(scenario, key).is_none();
        self.per.iter().chain(&self.at).find(key).map(|key| format!("{key} is no key with a number"))
    }

    /// The column of the trajectory that the scenario calls this.
    pub fn alias(&self, scenario: &Scenario) -> Option<String> {
        let [q, v] = column_names(&scenario.description, scenario.model());
        let kept = |own: &ColumnName, list: &[usize]| list.iter().any(|k| own.column[1..] == k.to_string());
        let found = q.into_iter().find(|own| own.answers(&self.column) && kept(own, &scenario.selection.q));
        let found =
            found.or_else(|| v.into_iter().find(|own| own.answers(&self.column) && kept(own, &scenario.selection.v)));
        found.map(|own| own.column)
    }

    /// Of a run whose keys have these numbers, and in which `alias` is what its column is called; none where it has no such column or no row in
    /// it, or no such key.
    pub fn of(&self, kept: &Kept, alias: Option<String>, key: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let rows = self.rows(kept, alias.as_ref().unwrap_or(&self.column))?;
        // of all rows of a step its time is the end
        let span = || {
            let times = column(&kept.ledger, "t")?;
            let first = times.first().copied().unwrap_or(0.0);
            let from = self.after.map_or(first, |t| t.max(first));
            times.last().map(|end| end - from).filter(|span| *span > 0.0)
        };
        let values = || rows.iter().map(|(_, x)| *x);
        let mean = |sum: f64| (!rows.is_empty()).then(|| sum / rows.len() as f64);
        match self.how {
            How::First => values().next(),
            How::Last => values().next_back(),
            How::Min => values().reduce(f64::min),
            How::Max => values().reduce(f64::max),
            How::Range => values().reduce(f64::max).zip(values().reduce(f64::min)).map(|(max, min)| max - min),
            How::Sum => Some(0.0 + values().sum::<f64>()),
            How::Count => Some(rows.len() as f64),
            How::Mean => mean(values().sum()),
            How::Rms => mean(values().map(|x| x * x).sum()).map(f64::sqrt),
            How::Rate => {
                let unit = self.per.as_ref().map_or(Some(1.0), |name| Some(2.0 * PI / key(name)?.abs()))?;
                // no rows add up to −0
                span().map(|span| unit * (0.0 + values().sum::<f64>()) / span)
            }
            How::Amplitude => {
                let at = self.at.as_ref()?;
                amplitude_at(&rows, at.parse().ok().or_else(|| Some(key(at)?.abs() / (2.0 * PI)))?)
            }
            How::Frequency => strongest_frequency(&rows),
            How::Percentile(p) => percentile(values().collect(), f64::from(p) / 100.0),
        }
    }

    /// Times and values that count.
    fn rows(&self, kept: &Kept, name: &str) -> Option<Vec<(f64, f64)>> {
        let late = |t: f64| self.after.is_none_or(|after| t >= after);
        let word = |cells: &Cells, word: &str| cells.words.iter().position(|own| own == word).map(|k| k as f64);
        if name == "impacts" {
            let kinds = column(&kept.events, "kind")?;
            let times = column(&kept.events, "t")?;
            let impact = word(&kept.events, "impact");
            let met = times.into_iter().zip(kinds).filter(|&(t, kind)| Some(kind) == impact && late(t));
            return Some(met.map(|(t, _)| (t, 1.0)).collect());
        }
        let counts = |&(t, x): &(f64, f64)| late(t) && !x.is_nan();
        let tables = [&kept.ledger, &kept.trajectory, &kept.contacts, &kept.momentum];
        if let Some((cells, values)) = tables.into_iter().find_map(|cells| column(cells, name).map(|x| (cells, x))) {
            return Some(column(cells, "t")?.into_iter().zip(values).filter(counts).collect());
        }
        // those of one joint
        let (joint, part) = name.rsplit_once('.')?;
        [&kept.joints, &kept.reactions].into_iter().find_map(|cells| {
            let (own, values) = (word(cells, joint)?, column(cells, part)?);
            let rows = column(cells, "t")?.into_iter().zip(values).zip(column(cells, "joint")?);
            Some(rows.filter(|(row, joint)| *joint == own && counts(row)).map(|(row, _)| row).collect())
        })
    }
}

/// What the coordinate of a joint has.
const JOINT_PARTS: [&str; 2] = ["value", "rate"];

/// The cells of a column.
fn column(cells: &Cells, name: &str) -> Option<Vec<f64>> {
    let place = cells.columns.iter().position(|own| own == name)?;
    Some(cells.values.iter().skip(place).step_by(cells.columns.len()).copied().collect())
}

fn percentile(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let at = part * (values.len().checked_sub(1)? as f64);
    let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
    Some(low + (high - low) * at.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Kept {
        let mut kept = Kept {
            ledger: Cells::new("step,t,work_contact", 0),
            trajectory: Cells::new("step,t,q0", 0),
            events: Cells::new("t,kind", 0),
            ..Kept::default()
        };
        for k in 0..=1000 {
            let t = 0.01 * f64::from(k);
            kept.ledger.values.extend([f64::from(k), t, -0.02]);
            kept.trajectory.values.extend([f64::from(k), t, 1.0 + (2.0 * std::f64::consts::PI * 2.5 * t).sin()]);
            if k % 100 == 50 {
                kept.events.values.push(t);
                kept.events.word(if k % 200 == 50 { "impact" } else { "open" });
            }
        }
        kept
    }

    #[test]
    fn measures_are_those_of_the_columns() {
        let kept = kept();
        let of = |text: &str| {
            let key = |name: &str| (name == "model.omega").then_some(5.0 * PI);
            Measure::parse(text).expect("a measure").of(&kept, None, &key).expect("a number")
        };
        assert!((of("mean q0") - 1.0).abs() < 1e-9);
        // √(1 + ½)
        assert!((of("rms q0") - 1.5_f64.sqrt()).abs() < 1e-3);
        assert!((of("range q0") - 2.0).abs() < 1e-9);
        assert!((of("p50 q0") - 1.0).abs() < 1e-2 && (of("p100 q0") - 2.0).abs() < 1e-9);
        // 2 J/s are lost
        assert!((of("rate work_contact") + 2.0).abs() < 3e-3);
        assert_eq!(of("count impacts"), 5.0);
        assert_eq!(of("count impacts after 5"), 2.0);
        assert!((of("rate impacts after 5") - 0.4).abs() < 1e-12);
        assert!((of("frequency q0 after 2") - 2.5).abs() < 1e-3, "{}", of("frequency q0 after 2"));
        assert_eq!(of("first q0 after 9.999"), of("last q0"));
        // 2π/ω = 0.4 s
        assert!((of("rate impacts after 5 per model.omega") - 0.16).abs() < 1e-12);
        for place in ["2.5", "model.omega"] {
            assert!((of(&format!("amplitude q0 after 2 at {place}")) - 1.0).abs() < 1e-3);
        }
        assert!(of("amplitude q0 at 4") < 1e-3);
        let elsewhere = Measure::parse("rate impacts per model.nothing").expect("a measure");
        assert_eq!(elsewhere.of(&kept, None, &|_| None), None);
    }

    #[test]
    fn words_that_mean_nothing_are_refused() {
        for text in [
            "max",
            "p101 q0",
            "px q0",
            "max q0 after",
            "max q0 after x",
            "max q0 after -1",
            "amplitude q0 at nan",
            "amplitude q0 at 0",
            "median q0",
            "max q0 per a",
            "amplitude q0",
        ] {
            assert_eq!(Measure::parse(text).expect_err(text).code, Code::BAD_SWEEP);
        }
        for text in ["p95 q0 after 2.5", "rate impacts after 2 per model.w", "amplitude q0 at 3"] {
            assert_eq!(Measure::parse(text).expect("a measure").name(), text);
        }
    }
}
