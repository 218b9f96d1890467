//! Random nonlinear models: the built-in ones and formulas.

use super::{Dice, list};

/// A pendulum beside a wall, in x, y, θ with two joints.
pub fn pendulum(dice: &mut Dice) -> String {
    let (l, angle) = (dice.real(0.3, 2.0), dice.real(-1.4, 1.4));
    let wall = l * angle.cos() - if dice.chance(0.1) { 0.0 } else { dice.real(0.0, 1.5) * l };
    format!(
        "kind = \"pendulum\"\nmass = {:?}\ninertia = {:?}\nlength = {l:?}\ngravity = 9.81\nwall = {wall:?}\nrestitution = {:?}\nangle = {angle:?}\n",
        dice.real(0.2, 5.0),
        dice.real(0.01, 0.5),
        dice.of(&[0.0, 0.5, 0.8, 1.0]),
    )
}

/// A block dropped on its corners, turning and sliding.
pub fn rocking_block(dice: &mut Dice) -> String {
    let (b, a, angle) = (dice.real(0.1, 1.0), dice.real(0.1, 1.5), dice.real(-0.3, 0.3));
    let room = if dice.chance(0.3) { 0.0 } else { dice.real(0.0, 0.3) };
    let y = 0.5 * a * angle.cos() + 0.5 * b * angle.sin().abs() + room;
    format!(
        "kind = \"rocking-block\"\nmass = {:?}\nwidth = {b:?}\nheight = {a:?}\ngravity = 9.81\nrestitution = {:?}\nfriction = {:?}\n\
         q0 = {}\nv0 = {}\n",
        dice.real(0.2, 5.0),
        dice.of(&[0.0, 0.3, 0.8]),
        dice.of(&[0.0, 0.2, 0.7]),
        list(&[0.0, y, angle]),
        list(&[dice.real(-1.0, 1.0), 0.0, dice.real(-0.5, 0.5)]),
    )
}

/// A beam that swings against a wall.
pub fn beam(dice: &mut Dice) -> String {
    format!(
        "kind = \"beam\"\nlength = {:?}\nwidth = 0.05\ndepth = {:?}\nyoung = {:?}\npoisson = 0.3\ndensity = 7800.0\ngravity = 9.81\n\
         elements = {}\nwall = {:?}\nrestitution = {:?}\njoints = {}\n",
        dice.real(0.5, 2.0),
        dice.real(0.01, 0.05),
        10_f64.powf(dice.real(8.0, 11.0)),
        dice.whole(1, 4),
        dice.real(-0.5, 0.3),
        dice.of(&[0.0, 0.5, 0.8]),
        dice.chance(0.3),
    )
}

/// One of a few models written as formulas.
pub fn formula(dice: &mut Dice) -> String {
    let e = dice.of(&[0.0, 0.4, 0.9]);
    let mu = dice.of(&[0.0, 0.0, 0.3]);
    let (a, b, c) = (dice.real(0.3, 2.0), dice.real(0.3, 2.0), dice.real(1.0, 50.0));
    let parameters = format!("parameters = {{ m = {a:?}, l = {b:?}, k = {c:?} }}\n");
    let contact = |gap: &str, tangent: &str| {
        let slide = if mu > 0.0 { format!("tangent = \"{tangent}\"\nfriction = {mu:?}\n") } else { String::new() };
        format!("[[model.contact]]\ngap = \"{gap}\"\nrestitution = {e:?}\n{slide}")
    };
    let body = match dice.whole(0, 4) {
        // two links above a floor
        0 => {
            let (p, q) = (dice.real(0.6, 2.5), dice.real(0.6, 2.5));
            let depth = (b * (p.cos() + q.cos())).max(0.0) + dice.real(0.01, 0.5);
            format!(
                "coordinates = [\"p\", \"r\"]\n{parameters}\
                 kinetic = \"0.5*m*l^2*(2*p_dot^2 + r_dot^2 + 2*p_dot*r_dot*cos(p - r))\"\npotential = \"-9.81*m*l*(2*cos(p) + cos(r))\"\n\
                 q0 = {}\n{}",
                list(&[p, q]),
                contact(&format!("{depth:?} - l*(cos(p) + cos(r))"), "l*(sin(p) + sin(r))"),
            )
        }
        // a bead in a bowl with a stop
        1 => format!(
            "coordinates = [\"x\"]\n{parameters}kinetic = \"0.5*m*(1 + 4*x^2)*x_dot^2\"\npotential = \"9.81*m*x^2\"\nq0 = [{:?}]\n\
             [[model.contact]]\ngap = \"x + {:?}\"\nrestitution = {e:?}\n",
            dice.real(0.1, 1.0),
            dice.real(0.0, 0.5),
        ),
        // a hardening spring, driven
        2 => format!(
            "coordinates = [\"x\"]\n{parameters}kinetic = \"0.5*m*x_dot^2\"\npotential = \"0.5*k*x^2 + 0.25*k*x^4\"\n\
             force = [\"3*sin({:?}*t) - 0.2*x_dot\"]\nq0 = [0.2]\n[[model.contact]]\ngap = \"0.5 - x\"\nrestitution = {e:?}\n",
            dice.real(1.0, 8.0),
        ),
        // a point above a wavy ground
        3 => format!(
            "coordinates = [\"x\", \"y\"]\n{parameters}kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"9.81*m*y\"\nq0 = {}\nv0 = {}\n{}",
            list(&[0.0, dice.real(0.2, 1.0)]),
            list(&[dice.real(-2.0, 2.0), 0.0]),
            contact("y - 0.1*sin(3*x)", "x"),
        ),
        // a pendulum on a carriage between two walls
        _ => format!(
            "coordinates = [\"x\", \"a\"]\n{parameters}kinetic = \"0.5*2*m*x_dot^2 + m*l*cos(a)*x_dot*a_dot + 0.5*m*l^2*a_dot^2\"\n\
             potential = \"-9.81*m*l*cos(a) + 0.5*k*x^2\"\nq0 = {}\nv0 = {}\n\
             [[model.contact]]\ngap = \"0.3 - x\"\nrestitution = {e:?}\n[[model.contact]]\ngap = \"x + 0.3\"\nrestitution = {e:?}\n",
            list(&[dice.real(-0.29, 0.29), dice.real(-2.0, 2.0)]),
            list(&[dice.real(-1.0, 1.0), 0.0]),
        ),
    };
    format!("kind = \"formula\"\n{body}")
}
