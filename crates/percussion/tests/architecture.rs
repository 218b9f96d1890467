//! The map in ARCHITECTURE.md against the manifests and the sources.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).expect(name)
}

/// The percussion crates a crate depends on, tests excluded.
fn dependencies(name: &str) -> Vec<String> {
    let text = manifest(name);
    let body = text.split("[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("").to_string();
    body.lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|word| word.starts_with("percussion"))
        .map(str::to_string)
        .collect()
}

/// Every Rust source below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn dependencies_point_downwards() {
    let allowed: [(&str, &[&str]); 8] = [
        ("percussion-matrix", &[]),
        ("percussion-solve", &["percussion-matrix"]),
        ("percussion-gpu", &["percussion-solve"]),
        ("percussion-model", &["percussion-matrix"]),
        ("percussion-files", &["percussion-matrix", "percussion-model", "percussion-solve"]),
        ("percussion-step", &["percussion-matrix", "percussion-model", "percussion-solve"]),
        ("percussion-report", &[]),
        ("percussion-dynamics", &["percussion-matrix", "percussion-model", "percussion-solve", "percussion-step"]),
    ];
    for (name, allowed) in allowed {
        for found in dependencies(name) {
            assert!(allowed.contains(&found.as_str()), "{name} must not depend on {found}");
        }
    }
}

/// Where threads are given work: the clock tells how long they are waited for and decides how many are asked. No bit depends on their number.
const GIVE_WORK: [&str; 4] = [
    "percussion-matrix/src/spare.rs",
    "percussion-matrix/src/pool.rs",
    "percussion-solve/src/friction/two_body/team.rs",
    "percussion-solve/src/friction/two_body/packet_team.rs",
];

/// Files only in percussion-scenario, printing only in percussion-cli, no clock and no randomness in the numerics.
#[test]
fn crates_keep_to_their_business() {
    let numerics =
        ["percussion-matrix", "percussion-solve", "percussion-model", "percussion-step", "percussion-dynamics"];
    for name in numerics.iter().chain(&["percussion-report", "percussion-files"]) {
        for path in sources(&root().join(format!("crates/{name}/src"))) {
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for word in ["std::fs", "std::net", "println!", "eprintln!", "Instant::now", "SystemTime", "rand::"] {
                let may = word == "Instant::now" && GIVE_WORK.iter().any(|file| path.ends_with(file));
                assert!(may || !code.contains(word), "{} uses {word}", path.display());
            }
        }
    }
    for name in ["percussion-scenario", "percussion-study"] {
        for path in sources(&root().join(format!("crates/{name}/src"))) {
            let text = std::fs::read_to_string(&path).expect("a source");
            assert!(!text.contains("println!"), "{} prints", path.display());
            let files = name == "percussion-study" && text.contains("std::fs");
            assert!(!files, "{} touches files", path.display());
        }
    }
}

/// `unsafe` is forbidden in every crate but three, which deny it: the wheel and the page's simulator, whose macros expand to it, and the GPU
/// backend, which may call the driver from one file, each time with a reason.
#[test]
fn unsafe_is_forbidden() {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    assert!(workspace.contains("unsafe_code = \"forbid\""));
    let crates: Vec<PathBuf> =
        std::fs::read_dir(root().join("crates")).expect("crates").flatten().map(|e| e.path()).collect();
    for folder in crates.into_iter().chain([root().join("bench")]) {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        if folder.ends_with("percussion-gpu") {
            assert!(manifest.contains("unsafe_code = \"deny\""), "the GPU backend denies unsafe code");
            continue;
        }
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}: lints of its own", folder.display());
    }
    for path in sources(&root().join("crates/percussion-gpu/src")) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let (unsafes, reasons) = (
            text.matches("unsafe {").count() + text.matches("unsafe impl").count(),
            text.matches("#[expect(unsafe_code, reason").count(),
        );
        assert!(unsafes == 0 || path.ends_with("cuda.rs"), "{}", path.display());
        assert_eq!(unsafes, reasons, "{}", path.display());
    }
    for name in ["python", "web"] {
        let manifest = std::fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("unsafe_code = \"deny\""), "{name} denies unsafe code of its own");
        for path in sources(&root().join(name).join("src")) {
            let text = std::fs::read_to_string(&path).expect("a source");
            assert!(!text.contains("allow(unsafe_code)") && !text.contains("unsafe {"), "{}", path.display());
        }
    }
}

/// Elementary functions go through `percussion_matrix::math`, so that `--portable` and the page of `percussion play` compute alike.
#[test]
fn elementary_functions_are_those_of_one_module() {
    let functions =
        ["sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "exp", "ln", "powf", "cbrt", "hypot"];
    for name in ["percussion-solve", "percussion-model", "percussion-step"] {
        for path in sources(&root().join(format!("crates/{name}/src"))) {
            let shown = path.display().to_string();
            // numbers with derivatives have functions of their own, and what is only measured enters no state
            let apart = ["_test.rs", "tests.rs", "/formula/", "/auto/", "/problems/", "/measure/"];
            if apart.iter().any(|part| shown.contains(part)) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for function in functions {
                    assert!(!line.contains(&format!(".{function}(")), "{shown}: use percussion_matrix::math: {line}");
                }
            }
        }
    }
}

/// Files and folders below a folder, with their paths from the root; builds and packages left out.
fn tree(folder: &Path, at: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "node_modules", "__pycache__"].contains(&name.as_str()) {
            continue;
        }
        let path = format!("{at}/{name}");
        if entry.path().is_dir() {
            tree(&entry.path(), &path, found);
        }
        found.push(path);
    }
}

/// Every file and folder that the map names is there.
#[test]
fn the_map_names_what_is_there() {
    let mut found = Vec::new();
    tree(&root(), "", &mut found);
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    let endings = [".rs", ".ts", ".cu", ".cpp", ".toml", ".py"];
    let mut named = 0;
    for name in map.split('`').skip(1).step_by(2) {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let is_path = name.contains('/') || endings.iter().any(|end| name.ends_with(end));
        if !plain || !is_path || name.starts_with("./") {
            continue;
        }
        named += 1;
        // the map leaves out crates/, src/, and the ending where a folder or a file of that name may be meant
        let asked = format!("/{}", name.trim_end_matches('/'));
        let short = |path: &String| path.replace("/src/", "/");
        let there = |path: &String| {
            [path.clone(), short(path)]
                .iter()
                .any(|path| path.ends_with(&asked) || path.ends_with(&format!("{asked}.rs")))
        };
        assert!(found.iter().any(there), "ARCHITECTURE.md names {name}, which is not there");
    }
    assert!(named > 100, "{named}");
}

/// What does not fit on a screen or two is split: no function of the sources is longer than 120 lines.
#[test]
fn functions_are_short() {
    let crates = root().join("crates");
    // the folder that holds the clone may be called src, too
    let inside = |path: &PathBuf| path.strip_prefix(&crates).is_ok_and(|path| path.iter().any(|part| part == "src"));
    for path in sources(&crates).into_iter().filter(inside) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let mut open: Option<(usize, usize)> = None;
        for (k, line) in text.lines().enumerate() {
            let (body, indent) = (line.trim_start(), line.len() - line.trim_start().len());
            let head =
                body.trim_start_matches("pub ").trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
            match open {
                None if head.starts_with("fn ") || head.starts_with("const fn ") => open = Some((k, indent)),
                Some((begin, at)) if indent == at && body == "}" => {
                    assert!(k - begin <= 120, "{}:{}: {} lines", path.display(), begin + 1, k - begin);
                    open = None;
                }
                // a function on one line, or one without a body
                Some((begin, at)) if k == begin + 1 && indent <= at => open = None,
                None | Some(_) => {}
            }
        }
    }
}
