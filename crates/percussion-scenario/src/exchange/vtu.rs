//! A run of a solid for ParaView: one `.vtu` per frame with its elements, raw numbers appended, and a `.pvd` with the times.
//!
//! Points are the undeformed nodes (Warp By Vector with `displacement` shows the motion). Point data: displacement, velocity,
//! contact force, contact pressure, force of the supports (means since the row before). Cell data: stress (xx, yy, zz, xy, yz, zx; about an axis zz is the hoop stress), von Mises
//! stress, energy density, part.

use crate::run::folder::Row;
use percussion_model::InputError;
use percussion_model::bodies::math::{Vec3, axpy};
use percussion_model::solid::Solid;
use percussion_model::solid::finite::FiniteModel;
use percussion_model::solid::hooke::von_mises;
use percussion_model::solid::reactions::{NodalState, Reactions};
use std::fmt::Write as _;

/// Writes the frames of one solid.
pub struct SolidFrames<'a> {
    solid: &'a Solid,
    finite: Option<&'a FiniteModel>,
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
    u: Vec<Vec3>,
    v: Vec<Vec3>,
    reactions: Option<Reactions>,
    before: Option<NodalState>,
    /// Of the row seen last [s].
    t: Option<f64>,
}

/// What acts on the nodes beside elements.
#[derive(Default)]
struct NodeForces {
    /// Force [N] and pressure [Pa] of contacts.
    contact: Option<(Vec<Vec3>, Vec<f64>)>,
    /// Force of supports [N].
    supports: Option<Vec<Vec3>>,
}

/// The appended section and the elements that point into it.
#[derive(Default)]
struct Appended {
    data: Vec<u8>,
}

impl Appended {
    /// One array; the element that names it.
    fn array(&mut self, kind: &str, name: &str, components: usize, bytes: &[u8]) -> String {
        let offset = self.data.len();
        self.data.extend((bytes.len() as u64).to_le_bytes());
        self.data.extend(bytes);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }

    fn numbers(&mut self, name: &str, components: usize, x: impl Iterator<Item = f64>) -> String {
        let bytes: Vec<u8> = x.flat_map(f64::to_le_bytes).collect();
        self.array("Float64", name, components, &bytes)
    }

    fn integers(&mut self, name: &str, x: impl Iterator<Item = i64>) -> String {
        let bytes: Vec<u8> = x.flat_map(i64::to_le_bytes).collect();
        self.array("Int64", name, 1, &bytes)
    }
}

impl<'a> SolidFrames<'a> {
    /// For a solid, and what it is in finite deformation.
    pub fn new(solid: &'a Solid, finite: Option<&'a FiniteModel>) -> Self {
        let matter = solid.matter();
        let (mut connectivity, mut offsets, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for cell in &matter.cells {
            let (entry, nodes) = (cell.kind.entry(), cell.nodes().collect::<Vec<_>>());
            connectivity.extend(entry.vtk_order.iter().map(|&k| nodes[k] as i64));
            offsets.push(connectivity.len() as i64);
            types.push(entry.vtk);
        }
        let zero = vec![[0.0; 3]; matter.n_nodes()];
        let (u, v) = (zero.clone(), zero);
        Self { solid, finite, connectivity, offsets, types, u, v, reactions: None, before: None, t: None }
    }

    /// The same with the forces of supports.
    pub fn with_reactions(mut self) -> Result<Self, InputError> {
        self.reactions = Reactions::new(self.solid)?;
        Ok(self)
    }

    /// Takes a row; forces are means since the one before.
    pub fn see(&mut self, row: &Row) {
        let (solid, t) = (self.solid, row.state.t);
        let before = self.t.replace(t).filter(|_| self.reactions.is_some());
        self.before = before.map(|t| NodalState { t, u: self.u.clone(), v: self.v.clone() });
        solid.coordinates().displacements(&row.state.q, t, &mut self.u);
        solid.coordinates().velocities(&row.state.v, t, &mut self.v);
    }

    /// The frame of the row seen last; its impulses acted for the time `h`.
    pub fn frame(&mut self, row: &Row, h: f64) -> Vec<u8> {
        let solid = self.solid;
        // matrices with a mesh have contacts that are none of its surfaces
        let of_surfaces = !solid.laws().is_empty();
        let contact = of_surfaces.then(|| contact_forces(solid, self.finite, &self.u, row, h));
        let supports = self.reactions.as_ref().map(|reactions| {
            let none = vec![[0.0; 3]; self.u.len()];
            let now = NodalState { t: row.state.t, u: self.u.clone(), v: self.v.clone() };
            let contact = contact.as_ref().map_or(&none, |(force, _)| force);
            let of = |before: &NodalState| reactions.over(solid, [before, &now], contact);
            self.before.as_ref().and_then(of).unwrap_or(none.clone())
        });
        self.file(&solid.matter().X, NodeForces { contact, supports })
    }

    /// One frame of a solid among bodies, its points where they are; forces of its contacts are those of the scene.
    pub fn among_bodies(&mut self, places: &[Vec3], velocities: &[Vec3]) -> Vec<u8> {
        let X = &self.solid.matter().X;
        self.u.iter_mut().zip(places).zip(X).for_each(|((u, x), X)| *u = axpy(x, -1.0, X));
        self.v.copy_from_slice(velocities);
        self.file(places, NodeForces::default())
    }

    fn file(&self, places: &[Vec3], forces: NodeForces) -> Vec<u8> {
        let (solid, matter) = (self.solid, self.solid.matter());
        let stresses: Vec<[f64; 6]> = (0..matter.cells.len()).map(|e| solid.stress(e, &self.u)).collect();
        let density = |e: usize| solid.energy_density(e, &self.u);

        let mut appended = Appended::default();
        let points = appended.numbers("points", 3, places.iter().flatten().copied());
        let mut point_data = vec![
            appended.numbers("displacement", 3, self.u.iter().flatten().copied()),
            appended.numbers("velocity", 3, self.v.iter().flatten().copied()),
        ];
        if let Some((force, pressure)) = forces.contact {
            point_data.push(appended.numbers("contact_force", 3, force.iter().flatten().copied()));
            point_data.push(appended.numbers("contact_pressure", 1, pressure.into_iter()));
        }
        if let Some(force) = forces.supports {
            point_data.push(appended.numbers("reaction", 3, force.iter().flatten().copied()));
        }
        let cell_data = [
            appended.numbers("stress", 6, stresses.iter().flatten().copied()),
            appended.numbers("von_mises", 1, stresses.iter().map(von_mises)),
            appended.numbers("energy_density", 1, (0..matter.cells.len()).map(density)),
            appended.integers("part", matter.part.iter().map(|&part| part as i64)),
        ];
        let cells = [
            appended.integers("connectivity", self.connectivity.iter().copied()),
            appended.integers("offsets", self.offsets.iter().copied()),
            appended.array("UInt8", "types", 1, &self.types),
        ];
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
        );
        let (n, m) = (matter.n_nodes(), matter.cells.len());
        let _ = write!(
            text,
            "<Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{m}\">\n<Points>\n{points}</Points>\n<Cells>\n{}</Cells>\n\
             <PointData Vectors=\"displacement\">\n{}</PointData>\n<CellData Scalars=\"von_mises\">\n{}</CellData>\n</Piece>\n\
             </UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
            cells.concat(),
            point_data.concat(),
            cell_data.concat()
        );
        let mut file = text.into_bytes();
        file.extend(appended.data);
        file.extend(b"\n</AppendedData>\n</VTKFile>\n");
        file
    }
}

/// Force of the contacts on each node [N], and pressure on the nodes that carry them [Pa].
fn contact_forces(solid: &Solid, finite: Option<&FiniteModel>, u: &[Vec3], row: &Row, h: f64) -> (Vec<Vec3>, Vec<f64>) {
    let n = solid.matter().n_nodes();
    let (mut force, mut pressure) = (vec![[0.0; 3]; n], vec![0.0; n]);
    let x: Vec<Vec3> = solid.matter().X.iter().zip(u).map(|(X, u)| axpy(X, 1.0, u)).collect();
    if h <= 0.0 {
        return (force, pressure);
    }
    for (k, contact) in row.contacts.iter().enumerate() {
        let candidate = &solid.candidates()[contact.id];
        let along = row.friction.get(k).map_or([0.0; 2], |tangential| tangential.p);
        if let Some(at) = finite.and_then(|finite| finite.row_at(contact.id, &x, row.state.t)) {
            for (k, &node) in at.nodes[..at.n].iter().enumerate() {
                for (p, vectors) in [(contact.p, &at.normal), (along[0], &at.tangents[0]), (along[1], &at.tangents[1])]
                {
                    force[node] = axpy(&force[node], p / h, &vectors[k]);
                }
            }
        } else {
            let mut p = axpy(&[0.0; 3], contact.p / h, &candidate.frame[0]);
            for (tangent, p_t) in candidate.frame[1..].iter().zip(along) {
                p = axpy(&p, p_t / h, tangent);
            }
            for &(node, weight) in &candidate.weights {
                force[node] = axpy(&force[node], weight, &p);
            }
        }
        if candidate.area > 0.0 {
            pressure[candidate.node] += contact.p / (h * candidate.area);
        }
    }
    (force, pressure)
}
