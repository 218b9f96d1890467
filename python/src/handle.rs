//! The scenario and the summary of a run, kept beside its tables: to write it out later, to take it to another process.

use crate::errors;
use crate::from_python::refuse;
use numpy::PyReadonlyArray1;
use percussion::matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion::model::Code;
use percussion::scenario::{
    Attached, Attachments, Description, End, INPUTS, KeptTable, LoadOptions, Scenario, Summary, load_table, save,
    scenario_text,
};
use percussion::step::Pack;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// What a solution keeps beside its tables.
#[pyclass(frozen, module = "percussion._core")]
pub struct Handle {
    /// Everything resolved.
    pub scenario: Scenario,
    /// As in `summary.json`.
    pub summary: Summary,
    /// Where the run ended, for those who go on with it.
    pub end: Option<End>,
}

type Stored<'py> = (PyReadonlyArray1<'py, f64>, Vec<String>, Vec<String>);
/// A matrix that does not stand in the text: its name, whether it is dense, its size and its entries.
type Packed = (String, bool, (usize, usize), Vec<(usize, usize, f64)>);
/// Another file, such as a mesh: its name and its bytes.
type PackedFile = (String, Vec<u8>);
/// What stands in files beside the text.
type Beside = (Vec<Packed>, Vec<PackedFile>);

#[pymethods]
impl Handle {
    /// The resolved scenario as TOML, without the files of large matrices.
    fn scenario_text(&self) -> String {
        scenario_text(&self.scenario).0
    }

    /// Itself: what was taken to another process opens first.
    fn opened(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// Writes the run folder from its tables.
    fn save(&self, py: Python<'_>, folder: PathBuf, tables: Vec<Stored>) -> PyResult<()> {
        let slices: Vec<&[f64]> = tables.iter().map(|(x, _, _)| x.as_slice()).collect::<Result<_, _>>()?;
        let kept = |k: usize| KeptTable { columns: &tables[k].1, values: slices[k], words: &tables[k].2 };
        let kept: Vec<KeptTable> = (0..tables.len()).map(kept).collect();
        let result = py.detach(|| save(&self.scenario, &self.summary, kept, self.end.as_ref(), &folder));
        result.map_err(|error| errors::raise(py, &error))
    }

    /// The text, its matrices, the summary and the end, from which `restore` makes the same again; no matrices where functions are
    /// missing too.
    fn packed<'py>(&self, py: Python<'py>) -> (String, Option<Beside>, String, Bound<'py, PyBytes>) {
        let (text, files) = scenario_text(&self.scenario);
        let (mut matrices, mut others) = (Vec::new(), Vec::new());
        for (name, attached) in files {
            match attached {
                Attached::Matrix(A) => {
                    matrices.push((name, matches!(*A, Matrix::Dense(_)), (A.n_rows(), A.n_cols()), A.triplets()));
                }
                Attached::Bytes(bytes) => others.push((name, bytes.to_vec())),
            }
        }
        for file in &self.scenario.signal_files {
            let entries = file.points.iter().enumerate().flat_map(|(i, [t, x])| [(i, 0, *t), (i, 1, *x)]);
            matrices.push((file.name.clone(), true, (file.points.len(), 2), entries.collect()));
        }
        if let Some(inputs) = &self.scenario.inputs {
            others.push((INPUTS.to_string(), inputs.csv().into_bytes()));
        }
        let own = matches!(self.scenario.description, Description::Own(_));
        let mut end = Vec::new();
        self.end.pack(&mut end);
        (text, (!own).then_some((matrices, others)), self.summary.to_json(), PyBytes::new(py, &end))
    }

    /// From what `packed` gave.
    #[staticmethod]
    fn restore(py: Python<'_>, text: &str, beside: Beside, summary: &str, end: &[u8]) -> PyResult<Self> {
        let (matrices, files) = beside;
        let broken = |message: String| refuse(py, Code::BAD_RUN, "solution", message, "run the problem again");
        let table = text.parse().map_err(|error: toml::de::Error| broken(error.to_string()))?;
        let summary: Summary = serde_json::from_str(summary).map_err(|error| broken(error.to_string()))?;
        let mut given = Attachments::default();
        given.files.extend(files.into_iter().map(|(name, bytes)| (name, bytes.into())));
        for (name, dense, (n, m), triplets) in matrices {
            let A = if dense {
                let mut A = DenseMatrix::zeros(n, m);
                for (i, j, x) in triplets.into_iter().filter(|&(i, j, _)| i < n && j < m) {
                    A.set(i, j, x);
                }
                Matrix::Dense(A)
            } else {
                let outside = || broken("an entry lies outside the matrix".into());
                Matrix::Sparse(SparseMatrix::from_triplets(n, m, &triplets).ok_or_else(outside)?)
            };
            given.matrices.insert(name, A);
        }
        let loaded = load_table(&summary.scenario, table, given, &LoadOptions::default());
        let scenario = loaded.map_err(|error| errors::raise(py, &error))?.scenario;
        let end = Pack::unpack(&mut &*end).ok_or_else(|| broken("its end cannot be understood".into()))?;
        Ok(Self { scenario, summary, end })
    }
}
