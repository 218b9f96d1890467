//! Random elastic blocks that fall or are pressed on a plane, with supports and loads that vary with time.
//!
//!   (n + 1)(m + 1) nodes in rows, n m quads or twice as many triangles, sides "bottom", "top", "left"

use super::signals::signal;
use super::{Dice, list};
use std::fmt::Write;

/// A mesh of a block as Gmsh writes it.
fn mesh(dice: &mut Dice) -> String {
    let (n, m) = (dice.whole(1, 5), dice.whole(1, 3));
    let (w, t) = (dice.real(0.02, 0.1), dice.real(0.02, 0.1));
    let (split, node) = (dice.chance(0.5), |i: usize, j: usize| j * (n + 1) + i + 1);
    let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n");
    text += "2 1 \"block\"\n1 2 \"bottom\"\n1 3 \"top\"\n1 4 \"left\"\n$EndPhysicalNames\n$Nodes\n";
    writeln!(text, "{}", (n + 1) * (m + 1)).expect("a string");
    for (j, i) in (0..=m).flat_map(|j| (0..=n).map(move |i| (j, i))) {
        writeln!(text, "{} {:?} {:?} 0.0", node(i, j), w * i as f64, t * j as f64).expect("a string");
    }
    let mut elements = Vec::new();
    for (j, i) in (0..m).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        if split {
            elements.extend([format!("2 2 1 1 {a} {b} {c}"), format!("2 2 1 1 {a} {c} {d}")]);
        } else {
            elements.push(format!("3 2 1 1 {a} {b} {c} {d}"));
        }
    }
    for i in 0..n {
        elements.push(format!("1 2 2 2 {} {}", node(i, 0), node(i + 1, 0)));
        elements.push(format!("1 2 3 3 {} {}", node(i + 1, m), node(i, m)));
    }
    elements.extend((0..m).map(|j| format!("1 2 4 4 {} {}", node(0, j + 1), node(0, j))));
    writeln!(text, "$EndNodes\n$Elements\n{}", elements.len()).expect("a string");
    for (k, element) in elements.iter().enumerate() {
        writeln!(text, "{} {element}", k + 1).expect("a string");
    }
    text + "$EndElements\n"
}

/// A block with its mesh.
pub fn block(dice: &mut Dice) -> (String, String) {
    let mesh = mesh(dice);
    let gravity = if dice.chance(0.3) { [0.0, 0.0] } else { [0.0, -9.81] };
    let mut text = format!(
        "kind = \"solid\"\nmesh = \"mesh.msh\"\nplane = \"{}\"\ngravity = {}\n",
        dice.of(&["strain", "stress"]),
        list(&gravity),
    );
    text += &format!(
        "[[model.part]]\ngroup = \"block\"\nmaterial = {{ young = {:?}, poisson = {:?}, density = 1200.0 }}\nvelocity = {}\n",
        10_f64.powf(dice.real(5.0, 8.0)),
        dice.real(0.0, 0.45),
        list(&[dice.real(-1.0, 1.0), dice.real(-2.0, 0.0)]),
    );
    if dice.chance(0.4) {
        text += &format!("damping = {{ stiffness = {:?} }}\n", dice.of(&[1e-5, 1e-3]));
    }
    let held = dice.chance(0.25);
    if held {
        text += "[[model.support]]\ngroup = \"left\"\nfix = [\"x\"]\n";
    }
    if dice.chance(0.3) {
        text += &format!("[[model.load]]\ngroup = \"top\"\npressure = {}\n", signal(dice, 500.0));
    }
    let mu = if held { 0.0 } else { dice.of(&[0.0, 0.0, 0.4]) };
    let room = if dice.chance(0.3) { 0.0 } else { dice.real(0.0, 0.02) };
    text += &format!(
        "[[model.contact]]\nsurface = \"bottom\"\nagainst = {{ plane = {{ point = [0.0, {:?}], normal = [0.0, 1.0] }} }}\nfriction = {mu:?}\n",
        -room
    );
    (text, mesh)
}
