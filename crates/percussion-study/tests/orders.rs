//! Orders of the convergence study against those an independent implementation printed, within the scatter it states (± 0.2), and its
//! errors to the three digits it prints.

use percussion_scenario::{LoadOptions, load};
use percussion_study::{Against, ConvergeOptions, Convergence, Levels, Threads, converge, variants};

/// Scheme, L1 errors of q at seven steps, printed orders of L1 q and L1 v.
type Row = (&'static str, [f64; 7], f64, f64);

const PAPER: &str = "activation=predicted-and-closing";

const BALL: [Row; 8] = [
    ("moreau-jean:theta=0.5", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("moreau-jean:theta=1.0", [1.10e-1, 6.29e-2, 3.93e-2, 1.19e-2, 4.40e-3, 3.91e-3, 2.30e-3], 1.00, 0.91),
    ("moreau-jean-midpoint:theta=1.0", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("newmark:beta=0.25:gamma=0.5", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("hht:alpha=0.1", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("generalized-alpha:rho_inf=0.8", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("kh-generalized-alpha:rho_inf=0.8", [4.23e-2, 2.07e-2, 7.84e-3, 7.49e-3, 2.60e-3, 1.34e-3, 5.39e-4], 1.01, 0.89),
    ("implicit-newmark", [4.15e-2, 2.05e-2, 7.76e-3, 7.49e-3, 2.60e-3, 1.33e-3, 5.39e-4], 1.01, 0.89),
];

const OSCILLATOR: [Row; 8] = [
    ("moreau-jean:theta=0.5", [2.44e-2, 3.73e-2, 1.19e-2, 6.26e-3, 2.81e-3, 1.73e-3, 5.41e-4], 0.98, 0.90),
    ("moreau-jean:theta=1.0", [2.25e-1, 1.52e-1, 6.98e-2, 2.91e-2, 1.77e-2, 7.28e-3, 4.35e-3], 0.99, 1.03),
    ("moreau-jean-midpoint:theta=1.0", [1.20e-1, 7.35e-2, 3.32e-2, 1.65e-2, 8.34e-3, 4.20e-3, 2.06e-3], 1.00, 1.02),
    ("newmark:beta=0.25:gamma=0.5", [2.44e-2, 3.73e-2, 1.19e-2, 6.26e-3, 2.81e-3, 1.73e-3, 5.41e-4], 0.98, 0.90),
    ("hht:alpha=0.1", [2.44e-2, 3.73e-2, 1.19e-2, 6.26e-3, 2.81e-3, 1.73e-3, 5.41e-4], 0.98, 0.90),
    ("generalized-alpha:rho_inf=0.8", [2.44e-2, 3.73e-2, 1.19e-2, 6.26e-3, 2.81e-3, 1.73e-3, 5.41e-4], 0.98, 0.90),
    ("kh-generalized-alpha:rho_inf=0.8", [2.44e-2, 3.73e-2, 1.19e-2, 6.26e-3, 2.81e-3, 1.73e-3, 5.41e-4], 0.98, 0.90),
    ("implicit-newmark", [1.20e-1, 7.34e-2, 3.32e-2, 1.65e-2, 8.35e-3, 4.20e-3, 2.06e-3], 1.00, 1.02),
];

/// The schemes whose index set is another, or which have none. Prediction 0 on the ball is left out: the reference does not say how it
/// comes to rest there, and differs by a tenth in the error (order 1.03, here 1.02).
const OTHERS: [&[Row]; 2] = [
    &[
        (
            "moreau-jean:theta=0.5:activation=predicted:prediction=0.5",
            [4.93e-2, 1.83e-2, 5.79e-3, 7.75e-3, 5.68e-3, 1.35e-3, 4.43e-4],
            1.00,
            0.90,
        ),
        ("schatzman-paoli:theta=0.5", [6.56e-2, 3.63e-2, 2.19e-2, 8.55e-3, 4.90e-3, 2.24e-3, 1.45e-3], 0.95, 0.93),
    ],
    &[
        (
            "moreau-jean:theta=0.5:activation=predicted:prediction=0.5",
            [1.20e-1, 8.56e-2, 5.51e-2, 1.83e-2, 1.40e-2, 4.75e-3, 3.65e-3],
            0.91,
            0.89,
        ),
        (
            "moreau-jean:theta=0.5:activation=predicted:prediction=0.0",
            [3.77e-1, 1.43e-1, 7.89e-2, 5.17e-2, 2.00e-2, 1.31e-2, 5.16e-3],
            0.98,
            0.98,
        ),
        ("schatzman-paoli:theta=0.5", [2.73e-1, 1.39e-1, 7.04e-2, 3.54e-2, 1.78e-2, 8.89e-3, 4.45e-3], 0.99, 0.98),
    ],
];

fn study(scenario: &str, words: &[String], coarsest: f64) -> Convergence {
    let source = |options: &LoadOptions| load(scenario, options);
    let options = ConvergeOptions {
        variants: variants(words.iter().map(String::as_str), &LoadOptions::default()).expect("schemes"),
        levels: Levels::Steps((0..7).map(|j| coarsest / f64::from(1 << j)).collect()),
        against: Against::Automatic,
        hausdorff: false,
        norm: None,
        threads: Threads(2),
    };
    converge(&source, &options, &|_| true).expect("a study").expect("not stopped")
}

fn check(problem: &str, rows: &[Row], study: &Convergence) {
    for (k, (words, errors, order_q, order_v)) in rows.iter().enumerate() {
        let q = study.fit(k, |e| Some(e.l1_q)).expect("seven errors");
        let v = study.fit(k, |e| Some(e.l1_v)).expect("seven errors");
        println!(
            "{problem} {words}: q {:.2} ± {:.2} ({order_q}), v {:.2} ± {:.2} ({order_v})",
            q.order, q.scatter, v.order, v.scatter
        );
        assert!((q.order - order_q).abs() <= 0.2, "{problem} {words}: order of q {}", q.order);
        assert!((v.order - order_v).abs() <= 0.2, "{problem} {words}: order of v {}", v.order);
        for (row, stated) in study.of(k).zip(errors) {
            let found = row.errors.as_ref().expect("a finished run").l1_q;
            // half a unit of the third digit
            assert!(
                (found / stated - 1.0).abs() <= 6e-3,
                "{problem} {words} at {}: {found:e} for {stated:e}",
                row.level
            );
        }
    }
}

/// Ball with accumulation, h = π/60/2^j; oscillator, h = 0.05/2^j.
#[test]
fn orders_equal_the_reference() {
    for (p, (problem, scenario, rows, coarsest)) in [
        ("ball", "bouncing-ball-f2", &BALL, std::f64::consts::PI / 60.0),
        ("oscillator", "impact-oscillator", &OSCILLATOR, 0.05),
    ]
    .into_iter()
    .enumerate()
    {
        let words: Vec<String> = rows.iter().map(|row| format!("{}:{PAPER}", row.0)).collect();
        check(problem, rows, &study(scenario, &words, coarsest));
        let words: Vec<String> = OTHERS[p].iter().map(|row| row.0.to_string()).collect();
        check(problem, OTHERS[p], &study(scenario, &words, coarsest));
    }
}

/// Runge–Kutta with Moreau steps: 2.00, 3.00, 4.00, 5.00 explicit, 3 and 5 by Radau IIA, as the reference measures with C = 1e-4.
#[test]
fn high_orders_equal_the_reference() {
    let cases =
        [("explicit", 2), ("explicit", 3), ("explicit", 4), ("explicit", 5), ("radau-iia", 3), ("radau-iia", 5)];
    let words: Vec<String> =
        cases.iter().map(|(family, p)| format!("runge-kutta-moreau:tableau={family}:order={p}:bracket=1e-4")).collect();
    let source = |options: &LoadOptions| load("impact-oscillator", options);
    let options = ConvergeOptions {
        variants: variants(words.iter().map(String::as_str), &LoadOptions::default()).expect("schemes"),
        levels: Levels::Steps((0..5).map(|j| 0.4 / f64::from(1 << j)).collect()),
        against: Against::Automatic,
        hausdorff: false,
        norm: None,
        threads: Threads(2),
    };
    let study = converge(&source, &options, &|_| true).expect("a study").expect("not stopped");
    for (k, (family, p)) in cases.into_iter().enumerate() {
        let fit = study.fit(k, |e| Some(e.l1_q)).expect("five errors");
        println!("{family} {p}: {:.3} ± {:.3}", fit.order, fit.scatter);
        // the coarsest steps have not reached the order yet: 1.91 for p = 2 in the reference
        assert!((fit.order - f64::from(p)).abs() <= 0.12, "{family} {p}: {}", fit.order);
    }
}

/// Hausdorff distances of the ball, θ = ½: 3.143e-2 and 5.812e-3 as the reference; at the two steps between the reference is 1.5 % and
/// 3.6 % low because its samples of the exact graph miss the impact. Brute force, all pairs of points around it: 1.6467e-2, 7.0424e-3.
#[test]
fn hausdorff_distances() {
    let source = |options: &LoadOptions| load("bouncing-ball-f2", options);
    let options = ConvergeOptions {
        variants: variants([format!("moreau-jean:theta=0.5:{PAPER}").as_str()], &LoadOptions::default())
            .expect("a scheme"),
        levels: Levels::Steps((0..4).map(|j| std::f64::consts::PI / 60.0 / f64::from(1 << j)).collect()),
        against: Against::Automatic,
        hausdorff: true,
        norm: None,
        threads: Threads(1),
    };
    let study = converge(&source, &options, &|_| true).expect("a study").expect("not stopped");
    let found: Vec<(f64, f64)> = study
        .of(0)
        .map(|row| row.errors.as_ref().expect("a finished run"))
        .map(|e| (e.hausdorff_q.expect("asked for"), e.hausdorff_v.expect("asked for")))
        .collect();
    println!("{found:?}");
    for ((q, v), (q_stated, v_stated)) in
        found.iter().zip([(3.143e-2, 1.298e-1), (1.6467e-2, 7.743e-2), (5.812e-3, 3.747e-2), (7.0424e-3, 2.520e-2)])
    {
        assert!((q / q_stated - 1.0).abs() <= 2e-3 && (v / v_stated - 1.0).abs() <= 2e-3, "{q:e} {v:e}");
    }
}
