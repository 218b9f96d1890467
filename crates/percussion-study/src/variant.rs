//! `--schemes a,b:theta=1`: the schemes of a study with their own parameters.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, Result, ScenarioError};

/// One scheme of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// As it is shown: `moreau-jean theta=1`.
    pub label: String,
    /// What it changes in the scenario.
    pub options: LoadOptions,
}

impl Variant {
    /// From `NAME:key=value:key=value`; keys without a dot belong to `[scheme]`.
    pub fn parse(word: &str, base: &LoadOptions) -> Result<Self> {
        let refuse = |message: String| {
            let help = "write NAME or NAME:key=value, such as moreau-jean:theta=1 or moreau-jean:time.adaptive.order=0";
            Err(ScenarioError::file(Code::BAD_STUDY, format!("--schemes {word}"), message, help))
        };
        let mut parts = word.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        if name.is_empty() {
            return refuse("a scheme has no name".into());
        }
        let mut options = LoadOptions { scheme: Some(name.to_string()), ..base.clone() };
        let mut label = name.to_string();
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                return refuse(format!("\"{part}\" has no ="));
            };
            let key = key.trim();
            let full = if key.contains('.') { key.to_string() } else { format!("scheme.{key}") };
            options.set.push(format!("{full}={value}"));
            label += &format!(" {key}={}", value.trim().trim_matches('"'));
        }
        Ok(Self { label, options })
    }
}

/// A list of schemes; labels that repeat get a number.
pub fn variants<'a>(words: impl IntoIterator<Item = &'a str>, base: &LoadOptions) -> Result<Vec<Variant>> {
    let mut list: Vec<Variant> = Vec::new();
    for word in words {
        let mut variant = Variant::parse(word, base)?;
        number_label(&mut variant, &list);
        list.push(variant);
    }
    Ok(list)
}

/// Gives a label that is taken the next free number.
pub fn number_label(variant: &mut Variant, list: &[Variant]) {
    let (label, mut n) = (variant.label.clone(), 2);
    while list.iter().any(|other| other.label == variant.label) {
        variant.label = format!("{label} ({n})");
        n += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_options() {
        let base = LoadOptions { set: vec!["time.end=2".into()], ..LoadOptions::default() };
        let list = variants(["moreau-jean", "moreau-jean:theta=1:time.step=1e-3", "moreau-jean"], &base);
        let list = list.expect("three schemes");
        assert_eq!(list[1].label, "moreau-jean theta=1 time.step=1e-3");
        assert_eq!(list[1].options.set, ["time.end=2", "scheme.theta=1", "time.step=1e-3"]);
        assert_eq!(list[2].label, "moreau-jean (2)");
        assert!(variants(["a:b"], &base).is_err() && variants([""], &base).is_err());
    }
}
