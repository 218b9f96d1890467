//! Chains of bodies on joints that swing, slide and fall on a floor, balls dropped on them, in the plane and in space: joints, stops, contact and friction
//! at once. The floor may move sideways; no drive and no floor squeezes what cannot give way.

use super::{Dice, list};

/// A point in the plane of the chain.
fn at(planar: bool, x: f64, z: f64) -> String {
    list(&if planar { vec![x, z] } else { vec![x, 0.0, z] })
}

fn floor(dice: &mut Dice, planar: bool, height: f64) -> String {
    let mut text =
        format!("[[body]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nposition = {}\n", at(planar, 0.0, height));
    if !dice.chance(0.25) {
        return text + "fixed = true\n";
    }
    let shaken = format!(
        "{{ mean = {:?}, sines = [{{ amplitude = {:?}, omega = {:?}, phase = 0.0 }}] }}",
        dice.real(-1.0, 1.0),
        dice.real(0.1, 1.0),
        dice.real(3.0, 20.0)
    );
    let rest = if planar { "0.0" } else { "0.0, 0.0" };
    text += &format!("motion = {{ velocity = [{shaken}, {rest}] }}\n");
    text
}

/// Link k of a chain of length l each, moving as one with the others.
fn link(dice: &mut Dice, planar: bool, (k, l): (usize, f64), (v, w): ([f64; 2], f64)) -> String {
    let shape = match dice.whole(0, 2) {
        0 if planar => format!("{{ kind = \"box\", size = {} }}", list(&[0.9 * l, 0.15 * l])),
        0 => format!("{{ kind = \"box\", size = {} }}", list(&[0.9 * l, 0.12 * l, 0.15 * l])),
        1 => format!("{{ kind = \"sphere\", radius = {:?} }}", 0.3 * l),
        _ => format!("{{ kind = \"capsule\", radius = {:?}, length = {:?} }}", 0.1 * l, 0.6 * l),
    };
    let x = l * (k as f64 + 0.5);
    let spin = if planar { vec![w] } else { vec![0.0, -w, 0.0] };
    format!(
        "[[body]]\nname = \"b{k}\"\nshape = {shape}\ndensity = {:?}\nposition = {}\nvelocity = {}\nangular_velocity = {}\n",
        dice.of(&[100.0, 500.0, 1000.0, 8000.0]),
        at(planar, x, 0.0),
        at(planar, v[0], v[1] + w * x),
        list(&spin),
    )
}

/// The joint before link k, on the frame or on the link before it.
fn joint(dice: &mut Dice, planar: bool, (k, l): (usize, f64)) -> String {
    let kinds: &[&str] = match (k, planar) {
        (0, _) => &["revolute"],
        (_, true) => &["revolute", "revolute", "prismatic"],
        (_, false) => &["revolute", "spherical", "prismatic", "cylindrical"],
    };
    let kind = dice.of(kinds);
    let a = if k == 0 { "frame".to_string() } else { format!("b{}", k - 1) };
    let mut text = format!(
        "[[joint]]\nkind = \"{kind}\"\na = \"{a}\"\nb = \"b{k}\"\nanchor = {}\n",
        at(planar, l * k as f64, 0.0)
    );
    match (kind, planar) {
        ("prismatic" | "cylindrical", _) => text += &format!("axis = {}\n", at(planar, 1.0, 0.0)),
        ("revolute", false) => text += "axis = [0.0, 1.0, 0.0]\n",
        _ => {}
    }
    if ["revolute", "prismatic"].contains(&kind) {
        let room = if kind == "revolute" { 0.3 } else { 0.1 * l };
        match dice.whole(0, 9) {
            0..=2 => {
                let e = dice.of(&[0.0, 0.5, 1.0]);
                text += &format!("limits = {}\nrestitution = {e:?}\n", list(&[-room, room]));
            }
            3 => text += &format!("stiffness = {:?}\ndamping = 0.1\n", dice.real(1.0, 200.0)),
            4 => text += &format!("motor = {{ force = {:?} }}\n", dice.real(-3.0, 3.0)),
            5 => text += &format!("friction_force = {:?}\n", dice.real(0.01, 1.0)),
            _ => {}
        }
    }
    text
}

/// A chain, on a frame or free, above its floor.
pub fn chain(dice: &mut Dice, planar: bool) -> String {
    let (e, mu) = (dice.of(&[0.0, 0.3, 0.5, 0.8, 1.0, 1.0]), dice.of(&[0.0, 0.0, 0.2, 0.5, 0.9]));
    let mut text = format!(
        "kind = \"bodies\"\ndimension = {}\nrestitution = {e:?}\nfriction = {mu:?}\n",
        if planar { 2 } else { 3 }
    );
    let (n, l) = (dice.whole(1, 5), dice.real(0.15, 0.5));
    let height = -dice.real(0.15, 1.0) * l * (0.6 * n as f64).max(1.0) - 0.35 * l;
    text += &floor(dice, planar, height);
    text += &format!("[[body]]\nname = \"frame\"\nfixed = true\nposition = {}\n", at(planar, 0.0, 0.0));
    let held = dice.chance(0.6);
    let v = if held { [0.0; 2] } else { [dice.real(-2.0, 2.0), dice.real(-3.0, 1.0)] };
    let w = dice.real(-4.0, 4.0);
    for k in 0..n {
        text += &link(dice, planar, (k, l), (v, w));
        if k > 0 || held {
            text += &joint(dice, planar, (k, l));
        }
    }
    for k in 0..dice.of(&[0, 0, 1, 2]) {
        text += &format!(
            "[[body]]\nname = \"d{k}\"\nshape = {{ kind = \"sphere\", radius = {:?} }}\ndensity = 2000.0\nposition = {}\nvelocity = {}\n",
            0.25 * l,
            at(planar, l * dice.real(0.2, n as f64), 0.8 * l * (k + 1) as f64),
            at(planar, 0.0, -2.0),
        );
    }
    text
}
