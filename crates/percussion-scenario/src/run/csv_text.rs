//! Text in a cell of a CSV table: on one line, in quotes where it must be, and never a formula of a spreadsheet.
//!
//! Spreadsheets compute cells that begin with = + − @. Such a text stands in quotes behind an apostrophe, which shows it as text.

/// The cell of a text.
pub fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.starts_with(['=', '+', '-', '−', '@']) {
        format!("\"'{}\"", text.replace('"', "\"\""))
    } else if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// The cells of a line, without their quotes.
pub fn cells(line: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let (mut inside, mut letters) = (false, line.chars().peekable());
    while let Some(c) = letters.next() {
        match c {
            '"' if inside && letters.next_if_eq(&'"').is_some() => list.last_mut().expect("one cell").push('"'),
            '"' => inside = !inside,
            ',' if !inside => list.push(String::new()),
            c => list.last_mut().expect("one cell").push(c),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::{cells, quoted};

    /// What is quoted comes back.
    #[test]
    fn cells_survive() {
        let words = ["", "a", "a, b", "say \"a\", \"b\"", "\"", "Ωμ, é", "\"\""];
        let line = words.map(quoted).join(",");
        assert_eq!(cells(&line), words);
        assert_eq!(cells(""), [""]);
    }

    /// No cell begins with what a spreadsheet would compute, not even after its quotes are taken off.
    #[test]
    fn no_formulas() {
        for text in ["=1+1", "+1", "-1", "−1", "@SUM(A1)", "=HYPERLINK(\"http://a\",\"b\")"] {
            let cell = quoted(text);
            assert!(cell.starts_with("\"'"), "{cell}");
            assert_eq!(cells(&cell), [format!("'{text}")]);
        }
    }
}
