//! Parameter studies: one scenario, many points, one row each.
//!
//! ```text
//! [sweep] ─► Design (grid, random, latin-hypercube, sobol) ─► point i ─► run i ─► row i ─► sweep.csv
//! ```
//!
//! Row i depends on the sweep and on i alone: threads, shards and other machines give the same table.

mod design;
mod measure;
mod row;
mod sobol;
mod spec;
mod spectrum;
mod table;

pub(crate) use table::locked;

pub use design::{Method, run_seed};
pub use spec::{Parameter, Sweep};
pub use table::{
    RowMaker, Shard, SweepEnd, SweepProgress, append_rows, begin_rows, gather, missing_rows, part_file, part_files,
    run_sweep, write_parquet,
};
