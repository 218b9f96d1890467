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
                assert!(!code.contains(word), "{} uses {word}", path.display());
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
