//! The picture of a linear model: every coordinate a mass that moves up and down, with springs, floors and contacts.
//!
//!   height of mass i = qᵢ + δᵢ
//!
//! δ sets masses above each other that are joined: where a contact g = qᵢ − qⱼ + w joins two, they touch in the picture
//! when g = 0; where a spring does, the distance is only for the eye. What is joined to nothing stands beside.

use super::{planar, rods};
use crate::scene::{moved, wall};
use percussion_model::LinearModel;
use percussion_report::{ContactMark, Coordinate, Geometry, Place, Role, SceneDescription, ScenePoint as Point, Shape};
use std::collections::VecDeque;

/// Coordinates that are drawn.
pub const DRAWN: usize = 64;

/// What joins two masses: `upper` lies at `lower` + size + gap.
struct Joined {
    lower: usize,
    upper: usize,
    /// w of a contact, `None` for a spring.
    touch: Option<f64>,
}

/// Where each mass is drawn.
struct Layout {
    /// Edge of a mass [m].
    size: f64,
    /// Length of a spring at rest in the picture [m].
    spring: f64,
    x: Vec<f64>,
    delta: Vec<f64>,
}

impl Layout {
    /// Height of the lower face of mass i.
    fn bottom(&self, i: usize) -> Coordinate {
        Coordinate::q(i, self.delta[i])
    }

    fn at(&self, i: usize, up: f64) -> [Coordinate; 3] {
        Coordinate::plane(Coordinate::constant(self.x[i]), self.bottom(i).plus(up))
    }
}

/// The picture; `ranges` say how far each coordinate moves.
pub fn scene(model: &LinearModel, ranges: &[(f64, f64)]) -> SceneDescription {
    if let Some(picture) = sliding_body(model, ranges).or_else(|| planar::scene(model)).or_else(|| rods::scene(model)) {
        return picture;
    }
    let n = model.n().min(DRAWN);
    let (springs, grounded) = springs(model, n);
    let mut joined = contacts_between(model, n);
    joined.extend(springs.iter().map(|&(lower, upper)| Joined { lower, upper, touch: None }));
    let layout = layout(n, &joined, reach(model, ranges, n));
    let (size, half) = (layout.size, 0.5 * layout.size);

    let mut shapes = Vec::new();
    let mut contacts = Vec::new();
    let mut unseen = false;
    for (contact, c) in model.contacts().iter().enumerate() {
        match *c.normal.as_slice() {
            // g = s q + w: the obstacle is where that is zero, below for s > 0, above for s < 0
            [(i, s)] if i < n => {
                let up = if s > 0.0 { 0.0 } else { size };
                let level = moved(&c.offset, -1.0 / s).plus(layout.delta[i] + up);
                let normal = [0.0, s.signum(), 0.0];
                let position = Coordinate::plane(Coordinate::constant(layout.x[i]), level);
                shapes.push(wall(if s > 0.0 { "floor" } else { "ceiling" }, position, normal, 5.0 * size));
                contacts.push(ContactMark {
                    contact,
                    point: Point::At { position: layout.at(i, up) },
                    normal,
                    tangents: Vec::new(),
                });
            }
            [(i, a), (j, b)] if i < n && j < n && a == -b => {
                let upper = if a > 0.0 { i } else { j };
                let point = Point::At { position: layout.at(upper, 0.0) };
                contacts.push(ContactMark { contact, point, normal: [0.0, 1.0, 0.0], tangents: Vec::new() });
            }
            _ => unseen = true,
        }
    }
    for &(lower, upper) in &springs {
        shapes.push(spring(layout.at(lower, size), layout.at(upper, 0.0), half));
    }
    for &i in &grounded {
        let high = ranges.get(i).map_or(0.0, |r| r.1);
        let y = layout.delta[i] + high + size + layout.spring;
        let hook = Coordinate::plane(Coordinate::constant(layout.x[i]), Coordinate::constant(y));
        shapes.push(wall("support", hook.clone(), [0.0, -1.0, 0.0], 2.5 * size));
        shapes.push(spring(layout.at(i, size), hook, half));
    }
    let alone = n == 1 && springs.is_empty() && grounded.is_empty();
    for i in 0..n {
        let geometry =
            if alone { Geometry::Sphere { radius: half } } else { Geometry::Box { size: [size, size, size] } };
        let place = Place::Coordinates { position: layout.at(i, half), angle: Coordinate::default() };
        shapes.push(Shape { name: format!("q{i}"), role: Role::Body, geometry, place });
    }
    SceneDescription {
        space: false,
        shapes,
        contacts,
        note: note(model.n(), n, &joined, unseen),
        ..SceneDescription::default()
    }
}

/// One body that slides and perhaps turns: contacts normal to coordinate j, their tangents along coordinate i, with the
/// radius as the factor of the angle, u_T = v_i + R ω. It is drawn at (q_i, q_j).
fn sliding_body(model: &LinearModel, ranges: &[(f64, f64)]) -> Option<SceneDescription> {
    let first = model.contacts().first()?;
    let &[(j, _)] = first.normal.as_slice() else { return None };
    let along = first.tangents.first()?;
    let &(i, _) = along.iter().find(|&&(i, c)| i != j && c.abs() == 1.0)?;
    let turn = along.iter().find(|&&(k, _)| k != i && k != j);
    if model.n() != if turn.is_some() { 3 } else { 2 } || model.stiffness().is_some() {
        return None;
    }
    let spread = |i: usize| ranges.get(i).filter(|r| r.0 <= r.1).map_or(0.0, |r| r.1 - r.0);
    let half = turn.map_or(0.06 * spread(i).max(spread(j)), |(_, R)| R.abs());
    let half = if half > 0.0 { half } else { 0.1 };
    let at = |up: f64| Coordinate::plane(Coordinate::q(i, 0.0), Coordinate::q(j, up));
    let mut shapes = Vec::new();
    let mut contacts = Vec::new();
    for (contact, c) in model.contacts().iter().enumerate() {
        let &[(other, s)] = c.normal.as_slice() else { return None };
        if other != j {
            return None;
        }
        let up = if s > 0.0 { 0.0 } else { 2.0 * half };
        let level = Coordinate::plane(Coordinate::default(), moved(&c.offset, -1.0 / s).plus(up));
        let normal = [0.0, s.signum(), 0.0];
        shapes.push(wall(if s > 0.0 { "floor" } else { "ceiling" }, level, normal, 0.0));
        // the tangent's own sign along x
        let sign = c.tangents.first()?.iter().find(|t| t.0 == i).map_or(1.0, |t| t.1.signum());
        let tangents = vec![[sign, 0.0, 0.0]];
        contacts.push(ContactMark { contact, point: Point::At { position: at(up) }, normal, tangents });
    }
    let angle = turn
        .map_or(Coordinate::default(), |&(k, R)| Coordinate { terms: vec![(k, R.signum())], ..Coordinate::default() });
    let geometry = match turn {
        Some(_) => Geometry::Sphere { radius: half },
        None => Geometry::Box { size: [2.0 * half; 3] },
    };
    let place = Place::Coordinates { position: at(half), angle };
    shapes.push(Shape { name: "body".into(), role: Role::Body, geometry, place });
    Some(SceneDescription { space: false, shapes, contacts, note: String::new(), ..SceneDescription::default() })
}

fn note(n: usize, drawn: usize, joined: &[Joined], unseen: bool) -> String {
    let mut note = Vec::new();
    if drawn < n {
        note.push(format!("Of {n} coordinates the first {drawn} are drawn."));
    }
    if joined.iter().any(|j| j.touch.is_none()) {
        note.push("Each coordinate is a mass; those joined by springs are drawn apart.".to_string());
    } else if drawn > 1 {
        note.push("Each coordinate is a mass that moves up and down.".to_string());
    }
    if unseen {
        note.push("Contacts other than of one coordinate or of the difference of two are not drawn.".to_string());
    }
    note.join(" ")
}

fn spring(from: [Coordinate; 3], to: [Coordinate; 3], width: f64) -> Shape {
    let place = Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
    Shape {
        name: "spring".into(),
        role: Role::Link,
        geometry: Geometry::Spring { ends: Box::new([from, to]), width },
        place,
    }
}

/// How far the masses move, obstacles included [m]; 1 when nothing does.
fn reach(model: &LinearModel, ranges: &[(f64, f64)], n: usize) -> f64 {
    let mut reach: f64 =
        ranges.iter().take(n).fold(0.0, |m, (low, high)| if low <= high { m.max(high - low) } else { m });
    for c in model.contacts() {
        if let &[(i, s)] = c.normal.as_slice()
            && let Some((low, high)) = ranges.get(i).filter(|r| r.0 <= r.1)
        {
            let level = -c.offset.mean / s;
            reach = reach.max(high - level).max(level - low).max((high - low).abs());
        }
    }
    if reach > 0.0 && reach.is_finite() { reach } else { 1.0 }
}

/// Pairs (lower, upper) with K_ij ≠ 0, and masses whose springs lead to the ground.
fn springs(model: &LinearModel, n: usize) -> (Vec<(usize, usize)>, Vec<usize>) {
    let Some(K) = model.stiffness() else { return (Vec::new(), Vec::new()) };
    let mut pairs = Vec::new();
    let mut sums = vec![0.0; model.n()];
    let mut sizes = vec![0.0; model.n()];
    for (i, j, k) in K.triplets() {
        sums[i] += k;
        sizes[i] += k.abs();
        if i < j && j < n && k != 0.0 {
            pairs.push((i, j));
        }
    }
    let grounded = (0..n).filter(|&i| sums[i].abs() > 1e-9 * sizes[i]).collect();
    (pairs, grounded)
}

fn contacts_between(model: &LinearModel, n: usize) -> Vec<Joined> {
    let pair = |c: &percussion_model::Contact| match c.normal.as_slice() {
        &[(i, a), (j, b)] if i < n && j < n && a == -b => {
            let (upper, lower) = if a > 0.0 { (i, j) } else { (j, i) };
            Some(Joined { lower, upper, touch: Some(c.offset.mean / a.abs()) })
        }
        _ => None,
    };
    model.contacts().iter().filter_map(pair).collect()
}

// breadth first over what joins the masses; contacts come first in the list and decide
fn layout(n: usize, joined: &[Joined], reach: f64) -> Layout {
    let (size, spring) = (0.13 * reach, 0.4 * reach);
    let mut layout = Layout { size, spring, x: vec![0.0; n], delta: vec![0.0; n] };
    let mut placed = vec![false; n];
    let mut lane = 0.0;
    for root in 0..n {
        if placed[root] {
            continue;
        }
        placed[root] = true;
        layout.x[root] = lane;
        let mut queue = VecDeque::from([root]);
        while let Some(i) = queue.pop_front() {
            for edge in joined.iter().filter(|edge| edge.lower == i || edge.upper == i) {
                let other = if edge.lower == i { edge.upper } else { edge.lower };
                if placed[other] {
                    continue;
                }
                // faces touch when q_upper − q_lower + w = 0
                let apart = size + edge.touch.unwrap_or(spring);
                layout.delta[other] = layout.delta[i] + if edge.lower == i { apart } else { -apart };
                layout.x[other] = lane;
                placed[other] = true;
                queue.push_back(other);
            }
        }
        lane += 6.0 * size;
    }
    layout
}
