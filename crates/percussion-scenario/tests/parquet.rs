//! Parquet tables, read back by the library's reader: the cells of the CSV files.
#![cfg(feature = "parquet")]

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use percussion_scenario::{LoadOptions, Shard, Sweep, TABLES, TableFormat, export_parquet, load, run, run_sweep};
use std::fs::File;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Names of the columns, then every row; numbers by their bits.
fn cells(path: &Path) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(File::open(path).expect("the file")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut rows = vec![schema.columns().iter().map(|column| column.name().to_string()).collect()];
    for row in reader.get_row_iter(None).expect("rows") {
        let row = row.expect("a row");
        let text = |field: &Field| match field {
            Field::Null => String::new(),
            Field::Long(k) => k.to_string(),
            Field::Double(x) => format!("{x:.16e}"),
            Field::Str(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        rows.push(row.get_column_iter().map(|(_, field)| text(field)).collect());
    }
    rows
}

/// A line of CSV whose texts hold no quotes but around a whole cell.
fn split(line: &str) -> Vec<String> {
    let (mut list, mut inside) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => inside = !inside,
            ',' if !inside => list.push(String::new()),
            c => list.last_mut().expect("a cell").push(c),
        }
    }
    list
}

/// Cell by cell what the CSV holds, empty cells too.
#[test]
fn tables_of_a_run() {
    for (name, step) in [("sliding-block", 1e-3), ("bouncing-ball", 2e-3)] {
        let (from, to) = (folder(&format!("run-{name}")), folder(&format!("export-{name}")));
        let options = LoadOptions { step: Some(step), end: Some(1.0), ..LoadOptions::default() };
        run(load(name, &options).expect("a scenario"), &from, &mut |_| true).expect("a run");
        assert_eq!(export_parquet(&from, &to).expect("written").len(), 6);
        for table in TABLES.into_iter().chain(["names.csv", "gaps.csv"]) {
            let text = std::fs::read_to_string(from.join(table)).expect("a table");
            let expected: Vec<Vec<String>> = text.lines().map(split).collect();
            assert_eq!(cells(&to.join(table.replace(".csv", ".parquet"))), expected, "{name}/{table}");
        }
        // a run begun again does not leave the tables of the last one beside its own
        export_parquet(&from, &from).expect("written");
        run(load(name, &options).expect("a scenario"), &from, &mut |_| true).expect("a run");
        assert!(!from.join("ledger.parquet").exists() && !from.join("gaps.parquet").exists());
    }
}

/// Texts, refused runs and whole numbers of a sweep.
#[test]
fn table_of_a_sweep() {
    let text = r#"
[sweep]
scenario = "bouncing-ball"
measure = ["max q0"]
[[sweep.parameter]]
key = "scheme.name"
values = ["moreau-jean", "newmark"]
[[sweep.parameter]]
key = "model.contact.0.restitution"
values = [0.5, 1.5]
[[sweep.parameter]]
key = "output.every"
values = [1, 10]
"#;
    let to = folder("sweep");
    let sweep = Sweep::from_text("sweep", text, None).expect("a sweep");
    let end = run_sweep(&sweep, &to, Shard::ALL, 2, TableFormat::Parquet, &|_| true).expect("runs");
    assert_eq!((end.made, end.missing), (8, 0));
    let csv = std::fs::read_to_string(to.join("sweep.csv")).expect("the table");
    let expected: Vec<Vec<String>> = csv.lines().map(split).collect();
    assert_eq!(cells(&to.join("sweep.parquet")), expected);
    let again = folder("sweep-again");
    run_sweep(&sweep, &again, Shard::ALL, 1, TableFormat::Parquet, &|_| true).expect("runs");
    let bytes = |folder: &Path| std::fs::read(folder.join("sweep.parquet")).expect("the file");
    assert_eq!(bytes(&to), bytes(&again));
}
