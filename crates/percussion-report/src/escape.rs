//! Text on its way into a page: markup is escaped, control and direction-changing characters become �.

/// Safe between tags and inside double-quoted attributes, in HTML and in XML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => {}
            // these can make a scenario read otherwise than it runs
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => out.push('\u{FFFD}'),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// Escaped, with indices and powers of formulas set low and high: u_{k+½}, W_ext, x^2 of single letters; names such as
/// work_contact stay as they are.
pub fn typeset(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 16);
    let (mut plain, mut i) = (String::new(), 0);
    while i < letters.len() {
        let c = letters[i];
        let tag = match c {
            '_' => "sub",
            '^' => "sup",
            _ => "",
        };
        let found = if tag.is_empty() || !is_symbol(&letters[..i]) { None } else { index(&letters[i + 1..]) };
        match found {
            Some((inner, length)) => {
                out += &format!("{}<{tag}>{}</{tag}>", escape(&std::mem::take(&mut plain)), escape(&inner));
                i += 1 + length;
            }
            None => {
                plain.push(c);
                i += 1;
            }
        }
    }
    out + &escape(&plain)
}

/// Whether what was read ends in a symbol: one letter that is no part of a word, a closed bracket, or an index's end.
fn is_symbol(before: &[char]) -> bool {
    match before {
        [.., ')' | ']' | '‖' | '}' | '²' | '³' | '⁺' | '⁻'] => true,
        [.., word, last] => last.is_alphabetic() && !word.is_alphanumeric() && *word != '_' || is_greek(*last),
        [last] => last.is_alphabetic(),
        [] => false,
    }
}

fn is_greek(c: char) -> bool {
    ('α'..='ω').contains(&c) || ('Α'..='Ω').contains(&c)
}

/// What stands behind a mark: in braces, or letters and digits without a break; with its length.
fn index(after: &[char]) -> Option<(String, usize)> {
    if after.first() == Some(&'{') {
        let end = after.iter().position(|&c| c == '}')?;
        return Some((after[1..end].iter().collect(), end + 1));
    }
    let n = after.iter().take_while(|c| c.is_ascii_alphanumeric()).count();
    (n > 0).then(|| (after[..n].iter().collect(), n))
}

/// Cut after `n` characters with an ellipsis, for legends and table cells.
pub fn shorten(text: &str, n: usize) -> String {
    if text.chars().count() <= n {
        return text.to_string();
    }
    text.chars().take(n.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_inert() {
        assert_eq!(escape(r#"<script a="b">&'"#), "&lt;script a=&quot;b&quot;&gt;&amp;&#39;");
        assert_eq!(escape("a\u{0}b\u{1b}c\u{202e}d"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}d");
    }

    #[test]
    fn formulas_are_set() {
        assert_eq!(typeset("U_{k+½}ᵀP"), "U<sub>k+½</sub>ᵀP");
        assert_eq!(typeset("ΔE = W_ext + p·u_{k+½}"), "ΔE = W<sub>ext</sub> + p·u<sub>k+½</sub>");
        assert_eq!(typeset("work_contact, alpha_m and g_k"), "work_contact, alpha_m and g<sub>k</sub>");
        assert_eq!(typeset("‖p_T‖ ≤ μ p_N < 1"), "‖p<sub>T</sub>‖ ≤ μ p<sub>N</sub> &lt; 1");
        assert_eq!(typeset("[‖Δv‖²_M]"), "[‖Δv‖²<sub>M</sub>]");
        assert_eq!(typeset("a_<b> x_"), "a_&lt;b&gt; x_");
    }

    #[test]
    fn cut_counts_characters() {
        assert_eq!(shorten("généralisé", 5), "géné…");
        assert_eq!(shorten("θ", 5), "θ");
    }
}
