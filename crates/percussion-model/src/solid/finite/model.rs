//! A solid in finite deformation as a nonlinear model: coordinates are displacements, the mass is constant, contacts travel.
//!
//!   M v̇ = −∂V/∂q + w + F(t) − C v + Σ Dᵀ λ,    V = ∫ψ(C) − w·q,   w the weight,  F dead loads,  C = a M
//!
//! Energy-exact steps ask for sparse matrices and for rows over a step; through the general face it is as any other model.

use super::energy::FiniteSolid;
use super::touch::{Partner, StepRow, Touch};
use crate::bodies::math::{Vec3, add, axpy, cross, dot, norm};
use crate::code::Code;
use crate::solid::contact::{Against, Method};
use crate::solid::coordinates::Axis;
use crate::solid::{Kinematics, LoadKind, Solid, SolidParts};
use crate::{InputError, Lagrangian, MovingGaps};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use std::sync::Arc;

/// A solid that may deform, turn and travel as far as it likes.
#[derive(Clone, Debug)]
pub struct FiniteModel {
    solid: Arc<Solid>,
    elastic: FiniteSolid,
    mass: Matrix,
    damping: Option<Matrix>,
    partners: Vec<Partner>,
    /// Node and surface contact of each candidate.
    candidates: Vec<(usize, usize)>,
    restitutions: Vec<f64>,
    frictions: Vec<f64>,
    half_thicknesses: Vec<f64>,
    d: usize,
    /// Whether no support holds any node and no rings stretch: it has momenta of its own.
    is_free: bool,
}

/// Refuses what belongs to small displacements.
pub(in crate::solid) fn refuse(parts: &SolidParts) -> Result<(), InputError> {
    if parts.kinematics == Kinematics::Linear {
        return Ok(());
    }
    let refuse =
        |code: Code, field: String, message: &str, help: &str| Err(InputError::new(code, field, message, help));
    for (k, part) in parts.parts.iter().enumerate() {
        if part.damping.stiffness != 0.0 {
            let (message, help) = ("damping by the stiffness would brake rotations", "use damping.mass alone");
            return refuse(Code::CONTRADICTION, format!("model.part[{k}].damping.stiffness"), message, help);
        }
    }
    for (k, support) in parts.supports.iter().enumerate() {
        if support.directions.iter().any(|(_, motion)| !motion.is_constant() || motion.at(0.0) != 0.0) {
            let message = "supports that move are for kinematics = \"linear\" in this version";
            let help = "hold the nodes, or push them by loads";
            return refuse(Code::NOT_YET, format!("model.support[{k}].motion"), message, help);
        }
    }
    for (k, load) in parts.loads.iter().enumerate() {
        if matches!(load.kind, LoadKind::Pressure(_)) {
            let message = "pressure that follows a surface through finite displacements is not in this version";
            let help = "use traction or force, whose direction stays";
            return refuse(Code::NOT_YET, format!("model.load[{k}].pressure"), message, help);
        }
    }
    for (k, contact) in parts.contacts.iter().enumerate() {
        let field = |key: &str| format!("model.contact[{k}].{key}");
        if contact.massless {
            let message = "redistributed mass is for kinematics = \"linear\"";
            return refuse(Code::CONTRADICTION, field("mass"), message, "use mass = \"lumped\"");
        }
        match &contact.against {
            Against::Surface { method: Method::Mortar(_), .. } => {
                let message = "mortar is for kinematics = \"linear\"";
                return refuse(Code::CONTRADICTION, field("method"), message, "use method = \"node\"");
            }
            Against::Obstacle { .. } | Against::Surface { method: Method::Node, .. } => (),
        }
    }
    Ok(())
}

impl FiniteModel {
    /// Of a solid whose kinematics are finite.
    pub fn new(solid: Arc<Solid>) -> Result<Self, InputError> {
        let Kinematics::Finite(laws) = solid.kinematics() else {
            let (message, help) = ("the solid has small displacements", "use kinematics = \"finite\"");
            return Err(InputError::new(Code::CONTRADICTION, "model.kinematics", message, help));
        };
        let elastic = FiniteSolid::new(&solid, laws)?;
        let X = &solid.matter().X[..];
        let partner = |(law, (own, other)): (&crate::solid::contact::SurfaceContact, &(_, Option<_>))| match (
            &law.against,
            other,
        ) {
            (Against::Obstacle { shape, motion }, _) => Partner::Shape { shape: *shape, motion: motion.clone() },
            (Against::Surface { surface, reach, .. }, Some(other)) => {
                Partner::facets(other, *reach, (*surface == law.surface).then_some((own, X)))
            }
            (Against::Surface { reach, .. }, None) => Partner::facets(own, *reach, Some((own, X))),
        };
        let laws = solid.laws();
        let of = |value: fn(&crate::solid::contact::SurfaceContact) -> f64| -> Vec<f64> {
            solid.candidates().iter().map(|c| value(&laws[c.contact])).collect()
        };
        Ok(Self {
            elastic,
            mass: Matrix::Sparse(solid.mass().clone()),
            damping: solid.damping().cloned().map(Matrix::Sparse),
            partners: laws.iter().zip(solid.contact_surfaces()).map(partner).collect(),
            candidates: solid.candidates().iter().map(|c| (c.node, c.contact)).collect(),
            restitutions: of(|law| law.restitution),
            frictions: of(|law| law.friction),
            half_thicknesses: solid.half_thicknesses(),
            d: solid.matter().dimension(),
            is_free: solid.coordinates().motions().is_empty() && !solid.matter().section.has_rings(),
            solid,
        })
    }

    /// How thick what touches at contact i is, halved [m].
    pub fn half_thickness(&self, i: usize) -> f64 {
        self.half_thicknesses[i]
    }

    /// The solid.
    pub fn solid(&self) -> &Arc<Solid> {
        &self.solid
    }

    /// Strain energy, forces over a step and their tangent.
    pub fn elastic(&self) -> &FiniteSolid {
        &self.elastic
    }

    /// The element that has lost most of its volume, by its number in the mesh, and the part of it that is left.
    pub fn most_compressed(&self, q: &[f64]) -> Option<(u64, f64)> {
        let mut x = Vec::new();
        self.places(q, &mut x);
        let (e, left) = self.elastic.most_compressed(&x)?;
        Some((self.solid.matter().cells[e].tag, left))
    }

    /// How much the velocities of nodes differ from each other [m/s].
    pub fn inner_speed(&self, v: &[f64]) -> f64 {
        let mut of_nodes = vec![[0.0; 3]; self.elastic.n_nodes()];
        self.solid.coordinates().velocities(v, 0.0, &mut of_nodes);
        let range = |axis: usize| {
            let along = || of_nodes.iter().map(|v| v[axis]);
            along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
        };
        (0..self.d).map(|axis| range(axis).powi(2)).sum::<f64>().sqrt()
    }

    /// M.
    pub fn mass_matrix(&self) -> &Matrix {
        &self.mass
    }

    /// C, if any.
    pub fn damping(&self) -> Option<&Matrix> {
        self.damping.as_ref()
    }

    /// x ← places of the nodes at displacements q.
    pub fn places(&self, q: &[f64], x: &mut Vec<Vec3>) {
        x.resize(self.solid.matter().n_nodes(), [0.0; 3]);
        self.solid.coordinates().displacements(q, 0.0, x);
        x.iter_mut().zip(&self.solid.matter().X).for_each(|(x, X)| *x = add(x, X));
    }

    /// f ← f + c Σ over the free coordinates of vectors at the nodes.
    pub fn gather(&self, c: f64, vectors: &[Vec3], f: &mut [f64]) {
        for (node, vector) in vectors.iter().enumerate() {
            self.scatter(node, c, vector, f);
        }
    }

    /// f ← f + F(t), without weight.
    pub fn add_loads(&self, t: f64, f: &mut [f64]) {
        f.iter_mut().zip(self.solid.force()).for_each(|(f, signal)| *f += signal.at(t));
    }

    /// What each contact may touch at places x, if anything within reach.
    pub fn touches(&self, x: &[Vec3]) -> Vec<Option<Touch>> {
        let mut list = vec![None; self.candidates.len()];
        for (k, partner) in self.partners.iter().enumerate() {
            let own: Vec<usize> = (0..self.candidates.len()).filter(|&i| self.candidates[i].1 == k).collect();
            let nodes: Vec<usize> = own.iter().map(|&i| self.candidates[i].0).collect();
            let found = partner.touches(&nodes, x, self.solid.matter().section);
            own.into_iter().zip(found).for_each(|(i, touch)| list[i] = touch);
        }
        list
    }

    /// The rows of contact i over a step between places x and times t; of one instant where both are the same.
    pub fn row(&self, i: usize, touch: Touch, x: [&[Vec3]; 2], t: [f64; 2]) -> StepRow {
        let (node, contact) = self.candidates[i];
        self.partners[contact].row(node, touch, x, t, self.d)
    }

    /// Whether the node of contact i is above what it touches.
    pub fn is_above(&self, i: usize, touch: Touch, x: &[Vec3]) -> bool {
        let (node, contact) = self.candidates[i];
        self.partners[contact].is_above(node, touch, x)
    }

    /// row ← row + the vectors of a contact's nodes over the free coordinates.
    pub fn add_row(&self, at: &StepRow, vectors: &[Vec3; 4], row: &mut [f64]) {
        for (&node, vector) in at.nodes[..at.n].iter().zip(vectors) {
            self.scatter(node, 1.0, vector, row);
        }
    }

    /// entries ← the same as coordinates, ascending, and their numbers.
    pub fn row_entries(&self, at: &StepRow, vectors: &[Vec3; 4], entries: &mut Vec<(usize, f64)>) {
        entries.clear();
        let coordinates = self.solid.coordinates();
        for (&node, vector) in at.nodes[..at.n].iter().zip(vectors) {
            for (k, &axis) in coordinates.axes(node).iter().enumerate() {
                let Axis::Free(i) = axis else { continue };
                let x = dot(&coordinates.direction(node, k), vector);
                match entries.iter_mut().find(|(known, _)| *known == i) {
                    Some((_, sum)) => *sum += x,
                    None => entries.push((i, x)),
                }
            }
        }
        entries.sort_unstable_by_key(|&(i, _)| i);
    }

    /// Whether it has momenta of its own, since nothing holds it.
    pub fn is_free(&self) -> bool {
        self.is_free
    }

    /// Whether it lies in the plane.
    pub fn is_planar(&self) -> bool {
        self.d == 2
    }

    /// P = Σ Mv and L = Σ x × Mv about the origin, and the sums of the sizes of their terms; none where supports hold it.
    pub fn momentum(&self, q: &[f64], v: &[f64]) -> Option<([Vec3; 2], [f64; 2])> {
        if !self.is_free {
            return None;
        }
        let (mut x, mut p) = (Vec::new(), vec![0.0; v.len()]);
        self.places(q, &mut x);
        self.mass.mul_add(1.0, v, &mut p);
        Some(self.resultant(1.0, &p, &x))
    }

    /// Resultant and moment about the origin of c times forces or momenta along the coordinates, with nodes at x, and the sums of the
    /// sizes of their terms.
    pub fn resultant(&self, c: f64, forces: &[f64], x: &[Vec3]) -> ([Vec3; 2], [f64; 2]) {
        let coordinates = self.solid.coordinates();
        let (mut sums, mut sizes) = ([[0.0; 3]; 2], [0.0; 2]);
        for (node, x) in x.iter().enumerate() {
            let mut own = [0.0; 3];
            for (k, &axis) in coordinates.axes(node).iter().enumerate() {
                if let Axis::Free(i) = axis {
                    own = axpy(&own, c * forces[i], &coordinates.direction(node, k));
                }
            }
            sums = [add(&sums[0], &own), add(&sums[1], &cross(x, &own))];
            sizes = [sizes[0] + norm(&own), sizes[1] + norm(x) * norm(&own)];
        }
        (sums, sizes)
    }

    /// What contact i is called.
    pub fn contact_name(&self, i: usize) -> String {
        self.solid.contact_name(&self.solid.candidates()[i])
    }

    /// The rows of contact i at places x and a time, if it is near anything.
    pub fn row_at(&self, i: usize, x: &[Vec3], t: f64) -> Option<StepRow> {
        let (node, contact) = self.candidates[i];
        let partner = &self.partners[contact];
        let touch = partner.touches(&[node], x, self.solid.matter().section)[0]?;
        partner.is_above(node, touch, x).then(|| self.row(i, touch, [x, x], [t, t]))
    }

    /// g and ġ of contact i at the end of a step, with what its node touched at the beginning.
    pub fn after(&self, i: usize, q_before: &[f64], (q, v, t): (&[f64], &[f64], f64)) -> Option<(f64, f64)> {
        let (mut x0, mut x1) = (Vec::new(), Vec::new());
        self.places(q_before, &mut x0);
        self.places(q, &mut x1);
        let (node, contact) = self.candidates[i];
        let touch = self.partners[contact].touches(&[node], &x0, self.solid.matter().section)[0]?;
        let at = self.row(i, touch, [&x1, &x1], [t, t]);
        let mut row = vec![0.0; q.len()];
        self.add_row(&at, &at.normal, &mut row);
        let along: f64 = row.iter().zip(v).map(|(g, v)| g * v).sum();
        Some((at.before, along + at.rate(&at.normal)))
    }

    fn scatter(&self, node: usize, c: f64, vector: &Vec3, f: &mut [f64]) {
        let coordinates = self.solid.coordinates();
        for (k, &axis) in coordinates.axes(node).iter().enumerate() {
            if let Axis::Free(i) = axis {
                f[i] += c * dot(&coordinates.direction(node, k), vector);
            }
        }
    }

    /// The rows of contact i at displacements q and a time.
    fn at(&self, i: usize, q: &[f64], t: f64) -> Option<StepRow> {
        let mut x = Vec::new();
        self.places(q, &mut x);
        self.row_at(i, &x, t)
    }

    fn elastic_gradient(&self, q: &[f64], d: &mut [f64]) {
        let mut x = Vec::new();
        self.places(q, &mut x);
        let mut f = vec![[0.0; 3]; x.len()];
        match self.elastic.force(&x, &x, &mut f, 1) {
            Some(()) => self.gather(1.0, &f, d),
            None => d.fill(f64::NAN),
        }
    }
}

fn add_dense(A: &SparseMatrix, c: f64, to: &mut DenseMatrix) {
    A.triplets().for_each(|(i, j, x)| to.set(i, j, to.get(i, j) + c * x));
}

impl Lagrangian for FiniteModel {
    fn n(&self) -> usize {
        self.solid.coordinates().n_free()
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass(&self, _q: &[f64], M: &mut DenseMatrix) {
        add_dense(self.solid.mass(), 1.0, M);
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.potential_gradient(q, f);
        f.iter_mut().for_each(|f| *f = -*f);
        self.add_loads(t, f);
        if let Some(C) = &self.damping {
            C.mul_add(-1.0, v, f);
        }
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.solid.force().iter().map(|signal| signal.next_corner(t)).fold(f64::INFINITY, f64::min)
    }

    fn force_tangents(&self, q: &[f64], _v: &[f64], _t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let mut x = Vec::new();
        self.places(q, &mut x);
        match self.elastic.tangent(&x, &x, 1) {
            // over a step only its end moves: half of ∂²V
            Some(half) => add_dense(&half, 2.0, K),
            None => K.values_mut().fill(f64::NAN),
        }
        if let Some(damping) = self.solid.damping() {
            add_dense(damping, 1.0, C);
        }
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        let mut x = Vec::new();
        self.places(q, &mut x);
        let weight: f64 = self.solid.weight().iter().zip(q).map(|(w, q)| w * q).sum();
        self.elastic.energy(&x, 1).map_or(f64::NAN, |V| V - weight)
    }

    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        d.iter_mut().zip(self.solid.weight()).for_each(|(d, w)| *d = -w);
        self.elastic_gradient(q, d);
    }

    fn power_without_potential(&self, _q: &[f64], v: &[f64], t: f64) -> f64 {
        let loads: f64 = self.solid.force().iter().zip(v).map(|(signal, v)| signal.at(t) * v).sum();
        loads - self.damping.as_ref().map_or(0.0, |C| C.bilinear(v, v))
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.gap(j, q, 0.0)
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        MovingGaps::gradient(self, j, q, 0.0, row);
    }

    /// Facets and normals that turn: asked by no scheme that moves such a model.
    fn hessian(&self, _j: usize, _q: &[f64], _weight: f64, _H: &mut DenseMatrix) {}

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        if self.frictions[i] > 0.0 { self.d - 1 } else { 0 }
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        if let Some(at) = self.at(i, q, 0.0) {
            self.add_row(&at, &at.tangents[k], row);
        }
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        0.5 * self.mass.bilinear(v, v)
    }

    fn finite_solid(&self) -> Option<&FiniteModel> {
        Some(self)
    }

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        self.partners.iter().any(Partner::moves).then_some(self as &dyn MovingGaps)
    }
}

impl MovingGaps for FiniteModel {
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        let far = self.partners[self.candidates[i].1].reach();
        self.at(i, q, t).map_or(far, |row| row.before)
    }

    fn gradient(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        if let Some(at) = self.at(i, q, t) {
            self.add_row(&at, &at.normal, row);
        }
    }

    /// Asked by no scheme that moves such a model, as the two below.
    fn hessian(&self, _i: usize, _q: &[f64], _t: f64, _weight: f64, _H: &mut DenseMatrix) {}

    fn rate(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.at(i, q, t).map_or(0.0, |row| row.rate(&row.normal))
    }

    fn gradient_rate(&self, _i: usize, _q: &[f64], _t: f64, _row: &mut [f64]) {}

    fn acceleration(&self, _i: usize, _q: &[f64], _t: f64) -> f64 {
        0.0
    }
}
