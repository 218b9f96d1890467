//! The face of a linear model: g = Gᵀq + w(t), J q + c = 0, everything checked when it was made.

use super::{Mechanics, Structure, row_product, row_terms};
use crate::{InputError, LinearModel};
use std::sync::Arc;

impl Mechanics for LinearModel {
    fn structure(self: Arc<Self>) -> Structure {
        Structure::Constant(self)
    }

    fn n_q(&self) -> usize {
        self.n()
    }

    fn n_v(&self) -> usize {
        self.n()
    }

    fn n_contacts(&self) -> usize {
        self.contacts().len()
    }

    fn n_joints(&self) -> usize {
        self.joints().len()
    }

    fn contacts_vary(&self) -> bool {
        false
    }

    fn restitution(&self, i: usize) -> f64 {
        self.contacts()[i].restitution
    }

    fn friction(&self, i: usize) -> f64 {
        self.contacts()[i].friction
    }

    fn rolling(&self, _i: usize) -> f64 {
        0.0
    }

    fn n_tangents(&self, i: usize) -> usize {
        self.tangent_columns(i).len()
    }

    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        Self::gap(self, i, q, t)
    }

    fn gap_rate(&self, i: usize, _q: &[f64], v: &[f64], t: f64) -> f64 {
        Self::gap_rate(self, i, v, t)
    }

    fn gap_row(&self, i: usize, _q: &[f64], row: &mut Vec<(usize, f64)>) {
        let (places, values) = self.G().column(i);
        row.clear();
        row.extend(places.iter().copied().zip(values.iter().copied()));
    }

    fn tangent_rate(&self, i: usize, _q: &[f64], v: &[f64]) -> [f64; 2] {
        Self::tangent_rate(self, i, v)
    }

    fn gap_terms(&self, i: usize, q: &[f64]) -> f64 {
        let contact = &self.contacts()[i];
        row_terms(&contact.normal, q) + contact.offset.at(0.0).abs()
    }

    fn mobility(&self, i: usize, _q: &[f64]) -> f64 {
        let (places, values) = self.G().column(i);
        let massless = |k: usize| self.massless().get(k).copied().unwrap_or(false);
        places.iter().zip(values).filter(|(k, _)| !massless(**k)).map(|(&k, G)| G * G / self.mass().get(k, k)).sum()
    }

    fn joint(&self, j: usize, q: &[f64]) -> f64 {
        let joint = &self.joints()[j];
        row_product(&joint.row, q) + joint.offset
    }

    fn joint_rate(&self, j: usize, _q: &[f64], v: &[f64]) -> f64 {
        row_product(&self.joints()[j].row, v)
    }

    fn joint_row(&self, j: usize, _q: &[f64], row: &mut Vec<(usize, f64)>) {
        row.clear();
        row.extend_from_slice(&self.joints()[j].row);
        row.sort_unstable_by_key(|&(k, _)| k);
        row.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 += if same { later.1 } else { 0.0 };
            same
        });
    }

    fn joint_distance(&self, j: usize, q: &[f64]) -> f64 {
        let length = self.joints()[j].row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        (Mechanics::joint(self, j, q) / length.max(f64::MIN_POSITIVE)).abs()
    }

    fn joint_terms(&self, j: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let joint = &self.joints()[j];
        [row_terms(&joint.row, q) + joint.offset.abs(), row_terms(&joint.row, v)]
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        Self::kinetic_energy(self, v)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        Self::potential_energy(self, q) - self.potential_work(q)
    }

    fn undefined(&self, q: &[f64], v: &[f64], t: f64) -> Option<String> {
        if let Some(i) = self.loads().iter().position(|load| !load.at(t).is_finite()) {
            return Some(format!("the load on coordinate {i}"));
        }
        let gap = |&i: &usize| !self.gap(i, q, t).is_finite() || !self.gap_rate(i, v, t).is_finite();
        let contact = if self.offsets_are_constant() { None } else { (0..self.n_contacts()).find(gap) };
        contact.map(|i| format!("the offset of {}", self.contact_name(i)))
    }

    fn lost_obstacle(&self, q: &[f64], t: f64) -> Option<usize> {
        if self.offsets_are_constant() {
            return None;
        }
        (0..self.n_contacts()).find(|&i| !self.gap(i, q, t).is_finite())
    }

    fn half_thickness(&self, i: usize) -> f64 {
        Self::half_thickness(self, i)
    }

    fn contact_name(&self, i: usize) -> String {
        self.contact_label(i).map_or_else(|| format!("contact {i}"), str::to_string)
    }

    fn is_angular(&self, i: usize) -> bool {
        self.contacts().get(i).is_some_and(|contact| contact.angular)
    }

    /// Checked when the model was made.
    fn check_laws(&self) -> Result<(), InputError> {
        Ok(())
    }

    /// M is positive definite, or there would be no model.
    fn check_inertia(&self, _q: &[f64]) -> Result<(), InputError> {
        Ok(())
    }
}
