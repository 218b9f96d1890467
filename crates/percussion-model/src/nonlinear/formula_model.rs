//! A nonlinear model written as formulas: energies, forces and gaps as text, every derivative automatic.
//!
//!   T(q, q̇) or M(q),   V(q),   Q(q, q̇, t),   g_i(q, t) ≥ 0,   u_T = ∂x_T/∂q·q̇ or the formula itself where it is a velocity
//!
//! The rate of a coordinate `x` is written `x_dot`.

use crate::auto::{Energies, Number};
use crate::nonlinear::accept;
use crate::{Auto, Code, Formula, Function, InputError, Signal};
use num_dual::Dual64;

/// What a formula model is made of, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaParts {
    /// Names of q.
    pub coordinates: Vec<String>,
    /// Names and values that formulas may use.
    pub parameters: Vec<(String, f64)>,
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
    /// In q and t.
    gaps: Vec<Formula>,
    tangents: Vec<Vec<Formula>>,
    frictions: Vec<f64>,
    restitutions: Vec<f64>,
}

impl FormulaParts {
    /// Reads every formula and refuses what makes no model: fields are named as in a scenario.
    pub fn model(&self) -> Result<Auto<FormulaEnergies>, InputError> {
        let n = self.coordinates.len();
        self.check_names()?;
        let rates: Vec<String> = self.coordinates.iter().map(|name| format!("{name}_dot")).collect();
        let mut variables: Vec<&str> = self.coordinates.iter().chain(&rates).map(String::as_str).collect();
        variables.push("t");
        let constants: Vec<(&str, f64)> = self.parameters.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        let among = |text: &str, field: String, variables: &[&str]| {
            let formula = Formula::with_constants(text, variables, &constants);
            formula.map_err(|error| InputError { field: format!("model.{field}"), ..error })
        };
        let read = |text: &str, field: String, known: usize| among(text, field, &variables[..known]);
        let places_and_time: Vec<&str> = variables[..n].iter().chain(&["t"]).copied().collect();
        let (places, states) = (n, 2 * n);
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
        let potential = self.potential.as_ref().map(|text| read(text, "potential".into(), places)).transpose()?;
        let force = self.force.iter().enumerate().map(|(i, text)| read(text, format!("force[{i}]"), 2 * n + 1));
        let force = force.collect::<Result<Vec<_>, _>>()?;
        let depends = |formula: &Formula| (0..n).any(|k| formula.uses(k));
        let mut energies = FormulaEnergies {
            n,
            constant: !kinetic.iter().chain(&mass).any(depends),
            kinetic,
            mass,
            potential,
            force,
            loads: self.loads.clone(),
            gaps: Vec::new(),
            tangents: Vec::new(),
            frictions: Vec::new(),
            restitutions: Vec::new(),
        };
        for (i, contact) in self.contacts.iter().enumerate() {
            accept::restitution(&format!("contact[{i}].restitution"), contact.restitution)?;
            accept::friction(&format!("contact[{i}].friction"), contact.friction)?;
            energies.gaps.push(among(&contact.gap, format!("contact[{i}].gap"), &places_and_time)?);
            let tangents = contact.tangents.iter().map(|text| read(text, format!("contact[{i}].tangent"), states));
            energies.tangents.push(tangents.collect::<Result<Vec<_>, _>>()?);
            energies.frictions.push(contact.friction);
            energies.restitutions.push(contact.restitution);
        }
        Auto::new(energies)
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
            accept::finite(&format!("parameters.{name}"), *x)?;
        }
        Ok(())
    }
}

fn shape(field: String, message: String) -> InputError {
    InputError::new(Code::BAD_SHAPE, format!("model.{field}"), message, "give one entry for each coordinate")
}

/// Coordinates up to which nothing is allocated.
const ON_STACK: usize = 16;

impl FormulaEnergies {
    /// The variables of formulas, q, q̇ and t, in one list.
    fn with<D: Number, R>(&self, q: &[D], v: &[D], t: f64, then: impl FnOnce(&[D]) -> R) -> R {
        let n = self.n;
        let fill = |x: &mut [D]| {
            x[..n].copy_from_slice(q);
            x[n..n + v.len()].copy_from_slice(v);
            x[2 * n] = D::from(t);
        };
        if n <= ON_STACK {
            let mut x = [D::from(0.0); 2 * ON_STACK + 1];
            fill(&mut x);
            return then(&x[..=2 * n]);
        }
        let mut x = vec![D::from(0.0); 2 * n + 1];
        fill(&mut x);
        then(&x)
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
    pub fn wrong_inertia(&self, q: &[f64], v: &[f64]) -> Option<String> {
        let T = |factor: f64| {
            let v: Vec<f64> = v.iter().map(|v| factor * v).collect();
            self.with(q, &v, 0.0, |x| self.kinetic_of(x))
        };
        let (zero, once, twice) = (T(0.0), T(1.0), T(2.0));
        let size = once.abs().max(zero.abs());
        if zero.abs() > 1e-9 * size || (twice - 4.0 * once).abs() > 1e-9 * size {
            return Some(format!(
                "T(q, 0) = {zero:.3e} and T(q, 2q̇) = {:.6} T(q, q̇), where a quadratic form has 0 and 4",
                twice / once
            ));
        }
        let n = self.n;
        let entries: Vec<f64> = self.with(q, v, 0.0, |x| self.mass.iter().map(|entry| entry.at(x)).collect());
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

    fn mass_is_constant(&self) -> bool {
        self.constant
    }

    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        self.with(q, v, 0.0, |x| self.kinetic_of(x))
    }

    fn potential<D: Number>(&self, q: &[D]) -> D {
        match &self.potential {
            Some(potential) => self.with(q, &[], 0.0, |x| potential.value(x)),
            None => D::from(0.0),
        }
    }

    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        self.gap_in_time(j, q, D::from(0.0))
    }

    fn gaps_move(&self) -> bool {
        self.gaps.iter().any(|gap| gap.uses(self.n))
    }

    fn gap_in_time<D: Number>(&self, i: usize, q: &[D], t: D) -> D {
        // the variables of a gap are q and t: t stands where the first rate would
        self.with(q, &[t], 0.0, |x| self.gaps[i].value(x))
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
            *entry = self.with(&q, &v, 0.0, |x| formula.value(x)).eps;
        }
    }

    fn force<D: Number>(&self, q: &[D], v: &[D], t: f64, Q: &mut [D]) {
        self.with(q, v, t, |x| {
            for (Q, formula) in Q.iter_mut().zip(&self.force) {
                *Q = formula.value(x);
            }
        });
        for (Q, load) in Q.iter_mut().zip(&self.loads) {
            *Q += D::from(load.at(t));
        }
    }
}
