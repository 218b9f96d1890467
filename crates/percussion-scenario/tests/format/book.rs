//! Every TOML block of the book and the README is read, and the book's tables of keys are those of the program.
//!
//! `PERCUSSION_WRITE_PAGE=1 cargo test -p percussion-scenario --test format` writes the tables again.

use percussion_model::Form;
use percussion_scenario::{LoadOptions, SCENARIO_KEYS, Sweep, builtin, key_tables, load_text};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Name and text of the README and of every page of the book.
fn pages() -> Vec<(String, String)> {
    let book = std::fs::read_dir(root().join("docs/book")).expect("docs/book");
    let mut files: Vec<PathBuf> = book.map(|entry| entry.expect("an entry").path()).collect();
    files.push(root().join("README.md"));
    files.retain(|path| path.extension().is_some_and(|end| end == "md"));
    files.sort();
    files.into_iter().map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("text"))).collect()
}

/// What a block leaves to the reader: bodies for its joints, a ball for its times, a time for its model.
fn completed(block: &str) -> String {
    let mut table: Table = block.parse().unwrap_or_else(|error| panic!("{error}\n{block}"));
    let base: Table = if table.contains_key("joint") {
        let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n");
        let bodies: String = ["crank", "rod"].map(body).concat();
        format!("[model]\nkind = \"bodies\"\n{bodies}[time]\nend = 0.1\nstep = 1e-3\n").parse()
    } else if table.contains_key("model") {
        "[time]\nend = 0.1\nstep = 1e-3\n".parse()
    } else {
        builtin::text("bouncing-ball").expect("built in").parse()
    }
    .expect("TOML");
    for (key, value) in base {
        table.entry(key).or_insert(value);
    }
    toml::to_string(&Value::Table(table)).expect("TOML")
}

#[test]
fn toml_blocks_are_read() {
    let mut found = 0;
    for (name, page) in pages() {
        for block in page.split("```toml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or("")) {
            found += 1;
            let read = if block.contains("[sweep]") {
                Sweep::from_text("block", block, None).map(|_| ())
            } else {
                load_text("block", &completed(block), &LoadOptions::default()).map(|_| ())
            };
            read.unwrap_or_else(|error| panic!("{name}: {error}\n{block}"));
        }
    }
    assert!(found >= 6, "{found} blocks");
}

#[test]
fn tables_of_keys_are_the_programs() {
    let (begin, end) = ("<!-- written by the program: begin -->\n", "<!-- written by the program: end -->");
    let path = root().join("docs/book/scenario-keys.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(begin).expect("where they begin");
    let (written, after) = rest.split_once(end).expect("where they end");
    let tables = key_tables();
    if std::env::var_os("PERCUSSION_WRITE_PAGE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{tables}{end}{after}")).expect("written");
        return;
    }
    assert!(written == tables, "the tables of docs/book/scenario-keys.md are not the program's: write them again");
}

/// The keys that Python's docstrings name are those of the kinds.
#[test]
fn docstrings_name_every_key() {
    let python = |file: &str| {
        std::fs::read_to_string(root().join("python/package/percussion").join(file)).expect("a file of the package")
    };
    let described = python("_described.py");
    let kinds = SCENARIO_KEYS.iter().find_map(|key| match key.form {
        Form::Named("model", Form::Kinds(kinds)) => Some(*kinds),
        _ => None,
    });
    for kind in kinds.expect("kinds of model").iter().filter(|kind| kind.name != "bodies") {
        let text = if kind.name == "linear" {
            python("_linear.py")
        } else {
            let marked = format!("kind = \"{}\"", kind.name);
            let class = described.split("\nclass ").find(|class| class.contains(&marked));
            class.unwrap_or_else(|| panic!("no class for {}", kind.name)).to_string()
        };
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for key in kind.keys {
            assert!(words.contains(&key.name), "{}: {} is not in the docstring", kind.name, key.name);
        }
    }
}
