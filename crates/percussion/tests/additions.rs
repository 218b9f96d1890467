//! The table "To add …" of ARCHITECTURE.md, tried on a copy of the sources: a toy of each thing is one file and the lines the table names, and
//! nothing else; a toy that says nothing of itself does not compile, and the compiler names everything it has to say.
//!
//! A toy is a copy of a file that is there, under another name. It takes builds of its own: only with `PERCUSSION_LONG=1`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the sources")
}

/// The file it is a copy of, its own, and what is replaced in it.
type NewFile = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// A thing that is added.
struct Toy {
    /// The file that comes with it.
    file: Option<NewFile>,
    /// Lines elsewhere: the file, the line before which, and the line itself.
    lines: &'static [(&'static str, &'static str, &'static str)],
    /// The beginning and the end of what is left out to say nothing, with what stands there instead.
    silent: &'static [(&'static str, &'static str, &'static str)],
    /// Where the compiler's list of what is missing comes from: a file, the words that open the trait or structure.
    asked: &'static [(&'static str, &'static str)],
    /// The package that does not compile then.
    package: &'static str,
}

const TOYS: &[(&str, Toy)] = &[
    (
        "shape",
        Toy {
            file: Some((
                "crates/percussion-model/src/bodies/shapes/sphere.rs",
                "crates/percussion-model/src/bodies/shapes/toy.rs",
                &[
                    ("Sphere", "Toy"),
                    ("name: \"sphere\", also: &[\"disk\"]", "name: \"toy\", also: &[]"),
                    ("fn sphere", "fn toy"),
                ],
            )),
            lines: &[(
                "crates/percussion-model/src/bodies/shapes/mod.rs",
                "        Sphere(sphere::Sphere),",
                "        Toy(toy::Toy),",
            )],
            silent: &[("impl Figure for Toy {\n", "\n}\n", "impl Figure for Toy {}\n")],
            asked: &[("crates/percussion-model/src/bodies/shapes/figure.rs", "pub trait Figure")],
            package: "percussion-model",
        },
    ),
    (
        "joint",
        Toy {
            file: Some((
                "crates/percussion-model/src/bodies/joints/spherical.rs",
                "crates/percussion-model/src/bodies/joints/toy.rs",
                &[("Spherical", "Toy"), ("\"spherical\"", "\"toy\"")],
            )),
            lines: &[(
                "crates/percussion-model/src/bodies/joints/mod.rs",
                "        Spherical(spherical),",
                "        Toy(toy),",
            )],
            silent: &[(
                "impl Connection for Toy {\n",
                "\n}\n",
                "impl Connection for Toy {}\nconst SILENT: Facts = Facts {};\n",
            )],
            asked: &[
                ("crates/percussion-model/src/bodies/joints/connection.rs", "pub trait Connection"),
                ("crates/percussion-model/src/bodies/joints/connection.rs", "pub struct Facts"),
            ],
            package: "percussion-model",
        },
    ),
    (
        "finite element",
        Toy {
            file: Some((
                "crates/percussion-model/src/solid/element/hex8.rs",
                "crates/percussion-model/src/solid/element/toy.rs",
                &[("name: \"hex8\"", "name: \"toy\""), ("gmsh: 5", "gmsh: 99")],
            )),
            lines: &[(
                "crates/percussion-model/src/solid/element/mod.rs",
                "    /// A hexahedron.",
                "    /// A toy.\n    Toy = toy,",
            )],
            silent: &[("ENTRY: Element = Element {\n", "\n};\n", "ENTRY: Element = Element {};\n")],
            asked: &[("crates/percussion-model/src/solid/element/mod.rs", "pub struct Element {")],
            package: "percussion-model",
        },
    ),
    (
        "error code",
        Toy {
            file: None,
            lines: &[(
                "crates/percussion-model/src/code.rs",
                "    RESTITUTION = \"E120\"",
                "    TOY = \"E999\", \"a toy\",\n        \"Nothing is wrong.\";",
            )],
            silent: &[("    TOY = \"E999\"", ";\n", "    TOY = \"E999\", \"a toy\";\n")],
            asked: &[],
            package: "percussion-model",
        },
    ),
    (
        "contact solver",
        Toy {
            file: Some((
                "crates/percussion-solve/src/complementarity/enumeration.rs",
                "crates/percussion-solve/src/complementarity/toy.rs",
                &[("name: \"enumeration\"", "name: \"toy\""), ("Method::Enumeration", "Method::Toy")],
            )),
            lines: &[
                (
                    "crates/percussion-solve/src/complementarity/mod.rs",
                    "pub(crate) mod enumeration;",
                    "pub(crate) mod toy;",
                ),
                (
                    "crates/percussion-solve/src/method.rs",
                    "    /// Proximal point: redundant",
                    "    /// A toy.\n    Toy = complementarity::toy::ENTRY,",
                ),
            ],
            silent: &[("ENTRY: Entry = Entry {\n", "\n};\n", "ENTRY: Entry = Entry {};\n")],
            asked: &[("crates/percussion-solve/src/entry.rs", "pub(crate) struct Entry")],
            package: "percussion-solve",
        },
    ),
    (
        "scheme",
        Toy {
            file: Some((
                "crates/percussion-step/src/schemes/galerkin/d0_parameters.rs",
                "crates/percussion-step/src/schemes/toy.rs",
                &[("name: \"d0-constant\"", "name: \"toy\"")],
            )),
            lines: &[
                ("crates/percussion-step/src/schemes/mod.rs", "pub mod velocity_level;", "pub mod toy;"),
                ("crates/percussion-step/src/schemes/mod.rs", "    &splitting::parameters::ENTRY,", "    &toy::ENTRY,"),
            ],
            silent: &[
                (
                    "ENTRY: SchemeEntry = SchemeEntry {\n",
                    "\n};\n",
                    "ENTRY: SchemeEntry = SchemeEntry {};\nconst SILENT: Facts = Facts {};\n",
                ),
                ("impl Equations for Parameters {\n", "\n}\n", "impl Equations for Parameters {}\n"),
            ],
            asked: &[
                ("crates/percussion-step/src/schemes/entry.rs", "pub struct SchemeEntry"),
                ("crates/percussion-step/src/schemes/equations.rs", "pub struct Facts"),
                ("crates/percussion-step/src/schemes/equations.rs", "pub trait Equations"),
            ],
            package: "percussion-step",
        },
    ),
    (
        "scenario key",
        Toy {
            file: None,
            lines: &[(
                "crates/percussion-scenario/src/format/keys/dynamics.rs",
                "        carry: bool = ",
                "        toy: bool = Form::Flag, \"\", Flag(true), \"a toy\";",
            )],
            silent: &[("        toy: bool = ", ";\n", "        toy: bool = Form::Flag, \"\", Flag(true);\n")],
            asked: &[],
            package: "percussion-scenario",
        },
    ),
];

/// Copies what git tracks.
fn copy(to: &Path) {
    let list = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().expect("git");
    for name in String::from_utf8_lossy(&list.stdout).split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root().join(name), to.join(name));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        if from.is_file() {
            std::fs::copy(&from, &to).expect(name);
        }
    }
}

fn edit(path: &Path, change: impl Fn(&str) -> String) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    std::fs::write(path, change(&text)).expect("a file");
}

impl Toy {
    /// Its file and its lines.
    fn put(&self, at: &Path) {
        if let Some((from, to, changes)) = self.file {
            let text = std::fs::read_to_string(at.join(from)).expect(from);
            let text = changes.iter().fold(text, |text, (a, b)| {
                assert!(text.contains(a), "{from} no longer contains {a}");
                text.replace(a, b)
            });
            std::fs::write(at.join(to), text).expect(to);
        }
        for (path, before, line) in self.lines {
            edit(&at.join(path), |text| {
                assert!(text.contains(before), "{path} no longer contains {before}");
                text.replacen(before, &format!("{line}\n{before}"), 1)
            });
        }
    }

    /// The file that says nothing of it.
    fn hush(&self, at: &Path) {
        let path = self.file.map_or(self.lines[0].0, |(_, to, _)| to);
        for (begin, end, instead) in self.silent {
            edit(&at.join(path), |text| {
                let from = text.find(begin).unwrap_or_else(|| panic!("{path} no longer contains {begin}"));
                let to = from + text[from..].find(end).expect("an end") + end.len();
                format!("{}{instead}{}", &text[..from], &text[to..])
            });
        }
    }

    /// What the compiler has to ask for: the items of traits without a default, the fields of structures.
    fn wanted(&self, at: &Path) -> Vec<(bool, Vec<String>)> {
        let of = |&(path, open): &(&str, &str)| {
            let text = std::fs::read_to_string(at.join(path)).expect(path);
            let body = &text[text.find(open).unwrap_or_else(|| panic!("{path} no longer contains {open}"))..];
            let body = &body[..body.find("\n}").expect("an end")];
            let name =
                |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_string();
            let is_trait = open.contains("trait");
            let mut names: Vec<String> = Vec::new();
            for line in body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     ")) {
                let line = line.trim();
                let found = match is_trait {
                    // a default has a body
                    true if line.ends_with('{') => None,
                    true => line.strip_prefix("const ").or(line.strip_prefix("fn ")),
                    false => line.strip_prefix("pub ").filter(|line| line.contains(':')),
                };
                names.extend(found.map(name));
            }
            (is_trait, names)
        };
        self.asked.iter().map(of).collect()
    }
}

/// `cargo check` of a package of the copy; what the compiler said where it refused.
fn check(at: &Path, package: &str) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["check", "--release", "--offline", "--lib", "-p", package]).arg("--target-dir").arg(target);
    let said = command.current_dir(at).output().expect("cargo");
    if said.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&said.stderr).into_owned()) }
}

#[test]
fn what_is_added_has_to_say_everything() {
    if std::env::var_os("PERCUSSION_LONG").is_none() {
        return;
    }
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("additions");
    if at.exists() {
        std::fs::remove_dir_all(&at).expect("an empty folder");
    }
    copy(&at);
    TOYS.iter().for_each(|(_, toy)| toy.put(&at));
    check(&at, "percussion-scenario").unwrap_or_else(|said| panic!("toys with all they need: {said}"));
    for (what, toy) in TOYS {
        let path = at.join(toy.file.map_or(toy.lines[0].0, |(_, to, _)| to));
        let whole = std::fs::read_to_string(&path).expect("a file");
        toy.hush(&at);
        let said = check(&at, toy.package).expect_err(what);
        for (is_trait, names) in toy.wanted(&at) {
            assert!(!names.is_empty(), "{what}: nothing is asked for");
            // of more than four fields the compiler names three and counts the others
            let missing = |line: &&str| line.contains(if is_trait { "missing: `" } else { "missing field" });
            let told: Vec<&str> = said.lines().filter(missing).collect();
            let named = |line: &&str| names.iter().all(|name| line.contains(&format!("`{name}`")));
            let counted = |line: &&str| line.contains(&format!(" and {} other field", names.len().saturating_sub(3)));
            assert!(told.iter().any(|line| named(line) || (!is_trait && counted(line))), "{what}: {names:?}\n{said}");
            println!("{what}: the compiler asks for {}", names.join(", "));
        }
        if toy.asked.is_empty() {
            assert!(said.contains("no rules expected") || said.contains("unexpected"), "{what}: {said}");
            println!("{what}: a row that is not whole is no row");
        }
        std::fs::write(&path, whole).expect("a file");
    }
    check(&at, "percussion-scenario").unwrap_or_else(|said| panic!("toys again: {said}"));
    std::fs::remove_dir_all(&at).expect("removed");
}
