"""The program that comes with the wheel."""

import subprocess
import sys

import percussion


def test_program(program, tmp_path):
    """Version, exit codes, a run, verification of what Python wrote."""
    assert percussion.__version__ in program("--version").stdout
    assert program("frobnicate").returncode == 2
    assert program("run", "none.toml").returncode == 3
    percussion.run("bouncing-ball", end=0.2).save(tmp_path / "run")
    verified = program("verify", tmp_path / "run")
    assert verified.returncode == 0, verified.stderr + verified.stdout
    module = subprocess.run([sys.executable, "-m", "percussion", "explain", "E120"], capture_output=True, text=True)
    assert module.returncode == 0 and module.stdout.strip() == percussion.explain("E120")
