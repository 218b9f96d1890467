//! One column of a diagram: what became of one value of the parameter, as a line that can be read again.

use super::prepared::{Prepared, Sampled, Shortage, prepare, words};
use percussion_dynamics::{Cycle, cycle};
use percussion_scenario::{Direction, Dynamics};
use std::sync::atomic::AtomicBool;

/// The points of one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its number, from 0 at `from`.
    pub number: usize,
    /// finished, failed or refused.
    pub status: String,
    /// The code, where it did not finish.
    pub code: String,
    /// Why, in words.
    pub message: String,
    /// Impacts in a period.
    pub impacts: f64,
    /// q and v in which it ended; empty where it did not.
    pub end: (Vec<f64>, Vec<f64>),
    /// Numbers in a point.
    pub width: usize,
    /// The points, one after the other.
    pub values: Vec<f64>,
}

impl Column {
    /// Runs one value from a start; none when it was stopped.
    pub fn run(
        study: &Dynamics,
        number: usize,
        start: Option<&(Vec<f64>, Vec<f64>)>,
        scheme: Option<&str>,
        stop: &AtomicBool,
        told: &dyn Fn(u64),
    ) -> Option<Self> {
        let x: Vec<f64> = study.axes.first().map(|axis| axis.at(number)).into_iter().collect();
        match prepare(study, &x, scheme) {
            Ok(prepared) => Self::of(number, &prepared, prepared.sample(start, stop, told)),
            Err(error) => {
                let (code, message) = words(&error);
                Some(Self { number, status: "refused".into(), code: code.to_string(), message, ..Self::default() })
            }
        }
    }

    fn of(number: usize, prepared: &Prepared, result: std::result::Result<Sampled, Shortage>) -> Option<Self> {
        Some(match result {
            Err(Shortage::Stopped) => return None,
            Err(Shortage::Failed(failure)) => Self {
                number,
                status: "failed".into(),
                code: failure.code.to_string(),
                message: failure.message,
                ..Self::default()
            },
            Ok(Sampled { width, values, impacts, end }) => {
                let impacts = prepared.impacts_per_period(impacts);
                Self { number, status: "finished".into(), impacts, end, width, values, ..Self::default() }
            }
        })
    }

    /// Whether it has points.
    pub fn finished(&self) -> bool {
        self.status == "finished"
    }

    /// Component k of every point.
    pub fn component(&self, k: usize) -> Vec<f64> {
        self.values.iter().skip(k).step_by(self.width.max(1)).copied().collect()
    }

    /// The cycle its points run through.
    pub fn cycle(&self, study: &Dynamics) -> Option<Cycle> {
        cycle(&self.values, self.width, 1, study.spec.longest as usize, study.spec.tolerance)
    }

    /// As a line of a part.
    pub fn line(&self) -> String {
        let plain: String = self.message.chars().map(|c| if c == ',' || c.is_control() { ' ' } else { c }).collect();
        let mut cells = vec![
            self.number.to_string(),
            self.status.clone(),
            self.code.clone(),
            plain,
            format!("{:e}", self.impacts),
            self.end.0.len().to_string(),
            self.end.1.len().to_string(),
            self.width.to_string(),
        ];
        let numbers = self.end.0.iter().chain(&self.end.1).chain(&self.values);
        cells.extend(numbers.map(|x| format!("{x:e}")));
        cells.join(",")
    }

    /// From such a line.
    pub fn parse(line: &str) -> Option<Self> {
        let mut cells = line.split(',');
        let mut next = || cells.next();
        let number = next()?.parse().ok()?;
        let (status, code, message) = (next()?.to_string(), next()?.to_string(), next()?.to_string());
        let impacts = next()?.parse().ok()?;
        let (n_q, n_v): (usize, usize) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let width: usize = next()?.parse().ok()?;
        let numbers: Vec<f64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        let values = numbers.get(n_q.checked_add(n_v)?..)?.to_vec();
        if width > 0 && values.len() % width != 0 {
            return None;
        }
        let end = (numbers[..n_q].to_vec(), numbers[n_q..n_q + n_v].to_vec());
        Some(Self { number, status, code, message, impacts, end, width, values })
    }
}

/// The order in which a direction goes through n columns.
pub fn order(direction: Direction, n: usize) -> Vec<usize> {
    match direction {
        Direction::Up => (0..n).collect(),
        Direction::Down => (0..n).rev().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let column = Column {
            number: 7,
            status: "finished".into(),
            impacts: 1.5,
            end: (vec![0.1, -2.5e-300], vec![1.0 / 3.0]),
            width: 2,
            values: vec![1.0, 2.0, 3.0, f64::MIN_POSITIVE],
            ..Column::default()
        };
        assert_eq!(Column::parse(&column.line()), Some(column.clone()));
        let failed =
            Column { status: "failed".into(), code: "E200".into(), message: "a, b".into(), ..Column::default() };
        assert_eq!(Column::parse(&failed.line()).map(|c| c.message), Some("a  b".into()));
        let line = column.line();
        assert_eq!(Column::parse(&line[..line.len() - 25]).map(|c| c.values.len()).unwrap_or(0), 0);
    }
}
