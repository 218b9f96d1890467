//! How two materials meet: restitution or compliance, friction and rolling friction by pair.
//!
//!   U⁺ = −e U⁻,    ‖p_T‖ ≤ μ p_N,    ‖m_T‖ ≤ μ_r p_N

use super::Compliance;
use crate::{Code, InputError};

/// The law of contacts between two materials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairLaw {
    /// e ∈ [0, 1].
    pub restitution: f64,
    /// μ ≥ 0.
    pub friction: f64,
    /// μ_r ≥ 0 [m]: how far ahead of the contact the normal force may act.
    pub rolling: f64,
    /// A force of the depth in the place of Newton's law, U⁺ = −e U⁻: e = 0 then.
    pub compliance: Option<Compliance>,
}

impl PairLaw {
    /// Refuses coefficients out of range; fields are named relative to the pair.
    pub fn check(&self) -> Result<(), InputError> {
        let (e, mu, mu_r) = (self.restitution, self.friction, self.rolling);
        for (field, x) in [("restitution", e), ("friction", mu), ("rolling", mu_r)] {
            if !x.is_finite() {
                return Err(InputError::new(Code::NOT_FINITE, field, format!("is {x}"), "give a finite number"));
            }
        }
        if !(0.0..=1.0).contains(&e) {
            let help = "0 keeps nothing of the approach velocity, 1 all of it";
            return Err(InputError::new(Code::RESTITUTION, "restitution", format!("{e} is outside [0, 1]"), help));
        }
        for (field, x) in [("friction", mu), ("rolling", mu_r)] {
            if x < 0.0 {
                return Err(InputError::new(Code::FRICTION, field, format!("{x} is negative"), "give 0 or more"));
            }
        }
        let Some(compliance) = self.compliance else { return Ok(()) };
        if e > 0.0 {
            let message = format!("{e} beside compliance, whose rebound follows from its damping");
            return Err(InputError::new(Code::CONTRADICTION, "restitution", message, "leave out one of the two"));
        }
        compliance.check()
    }
}

/// The laws of all pairs of m materials.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    names: Vec<String>,
    /// m × m, symmetric.
    laws: Vec<PairLaw>,
}

impl Materials {
    /// Materials whose pairs all follow one law, until `set` gives a pair its own.
    pub fn new(names: Vec<String>, default: PairLaw) -> Result<Self, InputError> {
        default.check()?;
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                let message = format!("material \"{name}\" is given twice");
                return Err(InputError::new(Code::BAD_NAME, format!("material[{i}].name"), message, "rename one"));
            }
        }
        let laws = vec![default; names.len() * names.len()];
        Ok(Self { names, laws })
    }

    /// One material that meets itself by this law.
    pub fn uniform(law: PairLaw) -> Result<Self, InputError> {
        Self::new(vec!["default".into()], law)
    }

    /// Sets the law of a pair.
    pub fn set(&mut self, a: usize, b: usize, law: PairLaw) -> Result<(), InputError> {
        law.check()?;
        let m = self.names.len();
        self.laws[a * m + b] = law;
        self.laws[b * m + a] = law;
        Ok(())
    }

    /// The law of a pair.
    #[inline]
    pub fn law(&self, a: usize, b: usize) -> PairLaw {
        self.laws[a * self.names.len() + b]
    }

    /// The number of a material.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Names in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// ē, the largest restitution of any pair.
    pub fn largest_restitution(&self) -> f64 {
        self.laws.iter().map(|law| law.restitution).fold(0.0, f64::max)
    }

    /// Whether any pair has friction.
    pub fn has_friction(&self) -> bool {
        self.laws.iter().any(|law| law.friction > 0.0 || law.rolling > 0.0)
    }

    /// Whether any pair gives way.
    pub fn has_compliance(&self) -> bool {
        self.laws.iter().any(|law| law.compliance.is_some())
    }

    /// Whether any pair resists rolling.
    pub fn has_rolling(&self) -> bool {
        self.laws.iter().any(|law| law.rolling > 0.0)
    }
}
