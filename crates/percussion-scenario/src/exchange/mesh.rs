//! Surfaces from files: STL (text and binary), Wavefront OBJ, COLLADA (DAE), MuJoCo's own (MSH).
//!
//! STL repeats every corner: corners with the same bits are one vertex. Sizes are compared with the limits and with the file's
//! length before memory is allocated.

use crate::exchange::robot::read_dae;
use percussion_model::bodies::TriangleMesh;
use percussion_model::{Code, InputError};
use std::collections::HashMap;

/// Triangles of a file at most.
pub const MAX_TRIANGLES: usize = 2_000_000;

fn refuse<T>(message: impl Into<String>, help: &str) -> Result<T, InputError> {
    Err(InputError::new(Code::BAD_MESH, "file", message, help))
}

fn too_many<T>(found: usize) -> Result<T, InputError> {
    let message = format!("{found} triangles; the limit is {MAX_TRIANGLES}");
    Err(InputError::new(Code::TOO_LARGE, "file", message, "use a coarser mesh"))
}

/// A surface from the bytes of a file of that name.
pub fn read(name: &str, bytes: &[u8]) -> Result<TriangleMesh, InputError> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "stl" => stl(bytes),
        "obj" => obj(bytes),
        "dae" => read_dae(bytes).or_else(|message| refuse(message, "export it again")),
        "msh" => msh(bytes),
        _ => refuse(format!("\"{name}\" is neither .stl, .obj, .dae nor .msh"), "convert it to STL or OBJ"),
    }
}

/// Corners met so far, by their bits.
#[derive(Default)]
struct Corners {
    mesh: TriangleMesh,
    known: HashMap<[u64; 3], usize>,
}

impl Corners {
    fn number(&mut self, p: [f64; 3]) -> usize {
        // −0 and 0 are one place
        let key = p.map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.mesh.vertices.push(p);
            self.mesh.vertices.len() - 1
        })
    }

    fn triangle(&mut self, corners: [[f64; 3]; 3]) {
        let t = corners.map(|p| self.number(p));
        // a triangle without area bounds nothing
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            self.mesh.triangles.push(t);
        }
    }
}

fn stl(bytes: &[u8]) -> Result<TriangleMesh, InputError> {
    let binary = |bytes: &[u8]| {
        let count = bytes.get(80..84)?;
        let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
        Some(count)
    };
    // some binary files begin with "solid" too: the length decides
    let count = binary(bytes);
    let fits = count.is_some_and(|n| n.checked_mul(50).and_then(|n| n.checked_add(84)) == Some(bytes.len()));
    if !fits && bytes.starts_with(b"solid") {
        return stl_text(bytes);
    }
    let Some(count) = count else { return refuse("is too short for an STL file", "export it again") };
    if count > MAX_TRIANGLES {
        return too_many(count);
    }
    if !fits {
        let message =
            format!("declares {count} triangles, which take {} bytes, and has {}", 84 + 50 * count, bytes.len());
        return refuse(message, "the file is cut short or no STL; export it again");
    }
    let mut corners = Corners::default();
    for record in bytes[84..].chunks_exact(50) {
        let number = |k: usize| f64::from(f32::from_le_bytes(std::array::from_fn(|b| record[12 + 4 * k + b])));
        corners.triangle(std::array::from_fn(|c| std::array::from_fn(|x| number(3 * c + x))));
    }
    Ok(TriangleMesh::new(corners.mesh.vertices, corners.mesh.triangles))
}

/// MuJoCo's own: numbers of vertices, normals, texture places and triangles, then these, all of four bytes.
fn msh(bytes: &[u8]) -> Result<TriangleMesh, InputError> {
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let count = |k: usize| word(k).and_then(|b| usize::try_from(i32::from_le_bytes(b)).ok());
    let help = "give MuJoCo's binary mesh, or convert it to STL or OBJ";
    let [Some(vertices), Some(normals), Some(places), Some(triangles)] = [0, 1, 2, 3].map(count) else {
        return refuse("is no mesh of MuJoCo: it does not begin with four numbers of things", help);
    };
    if triangles > MAX_TRIANGLES || vertices > 3 * MAX_TRIANGLES {
        return too_many(triangles.max(vertices / 3));
    }
    let words = [(vertices, 3), (normals, 3), (places, 2), (triangles, 3)].map(|(n, each)| n as u64 * each);
    let length = 4 * (4 + words.iter().sum::<u64>());
    if length != bytes.len() as u64 {
        let has = bytes.len();
        let message =
            format!("declares {vertices} vertices and {triangles} triangles, which take {length} bytes, and has {has}");
        return refuse(message, help);
    }
    let first = 4 + 3 * vertices + 3 * normals + 2 * places;
    let number = |k: usize| word(k).map_or(0.0, |b| f64::from(f32::from_le_bytes(b)));
    let points: Vec<[f64; 3]> = (0..vertices).map(|i| std::array::from_fn(|k| number(4 + 3 * i + k))).collect();
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return refuse("has vertices that are no places", "export it again");
    }
    if triangles == 0 {
        return match percussion_model::bodies::shapes::hull_of(&points) {
            Some(hull) => Ok(hull),
            None => refuse("has no triangles, and its vertices enclose no volume", "export it again"),
        };
    }
    let mut corners = Corners::default();
    for t in 0..triangles {
        let [a, b, c] = [0, 1, 2].map(|k| count(first + 3 * t + k).and_then(|i| points.get(i)));
        match (a, b, c) {
            (Some(a), Some(b), Some(c)) => corners.triangle([*a, *b, *c]),
            _ => return refuse(format!("triangle {t} has a corner that is not there"), "export it again"),
        }
    }
    Ok(TriangleMesh::new(corners.mesh.vertices, corners.mesh.triangles))
}

fn text(bytes: &[u8]) -> Result<&str, InputError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => refuse("is no text", "export it again"),
    }
}

fn numbers<const N: usize>(words: &[&str], line: usize) -> Result<[f64; N], InputError> {
    let mut out = [0.0; N];
    for (k, x) in out.iter_mut().enumerate() {
        match words.get(k).and_then(|w| w.parse().ok()) {
            Some(number) => *x = number,
            None => return refuse(format!("line {}: expected {N} numbers", line + 1), "export it again"),
        }
    }
    Ok(out)
}

fn stl_text(bytes: &[u8]) -> Result<TriangleMesh, InputError> {
    let mut corners = Corners::default();
    let mut loop_of: Vec<[f64; 3]> = Vec::new();
    for (k, line) in text(bytes)?.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some("vertex") => loop_of.push(numbers(&words[1..], k)?),
            Some("endloop") => {
                let [a, b, c] = loop_of[..] else {
                    return refuse(format!("line {}: a facet with {} corners", k + 1, loop_of.len()), "use triangles");
                };
                corners.triangle([a, b, c]);
                loop_of.clear();
                if corners.mesh.triangles.len() > MAX_TRIANGLES {
                    return too_many(corners.mesh.triangles.len());
                }
            }
            _ => {}
        }
    }
    if corners.mesh.triangles.is_empty() {
        return refuse("has no triangles", "export it again as STL");
    }
    Ok(TriangleMesh::new(corners.mesh.vertices, corners.mesh.triangles))
}

fn obj(bytes: &[u8]) -> Result<TriangleMesh, InputError> {
    let mut mesh = TriangleMesh::default();
    for (k, line) in text(bytes)?.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some("v") => mesh.vertices.push(numbers(&words[1..], k)?),
            Some("f") => {
                let mut face = Vec::new();
                for word in &words[1..] {
                    let number = word.split('/').next().and_then(|w| w.parse::<i64>().ok()).unwrap_or(0);
                    let n = mesh.vertices.len() as i64;
                    // from 1, or backwards from the last
                    let index = if number > 0 { number - 1 } else { n + number };
                    if number == 0 || !(0..n).contains(&index) {
                        let message = format!("line {}: no vertex \"{word}\" among {n}", k + 1);
                        return refuse(message, "vertices are numbered from 1, before the faces that use them");
                    }
                    face.push(index as usize);
                }
                for c in 1..face.len().saturating_sub(1) {
                    mesh.triangles.push([face[0], face[c], face[c + 1]]);
                }
                if mesh.triangles.len() > MAX_TRIANGLES {
                    return too_many(mesh.triangles.len());
                }
            }
            _ => {}
        }
    }
    if mesh.triangles.is_empty() {
        return refuse("has no faces", "export it again as OBJ with faces");
    }
    Ok(TriangleMesh::new(mesh.vertices, mesh.triangles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_model::bodies::Shape;

    const TETRAHEDRON: [[[f64; 3]; 3]; 4] = [
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ];

    fn binary(triangles: &[[[f64; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            for x in t.iter().flatten() {
                bytes.extend((*x as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn of_mujoco(points: &[[f32; 3]], triangles: &[[i32; 3]]) -> Vec<u8> {
        let counts = [points.len() as i32, 1, 2, triangles.len() as i32];
        let floats = points.iter().flatten().copied().chain([0.0; 7]);
        let mut bytes: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend(floats.flat_map(f32::to_le_bytes));
        bytes.extend(triangles.iter().flatten().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    /// The same tetrahedron from four formats is the same closed solid.
    #[test]
    fn four_formats_one_solid() {
        let mut ascii = String::from("solid t\n");
        for t in TETRAHEDRON {
            ascii += "facet normal 0 0 0\nouter loop\n";
            t.iter().for_each(|p| ascii += &format!("vertex {} {} {}\n", p[0], p[1], p[2]));
            ascii += "endloop\nendfacet\n";
        }
        let wavefront = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1/1 3/2 2/3\nf 1 2 4\nf 1 4 3\nf -3 -2 -1\n";
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        for (name, bytes) in [
            ("a.stl", ascii.into_bytes()),
            ("b.STL", binary(&TETRAHEDRON)),
            ("c.obj", wavefront.into()),
            ("d.msh", of_mujoco(&points, &faces)),
            ("e.msh", of_mujoco(&points, &[])),
        ] {
            let mesh = read(name, &bytes).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4), "{name}");
            assert!(Shape::Mesh(mesh).check(false).is_ok(), "{name}");
        }
    }

    /// Open surfaces, lies about sizes, huge counts and other nonsense are refused with a code.
    #[test]
    fn nonsense_is_refused() {
        let open = read("a.stl", &binary(&TETRAHEDRON[..3])).unwrap();
        assert_eq!(Shape::Mesh(open).check(false).unwrap_err().code.as_str(), "E127");
        let mut cut = binary(&TETRAHEDRON);
        cut.truncate(200);
        assert_eq!(read("a.stl", &cut).unwrap_err().code.as_str(), "E127");
        let mut huge = binary(&TETRAHEDRON);
        huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let stranger = of_mujoco(&[[0.0; 3]; 3], &[[0, 1, 3]]);
        assert_eq!(read("a.stl", &huge).unwrap_err().code.as_str(), "E118");
        for (name, bytes) in [
            ("a.stl", &b"solid nothing\nendsolid"[..]),
            ("a.stl", b""),
            ("a.obj", b"v 0 0 x\n"),
            ("a.obj", b"v 0 0 0\nf 1 2 3\n"),
            ("a.ply", b"ply"),
            ("a.msh", b"$MeshFormat"),
            ("a.msh", &stranger),
            ("a.msh", &stranger[..60]),
            ("a.msh", &of_mujoco(&[[0.0; 3]; 3], &[])),
            ("a.msh", &of_mujoco(&[[f32::NAN; 3]; 3], &[[0, 1, 2]])),
        ] {
            assert_eq!(read(name, bytes).unwrap_err().code.as_str(), "E127", "{name}");
        }
    }
}
