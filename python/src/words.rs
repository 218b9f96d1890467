//! Texts made for a terminal, as a Python program says them: no options, no commands, no folders that it made for itself.

use percussion::scenario::ScenarioError;

/// Folders the package makes for a moment begin with this.
pub const OWN_FOLDER: &str = "percussion-own-";

/// What is said on a command line, and in Python; the first that fits is taken.
const PHRASES: &[(&str, &str)] = &[
    ("`percussion list schemes`", "percussion.schemes()"),
    ("percussion list schemes", "percussion.schemes()"),
    ("`percussion list solvers`", "percussion.solvers()"),
    ("`percussion list scenarios`", "percussion.scenarios()"),
    ("`percussion list schema`", "percussion.schema()"),
    ("`percussion new NAME` writes an example", "percussion.scenario_text(\"bouncing-ball\") is an example"),
    ("`percussion run SCENARIO --out FOLDER` makes one", "percussion.run(…, out=FOLDER) makes one"),
    ("percussion run RUN/scenario.toml --out ANOTHER", "percussion.run(\"RUN/scenario.toml\", out=\"ANOTHER\")"),
    ("`percussion resume` could have finished", "could have been finished"),
    ("the run was cut off: percussion resume", "the run was cut off; run its scenario again:"),
    ("`run` starts over", "a run starts over"),
    ("`run --fix-initial project`", "project=True"),
    ("--fix-initial project", "project=True"),
    (
        "Write --set key=value with a dotted key, such as --set scheme.theta=0.6 or --set model.contact.0.restitution=0.5; the value is TOML.",
        "Keys of set are dotted: set={\"scheme.theta\": 0.6, \"model.contact.0.restitution\": 0.5}.",
    ),
    (
        "write --set key=value, such as --set scheme.theta=0.6 or --set model.contact.0.restitution=0.5",
        "write set={\"scheme.theta\": 0.6, \"model.contact.0.restitution\": 0.5}",
    ),
    ("Give the new scheme's own with --set scheme.NAME=VALUE", "Give the new scheme's own: scheme={\"name\": …, …}"),
    ("name keys: --wrt model.q0.0,model.contact.0.restitution", "name keys: wrt=[\"model.q0.0\", …]"),
    ("name a reference: --reference event-driven:time.step=1e-4", "name a reference: reference=\"event-driven\""),
    ("`percussion solve --kind`", "percussion.solve(…, kind=…)"),
    ("or run with --allow-outside", "or read it in Python and give its numbers"),
    (
        "give the scenario as a file, with what it reads beside it",
        "read it in Python and give the array, or give the scenario as a file, with what it reads beside it",
    ),
    ("percussion plot draws", "Plots show"),
    ("; export --to vtk shows it", ""),
    ("a --set that cannot be applied", "a key of set that cannot be changed"),
    (" as in --set", " as in set"),
    ("--set ", "set: "),
];

/// Options whose values are names.
const NAMES: &[&str] = &["scheme", "device", "kind", "to", "format", "reference", "norm"];

/// The text in Python's words.
pub fn in_python(text: &str) -> String {
    let mut text = text.to_string();
    for (command, python) in PHRASES {
        text = text.replace(command, python);
    }
    let text = without_own_folders(&commands(&text));
    let mut said = String::new();
    let mut rest = text.as_str();
    while let Some(k) = rest.find("--") {
        let (before, option) = (&rest[..k], &rest[k + 2..]);
        said.push_str(before);
        let length = option.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(option.len());
        let begins = before.chars().last().is_none_or(|c| c.is_whitespace() || "(`\"'".contains(c));
        if length == 0 || !begins || option.starts_with('-') || cargo(before) {
            said.push_str("--");
            rest = option;
            continue;
        }
        let name = option[..length].trim_end_matches('-').replace('-', "_");
        let (value, after) = value(&name, &option[length..]);
        said.push_str(&value.map_or_else(|| name.clone(), |value| format!("{name}={value}")));
        rest = after;
    }
    said + rest
}

/// Whether the words before belong to a command of another program.
fn cargo(before: &str) -> bool {
    before.rsplit('`').next().is_some_and(|command| command.trim_start().starts_with("cargo "))
}

/// The value of an option, where one follows, and the rest.
fn value<'a>(name: &str, after: &'a str) -> (Option<String>, &'a str) {
    let Some(words) = after.strip_prefix(' ') else { return (None, after) };
    let end = words.find(|c: char| c.is_whitespace() || ",;)`".contains(c)).unwrap_or(words.len());
    let word = words[..end].trim_end_matches('.');
    let rest = &words[word.len()..];
    if word.parse::<f64>().is_ok() {
        return (Some(word.to_string()), rest);
    }
    let known = percussion::step::SCHEMES.iter().any(|entry| entry.name == word)
        || ["cpu", "gpu", "auto", "lcp", "csv", "vtk", "parquet", "hdf5"].contains(&word);
    if NAMES.contains(&name) && known { (Some(format!("\"{word}\"")), rest) } else { (None, after) }
}

/// `percussion compare` and the like: functions of the package, or what the program does.
fn commands(text: &str) -> String {
    const FUNCTIONS: &[&str] = &["run", "check", "compare", "converge", "sweep", "solve", "dynamics", "sensitivity"];
    let mut text = text.to_string();
    if let Some((before, after)) = text.split_once("percussion explain ") {
        let code: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
        text = format!("{before}percussion.explain(\"{code}\"){}", &after[code.len()..]);
    }
    for function in FUNCTIONS {
        text = text.replace(&format!("`percussion {function}`"), &format!("percussion.{function}"));
    }
    for other in ["play", "verify", "resume", "report", "show", "settle", "modes", "export"] {
        text = text.replace(&format!("`percussion {other}`"), &format!("the program's {other}"));
    }
    text
}

/// Files in folders made for a moment go by their names.
fn without_own_folders(text: &str) -> String {
    let mut said = text.to_string();
    while let Some(k) = said.find(OWN_FOLDER) {
        let start = said[..k].rfind(|c: char| c.is_whitespace() || "\"'(`".contains(c)).map_or(0, |k| k + 1);
        let end = said[k..].find(|c: char| c.is_whitespace() || "\"':,;)`".contains(c)).map_or(said.len(), |e| k + e);
        let last = said[k..end].split(['/', '\\']).skip(1).last().unwrap_or("").to_string();
        said.replace_range(start..end, &last);
    }
    said
}

/// The same error; where it stands in a file made for a moment is left out.
pub fn placed(error: &ScenarioError) -> ScenarioError {
    let mut error = error.clone();
    if error.file.as_deref().is_some_and(|file| file.contains(OWN_FOLDER)) {
        (error.file, error.place, error.source_line) = (None, None, None);
    }
    error
}
