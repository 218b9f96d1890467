//! "Did you mean …?" by edit distance.

/// The name nearest to what was typed, if any is near enough to be meant.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&typed, name), name))
        .filter(|&(distance, name)| distance <= (name.chars().count() / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// A sentence with the suggestion and the whole list.
pub fn help<'a>(typed: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let list: Vec<&str> = names.clone().into_iter().collect();
    match nearest(typed, names) {
        Some(name) => format!("did you mean \"{name}\"? known: {}", list.join(", ")),
        None if list.is_empty() => "it has no keys of its own: leave this one out".to_string(),
        None => format!("known: {}", list.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip of the finger is recognised, another word is not.
    #[test]
    fn near_and_far() {
        assert_eq!(nearest("restitutoin", ["offset", "restitution"]), Some("restitution"));
        assert_eq!(nearest("moreau_jean", ["moreau-jean", "newmark"]), Some("moreau-jean"));
        assert_eq!(nearest("colour", ["offset", "restitution"]), None);
        assert_eq!(help("colour", ["offset"]), "known: offset");
        assert!(!help("normal", []).contains("known"), "a plane has no keys");
    }
}
