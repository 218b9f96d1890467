"""Parquet files by the program and by the wheel, read back by pyarrow and compared with the CSV files cell by cell."""

import csv
import math

import numpy as np
import pytest

import percussion

arrow = pytest.importorskip("pyarrow.parquet")
TABLES = ["trajectory", "contacts", "ledger", "events", "names", "gaps"]


def same(table, path):
    """The columns of a Parquet table against a CSV file, numbers to the bit; how many cells there are."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    assert table.column_names == header and table.num_rows == len(rows)
    for k, name in enumerate(header):
        for cell, text in zip(table.column(k).to_pylist(), (row[k] for row in rows)):
            if text == "":
                assert cell is None
            elif isinstance(cell, float):
                assert cell == float(text) and math.copysign(1, cell) == math.copysign(1, float(text)), name
            else:
                assert str(cell) == text, name
    return len(header) * len(rows)


@pytest.mark.parametrize("name", ["bouncing-ball", "sliding-block", "slanted-rod"])
def test_run(name, program, tmp_path):
    """`run --format parquet`, `export --to parquet`, `run(format=…)` and `save(format=…)`: the same bytes."""
    folders = {word: tmp_path / word for word in ("program", "exported", "direct", "saved")}
    changes = ["--end", "0.6", "--quiet", "--out", folders["program"]]
    assert program("run", name, "--format", "parquet", *changes).returncode in (0, 5)
    assert program("export", folders["program"], "--to", "parquet", "--out", folders["exported"]).returncode == 0
    percussion.run(name, end=0.6, out=folders["direct"], format="parquet")
    percussion.run(name, end=0.6).save(folders["saved"], format="parquet")
    for table in TABLES:
        expected = (folders["program"] / f"{table}.parquet").read_bytes()
        assert all((folder / f"{table}.parquet").read_bytes() == expected for folder in folders.values()), table
        path = folders["program"] / f"{table}.parquet"
        assert same(arrow.read_table(path), folders["program"] / f"{table}.csv") > 0 or table in ("events", "gaps")
    types = {field.name: str(field.type) for field in arrow.read_schema(folders["program"] / "contacts.parquet")}
    assert types["step"] == types["contact"] == "int64" and types["gap"] == "double" and types["status"] == "string"


def test_groups_of_rows(tmp_path):
    """A run of several groups of rows: numbers to the bit whether they repeat (a column that stands still has a dictionary) or not,
    words, empty cells; smaller than plain values as Arrow writes them."""
    import pyarrow

    folder = tmp_path / "long"
    percussion.run("bouncing-ball", step=1e-5, end=3.2, out=folder, format="parquet")
    file = arrow.ParquetFile(folder / "ledger.parquet")
    assert file.metadata.num_row_groups >= 2 and file.metadata.num_rows == 320_001
    for name in ("ledger", "contacts"):
        table, text = arrow.read_table(folder / f"{name}.parquet"), folder / f"{name}.csv"
        with open(text, newline="", encoding="utf-8") as rows:
            columns = list(zip(*list(csv.reader(rows))[1:]))
        for column, cells in zip(table.columns, columns):
            if column.type == pyarrow.string():
                assert column.to_pylist() == list(cells)
                continue
            empty = np.array([cell == "" for cell in cells])
            assert column.null_count == empty.sum() and (np.array(column.is_null()) == empty).all()
            told = np.array([float(cell) for cell in cells if cell])
            assert (np.signbit(told) == np.signbit(np.array(column.drop_null()).astype(float))).all()
            assert np.array_equal(told, np.array(column.drop_null()).astype(float))
    plain = tmp_path / "plain.parquet"
    arrow.write_table(arrow.read_table(folder / "ledger.parquet"), plain, compression="none", use_dictionary=False)
    assert (folder / "ledger.parquet").stat().st_size < plain.stat().st_size


def test_sweep(program, tmp_path):
    """Threads, shards and the table in memory give one Parquet file, to the byte; refused runs are rows with nulls."""
    parameters = [
        {"key": "model.contact.0.restitution", "from": 0.5, "to": 1.1, "count": 4},
        {"key": "scheme.name", "values": ["moreau-jean", "newmark"]},
        {"key": "output.every", "values": [1, 5]},
    ]
    study = {"name": "Ω, \"quoted\"", "sweep": {"scenario": "bouncing-ball", "measure": ["max q0"], "parameter": parameters}}
    table = percussion.sweep(study, threads=2, out=tmp_path / "threads", format="parquet")
    one = table.to_parquet(tmp_path / "memory.parquet").read_bytes()
    assert (tmp_path / "threads" / "sweep.parquet").read_bytes() == one
    (tmp_path / "sweep.toml").write_text(percussion._sweep._plan(study).standalone(), encoding="utf-8")
    for shard in ("1/3", "3/3", "2/3"):
        words = ["--shard", shard, "--format", "parquet", "--out", tmp_path / "shards"]
        assert program("sweep", tmp_path / "sweep.toml", *words).returncode == 0
    assert (tmp_path / "shards" / "sweep.parquet").read_bytes() == one
    read = arrow.read_table(tmp_path / "memory.parquet")
    assert same(read, tmp_path / "threads" / "sweep.csv") == 16 * len(table._cells)
    assert read["code"].null_count == 12 and read["steps"].null_count == 4
    assert table["output.every"].dtype == np.int64 and table["run"].dtype == np.int64
    assert table["steps"].dtype == np.float64 and np.isnan(table["steps"][table["status"] == "refused"]).all()
    # hashes are text, whatever their digits: one without letters once became a number
    assert table["state_hash"].dtype.kind == "U" and table["code"].dtype.kind == "U"


def test_wrong_format(tmp_path):
    """Before anything is run."""
    for call in (
        lambda: percussion.run("bouncing-ball", out=tmp_path / "a", format="parkett"),
        lambda: percussion.sweep({"sweep": {}}, out=tmp_path / "a", format=3),
        lambda: percussion.run("bouncing-ball", end=0.1).save(tmp_path / "a", format="hdf"),
    ):
        with pytest.raises(percussion.InputError) as caught:
            call()
        assert caught.value.code == "E103" and caught.value.field == "format"
    assert not (tmp_path / "a").exists()
