//! The command line.

use crate::settle_command::SettleOptions;
use clap::{Parser, Subcommand, ValueEnum};
use percussion::scenario::{Choice, TableFormat};
use percussion::solve::friction::DeviceChoice;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Mechanical systems with contact and impact, with an energy ledger that closes.
///
/// Without a command: runs the built-in demonstration, prints its verdicts and writes percussion-report.html.
///
/// Exit codes: 0 good, 2 usage, 3 invalid input, 4 numerical failure, 5 a certificate failed, 7 input or output,
/// 130 interrupted; the steps made are kept, and `percussion resume` goes on.
#[derive(Debug, Parser)]
#[command(name = "percussion", version, arg_required_else_help = false)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How a robot is taken over.
#[derive(Debug, Default, clap::Args)]
pub struct RobotOptions {
    /// With --from: the root link is free instead of fixed (URDF)
    #[arg(long, requires = "from")]
    pub floating: bool,
    /// With --from: a floor below its lowest point
    #[arg(long, requires = "from")]
    pub floor: bool,
    /// With --from: joint=angle,… at the start [rad or m], or the name of a keyframe
    #[arg(long, requires = "from", value_name = "JOINT=ANGLE,…", allow_hyphen_values = true)]
    pub pose: Option<String>,
    /// With --from: replace inertias that no body has by the nearest one that a body has
    #[arg(long, requires = "from")]
    pub mend_inertia: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented scenario to start from
    New {
        /// Name of the scenario; NAME.toml is written
        name: String,
        /// What to make it from: a scenario file, a built-in scenario, or a robot in URDF, MJCF or SDF; what is not taken over is listed
        #[arg(long, value_name = "SCENARIO|FILE")]
        from: Option<PathBuf>,
        #[command(flatten)]
        robot: RobotOptions,
        /// What kind of model to begin with
        #[arg(long, value_enum, value_name = "KIND", conflicts_with = "from")]
        template: Option<Template>,
    },
    /// Print a scenario: what is written in it, or with --resolved everything a run of it would use
    Show {
        /// A scenario file, or the name of a built-in scenario
        scenario: String,
        /// With every default written out
        #[arg(long)]
        resolved: bool,
    },
    /// Run a scenario into a folder
    Run(RunOptions),
    /// Validate a scenario without running it
    Check(CheckOptions),
    /// Run a scenario by several schemes: energy split, penetration, drift and cost of each, and one page about all
    Compare(CompareOptions),
    /// Error against step: fitted order with its scatter, and error against work
    Converge(ConvergeOptions),
    /// How schemes treat a mode of frequency ω in smooth motion: spectral radius, period error and damping against h ω
    Spectrum(SpectrumOptions),
    /// Continue a run that was interrupted or killed, with the same bytes as if nothing had been; or a finished one to a later end
    Resume(ResumeOptions),
    /// Frequencies and shapes of small vibrations of bodies and beams about where a scenario starts
    Modes(ModesOptions),
    /// Bring a scene of bodies and beams to rest: its equilibrium with contact, as a scenario that starts there
    Settle(SettleOptions),
    /// (Re)write the HTML page of a run; several runs make a comparison
    Report {
        /// Folders of runs
        #[arg(required = true)]
        runs: Vec<PathBuf>,
        /// The page, - for standard output [default: report.html in the run's folder; percussion-report.html for several runs]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Draw a figure of a run as SVG, PNG or PDF; several runs are overlaid
    Plot(PlotOptions),
    /// Copy the tables of a run to another folder or format
    Export {
        /// Folder of a run
        run: PathBuf,
        /// Format: csv, parquet or hdf5 (the tables), vtk (for ParaView) or fclib (the contact problems of the steps, as HDF5)
        #[arg(long, value_name = "FORMAT")]
        to: String,
        /// Folder for the files; Parquet and HDF5 go beside the run's tables without it
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Recompute energies, gaps, velocities, impulses and works from what is stored
    Verify {
        /// Folder of a run
        run: PathBuf,
        /// Print the checks as JSON
        #[arg(long)]
        json: bool,
    },
    /// Solve contact problems from files (LCP, MLCP, friction local or global, rolling; .dat or FCLIB .hdf5)
    Solve(SolveOptions),
    /// Build the gallery of the papers' figures: pages that say what agrees, what does not, and by how much
    Reproduce(ReproduceOptions),
    /// Run a parameter study; failed runs are rows, and the same command goes on where it stopped
    Sweep(SweepOptions),
    /// Sections, bifurcation diagrams, basins, periodic orbits and exponents, as [dynamics] of the scenario says
    Dynamics(DynamicsOptions),
    /// Write a page that holds a scenario and the simulator: change it, run it and share it in a browser, offline
    Play(PlayOptions),
    /// Derivatives of states, energies and times of impacts with respect to keys of the scenario
    Sensitivity(SensitivityCommand),
    /// List what there is
    List {
        /// What to list
        #[arg(value_enum)]
        what: What,
    },
    /// Say what an error code means and what to do
    Explain {
        /// Such as E120
        code: String,
    },
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A bouncing ball, from matrices
    Ball,
    /// Rigid bodies with friction
    Bodies,
    /// A driven linkage with a stop
    Mechanism,
    /// An elastic block in finite elements, with its mesh
    Solid,
    /// A model of your own as formulas
    Formula,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum What {
    /// Schemes with their parameters
    Schemes,
    /// Solvers of contact problems
    Solvers,
    /// Built-in scenarios
    Scenarios,
    /// JSON Schema of a scenario
    Schema,
}

/// Where many contacts are swept.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Place {
    /// On the cores
    Cpu,
    /// On a GPU, or not at all
    Gpu,
    /// On a GPU where there is one
    Auto,
}

impl From<Place> for DeviceChoice {
    fn from(place: Place) -> Self {
        match place {
            Place::Cpu => Self::Cpu,
            Place::Gpu => Self::Gpu,
            Place::Auto => Self::Auto,
        }
    }
}

/// What changes a scenario before it runs.
#[derive(Clone, Debug, clap::Args)]
pub struct Changes {
    /// Use this scheme instead of the scenario's
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// Length of a step [s]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<f64>,
    /// End of the run [s]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub end: Option<f64>,
    /// Set any key of the scenario, dotted: --set scheme.theta=0.6, --set model.contact.0.restitution=0.5
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Move an initial state that penetrates or violates a joint to the nearest admissible one
    #[arg(long, value_enum, value_name = "HOW")]
    pub fix_initial: Option<FixInitial>,
    /// Let the scenario read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print the result as JSON (of a run its summary.json), and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, clap::Args)]
pub struct RunOptions {
    /// A scenario file, or the name of a built-in scenario
    pub scenario: String,
    /// Folder for the results, made if missing [default: percussion-runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub changes: Changes,
    /// Start where another run was, at its end or at time T: same bodies by name, or as many coordinates
    #[arg(long, value_name = "RUN[@T]")]
    pub from: Option<String>,
    /// Threads for contacts between bodies and for large solids [default: all cores]; results never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Compute in the arithmetic of the page of `percussion play`: the same bits on every machine, slower
    #[arg(long)]
    pub portable: bool,
    /// Where many contacts are swept [default: as the scenario says, else cpu]; results never depend on this
    #[arg(long, value_enum, value_name = "WHERE")]
    pub device: Option<Place>,
    /// Format of the tables
    #[arg(long, value_enum, default_value = "csv")]
    pub format: Format,
    #[command(flatten)]
    pub checkpoints: Checkpoints,
}

#[derive(Debug, clap::Args)]
pub struct PlayOptions {
    /// A scenario file, or the name of a built-in scenario
    pub scenario: String,
    /// The page [default: NAME-play.html]
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// Let the scenario read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ResumeOptions {
    /// Folder of a run
    pub run: PathBuf,
    /// Continue to this end, also of a finished run [s]
    #[arg(long, value_name = "T")]
    pub end: Option<f64>,
    /// Threads for contacts between bodies and for large solids [default: all cores]; results never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Where many contacts are swept [default: as the scenario says, else cpu]; results never depend on this
    #[arg(long, value_enum, value_name = "WHERE")]
    pub device: Option<Place>,
    /// Continue in the portable arithmetic, as a run with --portable began
    #[arg(long)]
    pub portable: bool,
    /// Format of the tables
    #[arg(long, value_enum, default_value = "csv")]
    pub format: Format,
    #[command(flatten)]
    pub checkpoints: Checkpoints,
    /// Print summary.json to standard output and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

/// What is drawn of a run.
#[derive(Clone, Debug, clap::Args)]
pub struct Chosen {
    /// Coordinates, contacts and joints by name: ball.x, "crank pin", q12; * matches any characters
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The part of the time that is shown [s]: 0.5,0.8
    #[arg(long, value_name = "A,B", value_parser = window, allow_hyphen_values = true)]
    pub time: Option<(f64, f64)>,
}

impl Chosen {
    /// What the library is asked to draw.
    pub fn choice(&self) -> Choice {
        Choice { only: self.only.clone(), window: self.time }
    }
}

fn window(text: &str) -> Result<(f64, f64), String> {
    let parts: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match parts[..] {
        [from, to] if from < to => Ok((from, to)),
        _ => Err("give two times, the earlier first: 0.5,0.8".to_string()),
    }
}

#[derive(Debug, clap::Args)]
pub struct PlotOptions {
    /// Folders of runs
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// energy, works, residual, gaps, positions, velocities, impulses, with friction sliding and friction, with joints reactions and joints; the singular does too
    #[arg(long, value_name = "NAME", required_unless_present = "y", conflicts_with = "y")]
    pub figure: Option<String>,
    /// Any columns of the tables: ball.x, q0, energy, gap, f_n, reactions.fx
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub y: Vec<String>,
    /// The column they are drawn against; s draws columns of beams.csv along the beams, at a few instants
    #[arg(long, value_name = "COLUMN", requires = "y", default_value = "t")]
    pub x: String,
    #[command(flatten)]
    pub chosen: Chosen,
    /// The file, ending in .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// How often a run is saved so that it can be continued.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Checkpoints {
    /// Seconds between two checkpoints; results do not depend on it
    #[arg(long = "checkpoint", value_name = "S", default_value = "10", value_parser = seconds)]
    every: Duration,
}

impl Checkpoints {
    /// The time between two.
    pub fn every(&self) -> Duration {
        self.every
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let s: f64 = text.parse().map_err(|_| "give a number of seconds".to_string())?;
    Duration::try_from_secs_f64(s).map_err(|_| "give a number of seconds that is not negative".to_string())
}

#[derive(Debug, clap::Args)]
pub struct CheckOptions {
    /// A scenario file, or the name of a built-in scenario
    pub scenario: String,
    #[command(flatten)]
    pub changes: Changes,
}

#[derive(Debug, clap::Args)]
pub struct SolveOptions {
    /// Files of contact problems
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A solver's name, auto, or all to compare every one that applies
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub solver: String,
    /// Kind of the problems; auto finds it from the structure of the file
    #[arg(long, value_enum, default_value = "auto")]
    pub kind: ProblemKind,
    /// Accept when both residuals are below this [default: 1e-10]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Seconds for each problem and solver; without it the number of iterations is limited instead
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
    /// Print one JSON object per problem and line, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Folder for the solutions, <file name>.csv
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct SweepOptions {
    /// A file with [sweep]
    pub sweep: String,
    /// Folder for the table, made if missing [default: percussion-runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Part i of n only, for job arrays: --shard 3/16; the last to finish writes the table
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Threads to use, all cores by default; the table never depends on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Format of the table
    #[arg(long, value_enum, default_value = "csv")]
    pub format: StudyFormat,
    /// Let sweep and scenario read files outside their own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print what was done as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, clap::Args)]
pub struct SensitivityCommand {
    /// A scenario: a file, or the name of a built-in scenario
    pub scenario: String,
    /// What is differentiated, with commas: q0,v1,energy,lost,"impact 0" [default: coordinates, velocities and energy]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub of: Vec<String>,
    /// Keys by which it is differentiated, with commas, dotted as in --set
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    pub wrt: Vec<String>,
    /// When, with commas [s] [default: at the end]
    #[arg(long, value_name = "TIMES", value_delimiter = ',', allow_negative_numbers = true)]
    pub at: Vec<f64>,
    /// Folder for the tables, made if missing [default: percussion-runs/NAME-sensitivity]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub changes: Changes,
    /// Threads to use, all cores by default; results never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub struct ModesOptions {
    /// A scenario of bodies: a file, or the name of a built-in scenario
    pub scenario: String,
    /// How many, from the lowest
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub number: u32,
    /// The time whose loads act [s]
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub at: f64,
    /// Vibrations about where another run was, at its end or at time T, instead of the start: same bodies by name
    #[arg(long, value_name = "RUN[@T]")]
    pub from: Option<String>,
    /// A CSV file for the shapes: a row for each mode and body
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// An HTML page with a moving picture of each mode
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Set any key of the scenario, dotted: --set beam.0.elements=16
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Let the scenario read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print frequencies as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct DynamicsOptions {
    /// A scenario with [dynamics]: a file, or the name of a built-in scenario
    pub scenario: String,
    /// Folder for tables and figures, made if missing [default: percussion-runs/NAME-dynamics]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Use this scheme instead of the scenario's
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// Set any key of the scenario, dotted: --set dynamics.points=100
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Part i of n of a basin, of exponents or of a diagram with carry = false, for job arrays: --shard 3/16; the last to finish writes the tables
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Format of the tables
    #[arg(long, value_enum, default_value = "csv")]
    pub format: StudyFormat,
    /// Threads to use, all cores by default; results never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Let the scenario read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print what was made as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

/// What is studied, and how.
#[derive(Debug, clap::Args)]
pub struct StudyOptions {
    /// A scenario file, or the name of a built-in scenario
    pub scenario: String,
    /// Schemes, each NAME or NAME:key=value:key=value; keys without a dot belong to [scheme]: moreau-jean,moreau-jean:theta=1
    #[arg(long, value_name = "A,B,…", required = true, value_delimiter = ',')]
    pub schemes: Vec<String>,
    /// Folder for tables and page, made if missing [default: percussion-runs/NAME-compare or NAME-converge]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End of the runs [s]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub end: Option<f64>,
    /// Set any key of the scenario, dotted, for all runs
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Move an initial state that penetrates or violates a joint to the nearest admissible one
    #[arg(long, value_enum, value_name = "HOW")]
    pub fix_initial: Option<FixInitial>,
    /// Threads to use, all cores by default; results never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Print the result as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, clap::Args)]
pub struct CompareOptions {
    #[command(flatten)]
    pub study: StudyOptions,
    /// Length of a step [s]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct ConvergeOptions {
    #[command(flatten)]
    pub study: StudyOptions,
    /// Lengths of steps [s]: 1e-2,5e-3,2.5e-3
    #[arg(
        long,
        value_name = "H,H,…",
        value_delimiter = ',',
        required_unless_present = "tolerances",
        conflicts_with = "tolerances"
    )]
    pub steps: Vec<f64>,
    /// Tolerances of adaptive steps instead: 1e-2,1e-3,1e-4
    #[arg(long, value_name = "T,T,…", value_delimiter = ',')]
    pub tolerances: Vec<f64>,
    /// Measure against this scheme, with an eighth of the smallest step or its own time.step, instead of the exact motion
    #[arg(long, value_name = "SCHEME")]
    pub reference: Option<String>,
    /// Also the Hausdorff distance of the filled-in graphs
    #[arg(long)]
    pub hausdorff: bool,
    /// Also errors in the norm Lᵖ, p ≥ 1
    #[arg(long, value_name = "P")]
    pub norm: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct SpectrumOptions {
    /// Schemes, each NAME or NAME:key=value:key=value: newmark,hht:alpha=0.1
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    pub schemes: Vec<String>,
    /// Frequencies h ω [default: 61 between 0.01 and 1e4]
    #[arg(long, value_name = "X,X,…", value_delimiter = ',')]
    pub frequencies: Vec<f64>,
    /// Folder for table and page, made if missing [default: percussion-runs/spectrum]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the result as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, clap::Args)]
pub struct ReproduceOptions {
    /// Names of pages; all without any
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Folder for the pages [default: percussion-papers]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Leave out the long runs
    #[arg(long)]
    pub short: bool,
    /// Write every built-in scenario to play with instead: one page that computes, and links into it [default folder: percussion-live]
    #[arg(long, conflicts_with_all = ["names", "short"])]
    pub live: bool,
    /// Threads to use, all cores by default; pages never depend on this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Print what was built as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProblemKind {
    /// From the structure of the file
    Auto,
    /// Linear complementarity
    Lcp,
    /// Linear complementarity with equalities
    Mlcp,
    /// Friction in the plane, local form
    Fc2d,
    /// Friction in space, local form
    Fc3d,
    /// Friction in the plane, global form
    Gfc2d,
    /// Friction in space, global form
    Gfc3d,
    /// Rolling friction, local or global form
    Rolling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FixInitial {
    /// Nearest in the mass metric
    Project,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated text
    Csv,
    /// Parquet files beside the text
    Parquet,
    /// One HDF5 file, run.h5, beside the text (where the program was built with it)
    Hdf5,
}

/// Formats of the tables of studies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyFormat {
    /// Comma-separated text
    Csv,
    /// Parquet files beside the text
    Parquet,
}

impl From<StudyFormat> for TableFormat {
    fn from(format: StudyFormat) -> Self {
        match format {
            StudyFormat::Csv => Self::Csv,
            StudyFormat::Parquet => Self::Parquet,
        }
    }
}

impl From<Format> for TableFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Csv => Self::Csv,
            Format::Parquet => Self::Parquet,
            Format::Hdf5 => Self::Hdf5,
        }
    }
}
