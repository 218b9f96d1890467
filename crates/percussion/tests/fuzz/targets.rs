//! The readers under test: what they start from, and what they answer.

use percussion::files::{ContactProblem, ProblemFile, read, write_dat, write_fclib};
use percussion::matrix::{BlockMatrix, DenseMatrix, Matrix, SparseMatrix};
use percussion::scenario::{
    ImportOptions, LoadOptions, RunFolder, ScenarioError, Sweep, TABLES, builtin, import_robot, load, load_text,
    report, resume, run_checkpointed, run_kept, verify,
};
use percussion::solve::OneStepProblem;
use percussion::solve::friction::{FrictionProblem, GlobalFrictionProblem};
use percussion::solve::mlcp::MlcpProblem;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A reader.
pub struct Target {
    pub name: &'static str,
    pub binary: bool,
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub words: &'static [&'static str],
    /// What it answered, in few words: the same words mean the same path through the reader.
    pub answer: fn(&[u8]) -> String,
}

pub const TARGETS: &[Target] = &[
    Target { name: "scenario", binary: false, seeds: scenarios, words: KEYS, answer: scenario },
    Target { name: "steps", binary: false, seeds: scenarios, words: KEYS, answer: steps },
    Target { name: "set", binary: false, seeds: settings, words: KEYS, answer: setting },
    Target { name: "sweep", binary: false, seeds: sweeps, words: SWEEP_KEYS, answer: sweep },
    Target { name: "dat", binary: false, seeds: dats, words: &["CSparse", ":", "col"], answer: problem },
    Target { name: "fclib", binary: true, seeds: fclibs, words: &[], answer: problem },
    Target { name: "matrix-market", binary: false, seeds: matrices, words: MARKET, answer: matrix },
    Target { name: "urdf", binary: false, seeds: robots, words: ROBOT, answer: robot },
    Target { name: "obj", binary: false, seeds: objs, words: &["v", "f", "1", "//", "-1", "o"], answer: obj },
    Target { name: "stl", binary: true, seeds: stls, words: &[], answer: stl },
    Target { name: "msh", binary: true, seeds: mshes, words: &[], answer: msh },
    Target { name: "gmsh", binary: false, seeds: gmshes, words: GMSH, answer: gmsh },
    Target { name: "gmsh-binary", binary: true, seeds: binary_gmshes, words: &[], answer: gmsh },
    Target {
        name: "run-folder",
        binary: false,
        seeds: folder_files,
        words: &["e", ",", "open", "stick"],
        answer: folder,
    },
    Target { name: "checkpoint", binary: true, seeds: checkpoints, words: &[], answer: checkpoint },
];

const KEYS: &[&str] = &[
    "linear",
    "bar",
    "pendulum",
    "rocking-block",
    "beam",
    "bodies",
    "mass",
    "stiffness",
    "force",
    "q0",
    "v0",
    "normal",
    "restitution",
    "friction",
    "tangents",
    "offset",
    "theta",
    "rho_inf",
    "moreau-jean",
    "generalized-alpha",
    "generalized-alpha-ggl",
    "event-driven",
    "schatzman-paoli",
    "energy-momentum",
    "splitting",
    "d1-minus-linear",
    "runge-kutta-moreau",
    "newmark",
    "hht",
    "sphere",
    "box",
    "capsule",
    "plane",
    "mesh",
    "hull",
    "radius",
    "density",
    "position",
    "rotation",
    "velocity",
    "material",
    "adaptive",
    "{ mean = 1.0, sines = [] }",
    "{ file = \"M.mtx\" }",
    "every",
    "step",
    "end",
    "tolerance",
    "elements",
    "[[body]]",
    "[[model.contact]]",
    "[[model.joint]]",
    "[solver]",
];
const SWEEP_KEYS: &[&str] = &[
    "grid",
    "random",
    "latin-hypercube",
    "sobol",
    "samples",
    "seed",
    "measure",
    "key",
    "values",
    "from",
    "to",
    "count",
    "scale",
    "log",
    "[[sweep.parameter]]",
    "scenario",
    "model.v0.0",
    "scheme.name",
];
const MARKET: &[&str] = &[
    "%%MatrixMarket",
    "matrix",
    "coordinate",
    "array",
    "real",
    "integer",
    "pattern",
    "symmetric",
    "general",
    "complex",
    "skew-symmetric",
];

const GMSH: &[&str] = &[
    "$MeshFormat",
    "$EndMeshFormat",
    "$PhysicalNames",
    "$EndPhysicalNames",
    "$Entities",
    "$EndEntities",
    "$Nodes",
    "$EndNodes",
    "$Elements",
    "$EndElements",
    "4.1 0 8",
    "2.2 0 8",
    "\"solid\"",
    "11",
    "99999999999",
    "-1",
    "nan",
    "1e999",
];

const ROBOT: &[&str] = &[
    "<link name=\"a\">",
    "</link>",
    "<joint name=\"j\" type=\"prismatic\">",
    "</joint>",
    "<origin xyz=\"0 0 1\" rpy=\"1 2 3\"/>",
    "<mass value=\"2\"/>",
    "<mimic joint=\"j\" multiplier=\"2\"/>",
    "<limit lower=\"-1\" upper=\"1\"/>",
    "<sphere radius=\"1\"/>",
    "<cylinder radius=\"1\" length=\"2\"/>",
    "continuous",
    "floating",
    "&lt;",
    "<!ENTITY a \"b\">",
];

/// The words of an error without its numbers and names.
fn shape(error: &ScenarioError) -> String {
    assert!(!error.message.is_empty() && !error.help.is_empty(), "{error}");
    assert!(error.message.len() < 2000, "{} bytes of message", error.message.len());
    let mut words: Vec<&str> =
        error.message.split_whitespace().filter(|w| w.chars().all(char::is_alphabetic)).collect();
    words.truncate(6);
    format!("{} {}", error.code, words.join(" "))
}

fn scenarios() -> Vec<Vec<u8>> {
    let mut list: Vec<Vec<u8>> = builtin::NAMES
        .iter()
        .filter_map(|name| builtin::text(name))
        .filter(|text| text.len() < 20_000)
        .map(|text| text.as_bytes().to_vec())
        .collect();
    list.push(
        b"[model]\nkind = \"linear\"\nmass = [[1.0, 0.0], [0.0, 2.0]]\nstiffness = [[3.0, -1.0], [-1.0, 3.0]]\n\
        damping = [[0.1, 0.0], [0.0, 0.1]]\nforce = [{ mean = -10.0, sines = [{ amplitude = 1.0, omega = 2.0, phase = 0.1 }] }, 0.0]\n\
        q0 = [1.0, 1.0]\nv0 = [0.0, 0.0]\n[[model.contact]]\nnormal = [1.0, 0.0]\ntangents = [[0.0, 1.0]]\nfriction = 0.3\n\
        offset = { mean = 0.0, sines = [{ amplitude = 0.1, omega = 1.0 }] }\nrestitution = 0.5\n[[model.joint]]\nrow = [1.0, -1.0]\n\
        [time]\nend = 0.1\nstep = 0.01\nadaptive = { order = 1, atol = 1e-4, rtol = 1e-4 }\n[solver]\nname = \"auto\"\n[output]\nevery = 2\n"
            .to_vec(),
    );
    list
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scenario(bytes: &[u8]) -> String {
    match load_text("fuzz", &text(bytes), &LoadOptions::default()) {
        Ok(loaded) => format!("ok {} {}", loaded.scenario.scheme.name, loaded.scenario.model().n_q().min(4)),
        Err(error) => shape(&error),
    }
}

/// Three steps of what was accepted: no panic and only finite numbers, whatever the scenario says.
fn steps(bytes: &[u8]) -> String {
    let options = LoadOptions { set: vec!["output.every=1".into()], ..LoadOptions::default() };
    let loaded = match load_text("fuzz", &text(bytes), &options) {
        Ok(loaded) if loaded.scenario.model().n_q() <= 40 => loaded,
        Ok(_) => return "large".into(),
        Err(error) => return shape(&error),
    };
    let name = loaded.scenario.scheme.name;
    match run_kept(loaded, None, &mut |progress| progress.step < 3) {
        Ok((_, run, kept)) => {
            assert!(kept.trajectory.values.iter().all(|x| x.is_finite()), "a state that is no number");
            assert!(!run.summary.to_json().contains("null,\n    \"t\""), "a verdict that is no number");
            format!("{name} {}", run.summary.failure.map_or("ok".into(), |failure| failure.code))
        }
        Err(error) => shape(&error),
    }
}

fn settings() -> Vec<Vec<u8>> {
    [
        "scheme.theta=0.6",
        "model.contact.0.restitution=0.5",
        "model.q0=[1.0]",
        "time.adaptive={ order = 1 }",
        "name=\"x\"",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

fn setting(bytes: &[u8]) -> String {
    let options = LoadOptions { set: text(bytes).lines().map(str::to_string).collect(), ..LoadOptions::default() };
    match load("bouncing-ball", &options) {
        Ok(loaded) => format!("ok {}", loaded.scenario.scheme.name),
        Err(error) => shape(&error),
    }
}

fn sweeps() -> Vec<Vec<u8>> {
    let head = "[sweep]\nscenario = \"bouncing-ball\"\n";
    [
        "measure = [\"t_end\", \"last q0\"]\n[[sweep.parameter]]\nkey = \"scheme.theta\"\nvalues = [0.5, 0.7]\n",
        "method = \"random\"\nsamples = 10\nseed = 3\n[[sweep.parameter]]\nkey = \"model.v0.0\"\nfrom = 0.1\nto = 10.0\nscale = \"log\"\n",
        "method = \"sobol\"\nsamples = 8\n[[sweep.parameter]]\nkey = \"model.contact.0.restitution\"\nfrom = 0.0\nto = 1.0\ncount = 4\n",
        "method = \"latin-hypercube\"\nsamples = 4\n[[sweep.parameter]]\nkey = \"scheme.name\"\nvalues = [\"newmark\", \"hht\"]\n",
    ]
    .map(|tail| format!("{head}{tail}").into_bytes())
    .to_vec()
}

fn sweep(bytes: &[u8]) -> String {
    match Sweep::from_text("fuzz", &text(bytes), None) {
        Ok(sweep) => {
            let values: Vec<usize> = (0..sweep.count.min(4)).map(|i| sweep.point(i).len()).collect();
            format!("ok {values:?} {}", sweep.standalone().len().min(1))
        }
        Err(error) => shape(&error),
    }
}

/// Small problems of every kind.
fn problems() -> Vec<ContactProblem> {
    let W = DenseMatrix::from_rows(&[vec![2.0, -1.0, 0.0], vec![-1.0, 2.0, 0.5], vec![0.0, 0.5, 2.0]]).expect("rows");
    let sparse =
        SparseMatrix::from_triplets(3, 3, &[(0, 0, 2.0), (1, 1, 2.0), (2, 2, 1.0), (0, 2, 0.5)]).expect("inside");
    let (b, M) = (vec![-1.0, 0.5, -0.25], Matrix::Dense(W.clone()));
    let local = |d: usize, n: usize| {
        let block: Vec<f64> = (0..d * d).map(|k| if k % (d + 1) == 0 { 2.0 } else { 0.125 }).collect();
        let blocks: Vec<_> = (0..n).map(|i| (i, i, &block[..])).collect();
        let W = BlockMatrix::from_blocks(d, n, &blocks).expect("inside");
        let rolling = if d == 5 { vec![0.1; n] } else { Vec::new() };
        ContactProblem::Local(FrictionProblem::new(W, vec![-0.5; d * n], vec![0.3; n], rolling).expect("sizes"))
    };
    let global = |dim: usize| {
        let M =
            SparseMatrix::from_triplets(4, 4, &[(0, 0, 1.0), (1, 1, 2.0), (2, 2, 1.0), (3, 3, 1.0)]).expect("inside");
        let H = SparseMatrix::from_triplets(4, dim, &[(0, 0, 1.0), (1, dim - 1, 1.0), (3, 1, -1.0)]).expect("inside");
        let mu_rolling = if dim == 5 { vec![0.1] } else { Vec::new() };
        let (f, w, mu) = (vec![1.0, 0.0, -1.0, 0.5], vec![-0.5; dim], vec![0.4]);
        ContactProblem::Global(GlobalFrictionProblem { dim, M, H, f, w, mu, mu_rolling })
    };
    vec![
        ContactProblem::Lcp(OneStepProblem::new(M.clone(), b.clone())),
        ContactProblem::Lcp(OneStepProblem::new(Matrix::Sparse(sparse), b.clone())),
        ContactProblem::Mlcp(MlcpProblem {
            M,
            q: b,
            equality: vec![true, false, false],
            free: vec![true, false, false],
        }),
        local(2, 2),
        local(3, 2),
        local(5, 1),
        global(2),
        global(3),
        global(5),
    ]
}

fn dats() -> Vec<Vec<u8>> {
    problems().iter().filter_map(write_dat).map(String::into_bytes).collect()
}

fn fclibs() -> Vec<Vec<u8>> {
    let file = |problem| ProblemFile {
        problem,
        notes: Vec::new(),
        title: "a problem".into(),
        description: "made for fuzzing".into(),
        solution: None,
        guesses: Vec::new(),
    };
    problems().into_iter().filter_map(|problem| write_fclib(&file(problem))).collect()
}

fn problem(bytes: &[u8]) -> String {
    match read(bytes, None) {
        Ok(file) => format!("ok {}", write_dat(&file.problem).map_or(0, |text| text.lines().count().min(9))),
        Err(error) => {
            let mut words: Vec<&str> = error.message.split_whitespace().collect();
            words.retain(|word| word.chars().all(char::is_alphabetic));
            words.truncate(6);
            format!("{} {}", error.code, words.join(" "))
        }
    }
}

/// A folder of this process alone.
fn scratch(name: &str) -> PathBuf {
    // in memory where there is such a place: checkpoints wait for the disk
    let shared = Path::new("/dev/shm");
    let root = if shared.is_dir() { shared } else { Path::new(env!("CARGO_TARGET_TMPDIR")) };
    let folder = root.join(format!("percussion-fuzz-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn matrices() -> Vec<Vec<u8>> {
    [
        "%%MatrixMarket matrix coordinate real symmetric\n% M\n2 2 3\n1 1 1.0\n2 2 2.0\n2 1 0.1\n",
        "%%MatrixMarket matrix array real general\n2 2\n1.0\n0.0\n0.0\n2.0\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 2 2\n",
        "%%MatrixMarket matrix array real symmetric\n2 2\n1.0\n0.5\n2.0\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

fn matrix(bytes: &[u8]) -> String {
    let folder = scratch("matrix");
    let scenario = "[model]\nkind = \"linear\"\nmass = { file = \"M.mtx\" }\nforce = [0.0, 0.0]\nq0 = [0.0, 0.0]\nv0 = [0.0, 0.0]\n\
        [time]\nend = 0.1\nstep = 0.01\n";
    std::fs::write(folder.join("s.toml"), scenario).expect("written");
    std::fs::write(folder.join("M.mtx"), bytes).expect("written");
    match load(&folder.join("s.toml").display().to_string(), &LoadOptions::default()) {
        Ok(_) => "ok".into(),
        Err(error) => shape(&error),
    }
}

const ARM: &str = "<robot name='arm'><link name='base'/><link name='upper'><inertial><origin xyz='0 0 0.5' rpy='0 0 0'/>\
    <mass value='2'/><inertia ixx='0.2' iyy='0.2' izz='0.01'/></inertial><collision><origin xyz='0 0 0.5'/><geometry>\
    <cylinder radius='0.05' length='1'/></geometry></collision></link><link name='lower'><inertial><mass value='1'/>\
    <inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial><collision><geometry><box size='0.1 0.1 0.8'/></geometry></collision></link>\
    <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><origin xyz='0 0 1' rpy='0 1.57 0'/>\
    <axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='10' velocity='3'/><dynamics damping='0.1' friction='0.2'/></joint>\
    <joint name='slide' type='prismatic'><parent link='upper'/><child link='lower'/><origin xyz='0 0 1'/><axis xyz='0 0 1'/>\
    <mimic joint='shoulder' multiplier='2' offset='1'/></joint></robot>";
const CUBE: &str = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn robots() -> Vec<Vec<u8>> {
    vec![ARM.as_bytes().to_vec(), ARM.replace("prismatic", "fixed").into_bytes()]
}

/// A robot becomes a scenario, and what is accepted is read again.
fn robot(bytes: &[u8]) -> String {
    let options = ImportOptions { floating: !bytes.len().is_multiple_of(2), ..ImportOptions::default() };
    match import_robot("fuzz.urdf", &text(bytes), &options) {
        Ok(imported) => match load_text("fuzz", &imported.toml, &LoadOptions::default()) {
            Ok(loaded) => format!("ok {}", loaded.scenario.model().n_q().min(20)),
            Err(error) => shape(&error),
        },
        Err(error) => shape(&error),
    }
}

fn objs() -> Vec<Vec<u8>> {
    vec![CUBE.as_bytes().to_vec(), CUBE.replace("f 1 4 3 2", "f 1/1/1 -5/2/2 3//3 2").into_bytes()]
}

/// A tetrahedron, as text and as bytes.
fn stls() -> Vec<Vec<u8>> {
    let p: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let (mut words, mut bytes) = (String::from("solid t\n"), vec![0_u8; 80]);
    bytes.extend(4_u32.to_le_bytes());
    for face in faces {
        words += "facet normal 0 0 0\nouter loop\n";
        bytes.extend([0_u8; 12]);
        for [x, y, z] in face.map(|k: usize| p[k]) {
            words += &format!("vertex {x} {y} {z}\n");
            bytes.extend([x, y, z].iter().flat_map(|x| x.to_le_bytes()));
        }
        words += "endloop\nendfacet\n";
        bytes.extend([0_u8; 2]);
    }
    vec![(words + "endsolid t\n").into_bytes(), bytes]
}

/// A body with the surface of a file.
fn mesh(file: &str, bytes: &[u8]) -> String {
    let folder = scratch("mesh");
    let scenario = format!(
        "[model]\nkind = \"bodies\"\n[[body]]\nname = \"b\"\ndensity = 1000.0\n\
         shape = {{ kind = \"mesh\", file = \"{file}\" }}\n[time]\nend = 0.1\nstep = 0.01\n"
    );
    std::fs::write(folder.join("s.toml"), scenario).expect("written");
    std::fs::write(folder.join(file), bytes).expect("written");
    match load(&folder.join("s.toml").display().to_string(), &LoadOptions::default()) {
        Ok(_) => "ok".into(),
        Err(error) => shape(&error),
    }
}

fn obj(bytes: &[u8]) -> String {
    mesh("m.obj", bytes)
}

fn stl(bytes: &[u8]) -> String {
    mesh("m.stl", bytes)
}

fn mshes() -> Vec<Vec<u8>> {
    let p = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let faces = [0_i32, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2];
    let of = |triangles: i32, faces: &[i32]| -> Vec<u8> {
        let mut bytes: Vec<u8> = [4, 0, 0, triangles].iter().flat_map(|n: &i32| n.to_le_bytes()).collect();
        bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(faces.iter().flat_map(|n| n.to_le_bytes()));
        bytes
    };
    vec![of(4, &faces), of(0, &[])]
}

fn msh(bytes: &[u8]) -> String {
    mesh("m.msh", bytes)
}

const PLATE_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"solid\"\n1 2 \"bottom\"\n$EndPhysicalNames\n\
    $Entities\n0 1 1 0\n1 0 0 0 1 0 0 1 2 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n\
    $Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n\
    $Elements\n2 2 1 2\n1 1 1 1\n1 1 2\n2 1 3 1\n2 1 2 3 4\n$EndElements\n";
const PLATE_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"solid\"\n1 2 \"bottom\"\n$EndPhysicalNames\n\
    $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n7 0 1 0\n$EndNodes\n\
    $Elements\n3\n1 1 2 2 1 1 2\n2 2 2 1 1 1 2 3\n3 2 2 1 1 1 3 7\n$EndElements\n";

fn gmshes() -> Vec<Vec<u8>> {
    vec![PLATE_4.as_bytes().to_vec(), PLATE_2.as_bytes().to_vec()]
}

/// The second of these plates, written in binary, in both orders of bytes.
fn binary_gmshes() -> Vec<Vec<u8>> {
    let file = |int: fn(i32) -> [u8; 4], real: fn(f64) -> [u8; 8]| {
        let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
        bytes.extend(int(1));
        bytes.extend(
            b"\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"solid\"\n1 2 \"bottom\"\n$EndPhysicalNames\n$Nodes\n4\n",
        );
        for (tag, x) in [(1, [0.0, 0.0]), (2, [1.0, 0.0]), (3, [1.0, 1.0]), (7, [0.0, 1.0])] {
            bytes.extend(int(tag));
            bytes.extend([x[0], x[1], 0.0].into_iter().flat_map(real));
        }
        bytes.extend(b"\n$EndNodes\n$Elements\n3\n");
        // kind, elements that follow, tags of each; then number, tags, nodes
        let lists: [&[i32]; 2] = [&[1, 1, 2, 1, 2, 2, 1, 2], &[2, 2, 2, 2, 1, 1, 1, 2, 3, 3, 1, 1, 1, 3, 7]];
        bytes.extend(lists.concat().into_iter().flat_map(int));
        bytes.extend(b"\n$EndElements\n");
        bytes
    };
    vec![file(i32::to_le_bytes, f64::to_le_bytes), file(i32::to_be_bytes, f64::to_be_bytes)]
}

/// A solid of that mesh above a floor.
fn gmsh(bytes: &[u8]) -> String {
    let folder = scratch("gmsh");
    let scenario = "[model]\nkind = \"solid\"\nmesh = \"m.msh\"\nplane = \"strain\"\n\
         [[model.part]]\ngroup = \"solid\"\nmaterial = { young = 1e6, poisson = 0.3, density = 1000.0 }\n\
         [[model.contact]]\nsurface = \"bottom\"\nmass = \"lumped\"\n\
         against = { plane = { point = [0.0, -0.1], normal = [0.0, 1.0] } }\n[time]\nend = 0.1\nstep = 0.01\n";
    std::fs::write(folder.join("s.toml"), scenario).expect("written");
    std::fs::write(folder.join("m.msh"), bytes).expect("written");
    match load(&folder.join("s.toml").display().to_string(), &LoadOptions::default()) {
        Ok(loaded) => format!("ok {}", loaded.scenario.model().n_q().min(20)),
        Err(error) => shape(&error),
    }
}

/// Files of a run; the first line of an input names the one it replaces.
const FILES: [&str; 6] = ["summary.json", "scenario.toml", TABLES[0], TABLES[1], TABLES[2], TABLES[3]];

fn short_run(folder: &Path, stop: u64) {
    let options = LoadOptions { set: vec!["output.every=2".into()], end: Some(0.1), ..LoadOptions::default() };
    let loaded = load("slanted-rod", &options).expect("built in");
    run_checkpointed(loaded, folder, Duration::MAX, &mut |progress| progress.step < stop).expect("a run");
}

fn folder_files() -> Vec<Vec<u8>> {
    let folder = scratch("whole");
    short_run(&folder, 12);
    FILES
        .iter()
        .map(|name| [name.as_bytes(), b"\n", &std::fs::read(folder.join(name)).expect("a file")].concat())
        .collect()
}

fn folder(bytes: &[u8]) -> String {
    let there = scratch("folder");
    if !there.join("summary.json").exists() {
        short_run(&there, 12);
    }
    let end = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let Some(name) = FILES.iter().find(|name| name.as_bytes() == &bytes[..end]) else { return "no file".into() };
    let path = there.join(name);
    let before = std::fs::read(&path).expect("a file");
    std::fs::write(&path, &bytes[(end + 1).min(bytes.len())..]).expect("written");
    let small = RunFolder::open(&there).map(|run| run.model().n_q() <= 40);
    let answer = match small {
        Err(error) => shape(&error),
        Ok(false) => "large".into(),
        Ok(true) => {
            let words = match verify(&there) {
                Ok(verification) => format!("verified, differs: {}", verification.differs()),
                Err(error) => shape(&error),
            };
            let page = match report(&there) {
                Ok(_) => "page".into(),
                Err(error) => shape(&error),
            };
            format!("{words}; {page}")
        }
    };
    std::fs::write(&path, before).expect("restored");
    answer
}

/// Runs that are stopped: scenario, after which step, with what changed.
const STOPPED: [(&str, u64, &str); 5] = [
    ("bouncing-ball", 150, "output.every=7"),
    ("slanted-rod", 5, "output.every=1"),
    ("newtons-cradle", 20, "output.every=3"),
    ("pendulum", 5, "output.every=1"),
    ("bouncing-ball", 7, "time.adaptive={ order = 1, atol = 1e-4, rtol = 1e-4 }"),
];

/// The folder of a stopped run, made once.
fn stopped(run: &(&str, u64, &str)) -> PathBuf {
    let &(scenario, stop, set) = run;
    let folder = scratch(&format!("stopped-{scenario}-{stop}"));
    if !folder.join("checkpoint").exists() {
        let options = LoadOptions { set: vec![set.into()], ..LoadOptions::default() };
        let loaded = load(scenario, &options).expect("built in");
        run_checkpointed(loaded, &folder, Duration::MAX, &mut |progress| progress.step < stop).expect("a run");
    }
    folder
}

fn checkpoints() -> Vec<Vec<u8>> {
    STOPPED.iter().map(|run| std::fs::read(stopped(run).join("checkpoint")).expect("a checkpoint")).collect()
}

/// Whether a checkpoint begins as that of a run does: magic, version and the checksum of its scenario.
fn belongs(bytes: &[u8], run: &(&str, u64, &str)) -> bool {
    let whole = std::fs::read(stopped(run).join("checkpoint")).expect("a checkpoint");
    let head = "percussion checkpoint 4\n".len() + 16;
    let end = head + 8 + env!("CARGO_PKG_VERSION").len() + 8;
    bytes.len() >= end && bytes[head..end] == whole[head..end]
}

/// Makes length and CRC-64/XZ of a checkpoint right, bit by bit.
fn seal(bytes: &mut [u8]) {
    let head = "percussion checkpoint 4\n".len();
    let Some((start, payload)) = bytes.split_at_mut_checked(head + 16) else { return };
    let mut crc = u64::MAX;
    for &byte in payload.iter() {
        crc ^= u64::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xc96c_5795_d787_0f42 } else { 0 };
        }
    }
    start[head..head + 8].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    start[head + 8..].copy_from_slice(&(!crc).to_le_bytes());
}

/// The length and the checksum are made right, so that what lies behind them is reached: three steps from there.
fn checkpoint(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    if bytes.last().is_none_or(|b| b % 8 != 1) {
        seal(&mut bytes);
    }
    let k = STOPPED.iter().position(|stopped| belongs(&bytes, stopped)).unwrap_or(0);
    let there = stopped(&STOPPED[k]);
    let tables: Vec<Vec<u8>> = TABLES.iter().map(|name| std::fs::read(there.join(name)).expect("a table")).collect();
    let whole = std::fs::read(there.join("checkpoint")).expect("a checkpoint");
    std::fs::write(there.join("checkpoint"), &bytes).expect("written");
    let mut left = 3;
    let answer = resume(&there, Duration::MAX, &mut |_| {
        left -= 1;
        left > 0
    });
    for (name, table) in TABLES.iter().zip(tables) {
        std::fs::write(there.join(name), table).expect("restored");
    }
    std::fs::write(there.join("checkpoint"), whole).expect("restored");
    match answer {
        Ok(_) => format!("{k} went on"),
        Err(error) => format!("{k} {}", shape(&error)),
    }
}
