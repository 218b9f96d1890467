"""Sweeps: one table on threads, in shards, on Dask; designs against SciPy's."""

import os
import signal
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


def test_dask_with_a_killed_worker():
    """Two workers on loopback, one killed in the middle: nothing lost, nothing doubled, the table of threads."""
    distributed = pytest.importorskip("distributed")
    slow = with_sweep()
    slow["sweep"]["parameter"] = [*slow["sweep"]["parameter"], {"key": "time.step", "values": [5e-5]}]
    expected = percussion.sweep(slow, threads=2)
    options = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        first = next(iter(cluster.workers.values())).pid

        def kill():
            time.sleep(0.5)
            os.kill(first, signal.SIGKILL)

        import threading

        killer = threading.Thread(target=kill)
        killer.start()
        found = percussion.sweep(slow, client=client)
        killer.join()
    assert found.text == expected.text
