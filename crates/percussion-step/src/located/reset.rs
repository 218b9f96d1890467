//! The impact of the contacts that took part in one, as a map of the velocity whose form does not change nearby.
//!
//!   normal:    u_N⁺ = −e u_N⁻
//!   sticking:  u_T⁺ = −α u_T⁻,   α = 0 under Coulomb's law on the velocity after the impact, 1 under Frémond's
//!   sliding:   P_T = ±μ P_N in the plane, with the sign the impact had
//!
//! Which contacts take part, and which of them slide, is what the impact found. In space the direction of a sliding impulse turns
//! with the velocity, and there is no derivative here.

use crate::located::impact::{ImpactMember, ImpactRecord};
use crate::located::motion::Motion;
use crate::located::no_derivative::{FlowStop, NoDerivative};
use crate::located::phase::Phase;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::Row;
use percussion_matrix::{DenseMatrix, SmallLu, math};

/// Part of μP_N by which a sticking impulse stays inside its cone.
const INSIDE: f64 = 1e-9;

/// What one row of an impact obeys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// u⁺ = −e u⁻; none: the contact's own e.
    Rebound(Option<f64>),
    /// u⁺ = −α u⁻.
    Stick(f64),
    /// P = ±μ P of the normal, whose row is given.
    Slide(f64, usize),
}

/// The map v⁻ → v⁺ of an impact.
pub struct Reset {
    rows: Vec<Row>,
    rules: Vec<Rule>,
}

impl Reset {
    /// The map that the last impact of a motion was, when contact i closed at a state.
    pub fn of(motion: &mut Motion, i: usize, at: &Phase) -> Result<Self, FlowStop> {
        let rest = motion.rest();
        let records: &[ImpactRecord] = &motion.records;
        if records.len() > 1 {
            return Err(FlowStop::at(at.t, NoDerivative::Succession(records.len())));
        }
        let mut map = Self { rows: Vec::new(), rules: Vec::new() };
        for record in records {
            let approaching = record.members.iter().filter(|member| member.before < -rest).count();
            if approaching > 1 {
                return Err(FlowStop::at(at.t, NoDerivative::Corner(approaching)));
            }
            for member in record.members.iter().filter(|member| member.p > 0.0) {
                map.add(&*motion.mechanism, member).map_err(|reason| FlowStop::at(at.t, reason))?;
            }
        }
        if map.rows.is_empty() {
            // a closing slower than rest counts as plastic
            map.rows.push(Row::normal(i));
            map.rules.push(Rule::Rebound(Some(0.0)));
        }
        Ok(map)
    }

    fn add(&mut self, mechanism: &dyn Mechanism, member: &ImpactMember) -> Result<(), NoDerivative> {
        let &ImpactMember { contact, restitution, p, tangential, fremond, .. } = member;
        let normal = self.rows.len();
        self.rows.push(Row::normal(contact));
        self.rules.push(Rule::Rebound((restitution != mechanism.restitution(contact)).then_some(restitution)));
        let (tangents, most) = (mechanism.n_tangents(contact), mechanism.friction(contact) * p);
        let sticks = math::hypot(tangential[0], tangential[1]) < (1.0 - INSIDE) * most;
        for component in 1..=tangents {
            self.rows.push(Row { contact, component });
            self.rules.push(match sticks {
                true => Rule::Stick(if fremond { 1.0 } else { 0.0 }),
                false if tangents == 1 => Rule::Slide(tangential[0].signum(), normal),
                false => return Err(NoDerivative::SlidesInSpace(contact)),
            });
        }
        Ok(())
    }

    /// v⁺ = v + M⁻¹H P, and behind it the work ½P·(u⁻ + u⁺).
    pub fn apply(&self, mechanism: &mut dyn Mechanism, (t, q, v): (f64, &[f64], &[f64]), out: &mut [f64]) -> bool {
        let n = self.rows.len();
        let mut W = DenseMatrix::zeros(n, n);
        if !mechanism.response(t, q, &self.rows, &mut W) {
            return false;
        }
        let (mut p, mut before): (Vec<f64>, Vec<f64>) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut lu = SmallLu::default();
        let A = lu.reset(n);
        A.copy_from_slice(W.values());
        for (k, (row, rule)) in self.rows.iter().zip(&self.rules).enumerate() {
            let u = match row.component {
                0 => mechanism.gap_rate(row.contact, q, v, t),
                component => mechanism.tangent_rate(row.contact, q, v)[component - 1],
            };
            before.push(u);
            p.push(match *rule {
                Rule::Rebound(given) => -(1.0 + given.unwrap_or_else(|| mechanism.restitution(row.contact))) * u,
                Rule::Stick(alpha) => -(1.0 + alpha) * u,
                Rule::Slide(sign, normal) => {
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
        let (velocity, work) = out.split_at_mut(v.len());
        velocity.copy_from_slice(v);
        work[0] = 0.0;
        for (k, &own) in p.iter().enumerate() {
            mechanism.push(k, own, velocity);
            let change: f64 = p.iter().enumerate().map(|(l, p)| W.get(k, l) * p).sum();
            work[0] += own * (before[k] + 0.5 * change);
        }
        true
    }
}
