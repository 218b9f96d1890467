//! The methods by name: one line per solver, which leads to the entry in its file.

use crate::complementarity::{OwnMethod, enumeration, lemke, newton_fb, newton_min, pgs, proximal};
use crate::entry::{Complementarity, Entry};
use crate::friction::gradient::{apgd, extragradient};
use crate::friction::newton::{central_path, newton_ac, prox_newton};
use crate::friction::splitting::{admm, interior_point};
use crate::friction::sweeps::{anderson, gauss_seidel, thresholds};
use crate::{auto, complementarity};
use serde::{Deserialize, Serialize};

/// Writes the enum, its list of names and the way from a method to its entry from one line per solver.
macro_rules! solvers {
    ($($(#[$attribute:meta])+ $method:ident = $entry:path,)+) => {
        /// A way to solve a one-step problem.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Method {
            $($(#[$attribute])+ $method,)+
            /// A function of the user's, without friction; not for scenario files.
            #[serde(skip)]
            Own(OwnMethod),
        }

        impl Method {
            /// Every method, in the order of `NAMES`.
            pub const ALL: [Self; [$($entry.name),+].len()] = [$(Self::$method),+];

            /// The names used in scenario files.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$($entry.name),+];

            /// What is known about it. Not inlined: entries name every method for every number of components, and each crate that
            /// asked would compile them all again.
            #[inline(never)]
            pub(crate) fn entry(self) -> Entry {
                match self {
                    $(Self::$method => $entry,)+
                    Self::Own(own) => complementarity::own_method::entry(own),
                }
            }
        }
    };
}

solvers! {
    /// Chooses, watches and changes method; the default.
    #[default]
    Auto = auto::ENTRY,
    /// Lemke's complementary pivoting with the lexicographic rule.
    Lemke = lemke::ENTRY,
    /// Projected Gauss–Seidel.
    Pgs = pgs::ENTRY,
    /// Semismooth Newton on the min map (an active-set method).
    NewtonMin = newton_min::ENTRY,
    /// Semismooth Newton on the Fischer–Burmeister map.
    NewtonFb = newton_fb::ENTRY,
    /// All complementary bases in turn; at most 20 rows.
    Enumeration = enumeration::ENTRY,
    /// Proximal point: redundant contacts share their load evenly.
    Proximal = proximal::ENTRY,
    /// Block Gauss–Seidel with exact local solutions.
    Nsgs = gauss_seidel::ENTRY,
    /// The same with Anderson's acceleration.
    NsgsAnderson = anderson::ENTRY,
    /// Semismooth Newton on the Alart–Curnier function.
    NewtonAc = newton_ac::ENTRY,
    /// Proximal point with the same Newton inside.
    ProxNewton = prox_newton::ENTRY,
    /// Interior points with de Saxcé's shift inside.
    CentralPath = central_path::ENTRY,
    /// Accelerated projected gradient.
    Apgd = apgd::ENTRY,
    /// Self-adaptive extragradient.
    Extragradient = extragradient::ENTRY,
    /// Alternating directions, one factorisation for many iterations.
    Admm = admm::ENTRY,
    /// Fixed point on the friction thresholds μ r_N.
    Tresca = thresholds::TRESCA,
    /// Normal and tangential problems in turn.
    Panagiotopoulos = thresholds::PANAGIOTOPOULOS,
    /// Interior points for convex subproblems; friction only with the feature `interior-point`.
    InteriorPoint = interior_point::ENTRY,
}

impl Method {
    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it is good for, in one line.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// The most rows it takes, where that is limited.
    pub fn most_rows(self) -> Option<usize> {
        self.entry().most_rows
    }

    /// Whether it solves problems without friction.
    pub fn solves_complementarity(self) -> bool {
        !matches!(self.entry().complementarity, Complementarity::None)
    }

    /// Whether it solves problems with friction.
    pub fn solves_friction(self) -> bool {
        self.entry().friction.is_some()
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
