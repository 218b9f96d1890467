//! The methods by name.

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
}

impl Method {
    /// Every method, in the order of `NAMES`.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Lemke, Self::Pgs, Self::NewtonMin, Self::NewtonFb, Self::Enumeration, Self::Proximal];

    /// The names used in scenario files.
    pub const NAMES: [&'static str; 7] = ["auto", "lemke", "pgs", "newton-min", "newton-fb", "enumeration", "proximal"];

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lemke => "lemke",
            Self::Pgs => "pgs",
            Self::NewtonMin => "newton-min",
            Self::NewtonFb => "newton-fb",
            Self::Enumeration => "enumeration",
            Self::Proximal => "proximal",
        }
    }

    /// What it is good for, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Auto => "active set first, then pivoting, proximal point and sweeps until one answer is good",
            Self::Lemke => "complementary pivoting; redundant contacts, proofs that there is no solution; dense, small",
            Self::Pgs => "projected Gauss-Seidel sweeps; any size, low accuracy, never a factorisation",
            Self::NewtonMin => "active set, one sparse solve per iteration; large regular problems, warm starts",
            Self::NewtonFb => "Fischer-Burmeister with line search; nonsymmetric problems without a good guess",
            Self::Enumeration => "tries all complementary bases; the reference for up to 20 rows",
            Self::Proximal => "regularised problems in sequence; shares the load evenly among redundant contacts",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    /// Names, list and lookup agree.
    #[test]
    fn names_lead_back_to_methods() {
        for (method, name) in Method::ALL.into_iter().zip(Method::NAMES) {
            assert_eq!(method.name(), name);
            assert_eq!(Method::from_name(name), Some(method));
        }
        assert_eq!(Method::from_name("simplex"), None);
    }
}
