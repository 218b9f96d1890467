//! Beams and cables of a frame for ParaView: a line for each element, with its strains and section forces.
//!
//!   cell data: Γ, κ = ε − ε_ref and N, Q₂, Q₃, T, M₂, M₃ = C(ε − ε_ref) at the state; point data: the axes of the nodes, velocity, thickness

use percussion_model::bodies::Bodies;
use std::fmt::Write as _;

/// The beams at a state, as XML poly data.
pub fn beams(scene: &Bodies, q: &[f64], v: &[f64]) -> String {
    let (mut points, mut velocities, mut thickness) = (String::new(), String::new(), String::new());
    let mut axes: [String; 3] = Default::default();
    let (mut ends, mut numbers) = (String::new(), String::new());
    let mut cells: [String; 4] = Default::default();
    let (mut n, mut elements) = (0, 0);
    for (number, beam) in scene.beams().iter().enumerate() {
        for i in beam.first_node..=beam.first_node + beam.elements {
            let (frame, twist) = (scene.frame(i, q), scene.twist(i, v));
            let _ = writeln!(points, "{:?} {:?} {:?}", frame.x[0], frame.x[1], frame.x[2]);
            let _ = writeln!(velocities, "{:?} {:?} {:?}", twist.v[0], twist.v[1], twist.v[2]);
            let _ = write!(thickness, "{:?} ", beam.thickness);
            for (k, axis) in axes.iter_mut().enumerate() {
                let _ = writeln!(axis, "{:?} {:?} {:?}", frame.R[0][k], frame.R[1][k], frame.R[2][k]);
            }
        }
        for (k, span) in scene.spans()[beam.first_span..beam.first_span + beam.elements].iter().enumerate() {
            let [a, b] = span.bodies.map(|i| scene.frame(i, q));
            let (stress, strain) = span.section_forces(&a, &b);
            let _ = write!(ends, "{} {} ", n + k, n + k + 1);
            let _ = write!(numbers, "{number} ");
            let parts = [&strain[..3], &strain[3..], &stress[..3], &stress[3..]];
            for (cell, part) in cells.iter_mut().zip(parts) {
                let _ = writeln!(cell, "{:?} {:?} {:?}", part[0], part[1], part[2]);
            }
            elements += 1;
        }
        n += beam.elements + 1;
    }
    let array = |kind: &str, name: &str, components: usize, data: &str| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{data}\n</DataArray>\n"
        )
    };
    let offsets: String = (1..=elements).map(|k| format!("{} ", 2 * k)).collect();
    let names = ["gamma", "kappa", "force_N_Q2_Q3", "moment_T_M2_M3"];
    let cell_data: String = names.iter().zip(&cells).map(|(name, data)| array("Float64", name, 3, data)).collect();
    let frame_data: String =
        ["axis1", "axis2", "axis3"].iter().zip(&axes).map(|(name, data)| array("Float64", name, 3, data)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"0\" NumberOfLines=\"{elements}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n\
         <Points>\n{}</Points>\n<PointData>\n{}{}{frame_data}</PointData>\n<CellData>\n{}{cell_data}</CellData>\n<Lines>\n{}{}</Lines>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n",
        array("Float64", "points", 3, &points),
        array("Float64", "velocity", 3, &velocities),
        array("Float64", "thickness", 1, &thickness),
        array("Int32", "beam", 1, &numbers),
        array("Int32", "connectivity", 1, &ends),
        array("Int32", "offsets", 1, &offsets),
    )
}
