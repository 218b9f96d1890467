//! The report of a run: one self-contained HTML page with the verdicts, the moving picture, the plots and where each
//! joule went.
//!
//! Plain data in, text out: nothing here knows how the motion was computed, and memory does not grow with its length.
//!
//! ```text
//! Meta → ReportBuilder ← push_state, push_ledger, push_gap, push_event, push_row
//!              └ finish(RunInfo) → Report (set_scene) → render(&[Report]) → page,  plot_svg(&[Report], "energy") → figure
//! ```
//!
//! ```
//! use percussion_report::{Meta, ReportBuilder, RunInfo, render};
//! let mut builder = ReportBuilder::new(Meta::default());
//! builder.push_state(0.0, &[1.0], &[0.0]);
//! builder.push_ledger(0.0, 0.0, 10.0, 10.0, 0.0, 0.0, 0.0, 0.0, None);
//! let report = builder.finish(RunInfo { scenario: "drop".into(), ..RunInfo::default() });
//! assert!(render(&[report]).starts_with("<!DOCTYPE html>"));
//! ```

mod axis;
mod base64;
mod builder;
mod comparison;
mod curve;
mod diagram;
mod document;
mod drawing;
mod escape;
mod figures;
mod figures_energy;
mod figures_friction;
mod figures_joints;
mod figures_motion;
mod font;
mod headline;
mod info;
mod joints;
mod labels;
mod number;
mod overlay;
mod pack;
mod page;
mod payload;
mod pdf;
#[cfg(not(target_family = "wasm"))]
mod play;
mod plot;
mod png;
mod raster;
mod report;
mod scene;
mod sections;
mod series;
mod sha256;
mod svg;
mod thinned;

pub use builder::ReportBuilder;
pub use diagram::{DiagramCloud, DiagramOrbit, DiagramPage};
pub use document::{Agreement, Block, Document, Finding, Table};
pub use figures::{FIGURES, FRICTION_FIGURES, JOINT_FIGURES, figure_name, plot_pdf, plot_png, plot_svg};
pub use info::{Candidates, Column, FailureInfo, GuaranteeInfo, Meta, RunInfo, TableMeta, VerdictInfo};
pub use joints::JointMeta;
pub use page::{Parts, parts, render, render_with};
#[cfg(not(target_family = "wasm"))]
pub use play::Playground;
pub use plot::{Line, Look, Plot};
pub use report::{Impact, Report};
pub use scene::{
    Bending, ContactMark, Coordinate, Geometry, Hertz, Place, Point as ScenePoint, PressureProfile, ProfileForm, Role,
    SceneDescription, Shape, SolidLaw, SolidSection, Swept,
};
pub use series::{MAX_POINTS, Point, Series};
pub use thinned::Rule;
