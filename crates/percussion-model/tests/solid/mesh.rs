//! Gmsh's files: both formats, text and binary, and what is wrong with fifty others.

use crate::common::*;
use percussion_model::solid::contact::{Against, Method, Obstacle, SurfaceContact};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Cell, Group, Mesh, Section, Solid, SolidMass};
use percussion_model::{Code, InputError};

/// Writes a mesh in one of Gmsh's formats, its groups as one entity each (4.1) or one element per group (2.2).
fn written(mesh: &Mesh, version: usize, binary: bool, swapped: bool) -> Vec<u8> {
    let mut out = Out { bytes: Vec::new(), binary, swapped };
    let header = if version == 4 { "4.1" } else { "2.2" };
    out.text(&format!("$MeshFormat\n{header} {} 8\n", u8::from(binary)));
    if binary {
        out.int(1);
        out.text("\n");
    }
    out.text("$EndMeshFormat\n$Comments\nwritten by a test\n$EndComments\n");
    out.text(&format!("$PhysicalNames\n{}\n", mesh.groups.len()));
    for (k, group) in mesh.groups.iter().enumerate() {
        out.text(&format!("{} {} \"{}\"\n", group.dimension, k + 1, group.name));
    }
    out.text("$EndPhysicalNames\n");
    if version == 4 {
        version4(mesh, &mut out)
    } else {
        version2(mesh, &mut out)
    }
    out.bytes
}

struct Out {
    bytes: Vec<u8>,
    binary: bool,
    swapped: bool,
}

impl Out {
    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }
    fn int(&mut self, x: i32) {
        match (self.binary, self.swapped) {
            (true, true) => self.bytes.extend(x.to_be_bytes()),
            (true, false) => self.bytes.extend(x.to_le_bytes()),
            (false, _) => self.text(&format!("{x} ")),
        }
    }
    fn size(&mut self, x: usize) {
        match (self.binary, self.swapped) {
            (true, true) => self.bytes.extend((x as u64).to_be_bytes()),
            (true, false) => self.bytes.extend((x as u64).to_le_bytes()),
            (false, _) => self.text(&format!("{x} ")),
        }
    }
    fn real(&mut self, x: f64) {
        match (self.binary, self.swapped) {
            (true, true) => self.bytes.extend(x.to_be_bytes()),
            (true, false) => self.bytes.extend(x.to_le_bytes()),
            (false, _) => self.text(&format!("{x} ")),
        }
    }
    fn line(&mut self) {
        if !self.binary {
            self.text("\n");
        }
    }
}

fn version4(mesh: &Mesh, out: &mut Out) {
    out.text("$Entities\n");
    let of = |d: usize| mesh.groups.iter().enumerate().filter(move |(_, g)| g.dimension == d);
    (0..4).for_each(|d| out.size(of(d).count()));
    out.line();
    for d in 0..4 {
        for (k, _) in of(d) {
            out.int(k as i32 + 1);
            (0..if d == 0 { 3 } else { 6 }).for_each(|_| out.real(0.5));
            out.size(1);
            out.int(k as i32 + 1);
            if d > 0 {
                out.size(2);
                out.int(7);
                out.int(-8);
            }
            out.line();
        }
    }
    out.text("\n$EndEntities\n$Nodes\n");
    // a first block with parameters, a second without
    let cut = mesh.nodes.len() / 2;
    let n = mesh.nodes.len();
    [2, n, 1, n].into_iter().for_each(|x| out.size(x));
    out.line();
    for (range, parametric) in [(0..cut, 1), (cut..n, 0)] {
        [2, 1, parametric].into_iter().for_each(|x| out.int(x));
        out.size(range.len());
        out.line();
        for i in range.clone() {
            out.size(mesh.node_tags[i] as usize);
            out.line();
        }
        for i in range {
            mesh.nodes[i].iter().for_each(|&x| out.real(x));
            (0..2 * parametric).for_each(|_| out.real(0.25));
            out.line();
        }
    }
    out.text("\n$EndNodes\n$Elements\n");
    let total: usize = mesh.groups.iter().map(|g| g.cells.len()).sum();
    [mesh.groups.len(), total, 1, total].into_iter().for_each(|x| out.size(x));
    out.line();
    for (k, group) in mesh.groups.iter().enumerate() {
        let kind = mesh.cells[group.cells[0]].kind;
        [group.dimension as i32, k as i32 + 1, kind.entry().gmsh as i32].into_iter().for_each(|x| out.int(x));
        out.size(group.cells.len());
        out.line();
        for &c in &group.cells {
            out.size(mesh.cells[c].tag as usize);
            mesh.cells[c].nodes().for_each(|i| out.size(mesh.node_tags[i] as usize));
            out.line();
        }
    }
    out.text("\n$EndElements\n");
}

fn version2(mesh: &Mesh, out: &mut Out) {
    out.text(&format!("$Nodes\n{}\n", mesh.nodes.len()));
    for (tag, x) in mesh.node_tags.iter().zip(&mesh.nodes) {
        out.int(*tag as i32);
        x.iter().for_each(|&x| out.real(x));
        out.line();
    }
    let total: usize = mesh.groups.iter().map(|g| g.cells.len()).sum();
    out.text(&format!("\n$EndNodes\n$Elements\n{total}\n"));
    for (k, group) in mesh.groups.iter().enumerate() {
        for &c in &group.cells {
            let cell = &mesh.cells[c];
            if out.binary {
                [cell.kind.entry().gmsh as i32, 1, 2, cell.tag as i32].into_iter().for_each(|x| out.int(x));
            } else {
                [cell.tag as i32, cell.kind.entry().gmsh as i32, 2].into_iter().for_each(|x| out.int(x));
            }
            [k as i32 + 1, 1].into_iter().for_each(|x| out.int(x));
            cell.nodes().for_each(|i| out.int(mesh.node_tags[i] as i32));
            out.line();
        }
    }
    out.text("\n$EndElements\n");
}

/// Tags far apart, several groups on the same elements.
fn sample(kind: ElementKind) -> Mesh {
    let mut mesh = if kind.dimension() == 2 {
        plane("solid", [3, 2], kind, |x, y| [x + 0.1 * y, y])
    } else {
        space("solid", [2, 1, 1], kind, |x| x)
    };
    mesh.node_tags.iter_mut().for_each(|tag| *tag = 3 * *tag + 5);
    mesh
}

/// All four encodings, and bytes the other way round, read back as the same mesh.
#[test]
fn every_encoding_reads_the_same() {
    for kind in [
        ElementKind::Tri3,
        ElementKind::Tri6,
        ElementKind::Quad4,
        ElementKind::Tet4,
        ElementKind::Tet10,
        ElementKind::Hex8,
    ] {
        let mesh = sample(kind);
        for version in [2, 4] {
            for (binary, swapped) in [(false, false), (true, false), (true, true)] {
                let read = Mesh::from_gmsh(&written(&mesh, version, binary, swapped)).expect("a mesh");
                assert_eq!(read.nodes, mesh.nodes);
                assert_eq!(read.node_tags, mesh.node_tags);
                assert_eq!(read.cells, mesh.cells);
                let sorted = |mesh: &Mesh| {
                    let mut groups = mesh.groups.clone();
                    groups.sort_by(|a, b| (a.dimension, &a.name).cmp(&(b.dimension, &b.name)));
                    groups
                };
                assert_eq!(sorted(&read), sorted(&mesh), "{kind:?} {version} {binary}");
            }
        }
    }
}

/// An entity with two physical groups (4.1) and an element listed twice (2.2) are one element in two groups; windows' line ends.
#[test]
fn elements_in_two_groups() {
    let four = "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$PhysicalNames\r\n2\r\n2 1 \"body\"\r\n2 2 \"hot part\"\r\n$EndPhysicalNames\r\n\
        $Entities\r\n0 0 1 0\r\n1 0 0 0 1 1 0 2 1 2 0\r\n$EndEntities\r\n$Nodes\r\n1 3 1 3\r\n2 1 0 3\r\n1\r\n2\r\n3\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n$EndNodes\r\n\
        $Elements\r\n1 1 1 1\r\n2 1 2 1\r\n1 1 2 3\r\n$EndElements\r\n";
    let two = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"body\"\n2 2 \"hot part\"\n$EndPhysicalNames\n\
        $Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n4\n1 2 2 1 1 1 2 3\n2 2 2 2 1 1 2 3\n3 15 0 1\n4 1 1 9 1 2\n$EndElements\n";
    for (text, cells) in [(four, 1), (two, 3)] {
        let mesh = Mesh::from_gmsh(text.as_bytes()).expect("a mesh");
        assert_eq!(mesh.cells.len(), cells);
        for name in ["body", "hot part"] {
            assert_eq!(mesh.cells_of(name, 2, "group").expect("a group"), [0]);
        }
    }
    let mesh = Mesh::from_gmsh(two.as_bytes()).expect("a mesh");
    assert_eq!(mesh.cells_of("9", 1, "group").expect("a group without name"), [2]);
    let error = mesh.cells_of("cold part", 2, "model.part[0].group").expect_err("no such group");
    assert_eq!(error.code, Code::UNKNOWN_GROUP);
    assert!(error.help.contains("\"hot part\""), "{error}");
}

/// Millimetres.
#[test]
fn scaled_meshes() {
    let mut mesh = sample(ElementKind::Quad4);
    mesh.scale(1e-3).expect("positive");
    assert!((mesh.nodes[1][0] - 1e-3 / 3.0).abs() < 1e-18);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(mesh.scale(bad).expect_err("no scale").code, Code::BAD_SIZE);
    }
}

const HEAD: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const HEAD2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const NODES: &str = "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n";
const NODES2: &str = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
const GROUP: &str =
    "$PhysicalNames\n1\n2 1 \"solid\"\n$EndPhysicalNames\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n";

/// Files that are no meshes: each is refused with its code and a sentence, none panics.
#[test]
fn bad_files() {
    let four = |rest: &str| format!("{HEAD}{rest}").into_bytes();
    let two = |rest: &str| format!("{HEAD2}{rest}").into_bytes();
    let elements = |text: &str| format!("{HEAD}{NODES}$Elements\n{text}\n$EndElements\n").into_bytes();
    let elements2 = |text: &str| format!("{HEAD2}{NODES2}$Elements\n{text}\n$EndElements\n").into_bytes();
    let nodes = |text: &str| format!("{HEAD}$Nodes\n{text}\n$EndNodes\n").into_bytes();
    let binary = written(&sample(ElementKind::Tri3), 4, true, false);
    let binary2 = written(&sample(ElementKind::Tri3), 2, true, false);
    let mut no_one = binary.clone();
    no_one[21] = 7;
    let mut huge = binary.clone();
    let at = huge.windows(8).position(|w| w == b"$EndEnti").expect("entities") + 20;
    huge[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let bad: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "$MeshFormat"),
        (b"solid cube\nfacet normal".to_vec(), "section"),
        (b"$Nodes\n0\n$EndNodes\n".to_vec(), "$MeshFormat"),
        (b"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n".to_vec(), "3.0"),
        (b"$MeshFormat\n\n$EndMeshFormat\n".to_vec(), "without a number"),
        (b"$MeshFormat\n4.1 2 8\n$EndMeshFormat\n".to_vec(), "file type 2"),
        (b"$MeshFormat\n4.1 0 16\n$EndMeshFormat\n".to_vec(), "16 bytes"),
        (b"$MeshFormat\n4.1 0 8\n".to_vec(), "does not end"),
        (four(""), "$Nodes"),
        (four(NODES), "$Elements"),
        (four("$Comments\nfor ever"), "no end"),
        (four("$EndComments\n"), "section"),
        (four("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"), "twice"),
        (four("$PartitionedEntities\n$EndPartitionedEntities\n"), "partitioned"),
        (four("$PhysicalNames\nmany\n$EndPhysicalNames\n"), "many"),
        (four("$PhysicalNames\n1000000\n2 1 \"a\"\n$EndPhysicalNames\n"), "1000000"),
        (four("$PhysicalNames\n1\n2 1 solid\n$EndPhysicalNames\n"), "solid"),
        (four("$PhysicalNames\n1\n7 1 \"solid\"\n$EndPhysicalNames\n"), "7 1"),
        (four("$PhysicalNames\n1\n2 \"solid\"\n$EndPhysicalNames\n"), "no physical name"),
        (four("$PhysicalNames\n2\n2 1 \"a\"\n2 1 \"b\"\n$EndPhysicalNames\n"), "twice"),
        (four("$Entities\n0 0 2 0\n1 0 0 0 1 1 0 0 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n"), "twice"),
        (four("$Entities\n0 0 -1 0\n$EndEntities\n"), "surfaces"),
        (four("$Entities\n0 0 1 0\n1 0 0 0 1 1 0 99999999 1\n$EndEntities\n"), "99999999"),
        (nodes("1 99999999999 1 1"), "99999999999"),
        (nodes("1 1 1 1\n2 1 0 2\n1\n2\n0 0 0\n1 0 0"), "more than the 1"),
        (nodes("1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0"), "2 of the 3"),
        (nodes("1 1 1 1\n5 1 0 1\n1\n0 0 0"), "dimension 5"),
        (nodes("1 1 1 1\n2 1 3 1\n1\n0 0 0"), "parametric = 3"),
        (nodes("1 1 1 1\n2 1 0 1\n1\n0 0"), "missing"),
        (nodes("1 1 1 1\n2 1 0 1\n1\n0 zero 0"), "not a number"),
        (nodes("1 1 1 1\n2 1 0 1\n1\n0 nan 0"), "finite"),
        (nodes("1 1 1 1\n2 1 0 1\n1\n0 1e999 0"), "finite"),
        (nodes("1 1 1 1\n2 1 0 1\n-1\n0 0 0"), "whole number"),
        (nodes("1 1 1 1\n2 1 0 1\n1\n0 0 0 0"), "does not end"),
        (four(&format!("{NODES}{NODES}")), "twice"),
        (
            four("$Nodes\n1 2 1 2\n2 1 0 2\n1\n1\n0 0 0\n1 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n"),
            "node 1 twice",
        ),
        (elements("1 1 1 1\n2 1 2 1\n1 1 2 9"), "node 9"),
        (elements("1 1 1 1\n2 1 2 1\n1 1 2 2"), "node 2 twice"),
        (elements("1 1 1 1\n2 1 16 1\n1 1 2 3"), "type 16"),
        (elements("1 1 1 1\n3 1 6 1\n1 1 2 3 4 1 2"), "prism"),
        (elements("1 1 1 1\n3 1 2 1\n1 1 2 3"), "dimension 3"),
        (elements("1 1 1 1\n2 1 2 2\n1 1 2 3\n2 1 3 4"), "more than the 1"),
        (elements("1 2 1 2\n2 1 2 1\n1 1 2 3"), "1 of the 2"),
        (elements("1 1 1 1\n2 1 2 1\n1 1 2"), "missing"),
        (elements("1 123456789 1 1"), "123456789"),
        (elements2("1\n1 2 2 1 1 1 2 7"), "node 7"),
        (elements2("1\n1 2 2000000 1 1 1 2 3"), "2000000"),
        (elements2("1\n1 2 2 1 1 1 -2 3"), "-2"),
        (elements2("2\n1 2 2 1 1 1 2 3"), "missing"),
        (elements2("1\n1 99 0 1"), "type 99"),
        (two("$Nodes\n1\n-4 0 0 0\n$EndNodes\n"), "-4"),
        (two("$Nodes\n77777777\n1 0 0 0\n$EndNodes\n"), "77777777"),
        (no_one, "number 1"),
        (huge, "18446744073709551615"),
        (binary[..binary.len() / 2].to_vec(), ""),
        (binary2[..binary2.len() / 2].to_vec(), ""),
        (binary[..30].to_vec(), ""),
    ];
    assert!(bad.len() >= 50);
    for (bytes, word) in bad {
        let error = Mesh::from_gmsh(&bytes).expect_err(&String::from_utf8_lossy(&bytes));
        assert_eq!(error.code, Code::BAD_MESH_FILE, "{error}");
        assert_eq!(error.field, "model.mesh");
        assert!(error.message.contains(word), "wanted \"{word}\": {error}");
        assert!(!error.help.is_empty());
    }
    for long in
        [format!("$MeshFormat\n{}\n", "é".repeat(100_000)), format!("{HEAD}$PhysicalNames\n{}\n", "1".repeat(100_000))]
    {
        let error = Mesh::from_gmsh(long.as_bytes()).expect_err("one line of a file");
        assert!(error.message.chars().count() < 300, "{} characters", error.message.chars().count());
    }
}

/// Files that are meshes but make no solid.
#[test]
fn bad_solids() {
    let file = |elements: &str| format!("{HEAD}{GROUP}{NODES}$Elements\n{elements}\n$EndElements\n");
    let solid = |text: &str, section| -> Result<Solid, InputError> {
        Solid::new(free(Mesh::from_gmsh(text.as_bytes()).expect("a mesh"), section, SolidMass::Lumped))
    };
    let good = file("1 1 1 1\n2 1 3 1\n1 1 2 3 4");
    assert!(solid(&good, STRAIN).is_ok());
    let refused = [
        (good.clone(), Section::Space, Code::UNKNOWN_GROUP, "dimension 2"),
        (good.clone(), Section::Strain { thickness: 0.0 }, Code::BAD_SIZE, "thickness"),
        (file("1 1 1 1\n2 1 3 1\n1 1 3 2 4"), STRAIN, Code::BAD_SOLID, "overlaps"),
        (good.replace("1 1 0\n0 1 0", "2 0 0\n3 0 0"), STRAIN, Code::BAD_SOLID, "no volume"),
        (good.replace("1 1 0\n0 1 0", "1 1 0.5\n0 1 0"), STRAIN, Code::BAD_SOLID, "z = 0.5"),
        (good.replace("0 1 0\n$EndN", "-1 1 0\n$EndN"), Section::Axisymmetric, Code::BAD_SOLID, "r = -1"),
        (good.replace("\"solid\"", "\"other\""), STRAIN, Code::UNKNOWN_GROUP, "solid"),
        (file("1 0 0 0\n2 1 3 0"), STRAIN, Code::UNKNOWN_GROUP, "solid"),
        (good.replace("1 0 0\n1 1 0", "1e200 0 0\n1e200 1e200 0"), STRAIN, Code::BAD_SOLID, "element 1"),
    ];
    for (text, section, code, word) in refused {
        let error = solid(&text, section).expect_err(word);
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(word), "wanted \"{word}\": {error}");
    }
}

/// Bytes changed at random: an answer or an error, never a panic, never more memory than the file could fill.
#[test]
fn damaged_files_do_no_harm() {
    let mut dice = Dice(1);
    let mut refused = 0;
    for version in [2, 4] {
        for binary in [false, true] {
            let good = written(&sample(ElementKind::Quad4), version, binary, false);
            for _ in 0..2000 {
                let mut bytes = good.clone();
                for _ in 0..1 + (dice.next().abs() * 3.0) as usize {
                    let at = (dice.next().abs() * bytes.len() as f64) as usize % bytes.len();
                    bytes[at] = (dice.next().abs() * 256.0) as u8;
                }
                if dice.next() > 0.5 {
                    bytes.truncate((dice.next().abs() * bytes.len() as f64) as usize);
                }
                match Mesh::from_gmsh(&bytes) {
                    Ok(mesh) => drop(Solid::new(free(mesh, STRAIN, SolidMass::Lumped))),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 2000, "{refused} of 8000");
}

/// The meshes of the reference cases.
#[test]
fn reference_meshes() {
    for (name, nodes, group, d) in [("disc", 217, "foot", 2), ("block", 65, "bottom", 2), ("cube", 100, "bottom", 3)] {
        let Some(bytes) = reference(&format!("{name}.msh")) else { continue };
        let mesh = Mesh::from_gmsh(&bytes).expect("a mesh");
        assert_eq!(mesh.nodes.len(), nodes);
        assert!(!mesh.cells_of("solid", d, "").expect("matter").is_empty());
        assert!(!mesh.nodes_of(group, "").expect("a surface").is_empty());
    }
}

/// A mesh of these cells, in group `solid`, and these faces, in group `seam`.
fn of_cells(nodes: &[[f64; 3]], kinds: [ElementKind; 2], cells: &[&[usize]], faces: &[&[usize]]) -> Mesh {
    let mut mesh =
        Mesh { nodes: nodes.to_vec(), node_tags: (1..=nodes.len() as u64).collect(), cells: vec![], groups: vec![] };
    let dimension = if kinds[0] == ElementKind::Quad4 { 2 } else { 3 };
    for (name, kind, list, below) in [("solid", kinds[0], cells, 0), ("seam", kinds[1], faces, 1)] {
        let first = mesh.cells.len();
        list.iter().for_each(|nodes| mesh.cells.push(Cell::new(kind, mesh.cells.len() as u64 + 1, nodes)));
        mesh.groups.push(Group {
            name: name.into(),
            dimension: dimension - below,
            cells: (first..mesh.cells.len()).collect(),
        });
    }
    mesh
}

/// Nodes where others are, and nodes on faces of elements they do not belong to, are counted unless their surfaces are in contact.
#[test]
fn cuts_in_a_mesh_are_seen() {
    let seams = |parts| {
        let seams = Solid::new(parts).expect("a solid").seams();
        (seams.twins, seams.hanging)
    };
    let flat = |nodes: &[[f64; 3]], cells: &[&[usize]], faces: &[&[usize]]| {
        free(of_cells(nodes, [ElementKind::Quad4, ElementKind::Line2], cells, faces), STRAIN, SolidMass::Lumped)
    };
    let at = |x: f64, y: f64| [x, y, 0.0];
    let left = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)];
    let sewn = [&left[..], &[at(2.0, 0.0), at(2.0, 1.0)]].concat();
    assert_eq!(seams(flat(&sewn, &[&[0, 1, 2, 3], &[1, 4, 5, 2]], &[])), (0, 0));
    let cut = [&left[..], &[at(1.0, 0.0), at(2.0, 0.0), at(2.0, 1.0), at(1.0, 1.0)]].concat();
    let halves: [&[usize]; 2] = [&[0, 1, 2, 3], &[4, 5, 6, 7]];
    assert_eq!(seams(flat(&cut, &halves, &[])), (4, 0));
    // the same as two surfaces that may part
    let mut parting = flat(&cut, &halves, &[&[1, 2]]);
    parting.mesh.cells.push(Cell::new(ElementKind::Line2, 9, &[4, 7]));
    let last = parting.mesh.cells.len() - 1;
    parting.mesh.groups.push(Group { name: "other".into(), dimension: 1, cells: vec![last] });
    parting.contacts = vec![SurfaceContact {
        surface: "seam".into(),
        against: Against::Surface { surface: "other".into(), method: Method::Node, reach: 0.1 },
        restitution: 0.0,
        friction: 0.0,
        massless: false,
    }];
    assert_eq!(seams(parting), (0, 0));
    let hangs = [&left[..], &[at(2.0, 0.0), at(2.0, 0.5), at(1.0, 0.5), at(2.0, 1.0)]].concat();
    assert_eq!(seams(flat(&hangs, &[&[0, 1, 2, 3], &[1, 4, 5, 6], &[6, 5, 7, 2]], &[])), (0, 1));

    // beside a face that shares a node with a surface in contact
    let mut standing = flat(&hangs, &[&[0, 1, 2, 3], &[1, 4, 5, 6], &[6, 5, 7, 2]], &[&[0, 1], &[1, 4]]);
    let floor = Obstacle::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    standing.contacts = vec![SurfaceContact {
        surface: "seam".into(),
        against: Against::Obstacle { shape: floor, motion: vec![] },
        restitution: 0.0,
        friction: 0.0,
        massless: false,
    }];
    assert_eq!(seams(standing), (0, 1));

    // a cube beside one of half its size
    let cube = |x: f64, size: f64| {
        let ring = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        [0.0, 1.0]
            .into_iter()
            .flat_map(move |z| ring.map(|[a, b]| [x + size * a, size * b, size * z]))
            .collect::<Vec<_>>()
    };
    let nodes = [cube(0.0, 1.0), cube(1.0, 0.5)].concat();
    let cells: [&[usize]; 2] = [&[0, 1, 2, 3, 4, 5, 6, 7], &[8, 9, 10, 11, 12, 13, 14, 15]];
    let mesh = of_cells(&nodes, [ElementKind::Hex8, ElementKind::Quad4], &cells, &[]);
    assert_eq!(seams(free(mesh, Section::Space, SolidMass::Lumped)), (2, 3));
}
