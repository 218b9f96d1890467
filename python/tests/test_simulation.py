"""Live simulations: stepping, setting, saving, callbacks, threads, and what a step costs."""

import copy
import inspect
import pickle
import subprocess
import sys
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
    assert not any("W428" in warning for warning in solution.warnings)


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


def test_a_simulation_is_no_value():
    """Its state is one: that is said to whoever copies a simulation, as environments are copied."""
    ball = percussion.Simulation("bouncing-ball", step=1e-3)
    ball.step(250)
    assert repr(ball) == "<simulation at t = 0.25 s, steps of 0.001 s>"
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=".state"):
            copied(ball)


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


def test_another_thread_looks_on():
    """Whoever reads while steps are made waits for the end of one; a function of the model cannot."""
    ball = percussion.Simulation("bouncing-ball", step=1e-6)
    seen, failed, over = [], [], threading.Event()

    def look():
        while not over.is_set():
            try:
                seen.append((ball.t, ball.q[0], len(ball.contacts)))
            except Exception as error:
                failed.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    ball.step(30000)
    over.set()
    thread.join()
    assert seen and not failed and all(a[0] <= b[0] for a, b in zip(seen, seen[1:]))

    def nosy(q, v, t):
        return [-10.0 + 0.0 * model_simulation.q[0]] if "model_simulation" in globals() else [-10.0]

    model = percussion.Model(mass=[[1.0]], force=nosy, q0=[1.0])
    globals()["model_simulation"] = percussion.Simulation(model, scheme="moreau-jean", step=1e-3)
    with pytest.raises(percussion.CallbackError, match="middle of a step"):
        model_simulation.step()
    del globals()["model_simulation"]


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


def double_pendulum(**changes):
    """Two unit masses on rods of length one; the tip beside a wall."""

    def mass(q):
        c = np.cos(q[0] - q[1])
        return np.array([[2.0, c], [c, 1.0]])

    def force(q, v, t):
        s = np.sin(q[0] - q[1])
        return np.array([-s * v[1] ** 2 - 19.62 * np.sin(q[0]), s * v[0] ** 2 - 9.81 * np.sin(q[1])])

    parts = dict(
        mass=mass,
        force=force,
        potential=lambda q: -9.81 * (2.0 * np.cos(q[0]) + np.cos(q[1])),
        gap=lambda q: [np.sin(q[0]) + np.sin(q[1]) - 0.3],
        restitution=0.6,
        q0=[1.0, 1.2],
    )
    return percussion.Model(**{**parts, **changes})


def mass_q(q):
    s = np.sin(q[0] - q[1])
    D = np.zeros((2, 2, 2))
    D[0, 1] = D[1, 0] = [-s, s]
    return D


#: The same functions for many places at once.
AT_ONCE = dict(
    vectorized=True,
    mass=lambda q: [[2.0, np.cos(q[0] - q[1])], [np.cos(q[0] - q[1]), 1.0]],
    force=lambda q, v, t: np.array(
        [
            -np.sin(q[0] - q[1]) * v[1] ** 2 - 19.62 * np.sin(q[0]),
            np.sin(q[0] - q[1]) * v[0] ** 2 - 9.81 * np.sin(q[1]),
        ]
    ),
)
SLOPES = dict(potential_q=lambda q: 9.81 * np.array([2.0 * np.sin(q[0]), np.sin(q[1])]), gap_q=lambda q: [np.cos(q)])
ROUGH = dict(friction=0.3, tangent=lambda q: [[-np.sin(q[0]), -np.sin(q[1])]])


@pytest.mark.parametrize("changes", [{}, SLOPES, {**SLOPES, "mass_q": mass_q}, ROUGH], ids=["bare", "slopes", "mass_q", "friction"])
def test_energy_momentum_with_functions(changes):
    """At most 1 ms of processor time a step on the double pendulum (4 ms once), and so few calls; the identity holds."""
    calls = [0]
    parts = {}
    for word, function in {**vars_of(double_pendulum), **changes}.items():
        parts[word] = counted(function, calls) if callable(function) else function
    simulation = percussion.Simulation(percussion.Model(**parts), scheme="energy-momentum", step=1e-3)
    simulation.step(20)
    calls[0], least = 0, float("inf")
    for _ in range(6):
        start = time.process_time()
        simulation.step(150)
        least = min(least, (time.process_time() - start) / 150)
    print(f"{1e3 * least:.2f} ms a step, {calls[0] / 900:.0f} calls")
    assert least < 1e-3 and calls[0] < 250 * 900
    solution = simulation.solution()
    assert np.abs(solution.energy.residual).max() < 1e-9 and solution.verdicts["energy"].status == "pass"
    assert (solution.contacts["p_n"] > 0.0).any()


def vars_of(make):
    """The parts a model is made of."""
    kept = {}
    real_model, percussion.Model = percussion.Model, lambda **parts: kept.update(parts)
    try:
        make()
    finally:
        percussion.Model = real_model
    return kept


def counted(function, calls):
    def call(*arguments):
        calls[0] += 1
        return function(*arguments)

    call.__signature__ = inspect.signature(function)
    return call


@pytest.mark.parametrize("scheme", ["energy-momentum", "moreau-jean", "generalized-alpha-ggl"])
def test_many_places_at_once(scheme):
    """Functions that take many places give the run of those that take one; what does not fit is named."""
    one, many = (percussion.run(double_pendulum(**c), scheme=scheme, step=1e-3, end=0.3) for c in ({}, AT_ONCE))
    assert np.abs(one.q - many.q).max() < 1e-9
    rough = {**AT_ONCE, "friction": 0.2, "tangent": lambda q: [[-np.sin(q[0]), -np.sin(q[1])]]}
    pair = [percussion.run(double_pendulum(**c), scheme="moreau-jean", step=1e-3, end=0.3) for c in ({**ROUGH, "friction": 0.2}, rough)]
    assert np.abs(pair[0].q - pair[1].q).max() < 1e-9
    assert double_pendulum(**AT_ONCE).check_derivatives() == []
    for wrong in (lambda q, v, t: np.zeros((3, q.shape[1])), lambda q, v, t: [1j * q[0], q[1]], lambda q, v, t: [q[0]]):
        with pytest.raises(percussion.CallbackError) as caught:
            percussion.run(double_pendulum(**{**AT_ONCE, "force": wrong}), scheme=scheme, step=1e-3, end=0.01)
        assert isinstance(caught.value.__cause__, percussion.InputError)


def test_loads_need_no_potential():
    """A controller in `load` is left aside by the check, moves the model as the same in `force` does, and is external work."""
    stiff = lambda q, v, t: np.array([-3.0 * (q[0] - 0.5) - 0.2 * v[0], 0.0])
    plain = vars_of(double_pendulum)["force"]
    both = lambda q, v, t: plain(q, v, t) + stiff(q, v, t)
    with pytest.raises(percussion.InputError, match="not the one given"):
        percussion.run(double_pendulum(force=both), scheme="moreau-jean", step=1e-3, end=0.01)
    beside = percussion.run(double_pendulum(load=stiff), scheme="energy-momentum", step=1e-3, end=0.3)
    inside = percussion.run(double_pendulum(force=both, check=False), scheme="energy-momentum", step=1e-3, end=0.3)
    assert np.abs(beside.q - inside.q).max() < 1e-9 and np.abs(beside.energy.work_external).sum() > 0.1
    assert np.abs(beside.energy.residual).max() < 1e-9


def test_functions_can_be_pushed():
    pendulum = percussion.Simulation(double_pendulum(), scheme="energy-momentum", step=1e-3)
    pendulum.set("force[1]", 2.0)
    pendulum.step(50)
    ledger = pendulum.ledger
    assert ledger.work_external != 0.0 and abs(ledger.residual) < 1e-10


def test_wrong_models_are_caught(tmp_path):
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
    anyway = percussion.run(elastic_pendulum(force=forgotten_force, check=False), end=0.01, step=1e-3, scheme="moreau-jean")
    assert any("W433" in warning for warning in anyway.warnings)
    assert anyway.verdicts["energy"].status != "pass" and "not checked" in anyway.verdicts["energy"].text
    assert "not checked" in anyway.report(tmp_path / "report.html").read_text()


def test_right_models_pass():
    """Thirty random models of bare functions agree with themselves: derivatives that are zero come as round-off of differences, and are no contradiction."""
    dice = np.random.default_rng(17)
    for _ in range(30):
        n = int(dice.integers(1, 4))
        A, K = dice.normal(size=(n, n)), np.diag(dice.uniform(1.0, 50.0, n))
        M, slope, far, turn = A @ A.T + n * np.eye(n), dice.normal(size=(2, n)), dice.uniform(-9.0, 9.0, 2), dice.normal(size=n)

        def rotated(q):
            # the inertia of a disc in axes that turn with it: constant but for round-off
            c, s = np.cos(q[0]), np.sin(q[0])
            R = np.eye(n)
            R[:2, :2] = [[c, -s], [s, c]]
            return R @ (3.0 * np.eye(n)) @ R.T

        model = percussion.Model(
            mass=rotated if n > 1 and dice.random() < 0.3 else M,
            force=lambda q, v, t: -K @ q + turn * np.sin(turn @ q) - 9.81,
            potential=lambda q: 0.5 * q @ K @ q + np.cos(turn @ q) + 9.81 * q.sum(),
            gap=lambda q: slope @ q + far,
            restitution=0.5,
            q0=dice.uniform(-1.0, 1.0, n),
        )
        assert model.check_derivatives() == []


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


def block(**time):
    """A block on a floor that is shaken by a record."""
    return {
        "model": {"kind": "bodies", "dimension": 2, "gravity": [{"table": "record.csv"}, -9.81], "friction": 0.5},
        "body": [
            {"name": "floor", "shape": {"kind": "plane"}, "fixed": True},
            {"name": "block", "shape": {"kind": "box", "size": [0.2, 0.4]}, "density": 1000.0, "position": [0.0, 0.2]},
        ],
        "time": time,
    }


def test_a_record_in_a_file(tmp_path, monkeypatch):
    """Paths in a dictionary are taken from the working directory; the run keeps a copy and reproduces from it."""
    monkeypatch.chdir(tmp_path)
    t = np.arange(0.0, 1.0, 0.01)
    points = np.c_[t, 3.0 * np.sin(8.0 * t)]
    np.savetxt("record.csv", points, delimiter=",", header="t,a")
    scene = block(step=1e-3, end=0.2)
    solution = percussion.run(scene)
    folder = solution.save(tmp_path / "run")
    again = percussion.run(folder / "scenario.toml")
    assert again.state_hash == solution.state_hash
    scene["model"]["gravity"][0] = {"table": points}
    np.testing.assert_allclose(percussion.run(scene).q, solution.q, atol=1e-12)
    scene["model"]["gravity"][0] = {"table": "missing.csv"}
    with pytest.raises(percussion.InputError, match="working directory") as caught:
        percussion.run(scene)
    assert caught.value.code == "E100" and "table" in caught.value.field


def test_starting_where_another_ended(tmp_path, monkeypatch):
    """Deposit, then shake: a solution, its folder, or a time in it; bodies by name."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("record.csv", [[0.0, 0.0], [1.0, 4.0]])
    first = percussion.run(block(step=1e-3, end=0.5))
    folder = first.save(tmp_path / "first")
    for start in (first, folder, f"{folder}@0.5"):
        second = percussion.run(block(step=1e-3, end=0.1), start=start)
        np.testing.assert_array_equal(second.q[0, 3:], first.q[-1, 3:])
    live = percussion.Simulation(block(step=1e-3), start=first)
    np.testing.assert_array_equal(live.v, first.v[-1])
    assert live.t == 0.0
    with pytest.raises(percussion.PercussionError) as caught:
        percussion.run(block(step=1e-3, end=0.1), start=tmp_path / "nowhere")
    assert "--" not in str(caught.value).replace("-->", "")


def test_functions_start_where_they_ended(tmp_path):
    """A model of functions goes on from its own solution, in memory and from its folder, saved with what was set."""
    first = percussion.Simulation(double_pendulum(), scheme="moreau-jean", step=1e-3)
    first.set("force[0]", 3.0)
    first.step(200)
    solution = first.solution()
    for start in (solution, solution.save(tmp_path / "first")):
        second = percussion.run(double_pendulum(), scheme="moreau-jean", step=1e-3, end=0.01, start=start)
        np.testing.assert_array_equal(second.q[0], solution.q[-1])
    assert (tmp_path / "first" / "inputs.csv").is_file()
    with pytest.raises(percussion.InputError, match="inside your functions"):
        first.set("gravity", 1.0)


def test_no_end_is_needed():
    scene = {"model": {"kind": "linear", "mass": [[1.0]], "q0": [1.0], "v0": [1.0]}}
    for problem, options in ((scene, {"step": 0.1}), ({**scene, "time": {"step": 0.1}}, {})):
        simulation = percussion.Simulation(problem, **options)
        simulation.step(20)
        assert abs(simulation.t - 2.0) < 1e-12 and abs(simulation.q[0] - 3.0) < 1e-12
    for problem in (scene, percussion.Model(mass=[[1.0]], force=lambda q, v, t: [0.0], q0=[0.0])):
        with pytest.raises(percussion.InputError, match="step="):
            percussion.Simulation(problem)
        with pytest.raises(percussion.InputError, match="step="):
            percussion.run(problem)


def test_floors_and_gravity_are_set(tmp_path):
    """A floor is lifted, gravity is turned: external work, the same bits after a pickled state, and a folder that verifies."""
    scene = {
        "model": {
            "kind": "linear",
            "mass": [[1.0]],
            "gravity": [-9.81],
            "q0": [0.2],
            "contact": [{"normal": [1.0], "restitution": 0.0}],
        },
    }
    ball = percussion.Simulation(scene, step=1e-3)
    assert {"force[0]", "gravity", "contact[0].offset_rate"} == set(ball.names)
    ball.step(100)
    ball.set("contact[0].offset_rate", -0.5)
    ball.step(50)
    saved = pickle.loads(pickle.dumps(ball.state))
    ball.set("gravity", -3.0)
    ball.step(200)
    ball.release("contact[0].offset_rate")
    ball.step(400)
    solution = ball.solution()
    # the floor rose for 0.25 s at 0.5 m/s, and the ball lies on it
    assert abs(solution.contacts.gap[-1]) < 1e-3 and abs(ball.q[0] - 0.125) < 2e-3
    assert np.abs(solution.energy.residual).max() < 1e-12 and solution.energy.work_external.sum() > 0.5
    assert list(solution.inputs["name"]) == ["contact[0].offset_rate", "gravity", "contact[0].offset_rate"]
    folder = pickle.loads(pickle.dumps(solution)).save(tmp_path / "run")
    assert (folder / "inputs.csv").is_file()
    found = subprocess.run([sys.executable, "-m", "percussion", "verify", str(folder)], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    other = percussion.Simulation(scene, step=1e-3)
    other.state = saved
    other.set("gravity", -3.0)
    other.step(200)
    other.release("contact[0].offset_rate")
    other.step(400)
    np.testing.assert_array_equal(other.q, ball.q)
    found = subprocess.run(
        [sys.executable, "-m", "percussion", "verify", str(other.solution().save(tmp_path / "later"))], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout


def test_what_cannot_be_set_says_why():
    arm = percussion.Simulation(ARM)
    for name, word in (("ground.velocity", "fixed"), ("arm.velocity", "freely"), ("nothing.force", "nothing is called")):
        with pytest.raises(percussion.InputError, match=word):
            arm.set(name, [0.0, 0.0])
    with pytest.raises(percussion.InputError, match="0 or more"):
        arm.step(-1)
    with pytest.raises(percussion.InputError, match="finite time"):
        arm.advance_to(float("inf"))
    with pytest.raises(TypeError):
        arm.step(1.5)


def program(*arguments):
    return subprocess.run([sys.executable, "-m", "percussion", *map(str, arguments)], capture_output=True, text=True)


def test_a_saved_run_goes_on_and_is_made_again(tmp_path):
    """What was set stands in the folder: run again, gone on with and pickled it gives the same bytes."""
    arm = percussion.Simulation(ARM)
    arm.set("shoulder.motor", 3.0)
    arm.step(40)
    arm.set("shoulder.motor", -1.0)
    arm.step(20)
    short = arm.solution()
    arm.step(40)
    long = arm.solution().save(tmp_path / "long")
    folder = short.save(tmp_path / "short")
    other = pickle.loads(pickle.dumps(short)).save(tmp_path / "pickled")
    found = program("run", folder / "scenario.toml", "--out", tmp_path / "again")
    assert found.returncode == 0, found.stderr
    for table in ("trajectory.csv", "ledger.csv", "inputs.csv", "joints.csv"):
        assert (tmp_path / "again" / table).read_bytes() == (folder / table).read_bytes(), table
    for there in (folder, other, tmp_path / "again"):
        found = program("resume", there, "--end", "0.1")
        assert found.returncode == 0, found.stderr
        for table in ("trajectory.csv", "ledger.csv", "inputs.csv", "joints.csv"):
            assert (there / table).read_bytes() == (long / table).read_bytes(), (there, table)
        assert program("verify", there).returncode == 0
    again = percussion.run(folder / "scenario.toml")
    assert again.t[-1] == 0.1 and len(again.inputs["name"]) == 2


def test_a_plain_run_goes_on(tmp_path):
    folder = percussion.run("bouncing-ball", step=1e-3, end=0.5).save(tmp_path / "short")
    found = program("resume", folder, "--end", "1.0")
    assert found.returncode == 0, found.stderr
    whole = percussion.run("bouncing-ball", step=1e-3, end=1.0).save(tmp_path / "whole")
    assert (folder / "trajectory.csv").read_bytes() == (whole / "trajectory.csv").read_bytes()


def test_a_record_from_the_middle_says_so(tmp_path):
    ball = percussion.Simulation("bouncing-ball", step=1e-3)
    ball.step(100)
    saved = ball.state
    ball.step(10)
    ball.state = saved
    ball.step(50)
    solution = ball.solution()
    assert any("W428" in warning for warning in solution.warnings)
    found = program("resume", solution.save(tmp_path / "middle"), "--end", "1.0")
    assert found.returncode != 0 and "E302" in found.stderr
    assert program("verify", tmp_path / "middle").returncode == 0


def test_states_placed_by_hand():
    """Round-off is put onto the joints, more is refused with its remedy; arrays of the state cannot be written into."""
    arm = percussion.Simulation(ARM)
    q = np.array(arm.q)
    q[3] += 1e-7
    arm.state = {"q": q}
    arm.step(100)
    q[3] += 0.1
    with pytest.raises(percussion.InputError, match="miss") as caught:
        arm.state = {"q": q}
    assert caught.value.code == "E131" and "project" in caught.value.help
    arm.state = {"q": q, "v": np.zeros_like(arm.v), "project": True}
    arm.step(100)
    with pytest.raises(ValueError):
        arm.q[3] = 1.0
    with pytest.raises(ValueError):
        arm.v[:] = 0.0


def test_formulas_take_signals():
    scene = {
        "model": {
            "kind": "formula",
            "coordinates": ["y"],
            "parameters": {"k": {"mean": 20.0, "sines": [{"amplitude": 5.0, "omega": 9.0}]}, "lift": {"smooth": {"end": 0.5, "to": 0.1}}},
            "kinetic": "0.5*y_dot^2",
            "potential": "0.5*k*y^2 + 9.81*y",
            "force": [{"table": np.c_[np.linspace(0.0, 1.0, 20), np.sin(np.linspace(0.0, 6.0, 20))], "interpolation": "cubic"}],
            "q0": [0.2],
            "contact": [{"gap": "y - lift", "restitution": 0.4}],
        },
        "scheme": {"name": "energy-momentum"},
        "time": {"end": 1.0, "step": 1e-3},
    }
    solution = percussion.run(scene)
    assert np.abs(solution.energy.residual).max() < 1e-11 * np.abs(solution.energy.energy).max()
    assert np.abs(solution.energy.work_external).sum() > 0.1
    scene["model"]["contact"][0]["gap"] = "y - 0.1*step(t - 0.5)"
    with pytest.raises(percussion.InputError, match="jumps") as caught:
        percussion.run(scene)
    assert caught.value.code == "E157"


def test_parameters_of_formulas_are_set():
    """A stiffness and a floor, by name: external work, and what must not vary says so."""
    scene = {
        "model": {
            "kind": "formula",
            "coordinates": ["y"],
            "parameters": {"m": 2.0, "k": 50.0, "lift": {"formula": "0*t"}},
            "kinetic": "0.5*m*y_dot^2",
            "potential": "0.5*k*y^2 + 9.81*m*y",
            "q0": [0.1],
            "contact": [{"gap": "y + 0.3 - lift", "restitution": 0.0}],
        },
        "scheme": {"name": "energy-momentum"},
    }
    mass = percussion.Simulation(scene, step=1e-3)
    assert set(mass.names) == {"force.y", "parameters.k", "parameters.lift.rate"}
    mass.step(100)
    mass.set("parameters.k", 0.0)
    mass.set("parameters.lift.rate", 0.4)
    mass.step(1000)
    solution = mass.solution()
    # without a spring it lies on the floor, which has risen by 0.4 m
    assert abs(mass.q[0] - (0.4 - 0.3)) < 2e-3
    assert np.abs(solution.energy.residual).max() < 1e-11 * np.abs(solution.energy.energy).max()
    with pytest.raises(percussion.InputError, match="inertia"):
        mass.set("parameters.m", 1.0)


def test_corners_of_formulas_are_stopped_at():
    """A load that jumps by a formula moves a mass as the same step does, by the schemes that locate events."""
    ends = {}
    for scheme in ("event-driven", "runge-kutta-moreau"):
        for force in ({"formula": "if(t - 0.303, 2, 0)"}, {"step": {"at": 0.303, "to": 2.0}}):
            scene = {"model": {"kind": "linear", "mass": [[1.0]], "stiffness": [[30.0]], "force": [force], "q0": [0.1]}}
            ends.setdefault(scheme, []).append(percussion.run(scene, scheme=scheme, step=0.05, end=1.0).q[-1, 0])
    assert all(abs(a - b) < 1e-12 for a, b in ends.values()), ends
