"""Bad input: typed exceptions with the code and the text of the program."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import percussion
from percussion._core import in_python
from percussion import Linear


def refused(code, problem, **options):
    """The exception of a refused problem."""
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(problem, **{"step": 1e-3, "end": 0.1, **options})
    error = caught.value
    assert error.code == code, error
    assert isinstance(error, (ValueError, percussion.PercussionError)) and f"[{code}]" in str(error)
    return error


@pytest.mark.parametrize(
    "code, key, value",
    [
        ("E120", "model.contact.0.restitution", 1.5),
        ("E110", "model.q0.0", float("nan")),
        ("E103", "model.mass", "heavy"),
        ("E104", "scheme.name", "moreau-jaen"),
        ("E105", "solver.name", "lemko"),
        ("E102", "model.restituton", 0.3),
        ("E150", "time.step", -1.0),
        ("E113", "model.mass", [[-1.0]]),
    ],
)
def test_same_code_and_text_as_the_program(code, key, value, program, tmp_path):
    """What the program prints to standard error is the text of the exception, in words of Python, to the byte."""
    import json

    text = json.dumps(value).replace("NaN", "nan")
    shown = program("run", "bouncing-ball", "--set", f"{key}={text}", "--out", tmp_path / "run")
    assert shown.returncode == 3
    with pytest.raises(percussion.InputError) as caught:
        percussion.run("bouncing-ball", set={key: value})
    assert caught.value.code == code
    same = shown.stderr.strip().replace(f"--set {key}={text}", f"--set {key}={toml(value)}")
    assert str(caught.value).strip() == in_python(same)


def toml(value):
    """As the exception shows a value that was set."""
    import json

    return json.dumps(value).replace("NaN", "nan")


def test_file_and_line(tmp_path, program):
    """An error in a file names its line, as the program does."""
    path = tmp_path / "ball.toml"
    path.write_text(percussion.scenario_text("bouncing-ball").replace("restitution = 0.8", "restitution = 8.0"))
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(path)
    error = caught.value
    assert error.code == "E120" and error.file == str(path) and error.line > 1
    assert error.field == "model.contact[0].restitution"
    assert str(error) == in_python(program("run", path, "--out", tmp_path / "run").stderr.strip())
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is percussion.InputError and copy.code == "E120" and str(copy) == str(error)


def test_arrays_of_every_kind():
    """Integers, float32, big-endian, transposed and strided arrays give the run of plain lists."""
    K = np.array([[2e3, -1e3], [-1e3, 1e3]])
    plain = dict(force=[-10.0, 0.0], q0=[0.5, 0.5], contact=[{"normal": [1, 0], "restitution": 0.5}])
    expected = percussion.run(Linear(mass=np.eye(2).tolist(), stiffness=K.tolist(), **plain), step=1e-3, end=0.5)
    wide = np.zeros((4, 4))
    wide[::2, ::2] = K
    for mass, stiffness in [
        (np.eye(2, dtype=np.int64), K),
        (np.eye(2, dtype=np.float32), K.astype(">f8")),
        (np.asfortranarray(np.eye(2)), wide[::2, ::2]),
        (sp.identity(2, format="csr"), sp.csc_matrix(K)),
        (sp.identity(2, format="dia"), sp.coo_matrix(K)),
        (np.eye(2, dtype=bool), np.array(K)[::-1, ::-1][::-1, ::-1]),
    ]:
        found = percussion.run(Linear(mass=mass, stiffness=stiffness, **plain), step=1e-3, end=0.5)
        assert found.state_hash == expected.state_hash
    row = sp.csr_matrix([[1.0, 0.0]])
    plain["contact"] = [{"normal": row, "restitution": np.float64(0.5)}]
    plain["q0"] = np.array([0.5, 9.0, 0.5])[::2]
    assert percussion.run(Linear(mass=np.eye(2), stiffness=K, **plain), step=1e-3, end=0.5).state_hash == expected.state_hash


def test_bad_arrays():
    """Wrong type, shape and numbers, each with its code."""
    assert refused("E103", Linear(mass=np.eye(2, dtype=complex))).field == "model.mass"
    refused("E103", Linear(mass=np.array([["a"]])))
    refused("E103", Linear(mass=np.array([[object()]])))
    refused("E103", Linear(mass=np.ones(3)))
    refused("E111", Linear(mass=np.ones((2, 3))))
    refused("E111", Linear(mass=sp.csr_matrix(np.ones((2, 3)))))
    refused("E111", Linear(mass=np.eye(2), stiffness=np.eye(3)))
    refused("E111", Linear(mass=np.eye(2), q0=[1.0, 2.0, 3.0]))
    refused("E110", Linear(mass=np.array([[np.nan]])))
    refused("E110", Linear(mass=sp.csr_matrix(np.diag([np.inf, 1.0] + 30 * [1.0]))))
    refused("E110", Linear(mass=np.eye(1), q0=np.array([np.inf])))
    refused("E112", Linear(mass=np.array([[1.0, 0.5], [0.0, 1.0]])))
    refused("E113", Linear(mass=np.array([[1.0, 2.0], [2.0, 1.0]])))
    refused("E114", Linear(mass=np.eye(2), stiffness=np.array([[1.0, 0.5], [0.0, 1.0]])))
    refused("E121", Linear(mass=np.eye(1)).touch(normal=[0.0], restitution=0.5))
    refused("E111", Linear(mass=np.eye(2)).touch(normal=[1.0], restitution=0.5))
    refused("E140", Linear(mass=np.eye(2)).tie(row=[0.0, 0.0]))
    refused("E102", Linear(mass=np.eye(1)).touch(normal=[1.0], restitution=0.5, restituton=3))


def test_bad_problems(tmp_path):
    """What is no problem at all."""
    refused("E103", 3)
    refused("E103", None)
    refused("E103", {"model": {"kind": "linear", "mass": object()}})
    refused("E103", {"model": {"kind": "linear", "mass": [[1.0]]}, "time": {"end": 1.0, "step": 10**400}}, step=None)
    refused("E102", {"modell": {}})
    refused("E106", {"model": {"kind": "lineer"}})
    assert "bouncing-ball" in str(refused("E100", "bouncing-bal"))
    refused("E100", tmp_path / "none.toml")
    refused("E150", "bouncing-ball", step=0.0)
    refused("E110", "bouncing-ball", step=float("nan"))
    refused("E103", "bouncing-ball", step="small")
    refused("E106", {"model": {"kind": "own", "q0": [1.0]}})
    with pytest.raises(percussion.FileError) as caught:
        (tmp_path / "file").write_text("")
        percussion.run("bouncing-ball", out=tmp_path / "file")
    assert caught.value.code == "E300" and isinstance(caught.value, OSError)
