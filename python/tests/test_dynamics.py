"""Studies of [dynamics] from Python: the tables of the program, on threads and on a cluster."""

import numpy as np
import pytest

import percussion

# one impact per period 2π: v⁺ = π, so the table moves with π/3 = Γ cos φ there; Γ = 1.45 gives φ = 0.7637, a height of 1.003, and at t = 0,
# before the impact, q = 1.003 + π φ − φ²/2, v = φ − π
BALL = {
    "name": "ball on a table",
    "model": {
        "kind": "linear",
        "mass": [[1.0]],
        "gravity": [-1.0],
        "q0": [3.110],
        "v0": [-2.378],
        "contact": [
            {"normal": [1.0], "offset": {"sines": [{"amplitude": -1.5, "omega": 1.0, "phase": 0.0}]}, "restitution": 0.5}
        ],
    },
    "scheme": {"name": "event-driven"},
    "time": {"end": 10.0, "step": 0.1},
    "dynamics": {
        "kind": "bifurcation",
        "parameter": "model.contact.0.offset.sines.0.amplitude",
        "from": -1.45,
        "to": -1.60,
        "points": 4,
        "transient": 80,
        "periods": 24,
        "direction": "up",
        "repeat": 0,
    },
}


def test_the_period_doubles_where_the_closed_form_says():
    """Restitution ½: Γ' = √((π/3)² + (10/9)²) = 1.5268, between the second and the third value."""
    made = percussion.dynamics(BALL)
    assert made.kind == "bifurcation" and set(made) == {"bifurcation", "columns", "repeat"}
    np.testing.assert_array_equal(made["columns"]["cycle"], [1, 1, 2, 2])
    assert len(made["bifurcation"]["q0"]) == 4 * 24
    assert made.to_pandas("columns").shape[0] == 4


def test_files_stay_and_a_study_goes_on(tmp_path):
    made = percussion.dynamics(BALL, out=tmp_path / "study", set={"dynamics.points": 2}, threads=1)
    assert {path.suffix for path in made.files} >= {".csv", ".svg", ".html"}
    with pytest.raises(percussion.InputError, match="another study"):
        percussion.dynamics(BALL, out=tmp_path / "study", set={"dynamics.points": 3})


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    try:
        made = percussion.dynamics(BALL, out=tmp_path / "study", set={"dynamics.points": 2}, format="parquet")
    except percussion.InputError as error:
        pytest.skip(str(error))
    table = pyarrow.read_table(tmp_path / "study" / "bifurcation.parquet")
    np.testing.assert_array_equal(table["q0"].to_numpy(), made["bifurcation"]["q0"])


def test_mistakes_have_codes():
    with pytest.raises(percussion.InputError, match="E173|there is no table"):
        percussion.dynamics({key: value for key, value in BALL.items() if key != "dynamics"})
    with pytest.raises(percussion.InputError, match="format"):
        percussion.dynamics(BALL, format="hdf5")


def test_refused_values_are_rows():
    """The first of them too: restitution 1.2 ended the study."""
    change = {"dynamics.parameter": "model.contact.0.restitution", "dynamics.from": 1.2, "dynamics.to": 0.6, "dynamics.points": 4}
    columns = percussion.dynamics(BALL, set={**change, "dynamics.transient": 2, "dynamics.periods": 4})["columns"]
    assert list(columns["status"]) == ["refused", "finished", "finished", "finished"]
    assert columns["code"][0] == "E120"


def test_a_basin_on_a_cluster_is_the_one_of_threads(tmp_path):
    distributed = pytest.importorskip("distributed")
    start = {"parameter": "model.q0.0", "from": 1.6, "to": 2.4, "points": 3}
    basin = {**start, "kind": "basin", "y": {**start, "parameter": "model.v0.0", "from": -0.5, "to": 0.5, "points": 3},
             "transient": 30, "periods": 16}
    study = {**BALL, "dynamics": basin}
    alone = percussion.dynamics(study)
    with distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
        shared = percussion.dynamics(study, client=client, shards=3)
        # the parts of another study stay as they are
        part = tmp_path / "study" / "part-1-of-3.csv"
        percussion.dynamics(study, client=client, shards=3, out=tmp_path / "study")
        before = part.read_text()
        with pytest.raises(percussion.InputError, match="another study"):
            percussion.dynamics(study, client=client, shards=3, out=tmp_path / "study", set={"dynamics.points": 4})
        assert part.read_text() == before
    assert set(shared) == {"starts", "basin", "attractors"}
    for table in shared:
        for name, column in shared[table].items():
            np.testing.assert_array_equal(column, alone[table][name])
