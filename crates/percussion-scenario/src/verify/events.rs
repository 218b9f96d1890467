//! `events.csv` against the contacts and the summary.
//!
//! Beginnings and ends of persistent contact, of sticking and of sliding follow from what is stored. Which approach counts as an impact depends
//! on the velocity without impulses, which is not stored: of an impact only contact, velocity and impulse are confirmed.
//! Schemes that locate events know more than the rows do: time, order and impulses are confirmed.

use crate::error::Result;
use crate::run::folder::{Row, RunFolder};
use crate::run::summary::IN_PARTS;
use crate::run::table_reader::TableReader;
use crate::verify::{Finding, TOLERANCE};
use percussion_model::LinearModel;
use percussion_step::{Ability, EventDetector, EventKind, Model, Step};
use std::collections::BTreeMap;

/// One row of `events.csv`.
struct Event {
    t: f64,
    step: u64,
    kind: EventKind,
    contact: usize,
    u_before: f64,
    u_after: f64,
    p: f64,
}

/// Reads the events beside the rows.
pub struct EventsCheck {
    table: TableReader,
    /// The event not yet used.
    waiting: Option<Event>,
    model: Model,
    every: u64,
    /// The length of equal steps.
    h: Option<f64>,
    detector: EventDetector,
    step: Step,
    counts: BTreeMap<&'static str, u64>,
    last_step: u64,
    /// Whether events have instants of their own.
    located: bool,
    /// Instant of the last located event.
    last_t: f64,
    /// Steps made before the first row.
    begun: f64,
    /// The largest |v| so far.
    fastest: f64,
    /// Of the solver.
    tolerance: f64,
    /// Whether some steps were made in parts, within which impacts began.
    in_parts: bool,
    wrong: Option<String>,
}

impl EventsCheck {
    /// Opens the table.
    pub fn new(run: &RunFolder) -> Result<Self> {
        let n_contacts = run.model().n_contacts();
        let mut check = Self {
            table: run.events()?,
            waiting: None,
            model: run.model().clone(),
            every: run.loaded.scenario.every,
            h: run.loaded.scenario.adaptive.is_none().then_some(run.loaded.scenario.step),
            detector: EventDetector::new(n_contacts),
            step: Step::default(),
            counts: EventKind::ALL.map(|kind| (kind.as_str(), 0)).into(),
            last_step: 0,
            located: run.loaded.scenario.scheme.facts().has(Ability::LocatesEvents),
            last_t: 0.0,
            begun: 0.0,
            fastest: 0.0,
            tolerance: run.loaded.scenario.solver.tolerance,
            in_parts: run.summary.solver.contains_key(IN_PARTS),
            wrong: None,
        };
        check.detector.start(&run.loaded.scenario.scheme, run.model());
        check.advance()?;
        Ok(check)
    }

    fn advance(&mut self) -> Result<()> {
        self.waiting = None;
        if !self.table.next()? {
            return Ok(());
        }
        let table = &self.table;
        let Some(kind) = EventKind::ALL.into_iter().find(|kind| kind.as_str() == table.word(2)) else {
            return table.refuse(format!("\"{}\" is no kind of event", table.word(2)), "run the scenario again");
        };
        let contact = table.integer(3)? as usize;
        if !self.model.knows_contact(contact) {
            return table.refuse(format!("contact {contact} does not exist"), "run the scenario again");
        }
        self.waiting = Some(Event {
            t: table.number(0)?,
            step: table.integer(1)?,
            kind,
            contact,
            u_before: table.number_or_zero(4)?,
            u_after: table.number_or_zero(5)?,
            p: table.number(6)?,
        });
        Ok(())
    }

    fn differs(&mut self, event: &Event, what: &str) {
        let Event { t, step, kind, contact, .. } = event;
        self.wrong.get_or_insert_with(|| format!("step {step}, t = {t}, contact {contact}: {} {what}", kind.as_str()));
    }

    /// Compares the events up to a row with its contacts and, for linear models, with the velocities before.
    pub fn row(&mut self, row: &Row, before: &Row, linear: Option<&LinearModel>) -> Result<()> {
        if let Some(h) = self.h.filter(|_| row.step == 0) {
            self.begun = (row.state.t / h).round();
        }
        if self.located {
            return self.located_row(row);
        }
        // without velocities the detector names the beginnings and ends of persistent contact, no impact
        let mut expected: Vec<(EventKind, usize)> = Vec::new();
        if self.every == 1 && row.step > 0 {
            self.step.after.t = row.state.t;
            self.step.contacts.clone_from(&row.contacts);
            self.step.friction.clone_from(&row.friction);
            for c in &mut self.step.contacts {
                (c.u_before, c.u_free) = (0.0, 0.0);
            }
            self.detector.step(row.step, &self.step, |event| expected.push((event.kind, event.contact)));
        }
        let mut impacts: Vec<usize> = Vec::new();
        while let Some(event) = self.waiting.take_if(|event| event.step <= row.step) {
            self.advance()?;
            *self.counts.entry(event.kind.as_str()).or_default() += 1;
            if event.step < self.last_step || event.step == 0 {
                self.differs(&event, "is out of order");
            }
            self.last_step = self.last_step.max(event.step);
            let off = match self.h {
                Some(h) => (event.t - (self.begun + event.step as f64) * h).abs() > 1e-12 * event.t.abs(),
                None => event.t > row.state.t || event.t <= before.state.t,
            };
            if off {
                self.differs(&event, "is not at the time of its step");
            }
            if event.kind != EventKind::Open && event.p <= 0.0 {
                self.differs(&event, "without an impulse");
            }
            if self.every > 1 {
                continue;
            }
            if event.step != row.step || event.t != row.state.t {
                self.differs(&event, "is not at the time of its step");
            }
            // a contact that has left the index set has no row, no velocity and no impulse
            let listed = row.contacts.iter().find(|c| c.id == event.contact);
            let (u, p) = listed.map_or((0.0, 0.0), |c| (c.u_after, c.p));
            if event.p != p {
                self.differs(&event, &format!("with p_n = {}, in contacts.csv {p}", event.p));
            }
            if event.u_after != u {
                self.differs(&event, &format!("with u_n_after = {}, in contacts.csv {u}", event.u_after));
            }
            if event.kind == EventKind::Impact {
                // nonlinear schemes measure it inside the step
                let u = linear
                    .filter(|_| !self.in_parts)
                    .map_or(event.u_before, |m| m.gap_rate(event.contact, &before.state.v, before.state.t));
                if (event.u_before - u).abs() > TOLERANCE * u.abs() {
                    self.differs(&event, &format!("with u_n_before = {}, again {u}", event.u_before));
                }
                if impacts.contains(&event.contact) {
                    self.differs(&event, "appears twice");
                }
                impacts.push(event.contact);
            } else if let Some(k) = expected.iter().position(|&pair| pair == (event.kind, event.contact)) {
                expected.swap_remove(k);
            } else {
                self.differs(&event, "does not follow from the impulses");
            }
        }
        if let Some((kind, contact)) = expected.first() {
            let place = format!("step {}, t = {}, contact {contact}", row.step, row.state.t);
            self.wrong.get_or_insert_with(|| format!("{place}: {} is missing", kind.as_str()));
        }
        Ok(())
    }

    /// Events with instants of their own: inside their step, in the order of time, impacts with no more impulse than the
    /// contact got in all.
    fn located_row(&mut self, row: &Row) -> Result<()> {
        // located events go with equal steps
        let h = self.h.unwrap_or(f64::INFINITY);
        self.fastest = row.state.v.iter().fold(self.fastest, |s, v| s.max(v.abs()));
        let mut given: BTreeMap<usize, f64> = BTreeMap::new();
        while let Some(event) = self.waiting.take_if(|event| event.step <= row.step) {
            self.advance()?;
            *self.counts.entry(event.kind.as_str()).or_default() += 1;
            let [begins, ends] = [event.step.max(1) - 1, event.step].map(|k| (self.begun + k as f64) * h);
            let slack = 1e-12 * ends;
            if event.step == 0 || event.t < begins - slack || event.t > ends + slack {
                self.differs(&event, "is not within its step");
            }
            if event.t < self.last_t || event.step < self.last_step {
                self.differs(&event, "is out of order");
            }
            (self.last_t, self.last_step) = (event.t, event.step);
            let impact = event.kind == EventKind::Impact;
            if impact != (event.p > 0.0) {
                self.differs(&event, &format!("with p_n = {}", event.p));
            }
            if impact {
                *given.entry(event.contact).or_default() += event.p;
                if let Some(wrong) = self.breaks_the_law(&event, &row.state.q) {
                    self.differs(&event, &wrong);
                }
            }
            let all = row.contacts.iter().find(|c| c.id == event.contact).map(|c| c.p);
            let sum = given.get(&event.contact).copied().unwrap_or(0.0);
            // a contact about to open may pull by round-off, which "impulses" judges: what gave nothing has not given more
            if all.is_none_or(|p| sum > p.max(0.0) * (1.0 + TOLERANCE)) {
                self.differs(&event, "with more impulse than its contact has in contacts.csv");
            }
        }
        Ok(())
    }

    /// Newton's law of a contact that got an impulse, u⁺ = −ê u⁻. One that approached has its own ê = e, or 0 where the rebound was too
    /// slow to count; one that was opening when others pulled it back has any ê up to the largest: it is let go no faster than that.
    fn breaks_the_law(&self, event: &Event, q: &[f64]) -> Option<String> {
        let Event { u_before, u_after, contact, p, .. } = *event;
        let slack = (TOLERANCE + self.tolerance) * self.fastest.max(u_before.abs());
        let own = self.model.restitution(contact);
        let fits = if p * self.model.mobility(contact, q) <= slack {
            // round-off of an impulse moves nothing: the inequality is left of the law, with ê = 0 for what approached too slowly to rebound, and up to the
            // largest ê for what was opening
            u_after >= if u_before < 0.0 { 0.0 } else { -self.model.largest_restitution() * u_before } - slack
        } else if u_before < 0.0 {
            [0.0, own].iter().any(|e| (u_after + e * u_before).abs() <= slack)
        } else {
            let largest = self.model.largest_restitution();
            u_after <= slack && u_after >= -largest * u_before - slack
        };
        (!fits).then(|| format!("with u_n = {u_before:e} and {u_after:e} after it, where e = {own}"))
    }

    /// Counts per kind against the summary.
    pub fn finish(mut self, run: &RunFolder) -> Result<Finding> {
        while let Some(event) = self.waiting.take() {
            self.differs(&event, "comes after the last row");
            self.advance()?;
        }
        let stored = &run.summary.events;
        for (kind, n) in &self.counts {
            let told = stored.get(*kind).copied().unwrap_or(0);
            if told != *n {
                self.wrong.get_or_insert_with(|| format!("{n} rows of kind {kind}, {told} in summary.json"));
            }
        }
        if let Some(kind) = stored.keys().find(|kind| !self.counts.contains_key(kind.as_str())) {
            self.wrong.get_or_insert_with(|| format!("summary.json counts events of kind {kind}, which is unknown"));
        }
        Ok(match self.wrong {
            Some(place) => Finding::Differs { worst: 1.0, place },
            None => Finding::Agrees(0.0),
        })
    }
}
