//! The exit codes of the contract.

use percussion::model::Code;
use percussion::scenario::ScenarioError;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Good, warnings included.
    Good,
    /// A command line that cannot be understood, or is not in this version.
    Usage,
    /// Invalid input.
    Input,
    /// Numerical failure; the results up to it are kept.
    Numerical,
    /// Finished, but a certificate failed.
    Certificate,
    /// A file could not be written, or a run's file is missing.
    Files,
    /// Stopped by the user.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Numerical => 4,
            Self::Certificate => 5,
            Self::Files => 7,
            Self::Interrupted => 130,
        }
    }

    /// Of a refused scenario or file: a run folder without its file is I/O, a file that cannot be understood is input.
    pub fn of(error: &ScenarioError) -> Self {
        if error.code == Code::NOT_BUILT {
            return Self::Usage;
        }
        let files = [Code::UNWRITABLE, Code::BAD_CHECKPOINT, Code::NO_ROOM];
        if files.contains(&error.code) || (error.code == Code::BAD_RUN && error.place.is_none()) {
            Self::Files
        } else {
            Self::Input
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
