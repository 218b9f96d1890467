//! Signals as they are written: a number, or a table with the keys of one kind.
//!
//!   -10.0 · { mean, sines } · { table, interpolation, periodic, scale, delay } · { step | ramp | smooth | pulse = {…} } ·
//!   { formula = "…" } · { sum = […] } · { product = […] }

use super::locate::Part;
use super::record::{FromValue, Place, Read, misfit, record, wrong};
use super::text::ToText;
use super::write::{list, number, quoted};
use percussion_model::KeyDefault::{Absent, Flag, Number, Required, Word};
use percussion_model::{
    Form, Formula, InputError, Interpolation, Profile, PulseShape, Signal, Sine, Table, Term, Waveform,
};
use toml::Value;

/// A number that may depend on time.
pub const SIGNAL: Form = Form::Named(
    "signal",
    &Form::OneOf(&[
        Form::NUMBER,
        Form::Table(HARMONICS),
        Form::Table(SINES),
        Form::Table(TABLE),
        Form::Table(&[key("step", Form::Table(STEP), "from one value to another at once")]),
        Form::Table(&[key("ramp", Form::Table(BETWEEN), "from one value to another at a constant rate")]),
        Form::Table(&[key("smooth", Form::Table(BETWEEN), "the same with continuous rate and acceleration")]),
        Form::Table(&[key("pulse", Form::Table(PULSE), "up and back")]),
        Form::Table(&[key("formula", Form::Text, "in t, such as \"3*sin(2*pi*t)*exp(-t)\"")]),
        Form::Table(&[key("sum", Form::list(&Form::Any), "of signals")]),
        Form::Table(&[key("product", Form::list(&Form::Any), "of signals")]),
    ]),
);
/// Signals, as many as the model has coordinates or the scene has axes.
pub const SIGNALS: Form = Form::list(&SIGNAL);

const fn key(name: &'static str, form: Form, meaning: &'static str) -> percussion_model::Key {
    percussion_model::Key::new(name, form, "", Required, meaning)
}

record! {
    /// mean + Σ amplitude·sin(omega·t + phase).
    struct Harmonics as HARMONICS {
        mean: f64 = Form::NUMBER, "", Required, "value without harmonics; 0 where there are sines";
        sines: Vec<Harmonic> = Form::list(&Form::Table(HARMONIC)), "", Absent("none"), "the harmonics";
    }
}

record! {
    /// Σ amplitude·sin(omega·t + phase).
    struct Sines as SINES {
        sines: Vec<Harmonic> = Form::list(&Form::Table(HARMONIC)), "", Required, "the harmonics";
    }
}

record! {
    /// One harmonic.
    struct Harmonic as HARMONIC {
        amplitude: f64 = Form::NUMBER, "", Required, "A";
        omega: f64 = Form::NUMBER, "rad/s", Required, "ω";
        phase: f64 = Form::NUMBER, "rad", Number(0.0), "φ";
    }
}

/// Points [t, x].
const POINTS: Form = Form::list(&Form::exactly(2, &Form::NUMBER));

record! {
    /// A table; a file has become its points by the time it is read.
    struct TableSpec as TABLE {
        table: Vec<[f64; 2]> = Form::OneOf(&[Form::Text, POINTS]), "s", Required, "points [t, x], or a file of two columns";
        interpolation: String = Form::Word(&["linear", "cubic"]), "", Word("linear"), "between the points";
        periodic: bool = Form::Flag, "", Flag(false), "repeats; else the ends are held";
        scale: f64 = Form::NUMBER, "", Number(1.0), "times the values";
        delay: f64 = Form::NUMBER, "s", Number(0.0), "later by so much";
        file: Option<String> = Form::Text, "", Absent("none"), "where a resolved scenario keeps the points";
    }
}

record! {
    /// `step = { … }`.
    struct StepSpec as STEP {
        at: f64 = Form::NUMBER, "s", Required, "when";
        from: f64 = Form::NUMBER, "", Number(0.0), "before";
        to: f64 = Form::NUMBER, "", Number(1.0), "after";
    }
}

record! {
    /// `ramp = { … }` and `smooth = { … }`.
    struct BetweenSpec as BETWEEN {
        start: f64 = Form::NUMBER, "s", Number(0.0), "leaves the first value";
        end: f64 = Form::NUMBER, "s", Required, "reaches the second";
        from: f64 = Form::NUMBER, "", Number(0.0), "before";
        to: f64 = Form::NUMBER, "", Number(1.0), "after";
    }
}

record! {
    /// `pulse = { … }`.
    struct PulseSpec as PULSE {
        start: f64 = Form::NUMBER, "s", Number(0.0), "leaves zero";
        end: f64 = Form::NUMBER, "s", Required, "is back";
        height: f64 = Form::NUMBER, "", Number(1.0), "the largest value";
        shape: String = Form::Word(&["rectangle", "half-sine"]), "", Word("rectangle"), "how";
    }
}

/// A signal as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalSpec(pub Signal);

/// Keys that say which kind of signal a table is.
const KINDS: [&str; 8] = ["table", "step", "ramp", "smooth", "pulse", "formula", "sum", "product"];

impl FromValue for SignalSpec {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let Value::Table(table) = &value else {
            return f64::from_value(value, form, at).map(|x| Self(Signal::constant(x)));
        };
        let Some(kind) = KINDS.into_iter().find(|kind| table.contains_key(*kind)) else {
            return harmonics(value, form, at).map(Self);
        };
        if kind == "table" {
            return of_table(value, form, at).map(Self);
        }
        if let Some(other) = table.keys().find(|key| *key != kind) {
            return Err(wrong(at, format!("has {kind} and {other}, where a signal is one of them; use sum")));
        }
        let Value::Table(mut table) = value else { return Err(wrong(at, "is no table".into())) };
        let inner = table.remove(kind).unwrap_or(Value::Boolean(false));
        of_kind(kind, inner, &at.key(kind), at).map(Self)
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

fn harmonics(value: Value, form: &Form, at: &Place) -> Read<Signal> {
    let (mean, sines) = if value.get("sines").is_some() && value.get("mean").is_none() {
        (0.0, Sines::from_value(value, form, at)?.sines)
    } else {
        let Harmonics { mean, sines } = Harmonics::from_value(value, form, at)?;
        (mean, sines)
    };
    let sine = |s: Harmonic| Sine { amplitude: s.amplitude, omega: s.omega, phase: s.phase };
    Ok(Signal { mean, sines: sines.into_iter().map(sine).collect(), terms: Vec::new() })
}

fn of_table(value: Value, form: &Form, at: &Place) -> Read<Signal> {
    let spec = TableSpec::from_value(value, form, at)?;
    let interpolation = match spec.interpolation.as_str() {
        "linear" => Interpolation::Linear,
        "cubic" => Interpolation::Cubic,
        other => {
            let place = at.key("interpolation");
            return Err(wrong(&place, format!("is \"{other}\", where \"linear\" or \"cubic\" is expected")));
        }
    };
    let table = Table::new(spec.table, interpolation, spec.periodic, spec.delay).map_err(|e| refused(e, at))?;
    Ok(Signal::waveform(spec.scale, Waveform::Table(table.from_file(spec.file))))
}

/// A signal by one key; `at` is the key's place, `above` the signal's.
fn of_kind(kind: &str, value: Value, at: &Place, above: &Place) -> Read<Signal> {
    let profile = |profile: Profile| match profile.check() {
        Ok(profile) => Ok(Signal::waveform(1.0, Waveform::Profile(profile))),
        Err(error) => Err(refused(error, at)),
    };
    match kind {
        "step" => {
            let StepSpec { at: when, from, to } = FromValue::from_value(value, &Form::Table(STEP), at)?;
            profile(Profile::Step { at: when, from, to })
        }
        "ramp" => {
            let BetweenSpec { start, end, from, to } = FromValue::from_value(value, &Form::Table(BETWEEN), at)?;
            profile(Profile::Ramp { start, end, from, to })
        }
        "smooth" => {
            let BetweenSpec { start, end, from, to } = FromValue::from_value(value, &Form::Table(BETWEEN), at)?;
            profile(Profile::Smooth { start, end, from, to })
        }
        "pulse" => {
            let PulseSpec { start, end, height, shape } = FromValue::from_value(value, &Form::Table(PULSE), at)?;
            let shape = match shape.as_str() {
                "rectangle" => PulseShape::Rectangle,
                "half-sine" => PulseShape::HalfSine,
                other => {
                    let place = at.key("shape");
                    let message = format!("is \"{other}\", where \"rectangle\" or \"half-sine\" is expected");
                    return Err(wrong(&place, message));
                }
            };
            profile(Profile::Pulse { start, end, height, shape })
        }
        "formula" => {
            let text = String::from_value(value, &Form::Text, at)?;
            let formula = Formula::new(&text, &["t"]).map_err(|e| refused(e, above))?;
            Ok(Signal::waveform(1.0, Waveform::Formula(formula)))
        }
        "sum" | "product" => {
            let Value::Array(_) = value else { return Err(misfit(&value, &SIGNALS, at)) };
            let parts: Vec<SignalSpec> = FromValue::from_value(value, &SIGNALS, at)?;
            if kind == "product" {
                return Ok(Signal::product(parts.into_iter().map(|part| part.0).collect()));
            }
            let mut sum = Signal::default();
            parts.iter().for_each(|part| sum.add(1.0, &part.0));
            Ok(sum)
        }
        other => Err(wrong(at, format!("\"{other}\" is no kind of signal"))),
    }
}

fn refused(error: InputError, at: &Place) -> super::record::Refused {
    (error.below(at.to_string()).into(), Part::Value)
}

impl ToText for SignalSpec {
    fn text(&self) -> Option<String> {
        let Signal { mean, sines, terms } = &self.0;
        let plain = if sines.is_empty() { number(*mean) } else { harmonic_text(*mean, sines)? };
        let nothing = *mean == 0.0 && sines.is_empty();
        match &terms[..] {
            [] => Some(plain),
            [term] if nothing => term_text(term),
            terms => {
                let parts: Option<Vec<String>> =
                    std::iter::once(Some(plain)).chain(terms.iter().map(term_text)).collect();
                Some(format!("{{ sum = {} }}", list(parts?.into_iter())))
            }
        }
    }
}

fn harmonic_text(mean: f64, sines: &[Sine]) -> Option<String> {
    let sine = |s: &Sine| Harmonic { amplitude: s.amplitude, omega: s.omega, phase: s.phase };
    Harmonics { mean, sines: sines.iter().map(sine).collect() }.text()
}

fn term_text(term: &Term) -> Option<String> {
    if let Waveform::Table(table) = &*term.waveform {
        return Some(table_text(table, term.factor));
    }
    let text = match &*term.waveform {
        Waveform::Profile(profile) => profile_text(profile)?,
        Waveform::Formula(formula) => format!("{{ formula = {} }}", quoted(formula.text())),
        Waveform::Product(factors) => {
            let factors: Option<Vec<String>> = factors.iter().map(|s| SignalSpec(s.clone()).text()).collect();
            format!("{{ product = {} }}", list(factors?.into_iter()))
        }
        // what a program sets is not the scenario's
        Waveform::Dial(dial) => SignalSpec(dial.written().clone()).text()?,
        // computed from others, never written
        Waveform::Table(_) | Waveform::Derivative { .. } => return None,
    };
    Some(if term.factor == 1.0 { text } else { format!("{{ product = [{}, {text}] }}", number(term.factor)) })
}

fn table_text(table: &Table, scale: f64) -> String {
    let points = match table.file() {
        Some(name) => quoted(name),
        None => list(table.points().iter().map(|[t, x]| format!("[{}, {}]", number(*t), number(*x)))),
    };
    let interpolation = match table.interpolation() {
        Interpolation::Linear => "linear",
        Interpolation::Cubic => "cubic",
    };
    format!(
        "{{ table = {points}, interpolation = {}, periodic = {}, scale = {}, delay = {} }}",
        quoted(interpolation),
        table.is_periodic(),
        number(scale),
        number(table.delay())
    )
}

fn profile_text(profile: &Profile) -> Option<String> {
    let (kind, text) = match *profile {
        Profile::Step { at, from, to } => ("step", StepSpec { at, from, to }.text()),
        Profile::Ramp { start, end, from, to } => ("ramp", BetweenSpec { start, end, from, to }.text()),
        Profile::Smooth { start, end, from, to } => ("smooth", BetweenSpec { start, end, from, to }.text()),
        Profile::Pulse { start, end, height, shape } => {
            let shape = match shape {
                PulseShape::Rectangle => "rectangle",
                PulseShape::HalfSine => "half-sine",
            };
            ("pulse", PulseSpec { start, end, height, shape: shape.into() }.text())
        }
    };
    text.map(|text| format!("{{ {kind} = {text} }}"))
}
