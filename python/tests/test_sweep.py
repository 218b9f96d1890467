"""Sweeps: one table on threads, in shards, on Dask; designs against SciPy's."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy.stats import qmc

import percussion

SWEEP = {
    "name": "restitution and clearance",
    "sweep": {
        "scenario": "bouncing-ball",
        "method": "latin-hypercube",
        "samples": 200,
        "seed": 3,
        "measure": ["max q0", "sum p_n"],
        "parameter": [
            {"key": "model.contact.0.restitution", "from": 0.0, "to": 1.02},
            {"key": "model.contact.0.offset", "from": -0.3, "to": 0.0},
        ],
    },
}


def with_sweep(**changes):
    """The sweep with other keys."""
    keys = {key: x for key, x in {**SWEEP["sweep"], **changes}.items() if x is not None}
    return {"name": SWEEP["name"], "sweep": keys}


def test_sobol_is_sobol():
    """The first 64 points in 21 dimensions are SciPy's, unscrambled."""
    parameters = [{"key": f"model.x{j}", "from": 0.0, "to": 1.0} for j in range(21)]
    plan = percussion._sweep._plan(with_sweep(method="sobol", samples=64, seed=None, parameter=parameters, measure=None))
    rows = [plan.row(i).split(",")[1:22] for i in range(64)]
    expected = qmc.Sobol(21, scramble=False).random(64)
    assert np.array(rows, dtype=float) == pytest.approx(expected, abs=1e-9)


def test_threads_shards_and_program(program, tmp_path):
    """The table is the same from Python's threads and from shards of the program; failed runs are rows."""
    table = percussion.sweep(SWEEP, threads=2)
    assert all(percussion.sweep(SWEEP, threads=threads).text == table.text for threads in (1, 4))
    assert len(table) == 200 and list(table["run"]) == list(range(200))
    e = table["model.contact.0.restitution"]
    assert ((table["status"] == "refused") == (e > 1.0)).all() and (table["code"][e > 1.0] == "E120").all()
    assert (table["status"][e <= 1.0] == "finished").all() and len(set(table["seed"])) == 200
    text = percussion._sweep._plan(SWEEP).standalone()
    (tmp_path / "sweep.toml").write_text(text)
    for shard in ("2/2", "1/2"):
        assert program("sweep", tmp_path / "sweep.toml", "--out", tmp_path / "out", "--shard", shard).returncode == 0
    assert (tmp_path / "out" / "sweep.csv").read_text() == table.text


def test_grid_and_measures():
    """A grid in the order of its parameters; a measure is what the solution holds."""
    parameter = [
        {"key": "scheme.name", "values": ["moreau-jean", "newmark"]},
        {"key": "model.contact.0.restitution", "from": 0.2, "to": 0.8, "count": 3},
    ]
    table = percussion.sweep(with_sweep(method="grid", samples=None, parameter=parameter), threads=1)
    assert table["scheme.name"].tolist() == 3 * ["moreau-jean"] + 3 * ["newmark"]
    assert table["model.contact.0.restitution"] == pytest.approx([0.2, 0.5, 0.8, 0.2, 0.5, 0.8])
    one = percussion.run("bouncing-ball", scheme="newmark", set={"model.contact.0.restitution": 0.5})
    assert table["max q0"][4] == one.q[:, 0].max() and table["state_hash"][4] == one.state_hash
    assert table["sum p_n"][4] == pytest.approx(one.contacts["p_n"].sum(), rel=1e-12)


def test_refusals():
    """E170 with the key."""
    for changes in ({"method": "gird"}, {"samples": None}, {"parameter": []}, {"seed": -1}, {"measure": ["most q0"]}):
        with pytest.raises(percussion.InputError) as caught:
            percussion.sweep(with_sweep(**changes))
        assert caught.value.code == "E170", changes


def test_dask_with_a_killed_worker(program, tmp_path):
    """Two workers on loopback, one killed (SIGKILL) in the middle: nothing lost, nothing doubled; one table and one Parquet file
    from threads, shards and the cluster."""
    distributed = pytest.importorskip("distributed")
    slow = with_sweep()
    slow["sweep"]["parameter"] = [*slow["sweep"]["parameter"], {"key": "time.step", "values": [5e-5]}]
    expected = percussion.sweep(slow, threads=2, out=tmp_path / "threads", format="parquet")
    options = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1")
    part, killed = tmp_path / "dask" / "part-gathered.csv", []
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        first = next(iter(cluster.workers.values())).pid

        def kill():
            while not (part.exists() and part.read_text().count("\n") > 20):
                time.sleep(0.01)
            os.kill(first, signal.SIGKILL)
            killed.append(part.read_text().count("\n") - 1)

        killer = threading.Thread(target=kill)
        killer.start()
        found = percussion.sweep(slow, client=client, out=tmp_path / "dask", format="parquet")
        killer.join()
    assert 20 <= killed[0] < 180, "the worker was killed in the middle"
    rows = part.read_text().splitlines()[1:]
    assert sorted(int(row.split(",")[0]) for row in rows) == list(range(200))
    assert found.text == expected.text and found["run"].tolist() == list(range(200))
    (tmp_path / "sweep.toml").write_text(percussion._sweep._plan(slow).standalone())
    for shard in ("3/3", "1/3", "2/3"):
        words = ["--shard", shard, "--format", "parquet", "--out", tmp_path / "shards"]
        assert program("sweep", tmp_path / "sweep.toml", *words).returncode == 0
    for file in ("sweep.csv", "sweep.parquet"):
        assert len({(tmp_path / way / file).read_bytes() for way in ("threads", "shards", "dask")}) == 1


def test_goes_on(tmp_path):
    """Rows that are there are not made again, whoever made them; half a row is."""
    plan = percussion._sweep._plan(SWEEP)
    folder = str(tmp_path / "out")
    assert plan.missing(folder) == list(range(200))
    made = [plan.row(i) for i in range(0, 200, 2)]
    plan.append(folder, made)
    with open(tmp_path / "out" / "part-gathered.csv", "a") as file:
        file.write("199,0.5")
    assert plan.run(folder, (1, 1), 2, False) == (100, 100, 0)
    assert (tmp_path / "out" / "sweep.csv").read_text() == percussion.sweep(SWEEP).text
    changed = with_sweep(seed=4)
    with pytest.raises(percussion.InputError) as caught:
        percussion.sweep(changed, out=folder)
    assert caught.value.code == "E170"


def test_matrix_files_on_a_cluster(tmp_path, monkeypatch):
    """A sweep whose scenario has files beside it runs on workers that were started elsewhere."""
    (tmp_path / "M.mtx").write_text("%%MatrixMarket matrix array real general\n1 1\n2.0\n")
    (tmp_path / "study.toml").write_text(
        'name = "files"\n[model]\nkind = "linear"\nmass = { file = "M.mtx" }\nforce = [1.0]\n[time]\nend = 0.1\nstep = 1e-2\n'
        '[sweep]\nmeasure = ["last q0"]\n[[sweep.parameter]]\nkey = "time.end"\nvalues = [0.1, 0.2]\n'
    )
    plan = percussion._sweep._plan(tmp_path / "study.toml")
    expected = percussion.sweep(tmp_path / "study.toml")
    monkeypatch.chdir("/")
    rows = percussion._sweep._rows(plan.standalone(), os.fspath(plan.folder), [0, 1])
    assert rows == expected.text.splitlines()[1:] and (expected["status"] == "finished").all()


def test_to_xarray_and_pandas():
    """Typed columns."""
    xarray = pytest.importorskip("xarray")
    table = percussion.sweep(with_sweep(samples=8))
    frame, data = table.to_pandas(), table.to_xarray()
    assert isinstance(data, xarray.Dataset) and data.sizes["run"] == 8
    assert list(frame.columns) == list(table) and frame["seed"].dtype == np.int64
    assert (data["max q0"].values == table["max q0"]).all()
