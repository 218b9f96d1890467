//! Collects a run step by step in constant memory.
//!
//! Works come per step and are summed here; energies and residuals are taken as they are.

use crate::info::{Candidates, Meta, RunInfo};
use crate::joints::Joints;
use crate::report::{
    ALL_CURVES, ContactCurves, ContactTotals, Impact, LISTED_CONTACTS, LISTED_IMPACTS, Named, Report, is_drawn,
};
use crate::series::{MAX_POINTS, Series, is_drawable};
use crate::thinned::{Rule, Thinned};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of events told apart in the counts.
const MAX_KINDS: usize = 32;

/// Numbers of the moving picture, two bytes each before they are deflated: at least, and at most where 160 frames need more.
const FILM_NUMBERS: (usize, usize) = (400_000, 4_000_000);

/// The most frames of the moving picture.
const FRAMES: usize = 10_000;

/// Contacts chosen by name that have a curve, at most.
const CHOSEN_CONTACTS: usize = 24;

/// The most impulse arrows that are kept.
const ARROWS: usize = 8_000;

/// A report in the making. Push in the order of time; the order of the four pushes within a step is free.
#[derive(Clone, Debug, Default)]
pub struct ReportBuilder {
    meta: Meta,
    report: Report,
    states: u64,
    external: f64,
    damping: f64,
    contact: f64,
    projection: f64,
    joints: f64,
    numerical: f64,
    // whether an impact came since the last state
    impact: bool,
    // whether one came with the last state
    at_impact: bool,
    // what the moving picture counts, where that is not q
    frame: Vec<f64>,
    // smallest and largest of each coordinate
    ranges: Vec<(f64, f64)>,
    // the contacts that have a curve, where they are chosen by name
    chosen: Option<BTreeSet<usize>>,
    // whether they were chosen for the reader, of many
    few: bool,
    // the contacts of the instant under way, lengths and angles: time, smallest gap, sum of impulses
    instant: [Option<(f64, f64, f64)>; 2],
}

impl ReportBuilder {
    /// Nothing seen yet.
    pub fn new(meta: Meta) -> Self {
        let frame = 1 + meta.film.len();
        let film = Thinned::new(
            vec![Rule::Value; 1 + meta.film.len()],
            ((160 * frame).clamp(FILM_NUMBERS.0, FILM_NUMBERS.1) / frame).min(FRAMES),
        );
        let tables = meta.tables.iter().map(|table| {
            let rules: Vec<Rule> = table.columns.iter().map(|column| column.rule).collect();
            let capacity = table.budget / (8 * rules.len().max(1));
            (table.clone(), Thinned::new(rules, capacity))
        });
        let arrows = Thinned::new(vec![Rule::Value; 10], ARROWS);
        let joints = Joints::new(&meta.joints, meta.reactions_of_two_steps);
        let report = Report { film, arrows, joints, tables: tables.collect(), ..Report::default() };
        Self { meta, report, ..Self::default() }
    }

    /// A row of table number `table` of the meta data; `keep` marks one that thinning should spare.
    pub fn push_row(&mut self, table: usize, step: u64, keep: bool, row: impl IntoIterator<Item = f64>) {
        if let Some((_, rows)) = self.report.tables.get_mut(table) {
            rows.push(step, keep, row);
        }
    }

    /// A normal impulse and the friction beside it [N s] at a point of the picture, for contacts that come and go and
    /// have no mark of their own.
    pub fn push_arrow(&mut self, t: f64, at: [f64; 3], normal: [f64; 3], friction: [f64; 3]) {
        let row = || std::iter::once(t).chain(at).chain(normal).chain(friction);
        if row().all(is_drawable) {
            self.report.arrows.push(self.states, self.at_impact || self.impact, row());
        }
    }

    /// Names a contact that comes and goes; the number is shown where it has no name.
    pub fn name_contact(&mut self, contact: usize, name: impl FnOnce() -> String) {
        self.report.names.entry(contact).or_insert_with(name);
    }

    /// Says of a contact that its gap is an angle [rad] and its impulse that of a moment [N m s]; before it is pushed.
    pub fn contact_turns(&mut self, contact: usize) {
        self.report.angular.insert(contact);
    }

    /// Gives curves to those contacts alone that are named by `draw_contact`.
    pub fn choose_contacts(&mut self) {
        (self.chosen, self.few) = (Some(BTreeSet::new()), false);
    }

    /// Contacts that have a curve of their own, at most, where nobody names them.
    pub const FEW_CONTACTS: usize = ALL_CURVES;

    /// Gives curves to these contacts alone, of more; before any is pushed.
    pub fn draw_few_contacts(&mut self, contacts: &[usize]) {
        (self.chosen, self.few) = (Some(contacts.iter().copied().collect()), true);
    }

    /// A contact that has a curve, where they are chosen.
    pub fn draw_contact(&mut self, contact: usize) {
        if let Some(chosen) = self.chosen.as_mut().filter(|chosen| chosen.len() < CHOSEN_CONTACTS) {
            chosen.insert(contact);
        }
    }

    /// Smallest and largest value of each coordinate so far.
    pub fn ranges(&self) -> &[(f64, f64)] {
        &self.ranges
    }

    /// What the picture of the next state counts, instead of coordinates.
    pub fn set_frame(&mut self, values: &[f64]) {
        self.frame.clear();
        self.frame.extend_from_slice(values);
    }

    /// A state. Two states at one time draw a jump; so does an impact between two states.
    pub fn push_state(&mut self, t: f64, q: &[f64], v: &[f64]) {
        if self.states == 0 {
            self.report.n_positions = q.len();
            self.report.n_velocities = v.len();
            self.report.positions =
                drawn(&self.meta.q_drawn, q.len(), ("q", "m"), &self.meta.q_names, &self.meta.q_units);
            self.report.velocities =
                drawn(&self.meta.v_drawn, v.len(), ("v", "m/s"), &self.meta.v_names, &self.meta.v_units);
            self.ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); q.len()];
        }
        for ((low, high), &x) in self.ranges.iter_mut().zip(q).filter(|(_, x)| is_drawable(**x)) {
            (*low, *high) = (low.min(x), high.max(x));
        }
        self.at_impact = std::mem::take(&mut self.impact);
        if !self.meta.film.is_empty() && is_drawable(t) {
            let from = if self.frame.is_empty() { q } else { &self.frame };
            let at = |&i: &usize| from.get(i).copied().filter(|x| is_drawable(*x)).unwrap_or(0.0);
            self.report.film.push(self.states, self.at_impact, std::iter::once(t).chain(self.meta.film.iter().map(at)));
        }
        self.states += 1;
        self.count(&[t]);
        self.count(q);
        self.count(v);
        push_drawn(&mut self.report.positions, t, q);
        push_drawn(&mut self.report.velocities, t, v);
    }

    /// The ledger of a step (zero works for the initial state) [J]; `residual` is `None` for a scheme without identity.
    #[expect(clippy::too_many_arguments, reason = "one row of ledger.csv")]
    pub fn push_ledger(
        &mut self,
        t: f64,
        kinetic: f64,
        potential: f64,
        algorithmic_energy: f64,
        work_external: f64,
        work_damping: f64,
        work_contact: f64,
        dissipation: f64,
        residual: Option<f64>,
    ) {
        let total = kinetic + potential;
        self.external += finite(work_external);
        self.damping += finite(work_damping);
        self.contact += finite(work_contact);
        self.numerical += finite(dissipation);
        self.count(&[t, kinetic, potential, algorithmic_energy, residual.unwrap_or(0.0)]);
        self.count(&[work_external, work_damping, work_contact, dissipation]);

        let energy = &mut self.report.energy;
        energy.kinetic.push(t, kinetic);
        energy.potential.push(t, potential);
        energy.total.push(t, total);
        energy.algorithmic.push(t, algorithmic_energy);
        energy.external.push(t, self.external);
        energy.damping.push(t, self.damping);
        energy.contact.push(t, self.contact);
        energy.numerical.push(t, self.numerical);
        if let Some(residual) = residual {
            energy.residual.push(t, residual.abs());
            self.report.residual_max = self.report.residual_max.max(finite(residual.abs()));
        }
        self.report.energy_max = self.report.energy_max.max(finite(total.abs()));
        self.report.filtered_max = self.report.filtered_max.max(finite((algorithmic_energy - total).abs()));
    }

    /// The work of the joints in a step [J]; drawn when any was pushed.
    pub fn push_joint_work(&mut self, t: f64, work: f64) {
        self.count(&[t, work]);
        self.joints += finite(work);
        self.report.energy.joints.push(t, self.joints);
    }

    /// The impulse [N s] that joint number `joint` gave in a step with an impact.
    pub fn push_joint_impulse(&mut self, t: f64, joint: usize, impulse: f64) {
        self.count(&[t, impulse]);
        self.report.joints.push_impulse(t, joint, impulse);
    }

    /// What joint number `joint` of the meta data carries where nothing strikes: |f| [N] and its moment [N m].
    pub fn push_reaction(&mut self, t: f64, joint: usize, force: f64, moment: f64) {
        self.count(&[t, force, moment]);
        self.report.joints.push_reaction(t, joint, force, moment);
    }

    /// Its angle or displacement.
    pub fn push_joint(&mut self, t: f64, joint: usize, value: f64) {
        self.count(&[t, value]);
        self.report.joints.push_value(t, joint, value);
    }

    /// The part of a step's contact work that the projection of positions did [J].
    pub fn push_projection(&mut self, t: f64, work: f64) {
        self.count(&[t, work]);
        self.projection += finite(work);
        self.report.energy.projection.push(t, self.projection);
    }

    /// The gap [m] and normal impulse [N s] of a contact, or [rad] and [N m s]; where a contact is not pushed beside a state, its curve
    /// breaks.
    pub fn push_gap(&mut self, t: f64, contact: usize, gap: f64, p_n: f64) {
        self.count(&[t, gap, p_n]);
        if is_drawable(gap) {
            self.report.gap_min = Some(self.report.gap_min.map_or(gap, |least| least.min(gap)));
        }
        if let Some(totals) = self.totals(contact).filter(|_| is_drawable(gap)) {
            totals.gap_min = Some(totals.gap_min.map_or(gap, |least| least.min(gap)));
        }
        let angular = self.report.angular.contains(&contact);
        let kind = usize::from(angular);
        self.instant[kind] = match self.instant[kind] {
            Some((at, least, sum)) if at == t => Some((at, least.min(gap), sum + p_n)),
            earlier => {
                self.end_instant(kind, earlier);
                let all = &mut self.report.all_contacts[kind];
                if self.states > all.seen_at + 1 {
                    all.gap.interrupt();
                }
                all.seen_at = self.states;
                Some((t, gap, p_n))
            }
        };

        // those chosen, a few of a known number, else the first that come
        let (n, known) = (self.meta.n_contacts, &self.report.contacts);
        let admitted = match &self.chosen {
            Some(chosen) => chosen.contains(&contact),
            None if n > ALL_CURVES => is_drawn(contact, n),
            None => known.len() < ALL_CURVES,
        };
        if !admitted && !known.contains_key(&contact) {
            self.report.contacts_hidden |= self.chosen.is_none() || self.few;
            return;
        }
        let states = self.states;
        let given = self.report.names.get(&contact).cloned();
        let name = || given.unwrap_or_else(|| name_of(contact, "contact ", &self.meta.contact_names));
        let curves = self.report.contacts.entry(contact).or_insert_with(|| ContactCurves {
            name: name(),
            angular,
            seen_at: states,
            ..ContactCurves::default()
        });
        if states > curves.seen_at + 1 {
            curves.gap.interrupt();
        }
        curves.seen_at = states;
        curves.gap.push(t, gap);
        curves.impulse.push(t, p_n);
    }

    /// Velocities [m/s] and impulses [N s] along the tangents of a contact pushed at the same time; drawn when it is.
    pub fn push_sliding(&mut self, t: f64, contact: usize, u_t: &[f64], p_t: &[f64]) {
        self.count(u_t);
        self.count(p_t);
        let Some(curves) = self.report.contacts.get_mut(&contact) else { return };
        curves.sliding.resize_with(u_t.len().max(curves.sliding.len()), Default::default);
        for ((velocity, impulse), (&u, &p)) in curves.sliding.iter_mut().zip(u_t.iter().zip(p_t)) {
            velocity.push(t, u);
            impulse.push(t, p);
        }
    }

    /// An event: impact, close, open, stick or slip; normal velocities [m/s] before and after, normal impulse [N s].
    pub fn push_event(&mut self, t: f64, kind: &str, contact: usize, u_before: f64, u_after: f64, p: f64) {
        self.count(&[t, u_before, u_after, p]);
        let events = &mut self.report.events;
        if events.contains_key(kind) || events.len() < MAX_KINDS {
            *events.entry(kind.to_string()).or_default() += 1;
        }
        // a contact that closes without a velocity of its own jumps nothing
        let jumps = kind == "impact" || kind == "close" && u_before != u_after;
        if jumps && is_drawable(t) && self.report.jumps.len() < MAX_POINTS {
            self.report.jumps.push(t);
        }
        if kind == "impact" {
            self.impact = true;
            if let Some(totals) = self.totals(contact) {
                totals.impacts += 1;
                totals.largest = totals.largest.max(finite(p));
            }
            self.report.impact_impulse.push(t, p);
            if self.report.impacts.len() < LISTED_IMPACTS {
                self.report.impacts.push(Impact { t, contact, u_before, u_after, p });
            }
        }
    }

    /// The report.
    pub fn finish(mut self, run: RunInfo) -> Report {
        for kind in [0, 1] {
            let instant = self.instant[kind].take();
            self.end_instant(kind, instant);
        }
        let mut report = self.report;
        for (curves, rule) in [&mut report.positions, &mut report.velocities].into_iter().zip(self.meta.candidates) {
            if let Some(rule) = rule {
                keep_what_moves(curves, rule);
            }
        }
        report.info = run;
        report
    }

    fn totals(&mut self, contact: usize) -> Option<&mut ContactTotals> {
        let totals = &mut self.report.totals;
        if totals.len() >= LISTED_CONTACTS && !totals.contains_key(&contact) {
            return None;
        }
        Some(totals.entry(contact).or_default())
    }

    // values that cannot be drawn are said on the page
    fn count(&mut self, values: &[f64]) {
        self.report.not_finite += values.iter().filter(|x| !is_drawable(**x)).count() as u64;
    }

    fn end_instant(&mut self, kind: usize, instant: Option<(f64, f64, f64)>) {
        if let Some((t, least, sum)) = instant {
            let all = &mut self.report.all_contacts[kind];
            all.gap.push(t, least);
            all.impulse.push(t, sum);
        }
    }
}

// those chosen, else a few
fn drawn(chosen: &[usize], n: usize, (letter, unit): (&str, &str), names: &[String], units: &[String]) -> Vec<Named> {
    let few: Vec<usize> =
        if chosen.is_empty() { (0..n).filter(|&i| is_drawn(i, n)).collect() } else { chosen.to_vec() };
    let unit_of = |i: usize| units.get(i).cloned().unwrap_or_else(|| unit.to_string());
    few.into_iter()
        .map(|i| Named { index: i, name: name_of(i, letter, names), unit: unit_of(i), series: Series::new() })
        .collect()
}

/// Part of the longest way of a unit under which a curve stands still: round-off.
const STILL: f64 = 1e-9;
/// Part of the longest way of any unit, as a number, under which a whole unit does: bodies that only turn move by 1e-33 m.
const UNIT_STILL: f64 = 1e-10;
/// What no curve exceeds where all stand still, as a part of the largest value.
const ROUND_OFF: f64 = 1e-11;

/// Leaves the curves that move, or of the component that moves most those that move most, unit by unit.
fn keep_what_moves(curves: &mut Vec<Named>, rule: Candidates) {
    let component = |curve: &Named| curve.name.rsplit('.').next().unwrap_or_default().to_string();
    let way: Vec<f64> = curves.iter().map(|curve| curve.series.extent()).collect();
    let mut ways: BTreeMap<(String, String), f64> = BTreeMap::new();
    let mut longest: BTreeMap<String, f64> = BTreeMap::new();
    for (curve, way) in curves.iter().zip(&way) {
        *ways.entry((curve.unit.clone(), component(curve))).or_default() += way;
        let longest = longest.entry(curve.unit.clone()).or_default();
        *longest = longest.max(*way);
    }
    let leads = |curve: &Named| {
        let own = ways[&(curve.unit.clone(), component(curve))];
        ways.iter().filter(|((unit, _), _)| *unit == curve.unit).all(|(_, other)| *other <= own)
    };
    let of_all = longest.values().copied().fold(0.0, f64::max);
    let moves = |curve: &Named, way: f64| {
        let of_unit = longest[&curve.unit];
        way > STILL * of_unit && of_unit > UNIT_STILL * of_all
    };
    // where nothing moves but round-off, the last component: the height
    let largest = curves.iter().filter_map(|curve| curve.series.first()).fold(0.0, |a: f64, y| a.max(y.abs()));
    let at_rest = of_all <= ROUND_OFF * largest;
    let last: BTreeMap<String, String> = curves.iter().map(|curve| (curve.unit.clone(), component(curve))).collect();
    let keep: Vec<bool> = curves
        .iter()
        .zip(&way)
        .map(|(curve, &way)| match rule {
            Candidates::Each | Candidates::OneComponent if at_rest => last[&curve.unit] == component(curve),
            Candidates::Each => moves(curve, way),
            Candidates::OneComponent => leads(curve) && moves(curve, way),
        })
        .collect();
    // of one component of many bodies those that move most, in their order
    let rank = |i: usize| {
        let rivals = (0..curves.len()).filter(|&k| keep[k] && curves[k].unit == curves[i].unit);
        rivals.filter(|&k| way[k] > way[i] || (way[k] == way[i] && k < i)).count()
    };
    let most = |i: usize| rule == Candidates::Each || rank(i) < ALL_CURVES;
    let keep: Vec<bool> = (0..curves.len()).map(|i| keep[i] && most(i)).collect();
    let mut keep = keep.into_iter();
    curves.retain(|_| keep.next().unwrap_or(true));
}

fn push_drawn(curves: &mut [Named], t: f64, values: &[f64]) {
    for curve in curves {
        if let Some(&value) = values.get(curve.index) {
            curve.series.push(t, value);
        }
    }
}

fn name_of(i: usize, letter: &str, names: &[String]) -> String {
    names.get(i).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| format!("{letter}{i}"))
}

fn finite(x: f64) -> f64 {
    if is_drawable(x) { x } else { 0.0 }
}
