//! Items of Acary (2016): linear dynamics, schemes, energy lemmas and propositions.

use super::Expected::{Below, Near};
use super::made::{apart, size};
use super::{OWN, Row};

macro_rules! loaded {
    ($($more:literal)?) => {
        concat!("run docs/book/paper-items/loaded.toml", $($more)?)
    };
}
const DISSIPATION: &str = "reproduce dissipation --short";

pub const ROWS: &[Row] = &[
    Row {
        item: 1,
        asks: "(2), (7) linear dynamics with M, C, K, F(t), G, w",
        commands: &[loaded!()],
        what: "q₀(1 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.003121879209, 1e-11, OWN),
    },
    Row {
        item: 2,
        asks: "any F(t): a table",
        commands: &["run docs/book/paper-items/tabulated.toml"],
        what: "v(1 s) [m/s], the impulse of the load over m",
        read: |r| r[0].end("v0"),
        expected: Near(1.0, 1e-12, "area of the triangle"),
    },
    Row {
        item: 3,
        asks: "(5), (6) Newton's law, e per contact: three contacts in one place with e = 0.2, 0.9, 0.5",
        commands: &["run docs/book/paper-items/three-contacts.toml"],
        what: "−U⁺/U⁻ of the first impact",
        read: |r| -r[0].column("events", "u_n_after")[0] / r[0].column("events", "u_n_before")[0],
        expected: Near(0.9, 1e-9, "the largest e"),
    },
    Row {
        item: 4,
        asks: "(14)–(20) energy balance, work of impulses by the mean velocity",
        commands: &["run bouncing-ball --set scheme.theta=1 --set model.contact.0.restitution=1 --end 1"],
        what: "largest residual of the balance, over the energy",
        read: |r| r[0].residual(),
        expected: Below(1e-13),
    },
    Row {
        item: 5,
        asks: "(21) Moreau–Jean with θ",
        commands: &["run bouncing-ball --set scheme.activation=predicted-and-closing --end 4"],
        what: "q(4 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.1995818621343, 1e-10, OWN),
    },
    Row {
        item: 6,
        asks: "(24) index set of contacts predicted to close and closing",
        commands: &["run bouncing-ball --set scheme.activation=predicted-and-closing --end 4"],
        what: "v(4 s) [m/s]",
        read: |r| r[0].end("v0"),
        expected: Near(-0.01111111112219, 1e-9, OWN),
    },
    Row {
        item: 7,
        asks: "other strategies: projection",
        commands: &["run bouncing-ball --set scheme.projection=paid --set model.contact.0.restitution=0"],
        what: "gap at rest [m]; −3e-3 without",
        read: |r| r[0].end("q0") - 0.2,
        expected: Below(2e-6),
    },
    Row {
        item: 8,
        asks: "(25) nonsmooth generalized-α with load and damping",
        commands: &[loaded!(" --scheme generalized-alpha --set scheme.rho_inf=0.8")],
        what: "q₀(1 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.007513007618, 1e-11, OWN),
    },
    Row {
        item: 9,
        asks: "(26), (27) order condition, ρ∞, free α_m, α_f, β, γ",
        commands: &[loaded!(" --scheme generalized-alpha --set scheme.alpha_m=0.1 --set scheme.alpha_f=0.3")],
        what: "v₁(1 s) [m/s]",
        read: |r| r[0].end("v1"),
        expected: Near(1.184730779751, 1e-10, OWN),
    },
    Row {
        item: 10,
        asks: "(28) nonsmooth Newmark",
        commands: &[loaded!(" --scheme newmark --set scheme.beta=0.36 --set scheme.gamma=0.6")],
        what: "q₀(1 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.006889392995, 1e-11, OWN),
    },
    Row {
        item: 11,
        asks: "(29) the variant is Newmark with 2β = γ = θ",
        commands: &[
            loaded!(" --scheme moreau-jean-midpoint --set scheme.theta=0.7"),
            loaded!(" --scheme newmark --set scheme.beta=0.35 --set scheme.gamma=0.7"),
        ],
        what: "largest difference of q and v",
        read: |r| apart(r, &["q0", "q1", "v0", "v1"]),
        expected: Below(1e-12),
    },
    Row {
        item: 12,
        asks: "the variant (29) on nonlinear models",
        commands: &[
            "run rocking-block --scheme moreau-jean-midpoint --set scheme.theta=0.6 --end 1",
            "run rocking-block --scheme newmark --set scheme.beta=0.3 --set scheme.gamma=0.6 --end 1",
        ],
        what: "largest difference of q and v from Newmark with 2β = γ = θ",
        read: |r| apart(r, &["q1", "q2", "v1", "v2"]),
        expected: Below(1e-10),
    },
    Row {
        item: 13,
        asks: "(30) KH, on linear and nonlinear models",
        commands: &["run docs/book/paper-items/spring.toml", "run docs/book/paper-items/spring-formula.toml"],
        what: "largest difference of the linear and the formula model",
        read: |r| apart(r, &["q0", "v0"]),
        expected: Below(1e-11),
    },
    Row {
        item: 14,
        asks: "Hilber, Hughes and Taylor's own weighting; Wood, Bossak and Zienkiewicz",
        commands: &[loaded!(
            " --scheme kh-generalized-alpha --set scheme.preset=hilber-hughes-taylor --set scheme.alpha=0.1"
        )],
        what: "q₀(1 s) [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.0075848043, 1e-11, OWN),
    },
    Row {
        item: 15,
        asks: "HHT with α ∈ [0, 1/3], proposition 3 up to ½",
        commands: &["run impact-oscillator --scheme generalized-alpha --set scheme.alpha_m=0 --set scheme.alpha_f=0.4"],
        what: "largest gain of H in a step, over H; the condition holds",
        read: |r| r[0].gain() + 1.0 - r[0].number("/guarantee/holds"),
        expected: Below(1e-13),
    },
    Row {
        item: 16,
        asks: "lemma 1, (33), and proposition 1, (40)",
        commands: &[DISSIPATION],
        what: "largest gain inside the condition, over the energy",
        read: |r| r[0].finding("Moreau–Jean dissipates"),
        expected: Below(1e-13),
    },
    Row {
        item: 17,
        asks: "(42)–(45) θ = ½ for every e; the bound is not sharp",
        commands: &[DISSIPATION],
        what: "largest gain at θ = ½, over the energy",
        read: |r| r[0].finding("θ = ½ dissipates"),
        expected: Below(1e-13),
    },
    Row {
        item: 18,
        asks: "remark 1: ρ∞ = 1, ν = 0",
        commands: &[loaded!(" --scheme generalized-alpha --set scheme.rho_inf=1")],
        what: "largest residual of (58), over the energy",
        read: |r| r[0].residual(),
        expected: Below(1e-13),
    },
    Row {
        item: 19,
        asks: "(55) H with filters x, y, z; lemma 2, (58)",
        commands: &[loaded!(" --scheme generalized-alpha --set scheme.rho_inf=0.8")],
        what: "largest residual of (58), over the energy",
        read: |r| r[0].residual(),
        expected: Below(1e-13),
    },
    Row {
        item: 20,
        asks: "(58) concludes only for constant F and C = 0; filtered works elsewhere, and said so",
        commands: &["run docs/book/paper-items/driven.toml"],
        what: "filtered work of the load [J]; the verdict's level is \"filtered\"",
        read: |r| if r[0].word("/verdicts/energy/level") == "filtered" { r[0].sum("work_external") } else { f64::NAN },
        expected: Near(26.3455648, 1e-6, OWN),
    },
    Row {
        item: 21,
        asks: "proposition 2, (73)–(77): KH with any load and damping",
        commands: &[loaded!(" --scheme kh-generalized-alpha --set scheme.rho_inf=0.8")],
        what: "largest gain of H over the plain works in a step, over H",
        read: |r| r[0].gain(),
        expected: Below(1e-13),
    },
    Row {
        item: 22,
        asks: "propositions 3 and 4, corollary 1: (81), (87), (90)–(92)",
        commands: &[loaded!(" --scheme hht --set scheme.alpha=0.1"), loaded!(" --scheme newmark")],
        what: "largest residual of (81) and (90), over the energy",
        read: |r| r[0].residual().max(r[1].residual()),
        expected: Below(1e-13),
    },
    Row {
        item: 23,
        asks: "the work of dampers has no sign, and a run says so",
        commands: &["run docs/book/paper-items/driven.toml --set scheme.rho_inf=0"],
        what: "filtered work of the damper [J]; the guarantee warns of its sign",
        read: |r| {
            let warned = r[0].word("/guarantee/reason").contains("the sign of the damper's work is not guaranteed");
            if warned { r[0].sum("work_damping") } else { f64::NAN }
        },
        expected: Near(-22.87751854, 1e-6, OWN),
    },
    Row {
        item: 24,
        asks: "bounded energy, hence stability",
        commands: &["run elastic-bar --scheme newmark --set scheme.beta=0.5 --set scheme.gamma=1"],
        what: "largest H over the first, less 1",
        read: |r| size(&r[0].ledger("algorithmic_energy")) / r[0].ledger("algorithmic_energy")[0] - 1.0,
        expected: Below(1e-12),
    },
    Row {
        item: 25,
        asks: "perspective 1: Coulomb friction",
        commands: &["run sliding-block"],
        what: "where the block stops [m]",
        read: |r| r[0].end("q0"),
        expected: Near(0.169894, 1e-5, "v²/(2μg)"),
    },
    Row {
        item: 26,
        asks: "perspective 2: nonlinear models with a discrete derivative",
        commands: &["run pendulum --scheme energy-momentum --end 0.3"],
        what: "change of energy before the impact [J]",
        read: |r| r[0].energy_at(0.3) - r[0].energy_at(0.0),
        expected: Below(1e-11),
    },
    Row {
        item: 27,
        asks: "perspective 3: contacts at position level with an energy theorem",
        commands: &["run bouncing-ball --scheme landing --set model.contact.0.restitution=1"],
        what: "energy that contacts took in 5 s [J], with the deepest penetration [m]",
        read: |r| r[0].sum("work_contact").abs().max(r[0].number("/verdicts/gap/worst").max(0.0)),
        expected: Below(1e-12),
    },
];
