//! The linear model: constant matrices, time-dependent load, contacts and joints as rows.
//!
//!   M dv + (K q + C v) dt = F(t) dt + G dI,    g = Gᵀq + w(t),    J q + c = 0

use crate::code::Code;
use crate::contact::{Contact, check_contact};
use crate::definite::{check_positive, is_semidefinite};
use crate::element_facts::{ElementFacts, MOST_IN_FACTOR, MOST_IN_PLANE, factor_size};
use crate::nodal::NodalForm;
use crate::{InputError, Momenta, Signal};
use percussion_matrix::{ConstrainedFactor, Matrix, QuadraticForm, SparseMatrix, vector};

/// A bilateral constraint row·q + offset = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The row of J as (coordinate, entry).
    pub row: Vec<(usize, f64)>,
    /// c [m].
    pub offset: f64,
}

/// What a linear model is made of, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearParts {
    /// M, n × n, symmetric positive definite [kg].
    pub mass: Matrix,
    /// C, n × n [N·s/m].
    pub damping: Option<Matrix>,
    /// K, n × n, symmetric [N/m].
    pub stiffness: Option<Matrix>,
    /// F(t), n [N].
    pub force: Vec<Signal>,
    /// The contacts, numbered from 0 in this order.
    pub contacts: Vec<Contact>,
    /// The joints, numbered from 0 in this order.
    pub joints: Vec<Joint>,
}

/// ½ qᵀK q without cancellation.
#[derive(Clone, Debug)]
enum Potential {
    Springs(QuadraticForm),
    Nodes(NodalForm),
}

/// Coordinates from which factors are made in the order that is known.
const ORDERED_FROM: usize = 4000;

/// A checked linear model.
#[derive(Clone, Debug)]
pub struct LinearModel {
    parts: LinearParts,
    G: SparseMatrix,
    /// G and, after its columns, the tangents in the order of their contacts; absent when there is none.
    H: Option<SparseMatrix>,
    /// Column of H where the tangents of each contact begin, and the end of the last.
    tangent_ptr: Vec<usize>,
    J: SparseMatrix,
    /// c of the rows of J.
    joint_offsets: Vec<f64>,
    /// Whether K has no negative direction.
    semidefinite: bool,
    superfluous: Vec<usize>,
    potential: Option<Potential>,
    momenta: Option<Box<Momenta>>,
    /// What assembling it from finite elements told.
    elements: Option<Box<ElementFacts>>,
    /// The part F_c of the load that counts as a potential −F_cᵀq; empty where all of it is work.
    potential_load: Vec<f64>,
    constant_force: bool,
    constant_offsets: bool,
}

impl LinearModel {
    /// Checks the parts and assembles G and J.
    pub fn new(parts: LinearParts) -> Result<Self, InputError> {
        let n = parts.mass.n_rows();
        let parts = held_by_joints(parts);
        check_matrices(&parts, n)?;
        check_vector(parts.force.len(), n, "model.force")?;
        for (i, signal) in parts.force.iter().enumerate() {
            finite(signal.is_finite(), "").map_err(|error| error.below(format!("model.force[{i}]")))?;
        }
        for (i, contact) in parts.contacts.iter().enumerate() {
            check_contact(contact, n).map_err(|error| error.below(format!("model.contact[{i}]")))?;
        }
        for (i, joint) in parts.joints.iter().enumerate() {
            check_joint(joint, n).map_err(|error| error.below(format!("model.joint[{i}]")))?;
        }
        let (basis, superfluous) = independent_joints(&parts.joints, n)?;
        let semidefinite = parts.stiffness.as_ref().is_none_or(is_semidefinite);
        let potential = parts.stiffness.as_ref().map(|K| Potential::Springs(QuadraticForm::new(K)));
        let model = Self { semidefinite, superfluous, potential, ..Self::assembled(parts, &basis) };
        // without joints M was factorised when its definiteness was checked
        if model.J.n_cols() > 0
            && let Err(failure) = ConstrainedFactor::new(model.mass(), &model.J, None)
        {
            let place = failure.row.map_or(String::new(), |row| format!(" (independent row {row})"));
            let message = format!("the joints are too nearly dependent for this mass matrix{place}");
            let help = "write them as rows that are clearly different, or remove one";
            return Err(InputError::new(Code::JOINTS_CONTRADICT, "model.joint", message, help));
        }
        Ok(model)
    }

    /// Of matrices assembled from finite elements, without joints: nothing is factorised, and coordinates without mass are
    /// allowed where the facts name them.
    pub fn of_elements(parts: LinearParts, mut facts: ElementFacts) -> Result<Self, InputError> {
        let n = parts.mass.n_rows();
        for (i, contact) in parts.contacts.iter().enumerate() {
            check_contact(contact, n).map_err(|error| error.below(format!("model.contact[{i}]")))?;
        }
        let potential = match &parts.stiffness {
            Some(Matrix::Sparse(K)) => Some(Potential::Nodes(NodalForm::new(K, &facts.coordinates))),
            Some(K @ Matrix::Dense(_)) => Some(Potential::Springs(QuadraticForm::new(K))),
            None => None,
        };
        let moments = std::mem::take(&mut facts.moments);
        let momenta =
            if moments.is_empty() { None } else { Momenta::new(moments, &parts.mass, parts.damping.as_ref()) };
        let momenta = momenta.map(Box::new);
        Ok(Self { potential, momenta, elements: Some(Box::new(facts)), ..Self::assembled(parts, &[]) })
    }

    /// G, H and J of checked parts.
    fn assembled(parts: LinearParts, basis: &[Joint]) -> Self {
        let n = parts.mass.n_rows();
        let columns = |list: Vec<&Vec<(usize, f64)>>| {
            let entries: Vec<_> =
                list.iter().enumerate().flat_map(|(j, c)| c.iter().map(move |&(i, x)| (i, j, x))).collect();
            SparseMatrix::from_triplets(n, list.len(), &entries).expect("indices were checked")
        };
        let G = columns(parts.contacts.iter().map(|c| &c.normal).collect());
        let tangents: Vec<_> = parts.contacts.iter().flat_map(|c| &c.tangents).collect();
        let H =
            (!tangents.is_empty()).then(|| columns(parts.contacts.iter().map(|c| &c.normal).chain(tangents).collect()));
        let mut tangent_ptr = vec![parts.contacts.len()];
        for contact in &parts.contacts {
            tangent_ptr.push(tangent_ptr[tangent_ptr.len() - 1] + contact.tangents.len());
        }
        let J = columns(basis.iter().map(|joint| &joint.row).collect());
        Self {
            G,
            H,
            tangent_ptr,
            J,
            joint_offsets: basis.iter().map(|joint| joint.offset).collect(),
            semidefinite: true,
            superfluous: Vec::new(),
            potential: None,
            momenta: None,
            elements: None,
            potential_load: Vec::new(),
            constant_force: parts.force.iter().all(|s| s.is_constant() && !s.is_live()),
            constant_offsets: parts.contacts.iter().all(|c| c.offset.is_constant() && !c.offset.is_live()),
            parts,
        }
    }

    /// Linear and angular momentum of a solid that nothing holds; none of any other model.
    #[inline]
    pub fn momenta(&self) -> Option<&Momenta> {
        self.momenta.as_deref()
    }

    /// Whether its matrices were assembled from finite elements.
    pub fn is_of_elements(&self) -> bool {
        self.elements.is_some()
    }

    /// Which coordinates have no mass; empty where all have some.
    #[inline]
    pub fn massless(&self) -> &[bool] {
        self.elements.as_ref().map_or(&[], |facts| &facts.massless)
    }

    /// Whether some coordinate has no mass.
    pub fn has_massless(&self) -> bool {
        self.massless().contains(&true)
    }

    /// An order of elimination that keeps factors sparse, where one is known and the model is large enough for it to matter.
    pub fn elimination_order(&self) -> Option<&[usize]> {
        let known = self.elements.as_ref().map(|facts| &facts.order[..]);
        known.filter(|order| order.len() == self.n() && self.n() >= ORDERED_FROM)
    }

    /// Whether a factor of what steps divide by would be too large, so that it is solved by products with it.
    pub fn is_too_large_to_factor(&self) -> bool {
        self.elements.is_some() && self.factor_size() > MOST_IN_FACTOR
    }

    /// Numbers in a factor of M and K together by nested dissection, about.
    pub fn factor_size(&self) -> f64 {
        let entries = match self.stiffness() {
            Some(Matrix::Sparse(K)) => K.n_entries(),
            Some(Matrix::Dense(_)) | None => 0,
        };
        // nodes in space have more neighbours than those in a plane
        factor_size(self.n(), if entries > MOST_IN_PLANE * self.n() { 3 } else { 2 })
    }

    /// What contact i is called, where it has a name.
    pub fn contact_label(&self, i: usize) -> Option<&str> {
        let own = self.parts.contacts.get(i).map(|contact| contact.name.as_str()).filter(|name| !name.is_empty());
        own.or_else(|| self.elements.as_ref()?.contact_names.get(i).map(String::as_str))
    }

    /// How thick what touches at contact i is, halved; infinite where that is not known [m].
    pub fn half_thickness(&self, i: usize) -> f64 {
        let known = self.elements.as_ref().and_then(|facts| facts.half_thicknesses.get(i));
        known.copied().unwrap_or(f64::INFINITY)
    }

    /// f ← f + c K q, without loss of digits where bodies have travelled.
    #[inline]
    pub fn add_elastic_force(&self, c: f64, q: &[f64], f: &mut [f64]) {
        match (&self.parts.stiffness, &self.potential) {
            (Some(Matrix::Sparse(K)), Some(Potential::Nodes(form))) => form.mul_add(K, c, q, f),
            (Some(K), _) => K.mul_add(c, q, f),
            (None, _) => {}
        }
    }

    /// What it is made of.
    pub fn parts(&self) -> &LinearParts {
        &self.parts
    }

    /// n, the number of coordinates.
    #[inline]
    pub fn n(&self) -> usize {
        self.parts.mass.n_rows()
    }

    /// Number of contacts.
    #[inline]
    pub fn n_contacts(&self) -> usize {
        self.parts.contacts.len()
    }

    /// M.
    #[inline]
    pub fn mass(&self) -> &Matrix {
        &self.parts.mass
    }

    /// The first coordinate whose damper C_ii is negative: it feeds energy in.
    pub fn fed_coordinate(&self) -> Option<usize> {
        self.parts.damping.as_ref()?.diagonal().iter().position(|&c| c < 0.0)
    }

    /// Whether the symmetric part of C has no negative direction.
    pub fn damping_is_semidefinite(&self) -> bool {
        self.parts.damping.as_ref().is_none_or(|C| {
            let transposed = C.triplets().into_iter().map(|(i, j, x)| (j, i, x)).collect::<Vec<_>>();
            let transposed = SparseMatrix::from_triplets(self.n(), self.n(), &transposed).map(Matrix::Sparse);
            transposed.is_some_and(|T| is_semidefinite(&Matrix::combination(self.n(), &[(0.5, C), (0.5, &T)])))
        })
    }

    /// C, if any.
    #[inline]
    pub fn damping(&self) -> Option<&Matrix> {
        self.parts.damping.as_ref()
    }

    /// K, if any.
    #[inline]
    pub fn stiffness(&self) -> Option<&Matrix> {
        self.parts.stiffness.as_ref()
    }

    /// The contacts.
    #[inline]
    pub fn contacts(&self) -> &[Contact] {
        &self.parts.contacts
    }

    /// The joints, superfluous ones included.
    #[inline]
    pub fn joints(&self) -> &[Joint] {
        &self.parts.joints
    }

    /// Joints that follow from the others.
    pub fn superfluous_joints(&self) -> &[usize] {
        &self.superfluous
    }

    /// G, one column per contact.
    #[inline]
    pub fn G(&self) -> &SparseMatrix {
        &self.G
    }

    /// G followed by the tangents of all contacts, one column each; G itself where no contact has tangents.
    #[inline]
    pub fn H(&self) -> &SparseMatrix {
        self.H.as_ref().unwrap_or(&self.G)
    }

    /// The columns of `H` that are the tangents of contact i.
    #[inline]
    pub fn tangent_columns(&self, i: usize) -> std::ops::Range<usize> {
        self.tangent_ptr[i]..self.tangent_ptr[i + 1]
    }

    /// Whether any contact has friction: μ > 0.
    pub fn has_friction(&self) -> bool {
        self.parts.contacts.iter().any(|c| c.friction > 0.0)
    }

    /// Whether any contact has tangents, with friction or without.
    #[inline]
    pub fn has_tangents(&self) -> bool {
        self.H.is_some()
    }

    /// u_T of contact i, zero where it has no such tangent; obstacles move along their normals only.
    #[inline]
    pub fn tangent_rate(&self, i: usize, v: &[f64]) -> [f64; 2] {
        let mut u = [0.0; 2];
        for (u, column) in u.iter_mut().zip(self.tangent_columns(i)) {
            *u = self.H().column_dot(column, v);
        }
        u
    }

    /// Jᵀ, one column of length one per independent direction the joints fix: an orthonormal basis of their rows, so that
    /// nearly dependent joints do no harm.
    #[inline]
    pub fn J(&self) -> &SparseMatrix {
        &self.J
    }

    /// c with J q + c = 0 for the rows of `J`.
    pub fn J_offsets(&self) -> &[f64] {
        &self.joint_offsets
    }

    /// Whether K has no negative direction, as every theorem on dissipation supposes.
    pub fn stiffness_is_semidefinite(&self) -> bool {
        self.semidefinite
    }

    /// Whether F does not depend on time.
    #[inline]
    pub fn force_is_constant(&self) -> bool {
        self.constant_force
    }

    /// Whether no obstacle moves.
    #[inline]
    pub fn offsets_are_constant(&self) -> bool {
        self.constant_offsets
    }

    /// The same model under another load, of which the same part is booked as a potential.
    pub fn with_loads(&self, force: Vec<Signal>) -> Result<Self, InputError> {
        check_vector(force.len(), self.n(), "model.force")?;
        let constant_force = force.iter().all(|s| s.is_constant() && !s.is_live());
        let mut model = Self { constant_force, ..self.clone() };
        model.parts.force = force;
        Ok(model)
    }

    /// The same model with other motions of its obstacles.
    pub fn with_offsets(&self, offsets: Vec<Signal>) -> Result<Self, InputError> {
        check_vector(offsets.len(), self.n_contacts(), "model.contact")?;
        let mut parts = self.parts.clone();
        parts.contacts.iter_mut().zip(offsets).for_each(|(contact, offset)| contact.offset = offset);
        let constant_offsets = parts.contacts.iter().all(|c| c.offset.is_constant() && !c.offset.is_live());
        Ok(Self { parts, constant_offsets, ..self.clone() })
    }

    /// The same model with a constant part F_c of its load booked as the potential −F_cᵀq instead of as work. The motion is the same.
    pub fn with_potential_load(self, potential_load: Vec<f64>) -> Result<Self, InputError> {
        check_vector(potential_load.len(), self.n(), "model.gravity")?;
        finite(potential_load.iter().all(|f| f.is_finite()), "model.gravity")?;
        Ok(Self { potential_load, ..self })
    }

    /// F_cᵀq, the work that the part of the load booked as a potential has done up to q from q = 0; zero where there is none.
    #[inline]
    pub fn potential_work(&self, q: &[f64]) -> f64 {
        self.potential_load.iter().zip(q).map(|(f, q)| f * q).sum()
    }

    /// Whether a part of the load is booked as a potential.
    #[inline]
    pub fn has_potential_load(&self) -> bool {
        !self.potential_load.is_empty()
    }

    /// F as signals.
    #[inline]
    pub fn loads(&self) -> &[Signal] {
        &self.parts.force
    }

    /// F ← F(t).
    pub fn force(&self, t: f64, F: &mut [f64]) {
        for (f, signal) in F.iter_mut().zip(&self.parts.force) {
            *f = signal.at(t);
        }
    }

    /// The first time after t at which a load, the motion of an obstacle or one of their derivatives jumps.
    pub fn next_corner(&self, t: f64) -> f64 {
        let offsets = self.parts.contacts.iter().map(|contact| &contact.offset);
        self.parts.force.iter().chain(offsets).map(|s| s.next_corner(t)).fold(f64::INFINITY, f64::min)
    }

    /// g_i(q, t) of contact i.
    #[inline]
    pub fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        let offset = &self.parts.contacts[i].offset;
        let still = self.constant_offsets && offset.terms.is_empty();
        self.G.column_dot(i, q) + if still { offset.mean } else { offset.at(t) }
    }

    /// U_i = G_iᵀv + ẇ_i(t), the rate of gap i.
    #[inline]
    pub fn gap_rate(&self, i: usize, v: &[f64], t: f64) -> f64 {
        let rate = self.G.column_dot(i, v);
        if self.constant_offsets { rate } else { rate + self.parts.contacts[i].offset.rate(t) }
    }

    /// Both, the normal read once.
    #[inline(always)] // asked at every contact twice a step
    pub fn gap_and_rate(&self, i: usize, (q, v): (&[f64], &[f64]), t: f64) -> (f64, f64) {
        let (rows, values) = self.G.column(i);
        let (mut gap, mut rate) = (0.0, 0.0);
        for (&k, &a) in rows.iter().zip(values) {
            gap += a * q[k];
            rate += a * v[k];
        }
        let offset = &self.parts.contacts[i].offset;
        if self.constant_offsets && offset.terms.is_empty() {
            return (gap + offset.mean, rate);
        }
        (gap + offset.at(t), if self.constant_offsets { rate } else { rate + offset.rate(t) })
    }

    /// ½ vᵀM v.
    #[inline]
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        0.5 * self.parts.mass.bilinear(v, v)
    }

    /// ½ qᵀK q.
    #[inline]
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        match (&self.potential, &self.parts.stiffness) {
            (Some(Potential::Springs(form)), _) => form.half(q),
            (Some(Potential::Nodes(form)), Some(Matrix::Sparse(K))) => form.half(K, q),
            (Some(Potential::Nodes(_)), Some(Matrix::Dense(_)) | None) | (None, _) => 0.0,
        }
    }

    /// row·q + offset of joint i.
    pub fn joint_violation(&self, i: usize, q: &[f64]) -> f64 {
        let joint = &self.parts.joints[i];
        joint.row.iter().map(|&(k, x)| x * q[k]).sum::<f64>() + joint.offset
    }

    /// row·v of joint i.
    pub fn joint_rate(&self, i: usize, v: &[f64]) -> f64 {
        self.parts.joints[i].row.iter().map(|&(k, x)| x * v[k]).sum()
    }
}

pub(crate) fn finite(ok: bool, field: &str) -> Result<(), InputError> {
    if ok {
        return Ok(());
    }
    Err(InputError::new(Code::NOT_FINITE, field, "a number is NaN or infinite", "give a finite number"))
}

fn check_vector(found: usize, n: usize, field: &str) -> Result<(), InputError> {
    if found == n {
        return Ok(());
    }
    let message = format!("has {found} entries where the mass matrix has {n} rows");
    Err(InputError::new(Code::BAD_SHAPE, field, message, format!("give {n} numbers")))
}

/// The same parts with M + Σ c JᵀJ in the place of a singular M where that is positive definite: motions the joints allow have J v = 0,
/// so that it is the same inertia to every one of them (Brüls, Acary and Cardona 2014, (9)).
fn held_by_joints(mut parts: LinearParts) -> LinearParts {
    let (n, M) = (parts.mass.n_rows(), &parts.mass);
    let square = n > 0 && M.n_cols() == n && M.max_abs().is_finite();
    let sound = |joint: &Joint| joint.row.iter().all(|&(i, x)| i < n && x.is_finite());
    if !square || parts.joints.is_empty() || !parts.joints.iter().all(sound) {
        return parts;
    }
    let regular = |M: &Matrix| M.diagonal().iter().all(|&d| d > 0.0) && check_positive(M).is_ok();
    if regular(M) || M.diagonal().iter().any(|&d| d < 0.0) {
        return parts;
    }
    let mut entries = M.triplets();
    for joint in &parts.joints {
        let c = M.max_abs() / joint.row.iter().map(|(_, x)| x * x).sum::<f64>();
        entries.extend(joint.row.iter().flat_map(|&(i, x)| joint.row.iter().map(move |&(j, y)| (i, j, c * x * y))));
    }
    if let Some(held) = SparseMatrix::from_triplets(n, n, &entries).map(Matrix::Sparse)
        && regular(&held)
    {
        parts.mass = held;
    }
    parts
}

fn check_matrices(parts: &LinearParts, n: usize) -> Result<(), InputError> {
    let named = [
        ("model.mass", Some(&parts.mass)),
        ("model.damping", parts.damping.as_ref()),
        ("model.stiffness", parts.stiffness.as_ref()),
    ];
    for (field, A) in named {
        let Some(A) = A else { continue };
        let (rows, cols) = (A.n_rows(), A.n_cols());
        if n == 0 || rows != cols || rows != n {
            let message = format!("is {rows} × {cols}");
            let help = if n == 0 || field == "model.mass" {
                "give a square matrix with at least one row".to_string()
            } else {
                format!("give a {n} × {n} matrix, the size of the mass matrix")
            };
            return Err(InputError::new(Code::BAD_SHAPE, field, message, help));
        }
        finite(A.max_abs().is_finite(), field)?;
    }

    // symmetry to the digits a text file carries, entry by entry so that large entries do not hide small ones
    for (field, A, code) in [
        ("model.mass", Some(&parts.mass), Code::MASS_NOT_SYMMETRIC),
        ("model.stiffness", parts.stiffness.as_ref(), Code::STIFFNESS_NOT_SYMMETRIC),
    ] {
        let Some(A) = A else { continue };
        let diagonal = A.diagonal();
        let mut unequal = None;
        A.for_each_pair(|i, j, x, mirrored| {
            let size = x.abs().max(mirrored.abs()).max((diagonal[i] * diagonal[j]).abs().sqrt());
            if unequal.is_none() && (x - mirrored).abs() > 1e-12 * size {
                unequal = Some((i, j));
            }
        });
        if let Some((i, j)) = unequal {
            let message = format!("entry ({i}, {j}) = {} but ({j}, {i}) = {}", A.get(i, j), A.get(j, i));
            return Err(InputError::new(
                code,
                field,
                message,
                "make the two entries equal, or set model.symmetrize where they differ by round-off",
            ));
        }
    }

    // positive definite, judged after scaling to a unit diagonal so that units do not matter
    let diagonal = parts.mass.diagonal();
    if let Some(i) = diagonal.iter().position(|&d| d <= 0.0) {
        let message = format!("entry ({i}, {i}) = {}: coordinate {i} has no positive mass", diagonal[i]);
        let help = match diagonal[i] == 0.0 {
            true => "give it a positive mass, or set condense = true where only springs hold it",
            false => "give it a positive mass",
        };
        return Err(InputError::new(Code::MASS_NOT_POSITIVE, "model.mass", message, help));
    }
    if let Some(i) = diagonal.iter().position(|&d| !(1.0 / d).is_finite()) {
        let message = format!("entry ({i}, {i}) = {:e}: its inverse is beyond the numbers of a computer", diagonal[i]);
        let help = "choose units in which masses are nearer to one";
        return Err(InputError::new(Code::MASS_NOT_POSITIVE, "model.mass", message, help));
    }
    if let Err(failure) = check_positive(&parts.mass) {
        let place = failure.row.map_or(String::new(), |row| format!(", first seen at coordinate {row}"));
        let message = format!("some motion has no positive kinetic energy{place}");
        let help = "check the entries coupling that coordinate to the others";
        return Err(InputError::new(Code::MASS_NOT_POSITIVE, "model.mass", message, help));
    }
    Ok(())
}

// the checks of one contact or joint name their fields relative to it

pub(crate) fn check_row(row: &[(usize, f64)], n: usize, field: &str) -> Result<(), InputError> {
    finite(row.iter().all(|(_, x)| x.is_finite()), field)?;
    if let Some((i, _)) = row.iter().find(|(i, _)| *i >= n) {
        let message = format!("names coordinate {i} but there are {n}");
        return Err(InputError::new(Code::BAD_SHAPE, field, message, format!("use coordinates 0 to {}", n - 1)));
    }
    Ok(())
}

fn check_joint(joint: &Joint, n: usize) -> Result<(), InputError> {
    check_row(&joint.row, n, "row")?;
    finite(joint.offset.is_finite(), "offset")?;
    if joint.row.iter().all(|&(_, x)| x == 0.0) {
        let help = "remove the joint or give it a row";
        return Err(InputError::new(Code::ZERO_JOINT, "row", "is zero", help));
    }
    Ok(())
}

/// An orthonormal basis of the joints' rows with its offsets, and the joints that are combinations of earlier ones; an
/// error when the offsets of those disagree.
fn independent_joints(joints: &[Joint], n: usize) -> Result<(Vec<Joint>, Vec<usize>), InputError> {
    let mut basis: Vec<(Vec<f64>, f64)> = Vec::new();
    let mut dependent = Vec::new();
    for (k, joint) in joints.iter().enumerate() {
        let mut rest = vec![0.0; n];
        for &(i, x) in &joint.row {
            rest[i] += x;
        }
        let length = vector::norm(&rest);
        rest.iter_mut().for_each(|x| *x /= length);
        let mut offset = joint.offset / length;
        let scale = offset.abs().max(f64::MIN_POSITIVE);
        // twice is enough for orthogonality to round-off
        for _ in 0..2 {
            for (unit, c) in &basis {
                let along = vector::dot(unit, &rest);
                vector::axpy(-along, unit, &mut rest);
                offset -= along * c;
            }
        }
        let left = vector::norm(&rest);
        if left > 1e-10 {
            rest.iter_mut().for_each(|x| *x /= left);
            basis.push((rest, offset / left));
            continue;
        }
        let largest = basis.iter().fold(scale, |m, (_, c)| m.max(c.abs()));
        if offset.abs() > 1e-9 * largest {
            let message = format!("the joint repeats earlier ones but asks for a place {offset:.3e} m away");
            let help = "remove it, or correct its offset";
            return Err(InputError::new(Code::JOINTS_CONTRADICT, format!("model.joint[{k}]"), message, help));
        }
        dependent.push(k);
    }
    let sparse = |(row, offset): (Vec<f64>, f64)| Joint {
        row: row.into_iter().enumerate().filter(|&(_, x)| x != 0.0).collect(),
        offset,
    };
    Ok((basis.into_iter().map(sparse).collect(), dependent))
}
