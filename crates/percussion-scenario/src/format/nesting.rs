//! How deep brackets lie in brackets, told before a text is parsed.
//!
//! The parser calls itself for every bracket, and brackets closed by the wrong kind lead past its own bound: a text of some thousand
//! such pairs overflows the stack. Here, as there, a bracket of the wrong kind closes nothing.

/// Brackets in brackets at most, as the parser allows.
pub const DEEPEST: usize = 80;

/// Whether no bracket of a TOML text lies deeper than `DEEPEST`; those in strings and comments do not count.
pub fn is_shallow(text: &str) -> bool {
    let mut open: Vec<u8> = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'#' => rest = past(rest, b"\n", false),
            b'"' if rest.starts_with(b"\"\"") => rest = past(&rest[2..], b"\"\"\"", true),
            b'\'' if rest.starts_with(b"''") => rest = past(&rest[2..], b"'''", false),
            b'"' => rest = past_line(rest, b'"', true),
            b'\'' => rest = past_line(rest, b'\'', false),
            b'[' | b'{' => open.push(byte),
            b']' | b'}' if open.last() == Some(&(byte - 2)) => {
                // '[' and '{' stand two places before their partners
                open.pop();
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return false;
        }
    }
    true
}

/// What follows `end`; `\` takes the next byte with it where `escapes`.
fn past<'a>(mut rest: &'a [u8], end: &[u8], escapes: bool) -> &'a [u8] {
    while !rest.is_empty() && !rest.starts_with(end) {
        let skip = if escapes && rest[0] == b'\\' { 2 } else { 1 };
        rest = &rest[skip.min(rest.len())..];
    }
    &rest[end.len().min(rest.len())..]
}

/// What follows `end`, or the end of the line, where a string ends in any case.
fn past_line(mut rest: &[u8], end: u8, escapes: bool) -> &[u8] {
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'\n' {
            return rest;
        }
        rest = after;
        if byte == end {
            return rest;
        }
        if escapes && byte == b'\\' && rest.first().is_some_and(|&b| b != b'\n') {
            rest = &rest[1..];
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matrices and lists of tables are shallow, however long; strings and comments may hold any bracket.
    #[test]
    fn scenarios_are_shallow() {
        for name in crate::builtin::NAMES {
            assert!(is_shallow(crate::builtin::text(name).expect("built in")), "{name}");
        }
        let rows = "[1.0, 2.0],\n".repeat(10_000);
        assert!(is_shallow(&format!("mass = [{rows}]\n{}", "[[model.contact]]\nnormal = [1.0]\n".repeat(10_000))));
        let many = "[{".repeat(100);
        for text in [
            format!("x = \"{many}\""),
            format!("x = '{many}'"),
            format!("x = \"\"\"\n{many}\\\"\"\"\"\n# {many}\ny = [1]"),
            format!("x = '''{many}'''"),
            format!("x = \"a\\\"{many}\""),
        ] {
            assert!(is_shallow(&text), "{text}");
        }
    }

    /// Deep ones are not, whatever closes in between: wrong brackets, comments, strings that a line ends.
    #[test]
    fn deep_texts_are_told() {
        for piece in ["[", "{a=", "[{a=", "[}", "[{]", "{a=[}", "[ # ]\n", "[\"]\n", "['}]\n"] {
            assert!(!is_shallow(&format!("x = {}", piece.repeat(81))), "{piece}");
        }
        assert!(is_shallow(&format!("x = {}{}", "[".repeat(80), "]".repeat(80))));
    }

    /// Whatever passes is parsed in a small stack; random brackets found what the parser's own bound lets through.
    #[test]
    fn what_passes_is_parsed() {
        let mut seed = 5_u64;
        for _ in 0..300 {
            let mut piece = String::new();
            for _ in 0..8 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                piece += ["[", "{", "a=", "]", "}", ",", "1", "\n", "[{"][(seed >> 33) as usize % 9];
            }
            let text = format!("x = {}", piece.repeat(6000));
            let options = crate::LoadOptions::default();
            assert!(crate::load_text("deep", &text, &options).is_err(), "{piece}");
        }
    }
}
