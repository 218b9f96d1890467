//! From a dotted path such as `model.contact[2].restitution` to its place in the text.

use crate::error::{Place, ScenarioError, clip};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// One part of a dotted path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A key of a table.
    Key(String),
    /// A place in a list, from 0.
    Index(usize),
}

/// Splits `a.b[2].c` and `a.b.2.c`; a number after a dot may be either, which the walk decides.
pub fn segments(field: &str) -> Vec<Segment> {
    let mut parts = Vec::new();
    for dotted in field.split('.') {
        let (key, rest) = dotted.split_at(dotted.find('[').unwrap_or(dotted.len()));
        if !key.is_empty() {
            parts.push(Segment::Key(key.to_string()));
        }
        for index in rest.split(['[', ']']).filter(|x| !x.is_empty()) {
            parts.push(index.parse().map_or_else(|_| Segment::Key(index.to_string()), Segment::Index));
        }
    }
    parts
}

/// What of a key is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The key itself.
    Key,
    /// Its value.
    Value,
}

/// The bytes of the deepest existing part of the path.
pub fn locate(text: &str, field: &str, part: Part) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut here: Option<&DeValue> = None;
    for (depth, segment) in segments(field).iter().enumerate() {
        let table = if depth == 0 { Some(root.get_ref()) } else { here.and_then(DeValue::as_table) };
        let next = match segment {
            Segment::Key(name) => match table {
                Some(table) => {
                    table.iter().find(|(key, _)| key.get_ref().as_ref() == name.as_str()).map(|(key, value)| {
                        span = Some(if part == Part::Key { key.span() } else { value.span() });
                        value.get_ref()
                    })
                }
                // a.2.c
                None => name.parse().ok().and_then(|k: usize| element(here, k, &mut span)),
            },
            Segment::Index(k) => element(here, *k, &mut span),
        };
        match next {
            Some(next) => here = Some(next),
            None => break,
        }
    }
    span
}

fn element<'a, 'i>(
    here: Option<&'a DeValue<'i>>,
    k: usize,
    span: &mut Option<Range<usize>>,
) -> Option<&'a DeValue<'i>> {
    let value = here?.as_array()?.get(k)?;
    *span = Some(value.span());
    Some(value.get_ref())
}

/// Line, column and length of a span, and the line's text.
pub fn place(text: &str, span: Range<usize>) -> (Place, String) {
    let start = floor(text, span.start.min(text.len()));
    let end = floor(text, span.end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
    let line = text[..start].matches('\n').count() + 1;
    let column = text[line_start..start].chars().count() + 1;
    let length = text[start..end.min(line_end).max(start)].chars().count().max(1);
    let (shown, shown_column) = clip(text[line_start..line_end].trim_end_matches('\r'), column);
    // a clipped line keeps the caret at the right character; the column stays the file's
    let length = length.min(shown.chars().count().saturating_sub(shown_column.saturating_sub(1)).max(1));
    (Place { line, column, length }, shown)
}

fn floor(text: &str, mut k: usize) -> usize {
    while !text.is_char_boundary(k) {
        k -= 1;
    }
    k
}

/// Gives an error the place of its field in the text.
pub fn attach(mut error: Box<ScenarioError>, file: &str, text: &str, part: Part) -> Box<ScenarioError> {
    if error.file.is_some() {
        return error;
    }
    error.file = Some(file.to_string());
    // a missing key is shown where its table begins, a missing table at the first line
    let span = locate(text, &error.field, part).unwrap_or(0..0);
    let (place, line) = place(text, span);
    error.place = Some(place);
    error.source_line = Some(line);
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\"\n[model]\nmass = [[1.0, 0.0],\n  [0.0, nan]]\n[[model.contact]]\noffset = 1\n[[model.contact]]\nrestitution = 2.0\n";

    /// Keys, list entries over several lines, and tables of a list.
    #[test]
    fn paths_lead_to_lines() {
        let line = |field: &str| place(TEXT, locate(TEXT, field, Part::Value).expect("exists")).0;
        assert_eq!((line("model.contact[1].restitution").line, line("model.contact[1].restitution").column), (8, 15));
        assert_eq!((line("model.mass[1][1]").line, line("model.mass[1][1]").column), (4, 9));
        assert_eq!(line("model.contact.0.offset").line, 6);
        assert_eq!(line("name").line, 1);
    }

    /// A path that does not exist leads to its deepest existing parent.
    #[test]
    fn missing_keys_lead_to_their_table() {
        let (place, _) = place(TEXT, locate(TEXT, "model.contact[1].normal", Part::Value).expect("parent"));
        assert_eq!(place.line, 7);
        assert_eq!(locate(TEXT, "time.step", Part::Value), None);
    }
}
