//! `[model]` of kind "formula".

use crate::format::record::{FromValue, Place, Read, misfit, record};
use crate::format::signal::{SIGNAL, SignalSpec};
use crate::format::text::ToText;
use crate::format::values::{Spread, UNITS};
use crate::format::write::quoted;
use percussion_model::KeyDefault::{Absent, Number, Required};
use percussion_model::nonlinear::{FormulaContact, FormulaParts};
use percussion_model::{Form, Signal};
use toml::Value;

/// A formula: text, or a number.
const FORMULA_TEXT: Form = Form::Named("formula", &Form::OneOf(&[Form::Text, Form::NUMBER]));

/// A formula, or a signal.
const FORCE_TEXT: Form = Form::OneOf(&[Form::Text, SIGNAL]);

/// A formula as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaText(pub String);

impl FromValue for FormulaText {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::String(text) => Ok(Self(text)),
            Value::Float(x) => Ok(Self(format!("{x:?}"))),
            Value::Integer(n) => Ok(Self(n.to_string())),
            other => Err(misfit(&other, form, at)),
        }
    }
}

impl ToText for FormulaText {
    fn text(&self) -> Option<String> {
        Some(quoted(&self.0))
    }
}

/// A force: a formula, or a signal.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceText {
    /// Of coordinates, rates, t and parameters.
    Formula(FormulaText),
    /// Of t alone.
    Signal(SignalSpec),
}

impl FromValue for ForceText {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        match value {
            Value::Table(_) => SignalSpec::from_value(value, &SIGNAL, at).map(Self::Signal),
            other => FormulaText::from_value(other, form, at).map(Self::Formula),
        }
    }
}

impl ToText for ForceText {
    fn text(&self) -> Option<String> {
        match self {
            Self::Formula(formula) => formula.text(),
            Self::Signal(signal) => signal.text(),
        }
    }
}

/// Names and what they stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(pub Vec<(String, SignalSpec)>);

impl FromValue for Parameters {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let Value::Table(table) = value else { return Err(misfit(&value, form, at)) };
        let read = |(name, value): (String, Value)| {
            let signal = SignalSpec::from_value(value, &SIGNAL, &at.key(&name))?;
            Ok((name, signal))
        };
        table.into_iter().map(read).collect::<Read<_>>().map(Self)
    }
}

impl ToText for Parameters {
    fn text(&self) -> Option<String> {
        let entry = |(name, signal): &(String, SignalSpec)| Some(format!("{} = {}", quoted(name), signal.text()?));
        let entries: Option<Vec<String>> = self.0.iter().map(entry).collect();
        Some(format!("{{ {} }}", entries?.join(", ")))
    }
}

record! {
    /// `[model]` of kind "formula".
    struct FormulaSpec as FORMULA {
        coordinates: Vec<String> = Form::list(&Form::Text), "", Required, "names of q; the rate of x is x_dot";
        units: Option<Spread<String>> = UNITS, "", Absent("not told"), "of the coordinates: one for all, or one each";
        parameters: Option<Parameters> = Form::Any, "", Absent("none"), "{ name = number, … }, known to every formula; signals to potential, force and gaps";
        kinetic: Option<FormulaText> = FORMULA_TEXT, "J", Absent("mass"), "T, quadratic in the rates";
        mass: Option<Vec<Vec<FormulaText>>> = Form::list(&Form::list(&FORMULA_TEXT)), "kg", Absent("kinetic"), "M(q) instead of T";
        potential: Option<FormulaText> = FORMULA_TEXT, "J", Absent("none"), "V(q)";
        force: Vec<ForceText> = Form::list(&FORCE_TEXT), "N", Absent("none"), "what has no potential: formulas of coordinates, rates and t, or signals";
        q0: Option<Vec<f64>> = Form::NUMBERS, "", Absent("zero"), "q at t = 0";
        v0: Option<Vec<f64>> = Form::NUMBERS, "", Absent("zero"), "v at t = 0";
        contact: Vec<FormulaContactSpec> = Form::list(&Form::Table(FORMULA_CONTACT)), "", Absent("none"), "the contacts";
        picture: Option<PictureSpec> = Form::Table(PICTURE), "", Absent("no moving picture"), "what the report draws";
    }
}

record! {
    /// `[model.picture]` of kind "formula".
    struct PictureSpec as PICTURE {
        shapes: Vec<PictureShapeSpec> = Form::list(&Form::Table(PICTURE_SHAPE)), "", Required, "shapes in the plane, x to the right, y up";
    }
}

/// A place: formulas of coordinates, parameters and t.
const PICTURE_POINT: Form = Form::list(&FORMULA_TEXT);

record! {
    /// A shape of `[model.picture]`.
    struct PictureShapeSpec as PICTURE_SHAPE {
        kind: String = Form::Word(&["disc", "box", "line", "spring", "wall"]), "", Required, "what is drawn";
        position: Vec<FormulaText> = PICTURE_POINT, "m", Absent("the origin"), "x and y of a disc's, box's or wall's middle";
        angle: Option<FormulaText> = FORMULA_TEXT, "rad", Absent("0"), "how far a box is turned";
        points: Vec<Vec<FormulaText>> = Form::list(&PICTURE_POINT), "m", Absent("none"), "x and y of each point of a line, or of the ends of a spring";
        radius: f64 = Form::POSITIVE, "m", Number(0.05), "of a disc";
        size: Vec<f64> = Form::NUMBERS, "m", Absent("0.1 by 0.1"), "width and height of a box";
        normal: Vec<f64> = Form::NUMBERS, "", Absent("up"), "of a wall, towards what hits it";
        thickness: f64 = Form::POSITIVE, "m", Number(0.02), "of a line or spring";
    }
}

record! {
    /// `[[model.contact]]` of kind "formula".
    struct FormulaContactSpec as FORMULA_CONTACT {
        name: Option<String> = Form::Text, "", Absent("contact N"), "what tables, figures and messages call it";
        gap: FormulaText = FORMULA_TEXT, "m", Required, "g(q, t) ≥ 0; where it depends on t, an obstacle moves";
        tangent: Option<Spread<FormulaText>> = Form::OneOf(&[FORMULA_TEXT, Form::list(&FORMULA_TEXT)]), "m", Absent("none"), "what slides: a place x_T(q), or a velocity; two in space";
        friction: f64 = Form::NOT_NEGATIVE, "", Number(0.0), "μ";
        restitution: f64 = Form::between(0.0, 1.0), "", Number(0.0), "e";
    }
}

impl FormulaSpec {
    /// What the model is made of.
    pub fn parts(&self) -> FormulaParts {
        let text = |formula: &FormulaText| formula.0.clone();
        let parameters = self.parameters.iter().flat_map(|parameters| &parameters.0);
        let by_formula = |force: &ForceText| match force {
            ForceText::Formula(formula) => text(formula),
            ForceText::Signal(_) => "0".into(),
        };
        let by_signal = |force: &ForceText| match force {
            ForceText::Formula(_) => Signal::default(),
            ForceText::Signal(signal) => signal.0.clone(),
        };
        let contact = |c: &FormulaContactSpec| FormulaContact {
            gap: text(&c.gap),
            tangents: match &c.tangent {
                None => Vec::new(),
                Some(Spread::All(one)) => vec![text(one)],
                Some(Spread::Each(list)) => list.iter().map(text).collect(),
            },
            friction: c.friction,
            restitution: c.restitution,
            name: c.name.clone().unwrap_or_default(),
        };
        FormulaParts {
            coordinates: self.coordinates.clone(),
            parameters: parameters.map(|(name, x)| (name.clone(), x.0.clone())).collect(),
            kinetic: self.kinetic.as_ref().map(text),
            mass: self.mass.as_ref().map(|rows| rows.iter().map(|row| row.iter().map(text).collect()).collect()),
            potential: self.potential.as_ref().map(text),
            force: self.force.iter().map(by_formula).collect(),
            contacts: self.contact.iter().map(contact).collect(),
            loads: self.force.iter().map(by_signal).collect(),
        }
    }
}
