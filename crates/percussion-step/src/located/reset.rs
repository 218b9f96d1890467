//! The impact of the contacts that took part in one, as a map of the velocity whose form does not change nearby.
//!
//!   normal:    u_N⁺ = −e u_N⁻
//!   sticking:  u_T⁺ = −α u_T⁻,   α = 0 under Coulomb's law on the velocity after the impact, 1 under Frémond's
//!   sliding:   P_T = ±μ P_N in the plane, with the sign the impact had
//!
//! Which contacts take part, and which of them slide, is what the impact found. It stays so nearby where every contact pushes, 0 < P_N, or
//! leaves, u_N⁺ > 0, every impulse that sticks lies inside its cone, and contacts that were closed or closed together are so nearby.
//! Contacts that repeat each other (two corners that stick on one floor) share their impulses in no unique way: of their rows so many are kept
//! as are independent, Wᵢᵢ − WᵢₖWₖₖ⁻¹Wₖᵢ > 0, which give the motion alone. The others, and contacts that neither push nor leave, are
//! checked: the law they obey here, c = u⁺ + e u⁻ or u_T⁺ + α u_T⁻ = 0, has to hold along every column, δc = 0.
//! In space the direction of a sliding impulse turns with the velocity, and there is no derivative here.

use crate::located::impact::ImpactMember;
use crate::located::motion::Motion;
use crate::located::no_derivative::{FlowStop, NoDerivative};
use crate::located::phase::Phase;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::{Hold, Row, TangentialMotion};
use percussion_matrix::{DenseMatrix, SmallLu, math};

/// Part of μP_N by which a sticking impulse stays inside its cone.
const INSIDE: f64 = 1e-9;
/// Part of the velocities of an impact below which a contact neither pushes nor leaves.
const NOTHING: f64 = 1e-9;
/// Part of its own response that a row keeps where the others hold, if it is independent of them.
const OWN: f64 = 1e-10;
/// Part of the velocities of an impact by which the map may miss what the impact was.
const AGREES: f64 = 1e-6;

/// What one row of an impact obeys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// u⁺ = −e u⁻; none: the contact's own e.
    Rebound(Option<f64>),
    /// u⁺ = −α u⁻.
    Stick(f64),
    /// P = c μ P of the normal of the same contact.
    Slide(f64),
}

/// The map v⁻ → v⁺ of an impact.
#[derive(Default)]
pub struct Reset {
    rows: Vec<Row>,
    rules: Vec<Rule>,
    /// Rows without an impulse of their own, whose rule has to hold all the same.
    checks: Vec<(Row, Rule)>,
    /// Contacts that approached or pushed: they are closed at the same instant.
    together: Vec<usize>,
}

impl Reset {
    /// The map that the last impact of a motion was, at a state; `closes`: the contact that closed.
    pub fn of(motion: &mut Motion, closes: Option<usize>, at: &Phase) -> Result<Self, FlowStop> {
        let rest = motion.rest();
        if motion.records.len() > 1 {
            return Err(FlowStop::at(at.t, NoDerivative::Succession(motion.records.len())));
        }
        let members = motion.records.first().map_or(Vec::new(), |record| record.members.clone());
        let mechanism = &mut *motion.mechanism;
        let largest = |of: fn(&ImpactMember) -> f64| members.iter().map(of).fold(0.0, f64::max);
        let scale = largest(|member| member.before.abs().max(member.after[0].abs()));
        let mut map = Self::default();
        for member in &members {
            let pushes = member.given > NOTHING * scale;
            if pushes {
                map.add(mechanism, member, scale).map_err(|reason| FlowStop::at(at.t, reason))?;
            } else if member.after[0] <= NOTHING * scale {
                map.checks.push((Row::normal(member.contact), Rule::Rebound(Some(member.restitution))));
            }
            if pushes || member.before < -rest {
                map.together.push(member.contact);
            }
        }
        if let Some(i) = closes.filter(|_| map.rows.is_empty()) {
            // a closing slower than rest counts as plastic
            map.rows.push(Row::normal(i));
            map.rules.push(Rule::Rebound(Some(0.0)));
        }
        if !map.keep_independent(mechanism, at) || !map.agrees(mechanism, at, &members, scale) {
            return Err(FlowStop::at(at.t, NoDerivative::Shares(map.together.len())));
        }
        Ok(map)
    }

    /// The map that brings velocities near those of a motion onto what it holds, without rebound: what is pressed comes back however it left, and
    /// whatever it did in between its impulses come to the same, −μP_N d where it slides.
    pub fn onto_held(motion: &mut Motion) -> Option<Self> {
        let Motion { mechanism, held, now, .. } = motion;
        let (mechanism, mut map) = (&mut **mechanism, Self::default());
        for &Hold { contact, along } in held.iter() {
            map.rows.push(Row::normal(contact));
            map.rules.push(Rule::Rebound(Some(0.0)));
            let tangents = mechanism.n_tangents(contact);
            let u = mechanism.tangent_rate(contact, &now.q, &now.v);
            for component in 1..=tangents {
                let rule = match along {
                    TangentialMotion::Frictionless => continue,
                    TangentialMotion::Sticks => Rule::Stick(0.0),
                    TangentialMotion::Slides(sliding) => Rule::Slide(-sliding.at(u, tangents)[component - 1]),
                };
                map.rows.push(Row { contact, component });
                map.rules.push(rule);
            }
        }
        map.keep_independent(mechanism, now).then_some(map)
    }

    /// Whether it is the map of no impact.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Contacts that close at the same instant.
    pub fn together(&self) -> &[usize] {
        &self.together
    }

    /// How many numbers follow v⁺ and the work: what must not change.
    pub fn n_checks(&self) -> usize {
        self.checks.len()
    }

    /// The contact of check k.
    pub fn checked(&self, k: usize) -> usize {
        self.checks[k].0.contact
    }

    fn add(&mut self, mechanism: &dyn Mechanism, member: &ImpactMember, scale: f64) -> Result<(), NoDerivative> {
        let &ImpactMember { contact, restitution, p, tangential, fremond, .. } = member;
        self.rows.push(Row::normal(contact));
        self.rules.push(Rule::Rebound((restitution != mechanism.restitution(contact)).then_some(restitution)));
        let (tangents, most) = (mechanism.n_tangents(contact), mechanism.friction(contact) * p);
        let sticks = math::hypot(tangential[0], tangential[1]) < (1.0 - INSIDE) * most;
        for component in 1..=tangents {
            let row = Row { contact, component };
            let stick = Rule::Stick(if fremond { 1.0 } else { 0.0 });
            self.rows.push(row);
            self.rules.push(match sticks {
                true => stick,
                false if tangents == 1 => {
                    // an impulse on its cone that lets nothing slide: others hold it
                    if member.after[1].abs() <= NOTHING * scale {
                        self.checks.push((row, stick));
                    }
                    Rule::Slide(tangential[0].signum())
                }
                false => return Err(NoDerivative::SlidesInSpace(contact)),
            });
        }
        Ok(())
    }

    /// Leaves rows that repeat others to the checks; false when the responses are singular.
    fn keep_independent(&mut self, mechanism: &mut dyn Mechanism, at: &Phase) -> bool {
        let n = self.rows.len();
        let mut W = DenseMatrix::zeros(n, n);
        if !mechanism.response(at.t, &at.q, &self.rows, &mut W) {
            return false;
        }
        // Cholesky's factor of the rows kept, normals first
        let mut order: Vec<usize> = (0..n).filter(|&k| !matches!(self.rules[k], Rule::Slide(_))).collect();
        order.sort_by_key(|&k| self.rows[k].component);
        let (mut kept, mut factor): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for k in order {
            let mut line: Vec<f64> = Vec::with_capacity(kept.len() + 1);
            for (j, other) in kept.iter().zip(&factor) {
                let done: f64 = line.iter().zip(other).map(|(a, b)| a * b).sum();
                line.push((W.get(k, *j) - done) / other[line.len()]);
            }
            let own = W.get(k, k) - line.iter().map(|x| x * x).sum::<f64>();
            if own > OWN * W.get(k, k) {
                line.push(own.sqrt());
                kept.push(k);
                factor.push(line);
            } else {
                self.checks.push((self.rows[k], self.rules[k]));
            }
        }
        let pushes = |k: usize| match self.rules[k] {
            Rule::Slide(_) => kept.iter().any(|&l| self.rows[l] == Row::normal(self.rows[k].contact)),
            Rule::Rebound(_) | Rule::Stick(_) => kept.contains(&k),
        };
        let stay: Vec<usize> = (0..n).filter(|&k| pushes(k)).collect();
        self.rows = stay.iter().map(|&k| self.rows[k]).collect();
        self.rules = stay.iter().map(|&k| self.rules[k]).collect();
        true
    }

    /// Whether it leads where the impact led: it does not where what contacts share in no unique way decides how they slide.
    fn agrees(&self, mechanism: &mut dyn Mechanism, at: &Phase, members: &[ImpactMember], scale: f64) -> bool {
        let n = at.v.len();
        let mut out = vec![0.0; n + 1 + self.checks.len()];
        if !self.apply(mechanism, (at.t, &at.q, &at.v), &mut out) {
            return false;
        }
        let speed = members.iter().map(|member| member.slip.abs()).fold(scale, f64::max);
        members.iter().all(|member| {
            let i = member.contact;
            let normal = mechanism.gap_rate(i, &at.q, &out[..n], at.t);
            let along = mechanism.tangent_rate(i, &at.q, &out[..n]);
            let pushes = self.rows.iter().any(|row| row.contact == i);
            let near = |a: f64, b: f64| (a - b).abs() <= AGREES * speed;
            near(normal, member.after[0])
                && (!pushes || near(along[0], member.after[1]) && near(along[1], member.after[2]))
        })
    }

    /// v⁺ = v + M⁻¹H P, behind it the work ½P·(u⁻ + u⁺), and behind that what is checked.
    pub fn apply(&self, mechanism: &mut dyn Mechanism, (t, q, v): (f64, &[f64], &[f64]), out: &mut [f64]) -> bool {
        let n = self.rows.len();
        let mut W = DenseMatrix::zeros(n, n);
        if !mechanism.response(t, q, &self.rows, &mut W) {
            return false;
        }
        let rate = |mechanism: &mut dyn Mechanism, row: Row, v: &[f64]| match row.component {
            0 => mechanism.gap_rate(row.contact, q, v, t),
            component => mechanism.tangent_rate(row.contact, q, v)[component - 1],
        };
        let (mut p, mut before): (Vec<f64>, Vec<f64>) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut lu = SmallLu::default();
        let A = lu.reset(n);
        A.copy_from_slice(W.values());
        for (k, (row, rule)) in self.rows.iter().zip(&self.rules).enumerate() {
            let u = rate(mechanism, *row, v);
            before.push(u);
            p.push(match *rule {
                Rule::Rebound(given) => -(1.0 + given.unwrap_or_else(|| mechanism.restitution(row.contact))) * u,
                Rule::Stick(alpha) => -(1.0 + alpha) * u,
                Rule::Slide(sign) => {
                    let own = Row::normal(row.contact);
                    let Some(normal) = self.rows.iter().position(|other| *other == own) else { return false };
                    (0..n).for_each(|l| A[k + l * n] = 0.0);
                    (A[k + k * n], A[k + normal * n]) = (1.0, -sign * mechanism.friction(row.contact));
                    0.0
                }
            });
        }
        if !lu.factorise() {
            return false;
        }
        lu.solve(&mut p);
        let (velocity, rest) = out.split_at_mut(v.len());
        let (work, checks) = rest.split_at_mut(1);
        velocity.copy_from_slice(v);
        work[0] = 0.0;
        for (k, &own) in p.iter().enumerate() {
            mechanism.push(k, own, velocity);
            let change: f64 = p.iter().enumerate().map(|(l, p)| W.get(k, l) * p).sum();
            work[0] += own * (before[k] + 0.5 * change);
        }
        for ((row, rule), check) in self.checks.iter().zip(checks) {
            let (before, after) = (rate(mechanism, *row, v), rate(mechanism, *row, velocity));
            *check = match *rule {
                Rule::Rebound(given) => after + given.unwrap_or_else(|| mechanism.restitution(row.contact)) * before,
                Rule::Stick(alpha) => after + alpha * before,
                Rule::Slide(_) => 0.0,
            };
        }
        true
    }
}
