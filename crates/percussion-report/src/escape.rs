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
    fn cut_counts_characters() {
        assert_eq!(shorten("généralisé", 5), "géné…");
        assert_eq!(shorten("θ", 5), "θ");
    }
}
