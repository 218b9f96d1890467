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

const H: f64 = 0.01;
const STEPS: usize = 300;
const OMEGA: f64 = 1.7;
/// q₀, v₀, m, c, k, F, e.
const VALUES: [f64; 7] = [0.8, -0.3, 1.3, 0.15, 7.0, 0.9, 0.7];

/// The oscillator in motion.
struct Run {
    q: Dual,
    v: Dual,
    /// What the Newmark family carries.
    a: Dual,
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
        Self { q, v, a, m, damper, k, cubic, load, e, t: 0.0, impacts: 0 }
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
    let text = format!(
        "[model]\n{model}restitution = {e}\n[scheme]\n{scheme}\nactivation = \"predicted\"\nprediction = 0.5\n[time]\nend = {}\nstep = {H}\n",
        H * STEPS as f64
    );
    let linear = ["model.mass.0.0", "model.damping.0.0", "model.stiffness.0.0", "model.force.0.sines.0.amplitude"];
    let formula = ["model.parameters.m", "model.parameters.c", "model.parameters.k", "model.parameters.F"];
    let mut wrt = vec!["model.q0.0", "model.v0.0"];
    wrt.extend(if nonlinear { formula } else { linear });
    wrt.push("model.contact.0.restitution");
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
    let energy_exact = scheme.contains("energy-momentum");
    assert_eq!(made.way, if energy_exact { Way::Differences } else { Way::Steps }, "{scheme}: {:?}", made.remark);
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
    assert!(energy_exact || worst <= 1e-10, "{scheme}: {worst:e}");
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
    let list: [Stepped; 11] = [
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
        ("name = \"energy-momentum\"", &|run| run.energy_momentum()),
    ];
    for (scheme, step) in list {
        let (worst, impacts) = worst(scheme, false, step);
        println!("{}: {worst:.1e}, {impacts} impacts", scheme.replace('\n', ", "));
        assert!(impacts >= 2, "{scheme}: {impacts}");
    }
}

#[test]
fn steps_of_nonlinear_models() {
    let list: [Stepped; 3] = [
        ("name = \"moreau-jean\"\ntheta = 0.5", &|run| run.nonlinear_moreau_jean(0.5)),
        ("name = \"moreau-jean\"\ntheta = 0.7", &|run| run.nonlinear_moreau_jean(0.7)),
        ("name = \"energy-momentum\"", &|run| run.energy_momentum()),
    ];
    for (scheme, step) in list {
        let (worst, impacts) = worst(scheme, true, step);
        println!("{}: {worst:.1e}, {impacts} impacts", scheme.replace('\n', ", "));
        assert!(impacts >= 2, "{scheme}: {impacts}");
    }
}
