//! A nonlinear model written as formulas: energies, forces and gaps as text, every derivative automatic.
//!
//!   T(q, q̇) or M(q),   V(q, s),   Q(q, q̇, t, s),   g_i(q, t, s) ≥ 0,   u_T = ∂x_T/∂q·q̇ or the formula itself where it is a velocity
//!
//! The rate of a coordinate `x` is written `x_dot`; s(t) are the parameters that are signals. With their means s̄ the energy is V(q, s̄), and what is
//! left of V, a potential that changes, is a load whose work is external: Q − ∂/∂q [V(q, s(t)) − V(q, s̄)].

use crate::auto::{Energies, Number};
use crate::nonlinear::accept;
use crate::signal::past;
use crate::{Auto, Code, Formula, Function, InputError, Signal};
use num_dual::{Dual, Dual64};

/// What a formula model is made of, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaParts {
    /// Names of q.
    pub coordinates: Vec<String>,
    /// Names and values that formulas may use; signals in `potential`, `force` and gaps.
    pub parameters: Vec<(String, Signal)>,
    /// T(q, q̇), a quadratic form in the rates [J]; or `mass`.
    pub kinetic: Option<String>,
    /// M(q), row by row; or `kinetic`.
    pub mass: Option<Vec<Vec<String>>>,
    /// V(q) [J].
    pub potential: Option<String>,
    /// Q(q, q̇, t), one for each coordinate, without what has a potential; none at all where it is empty.
    pub force: Vec<String>,
    /// The contacts.
    pub contacts: Vec<FormulaContact>,
    /// Loads on the coordinates beside `force`, as hands turn them; none at all where it is empty.
    pub loads: Vec<Signal>,
}

/// A contact as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaContact {
    /// g(q, t) [m].
    pub gap: String,
    /// Places x_T(q) whose rates are the sliding velocities, or those velocities; one in the plane, two in space.
    pub tangents: Vec<String>,
    /// μ.
    pub friction: f64,
    /// e.
    pub restitution: f64,
    /// What it is called; empty where it goes by its number.
    pub name: String,
}

/// What a parameter may do while a model exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterUse {
    /// It stands in the inertia, in a tangent or in an exponent, which must not vary.
    Constant,
    /// In a gap: it must not jump.
    Gap,
    /// In the potential or in forces.
    Load,
    /// Nowhere.
    None,
}

/// Energies by formulas.
#[derive(Clone, Debug)]
pub struct FormulaEnergies {
    n: usize,
    kinetic: Option<Formula>,
    mass: Vec<Formula>,
    constant: bool,
    potential: Option<Formula>,
    force: Vec<Formula>,
    loads: Vec<Signal>,
    /// Parameters that vary, whether V uses one of them, and their values there that make the energy.
    signals: Vec<Signal>,
    potential_varies: bool,
    means: Vec<f64>,
    gaps: Vec<Formula>,
    tangents: Vec<Vec<Formula>>,
    frictions: Vec<f64>,
    restitutions: Vec<f64>,
    /// What the contacts are called; empty where they go by their numbers.
    names: Vec<String>,
}

impl FormulaParts {
    /// Reads every formula and refuses what makes no model: fields are named as in a scenario.
    pub fn model(&self) -> Result<Auto<FormulaEnergies>, InputError> {
        let n = self.coordinates.len();
        self.check_names()?;
        let rates: Vec<String> = self.coordinates.iter().map(|name| format!("{name}_dot")).collect();
        let (constant, varying): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|(_, x)| !x.is_live() && x.is_constant());
        let mut variables: Vec<&str> = self.coordinates.iter().chain(&rates).map(String::as_str).collect();
        variables.push("t");
        variables.extend(varying.iter().map(|(name, _)| name.as_str()));
        let constants: Vec<(&str, f64)> = constant.iter().map(|(name, x)| (name.as_str(), x.at(0.0))).collect();
        // the variables are q, q̇, t and what varies, and every formula may use some of them
        let read = |text: &str, field: String, [rates, time, signals]: [bool; 3]| {
            let formula = Formula::with_constants(text, &variables, &constants);
            let formula = formula.map_err(|error| InputError { field: format!("model.{field}"), ..error })?;
            let known = |k: usize| match k {
                k if k < n => true,
                k if k < 2 * n => rates,
                k if k == 2 * n => time,
                _ => signals,
            };
            match (0..variables.len()).find(|&k| formula.uses(k) && !known(k)) {
                None => Ok(formula),
                Some(k) => Err(not_known(variables[k], usize::from(k >= n) + usize::from(k >= 2 * n), &field)),
            }
        };
        let (places, states, all) = ([false; 3], [true, false, false], [true; 3]);
        let kinetic = self.kinetic.as_ref().map(|text| read(text, "kinetic".into(), states)).transpose()?;
        let mut mass = Vec::new();
        for (i, row) in self.mass.iter().flatten().enumerate() {
            if row.len() != n || self.mass.as_ref().is_some_and(|rows| rows.len() != n) {
                return Err(shape(format!("mass[{i}]"), format!("M is {n} × {n}, one formula for each entry")));
            }
            for (j, text) in row.iter().enumerate() {
                mass.push(read(text, format!("mass[{i}][{j}]"), places)?);
            }
        }
        if kinetic.is_some() == self.mass.is_some() {
            let message = if kinetic.is_some() { "kinetic and mass both give the inertia" } else { "has no inertia" };
            let help = "give kinetic = \"…\" or mass = [[\"…\"]]";
            return Err(InputError::new(Code::CONTRADICTION, "model.kinetic", message, help));
        }
        if !self.force.is_empty() && self.force.len() != n {
            return Err(shape("force".into(), format!("has {} formulas for {n} coordinates", self.force.len())));
        }
        let slowly = [false, false, true];
        let potential = self.potential.as_ref().map(|text| read(text, "potential".into(), slowly)).transpose()?;
        let force = self.force.iter().enumerate().map(|(i, text)| read(text, format!("force[{i}]"), all));
        let force = force.collect::<Result<Vec<_>, _>>()?;
        let depends = |formula: &Formula| (0..n).any(|k| formula.uses(k));
        let mut energies = FormulaEnergies {
            n,
            constant: !kinetic.iter().chain(&mass).any(depends),
            kinetic,
            mass,
            potential_varies: potential.iter().any(|V| (2 * n + 1..variables.len()).any(|k| V.uses(k))),
            potential,
            force,
            loads: self.loads.clone(),
            means: varying.iter().map(|(_, s)| s.written_mean()).collect(),
            signals: varying.iter().map(|(_, s)| s.clone()).collect(),
            gaps: Vec::new(),
            tangents: Vec::new(),
            frictions: Vec::new(),
            restitutions: Vec::new(),
            names: Vec::new(),
        };
        for (i, contact) in self.contacts.iter().enumerate() {
            accept::restitution(&format!("contact[{i}].restitution"), contact.restitution)?;
            accept::friction(&format!("contact[{i}].friction"), contact.friction)?;
            let gap = read(&contact.gap, format!("contact[{i}].gap"), [false, true, true])?;
            if let Some(k) = (0..varying.len()).find(|k| gap.uses(2 * n + 1 + k) && varying[*k].1.jumps()) {
                let message = format!("\"{}\" jumps, and an obstacle must not", varying[k].0);
                let help = "let it move by a ramp, a smooth step or a table without jumps";
                return Err(InputError::new(Code::BAD_SIGNAL, format!("model.contact[{i}].gap"), message, help));
            }
            energies.gaps.push(gap);
            let tangents = contact.tangents.iter().map(|text| read(text, format!("contact[{i}].tangent"), states));
            energies.tangents.push(tangents.collect::<Result<Vec<_>, _>>()?);
            energies.frictions.push(contact.friction);
            energies.restitutions.push(contact.restitution);
            energies.names.push(contact.name.clone());
        }
        Auto::new(energies)
    }

    /// Where a parameter stands.
    pub fn use_of(&self, name: &str) -> Result<ParameterUse, InputError> {
        let rates: Vec<String> = self.coordinates.iter().map(|name| format!("{name}_dot")).collect();
        let mut variables: Vec<&str> = self.coordinates.iter().chain(&rates).map(String::as_str).collect();
        variables.extend(["t", name]);
        let k = variables.len() - 1;
        let others = self.parameters.iter().filter(|(own, _)| own != name);
        let constants: Vec<(&str, f64)> = others.map(|(own, x)| (own.as_str(), x.at(0.0))).collect();
        // used, and used in an exponent
        let found = |texts: &mut dyn Iterator<Item = &String>| {
            let mut found = [false; 2];
            for text in texts {
                let formula = Formula::with_constants(text, &variables, &constants)?;
                found = [found[0] || formula.uses(k), found[1] || formula.is_exponent(k)];
            }
            Ok::<_, InputError>(found)
        };
        let tangents = self.contacts.iter().flat_map(|contact| &contact.tangents);
        let steady = found(&mut self.kinetic.iter().chain(self.mass.iter().flatten().flatten()).chain(tangents))?;
        let gaps = found(&mut self.contacts.iter().map(|contact| &contact.gap))?;
        let loads = found(&mut self.potential.iter().chain(&self.force))?;
        Ok(match (steady[0] || gaps[1] || loads[1], gaps[0], loads[0]) {
            (true, _, _) => ParameterUse::Constant,
            (false, true, _) => ParameterUse::Gap,
            (false, false, true) => ParameterUse::Load,
            (false, false, false) => ParameterUse::None,
        })
    }

    /// Names are words of their own, each once.
    fn check_names(&self) -> Result<(), InputError> {
        if self.coordinates.is_empty() {
            return Err(shape("coordinates".into(), "there is no coordinate".into()));
        }
        let rates = self.coordinates.iter().map(|name| (format!("{name}_dot"), "coordinates"));
        let names = self.coordinates.iter().map(|name| (name.clone(), "coordinates"));
        let parameters = self.parameters.iter().map(|(name, _)| (name.clone(), "parameters"));
        let mut seen: Vec<String> = ["t", "pi", "e"].iter().chain(Function::NAMES).map(ToString::to_string).collect();
        for (name, field) in names.chain(rates).chain(parameters) {
            let word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
                && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
            if !word || seen.contains(&name) {
                let message = format!("\"{name}\" is {}", if word { "used twice or has a meaning" } else { "no name" });
                let help = "use letters, digits and _; x_dot is the rate of x";
                return Err(InputError::new(Code::BAD_NAME, format!("model.{field}"), message, help));
            }
            seen.push(name);
        }
        for (name, x) in &self.parameters {
            accept::finite(&format!("parameters.{name}"), if x.is_finite() { 0.0 } else { f64::NAN })?;
        }
        Ok(())
    }
}

/// A name that a formula must not use: a rate (1) or something that varies in time (2).
fn not_known(name: &str, what: usize, field: &str) -> InputError {
    let (message, help) = match (what, field) {
        (1, _) => (format!("depends on the rate \"{name}\""), "rates stand in kinetic, force and tangent alone"),
        (_, "potential") => {
            let help =
                "let a parameter be a signal, such as k = { formula = \"10 + sin(t)\" }, or write its force in force";
            (format!("depends on \"{name}\" by itself"), help)
        }
        (_, _) if field.starts_with("contact") => {
            (format!("depends on time, by \"{name}\""), "what moves under a contact drags it along in gap alone")
        }
        (_, _) => {
            (format!("depends on time, by \"{name}\""), "the inertia must not vary: let it depend on a coordinate")
        }
    };
    InputError::new(Code::BAD_FORMULA, format!("model.{field}"), message, help)
}

fn shape(field: String, message: String) -> InputError {
    InputError::new(Code::BAD_SHAPE, format!("model.{field}"), message, "give one entry for each coordinate")
}

/// Variables up to which nothing is allocated.
const ON_STACK: usize = 33;

impl FormulaEnergies {
    /// The variables of formulas, q, q̇, t and the signals, in one list.
    fn with<D: Number, R>(&self, q: &[D], v: &[D], t: D, s: impl Fn(usize) -> D, then: impl FnOnce(&[D]) -> R) -> R {
        let (n, size) = (self.n, 2 * self.n + 1 + self.signals.len());
        let fill = |x: &mut [D]| {
            x[..n].copy_from_slice(q);
            x[n..n + v.len()].copy_from_slice(v);
            x[2 * n] = t;
            x[2 * n + 1..size].iter_mut().enumerate().for_each(|(k, x)| *x = s(k));
        };
        if size <= ON_STACK {
            let mut x = [D::from(0.0); ON_STACK];
            fill(&mut x);
            return then(&x[..size]);
        }
        let mut x = vec![D::from(0.0); size];
        fill(&mut x);
        then(&x)
    }

    /// What the energies are made of: signals at their means.
    fn at_means<D: Number, R>(&self, q: &[D], v: &[D], then: impl FnOnce(&[D]) -> R) -> R {
        self.with(q, v, D::from(0.0), |k| D::from(self.means[k]), then)
    }

    /// −∂/∂q_i [V(q, s(t)) − V(q, s̄)], the force of what is not in the energy.
    fn unsteady<D: Number>(&self, q: &[D], t: f64, i: usize) -> D {
        let Some(potential) = self.potential.as_ref().filter(|_| self.potential_varies) else { return D::from(0.0) };
        let mut q: Vec<Dual<D>> = q.iter().map(|&x| Dual::new(x, D::from(0.0))).collect();
        q[i].eps = D::from(1.0);
        let of = |s: &dyn Fn(usize) -> f64| {
            self.with(&q, &[], Dual::<D>::from(0.0), |k| Dual::<D>::from(s(k)), |x| potential.value(x)).eps
        };
        of(&|k| self.means[k]) - of(&|k| self.signals[k].at(t))
    }

    /// A contact whose gap jumps while the coordinates stay, and when.
    pub fn jumping_gap(&self, q: &[f64]) -> Option<(usize, f64)> {
        let found = |gap: &Formula| self.at_means(q, &[], |x| gap.jump_in_time(2 * self.n, x));
        self.gaps.iter().enumerate().find_map(|(i, gap)| Some((i, found(gap)?)))
    }

    /// What jumps where a coordinate passes some value, energies and gaps: its place among `kinetic`, `mass`, `potential`, `contact[i].gap`, the coordinate and
    /// that value.
    pub fn jump_in_place(&self, q: &[f64], v: &[f64]) -> Option<(String, usize, f64)> {
        let n = self.n;
        let energies = [("kinetic", &self.kinetic), ("potential", &self.potential)];
        let energies = energies.into_iter().filter_map(|(name, formula)| Some((name.to_string(), formula.as_ref()?)));
        let mass = self.mass.iter().enumerate().map(|(k, entry)| (format!("mass[{}][{}]", k / n, k % n), entry));
        let gaps = self.gaps.iter().enumerate().map(|(i, gap)| (format!("contact[{i}].gap"), gap));
        self.at_means(q, v, |x| {
            let found = |formula: &Formula| (0..n).find_map(|k| Some((k, formula.jump_in_place(k, x)?)));
            energies.chain(mass).chain(gaps).find_map(|(name, formula)| {
                let (k, place) = found(formula)?;
                Some((name, k, place))
            })
        })
    }

    /// A tangent with rates in it that is not linear in them, no velocity: contact and tangent, by the velocities v, w and v + w.
    pub fn wrong_tangent(&self, q: &[f64], v: &[f64], w: &[f64]) -> Option<(usize, String)> {
        let n = self.n;
        let both: Vec<f64> = v.iter().zip(w).map(|(v, w)| v + w).collect();
        let at = |formula: &Formula, v: &[f64]| self.at_means(q, v, |x| formula.value(x));
        let rest = vec![0.0; n];
        self.tangents.iter().enumerate().find_map(|(i, tangents)| {
            tangents.iter().filter(|formula| (n..2 * n).any(|k| formula.uses(k))).find_map(|formula| {
                let [zero, a, b, c] = [&rest[..], v, w, &both].map(|v| at(formula, v));
                let size = 1e-9 * a.abs().max(b.abs()).max(c.abs());
                let wrong = zero.abs() > size || (a + b - c).abs() > size;
                wrong.then(|| {
                    (i, format!("u(q, 0) = {zero:.3e}, and u(q, v) + u(q, w) − u(q, v + w) = {:.3e}", a + b - c))
                })
            })
        })
    }

    /// T, whether it was written as such or by M.
    fn kinetic_of<D: Number>(&self, x: &[D]) -> D {
        if let Some(kinetic) = &self.kinetic {
            return kinetic.value(x);
        }
        let (n, mut T) = (self.n, D::from(0.0));
        for (k, entry) in self.mass.iter().enumerate() {
            T += entry.value(x) * x[n + k / n] * x[n + k % n];
        }
        T * 0.5
    }

    /// Where the kinetic energy is no quadratic form in the rates, or M not symmetric: the first place, and by how much.
    pub fn wrong_inertia(&self, q: &[f64], v: &[f64], w: &[f64]) -> Option<String> {
        let T = |a: f64, b: f64| {
            let v: Vec<f64> = v.iter().zip(w).map(|(v, w)| a * v + b * w).collect();
            self.at_means(q, &v, |x| self.kinetic_of(x))
        };
        let (zero, once, twice) = (T(0.0, 0.0), T(1.0, 0.0), T(2.0, 0.0));
        let size = once.abs().max(zero.abs());
        if zero.abs() > 1e-9 * size || (twice - 4.0 * once).abs() > 1e-9 * size {
            return Some(format!(
                "T(q, 0) = {zero:.3e} and T(q, 2q̇) = {:.6} T(q, q̇), where a quadratic form has 0 and 4",
                twice / once
            ));
        }
        // the law of the parallelogram, which |ẋ|ẏ breaks
        let (sum, difference, other) = (T(1.0, 1.0), T(1.0, -1.0), T(0.0, 1.0));
        let left = sum + difference - 2.0 * once - 2.0 * other;
        if left.abs() > 1e-9 * (once.abs() + other.abs() + sum.abs() + difference.abs()) {
            return Some(format!(
                "T(q, v + w) + T(q, v − w) = {:.6e}, where a quadratic form has 2T(q, v) + 2T(q, w) = {:.6e}",
                sum + difference,
                2.0 * (once + other)
            ));
        }
        let n = self.n;
        let entries: Vec<f64> = self.at_means(q, v, |x| self.mass.iter().map(|entry| entry.at(x)).collect());
        for k in 0..entries.len() {
            let (a, b) = (entries[k], entries[(k % n) * n + k / n]);
            if (a - b).abs() > 1e-9 * a.abs().max(b.abs()) {
                return Some(format!("M_{}{} = {a:.6e} and M_{}{} = {b:.6e}", k / n, k % n, k % n, k / n));
            }
        }
        None
    }
}

impl Energies for FormulaEnergies {
    fn n(&self) -> usize {
        self.n
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn contact_label(&self, i: usize) -> Option<&str> {
        self.names.get(i).map(String::as_str).filter(|name| !name.is_empty())
    }

    fn mass_is_constant(&self) -> bool {
        self.constant
    }

    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        self.at_means(q, v, |x| self.kinetic_of(x))
    }

    fn potential<D: Number>(&self, q: &[D]) -> D {
        match &self.potential {
            Some(potential) => self.at_means(q, &[], |x| potential.value(x)),
            None => D::from(0.0),
        }
    }

    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        self.gap_in_time(j, q, D::from(0.0))
    }

    fn gaps_move(&self) -> bool {
        self.gaps.iter().any(|gap| (2 * self.n..=2 * self.n + self.signals.len()).any(|k| gap.uses(k)))
    }

    fn gap_in_time<D: Number>(&self, i: usize, q: &[D], t: D) -> D {
        // t carries derivatives: s(t) = s + ṡ dt + ½ s̈ dt² with a dt whose value is zero has those of s
        let (now, dt) = (t.re(), t - D::from(t.re()));
        let signal = |k: usize| {
            let s = &self.signals[k];
            dt * dt * (0.5 * s.acceleration(now)) + dt * s.rate(now) + D::from(s.at(now))
        };
        // at a corner in time the rates are those after it
        let later = if self.gaps[i].switches() { past(now) - now } else { 0.0 };
        self.with(q, &[], t + D::from(later), signal, |x| self.gaps[i].value(x))
    }

    fn next_corner(&self, t: f64) -> f64 {
        let signals = self.loads.iter().chain(&self.signals).map(|s| s.next_corner(t));
        let formulas = self.force.iter().chain(&self.gaps).map(|formula| formula.next_corner(2 * self.n, t));
        signals.chain(formulas).fold(f64::INFINITY, f64::min)
    }

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        self.tangents[i].len()
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        let (n, formula) = (self.n, &self.tangents[i][k]);
        // a velocity is linear in the rates: its derivatives by them; a place gives those by the coordinates
        let velocity = (n..2 * n).any(|k| formula.uses(k));
        let q: Vec<Dual64> = q.iter().map(|&x| Dual64::from_re(x)).collect();
        let rest = vec![Dual64::from_re(0.0); n];
        for (j, entry) in row.iter_mut().enumerate() {
            let (mut q, mut v) = (q.clone(), rest.clone());
            if velocity {
                v[j].eps = 1.0;
            } else {
                q[j].eps = 1.0;
            }
            *entry = self.at_means(&q, &v, |x| formula.value(x)).eps;
        }
    }

    fn force<D: Number>(&self, q: &[D], v: &[D], t: f64, Q: &mut [D]) {
        // at a corner in time the force is the one after it
        let now = if self.force.iter().any(Formula::switches) { past(t) } else { t };
        self.with(
            q,
            v,
            D::from(now),
            |k| D::from(self.signals[k].at(t)),
            |x| {
                for (Q, formula) in Q.iter_mut().zip(&self.force) {
                    *Q = formula.value(x);
                }
            },
        );
        for (Q, load) in Q.iter_mut().zip(&self.loads) {
            *Q += D::from(load.at(t));
        }
        let away = |(s, mean): (&Signal, &f64)| s.at(t) != *mean;
        if self.potential_varies && self.signals.iter().zip(&self.means).any(away) {
            Q.iter_mut().enumerate().for_each(|(i, Q)| *Q += self.unsteady(q, t, i));
        }
    }
}
