//! The licences of everything that is linked or run: permissive ones only, so that the program may be given away.

use std::path::Path;
use std::process::Command;

/// Licences under which a dependency may be used: no obligation but to keep the notice.
const ALLOWED: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
];

/// Whether an SPDX expression can be met: OR needs one, AND needs all. `/` is an old way to write OR.
fn met(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    // AND of parts, in brackets or bare; OR inside
    expression
        .split(" AND ")
        .all(|part| part.trim().trim_matches(['(', ')']).split(" OR ").any(|licence| ALLOWED.contains(&licence.trim())))
}

#[test]
fn expressions_are_understood() {
    for good in
        ["MIT", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "MIT OR Apache-2.0 OR LGPL-2.1-or-later"]
    {
        assert!(met(good), "{good}");
    }
    for bad in ["GPL-3.0-only", "LGPL-2.1-or-later", "(MIT OR Apache-2.0) AND GPL-2.0", ""] {
        assert!(!met(bad), "{bad}");
    }
}

/// Every package of the lock file, on every system and with every feature.
#[test]
fn dependencies_are_permissive() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let arguments = ["metadata", "--format-version", "1", "--all-features", "--manifest-path"];
    let ask =
        |more: &[&str]| Command::new(env!("CARGO")).args(arguments).arg(&manifest).args(more).output().expect("cargo");
    let mut output = ask(&["--offline"]);
    if !output.status.success() {
        // packages of other systems may not have been fetched; those of this one were, or this test would not be built
        let words = b"SKIPPED: licences of packages for other systems; they are not here\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words);
        let rustc = Command::new("rustc").arg("-vV").output().expect("rustc").stdout;
        let rustc = String::from_utf8(rustc).expect("text");
        let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
        output = ask(&["--offline", "--filter-platform", host]);
        // what only a feature needs that is off by default, such as the driver of a GPU, is fetched
        if !output.status.success() {
            output = ask(&["--filter-platform", host]);
        }
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50);
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or(""));
        assert!(met(licence), "{name} is under \"{licence}\"");
        let source = package["source"].as_str().unwrap_or("");
        assert!(source.is_empty() || source.starts_with("registry+"), "{name} comes from {source}");
    }
}
