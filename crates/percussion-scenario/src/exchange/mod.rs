//! Files of other programs: matrices, meshes, robots and contact problems come in; VTK, Parquet, HDF5 and FCLIB go out.

pub mod binary_matrix;
pub mod contact_problems;
pub mod csv;
#[cfg(feature = "hdf5")]
pub mod fclib;
#[cfg_attr(not(feature = "hdf5"), path = "no_hdf5.rs")]
pub mod hdf5;
pub mod matrix_market;
pub mod mesh;
pub mod parquet;
mod parquet_page;
pub mod parquet_table;
pub mod robot;
mod thrift;
pub mod vtk;
mod vtk_beams;
pub mod vtk_forces;
mod vtk_picture;
pub mod vtu;
