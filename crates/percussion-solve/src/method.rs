//! The methods by name.

use crate::OwnMethod;
use serde::{Deserialize, Serialize};

/// A way to solve a one-step problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Chooses, watches and changes method; the default.
    #[default]
    Auto,
    /// Lemke's complementary pivoting with the lexicographic rule.
    Lemke,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Semismooth Newton on the min map (an active-set method).
    NewtonMin,
    /// Semismooth Newton on the Fischer–Burmeister map.
    NewtonFb,
    /// All complementary bases in turn; at most 20 rows.
    Enumeration,
    /// Proximal point: redundant contacts share their load evenly.
    Proximal,
    /// Block Gauss–Seidel with exact local solutions.
    Nsgs,
    /// The same with Anderson's acceleration.
    NsgsAnderson,
    /// Semismooth Newton on the Alart–Curnier function.
    NewtonAc,
    /// Proximal point with the same Newton inside.
    ProxNewton,
    /// Accelerated projected gradient.
    Apgd,
    /// Self-adaptive extragradient.
    Extragradient,
    /// Alternating directions, one factorisation for many iterations.
    Admm,
    /// Fixed point on the friction thresholds μ r_N.
    Tresca,
    /// Normal and tangential problems in turn.
    Panagiotopoulos,
    /// Interior points for convex subproblems; friction only with the feature `interior-point`.
    InteriorPoint,
    /// A function of the user's, without friction; not for scenario files.
    #[serde(skip)]
    Own(OwnMethod),
}

/// What is known about a method.
struct Row {
    method: Method,
    name: &'static str,
    /// Solves 0 ≤ u ⟂ p ≥ 0.
    complementarity: bool,
    /// Solves the cone problem of Coulomb friction.
    friction: bool,
    summary: &'static str,
}

/// The list: a new method is one row here and one arm where it is called.
const ROWS: [Row; 17] = [
    row(
        Method::Auto,
        "auto",
        true,
        true,
        "chooses, watches stall and cycling, changes method until one answer is good",
    ),
    row(
        Method::Lemke,
        "lemke",
        true,
        false,
        "complementary pivoting; redundant contacts, proofs that there is no solution; dense, small",
    ),
    row(
        Method::Pgs,
        "pgs",
        true,
        false,
        "projected Gauss-Seidel sweeps; any size, low accuracy, never a factorisation",
    ),
    row(
        Method::NewtonMin,
        "newton-min",
        true,
        false,
        "active set, one sparse solve per iteration; large regular problems, warm starts",
    ),
    row(
        Method::NewtonFb,
        "newton-fb",
        true,
        true,
        "Fischer-Burmeister with line search; nonsymmetric problems without a good guess",
    ),
    row(
        Method::Enumeration,
        "enumeration",
        true,
        false,
        "tries all complementary bases; the reference for up to 20 rows",
    ),
    row(
        Method::Proximal,
        "proximal",
        true,
        false,
        "regularised problems in sequence; shares the load evenly among redundant contacts",
    ),
    row(
        Method::Nsgs,
        "nsgs",
        false,
        true,
        "block Gauss-Seidel, each contact solved exactly; robust, linear convergence",
    ),
    row(
        Method::NsgsAnderson,
        "nsgs-anderson",
        false,
        true,
        "block Gauss-Seidel with Anderson's acceleration; medium and high accuracy without a factorisation",
    ),
    row(
        Method::NewtonAc,
        "newton-ac",
        false,
        true,
        "semismooth Newton on the Alart-Curnier function; quadratic near a solution, regular problems",
    ),
    row(
        Method::ProxNewton,
        "prox-newton",
        false,
        true,
        "proximal point with semismooth Newton inside; high accuracy, redundant contacts",
    ),
    row(
        Method::Apgd,
        "apgd",
        false,
        true,
        "accelerated projected gradient; many contacts at low accuracy, products with W only",
    ),
    row(
        Method::Extragradient,
        "extragradient",
        false,
        true,
        "self-adaptive extragradient; nonsymmetric problems, products with W only",
    ),
    row(
        Method::Admm,
        "admm",
        false,
        true,
        "alternating directions; medium accuracy, one factorisation of W + rho D for many iterations",
    ),
    row(
        Method::Tresca,
        "tresca",
        false,
        true,
        "fixed point on friction thresholds, sweeps inside; the classical reference",
    ),
    row(
        Method::Panagiotopoulos,
        "panagiotopoulos",
        false,
        true,
        "normal and tangential problems in turn, sweeps inside; the classical reference",
    ),
    row(
        Method::InteriorPoint,
        "interior-point",
        false,
        cfg!(feature = "interior-point"),
        "second-order cone programs in an accelerated outer loop; convex or nearly so, redundant contacts",
    ),
];

const fn row(method: Method, name: &'static str, complementarity: bool, friction: bool, summary: &'static str) -> Row {
    Row { method, name, complementarity, friction, summary }
}

impl Method {
    /// Every method, in the order of `NAMES`.
    pub const ALL: [Self; ROWS.len()] = {
        let mut all = [Self::Auto; ROWS.len()];
        let mut k = 0;
        while k < ROWS.len() {
            all[k] = ROWS[k].method;
            k += 1;
        }
        all
    };

    /// The names used in scenario files.
    pub const NAMES: [&'static str; ROWS.len()] = {
        let mut names = [""; ROWS.len()];
        let mut k = 0;
        while k < ROWS.len() {
            names[k] = ROWS[k].name;
            k += 1;
        }
        names
    };

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.method)
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.method == self).unwrap_or(&ROWS[0])
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own(own) => own.name,
            method => method.row().name,
        }
    }

    /// What it is good for, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Own(_) => "a function of the user's own",
            method => method.row().summary,
        }
    }

    /// Whether it solves problems without friction.
    pub fn solves_complementarity(self) -> bool {
        matches!(self, Self::Own(_)) || self.row().complementarity
    }

    /// The most rows it takes, where that is limited.
    pub fn most_rows(self) -> Option<usize> {
        match self {
            Self::Lemke => Some(crate::lemke::LARGEST),
            Self::Enumeration => Some(crate::enumeration::LARGEST),
            _ => None,
        }
    }

    /// Whether it solves problems with friction.
    pub fn solves_friction(self) -> bool {
        !matches!(self, Self::Own(_)) && self.row().friction
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, list and lookup agree, also with the names serde writes; every method solves something.
    #[test]
    fn names_lead_back_to_methods() {
        for (method, name) in Method::ALL.into_iter().zip(Method::NAMES) {
            assert_eq!(method.name(), name);
            assert_eq!(Method::from_name(name), Some(method));
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{name}\""));
            let left_out = method == Method::InteriorPoint && !cfg!(feature = "interior-point");
            assert!(method.solves_complementarity() || method.solves_friction() || left_out);
        }
        assert_eq!(Method::from_name("simplex"), None);
    }
}
