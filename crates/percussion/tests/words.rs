//! The words of the program: nothing a reader would stumble over, and no reference nobody can look up.

use std::path::{Path, PathBuf};

/// A word or phrase, and what to write instead.
const FORBIDDEN: &[(&str, &str)] = &[
    (" rubs", "has friction, frictional"),
    (" anew", "again"),
    ("nothing to go on with", "say what is missing"),
    ("so far is it", "that far"),
    ("along itself", "tangentially"),
    ("the slides", "author, title, year"),
    ("papers' rule", "its name: hold, predicted, predicted-and-closing"),
    ("spec §", "author, year and equation"),
    ("As the issue", "the reason itself"),
];

fn texts(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            texts(&path, endings, found);
        } else if path.extension().is_some_and(|end| endings.iter().any(|wanted| end == *wanted)) {
            found.push(path);
        }
    }
}

/// Sources, book, gallery and the pages at the top of the repository.
#[test]
fn plain_words_only() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "DESIGN.md", "NOTATION.md", "CHANGELOG.md"]
        .iter()
        .map(|name| top.join(name))
        .collect();
    for (folder, endings) in
        [("docs/book", ["md", "toml"]), ("gallery", ["md", "toml"]), ("python/package", ["py", "pyi"])]
    {
        texts(&top.join(folder), &endings, &mut files);
    }
    for name in std::fs::read_dir(top.join("crates")).expect("crates").map(|entry| entry.expect("an entry").path()) {
        texts(&name.join("src"), &["rs", "md"], &mut files);
    }
    assert!(files.len() > 400, "only {} files were read", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (number, line) in text.lines().enumerate() {
            for (word, instead) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
                wrong.push(format!("{}:{}: \"{}\"; write: {instead}", file.display(), number + 1, word.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
