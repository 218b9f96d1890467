"""Every table of a run as other programs read it: pandas, pyarrow, h5py and VTK, compared with the solution in memory."""

import numpy as np
import pytest

import percussion

LINKAGE = {
    "name": "linkage",
    "model": {"kind": "bodies", "dimension": 2, "gravity": [0.0, -9.81]},
    "body": [
        {"name": "ground", "fixed": True, "shape": {"kind": "plane"}, "position": [0.0, -2.0]},
        {"name": "arm", "shape": {"kind": "box", "size": [1.0, 0.1]}, "density": 10.0, "position": [0.5, 0.0], "contact": False},
        {"name": "ball", "shape": {"kind": "sphere", "radius": 0.2}, "density": 10.0, "position": [3.0, -1.7]},
    ],
    "beam": [
        {
            "name": "rod",
            "from": [5.0, 0.0],
            "to": [6.0, 0.0],
            "elements": 2,
            "section": {"kind": "rectangle", "width": 0.02, "depth": 0.03},
            "young": 1e7,
            "density": 1200.0,
        }
    ],
    "joint": [
        {"name": "pin", "kind": "revolute", "a": "ground", "b": "arm", "anchor": [0.0, 0.0], "limits": [-1.0, 1.0], "motor": {"force": 0.0}}
    ],
    "time": {"end": 0.6, "step": 1e-3},
}
#: The tables of the run, by their names in a solution.
TABLES = {
    **{name: name for name in ("trajectory", "contacts", "events", "momentum", "reactions", "joints", "beams", "inputs", "names", "gaps")},
    "ledger": "energy",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A live simulation of bodies with a joint, a stop, a beam, contacts, events and a motor that a program drives, in every format."""
    folder = tmp_path_factory.mktemp("run")
    live = percussion.Simulation(LINKAGE)
    live.set("pin.motor", 0.3)
    live.step(300)
    live.set("pin.motor", -0.2)
    live.step(300)
    solution = live.solution()
    assert len(solution.contacts) > 10 and len(solution.events) > 0 and len(solution.reactions) > 100
    solution.save(folder, format="parquet")
    solution.save(folder / "again", format="hdf5")
    return folder, solution


def column(solution, table, name):
    """A column of the solution in memory."""
    kept = solution.gaps if table == "gaps" else solution._tables[TABLES[table]]
    return kept[name] if name else None, kept._columns


def test_every_table(made):
    """No table of the folder is left out of any format, and none is left out here."""
    h5py = pytest.importorskip("h5py")
    folder, _ = made
    names = {path.stem for path in folder.glob("*.csv")}
    assert names == set(TABLES) and names == {path.stem for path in folder.glob("*.parquet")}
    with h5py.File(folder / "again" / "run.h5") as file:
        assert set(file) == names


def alike(found, expected):
    """The same words, or the same numbers with empty cells as NaN."""
    if expected.dtype.kind == "U":
        words = ["" if word is None or word != word else (word.decode() if isinstance(word, bytes) else str(word)) for word in found]
        return [word.rstrip("\0") for word in words] == expected.tolist()
    return np.array_equal(np.asarray(found, dtype=float), expected.astype(float), equal_nan=True)


@pytest.mark.parametrize("table", TABLES)
def test_pandas(made, table):
    """CSV files by pandas."""
    pandas = pytest.importorskip("pandas")
    folder, solution = made
    frame = pandas.read_csv(folder / f"{table}.csv")
    for name in column(solution, table, None)[1]:
        assert alike(frame[name].to_numpy(), column(solution, table, name)[0]), name
    assert solution.contacts.to_pandas()["body_a"].iloc[0] in ("ground", "ball")


@pytest.mark.parametrize("table", TABLES)
def test_arrow(made, table):
    """Parquet files by pyarrow."""
    arrow = pytest.importorskip("pyarrow.parquet")
    folder, solution = made
    read = arrow.read_table(folder / f"{table}.parquet")
    for name in column(solution, table, None)[1]:
        cells = [np.nan if cell is None and column(solution, table, name)[0].dtype.kind != "U" else cell for cell in read.column(name).to_pylist()]
        assert alike(cells, column(solution, table, name)[0]), name


@pytest.mark.parametrize("table", TABLES)
def test_hdf5(made, table):
    """One HDF5 file by h5py."""
    h5py = pytest.importorskip("h5py")
    folder, solution = made
    with h5py.File(folder / "again" / "run.h5") as file:
        for name in column(solution, table, None)[1]:
            assert alike(file[table][name][()], column(solution, table, name)[0]), name
        names = [name.decode().rstrip("\0") for name in file["names"]["name"][()]]
        assert "arm.theta" in names and "pin" in names


def test_tables_without_rows(tmp_path):
    """What never touches has columns of length zero in every format, not none."""
    h5py, arrow = pytest.importorskip("h5py"), pytest.importorskip("pyarrow.parquet")
    solution = percussion.run("bouncing-ball", end=0.1)
    solution.save(tmp_path / "run", format="hdf5")
    solution.save(tmp_path / "too", format="parquet")
    with h5py.File(tmp_path / "run" / "run.h5") as file:
        assert file["contacts"]["gap"].shape == file["contacts"]["status"].shape == file["contacts"]["step"].shape == (0,)
        assert len(file["names"]["name"]) == len(solution.names)
    assert arrow.read_table(tmp_path / "too" / "contacts.parquet").num_rows == 0


def test_vtk(made, tmp_path, program):
    """Surfaces, contacts and joints by VTK's own reader: as many points as rows, and the same forces."""
    reader = pytest.importorskip("vtkmodules.vtkIOXML")
    numpy_support = pytest.importorskip("vtkmodules.util.numpy_support")
    folder, solution = made
    assert program("export", folder, "--to", "vtk", "--out", tmp_path).returncode == 0
    touched = 0
    for k in range(0, 601, 60):
        data = {}
        for kind in ("frame", "contacts", "joints"):
            read = reader.vtkXMLPolyDataReader()
            read.SetFileName(str(tmp_path / "frames" / f"{kind}-{k:05}.vtp"))
            read.Update()
            data[kind] = read.GetOutput()
        assert data["frame"].GetNumberOfPolys() > 0
        rows = solution.reactions["step"] == k
        array = data["joints"].GetPointData().GetArray("force")
        # before the first step no joint carries anything
        forces = numpy_support.vtk_to_numpy(array) if array is not None and array.GetNumberOfTuples() else np.zeros((0, 3))
        assert len(forces) == rows.sum()
        if len(forces):
            told = np.stack([solution.reactions[name][rows] for name in ("fx", "fy", "fz")], axis=1)
            assert np.allclose(forces, told, rtol=1e-14, atol=0)
        # what stops a hinge is a moment, no force: it has no point
        turns = solution.names["column"][(solution.names["kind"] == "contact") & (solution.names["unit"] == "rad")]
        rows = (solution.contacts["step"] == k) & ~np.isin(solution.contacts["contact"], turns.astype(np.int64))
        assert data["contacts"].GetNumberOfVerts() >= rows.sum()
        if rows.any():
            normal = numpy_support.vtk_to_numpy(data["contacts"].GetPointData().GetArray("normal_force"))[: rows.sum()]
            assert np.allclose(normal, solution.contacts["p_n"][rows] / 1e-3, rtol=1e-9)
            touched += 1
    assert touched > 0


@pytest.mark.parametrize("scene", ["bouncing-ball", "two-mass-oscillator", "pendulum", "rocking-block", "rotating-beam", "elastic-bar"])
def test_vtk_of_a_picture(scene, tmp_path, program):
    """Models that are no bodies as the report draws them: every frame is read, and what moves has moved."""
    readers = pytest.importorskip("vtkmodules.vtkIOXML")
    solution = percussion.run(scene, step=1e-3, end=0.02)
    folder = solution.save(tmp_path / "run")
    said = program("export", folder, "--to", "vtk", "--out", tmp_path / "vtk")
    assert said.returncode == 0, said.stderr
    bounds = []
    for file in sorted((tmp_path / "vtk" / "frames").glob("*.vtp")):
        reader = readers.vtkXMLPolyDataReader()
        reader.SetFileName(str(file))
        reader.Update()
        data = reader.GetOutput()
        assert data.GetNumberOfCells() > 0 and data.GetCellData().HasArray("role")
        bounds.append([data.GetPoint(k) for k in range(data.GetNumberOfPoints())])
    moved = np.abs(np.array(bounds[-1]) - np.array(bounds[0])).max()
    assert len(bounds) == 21 and 0.0 < moved
    if scene == "bouncing-ball":
        assert abs(moved - np.abs(solution.q[-1] - solution.q[0]).max()) < 1e-12


def test_chosen(tmp_path):
    """`output.select` in Python: fewer columns, the same numbers, and a folder that holds them."""
    whole = percussion.run(LINKAGE, progress=False)
    part = percussion.run(LINKAGE, set={"output.select": ["arm.theta", "pin"]}, progress=False)
    assert part.q.shape[1] == 1 and part.v.shape[1] == 0 and part.state_hash == whole.state_hash
    assert np.array_equal(part.q[:, 0], whole.q[:, 5])
    part.save(tmp_path / "part")
    assert (tmp_path / "part" / "names.csv").read_text(encoding="utf-8").splitlines()[1] == "coordinate,q5,arm.theta,rad"


def test_live_reactions():
    """What the joint carries step by step is what the table of the run says."""
    solution = percussion.run(LINKAGE, end=0.05, progress=False)
    live = percussion.Simulation(LINKAGE)
    assert live.reactions == {}
    for k in range(50):
        live.step()
        (reaction,) = live.reactions.values()
        row = solution.reactions["step"] == k + 1
        assert np.allclose(reaction.force, [solution.reactions[name][row][0] for name in ("fx", "fy", "fz")], rtol=1e-12)
        assert np.allclose(np.linalg.norm(reaction.body_force), np.linalg.norm(reaction.force))


def test_progress_and_page():
    """A function is told how far a run is; what it raises ends the run; a page for notebooks."""
    told = []
    solution = percussion.run("sphere-pile", end=0.2, progress=lambda step, steps, t: told.append((step, steps, t)))
    assert told and all(0 < step <= steps for step, steps, _ in told)
    page = solution.show(height=300)
    assert page._repr_html_().startswith("<iframe srcdoc=") and "&lt;!DOCTYPE html&gt;" in page._repr_html_()

    def stop(step, steps, t):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        percussion.run("sphere-pile", end=0.2, progress=stop)
