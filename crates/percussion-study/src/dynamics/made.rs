//! A study of any kind, made into a folder: its tables as text, beside them as Parquet where that is asked for.

use super::schema::{WORDS, schema};
use super::{
    Basin, Bifurcation, ExponentStudy, OrbitStudy, SectionStudy, SpectrumStudy, basin, bifurcation, exponent, orbit,
    section, spectrum,
};
use crate::parallel::{Threads, Watch};
use percussion_scenario::{
    Column, Dynamics, DynamicsKind, Result, Shard, TableFormat, csv_cells, read_text, write_sweep_parquet, write_text,
};
use std::path::{Path, PathBuf};

/// What was made.
pub enum Made {
    /// Points of one motion.
    Section(SectionStudy),
    /// Amplitudes of one motion.
    Spectrum(SpectrumStudy),
    /// A diagram.
    Bifurcation(Bifurcation),
    /// A map of starts.
    Basin(Basin),
    /// A periodic orbit and its branches.
    Orbit(Box<OrbitStudy>),
    /// Lyapunov exponents.
    Exponent(ExponentStudy),
}

impl Made {
    /// Tables, figures, pages.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Self::Section(made) => &made.files,
            Self::Spectrum(made) => &made.files,
            Self::Bifurcation(made) => &made.files,
            Self::Basin(made) => &made.files,
            Self::Orbit(made) => &made.files,
            Self::Exponent(made) => &made.files,
        }
    }

    fn files_mut(&mut self) -> &mut Vec<PathBuf> {
        match self {
            Self::Section(made) => &mut made.files,
            Self::Spectrum(made) => &mut made.files,
            Self::Bifurcation(made) => &mut made.files,
            Self::Basin(made) => &mut made.files,
            Self::Orbit(made) => &mut made.files,
            Self::Exponent(made) => &mut made.files,
        }
    }

    /// Rows that other shards have still to make.
    pub fn missing(&self) -> u64 {
        match self {
            Self::Section(_) | Self::Spectrum(_) | Self::Orbit(_) => 0,
            Self::Bifurcation(made) => made.missing as u64,
            Self::Basin(made) => made.missing,
            Self::Exponent(made) => made.missing,
        }
    }
}

/// Makes or goes on with a study in a folder; none when it was stopped.
pub fn make(
    study: &Dynamics,
    folder: &Path,
    shard: Shard,
    threads: Threads,
    format: TableFormat,
    watch: &Watch,
) -> Result<Option<Made>> {
    format.available()?;
    let made = match study.kind {
        DynamicsKind::Section => section(study, folder, watch)?.map(Made::Section),
        DynamicsKind::Spectrum => spectrum(study, folder, watch)?.map(Made::Spectrum),
        DynamicsKind::Bifurcation => bifurcation(study, folder, shard, threads, watch)?.map(Made::Bifurcation),
        DynamicsKind::Basin => basin(study, folder, shard, threads, watch)?.map(Made::Basin),
        DynamicsKind::Orbit => orbit(study, folder, watch)?.map(|made| Made::Orbit(Box::new(made))),
        DynamicsKind::Exponent => exponent(study, folder, shard, threads, watch)?.map(Made::Exponent),
    };
    let Some(mut made) = made else { return Ok(None) };
    let tables: Vec<PathBuf> =
        made.files().iter().filter(|path| path.extension().is_some_and(|end| end == "csv")).cloned().collect();
    if !tables.is_empty() {
        let path = folder.join("schema.json");
        write_text(&path, &schema(study, &tables)?)?;
        made.files_mut().push(path);
    }
    if format == TableFormat::Parquet {
        for table in tables {
            made.files_mut().push(as_parquet(&table)?);
        }
    }
    Ok(Some(made))
}

/// A table once more, beside itself.
fn as_parquet(table: &Path) -> Result<PathBuf> {
    let text = read_text(table).unwrap_or_default();
    let header = csv_cells(text.lines().next().unwrap_or_default());
    let kind = |name: &str| if WORDS.contains(&name) { Column::Word } else { Column::Number };
    let columns: Vec<(String, Column)> = header.into_iter().map(|name| (name.clone(), kind(&name))).collect();
    let path = table.with_extension("parquet");
    write_sweep_parquet(&columns, &text, &path)?;
    Ok(path)
}
