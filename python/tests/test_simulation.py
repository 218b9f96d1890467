"""Live simulations: stepping, setting, saving, callbacks, threads, and what a step costs."""

import pickle
import threading
import time

import numpy as np
import pytest

import percussion

ARM = {
    "model": {"kind": "bodies", "dimension": 2},
    "body": [
        {"name": "ground", "shape": {"kind": "plane"}, "position": [0.0, -2.0], "fixed": True},
        {"name": "arm", "shape": {"kind": "box", "size": [1.0, 0.1]}, "density": 10.0, "position": [0.5, 0.0]},
    ],
    "joint": [
        {"name": "shoulder", "kind": "revolute", "a": "ground", "b": "arm", "anchor": [0.0, 0.0], "motor": {"force": 0.0}}
    ],
    "time": {"end": 1.0, "step": 1e-3},
}


def test_steps_are_those_of_a_run():
    solution = percussion.run("bouncing-ball", end=0.5, step=1e-3)
    live = percussion.Simulation("bouncing-ball", step=1e-3)
    live.advance_to(0.5)
    assert live.t == solution.t[-1]
    np.testing.assert_array_equal(live.q, solution.q[-1])
    np.testing.assert_array_equal(live.v, solution.v[-1])
    again = live.solution()
    np.testing.assert_array_equal(again.q, solution.q)
    assert again.verdicts["energy"].status == solution.verdicts["energy"].status


def test_a_controlled_arm_books_external_work():
    arm = percussion.Simulation(ARM)
    assert "shoulder.motor" in arm.names and "arm.force" in arm.names
    for _ in range(500):
        joint = arm.joints["shoulder"]
        arm.set("shoulder.motor", 80.0 * (0.7 - joint.value) - 10.0 * joint.rate + 4.905)
        arm.step()
        assert abs(arm.ledger.residual) < 1e-11
    assert abs(arm.joints["shoulder"].value - 0.7) < 0.1
    solution = arm.solution()
    assert solution.energy.work_external.sum() > 1.0
    assert any("W4" in warning for warning in solution.warnings)


def test_states_are_values():
    arm = percussion.Simulation(ARM)
    arm.set("shoulder.motor", 3.0)
    arm.step(37)
    saved = pickle.loads(pickle.dumps(arm.state))
    arm.step(100)
    end = arm.q
    other = percussion.Simulation(ARM)
    other.state = saved
    assert other.state == saved and other.t == saved.t
    other.step(100)
    np.testing.assert_array_equal(other.q, end)
    arm.reset()
    assert arm.t == 0.0
    arm.state = {"v": np.zeros_like(arm.v)}
    with pytest.raises(percussion.PercussionError, match="saved"):
        percussion.Simulation("bouncing-ball").state = saved
    with pytest.raises(percussion.InputError):
        arm.state = 3


def test_contacts_events_and_callbacks():
    ball = percussion.Simulation("bouncing-ball", step=1e-3)
    seen, counted = [], []
    ball.on_event(seen.append)

    @ball.on_step
    def count(simulation):
        counted.append(simulation.t)
        if simulation.t > 0.6:
            raise StopIteration("enough")

    with pytest.raises(StopIteration):
        ball.step(100000)
    assert len(counted) == 601 and ball.t == counted[-1]
    assert seen and seen[0].kind == "impact" and seen[0].impulse > 0.0
    assert len(ball.solution().t) == 602


def test_errors_speak_python():
    arm = percussion.Simulation(ARM)
    with pytest.raises(percussion.InputError, match="shoulder.motor") as caught:
        arm.set("sholder.motor", 1.0)
    assert "--" not in str(caught.value)
    with pytest.raises(percussion.InputError, match="2 numbers"):
        arm.set("arm.force", 1.0)


def test_two_threads():
    ends = {}

    def work(key):
        simulation = percussion.Simulation("two-mass-oscillator", step=1e-4)
        simulation.step(2000)
        ends[key] = simulation.q

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(ends[0], ends[1])


def test_a_formula_model():
    pendulum = {
        "model": {
            "kind": "formula",
            "coordinates": ["phi"],
            "parameters": {"m": 1.0, "l": 0.5, "g": 9.81},
            "kinetic": "0.5*m*l^2*phi_dot^2",
            "potential": "-m*g*l*cos(phi)",
            "q0": [0.5],
            "contact": [{"gap": "phi + 0.2", "restitution": 0.8}],
        },
        "scheme": {"name": "energy-momentum"},
        "time": {"end": 2.0, "step": 1e-3},
    }
    solution = percussion.run(pendulum)
    assert solution.verdicts["energy"].status == "pass"
    live = percussion.Simulation(pendulum)
    live.set("force.phi", 2.0)
    live.step(10)
    assert abs(live.ledger.residual) < 1e-12 and live.ledger.work_external != 0.0


def test_cost_of_a_step():
    """At most 5 µs a step over the Rust step: the least of some batches, since the machine may be busy."""
    simulation = percussion.Simulation("bouncing-ball", step=1e-5)
    n, together, alone = 4000, float("inf"), float("inf")
    for _ in range(8):
        start = time.perf_counter()
        simulation.step(n)
        together = min(together, time.perf_counter() - start)
        start = time.perf_counter()
        for _ in range(n):
            simulation.step()
        alone = min(alone, time.perf_counter() - start)
    print(f"{1e6 * together / n:.2f} µs a step in Rust, {1e6 * (alone - together) / n:.2f} µs more from Python")
    assert alone - together < 5e-6 * n


def elastic_pendulum(**changes):
    """A mass on a spring that swings: M(q) = diag(1, s²), and the velocity terms that go with it."""
    parts = {
        "mass": lambda q: np.diag([1.0, q[0] ** 2]),
        "force": lambda q, v, t: [
            q[0] * v[1] ** 2 + 9.81 * np.cos(q[1]) - 50.0 * (q[0] - 1.0),
            -2.0 * q[0] * v[0] * v[1] - 9.81 * q[0] * np.sin(q[1]),
        ],
        "potential": lambda q: -9.81 * q[0] * np.cos(q[1]) + 25.0 * (q[0] - 1.0) ** 2,
        "q0": [1.1, 0.8],
        "v0": [0.1, 0.5],
    }
    return percussion.Model(**{**parts, **changes})


def test_wrong_models_are_caught():
    assert elastic_pendulum().check_derivatives() == []
    percussion.run(elastic_pendulum(), end=0.1, step=1e-3, scheme="moreau-jean")
    forgotten = elastic_pendulum(
        force=lambda q, v, t: [9.81 * np.cos(q[1]) - 50.0 * (q[0] - 1.0), -9.81 * q[0] * np.sin(q[1])]
    )
    with pytest.raises(percussion.InputError, match="velocity terms") as caught:
        percussion.run(forgotten, end=0.1, step=1e-3, scheme="moreau-jean")
    assert caught.value.code == "E159"
    flipped = elastic_pendulum(
        force=lambda q, v, t: [q[0] * v[1] ** 2 - 9.81 * np.cos(q[1]) + 50.0 * (q[0] - 1.0),
                               -2.0 * q[0] * v[0] * v[1] + 9.81 * q[0] * np.sin(q[1])]
    )
    assert any("wrong sign" in said for said in flipped.check_derivatives())
    jacobian = elastic_pendulum(gap=lambda q: [2.0 - q[0]], gap_q=lambda q: [[1.0, 0.0]])
    assert any("gradient" in said for said in jacobian.check_derivatives())
    percussion.run(elastic_pendulum(force=forgotten_force, check=False), end=0.01, step=1e-3, scheme="moreau-jean")


def forgotten_force(q, v, t):
    return [9.81 * np.cos(q[1]) - 50.0 * (q[0] - 1.0), -9.81 * q[0] * np.sin(q[1])]


def test_friction_by_functions():
    """A block on the floor slides to rest after v²/(2 μ g)."""
    block = percussion.Model(
        mass=np.eye(2),
        force=lambda q, v, t: [0.0, -9.81],
        potential=lambda q: 9.81 * q[1],
        gap=lambda q: [q[1]],
        tangent=lambda q: [[1.0, 0.0]],
        friction=0.3,
        q0=[0.0, 0.0],
        v0=[1.0, 0.0],
    )
    solution = percussion.run(block, end=0.5, step=1e-4, scheme="moreau-jean")
    assert abs(solution.q[-1, 0] - 1.0 / (2.0 * 0.3 * 9.81)) < 1e-3
    assert abs(solution.v[-1]).max() < 1e-9


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_states_of_models_of_functions(friction):
    """Saved at a step drawn at random and fed back: the same bits, by every scheme that moves the model."""
    made = 0
    draw = np.random.default_rng(5)
    for name in (scheme.name for scheme in percussion.schemes()):
        model = elastic_pendulum(
            gap=lambda q: [1.05 - q[0] * np.cos(q[1])],
            tangent=lambda q: [[np.sin(q[1]), q[0] * np.cos(q[1])]],
            friction=friction,
            restitution=0.4,
            q0=[1.1, 0.8],
        )
        try:
            uncut, other = (percussion.Simulation(model, scheme=name, step=2e-3) for _ in range(2))
        except percussion.InputError:
            continue
        uncut.step(int(draw.integers(3, 60)))
        saved = pickle.loads(pickle.dumps(uncut.state))
        uncut.step(40)
        other.state = saved
        other.step(40)
        np.testing.assert_array_equal(np.r_[other.q, other.v], np.r_[uncut.q, uncut.v], err_msg=name)
        made += 1
    assert made >= 6
