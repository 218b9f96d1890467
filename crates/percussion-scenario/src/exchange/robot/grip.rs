//! How shapes rub: frictions by shape become materials and pairs of a scene.
//!
//!   MJCF: the higher priority's μ, else the larger;    URDF, SDF: the smaller, what has none taking the other's

use super::{Form, Robot};
use crate::format::write::{line, number, quoted};

/// Materials beyond which frictions by shape are not kept: their pairs would be more than the bodies.
const MOST: usize = 40;

/// Frictions of files that only mean "it never slips" (Gazebo's 1e14): from here on the cone is the half-space but for a milliradian, and of
/// numbers beyond it no solver makes a normal force of 1e-10.
const NEVER_SLIPS: f64 = 1e3;

/// The friction of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// μ.
    pub friction: f64,
    /// Of two shapes the one with the higher priority says.
    pub priority: i64,
    /// Whether it has no friction among its like.
    pub smooth: bool,
}

/// How the frictions of two shapes make that of their pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// The larger, as MuJoCo does.
    Largest,
    /// The smaller; a shape without its own takes the other's.
    Least,
}

impl Grip {
    pub fn of(friction: f64) -> Self {
        Self { friction, priority: 0, smooth: false }
    }

    fn name(&self) -> String {
        let priority = if self.priority == 0 { String::new() } else { format!(", priority {}", self.priority) };
        let smooth = if self.smooth { ", smooth" } else { "" };
        format!("friction {}{priority}{smooth}", self.friction)
    }
}

/// μ of two shapes.
fn between(robot: &Robot, a: Option<Grip>, b: Option<Grip>) -> f64 {
    let own = Grip::of(robot.friction);
    match (robot.mixing, a, b) {
        (_, None, None) => robot.friction,
        (Mixing::Least, Some(x), None) | (Mixing::Least, None, Some(x)) => x.friction,
        (Mixing::Least, Some(a), Some(b)) => a.friction.min(b.friction),
        (Mixing::Largest, a, b) => {
            let (a, b) = (a.unwrap_or(own), b.unwrap_or(own));
            let friction = |one: Grip| if one.smooth { 0.0 } else { one.friction };
            match a.priority.cmp(&b.priority) {
                std::cmp::Ordering::Greater => friction(a),
                std::cmp::Ordering::Less => friction(b),
                std::cmp::Ordering::Equal if a.smooth && b.smooth => 0.0,
                std::cmp::Ordering::Equal => a.friction.max(b.friction),
            }
        }
    }
}

/// The materials of a robot.
pub struct Materials(Vec<Grip>);

impl Materials {
    /// Those of its shapes; too many are named and not kept.
    pub fn of(robot: &mut Robot, present: &[usize]) -> Self {
        let grips = robot.links.iter_mut().flat_map(|link| &mut link.shapes).filter_map(|shape| shape.grip.as_mut());
        for friction in grips.map(|grip| &mut grip.friction).chain(std::iter::once(&mut robot.friction)) {
            if *friction > NEVER_SLIPS {
                robot.notes.push(format!(
                    "a friction of {friction:.0e}: {NEVER_SLIPS:.0e} is taken, which never slips either"
                ));
                *friction = NEVER_SLIPS;
            }
        }
        let mut found: Vec<Grip> = Vec::new();
        for shape in present.iter().flat_map(|&i| &robot.links[i].shapes) {
            found.extend(shape.grip.filter(|grip| !found.contains(grip)));
        }
        if found.len() > MOST {
            let fact = format!("{} frictions of shapes: all have {}", found.len(), robot.friction);
            robot.notes.push(fact);
            found.clear();
        }
        Self(found)
    }

    /// `[[material]]` and `[[pair]]`.
    pub fn write(&self, robot: &Robot, toml: &mut String) {
        if self.0.is_empty() {
            return;
        }
        let all: Vec<Option<Grip>> = std::iter::once(None).chain(self.0.iter().copied().map(Some)).collect();
        for grip in &all {
            toml.push_str("\n[[material]]\n");
            line(toml, "name", &quoted(&name(*grip)));
        }
        for (k, a) in all.iter().enumerate() {
            for b in &all[k..] {
                let friction = between(robot, *a, *b);
                if friction == robot.friction {
                    continue;
                }
                let names = if a == b { vec![name(*a)] } else { vec![name(*a), name(*b)] };
                let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
                toml.push_str("\n[[pair]]\n");
                line(toml, "materials", &format!("[{}]", names.join(", ")));
                line(toml, "friction", &number(friction));
            }
        }
    }

    /// The name of a shape's material, where it is not the first.
    pub fn named(&self, grip: Option<Grip>) -> Option<String> {
        grip.filter(|grip| self.0.contains(grip)).map(|grip| quoted(&name(Some(grip))))
    }

    /// The material that all solid shapes of a link share.
    pub fn shared(&self, link: &super::Link) -> Option<Grip> {
        let mut solid = link.shapes.iter().filter(|shape| shape.form != Form::Plane).map(|shape| shape.grip);
        let first = solid.next().flatten()?;
        solid.all(|grip| grip == Some(first)).then_some(first)
    }
}

fn name(grip: Option<Grip>) -> String {
    grip.map_or_else(|| "default".into(), |grip| grip.name())
}
