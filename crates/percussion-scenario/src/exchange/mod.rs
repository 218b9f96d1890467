//! Files of other programs: matrices, meshes, robots and contact problems come in; VTK, Parquet and FCLIB go out.

pub mod contact_problems;
pub mod csv;
#[cfg(feature = "hdf5")]
pub mod fclib;
pub mod matrix_market;
pub mod mesh;
pub mod parquet;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
pub mod parquet_table;
pub mod urdf;
pub mod vtk;
pub mod vtu;
