//! Random scenes of rigid bodies in the plane and in space: thrown, stacked, sprung and jointed.

use super::{Dice, list};

/// A unit quaternion.
fn rotation(dice: &mut Dice) -> String {
    let mut q = dice.vector(4);
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.iter_mut().for_each(|x| *x /= size);
    list(&q)
}

/// A shape that fits in a ball of radius 1.2 r.
fn shape(dice: &mut Dice, planar: bool, r: f64) -> String {
    let flat = dice.real(0.2, 1.0);
    let kinds: &[&str] =
        if planar { &["sphere", "box", "polygon"] } else { &["sphere", "box", "capsule", "cylinder", "hull", "mesh"] };
    match (dice.of(kinds), planar) {
        ("sphere", _) => format!("{{ kind = \"sphere\", radius = {r:?} }}"),
        ("box", true) => format!("{{ kind = \"box\", size = {} }}", list(&[2.0 * 0.8 * r, 2.0 * 0.8 * flat * r])),
        ("box", false) => {
            format!("{{ kind = \"box\", size = {} }}", list(&[1.4 * r, 1.4 * flat * r, 1.4 * dice.real(0.2, 1.0) * r]))
        }
        ("capsule", _) => format!("{{ kind = \"capsule\", radius = {:?}, length = {:?} }}", 0.5 * flat * r, r),
        ("cylinder", _) => format!("{{ kind = \"cylinder\", radius = {:?}, length = {:?} }}", 0.8 * r, 1.4 * flat * r),
        ("polygon", _) => {
            let n = dice.whole(3, 7);
            let corner = |k: usize, off: f64| {
                let a = std::f64::consts::TAU * (k as f64 + off) / n as f64;
                list(&[r * a.cos(), r * a.sin()])
            };
            let corners: Vec<String> = (0..n).map(|k| corner(k, dice.real(0.0, 0.5))).collect();
            format!("{{ kind = \"polygon\", points = [{}] }}", corners.join(", "))
        }
        ("hull", _) => {
            let point = |dice: &mut Dice| {
                let x = dice.vector(3);
                let size = x.iter().map(|x| x * x).sum::<f64>().sqrt().max(0.1);
                list(&x.iter().map(|x| r * x / size).collect::<Vec<_>>())
            };
            let points: Vec<String> = (0..dice.whole(6, 14)).map(|_| point(dice)).collect();
            format!("{{ kind = \"hull\", points = [{}] }}", points.join(", "))
        }
        _ => {
            let corner = |x: f64, y: f64, z: f64| list(&[x * r, y * r, z * r]);
            let vertices = [
                corner(0.9, 0.0, -0.5),
                corner(-0.5, 0.8, -0.5),
                corner(-0.5, -0.8, -0.5),
                corner(0.0, 0.0, 0.9 * flat),
            ];
            format!(
                "{{ kind = \"mesh\", vertices = [{}], triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }}",
                vertices.join(", ")
            )
        }
    }
}

/// `[[body]]` at a place, turned and moving.
fn body(dice: &mut Dice, name: &str, planar: bool, r: f64, at: &[f64], fast: f64) -> String {
    let d = at.len();
    let shape = shape(dice, planar, r);
    let turned = if planar {
        format!("angle = {:?}\n", dice.real(-3.0, 3.0))
    } else {
        format!("rotation = {}\n", rotation(dice))
    };
    let velocity: Vec<f64> = dice.vector(d).iter().map(|x| fast * x).collect();
    let spin: Vec<f64> = dice.vector(if planar { 1 } else { 3 }).iter().map(|x| 4.0 * fast * x).collect();
    format!(
        "[[body]]\nname = \"{name}\"\nshape = {shape}\ndensity = {:?}\nposition = {}\n{turned}velocity = {}\nangular_velocity = {}\n",
        dice.of(&[500.0, 1000.0, 3000.0]),
        list(at),
        list(&velocity),
        list(&spin),
    )
}

fn ground(dice: &mut Dice, planar: bool) -> String {
    let shape = match (dice.whole(0, 4), planar) {
        (0..=2, _) => "{ kind = \"plane\" }".to_string(),
        (_, true) => "{ kind = \"box\", size = [20.0, 0.4] }\nposition = [0.0, -0.2]".to_string(),
        (3, false) => "{ kind = \"box\", size = [20.0, 20.0, 0.4] }\nposition = [0.0, 0.0, -0.2]".to_string(),
        (_, false) => {
            let row = |dice: &mut Dice| list(&(0..5).map(|_| dice.real(-0.1, 0.0)).collect::<Vec<_>>());
            let rows: Vec<String> = (0..5).map(|_| row(dice)).collect();
            format!("{{ kind = \"heightfield\", heights = [{}], size = [6.0, 6.0] }}", rows.join(", "))
        }
    };
    format!("[[body]]\nname = \"ground\"\nshape = {shape}\nfixed = true\n")
}

fn head(dice: &mut Dice, planar: bool) -> String {
    let mut text = format!("kind = \"bodies\"\ndimension = {}\n", if planar { 2 } else { 3 });
    if dice.chance(0.15) {
        text += if planar { "gravity = [0.0, 0.0]\n" } else { "gravity = [0.0, 0.0, 0.0]\n" };
    }
    let (e, mu) = (dice.of(&[0.0, 0.0, 0.4, 0.8]), dice.of(&[0.0, 0.2, 0.5, 0.9]));
    text += &format!("restitution = {e:?}\nfriction = {mu:?}\n");
    if dice.chance(0.08) {
        text += &format!("rolling = {:?}\n", dice.real(0.0, 0.01));
    }
    text
}

/// Bodies thrown at each other above a ground, some with springs between them.
pub fn thrown(dice: &mut Dice, planar: bool) -> String {
    let mut text = head(dice, planar);
    if dice.chance(0.8) {
        text += &ground(dice, planar);
    }
    let (n, r, fast) = (dice.whole(1, 7), dice.real(0.05, 0.3), dice.of(&[0.0, 1.0, 3.0]));
    let wide = if planar { 3 } else { 2 };
    for k in 0..n {
        let jitter = |dice: &mut Dice| 0.1 * r * dice.real(-1.0, 1.0);
        let (i, j, layer) = if planar { (k % wide, 0, k / wide) } else { (k % 2, (k / 2) % 2, k / 4) };
        let [x, y, z] =
            [2.7 * r * i as f64 + jitter(dice), 2.7 * r * j as f64 + jitter(dice), 1.4 * r + 2.7 * r * layer as f64];
        let at = if planar { vec![x, z] } else { vec![x, y, z] };
        text += &body(dice, &format!("b{k}"), planar, r, &at, fast);
    }
    if n > 1 && dice.chance(0.2) {
        text += &format!(
            "[[spring]]\na = \"b0\"\nb = \"b1\"\nstiffness = {:?}\ndamping = {:?}\nlength = {:?}\n",
            10_f64.powf(dice.real(1.0, 3.0)),
            dice.of(&[0.0, 1.0]),
            2.7 * r
        );
    }
    text
}

/// Boxes that stand on each other.
pub fn stacked(dice: &mut Dice, planar: bool) -> String {
    let mut text = format!(
        "kind = \"bodies\"\ndimension = {}\nrestitution = {:?}\nfriction = {:?}\n[[body]]\nname = \"ground\"\nshape = {{ kind = \"plane\" }}\nfixed = true\n",
        if planar { 2 } else { 3 },
        dice.of(&[0.0, 0.0, 0.3]),
        dice.of(&[0.3, 0.6]),
    );
    let (n, wide) = (dice.whole(2, 12), dice.whole(1, 3));
    let (w, t) = (dice.real(0.1, 0.5), dice.real(0.05, 0.3));
    for k in 0..n {
        let (i, course) = (k % wide, k / wide);
        let x = w * (i as f64 + 0.5 * (course % 2) as f64);
        let z = t * (course as f64 + 0.5);
        let (size, at) = if planar { (vec![w, t], vec![x, z]) } else { (vec![w, 0.8 * w, t], vec![x, 0.0, z]) };
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nshape = {{ kind = \"box\", size = {} }}\ndensity = 2000.0\nposition = {}\n",
            list(&size),
            list(&at)
        );
    }
    text
}

/// A chain of rods on joints, above a ground in some, with limits, motors or springs on some hinges.
pub fn jointed(dice: &mut Dice, planar: bool) -> String {
    let mut text = head(dice, planar);
    if dice.chance(0.5) {
        text += &ground(dice, planar);
    }
    let (n, l) = (dice.whole(1, 4), dice.real(0.2, 0.6));
    let height = dice.real(0.6, 1.2) * l * n as f64 + 0.2;
    let place = |x: f64| if planar { vec![x, height] } else { vec![x, 0.0, height] };
    text += &format!("[[body]]\nname = \"wall\"\nfixed = true\nposition = {}\n", list(&place(0.0)));
    for k in 0..n {
        let size = if planar { vec![0.9 * l, 0.1 * l] } else { vec![0.9 * l, 0.1 * l, 0.1 * l] };
        text += &format!(
            "[[body]]\nname = \"rod{k}\"\nshape = {{ kind = \"box\", size = {} }}\ndensity = 1000.0\nposition = {}\n",
            list(&size),
            list(&place(l * (k as f64 + 0.5))),
        );
        let kinds: &[&str] =
            if planar { &["revolute", "revolute", "prismatic"] } else { &["revolute", "spherical", "prismatic"] };
        let kind = dice.of(kinds);
        let a = if k == 0 { "wall".into() } else { format!("rod{}", k - 1) };
        text += &format!(
            "[[joint]]\nkind = \"{kind}\"\na = \"{a}\"\nb = \"rod{k}\"\nanchor = {}\n",
            list(&place(l * k as f64))
        );
        if kind == "prismatic" {
            text += if planar { "axis = [1.0, 0.0]\n" } else { "axis = [1.0, 0.0, 0.0]\n" };
        } else if kind == "revolute" && !planar {
            text += "axis = [0.0, 1.0, 0.0]\n";
        }
        if kind != "spherical" {
            match dice.whole(0, 9) {
                0 => text += &format!("limits = [-0.5, 0.5]\nrestitution = {:?}\n", dice.of(&[0.0, 0.5])),
                1 => text += &format!("motor = {{ force = {:?} }}\n", dice.real(-5.0, 5.0)),
                2 => text += &format!("stiffness = {:?}\ndamping = 0.1\n", dice.real(1.0, 100.0)),
                _ => {}
            }
        }
    }
    text
}
