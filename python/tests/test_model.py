"""Models written in Python."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import percussion
from percussion import Linear, Model

SCHEME = "moreau-jean"


def ball(**more):
    """The ball of the built-in scenario, its weight a potential."""
    parts = dict(
        mass=[[1.0]],
        force=lambda q, v, t: np.array([-10.0]),
        potential=lambda q: 10.0 * q[0],
        gap=lambda q: q - 0.2,
        restitution=0.8,
        q0=[1.001],
    )
    return Model(**{**parts, **more})


def test_agrees_with_the_linear_model():
    """The same ball as matrices and as functions, derivatives given and found by differences."""
    expected = percussion.run("bouncing-ball", step=1e-3, end=1.0, scheme=SCHEME)
    found = percussion.run(ball(), step=1e-3, end=1.0, scheme=SCHEME)
    assert np.abs(found.q - expected.q).max() < 1e-7
    exact = ball(
        gap_q=lambda q: [[1.0]],
        force_q=lambda q, v, t: [[0.0]],
        force_v=lambda q, v, t: [[0.0]],
        potential_q=lambda q: [10.0],
    )
    found = percussion.run(exact, step=1e-3, end=1.0, scheme=SCHEME)
    assert np.abs(found.q - expected.q).max() < 1e-9


def test_pendulum_conserves():
    """A pendulum in one angle by energy-momentum: E constant to round-off of the differences; period by its frequency."""
    g, l = 9.81, 1.0
    model = Model(
        mass=[[l * l]],
        force=lambda q, v, t: -g * l * np.sin(q),
        potential=lambda q: -g * l * np.cos(q[0]),
        potential_q=lambda q: g * l * np.sin(q),
        q0=[0.01],
    )
    s = percussion.run(model, scheme="energy-momentum", step=1e-3, end=2.1)
    assert np.ptp(s.energy["energy"]) < 1e-10 and s.verdicts["energy"].status in ("pass", "report")
    # θ(t) = θ₀ cos ωt to O(θ₀²) and O(h²)
    assert np.abs(s.q[:, 0] - 0.01 * np.cos(np.sqrt(g / l) * s.t)).max() < 1e-6


def test_mass_that_depends_on_the_place():
    """A bead on the parabola y = x²/2: M = 1 + x², f = −g x − x v². The inertial part of f is no work: works are zero, E stays."""
    bead = Model(
        mass=lambda q: [[1.0 + q[0] ** 2]],
        force=lambda q, v, t: [-9.81 * q[0] - q[0] * v[0] ** 2],
        potential=lambda q: 0.5 * 9.81 * q[0] ** 2,
        potential_q=lambda q: [9.81 * q[0]],
        q0=[-1.0],
    )
    for scheme, change in (("moreau-jean", 1e-4), ("newmark", 1e-4), ("event-driven", 1e-7), ("energy-momentum", 1e-8)):
        s = percussion.run(bead, scheme=scheme, step=1e-3, end=1.0)
        # v·f alone would book 2.6 J of work back and forth
        assert np.abs(s.energy.work_external).sum() < 1e-6, scheme
        assert np.ptp(s.energy.energy) < change, (scheme, np.ptp(s.energy.energy))


def test_joint_and_two_contacts():
    """A bead on a circle between two walls: the joint holds, gaps stay."""
    model = Model(
        mass=np.eye(2),
        force=lambda q, v, t: [0.0, -9.81],
        potential=lambda q: 9.81 * q[1],
        potential_q=lambda q: [0.0, 9.81],
        joint=lambda q: [q @ q - 1.0],
        joint_q=lambda q: [2.0 * q],
        gap=lambda q: [q[0] + 0.5, 0.5 - q[0]],
        gap_q=lambda q: [[1.0, 0.0], [-1.0, 0.0]],
        restitution=[0.9, 0.9],
        q0=[0.3, -np.sqrt(1 - 0.09)],
        v0=[np.sqrt(1 - 0.09) * 3, 0.9],
    )
    s = percussion.run(model, scheme="generalized-alpha-ggl", step=1e-3, end=0.5)
    assert np.abs((s.q**2).sum(axis=1) - 1.0).max() < 1e-9
    assert np.abs(s.q[:, 0]).max() <= 0.5 + 1e-9 and set(s.contacts["contact"]) == {0, 1}


def test_an_exception_surfaces():
    """With its step, its time, its cause and the steps before it; the model can be run again."""
    calls = {"fail": True}

    def force(q, v, t):
        if t > 0.0505 and calls["fail"]:
            raise ZeroDivisionError("the spring broke")
        return [-10.0]

    model = ball(force=force)
    with pytest.raises(percussion.CallbackError) as caught:
        percussion.run(model, step=1e-3, end=1.0, scheme=SCHEME)
    error = caught.value
    assert error.code == "E206" and isinstance(error.__cause__, ZeroDivisionError)
    assert error.step == pytest.approx(51, abs=1) and error.t == pytest.approx(0.05, abs=1.5e-3)
    assert "the spring broke" in str(error) and len(error.solution.t) == error.step
    calls["fail"] = False
    assert percussion.run(model, step=1e-3, end=0.1, scheme=SCHEME).success


def test_bad_functions():
    """Wrong shapes, text, NaN, exceptions before the first step."""
    for force in (lambda q, v, t: [1.0, 2.0], lambda q, v, t: "text", lambda q: [0.0]):
        with pytest.raises(percussion.CallbackError):
            percussion.run(ball(force=force), step=1e-3, end=0.1, scheme=SCHEME)
    with pytest.raises(percussion.PercussionError) as caught:
        percussion.run(ball(force=lambda q, v, t: [np.nan]), step=1e-3, end=0.1, scheme=SCHEME)
    assert caught.value.code.startswith("E")
    with pytest.raises(percussion.InputError):
        ball(restitution=2.0)
    with pytest.raises(percussion.InputError):
        ball(restitution=[0.5, 0.5])
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(ball(q0=[0.1]), step=1e-3, end=0.1)
    assert caught.value.code == "E130"


def test_a_model_of_functions_has_a_report(tmp_path):
    """Without a moving picture where it was given none."""
    page = tmp_path / "page.html"
    percussion.run(ball(), step=1e-3, end=0.1, scheme=SCHEME).report(page)
    assert "<html" in page.read_text(encoding="utf-8")


def test_a_model_of_functions_has_a_picture(tmp_path):
    """A few shapes whose places are formulas of its coordinates; what cannot be read is refused by its place."""
    shapes = [
        {"kind": "disc", "radius": 0.2, "position": [0, "height"]},
        {"kind": "wall", "position": [0, 0], "normal": [0.0, 1.0]},
    ]
    model = ball(coordinates=["height"], picture=shapes)
    solution = percussion.run(model, step=1e-3, end=0.1, scheme=SCHEME)
    page = solution.report(tmp_path / "page.html").read_text(encoding="utf-8")
    plain = percussion.run(ball(), step=1e-3, end=0.1, scheme=SCHEME)
    assert "disc" in page and len(page) > len(plain.report(tmp_path / "plain.html").read_text(encoding="utf-8"))
    folder = solution.save(tmp_path / "run")
    assert "height" in (folder / "names.csv").read_text(encoding="utf-8")
    assert 'position = ["0", "height"]' in (folder / "scenario.toml").read_text(encoding="utf-8").replace("0.0", "0")
    for wrong in ({"kind": "disc", "position": [0, "depth"]}, {"kind": "disk", "position": [0, 0]}):
        with pytest.raises(percussion.InputError) as caught:
            percussion.run(ball(picture=[wrong]), step=1e-3, end=0.1)
        assert caught.value.field.startswith("model.picture.shapes[0]"), caught.value.field


def shaken(**more):
    """The ball above a table that swings by 2 cm at 30 rad/s."""
    parts = dict(gap=lambda q, t: q - 0.02 * np.sin(30.0 * t), restitution=0.7, q0=[0.5])
    return ball(**{**parts, **more})


@pytest.mark.parametrize("scheme", ["moreau-jean", "generalized-alpha", "energy-momentum", "event-driven"])
def test_a_gap_in_time_is_a_moving_obstacle(scheme):
    """The same as a linear model whose obstacle is a signal; what moves the table is external work."""
    linear = {
        "model": {
            "kind": "linear",
            "mass": [[1.0]],
            "gravity": [-10.0],
            "q0": [0.5],
            "contact": [{"normal": [1.0], "offset": {"formula": "-0.02*sin(30*t)"}, "restitution": 0.7}],
        }
    }
    rate = lambda q, t: [-0.6 * np.cos(30.0 * t)]
    expected = percussion.run(linear, step=1e-3, end=0.6, scheme=scheme)
    for model, bound in ((shaken(), 1e-6), (shaken(gap_t=rate, gap_q=lambda q, t: [[1.0]]), 1e-8)):
        found = percussion.run(model, step=1e-3, end=0.6, scheme=scheme)
        assert np.abs(found.q - expected.q).max() < bound
        work = [s.energy["work_external"].sum() for s in (found, expected)]
        assert abs(work[0]) > 0.01 and abs(work[0] - work[1]) < 10 * bound
        energy = found.energy["energy"]
        booked = found.energy["work_external"].sum() + found.energy["work_contact"].sum()
        assert abs(energy[-1] - energy[0] - booked) < 1e-6


def test_a_wrong_rate_of_a_gap_is_caught():
    wrong = shaken(gap_t=lambda q, t: [0.6 * np.cos(30.0 * t)])
    assert any("gap_t" in line for line in wrong.check_derivatives()) and not shaken().check_derivatives()
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(wrong, step=1e-3, end=0.1, scheme=SCHEME)
    assert caught.value.code == "E159"
    with pytest.raises(percussion.InputError) as caught:
        ball(gap_t=lambda q, t: [0.0])
    assert caught.value.code == "E103" and caught.value.field == "gap_t"
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(shaken(), step=1e-3, end=0.1, scheme="generalized-alpha-ggl")
    assert "depends on time" in str(caught.value)


def chain(**more):
    """Two masses between springs, and a third spring that couples them."""
    parts = dict(
        mass=np.eye(2),
        force=lambda q, v, t: [-3.0 * q[0] - 5.0 * (q[0] - q[1]) - 0.1 * v[0], -4.0 * q[1] - 5.0 * (q[1] - q[0])],
        potential=lambda q: 1.5 * q[0] ** 2 + 2.0 * q[1] ** 2 + 2.5 * (q[0] - q[1]) ** 2,
        potential_q=lambda q: [3.0 * q[0] + 5.0 * (q[0] - q[1]), 4.0 * q[1] + 5.0 * (q[1] - q[0])],
        q0=[0.3, -0.1],
    )
    return Model(**{**parts, **more})


@pytest.mark.parametrize(
    "wrong, word",
    [
        (dict(potential_q=lambda q: [3.0 * q[0] + 5.0 * (q[0] - q[1]), 4.0 * q[1]]), "potential_q"),
        (dict(force=lambda q, v, t: [-3.0 * q[0] + 5.0 * (q[0] - q[1]), -4.0 * q[1] - 5.0 * (q[1] - q[0])]), "coordinate 0 at rest"),
        (dict(force=lambda q, v, t: [-3.0 * q[0] - 5.0 * (q[0] - q[1]), -4.0 * q[1]]), "coordinate 1 at rest"),
        (dict(force=lambda q, v, t: [-3.0 * q[0] - 5.0 * (q[0] - q[1]) + 1.0, -4.0 * q[1] - 5.0 * (q[1] - q[0])]), "coordinate 0 at rest"),
    ],
    ids=["potential_q", "sign in one row", "term missing in one row", "constant"],
)
def test_wrong_rows_are_named(wrong, word):
    """By check_derivatives and before a run; check=False runs them."""
    assert chain().check_derivatives() == [] and percussion.run(chain(), step=1e-3, end=0.01, scheme=SCHEME).success
    assert any(word in line for line in chain(**wrong).check_derivatives())
    with pytest.raises(percussion.InputError, match=word) as caught:
        percussion.run(chain(**wrong), step=1e-3, end=0.01, scheme=SCHEME)
    assert caught.value.code == "E159"
    assert percussion.run(chain(**wrong, check=False), step=1e-3, end=0.01, scheme=SCHEME).success


def test_a_follower_force_is_a_load():
    follows = chain(load=lambda q, v, t: [-2.0 * q[1], 0.0])
    assert follows.check_derivatives() == [] and percussion.run(follows, step=1e-3, end=0.01, scheme=SCHEME).success


def test_no_number_is_named():
    """NaN of any function is told, not passed over."""
    bad, worse = [np.nan, 0.0], np.full((2, 2), np.nan)
    parts = {
        "force": lambda q, v, t: bad,
        "potential": lambda q: np.nan,
        "potential_q": lambda q: bad,
        "load": lambda q, v, t: bad,
        "mass": lambda q: worse,
        "force_q": lambda q, v, t: worse,
        "force_v": lambda q, v, t: worse,
        "gap": lambda q: [np.nan],
    }
    for word, function in parts.items():
        found = chain(**{word: function}).check_derivatives()
        assert any("NaN" in line and word.split("_")[0] in line for line in found), (word, found)


def test_interrupt_inside_a_function():
    """Ctrl-C while Python computes inside a step."""

    def slow(q, v, t):
        time.sleep(1e-3)
        return [-10.0]

    model = ball(force=slow)
    timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        percussion.run(model, step=1e-6, end=10.0, scheme=SCHEME)
    assert percussion.run(Linear(mass=[[1.0]]), step=0.1, end=0.2).success
