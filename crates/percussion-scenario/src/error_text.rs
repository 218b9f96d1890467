//! Errors as text, the same on a terminal and on a page: code, file:line, the line itself, the object, the fact and the remedy.

use crate::error::ScenarioError;
use percussion_step::StepFailure;

/// The colours of a text, where it has any.
pub trait Colours {
    /// Headings.
    fn bold(&self, text: &str) -> String {
        text.into()
    }

    /// Errors.
    fn red(&self, text: &str) -> String {
        text.into()
    }

    /// Line numbers and the like.
    fn blue(&self, text: &str) -> String {
        text.into()
    }

    /// What may be overlooked.
    fn dim(&self, text: &str) -> String {
        text.into()
    }
}

/// Text without colours.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Colours for Plain {}

/// An error as the program prints it: code and title, file and line, the line itself with what is meant, the fact, the remedy.
pub fn error_text(error: &ScenarioError, paint: &dyn Colours) -> String {
    let mut text = format!("{} {}", paint.red(&format!("error[{}]:", error.code)), paint.bold(error.code.title()));
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

/// A failed step as the program prints it, without what was kept.
pub fn failure_text(failure: &StepFailure, paint: &dyn Colours) -> String {
    let (head, title) = (format!("error[{}]:", failure.code), failure.code.title());
    let (equals, StepFailure { t, message, help, .. }) = (paint.blue("="), failure);
    let help = if help.is_empty() { String::new() } else { format!("\n {equals} help: {}", clean(help)) };
    format!("{} {}\n {equals} step at t = {t} s: {}{help}", paint.red(&head), paint.bold(title), clean(message))
}

/// Control characters of a file's name or a key must not reach the terminal, line feeds included: no name makes lines of its own.
/// Nor do characters that turn the direction of writing.
pub fn clean(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || turns(c) { '�' } else { c }).collect()
}
