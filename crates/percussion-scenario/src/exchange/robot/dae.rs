//! COLLADA: the triangles of every geometry, placed as the scene's nodes say, in metres.
//!
//!   x = unit · T_root … T_node · position;    the up axis is left as it is, as robot programs do

use super::xml::{all, child, list};
use percussion_model::bodies::TriangleMesh;
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// Triangles and depth of nodes at most.
const MAX_TRIANGLES: usize = 2_000_000;
const DEEPEST: usize = 64;

type Affine = [[f64; 4]; 3];
const ONE: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// The surface of a document, or why there is none.
pub fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is no text")?;
    let document = Document::parse(text).map_err(|error| format!("is not valid XML: {error}"))?;
    let root = document.root_element();
    let unit = root.descendants().find(|n| n.has_tag_name_of("unit")).and_then(|n| n.attribute("meter")?.parse().ok());
    let unit: f64 = unit.filter(|u: &f64| *u > 0.0 && u.is_finite()).unwrap_or(1.0);
    let by_id: HashMap<&str, Node> = root.descendants().filter_map(|n| Some((n.attribute("id")?, n))).collect();
    let mut mesh = TriangleMesh::default();
    let scene = [[unit, 0.0, 0.0, 0.0], [0.0, unit, 0.0, 0.0], [0.0, 0.0, unit, 0.0]];
    for visual in root.descendants().filter(|n| n.has_tag_name_of("visual_scene")) {
        for node in all(&visual, "node") {
            place(&node, &scene, &by_id, 0, &mut mesh)?;
        }
    }
    if mesh.triangles.is_empty() {
        return Err("has no triangles".into());
    }
    Ok(TriangleMesh::new(mesh.vertices, mesh.triangles))
}

/// The first colour that a document gives a surface.
pub fn colour(bytes: &[u8]) -> Option<[f64; 3]> {
    let document = Document::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let diffuse = document.root_element().descendants().filter(|n| n.has_tag_name_of("diffuse"));
    let written = |n: Node| super::looks::colour(&list(child(&n, "color")?.text()?)?);
    diffuse.filter_map(written).next()
}

trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn times(a: &Affine, b: &Affine) -> Affine {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum::<f64>() + if j == 3 { a[i][3] } else { 0.0 })
    })
}

/// The transformation that one element of a node writes.
fn transformation(n: &Node) -> Option<Affine> {
    let x = list(n.text().unwrap_or_default())?;
    let mut m = ONE;
    match (n.tag_name().name(), &x[..]) {
        ("matrix", x) if x.len() == 16 => (0..3).for_each(|i| (0..4).for_each(|j| m[i][j] = x[4 * i + j])),
        ("translate", &[x, y, z]) => (m[0][3], m[1][3], m[2][3]) = (x, y, z),
        ("scale", &[x, y, z]) => (m[0][0], m[1][1], m[2][2]) = (x, y, z),
        ("rotate", &[x, y, z, degrees]) => {
            let length = (x * x + y * y + z * z).sqrt();
            if length > 0.0 {
                let R = super::pose::about(&[x / length, y / length, z / length], degrees.to_radians());
                (0..3).for_each(|i| (0..3).for_each(|j| m[i][j] = R[i][j]));
            }
        }
        _ => return None,
    }
    Some(m)
}

fn place(
    node: &Node,
    from: &Affine,
    by_id: &HashMap<&str, Node>,
    depth: usize,
    mesh: &mut TriangleMesh,
) -> Result<(), String> {
    if depth > DEEPEST {
        return Err("has nodes more than 64 deep".into());
    }
    let mut here = *from;
    for n in node.children().filter(Node::is_element) {
        if let Some(m) = transformation(&n) {
            here = times(&here, &m);
        }
    }
    let of = |n: &Node| n.attribute("url").and_then(|url| by_id.get(url.trim_start_matches('#')).copied());
    for n in node.children().filter(Node::is_element) {
        match (n.tag_name().name(), of(&n)) {
            ("node", _) => place(&n, &here, by_id, depth + 1, mesh)?,
            ("instance_node", Some(other)) => place(&other, &here, by_id, depth + 1, mesh)?,
            ("instance_geometry", Some(geometry)) => triangles(&geometry, &here, by_id, mesh)?,
            _ => {}
        }
    }
    Ok(())
}

/// The triangles of one geometry.
fn triangles(
    geometry: &Node,
    here: &Affine,
    by_id: &HashMap<&str, Node>,
    mesh: &mut TriangleMesh,
) -> Result<(), String> {
    let Some(inner) = child(geometry, "mesh") else { return Ok(()) };
    let follow = |n: &Node| n.attribute("source").and_then(|s| by_id.get(s.trim_start_matches('#')).copied());
    for faces in inner.children().filter(Node::is_element) {
        let tag = faces.tag_name().name();
        if !["triangles", "polylist", "polygons"].contains(&tag) {
            continue;
        }
        let inputs: Vec<Node> = all(&faces, "input").collect();
        let offset = |n: &Node| n.attribute("offset").and_then(|o| o.parse::<usize>().ok()).unwrap_or(0);
        let stride = inputs.iter().map(offset).max().unwrap_or(0).min(63) + 1;
        let Some(vertex) = inputs.iter().find(|n| n.attribute("semantic") == Some("VERTEX")) else { continue };
        let positions = follow(vertex).and_then(|vertices| {
            all(&vertices, "input").find(|n| n.attribute("semantic") == Some("POSITION")).and_then(|n| follow(&n))
        });
        let Some(positions) = positions.and_then(|source| list(child(&source, "float_array")?.text()?)) else {
            continue;
        };
        let first = mesh.vertices.len();
        for p in positions.chunks_exact(3) {
            mesh.vertices
                .push(std::array::from_fn(|i| here[i][0] * p[0] + here[i][1] * p[1] + here[i][2] * p[2] + here[i][3]));
        }
        let count = positions.len() / 3;
        let sizes = child(&faces, "vcount").and_then(|n| list(n.text()?));
        for p in all(&faces, "p") {
            let Some(indices) = list(p.text().unwrap_or_default()) else { continue };
            let corners: Vec<usize> =
                indices.chunks(stride).filter_map(|c| c.get(offset(vertex))).map(|x| *x as usize).collect();
            let whole = [corners.len() as f64];
            let rings: &[f64] = match (tag, &sizes) {
                ("polylist", Some(sizes)) => sizes,
                ("polygons", _) => &whole,
                _ => &[],
            };
            let mut push = |ring: &[usize]| {
                for k in 1..ring.len().saturating_sub(1) {
                    let t = [ring[0], ring[k], ring[k + 1]];
                    if t.iter().all(|i| *i < count) && mesh.triangles.len() < MAX_TRIANGLES {
                        mesh.triangles.push(t.map(|i| first + i));
                    }
                }
            };
            if rings.is_empty() {
                corners.chunks_exact(3).for_each(&mut push);
            }
            let mut at = 0;
            for size in rings {
                let next = at + *size as usize;
                push(corners.get(at..next).unwrap_or_default());
                at = next;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#v" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 2</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"##;

    /// A square of one centimetre, turned and lifted by its node.
    #[test]
    fn a_square_is_placed() {
        let mesh = read(SQUARE.as_bytes()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2));
        let corner = mesh.vertices[2];
        assert!(
            (corner[0] + 0.01).abs() < 1e-15 && (corner[1] - 0.01).abs() < 1e-15 && (corner[2] - 0.02).abs() < 1e-15
        );
        assert!(read(b"<COLLADA/>").is_err() && read(b"no").is_err());
    }
}
