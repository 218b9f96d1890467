//! Errors on the screen: code, file:line, the line itself, the object, the fact and the remedy.

use crate::complain;
use crate::exit::Exit;
use crate::paint::Paint;
pub use percussion::scenario::clean;
use percussion::scenario::{ScenarioError, error_text, failure_text};
use percussion::step::{StepFailure, Warning};
use serde_json::json;

/// Shows an error and says how to end.
pub fn show(error: &ScenarioError, as_json: bool) -> Exit {
    if as_json {
        let place = error.place;
        let object = json!({
            "error": {
                "code": error.code.as_str(),
                "title": error.code.title(),
                "file": error.file,
                "line": place.map(|p| p.line),
                "column": place.map(|p| p.column),
                "field": error.field,
                "message": error.message,
                "help": error.help,
            }
        });
        complain!("{object}");
    } else {
        complain!("{}", error_text(error, &Paint::stderr()));
    }
    Exit::of(error)
}

/// Shows a step that could not be made.
pub fn show_failure(failure: &StepFailure, kept: &str, as_json: bool) -> Exit {
    if as_json {
        let StepFailure { code, t, message, help, .. } = failure;
        let (code, kept) = (code.as_str(), clean(kept));
        complain!("{}", json!({ "error": { "code": code, "t": t, "message": message, "help": help, "kept": kept } }));
        return Exit::Numerical;
    }
    let paint = Paint::stderr();
    complain!("{}", failure_text(failure, &paint));
    complain!(" {} {}", paint.blue("="), clean(kept));
    Exit::Numerical
}

/// Shows a warning.
pub fn show_warning(warning: &Warning) {
    let paint = Paint::stderr();
    complain!("{} {}", paint.yellow(&format!("warning[{}]:", warning.code)), clean(&warning.message));
}
