//! What joints carry and how far they have come: curves of bounded size, and the extremes of every joint.

use crate::report::ALL_CURVES;
use crate::series::{Series, is_drawable};

/// Joints whose curves are kept; of further ones the extremes are.
const CURVES: usize = 64;

/// A joint as it is known before the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMeta {
    /// Its name.
    pub name: String,
    /// The unit of its coordinate; empty where it has none.
    pub unit: String,
    /// Whether a reader chose it by name.
    pub chosen: bool,
}

/// A value and when it was met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    pub value: f64,
    pub t: f64,
}

/// One joint over the run.
#[derive(Clone, Debug, Default)]
pub struct JointCurves {
    pub meta: JointMeta,
    /// |f| [N], and the moment [N m]: about the normal of the plane, or its size in space.
    pub force: Series,
    pub moment: Series,
    /// Angle or displacement.
    pub value: Series,
    /// The largest of each; none where nothing was told.
    pub largest_force: Option<Peak>,
    pub largest_moment: Option<Peak>,
    /// The largest impulse of a step with an impact [N s]; such steps are in no curve.
    pub largest_impulse: Option<Peak>,
    /// Least and largest coordinate.
    pub range: Option<(f64, f64)>,
}

/// The joints of a run.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    pub list: Vec<JointCurves>,
    /// Whether reactions are means of two steps.
    pub of_two_steps: bool,
}

impl Joints {
    /// Before the run.
    pub fn new(joints: &[JointMeta], of_two_steps: bool) -> Self {
        let list = joints.iter().map(|meta| JointCurves { meta: meta.clone(), ..Default::default() }).collect();
        Self { list, of_two_steps }
    }

    /// What joint j carries where nothing strikes, mean over a step or two.
    pub fn push_reaction(&mut self, t: f64, j: usize, force: f64, moment: f64) {
        let Some(joint) = self.list.get_mut(j).filter(|_| is_drawable(force) && is_drawable(moment)) else { return };
        larger(&mut joint.largest_force, force, t);
        larger(&mut joint.largest_moment, moment, t);
        if j < CURVES || joint.meta.chosen {
            joint.force.push(t, force);
            joint.moment.push(t, moment);
        }
    }

    /// What joint j gave in a step with an impact [N s].
    pub fn push_impulse(&mut self, t: f64, j: usize, impulse: f64) {
        let Some(joint) = self.list.get_mut(j).filter(|_| is_drawable(impulse)) else { return };
        larger(&mut joint.largest_impulse, impulse, t);
        joint.force.interrupt();
        joint.moment.interrupt();
    }

    /// Whether any joint was struck.
    pub fn are_struck(&self) -> bool {
        self.list.iter().any(|joint| joint.largest_impulse.is_some())
    }

    /// How far joint j has come.
    pub fn push_value(&mut self, t: f64, j: usize, value: f64) {
        let Some(joint) = self.list.get_mut(j).filter(|_| is_drawable(value)) else { return };
        joint.range = Some(joint.range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        if j < CURVES || joint.meta.chosen {
            joint.value.push(t, value);
        }
    }

    /// Whether any reaction was told.
    pub fn react(&self) -> bool {
        self.list.iter().any(|joint| joint.largest_force.is_some() || joint.largest_impulse.is_some())
    }

    /// Whether a joint carries a moment that is not round-off beside its forces.
    pub fn twist(&self) -> bool {
        let most = |of: fn(&JointCurves) -> Option<Peak>| {
            self.list.iter().filter_map(of).map(|peak| peak.value.abs()).fold(0.0, f64::max)
        };
        most(|joint| joint.largest_moment) > 1e-9 * most(|joint| joint.largest_force)
    }

    /// The joints that have curves: those chosen, else the ones that carry most of one kind, in the order of the scenario.
    pub fn drawn(&self, most: usize, carried: fn(&JointCurves) -> Option<Peak>) -> Vec<&JointCurves> {
        let chosen: Vec<&JointCurves> = self.list.iter().filter(|joint| joint.meta.chosen).collect();
        if !chosen.is_empty() {
            return chosen;
        }
        let size = |j: usize| carried(&self.list[j]).map_or(0.0, |peak| peak.value.abs());
        let mut order: Vec<usize> = (0..self.list.len().min(CURVES)).collect();
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        order.truncate(most.min(ALL_CURVES));
        order.sort_unstable();
        order.into_iter().map(|j| &self.list[j]).collect()
    }
}

fn larger(peak: &mut Option<Peak>, value: f64, t: f64) {
    if peak.is_none_or(|peak| value.abs() > peak.value.abs()) {
        *peak = Some(Peak { value, t });
    }
}
