//! Items of Acary's lecture: event-driven and time-stepping schemes, Newmark, energy, adaptive steps, higher order.

use super::Expected::{Above, Below, Near};
use super::{OWN, Row};

const NAIVE: &str = "reproduce naive-newmark --short";
const ORDERS: &str = "reproduce empirical-order --short";
const TWO_MASSES: &str = "reproduce two-masses --short";
const BEAM: &str = "reproduce rotating-beam --short";
const ADAPTIVE: &str = "reproduce adaptive-work --short";
const SPLITTING: &str = "reproduce splitting --short";
const DISSIPATION: &str = "reproduce dissipation --short";
const F2_EVENTS: &str = "run bouncing-ball-f2 --scheme event-driven";
const F2_ORDER: &str = "converge bouncing-ball-f2 --schemes moreau-jean:activation=predicted-and-closing --steps 0.01,0.001 --norm 4 --hausdorff";
const NEWMARKS: &str = "converge impact-oscillator --end 1.5 --schemes newmark:preset=average-acceleration,newmark:preset=linear-acceleration,newmark:preset=central-difference,newmark:preset=fox-goodwin --steps 0.02,0.01,0.005";

pub const ROWS: &[Row] = &[
    Row {
        item: 67,
        asks: "(8), (9), (27) impact as a complementarity problem, several contacts",
        commands: &["run docs/book/paper-items/cradle.toml"],
        what: "v of the last of three masses, e = ½ [m/s]",
        read: |r| r[0].end("v2"),
        expected: Near(0.5, 1e-12, "(1 + e)/3"),
    },
    Row {
        item: 68,
        asks: "(12)–(21) levels of a contact, complementarity of accelerations",
        commands: &["reproduce ggl-block --short"],
        what: "energy of a block on two corners after its fifth impact, located [J]",
        read: |r| r[0].finding("energy after impact 5, located"),
        expected: Near(7.440634, 1e-6, OWN),
    },
    Row {
        item: 69,
        asks: "the cases of a closed contact, the undetermined one too",
        commands: &["run docs/book/paper-items/lift-off.toml"],
        what: "q(1 s) of a mass whose load t/m grows from zero [m]",
        read: |r| r[0].end("q0"),
        expected: Near(1.0 / 6.0, 1e-9, "t³/6"),
    },
    Row {
        item: 70,
        asks: "remarks on Delassus and on ε: tolerance and cut",
        commands: &["run bouncing-ball-f2 --scheme event-driven --set scheme.cut=1e-4"],
        what: "when the ball rests with cut = 1e-4 [s]",
        read: |r| r[0].instants("close")[0],
        expected: Near(3.0, 1e-3, "accumulation at 3 s"),
    },
    Row {
        item: 71,
        asks: "index sets and the event-driven algorithm",
        commands: &[F2_EVENTS],
        what: "instant of the fourth impact [s]",
        read: |r| r[0].instants("impact")[3],
        expected: Near(2.75, 1e-12, "exact"),
    },
    Row {
        item: 72,
        asks: "(30), (31) friction, in space too",
        commands: &["run docs/book/paper-items/rolling.toml"],
        what: "when a sliding ball begins to roll [s]",
        read: |r| r[0].instants("stick")[0],
        expected: Near(0.31368368306, 1e-9, "2v/(7μg)"),
    },
    Row {
        item: 73,
        asks: "accumulation of impacts",
        commands: &[F2_EVENTS],
        what: "when the ball rests [s]",
        read: |r| r[0].instants("close")[0],
        expected: Near(3.0, 1e-7, "exact"),
    },
    Row {
        item: 74,
        asks: "(36)–(40) θ-method, forecast half a step ahead",
        commands: &[
            "run bouncing-ball-f2 --step 1e-2 --set scheme.activation=predicted --set scheme.prediction=0.5 --end 4",
        ],
        what: "q(4 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(-6.666666666639e-5, 1e-14, OWN),
    },
    Row {
        item: 75,
        asks: "(41) Moreau's scheme with M and H at q_{k+θ}",
        commands: &["run docs/book/paper-items/bead.toml"],
        what: "x(0.3 s) of a point that leaves a circle [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.7654470272350478, 1e-12, OWN),
    },
    Row {
        item: 76,
        asks: "(42), (43) Schatzman and Paoli's scheme",
        commands: &["run impact-oscillator --scheme schatzman-paoli --set scheme.theta=0.5"],
        what: "q(10 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.1062602952275, 1e-10, OWN),
    },
    Row {
        item: 77,
        asks: "ball and oscillator with their exact motions",
        commands: &[F2_ORDER],
        what: "L1 error of q at h = 10 ms [m·s]",
        read: |r| r[0].number("/runs/0/l1_q"),
        expected: Near(9.091394e-3, 1e-9, OWN),
    },
    Row {
        item: 78,
        asks: "(44)–(47) Hausdorff distance of filled-in graphs",
        commands: &[
            "converge bouncing-ball-f2 --schemes moreau-jean:activation=predicted-and-closing --steps 0.05235987755982988,0.02617993877991494 --hausdorff",
        ],
        what: "distance of q at h = π/60 [m]",
        read: |r| r[0].number("/runs/0/hausdorff_q"),
        expected: Near(0.03143221613526638, 5e-5, OWN),
    },
    Row {
        item: 79,
        asks: "(48), (49) errors in L1 and Lᵖ, the order",
        commands: &[F2_ORDER],
        what: "L⁴ error of q at h = 10 ms",
        read: |r| r[0].number("/runs/0/lp_q"),
        expected: Near(0.009354857361732546, 1e-12, OWN),
    },
    Row {
        item: 80,
        asks: "empirical orders of Moreau–Jean and Schatzman–Paoli",
        commands: &[ORDERS],
        what: "order of the oscillator in L1 of q, Schatzman–Paoli",
        read: |r| r[0].finding("order of the oscillator, L1 of q, Schatzman–Paoli"),
        expected: Near(0.99, 6e-3, OWN),
    },
    Row {
        item: 81,
        asks: "event-driven and time-stepping compared",
        commands: &["compare bouncing-ball-f2 --schemes moreau-jean,event-driven"],
        what: "L1 error of q, event-driven; 7.4e-3 for Moreau–Jean [m·s]",
        read: |r| r[0].number("/runs/1/l1_q"),
        expected: Below(1e-12),
    },
    Row {
        item: 82,
        asks: "(52)–(57) Newmark and its table of values",
        commands: &[NEWMARKS],
        what: "order of Fox and Goodwin's β = 1/12",
        read: |r| r[0].order(3, "l1_q"),
        expected: Near(4.0, 0.02, "Hughes"),
    },
    Row {
        item: 83,
        asks: "Hughes' graphs: spectral radius and period error of Newmark and HHT",
        commands: &["spectrum --schemes newmark,hht:alpha=0.1 --frequencies 0.1,1e7"],
        what: "spectral radius of HHT α = 0.1 at infinite frequency",
        read: |r| r[0].number("/schemes/1/modes/1/radius"),
        expected: Near(0.9 / 1.1, 1e-6, "(1 − α)/(1 + α)"),
    },
    Row {
        item: 84,
        asks: "(58)–(63) HHT and generalized-α",
        commands: &["run docs/book/paper-items/loaded.toml --scheme hht --set scheme.alpha=0.1"],
        what: "q₀(1 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.007525513809, 1e-11, OWN),
    },
    Row {
        item: 85,
        asks: "(65)–(67) naive Newmark and HHT, at position and velocity level",
        commands: &[
            NAIVE,
            "run docs/book/paper-items/loaded.toml --scheme naive-newmark-velocity --set scheme.alpha=0.1",
        ],
        what: "v₀(1 s) of naive HHT [m/s]; the right one is 0.235",
        read: |r| {
            if (r[0].finding("velocity level, γ = ½") - 61.3896).abs() < 1e-3 { r[1].end("v0") } else { f64::NAN }
        },
        expected: Near(3.23817000944, 1e-9, OWN),
    },
    Row {
        item: 86,
        asks: "(69)–(73) nonsmooth Newmark and HHT",
        commands: &[TWO_MASSES],
        what: "energy of two masses at 0.6 s, HHT [J]",
        read: |r| r[0].finding("k = 10³: energy with weight at 0.6 s, HHT"),
        expected: Near(12.584674, 1e-6, OWN),
    },
    Row {
        item: 87,
        asks: "figure of two balls with k = 10³",
        commands: &[TWO_MASSES],
        what: "least v₁ with e = 0.9 [m/s]; the axes end at −6",
        read: |r| r[0].finding("the axes of the figure"),
        expected: Near(-5.5, 0.5, "read off the axes"),
    },
    Row {
        item: 88,
        asks: "Chen et al., figures 3 and 4",
        commands: &["reproduce chen-ball --short"],
        what: "relative L1 error of q at 1 ms, implicit Newmark",
        read: |r| r[0].finding("relative L1 error of q at h = 1 ms, implicit Newmark"),
        expected: Near(2.712112e-3, 1e-7, OWN),
    },
    Row {
        item: 89,
        asks: "Chen et al., figures 5–7",
        commands: &[TWO_MASSES],
        what: "energy of two masses, k = 10⁴, at 0.6 s, generalized-α [J]",
        read: |r| r[0].finding("k = 10⁴: energy with weight at 0.6 s, generalized-α"),
        expected: Near(14.588333, 1e-6, OWN),
    },
    Row {
        item: 90,
        asks: "Chen et al., figures 8 and 9",
        commands: &["reproduce chen-bar --short"],
        what: "energy of the bar at 1.5 s, generalized-α [J]",
        read: |r| r[0].finding("energy at 1.5 s, generalized-α"),
        expected: Near(495.781899, 1e-6, OWN),
    },
    Row {
        item: 91,
        asks: "fully implicit Newmark on the beam, figures 10 and 11",
        commands: &[
            "run rotating-beam --scheme implicit-newmark --set scheme.activation=predicted --set scheme.prediction=1 --end 0.4",
        ],
        what: "energy at 0.4 s [J]",
        read: |r| r[0].energy_at(0.4),
        expected: Near(-1.69259, 1e-5, OWN),
    },
    Row {
        item: 92,
        asks: "\"at h = 1 ms only generalized-α converges\": here all three do",
        commands: &[
            "run rotating-beam --scheme moreau-jean --set scheme.theta=1 --set scheme.activation=predicted --set scheme.prediction=1 --step 1e-3 --end 0.5",
        ],
        what: "largest residual of Newton, Moreau–Jean θ = 1",
        read: |r| r[0].number("/verdicts/solver/worst"),
        expected: Below(2e-8),
    },
    Row {
        item: 93,
        asks: "with θ = ½ Moreau–Jean diverges on the beam",
        commands: &[BEAM],
        what: "when Newton fails [s]",
        read: |r| r[0].finding("with θ = ½ Moreau–Jean diverges"),
        expected: Near(0.333, 1e-3, OWN),
    },
    Row {
        item: 94,
        asks: "figure 11: a reference with h = 10⁻⁵ s",
        commands: &[
            "run rotating-beam --scheme moreau-jean --set scheme.theta=1 --set scheme.activation=predicted --set scheme.prediction=1 --step 1e-5 --end 0.2 --set output.every=100",
        ],
        what: "energy at 0.2 s [J]; the scheme is of order one",
        read: |r| r[0].energy_at(0.2),
        expected: Near(-7.43e-5, 1.5e-6, "half of that at 2·10⁻⁵ s"),
    },
    Row {
        item: 95,
        asks: "(74)–(96) energy lemmas",
        commands: &[DISSIPATION],
        what: "largest residual of the identities, over the energy",
        read: |r| r[0].finding("the identities close"),
        expected: Below(1e-12),
    },
    Row {
        item: 96,
        asks: "(98)–(104) filters of HHT",
        commands: &["run docs/book/paper-items/loaded.toml --scheme hht --set scheme.alpha=0.1"],
        what: "largest residual of (81), over the energy",
        read: |r| r[0].residual(),
        expected: Below(1e-13),
    },
    Row {
        item: 97,
        asks: "(108)–(113) control of the step",
        commands: &[ADAPTIVE],
        what: "of 28 runs of the oscillator, those with as many steps as an independent implementation",
        read: |r| r[0].finding("work and error of 28 adaptive runs of the oscillator"),
        expected: Near(27.0, 0.0, OWN),
    },
    Row {
        item: 98,
        asks: "Milne's device and embedded pairs as estimators",
        commands: &[
            "converge impact-oscillator --schemes moreau-jean:time.adaptive.order=2,moreau-jean:time.adaptive.order=2:time.adaptive.estimate=milne,moreau-jean:time.adaptive.order=1,moreau-jean:time.adaptive.order=1:time.adaptive.estimate=embedded --tolerances 1e-3,1e-4",
        ],
        what: "error times steps computed of the embedded pair (Euler and trapezoidal rule) over that of halving, tolerance 1e-4; Milne's device computes 0.83 times the steps of halving there, its error no larger than twice",
        read: |r| {
            let of = |k: usize, name: &str| r[0].number(&format!("/runs/{k}/{name}"));
            let milne = of(3, "work") <= 0.9 * of(1, "work") && of(3, "l1_q") <= 2.0 * of(1, "l1_q");
            let embedded = of(7, "work") * of(7, "l1_q") / (of(5, "work") * of(5, "l1_q"));
            if milne { embedded } else { f64::NAN }
        },
        expected: Below(0.5),
    },
    Row {
        item: 99,
        asks: "(115)–(126) local errors of a step with an impact",
        commands: &["run docs/book/paper-items/one-step.toml"],
        what: "exact velocity less the computed one where the contact is missed [m/s]",
        read: |r| 0.5 - r[0].end("v0"),
        expected: Near(1.5, 1e-12, "−(1 + e) v_k"),
    },
    Row {
        item: 100,
        asks: "(127) order 0, 1 and 2 in the estimate",
        commands: &[
            "run impact-oscillator --set time.adaptive.order=0 --set time.adaptive.atol=1e-3 --set time.adaptive.rtol=1e-3 --set time.adaptive.control=q --set time.adaptive.violation=false",
        ],
        what: "steps accepted at the shortest length in spite of their error",
        read: |r| r[0].number("/adaptive/forced"),
        expected: Below(0.0),
    },
    Row {
        item: 101,
        asks: "(128), (129) violation of constraints, as printed and by its growth",
        commands: &[
            "run impact-oscillator --set time.adaptive.atol=1e-3 --set time.adaptive.rtol=1e-3 --set time.adaptive.depth=true",
        ],
        what: "deepest penetration, at most atol as printed [m]",
        read: |r| r[0].number("/verdicts/gap/worst").max(0.0),
        expected: Below(1e-3),
    },
    Row {
        item: 102,
        asks: "variable order",
        commands: &[
            "converge impact-oscillator --schemes moreau-jean:time.adaptive.order=variable --tolerances 1e-2,1e-3,1e-4",
        ],
        what: "L1 error of q at the tolerance 1e-4 over that at 1e-2",
        read: |r| r[0].number("/runs/2/l1_q") / r[0].number("/runs/0/l1_q"),
        expected: Below(0.2),
    },
    Row {
        item: 103,
        asks: "precision–work figures, 6 + 3 + 2",
        commands: &[ADAPTIVE, SPLITTING],
        what: "diagrams of adaptive steps on the two pages",
        read: |r| {
            r[0].panels("ball:")
                + r[0].panels("oscillator:")
                + r[1].panels("ball: adaptive")
                + r[1].panels("oscillator: adaptive")
        },
        expected: Above(8.0),
    },
    Row {
        item: 104,
        asks: "Studer's extrapolation between impacts",
        commands: &[
            "run impact-oscillator --set time.adaptive.atol=1e-4 --set time.adaptive.rtol=1e-4 --set time.adaptive.extrapolate=true",
        ],
        what: "q(10 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.10488394, 1e-4, "exact"),
    },
    Row {
        item: 105,
        asks: "(130)–(136) Runge–Kutta with Moreau steps at impacts, orders 1 to 8",
        commands: &["reproduce runge-kutta-moreau --short"],
        what: "order of Radau IIA with p = 5 on the oscillator through its impacts; the page has twelve more, none with friction or adaptive steps",
        read: |r| r[0].finding("oscillator, implicit: Radau IIA, p = 5"),
        expected: Near(5.0, 0.1, "lecture; independent implementation"),
    },
    Row {
        item: 106,
        asks: "repeated impacts at an accumulation",
        commands: &["run bouncing-ball-f2 --scheme runge-kutta-moreau"],
        what: "q(4 s), after the accumulation at 3 s [m]",
        read: |r| r[0].end("q0"),
        expected: Below(1e-9),
    },
    Row {
        item: 107,
        asks: "(137)–(143) splitting, variants 1 and 2",
        commands: &[SPLITTING],
        what: "largest relative difference of seven L1 errors, oscillator, variant 2",
        read: |r| r[0].finding("seven L1 errors of q, oscillator, splitting, variant 2"),
        expected: Below(6e-3),
    },
    Row {
        item: 108,
        asks: "an embedded Runge–Kutta pair in splitting",
        commands: &["converge impact-oscillator --end 1.5 --schemes splitting --steps 0.1,0.05,0.025"],
        what: "order of the smooth motion (Dormand and Prince's 5)",
        read: |r| r[0].order(0, "l1_q"),
        expected: Near(5.0, 0.2, "order 5"),
    },
    Row {
        item: 109,
        asks: "figure: adaptive splitting, precision against work",
        commands: &[SPLITTING],
        what: "L1 error of q at the tolerance 1e-3, oscillator, variant 2 [m·s]",
        read: |r| r[0].finding("adaptive splitting needs less work than adaptive Moreau–Jean, oscillator"),
        expected: Below(1e-2),
    },
];
