//! Random beams, cables and bushings beside rigid bodies, in the plane and in space.

use super::signals::signal;
use super::{Dice, list};

fn place(planar: bool, [x, y, z]: [f64; 3]) -> String {
    if planar { list(&[x, z]) } else { list(&[x, y, z]) }
}

/// What a beam is made of.
fn made_of(dice: &mut Dice) -> String {
    let section = match dice.whole(0, 2) {
        0 => format!(
            "{{ kind = \"rectangle\", width = {:?}, depth = {:?} }}",
            dice.real(0.01, 0.04),
            dice.real(0.01, 0.04)
        ),
        1 => format!("{{ kind = \"circle\", radius = {:?} }}", dice.real(0.005, 0.02)),
        _ => "{ kind = \"tube\", radius = 0.02, inner = 0.017 }".into(),
    };
    format!(
        "section = {section}\nyoung = {:?}\ndensity = {:?}\ndamping = {:?}\n",
        10_f64.powf(dice.real(6.5, 9.5)),
        dice.real(800.0, 3000.0),
        dice.of(&[0.0, 1e-4, 1e-2]),
    )
}

/// A beam that hangs from a wall, falls on a ground, carries a bob or a cable, and is loaded at its end.
pub fn beams(dice: &mut Dice, planar: bool) -> String {
    let mut text = format!("kind = \"bodies\"\ndimension = {}\n", if planar { 2 } else { 3 });
    text += &format!("restitution = {:?}\nfriction = {:?}\n", dice.of(&[0.0, 0.0, 0.5]), dice.of(&[0.0, 0.3, 0.6]));
    let ground = dice.chance(0.6);
    if ground {
        text += "[[body]]\nname = \"ground\"\nshape = { kind = \"plane\" }\nfixed = true\n";
    }
    let (elements, height) = (dice.whole(1, 6), dice.real(0.1, 0.6));
    let root = [0.0, 0.0, height];
    let tip = [dice.real(0.3, 1.0), dice.real(-0.3, 0.3), height + dice.real(0.0, 0.4)];
    text += &format!(
        "[[beam]]\nname = \"rod\"\nfrom = {}\nto = {}\nelements = {elements}\n{}",
        place(planar, root),
        place(planar, tip),
        made_of(dice),
    );
    if ground {
        text += "contact = { radius = 0.02 }\n";
    }
    if dice.chance(0.7) {
        let kind = dice.of(if planar { &["fixed", "revolute"] } else { &["fixed", "revolute", "spherical"] });
        let axis = if kind == "revolute" && !planar { "axis = [0.0, 1.0, 0.0]\n" } else { "" };
        text += &format!(
            "[[body]]\nname = \"wall\"\nfixed = true\nposition = {0}\n[[joint]]\nkind = \"{kind}\"\na = \"wall\"\nb = \"rod\"\nanchor = {0}\n{axis}",
            place(planar, root),
        );
    }
    if dice.chance(0.4) {
        let bob = [tip[0], tip[1], tip[2] + 0.15];
        text += &format!(
            "[[body]]\nname = \"bob\"\nshape = {{ kind = \"sphere\", radius = 0.05 }}\ndensity = 1000.0\nposition = {}\n",
            place(planar, bob)
        );
        match dice.whole(0, 2) {
            0 => {
                text += &format!(
                    "[[joint]]\nkind = \"{}\"\na = \"rod.{elements}\"\nb = \"bob\"\nanchor = {}\n",
                    if planar { "revolute" } else { "spherical" },
                    place(planar, tip)
                );
            }
            1 => {
                let stiffness = if planar { "[300.0, 300.0, 5.0]" } else { "[300.0, 300.0, 300.0, 5.0, 5.0, 5.0]" };
                text += &format!(
                    "[[bushing]]\na = \"rod.{elements}\"\nb = \"bob\"\nanchor = {}\nstiffness = {stiffness}\n",
                    place(planar, tip)
                );
            }
            _ => {}
        }
    }
    if dice.chance(0.3) {
        let top = [tip[0], tip[1], tip[2] + 0.5];
        text += &format!(
            "[[cable]]\nname = \"stay\"\nfrom = {}\nto = {}\nfrom_body = \"rod\"\nelements = {}\naxial_stiffness = {:?}\nlength = {:?}\nmass_per_length = 0.05\n",
            place(planar, tip),
            place(planar, top),
            dice.whole(1, 3),
            10_f64.powf(dice.real(2.0, 4.0)),
            dice.real(0.45, 0.6),
        );
    }
    if dice.chance(0.5) {
        let force =
            if planar { format!("[0.0, {}]", signal(dice, 2.0)) } else { format!("[0.0, 0.0, {}]", signal(dice, 2.0)) };
        text += &format!("[[load]]\nbeam = \"rod\"\nnode = {elements}\nforce = {force}\n");
    }
    text
}
