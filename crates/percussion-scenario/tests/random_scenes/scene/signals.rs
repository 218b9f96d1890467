//! Numbers that vary with time, and scenes that they drive: linear systems, bodies and mechanisms.

use super::{Dice, list};

/// A signal of about this size that begins at rest, of any kind.
pub fn signal(dice: &mut Dice, size: f64) -> String {
    let (a, w, t) = (size * dice.real(-1.0, 1.0), dice.real(1.0, 40.0), dice.real(0.02, 0.2));
    match dice.whole(0, 7) {
        0 => format!("{{ mean = {:?}, sines = [{{ amplitude = {a:?}, omega = {w:?} }}] }}", 0.3 * a),
        1 => {
            format!("{{ table = [[0.0, 0.0], [{t:?}, {a:?}], [{:?}, {:?}]], interpolation = \"cubic\" }}", 2.0 * t, -a)
        }
        2 => format!("{{ table = [[0.0, 0.0], [{t:?}, {a:?}]] }}"),
        3 => format!("{{ ramp = {{ start = 0.0, end = {t:?}, from = 0.0, to = {a:?} }} }}"),
        4 => format!("{{ smooth = {{ start = 0.0, end = {t:?}, from = 0.0, to = {a:?} }} }}"),
        5 => format!("{{ pulse = {{ start = {:?}, end = {t:?}, height = {a:?}, shape = \"half-sine\" }} }}", 0.1 * t),
        6 => format!("{{ formula = \"{a:?}*sin({w:?}*t)*exp(-t)\" }}"),
        _ => format!("{{ sum = [{:?}, {{ product = [2.0, {{ formula = \"{a:?}*cos({w:?}*t)\" }}] }}] }}", 0.1 * a),
    }
}

/// A chain of masses between springs, loads that vary, and a floor that may move.
pub fn masses(dice: &mut Dice) -> String {
    let n = dice.whole(1, 4);
    let k = 10_f64.powf(dice.real(1.0, 4.0));
    let matrix = |own: f64, beside: f64| {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => own,
            1 => beside,
            _ => 0.0,
        };
        let rows: Vec<String> = (0..n).map(|i| list(&(0..n).map(|j| entry(i, j)).collect::<Vec<_>>())).collect();
        format!("[{}]", rows.join(", "))
    };
    let force: Vec<String> = (0..n).map(|_| signal(dice, 20.0)).collect();
    let normal: Vec<f64> = (0..n).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
    let floor = if dice.chance(0.4) {
        let t = dice.real(0.05, 0.3);
        format!("{{ smooth = {{ start = 0.0, end = {t:?}, from = 0.1, to = {:?} }} }}", dice.real(0.05, 0.15))
    } else {
        "0.1".into()
    };
    format!(
        "kind = \"linear\"\nmass = {}\nstiffness = {}\nforce = [{}]\nq0 = {}\n[[model.contact]]\nnormal = {}\noffset = {floor}\nrestitution = {:?}\n",
        matrix(1.0, 0.0),
        matrix(2.1 * k, -k),
        force.join(", "),
        list(&vec![0.0; n]),
        list(&normal),
        dice.of(&[0.0, 0.5, 1.0]),
    )
}

/// A shaken box of bodies, or a driven arm above a plate that moves.
pub fn driven(dice: &mut Dice, planar: bool) -> String {
    let d = if planar { 2 } else { 3 };
    let zeros = |n: usize| vec!["0.0".to_string(); n];
    let mut gravity = zeros(d);
    gravity[0] = signal(dice, 4.0);
    gravity[d - 1] = "-9.81".into();
    let mut text = format!(
        "kind = \"bodies\"\ndimension = {d}\ngravity = [{}]\nrestitution = {:?}\nfriction = {:?}\n",
        gravity.join(", "),
        dice.of(&[0.0, 0.5]),
        dice.of(&[0.0, 0.3, 0.7]),
    );
    let at = |x: f64, z: f64| if planar { list(&[x, z]) } else { list(&[x, 0.0, z]) };
    let mut moving = zeros(d);
    moving[dice.of(&[0, d - 1])] = signal(dice, 0.3);
    let sizes = |w: f64, t: f64| if planar { list(&[w, t]) } else { list(&[w, w, t]) };
    text += &format!(
        "[[body]]\nname = \"plate\"\nshape = {{ kind = \"box\", size = {} }}\nposition = {}\nmotion = {{ velocity = [{}] }}\n",
        sizes(3.0, 0.2),
        at(0.0, -0.1),
        moving.join(", "),
    );
    for k in 0..dice.whole(1, 3) {
        let shape = match dice.chance(0.5) {
            true => format!("{{ kind = \"sphere\", radius = {:?} }}", dice.real(0.05, 0.12)),
            false => format!("{{ kind = \"box\", size = {} }}", sizes(0.2, 0.2)),
        };
        let place = at(0.4 * k as f64 - 0.4, dice.real(0.15, 0.4));
        text += &format!("[[body]]\nname = \"b{k}\"\nshape = {shape}\ndensity = 1000.0\nposition = {place}\n");
    }
    if dice.chance(0.5) {
        text += &format!("[[body]]\nname = \"mast\"\nfixed = true\nposition = {}\n", at(-1.0, 1.0));
        text += &format!(
            "[[body]]\nname = \"arm\"\nshape = {{ kind = \"box\", size = {} }}\ndensity = 1000.0\nposition = {}\n",
            if planar { list(&[0.6, 0.06]) } else { list(&[0.6, 0.06, 0.06]) },
            at(-0.7, 1.0),
        );
        let axis = if planar { "" } else { "axis = [0.0, 1.0, 0.0]\n" };
        let drive = match dice.whole(0, 2) {
            0 => format!("{{ force = {} }}", signal(dice, 5.0)),
            1 => format!(
                "{{ velocity = {{ smooth = {{ start = 0.0, end = 0.2, from = 0.0, to = {:?} }} }} }}",
                dice.real(-3.0, 3.0)
            ),
            _ => format!("{{ target = {}, stiffness = 50.0, damping = 3.0, limit = 40.0 }}", signal(dice, 0.5)),
        };
        text += &format!(
            "[[joint]]\nkind = \"revolute\"\na = \"mast\"\nb = \"arm\"\nanchor = {}\n{axis}motor = {drive}\n",
            at(-1.0, 1.0)
        );
    }
    text
}
