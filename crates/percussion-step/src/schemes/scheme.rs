//! A resolved scheme: its equations with their numbers, and how contacts are selected and obey their laws.

use crate::schemes::SchemeEntry;
use crate::schemes::equations::{Equations, Facts, System};
use crate::schemes::moreau_jean;
use crate::schemes::options::{SchemeOptions, Written};
use crate::schemes::own::Own;
use crate::{Activation, FrictionLaw, Gyroscopic, ImpactLaw, Model};
use percussion_model::InputError;
use std::sync::Arc;

/// Whether residual penetration is lifted with dissipated energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Penetration at rest stays, O(h²) for e > 0, O(h) for e = 0.
    #[default]
    None,
    /// Lifted as far as the energy lost in the same step pays for it.
    Paid,
}

/// A resolved scheme.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its name, in `SCHEMES` or a user's own.
    pub name: &'static str,
    /// Its row in a list, the library's or a program's own; none where only its steps are known.
    pub entry: Option<&'static SchemeEntry>,
    /// Its equations.
    pub equations: Arc<dyn Equations>,
    /// The index set.
    pub activation: Activation,
    /// What happens to residual penetration.
    pub projection: Projection,
    /// GGL's parts one after the other in each Newton iteration instead of all at once.
    pub sequential: bool,
    /// Whether steps without impulses are extrapolated, which no identity covers.
    pub extrapolated: bool,
    /// What frictional contacts obey.
    pub friction_law: FrictionLaw,
    /// How the gyroscopic term of bodies is evaluated.
    pub gyroscopic: Gyroscopic,
    /// Restitution as a function of the approach, where it is not the contact's constant.
    pub impact_law: Option<ImpactLaw>,
}

impl PartialEq for Scheme {
    /// Equal names, numbers, words and rules: equal steps.
    fn eq(&self, other: &Self) -> bool {
        let numbers = |scheme: &Self| (scheme.name, scheme.equations.values());
        let rules = |scheme: &Self| {
            let law = scheme.impact_law;
            (
                scheme.activation,
                scheme.projection,
                scheme.sequential,
                scheme.extrapolated,
                scheme.friction_law,
                scheme.gyroscopic,
                law,
            )
        };
        numbers(self) == numbers(other) && rules(self) == rules(other)
    }
}

impl Scheme {
    /// The scheme of that name with its default parameters.
    pub fn named(name: &str) -> Result<Self, InputError> {
        Ok(Self::resolve(name, &SchemeOptions::default())?.0)
    }

    /// A scheme of a list with its equations and the default rules.
    pub fn of(entry: &'static SchemeEntry, equations: Arc<dyn Equations>) -> Self {
        Self { entry: Some(entry), ..Self::new(entry.name, equations) }
    }

    /// Equations under a name, with the default rules: how a scheme from outside the library is run.
    pub fn new(name: &'static str, equations: Arc<dyn Equations>) -> Self {
        Self {
            name,
            entry: None,
            equations,
            activation: Activation::Hold,
            projection: Projection::None,
            sequential: false,
            extrapolated: false,
            friction_law: FrictionLaw::Checked,
            gyroscopic: Gyroscopic::N1p,
            impact_law: None,
        }
    }

    /// Moreau–Jean with the default rules.
    pub fn moreau_jean(theta: f64) -> Self {
        let parameters = moreau_jean::parameters::Parameters { theta, midpoint: false, between: false };
        Self::of(&moreau_jean::parameters::ENTRY, Arc::new(parameters))
    }

    /// A stepper of the user's own; `identity` is what its `LedgerEntry::balance` measures, `None` for a measured balance.
    pub fn own(name: &'static str, identity: Option<&'static str>) -> Self {
        Self::new(name, Arc::new(Own { identity }))
    }

    /// Its equations.
    pub fn equations(&self) -> &dyn Equations {
        &*self.equations
    }

    /// Whether it takes the key of that name.
    pub fn takes(&self, key: &str) -> bool {
        self.entry.is_some_and(|entry| entry.takes(key))
    }

    /// What other code asks of it.
    pub fn facts(&self) -> Facts {
        self.equations.facts()
    }

    /// The same scheme with another law of impact.
    pub fn with_impact_law(self, law: ImpactLaw) -> Self {
        Self { impact_law: Some(law), ..self }
    }

    /// The same scheme under another activation rule.
    pub fn with_activation(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// The same scheme under another friction law.
    pub fn with_friction_law(self, friction_law: FrictionLaw) -> Self {
        Self { friction_law, ..self }
    }

    /// The resolved numbers and words by name.
    pub fn parameters(&self) -> Vec<(&'static str, Written)> {
        self.equations.values()
    }

    /// Whether g ≥ 0 is promised at the end of every step.
    pub fn promises_gap(&self, model: &Model) -> bool {
        let on_gaps = matches!(self.activation, Activation::Gap | Activation::Equilibrium);
        self.facts().promises.gap || (on_gaps && model.linear().is_some())
    }

    /// Whether joints are held on velocities only, so that positions of this model drift.
    pub fn lets_joints_drift(&self, model: &Model) -> bool {
        model.system() == System::Lagrangian && !self.facts().promises.joints
    }
}
