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
