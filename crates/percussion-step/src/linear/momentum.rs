//! The account of momentum of a step of a linear solid that nothing holds.
//!
//!   r = Δ(Rᵀ M v) − Rᵀ[h F̄ + Σ H p]

use crate::{MomentumEntry, State, Step};
use percussion_model::LinearModel;
use percussion_model::bodies::math::{add, norm};

/// The account of a step from a state; none where the model has no momenta of its own. The load is the mean of the ends, or that in
/// the middle of the step where the scheme takes it there.
pub fn account(model: &LinearModel, from: &State, step: &Step, in_the_middle: bool) -> Option<MomentumEntry> {
    let momenta = model.momenta()?;
    let (before, size) = momenta.total(&from.v);
    let (total, scale) = momenta.total(&step.after.v);
    let h = step.after.t - from.t;
    let mean = |i: usize| {
        let load = &model.loads()[i];
        if in_the_middle {
            return load.at(from.t + 0.5 * h);
        }
        0.5 * (load.at(from.t) + load.at(step.after.t))
    };
    let mut entry = MomentumEntry {
        kept: true,
        total,
        load: momenta.given((0..model.n()).map(|i| (i, h * mean(i)))),
        scale: [0, 1].map(|k| size[k].max(scale[k])),
        ..MomentumEntry::default()
    };
    let mut push = |column: usize, p: f64| {
        let (rows, values) = model.H().column(column);
        let pushed = momenta.given(rows.iter().zip(values).map(|(&i, &x)| (i, p * x)));
        for k in 0..2 {
            entry.contact[k] = add(&entry.contact[k], &pushed[k]);
            entry.scale[k] += norm(&pushed[k]);
        }
    };
    for (k, c) in step.contacts.iter().enumerate() {
        if c.p != 0.0 {
            push(c.id, c.p);
        }
        if let Some(along) = step.friction.get(k) {
            model.tangent_columns(c.id).zip(along.p).for_each(|(column, p)| push(column, p));
        }
    }
    entry.residual = entry.left_since(&before);
    Some(entry)
}
