//! A rod in segments hinged with springs of E I / l, as in `slider-crank`: its first frequency is that of the beam.
//!
//!   ω₁ = π² √(E I/m′)/L²   of an Euler–Bernoulli beam between hinges

use percussion_scenario::{LoadOptions, load_text};
use std::f64::consts::PI;
use std::fmt::Write;

const LENGTH: f64 = 0.306;
const BENDING: f64 = 7.291_666_666_666_667; // E I = 70e9 · 0.010 · 0.005³/12
const LINE_DENSITY: f64 = 2700.0 * 0.010 * 0.005;

/// The rod between two hinges, the right one free to slide; it starts straight with the velocities of the first mode.
fn rod(segments: usize) -> String {
    let l = LENGTH / segments as f64;
    let m = LINE_DENSITY * l;
    let mut text = String::from(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"frame\"\nfixed = true\n",
    );
    let speed = |i: usize| 1e-3 * (PI * i as f64 / segments as f64).sin();
    let shape = "shape = { kind = \"point\" }\ncontact = false";
    for i in 0..segments {
        let (v, w) = (0.5 * (speed(i) + speed(i + 1)), (speed(i + 1) - speed(i)) / l);
        let (x, I) = (l * (i as f64 + 0.5), m * l * l / 12.0);
        write!(
            text,
            "[[body]]\nname = \"{i}\"\n{shape}\nmass = {m:e}\ninertia = [{I:e}]\nposition = [{x:e}, 0.0]\n\
             velocity = [0.0, {v:e}]\nangular_velocity = [{w:e}]\n"
        )
        .expect("text");
    }
    let hinge = |a: String, b: String, x: f64, more: String| {
        format!("[[joint]]\nkind = \"revolute\"\na = \"{a}\"\nb = \"{b}\"\nanchor = [{x:e}, 0.0]\n{more}")
    };
    write!(
        text,
        "[[body]]\nname = \"shoe\"\n{shape}\nmass = 1e-4\ninertia = [1e-8]\nposition = [{LENGTH:e}, 0.0]\n\
         [[joint]]\nkind = \"prismatic\"\na = \"frame\"\nb = \"shoe\"\nanchor = [{LENGTH:e}, 0.0]\naxis = [1.0, 0.0]\n"
    )
    .expect("text");
    text += &hinge("frame".into(), "0".into(), 0.0, String::new());
    text += &hinge((segments - 1).to_string(), "shoe".into(), LENGTH, String::new());
    for i in 1..segments {
        let spring = format!("stiffness = {:e}\n", BENDING / l);
        text += &hinge((i - 1).to_string(), i.to_string(), l * i as f64, spring);
    }
    text + "[scheme]\nname = \"energy-momentum\"\n[time]\nend = 0.01\nstep = 2e-6\n"
}

/// The first frequency, from the instant the middle comes back.
fn frequency(segments: usize) -> f64 {
    let mut loaded = load_text("rod", &rod(segments), &LoadOptions::default()).expect("a rod");
    // y of the segment left of the middle
    let y = 3 * (segments / 2) + 1;
    let mut before = (0.0, 0.0);
    loop {
        let after = &loaded.simulation.advance().expect("a step").after;
        if before.1 > 0.0 && after.q[y] <= 0.0 {
            let t = before.0 + (after.t - before.0) * before.1 / (before.1 - after.q[y]);
            return PI / t;
        }
        before = (after.t, after.q[y]);
    }
}

#[test]
fn segments_vibrate_as_the_beam() {
    let beam = PI * PI * (BENDING / LINE_DENSITY).sqrt() / (LENGTH * LENGTH);
    let errors = [6, 12].map(|n| frequency(n) / beam - 1.0);
    println!("{beam:.1} /s; errors {errors:?}");
    assert!(errors[0].abs() < 1e-4, "{errors:?}");
    // fourth order in the length of the segments: the errors of lumped inertia and lumped bending cancel in the next one
    let order = (errors[0] / errors[1]).abs().log2();
    assert!((order - 4.0).abs() < 0.2, "order {order}: {errors:?}");
}
