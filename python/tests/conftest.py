"""What several tests use."""

import shutil
import signal
import subprocess
import sys

import pytest

BALL = {
    "name": "ball",
    "model": {
        "kind": "linear",
        "mass": [[1.0]],
        "force": [-10.0],
        "q0": [1.001],
        "contact": [{"normal": [1.0], "offset": -0.2, "restitution": 0.8}],
    },
    "time": {"end": 2.0, "step": 1e-3},
}


@pytest.fixture
def ball():
    """The bouncing ball as a dictionary."""
    import copy

    return copy.deepcopy(BALL)


@pytest.fixture
def program():
    """The program as the wheel installs it."""
    path = shutil.which("percussion", path=str(__import__("pathlib").Path(sys.executable).parent))
    assert path, "the wheel installs the program"

    def call(*words):
        return subprocess.run([path, *map(str, words)], capture_output=True, text=True)

    return call


@pytest.fixture(autouse=True)
def interruptible():
    """Ctrl-C raises, also where the tests run in the background of a shell, which ignores the signal for its children."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)
