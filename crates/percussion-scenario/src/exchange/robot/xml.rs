//! XML as robot files use it: bounded before it is parsed, numbers that are numbers.

use super::refuse;
use crate::error::Result;
use roxmltree::{Document, Node};

/// Attributes of an element at most.
const MAX_ATTRIBUTES: usize = 100;

/// The document, unless it is no XML or has more attributes than a robot needs: the parser compares each with every other.
pub fn parse<'a>(file: &str, text: &'a str) -> Result<Document<'a>> {
    if most_attributes(text) > MAX_ATTRIBUTES {
        return refuse(file, format!("an element has more than {MAX_ATTRIBUTES} attributes"), "give a robot file");
    }
    match Document::parse(text) {
        Ok(document) => Ok(document),
        Err(error) => refuse(file, format!("is not valid XML: {error}"), "check the file"),
    }
}

/// The text with the prefixes that it uses and does not declare declared at its root: programs that do not know namespaces read it as it is.
pub fn with_prefixes(text: &str) -> std::borrow::Cow<'_, str> {
    // what stands before the declaration, and plugins of simulators, which nobody here reads and which need not be XML
    let text = text.trim_start();
    if text.contains("</plugin>") {
        return with_prefixes(&without_plugins(text)).into_owned().into();
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut unknown: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices(':') {
        let before = &text[..at];
        let prefix = &before[before.rfind(|c| !is_name(c)).map_or(0, |k| k + 1)..];
        let mark = before[..before.len() - prefix.len()].chars().next_back();
        let after = text[at + 1..].chars().next();
        let tag = matches!(mark, Some('<' | '/')) || mark.is_some_and(char::is_whitespace);
        let named =
            tag && after.is_some_and(char::is_alphabetic) && prefix.starts_with(|c: char| c.is_ascii_alphabetic());
        if named && !["xmlns", "xml"].contains(&prefix) && !unknown.contains(&prefix) && unknown.len() < 20 {
            unknown.push(prefix);
        }
    }
    unknown.retain(|prefix| !text.contains(&format!("xmlns:{prefix}")));
    let root =
        text.match_indices('<').map(|(k, _)| k + 1).find(|&k| text[k..].starts_with(|c: char| c.is_alphabetic()));
    let Some(root) = root.filter(|_| !unknown.is_empty()) else { return text.into() };
    let end = root + text[root..].find(|c: char| !is_name(c) && c != ':').unwrap_or(0);
    let declared: String = unknown.iter().map(|prefix| format!(" xmlns:{prefix}=\"{prefix}\"")).collect();
    format!("{}{declared}{}", &text[..end], &text[end..]).into()
}

fn without_plugins(text: &str) -> String {
    let mut parts = text.split("<plugin");
    let mut whole = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let closed = part.find('>').is_some_and(|end| part[..end].ends_with('/'));
        let end =
            if closed { part.find('>').map(|k| k + 1) } else { part.find("</plugin>").map(|k| k + "</plugin>".len()) };
        match end {
            Some(end) => whole.push_str(&part[end..]),
            // one within another
            None => continue,
        }
    }
    whole.replace("</plugin>", "")
}

/// The most quoted values an element has.
fn most_attributes(text: &str) -> usize {
    let mut rest = text;
    let mut most = 0;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let mut count = 0;
        loop {
            // without a further mark there is no further attribute: "<r <r <r …" would be looked through again for every element
            let Some(at) = rest.find(['"', '\'', '>']) else { return most.max(count) };
            let mark = rest.as_bytes()[at];
            rest = &rest[at + 1..];
            if mark == b'>' {
                break;
            }
            count += 1;
            rest = rest.split_once(mark as char).map_or("", |(_, after)| after);
        }
        most = most.max(count);
    }
    most
}

/// The elements below with a tag.
pub fn all<'a, 'b>(n: &Node<'a, 'b>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'b>> + use<'a, 'b> {
    n.children().filter(move |c| c.is_element() && c.tag_name().name() == tag)
}

/// The first of them.
pub fn child<'a, 'b>(n: &Node<'a, 'b>, tag: &'static str) -> Option<Node<'a, 'b>> {
    all(n, tag).next()
}

/// Numbers of a text; `None` where a word is none or not finite.
pub fn list(text: &str) -> Option<Vec<f64>> {
    text.split([' ', ',', '\t', '\n', '\r'])
        .filter(|w| !w.is_empty())
        .map(|w| w.parse::<f64>().ok().filter(|x| x.is_finite()))
        .collect()
}

/// An attribute of N numbers; what is written and is not so is refused.
pub fn numbers<const N: usize>(file: &str, n: &Node, key: &str) -> Result<Option<[f64; N]>> {
    let Some(text) = n.attribute(key) else { return Ok(None) };
    match list(text).filter(|found| found.len() == N) {
        Some(found) => Ok(Some(std::array::from_fn(|k| found[k]))),
        None => {
            let (short, tag): (String, _) = (text.chars().take(60).collect(), n.tag_name().name());
            let owner = n.ancestors().find_map(|a| a.attribute("name")).unwrap_or_default();
            let message = format!("<{tag} {key}=\"{short}\"> of \"{owner}\" is not {N} finite numbers");
            refuse(file, message, "correct the number")
        }
    }
}

/// An attribute of one number.
pub fn number(file: &str, n: &Node, key: &str) -> Result<Option<f64>> {
    Ok(numbers::<1>(file, n, key)?.map(|[x]| x))
}

/// An attribute of one number, or another where it is not written.
pub fn number_or(file: &str, n: &Node, key: &str, other: f64) -> Result<f64> {
    Ok(number(file, n, key)?.unwrap_or(other))
}

#[cfg(test)]
mod tests {
    /// Prefixes without a declaration are declared, others left alone.
    #[test]
    fn prefixes_are_declared() {
        let text =
            "<?xml version='1.0'?><!-- a: b --><sdf version='1.9'><model gz:x='1'><drake:y/><n>a:b</n></model></sdf>";
        assert!(roxmltree::Document::parse(text).is_err());
        let whole = super::with_prefixes(text);
        assert!(whole.contains("<sdf xmlns:gz=\"gz\" xmlns:drake=\"drake\" version") || whole.contains("xmlns:gz"));
        roxmltree::Document::parse(&whole).expect("a document");
        assert_eq!(super::with_prefixes("<a b='c:d'><e/></a>"), "<a b='c:d'><e/></a>");
    }
}
