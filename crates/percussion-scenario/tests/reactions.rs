//! Reactions of joints against Newton and Euler, by every scheme that moves jointed bodies.

use percussion_scenario::{LoadOptions, load_text, run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

mod tables;
use tables::{number, rows};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("reactions").join(name)
}

/// x of A x = b by elimination with pivots.
fn solve(mut A: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| A[i][k].abs().total_cmp(&A[j][k].abs())).expect("a row");
        A.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = A[i][k] / A[k][k];
            for j in k..n {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| A[k][j] * b[j]).sum::<f64>()) / A[k][k];
    }
    b
}

const G: f64 = 9.81;

/// A bar of a linkage: pin to pin, its mass and inertia about the middle.
#[derive(Clone, Copy)]
struct Bar {
    length: f64,
    mass: f64,
    inertia: f64,
}

/// Angles, rates and accelerations of coupler and rocker of a four-bar whose crank turns at ω: b e^{iφ} − c e^{iψ} = d − a e^{iθ}.
fn four_bar(bars: &[Bar; 3], base: f64, theta: f64, omega: f64) -> [[f64; 3]; 3] {
    let [a, b, c] = bars.map(|bar| bar.length);
    let (mut phi, mut psi) = (0.0_f64, std::f64::consts::FRAC_PI_2);
    for _ in 0..50 {
        let x = a * theta.cos() + b * phi.cos() - base - c * psi.cos();
        let y = a * theta.sin() + b * phi.sin() - c * psi.sin();
        let d = solve(vec![vec![-b * phi.sin(), c * psi.sin()], vec![b * phi.cos(), -c * psi.cos()]], vec![-x, -y]);
        (phi, psi) = (phi + d[0], psi + d[1]);
    }
    let J = vec![vec![-b * phi.sin(), c * psi.sin()], vec![b * phi.cos(), -c * psi.cos()]];
    let rates = solve(J.clone(), vec![a * omega * theta.sin(), -a * omega * theta.cos()]);
    let (p, s) = (rates[0], rates[1]);
    let turned = [
        a * omega * omega * theta.cos() + b * p * p * phi.cos() - c * s * s * psi.cos(),
        a * omega * omega * theta.sin() + b * p * p * phi.sin() - c * s * s * psi.sin(),
    ];
    let accelerations = solve(J, turned.to_vec());
    [[theta, omega, 0.0], [phi, p, accelerations[0]], [psi, s, accelerations[1]]]
}

/// Accelerations of a bar: of its middle, and its spin.
type Acceleration = [f64; 3];

/// Exact accelerations of the bars.
fn accelerations(bars: &[Bar; 3], motion: &[[f64; 3]; 3]) -> [Acceleration; 3] {
    // of a point so far along a bar, from its first pin
    let from = |start: [f64; 2], k: usize, part: f64| {
        let ([angle, rate, spin], r) = (motion[k], part * bars[k].length);
        let (s, c) = angle.sin_cos();
        [start[0] - r * (spin * s + rate * rate * c), start[1] + r * (spin * c - rate * rate * s)]
    };
    let pin = from([0.0; 2], 0, 1.0);
    let middles = [from([0.0; 2], 0, 0.5), from(pin, 1, 0.5), from([0.0; 2], 2, 0.5)];
    std::array::from_fn(|k| [middles[k][0], middles[k][1], motion[k][2]])
}

/// Reactions on body b of A (crank), B (coupler), C (rocker), D (rocker) and the driving moment by Newton and Euler; `half` leads from the
/// middle of each bar to its second pin.
fn newton_euler(bars: &[Bar; 3], accelerations: &[Acceleration; 3], half: &[[f64; 2]; 3]) -> Vec<f64> {
    let mut M = vec![vec![0.0; 9]; 9];
    let mut f = vec![0.0; 9];
    for (k, (first, second)) in
        [((0, 1.0), (1, -1.0)), ((1, 1.0), (2, -1.0)), ((3, 1.0), (2, 1.0))].into_iter().enumerate()
    {
        for (pin, sign, arm) in [(first.0, first.1, -1.0), (second.0, second.1, 1.0)] {
            M[3 * k][2 * pin] += sign;
            M[3 * k + 1][2 * pin + 1] += sign;
            // arm × force
            M[3 * k + 2][2 * pin] -= sign * arm * half[k][1];
            M[3 * k + 2][2 * pin + 1] += sign * arm * half[k][0];
        }
        let [x, y, spin] = accelerations[k];
        f[3 * k] = bars[k].mass * x;
        f[3 * k + 1] = bars[k].mass * (y + G);
        f[3 * k + 2] = bars[k].inertia * spin;
    }
    M[2][8] = 1.0;
    solve(M, f)
}

/// A four-bar at the angle and speed of its crank, with a motor at pin A.
fn four_bar_scene(bars: &[Bar; 3], base: f64, [start, omega]: [f64; 2], motor: &str) -> String {
    let motion = four_bar(bars, base, start, omega);
    let mut text = String::from(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[body]]\nname = \"ground\"\nfixed = true\n",
    );
    let pin = [bars[0].length * start.cos(), bars[0].length * start.sin()];
    let (pin_rate, end) = (
        [-omega * pin[1], omega * pin[0]],
        [base + bars[2].length * motion[2][0].cos(), bars[2].length * motion[2][0].sin()],
    );
    let bodies = [("crank", [0.0; 2], [0.0; 2]), ("coupler", pin, pin_rate), ("rocker", [base, 0.0], [0.0; 2])];
    for (k, (name, from, rate)) in bodies.into_iter().enumerate() {
        let (bar, [angle, w, _]) = (bars[k], motion[k]);
        let half = [0.5 * bar.length * angle.cos(), 0.5 * bar.length * angle.sin()];
        text += &format!(
            "[[body]]\nname = \"{name}\"\ncontact = false\nshape = {{ kind = \"box\", size = [{:?}, 0.01] }}\nmass = {:?}\n\
             inertia = [{:?}]\nposition = [{:?}, {:?}]\nangle = {angle:?}\nvelocity = [{:?}, {:?}]\nangular_velocity = [{w:?}]\n",
            bar.length,
            bar.mass,
            bar.inertia,
            from[0] + half[0],
            from[1] + half[1],
            rate[0] - w * half[1],
            rate[1] + w * half[0]
        );
    }
    let joints = [
        ("A", "ground", "crank", [0.0; 2]),
        ("B", "crank", "coupler", pin),
        ("C", "coupler", "rocker", end),
        ("D", "ground", "rocker", [base, 0.0]),
    ];
    for (name, a, b, [x, y]) in joints {
        text += &format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\na = \"{a}\"\nb = \"{b}\"\nanchor = [{x:?}, {y:?}]\n"
        );
        if name == "A" {
            text += &format!("motor = {{ {motor} }}\n");
        }
    }
    text
}

/// A four-bar driven at constant speed: every reaction and the driving moment are those that the change of momentum of the bars asks for,
/// to 1e-8 of the largest. A start with D v = 0 is O(h²) away from the smooth motion of the midpoint rule, which has v = q̇ − h²/12 q⃛; the difference
/// changes its sign with every step, so that reactions differ from those of the exact motion by O(h), and means of two steps, the first left out, by O(h²).
#[test]
fn four_bar_reactions() {
    let bars = [
        Bar { length: 0.5, mass: 1.0, inertia: 0.03 },
        Bar { length: 1.5, mass: 2.0, inertia: 0.4 },
        Bar { length: 1.0, mass: 1.5, inertia: 0.13 },
    ];
    let (base, omega, h, start) = (1.6, 2.0, 1e-4, 0.7_f64);
    let mut text = four_bar_scene(&bars, base, [start, omega], &format!("velocity = {omega:?}"));
    text += &format!("[scheme]\nname = \"energy-momentum\"\n[time]\nstep = {h:?}\nend = 0.05\n");
    let folder = folder("four-bar");
    run(load_text("four-bar", &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("runs");
    let states = rows(&folder, "trajectory.csv");
    let (mut worst, mut off, mut largest) = (0.0_f64, [0.0_f64; 2], 0.0_f64);
    let mut last: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for row in &rows(&folder, "reactions.csv") {
        let step = number(row, "step") as usize;
        let [before, after] = [&states[step - 1], &states[step]];
        let of = |letter: &str, k: usize| [before, after].map(|state| number(state, &format!("{letter}{k}")));
        let change: [Acceleration; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|c| {
                let [v0, v1] = of("v", 3 * (k + 1) + c);
                (v1 - v0) / h
            })
        });
        // the chord of a pin over the step turns its arm by sinc of half the angle
        let half: [[f64; 2]; 3] = std::array::from_fn(|k| {
            let [a, b] = of("q", 3 * (k + 1) + 2);
            let (mean, turn): (f64, f64) = (0.5 * (a + b), 0.5 * (b - a));
            let arm = 0.5 * bars[k].length * if turn == 0.0 { 1.0 } else { turn.sin() / turn };
            [arm * mean.cos(), arm * mean.sin()]
        });
        let found = newton_euler(&bars, &change, &half);
        // the exact motion at the start, in the middle and at the end of two steps
        let at = |t: f64| {
            let motion = four_bar(&bars, base, start + omega * t, omega);
            let half = std::array::from_fn(|k| {
                let r = 0.5 * bars[k].length;
                [r * motion[k][0].cos(), r * motion[k][0].sin()]
            });
            newton_euler(&bars, &accelerations(&bars, &motion), &half)
        };
        let t = number(row, "t");
        let [before, halfway, now] = [t - 2.0 * h, t - h, t].map(at);
        let exact = at(t - 0.5 * h);
        let mean: Vec<f64> = (0..9).map(|i| (before[i] + 4.0 * halfway[i] + now[i]) / 6.0).collect();
        let k = ["A", "B", "C", "D"].iter().position(|name| *name == row["joint"]).expect("a joint");
        let told = [number(row, "fx"), number(row, "fy"), number(row, "mz")];
        let of = |x: &[f64]| [x[2 * k], x[2 * k + 1], if k == 0 { x[8] } else { 0.0 }];
        for c in 0..3 {
            largest = largest.max(told[c].abs());
            worst = worst.max((told[c] - of(&found)[c]).abs());
            off[0] = off[0].max((told[c] - of(&exact)[c]).abs());
            if let Some(last) = last.get(&row["joint"]).filter(|_| step > 2) {
                off[1] = off[1].max((0.5 * (last[c] + told[c]) - of(&mean)[c]).abs());
            }
        }
        last.insert(row["joint"].clone(), told);
        // the same vector in the frame of body b
        let own = number(row, "bfx").hypot(number(row, "bfy"));
        assert!((own - told[0].hypot(told[1])).abs() <= 1e-12 * largest);
    }
    assert!(largest > 10.0 && worst <= 1e-8 * largest, "{worst:e} of {largest}");
    assert!(off[0] <= 2e-5 * largest && off[1] <= 1e-8 * largest, "{off:?} of {largest}");
    // the crank's angle and speed
    let angles = rows(&folder, "joints.csv");
    for row in angles.iter().filter(|row| row["joint"] == "A") {
        assert_eq!(row["coordinate"], "angle");
        // cay(hw) turns by hw (1 − (hw)²/12)
        let cayley = (1e-4 * omega).powi(2) / 6.0;
        assert!(
            (number(row, "value") - omega * number(row, "t")).abs() < cayley * (1.0 + omega * number(row, "t")),
            "{row:?}"
        );
        assert!((number(row, "rate") - omega).abs() < 2.0 * cayley * omega, "{row:?}");
    }
    assert_eq!(angles.iter().filter(|row| row["joint"] == "D").count(), 501);
}

/// A slider-crank at the angle and speed of its crank, with a motor at pin A.
fn slider_crank_scene(bars: &[Bar; 2], slider: f64, [theta, omega]: [f64; 2], motor: &str) -> String {
    let [a, l] = bars.map(|bar| bar.length);
    let phi = (-a * theta.sin() / l).asin();
    let turn = -a * omega * theta.cos() / (l * phi.cos());
    let pin = [a * theta.cos(), a * theta.sin()];
    let (x, speed) = (pin[0] + l * phi.cos(), -omega * pin[1] - l * turn * phi.sin());
    let mut text = String::from(
        "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[body]]\nname = \"ground\"\nfixed = true\n",
    );
    let middle = |k: usize, angle: f64| [0.5 * bars[k].length * angle.cos(), 0.5 * bars[k].length * angle.sin()];
    let ([c, r], pin_rate) = ([middle(0, theta), middle(1, phi)], [-omega * pin[1], omega * pin[0]]);
    let bodies = [
        ("crank", bars[0].mass, bars[0].inertia, c, theta, [-omega * c[1], omega * c[0]], omega),
        (
            "rod",
            bars[1].mass,
            bars[1].inertia,
            [pin[0] + r[0], pin[1] + r[1]],
            phi,
            [pin_rate[0] - turn * r[1], pin_rate[1] + turn * r[0]],
            turn,
        ),
        ("slider", slider, 0.01, [x, 0.0], 0.0, [speed, 0.0], 0.0),
    ];
    for (name, mass, inertia, at, angle, v, w) in bodies {
        text += &format!(
            "[[body]]\nname = \"{name}\"\ncontact = false\nshape = {{ kind = \"box\", size = [0.1, 0.01] }}\nmass = {mass:?}\n\
             inertia = [{inertia:?}]\nposition = {at:?}\nangle = {angle:?}\nvelocity = {v:?}\nangular_velocity = [{w:?}]\n"
        );
    }
    let drive = format!("motor = {{ {motor} }}\n");
    for (name, kind, one, other, at, more) in [
        ("A", "revolute", "ground", "crank", [0.0; 2], drive.as_str()),
        ("B", "revolute", "crank", "rod", pin, ""),
        ("C", "revolute", "rod", "slider", [x, 0.0], ""),
        ("D", "prismatic", "ground", "slider", [x, 0.0], "axis = [1.0, 0.0]\n"),
    ] {
        text += &format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\na = \"{one}\"\nb = \"{other}\"\nanchor = {at:?}\n{more}"
        );
    }
    text
}

/// A slider-crank driven at constant speed: pins, guide and driving moment are those that the change of momentum of crank, rod and slider
/// asks for, to 1e-8 of the largest; the guide takes no force along itself and, the pin being at the middle of the slider, no moment.
#[test]
fn slider_crank_reactions() {
    let bars = [Bar { length: 0.3, mass: 0.8, inertia: 0.01 }, Bar { length: 0.9, mass: 1.1, inertia: 0.08 }];
    let (slider, omega, h, theta) = (2.0, 6.0, 1e-4, 0.7_f64);
    let mut text = slider_crank_scene(&bars, slider, [theta, omega], &format!("velocity = {omega:?}"));
    text += &format!("[scheme]\nname = \"energy-momentum\"\n[time]\nstep = {h:?}\nend = 0.05\n");
    let folder = folder("slider-crank");
    run(load_text("slider-crank", &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true)
        .expect("runs");
    let states = rows(&folder, "trajectory.csv");
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for row in &rows(&folder, "reactions.csv") {
        let step = number(row, "step") as usize;
        let of = |letter: &str, k: usize| [step - 1, step].map(|at| number(&states[at], &format!("{letter}{k}")));
        let change = |k: usize, c: usize| {
            let [v0, v1] = of("v", 3 * (k + 1) + c);
            (v1 - v0) / h
        };
        // unknowns: A, B, C on their bodies b, the guide across, the driving moment, the guide's moment
        let (mut M, mut f) = (vec![vec![0.0; 9]; 9], vec![0.0; 9]);
        for (k, (first, second)) in [(0, Some(1)), (1, Some(2)), (2, None)].into_iter().enumerate() {
            let half = if k == 2 {
                [0.0; 2]
            } else {
                let [p, q] = of("q", 3 * (k + 1) + 2);
                let (mean, turn): (f64, f64) = (0.5 * (p + q), 0.5 * (q - p));
                // the chord of a pin over the step turns its arm by sinc of half the angle
                let arm = 0.5 * bars[k].length * if turn == 0.0 { 1.0 } else { turn.sin() / turn };
                [arm * mean.cos(), arm * mean.sin()]
            };
            for (pin, sign, side) in [(Some(first), 1.0, -1.0), (second, -1.0, 1.0)] {
                let Some(pin) = pin else { continue };
                M[3 * k][2 * pin] += sign;
                M[3 * k + 1][2 * pin + 1] += sign;
                M[3 * k + 2][2 * pin] -= sign * side * half[1];
                M[3 * k + 2][2 * pin + 1] += sign * side * half[0];
            }
            let (mass, inertia) = [(bars[0].mass, bars[0].inertia), (bars[1].mass, bars[1].inertia), (slider, 0.01)][k];
            f[3 * k] = mass * change(k, 0);
            f[3 * k + 1] = mass * (change(k, 1) + G);
            f[3 * k + 2] = inertia * change(k, 2);
        }
        M[7][6] = 1.0;
        M[2][7] = 1.0;
        M[8][8] = 1.0;
        let found = solve(M, f);
        let exact = match row["joint"].as_str() {
            "A" => [found[0], found[1], found[7]],
            "B" => [found[2], found[3], 0.0],
            "C" => [found[4], found[5], 0.0],
            _ => [0.0, found[6], found[8]],
        };
        for (told, exact) in ["fx", "fy", "mz"].map(|name| number(row, name)).into_iter().zip(exact) {
            largest = largest.max(told.abs());
            worst = worst.max((told - exact).abs());
        }
    }
    assert!(largest > 10.0 && worst <= 1e-8 * largest, "{worst:e} of {largest}");
}

/// A parallelogram under gravity that a motor turns against a stop.
const STOPPED: &str = r#"
[model]
kind = "bodies"
dimension = 2
gravity = [0.0, -9.81]
[[body]]
name = "ground"
fixed = true
[[body]]
name = "crank"
shape = { kind = "box", size = [0.2, 0.03] }
contact = false
density = 65.0
position = [0.0, 0.1]
angle = 1.5707963267948966
[[body]]
name = "coupler"
shape = { kind = "box", size = [0.5, 0.03] }
contact = false
density = 65.0
position = [0.25, 0.2]
[[body]]
name = "rocker"
shape = { kind = "box", size = [0.2, 0.03] }
contact = false
density = 65.0
position = [0.5, 0.1]
angle = 1.5707963267948966
[[joint]]
name = "A"
kind = "revolute"
a = "ground"
b = "crank"
anchor = [0.0, 0.0]
motor = { force = 0.5 }
[[joint]]
name = "B"
kind = "revolute"
a = "crank"
b = "coupler"
anchor = [0.0, 0.2]
[[joint]]
name = "C"
kind = "revolute"
a = "coupler"
b = "rocker"
anchor = [0.5, 0.2]
[[joint]]
name = "D"
kind = "revolute"
a = "ground"
b = "rocker"
anchor = [0.5, 0.0]
limits = [-0.6, 0.6]
restitution = 0.5
[scheme]
name = "generalized-alpha-ggl"
[time]
end = 0.4
step = 1e-3
"#;

/// Reactions are what the change of momentum asks for, through an impact at a stop, by every scheme that moves jointed bodies; the stop is in
/// `gaps.csv` before it is touched, and has the name of its joint.
#[test]
fn reactions_through_an_impact_at_a_stop() {
    for scheme in
        ["moreau-jean", "energy-momentum", "landing", "generalized-alpha-ggl", "event-driven", "runge-kutta-moreau"]
    {
        through_a_stop(scheme);
    }
}

fn through_a_stop(scheme: &str) {
    let folder = folder(scheme);
    let text = STOPPED.replace("generalized-alpha-ggl", scheme);
    let loaded = load_text("parallelogram", &text, &LoadOptions::default()).expect("valid");
    run(loaded, &folder, &mut |_| true).expect("runs");
    let (states, reactions) = (rows(&folder, "trajectory.csv"), rows(&folder, "reactions.csv"));
    assert_eq!(reactions.len(), 4 * 400);
    let h = 1e-3;
    let masses = [0.2, 0.5, 0.2].map(|length: f64| length * 0.03 * 65.0);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (step, four) in (1..).zip(reactions.chunks(4)) {
        let of = |joint: usize| [number(&four[joint], "fx"), number(&four[joint], "fy")];
        let [A, B, C, D] = [0, 1, 2, 3].map(of);
        let forces = [[A, B.map(|f| -f)], [B, C.map(|f| -f)], [C, D]];
        for (k, [first, second]) in forces.into_iter().enumerate() {
            for c in 0..2 {
                let v = |row: usize| number(&states[row], &format!("v{}", 3 * (k + 1) + c));
                let weight = if c == 1 { -G * masses[k] } else { 0.0 };
                let lacks = masses[k] * (v(step) - v(step - 1)) / h - weight - first[c] - second[c];
                worst = worst.max(lacks.abs());
                largest = largest.max(first[c].abs());
            }
        }
    }
    assert!(largest > 100.0 && worst <= 1e-8 * largest, "{scheme}: {worst:e} of {largest}");
    let names = rows(&folder, "names.csv");
    let stop = names.iter().find(|row| row["kind"] == "contact").expect("a contact");
    assert_eq!(stop["name"], "D 1");
    let gaps = rows(&folder, "gaps.csv");
    let first = number(&rows(&folder, "contacts.csv")[0], "t");
    let approach: Vec<f64> =
        gaps.iter().filter(|row| row["contact"] == stop["column"]).map(|row| number(row, "t")).collect();
    assert!(approach.len() > 10 && approach[0] < first - 10.0 * h, "{approach:?} before {first}");
}

/// A plane body at an instant: mass, inertia, place, angle, velocity, spin.
struct Placed {
    mass: f64,
    inertia: f64,
    q: [f64; 3],
    v: [f64; 3],
}

/// A pin of two bodies, the first of which may be the ground: arms in the frames of the bodies. A guide along x holds the second body's y and angle.
enum Link {
    Pin([Option<usize>; 2], [[f64; 2]; 2]),
    Guide(usize),
}

/// Forces and moments of links on their second bodies by Newton and Euler at an instant, with the accelerations that the links leave:
///
///   M a − Dᵀλ = f,    D a = −Ḋv;    `moment` turns the first body
fn instantaneous(bodies: &[Placed], links: &[Link], moment: f64) -> Vec<[f64; 3]> {
    let n = 3 * bodies.len();
    let size = n + 2 * links.len();
    let (mut A, mut b) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for (k, body) in bodies.iter().enumerate() {
        for c in 0..3 {
            A[3 * k + c][3 * k + c] = if c == 2 { body.inertia } else { body.mass };
        }
        b[3 * k + 1] = -G * body.mass;
    }
    b[2] += moment;
    for (l, link) in links.iter().enumerate() {
        let rows = [n + 2 * l, n + 2 * l + 1];
        let mut set = |row: usize, column: usize, x: f64| {
            A[row][column] += x;
            A[column][row] -= x;
        };
        match link {
            Link::Pin(ends, arms) => {
                for ((end, arm), sign) in ends.iter().zip(arms).zip([-1.0, 1.0]) {
                    let Some(k) = *end else { continue };
                    let (s, c) = bodies[k].q[2].sin_cos();
                    let [x, y] = [c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]];
                    set(rows[0], 3 * k, sign);
                    set(rows[0], 3 * k + 2, -sign * y);
                    set(rows[1], 3 * k + 1, sign);
                    set(rows[1], 3 * k + 2, sign * x);
                    let w = bodies[k].v[2];
                    b[rows[0]] += sign * w * w * x;
                    b[rows[1]] += sign * w * w * y;
                }
            }
            Link::Guide(k) => {
                set(rows[0], 3 * k + 1, 1.0);
                set(rows[1], 3 * k + 2, 1.0);
            }
        }
    }
    let x = solve(A, b);
    let of = |(l, link): (usize, &Link)| match link {
        Link::Pin(..) => [x[n + 2 * l], x[n + 2 * l + 1], 0.0],
        Link::Guide(_) => [0.0, x[n + 2 * l], x[n + 2 * l + 1]],
    };
    links.iter().enumerate().map(of).collect()
}

/// Schemes that locate events: the reactions of a four-bar and of a slider-crank under gravity and a moment are the means over each step of
/// those of Newton and Euler at the states they pass, to 1e-8 of the largest.
#[test]
fn reactions_of_schemes_that_locate_events() {
    let bars = [
        Bar { length: 0.5, mass: 1.0, inertia: 0.03 },
        Bar { length: 1.5, mass: 2.0, inertia: 0.4 },
        Bar { length: 1.0, mass: 1.5, inertia: 0.13 },
    ];
    let arms = |k: usize| [[-0.5 * bars[k].length, 0.0], [0.5 * bars[k].length, 0.0]];
    let (base, slider, moment) = (1.6, Bar { length: 0.1, mass: 2.0, inertia: 0.01 }, 3.0);
    let four_bar = [
        Link::Pin([None, Some(0)], [[0.0, 0.0], arms(0)[0]]),
        Link::Pin([Some(0), Some(1)], [arms(0)[1], arms(1)[0]]),
        Link::Pin([Some(1), Some(2)], [arms(1)[1], arms(2)[1]]),
        Link::Pin([None, Some(2)], [[base, 0.0], arms(2)[0]]),
    ];
    let crank = [
        Link::Pin([None, Some(0)], [[0.0, 0.0], arms(0)[0]]),
        Link::Pin([Some(0), Some(1)], [arms(0)[1], arms(1)[0]]),
        Link::Pin([Some(1), Some(2)], [arms(1)[1], [0.0, 0.0]]),
        Link::Guide(2),
    ];
    let motor = format!("force = {moment:?}");
    let scenes = [
        ("four-bar", four_bar_scene(&bars, base, [0.7, 2.0], &motor), four_bar, bars),
        (
            "slider-crank",
            slider_crank_scene(&[bars[0], bars[1]], slider.mass, [0.7, 2.0], &motor),
            crank,
            [bars[0], bars[1], slider],
        ),
    ];
    for scheme in ["event-driven", "runge-kutta-moreau"] {
        for (name, text, links, parts) in &scenes {
            let folder = folder(&format!("{scheme}-{name}"));
            let text = format!("{text}[scheme]\nname = \"{scheme}\"\n[time]\nstep = 1e-3\nend = 0.1\n");
            run(load_text(name, &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true).expect("runs");
            let exact: Vec<Vec<[f64; 3]>> = rows(&folder, "trajectory.csv")
                .iter()
                .map(|state| {
                    let of = |letter: &str, k: usize| {
                        std::array::from_fn(|c| number(state, &format!("{letter}{}", 3 * (k + 1) + c)))
                    };
                    let placed = |(k, part): (usize, &Bar)| Placed {
                        mass: part.mass,
                        inertia: part.inertia,
                        q: of("q", k),
                        v: of("v", k),
                    };
                    let bodies: Vec<Placed> = parts.iter().enumerate().map(placed).collect();
                    instantaneous(&bodies, links, moment)
                })
                .collect();
            let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
            let told = rows(&folder, "reactions.csv");
            assert_eq!(told.len(), 400);
            for row in &told {
                let step = number(row, "step") as usize;
                // the mean of a cubic over the middle one of three steps
                if !(2..100).contains(&step) {
                    continue;
                }
                let j = ["A", "B", "C", "D"].iter().position(|name| *name == row["joint"]).expect("a joint");
                for (c, column) in ["fx", "fy", "mz"].into_iter().enumerate() {
                    let at = |k: usize| exact[k][j][c];
                    let mut mean = (13.0 * (at(step - 1) + at(step)) - at(step - 2) - at(step + 1)) / 24.0;
                    mean += if j == 0 && c == 2 { moment } else { 0.0 };
                    largest = largest.max(mean.abs());
                    worst = worst.max((number(row, column) - mean).abs());
                }
            }
            assert!(largest > 10.0 && worst <= 1e-8 * largest, "{scheme}, {name}: {worst:e} of {largest}");
        }
    }
}

/// A bar on a pin that meets a stop. The midpoint rule holds the pin by D(v_k + v_{k+1}) = 0: what a jump of the velocities leaves across it,
/// ε = h/4 (κ⁺ − κ⁻) with the centripetal acceleration κ, changes its sign with every step, and reactions alternate by ½ m (κ⁺ − κ⁻) about those of
/// the motion for any h. Means of two steps, which `every = 2` writes, and schemes that locate the impact do not.
#[test]
fn after_an_impact_reactions_alternate_by_half_the_jump_of_the_centripetal_force() {
    let pendulum = |scheme: &str, every: usize| {
        let text = format!(
            "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, -9.81]\n[[body]]\nname = \"ground\"\nfixed = true\n\
             [[body]]\nname = \"bar\"\ncontact = false\nshape = {{ kind = \"box\", size = [1.0, 0.05] }}\nmass = 2.0\ninertia = [0.3]\n\
             position = [0.5, 0.0]\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"ground\"\nb = \"bar\"\nanchor = [0.0, 0.0]\n\
             limits = [-1.5707963267948966, 10.0]\nrestitution = 0.5\n[scheme]\nname = \"{scheme}\"\n[time]\nend = 0.6\nstep = 1e-3\n\
             [output]\nevery = {every}\n"
        );
        let folder = folder(&format!("pendulum-{scheme}-{every}"));
        run(load_text("pendulum", &text, &LoadOptions::default()).expect("valid"), &folder, &mut |_| true)
            .expect("runs");
        let along: Vec<(f64, f64)> =
            rows(&folder, "reactions.csv").iter().map(|row| (number(row, "t"), number(row, "bfx"))).collect();
        let spins: Vec<f64> = rows(&folder, "trajectory.csv").iter().map(|row| number(row, "v5")).collect();
        (along, spins)
    };
    let (exact, spins) = pendulum("event-driven", 1);
    let impact = (1..spins.len()).find(|&k| spins[k - 1] < 0.0 && spins[k] > 0.0).expect("an impact");
    let half = 0.5 * 2.0 * 0.5 * (spins[impact].powi(2) - spins[impact - 1].powi(2));
    assert!(half < -9.0);
    for scheme in ["moreau-jean", "energy-momentum"] {
        let (told, _) = pendulum(scheme, 1);
        for k in impact + 2..impact + 42 {
            let sign = if (k - impact) % 2 == 0 { -1.0 } else { 1.0 };
            assert!(
                (told[k].1 - exact[k].1 - sign * half).abs() < 2e-3 * half.abs(),
                "{scheme}: {:?} {:?}",
                told[k],
                exact[k]
            );
        }
        let (means, _) = pendulum(scheme, 2);
        for (t, force) in means.iter().filter(|(t, _)| *t > 0.54) {
            let k = exact.iter().position(|(at, _)| (at - t).abs() < 1e-9).expect("the same time");
            let mean = 0.5 * (exact[k - 1].1 + exact[k].1);
            // up to the part of a step by which time-stepping misplaces the impact
            assert!((force - mean).abs() < 1e-3 * half.abs(), "{scheme}: {force} {mean} at {t}");
        }
    }
}

/// A motor that turns a crank at its speed from the first instant: what its hinge gave is in the reactions, h Σ f = Δp and h Σ m = ΔL of all that moves, in every
/// scheme for joints.
///
/// The bug: the impulse of the start, 3.14 N s, was in the momentum and the motor's work, but the first row of `reactions.csv` told 0.05 N for 3142 N.
#[test]
fn a_start_from_rest_is_in_the_reactions() {
    let text = "[model]\nkind = \"bodies\"\ndimension = 2\ngravity = [0.0, 0.0]\n[[body]]\nname = \"ground\"\nshape = { kind = \"point\" }\nfixed = true\n\
        [[body]]\nname = \"crank\"\nshape = { kind = \"box\", size = [1.0, 0.05] }\nmass = 1.0\ninertia = [0.08333333333333333]\nposition = [0.5, 0.0]\ncontact = false\n\
        [[joint]]\nname = \"A\"\nkind = \"revolute\"\na = \"ground\"\nb = \"crank\"\nanchor = [0.0, 0.0]\nmotor = { velocity = 6.283185307179586 }\n";
    for scheme in ["moreau-jean", "moreau-jean-fremond", "energy-momentum", "landing", "generalized-alpha-ggl"] {
        let h = 1e-3;
        let scene = format!("{text}[scheme]\nname = \"{scheme}\"\n[time]\nstep = {h:?}\nend = 5e-3\n");
        let to = folder(&format!("start-{scheme}"));
        run(load_text("crank.toml", &scene, &LoadOptions::default()).expect("a scene"), &to, &mut |_| true)
            .expect("a run");
        let reactions = rows(&to, "reactions.csv");
        let momentum = rows(&to, "momentum.csv");
        let last = momentum.last().expect("a row");
        // the moment under GGL is about an anchor that its positions have moved in the step
        let told = if scheme == "generalized-alpha-ggl" { 2 } else { 3 };
        for (force, gained) in [("fx", "px"), ("fy", "py"), ("mz", "lz")].into_iter().take(told) {
            let given: f64 = reactions.iter().map(|row| h * number(row, force)).sum();
            let gained = number(last, gained);
            println!("{scheme}: {force} gave {given:.12}, the bodies have {gained:.12}");
            assert!((given - gained).abs() <= 1e-11, "{scheme}: {force} {given} {gained}");
        }
        assert!(number(&reactions[0], "fy") > 3000.0, "{scheme}");
    }
}
