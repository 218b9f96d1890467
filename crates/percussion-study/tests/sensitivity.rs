//! Derivatives of runs: closed forms, random scenes against extrapolated differences, one-step schemes against dual numbers.

use percussion_scenario::{LoadOptions, load_text};
use percussion_step::problems::Dice;
use percussion_step::{EventKind, Recorder, Start, Step, Stop};
use percussion_study::Threads;
use percussion_study::sensitivity::{Sensitivity, SensitivityOptions, Side, Way, sensitivity};

fn differentiate(text: &str, of: &[&str], wrt: &[&str], times: &[f64]) -> percussion_scenario::Result<Sensitivity> {
    let list = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    let options =
        SensitivityOptions { of: list(of), wrt: list(wrt), times: times.to_vec(), base: LoadOptions::default() };
    let load = |base: &LoadOptions| load_text("test", text, base);
    sensitivity(&load, &options, Threads(1), &|_| true).map(|made| made.expect("nobody stopped it"))
}

/// A ball that falls from H on a floor: t₀ = √(2H/g), t₁ = t₀(1 + 2e).
#[test]
fn ball_agrees_with_its_closed_form() {
    let (g, height, e) = (9.81_f64, 0.7_f64, 0.6_f64);
    let text = format!(
        "[model]\nkind = \"linear\"\nmass = [[2.0]]\ngravity = [-{g}]\nq0 = [{height}]\nv0 = [0.0]\n\
         [[model.contact]]\nnormal = [1.0]\nrestitution = {e}\n[scheme]\nname = \"event-driven\"\n[time]\nend = 0.95\nstep = 0.01\n"
    );
    let wrt = ["model.q0.0", "model.contact.0.restitution", "model.gravity.0"];
    let of = ["impact 0", "impact 1", "q0", "v0", "energy", "lost"];
    let made = differentiate(&text, &of, &wrt, &[0.8, 0.9]).expect("derivatives");
    assert_eq!(made.way, Way::Exact);
    let t0 = (2.0 * height / g).sqrt();
    // between the impacts: x = e g t₀ s − ½ g s², s = t − t₀
    let (s, dt0) = (0.8 - t0, [t0 / (2.0 * height), 0.0, t0 / (2.0 * g)]);
    let expected = |name: &str| -> [f64; 3] {
        match name {
            "q0" => {
                let by_t0 = e * g * s - (e * g * t0 - g * s);
                [by_t0 * dt0[0], g * t0 * s, by_t0 * dt0[2] - (e * t0 * s - 0.5 * s * s)]
            }
            "v0" => {
                let by_t0 = e * g + g;
                [by_t0 * dt0[0], g * t0, by_t0 * dt0[2] - (e * t0 - s)]
            }
            // ½m(e g t₀)² = m g H e²
            "energy" => [2.0 * g * e * e, 4.0 * g * height * e, -2.0 * height * e * e],
            // m g H (1 − e²)
            "lost" => [2.0 * g * (1.0 - e * e), -4.0 * g * height * e, -2.0 * height * (1.0 - e * e)],
            "impact 0" => dt0,
            "impact 1" => dt0
                .map(|x| x * (1.0 + 2.0 * e))
                .iter()
                .zip([0.0, 2.0 * t0, 0.0])
                .map(|(a, b)| a + b)
                .collect::<Vec<_>>()
                .try_into()
                .expect("three"),
            other => panic!("{other}"),
        }
    };
    for row in made.rows.iter().filter(|row| row.t != 0.9) {
        let expected = expected(&made.of[row.quantity].name());
        for (d, expected) in row.derivatives.iter().zip(expected) {
            assert!(
                (d - expected).abs() <= 1e-10 * (1.0 + expected.abs()),
                "{:?}: {d} {expected}",
                made.of[row.quantity]
            );
        }
    }
}

/// The end of a run with what contacts took, and the kinds and places of its events.
#[derive(Default)]
struct End {
    x: Vec<f64>,
    lost: f64,
    impacts: Vec<f64>,
    history: Vec<(EventKind, usize)>,
    slowest: f64,
}

impl Recorder for End {
    fn start(&mut self, _: &Start) -> Result<(), Stop> {
        self.slowest = f64::INFINITY;
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        self.lost -= step.ledger.work_contact;
        self.x = step.after.q.iter().chain(&step.after.v).copied().chain([self.lost]).collect();
        for event in &step.events {
            self.history.push((event.kind, event.contact));
            if event.kind == EventKind::Impact {
                self.impacts.push(event.t);
                self.slowest = self.slowest.min(-event.u_before.unwrap_or(0.0));
            }
        }
        Ok(())
    }
}

fn end(text: &str, set: &[String]) -> Option<End> {
    let options = LoadOptions { set: set.to_vec(), ..LoadOptions::default() };
    let mut loaded = load_text("test", text, &options).ok()?;
    let mut end = End::default();
    loaded.simulation.run(loaded.scenario.count.n, &mut end);
    Some(end)
}

/// (4 D(δ/2) − D(δ))/3 of the end state and the times of impacts; none where the order of events changes within δ.
fn extrapolated(text: &str, key: &str, at: f64) -> Option<(Vec<f64>, f64)> {
    let own = end(text, &[])?;
    let step = 1e-4 * if at == 0.0 { 1.0 } else { at.abs() };
    let at_plus = |step: f64| at + step;
    let difference = |step: f64| {
        let at = |x: f64| end(text, &[format!("{key}={x:e}")]).filter(|end| end.history == own.history);
        let (a, b) = (at(at_plus(step))?, at(at_plus(-step))?);
        let numbers = |end: &End| end.x.iter().chain(&end.impacts).copied().collect::<Vec<f64>>();
        Some(numbers(&a).iter().zip(numbers(&b)).map(|(a, b)| (a - b) / (2.0 * step)).collect::<Vec<f64>>())
    };
    let (coarse, fine) = (difference(step)?, difference(0.5 * step)?);
    Some((coarse.iter().zip(fine).map(|(c, f)| (4.0 * f - c) / 3.0).collect(), own.slowest))
}

/// Two masses with springs and dampers, one driven, with a stop and a rough floor or a second stop.
fn linear_scene(dice: &mut Dice) -> (String, Vec<&'static str>) {
    let mut r = |a, b| dice.real(a, b);
    let (m0, m1, k0, k1, kc, c) = (r(0.5, 2.0), r(0.5, 2.0), r(1.0, 8.0), r(1.0, 8.0), r(0.2, 2.0), r(0.0, 0.3));
    let text = format!(
        "[model]\nkind = \"linear\"\nmass = [[{m0}, 0.0], [0.0, {m1}]]\ndamping = [[{c}, 0.0], [0.0, {c}]]\n\
         stiffness = [[{}, -{kc}], [-{kc}, {}]]\nforce = [{{ mean = 0.0, sines = [{{ amplitude = {}, omega = {}, phase = {} }}] }}, 0.0]\n\
         q0 = [{}, {}]\nv0 = [{}, {}]\n[[model.contact]]\nnormal = [-1.0, 0.0]\noffset = {}\nrestitution = {}\n\
         [[model.contact]]\nnormal = [0.0, 1.0]\noffset = {}\nrestitution = {}\n\
         [scheme]\nname = \"event-driven\"\n[time]\nend = {}\nstep = 0.1\n",
        k0 + kc,
        k1 + kc,
        r(0.5, 3.0),
        r(0.5, 4.0),
        r(0.0, 6.0),
        r(-0.3, 0.1),
        r(-0.1, 0.3),
        r(-1.0, 1.0),
        r(-1.0, 1.0),
        r(0.15, 0.4),
        r(0.3, 0.95),
        r(0.15, 0.4),
        r(0.3, 0.95),
        r(2.0, 4.0),
    );
    let keys = vec![
        "model.q0.0",
        "model.v0.1",
        "model.mass.0.0",
        "model.stiffness.1.1",
        "model.contact.0.restitution",
        "model.contact.1.offset",
        "model.force.0.sines.0.amplitude",
        "model.force.0.sines.0.omega",
    ];
    (text, keys)
}

/// A disc that is thrown with spin on a rough floor: impacts that stick and impacts that slide.
fn disc_scene(dice: &mut Dice) -> (String, Vec<&'static str>) {
    let mut r = |a, b| dice.real(a, b);
    let (m, radius) = (r(0.5, 2.0), r(0.05, 0.3));
    let text = format!(
        "[model]\nkind = \"linear\"\nmass = [[{m}, 0.0, 0.0], [0.0, {m}, 0.0], [0.0, 0.0, {}]]\nforce = [0.0, -{}, 0.0]\n\
         q0 = [0.0, {}, 0.0]\nv0 = [{}, {}, {}]\n[[model.contact]]\nnormal = [0.0, 1.0, 0.0]\ntangents = [[1.0, 0.0, {radius}]]\n\
         offset = 0.0\nrestitution = {}\nfriction = {}\n[scheme]\nname = \"event-driven\"\n[time]\nend = {}\nstep = 0.1\n",
        0.5 * m * radius * radius,
        9.81 * m,
        r(0.2, 1.0),
        r(-2.0, 2.0),
        r(-1.0, 1.0),
        r(-30.0, 30.0),
        r(0.4, 0.9),
        r(0.05, 0.8),
        r(0.8, 1.6),
    );
    let keys = vec![
        "model.q0.1",
        "model.v0.0",
        "model.v0.2",
        "model.mass.2.2",
        "model.contact.0.restitution",
        "model.contact.0.friction",
        "model.contact.0.tangents.0.2",
    ];
    (text, keys)
}

/// A driven block on a rough floor before a spring: it sticks and slides by turns.
fn stick_slip_scene(dice: &mut Dice) -> (String, Vec<&'static str>) {
    let mut r = |a, b| dice.real(a, b);
    let m = r(0.5, 2.0);
    let text = format!(
        "[model]\nkind = \"linear\"\nmass = [[{m}, 0.0], [0.0, {m}]]\nstiffness = [[{}, 0.0], [0.0, 0.0]]\n\
         force = [{{ mean = 0.0, sines = [{{ amplitude = {}, omega = {}, phase = 0.3 }}] }}, -{}]\nq0 = [0.1, 0.0]\nv0 = [{}, 0.0]\n\
         [[model.contact]]\nnormal = [0.0, 1.0]\ntangents = [[1.0, 0.0]]\nrestitution = 0.0\nfriction = {}\n\
         [scheme]\nname = \"event-driven\"\n[time]\nend = {}\nstep = 0.1\n",
        r(4.0, 20.0),
        m * r(3.0, 6.0),
        r(1.0, 3.0),
        9.81 * m,
        r(0.2, 1.5),
        r(0.15, 0.35),
        r(2.0, 5.0),
    );
    let keys = vec![
        "model.q0.0",
        "model.v0.0",
        "model.stiffness.0.0",
        "model.contact.0.friction",
        "model.force.0.sines.0.amplitude",
        "model.force.0.sines.0.omega",
    ];
    (text, keys)
}

/// An arm of two hinged bodies whose hand falls on a rough floor.
fn arm_scene(dice: &mut Dice) -> (String, Vec<&'static str>) {
    let mut r = |a, b| dice.real(a, b);
    let height = r(0.4, 0.5);
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[material]]\nname = \"rubber\"\n\
         [[pair]]\nmaterials = [\"rubber\"]\nrestitution = {}\nfriction = {}\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape = {{ kind = \"plane\" }}\nmaterial = \"rubber\"\n\
         [[body]]\nname = \"arm\"\nshape = {{ kind = \"box\", size = [0.4, 0.04] }}\ncontact = false\nmass = {}\ninertia = [{}]\n\
         position = [0.2, {height}]\n\
         [[body]]\nname = \"hand\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmaterial = \"rubber\"\nmass = {}\ninertia = [{}]\n\
         position = [0.6, {height}]\n\
         [[joint]]\nname = \"shoulder\"\nkind = \"revolute\"\na = \"floor\"\nb = \"arm\"\nanchor = [0.0, {height}]\n\
         [[joint]]\nname = \"elbow\"\nkind = \"revolute\"\na = \"arm\"\nb = \"hand\"\nanchor = [0.4, {height}]\n\
         [scheme]\nname = \"event-driven\"\n[time]\nend = {}\nstep = 0.1\n",
        r(0.3, 0.8),
        r(0.1, 0.6),
        r(0.8, 2.0),
        r(0.01, 0.03),
        r(0.5, 1.5),
        r(0.002, 0.006),
        r(0.3, 0.5),
    );
    let keys = vec!["pair.0.restitution", "pair.0.friction", "body.2.mass", "body.1.inertia.0", "model.gravity.1"];
    (text, keys)
}

/// Gradients agree with differences that know nothing of events, to 1e-6, wherever no impact is slow enough to be nearly grazing. Of ten
/// scenes four are linear models before stops, four discs on a rough floor, one sticks and slides, one is an arm with hinges.
#[test]
fn random_scenes_agree_with_extrapolated_differences() {
    let (mut compared, mut skipped, mut worst, mut frictional, mut jointed, mut sticking) = (0, 0, 0.0_f64, 0, 0, 0);
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let (text, keys) = match seed % 10 {
            8 => stick_slip_scene(&mut dice),
            9 => arm_scene(&mut dice),
            even if even % 2 == 0 => linear_scene(&mut dice),
            _ => disc_scene(&mut dice),
        };
        let n = end(&text, &[]).expect("a run").x.len() / 2;
        let names = ["q", "v"].map(|letter| (0..n).map(move |i| format!("{letter}{i}")));
        let mut of: Vec<String> = names.into_iter().flatten().collect();
        of.push("lost".into());
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let made = match differentiate(&text, &of, &keys, &[]) {
            Ok(made) => made,
            Err(error) => {
                assert_eq!(error.code.as_str(), "E208", "seed {seed}: {error:?}");
                skipped += 1;
                continue;
            }
        };
        assert_eq!(made.way, Way::Exact, "seed {seed}: {:?}", made.remark);
        for (p, (key, at)) in made.wrt.iter().enumerate() {
            let Some((expected, _)) = extrapolated(&text, key, *at).filter(|(_, slowest)| *slowest > 0.05) else {
                skipped += 1;
                continue;
            };
            let found: Vec<f64> = made
                .rows
                .iter()
                .map(|row| row.derivatives[p])
                .chain(made.impacts.iter().map(|impact| impact.derivatives[p]))
                .collect();
            assert_eq!(found.len(), expected.len(), "seed {seed}");
            let size = expected.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            // the more a motion amplifies, the fewer digits a difference has
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = (found - expected).abs() / size;
                worst = worst.max(error);
                assert!(error <= 1e-6, "seed {seed}, {key}, number {k}: {found} and {expected}");
            }
            compared += 1;
            frictional += usize::from(seed % 2 == 1 && !made.impacts.is_empty());
            jointed += usize::from(seed % 10 == 9 && !made.impacts.is_empty());
            sticking += usize::from(seed % 10 == 8);
        }
    }
    println!(
        "{compared} gradients compared ({frictional} through impacts with friction, {jointed} of arms with hinges, {sticking} that stick and \
         slide), {skipped} skipped, worst {worst:.1e}"
    );
    assert!(compared >= 1000 && frictional >= 400, "{compared} {frictional} {skipped}");
    assert!(jointed >= 40 && sticking >= 40, "{jointed} {sticking}");
}

/// A number with its derivative.
#[derive(Clone, Copy)]
struct Dual(f64, f64);

impl std::ops::Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }
}

impl std::ops::Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0, self.0 * o.1 + self.1 * o.0)
    }
}

impl std::ops::Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self(self.0 / o.0, (self.1 * o.0 - self.0 * o.1) / (o.0 * o.0))
    }
}

/// Moreau–Jean, θ = ½, of a mass on a spring before a wall, written out with dual numbers:
///   (m + h²k/4) v⁺ = (m − h²k/4) v − h k q + P,   v⁺ ≥ −e v where q + h v/2 ≤ 0, q⁺ = q + h(v + v⁺)/2.
fn dual_oscillator(start: [Dual; 5], h: f64, n: usize) -> [Dual; 2] {
    let [mut q, mut v, m, k, e] = start;
    let c = |x: f64| Dual(x, 0.0);
    for _ in 0..n {
        let a = c(0.25 * h * h) * k;
        let free = ((m + c(-1.0) * a) * v + c(-h) * k * q) / (m + a);
        let active = q.0 + 0.5 * h * v.0 <= 0.0;
        let rebound = c(-1.0) * e * v;
        let after = if active && free.0 < rebound.0 { rebound } else { free };
        q = q + c(0.5 * h) * (v + after);
        v = after;
    }
    [q, v]
}

/// A one-step scheme is differentiated as it is, to 1e-9 of dual numbers through every step.
#[test]
fn one_step_schemes_agree_with_dual_numbers() {
    let values = [0.8, -0.3, 1.3, 7.0, 0.7];
    let [q, v, m, k, e] = values;
    let text = format!(
        "[model]\nkind = \"linear\"\nmass = [[{m}]]\nstiffness = [[{k}]]\nq0 = [{q}]\nv0 = [{v}]\n\
         [[model.contact]]\nnormal = [1.0]\nrestitution = {e}\n[scheme]\nname = \"moreau-jean\"\ntheta = 0.5\nactivation = \"predicted\"\nprediction = 0.5\n\
         [time]\nend = 3.0\nstep = 0.01\n"
    );
    let wrt = ["model.q0.0", "model.v0.0", "model.mass.0.0", "model.stiffness.0.0", "model.contact.0.restitution"];
    let made = differentiate(&text, &["q0", "v0"], &wrt, &[]).expect("derivatives");
    assert_eq!(made.way, Way::Steps);
    for (p, key) in wrt.iter().enumerate() {
        let mut start = values.map(|x| Dual(x, 0.0));
        start[p].1 = 1.0;
        let expected = dual_oscillator(start, 0.01, 300);
        for (row, Dual(value, d)) in made.rows.iter().zip(expected) {
            assert!((row.value - value).abs() < 1e-12, "{key}: the same run: {} {value}", row.value);
            assert!((row.derivatives[p] - d).abs() <= 1e-9 * (1.0 + d.abs()), "{key}: {} {d}", row.derivatives[p]);
        }
    }
}

/// Moreau–Jean of a disc on a rough floor, written out with dual numbers. With the row of the tangent (1, 0, r) both Delassus numbers stand
/// alone: u_N⁺ = −e u_N⁻ or more, and u_T⁺ = 0 or P_T = ∓μ P_N.
fn dual_disc(start: [Dual; 9], h: f64, n: usize) -> [Dual; 4] {
    let [mut y, mut vx, mut vy, mut w, m, i, r, e, mu] = start;
    let c = |x: f64| Dual(x, 0.0);
    let mut x = c(0.0);
    for _ in 0..n {
        let free = vy + c(-9.81 * h);
        let (mut vx1, mut vy1, mut w1) = (vx, free, w);
        let rebound = c(-1.0) * e * vy;
        // activation: predicted by half a step
        if y.0 + 0.5 * h * vy.0 <= 0.0 && free.0 < rebound.0 {
            let p = m * (rebound + c(-1.0) * free);
            let response = c(1.0) / m + r * r / i;
            let slip = vx + r * w;
            let stop = c(-1.0) * slip / response;
            let most = mu * p;
            let t = if stop.0.abs() <= most.0 { stop } else { c(-slip.0.signum()) * most };
            (vx1, vy1, w1) = (vx + t / m, rebound, w + r * t / i);
        }
        x = x + c(0.5 * h) * (vx + vx1);
        y = y + c(0.5 * h) * (vy + vy1);
        (vx, vy, w) = (vx1, vy1, w1);
    }
    [x, y, vx, w]
}

/// The same with friction: impacts that slide and impacts that stick, 1e-9 of dual numbers through every step.
#[test]
fn frictional_steps_agree_with_dual_numbers() {
    // y, v_x, v_y, spin, mass, inertia, radius, e, μ: the first slides, the second sticks
    for (values, sticks) in [
        ([0.5, 1.0, 0.0, -20.0, 1.3, 0.01, 0.12, 0.7, 0.1], false),
        ([0.5, 0.3, 0.0, 1.0, 1.3, 0.01, 0.12, 0.7, 0.8], true),
    ] {
        let [y, vx, vy, w, m, i, r, e, mu] = values;
        let text = format!(
            "[model]\nkind = \"linear\"\nmass = [[{m}, 0.0, 0.0], [0.0, {m}, 0.0], [0.0, 0.0, {i}]]\ngravity = [0.0, -9.81, 0.0]\n\
             q0 = [0.0, {y}, 0.0]\nv0 = [{vx}, {vy}, {w}]\n[[model.contact]]\nnormal = [0.0, 1.0, 0.0]\ntangents = [[1.0, 0.0, {r}]]\n\
             restitution = {e}\nfriction = {mu}\n[scheme]\nname = \"moreau-jean\"\ntheta = 0.5\nactivation = \"predicted\"\nprediction = 0.5\n\
             friction_law = \"newton\"\n[time]\nend = 1.0\nstep = 0.01\n"
        );
        let wrt = [
            ("model.q0.1", 0),
            ("model.v0.0", 1),
            ("model.v0.2", 3),
            ("model.mass.2.2", 5),
            ("model.contact.0.tangents.0.2", 6),
            ("model.contact.0.restitution", 7),
            ("model.contact.0.friction", 8),
        ];
        let keys: Vec<&str> = wrt.iter().map(|(key, _)| *key).collect();
        let made = differentiate(&text, &["q0", "q1", "v0", "v2"], &keys, &[]).expect("derivatives");
        assert_eq!(made.way, Way::Steps, "{:?}", made.remark);
        for (p, (key, place)) in wrt.iter().enumerate() {
            let mut start = values.map(|x| Dual(x, 0.0));
            start[*place].1 = 1.0;
            let expected = dual_disc(start, 0.01, 100);
            for (row, Dual(value, d)) in made.rows.iter().zip(expected) {
                assert!((row.value - value).abs() < 1e-9, "{key}, sticks {sticks}: {} {value}", row.value);
                let error = (row.derivatives[p] - d).abs() / (1.0 + d.abs());
                assert!(error <= 1e-9, "{key}, sticks {sticks}: {} {d}", row.derivatives[p]);
            }
        }
    }
}

/// Where the order of contacts changes, and where impacts lie on a grid, there is a refusal that says so.
#[test]
fn what_has_no_derivative_is_refused() {
    let text = |scheme: &str, v: f64| {
        format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nq0 = [1.0, 1.0]\nv0 = [-1.0, {v}]\n\
             [[model.contact]]\nnormal = [1.0, 0.0]\nrestitution = 0.5\n[[model.contact]]\nnormal = [0.0, 1.0]\nrestitution = 0.5\n\
             [scheme]\nname = \"{scheme}\"\n[time]\nend = 2.0\nstep = 0.01\n"
        )
    };
    let code = |text: &str, of: &str, key: &str| {
        differentiate(text, &[of], &[key], &[]).err().map(|error| error.code.as_str().to_string())
    };
    // both contacts close at t = 1
    assert_eq!(code(&text("event-driven", -1.0), "q0", "model.v0.0").as_deref(), Some("E208"));
    assert_eq!(code(&text("event-driven", -0.9), "q0", "model.v0.0"), None);
    assert_eq!(code(&text("moreau-jean", -0.9), "impact 0", "model.v0.0").as_deref(), Some("E171"));
    assert_eq!(code(&text("event-driven", -0.9), "q7", "model.v0.0").as_deref(), Some("E171"));
    assert_eq!(code(&text("event-driven", -0.9), "q0", "model.nothing").as_deref(), Some("E171"));
    assert_eq!(code(&text("event-driven", -0.9), "impact 5", "model.v0.0").as_deref(), Some("E171"));
}

/// A disc that is thrown along a rough floor, bounces ever less until it rests, slides on and rolls in the end. While it slides the impulse of
/// the floor is m(gt + v_y), so that with I = ½mr² it has rolled, at T, to x = v²/(18μg) + μH + ⅔vT, however it bounced.
#[test]
fn through_impacts_that_accumulate() {
    let (v, mu, height, end) = (6.0, 0.2, 0.4, 2.0);
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\nrestitution = 0.5\nfriction = {mu}\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape = {{ kind = \"plane\" }}\n\
         [[body]]\nname = \"disc\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 1.0\ninertia = [0.005]\nposition = [0.0, {}]\nvelocity = [{v}, 0.0]\n\
         [scheme]\nname = \"event-driven\"\n[time]\nend = {end}\nstep = 0.01\n",
        0.1 + height
    );
    let keys = ["model.restitution", "model.friction", "body.1.position.1", "body.1.velocity.0"];
    let made = differentiate(&text, &["disc.x", "disc.v_x", "disc.v_y"], &keys, &[]).expect("derivatives");
    assert_eq!(made.way, Way::Exact, "{:?}", made.remark);
    assert!(made.impacts.len() > 20, "{}", made.impacts.len());
    let g = 9.81;
    let x = v * v / (18.0 * mu * g) + mu * height + 2.0 / 3.0 * v * end;
    assert!((made.rows[0].value - x).abs() < 1e-8, "{} {x}", made.rows[0].value);
    let expected = [
        [0.0, -v * v / (18.0 * mu * mu * g) + height, mu, v / (9.0 * mu * g) + 2.0 / 3.0 * end],
        [0.0, 0.0, 0.0, 2.0 / 3.0],
        [0.0; 4],
    ];
    for (row, expected) in made.rows.iter().zip(expected) {
        for ((key, d), expected) in keys.iter().zip(&row.derivatives).zip(expected) {
            assert!((d - expected).abs() < 1e-6, "{}, {key}: {d} {expected}", made.of[row.quantity].name());
        }
    }
}

/// An oscillator whose amplitude is its clearance touches its stop without a velocity, and one that is released from it does not.
#[test]
fn a_gap_of_round_off_is_grazing() {
    let text = |q0: f64| {
        format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0]]\nstiffness = [[1.0]]\nq0 = [{q0}]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\n\
             offset = 1.0\nrestitution = 0.5\n[scheme]\nname = \"event-driven\"\n[time]\nend = 6.0\nstep = 0.01\n"
        )
    };
    let derivative = |q0: f64| differentiate(&text(q0), &["q0"], &["model.q0.0"], &[]);
    let error = derivative(1.0).expect_err("it grazes");
    assert!(error.code.as_str() == "E208" && error.message.contains("graze"), "{error:?}");
    // beside it: cos 6 below, with an impact above
    let below = derivative(0.999).expect("derivatives");
    assert!((below.rows[0].derivatives[0] - 6.0_f64.cos()).abs() < 1e-9, "{:?}", below.rows);
    let above = derivative(1.001).expect("derivatives");
    assert!((above.rows[0].derivatives[0] - 6.0_f64.cos()).abs() > 1.0, "{:?}", above.rows);
}

/// A ball of restitution e that falls from 0.7 m; a block at 3 m/s on a floor of friction μ before a wall of restitution 0.7.
fn ball_of(e: f64, scheme: &str) -> String {
    format!(
        "[model]\nkind = \"linear\"\nmass = [[2.0]]\ngravity = [-9.81]\nq0 = [0.7]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\n\
         restitution = {e}\n[scheme]\nname = \"{scheme}\"\n[time]\nend = 0.6\nstep = 0.01\n"
    )
}

fn block_of(mu: f64, scheme: &str) -> String {
    format!(
        "[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 1.0]]\nforce = [0.0, -9.81]\nq0 = [0.0, 0.0]\nv0 = [3.0, 0.0]\n\
         [[model.contact]]\nnormal = [0.0, 1.0]\ntangents = [[1.0, 0.0]]\nfriction = {mu}\nrestitution = 0.0\n\
         [[model.contact]]\nnormal = [-1.0, 0.0]\noffset = 0.5\nrestitution = 0.7\n\
         [scheme]\nname = \"{scheme}\"\n[time]\nend = 0.3\nstep = 0.01\n"
    )
}

/// At e = 1 from below: x = e g t₀ s − ½ g s² gives g t₀ s; at e = 0 the ball comes to rest after impacts that accumulate, whatever e is.
/// At μ = 0 from above, t₁ = d/v, ẋ = v before and −0.7 v behind the wall: t₁' = g d²/(2v³), x' = −0.7 (s u' − v t₁') + ½ g s² with
/// u' = −g d/v, s = T − t₁.
#[test]
fn ends_of_ranges_have_one_sided_derivatives() {
    let e = "model.contact.0.restitution";
    let of = ["q0", "v0", "energy", "impact 0"];
    let close = |label: &str, list: &[f64], expected: &[f64]| {
        for (d, expected) in list.iter().zip(expected) {
            assert!((d - expected).abs() <= 1e-10 * (1.0 + expected.abs()), "{label}: {d} {expected}");
        }
    };
    let by = |made: &Sensitivity, p: usize| made.rows.iter().map(|row| row.derivatives[p]).collect::<Vec<f64>>();
    let (g, t0) = (9.81, (1.4_f64 / 9.81).sqrt());

    let made = differentiate(&ball_of(1.0, "event-driven"), &of, &[e, "model.q0.0"], &[]).expect("derivatives");
    assert_eq!((made.sides.clone(), made.way), (vec![Some(Side::Below), None], Way::Exact));
    close("e = 1", &by(&made, 0), &[g * t0 * (0.6 - t0), g * t0, 4.0 * g * 0.7, 0.0]);
    assert!(made.csv().lines().any(|line| line.contains(",exact,below,")) && made.csv().contains(",exact,both,"));
    let alone = differentiate(&ball_of(1.0, "event-driven"), &of, &["model.q0.0"], &[]).expect("derivatives");
    assert_eq!(by(&made, 1), by(&alone, 0));

    let made = differentiate(&ball_of(0.0, "event-driven"), &of, &[e], &[]).expect("derivatives");
    assert_eq!(made.sides, [Some(Side::Above)]);
    close("e = 0", &by(&made, 0), &[0.0; 4]);

    let made =
        differentiate(&block_of(0.0, "event-driven"), &["q0", "v0", "impact 0"], &["model.contact.0.friction"], &[]);
    let (v, d, made) = (3.0, 0.5, made.expect("derivatives"));
    let (dt, du) = (g * d * d / (2.0 * v * v * v), -g * d / v);
    let s = 0.3 - d / v;
    close("mu = 0", &by(&made, 0), &[-0.7 * (s * du - v * dt) + 0.5 * g * s * s, -0.7 * du + g * s, dt]);

    // a start that touches may be lifted and not lowered; what is lifted comes to rest again
    let resting = ball_of(0.5, "event-driven").replace("q0 = [0.7]", "q0 = [0.0]");
    let made = differentiate(&resting, &["q0"], &["model.q0.0"], &[]).expect("derivatives");
    assert_eq!((made.sides.clone(), by(&made, 0)), (vec![Some(Side::Above)], vec![0.0]));
}

/// One-step schemes at the ends of ranges against one-sided differences of order 4 of their own runs.
#[test]
fn ends_of_ranges_of_one_step_schemes() {
    for scheme in ["moreau-jean", "generalized-alpha-ggl", "landing"] {
        for (text, key, at, sign) in [
            (ball_of(1.0, scheme), "model.contact.0.restitution", 1.0, -1.0),
            (block_of(0.0, scheme), "model.contact.0.friction", 0.0, 1.0),
        ] {
            let made = differentiate(&text, &["q0", "v0"], &[key], &[]).expect("derivatives");
            let h = sign * 1e-3;
            let x = |k: f64| end(&text, &[format!("{key}={}", at + k * h)]).expect("a run").x;
            let runs: Vec<Vec<f64>> = (0..5).map(|k| x(f64::from(k))).collect();
            let n = if runs[0].len() > 3 { 2 } else { 1 };
            for (row, place) in made.rows.iter().zip([0, n]) {
                let weights = [-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25];
                let d: f64 = weights.iter().zip(&runs).map(|(w, run)| w * run[place] / h).sum();
                let own = row.derivatives[0];
                assert!((own - d).abs() <= 1e-7 * (1.0 + d.abs()), "{scheme}, {key}, {place}: {own} {d}");
            }
        }
    }
}

/// What scenarios call an angle of a body in the plane may be differentiated, and differentiated by; so may an entry of a list that is left out.
#[test]
fn angles_and_unwritten_lists_of_bodies() {
    let text = "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n\
        [[body]]\nname = \"rod\"\nshape = { kind = \"sphere\", radius = 0.1 }\nmass = 1.0\ninertia = [0.02]\nposition = [0.0, 1.0]\n\
        [scheme]\nname = \"event-driven\"\n[time]\nend = 0.2\nstep = 0.01\n";
    let wrt = ["body.0.angle", "body.0.angular_velocity.0", "body.0.velocity.1"];
    let made = differentiate(text, &["body.0.angle", "rod.angle", "body.0.y"], &wrt, &[]).expect("derivatives");
    assert_eq!(made.names, ["body.0.angle", "rod.angle", "body.0.y"]);
    for (row, expected) in made.rows.iter().zip([[1.0, 0.2, 0.0], [1.0, 0.2, 0.0], [0.0, 0.0, 0.2]]) {
        for (d, expected) in row.derivatives.iter().zip(expected) {
            assert!((d - expected).abs() < 1e-10, "{:?} {expected}", row.derivatives);
        }
    }
}

/// A disc whose impacts slip there and back, each undoing the slip of the one before, and end in rolling: with r_g² = I/m it rolls at
/// (v − (r_g²/r)ω)/(1 + r_g²/r²), whatever μ, e and the height were, as the angular momentum about the floor is kept.
#[test]
fn through_slips_that_alternate_to_rolling() {
    let (v, spin) = (2.0, 3.0);
    let text = format!(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\nrestitution = 0.5\nfriction = 0.3\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape = {{ kind = \"plane\" }}\n\
         [[body]]\nname = \"disc\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 1.0\ninertia = [0.005]\nposition = [0.0, 0.5]\nvelocity = [{v}, 0.0]\nangular_velocity = [{spin}]\n\
         [scheme]\nname = \"event-driven\"\n[time]\nend = 1.0\nstep = 0.01\n"
    );
    let keys =
        ["model.friction", "model.restitution", "body.1.position.1", "body.1.velocity.0", "body.1.angular_velocity.0"];
    let made = differentiate(&text, &["disc.v_x", "disc.x"], &keys, &[0.9, 1.0]).expect("derivatives");
    assert_eq!(made.way, Way::Exact, "{:?}", made.remark);
    let rolls = (v - 0.05 * spin) / 1.5;
    let mut x_rates: Vec<&[f64]> = Vec::new();
    for row in &made.rows {
        if row.quantity == 1 {
            x_rates.push(&row.derivatives);
            continue;
        }
        assert!((row.value - rolls).abs() < 1e-8, "{} {rolls}", row.value);
        for ((key, d), expected) in keys.iter().zip(&row.derivatives).zip([0.0, 0.0, 0.0, 2.0 / 3.0, -0.1 / 3.0]) {
            assert!((d - expected).abs() < 1e-6, "{key}: {d} {expected}");
        }
    }
    // what is behind the last impact goes with that velocity
    for (k, (early, late)) in x_rates[0].iter().zip(x_rates[1]).enumerate() {
        let expected = 0.1 * [0.0, 0.0, 0.0, 2.0 / 3.0, -0.1 / 3.0][k];
        assert!((late - early - expected).abs() < 1e-6, "{}: {early} {late}", keys[k]);
    }
}

/// At the very time of an impact that moves with the parameter the velocity jumps and has no derivative; the time of the impact has one.
#[test]
fn a_state_at_an_impact_is_refused() {
    let text = ball_of(0.6, "event-driven");
    let made = differentiate(&text, &["impact 0"], &["model.q0.0"], &[]).expect("a time");
    let t = made.rows[0].value;
    let error = differentiate(&text, &["v0"], &["model.q0.0"], &[t]).expect_err("it jumps");
    assert!(error.code.as_str() == "E208" && error.message.contains("jumps"), "{error:?}");
    assert!(differentiate(&text, &["v0"], &["model.q0.0"], &[t * 0.999, t * 1.001]).is_ok());
    // the mass does not move the impact
    assert!(differentiate(&text, &["v0"], &["model.mass.0.0"], &[t]).is_ok());
}

/// A ball that rests under a scheme with equal steps is differentiated by the equations of its steps: its velocity is round-off there, and so is
/// what its law leaves.
#[test]
fn a_ball_at_rest_obeys_its_law() {
    for scheme in ["moreau-jean", "newmark", "generalized-alpha"] {
        let text = format!(
            "[model]\nkind = \"linear\"\nmass = [[1.0]]\nforce = [-10.0]\nq0 = [1.001]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\n\
             offset = -0.2\nrestitution = 0.8\n[scheme]\nname = \"{scheme}\"\n[time]\nend = 5.0\nstep = 2e-3\n"
        );
        let made = differentiate(&text, &["q0", "v0"], &["model.q0.0"], &[]).expect("derivatives");
        assert_eq!(made.way, Way::Steps, "{scheme}: {:?}", made.remark);
        // impacts stay in their steps: what is higher at the start is so at the end
        assert!((made.rows[0].derivatives[0] - 1.0).abs() < 1e-10, "{scheme}: {:?}", made.rows);
    }
}
