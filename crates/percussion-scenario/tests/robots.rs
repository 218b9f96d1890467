//! Robots of other programs become scenes that say what they left out, and bodies of several shapes stand, fall and weigh as one.

use percussion_model::Code;
use percussion_model::bodies::Shape;
use percussion_scenario::{ImportOptions, Imported, LoadOptions, Loaded, import_robot, load_text, scenario_text};

fn imported(text: &str, options: &ImportOptions) -> Imported {
    import_robot("robot.xml", text, options).unwrap_or_else(|error| panic!("{error}"))
}

fn loaded(text: &str) -> Loaded {
    load_text("scene.toml", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A scenario without what needs files for pictures.
fn unseen(toml: &str) -> String {
    let (mut text, mut within) = (String::new(), false);
    for line in toml.lines() {
        within |= line.starts_with("looks = [");
        if !within {
            text += &format!("{line}\n");
        }
        within &= line != "]";
    }
    text
}

fn fixed() -> ImportOptions {
    ImportOptions::default()
}

const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <material name="red"/>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5" rpy="0 0 0"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
    <collision><origin xyz="0.1 0 0.5" rpy="0 1.5707963267948966 0"/><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.4"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.005"/></inertial>
    <collision><origin xyz="0 0.1 0.4"/><geometry><box size="0.1 0.1 0.8"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 2 0"/>
  </joint>
  <transmission name="t"/>
</robot>"#;

/// The arm is placed as its joints say, keeps all its shapes, and everything that was left out is named.
#[test]
fn an_arm_is_imported() {
    let arm = imported(ARM, &fixed());
    let text = arm.ignored.join("\n");
    assert!(text.contains("transmission"), "{text}");
    assert!(arm.toml.contains("effort ≤ 10 N·m, velocity ≤ 3 rad/s"), "{}", arm.toml);
    assert!(arm.toml.contains("damping = 0.1\nfriction_force = 0.2"), "{}", arm.toml);
    assert!(arm.toml.contains("\"cylinder\"") && arm.toml.contains("\"sphere\""), "{}", arm.toml);
    let scene = loaded(&arm.toml);
    let q = &scene.scenario.problem.q0;
    // upper lies along x from (0, 0, 1): its centre at 0.5; lower follows, its centre at 1.4
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(q[7], 0.5) && close(q[9], 1.0) && close(q[14], 1.4) && close(q[16], 1.0), "{q:?}");
    assert_eq!(scene.scenario.model().n_joints(), 10);
}

/// Started bent, every link stands where its joint angles put it, and the limits are counted from there.
#[test]
fn a_pose_bends_the_arm() {
    let pose = vec![("shoulder".to_string(), Some(-1.0)), ("elbow".to_string(), Some(0.5))];
    let arm = imported(ARM, &ImportOptions { pose, ..fixed() });
    let q = loaded(&arm.toml).scenario.problem.q0.clone();
    // the shoulder's frame is turned by π/2 about y: the arm points along (sin, 0, cos) of the sum of its angles
    let (upper, lower) = (std::f64::consts::FRAC_PI_2 - 1.0, std::f64::consts::FRAC_PI_2 - 0.5);
    let at = [upper.sin() + 0.4 * lower.sin(), 1.0 + upper.cos() + 0.4 * lower.cos()];
    assert!((q[14] - at[0]).abs() < 1e-12 && (q[16] - at[1]).abs() < 1e-12, "{q:?} {at:?}");
    assert!(arm.toml.contains("limits = [0.0, 3.0]"), "{}", arm.toml);
    for (joint, angle) in [("shoulder", 2.5), ("wrist", 0.0)] {
        let pose = vec![(joint.to_string(), Some(angle))];
        let error = import_robot("x", ARM, &ImportOptions { pose, ..fixed() }).unwrap_err();
        assert_eq!(error.code, Code::BAD_ROBOT, "{error}");
    }
}

fn link(name: &str, mass: f64, shape: &str) -> String {
    let inertial = format!("<inertial><mass value='{mass}'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>");
    format!("<link name='{name}'>{}{shape}</link>", if mass > 0.0 { inertial } else { String::new() })
}

fn joint(name: &str, kind: &str, ends: [&str; 2], more: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent link='{}'/><child link='{}'/>{more}</joint>", ends[0], ends[1])
}

/// Fixed links become one body with the mass, centre and inertia of all; links without mass at the ends are removed; axes of fixed joints
/// may be zero; a joint whose limits exclude zero starts at the nearest of them; a follower starts where its leader puts it.
#[test]
fn links_are_merged_and_limits_met() {
    let robot = [
        link("root", 0.0, ""),
        link("a", 2.0, ""),
        link("b", 1.0, ""),
        link("camera", 0.0, ""),
        link("c", 1.0, ""),
        link("d", 1.0, ""),
        joint("ja", "revolute", ["root", "a"], "<axis xyz='0 1 0'/><limit lower='-2.7' upper='-0.9'/>"),
        joint("jb", "fixed", ["a", "b"], "<origin xyz='0 0 0.3'/><axis xyz='0 0 0'/>"),
        joint("jcam", "revolute", ["b", "camera"], "<axis xyz='0 0 1'/><limit lower='-9' upper='9'/>"),
        joint(
            "jc",
            "prismatic",
            ["a", "c"],
            "<origin xyz='0 0 1'/><axis xyz='1 0 0'/><limit lower='-0.5' upper='10'/>",
        ),
        joint(
            "jd",
            "prismatic",
            ["a", "d"],
            "<origin xyz='0 0 2'/><axis xyz='1 0 0'/><mimic joint='jc' multiplier='-2' offset='0.5'/>",
        ),
    ];
    let made = imported(&format!("<robot name='r'>{}</robot>", robot.concat()), &fixed());
    let said = made.ignored.join("\n");
    assert!(said.contains("starts at -0.9") && said.contains("\"camera\" has no mass"), "{said}");
    assert!(
        made.toml.contains("# starts at 0.5 of the file's coordinate") && made.toml.contains("ratio = 2.0"),
        "{}",
        made.toml
    );
    assert_eq!(made.toml.matches("[[body]]").count(), 4, "{}", made.toml);
    let scene = loaded(&made.toml);
    let body = &scene.scenario.model().bodies().expect("bodies").bodies()[1];
    // 2 kg and 1 kg 0.3 m apart: m₁ m₂/(m₁ + m₂) d² = 0.06
    assert!((body.mass - 3.0).abs() < 1e-15 && (body.inertia[0][0] - 0.26).abs() < 1e-14, "{:?}", body.inertia);
    assert!((body.inertia[2][2] - 0.2).abs() < 1e-14);
}

/// Links that overlap at the start and are not joined do not meet, and the list says so; a floor lies below the lowest point.
#[test]
fn overlapping_links_pass_through_each_other() {
    let ball = "<collision><geometry><sphere radius='0.2'/></geometry></collision>";
    let turn = "<origin xyz='0 0 0.1'/><axis xyz='0 1 0'/>";
    let robot = [
        link("a", 1.0, ball),
        link("b", 1.0, ball),
        link("c", 1.0, ball),
        joint("j", "continuous", ["a", "b"], turn),
        joint("k", "continuous", ["b", "c"], turn),
    ];
    let options = ImportOptions { floating: true, floor: true, ..fixed() };
    let made = imported(&format!("<robot name='r'>{}</robot>", robot.concat()), &options);
    assert!(made.ignored.iter().any(|note| note.contains("\"a\" and \"c\": they overlap")), "{:?}", made.ignored);
    assert!(made.toml.contains("[\"a\", \"c\"]"), "{}", made.toml);
    let mut run = loaded(&made.toml).simulation;
    for _ in 0..200 {
        run.advance().unwrap_or_else(|failure| panic!("{failure}"));
    }
    // the lowest ball rests on the floor at −0.2
    let z = run.state().q[7 + 2];
    assert!(z.abs() < 1e-3, "{z}");
}

/// An inertia that no body has is named, and mended on request so that the scene is accepted.
#[test]
fn inertias_are_mended_on_request() {
    let bad = "<robot name='r'><link name='base'/><link name='a'><inertial><mass value='1'/>\
        <inertia ixx='1' iyy='0.1' izz='0.1'/></inertial></link><joint name='j' type='continuous'><parent link='base'/>\
        <child link='a'/></joint></robot>";
    let made = imported(bad, &fixed());
    assert!(
        made.ignored.iter().any(|note| note.contains("\"a\"") && note.contains("--mend-inertia")),
        "{:?}",
        made.ignored
    );
    assert!(load_text("x", &made.toml, &LoadOptions::default()).is_err());
    loaded(&imported(bad, &ImportOptions { mend_inertia: true, ..fixed() }).toml);
}

/// What is no robot, and xacro, are refused by name.
#[test]
fn nonsense_is_refused() {
    let fix = |name: &str, parent: &str| joint(name, "fixed", [parent, "c"], "");
    let links = [link("a", 0.0, ""), link("b", 0.0, ""), link("c", 0.0, "")].concat();
    let two_parents = format!("<robot>{links}{}{}</robot>", fix("x", "a"), fix("y", "b"));
    let circle =
        format!("<robot>{links}{}{}</robot>", joint("x", "fixed", ["a", "b"], ""), joint("y", "fixed", ["b", "a"], ""));
    let stranger = format!("<robot>{links}{}</robot>", joint("x", "fixed", ["a", "z"], ""));
    let xacro = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:property name='x' value='1'/></robot>";
    for (text, word) in [
        ("", "XML"),
        ("<robot", "XML"),
        ("<house/>", "<house>"),
        ("<robot/>", "0 links"),
        (&two_parents, "two joints"),
        (&circle, "loop"),
        (&stranger, "not both links"),
        (xacro, "xacro"),
        ("<sdf/>", "model"),
        (&ARM.replace("value=\"2\"", "value=\"2 kg\""), "finite"),
        (&ARM.replace("xyz=\"0 0 0.5\"", "xyz=\"0 0\""), "finite"),
        (&ARM.replace("ixx=\"0.2\"", "ixx=\"NaN\""), "finite"),
        ("<mujoco><asset><mesh name='m' file='m.stl' inertia='solid'/></asset></mujoco>", "inertia=\"solid\""),
    ] {
        let error = import_robot("x.urdf", text, &fixed()).unwrap_err();
        assert!(error.code == Code::BAD_ROBOT && error.to_string().contains(word), "{word}: {error}");
    }
}

/// Entities, elements in elements and attributes without end cost nothing; ten thousand fixed links are one body.
#[test]
fn bombs_are_refused_and_long_chains_read() {
    let laughs: String =
        (1..12).map(|k| format!("<!ENTITY a{k} \"{}\">", format!("&a{};", k - 1).repeat(10))).collect();
    let attributes: String = (0..200_000).map(|k| format!(" a{k}='1'")).collect();
    let started = std::time::Instant::now();
    for text in [
        format!("<!DOCTYPE robot [<!ENTITY a0 \"ha\">{laughs}]><robot name=\"&a11;\"><link name=\"x\"/></robot>"),
        format!("<robot><link{attributes}/></robot>"),
        format!("<robot>{}", "<link>".repeat(200_000)),
        "<r\n".repeat(170_000),
    ] {
        let error = import_robot("x.urdf", &text, &fixed()).unwrap_err();
        assert!(error.code == Code::BAD_ROBOT && error.message.len() < 500, "{error}");
    }
    let chain: String = (0..10_000)
        .rev()
        .map(|k| {
            let below =
                joint(&format!("j{k}"), "fixed", [&format!("{}", k - 1), &format!("{k}")], "<origin xyz='0 0 1'/>");
            link(&format!("{k}"), 1.0, "") + if k > 0 { &below } else { "" }
        })
        .collect();
    let made = imported(&format!("<robot>{chain}</robot>"), &ImportOptions { floating: true, ..fixed() });
    assert_eq!(made.toml.matches("[[body]]").count(), 1);
    assert!(
        made.toml.contains("mass = 10000.0") && made.toml.contains("position = [0.0, 0.0, 4999.5]"),
        "{}",
        &made.toml[..400]
    );
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

const SWING: &str = r#"<mujoco model="swing"><compiler angle="degree" eulerseq="xyz"/>
  <default><joint damping="0.1" armature="0.02" frictionloss="0.3"/><geom density="500"/><default class="arm"><geom type="capsule" size="0.05"/></default></default>
  <worldbody><geom type="plane" size="5 5 1"/>
    <body name="upper" pos="0 0 2" childclass="arm"><joint name="shoulder" axis="0 1 0" range="-90 90" ref="10"/>
      <geom fromto="0 0 0 0 0 -0.6"/>
      <body name="lower" pos="0 0 -0.6" euler="0 30 0"><joint name="elbow" axis="0 1 0" stiffness="2" springref="20"/>
        <geom fromto="0 0 0 0 0 -0.4"/><geom type="box" size="0.1 0.1 0.02" pos="0 0 -0.4" contype="0" conaffinity="0" mass="0.5"/>
      </body></body>
    <body name="ball" pos="1 0 1"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody>
  <actuator><position name="p" joint="elbow" kp="30" kv="1" forcerange="-5 5"/><motor joint="shoulder"/></actuator>
  <contact><exclude body1="upper" body2="ball"/></contact>
  <keyframe><key name="up" qpos="40 20 0 0 0 1 0 0 0" ctrl="0.3 0"/></keyframe>
  <sensor><jointpos joint="elbow"/></sensor></mujoco>"#;

/// MJCF: defaults by class, angles in degrees counted from `ref`, masses of geoms, servos and motors, rotors and dry friction, exclusions, keyframes.
#[test]
fn a_swing_in_mjcf_is_imported() {
    let swing = imported(&SWING.replace("40 20", "0.5 0.25"), &fixed());
    let said = swing.ignored.join("\n");
    for word in ["<sensor>", "keyframes to start from with --pose NAME: up"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    // the one that was asked for was taken
    let up =
        imported(&SWING.replace("40 20", "0.5 0.25"), &ImportOptions { pose: vec![("up".into(), None)], ..fixed() });
    assert!(!up.ignored.join("\n").contains("keyframes"), "{:?}", up.ignored);
    let scene = loaded(&unseen(&swing.toml));
    let bodies = scene.scenario.model().bodies().expect("bodies");
    let names: Vec<&str> = bodies.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world plane 0", "world", "upper", "lower", "ball"]);
    let capsule = Shape::capsule(0.05, 0.6).mass_properties(500.0, false).unwrap();
    let upper = &bodies.bodies()[2];
    assert!((upper.mass - capsule.mass).abs() < 1e-13 && (upper.inertia[0][0] - capsule.inertia[0][0]).abs() < 1e-13);
    let lower = &bodies.bodies()[3];
    let ball_end = Shape::capsule(0.05, 0.4).mass_properties(500.0, false).unwrap();
    assert!((lower.mass - ball_end.mass - 0.5).abs() < 1e-13, "{}", lower.mass);
    // a spring of 2 at 20° and a servo of 30 at 0, a motor that a program tells what to do, rotors and dry friction
    let rest = 20.0_f64.to_radians();
    for line in [
        format!("stiffness = 2.0\nrest = {rest:?}"),
        "motor = { target = 0.0, stiffness = 30.0, damping = 1.0, limit = 5.0 }".into(),
        "motor = { force = 0.0 }".into(),
        "damping = 0.1\nfriction_force = 0.3\narmature = 0.02".into(),
    ] {
        assert!(swing.toml.contains(&line), "{line}\n{}", swing.toml);
    }
    let pose = vec![("up".to_string(), None)];
    let bent = imported(&SWING.replace("40 20", "0.5 0.25"), &ImportOptions { pose, ..fixed() });
    // qpos 0.5 is 0.5 − 10° from where the file is drawn
    let start = 0.5 - 10.0_f64.to_radians();
    assert!(bent.toml.contains(&format!("starts at {start} of")), "{}", bent.toml);
    loaded(&unseen(&bent.toml));
}

/// SDF: poses of links in the model, of joints in their children; models stand free.
#[test]
fn a_model_in_sdf_is_imported() {
    let text = "<sdf version='1.7'><model name='m'><pose>0 0 1 0 0 0</pose><link name='a'><inertial><mass>2</mass><inertia><ixx>0.1</ixx>\
        <iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link><link name='b'><pose>0.5 0 0 0 0 0</pose><collision name='c'><geometry>\
        <box><size>0.1 0.2 0.3</size></box></geometry></collision></link><joint name='j' type='revolute'><parent>a</parent><child>b</child>\
        <axis><xyz>0 1 0</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint></model></sdf>";
    let scene = loaded(&imported(text, &fixed()).toml);
    let q = &scene.scenario.problem.q0;
    assert_eq!((q[2], q[7], q[9], scene.scenario.model().n_joints()), (1.0, 0.5, 1.0, 5));
}

fn table(shape: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\nfriction = 0.5\nrestitution = 0.0\n[[material]]\nname = \"wood\"\n[[material]]\nname = \"ice\"\n\
         [[pair]]\nmaterials = [\"wood\", \"ice\"]\nfriction = 0.0\n[[pair]]\nmaterials = [\"wood\"]\nfriction = 0.5\n\
         [[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n\
         [[body]]\nname = \"table\"\nmass = 2.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0.0, 0.0, 0.1]\nvelocity = [1.0, 0.0, 0.0]\n{shape}\n\
         [scheme]\nname = \"moreau-jean\"\n[solver]\ntolerance = 1e-13\n[time]\nend = 1.0\nstep = 1e-3\n"
    )
}

/// A ball among several shapes falls, rolls and stops as the ball alone does, bit for bit.
#[test]
fn one_of_several_is_as_one_alone() {
    let run = |shape: &str| {
        let mut run = loaded(&table(shape)).simulation;
        (0..300).for_each(|_| drop(run.advance().unwrap_or_else(|failure| panic!("{failure}")).clone()));
        run.state().clone()
    };
    let alone = run("shape = { kind = \"sphere\", radius = 0.1 }");
    assert_eq!(alone, run("shapes = [{ kind = \"sphere\", radius = 0.1 }]"));
    assert!(alone.v[6] < 0.9, "it was to roll: {}", alone.v[6]);
}

/// Four feet carry a table to round-off; on feet of ice it slides on, on wooden ones it stops within v²/2μg = 0.102 m: each piece meets the
/// floor by its own material.
#[test]
fn feet_have_materials_of_their_own() {
    let feet = |material: &str| {
        let foot = |x: f64, y: f64| {
            format!(
                "{{ kind = \"sphere\", radius = 0.02, position = [{x:?}, {y:?}, -0.08], material = \"{material}\" }}"
            )
        };
        format!("shapes = [{}, {}, {}, {}]", foot(0.3, 0.3), foot(-0.3, 0.3), foot(0.3, -0.3), foot(-0.3, -0.3))
    };
    for (material, way) in [("wood", 1.0 / (2.0 * 0.5 * 9.81)), ("ice", 1.0)] {
        let mut run = loaded(&table(&feet(material))).simulation;
        let mut carried = 0.0;
        for k in 0..1000 {
            let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
            carried = step.contacts.iter().map(|c| c.p).sum::<f64>() / 1e-3;
            // gaps of zero may start open by rounding
            assert!(k < 5 || step.contacts.len() == 4, "{:?}", step.contacts);
        }
        let x = run.state().q[7];
        assert!((x - way).abs() < 2e-3, "{material}: {x} and not {way}");
        assert!((carried - 2.0 * 9.81).abs() < 1e-9, "{material}: {carried} N");
    }
}

/// A strip with half-disks: area and polar moment against slices.
#[test]
fn a_capsule_in_the_plane_has_its_moment() {
    let (r, l) = (0.3, 0.8);
    let found = Shape::capsule(r, l).mass_properties(2.0, true).unwrap();
    let (n, half) = (200_000, 0.5 * l + r);
    let (mut m, mut polar) = (0.0, 0.0);
    for k in 0..n {
        let x = half * (2.0 * (f64::from(k) + 0.5) / f64::from(n) - 1.0);
        let over = (x.abs() - 0.5 * l).max(0.0);
        let y = (r * r - over * over).max(0.0).sqrt();
        let slice = 2.0 * 2.0 * y * 2.0 * half / f64::from(n);
        m += slice;
        polar += slice * (x * x + y * y / 3.0);
    }
    assert!((found.mass - m).abs() < 1e-6 && (found.inertia[2][2] - polar).abs() < 1e-6, "{found:?} {m} {polar}");
}

/// In the plane a capsule comes to lie on an angle iron made of an outline, its ends and the corners meeting without overlap beyond the
/// step's own, and the scene is written and read back.
#[test]
fn a_capsule_falls_on_an_angle() {
    let text = "[model]\nkind = \"bodies\"\ndimension = 2\nfriction = 0.4\n[[body]]\nname = \"floor\"\nshape = { kind = \"plane\" }\nfixed = true\n\
        [[body]]\nname = \"rod\"\nshape = { kind = \"capsule\", radius = 0.05, length = 0.6 }\ndensity = 100.0\nposition = [0.1, 0.5]\nangle = 0.2\n\
        [[body]]\nname = \"angle\"\nshapes = [{ kind = \"outline\", points = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]] }]\n\
        density = 100.0\nposition = [0.0, 0.0]\n[time]\nend = 1.0\nstep = 1e-3\n";
    let scene = loaded(text);
    let written = scenario_text(&scene.scenario).0;
    assert!(written.contains("shapes"), "{written}");
    let again = loaded(&written);
    assert_eq!(again.scenario.problem.q0, scene.scenario.problem.q0);
    let (mut run, mut deepest) = (scene.simulation, 0.0_f64);
    for _ in 0..1000 {
        let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        deepest = step.contacts.iter().map(|c| -c.gap).fold(deepest, f64::max);
        assert!(step.ledger.balance.abs() < 1e-12, "{:?}", step.ledger);
    }
    assert!(deepest < 5e-3, "{deepest}");
    assert!(run.state().v.iter().all(|v| v.abs() < 0.5), "{:?}", run.state().v);
}

/// A trunk on four legs of two links with balls as feet, its joints held by springs: made here, no file of anybody's.
fn quadruped() -> String {
    let box_of = |mass: f64, size: [f64; 3], at: f64, more: &str| {
        let [x, y, z] = size;
        let moment = |a: f64, b: f64| mass / 12.0 * (a * a + b * b);
        format!(
            "<inertial><origin xyz='0 0 {at}'/><mass value='{mass}'/><inertia ixx='{}' iyy='{}' izz='{}'/></inertial>\
             <collision><origin xyz='0 0 {at}'/><geometry><box size='{x} {y} {z}'/></geometry></collision>{more}",
            moment(y, z),
            moment(x, z),
            moment(x, y)
        )
    };
    let foot = "<collision><origin xyz='0 0 -0.2'/><geometry><sphere radius='0.02'/></geometry></collision>";
    let mut text = format!("<robot name='dog'><link name='trunk'>{}</link>", box_of(8.0, [0.4, 0.2, 0.1], 0.0, ""));
    for (leg, x, y) in [("fl", 0.2, 0.13), ("fr", 0.2, -0.13), ("hl", -0.2, 0.13), ("hr", -0.2, -0.13)] {
        text += &format!("<link name='{leg} thigh'>{}</link>", box_of(0.8, [0.03, 0.03, 0.2], -0.1, ""));
        text += &format!("<link name='{leg} shank'>{}</link>", box_of(0.2, [0.02, 0.02, 0.2], -0.1, foot));
        let ends = [&format!("{leg} thigh")[..], &format!("{leg} shank")[..]];
        let turn = "<axis xyz='0 1 0'/><limit lower='-3' upper='3'/>";
        text +=
            &joint(&format!("{leg} hip"), "revolute", ["trunk", ends[0]], &format!("<origin xyz='{x} {y} 0'/>{turn}"));
        text += &joint(&format!("{leg} knee"), "revolute", ends, &format!("<origin xyz='0 0 -0.2'/>{turn}"));
    }
    text + "</robot>"
}

/// On springs of 100 N·m/rad at hips and knees it settles and then stands: no drift, no velocity, all feet loaded, its weight carried.
#[test]
fn a_quadruped_stands() {
    let names = ["fl", "fr", "hl", "hr"];
    let pose =
        names.iter().flat_map(|leg| [(format!("{leg} hip"), Some(0.6)), (format!("{leg} knee"), Some(-1.2))]).collect();
    let made = imported(&quadruped(), &ImportOptions { floating: true, floor: true, pose, ..fixed() });
    // θ above ½, or what is left of the velocities changes its sign from step to step for ever
    let text = [
        ("kind = \"revolute\"", "kind = \"revolute\"\nstiffness = 100.0\ndamping = 4.0"),
        ("name = \"moreau-jean\"", "name = \"moreau-jean\"\ntheta = 0.6"),
        ("\n[time]\n", "\n[solver]\ntolerance = 1e-12\n\n[time]\n"),
    ]
    .iter()
    .fold(made.toml, |text, (from, to)| text.replace(from, to));
    let mut run = loaded(&text).simulation;
    for _ in 0..5000 {
        run.advance().unwrap_or_else(|failure| panic!("{failure}"));
    }
    let settled = run.state().q.clone();
    let (mut speed, mut carried, mut least) = (0.0_f64, [f64::INFINITY, 0.0], f64::INFINITY);
    for _ in 0..10_000 {
        let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        speed = step.after.v.iter().fold(speed, |s, v| s.max(v.abs()));
        let forces: Vec<f64> = step.contacts.iter().filter(|c| c.p > 0.0).map(|c| c.p / 1e-3).collect();
        let all: f64 = forces.iter().sum();
        (carried[0], carried[1]) = (carried[0].min(all), carried[1].max(all));
        least = forces.iter().copied().fold(least, f64::min);
        assert_eq!(forces.len(), 4, "{:?}", step.contacts);
    }
    let drift = run.state().q.iter().zip(&settled).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let weight = 12.0 * 9.81;
    println!("drift {drift:.1e}, speed {speed:.1e}, least foot {least:.3} N, carried {carried:?} of {weight}");
    assert!(drift < 1e-8 && speed < 1e-8 && least > 5.0, "{drift} {speed} {least}");
    assert!((carried[0] - weight).abs() < 1e-9 * weight && (carried[1] - weight).abs() < 1e-9 * weight, "{carried:?}");
}

/// Two fingers press a box of 0.5 kg with 10 N each, μ = 0.5, and the hand rises by 0.4 m in ten seconds: 10 N of friction carry 4.905 N and the box
/// does not slip.
#[test]
fn a_gripper_lifts_a_box_by_friction() {
    let finger = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"box\", size = [0.02, 0.04, 0.06] }}\ndensity = 2000.0\nposition = [{x:?}, 0.0, 0.05]\n\
             [[joint]]\nname = \"{name} slide\"\nkind = \"prismatic\"\na = \"hand\"\nb = \"{name}\"\nanchor = [0.0, 0.0, 0.2]\naxis = [1.0, 0.0, 0.0]\n\
             motor = {{ force = {:?} }}\n",
            if x > 0.0 { -10.0 } else { 10.0 }
        )
    };
    let text = format!(
        "[model]\nkind = \"bodies\"\nfriction = 0.5\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n\
         [[body]]\nname = \"hand\"\nposition = [0.0, 0.0, 0.2]\n[body.motion]\nvelocity = [0.0, 0.0, {{ smooth = {{ start = 0.2, end = 2.0, from = 0.0, to = 0.045 }} }}]\n\
         [[body]]\nname = \"box\"\nshape = {{ kind = \"box\", size = [0.1, 0.1, 0.1] }}\nmass = 0.5\ninertia = [8e-4, 8e-4, 8e-4]\nposition = [0.0, 0.0, 0.05]\n\
         {}{}[scheme]\nname = \"moreau-jean\"\n[time]\nend = 10.0\nstep = 5e-3\n",
        finger("left", -0.06),
        finger("right", 0.06)
    );
    let mut run = loaded(&text).simulation;
    let (mut slip, mut start) = (0.0_f64, None);
    for k in 0..2000 {
        run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        // between box and finger, once both are pressed
        let q = &run.state().q;
        let apart = q[7 * 2 + 2] - q[7 * 3 + 2];
        if k > 20 {
            slip = slip.max((apart - *start.get_or_insert(apart)).abs());
        }
    }
    let z = run.state().q[7 * 2 + 2];
    println!("box at {z:.4} m, slip {slip:.1e} m");
    assert!(z > 0.4 && slip < 1e-6, "{z} {slip}");
}

/// Two shafts at β = 30° joined by a cross, the first driven at 3 rad/s: the second turns at ω cos β/(1 − sin²β sin²θ), θ the turn of the first
/// from where its arm lies across the plane of the shafts.
#[test]
fn a_universal_joint_turns_unevenly() {
    let beta = 30.0_f64.to_radians();
    let (s, c) = beta.sin_cos();
    let shaft = |name: &str, at: [f64; 3], axis: [f64; 3], more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.01, 0.01, 0.01]\nposition = {at:?}\n\
             [[joint]]\nname = \"{name} bearing\"\nkind = \"revolute\"\na = \"ground\"\nb = \"{name}\"\nanchor = {at:?}\naxis = {axis:?}\n{more}"
        )
    };
    // the arm in the first shaft lies along y, across the plane of the shafts; that in the second is square to its shaft and to y
    let text = format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"ground\"\nfixed = true\n{}{}\
         [[joint]]\nname = \"cross\"\nkind = \"universal\"\na = \"first\"\nb = \"second\"\nanchor = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n\
         cross = [{c:?}, 0.0, {:?}]\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 3.0\nstep = 1e-3\n",
        shaft("first", [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], "motor = { velocity = 3.0 }\n"),
        shaft("second", [s, 0.0, c], [s, 0.0, c], ""),
        -s
    );
    let mut run = loaded(&text).simulation;
    let (mut turn, mut worst) = (0.0_f64, 0.0_f64);
    for k in 0..3000 {
        let step = run.advance().unwrap_or_else(|failure| panic!("{failure}"));
        let v = &step.after.v;
        let omega: f64 = [s, 0.0, c].iter().zip(&v[15..18]).map(|(a, w)| a * w).sum();
        if k > 0 {
            turn += 3.0 * 1e-3;
            let exact = 3.0 * c / (1.0 - s * s * turn.sin().powi(2));
            worst = worst.max((omega - exact).abs());
        } else {
            turn += 0.5 * 3.0 * 1e-3;
        }
        assert!(step.ledger.balance.abs() < 1e-10, "{:?}", step.ledger);
    }
    println!("off by {worst:.1e} rad/s of 2.6 to 3.46");
    assert!(worst < 2e-2, "{worst}");
}

/// Every URDF and MJCF file below the folder that PERCUSSION_ROBOTS names is imported and makes a scene, or is refused by name, and goes
/// as many steps as PERCUSSION_STEPS says. The files are other people's and not kept here: without the folder there is nothing to try, and the
/// test says so.
#[test]
fn robots_of_a_folder_make_scenes() {
    let Some(folder) = std::env::var_os("PERCUSSION_ROBOTS") else {
        println!("PERCUSSION_ROBOTS names no folder of robots: nothing tried");
        return;
    };
    let (mut folders, mut files) = (vec![std::path::PathBuf::from(folder)], Vec::new());
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "urdf" || e == "xml") {
                files.push(path);
            }
        }
    }
    files.sort();
    let steps = std::env::var("PERCUSSION_STEPS").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
    let (mut scenes, mut refused) = (0, Vec::new());
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if !text.contains("<robot") && !text.contains("<mujoco") {
            continue;
        }
        let scratch = std::env::temp_dir().join(format!("percussion-robots-{}", std::process::id()));
        let options = ImportOptions {
            floating: true,
            floor: true,
            mend_inertia: true,
            folder: file.parent().map(Into::into),
            name: "robot".into(),
            ..fixed()
        };
        let made = match import_robot("robot", &text, &options) {
            Ok(made) => made,
            Err(error) => {
                refused.push(format!("{}: {error}", file.display()));
                continue;
            }
        };
        std::fs::create_dir_all(scratch.join("robot-shapes")).expect("a scratch folder");
        made.files.iter().for_each(|(name, text)| std::fs::write(scratch.join(name), text).expect("a shape"));
        let scenario = scratch.join("robot.toml");
        std::fs::write(&scenario, &made.toml).expect("a scenario");
        match percussion_scenario::load(&scenario.display().to_string(), &LoadOptions::default()) {
            Ok(mut loaded) => {
                scenes += 1;
                let went = (0..steps).try_for_each(|_| loaded.simulation.advance().map(|_| ()));
                if let Err(failure) = went {
                    refused.push(format!("{}: {failure}", file.display()));
                }
            }
            Err(error) => refused.push(format!("{}: {error}", file.display())),
        }
        let _ = std::fs::remove_dir_all(&scratch);
    }
    println!("{scenes} make scenes; not so:\n{}", refused.join("\n"));
    assert!(scenes > 0, "no robot of the folder makes a scene");
}

/// A body with two hinges is a chain with a link between them that has no mass; parallel hinges, which leave such a link loose, give it a
/// share.
#[test]
fn links_between_joints_stay_without_mass() {
    let arm = |second: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="a" axis="1 0 0"/><joint name="b" axis="{second}"/>
            <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0"/></body></worldbody></mujoco>"#
        );
        imported(&text, &fixed())
    };
    let cross = arm("0 1 0");
    assert!(cross.toml.contains("massless = true") && !cross.ignored.iter().any(|note| note.contains("millionth")));
    let scene = loaded(&cross.toml);
    assert_eq!(scene.scenario.model().n_joints(), 10);
    let (written, _) = scenario_text(&scene.scenario);
    assert!(written.contains("massless = true"), "{written}");
    let parallel = arm("1 0.01 0");
    assert!(!parallel.toml.contains("massless") && parallel.ignored.iter().any(|note| note.contains("millionth")));
}

/// A ball that begins 0.3 m inside the file's floor is raised by as much; an arm held in it does not meet it; both are said.
#[test]
fn robots_leave_the_planes_they_begin_in() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.2"><freejoint/><geom type="sphere" size="0.5"/></body>
        <body name="arm" pos="5 0 0.1"><joint name="a" axis="0 1 0"/><geom type="sphere" size="0.2"/></body>
        </worldbody></mujoco>"#;
    let robot = imported(text, &fixed());
    let said = robot.ignored.join("\n");
    assert!(
        said.contains("\"ball\" begins 3.00e-1 m inside a plane") && said.contains("plane 0\" and \"arm\""),
        "{said}"
    );
    let scene = loaded(&robot.toml);
    let (model, q) = (scene.scenario.model(), &scene.scenario.problem.q0);
    let bodies = model.bodies().unwrap();
    let ball = bodies.bodies().iter().position(|body| body.name == "ball").unwrap();
    assert!((q[7 * ball + 2] - 0.5).abs() < 1e-8, "{q:?}");
}

/// A loose root without mass stays, as in Bullet; a kilogram within a nanometre of its centre is named, and mended on request.
#[test]
fn masses_that_no_link_has_are_named() {
    let plane = r#"<robot name="p"><link name="plane"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0"/></inertial>
        <collision><geometry><box size="9 9 1"/></geometry></collision></link></robot>"#;
    let floor = imported(plane, &ImportOptions { floating: true, ..fixed() });
    assert!(floor.toml.contains("fixed = true") && floor.ignored.join("\n").contains("\"plane\" has no mass: fixed"));
    let dense = r#"<robot name="d"><link name="leg"><inertial><mass value="2"/><inertia ixx="2e-18" iyy="2e-18" izz="2e-18"/></inertial>
        <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    let options = ImportOptions { floating: true, mend_inertia: true, ..fixed() };
    let leg = imported(dense, &options);
    assert!(leg.ignored.join("\n").contains("\"leg\": its mass lies within 1e-9 m"), "{:?}", leg.ignored);
    // m (1 + 1)/12
    let scene = loaded(&leg.toml);
    let inertia = scene.scenario.model().bodies().unwrap().bodies()[0].inertia;
    assert!((inertia[0][0] - 1.0 / 3.0).abs() < 1e-12, "{inertia:?}");
}

/// Frames place what is in them, copies stand where the step before leads, frictions by geom become materials, and servos take their damping
/// from what hangs on them: 2 ζ √(kp (I + rotor)), over a tendon that winds on two coupled slides with its gear squared.
#[test]
fn mjcf_is_read_through_frames_tendons_and_ratios() {
    let text = r#"<mujoco><compiler angle="radian"/><default><geom friction="0.7"/></default>
        <worldbody><geom type="plane" size="1 1 1"/>
        <frame pos="0 0 2" euler="0 0 1.5707963267948966"><body name="arm"><joint name="hinge" axis="0 1 0" armature="0.1"/>
          <inertial pos="1 0 0" mass="2" diaginertia="0.1 0.3 0.2"/><geom type="sphere" size="0.1" friction="1.5" priority="1"/></body></frame>
        <body name="hand" pos="3 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
          <body name="left"><joint name="l" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="0.5" condim="1"/></body>
          <body name="right" pos="1 0 0"><joint name="r" type="slide" axis="-1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="0.5"/></body></body>
        <replicate count="3" offset="1 0 0" euler="0 0 1.5707963267948966"><body name="peg" pos="0 5 1"><freejoint/><geom type="sphere" size="0.1"/></body></replicate>
        </worldbody><tendon><fixed name="split"><joint joint="l" coef="0.5"/><joint joint="r" coef="0.5"/></fixed></tendon>
        <equality><joint joint1="r" joint2="l"/></equality>
        <actuator><position joint="hinge" kp="50" dampratio="1"/><position tendon="split" kp="8" ctrlrange="0.2 1"/></actuator></mujoco>"#;
    let robot = imported(text, &fixed());
    let scene = loaded(&robot.toml);
    let bodies = scene.scenario.model().bodies().expect("bodies");
    let at = |name: &str| {
        let i = bodies
            .bodies()
            .iter()
            .position(|body| body.name == name)
            .unwrap_or_else(|| panic!("{name}: {}", robot.toml));
        bodies.frame(i, bodies.q0()).x
    };
    let near = |a: [f64; 3], b: [f64; 3]| assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-12), "{a:?} {b:?}");
    near(at("arm"), [0.0, 1.0, 2.0]);
    near(at("peg0"), [0.0, 5.0, 1.0]);
    near(at("peg1"), [1.0 - 5.0, 0.0, 1.0]);
    near(at("peg2"), [1.0, 1.0 - 5.0, 1.0]);
    // I + m l² + rotor about the hinge
    let damping = 2.0 * (50.0_f64 * (0.3 + 2.0 + 0.1)).sqrt();
    assert!(robot.toml.contains(&format!("stiffness = 50.0, damping = {damping:?}")), "{}", robot.toml);
    // l = ½ c + ½ c at u = 0.2
    assert!(robot.toml.contains("motor = { target = 0.2, stiffness = 8.0 }"), "{}", robot.toml);
    let law = |a: &str, b: &str| {
        let material = |name: &str| bodies.bodies().iter().find(|body| body.name == name).map(|body| body.material);
        bodies.materials().law(material(a).expect("a body"), material(b).expect("a body")).friction
    };
    let wanted = [
        ("arm", "world plane 0", 1.5),
        ("left", "world plane 0", 0.7),
        ("right", "world plane 0", 0.7),
        ("arm", "left", 1.5),
    ];
    for (a, b, friction) in wanted {
        assert_eq!(law(a, b), friction, "{a} {b}\n{}", robot.toml);
    }
}

/// SDF: models of a world with those they hold, poses in other frames, two axes with a cross between them, old axes, loops, frictions.
#[test]
fn sdf_is_read_with_its_frames_and_models() {
    let body = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";
    let ball = |mu: f64| {
        format!(
            "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry><surface><friction><ode><mu>{mu}</mu></ode></friction></surface></collision>"
        )
    };
    let text = format!(
        "<sdf version='1.8'><world name='w'><gravity>0 0 -3.7</gravity><model name='ground'><static>true</static><link name='l'><collision name='c'>\
        <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>\
        <model name='m'><pose>0 0 5 0 0 1.5707963267948966</pose><frame name='f'><pose>1 0 0 0 0 0</pose></frame>\
        <link name='a'>{body}{}</link><link name='b'><pose relative_to='f'>0 1 0 0 0 0</pose>{body}{}</link>\
        <joint name='u' type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>\
        <model name='n'><pose>0 0 1 0 0 0</pose><link name='c'>{body}</link></model>\
        <joint name='h' type='revolute'><parent>a</parent><child>n::c</child><axis><xyz expressed_in='__model__'>0 1 0</xyz></axis></joint>\
        </model></world></sdf>",
        ball(0.4),
        ball(0.9)
    );
    let robot = imported(&text, &fixed());
    let scene = loaded(&robot.toml);
    let bodies = scene.scenario.model().bodies().expect("bodies");
    let at =
        |name: &str| bodies.bodies().iter().position(|body| body.name == name).map(|i| bodies.frame(i, bodies.q0()).x);
    let near = |a: Option<[f64; 3]>, b: [f64; 3]| {
        let a = a.expect("a body");
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-12), "{a:?} {b:?}\n{}", robot.toml)
    };
    near(at("m::a"), [0.0, 0.0, 5.0]);
    near(at("m::b"), [-1.0, 1.0, 5.0]);
    near(at("m::n::c"), [0.0, 0.0, 6.0]);
    assert!(
        robot.toml.contains("massless = true") && robot.toml.contains("gravity = [0.0, 0.0, -3.7]"),
        "{}",
        robot.toml
    );
    // a model's links do not meet each other, and the rougher takes the smoother's friction
    assert!(robot.toml.contains("[\"m::a\", \"m::b\"]") && robot.toml.contains("friction = 0.4"), "{}", robot.toml);
    let old = text.replace("version='1.8'", "version='1.4'").replace(" expressed_in='__model__'", "");
    let axes = |toml: &str| {
        toml.split("name = \"m::h\"").nth(1).and_then(|rest| rest.split("axis = ").nth(1).map(|a| a[..20].to_string()))
    };
    assert_eq!(axes(&imported(&old, &fixed()).toml), axes(&robot.toml));
    for (what, with) in [("relative_to='f'", "relative_to='g'"), ("<parent>a</parent>", "<parent>z</parent>")] {
        let refused =
            import_robot("robot.sdf", &text.replace(what, with), &fixed()).expect_err("a name that is not there");
        assert_eq!(refused.code, Code::BAD_ROBOT, "{refused}");
    }
}

/// What a robot looks like is kept beside the scenario with its colour, and stays through a run folder.
#[test]
fn looks_are_kept_with_their_colours() {
    let text = r#"<robot name="r"><material name="blue"><color rgba="0.1 0.2 0.9 1"/></material><link name="base">
        <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
        <visual><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.2" length="1"/></geometry><material name="blue"/></visual>
        <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    let folder = std::env::temp_dir().join(format!("percussion-looks-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("robot-shapes")).expect("a folder");
    let robot = imported(text, &ImportOptions { floating: true, name: "robot".into(), ..fixed() });
    robot.files.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).expect("a mesh"));
    let path = folder.join("robot.toml");
    std::fs::write(&path, &robot.toml).expect("a scenario");
    let scene = percussion_scenario::load(&path.display().to_string(), &LoadOptions::default()).expect("a scene");
    let (written, files) = scenario_text(&scene.scenario);
    assert!(written.contains("color = [0.1, 0.2, 0.9]") && written.contains("look-0.obj"), "{written}");
    assert!(files.iter().any(|(name, _)| name == "look-0.obj"));
    let _ = std::fs::remove_dir_all(&folder);
}

/// A hand of MuJoCo (`mocap`) holds by a spring of what its link weighs there: a load a₀ shifts it by (1 − d) a₀/(d² k), and an arm that is
/// stretched out between ground and hand can give way. Held rigidly it cannot, and no reaction carries its weight.
#[test]
fn hands_hold_elastically() {
    let file = |arm: &str, more: &str| {
        format!(
            r#"<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody><body name="hand" mocap="true" pos="0 0 3"/>{arm}
            </worldbody><equality><weld body1="hand" body2="held"{more}/></equality></mujoco>"#
        )
    };
    let held = |arm: &str, more: &str| imported(&file(arm, more), &fixed()).toml;
    let numbers = |toml: &str, key: &str| -> Vec<f64> {
        let of = &toml[toml.find("[[bushing]]").unwrap_or_else(|| panic!("{toml}"))..];
        let row = of.lines().find(|row| row.starts_with(key)).expect("a row").split_once('[').expect("numbers").1;
        row.trim_end_matches(']').split(", ").map(|x| x.parse().expect("a number")).collect()
    };
    let near = |found: Vec<f64>, wanted: [f64; 2]| {
        let all = [wanted[0], wanted[0], wanted[0], wanted[1], wanted[1], wanted[1]];
        assert!(found.iter().zip(all).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{found:?} {wanted:?}");
    };
    // free: 1/m, and the mean of 1/I
    let free = r#"<body name="held" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.2"/></body>"#;
    let (k, b) = (0.9 * 0.9 / 0.1 / (0.95_f64 * 0.02).powi(2), 0.9 / 0.1 * 2.0 / (0.95 * 0.02));
    let moment = 3.0 / (1.0 / 0.1 + 2.0 / 0.2);
    near(numbers(&held(free, ""), "stiffness"), [2.0 * k, moment * k]);
    near(numbers(&held(free, ""), "damping"), [2.0 * b, moment * b]);
    let (k, b) = (0.5 * 0.5 / 0.5 * 400.0 / 0.64, 0.5 / 0.5 * 8.0 / 0.8);
    let given = r#" solref="-400 -8" solimp="0.5 0.8""#;
    near(numbers(&held(free, given), "stiffness"), [2.0 * k, moment * k]);
    near(numbers(&held(free, given), "damping"), [2.0 * b, moment * b]);
    // on a hinge and its rotor: one shift of three by l²/I, one turn by 1/I
    let swing = r#"<body name="arm" pos="0 0 1"><joint axis="0 1 0" armature="0.3"/><inertial pos="1 0 0" mass="2" diaginertia="0.1 0.2 0.2"/>
        <body name="held" pos="0.5 0 0"/></body>"#;
    let inertia = 0.2 + 2.0 + 0.3;
    let at = numbers(&held(swing, given), "stiffness");
    near(at, [3.0 * inertia * k / 0.25, 3.0 * inertia * k]);

    let two = r#"<body name="upper" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
        <body name="lower" pos="1 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
        <body name="held" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.05"/></body></body></body>"#;
    let run = |text: String| {
        let mut run = loaded(&text).simulation;
        (0..200).try_for_each(|_| run.advance().map(|_| ()))
    };
    let soft = unseen(&held(two, ""));
    run(soft.clone()).expect("it hangs between ground and hand");
    let rigid = soft.split("[[bushing]]").next().expect("a part").to_string()
        + "[[joint]]\nname = \"weld\"\nkind = \"fixed\"\na = \"world\"\nb = \"held\"\nanchor = [2.0, 0.0, 1.0]\n\n[scheme]\nname = \"moreau-jean\"\n\n[time]\nend = 1.0\nstep = 1e-3\n";
    run(rigid).expect_err("no reaction carries it");
}

/// Gazebo's files write 1e14 where nothing is to slip: a cone that no solver resolves. A thousand slips no more.
#[test]
fn frictions_without_bound_are_bounded() {
    let grip = "<gazebo reference=\"lower\"><mu1>100000000000000.0</mu1></gazebo></robot>";
    let robot = imported(&ARM.replace("</robot>", grip), &fixed());
    assert!(robot.toml.contains("friction = 1000.0") && !robot.toml.contains("100000000"), "{}", robot.toml);
    assert!(robot.ignored.iter().any(|note| note.contains("1e14")), "{:?}", robot.ignored);
}

/// A ball that slides and turns on a plane without freedom to leave it rests there: its normal velocity is round-off of the weight that its
/// joints carry (1.8e-14 m/s after 189 steps, "and joints leave it no freedom": E201).
#[test]
fn what_joints_hold_on_a_plane_rests_there() {
    let text = r#"<mujoco><compiler angle="degree"/><worldbody><geom type="plane" size="40 40 40"/><body>
        <geom pos="0 0 0.5" size="0.5" density="100"/><geom type="box" pos="0.6 0 0.5" size="0.5 0.1 0.1" density="100"/>
        <joint axis="1 0 0" name="x" type="slide"/><joint axis="0 1 0" name="y" type="slide"/><joint axis="0 0 1" name="turn"/>
        </body></worldbody></mujoco>"#;
    let mut run = loaded(&imported(text, &fixed()).toml).simulation;
    for _ in 0..1000 {
        run.advance().unwrap_or_else(|failure| panic!("{failure}"));
    }
}

/// Joints may hang on "world", which is no link (Drake), and stay there however the root is asked to float; what a comment includes is not read.
#[test]
fn the_world_is_the_ground_and_comments_are_none() {
    let text = ARM.replace("<link name=\"base\"/>", "").replace("link=\"base\"", "link=\"world\"");
    let floating = ImportOptions { floating: true, ..fixed() };
    let robot = imported(&text, &floating);
    let scene = loaded(&robot.toml);
    let bodies = scene.scenario.model().bodies().expect("bodies");
    let free: Vec<&str> = bodies.bodies().iter().filter(|body| body.is_free()).map(|body| body.name.as_str()).collect();
    assert_eq!(free, ["upper", "lower"]);
    assert!(robot.ignored.iter().any(|note| note.contains("is the ground")), "{:?}", robot.ignored);

    let ball = "<mujoco><!-- put <include file=\"scene.xml\"/> here --><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";
    imported(ball, &fixed());
}

/// The numbers of a key of the body that is written last.
fn numbers(toml: &str, key: &str) -> Vec<f64> {
    let body = toml.rsplit("[[body]]").next().expect("a body");
    let line = body.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("no {key}: {toml}"));
    let parts = line.trim_matches(['[', ']']).split(',');
    parts.map(|x| x.trim().parse().unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// A mesh that is written from another reference, `refpos` and `refquat`, and scaled there: its centre is where MuJoCo 4.0 has it.
#[test]
fn meshes_are_read_from_their_reference() {
    let text = r#"<mujoco><asset><mesh name="m" refpos="0.3 -0.2 0.7" refquat="0.6 0.2 -0.3 0.5" scale="2 1 0.5"
        vertex="-1 -2 -3 1 -2 -3 -1 2 -3 1 2 4.5" face="0 2 1 0 1 3 1 2 3 2 0 3"/></asset>
        <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"#;
    let x = numbers(&imported(text, &fixed()).toml, "position = ");
    let exact = [-2.551_351_351_351_35, 0.483_108_108_108_11, -0.632_432_432_432_43];
    assert!((0..3).all(|k| (x[k] - exact[k]).abs() < 1e-12), "{x:?}");
}

/// A parallelogram whose joints exclude the angle at which the file closes it starts there, and its limits are widened; an open chain is
/// brought into its limits.
#[test]
fn loops_start_where_the_file_closes_them() {
    let body = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";
    let link = |name: &str, x: f64, z: f64| format!("<link name='{name}'><pose>{x} 0 {z} 0 0 0</pose>{body}</link>");
    let joint = |name: &str, ends: [&str; 2], at: [f64; 2], limit: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent>{}</parent><child>{}</child><pose relative_to='__model__'>{} 0 {} 0 0 0</pose>\
             <axis><xyz>0 1 0</xyz>{limit}</axis></joint>",
            ends[0], ends[1], at[0], at[1]
        )
    };
    let limit = "<limit><lower>0.5</lower><upper>1.5</upper></limit>";
    let text = |closing: &str| {
        format!(
            "<sdf version='1.8'><model name='m'>{}{}{}{}{}{}{}{closing}</model></sdf>",
            link("base", 0.0, 0.0),
            link("left", 0.0, 0.5),
            link("right", 1.0, 0.5),
            link("rod", 0.5, 1.0),
            joint("a", ["base", "left"], [0.0, 0.0], limit),
            joint("b", ["base", "right"], [1.0, 0.0], ""),
            joint("c", ["left", "rod"], [0.0, 1.0], "")
        )
    };
    let closed = imported(&text(&joint("d", ["right", "rod"], [1.0, 1.0], "")), &fixed());
    assert!(closed.toml.contains("limits = [0.0, 1.5]"), "{}", closed.toml);
    assert!(closed.ignored.iter().any(|note| note.contains("widened")), "{:?}", closed.ignored);
    let open = imported(&text(""), &fixed());
    assert!(open.ignored.iter().any(|note| note.contains("it starts at 0.5")), "{:?}", open.ignored);
}

/// A cube with a deep dent weighs what MuJoCo 4.0 makes of it: tetrahedra from the mean of its faces give the centre, those from there the rest.
#[test]
fn a_dented_mesh_weighs_what_it_does_in_mujoco() {
    let text = r#"<mujoco><asset><mesh name="m" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1 0.25 0.1875 -0.625"
        face="0 2 1 1 2 3 0 1 4 1 5 4 1 3 5 3 7 5 3 2 7 2 6 7 2 0 6 0 4 6 4 5 8 5 7 8 7 6 8 6 4 8"/></asset>
        <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"#;
    let toml = imported(text, &fixed()).toml;
    let mass = numbers(&toml, "mass = ")[0];
    assert!((mass - 7.236418942204539).abs() < 1e-12, "{mass}");
    let (x, centre) =
        (numbers(&toml, "position = "), [0.016637593521505668, 0.012479360533364429, -0.09884289667329839]);
    assert!((0..3).all(|k| (x[k] - centre[k]).abs() < 1e-13), "{x:?}");
    let trace: f64 = numbers(&toml, "inertia = ")[..3].iter().sum();
    assert!((trace - 13.842926887591876).abs() < 1e-11, "{trace}");
}
