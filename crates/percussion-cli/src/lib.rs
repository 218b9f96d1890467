//! The program `percussion`, as a function so that the Python wheel can carry it too. The only crate that prints.

mod args;
mod bar;
mod compare_command;
mod converge_command;
mod demo;
mod dynamics_command;
mod exit;
mod folder_commands;
mod list;
mod modes_command;
mod new_scenario;
mod output;
mod paint;
mod play_command;
mod plot_command;
mod reproduce_command;
mod run_command;
mod sensitivity_command;
mod settle_command;
mod show_error;
mod solve_command;
mod spectrum_command;
mod study;
mod sweep_command;
mod timer;
mod verdict_table;

use args::{Args, Command};
use clap::Parser;
use exit::Exit;
use percussion::scenario::{self, Plain, ScenarioError};
use percussion::step::StepFailure;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

/// Writes a line to standard output; a reader that has gone away is no failure.
macro_rules! say {
    ($($arg:tt)*) => { $crate::output::line(format_args!($($arg)*)) };
}
/// Writes a line to standard error.
macro_rules! complain {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($arg)*);
    }};
}
pub(crate) use {complain, say};

/// The error as the program prints it, without colours.
pub fn error_text(error: &ScenarioError) -> String {
    scenario::error_text(error, &Plain)
}

/// A failed step as the program prints it, without colours and without what was kept.
pub fn failure_text(failure: &StepFailure) -> String {
    scenario::failure_text(failure, &Plain)
}

/// Runs the program on the words of a command line, the first being its own name.
pub fn main_with(words: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    std::process::ExitCode::from(exit_code(words))
}

/// The same with the exit code as a number.
pub fn exit_code(words: impl IntoIterator<Item = OsString>) -> u8 {
    survive_size_limits();
    let args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return Exit::Usage.code();
        }
        // --help and --version
        Err(text) => {
            output::note(text.print().and_then(|()| std::io::stdout().flush()));
            return output::end(Exit::Good).code();
        }
    };
    let exit = match args.command {
        None => demo::demonstrate(),
        Some(Command::New { name, from: Some(from), robot, .. }) => new_scenario::from(&name, &from, &robot),
        Some(Command::New { name, template, .. }) => new_scenario::write(&name, template),
        Some(Command::Show { scenario, resolved }) => list::show_scenario(&scenario, resolved),
        Some(Command::Run(options)) => run_command::run(&options),
        Some(Command::Resume(options)) => run_command::resume(&options),
        Some(Command::Check(options)) => run_command::check(&options),
        Some(Command::List { what }) => list::list(what),
        Some(Command::Explain { code }) => list::explain(&code),
        Some(Command::Report { runs, out, chosen }) => folder_commands::report(&runs, out.as_deref(), &chosen.choice()),
        Some(Command::Plot(options)) => plot_command::plot(&options),
        Some(Command::Export { run, to, out }) => export(&run, &to, out.as_deref()),
        Some(Command::Solve(options)) => solve_command::solve(&options),
        Some(Command::Compare(options)) => compare_command::compare(&options),
        Some(Command::Converge(options)) => converge_command::converge(&options),
        Some(Command::Spectrum(options)) => spectrum_command::spectrum(&options),
        Some(Command::Reproduce(options)) => reproduce_command::reproduce(&options),
        Some(Command::Sweep(options)) => sweep_command::sweep(&options),
        Some(Command::Dynamics(options)) => dynamics_command::dynamics(&options),
        Some(Command::Play(options)) => play_command::play(&options),
        Some(Command::Sensitivity(options)) => sensitivity_command::sensitivities(&options),
        Some(Command::Modes(options)) => modes_command::find_modes(&options),
        Some(Command::Settle(options)) => settle_command::settle_scene(&options),
        Some(Command::Verify { run, json }) => folder_commands::verify(&run, json),
        Some(Command::Other(words)) => other(&words),
    };
    output::end(exit).code()
}

/// A file that reaches its size limit is a file that cannot be written, not the end of the program: with SIGXFSZ blocked, the
/// system says so to whoever writes. Threads inherit this.
fn survive_size_limits() {
    #[cfg(unix)]
    {
        let mut signals = nix::sys::signal::SigSet::empty();
        signals.add(nix::sys::signal::Signal::SIGXFSZ);
        // where it cannot be blocked the signal ends the program, as it would otherwise
        let _ = signals.thread_block();
    }
}

/// The formats of `export`.
fn export(run: &Path, to: &str, out: Option<&Path>) -> Exit {
    match (to, out) {
        ("csv", Some(out)) => folder_commands::export(run, out),
        ("fclib", Some(out)) => folder_commands::export_fclib(run, out),
        ("parquet", out) => folder_commands::export_parquet(run, out.unwrap_or(run)),
        ("hdf5", out) => folder_commands::export_hdf5(run, out.unwrap_or(run)),
        ("csv" | "vtk" | "fclib", None) => {
            complain!("percussion export --to {to}: give the folder for the files with --out DIR");
            Exit::Usage
        }
        ("vtk", Some(out)) => folder_commands::export_vtk(run, out),
        _ => {
            complain!("percussion export knows no format \"{to}\"; it writes csv, parquet, hdf5, vtk and fclib");
            Exit::Usage
        }
    }
}

/// Commands there are not.
fn other(words: &[OsString]) -> Exit {
    const PRESENT: &[&str] = &[
        "new",
        "show",
        "run",
        "resume",
        "check",
        "compare",
        "converge",
        "spectrum",
        "reproduce",
        "report",
        "plot",
        "export",
        "verify",
        "solve",
        "sweep",
        "dynamics",
        "play",
        "sensitivity",
        "modes",
        "settle",
        "list",
        "explain",
    ];
    let word = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    match percussion::scenario::nearest(&word, PRESENT.iter().copied()) {
        Some(near) => complain!("percussion has no command \"{word}\"; did you mean \"{near}\"?"),
        None => complain!("percussion has no command \"{word}\"; `percussion --help` lists them"),
    }
    Exit::Usage
}
