//! Items of Brüls, Acary and Cardona (2014): constraints at position and velocity level.

use super::Expected::{Above, Below, Near};
use super::made::apart;
use super::{OWN, Row};

const BALL: &str = "reproduce ggl-ball --short";
const PENDULUM: &str = "reproduce ggl-pendulum --short";
const BAR: &str = "reproduce ggl-bar --short";
const BLOCK: &str = "reproduce ggl-block --short";

pub const ROWS: &[Row] = &[
    Row {
        item: 41,
        asks: "(8)–(12) splitting of the motion, (17) the GGL form",
        commands: &[BALL],
        what: "deepest penetration [m]",
        read: |r| r[0].finding("GGL satisfies the constraint at position level"),
        expected: Below(1e-15),
    },
    Row {
        item: 42,
        asks: "a singular mass where [M g_qᵀ; g_q 0] is regular",
        commands: &["run docs/book/paper-items/tied.toml", "run pendulum --set model.inertia=0 --end 1"],
        what: "q₀(1 s) of a mass on a spring through a coordinate without mass; the pendulum with J = 0 runs",
        read: |r| if r[1].end("t") == 1.0 { r[0].end("q0") } else { f64::NAN },
        expected: Near(-0.8390715, 2e-6, "cos 10"),
    },
    Row {
        item: 43,
        asks: "(29)–(31) the scheme, linear and nonlinear",
        commands: &[BLOCK],
        what: "energy of the block at 0.4 s [J]",
        read: |r| r[0].finding("E at 0.1 … 0.8 s, GGL"),
        expected: Near(8.016178, 2e-6, OWN),
    },
    Row {
        item: 44,
        asks: "(25), (27) the modified condition",
        commands: &[BALL],
        what: "largest |v| after 4.2 s [m/s]",
        read: |r| r[0].finding("its largest |v| after 4.2 s"),
        expected: Near(0.104775, 1e-6, OWN),
    },
    Row {
        item: 45,
        asks: "(26) the θ-variant of its estimate",
        commands: &[
            "run bouncing-ball --scheme generalized-alpha-modified-lcp --set scheme.estimate_theta=0.7 --set scheme.activation=predicted",
        ],
        what: "largest |v| after 4.2 s, θ = 0.7 [m/s]",
        read: |r| {
            let late = r[0].path("t").into_iter().zip(r[0].path("v0")).filter(|(t, _)| *t > 4.1999);
            late.fold(0.0, |m, (_, v)| v.abs().max(m))
        },
        expected: Near(0.05161322062692, 1e-9, OWN),
    },
    Row {
        item: 46,
        asks: "(32) estimates; Λ/h + λ̃ is the reaction",
        commands: &[PENDULUM],
        what: "Λ₃ at rest [N·s], h times the contact force of 10 N",
        read: |r| r[0].finding("Λ₃ at rest, h = 1 ms"),
        expected: Near(0.01, 1e-9, "statics"),
    },
    Row {
        item: 47,
        asks: "§7.2 the place that closes a contact: q̃, q_n, q_n + h v_n, q_{n+1} with a tolerance",
        commands: &[
            "run bouncing-ball --scheme generalized-alpha-ggl --set scheme.activation=predicted --set scheme.closed_at=start --end 1",
        ],
        what: "q(1 s) with q_n [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.340656, 1e-9, OWN),
    },
    Row {
        item: 48,
        asks: "properties 2 and 3 of the ball: rest at g = 0",
        commands: &[BALL],
        what: "last |v| > 1e-6 [s]",
        read: |r| r[0].finding("last |v| > 1e-6, GGL"),
        expected: Near(3.516, 1e-3, OWN),
    },
    Row {
        item: 49,
        asks: "(37) semi-smooth Newton, all at once",
        commands: &["run pendulum --set scheme.activation=predicted --end 2"],
        what: "iterations per step",
        read: |r| r[0].number("/solver/iterations") / r[0].number("/steps"),
        expected: Near(2.0, 0.02, OWN),
    },
    Row {
        item: 50,
        asks: "algorithm 1, part by part",
        commands: &["run pendulum --end 2", "run pendulum --end 2 --set scheme.solution=sequential"],
        what: "largest difference from all at once",
        read: |r| apart(r, &["q0", "q1", "q2"]),
        expected: Below(1e-10),
    },
    Row {
        item: 51,
        asks: "r, penalty terms of the augmented Lagrangian, three tolerances",
        commands: &[
            "run rocking-block --end 1",
            "run rocking-block --end 1 --set scheme.r=0.01 --set scheme.augmented=yes --set scheme.tolerance_smooth=1e-10 --set scheme.tolerance_position=1e-12 --set scheme.tolerance_velocity=1e-11",
        ],
        what: "largest difference: the solution stays",
        read: |r| apart(r, &["q1", "q2", "v1", "v2"]),
        expected: Below(1e-8),
    },
    Row {
        item: 52,
        asks: "(50) Moreau–Jean with joints",
        commands: &[PENDULUM],
        what: "drift of the joints [m]",
        read: |r| r[0].finding("drift of the joints under Moreau"),
        expected: Near(4.6206e-4, 1e-8, OWN),
    },
    Row {
        item: 53,
        asks: "(51) the smooth scheme of index 3",
        commands: &[BALL],
        what: "energy of the ball at the end [J]",
        read: |r| r[0].finding("its energy at the end"),
        expected: Near(123.0439, 1e-4, OWN),
    },
    Row {
        item: 55,
        asks: "figures 2–7, ball",
        commands: &[BALL],
        what: "accumulation instant [s]",
        read: |r| r[0].finding("accumulation instant"),
        expected: Near(3.602249, 1e-6, "paper: 3.602"),
    },
    Row {
        item: 56,
        asks: "figures 8–12, pendulum",
        commands: &[PENDULUM],
        what: "energy lost by 0.3 s, GGL [J]",
        read: |r| r[0].finding("energy lost by 0.3 s, before the impact, GGL"),
        expected: Near(-7.1e-6, 1e-7, OWN),
    },
    Row {
        item: 57,
        asks: "figure 13, six panels: Λ₁ and λ̃₁ with two zooms each",
        commands: &[PENDULUM],
        what: "panels drawn on the page",
        read: |r| r[0].panels("Fig. 13"),
        expected: Near(6.0, 0.0, "paper"),
    },
    Row {
        item: 58,
        asks: "figure 14, ρ∞ = 0.8, 0.5, 0",
        commands: &[PENDULUM],
        what: "λ̃₁ after the first impact, ρ∞ = 0.5 [N]",
        read: |r| r[0].finding("λ̃₁ in step 1 after the first impact, ρ∞ = 0.5"),
        expected: Near(-22.828, 1e-3, OWN),
    },
    Row {
        item: 59,
        asks: "figure 15, reaction of the joint",
        commands: &[PENDULUM],
        what: "panels drawn on the page",
        read: |r| r[0].panels("Fig. 15"),
        expected: Near(1.0, 0.0, "paper"),
    },
    Row {
        item: 60,
        asks: "figure 16 with its reference at h/10, \"similar to figure 11\"",
        commands: &[PENDULUM],
        what: "how many times smaller ν₁ is at h/10",
        read: |r| r[0].finding("ν₁ of the joint behaves like ν₃"),
        expected: Above(1.0),
    },
    Row {
        item: 61,
        asks: "figures 17–19, bar",
        commands: &[BAR],
        what: "E(2 s), GGL [J]",
        read: |r| r[0].finding("E(2 s), GGL"),
        expected: Near(497.306, 1e-3, OWN),
    },
    Row {
        item: 62,
        asks: "figures 20–24, block",
        commands: &[BLOCK],
        what: "energy after the first impact, located [J]",
        read: |r| r[0].finding("energy after impact 1, located"),
        expected: Near(8.957548, 1e-6, OWN),
    },
    Row {
        item: 63,
        asks: "\"GGL has the better energy\": in flight; after impacts in part",
        commands: &[BALL],
        what: "change of energy in free flight, GGL [J]",
        read: |r| r[0].finding("energy strictly constant in free flight for GGL"),
        expected: Below(1e-12),
    },
    Row {
        item: 64,
        asks: "a ledger of GGL on flexible models whose parts mean something",
        commands: &["run elastic-bar --scheme generalized-alpha-ggl --set scheme.activation=predicted --end 2"],
        what: "|contact + landing| and |scheme| of 500 J, the larger [J]",
        read: |r| {
            let contact = r[0].sum("work_contact") + r[0].sum_of("work_projection");
            contact.abs().max(r[0].sum("dissipation_numerical").abs())
        },
        expected: Below(5.0),
    },
    Row {
        item: 65,
        asks: "large finite-element models",
        commands: &["run elastic-bar --scheme generalized-alpha-ggl --set scheme.activation=predicted --end 2"],
        what: "E(2 s) of 201 coordinates [J]",
        read: |r| r[0].energy_at(2.0),
        expected: Near(497.3055, 1e-3, OWN),
    },
    Row {
        item: 66,
        asks: "perspective: friction in GGL, with joints",
        commands: &[
            "run pendulum --set model.friction=0.6 --end 2",
            "run rotating-beam --set model.friction=0.3 --end 0.5",
        ],
        what: "deepest penetration of pendulum and beam [m]",
        read: |r| r[0].number("/verdicts/gap/worst").max(r[1].number("/verdicts/gap/worst")),
        expected: Below(1e-12),
    },
];
