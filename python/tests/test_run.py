"""Runs: the same numbers as the program, in arrays nobody copied."""

import gc
import json
import pickle
import threading
import time

import numpy as np
import pytest

import percussion

FILES = ["trajectory.csv", "contacts.csv", "ledger.csv", "events.csv", "scenario.toml"]


@pytest.mark.parametrize("name", ["bouncing-ball", "pendulum", "two-mass-oscillator"])
def test_same_bytes_as_the_program(name, program, tmp_path):
    """One scenario three ways: by the program, by `run(out=…)`, by `save` from memory."""
    end = "0.3"
    assert program("run", name, "--end", end, "--out", tmp_path / "program", "--quiet").returncode in (0, 5)
    direct = percussion.run(name, end=float(end), out=tmp_path / "direct")
    percussion.run(name, end=float(end)).save(tmp_path / "saved")
    for file in FILES:
        expected = (tmp_path / "program" / file).read_bytes()
        assert (tmp_path / "direct" / file).read_bytes() == expected, file
        assert (tmp_path / "saved" / file).read_bytes() == expected, file
    summary = json.loads((tmp_path / "program" / "summary.json").read_text())
    found = dict(direct.summary)
    assert found.pop("wall_s") >= 0 and summary.pop("wall_s") >= 0
    # of the file, time included
    summary.pop("summary_crc64"), found.pop("summary_crc64", None)
    assert found == summary
    assert direct.state_hash == summary["state_hash"]


def test_thinned_tables(program, tmp_path):
    """`every` thins the tables in memory as it does in files."""
    percussion.run("bouncing-ball", every=7, end=0.7).save(tmp_path / "python")
    program("run", "bouncing-ball", "--end", "0.7", "--set", "output.every=7", "--out", tmp_path / "program")
    for file in FILES:
        assert (tmp_path / "python" / file).read_bytes() == (tmp_path / "program" / file).read_bytes()


def test_solution(ball):
    """Shapes, the ledger's closing identity, contacts, events."""
    s = percussion.run(ball)
    assert s.t.shape == (2001,) and s.q.shape == s.v.shape == (2001, 1)
    assert s.t[0] == 0.0 and s.t[-1] == 2.0 and s.q[0, 0] == 1.001
    e = s.energy
    assert np.abs(e.residual).max() < 1e-12
    assert np.allclose(e["kinetic"] + e["potential"], e["energy"], rtol=0, atol=1e-13)
    # Moreau-Jean with θ = ½: ΔE is the sum of the works, to round-off
    change = np.diff(e.energy) - (e.work_external + e.work_contact + e.work_damping - e.dissipation_numerical)[1:]
    assert np.abs(change).max() < 1e-12
    assert s.verdicts["energy"].status == "pass" and s.success
    assert set(s.events["kind"]) >= {"impact"} and s.events["contact"].dtype == np.int64
    assert (s.contacts["p_n"] >= 0).all() and np.isnan(s.contacts["u_t1"]).all()
    assert "energy" in repr(s) and "<table>" in s._repr_html_()
    assert s.scheme == "moreau-jean" and s.name == "ball" and "[model]" in s.scenario


def test_arrays_are_not_copied():
    """Rust's vector is NumPy's memory: t, q and v are views into one buffer no one else owns, and read-only."""
    s = percussion.run("bouncing-ball", end=0.1)
    owner = s.q
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    assert type(owner.base).__name__ == "PySliceContainer"
    for array in (s.t, s.q, s.v):
        assert np.shares_memory(array, owner) and array.dtype == np.float64
        with pytest.raises(ValueError):
            array[0] = 1.0
    # the memory lives as long as a view of it
    q, expected = s.q, s.q.copy()
    del s, owner
    gc.collect()
    assert (q == expected).all()


def test_options(ball):
    """Names, dictionaries and dotted keys."""
    s = percussion.run(ball, scheme={"name": "moreau-jean", "theta": 0.6}, solver={"name": "lemke", "tolerance": 1e-9})
    assert s.summary["scheme"]["theta"] == 0.6 and s.summary["solver"]["tolerance"] == 1e-9
    assert percussion.run(ball, scheme="newmark", step=2e-3, end=0.1).summary["steps"] == 50
    dead = percussion.run(ball, set={"model.contact.0.restitution": 0.0})
    assert dead.q[:, 0].max() == 1.001 and dead.events["kind"].tolist().count("impact") == 1
    sunk = dict(ball, model=dict(ball["model"], q0=[0.1]))
    with pytest.raises(percussion.InputError) as caught:
        percussion.run(sunk)
    assert caught.value.code == "E130"
    assert percussion.run(sunk, project=True).q[0, 0] == pytest.approx(0.2, abs=1e-12)
    assert percussion.check(ball, step=3e-4)[0].startswith("W403")


def test_other_kinds():
    """Every kind of model a scenario describes runs from a dictionary."""
    bar = {
        "model": {
            "kind": "bar", "young": 1e3, "density": 1.0, "area": 1.0, "length": 1.0, "elements": 10, "v0": -1.0,
            "q0": 0.01, "contact": [{"node": 0, "restitution": 0.0}],
        }
    }  # fmt: skip
    s = percussion.run(bar, step=1e-3, end=0.2)
    keys = {key: x for key, x in bar["model"].items() if key != "kind"}
    assert percussion.run(percussion.Bar(**keys), step=1e-3, end=0.2).state_hash == s.state_hash
    assert s.q.shape == (201, 11) and s.verdicts["energy"].status == "pass"


def test_failure_keeps_the_steps(ball):
    """A stiffness with a negative direction overflows: E203, with the steps before it."""
    ball["model"].update(stiffness=[[-1e8]], contact=[], force=[0.0])
    with pytest.raises(percussion.NumericalError) as caught:
        percussion.run(ball, scheme="newmark", step=1e-2, end=100.0)
    error = caught.value
    assert error.code in ("E202", "E203") and error.step > 0 and str(error).startswith(f"error[{error.code}]")
    assert error.solution is not None and len(error.solution.t) == error.step
    assert np.isfinite(error.solution.q).all()


def test_report_and_plot(ball, tmp_path):
    """The page from memory is the page of the folder; a figure where matplotlib is."""
    s = percussion.run(ball, end=0.2, out=tmp_path / "run")
    page = s.report(tmp_path / "page.html").read_text()
    played = s.play(tmp_path / "play.html").read_text()
    assert 'id="engine"' in played and s.name in played
    assert page == (tmp_path / "run" / "report.html").read_text()
    both = percussion.compare(ball, ["moreau-jean", "newmark"], end=0.2)
    assert both.report(tmp_path / "both.html").stat().st_size > len(page)


def test_figure(ball, tmp_path):
    """`.plot()` shows the rows of the tables: at a glance, any column over any other, a part of the time; into every kind of file."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    s = percussion.run(ball, end=0.6)
    figure = s.plot()
    above, middle, below = figure.axes
    assert (above.lines[0].get_ydata() == s.q[:, 0]).all() and len(middle.lines) == 3
    drawn = below.lines[0].get_ydata()
    assert (drawn[np.isfinite(drawn)] == s.contacts["p_n"]).all() and "energy pass" in figure.get_suptitle()
    (portrait,) = s.plot("v0", "q0", time=(0.1, 0.5), out=tmp_path / "portrait.pdf").axes
    shown = (s.t >= 0.1) & (s.t <= 0.5)
    xs, ys = portrait.lines[0].get_xdata(), portrait.lines[0].get_ydata()
    assert (xs[np.isfinite(xs)] == s.q[shown, 0]).all() and (ys[np.isfinite(ys)] == s.v[shown, 0]).all()
    assert (tmp_path / "portrait.pdf").read_bytes().startswith(b"%PDF")
    for ending, mark in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        assert s.figure("energy", time=(0.1, 0.5)).save(tmp_path / f"energy{ending}").read_bytes().lstrip().startswith(mark), ending
    assert s.figure("gap")._repr_svg_().startswith("<svg")
    both = percussion.compare(ball, ["moreau-jean", "newmark"], end=0.6).figure("energy")
    assert "newmark" in both.svg and "newmark" in repr(both)
    for call in (
        lambda: s.plot("v7"),
        lambda: s.plot(only="nothing"),
        lambda: s.plot(time=(1, 0)),
        lambda: s.plot(y=[1]),
        lambda: s.figure("picture"),
        lambda: s.figure("energy").save(tmp_path / "energy.gif"),
        lambda: s.figure("reactions"),
    ):
        with pytest.raises(percussion.PercussionError) as caught:
            call()
        # what was asked for here is not a key of the scenario
        assert "--" not in str(caught.value) and "output.select" not in str(caught.value), caught.value


def test_figure_of_bodies():
    """Coordinates, contacts and joints by name, units in panels of their own; a pickled solution draws the same."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    scene = percussion.Bodies(dimension=2, restitution=0.5)
    scene.body("ground", {"kind": "plane"}, fixed=True, position=[0.0, -2.0])
    scene.body("arm", {"kind": "box", "size": [1.0, 0.1]}, density=10.0, position=[0.5, 0.0], contact=False)
    scene.body("ball", {"kind": "sphere", "radius": 0.2}, density=10.0, position=[3.0, -1.7])
    scene.joint("revolute", "ground", "arm", name="pin", anchor=[0.0, 0.0], limits=[-1.0, 1.0])
    s = percussion.run(scene, step=1e-3, end=0.8, progress=False)
    panels = s.plot(only=["arm", "pin"]).axes
    assert {axes.get_ylabel().split(" [")[1] for axes in panels[:4]} == {"m]", "rad]", "m/s]", "rad/s]"}
    # the stop of a hinge is an angle, and what it takes is a moment
    (stop,) = s.plot("f_n", only="pin*").axes
    assert stop.get_ylabel() == "f_n [N m]"
    (loop,) = pickle.loads(pickle.dumps(s)).plot("reactions.fx", "joints.value").axes
    assert loop.get_xlabel() == "angle [rad]" and loop.get_ylabel() == "fx [N]"
    assert len(s.gaps) > 0 and (s.gaps["gap"] > 0).all() and s.gaps["contact"].dtype == np.int64
    assert "reactions" in repr(s.figure("reactions", only="pin"))


def test_frames(ball):
    """pandas and xarray get every cell; the ledger is over t."""
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    s = percussion.run(ball, end=0.6)
    frame = s.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["t", "q0", "v0"]
    assert (frame["q0"].to_numpy() == s.q[:, 0]).all()
    contacts = s.contacts.to_pandas()
    assert contacts["contact"].dtype == np.int64 and set(contacts["status"]) <= {"closed", "open"}
    data = s.to_xarray()
    assert list(data["coordinate"].values) == ["q0"] and list(data["velocity"].values) == ["v0"]
    rope = percussion.run("pendulum", end=0.01)
    assert list(rope.to_pandas(named=True).columns[:4]) == ["t", "x", "y", "theta"]
    assert (rope.to_xarray()["q"].sel(coordinate="theta").values == rope.q[:, 2]).all()
    assert isinstance(data, xarray.Dataset) and data["q"].dims == ("t", "coordinate") and data.attrs["state_hash"] == s.state_hash
    assert (data["energy"].values == s.energy["energy"]).all()


def test_optional_packages_say_how(ball, monkeypatch):
    """Without pandas: how to get it."""
    import sys

    s = percussion.run(ball, end=0.1)
    for name, call in (("pandas", s.to_pandas), ("xarray", s.to_xarray), ("matplotlib.pyplot", s.plot)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=r"pip install .*percussion\["):
            call()


def test_python_runs_meanwhile():
    """The lock is released: a counting thread goes on while Rust computes."""
    counted, running = [0], [True]

    def count():
        while running[0]:
            counted[0] += 1
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.05)
    before = counted[0]
    s = percussion.run("bouncing-ball", step=2e-6, end=2.0)
    during = counted[0] - before
    running[0] = False
    thread.join()
    assert s.summary["steps"] == 1_000_000
    assert during > 20


def test_interrupt():
    """Ctrl-C ends a run that would take hours, and the interpreter goes on."""
    import os
    import signal

    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        percussion.run("bouncing-ball", step=1e-9, end=100.0, every=1000)
    assert time.monotonic() - started < 20
    assert percussion.run("bouncing-ball", end=0.01).success


def test_compare_and_converge(ball):
    """A free fall by Moreau-Jean θ = 1 is first order, by its midpoint variant exact; both against the parabola."""
    ball["model"].pop("contact")
    steps = [4e-3, 2e-3, 1e-3]
    rows = percussion.converge(
        ball,
        [{"name": "moreau-jean", "theta": 1.0}],
        steps,
        exact=lambda t: (1.001 - 5.0 * t * t, -10.0 * t),
        end=0.4,
    )
    assert rows[0].order_q == pytest.approx(1.0, abs=0.02) and max(rows[0].l1_v) < 1e-12
    # without one the motion is recognised: a free fall
    own = percussion.converge(ball, ["moreau-jean:theta=1"], steps, end=0.4)
    assert own[0].reference == "the exact motion" and own[0].l1_q == pytest.approx(rows[0].l1_q, rel=1e-9)
    fine = percussion.converge(ball, ["moreau-jean:theta=1"], steps, end=0.4, reference={"name": "moreau-jean", "theta": 1.0})
    # against an eighth of the smallest step the error is h − h/8 of the smallest: still close to one
    assert fine[0].order_q == pytest.approx(1.0, abs=0.15) and "1.25e-4" in fine[0].reference


def test_threads_leave_no_trace(tmp_path):
    """1, 2 and 4 threads: the same hashes and tables, to the byte, of a comparison and of a convergence study."""
    schemes = ["moreau-jean", "newmark", "generalized-alpha-ggl", "event-driven"]
    found = []
    for threads in (1, 2, 4):
        out = tmp_path / str(threads)
        runs = percussion.compare("bouncing-ball", schemes, end=1.0, threads=threads, out=out)
        assert list(runs) == schemes
        tables = {p.relative_to(out): p.read_bytes() for p in sorted(out.rglob("*.csv"))}
        assert len(tables) == 24 and sum(map(len, tables.values())) > 100_000
        orders = percussion.converge("impact-oscillator", schemes[:2], [1e-2, 5e-3], threads=threads)
        found.append(([run.state_hash for run in runs.values()], tables, orders))
    assert found[0] == found[1] == found[2]


def test_studies_in_the_words_of_the_command_line(program, tmp_path):
    """The numbers of `percussion converge` and `percussion compare`, to the last digit."""
    words = ["moreau-jean", "moreau-jean:theta=1"]
    steps = [1e-2, 5e-3, 2.5e-3]
    rows = percussion.converge("impact-oscillator", words, steps, hausdorff=True, threads=1)
    again = percussion.converge("impact-oscillator", words, steps, hausdorff=True, threads=4)
    assert rows == again and [row.scheme for row in rows] == ["moreau-jean", "moreau-jean theta=1"]
    arguments = ["converge", "impact-oscillator", "--schemes", ",".join(words), "--steps", "1e-2,5e-3,2.5e-3"]
    assert program(*arguments, "--hausdorff", "--quiet", "--out", tmp_path / "c").returncode == 0
    lines = (tmp_path / "c" / "converge.csv").read_text().splitlines()
    place = lines[0].split(",").index
    table = [line.split(",") for line in lines[1:]]
    for name in ("l1_q", "l1_v", "hausdorff_q", "hausdorff_v"):
        found = [x for row in rows for x in getattr(row, name)]
        assert found == [float(line[place(name)]) for line in table]
    adaptive = percussion.converge("impact-oscillator", ["moreau-jean:time.adaptive.order=0"], tolerances=[1e-2, 1e-3])
    assert adaptive[0].work[1] > adaptive[0].work[0]


def test_schemes_that_cannot(tmp_path):
    """A scheme that does not move the model is in `failed`; wrong words are an error; exceptions come through."""
    runs = percussion.compare("sliding-block", ["moreau-jean", "runge-kutta-moreau"], out=tmp_path)
    assert list(runs) == ["moreau-jean"] and runs.failed["runge-kutta-moreau"].code == "E155"
    assert (tmp_path / "moreau-jean" / "trajectory.csv").exists()
    with pytest.raises(percussion.InputError):
        percussion.compare("sliding-block", ["moreau-jean:theta=7"])
    with pytest.raises(percussion.InputError):
        percussion.converge("bouncing-ball", ["moreau-jean"], [1e-2])

    def wrong(t):
        raise ZeroDivisionError("no motion")

    with pytest.raises(ZeroDivisionError):
        percussion.converge("bouncing-ball", ["moreau-jean"], [1e-2, 5e-3], exact=wrong)
    with pytest.raises(percussion.InputError, match="coordinates"):
        percussion.converge("bouncing-ball", ["moreau-jean"], [1e-2, 5e-3], exact=lambda t: ([0.0, 0.0], [0.0]))


def test_listing():
    """The lists are those of the program."""
    assert "bouncing-ball" in percussion.scenarios() and "auto" in percussion.solvers()
    assert {"moreau-jean", "newmark"} <= {scheme.name for scheme in percussion.schemes()}
    assert percussion.explain("e120").startswith("E120: a coefficient of restitution")
    with pytest.raises(KeyError):
        percussion.explain("E999")
    assert "kind" in percussion.scenario_text("bouncing-ball")


def test_bodies_joints_and_springs(program, tmp_path):
    """A scene built in Python is the scene of a scenario file, to the last bit: bodies, joints, springs, materials, pairs."""
    scene = percussion.Bodies("scene", dimension=2, gravity=[0.0, -9.81])
    scene.material("rubber").material("stone").pair("rubber", "stone", restitution=0.6, friction=0.2, rolling=1e-3)
    scene.body("floor", {"kind": "plane"}, fixed=True, material="stone")
    scene.body("ball", {"kind": "disk", "radius": 0.1}, density=1000.0, position=np.array([0.0, 0.3]), material="rubber")
    scene.body("rod", {"kind": "box", "size": [0.4, 0.05]}, density=1000.0, position=[2.0, 1.0])
    scene.joint("revolute", "floor", "rod", anchor=[1.8, 1.0])
    scene.spring("floor", "ball", stiffness=10.0, length=0.3, point_a=[0.0, 0.0])
    options = dict(step=1e-3, end=0.5)
    s = percussion.run(scene, **options)
    assert s.q.shape[0] == 501 and s.verdicts["energy"].status != "fail"
    # the ball: m g falls, bounces with e = 0.6
    assert (s.events["kind"] == "impact").any()
    # the rod turns about its pin: |x − anchor| = 0.2
    rod = s.q[:, -3:-1] - [1.8, 1.0]
    assert np.abs(np.hypot(rod[:, 0], rod[:, 1]) - 0.2).max() < 1e-9
    (tmp_path / "scene.toml").write_text(s.scenario, encoding="utf-8")
    assert program("run", tmp_path / "scene.toml", "--out", tmp_path / "run", "--quiet").returncode in (0, 5)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["state_hash"] == s.state_hash
    # columns, joints and contacts have names and units, the same as in the folder
    assert {"ball.y", "rod.theta", "floor – ball 0"} <= set(s.names["name"])
    contact = s.contacts["contact"][0]
    assert contact.dtype == np.int64 and s.contact_name(contact) == "floor – ball 0"
    assert s.names["unit"][s.names["name"] == "rod.theta"] == ["rad"]
    assert (s.save(tmp_path / "saved") / "names.csv").read_bytes() == (tmp_path / "run" / "names.csv").read_bytes()


def test_pendulum_beam_and_block():
    """Built-in models by their keys: the runs of the built-in scenarios' dictionaries."""
    import percussion as p

    pendulum = dict(mass=1.0, inertia=0.1, length=1.0, gravity=9.81, wall=0.2, restitution=0.8, angle=-0.5)
    block = dict(mass=1.0, width=0.2, height=0.4, gravity=9.81, restitution=0.5, q0=[0.0, 0.25, 0.0])
    beam = dict(length=1.0, width=0.05, depth=0.05, young=2e8, poisson=0.3, density=7800.0, gravity=9.81, elements=2, wall=0.0)
    for made, keys in ((p.Pendulum, pendulum), (p.RockingBlock, block), (p.Beam, {**beam, "restitution": 0.0})):
        model = made(**keys)
        s = p.run(model, step=1e-4, end=0.01)
        again = p.run({"model": {"kind": made.kind, **keys}}, step=1e-4, end=0.01)
        assert s.name == made.kind and s.state_hash == again.state_hash
        assert code_of(lambda: p.run(made(**keys, colour="red"), step=1e-4, end=0.01)) == "E102"


def code_of(call):
    """The code of a refusal."""
    with pytest.raises(percussion.InputError) as caught:
        call()
    return caught.value.code


def test_overhead():
    """10⁵ steps of the ball from Python against the time Rust's own loop reports (wall_s: the same run without what Python adds);
    bench/results/python.md has 10⁶ steps against a program in Rust."""
    best = min(ratio() for _ in range(5))
    assert best < 1.2, best


def ratio():
    """Wall time of `run` over that of the steps inside."""
    started = time.perf_counter()
    s = percussion.run("bouncing-ball", step=1e-5, end=1.0)
    return (time.perf_counter() - started) / s.summary["wall_s"]
