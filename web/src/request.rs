//! What a page asks for, and how much of it at most.

use serde::Deserialize;

/// What is wanted.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The version and the JSON Schema of scenarios that this simulator reads.
    Schema,
    /// The numbers of the scenario and the schemes that take it.
    Describe,
    /// One run, or several side by side.
    Run,
    /// Errors over a range of steps.
    Converge,
}

/// How one run departs from the text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// Another scheme.
    pub scheme: Option<String>,
    /// Keys, as in `--set`.
    pub set: Vec<String>,
}

/// One question.
#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    /// What is wanted.
    pub kind: Kind,
    /// What messages call the scenario.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The runs; of a study the schemes.
    #[serde(default)]
    pub runs: Vec<Changes>,
    /// Whether the tables are wanted in full.
    #[serde(default)]
    pub tables: bool,
}

/// What is refused, so that nobody's link runs for ever or fills a memory.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of text.
    pub text: usize,
    /// Steps of a run.
    pub steps: u64,
    /// Numbers in the tables of a run.
    pub numbers: u64,
    /// Runs side by side.
    pub runs: usize,
    /// Bytes that the simulator may hold.
    pub memory: usize,
    /// Seconds of a run.
    pub seconds: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { text: 1 << 20, steps: 5_000_000, numbers: 40_000_000, runs: 4, memory: 1 << 30, seconds: 120.0 }
    }
}
