//! Elements are evaluated, with their tangents, without allocating.

use percussion_model::bodies::measure::Passage;
use percussion_model::flexible::{
    BeamElement, Bushing, Cable, Element, PlaneElement, PlanePassage, PlaneStrain, StrainMeasure, cayley, diagonal6,
    layout,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTER: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Every element once, forces and tangent.
#[test]
fn elements_allocate_nothing() {
    let frames = layout::straight(&[0.0; 3], &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], 1).unwrap();
    let C = diagonal6(&[3.0, 2.0, 2.0, 1.0, 1.0, 1.0]);
    let turns = [[0.1, 0.0, 0.3], [-0.2, 0.1, 0.0]];
    let [a, b]: [Passage; 2] = std::array::from_fn(|k| {
        let end = cayley::advanced(&frames[k], &[0.1, -0.1, 0.05], &turns[k]);
        Passage::new(&frames[k], &end, &turns[k])
    });
    let elements = [
        Element::Beam(BeamElement::unstressed(StrainMeasure::Se3, &frames[0], &frames[1], C, 0.1)),
        Element::Bushing(Bushing::at_anchor(&frames[0], &frames[1], &[0.5, 0.0, 0.0], C, Some(C))),
        Element::Cable(Cable { length: 0.9, axial: 10.0, points: [[0.0, 0.1, 0.0], [0.0; 3]], at_end: false }),
    ];
    let plane = PlaneElement {
        strain: PlaneStrain::Se3,
        length: 1.0,
        stiffness: [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],
        viscosity: [[0.0; 3]; 3],
        rest: [1.0, 0.0, 0.0],
    };
    let passage = PlanePassage { start: [[0.0; 3], [1.0, 0.0, 0.0]], end: [[0.0, 0.1, 0.2], [1.0, 0.3, -0.1]] };
    let region = Region::new(COUNTER);
    let mut sum = 0.0;
    for element in &elements {
        let (step, K) = element.with_tangent(&a, &b, 0.1, None);
        let stress = element.predicted_stress(&step, &a, &b, 0.1, &step.force);
        sum += step.energy_increment + K[0][1][2][3] + stress[0] + element.energy(&frames[0], &frames[1]);
    }
    let step = plane.over_step(&passage, 0.1);
    sum += plane.tangent(&step, &step.stress)[0][5];
    assert_eq!(region.change().allocations, 0, "{sum}");
}
