//! Elastic solids: elements, meshes, statics and frequencies, contact between surfaces, finite deformation.

mod common;
mod contact;
mod elements;
mod finite;
mod hertz;
mod mesh;
mod statics;
