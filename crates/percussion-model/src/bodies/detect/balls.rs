//! Balls, capsules and boxes against balls: closed forms.

use super::super::Frame;
use super::super::math::{Vec3, axpy, dot, mul, mul_t, norm, scale, sub};
use super::Touch;

/// Two balls.
pub fn ball_ball(a: (&Vec3, f64), b: (&Vec3, f64), feature: u16, margin: f64, out: &mut Vec<Touch>) {
    let d = sub(a.0, b.0);
    let reach = a.1 + b.1 + margin;
    let square = dot(&d, &d);
    if square > reach * reach {
        return;
    }
    let distance = square.sqrt();
    // concentric balls have no normal of their own
    let normal = if distance > 0.0 { scale(1.0 / distance, &d) } else { [0.0, 0.0, 1.0] };
    let points = [axpy(a.0, -a.1, &normal), axpy(b.0, b.1, &normal)];
    out.push(Touch {
        feature,
        gap: distance - a.1 - b.1,
        normal,
        points,
        radii: [a.1, b.1],
        round: true,
        turned: false,
    });
}

/// A ball and a capsule.
pub fn ball_capsule(a: (&Vec3, f64), ([p, q], radius): (&[Vec3; 2], f64), margin: f64, out: &mut Vec<Touch>) {
    let d = sub(q, p);
    let s = (dot(&sub(a.0, p), &d) / dot(&d, &d)).clamp(0.0, 1.0);
    ball_ball(a, (&axpy(p, s, &d), radius), 0, margin, out);
}

/// Two capsules: the nearest points of their axes, and the ends of the shorter overlap where the axes are parallel.
pub fn capsule_capsule(a: (&[Vec3; 2], f64), b: (&[Vec3; 2], f64), margin: f64, out: &mut Vec<Touch>) {
    let (&[p, q], &[r, s]) = (a.0, b.0);
    let (a, b) = (a.1, b.1);
    let (d, e, w) = (sub(&q, &p), sub(&s, &r), sub(&p, &r));
    let (dd, ee, de) = (dot(&d, &d), dot(&e, &e), dot(&d, &e));
    let (dw, ew) = (dot(&d, &w), dot(&e, &w));
    let det = dd * ee - de * de;
    let on_b = |s: f64| ((de * s + ew) / ee).clamp(0.0, 1.0);
    let on_a = |t: f64| ((de * t - dw) / dd).clamp(0.0, 1.0);
    if det > 1e-10 * dd * ee {
        let mut s = ((de * ew - ee * dw) / det).clamp(0.0, 1.0);
        let t = on_b(s);
        s = on_a(t);
        ball_ball((&axpy(&p, s, &d), a), (&axpy(&r, t, &e), b), 0, margin, out);
        return;
    }
    let (t0, t1) = (on_b(0.0), on_b(1.0));
    ball_ball((&axpy(&p, on_a(t0), &d), a), (&axpy(&r, t0, &e), b), 1, margin, out);
    if t0 != t1 {
        ball_ball((&axpy(&p, on_a(t1), &d), a), (&axpy(&r, t1, &e), b), 2, margin, out);
    }
}

/// A stretch of an axis and the radius about it; whether it ends flat, as a cylinder does, or round, as a capsule.
pub type Round<'a> = (&'a [Vec3; 2], f64, bool);

/// Square of the sine of the angle from which on two axes cross; below it sides touch along a line, which one point does not tell.
const CROSSED: f64 = 0.01;
/// Part of the smaller radius beyond which an overlap may have a shorter way out.
const SHALLOW: f64 = 0.5;

/// Two round sides that cross, where the common perpendicular of their axes p + s d and r + t e meets both: the one point nearest to both,
/// exactly. Whether it does, further than the overlap is deep from every flat end.
///
///   n ⟂ d, e,    g = |p + s d − r − t e| − a − b
///
/// The collision library leads points towards each other until the distance stands still, where the normal is off by the root of that, 1e-5:
/// crossed logs then rest on contacts that wander and come and go under other names.
pub fn crossed_sides(
    (&[p, q], a, flat_a): Round,
    (&[r, s], b, flat_b): Round,
    margin: f64,
    out: &mut Vec<Touch>,
) -> bool {
    let (d, e, w) = (sub(&q, &p), sub(&s, &r), sub(&p, &r));
    let (dd, ee, de) = (dot(&d, &d), dot(&e, &e), dot(&d, &e));
    let (dw, ew) = (dot(&d, &w), dot(&e, &w));
    let det = dd * ee - de * de;
    if det <= CROSSED * dd * ee {
        return false;
    }
    let first = ((de * ew - ee * dw) / det).clamp(0.0, 1.0);
    let t = ((de * first + ew) / ee).clamp(0.0, 1.0);
    let s = ((de * t - dw) / dd).clamp(0.0, 1.0);
    let (x, y) = (axpy(&p, s, &d), axpy(&r, t, &e));
    let depth = (a + b - norm(&sub(&x, &y))).max(0.0);
    let on_side = |flat: bool, s: f64, length: f64| !flat || s.min(1.0 - s) * length > depth;
    if depth > SHALLOW * a.min(b) || !on_side(flat_a, s, dd.sqrt()) || !on_side(flat_b, t, ee.sqrt()) {
        return false;
    }
    ball_ball((&x, a), (&y, b), 0, margin, out);
    true
}

/// A capsule that lies along the side of a cylinder, its axis p + s d within ends of the other's, r + t e: both its ends, and the point between
/// them that is nearest where the axes cross there. Whether it is so, further than the overlap is deep from the flat ends.
///
///   x ∈ {p, q, p + s d},    t = (x − r)·e/e·e,    g = |x − r − t e| − a − b
///
/// One point does not tell how it lies, and the collision library's come and go: a beam that came to lie along a log was not parted from it.
pub fn capsule_along_side(
    (&[p, q], a): (&[Vec3; 2], f64),
    (&[r, s], b): (&[Vec3; 2], f64),
    margin: f64,
    out: &mut Vec<Touch>,
) -> bool {
    let (d, e, w) = (sub(&q, &p), sub(&s, &r), sub(&p, &r));
    let (dd, ee, de) = (dot(&d, &d), dot(&e, &e), dot(&d, &e));
    let (dw, ew) = (dot(&d, &w), dot(&e, &w));
    let det = dd * ee - de * de;
    if det > CROSSED * dd * ee {
        return false;
    }
    let crossing = (de * ew - ee * dw) / det;
    let between = det > 1e-10 * dd * ee && crossing > 0.0 && crossing < 1.0;
    let mut found = [(1, Some(0.0)), (2, Some(1.0)), (0, between.then_some(crossing))].map(|(feature, s)| {
        let s = s?;
        let t = (ew + s * de) / ee;
        Some((feature, axpy(&p, s, &d), axpy(&r, t, &e), t))
    });
    for (_, x, y, t) in found.iter().flatten() {
        let depth = a + b - norm(&sub(x, y));
        if depth > SHALLOW * a.min(b) || t.min(1.0 - t) * ee.sqrt() <= depth.max(0.0) {
            return false;
        }
    }
    found.sort_by_key(|point| point.map_or(3, |(feature, ..)| feature));
    for (feature, x, y, _) in found.into_iter().flatten() {
        ball_ball((&x, a), (&y, b), feature, margin, out);
    }
    true
}

/// A ball and a box of half-sizes h: the nearest point of the box, or the nearest face from inside.
pub fn ball_box(a: (&Vec3, f64), b: (&Frame, &Vec3), margin: f64, out: &mut Vec<Touch>) {
    let h = b.1;
    let c = mul_t(&b.0.R, &sub(a.0, &b.0.x));
    let nearest: Vec3 = std::array::from_fn(|k| c[k].clamp(-h[k], h[k]));
    let d = sub(&c, &nearest);
    let distance = norm(&d);
    // which face, edge or corner: three digits base 3
    let digit = |k: usize| if c[k] < -h[k] { 1 } else { 2 * u16::from(c[k] > h[k]) };
    let feature = digit(0) + 3 * digit(1) + 9 * digit(2);
    let (normal, distance, nearest) = if distance > 0.0 {
        (scale(1.0 / distance, &d), distance, nearest)
    } else {
        let k = (0..3).min_by(|&i, &j| (h[i] - c[i].abs()).total_cmp(&(h[j] - c[j].abs()))).expect("three axes");
        let mut normal = [0.0; 3];
        normal[k] = 1.0_f64.copysign(c[k]);
        let mut on = c;
        on[k] = h[k].copysign(c[k]);
        (normal, c[k].abs() - h[k], on)
    };
    let gap = distance - a.1;
    if gap > margin {
        return;
    }
    let world = mul(&b.0.R, &normal);
    let points = [axpy(a.0, -a.1, &world), b.0.point(&nearest)];
    let flat = [digit(0), digit(1), digit(2)].iter().filter(|&&d| d > 0).count() <= 1;
    out.push(Touch {
        feature: feature + 1,
        gap,
        normal: world,
        points,
        radii: [a.1, 0.0],
        round: !flat,
        turned: false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capsule along a cylinder, turned a little and tilted: no point of it is nearer than those found, one of them is that near, and each lies where
    /// its gap says. Beyond a flat end, across and deep the library is asked.
    #[test]
    fn a_capsule_along_a_cylinder_touches_at_its_ends() {
        let (a, b, log) = (0.01, 0.1, [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]);
        let (mut ends, mut between) = (0, 0);
        for k in 0..200 {
            let of = |i: u32| (1.7 * f64::from(k) + f64::from(i)).sin();
            let (around, tilt, turn) = (1.5 * of(1), 1e-4 * of(3), 0.003 * of(4));
            let (out, along) = ([around.sin(), 0.0, around.cos()], [around.cos(), 0.05 / turn, -around.sin()]);
            let middle = axpy(&[0.0, 0.5 * of(2), 0.0], 0.1095, &out);
            let half = axpy(&scale(tilt, &out), turn, &along);
            let axis = [axpy(&middle, -1.0, &half), axpy(&middle, 1.0, &half)];
            let mut out = Vec::new();
            assert!(capsule_along_side((&axis, a), (&log, b), 1.0, &mut out), "{k}");
            let distance = |x: &Vec3| x[0].hypot(x[2]) - a - b;
            let along = |s: f64| axpy(&axis[0], s, &sub(&axis[1], &axis[0]));
            let least = (0..=1000).map(|s| distance(&along(1e-3 * f64::from(s)))).fold(f64::INFINITY, f64::min);
            let nearest = out.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            assert!(nearest <= least + 1e-13 && nearest > least - 1e-8, "{k}: {nearest} {least}");
            for touch in &out {
                let [x, y] = &touch.points;
                assert!((dot(&sub(x, y), &touch.normal) - touch.gap).abs() < 1e-13, "{k}: {touch:?}");
                assert!((y[0].hypot(y[2]) - b).abs() < 1e-13 && touch.normal[1].abs() < 1e-13, "{k}: {touch:?}");
            }
            assert!((distance(&axis[0]) - out.iter().find(|t| t.feature == 1).expect("an end").gap).abs() < 1e-13);
            match out.len() {
                2 => ends += 1,
                _ => between += 1,
            }
        }
        assert!(ends > 20 && between > 20, "{ends} {between}");
        for axis in [
            [[0.109, 0.95, 0.0], [0.109, 1.05, 0.0]],
            [[0.109, 0.0, 0.0], [0.109, 0.0, 0.1]],
            [[0.1, 0.0, 0.0], [0.1, 0.1, 0.0]],
        ] {
            assert!(!capsule_along_side((&axis, a), (&log, b), 1.0, &mut Vec::new()), "{axis:?}");
        }
    }

    /// Crossed cylinders and a capsule across a cylinder: the distance of the sides by a search over both, the normal across both axes; beside a flat
    /// end, along each other and deep in each other the library is asked.
    #[test]
    fn sides_that_cross_touch_at_one_point() {
        let mut dice = 7_u64;
        let mut real = move || {
            dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (dice >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut crossed = 0;
        for k in 0..400 {
            let mut point = |z: f64| [real(), real(), real() + z];
            let (first, second) = ([point(0.0), point(0.0)], [point(0.8), point(0.8)]);
            let (a, b, flat) = (0.1, 0.2, k % 2 == 0);
            let mut out = Vec::new();
            if !crossed_sides((&first, a, true), (&second, b, flat), 10.0, &mut out) {
                continue;
            }
            crossed += 1;
            let [touch] = out[..] else { panic!("{out:?}") };
            let along = |axis: &[Vec3; 2], s: f64| axpy(&axis[0], s, &sub(&axis[1], &axis[0]));
            // nearest points by halving steps of a search from the middles
            let (mut s, mut t, mut step) = (0.5_f64, 0.5_f64, 0.25_f64);
            let far = |s: f64, t: f64| norm(&sub(&along(&first, s), &along(&second, t)));
            while step > 1e-9 {
                let better = [
                    (step, 0.0),
                    (-step, 0.0),
                    (0.0, step),
                    (0.0, -step),
                    (step, step),
                    (-step, -step),
                    (step, -step),
                    (-step, step),
                ]
                .map(|(ds, dt)| ((s + ds).clamp(0.0, 1.0), (t + dt).clamp(0.0, 1.0)))
                .into_iter()
                .min_by(|x, y| far(x.0, x.1).total_cmp(&far(y.0, y.1)))
                .expect("eight of them");
                if far(better.0, better.1) < far(s, t) {
                    (s, t) = better;
                } else {
                    step *= 0.5;
                }
            }
            assert!((touch.gap - (far(s, t) - a - b)).abs() < 1e-12, "{k}: {} {}", touch.gap, far(s, t) - a - b);
            assert!(dot(&touch.normal, &sub(&first[1], &first[0])).abs() < 1e-11, "{k}");
            let across = dot(&touch.normal, &sub(&second[1], &second[0])).abs();
            assert!(!flat || across < 1e-11, "{k}: {across}");
        }
        assert!(crossed > 50, "{crossed}");
        let axis = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let other = |x: f64, z: f64, d: Vec3| [axpy(&[x, 0.0, z], -1.0, &d), axpy(&[x, 0.0, z], 1.0, &d)];
        let ask = |other: &[Vec3; 2]| crossed_sides((&axis, 0.1, true), (other, 0.1, true), 0.1, &mut Vec::new());
        assert!(ask(&other(0.2, 0.19, [0.0, 1.0, 0.0])) && ask(&other(0.98, 0.19, [0.0, 1.0, 0.0])));
        for (x, z, d) in [
            (0.995, 0.19, [0.0, 1.0, 0.0]),
            (1.1, 0.19, [0.0, 1.0, 0.0]),
            (0.2, 0.1, [0.0, 1.0, 0.0]),
            (0.2, 0.2, [1.0, 0.01, 0.0]),
        ] {
            assert!(!ask(&other(x, z, d)), "{x} {z} {d:?}");
        }
    }
}
