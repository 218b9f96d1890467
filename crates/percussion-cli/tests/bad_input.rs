//! Every bad input gives its code, its line and exit 3, and never a panic.

mod common;
use common::{BALL, folder, percussion};

/// `BALL` with one line replaced, and the number of that line.
fn ball_with(old: &str, new: &str) -> (String, usize) {
    let line = BALL.lines().position(|line| line == old).unwrap_or_else(|| panic!("no line {old}")) + 1;
    (BALL.replacen(&format!("{old}\n"), &format!("{new}\n"), 1), line)
}

/// Refused with this code at this line, by `run` and by `check`; returns what was said.
fn refused(name: &str, text: &str, code: &str, line: Option<usize>) -> String {
    let folder = folder(&format!("bad-{name}"));
    std::fs::write(folder.join("bad.toml"), text).expect("a scenario");
    let said = percussion(&folder, &["run", "bad.toml", "--out", "out"]);
    assert_eq!(said.code, 3, "{name}: {}", said.err);
    assert!(said.err.contains(&format!("[{code}]")), "{name}: wanted {code}, got {}", said.err);
    if let Some(line) = line {
        assert!(said.err.contains(&format!("bad.toml:{line}:")), "{name}: wanted line {line}, got {}", said.err);
    }
    assert!(said.err.contains("help: "), "{name}: no remedy: {}", said.err);
    assert!(!folder.join("out").exists(), "{name}: an output folder for a refused scenario");
    let check = percussion(&folder, &["check", "bad.toml", "--json"]);
    assert_eq!(check.code, 3, "{name}");
    let object: serde_json::Value = serde_json::from_str(&check.err).expect("--json writes errors as an object");
    assert_eq!(object["error"]["code"], code, "{name}");
    said.err
}

#[test]
fn one_line_changed() {
    let cases: &[(&str, &str, &str)] = &[
        // NaN and infinity in each place
        ("mass = [[1.0]]", "mass = [[nan]]", "E110"),
        ("mass = [[1.0]]", "mass = [[inf]]", "E110"),
        ("stiffness = [[0.0]]", "stiffness = [[nan]]", "E110"),
        ("damping = [[0.0]]", "damping = [[-inf]]", "E110"),
        ("force = [-10.0]", "force = [nan]", "E110"),
        ("force = [-10.0]", "force = [{ mean = inf }]", "E110"),
        ("force = [-10.0]", "force = [{ sines = [{ amplitude = nan, omega = 1 }] }]", "E110"),
        ("q0 = [1.0]", "q0 = [nan]", "E110"),
        ("v0 = [0.0]", "v0 = [inf]", "E110"),
        ("normal = [1.0]", "normal = [nan]", "E110"),
        ("offset = 0.0", "offset = nan", "E110"),
        ("restitution = 0.8", "restitution = nan", "E110"),
        ("theta = 0.5", "theta = nan", "E110"),
        ("tolerance = 1e-10", "tolerance = nan", "E110"),
        ("end = 1.0", "end = inf", "E110"),
        ("step = 1e-2", "step = nan", "E110"),
        // sizes
        ("mass = [[1.0]]", "mass = [[1.0, 0.0]]", "E111"),
        ("mass = [[1.0]]", "mass = [[1.0, 0.0], [0.0]]", "E111"),
        ("mass = [[1.0]]", "mass = []", "E111"),
        ("mass = [[1.0]]", "mass = [[]]", "E111"),
        ("stiffness = [[0.0]]", "stiffness = [[0.0, 0.0], [0.0, 0.0]]", "E111"),
        ("force = [-10.0]", "force = [-10.0, 1.0]", "E111"),
        ("q0 = [1.0]", "q0 = []", "E111"),
        ("v0 = [0.0]", "v0 = [0.0, 0.0]", "E111"),
        ("normal = [1.0]", "normal = [1.0, 0.0]", "E111"),
        ("normal = [1.0]", "normal = { 7 = 1.0 }", "E111"),
        // mechanics
        ("mass = [[1.0]]", "mass = [[0.0]]", "E113"),
        ("mass = [[1.0]]", "mass = [[-1.0]]", "E113"),
        ("normal = [1.0]", "normal = [0.0]", "E121"),
        ("restitution = 0.8", "restitution = 1.5", "E120"),
        ("restitution = 0.8", "restitution = -0.1", "E120"),
        ("restitution = 0.8", "restitution = 0.8\nfriction = 0.3", "E122"),
        ("restitution = 0.8", "restitution = 0.8\ntangents = [[1.0]]", "E122"),
        // how
        ("step = 1e-2", "step = 0.0", "E150"),
        ("step = 1e-2", "step = -1e-2", "E150"),
        ("step = 1e-2", "step = 1e-300", "E150"),
        ("end = 1.0", "end = -1.0", "E150"),
        ("step = 1e-2", "step = 1e-2\nadaptive = { order = 3 }", "E156"),
        ("step = 1e-2", "step = 1e-2\nadaptive = { ordre = 1 }", "E102"),
        ("step = 1e-2", "step = 1e-2\nadaptive = { atol = \"small\" }", "E103"),
        ("step = 1e-2", "step = 1e-2\nadaptive = { step_min = 1e-30 }", "E156"),
        ("theta = 0.5", "theta = 1.5", "E151"),
        ("theta = 0.5", "theta = -0.5", "E151"),
        ("theta = 0.5", "beta = 0.25", "E152"),
        ("theta = 0.5", "prediction = 0.5", "E152"),
        ("theta = 0.5", "activation = \"never\"", "E151"),
        ("theta = 0.5", "projection = \"free\"", "E151"),
        ("theta = 0.5", "friction_law = \"coulomb\"", "E151"),
        ("tolerance = 1e-10", "tolerance = 0.0", "E153"),
        ("tolerance = 1e-10", "tolerance = 2.0", "E153"),
        ("max_iterations = 100", "max_iterations = 0", "E153"),
        ("max_iterations = 100", "max_iterations = -5", "E153"),
        ("every = 1", "every = 0", "E154"),
        ("every = 1", "every = -3", "E154"),
        ("name = \"auto\"", "name = \"magic\"", "E105"),
        ("kind = \"linear\"", "kind = \"cloth\"", "E106"),
        // kinds of values
        ("mass = [[1.0]]", "mass = \"one\"", "E103"),
        ("mass = [[1.0]]", "mass = [1.0]", "E103"),
        ("force = [-10.0]", "force = -10.0", "E103"),
        ("theta = 0.5", "theta = \"half\"", "E103"),
        ("restitution = 0.8", "restitution = true", "E103"),
        ("every = 1", "every = 1.5", "E103"),
        ("normal = [1.0]", "normal = { x = 1.0 }", "E103"),
        ("format = 1", "format = 2", "E103"),
        ("name = \"ball\"", "name = 7", "E103"),
        // keys
        ("stiffness = [[0.0]]", "stifness = [[0.0]]", "E102"),
        ("name = \"ball\"", "nome = \"ball\"", "E102"),
        ("force = [-10.0]", "force = [{ means = 1.0 }]", "E102"),
        // grammar
        ("theta = 0.5", "theta = ", "E101"),
        ("theta = 0.5", "theta 0.5", "E101"),
        ("q0 = [1.0]", "q0 = [1.0", "E101"),
    ];
    for (k, (old, new, code)) in cases.iter().enumerate() {
        let (text, line) = ball_with(old, new);
        // a mistake in an added second line is shown there; an open bracket where the parser notices
        let added = new.contains('\n') as usize;
        let exact = *code != "E101";
        refused(&format!("line-{k}"), &text, code, exact.then_some(line + added));
    }
}

/// An unknown key is refused with the key that was meant.
#[test]
fn misspelt_keys_are_recognised() {
    let (text, line) = ball_with("restitution = 0.8", "restitutoin = 0.8");
    let said = refused("misspelt", &text, "E102", Some(line));
    assert!(said.contains("did you mean \"restitution\"?") && said.contains("restitutoin = 0.8"), "{said}");
}

/// An unknown scheme is refused with the list and the scheme that was meant.
#[test]
fn unknown_schemes_are_answered_with_the_list() {
    let (text, line) = ball_with("name = \"moreau-jean\"", "name = \"moreau_jean\"");
    let said = refused("scheme", &text, "E104", Some(line));
    assert!(said.contains("did you mean \"moreau-jean\"?"), "{said}");
    assert!(said.contains("kh-generalized-alpha") && said.contains("naive-newmark-position"), "{said}");
}

/// Parameters that do not belong to their scheme, or leave its range.
#[test]
fn parameters_of_other_schemes() {
    let scheme = |name: &str, parameter: &str| {
        let text = BALL.replace("name = \"moreau-jean\"\ntheta = 0.5", &format!("name = \"{name}\"\n{parameter}"));
        let line = text.lines().position(|line| line == parameter).expect("the parameter") + 1;
        (text, line)
    };
    let cases = [
        ("newmark", "theta = 0.5", "E152"),
        ("hht", "alpha = 0.4", "E151"),
        ("hht", "alpha = -0.1", "E151"),
        ("generalized-alpha", "rho_inf = 1.1", "E151"),
        ("generalized-alpha", "alpha_m = 0.5", "E151"),
        ("newmark", "beta = -0.1", "E151"),
        ("newmark", "preset = \"fox\"", "E151"),
        ("naive-newmark-position", "activation = \"hold\"", "E152"),
    ];
    for (name, parameter, code) in cases {
        let (text, line) = scheme(name, parameter);
        refused(&format!("parameter-{name}-{}", parameter.replace(['"', ' ', '=', '.'], "")), &text, code, Some(line));
    }
    let (text, line) = ball_with("theta = 0.5", "activation = \"hold\"\nprediction = 0.5");
    let said = refused("hold-prediction", &text, "E152", Some(line + 1));
    assert!(said.contains("scheme.prediction"), "{said}");
}

/// Matrices that no mechanical system has.
#[test]
fn matrices_of_two_coordinates() {
    let two = |mass: &str, stiffness: &str| {
        BALL.replace("mass = [[1.0]]", &format!("mass = {mass}"))
            .replace("stiffness = [[0.0]]", &format!("stiffness = {stiffness}"))
            .replace("damping = [[0.0]]\n", "")
            .replace("force = [-10.0]", "force = [0.0, 0.0]")
            .replace("q0 = [1.0]", "q0 = [1.0, 1.0]")
            .replace("v0 = [0.0]", "v0 = [0.0, 0.0]")
            .replace("normal = [1.0]", "normal = [1.0, 0.0]")
    };
    let zero = "[[0.0, 0.0], [0.0, 0.0]]";
    refused("m-asymmetric", &two("[[1.0, 0.5], [0.4, 1.0]]", zero), "E112", Some(5));
    refused("m-indefinite", &two("[[1.0, 2.0], [2.0, 1.0]]", zero), "E113", Some(5));
    refused("m-zero-entry", &two("[[1.0, 0.0], [0.0, 0.0]]", zero), "E113", Some(5));
    refused("k-asymmetric", &two("[[1.0, 0.0], [0.0, 1.0]]", "[[1.0, 0.5], [0.4, 1.0]]"), "E114", Some(6));
    let joined = |rows: &str| two("[[1.0, 0.0], [0.0, 1.0]]", zero) + rows;
    refused("zero-joint", &joined("[[model.joint]]\nrow = [0.0, 0.0]\n"), "E140", None);
    refused("joint-position", &joined("[[model.joint]]\nrow = [1.0, 0.0]\n"), "E131", None);
    let twice = "[[model.joint]]\nrow = [1.0, 0.0]\noffset = -1.0\n[[model.joint]]\nrow = [1.0, 0.0]\noffset = 3.0\n";
    refused("contradicting-joints", &joined(twice), "E141", None);
}

/// Missing parts.
#[test]
fn missing_parts() {
    for (line, field) in [
        ("mass = [[1.0]]\n", "model.mass"),
        ("kind = \"linear\"\n", "model.kind"),
        ("restitution = 0.8\n", "model.contact[0].restitution"),
        ("normal = [1.0]\n", "model.contact[0].normal"),
        ("step = 1e-2\n", "time.step"),
        ("end = 1.0\n", "time.end"),
        ("[time]\nend = 1.0\nstep = 1e-2\n", "time"),
    ] {
        let said =
            refused(&format!("missing-{field}").replace(['[', ']'], ""), &BALL.replacen(line, "", 1), "E103", None);
        assert!(said.contains(field) && said.contains("missing"), "{field}: {said}");
    }
    refused("only-comments", "# nothing here\n", "E103", Some(1));
}

/// A ball that starts inside the floor is refused, and moved on request.
#[test]
fn initial_penetration() {
    let (text, _) = ball_with("q0 = [1.0]", "q0 = [-0.1]");
    let said = refused("penetration", &text, "E130", None);
    assert!(said.contains("--fix-initial project"), "{said}");
    let folder = folder("penetration-mended");
    std::fs::write(folder.join("bad.toml"), text).expect("a scenario");
    let said = percussion(&folder, &["run", "bad.toml", "--out", "out", "--fix-initial", "project"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("W407"), "{}", said.err);
    let again = percussion(&folder, &["run", "out/scenario.toml", "--out", "again", "--quiet"]);
    assert_eq!(again.code, 0, "the resolved scenario holds the moved state: {}", again.err);
}

/// Files that are no scenario at all.
#[test]
fn files_that_are_no_scenario() {
    let folder = folder("no-scenario");
    std::fs::create_dir_all(folder.join("a-folder")).expect("a folder");
    std::fs::write(folder.join("empty.toml"), "").expect("a file");
    std::fs::write(folder.join("binary.toml"), [0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, b'\n', 1]).expect("a file");
    std::fs::write(folder.join("zeros.toml"), [0_u8; 64]).expect("a file");
    for (file, code) in [
        ("not-there.toml", "E100"),
        ("a-folder", "E100"),
        ("empty.toml", "E103"),
        ("binary.toml", "E101"),
        ("zeros.toml", "E101"),
        ("", "E100"),
    ] {
        let said = percussion(&folder, &["run", file, "--out", "out"]);
        assert_eq!(said.code, 3, "{file}: {}", said.err);
        assert!(said.err.contains(code), "{file}: {}", said.err);
    }
    let said = percussion(&folder, &["run", "bouncing-bal", "--out", "out"]);
    assert!(said.err.contains("did you mean the built-in scenario \"bouncing-ball\"?"), "{}", said.err);
}

/// Nesting a thousand deep in every way the grammar allows neither hangs nor overflows the stack.
#[test]
fn deep_nesting() {
    let deep = 100_000;
    let bombs = [
        format!("x = {}", "[".repeat(deep)),
        format!("x = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}", "{a=".repeat(deep)),
        format!("[{}]\n", vec!["a"; deep].join(".")),
        format!("{} = 1\n", vec!["a"; deep].join(".")),
        "[[a]]\n".repeat(deep),
    ];
    for (k, bomb) in bombs.iter().enumerate() {
        let folder = folder(&format!("bomb-{k}"));
        std::fs::write(folder.join("bad.toml"), bomb).expect("a file");
        let said = percussion(&folder, &["run", "bad.toml", "--out", "out"]);
        assert_eq!(said.code, 3, "bomb {k}: {}", &said.err[..said.err.len().min(300)]);
        assert!(said.err.len() < 10_000, "bomb {k}: {} bytes of message", said.err.len());
    }
}

/// Values set from outside are blamed on the option, not on the file.
#[test]
fn overrides_are_named() {
    let folder = folder("overrides");
    for (arguments, code, words) in [
        (["--set", "model.contact.0.restitution=1.5"], "E120", "--set model.contact.0.restitution=1.5"),
        (["--set", "scheme.thetta=0.5"], "E102", "did you mean \"theta\"?"),
        (["--set", "model.contact.3.restitution=0.5"], "E107", "--set"),
        (["--set", "nonsense"], "E107", "--set nonsense"),
        (["--step", "-1e-3"], "E150", "--step"),
        (["--step", "nan"], "E110", "--step"),
        (["--end", "-1"], "E150", "--end"),
        (["--scheme", "newmarc"], "E104", "did you mean \"newmark\"?"),
    ] {
        let mut all = vec!["run", "bouncing-ball", "--out", "out"];
        all.extend(arguments);
        let said = percussion(&folder, &all);
        assert_eq!(said.code, 3, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(code) && said.err.contains(words), "{arguments:?}: {}", said.err);
    }
}

/// A folder that cannot be made is an I/O failure: 7. (A path below a regular file, which binds root too.)
#[test]
fn unwritable_folder() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("file"), "x").expect("a file");
    let said = percussion(&folder, &["run", "bouncing-ball", "--out", "file/below"]);
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("E300"), "{}", said.err);
}

/// A scenario a person wrote is not replaced by its own resolved form.
#[test]
fn the_users_scenario_is_not_overwritten() {
    let folder = folder("own-scenario");
    std::fs::write(folder.join("scenario.toml"), BALL).expect("a file");
    let said = percussion(&folder, &["run", "scenario.toml", "--out", "."]);
    assert_eq!(said.code, 7, "{}", said.err);
    assert_eq!(std::fs::read_to_string(folder.join("scenario.toml")).expect("still there"), BALL);
}
