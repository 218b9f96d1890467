//! `beams.csv` of a run with beams and cables: strains and section forces, a row for each element.
//!
//!   ε − ε_ref = (Γ, κ) at the state;    n̄ = (N, Q₂, Q₃, T, M₂, M₃), the mean over the steps of the row, what is viscous included

use crate::run::selection::Selection;
use crate::run::table::Table;
use percussion_model::bodies::{Bodies, Frame};
use percussion_model::flexible::blocks::Vec6;
use percussion_step::{Step, packed_part};

/// The table of section forces.
pub const BEAMS: &str = "beams.csv";
/// Its header.
pub const BEAMS_HEADER: &str = "step,t,beam,element,gamma1,gamma2,gamma3,kappa1,kappa2,kappa3,N,Q2,Q3,T,M2,M3";

/// Strains at the last state, and stresses summed since the last row.
#[derive(Default)]
pub struct SectionForces {
    strains: Vec<Vec6>,
    impulses: Vec<Vec6>,
    acted: f64,
    frames: Vec<Frame>,
}

impl SectionForces {
    /// The initial state, whose stresses are those of its strains.
    pub fn start(&mut self, scene: &Bodies, q: &[f64]) {
        self.place(scene, q);
        let frames = &self.frames;
        self.strains.clear();
        self.impulses.clear();
        for span in scene.spans() {
            let [a, b] = span.bodies.map(|i| &frames[i]);
            let strain = span.element.strain(a, b);
            self.impulses.push(span.element.mean_stress(&strain, &strain, 1.0));
            self.strains.push(strain);
        }
        self.acted = 1.0;
    }

    /// Takes in a step.
    pub fn take(&mut self, scene: &Bodies, step: &Step) {
        if step.h <= 0.0 {
            return;
        }
        self.place(scene, &step.after.q);
        let frames = &self.frames;
        for ((span, last), sum) in scene.spans().iter().zip(&mut self.strains).zip(&mut self.impulses) {
            let [a, b] = span.bodies.map(|i| &frames[i]);
            let strain = span.element.strain(a, b);
            let stress = span.element.mean_stress(last, &strain, step.h);
            sum.iter_mut().zip(stress).for_each(|(sum, n)| *sum += step.h * n);
            *last = strain;
        }
        self.acted += step.h;
    }

    /// Whether what was read from a checkpoint speaks of this scene.
    pub fn fits(&self, scene: &Bodies) -> bool {
        let n = scene.spans().len();
        self.strains.len() == n && self.impulses.len() == n
    }

    fn place(&mut self, scene: &Bodies, q: &[f64]) {
        self.frames.clear();
        self.frames.extend((0..scene.len()).map(|i| scene.frame(i, q)));
    }

    /// Writes a row for each element of the beams that are kept, and begins again.
    pub fn write(
        &mut self,
        table: &mut Table,
        scene: &Bodies,
        (number, t): (u64, f64),
        selection: &Selection,
    ) -> std::io::Result<()> {
        for beam in scene.beams().iter().filter(|beam| selection.beam(&beam.name)) {
            for (element, k) in (beam.first_span..beam.first_span + beam.elements).enumerate() {
                let span = &scene.spans()[k];
                table.integer(number).number(t).text(&beam.name).integer(element as u64);
                let (strain, rest) = (&self.strains[k], span.element.rest());
                let beyond = strain.iter().zip(rest).map(|(x, rest)| x - rest);
                let stress = self.impulses[k].iter().map(|p| p / self.acted);
                for (i, x) in beyond.chain(stress).enumerate() {
                    // a cable has stretch and tension, the plane no more than its three
                    let told = if span.element.is_cable() {
                        i % 6 == 0
                    } else {
                        !scene.is_planar() || matches!(i % 6, 0 | 1 | 5)
                    };
                    if told {
                        table.number(x)
                    } else {
                        table.word("")
                    };
                }
                table.end()?;
            }
        }
        self.impulses.iter_mut().for_each(|sum| *sum = [0.0; 6]);
        self.acted = 0.0;
        Ok(())
    }
}

packed_part! {
    SectionForces { strains, impulses, acted } except { frames }
}
