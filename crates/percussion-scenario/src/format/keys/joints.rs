//! `[[joint]]`: the keys of all joints, and those that each kind of joint brings with it.

use crate::format::locate::Part;
use crate::format::record::{Fields, FromValue, Place, Read, Record, misfit, read_table, record};
use crate::format::text::{Lines, ToText, inline, table_lines};
use crate::format::values::{SIGNAL, SignalSpec, VECTOR};
use percussion_model::KeyDefault::{Absent, Flag, Number, Required};
use percussion_model::bodies::JointKind;
use percussion_model::{Code, Form, InputError, Key};
use toml::{Table, Value};

/// A joint as written.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// What all joints have.
    pub fields: JointFields,
    /// The keys of its kind.
    pub own: Table,
}

record! {
    /// The keys of all joints.
    struct JointFields as ALL_JOINTS {
        name: Option<String> = Form::Text, "", Absent("joint N"), "its name";
        kind: String = Form::Word(JointKind::NAMES), "", Required, "what it leaves free";
        a: Option<String> = Form::Text, "", Absent("for gears only"), "a body, or a beam at its node";
        b: Option<String> = Form::Text, "", Absent("for gears only"), "another";
        a_node: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the node at the anchor"), "where a is a beam: number of its node";
        b_node: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the node at the anchor"), "where b is a beam: number of its node";
        a_marker: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the marker at the anchor"), "where a is a reduced body: number of its marker";
        b_marker: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the marker at the anchor"), "where b is a reduced body: number of its marker";
        a_group: Option<String> = Form::Text, "", Absent("a is no solid"), "where a is a solid: the group it holds";
        b_group: Option<String> = Form::Text, "", Absent("b is no solid"), "where b is a solid: the group it holds";
        anchor: Option<Vec<f64>> = VECTOR, "m", Absent("for gears only"), "world place at t = 0";
        anchor_b: Option<Vec<f64>> = VECTOR, "m", Absent("anchor"), "the place on b, where it is another: distance, sliders that start displaced";
        axis: Option<Vec<f64>> = VECTOR, "", Absent("z; x for sliders in the plane"), "world direction at t = 0";
        axis_b: Option<Vec<f64>> = VECTOR, "", Absent("axis"), "journal, slot: the direction on b, where it starts tilted";
        limits: Option<[f64; 2]> = Form::exactly(2, &Form::NUMBER), "rad or m", Absent("none"), "stops of the coordinate";
        motor: Option<MotorSpec> = Form::Table(MOTOR), "", Absent("none"), "drives the coordinate: velocity, force, or a servo that follows a target";
        restitution: Option<f64> = Form::between(0.0, 1.0), "", Number(0.0), "e of stops and of play";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Number(0.0), "μ of play";
        stiffness: Option<f64> = Form::NOT_NEGATIVE, "N·m/rad or N/m", Number(0.0), "of a spring on the coordinate";
        damping: Option<f64> = Form::NOT_NEGATIVE, "N·m·s/rad or N·s/m", Number(0.0), "of a damper on it";
        rest: Option<f64> = Form::NUMBER, "rad or m", Number(0.0), "coordinate at which the spring is at rest";
        friction_force: Option<f64> = Form::NOT_NEGATIVE, "N·m or N", Number(0.0), "the most that dry friction on the coordinate resists with";
        armature: Option<f64> = Form::NOT_NEGATIVE, "kg·m² or kg", Number(0.0), "inertia of a rotor that turns with the coordinate";
        acts: Option<String> = Form::Word(&["both", "above", "below"]), "", Absent("both"), "from which side of its rest the spring acts: above is a rope, below a bumper";
        force_table: Option<Vec<[f64; 2]>> = Form::list(&Form::exactly(2, &Form::NUMBER)), "rad or m, N·m or N", Absent("none"), "force on the coordinate over the coordinate: points by rising coordinate";
        points: Option<Vec<Vec<f64>>> = Form::list(&VECTOR), "m", Absent("for other kinds"), "curve, cam: world places at t = 0 through which its curve goes, a smooth spline, in the plane across axis through anchor";
        closed: Option<bool> = Form::Flag, "", Flag(false), "curve, cam: whether the last point leads back to the first";
        rate_table: Option<Vec<[f64; 2]>> = Form::list(&Form::exactly(2, &Form::NUMBER)), "rad/s or m/s, N·m or N", Absent("none"), "force on the coordinate over its rate: points by rising rate";
    }
}

record! {
    /// `motor = { … }`.
    struct MotorSpec as MOTOR {
        velocity: Option<SignalSpec> = SIGNAL, "rad/s or m/s", Absent("force or target"), "of the coordinate; of a servo: the target's rate";
        force: Option<SignalSpec> = SIGNAL, "N·m or N", Absent("velocity or target"), "on the coordinate";
        target: Option<SignalSpec> = SIGNAL, "rad or m", Absent("velocity or force"), "servo: the coordinate it leads to";
        stiffness: Option<f64> = Form::NOT_NEGATIVE, "N·m/rad or N/m", Number(0.0), "servo: force per distance from the target";
        damping: Option<f64> = Form::NOT_NEGATIVE, "N·m·s/rad or N·s/m", Number(0.0), "servo: force per difference from the target's rate";
        limit: Option<f64> = Form::NOT_NEGATIVE, "N·m or N", Absent("none"), "servo: the largest force it has";
    }
}

/// Every key that some joint has, each once.
pub const JOINT: &[Key] = &UNION;
const UNION: [Key; ALL_JOINTS.len() + distinct()] = union();

const fn is(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// Whether key i of kind k has the name of one of an earlier kind.
const fn repeated(k: usize, i: usize) -> bool {
    let (mut l, kinds) = (0, JointKind::KINDS);
    while l < k {
        let mut j = 0;
        while j < kinds[l].keys.len() {
            if is(kinds[l].keys[j].name, kinds[k].keys[i].name) {
                return true;
            }
            j += 1;
        }
        l += 1;
    }
    false
}

/// The number of keys that kinds of joints have of their own.
const fn distinct() -> usize {
    let (mut n, mut k) = (0, 0);
    while k < JointKind::KINDS.len() {
        let mut i = 0;
        while i < JointKind::KINDS[k].keys.len() {
            n += !repeated(k, i) as usize;
            i += 1;
        }
        k += 1;
    }
    n
}

const fn union() -> [Key; ALL_JOINTS.len() + distinct()] {
    let mut all = [ALL_JOINTS[0]; ALL_JOINTS.len() + distinct()];
    let (mut n, mut k) = (0, 0);
    while n < ALL_JOINTS.len() {
        all[n] = ALL_JOINTS[n];
        n += 1;
    }
    while k < JointKind::KINDS.len() {
        let mut i = 0;
        while i < JointKind::KINDS[k].keys.len() {
            if !repeated(k, i) {
                all[n] = JointKind::KINDS[k].keys[i];
                // what one kind needs, others do not have
                if let Required = all[n].default {
                    all[n].default = Absent("for other kinds");
                }
                n += 1;
            }
            i += 1;
        }
        k += 1;
    }
    all
}

impl FromValue for JointSpec {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let Value::Table(mut table) = value else { return Err(misfit(&value, form, at)) };
        let kind = table.get("kind").and_then(Value::as_str).unwrap_or_default();
        let known = JointKind::KINDS.iter().find(|known| known.name == kind);
        let mut own = Table::new();
        for key in JointKind::KINDS.iter().flat_map(|kind| kind.keys) {
            let Some(value) = table.remove(key.name) else { continue };
            // a key of another kind was meant for something
            if let Some(known) = known.filter(|known| known.keys.iter().all(|k| k.name != key.name)) {
                let message = format!("a {} joint has no {}", known.name, key.name);
                let help = "remove it, or choose another kind";
                let field = at.key(key.name).to_string();
                return Err((InputError::new(Code::CONTRADICTION, field, message, help).into(), Part::Key));
            }
            own.insert(key.name.into(), value);
        }
        let own = match known {
            Some(known) => read_table(Value::Table(own), known.keys, at)?,
            None => Table::new(),
        };
        let fields = JointFields::read(&mut Fields::open(Value::Table(table), ALL_JOINTS, at)?)?;
        Ok(Self { fields, own })
    }
}

impl ToText for JointSpec {
    fn text(&self) -> Option<String> {
        self.lines().as_ref().map(inline)
    }

    fn lines(&self) -> Option<Lines> {
        let mut lines = self.fields.lines()?;
        if let Some(known) = JointKind::KINDS.iter().find(|known| known.name == self.fields.kind) {
            lines.extend(table_lines(&self.own, known.keys));
        }
        Some(lines)
    }
}
