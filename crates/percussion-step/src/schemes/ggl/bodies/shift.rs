//! What friction moves within a step: half a step of the velocity it gives, less what would lift a contact or open a joint.
//!
//!   U_T = (h/2) M⁻¹(H_Tᵀp_T − G_bᵀz_b − G_Nᵀz_N⁺),    (z_b, z_N) = (G M⁻¹Gᵀ)⁺G M⁻¹H_Tᵀp_T,    G: joints and closed normals at q
//!
//! With the whole (h/2) M⁻¹H_Tᵀp_T a joint may turn friction into a lift off the wall, which takes the contact away, and with it the
//! friction, and the next round brings both back. Where z_N < 0 friction presses a contact closed: that part stays, the arch of a
//! bridge rests on it. While a contact is closed ν takes up the difference, so that q does not depend on z_N, nor on the choice of p_T
//! where that is not unique, as in a pendulum that sticks to a wall. Normals that nearly depend on each other have large z_N of both signs,
//! and one sign without the other would throw the bodies: all of z counts where its positive part would make U_T twice as long in ‖·‖_M.

use crate::schemes::ggl::bodies::joints::product;
use crate::schemes::ggl::bodies::{BodiesGgl, Row, Touch};

/// A row over the bodies that are free to move.
pub(super) type SparseRow = Vec<(usize, Row)>;

/// The product of a row with displacements or velocities.
pub(super) fn along(row: &SparseRow, x: &[Row]) -> f64 {
    row.iter().map(|(body, D)| product(D, &x[*body])).sum()
}

impl BodiesGgl {
    /// Rows G of joints and motors and of these contacts' normals where they are placed, with M⁻¹Gᵀ; G M⁻¹Gᵀ is factorised.
    pub(super) fn factorise_rows<'a>(
        &mut self,
        contacts: impl Iterator<Item = &'a Touch>,
    ) -> (Vec<SparseRow>, Vec<SparseRow>) {
        let mut rows: Vec<SparseRow> =
            self.joints.rows.iter().filter(|row| row.law.holds()).map(|row| row.D.clone()).collect();
        rows.extend(contacts.map(|c| c.bodies.into_iter().zip(c.rows[0]).collect::<SparseRow>()));
        let free = |body: usize| self.scene.bodies()[body].is_free();
        rows.iter_mut().for_each(|row| row.retain(|(body, _)| free(*body)));
        let respond = |row: &SparseRow| self.joints.masses.respond(&self.scene, row.iter().copied());
        let responses: Vec<SparseRow> = rows.iter().map(respond).collect();
        self.projection.factorise(rows.len(), |i, j| {
            let mut sum = 0.0;
            for (body, D) in &rows[i] {
                for (_, x) in responses[j].iter().filter(|(other, _)| other == body) {
                    sum += product(D, x);
                }
            }
            sum
        });
        (rows, responses)
    }

    /// U_T of the impulses p on the closed contacts; rows of joints are placed.
    pub(super) fn shift(&mut self, closed: &[Touch], p: &[f64], h: f64) -> Vec<Row> {
        self.shift_by(closed, p, h, None).0
    }

    /// The same, with the contacts whose z counts: those that are given, or those found.
    pub(super) fn shift_by(
        &mut self,
        closed: &[Touch],
        p: &[f64],
        h: f64,
        given: Option<&[bool]>,
    ) -> (Vec<Row>, Vec<bool>) {
        let d = self.dim();
        let mut shift = vec![[0.0; 6]; self.scene.len()];
        if given.is_none() && p.chunks_exact(d).all(|p| p[1..].iter().all(|&p| p == 0.0)) {
            return (shift, vec![true; closed.len()]);
        }
        for (c, p) in closed.iter().zip(p.chunks_exact(d)) {
            (1..d).for_each(|k| self.push(c, k, 0.5 * h * p[k], &mut shift));
        }
        let (rows, responses) = self.factorise_rows(closed.iter());
        let mut z: Vec<f64> = rows.iter().map(|row| along(row, &shift)).collect();
        self.projection.solve(&mut z);
        let of_contacts = z.len() - closed.len();

        // ‖U‖²_M = Uᵀ((h/2) H_Tᵀp_T − Gᵀz)
        let length = |U: &[Row], z: &[f64]| {
            let rate = |c: &Touch, k: usize| (0..2).map(|s| product(&c.rows[k][s], &U[c.bodies[s]])).sum::<f64>();
            let of = |(c, p): (&Touch, &[f64])| (1..d).map(|k| 0.5 * h * p[k] * rate(c, k)).sum::<f64>();
            let pushed: f64 = closed.iter().zip(p.chunks_exact(d)).map(of).sum();
            pushed - rows.iter().zip(z).map(|(row, z)| z * along(row, U)).sum::<f64>()
        };
        let less = |counts: &[bool]| {
            let (mut U, mut kept) = (shift.clone(), z.clone());
            kept[of_contacts..].iter_mut().zip(counts).filter(|(_, counts)| !**counts).for_each(|(z, _)| *z = 0.0);
            for (response, z) in responses.iter().zip(&kept) {
                for (body, x) in response {
                    (0..6).for_each(|k| U[*body][k] -= z * x[k]);
                }
            }
            (U, kept)
        };
        if let Some(given) = given {
            return (less(given).0, given.to_vec());
        }
        let counts: Vec<bool> = z[of_contacts..].iter().map(|&z| z > 0.0).collect();
        let (U, kept) = less(&counts);
        if length(&U, &kept) <= 4.0 * length(&shift, &[]) {
            return (U, counts);
        }
        let all = vec![true; closed.len()];
        (less(&all).0, all)
    }
}
