//! Sections of a motion: its states once per period, where it crosses a surface, or at its impacts.
//!
//!   stroboscopic:  x(t₀ + nT);      every step:  x(nh);      surface:  x where q_i or v_i passes a value;      impact:  (t mod T, U⁻, U⁺, p)
//!
//! A crossing inside a step is where the cubic through q and v of both ends passes the value (a line, for a velocity).
//! Points of the transient are dropped.

use percussion_step::{EventDetector, EventKind, Recorder, Start, State, Step, Stop};
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers that are kept of a motion at most: 0.8 GB.
pub const MOST_NUMBERS: usize = 100_000_000;

/// Where a motion is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// Once in every period of what drives it.
    Period,
    /// Where a coordinate or velocity passes a value.
    Surface {
        /// Its place in (q, v).
        place: usize,
        /// The value.
        value: f64,
        /// Upwards; otherwise downwards.
        rising: bool,
    },
    /// At every impact, or at those of one contact.
    Impact(Option<usize>),
    /// At the end of every step: the motion itself.
    Step,
}

impl Section {
    /// From words: `period`, `step`, `impact`, `impact 0`, `q0 > 0.5` (upwards), `v1 < 0` (downwards).
    pub fn parse(text: &str, n_q: usize, n_v: usize) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["period"] => Ok(Self::Period),
            ["step"] => Ok(Self::Step),
            ["impact"] => Ok(Self::Impact(None)),
            ["impact", contact] => match contact.parse() {
                Ok(contact) => Ok(Self::Impact(Some(contact))),
                Err(_) => Err(format!("\"{contact}\" is no number of a contact")),
            },
            [name, sense @ (">" | "<"), value] => {
                let place = coordinate(name, n_q, n_v)?;
                let value: f64 = value.parse().map_err(|_| format!("\"{value}\" is no number"))?;
                if !value.is_finite() {
                    return Err(format!("{value} is no value to pass"));
                }
                Ok(Self::Surface { place, value, rising: sense == ">" })
            }
            _ => Err(format!("\"{text}\" is no section")),
        }
    }

    /// The names of what a point holds.
    pub fn columns(&self, n_q: usize, n_v: usize) -> Vec<String> {
        match self {
            Self::Period | Self::Surface { .. } | Self::Step => {
                let q = (0..n_q).map(|i| format!("q{i}"));
                std::iter::once("t".into()).chain(q).chain((0..n_v).map(|i| format!("v{i}"))).collect()
            }
            Self::Impact(_) => ["t", "phase", "contact", "u_n_before", "u_n_after", "p_n"].map(String::from).to_vec(),
        }
    }
}

/// The place of `q3` or `v0` in (q, v).
fn coordinate(name: &str, n_q: usize, n_v: usize) -> Result<usize, String> {
    let (first, n) = match name.as_bytes().first() {
        Some(b'q') => (0, n_q),
        Some(b'v') => (n_q, n_v),
        _ => (0, 0),
    };
    match name.get(1..).and_then(|number| number.parse::<usize>().ok()) {
        Some(i) if i < n => Ok(first + i),
        _ => Err(format!("there is no \"{name}\": coordinates are q0 … q{}, velocities v0 … v{}", n_q - 1, n_v - 1)),
    }
}

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Where.
    pub section: Section,
    /// T [s]; none where nothing drives the motion.
    pub period: Option<f64>,
    /// Steps in a period; without a period, 1.
    pub steps: u64,
    /// Periods before the first point; points dropped, where there is no period.
    pub transient: u64,
}

/// A recorder that keeps the points of a section.
pub struct Sampler<'a> {
    sampling: Sampling,
    stop: Option<&'a AtomicBool>,
    detector: EventDetector,
    last: State,
    dropped: u64,
    /// Numbers in a point.
    pub width: usize,
    /// The points, one after the other.
    pub values: Vec<f64>,
    /// Impacts after the transient.
    pub impacts: u64,
    /// Whether it stopped because no more points can be kept.
    pub full: bool,
}

impl<'a> Sampler<'a> {
    /// For one run; `stop`, when raised, ends it.
    pub fn new(sampling: Sampling, stop: Option<&'a AtomicBool>) -> Self {
        let detector = EventDetector::default();
        let (last, values) = (State { t: 0.0, q: Vec::new(), v: Vec::new() }, Vec::new());
        Self { sampling, stop, detector, last, dropped: 0, width: 0, values, impacts: 0, full: false }
    }

    /// The points.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.values.chunks_exact(self.width.max(1))
    }

    /// Whether a point counts: by its step, or by its number where there is no period.
    fn counts(&mut self, number: u64) -> bool {
        if self.sampling.period.is_some() {
            return number > self.sampling.transient * self.sampling.steps;
        }
        self.dropped += 1;
        self.dropped > self.sampling.transient
    }

    fn keep(&mut self, state: &State) {
        self.values.push(state.t);
        self.values.extend_from_slice(&state.q);
        self.values.extend_from_slice(&state.v);
    }

    /// The crossing between the last state and this one, if there is one.
    fn crossing(&mut self, step: &Step) -> Option<State> {
        let after = &step.after;
        let smooth = step.contacts.iter().all(|contact| contact.p == 0.0);
        let Section::Surface { place, value, rising } = self.sampling.section else { return None };
        let sign = if rising { 1.0 } else { -1.0 };
        let n = after.q.len();
        let of = |state: &State| if place < n { state.q[place] } else { state.v[place - n] };
        let (a, b) = (sign * (of(&self.last) - value), sign * (of(after) - value));
        if !(a < 0.0 && b >= 0.0) {
            return None;
        }
        // bisection: the cubic need not be monotone
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let before = sign * (of(&between((&self.last, after), middle, smooth)) - value) < 0.0;
            if before { low = middle } else { high = middle }
        }
        Some(between((&self.last, after), high, smooth))
    }
}

/// The state at a part of a step: q by the cubic with the velocities of both ends where q̇ = v, otherwise by a line; v by the rate of
/// that cubic where no impulse acted, otherwise by a line.
fn between((a, b): (&State, &State), x: f64, smooth: bool) -> State {
    let h = b.t - a.t;
    let (line, cubic) = (|a: f64, b: f64| a + x * (b - a), a.q.len() == a.v.len());
    let rate = |i: usize| {
        let (start, end) = (a.v[i], b.v[i]);
        if !(cubic && smooth && h > 0.0) {
            return line(start, end);
        }
        let mean = (b.q[i] - a.q[i]) / h;
        line(start, end) + 3.0 * x * (1.0 - x) * (2.0 * mean - start - end)
    };
    let v: Vec<f64> = (0..a.v.len()).map(rate).collect();
    let q = (0..a.q.len()).map(|i| {
        if !cubic {
            return line(a.q[i], b.q[i]);
        }
        let (s, c) = (x * x * (3.0 - 2.0 * x), x * (1.0 - x));
        a.q[i] + s * (b.q[i] - a.q[i]) + h * c * ((1.0 - x) * a.v[i] - x * b.v[i])
    });
    State { t: line(a.t, b.t), q: q.collect(), v }
}

impl Recorder for Sampler<'_> {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.detector = EventDetector::new(start.model.n_contacts());
        self.detector.start(start.scheme, start.model);
        self.last.clone_from(start.state);
        let (n_q, n_v) = (start.state.q.len(), start.state.v.len());
        self.width = self.sampling.section.columns(n_q, n_v).len();
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        let Sampling { section, period, steps, transient } = self.sampling;
        let after = &step.after;
        match section {
            Section::Period if number.is_multiple_of(steps) && self.counts(number) => self.keep(after),
            Section::Step if self.counts(number) => self.keep(after),
            Section::Period | Section::Impact(_) | Section::Step => {}
            Section::Surface { .. } => {
                if let Some(state) = self.crossing(step)
                    && self.counts(number)
                {
                    self.keep(&state);
                }
                self.last.clone_from(after);
            }
        }
        let mut found = Vec::new();
        self.detector.step(number, step, |event| {
            if event.kind == EventKind::Impact {
                found.push(event);
            }
        });
        for event in found {
            if period.is_none() || number > transient * steps {
                self.impacts += 1;
            }
            if matches!(section, Section::Impact(contact) if contact.is_none_or(|i| i == event.contact))
                && self.counts(number)
            {
                let phase = period.map_or(0.0, |period| (event.t / period).rem_euclid(1.0));
                let u = [event.u_before, event.u_after].map(|u| u.unwrap_or(0.0));
                self.values.extend([event.t, phase, event.contact as f64, u[0], u[1], event.p]);
            }
        }
        self.full = self.values.len() > MOST_NUMBERS;
        if self.full {
            return Err(Stop::Interrupted);
        }
        if number.is_multiple_of(256) && self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Stop::Interrupted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_sections() {
        assert_eq!(Section::parse("period", 2, 2), Ok(Section::Period));
        assert_eq!(Section::parse("step", 2, 2), Ok(Section::Step));
        assert_eq!(Section::parse("impact 1", 2, 2), Ok(Section::Impact(Some(1))));
        let surface = Section::parse("v1 < 0.5", 2, 2).expect("a section");
        assert_eq!(surface, Section::Surface { place: 3, value: 0.5, rising: false });
        for wrong in ["", "q2 > 1", "q0 = 1", "x > 1", "q0 > nan", "impact one", "v > 1"] {
            assert!(Section::parse(wrong, 2, 2).is_err(), "{wrong}");
        }
    }

    /// A cubic motion is met where it crosses, its place, time and velocity to round-off.
    #[test]
    fn crossings_of_a_cubic() {
        let at = |t: f64| State { t, q: vec![t * t * t - 0.2], v: vec![3.0 * t * t] };
        let section = Section::Surface { place: 0, value: 0.0, rising: true };
        let mut sampler = Sampler::new(Sampling { section, period: None, steps: 1, transient: 0 }, None);
        sampler.last = at(0.4);
        let to = |t: f64| Step { after: at(t), ..Step::default() };
        let found = sampler.crossing(&to(0.7)).expect("a crossing");
        assert!((found.t - 0.2_f64.cbrt()).abs() < 1e-15 && found.q[0].abs() < 1e-15, "{found:?}");
        assert!((found.v[0] - 3.0 * found.t * found.t).abs() < 1e-14, "{found:?}");
        assert!(sampler.crossing(&to(0.5)).is_none());
    }
}
