//! Items of Acary and Collins-Craft: Coulomb friction with impacts.

use super::Expected::{Below, Near};
use super::made::apart;
use super::{OWN, Row};

const PAGE: &str = "reproduce friction-energy --short";
const EXACT: &str = "exact numbers of the example";

pub const ROWS: &[Row] = &[
    Row {
        item: 28,
        asks: "(9)–(19) de Saxcé's cone form, lemma 1",
        commands: &["run brick --end 0.5"],
        what: "by how much ‖p_T‖ exceeds μ p_N, over the largest impulse",
        read: |r| r[0].number("/verdicts/cone/worst"),
        expected: Below(1e-10),
    },
    Row {
        item: 29,
        asks: "(28)–(32) Newton's law and Coulomb's with impulses",
        commands: &[PAGE],
        what: "energy of the rod after its impact [J]",
        read: |r| r[0].finding("after it under Newton's law"),
        expected: Near(0.715294, 1e-6, EXACT),
    },
    Row {
        item: 30,
        asks: "(43), (44) this law can create energy; Kane's example",
        commands: &[PAGE],
        what: "gain of the rod in one impact [%]; the scan of Kane's double pendulum is on the whole page, 366 of 10039",
        read: |r| r[0].finding("Newton's law with Coulomb friction can generate energy"),
        expected: Near(8.0, 0.05, EXACT),
    },
    Row {
        item: 31,
        asks: "(45)–(52) Frémond's law; a sticking contact turns u_T back",
        commands: &[PAGE],
        what: "energy of the rod after its impact [J]",
        read: |r| r[0].finding("after it under Frémond's law"),
        expected: Near(0.62445, 1e-6, EXACT),
    },
    Row {
        item: 32,
        asks: "(53)–(62) Moreau–Jean with friction creates energy for any h",
        commands: &[PAGE],
        what: "gain at h = 10 ms [J], the same at 1 and 0.1 ms",
        read: |r| r[0].finding("energy can be generated even by reducing"),
        expected: Near(0.05284, 1e-5, EXACT),
    },
    Row {
        item: 33,
        asks: "(63)–(76) the new scheme with any θ",
        commands: &[
            "run sliding-block --scheme moreau-jean-fremond --set scheme.theta=0.6 --set scheme.activation=predicted-and-closing",
        ],
        what: "where the block stops [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.16889398, 1e-8, OWN),
    },
    Row {
        item: 34,
        asks: "proposition 1, (78), with the largest e",
        commands: &["run slanted-rod --scheme moreau-jean-fremond --set scheme.theta=0.52"],
        what: "largest gain in a step, over the energy; the condition holds",
        read: |r| r[0].gain() + 1.0 - r[0].number("/guarantee/holds"),
        expected: Below(1e-13),
    },
    Row {
        item: 35,
        asks: "curved gaps g(q) with linear dynamics",
        commands: &["run docs/book/paper-items/circle.toml"],
        what: "when the point meets the circle [s]",
        read: |r| r[0].instants("impact")[0],
        expected: Near(0.46180534765, 1e-10, "√(2(2 − √0.91)/g)"),
    },
    Row {
        item: 36,
        asks: "friction in space",
        commands: &["run docs/book/paper-items/rolling.toml"],
        what: "v_y of a ball once it rolls [m/s]",
        read: |r| r[0].end("v7"),
        expected: Near(2.0 / 7.0, 1e-9, "5/7 of 0.4"),
    },
    Row {
        item: 37,
        asks: "finite elements with friction",
        commands: &["run docs/book/paper-items/block.toml"],
        what: "largest residual of the balance, over the energy",
        read: |r| r[0].residual(),
        expected: Below(1e-12),
    },
    Row {
        item: 38,
        asks: "Frémond's law on nonlinear models",
        commands: &[
            "run rocking-block --scheme moreau-jean-fremond --set model.friction=10 --set model.restitution=0 --set model.q0=[0.0,0.8344,0.2] --fix-initial project --step 2e-4 --end 0.36 --set output.every=1",
        ],
        what: "ω⁺/ω⁻ when a block that turns about one corner meets the other",
        read: |r| {
            let (theta, omega) = (r[0].path("q2"), r[0].path("v2"));
            let k = (1..theta.len()).find(|&k| omega[k] - omega[k - 1] > 0.2 && theta[k] < 0.02).expect("the impact");
            omega[k] / omega[k - 1]
        },
        expected: Near(0.5385, 2e-3, "Housner: 1 − (3/2) sin²α"),
    },
    Row {
        item: 39,
        asks: "friction in GGL on nonlinear models",
        commands: &["run docs/book/paper-items/thrown.toml", "run docs/book/paper-items/thrown-formula.toml"],
        what: "largest difference of the linear and the formula model",
        read: |r| apart(r, &["q0", "q1", "v0", "v1"]),
        expected: Below(1e-9),
    },
];
