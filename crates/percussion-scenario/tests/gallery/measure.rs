//! The words of `expect.toml`: what can be taken from a run.

use percussion_scenario::{LoadOptions, Loaded, Scenario, exact, settle};
use percussion_step::measure::l1;
use percussion_step::{Audit, Both, Event, EventDetector, Outcome, Recorder, Start, Step, Stop, Trajectory, Verdicts};
use serde::Deserialize;

/// Which run a value belongs to; all absent: the scenario as it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// `--scheme`.
    pub scheme: Option<String>,
    /// `--set`, in order.
    #[serde(default)]
    pub set: Vec<String>,
    /// `--step` [s].
    pub step: Option<f64>,
    /// `--end` [s].
    pub end: Option<f64>,
}

impl Variant {
    pub fn options(&self) -> LoadOptions {
        let Variant { scheme, set, step, end } = self.clone();
        LoadOptions { scheme, set, step, end, ..LoadOptions::default() }
    }
}

/// What is taken from a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "take", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// Coordinate `index` at time `at`, the end when absent [m].
    Q { index: usize, at: Option<f64> },
    /// By how much coordinate `index` changes between two times [m, rad].
    Change { index: usize, from: f64, at: Option<f64> },
    /// Velocity `index` at time `at` [m/s].
    V { index: usize, at: Option<f64> },
    /// E = kinetic + potential at time `at` [J].
    Energy { at: Option<f64> },
    /// ½v² + 10 (q − 0.2), the energy of the ball with that of its weight, at time `at` [J].
    BallEnergy { at: f64 },
    /// The largest E [J].
    LargestEnergy,
    /// Work of the contact impulses over the run [J].
    ContactWork,
    /// What the scheme itself took over the run [J].
    NumericalDissipation,
    /// The largest |residual| of the ledger over the largest energy.
    RelativeResidual,
    /// How many events of a kind: impact, close, open, stick, slip.
    Count { event: String },
    /// End of the step of the n-th event of a kind, counted from 1 [s].
    EventTime { event: String, number: usize },
    /// First step of the contact that lasts until the end of the run [s].
    LastingContact,
    /// Mean of P/h of contact 0 over the middle half of its contact [N].
    MeanForce,
    /// Standard deviation of P/h of contact 0 in the steps that end from `from` to before `until` [N].
    ForceSpread { from: f64, until: f64 },
    /// P of contact 0 in the step that ends at `at` [N·s].
    Impulse { at: f64 },
    /// Largest gap of contact 0 after `from` [m].
    LargestGap { from: f64 },
    /// The last time at which some |v| exceeds 1e-6 [s].
    LastMotion,
    /// From the first to the last step in which contact 0 pushes [s].
    ContactDuration,
    /// Sum of the impulses of contact 0 [N·s].
    TotalImpulse,
    /// Sum of the impulses of all contacts [N·s].
    AllImpulses,
    /// The largest force of all contacts together, mean over a step [N].
    LargestForce,
    /// From the first to the last step in which any contact pushes [s].
    TouchDuration,
    /// Work of loads, supports and moved obstacles [J].
    ExternalWork,
    /// Deepest penetration of any contact [m].
    Penetration,
    /// Largest violation of any joint [m].
    JointViolation,
    /// Largest |v| of any coordinate from `from` to the end [m/s, rad/s].
    LargestSpeed { from: f64 },
    /// Mean velocity of the gap of contact 0 between `from` and the end [m/s].
    GapRate { from: f64 },
    /// h Σ|q − exact| over all coordinates up to `until`, the end when absent.
    ErrorQ { until: Option<f64> },
    /// Coordinate `index` in the equilibrium that `percussion settle` finds from the start [m].
    Settled { index: usize },
    /// The status of a certificate: energy, gap, joints, solver.
    Verdict { certificate: String },
}

/// What a measure gives.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Found {
    Number(f64),
    Word(String),
}

/// A run kept for measuring.
pub struct Measured {
    pub scenario: Scenario,
    pub run: Trajectory,
    audit: Audit,
    events: Vec<Event>,
}

struct Events(EventDetector, Vec<Event>);

impl Recorder for Events {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.0 = EventDetector::new(start.model.n_contacts());
        self.0.start(start.scheme, start.model);
        Ok(())
    }

    fn record(&mut self, number: u64, step: &Step) -> Result<(), Stop> {
        let list = &mut self.1;
        self.0.step(number, step, |event| list.push(event));
        Ok(())
    }
}

impl Measured {
    /// Runs a scenario in memory.
    pub fn run(mut loaded: Loaded) -> Self {
        let (mut run, mut audit) = (Trajectory::new(), Audit::new());
        let mut events = Events(EventDetector::new(0), Vec::new());
        let steps = loaded.scenario.count.n;
        let outcome = loaded.simulation.run(steps, &mut Both(&mut Both(&mut run, &mut audit), &mut events));
        assert!(matches!(outcome, Outcome::Finished), "{}: the run did not finish: {outcome:?}", loaded.scenario.name);
        Self { scenario: loaded.scenario, run, audit, events: events.1 }
    }

    pub fn verdicts(&self) -> Verdicts {
        self.audit.judged(&self.scenario.guarantee(), &self.scenario.solver)
    }

    fn gap(&self, row: usize) -> f64 {
        self.scenario.model().gap(0, self.run.q(row), self.run.t[row])
    }

    fn row(&self, at: Option<f64>) -> usize {
        let end = self.run.len() - 1;
        at.map_or(end, |t| ((t / self.scenario.step).round() as usize).min(end))
    }

    /// First and last row at the end of a step in which contact 0 pushed.
    fn pushing(&self) -> (Vec<f64>, usize, usize) {
        let p = self.run.impulses(0);
        let rows: Vec<usize> = (0..p.len()).filter(|&k| p[k] > 0.0).collect();
        let (first, last) = (rows.first().copied(), rows.last().copied());
        (p, first.expect("contact 0 pushes"), last.expect("contact 0 pushes"))
    }

    /// Impulses of all contacts together, step by step.
    fn pushes(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.run.len()];
        self.run.contacts.iter().for_each(|(row, c)| sums[*row] += c.p);
        sums
    }

    /// Takes a value.
    pub fn take(&self, measure: &Measure) -> Found {
        let (run, h) = (&self.run, self.scenario.step);
        let of_kind = |kind: &str| {
            assert!(
                ["impact", "close", "open", "stick", "slip", "reverse"].contains(&kind),
                "there are no {kind} events"
            );
            self.events.iter().filter(move |e| e.kind.as_str() == kind).map(|e| e.t).collect::<Vec<f64>>()
        };
        let sum = |pick: fn(&percussion_step::LedgerEntry) -> f64| run.ledger.iter().map(pick).sum::<f64>();
        Found::Number(match measure {
            Measure::Q { index, at } => run.q(self.row(*at))[*index],
            Measure::Change { index, from, at } => run.q(self.row(*at))[*index] - run.q(self.row(Some(*from)))[*index],
            Measure::V { index, at } => run.v(self.row(*at))[*index],
            Measure::Energy { at } => run.ledger[self.row(*at)].energy(),
            Measure::BallEnergy { at } => {
                let row = self.row(Some(*at));
                0.5 * run.v(row)[0].powi(2) + 10.0 * (run.q(row)[0] - 0.2)
            }
            Measure::LargestEnergy => self.audit.largest_energy(),
            Measure::ContactWork => sum(|entry| entry.work_contact),
            Measure::NumericalDissipation => sum(|entry| entry.dissipation_numerical),
            Measure::RelativeResidual => self.audit.largest_residual() / self.audit.largest_energy(),
            Measure::Count { event } => of_kind(event).len() as f64,
            Measure::EventTime { event, number } => {
                let times = of_kind(event);
                *times.get(number - 1).unwrap_or_else(|| panic!("only {} {event} events", times.len()))
            }
            Measure::LastingContact => {
                let p = run.impulses(0);
                let lasting = p.iter().rev().take_while(|p| **p > 0.0).count();
                assert!(lasting > 0, "contact 0 is open at the end");
                run.t[p.len() - lasting]
            }
            Measure::MeanForce => {
                let (p, first, last) = self.pushing();
                let quarter = (last - first) / 4;
                let middle = &p[first + quarter..last - quarter];
                middle.iter().sum::<f64>() / middle.len() as f64 / h
            }
            Measure::ForceSpread { from, until } => {
                let p = &run.impulses(0)[self.row(Some(*from))..self.row(Some(*until))];
                let mean = p.iter().sum::<f64>() / p.len() as f64;
                (p.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / p.len() as f64).sqrt() / h
            }
            Measure::Impulse { at } => run.impulses(0)[self.row(Some(*at))],
            Measure::LargestGap { from } => {
                (self.row(Some(*from)) + 1..run.len()).map(|row| self.gap(row)).fold(f64::NEG_INFINITY, f64::max)
            }
            Measure::LastMotion => {
                let moving = (0..run.len()).rev().find(|&row| run.v(row).iter().any(|v| v.abs() > 1e-6));
                run.t[moving.expect("it moves at some time")]
            }
            Measure::ContactDuration => {
                let (_, first, last) = self.pushing();
                (last - first + 1) as f64 * h
            }
            Measure::TotalImpulse => run.impulses(0).iter().sum(),
            Measure::AllImpulses => self.pushes().iter().sum(),
            Measure::LargestForce => self.pushes().into_iter().fold(0.0, f64::max) / h,
            Measure::TouchDuration => {
                let pushes = self.pushes();
                let first = pushes.iter().position(|p| *p > 0.0).expect("a contact");
                let last = pushes.iter().rposition(|p| *p > 0.0).expect("a contact");
                (last - first + 1) as f64 * h
            }
            Measure::ExternalWork => sum(|entry| entry.work_external),
            Measure::Penetration => self.verdicts().gap.worst,
            Measure::JointViolation => self.verdicts().joints.worst,
            Measure::LargestSpeed { from } => {
                let rows = self.row(Some(*from))..run.len();
                rows.flat_map(|row| run.v(row)).fold(0.0, |s, v| v.abs().max(s))
            }
            Measure::GapRate { from } => {
                let (first, last) = (self.row(Some(*from)), run.len() - 1);
                (self.gap(last) - self.gap(first)) / (run.t[last] - run.t[first])
            }
            Measure::ErrorQ { until } => {
                let exact = exact(&self.scenario).expect("an exact motion");
                let rows = self.row(*until) + 1;
                let q: Vec<f64> = run.t[..rows].iter().flat_map(|&t| exact.q(t)).collect();
                l1(h, &run.q[..rows * run.n], &q)
            }
            Measure::Settled { index } => {
                let settled = settle(&mut self.scenario.clone(), 0.0).unwrap_or_else(|error| panic!("{error}"));
                settled.state.q[*index]
            }
            Measure::Verdict { certificate } => {
                let verdicts = self.verdicts();
                let found = verdicts.list().into_iter().find(|(name, _)| name == certificate);
                let (_, found) = found.unwrap_or_else(|| panic!("there is no certificate {certificate}"));
                return Found::Word(found.status.as_str().into());
            }
        })
    }
}
