//! Rows of the table of bad inputs: bodies, meshes, robots, files that are none, memory and disk, Python.

use super::{Input::*, Row, changed, row, try_scenario};
use crate::common::{BALL, Said, percussion, stiff_column};
use std::path::Path;

const BALL_SHAPE: &str = "shape = { kind = \"sphere\", radius = 0.1 }";
const TWICE: &str = "Exudyn: \"matrix is not factorized!\"";

/// The scene with a joint before `[time]`, one part of it changed.
const fn hinged(tried: &'static str, text: &'static str, others: &'static str, code: &'static str, exit: i32) -> Row {
    row(tried, Sphere("[time]", text), others, code, exit)
}

macro_rules! hinge {
    ($($more:literal),*) => {
        concat!(
            "[[joint]]\nkind = \"revolute\"\na = \"floor\"\nb = \"ball\"\nanchor = [0.0, 0.0, 2.0]\n",
            $($more),*
        )
    };
}

pub const MORE: &[(&str, &[Row])] = &[
    (
        "Bodies",
        &[
            row(
                "two bodies that overlap",
                Sphere(
                    "[time]",
                    "[[body]]\nname = \"other\"\nshape = { kind = \"sphere\", radius = 0.1 }\ndensity = 1000.0\nposition = [0.0, 0.0, 1.1]\n[time]",
                ),
                "",
                "E130",
                3,
            ),
            row(
                "a box of negative size",
                Sphere(BALL_SHAPE, "shape = { kind = \"box\", size = [0.1, -0.1, 0.1] }"),
                "Rapier: negative radius accepted in silence",
                "E125",
                3,
            ),
            row(
                "a body of negative mass",
                Sphere("density = 1000.0", "mass = -1.0\ninertia = [1.0, 1.0, 1.0]"),
                super::NEGATIVE_MASS,
                "E123",
                3,
            ),
            row(
                "a negative moment of inertia",
                Sphere("density = 1000.0", "mass = 1.0\ninertia = [1.0, 1.0, -1.0]"),
                "",
                "E124",
                3,
            ),
            row(
                "a rotation of zeros",
                Sphere("density = 1000.0", "density = 1000.0\nrotation = [0.0, 0.0, 0.0, 0.0]"),
                "",
                "E126",
                3,
            ),
            row("two bodies of one name", Sphere("name = \"ball\"", "name = \"floor\""), "", "E128", 3),
            row("a plane that is free", Sphere("fixed = true", "density = 1.0"), "", "E111", 3),
            row(
                "a spin whose energy overflows",
                Sphere("density = 1000.0", "density = 1000.0\nangular_velocity = [1e200, 0.0, 0.0]"),
                "",
                "E110",
                3,
            ),
            row(
                "a body 1e17 m away",
                Sphere("position = [0.0, 0.0, 1.0]", "position = [1e17, 0.0, 1.0]"),
                "",
                "W410",
                0,
            ),
        ],
    ),
    (
        "Joints of bodies",
        &[
            row(
                "a velocity that violates a joint",
                Sphere(
                    "[time]",
                    hinge!(
                        "axis = [0.0, 1.0, 0.0]\n[[body]]\nname = \"b\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\nvelocity = [0.0, 0.0, 1.0]\n[[joint]]\nkind = \"spherical\"\na = \"floor\"\nb = \"b\"\nanchor = [0.0, 0.0, 0.0]\n[time]"
                    ),
                ),
                "",
                "E132",
                3,
            ),
            hinged(
                "the same joint twice",
                concat!(hinge!("axis = [0.0, 1.0, 0.0]\n"), hinge!("axis = [0.0, 1.0, 0.0]\n[time]")),
                TWICE,
                "W404",
                0,
            ),
            hinged("an axis of zeros", hinge!("axis = [0.0, 0.0, 0.0]\n[time]"), "", "E140", 3),
            hinged(
                "stops that do not hold the start",
                hinge!("axis = [0.0, 1.0, 0.0]\nlimits = [0.5, 1.0]\n[time]"),
                "",
                "E131",
                3,
            ),
            hinged(
                "a body that does not exist",
                "[[joint]]\nkind = \"spherical\"\na = \"floor\"\nb = \"bal\"\nanchor = [0.0, 0.0, 2.0]\n[time]",
                "",
                "E128",
                3,
            ),
            hinged(
                "a body joined to itself",
                "[[joint]]\nkind = \"spherical\"\na = \"ball\"\nb = \"ball\"\nanchor = [0.0, 0.0, 2.0]\n[time]",
                "",
                "E128",
                3,
            ),
        ],
    ),
    (
        "Numbers that are extreme",
        &[
            row("a mass of 1e-320", Ball("mass = [[1.0]]", "mass = [[1e-320]]"), "", "E113", 3),
            row("a negative damper", Ball("damping = [[0.0]]", "damping = [[-0.5]]"), "", "W409", 0),
            row("a position of 1e308", Ball("q0 = [1.0]", "q0 = [1e308]"), "", "W410", 0),
            row("a motion that overflows", Made(overflow), "", "E203", 4),
            row("a tolerance that round-off does not reach", Made(unreachable), "", "E204", 4),
        ],
    ),
    (
        "Meshes and grounds",
        &[
            row("a surface with a hole", Mesh("m.obj", open), "", "E127", 3),
            row("a surface inside out", Mesh("m.obj", inside_out), "", "E127", 3),
            row("a vertex that is NaN", Mesh("m.obj", nan_vertex), "", "E110", 3),
            row("a face of a vertex that is not there", Mesh("m.obj", no_vertex), "", "E127", 3),
            row("an OBJ file cut short", Mesh("m.obj", obj_cut), "", "E127", 3),
            row("an STL file cut short", Mesh("m.stl", stl_cut), "", "E127", 3),
            row("an STL file of text cut short", Mesh("m.stl", stl_text_cut), "", "E127", 3),
            row("four thousand million triangles", Mesh("m.stl", stl_huge), "", "E118", 3),
            row("a file of another kind", Mesh("m.ply", stl_cut), "", "E127", 3),
            row(
                "heights in rows of unequal length",
                Sphere(
                    BALL_SHAPE,
                    "shape = { kind = \"heightfield\", heights = [[0.0, 0.0], [0.0]], size = [1.0, 1.0], depth = 1.0 }",
                ),
                "",
                "E111",
                3,
            ),
            row(
                "a height that is NaN",
                Sphere(
                    BALL_SHAPE,
                    "shape = { kind = \"heightfield\", heights = [[nan, 0.0], [0.0, 0.0]], size = [1.0, 1.0], depth = 1.0 }",
                ),
                "",
                "E110",
                3,
            ),
            row(
                "a ground without depth",
                Sphere(
                    BALL_SHAPE,
                    "shape = { kind = \"heightfield\", heights = [[0.0, 0.0], [0.0, 0.0]], size = [1.0, 1.0], depth = 0.0 }",
                ),
                "",
                "E125",
                3,
            ),
        ],
    ),
    (
        "Robots (URDF)",
        &[
            row("an element that is not closed", Robot("<robot name=\"x\"><link name=\"a\">"), "", "E129", 3),
            row("entities within entities (a billion laughs)", Made(laughs), "", "E129", 3),
            row(
                "an entity that names a file",
                Robot(
                    "<!DOCTYPE robot [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><robot name=\"&f;\"><link name=\"x\"/></robot>",
                ),
                "",
                "E129",
                3,
            ),
            row("another root element", Robot("<sdf/>"), "", "E129", 3),
            row("no link", Robot("<robot name=\"x\"/>"), "", "E129", 3),
            row(
                "a mass that is no number",
                Robot("<robot name=\"x\"><link name=\"a\"><inertial><mass value=\"2 kg\"/></inertial></link></robot>"),
                "",
                "E129",
                3,
            ),
            row(
                "a mesh that is not there: named, not dropped in silence",
                Robot(
                    "<robot name=\"x\"><link name=\"a\"><collision><geometry><mesh filename=\"package://x/none.stl\"/></geometry></collision></link></robot>",
                ),
                "",
                "words",
                0,
            ),
        ],
    ),
    (
        "Things that are not regular files",
        &[
            row("a pipe as a scenario", Made(pipe_scenario), "", "E100", 3),
            row("a pipe as a contact problem", Made(pipe_problem), "", "E100", 3),
            row("a pipe as a mesh", Made(pipe_mesh), "", "E100", 3),
            row("a pipe in a run folder", Made(pipe_folder), "", "E301", 7),
            row("/dev/zero as a scenario", Made(zeros), "", "E100", 3),
            row("a link to /dev/urandom as a matrix", Made(random_matrix), "", "E117", 3),
            row("a folder as a scenario", Made(a_folder), "", "E100", 3),
        ],
    ),
    (
        "Memory and disk",
        &[
            row("a key of 50 000 parts", Made(deep_key), "", "E107", 3),
            row("an HDF5 file of 300 kB that unpacks to 300 MB", Made(bomb), "", "E161", 3),
            row("a beam of more elements than a dense matrix may have", Made(long_beam), "", "E118", 3),
            row("a file that may not grow further, half-way", Made(no_room), "", "E300", 7),
            row("a table that is a symbolic link", Made(linked_table), "", "E300", 7),
        ],
    ),
    (
        "Python",
        &[
            row(
                "an array with NaN",
                Python("test_input.py", "test_bad_arrays", "Linear(mass=np.array([[np.nan]]))"),
                "",
                "E110",
                3,
            ),
            row(
                "an array of the wrong shape",
                Python("test_input.py", "test_bad_arrays", "Linear(mass=np.ones((2, 3)))"),
                "",
                "E111",
                3,
            ),
            row(
                "an array of complex numbers",
                Python("test_input.py", "test_bad_arrays", "Linear(mass=np.eye(2, dtype=complex))"),
                "",
                "E103",
                3,
            ),
            row(
                "an array of text",
                Python("test_input.py", "test_bad_arrays", "Linear(mass=np.array([[\"a\"]]))"),
                "",
                "E103",
                3,
            ),
            row(
                "an array of objects",
                Python("test_input.py", "test_bad_arrays", "Linear(mass=np.array([[object()]]))"),
                "",
                "E103",
                3,
            ),
            row(
                "a sparse matrix with infinity",
                Python(
                    "test_input.py",
                    "test_bad_arrays",
                    "Linear(mass=sp.csr_matrix(np.diag([np.inf, 1.0] + 30 * [1.0])))",
                ),
                "",
                "E110",
                3,
            ),
            row("no problem at all", Python("test_input.py", "test_bad_problems", "None"), "", "E103", 3),
        ],
    ),
];

const CUBE: &str = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn open() -> Vec<u8> {
    changed(CUBE, "f 4 1 5 8\n", "").into()
}

fn inside_out() -> Vec<u8> {
    let turned = |line: &str| match line.strip_prefix("f ") {
        Some(face) => format!("f {}\n", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
        None => format!("{line}\n"),
    };
    CUBE.lines().map(turned).collect::<String>().into()
}

fn nan_vertex() -> Vec<u8> {
    changed(CUBE, "v 0 0 0", "v nan 0 0").into()
}

fn no_vertex() -> Vec<u8> {
    changed(CUBE, "f 4 1 5 8", "f 4 1 5 88").into()
}

fn obj_cut() -> Vec<u8> {
    CUBE[..40].into()
}

/// A binary STL file of so many triangles, with so many bytes of them.
fn stl(declared: u32, bytes: usize) -> Vec<u8> {
    [&[0; 80][..], &declared.to_le_bytes(), &vec![0; bytes]].concat()
}

fn stl_cut() -> Vec<u8> {
    stl(4, 120)
}

fn stl_huge() -> Vec<u8> {
    stl(4_000_000_000, 50)
}

fn stl_text_cut() -> Vec<u8> {
    b"solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n".to_vec()
}

fn overflow(folder: &Path) -> Said {
    let text = changed(BALL, "damping = [[0.0]]", "damping = [[-199.0]]");
    try_scenario(folder, &changed(&text, "end = 1.0", "end = 10.0"))
}

fn unreachable(folder: &Path) -> Said {
    std::fs::write(folder.join("column.toml"), stiff_column()).expect("a scenario");
    percussion(folder, &["run", "column.toml", "--out", "out", "--quiet", "--set", "solver.tolerance=1e-15"])
}

fn laughs(folder: &Path) -> Said {
    let entities: String =
        (1..12).map(|k| format!("<!ENTITY a{k} \"{}\">", format!("&a{};", k - 1).repeat(10))).collect();
    let text =
        format!("<!DOCTYPE robot [<!ENTITY a0 \"ha\">{entities}]><robot name=\"&a11;\"><link name=\"x\"/></robot>");
    std::fs::write(folder.join("bad.urdf"), text).expect("a file");
    percussion(folder, &["new", "robot", "--from", "bad.urdf"])
}

/// Makes a pipe nobody writes to: reading it would wait for ever.
fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

fn pipe_scenario(folder: &Path) -> Said {
    pipe(&folder.join("bad.toml"));
    percussion(folder, &["run", "bad.toml", "--out", "out"])
}

fn pipe_problem(folder: &Path) -> Said {
    pipe(&folder.join("bad.dat"));
    percussion(folder, &["solve", "bad.dat"])
}

fn pipe_mesh(folder: &Path) -> Said {
    pipe(&folder.join("m.stl"));
    try_scenario(folder, &changed(super::SPHERE, BALL_SHAPE, "shape = { kind = \"mesh\", file = \"m.stl\" }"))
}

fn pipe_folder(folder: &Path) -> Said {
    std::fs::create_dir_all(folder.join("run")).expect("a folder");
    for name in ["scenario.toml", "summary.json", "trajectory.csv", "checkpoint"] {
        pipe(&folder.join("run").join(name));
    }
    percussion(folder, &["verify", "run"])
}

fn zeros(folder: &Path) -> Said {
    percussion(folder, &["run", "/dev/zero", "--out", "out"])
}

fn random_matrix(folder: &Path) -> Said {
    std::os::unix::fs::symlink("/dev/urandom", folder.join("M.mtx")).expect("a link");
    try_scenario(folder, &changed(BALL, "mass = [[1.0]]", "mass = { file = \"M.mtx\" }"))
}

fn a_folder(folder: &Path) -> Said {
    percussion(folder, &["run", ".", "--out", "out"])
}

/// Three compressed lists of 101 MB each in a file of some 300 kB.
fn bomb(folder: &Path) -> Said {
    let zeros = vec![0.0_f64; 12 << 20];
    let mut builder = hdf5_pure::FileBuilder::new();
    let mut group = builder.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&[-1.0, 0.0, 0.0]);
    vectors.create_dataset("mu").with_f64_data(&[0.5]);
    group.add_group(vectors.finish());
    let mut matrix = group.create_group("W");
    for (name, value) in [("m", 3), ("n", 3), ("nz", 1)] {
        matrix.create_dataset(name).with_i32_data(&[value]);
    }
    for name in ["p", "i"] {
        matrix.create_dataset(name).with_i32_data(&[0]);
    }
    matrix.create_dataset("x").with_f64_data(&[1.0]);
    group.add_group(matrix.finish());
    builder.add_group(group.finish());
    let mut solution = builder.create_group("solution");
    for name in ["r", "u", "v"] {
        solution.create_dataset(name).with_f64_data(&zeros).with_chunks(&[1 << 20]).with_deflate(9);
    }
    builder.add_group(solution.finish());
    std::fs::write(folder.join("bomb.hdf5"), builder.finish().expect("a file")).expect("written");
    percussion(folder, &["solve", "bomb.hdf5"])
}

fn deep_key(folder: &Path) -> Said {
    let set = format!("{}a=1", "a.".repeat(49_999));
    percussion(folder, &["run", "bouncing-ball", "--set", &set, "--out", "out"])
}

fn long_beam(folder: &Path) -> Said {
    percussion(folder, &["run", "rotating-beam", "--set", "model.elements=1000000", "--out", "out"])
}

/// The program under a line of shell; $P is the program.
fn shell(folder: &Path, line: &str) -> Said {
    let mut command = std::process::Command::new("sh");
    command.current_dir(folder).env("P", env!("CARGO_BIN_EXE_percussion")).args(["-c", line]);
    command.output().expect("a shell").into()
}

fn no_room(folder: &Path) -> Said {
    shell(
        folder,
        "trap '' XFSZ; ulimit -f 100; exec \"$P\" run bouncing-ball --end 60 --out out --quiet --checkpoint 0",
    )
}

fn linked_table(folder: &Path) -> Said {
    percussion(folder, &["run", "bouncing-ball", "--out", "out", "--quiet"]);
    std::fs::remove_file(folder.join("out/ledger.csv")).expect("a table");
    std::os::unix::fs::symlink("/dev/full", folder.join("out/ledger.csv")).expect("a link");
    percussion(folder, &["run", "bouncing-ball", "--out", "out", "--quiet"])
}
