//! Hands on a formula model: loads on its coordinates, and its parameters where nothing forbids that they vary.

use super::{Hands, NOT_FOLLOWED, Reach, control, hand, load};
use crate::error::Result;
use percussion_model::Signal;
use percussion_model::nonlinear::{FormulaParts, ParameterUse};

/// The parts with hands on them.
pub fn with_dials(mut parts: FormulaParts, reach: Reach, hands: &mut Hands) -> Result<FormulaParts> {
    parts.loads.resize(parts.coordinates.len(), Signal::default());
    for (name, load) in parts.coordinates.iter().zip(&mut parts.loads) {
        // beside what is written
        let mut hand = Signal::default();
        hands.controls.push(control(format!("force.{name}"), "N or N·m", std::slice::from_mut(&mut hand)));
        load.add(1.0, &hand);
    }
    for k in 0..parts.parameters.len() {
        let (name, varies) = (parts.parameters[k].0.clone(), !parts.parameters[k].1.is_constant());
        let used = parts.use_of(&name)?;
        let (plain, rate) = (format!("parameters.{name}"), format!("parameters.{name}.rate"));
        let signal = &mut parts.parameters[k].1;
        let refused: (String, String) = match used {
            ParameterUse::Load => {
                hands.controls.push(load(plain, "as written", std::slice::from_mut(signal)));
                (rate, format!("it stands in no gap: set parameters.{name} itself"))
            }
            ParameterUse::Gap if varies && reach == Reach::Motions => {
                hands.controls.push(hand(rate, "1/s of it", vec![signal], true));
                (plain, format!("it stands in a gap, which must not jump: set parameters.{name}.rate"))
            }
            ParameterUse::Gap if varies => (rate, NOT_FOLLOWED.into()),
            ParameterUse::Gap => {
                let help = format!(
                    "it stands in a gap as a number: write a signal, such as {name} = {{ formula = \"{} + 0*t\" }}, and set its rate",
                    signal.at(0.0)
                );
                hands.refused.push((plain, help.clone()));
                (rate, help)
            }
            ParameterUse::Constant => {
                (plain, "it stands in the inertia, a tangent or an exponent, which must not vary".into())
            }
            ParameterUse::None => (plain, "it stands in no formula".into()),
        };
        hands.refused.push(refused);
    }
    Ok(parts)
}
