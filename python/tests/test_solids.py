"""Elastic solids from Python as from the program: the same bytes, steps one by one, states put back, refinements."""

import numpy as np
import pytest

import percussion

FILES = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv"]


@pytest.mark.parametrize("name, end", [("elastic-disc", 0.03), ("elastic-block", 0.05), ("rolling-disc", 0.02), ("struck-plate", 0.0005)])
def test_same_bytes_as_the_program(name, end, program, tmp_path):
    """Small and finite displacements, and a solid among bodies."""
    assert program("run", name, "--end", str(end), "--out", tmp_path / "program", "--quiet").returncode in (0, 5)
    percussion.run(name, end=end, out=tmp_path / "python")
    for file in FILES:
        assert (tmp_path / "python" / file).read_bytes() == (tmp_path / "program" / file).read_bytes(), file


def test_steps_one_by_one():
    """A simulation makes the steps of `run`, and goes on from a state that was put back as it did."""
    whole = percussion.run("elastic-disc", end=0.03)
    live = percussion.Simulation("elastic-disc")
    live.advance_to(0.015)
    kept = live.state
    live.advance_to(float(whole.t[-1]))
    assert live.q.tobytes() == whole.q[-1].tobytes() and live.v.tobytes() == whole.v[-1].tobytes()
    live.state = kept
    live.advance_to(float(whole.t[-1]))
    assert live.q.tobytes() == whole.q[-1].tobytes()


def test_what_a_run_tells():
    """Energy is kept by `equilibrium`, contacts have places and pressures, events their contacts."""
    s = percussion.run("elastic-disc")
    energy = s.energy["energy"]
    assert np.abs(energy - energy[0]).max() <= 1e-11 * energy[0]
    assert s.verdicts["gap"].status == "pass" and s.verdicts["momentum"].status == "pass"
    assert set(s.events["kind"]) >= {"close", "open"}
    pushed = s.contacts["p_n"] > 0
    assert (s.contacts["pressure"][pushed] > 0).all()
    assert abs(s.contacts["p_n"].sum() - 1468.049) < 0.01


def test_refined():
    """`converge` and `compare` choose their reference by themselves."""
    [found] = percussion.converge("elastic-disc", schemes=["moreau-jean"], steps=[1.36e-3, 6.8e-4], end=0.0272)
    assert found.l1_q[1] < 0.5 * found.l1_q[0] and found.reference.startswith("moreau-jean with steps of")
    compared = percussion.compare("elastic-disc", schemes=["moreau-jean", "newmark"], end=0.0272)
    assert len(compared) == 2
