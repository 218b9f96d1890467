//! What the picture of a solid counts: coordinates less what moves all drawn nodes, that motion itself, and pressures of contacts.
//!
//!   q_i = r_i + b_i·ū,   ū the mean displacement of the drawn nodes;   p_j = impulse / (time it acted · area)
//!
//! A solid that travels by metres is strained by micrometres: apart from ū both keep their digits on the page.

use super::moved;
use super::solid::{drawn, free_axes};
use crate::run::folder::Row;
use percussion_model::Signal;
use percussion_model::bodies::math::{Vec3, axpy, dot, norm, sub};
use percussion_model::solid::contact::{Against, Candidate};
use percussion_model::solid::{Section, Solid};
use percussion_report::{Coordinate, Hertz, PressureProfile, ProfileForm};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of a picture, row by row.
pub struct SolidFilm<'a> {
    solid: &'a Solid,
    /// Coordinates of the drawn nodes, ascending, and their directions.
    coordinates: Vec<(usize, Vec3)>,
    nodes: Vec<usize>,
    /// Nodes between two that carry contacts and without one of their own, and the contacts beside them.
    between: Vec<(usize, [usize; 2])>,
    /// Motions of supports and obstacles that are more than sines, which the page moves by itself.
    motions: Vec<&'a Signal>,
    u: Vec<Vec3>,
    /// Of the row before [s].
    t: Option<f64>,
}

impl<'a> SolidFilm<'a> {
    /// Of a solid; without numbers where it is not drawn.
    pub fn new(solid: &'a Solid) -> Self {
        let nodes = drawn(solid);
        let coordinates = nodes.iter().flat_map(|&node| free_axes(solid, node)).collect();
        let (between, u) = (between(solid), vec![[0.0; 3]; solid.matter().n_nodes()]);
        let of_obstacles = solid.laws().iter().flat_map(|law| match &law.against {
            Against::Obstacle { motion, .. } => &motion[..],
            Against::Surface { .. } => &[],
        });
        let all = solid.coordinates().motions().iter().chain(of_obstacles);
        let motions = all.filter(|motion| !motion.terms.is_empty()).collect();
        Self { solid, coordinates, nodes, between, motions, u, t: None }
    }

    /// How many numbers there are: coordinates, three of ū, pressures in the order of the candidates, those of nodes between, and motions.
    pub fn count(&self) -> usize {
        if self.nodes.is_empty() { 0 } else { self.first_motion() + self.motions.len() }
    }

    fn first_motion(&self) -> usize {
        self.first_between() + self.between.len()
    }

    /// A motion of a support or an obstacle as a coordinate of the picture, times a factor.
    pub fn moved(&self, motion: &Signal, factor: f64) -> Coordinate {
        match self.motions.iter().position(|own| *own == motion).filter(|_| !self.nodes.is_empty()) {
            None => moved(motion, factor),
            Some(k) => {
                let harmonic = moved(&Signal { terms: Vec::new(), ..motion.clone() }, factor);
                Coordinate { terms: vec![(self.first_motion() + k, factor)], ..harmonic }
            }
        }
    }

    fn first_between(&self) -> usize {
        self.first_pressure() + self.solid.candidates().len()
    }

    fn first_pressure(&self) -> usize {
        self.coordinates.len() + 3
    }

    /// The numbers of a row; impulses acted since the row before.
    pub fn values(&mut self, row: &Row, out: &mut Vec<f64>) {
        let h = row.state.t - self.t.replace(row.state.t).unwrap_or(row.state.t);
        out.clear();
        if self.nodes.is_empty() {
            return;
        }
        self.solid.coordinates().displacements(&row.state.q, row.state.t, &mut self.u);
        let n = self.nodes.len() as f64;
        let mean = self.nodes.iter().fold([0.0; 3], |sum, &node| axpy(&sum, 1.0 / n, &self.u[node]));
        out.extend(self.coordinates.iter().map(|(i, b)| row.state.q[*i] - dot(b, &mean)));
        out.extend(mean);
        out.resize(self.count(), 0.0);
        let first = self.first_pressure();
        for contact in row.contacts.iter().filter(|_| h > 0.0) {
            let area = self.solid.candidates().get(contact.id).map_or(0.0, |candidate| candidate.area);
            if area > 0.0 {
                out[first + contact.id] += contact.p / (h * area);
            }
        }
        for (k, (_, [a, b])) in self.between.iter().enumerate() {
            out[self.first_between() + k] = 0.5 * (out[first + a] + out[first + b]);
        }
        let beyond_sines = |motion: &&Signal| -> f64 {
            motion.terms.iter().map(|term| term.factor * term.waveform.at(row.state.t)).sum()
        };
        let first = self.first_motion();
        out[first..].iter_mut().zip(&self.motions).for_each(|(out, motion)| *out = beyond_sines(motion));
    }

    /// b_i q_i as a coordinate of the picture, its component k.
    pub fn terms(&self, i: usize, b: &Vec3, k: usize) -> Vec<(usize, f64)> {
        let Ok(place) = self.coordinates.binary_search_by_key(&i, |(coordinate, _)| *coordinate) else {
            return Vec::new();
        };
        let mean = (0..3).map(|m| (self.coordinates.len() + m, b[k] * b[m])).filter(|(_, c)| *c != 0.0);
        std::iter::once((place, b[k])).chain(mean).collect()
    }

    /// The pressure on each of these nodes, where it carries contacts: (index in the list, place of the pressure).
    pub fn pressures(&self, nodes: &[usize]) -> Vec<(usize, usize)> {
        let with = |(j, candidate): (usize, &Candidate)| {
            let at = nodes.binary_search(&candidate.node).ok()?;
            (candidate.area > 0.0).then_some((at, self.first_pressure() + j))
        };
        let own = self.solid.candidates().iter().enumerate().filter_map(with);
        let between = self
            .between
            .iter()
            .enumerate()
            .filter_map(|(k, (node, _))| nodes.binary_search(node).ok().map(|at| (at, self.first_between() + k)));
        own.chain(between).collect()
    }

    /// A profile of each contact of a surface, `place` telling where a node is.
    pub fn profiles(&self, place: impl Fn(usize) -> [Coordinate; 3]) -> Vec<PressureProfile> {
        if self.nodes.is_empty() {
            return Vec::new();
        }
        (0..self.solid.laws().len()).filter_map(|law| self.profile(law, &place)).collect()
    }

    fn profile(&self, law: usize, place: &impl Fn(usize) -> [Coordinate; 3]) -> Option<PressureProfile> {
        let solid = self.solid;
        let all = solid.candidates().iter().enumerate();
        let own: Vec<(usize, &Candidate)> = all.filter(|(_, c)| c.contact == law && c.area > 0.0).collect();
        if own.len() < 3 {
            return None;
        }
        let nodes: Vec<usize> = own.iter().map(|(_, c)| c.node).collect();
        let section = solid.matter().section;
        let (form, along, length) = match section {
            Section::Space => (ProfileForm::FromMiddle, Vec::new(), 0.0),
            Section::Axisymmetric => {
                (ProfileForm::FromAxis, nodes.iter().map(|&node| solid.matter().X[node][0]).collect(), 0.0)
            }
            Section::Strain { .. } | Section::Stress { .. } => {
                let (along, length) = along(solid, &nodes);
                (ProfileForm::Along, along, length)
            }
        };
        let thickness = match section {
            Section::Strain { thickness } | Section::Stress { thickness } => thickness,
            Section::Space | Section::Axisymmetric => 1.0,
        };
        Some(PressureProfile {
            name: solid.laws()[law].surface.clone(),
            form,
            points: match section {
                Section::Space => nodes.iter().map(|&node| place(node)).collect(),
                Section::Strain { .. } | Section::Stress { .. } | Section::Axisymmetric => Vec::new(),
            },
            along,
            length,
            areas: own.iter().map(|(_, c)| c.area / thickness).collect(),
            pressures: own.iter().map(|(j, _)| self.first_pressure() + j).collect(),
            hertz: hertz(solid, law, &own),
        })
    }
}

/// Nodes in the middle of edges of the surface whose ends carry contacts while they carry none, as under mortar.
fn between(solid: &Solid) -> Vec<(usize, [usize; 2])> {
    let mut carries: BTreeMap<usize, usize> = BTreeMap::new();
    for (j, candidate) in solid.candidates().iter().enumerate().filter(|(_, candidate)| candidate.area > 0.0) {
        carries.entry(candidate.node).or_insert(j);
    }
    let mut found: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
    for face in &solid.outer_surface().faces {
        let (nodes, n) = (face.nodes(), face.corners().len());
        // corners first, then the middle of each edge in their order
        for (k, middle) in nodes[n..].iter().enumerate().filter(|(_, middle)| !carries.contains_key(middle)) {
            if let (Some(&a), Some(&b)) = (carries.get(&nodes[k]), carries.get(&nodes[(k + 1) % n])) {
                found.insert(*middle, [a, b]);
            }
        }
    }
    found.into_iter().collect()
}

/// Where nodes of a surface in the plane are along it, and its length where it is closed, else 0 [m].
fn along(solid: &Solid, nodes: &[usize]) -> (Vec<f64>, f64) {
    let X = &solid.matter().X;
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let own: BTreeSet<usize> = nodes.iter().copied().collect();
    for face in &solid.outer_surface().faces {
        // corners first, a node between them last
        let mut chain = face.nodes().to_vec();
        if chain.len() == 3 {
            chain.swap(1, 2);
        }
        for pair in chain.windows(2).filter(|pair| pair.iter().all(|node| own.contains(node))) {
            next.entry(pair[0]).or_default().push(pair[1]);
            next.entry(pair[1]).or_default().push(pair[0]);
        }
    }
    let mut place: BTreeMap<usize, f64> = BTreeMap::new();
    let (mut s, mut closed) = (0.0, 0.0);
    // ends of open chains first, so that each is walked from one of its ends
    let ends = nodes.iter().filter(|node| next.get(node).is_none_or(|list| list.len() < 2));
    for &start in ends.chain(nodes) {
        if place.contains_key(&start) {
            continue;
        }
        place.insert(start, s);
        let mut here = start;
        while let Some(&on) = next.get(&here).and_then(|list| list.iter().find(|node| !place.contains_key(node))) {
            s += norm(&sub(&X[on], &X[here]));
            place.insert(on, s);
            here = on;
        }
        let back = next.get(&start).is_some_and(|list| list.len() == 2 && list.contains(&here));
        if back && place.len() == nodes.len() {
            closed = s + norm(&sub(&X[start], &X[here]));
        }
    }
    (nodes.iter().map(|node| place.get(node).copied().unwrap_or(0.0)).collect(), closed)
}

/// Nodes next to the nearest point from which curvature is read; fewer where so many do not fit.
const NEAREST: [usize; 3] = [24, 12, 7];
/// Part of the gaps by which they may differ from those of one curvature.
const CURVED: f64 = 0.02;

/// 1/(2R) as the second coefficient of the gaps about their smallest, and E* of the surface; none where it is not round.
fn hertz(solid: &Solid, law: usize, own: &[(usize, &Candidate)]) -> Option<Hertz> {
    let Against::Obstacle { .. } = &solid.laws()[law].against else { return None };
    let X = &solid.matter().X;
    let (_, first) = own.iter().min_by(|a, b| a.1.gap.total_cmp(&b.1.gap))?;
    let mut near: Vec<(Vec3, f64)> =
        own.iter().map(|(_, c)| (sub(&X[c.node], &X[first.node]), c.gap - first.gap)).collect();
    near.sort_by(|a, b| norm(&a.0).total_cmp(&norm(&b.0)));
    // g = a + b·s + c (|s|² + g²) over the plane across the normal, as every circle and sphere has it
    let [_, t1, t2] = first.frame;
    let space = solid.matter().dimension() == 3;
    let row = |s: &Vec3, g: f64| -> Vec<f64> {
        let (x, y) = (dot(s, &t1), if space { dot(s, &t2) } else { 0.0 });
        let square = x * x + y * y + g * g;
        match solid.matter().section {
            Section::Space => vec![1.0, square, x, y],
            Section::Strain { .. } | Section::Stress { .. } => vec![1.0, square, x],
            Section::Axisymmetric => vec![1.0, (X[first.node][0] + s[0]).powi(2) + g * g],
        }
    };
    let rows: Vec<(Vec<f64>, f64)> = near.iter().map(|(s, g)| (row(s, *g), *g)).collect();
    let curvature = NEAREST.iter().find_map(|&n| curvature(&rows[..n.min(rows.len())]))?;
    let cell = solid.matter().cells.iter().position(|cell| cell.nodes().any(|node| node == first.node))?;
    let material = solid.parts()[solid.matter().part[cell]].material;
    let modulus = match solid.matter().section {
        Section::Stress { .. } => material.young,
        Section::Space | Section::Strain { .. } | Section::Axisymmetric => {
            material.young / (1.0 - material.poisson * material.poisson)
        }
    };
    Some(Hertz { radius: 0.5 / curvature, modulus })
}

/// The second coefficient of the gaps, if it is positive and describes them.
fn curvature(rows: &[(Vec<f64>, f64)]) -> Option<f64> {
    let c = least_squares(rows)?;
    let highest = rows.iter().map(|(_, g)| g.abs()).fold(0.0, f64::max);
    let off = |(row, g): &(Vec<f64>, f64)| (row.iter().zip(&c).map(|(a, c)| a * c).sum::<f64>() - g).abs();
    let fits = c[1] > 0.0 && rows.len() > c.len() + 1 && rows.iter().all(|row| off(row) <= CURVED * highest);
    fits.then_some(c[1])
}

/// x that minimises Σ (a·x − g)², columns scaled to their largest entry; none where they depend on each other.
fn least_squares(rows: &[(Vec<f64>, f64)]) -> Option<Vec<f64>> {
    let n = rows.first()?.0.len();
    let scale: Vec<f64> = (0..n).map(|k| rows.iter().map(|(a, _)| a[k].abs()).fold(0.0, f64::max)).collect();
    if scale.contains(&0.0) {
        return None;
    }
    let mut A = vec![vec![0.0; n + 1]; n];
    for (a, g) in rows {
        for i in 0..n {
            (0..n).for_each(|k| A[i][k] += a[i] * a[k] / (scale[i] * scale[k]));
            A[i][n] += a[i] * g / scale[i];
        }
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| A[i][k].abs().total_cmp(&A[j][k].abs()))?;
        A.swap(k, pivot);
        if A[k][k].abs() < 1e-12 {
            return None;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = A[i][k] / A[k][k];
            (k..=n).for_each(|j| A[i][j] -= factor * A[k][j]);
        }
    }
    Some((0..n).map(|k| A[k][n] / (A[k][k] * scale[k])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_report::Geometry;
    use percussion_step::ContactState;

    /// The numbers of a film and the terms of the picture give the places of the nodes again, and pressures the forces of the contacts.
    #[test]
    fn places_and_pressures() {
        let loaded = crate::load("elastic-disc", &crate::LoadOptions::default()).expect("built in");
        let solid = crate::scene::elements(&loaded.scenario.description).expect("a solid");
        let mut film = SolidFilm::new(solid);
        let n = loaded.scenario.model().n_q();
        let mut row = Row::default();
        row.state.q.clone_from(&loaded.scenario.problem.q0);
        let mut values = Vec::new();
        film.values(&row, &mut values);
        assert_eq!(values.len(), film.count());
        // it has travelled by a metre, and trembles by a micrometre
        row.state.t = 1e-3;
        row.state.q = (0..n).map(|i| 1.0 + 1e-6 * f64::from((i % 7) as u8)).collect();
        row.contacts = vec![ContactState { id: 2, p: 5.0, ..ContactState::default() }];
        film.values(&row, &mut values);
        let mut u = vec![[0.0; 3]; solid.matter().n_nodes()];
        solid.coordinates().displacements(&row.state.q, row.state.t, &mut u);
        let drawn = crate::scene::scene(&loaded.scenario, &[]).expect("a picture");
        let mut seen = 0;
        for shape in &drawn.shapes {
            let Geometry::Solid { points, .. } = &shape.geometry else { continue };
            for (point, &node) in points.iter().zip(&film.nodes) {
                for k in 0..3 {
                    let moved: f64 = point[k].terms.iter().map(|&(i, c)| c * values[i]).sum();
                    assert!((moved - u[node][k]).abs() < 1e-15, "{moved} {}", u[node][k]);
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 3 * film.nodes.len());
        // apart from what moves them all
        assert!(values[..film.coordinates.len()].iter().all(|x| x.abs() < 1e-5));
        let [profile] = &drawn.profiles[..] else { panic!("a surface") };
        let force: f64 = profile.pressures.iter().zip(&profile.areas).map(|(&i, area)| values[i] * area).sum();
        assert!((force - 5.0 / 1e-3).abs() < 1e-9, "{force}");
        let hertz = profile.hertz.expect("a disc is round");
        // exact but for how far the lowest node is from the lowest point
        assert!((hertz.radius / 0.2 - 1.0).abs() < 3e-3, "{hertz:?}");
        assert!((hertz.modulus / 1.5e6 - 1.0).abs() < 1e-12, "{hertz:?}");
    }

    /// A parabola is found again, and a plane has no curvature to divide by.
    #[test]
    fn curvature_of_gaps() {
        let rows: Vec<(Vec<f64>, f64)> =
            (-3..4).map(f64::from).map(|x| (vec![1.0, x * x, x], 0.5 + 0.25 * x * x - 0.1 * x)).collect();
        let c = least_squares(&rows).expect("independent columns");
        assert!((c[0] - 0.5).abs() < 1e-13 && (c[1] - 0.25).abs() < 1e-13 && (c[2] + 0.1).abs() < 1e-13, "{c:?}");
        let same: Vec<(Vec<f64>, f64)> = (0..5).map(f64::from).map(|x| (vec![1.0, x, 2.0 * x], x)).collect();
        assert_eq!(least_squares(&same), None);
    }
}
