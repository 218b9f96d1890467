//! Errors on the screen: code, file:line, the line itself, the object, the fact and the remedy.

use crate::complain;
use crate::exit::Exit;
use crate::paint::Paint;
use percussion::model::Code;
use percussion::scenario::ScenarioError;
use percussion::step::{StepFailure, Warning};
use serde_json::json;

/// Shows an error and says how to end.
pub fn show(error: &ScenarioError, as_json: bool) -> Exit {
    if as_json {
        let place = error.place;
        let object = json!({
            "error": {
                "code": error.code.as_str(),
                "title": title(error.code),
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
        complain!("{}", render(error, Paint::stderr()));
    }
    Exit::of(error)
}

fn title(code: Code) -> &'static str {
    Code::explain(code.as_str()).map_or("", |(_, title, _)| title)
}

/// The error as the program prints it, without colours.
pub fn plain_text(error: &ScenarioError) -> String {
    render(error, Paint::none())
}

/// A failed step as the program prints it, without colours and without what was kept.
pub fn plain_failure(failure: &StepFailure) -> String {
    failure_lines(failure, Paint::none())
}

/// The error as text.
fn render(error: &ScenarioError, paint: Paint) -> String {
    let mut text = format!("{} {}", paint.red(&format!("error[{}]:", error.code)), paint.bold(title(error.code)));
    let number = error.place.map_or(String::new(), |p| p.line.to_string());
    let margin = " ".repeat(number.len());
    if let Some(file) = &error.file {
        let place = error.place.map_or(String::new(), |p| format!(":{}:{}", p.line, p.column));
        text += &format!("\n{margin}{} {}{place}", paint.blue("-->"), clean(file));
    }
    if let (Some(place), Some(line)) = (error.place, &error.source_line) {
        let bar = paint.blue("|");
        text += &format!("\n{margin} {bar}\n{} {bar} {line}", paint.blue(&number));
        // a clipped line no longer has the column of the file
        if !line.contains('…') {
            let carets = paint.red(&"^".repeat(place.length.max(1)));
            text += &format!("\n{margin} {bar} {}{carets}", " ".repeat(place.column - 1));
        }
    }
    let equals = paint.blue("=");
    let object = if error.field.is_empty() { String::new() } else { format!("{}: ", paint.bold(&clean(&error.field))) };
    let lines = |text: &str| text.lines().map(clean).collect::<Vec<_>>().join(&format!("\n{margin}   "));
    text += &format!("\n{margin} {equals} {object}{}", lines(&error.message));
    if !error.help.is_empty() {
        text += &format!("\n{margin} {equals} help: {}", lines(&error.help));
    }
    text += &paint.dim(&format!("\n{margin} = more: percussion explain {}", error.code));
    text
}

/// Control characters of a file's name or a key must not reach the terminal, line feeds included: no name makes lines of its own.
/// Nor do characters that turn the direction of writing.
pub fn clean(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || turns(c) { '�' } else { c }).collect()
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
    complain!("{}", failure_lines(failure, paint));
    complain!(" {} {}", paint.blue("="), clean(kept));
    Exit::Numerical
}

fn failure_lines(failure: &StepFailure, paint: Paint) -> String {
    let (head, title) = (format!("error[{}]:", failure.code), title(failure.code));
    let (equals, StepFailure { t, message, help, .. }) = (paint.blue("="), failure);
    format!(
        "{} {}\n {equals} step at t = {t} s: {}\n {equals} help: {}",
        paint.red(&head),
        paint.bold(title),
        clean(message),
        clean(help)
    )
}

/// Shows a warning.
pub fn show_warning(warning: &Warning) {
    let paint = Paint::stderr();
    complain!("{} {}", paint.yellow(&format!("warning[{}]:", warning.code)), clean(&warning.message));
}
