//! What a scenario file may say: its keys, how they are read, described and written.
//!
//! ```text
//! keys ─► reader, JSON schema, tables of the book;    Scenario ─► write ─► scenario.toml
//! ```

pub mod former_names;
pub mod key_tables;
pub mod keys;
pub mod locate;
pub mod nesting;
pub mod overrides;
pub mod plain_names;
pub mod record;
pub mod schema;
pub mod signal;
pub mod suggest;
pub mod text;
pub mod values;
pub mod write;
