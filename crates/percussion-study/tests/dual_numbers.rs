//! Derivatives of runs of one-step schemes against dual numbers carried through every step, 1e-9.
//!
//! Each scheme is written out here by its equations for one mass before a wall q ≥ 0, driven by F sin ωt:  m q̈ + c q̇ + k q + κ q³ = F sin ωt.
//! On {q + ½hv ≤ 0} the law is v⁺ ≥ −e v, with an impulse where it holds with equality.

use percussion_scenario::{LoadOptions, load_text};
use percussion_study::Threads;
use percussion_study::sensitivity::{SensitivityOptions, Way, sensitivity};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with its derivative.
#[derive(Clone, Copy, Debug)]
struct Dual(f64, f64);

/// A number that does not depend on the parameter.
fn c(x: f64) -> Dual {
    Dual(x, 0.0)
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0, self.1 - o.1)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0, self.0 * o.1 + self.1 * o.0)
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self(self.0 / o.0, (self.1 * o.0 - self.0 * o.1) / (o.0 * o.0))
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Dual {
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), 0.5 * self.1 / self.0.sqrt())
    }

    fn sin(self) -> Self {
        Self(self.0.sin(), self.1 * self.0.cos())
    }
}

const H: f64 = 0.01;
const STEPS: usize = 300;
const OMEGA: f64 = 1.7;
/// q₀, v₀, m, c, k, F, e.
const VALUES: [f64; 7] = [0.8, -0.3, 1.3, 0.15, 7.0, 0.9, 0.7];

/// The oscillator in motion.
struct Run {
    q: Dual,
    v: Dual,
    /// What the Newmark family carries, and v̇ where it goes its own way.
    a: Dual,
    rate: Option<Dual>,
    m: Dual,
    damper: Dual,
    k: Dual,
    /// κ.
    cubic: f64,
    load: Dual,
    e: Dual,
    t: f64,
    impacts: usize,
}

impl Run {
    fn new(x: [Dual; 7], cubic: f64) -> Self {
        let [q, v, m, damper, k, load, e] = x;
        let a = (-(damper * v) - k * q) / m;
        Self { q, v, a, rate: None, m, damper, k, cubic, load, e, t: 0.0, impacts: 0 }
    }

    fn force(&self, t: f64) -> Dual {
        self.load * c((OMEGA * t).sin())
    }

    /// v⁺ of the law on the velocity.
    fn law(&mut self, active: bool, free: Dual) -> Dual {
        let rebound = -(self.e * self.v);
        let meets = active && free.0 < rebound.0;
        self.impacts += usize::from(meets);
        if meets { rebound } else { free }
    }

    fn active(&self) -> bool {
        self.q.0 + 0.5 * H * self.v.0 <= 0.0
    }

    /// M̂ v_free = M̂ v + h(F_{k+θ} − C v − K(q + hθv)); q⁺ by θ, or by ½ in the midpoint variant.
    fn moreau_jean(&mut self, theta: f64, midpoint: bool) {
        let (h, th) = (c(H), c(theta));
        let weight = if midpoint { 0.5 } else { theta };
        let mass = self.m + h * th * self.damper + h * h * th * c(weight) * self.k;
        let load = c(1.0 - theta) * self.force(self.t) + th * self.force(self.t + H);
        let free = self.v + h * (load - self.damper * self.v - self.k * (self.q + h * th * self.v)) / mass;
        let after = self.law(self.active(), free);
        self.q = self.q + h * (c(1.0 - weight) * self.v + c(weight) * after);
        self.v = after;
    }

    /// Newmark, HHT, generalized-α: S = (1−α_m)m + (1−α_f)(hγc + h²βk), D = (1−α_f)(c + ½hk); KH has 1−α_m before c and F.
    fn newmark(&mut self, [am, af, beta, gamma]: [f64; 4], kh: bool) {
        let (h, w) = (c(H), if kh { am } else { af });
        let S = c(1.0 - am) * self.m + c((1.0 - w) * H * gamma) * self.damper + c((1.0 - af) * H * H * beta) * self.k;
        let D = c(1.0 - w) * self.damper + c((1.0 - af) * 0.5 * H) * self.k;
        let (q, v) = (self.q + h * self.v + c(H * H * (0.5 - beta)) * self.a, self.v + c(H * (1.0 - gamma)) * self.a);
        let b = c(1.0 - w) * self.force(self.t + H) + c(w) * self.force(self.t)
            - self.damper * (c(1.0 - w) * v + c(w) * self.v)
            - self.k * (c(1.0 - af) * q + c(af) * self.q)
            - c(am) * self.m * self.a;
        let a = b / S;
        let free = v + c(H * gamma) * a;
        let after = self.law(self.active(), free);
        // w = P/m with (1 − hγ D/S) w = v⁺ − v_free
        let jump = (after - free) / (c(1.0) - c(H * gamma) * D / S);
        self.a = a - D * jump / S;
        self.q = q + c(H * H * beta) * self.a + c(0.5 * H) * jump;
        self.v = after;
    }

    /// GGL: m v̇⁺ = F⁺ − kq⁺ − cv⁺ at the corrected state, a⁺ by the filter; where the smooth position is below zero, q⁺ = 0 and v⁺ = −e v.
    fn ggl(&mut self, [am, af, beta, gamma]: [f64; 4]) {
        let r = self.rate.unwrap_or(self.a);
        let load = self.force(self.t + H);
        let (q, v) = (self.q + c(H) * self.v, self.v);
        let filter = |next: Dual, a: Dual| (c(1.0 - af) * next + c(af) * r - c(am) * a) / c(1.0 - am);
        // free: v̇⁺ from m v̇⁺ = F⁺ − k(q_p + κ_q v̇⁺) − c(v_p + κ v̇⁺)
        let known = filter(c(0.0), self.a);
        let (kappa, kappa_q) = (H * gamma * (1.0 - af) / (1.0 - am), H * H * beta * (1.0 - af) / (1.0 - am));
        let q_p = q + c(H * H * (0.5 - beta)) * self.a + c(H * H * beta) * known;
        let v_p = v + c(H * (1.0 - gamma)) * self.a + c(H * gamma) * known;
        let S = self.m + c(kappa) * self.damper + c(kappa_q) * self.k;
        let free = (load - self.k * q_p - self.damper * v_p) / S;
        let (mut q, mut v, mut next) = (q_p + c(kappa_q) * free, v_p + c(kappa) * free, free);
        if q.0 <= 0.0 {
            (q, v) = (c(0.0), -(self.e * self.v));
            next = (load - self.damper * v) / self.m;
            self.impacts += 1;
        }
        self.a = filter(next, self.a);
        (self.q, self.v, self.rate) = (q, v, Some(next));
    }

    /// a⁺ = S⁻¹(F⁺ − Kq* − Cv* + λ), γ = 1, the impulse inside the acceleration that is carried on.
    fn implicit_newmark(&mut self, beta: f64) {
        let S = self.m + c(H) * self.damper + c(H * H * beta) * self.k;
        let (q, v) = (self.q + c(H) * self.v + c(H * H * (0.5 - beta)) * self.a, self.v);
        let a = (self.force(self.t + H) - self.k * q - self.damper * v) / S;
        let after = self.law(self.active(), v + c(H) * a);
        self.a = (after - v) / c(H);
        self.q = q + c(H * H * beta) * self.a;
        self.v = after;
    }

    /// q⁺ = q + hv, m v_free = m v + h(F⁺ − k q⁺ − c v).
    fn d0_constant(&mut self) {
        let q = self.q + c(H) * self.v;
        let free = self.v + c(H) * (self.force(self.t + H) - self.k * q - self.damper * self.v) / self.m;
        let active = self.active();
        self.v = self.law(active, free);
        self.q = q;
    }

    /// ṽ = v + h a, q⁺ = q + h(v + ṽ)/2, a⁻ at (q⁺, ṽ), v⁺ = v + h(a + a⁻)/2, then the law where q⁺ ≤ 0; the wall is left at once.
    fn d1_minus_linear(&mut self) {
        let (h, half) = (c(H), c(0.5));
        let pull = |q: Dual, v: Dual, t: f64| (self.force(t) - self.damper * v - self.k * q) / self.m;
        let a = pull(self.q, self.v, self.t);
        let ahead = self.v + h * a;
        let q = self.q + half * h * (self.v + ahead);
        let v = self.v + half * h * (a + pull(q, ahead, self.t + H));
        (self.q, self.v) = (q, if q.0 <= 0.0 { self.strike(v) } else { v });
    }

    /// A Runge–Kutta step of order 5 by Dormand and Prince, then the law where q⁺ ≤ 0.
    fn splitting(&mut self) {
        const A: [&[f64]; 6] = [
            &[],
            &[1.0 / 5.0],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        ];
        const B: [f64; 6] = [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0];
        let mut stages: Vec<[Dual; 2]> = Vec::new();
        let moved = |stages: &[[Dual; 2]], weights: &[f64]| {
            let mut at = [self.q, self.v];
            for (stage, weight) in stages.iter().zip(weights) {
                at = [at[0] + c(H * weight) * stage[0], at[1] + c(H * weight) * stage[1]];
            }
            at
        };
        for row in A {
            let [q, v] = moved(&stages, row);
            let t = self.t + H * row.iter().sum::<f64>();
            stages.push([v, (self.force(t) - self.damper * v - self.k * q) / self.m]);
        }
        let [q, v] = moved(&stages, &B);
        (self.q, self.v) = (q, if q.0 <= 0.0 { self.strike(v) } else { v });
    }

    /// Generalized-α with the contact force inside: where the free position is below zero v̇⁺ is the one that leads to q⁺ = 0.
    fn smooth(&mut self, [am, af, beta, gamma]: [f64; 4]) {
        let r = self.rate.unwrap_or(self.a);
        let filter = |next: Dual, a: Dual| (c(1.0 - af) * next + c(af) * r - c(am) * a) / c(1.0 - am);
        let known = filter(c(0.0), self.a);
        let (kappa, kappa_q) = (H * gamma * (1.0 - af) / (1.0 - am), H * H * beta * (1.0 - af) / (1.0 - am));
        let q = self.q + c(H) * self.v + c(H * H * (0.5 - beta)) * self.a + c(H * H * beta) * known;
        let v = self.v + c(H * (1.0 - gamma)) * self.a + c(H * gamma) * known;
        let S = self.m + c(kappa) * self.damper + c(kappa_q) * self.k;
        let mut next = (self.force(self.t + H) - self.k * q - self.damper * v) / S;
        if (q + c(kappa_q) * next).0 < 0.0 {
            next = -(q / c(kappa_q));
            self.impacts += 1;
        }
        self.a = filter(next, self.a);
        (self.q, self.v, self.rate) = (q + c(kappa_q) * next, v + c(kappa) * next, Some(next));
    }

    /// −k q − κ q³ and its slope.
    fn spring(&self, q: Dual) -> (Dual, Dual) {
        let cubic = c(self.cubic);
        (-(self.k * q) - cubic * q * q * q, -self.k - c(3.0) * cubic * q * q)
    }

    /// q with r(q) = 0 by Newton's iteration in dual numbers: values and derivatives both become fixed.
    fn solved(&self, mut q: Dual, r: impl Fn(Dual) -> (Dual, Dual)) -> Dual {
        for _ in 0..12 {
            let (value, slope) = r(q);
            q = q - value / slope;
        }
        q
    }

    /// q⁺ − q = h(v + v⁺)/2, m(v⁺ − v) = −h(V⁺ − V)/(q⁺ − q) − hc(v + v⁺)/2 + hF_m + P; (V⁺ − V)/(q⁺ − q) written out for V = ½kq² + ¼κq⁴.
    fn energy_momentum(&mut self) {
        let load = self.force(self.t + 0.5 * H);
        let (half, h) = (c(0.5), c(H));
        let (q0, v0, kappa) = (self.q, self.v, c(self.cubic));
        let free = self.solved(q0 + h * v0, |q| {
            let pull = half * self.k * (q + q0) + c(0.25) * kappa * (q + q0) * (q * q + q0 * q0);
            let tangent = half * self.k + c(0.25) * kappa * (c(3.0) * q * q + c(2.0) * q * q0 + q0 * q0);
            let v = c(2.0 / H) * (q - q0) - v0;
            let r = self.m * (v - v0) + h * pull + half * h * self.damper * (v + v0) - h * load;
            (r, c(2.0 / H) * self.m + h * tangent + self.damper)
        });
        let after = self.law(self.active(), c(2.0 / H) * (free - q0) - v0);
        self.q = q0 + half * h * (v0 + after);
        self.v = after;
    }

    /// From w_{k−½} to w_{k+½} where q_k is left at t: m(w⁺ − w) = h(θ f(q + hw⁺, v, t + h) + (1−θ) f(q, v, t)) + p, v = ½(w + w⁺),
    /// 0 ≤ q_{k+1} + e q_{k−1} ⟂ p ≥ 0.
    fn leave(&mut self, q: Dual, w: Dual, t: f64, theta: f64) -> Dual {
        let (h, half, th) = (c(H), c(0.5), c(theta));
        let load = th * self.force(t + H) + c(1.0 - theta) * self.force(t);
        let here = self.spring(q).0;
        let free = self.solved(w, |next| {
            let (ahead, slope) = self.spring(q + h * next);
            let pull = th * ahead + c(1.0 - theta) * here - half * self.damper * (w + next) + load;
            (self.m * (next - w) - h * pull, self.m - h * (th * h * slope - half * self.damper))
        });
        let least = -((c(1.0) + self.e) * q - self.e * h * w) / h;
        let meets = free.0 < least.0;
        self.impacts += usize::from(meets);
        if meets { least } else { free }
    }

    /// A state is (q_{k+1}, ½(w_{k+½} + w_{k+3/2})); `a` carries the velocity that leaves q_k.
    fn schatzman_paoli(&mut self, theta: f64) {
        if self.t == 0.0 {
            // `a` is the acceleration of the start, but for the cubic spring
            let a = (self.spring(self.q).0 - self.damper * self.v + self.force(0.0)) / self.m;
            let before = self.v - c(0.5 * H) * a;
            self.a = self.leave(self.q, before, 0.0, theta);
        }
        self.q = self.q + c(H) * self.a;
        let next = self.leave(self.q, self.a, self.t + H, theta);
        self.v = c(0.5) * (self.a + next);
        self.a = next;
    }

    /// `ggl` on the cubic spring: v̇⁺ by Newton's iteration.
    fn nonlinear_ggl(&mut self, [am, af, beta, gamma]: [f64; 4]) {
        if self.t == 0.0 {
            self.a = (self.spring(self.q).0 - self.damper * self.v + self.force(0.0)) / self.m;
        }
        let r = self.rate.unwrap_or(self.a);
        let load = self.force(self.t + H);
        let filter = |next: Dual, a: Dual| (c(1.0 - af) * next + c(af) * r - c(am) * a) / c(1.0 - am);
        let (kappa, kappa_q) = (H * gamma * (1.0 - af) / (1.0 - am), H * H * beta * (1.0 - af) / (1.0 - am));
        let place = |next: Dual| {
            self.q + c(H) * self.v + c(H * H * (0.5 - beta)) * self.a + c(H * H * beta) * filter(next, self.a)
        };
        let speed = |next: Dual| self.v + c(H * (1.0 - gamma)) * self.a + c(H * gamma) * filter(next, self.a);
        let mut next = self.solved(r, |next| {
            let (pull, slope) = self.spring(place(next));
            let value = self.m * next - pull + self.damper * speed(next) - load;
            (value, self.m - c(kappa_q) * slope + c(kappa) * self.damper)
        });
        let (mut q, mut v) = (place(next), speed(next));
        if q.0 <= 0.0 {
            (q, v) = (c(0.0), -(self.e * self.v));
            next = (load - self.damper * v) / self.m;
            self.impacts += 1;
        }
        self.a = filter(next, self.a);
        (self.q, self.v, self.rate) = (q, v, Some(next));
    }

    /// q₁ of a free step of `landing` of length h from t; the impulse that ends it at the wall instead, and M̂ there.
    fn land_freely(&self, t: Dual, h: Dual) -> [Dual; 3] {
        let (half, q0, v0, kappa) = (c(0.5), self.q, self.v, c(self.cubic));
        let drive = |t: Dual| self.load * (c(OMEGA) * t).sin();
        // linear models take the mean of the loads of both ends, others the load of the middle
        let load = if self.cubic == 0.0 { half * (drive(t) + drive(t + h)) } else { drive(t + half * h) };
        let pull = |q: Dual| half * self.k * (q + q0) + c(0.25) * kappa * (q + q0) * (q * q + q0 * q0);
        let slope = |q: Dual| half * self.k + c(0.25) * kappa * (c(3.0) * q * q + c(2.0) * q * q0 + q0 * q0);
        let rate = |q: Dual| c(2.0) * (q - q0) / h - v0;
        let q = self.solved(q0 + h * v0, |q| {
            let v = rate(q);
            let r = self.m * (v - v0) + h * pull(q) + half * h * self.damper * (v + v0) - h * load;
            (r, c(2.0) * self.m / h + h * slope(q) + self.damper)
        });
        // at the wall: the impulse that is left of the balance, and M̂ there
        let v = rate(c(0.0));
        let left = self.m * (v - v0) + h * pull(c(0.0)) + half * h * self.damper * (v + v0) - h * load;
        [q, left, self.m + half * h * h * slope(c(0.0)) + half * h * self.damper]
    }

    /// The impact behind a landing.
    fn strike(&mut self, v: Dual) -> Dual {
        self.impacts += usize::from(v.0 < 0.0);
        if v.0 < 0.0 { -(self.e * v) } else { v }
    }

    /// Where the free step passes zero: q⁺ = 0 by p, δ = p/M̂ and κ from ½cκ² − bκ = D, D = p q/h; or a part up to τ, where q is zero.
    fn landing(&mut self, inside: bool) {
        let (h, rate) = (c(H), |q: Dual, q0: Dual, v0: Dual, h: Dual| c(2.0) * (q - q0) / h - v0);
        let (q0, v0, t) = (self.q, self.v, c(self.t));
        let [q, p, mass] = self.land_freely(t, h);
        if q.0 >= 0.0 {
            (self.q, self.v) = (q, rate(q, q0, v0, h));
            return;
        }
        if inside {
            // τ by secants in dual numbers
            let (mut a, mut b) = (c(0.5 * H), h);
            let mut values = [a, b].map(|tau| self.land_freely(t, tau)[0]);
            for _ in 0..30 {
                if (values[1] - values[0]).0 == 0.0 {
                    break;
                }
                let next = b - values[1] * (b - a) / (values[1] - values[0]);
                (a, b) = (b, next);
                values = [values[1], self.land_freely(t, next)[0]];
            }
            // the derivative of τ by one Newton step with its slope
            let tau = c(b.0);
            let slope = (self.land_freely(t, Dual(b.0, 1.0))[0].1 - self.land_freely(t, tau)[0].1).recip();
            let tau = Dual(b.0, -self.land_freely(t, tau)[0].1 * slope);
            let arrived = rate(c(0.0), q0, v0, tau);
            (self.q, self.v) = (c(0.0), self.strike(arrived));
            let rest = h - tau;
            let [q, ..] = self.land_freely(t + tau, rest);
            (self.q, self.v) = (q, rate(q, self.q, self.v, rest));
            return;
        }
        let v1 = rate(c(0.0), q0, v0, h);
        let (delta, D) = (p / mass, p * q0 / h);
        let (curve, b) = (self.m * delta * delta, self.m * delta * v1);
        let s = (b * b + c(2.0) * curve * D).sqrt();
        let kappa = if b.0 >= 0.0 { (b + s) / curve } else { c(2.0) * D / (s - b) };
        self.q = c(0.0);
        self.v = self.strike(v1 - kappa * delta);
    }

    /// m(v⁺ − v) = h(1−θ)f + hθf⁺ + P, q⁺ = q + h(1−θ)v + hθv⁺, f⁺ at the end of the step.
    fn nonlinear_moreau_jean(&mut self, theta: f64) {
        let (h, th, rest) = (c(H), c(theta), c(1.0 - theta));
        let (q0, v0) = (self.q, self.v);
        let before = self.spring(q0).0 - self.damper * v0 + self.force(self.t);
        let load = self.force(self.t + H);
        let rate = |q: Dual| (q - q0 - h * rest * v0) / (h * th);
        let free = self.solved(q0 + h * v0, |q| {
            let (spring, slope) = self.spring(q);
            let (v, dv) = (rate(q), c(1.0) / (h * th));
            let r = self.m * (v - v0) - h * rest * before - h * th * (spring - self.damper * v + load);
            (r, self.m * dv - h * th * (slope - self.damper * dv))
        });
        let after = self.law(self.active(), rate(free));
        self.q = q0 + h * (rest * v0 + th * after);
        self.v = after;
    }
}

/// The worst difference of all derivatives of q and v at the end, in parts of 1 + |derivative|, and the impacts of the run.
fn worst(scheme: &str, nonlinear: bool, step: &dyn Fn(&mut Run)) -> (f64, usize) {
    let [q, v, m, damper, k, load, e] = VALUES;
    let cubic = if nonlinear { 4.0 } else { 0.0 };
    let model = if nonlinear {
        format!(
            "kind = \"formula\"\ncoordinates = [\"x\"]\nparameters = {{ m = {m}, c = {damper}, k = {k}, F = {load} }}\nkinetic = \"0.5*m*x_dot^2\"\n\
             potential = \"0.5*k*x^2 + {}*x^4\"\nforce = [\"-c*x_dot + F*sin({OMEGA}*t)\"]\nq0 = [{q}]\nv0 = [{v}]\n[[model.contact]]\ngap = \"x\"\n",
            0.25 * cubic
        )
    } else {
        format!(
            "kind = \"linear\"\nmass = [[{m}]]\ndamping = [[{damper}]]\nstiffness = [[{k}]]\n\
             force = [{{ sines = [{{ amplitude = {load}, omega = {OMEGA}, phase = 0.0 }}] }}]\nq0 = [{q}]\nv0 = [{v}]\n\
             [[model.contact]]\nnormal = [1.0]\n"
        )
    };
    // a scheme without a law of impact
    let lawless = scheme.contains("smooth");
    let e = if lawless { 0.0 } else { e };
    let text = format!(
        "[model]\n{model}restitution = {e}\n[scheme]\n{scheme}\n{}[time]\nend = {}\nstep = {H}\n",
        // every contact takes part where the law is on positions
        if ["schatzman", "ggl", "landing", "d1", "splitting", "smooth"].iter().any(|word| scheme.contains(word)) {
            ""
        } else {
            "activation = \"predicted\"\nprediction = 0.5\n"
        },
        H * STEPS as f64
    );
    let linear = ["model.mass.0.0", "model.damping.0.0", "model.stiffness.0.0", "model.force.0.sines.0.amplitude"];
    let formula = ["model.parameters.m", "model.parameters.c", "model.parameters.k", "model.parameters.F"];
    let mut wrt = vec!["model.q0.0", "model.v0.0"];
    wrt.extend(if nonlinear { formula } else { linear });
    if !lawless {
        wrt.push("model.contact.0.restitution");
    }
    let options = SensitivityOptions {
        of: vec!["q0".into(), "v0".into()],
        wrt: wrt.iter().map(|key| key.to_string()).collect(),
        times: Vec::new(),
        base: LoadOptions::default(),
    };
    let load = |base: &LoadOptions| load_text("test", &text, base);
    let made =
        sensitivity(&load, &options, Threads(1), &|_| true).unwrap_or_else(|error| panic!("{scheme}: {error:?}"));
    let made = made.expect("nobody stopped it");
    assert_eq!(made.way, Way::Steps, "{scheme}: {:?}", made.remark);
    let (mut worst, mut impacts) = (0.0_f64, 0);
    for (p, key) in wrt.iter().enumerate() {
        let mut start = VALUES.map(c);
        start[p].1 = 1.0;
        let mut run = Run::new(start, cubic);
        for n in 0..STEPS {
            run.t = n as f64 * H;
            step(&mut run);
        }
        impacts = run.impacts;
        for (row, Dual(value, d)) in made.rows.iter().zip([run.q, run.v]) {
            assert!((row.value - value).abs() < 1e-10, "{scheme}, {key}: the same run: {} {value}", row.value);
            let error = (row.derivatives[p] - d).abs() / (1.0 + d.abs());
            assert!(error <= 1e-9, "{scheme}, {key}: {} {d}: {error:e}", row.derivatives[p]);
            worst = worst.max(error);
        }
    }
    // equations of steps know no truncation; nonlinear steps are solved to 1e-11
    assert!(worst <= 1e-10, "{scheme}: {worst:e}");
    (worst, impacts)
}

/// α_m, α_f, β, γ of second order.
fn alphas(am: f64, af: f64) -> [f64; 4] {
    [am, af, 0.25 * (1.0 + af - am).powi(2), 0.5 + af - am]
}

/// What is written of a scheme, and a step of it.
type Stepped<'a> = (&'a str, &'a dyn Fn(&mut Run));

#[test]
fn steps_of_linear_models() {
    let rho = 0.7_f64;
    let chung_hulbert = alphas((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
    let list: [Stepped; 20] = [
        ("name = \"moreau-jean\"\ntheta = 0.5", &|run| run.moreau_jean(0.5, false)),
        ("name = \"moreau-jean\"\ntheta = 0.7", &|run| run.moreau_jean(0.7, false)),
        ("name = \"moreau-jean-midpoint\"\ntheta = 0.8", &|run| run.moreau_jean(0.8, true)),
        ("name = \"newmark\"\nbeta = 0.3025\ngamma = 0.6", &|run| run.newmark([0.0, 0.0, 0.3025, 0.6], false)),
        ("name = \"hht\"\nalpha = 0.1", &|run| run.newmark(alphas(0.0, 0.1), false)),
        ("name = \"generalized-alpha\"\nrho_inf = 0.7", &|run| run.newmark(chung_hulbert, false)),
        ("name = \"kh-generalized-alpha\"\nrho_inf = 0.7", &|run| run.newmark(chung_hulbert, true)),
        ("name = \"implicit-newmark\"\nbeta = 0.5625", &|run| run.implicit_newmark(0.5625)),
        ("name = \"moreau-jean-fremond\"\ntheta = 0.5", &|run| run.moreau_jean(0.5, false)),
        ("name = \"d0-constant\"", &|run| run.d0_constant()),
        ("name = \"d1-minus-linear\"", &|run| run.d1_minus_linear()),
        ("name = \"splitting\"\nvariant = 1", &|run| run.splitting()),
        ("name = \"splitting\"\nvariant = 2", &|run| run.splitting()),
        ("name = \"smooth-generalized-alpha\"\nrho_inf = 0.7", &|run| run.smooth(chung_hulbert)),
        ("name = \"energy-momentum\"", &|run| run.energy_momentum()),
        ("name = \"generalized-alpha-ggl\"\nrho_inf = 0.7", &|run| run.ggl(chung_hulbert)),
        ("name = \"schatzman-paoli\"\ntheta = 0.0", &|run| run.schatzman_paoli(0.0)),
        ("name = \"schatzman-paoli\"\ntheta = 0.5", &|run| run.schatzman_paoli(0.5)),
        ("name = \"landing\"", &|run| run.landing(false)),
        ("name = \"landing\"\nlanding = \"inside\"", &|run| run.landing(true)),
    ];
    for (scheme, step) in list {
        let (worst, impacts) = worst(scheme, false, step);
        println!("{}: {worst:.1e}, {impacts} impacts", scheme.replace('\n', ", "));
        assert!(impacts >= 2, "{scheme}: {impacts}");
    }
}

#[test]
fn steps_of_nonlinear_models() {
    let rho = 0.7_f64;
    let chung_hulbert = alphas((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
    let list: [Stepped; 7] = [
        ("name = \"moreau-jean\"\ntheta = 0.5", &|run| run.nonlinear_moreau_jean(0.5)),
        ("name = \"moreau-jean\"\ntheta = 0.7", &|run| run.nonlinear_moreau_jean(0.7)),
        ("name = \"energy-momentum\"", &|run| run.energy_momentum()),
        ("name = \"schatzman-paoli\"\ntheta = 0.5", &|run| run.schatzman_paoli(0.5)),
        ("name = \"generalized-alpha-ggl\"\nrho_inf = 0.7", &|run| run.nonlinear_ggl(chung_hulbert)),
        ("name = \"landing\"", &|run| run.landing(false)),
        ("name = \"landing\"\nlanding = \"inside\"", &|run| run.landing(true)),
    ];
    for (scheme, step) in list {
        let (worst, impacts) = worst(scheme, true, step);
        println!("{}: {worst:.1e}, {impacts} impacts", scheme.replace('\n', ", "));
        assert!(impacts >= 2, "{scheme}: {impacts}");
    }
}

/// A disc over a floor, without moments but those of friction: h = H, ê = e where it falls, (1−θ)/θ where it rises.
struct Disc {
    at: [Dual; 3],
    v: [Dual; 3],
    m: Dual,
    I: Dual,
    r: Dual,
    g: Dual,
    e: Dual,
    mu: Dual,
    slid: usize,
    stuck: usize,
}

impl Disc {
    fn step(&mut self, theta: f64) {
        let h = c(H);
        let ahead = self.at[1] - self.r + h * self.v[1];
        let [vx, vy, w] = self.v;
        let mut next = [vx, vy - h * self.g, w];
        if ahead.0 <= 0.0 {
            let open = c((1.0 - theta) / theta);
            let most = -(next[1] + if vy.0 > 0.0 { open } else { self.e } * vy) * self.m;
            self.push(&mut next, most, open);
        }
        for k in 0..3 {
            self.at[k] = self.at[k] + h * (c(1.0 - theta) * self.v[k] + c(theta) * next[k]);
        }
        self.v = next;
    }

    /// `generalized-alpha-ggl`, of which smooth motion under a constant load is ṽ = v + h v̇, q̃ = q + hv + ½h²v̇; opening contacts are held.
    /// Friction moves the disc by half a step of what it gives, and ν lifts it onto the floor.
    fn ggl_step(&mut self) {
        let h = c(H);
        let [vx, vy, w] = self.v;
        let mut next = [vx, vy - h * self.g, w];
        self.at = [self.at[0] + h * vx, self.at[1] + h * vy - c(0.5) * h * h * self.g, self.at[2] + h * w];
        if self.at[1].0 <= self.r.0 {
            self.at[1] = self.r;
            let most = -(next[1] + if vy.0 > 0.0 { c(1.0) } else { self.e } * vy) * self.m;
            let along = self.push(&mut next, most, c(1.0));
            (self.at[0], self.at[2]) =
                (self.at[0] + c(0.5) * h * along / self.m, self.at[2] + c(0.5) * h * self.r * along / self.I);
        }
        self.v = next;
    }

    /// A push and its friction, w = u_T⁺ + α u_T of the lowest point where the disc comes down fast: Frémond's law; P_T.
    fn push(&mut self, next: &mut [Dual; 3], most: Dual, open: Dual) -> Dual {
        let [vx, vy, w] = self.v;
        if most.0 <= 0.0 {
            return c(0.0);
        }
        next[1] = next[1] + most / self.m;
        // u_T of the lowest point is v_x + r ω
        let alpha = if vy.0 < -2.0 * H * self.g.0 { open } else { c(0.0) };
        let slip = next[0] + self.r * next[2] + alpha * (vx + self.r * w);
        let sticks = -slip / (c(1.0) / self.m + self.r * self.r / self.I);
        let limit = self.mu * most;
        let p = if sticks.0.abs() <= limit.0 {
            self.stuck += 1;
            sticks
        } else {
            self.slid += 1;
            if slip.0 > 0.0 { -limit } else { limit }
        };
        next[0] = next[0] + p / self.m;
        next[2] = next[2] + self.r * p / self.I;
        p
    }
}

/// A body on a hinge at the origin: x + R ρ = 0, R⁺ = R cay(h w_θ), reactions λ and R̄ρ × λ with R̄ = (R + R⁺)/2; w⁺ by Newton's
/// iteration in dual numbers.
struct Pendulum {
    /// R as cos and sin.
    turn: [Dual; 2],
    v: [Dual; 3],
    rho: Dual,
    m: Dual,
    I: Dual,
    g: Dual,
}

impl Pendulum {
    /// R⁺, the velocities there, and what is left of the balance of moments with w⁺.
    fn at(&self, w: Dual, theta: f64) -> ([Dual; 2], [Dual; 3], Dual) {
        let (h, th, rest) = (c(H), c(theta), c(1.0 - theta));
        let half = c(0.5) * h * (rest * self.v[2] + th * w);
        let square = c(1.0) + half * half;
        let (cos, sin) = ((c(1.0) - half * half) / square, c(2.0) * half / square);
        let [a, b] = self.turn;
        let next = [a * cos - b * sin, b * cos + a * sin];
        // x = −R ρ with ρ along the first axis
        let way = [self.rho * (a - next[0]), self.rho * (b - next[1])];
        let v = [0, 1].map(|k| (way[k] / h - rest * self.v[k]) / th);
        let lambda = [self.m * (v[0] - self.v[0]), self.m * (v[1] - self.v[1]) + h * self.m * self.g];
        let mean = [c(0.5) * self.rho * (a + next[0]), c(0.5) * self.rho * (b + next[1])];
        let left = self.I * (w - self.v[2]) - (mean[0] * lambda[1] - mean[1] * lambda[0]);
        (next, [v[0], v[1], w], left)
    }

    fn step(&mut self, theta: f64) {
        let mut w = self.v[2];
        for _ in 0..12 {
            // the slope by a difference: dual iteration makes up for it
            let slope = (self.at(w + c(1e-4), theta).2 - self.at(w - c(1e-4), theta).2) / c(2e-4);
            w = w - self.at(w, theta).2 / slope;
        }
        let (turn, v, _) = self.at(w, theta);
        (self.turn, self.v) = (turn, v);
    }
}

/// Derivatives of a scene of bodies, of its last one's velocities and place.
fn of_bodies(text: &str, wrt: &[&str]) -> Vec<(f64, Vec<f64>)> {
    let options = SensitivityOptions {
        of: ["body.v_x", "body.v_y", "body.omega", "q3", "q4", "q5"].map(String::from).to_vec(),
        wrt: wrt.iter().map(|key| key.to_string()).collect(),
        times: Vec::new(),
        base: LoadOptions::default(),
    };
    let load = |base: &LoadOptions| load_text("test", text, base);
    let made = sensitivity(&load, &options, Threads(1), &|_| true).unwrap_or_else(|error| panic!("{error:?}"));
    let made = made.expect("nobody stopped it");
    assert_eq!(made.way, Way::Steps, "{:?}", made.remark);
    made.rows.into_iter().map(|row| (row.value, row.derivatives)).collect()
}

fn agree(label: &str, rows: &[(f64, Vec<f64>)], p: usize, expected: &[Dual]) -> f64 {
    let mut worst = 0.0_f64;
    for ((value, derivatives), Dual(x, d)) in rows.iter().zip(expected) {
        assert!((value - x).abs() < 1e-9 * (1.0 + x.abs()), "{label}: the same run: {value} {x}");
        let error = (derivatives[p] - d).abs() / (1.0 + d.abs());
        assert!(error <= 1e-9, "{label}: {} {d}: {error:e}", derivatives[p]);
        worst = worst.max(error);
    }
    worst
}

#[test]
fn steps_of_a_disc_that_bounces_slides_and_rolls() {
    let [y, vx, m, I, r, g, e, mu] = [0.5, 4.0, 1.3, 0.006, 0.1, 9.81, 0.6, 0.25];
    let keys = [
        "body.1.position.1",
        "body.1.velocity.0",
        "body.1.mass",
        "body.1.inertia.0",
        "body.1.shape.radius",
        "model.gravity.1",
        "model.restitution",
        "model.friction",
    ];
    for scheme in ["moreau-jean\"\ntheta = 0.5", "moreau-jean\"\ntheta = 0.7", "generalized-alpha-ggl\"\nrho_inf = 0.8"]
    {
        let theta = if scheme.contains("0.7") { 0.7 } else { 0.5 };
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -{g}]\nrestitution = {e}\nfriction = {mu}\n[[body]]\nname = \"floor\"\nfixed = true\n\
             shape = {{ kind = \"plane\" }}\n[[body]]\nname = \"body\"\nshape = {{ kind = \"sphere\", radius = {r} }}\nmass = {m}\ninertia = [{I}]\n\
             position = [0.0, {y}]\nvelocity = [{vx}, 0.0]\n[scheme]\nname = \"{scheme}\n[time]\nend = 1.0\nstep = {H}\n"
        );
        let rows = of_bodies(&text, &keys);
        let mut worst = 0.0_f64;
        for (p, key) in keys.iter().enumerate() {
            let mut x = [y, vx, m, I, r, g, e, mu].map(c);
            // the key is gravity along y
            x[p].1 = if *key == "model.gravity.1" { -1.0 } else { 1.0 };
            let [y, vx, m, I, r, g, e, mu] = x;
            let zero = c(0.0);
            let mut disc = Disc { at: [zero, y, zero], v: [vx, zero, zero], m, I, r, g, e, mu, slid: 0, stuck: 0 };
            (0..100).for_each(|_| if scheme.contains("ggl") { disc.ggl_step() } else { disc.step(theta) });
            // the θ-method turns by 2 atan(h w_θ/2), which is not carried here
            let places = &disc.at[..if scheme.contains("ggl") { 3 } else { 2 }];
            let ends = [&disc.v[..], places].concat();
            worst = worst.max(agree(&format!("{}, {key}", scheme.replace('\n', ", ")), &rows, p, &ends));
            assert!(disc.slid >= 1 && disc.stuck >= 2, "{} {}", disc.slid, disc.stuck);
        }
        println!("disc, {}: {worst:.1e}", scheme.replace('\n', ", "));
    }
}

#[test]
fn steps_of_a_body_on_a_hinge() {
    let [rho, m, I, g, w] = [0.5, 1.3, 0.06, 9.81, 2.0];
    let keys = ["body.1.mass", "body.1.inertia.0", "model.gravity.1"];
    for scheme in
        ["name = \"moreau-jean\"\ntheta = 0.5", "name = \"moreau-jean\"\ntheta = 0.8", "name = \"energy-momentum\""]
    {
        let theta = if scheme.contains("0.8") { 0.8 } else { 0.5 };
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -{g}]\n[[body]]\nname = \"wall\"\nfixed = true\n[[body]]\nname = \"body\"\nmass = {m}\n\
             inertia = [{I}]\nposition = [-{rho}, 0.0]\nvelocity = [0.0, -{}]\nangular_velocity = [{w}]\n[[joint]]\nkind = \"revolute\"\na = \"wall\"\nb = \"body\"\nanchor = [0.0, 0.0]\n\
             [scheme]\n{scheme}\n[time]\nend = 1.0\nstep = {H}\n",
            rho * w
        );
        let rows = of_bodies(&text, &keys);
        let mut worst = 0.0_f64;
        for (p, key) in keys.iter().enumerate() {
            let mut x = [m, I, g].map(c);
            x[p].1 = if *key == "model.gravity.1" { -1.0 } else { 1.0 };
            let [m, I, g] = x;
            let v = [c(0.0), c(-rho * w), c(w)];
            let mut body = Pendulum { turn: [c(1.0), c(0.0)], v, rho: c(rho), m, I, g };
            (0..100).for_each(|_| body.step(theta));
            worst = worst.max(agree(&format!("{scheme}, {key}"), &rows, p, &body.v));
        }
        println!("hinge, {}: {worst:.1e}", scheme.replace('\n', ", "));
    }
}
