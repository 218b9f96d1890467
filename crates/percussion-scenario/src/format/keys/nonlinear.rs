//! `[model]` of the nonlinear kinds.

use crate::format::keys::formula::{PICTURE, PictureSpec};
use crate::format::record::record;
use crate::format::values::{SIGNAL, SignalSpec, Spread, UNITS};
use crate::limits::MAX_BEAM_ELEMENTS;
use percussion_model::KeyDefault::{Absent, Flag, Number, Required};
use percussion_model::nonlinear::BeamParts;
use percussion_model::{Bound, Form, Range};

/// x, y, θ.
const PLACE: Form = Form::exactly(3, &Form::NUMBER);

record! {
    /// `[model]` of kind "pendulum".
    struct PendulumSpec as PENDULUM {
        mass: f64 = Form::POSITIVE, "kg", Required, "m";
        inertia: f64 = Form::NOT_NEGATIVE, "kg·m²", Required, "J about the mass; zero for a point, whose joints hold θ";
        length: f64 = Form::POSITIVE, "m", Required, "l";
        gravity: SignalSpec = SIGNAL, "m/s²", Required, "g; positive pulls towards −y; what varies in time is a load, not a potential";
        wall: f64 = Form::NUMBER, "m", Required, "the mass stays at x ≥ wall";
        restitution: f64 = Form::between(0.0, 1.0), "", Required, "e";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Number(0.0), "μ of the wall";
        angle: Option<f64> = Form::NUMBER, "rad", Absent("q0"), "θ at t = 0 from the horizontal; or q0";
        q0: Option<Vec<f64>> = PLACE, "m, m, rad", Absent("angle"), "(x, y, θ) at t = 0; or angle";
        v0: Option<Vec<f64>> = PLACE, "m/s, m/s, rad/s", Absent("zero"), "v at t = 0";
    }
}

record! {
    /// `[model]` of kind "rocking-block".
    struct RockingBlockSpec as ROCKING_BLOCK {
        mass: f64 = Form::POSITIVE, "kg", Required, "m";
        width: f64 = Form::POSITIVE, "m", Required, "b";
        height: f64 = Form::POSITIVE, "m", Required, "a";
        gravity: SignalSpec = SIGNAL, "m/s²", Required, "g; positive pulls towards −y; what varies in time is a load, not a potential";
        restitution: f64 = Form::between(0.0, 1.0), "", Required, "e of both corners";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Number(0.0), "μ of both corners";
        q0: Vec<f64> = PLACE, "m, m, rad", Required, "(x, y, θ) of the centre at t = 0";
        v0: Option<Vec<f64>> = PLACE, "m/s, m/s, rad/s", Absent("zero"), "v at t = 0";
    }
}

record! {
    /// `[model]` of kind "beam".
    struct BeamSpec as BEAM {
        length: f64 = Form::POSITIVE, "m", Required, "length of the whole beam";
        width: f64 = Form::POSITIVE, "m", Required, "b of the section, across the plane";
        depth: f64 = Form::POSITIVE, "m", Required, "d of the section, in the plane";
        young: f64 = Form::POSITIVE, "Pa", Required, "E";
        poisson: f64 = Form::Number(Range { low: Bound::Open(-1.0), high: Bound::Closed(0.5) }), "", Required, "ν";
        density: f64 = Form::POSITIVE, "kg/m³", Required, "ρ";
        gravity: SignalSpec = SIGNAL, "m/s²", Required, "g; positive pulls towards −y; what varies in time is a load, not a potential";
        elements: i64 = Form::Integer { least: 1, most: MAX_BEAM_ELEMENTS as i64 }, "", Required, "number of elements";
        wall: f64 = Form::NUMBER, "m", Required, "the tip stays at x ≥ wall";
        restitution: f64 = Form::between(0.0, 1.0), "", Required, "e of the tip";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Number(0.0), "μ of the tip";
        joints: bool = Form::Flag, "", Flag(false), "the pin as two joints instead of two coordinates left out";
        q0: Option<Vec<f64>> = Form::NUMBERS, "m, m, rad", Absent("straight along x"), "q at t = 0";
        v0: Option<Vec<f64>> = Form::NUMBERS, "m/s, m/s, rad/s", Absent("zero"), "v at t = 0";
    }
}

impl BeamSpec {
    /// What the beam is made of; a negative number of elements is none.
    pub fn parts(&self) -> BeamParts {
        BeamParts {
            length: self.length,
            width: self.width,
            depth: self.depth,
            young: self.young,
            poisson: self.poisson,
            density: self.density,
            gravity: self.gravity.0.mean,
            elements: usize::try_from(self.elements).unwrap_or(0),
            wall: self.wall,
            restitution: self.restitution,
        }
    }
}

record! {
    /// `[model]` of kind "own", which a program hands over.
    struct OwnSpec as OWN {
        q0: Option<Vec<f64>> = Form::NUMBERS, "", Absent("zero"), "q at t = 0";
        v0: Option<Vec<f64>> = Form::NUMBERS, "", Absent("zero"), "v at t = 0";
        coordinates: Vec<String> = Form::list(&Form::Text), "", Absent("q0, q1, …"), "names of q, for tables and the picture";
        units: Option<Spread<String>> = UNITS, "", Absent("not told"), "of the coordinates: one for all, or one each";
        picture: Option<PictureSpec> = Form::Table(PICTURE), "", Absent("no moving picture"), "what the report draws, as of formula models";
    }
}
