//! The part of the schema about rigid bodies.

use crate::schema::{number, object, positive, range};
use percussion_model::bodies::JointKind;
use serde_json::{Map, Value, json};

/// The definitions a scene of bodies uses.
pub fn bodies() -> Map<String, Value> {
    let mut map = Map::new();
    let motion = object(
        "the body is moved",
        &[],
        json!({
            "velocity": { "type": "array", "items": { "$ref": "#/$defs/signal" } },
            "angular_velocity": { "type": "array", "items": { "$ref": "#/$defs/signal" } }
        }),
    );
    let repeat = object(
        "copies NAME.0, NAME.1, … on a grid",
        &["count", "spacing"],
        json!({
            "count": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
            "spacing": { "$ref": "#/$defs/numbers" },
            "jitter": { "$ref": "#/$defs/numbers", "description": "largest random shift along each axis [m]" },
            "seed": { "type": "integer", "minimum": 0, "default": 0 }
        }),
    );
    map.insert("bodies".into(), object("rigid bodies; q per body x, y, z, w, i, j, k, v per body world velocity and body-frame angular velocity; in the plane x, y, θ", &["kind"], json!({
        "kind": { "const": "bodies" },
        "dimension": { "enum": [2, 3], "default": 3 },
        "gravity": { "$ref": "#/$defs/numbers", "description": "[m/s²]; 9.81 against the last axis when absent" },
        "restitution": range("e of pairs of materials that are not named", 0.0, 1.0),
        "friction": { "type": "number", "minimum": 0.0, "description": "μ of pairs of materials that are not named" },
        "rolling": { "type": "number", "minimum": 0.0, "description": "μ_r of pairs of materials that are not named: the moment of rolling friction is at most μ_r p_N [m]" },
        "no_contact": { "type": "array", "items": { "type": "array", "items": { "type": "string" } }, "description": "pairs of bodies that pass through each other" },
        "body": { "$ref": "#/$defs/body_list" },
        "material": { "$ref": "#/$defs/material_list" },
        "pair": { "$ref": "#/$defs/pair_list" },
        "spring": { "$ref": "#/$defs/spring_list" },
        "joint": { "$ref": "#/$defs/body_joint_list" }
    })));
    map.insert("body_list".into(), json!({ "type": "array", "items": object("a rigid body", &["name"], json!({
        "name": { "type": "string" },
        "shape": { "type": "object", "required": ["kind"], "description": "sphere or disk (radius), box (size), capsule and cylinder (radius, length; along z), hull (points), mesh (vertices, triangles; or file = an STL or OBJ file, scale), heightfield (heights, size, depth), polygon (points; in the plane), plane, point" },
        "density": positive("[kg/m³; kg/m² in the plane]; or mass and inertia"),
        "mass": positive("m [kg]"),
        "inertia": { "$ref": "#/$defs/numbers", "description": "I_x, I_y, I_z and optionally I_xy, I_xz, I_yz about the centre of mass; one number in the plane [kg·m²]" },
        "position": { "$ref": "#/$defs/numbers", "description": "of the shape's origin at t = 0 [m]" },
        "rotation": { "$ref": "#/$defs/numbers", "description": "unit quaternion w, x, y, z" },
        "angle": number("planar scenes: θ at t = 0 [rad]"),
        "velocity": { "$ref": "#/$defs/numbers", "description": "world frame [m/s]" },
        "angular_velocity": { "$ref": "#/$defs/numbers", "description": "body frame [rad/s]; one number in the plane" },
        "fixed": { "type": "boolean", "default": false },
        "motion": motion,
        "material": { "type": "string" },
        "force": { "type": "array", "items": { "$ref": "#/$defs/signal" }, "description": "world frame, at the centre of mass [N]" },
        "torque": { "type": "array", "items": { "$ref": "#/$defs/signal" }, "description": "body frame [N·m]" },
        "drag": { "$ref": "#/$defs/numbers", "description": "against velocity [N·s/m] and angular velocity [N·m·s]" },
        "contact": { "type": "boolean", "default": true, "description": "whether it meets other bodies" },
        "repeat": repeat
    })) }));
    map.insert(
        "material_list".into(),
        json!({ "type": "array", "items": object("a material", &["name"], json!({ "name": { "type": "string" } })) }),
    );
    map.insert(
        "pair_list".into(),
        json!({ "type": "array", "items": object("how two materials meet", &["materials"], json!({
        "materials": { "type": "array", "items": { "type": "string" } },
        "restitution": range("e", 0.0, 1.0),
        "friction": { "type": "number", "minimum": 0.0, "description": "μ" },
        "rolling": { "type": "number", "minimum": 0.0, "description": "μ_r: the moment of rolling friction is at most μ_r p_N [m]" }
    })) }),
    );
    map.insert("spring_list".into(), json!({ "type": "array", "items": object("a spring with a damper between two bodies", &["a", "b", "stiffness", "length"], json!({
        "a": { "type": "string" },
        "b": { "type": "string" },
        "point_a": { "$ref": "#/$defs/numbers", "description": "end in the frame of a, from its shape's origin [m]" },
        "point_b": { "$ref": "#/$defs/numbers" },
        "stiffness": { "type": "number", "minimum": 0.0, "description": "[N/m]" },
        "damping": { "type": "number", "minimum": 0.0, "default": 0.0, "description": "[N·s/m]" },
        "length": { "type": "number", "minimum": 0.0, "description": "at rest [m]" }
    })) }));
    let motor = object(
        "drives the coordinate",
        &[],
        json!({
            "velocity": { "$ref": "#/$defs/signal", "description": "[rad/s or m/s]" },
            "force": { "$ref": "#/$defs/signal", "description": "[N·m or N]" }
        }),
    );
    map.insert("body_joint_list".into(), json!({ "type": "array", "items": object("a joint between two bodies", &["kind"], json!({
        "name": { "type": "string", "description": "joint N when absent" },
        "kind": { "enum": JointKind::NAMES },
        "a": { "type": "string" },
        "b": { "type": "string" },
        "anchor": { "$ref": "#/$defs/numbers", "description": "world place at t = 0 [m]" },
        "anchor_b": { "$ref": "#/$defs/numbers", "description": "the place on b, where it is another: distance, sliders that start displaced [m]" },
        "axis": { "$ref": "#/$defs/numbers", "description": "world direction at t = 0; z when absent, x for sliders in the plane" },
        "axis_b": { "$ref": "#/$defs/numbers", "description": "journal, slot: the direction on b, where it starts tilted" },
        "limits": { "$ref": "#/$defs/numbers", "description": "stops of the coordinate [rad or m]" },
        "restitution": range("e of stops and of play", 0.0, 1.0),
        "friction": { "type": "number", "minimum": 0.0, "description": "μ of play" },
        "motor": motor,
        "stiffness": { "type": "number", "minimum": 0.0, "description": "of a spring on the coordinate [N·m/rad or N/m]" },
        "damping": { "type": "number", "minimum": 0.0, "description": "of a damper on it" },
        "rest": number("coordinate at which the spring is at rest"),
        "pitch": number("screw: shift per turn [m]"),
        "joints": { "type": "array", "items": { "type": "string" }, "description": "gear: two earlier joints" },
        "ratio": number("gear: c₁ + ratio c₂ keeps its value"),
        "radius": number("journal: of the pin; slot: half the width of the slider, negative for a sleeve on a pole [m]"),
        "clearance": positive("journal, slot: play to each side [m]"),
        "length": { "type": "number", "minimum": 0.0, "description": "of the pin or slider along the axis [m]" }
    })) }));
    map
}
