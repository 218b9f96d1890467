//! The schemes by name, with the parameters they take and the models they move.

/// One row of the list of schemes.
pub struct SchemeEntry {
    /// The word in a scenario.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The parameters it takes.
    pub parameters: &'static [&'static str],
    /// The models it moves.
    pub models: &'static str,
}

/// Every scheme of this version.
pub const SCHEMES: &[SchemeEntry] = &[
    SchemeEntry {
        name: "moreau-jean",
        summary: "θ-scheme with impulses at velocity level; dissipative for ½ ≤ θ ≤ 1/(1+e)",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law", "gyroscopic"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "moreau-jean-midpoint",
        summary: "the variant with midpoint positions; dissipative for every θ ≥ ½ and every e",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "moreau-jean-fremond",
        summary: "moreau-jean with friction_law = \"fremond\": friction that cannot create energy",
        parameters: &["theta", "activation", "prediction", "projection", "friction_law", "gyroscopic"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "newmark",
        summary: "nonsmooth Newmark (β, γ); dissipative for 2β ≥ γ ≥ ½",
        parameters: &["beta", "gamma", "preset", "activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "hht",
        summary: "nonsmooth Hilber–Hughes–Taylor, α ∈ [0, 1/3]",
        parameters: &["alpha", "beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "generalized-alpha",
        summary: "nonsmooth generalized-α (Chung–Hulbert by ρ∞, or free α_m, α_f, β, γ)",
        parameters: &[
            "rho_inf",
            "alpha_m",
            "alpha_f",
            "beta",
            "gamma",
            "preset",
            "activation",
            "prediction",
            "friction_law",
        ],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "kh-generalized-alpha",
        summary: "generalized-α with Krenk–Høgsberg weighting: loads and damping stay out of the filters",
        parameters: &[
            "rho_inf",
            "alpha",
            "alpha_m",
            "alpha_f",
            "beta",
            "gamma",
            "preset",
            "activation",
            "prediction",
            "friction_law",
        ],
        models: "linear",
    },
    SchemeEntry {
        name: "implicit-newmark",
        summary: "fully implicit Newmark, contact force inside the acceleration (γ = 1, β = 0.5625)",
        parameters: &["beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "naive-newmark-velocity",
        summary: "a deliberate failure: trapezoidal rule carrying the impulse in the acceleration; energy grows",
        parameters: &["beta", "gamma", "activation", "prediction", "friction_law"],
        models: "linear",
    },
    SchemeEntry {
        name: "naive-newmark-position",
        summary: "a deliberate failure: contact law on positions; the rebound depends on the impact phase",
        parameters: &["beta", "gamma"],
        models: "linear",
    },
    SchemeEntry {
        name: "generalized-alpha-ggl",
        summary: "generalized-α with contacts and joints satisfied at position and velocity level: nothing penetrates",
        parameters: &["rho_inf", "activation", "solution", "friction_law"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "generalized-alpha-modified-lcp",
        summary: "the comparison scheme 0 ≤ g ⟂ ν − hΛ ≥ 0; it chatters at rest",
        parameters: &["rho_inf", "activation"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "smooth-generalized-alpha",
        summary: "the comparison scheme of index 3 without an impact law; energy grows at impacts",
        parameters: &["rho_inf"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "energy-momentum",
        summary: "discrete gradients: the energy identity exact for nonlinear potentials, gaps and joints",
        parameters: &["activation", "prediction", "friction_law"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "schatzman-paoli",
        summary: "two-step scheme with the contact law on positions, g_{k+1} + e g_{k−1} ≥ 0; order 1",
        parameters: &["theta"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "d0-constant",
        summary: "time-discontinuous Galerkin of degree 0: symplectic Euler with impulses; order 1",
        parameters: &["activation", "prediction", "friction_law"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "d1-minus-linear",
        summary: "time-discontinuous Galerkin of degree 1, half-explicit: order 2 in smooth motion, 1 with impacts",
        parameters: &["activation"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "splitting",
        summary: "a Runge–Kutta step of the smooth motion, then an impact; variant 2 keeps persistent contacts in the flow",
        parameters: &["variant"],
        models: "linear, nonlinear",
    },
    SchemeEntry {
        name: "event-driven",
        summary: "the smooth motion to a tolerance from event to event, every impact, closing, opening, stick and slip located",
        parameters: &["tolerance", "method", "cut", "friction_law"],
        models: "linear, nonlinear, bodies",
    },
    SchemeEntry {
        name: "runge-kutta-moreau",
        summary: "Runge–Kutta of order 1 to 8 between events, each bracketed to C h^{p+1} and crossed by a Moreau step",
        parameters: &["order", "tableau", "bracket", "cut"],
        models: "linear, nonlinear, bodies",
    },
];
