//! Random linear systems and bars.
//!
//!   M, K, C = scale · (BᵀB/n + shift I),    g = n·(q − q₀) + room ≥ 0 at the start

use super::{Dice, list, number};

/// scale · (BᵀB/n + shift I) as rows of numbers.
fn positive(dice: &mut Dice, n: usize, scale: f64, shift: f64) -> String {
    let b: Vec<Vec<f64>> = (0..n).map(|_| dice.vector(n)).collect();
    let entry = |i: usize, j: usize| {
        let sum: f64 = (0..n).map(|k| b[k][i] * b[k][j]).sum();
        scale * (sum / n as f64 + if i == j { shift } else { 0.0 })
    };
    let rows: Vec<String> = (0..n).map(|i| list(&(0..n).map(|j| entry(i, j)).collect::<Vec<_>>())).collect();
    format!("[{}]", rows.join(", "))
}

/// A mass matrix, springs, dampers, loads, contacts with friction or without, sometimes a joint or an obstacle that moves.
pub fn system(dice: &mut Dice) -> String {
    let n = dice.whole(1, 6);
    let mut text = format!("kind = \"linear\"\nmass = {}\n", positive(dice, n, 1.0, 0.3));
    let k = 10_f64.powf(dice.real(0.0, 5.0));
    if dice.chance(0.7) {
        text += &format!("stiffness = {}\n", positive(dice, n, k, 0.1));
    }
    if dice.chance(0.4) {
        let c = dice.of(&[0.01, 1.0, 10.0]);
        text += &format!("damping = {}\n", positive(dice, n, c, 0.1));
    }
    let mut force: Vec<String> = dice.vector(n).iter().map(|f| number(20.0 * f)).collect();
    if dice.chance(0.3) {
        let (a, w) = (dice.real(0.0, 20.0), dice.real(0.5, 40.0));
        force[0] = format!("{{ mean = {}, sines = [{{ amplitude = {a:?}, omega = {w:?} }}] }}", force[0]);
    }
    text += &format!("force = [{}]\n", force.join(", "));
    let joint = n > 2 && dice.chance(0.15);
    let (q, mut v) = (dice.vector(n), dice.vector(n));
    if joint {
        v = vec![0.0; n];
    }
    text += &format!("q0 = {}\nv0 = {}\n", list(&q), list(&v));
    for _ in 0..dice.whole(1, 4) {
        contact(dice, &q, &mut text);
    }
    if joint {
        let row = dice.vector(n);
        let offset: f64 = -row.iter().zip(&q).map(|(a, b)| a * b).sum::<f64>();
        text += &format!("[[model.joint]]\nrow = {}\noffset = {offset:?}\n", list(&row));
    }
    text
}

fn contact(dice: &mut Dice, q: &[f64], text: &mut String) {
    let n = q.len();
    let mut normal = vec![0.0; n];
    if dice.chance(0.6) {
        normal[dice.whole(0, n - 1)] = dice.of(&[1.0, -1.0]);
    } else {
        normal = dice.vector(n);
    }
    let room = if dice.chance(0.25) { 0.0 } else { dice.real(0.0, 0.5) };
    let offset = room - normal.iter().zip(q).map(|(a, b)| a * b).sum::<f64>();
    let offset = if dice.chance(0.1) {
        let (a, w) = (dice.real(0.0, 0.05), dice.real(1.0, 20.0));
        format!("{{ mean = {:?}, sines = [{{ amplitude = {a:?}, omega = {w:?} }}] }}", offset + a)
    } else {
        number(offset)
    };
    let e = dice.of(&[0.0, 0.3, 0.8, 1.0]);
    *text += &format!("[[model.contact]]\nnormal = {}\noffset = {offset}\nrestitution = {e:?}\n", list(&normal));
    if n > 1 && dice.chance(0.35) {
        let tangents: Vec<String> = (0..dice.whole(1, 2)).map(|_| list(&dice.vector(n))).collect();
        *text += &format!("tangents = [{}]\nfriction = {:?}\n", tangents.join(", "), dice.real(0.0, 1.0));
    }
}

/// An elastic bar that meets a wall.
pub fn bar(dice: &mut Dice) -> String {
    let elements = dice.whole(2, 30);
    let (e, v) = (dice.of(&[0.0, 0.5, 1.0]), dice.real(-5.0, 0.0));
    format!(
        "kind = \"bar\"\nyoung = {:?}\ndensity = 8000.0\narea = 1e-4\nlength = {:?}\nelements = {elements}\nmass = \"{}\"\nforce = {:?}\nv0 = {v:?}\n\
         [[model.contact]]\nnode = 0\noffset = {:?}\nrestitution = {e:?}\n",
        10_f64.powf(dice.real(6.0, 11.0)),
        dice.real(0.1, 5.0),
        dice.of(&["consistent", "lumped"]),
        dice.real(-10.0, 0.0),
        dice.real(0.0, 0.01),
    )
}
