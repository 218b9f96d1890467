//! Implicit differentiation of equations without choices.
//!
//!   R(y; x, p) = 0   ⇒   δy = −R_y⁻¹ (R_x δx + R_p),   x carried, y = what a step finds
//!
//! With its contacts in the form they had R makes no choices: differences of order 8 over a part of what each number is have only
//! round-off left. Newton's iteration on R takes what a solver left of it out of y first; there differences need not be sharp.
//! Where contacts or joints share what they carry R_y is singular and the motion unique all the same: the unknowns that follow from others
//! stay as they are.

use crate::derivative::{Columns, LEFT, NotDifferentiated, OBEYED, Variants};
use crate::located::tangent::WEIGHTS;
use crate::newton::system::NewtonSystem;
use percussion_matrix::{PivotedQr, vector};
use std::sync::Arc;

/// Part of a parameter's step of differences within which no contact may change what it does: 1e-9 of the parameter.
const NEAR: f64 = 1e-5;
/// Newton steps at most.
const STEPS: usize = 4;
/// Linearisations at most, and the last Newton step, in parts of what numbers are differenced over, at which they end.
const MOST_ROUNDS: usize = 6;
const ARRIVED: f64 = 1e-8;
/// The difference of order 2, which is enough for Newton's iteration.
const ROUGH: [f64; 1] = [0.5];
/// Part of the largest column below which one follows from others: above what differences leave.
const DEPENDENT: f64 = 1e-9;
/// Part of the terms of equations that may be left where columns follow from others: what differences leave.
const ROUND_OFF: f64 = 1e-9;
/// A parameter's step of differences, in parts of it.
const PART: f64 = 1e-4;

/// The equations of one step, its contacts in the form they had.
pub trait Whole<M: ?Sized> {
    /// R.
    fn residual(&self, model: &M, x: &[f64], y: &[f64]) -> Vec<f64>;
    /// The work of contacts, then how far each is from doing something else.
    fn numbers(&self, model: &M, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>);
    /// The steps of differences in x and y.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2];
}

/// What a step found.
pub struct Solved {
    /// y and δy.
    pub y: Vec<f64>,
    pub columns: Vec<Vec<f64>>,
    /// Whether unknowns follow from others.
    pub shared: bool,
}

fn shared(t: f64) -> String {
    format!("contacts share their impulses at {t} s: differences are taken")
}

/// What a run carries, with its derivatives by each parameter.
pub struct Carried<M: ?Sized> {
    /// The model.
    pub model: Arc<M>,
    /// It beside its parameters.
    pub parameters: Vec<Variants<M>>,
    /// Whether R is affine in x and y as far as M, C, K and H go.
    pub affine: bool,
    /// x and δx.
    pub x: Vec<f64>,
    pub columns: Vec<Vec<f64>>,
    /// What contacts have taken, and its derivatives.
    pub lost: f64,
    pub lost_columns: Vec<f64>,
    /// The largest number of x so far.
    pub largest: f64,
}

impl<M: ?Sized> Columns for Carried<M> {
    fn column(&self, p: usize, n: usize) -> Vec<f64> {
        self.columns[p][..n].to_vec()
    }

    fn lost(&self) -> (f64, &[f64]) {
        (self.lost, &self.lost_columns)
    }
}

impl<M: ?Sized> Carried<M> {
    /// At the start of a run.
    pub fn new(model: Arc<M>, parameters: Vec<Variants<M>>, affine: bool, x: Vec<f64>, columns: &[Vec<f64>]) -> Self {
        let lost_columns = vec![0.0; parameters.len()];
        let largest = vector::max_abs(&x);
        Self { model, parameters, affine, x, columns: columns.to_vec(), lost: 0.0, lost_columns, largest }
    }

    /// A step to time t; the first of y must be what is known of them.
    pub fn solve(
        &self,
        form: &dyn Whole<M>,
        mut y: Vec<f64>,
        known: &[f64],
        t: f64,
    ) -> Result<Solved, NotDifferentiated> {
        let unknown = NotDifferentiated::Unknown;
        let model = &*self.model;
        let mut linear = Linear::default();
        let singular = || unknown(format!("the step to {t} s is singular: differences are taken"));
        // the guess lacks multipliers and accelerations: where R is not affine its derivative is that of the step only at what it leads to
        let rounds = if self.affine { 1 } else { 2 };
        for round in 0..MOST_ROUNDS {
            if !self.linearise(form, &y, &ROUGH, &mut linear) {
                return Err(singular());
            }
            let [_, reach] = form.reach(&self.x, &y);
            let mut last = 0.0;
            for _ in 0..STEPS {
                let mut r: Vec<f64> = form.residual(model, &self.x, &y).iter().map(|r| -r).collect();
                linear.solve(&mut r);
                vector::axpy(1.0, &r, &mut y);
                last = r.iter().zip(&reach).map(|(r, reach)| (r / reach).abs()).fold(0.0, f64::max);
            }
            if round + 1 >= rounds && last <= ARRIVED {
                break;
            }
        }
        if !self.linearise(form, &y, &WEIGHTS, &mut linear) {
            return Err(singular());
        }
        if !obeyed(&y, known, self.largest) || y.iter().any(|y| !y.is_finite()) {
            return Err(unknown(format!("the step to {t} s is not that of the equations: differences are taken")));
        }
        let [reach_x, _] = form.reach(&self.x, &y);
        let mut columns = Vec::new();
        for (p, column) in self.columns.iter().enumerate() {
            let lists = [(&self.x[..], &column[..], &reach_x[..])];
            let mut b = self.total(p, &lists, y.len(), |model, x| form.residual(model, &x[0], &y));
            b.iter_mut().for_each(|b| *b = -*b);
            // what is left of the equations counts beside what they are made of, by the size of the parameter
            let left = linear.solve(&mut b) * self.parameters[p].step / PART;
            if left > ROUND_OFF * linear.size(&y) {
                return Err(unknown(shared(t)));
            }
            columns.push(b);
        }
        Ok(Solved { y, columns, shared: linear.sharing.is_some() })
    }

    /// R_y by differences, factorised; false where nothing can be done with it.
    fn linearise(&self, form: &dyn Whole<M>, y: &[f64], weights: &[f64], linear: &mut Linear) -> bool {
        let [_, reach] = form.reach(&self.x, y);
        linear.system.clear(y.len());
        for k in 0..y.len() {
            let moved = |s: f64| {
                let mut y = y.to_vec();
                y[k] += s * reach[k];
                form.residual(&self.model, &self.x, &y)
            };
            linear.system.add_column(0, k, 1.0 / reach[k], &difference(weights, y.len(), moved));
        }
        linear.factorise(y.len(), !self.affine)
    }

    /// d/dp of numbers of the model and of lists that move with it.
    pub fn total(&self, p: usize, lists: &[Moving], size: usize, of: impl Fn(&M, &[Vec<f64>]) -> Vec<f64>) -> Vec<f64> {
        let still: Vec<Vec<f64>> = lists.iter().map(|(x, ..)| x.to_vec()).collect();
        let mut sum = self.parameters[p].difference(size, |model| of(model, &still));
        vector::axpy(1.0, &along(lists, size, |moved| of(&self.model, moved)), &mut sum);
        sum
    }

    /// The work of contacts with its derivatives, and whether no contact is about to change what it does in the step that begins at t; where
    /// they share what they carry, which of them would is not known.
    pub fn account(&mut self, form: &dyn Whole<M>, solved: &Solved, t: f64) -> Result<(), NotDifferentiated> {
        let Solved { y, columns, .. } = solved;
        let [reach_x, reach_y] = form.reach(&self.x, y);
        let list = |(work, margins): (f64, Vec<(usize, f64)>)| {
            std::iter::once(work).chain(margins.into_iter().map(|(_, margin)| margin)).collect::<Vec<f64>>()
        };
        let (work, margins) = form.numbers(&self.model, &self.x, y);
        for (p, d) in columns.iter().enumerate() {
            let lists = [(&self.x[..], &self.columns[p][..], &reach_x[..]), (&y[..], &d[..], &reach_y[..])];
            let own = self.total(p, &lists, 1 + margins.len(), |model, at| list(form.numbers(model, &at[0], &at[1])));
            let checked = check(&margins, &own[1..], (p, self.parameters[p].step), t);
            checked.map_err(|changes| if solved.shared { NotDifferentiated::Unknown(shared(t)) } else { changes })?;
            self.lost_columns[p] -= own[0];
        }
        self.lost -= work;
        self.largest = self.largest.max(vector::max_abs(&self.x));
        Ok(())
    }
}

/// Whether numbers begin with what is known of them; `largest` of the run.
pub fn obeyed(y: &[f64], known: &[f64], largest: f64) -> bool {
    let off = y.iter().zip(known).map(|(y, x)| (y - x).abs()).fold(0.0, f64::max);
    // false of a NaN
    off <= OBEYED * vector::max_abs(known).max(LEFT * largest) && y.iter().zip(known).all(|(y, _)| y.is_finite())
}

/// Whether none of these numbers, which move by d with a parameter, is about to change its sign in the step that begins at t.
pub fn check(
    margins: &[(usize, f64)],
    d: &[f64],
    (parameter, step): (usize, f64),
    t: f64,
) -> Result<(), NotDifferentiated> {
    match margins.iter().zip(d).find(|((_, margin), d)| margin.abs() < NEAR * step * d.abs()) {
        Some((&(contact, _), _)) => Err(NotDifferentiated::Changes { t, contact, parameter }),
        None => Ok(()),
    }
}

/// R_y with its factors.
#[derive(Default)]
struct Linear {
    system: NewtonSystem,
    /// Where unknowns follow from others.
    sharing: Option<Sharing>,
}

/// Factors of a singular matrix whose rows and columns are brought to a like size.
struct Sharing {
    qr: PivotedQr,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Linear {
    /// Factors of any rank, which is asked for first where round-off could hide it.
    fn factorise(&mut self, n: usize, hidden: bool) -> bool {
        self.sharing = None;
        let regular = self.system.factorise();
        if regular && !hidden {
            return true;
        }
        let Some(sharing) = Sharing::of(&self.system, n) else { return false };
        if !regular || sharing.qr.rank() < n {
            self.sharing = Some(sharing);
        }
        true
    }

    /// b ← R_y⁻¹ b; how much of b is left where unknowns follow from others.
    fn solve(&mut self, b: &mut [f64]) -> f64 {
        match &mut self.sharing {
            None => self.system.solve_refined(b),
            Some(sharing) => return sharing.solve(&self.system, b),
        }
        0.0
    }

    /// The largest sum of the sizes of an equation's terms where unknowns follow from others.
    fn size(&self, y: &[f64]) -> f64 {
        let of = |sharing: &Sharing| {
            let terms = |i: usize| (0..y.len()).map(|j| (self.system.entry(i, j) * y[j]).abs()).sum::<f64>();
            (0..y.len()).map(|i| sharing.rows[i] * terms(i)).fold(0.0, f64::max)
        };
        self.sharing.as_ref().map_or(0.0, of)
    }
}

impl Sharing {
    fn of(system: &NewtonSystem, n: usize) -> Option<Self> {
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 1.0 };
        let largest = |i: usize| (0..n).map(|j| system.entry(i, j).abs()).fold(0.0, f64::max);
        let rows: Vec<f64> = (0..n).map(|i| inverse(largest(i))).collect();
        let mut qr = PivotedQr::default();
        let values = qr.reset(n, n);
        let mut columns = Vec::with_capacity(n);
        for (j, column) in values.chunks_exact_mut(n.max(1)).enumerate() {
            column.iter_mut().enumerate().for_each(|(i, x)| *x = rows[i] * system.entry(i, j));
            let scale = inverse(vector::norm(column));
            column.iter_mut().for_each(|x| *x *= scale);
            columns.push(scale);
        }
        if values.iter().any(|x| !x.is_finite()) {
            return None;
        }
        qr.factorise(DEPENDENT);
        Some(Self { qr, rows, columns })
    }

    fn solve(&mut self, system: &NewtonSystem, b: &mut [f64]) -> f64 {
        let n = b.len();
        let wanted: Vec<f64> = b.iter().zip(&self.rows).map(|(b, s)| b * s).collect();
        self.qr.solve(&mut wanted.clone(), b);
        b.iter_mut().zip(&self.columns).for_each(|(x, s)| *x *= s);
        let row = |i: usize| (0..n).map(|j| system.entry(i, j) * b[j]).sum::<f64>();
        (0..n).map(|i| (self.rows[i] * row(i) - wanted[i]).abs()).fold(0.0, f64::max)
    }
}

/// Σ w_k (f(k) − f(−k)).
fn difference(weights: &[f64], size: usize, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum = vec![0.0; size];
    for (k, weight) in weights.iter().enumerate() {
        let s = (k + 1) as f64;
        for (sum, (a, b)) in sum.iter_mut().zip(f(s).iter().zip(&f(-s))) {
            *sum += weight * (a - b);
        }
    }
    sum
}

/// A list of numbers, the direction in which it moves, and how far each may.
pub type Moving<'a> = (&'a [f64], &'a [f64], &'a [f64]);

/// The derivative of numbers in a direction.
fn along(lists: &[Moving], size: usize, f: impl Fn(&[Vec<f64>]) -> Vec<f64>) -> Vec<f64> {
    let ratio = |(_, d, reach): &Moving| d.iter().zip(*reach).map(|(d, reach)| d.abs() / reach).fold(0.0, f64::max);
    let most = lists.iter().map(ratio).fold(0.0, f64::max);
    if most == 0.0 {
        return vec![0.0; size];
    }
    let moved = |s: f64| {
        let shift = |(x, d, _): &Moving| x.iter().zip(*d).map(|(x, d)| x + s / most * d).collect::<Vec<f64>>();
        f(&lists.iter().map(shift).collect::<Vec<_>>())
    };
    difference(&WEIGHTS, size, moved).iter().map(|x| x * most).collect()
}
