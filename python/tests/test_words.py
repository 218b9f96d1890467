"""Errors speak Python: no options, no commands, no folders made for a moment."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

import percussion
from percussion import _core

#: An option or a command of the program; those of cargo are commands of another one.
FOREIGN = re.compile(r"(?<![\w-])--[a-z]|percussion (run|explain|check|list|new|verify|resume|report|converge|compare|solve|sweep|play)\b")
SOURCES = Path(__file__).resolve().parents[2] / "crates"
CARGO = re.compile(r"`cargo [^`]*`")


def foreign(text):
    """What of a text does not speak Python."""
    found = FOREIGN.search(CARGO.sub("", text))
    if found:
        return found.group()
    return "a temporary path" if "percussion-own-" in text or tempfile.gettempdir() + "/tmp" in text else None


def ball(**more):
    parts = dict(mass=[[1.0]], force=lambda q, v, t: [-10.0], gap=lambda q: q - 0.2, q0=[1.001])
    return percussion.Model(**{**parts, **more})


LINEAR = {"model": {"kind": "linear", "mass": [[1.0]], "q0": [1.0]}, "time": {"end": 0.1, "step": 1e-3}}
ARM = {
    "model": {"kind": "bodies", "dimension": 2},
    "body": [{"name": "arm", "shape": {"kind": "box", "size": [1.0, 0.1]}, "density": 10.0}],
    "time": {"end": 0.1, "step": 1e-3},
}


def linear(**model):
    return {**LINEAR, "model": {**LINEAR["model"], **model}}


def formula(**more):
    parts = {"kind": "formula", "coordinates": ["x"], "kinetic": "0.5*x_dot^2", "q0": [0.5]}
    return {"model": {**parts, **more}, "time": {"end": 1.0, "step": 1e-3}}


def study(kind, **more):
    table = {"kind": kind, **more}
    return lambda: percussion.dynamics({**LINEAR, "dynamics": table})


def run(problem, **options):
    return lambda: percussion.run(problem, **options)


def mistakes(tmp_path):
    """What people get wrong, by every function of the package."""
    ok = run("bouncing-ball", end=0.05)()
    sim = percussion.Simulation("bouncing-ball")
    yield run("bouncing-bal")
    yield run("no/such/file.toml")
    yield run("bouncing-ball", scheme="moreau-jeann")
    yield run("bouncing-ball", scheme={"name": "newmark", "thet": 1.0})
    yield run("bouncing-ball", scheme={"theta": 3.0})
    yield run("bouncing-ball", step=-1.0)
    yield run("bouncing-ball", step=float("nan"))
    yield run("bouncing-ball", end=-2.0)
    yield run("bouncing-ball", solver="lemkee")
    yield run("bouncing-ball", solver={"tolerance": -1.0})
    yield run("bouncing-ball", set={"model.contact.0.restitution": 1.2})
    yield run("bouncing-ball", set={"model.contact.9.restitution": 0.2})
    yield run("bouncing-ball", set={"": 0.2})
    yield run("bouncing-ball", set={"modell.mass": 0.2})
    yield run("bouncing-ball", set={"sweep": {}})
    yield run("bouncing-ball", every=0)
    yield run("bouncing-ball", out=tmp_path / "missing" / "\0")
    yield run("bouncing-ball", device="gpu")
    yield run("bouncing-ball", device="tpu")
    yield run("rocking-block", scheme="schatzman-paoli", set={"scheme.theta": 2.0})
    yield run({"model": {"kind": "linear"}})
    yield run({})
    yield run({"model": {"kind": "lineal", "mass": [[1.0]]}})
    yield run(linear(mass=[[-1.0]]))
    yield run(linear(mass=[[1.0, 2.0]]))
    yield run(linear(mass="heavy"))
    yield run(linear(mass={"file": "/etc/passwd"}))
    yield run(linear(mass={"file": "missing.mtx"}))
    yield run(linear(force=[{"table": "missing.csv"}]))
    yield run(linear(force=[{"formula": "sin("}]))
    yield run(linear(force=[{"formula": "unknown*t"}]))
    yield run(linear(contact=[{"normal": [1.0], "offset": -2.0}]))
    yield run(linear(joint=[{"row": [1.0], "offset": 0.5}]))
    yield run(linear(joint=[{"row": [1.0], "offset": -1.0}], v0=[1.0]))
    yield run({**LINEAR, "time": {"end": 1.0}})
    yield run({**LINEAR, "time": {"end": 1.0, "step": 1e-3, "adaptive": {"order": 7}}})
    yield run({**LINEAR, "output": {"select": ["nothing"]}})
    yield run({**LINEAR, "start": {"q": [1.0, 2.0], "v": [0.0]}})
    yield run({**ARM, "joint": [{"kind": "revolute", "a": "arm", "b": "leg", "anchor": [0.0, 0.0]}]})
    yield run({**ARM, "body": ARM["body"] + ARM["body"]})
    yield run({**ARM, "body": [{**ARM["body"][0], "name": "a"}, {**ARM["body"][0], "name": "b"}]})
    yield run({**ARM, "body": [{**ARM["body"][0], "shape": {"kind": "bok"}}]})
    yield run({"model": {"kind": "solid", "mesh": "missing.msh"}})
    yield run(formula(potential="sqrt(-1 - x^2)"))
    yield run(formula(force=["sqrt(0.5 - t)"]))
    yield run(formula(kinetic="x_dot"))
    yield run(formula(contact=[{"gap": "x", "friction": 0.3}]))
    yield run(formula(contact=[{"gap": "-x"}]))
    yield run(formula(), scheme="schatzman-paoli", step=1e-3)
    yield run(ball(q0=[0.1]), step=1e-3, end=0.1)
    yield run(ball(force=lambda q, v, t: [1.0, 2.0]), step=1e-3, end=0.1)
    yield run(ball(force=lambda q, v, t: 1 / 0), step=1e-3, end=0.1)
    yield run(ball(force=lambda q, v, t: [np.nan]), step=1e-3, end=0.1)
    yield run(ball(potential=lambda q: -10.0 * q[0]**2, force=lambda q, v, t: -20 * q), step=1e-3, end=0.1)
    yield run(ball(), step=1e-3, end=0.1, scheme="event-drivenn")
    yield run(ball(friction=0.2, tangent=lambda q: [[1.0]]), step=1e-3, end=0.1, scheme="newmark")
    yield lambda: ball(friction=0.2)
    yield lambda: ball(gap=3)
    yield lambda: percussion.check("bouncing-ball", set={"scheme.name": "nothing"})
    yield lambda: percussion.compare("bouncing-ball", [])
    yield lambda: percussion.compare("bouncing-ball", ["nothing"])
    yield lambda: percussion.compare("bouncing-ball", ["moreau-jean:theta"])
    yield lambda: percussion.converge("bouncing-ball", [], [1e-2, 1e-3])
    yield lambda: percussion.converge("bouncing-ball", ["moreau-jean"], [1e-2])
    yield lambda: percussion.converge("bouncing-ball", ["moreau-jean"], [1e-2, 9.0])
    yield lambda: percussion.converge("pendulum", ["moreau-jean"], [1e-2, 1e-3], reference="nothing")
    yield lambda: percussion.sweep({"sweep": {"scenario": "bouncing-ball", "parameter": []}})
    yield lambda: percussion.sweep({"sweep": {"scenario": "nothing", "parameter": [{"key": "time.end", "values": [1.0]}]}})
    yield lambda: percussion.sensitivity("bouncing-ball", "q0", [])
    yield lambda: percussion.sensitivity("bouncing-ball", "q0", ["nothing.at.all"])
    yield lambda: percussion.sensitivity("bouncing-ball", "nothing", ["model.q0.0"])
    yield lambda: ok.gradient("q0", ["nothing.at.all"])
    yield study("nothing")
    yield study("bifurcation")
    yield study("orbit", parameter="nothing")
    yield lambda: percussion.dynamics("bouncing-ball")
    yield lambda: percussion.solve("missing.dat")
    yield lambda: percussion.solve([[1.0]], [1.0], solver="nothing")
    yield lambda: percussion.solve([[0.0]], [np.nan])
    yield lambda: ok.save(tmp_path / "a", format="nothing")
    yield lambda: ok.save("/proc/nothing/here")
    yield lambda: percussion.Simulation("bouncing-ball", set={"time.adaptive": {"order": 1}})
    yield lambda: sim.set("force", 1.0)
    yield lambda: sim.set("force[0]", [1.0, 2.0])
    yield lambda: sim.set("force[0]", float("nan"))
    yield lambda: sim.set("force[0]", "much")
    yield lambda: sim.release("nothing")
    yield lambda: setattr(sim, "state", {"q": [1.0, 2.0]})
    yield lambda: setattr(sim, "state", percussion.Simulation("pendulum").state)
    yield lambda: percussion.scenario_text("nothing")
    yield lambda: percussion.fit("bouncing-ball", {}, [])


def test_mistakes_are_answered_in_python(tmp_path):
    told, quiet = 0, []
    for k, mistake in enumerate(mistakes(tmp_path)):
        try:
            mistake()
        except percussion.PercussionError as error:
            for text in (str(error), error.message, error.help, error.field, error.file or ""):
                assert foreign(text) is None, f"mistake {k}: {foreign(text)!r} in\n{text}"
            told += 1
        except (TypeError, ValueError, KeyError) as error:
            assert foreign(str(error)) is None, error
            told += 1
        else:
            quiet.append(k)
    assert told >= 85 and len(quiet) <= 3, (told, quiet)


def literals():
    """Strings of the crates that name an option or a command; the program's own crate speaks to terminals."""
    for path in SOURCES.glob("*/src/**/*.rs"):
        if "percussion-cli" in path.parts or "percussion-gpu" in path.parts:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.lstrip().startswith("//"):
                continue
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                if FOREIGN.search(CARGO.sub("", text)):
                    yield path.name, text


@pytest.mark.skipif(not SOURCES.is_dir(), reason="there are no sources here")
def test_every_text_of_the_program_has_words_in_python():
    found = list(literals())
    assert len(found) > 50
    for name, text in found:
        said = _core.in_python(text)
        assert foreign(said) is None, f"{name}: {text!r} becomes {said!r}"


def test_explanations_speak_python():
    for code in (f"{family}{k:03}" for family in "EW" for k in range(100, 500)):
        try:
            text = percussion.explain(code)
        except KeyError:
            continue
        assert foreign(text) is None, text
    assert "model" in percussion.schema()["properties"]


def test_warnings_speak_python():
    solution = percussion.run("bouncing-ball", scheme="newmark", end=0.05)
    for warning in solution.warnings + percussion.check("bouncing-ball", scheme="newmark", project=True):
        assert foreign(warning) is None, warning


def test_the_remedy_of_a_value_that_is_none():
    """A formula, a load or a function without a value is named with its time; other steps would not help."""
    cases = [
        (formula(force=["sqrt(0.5 - t)"]), "the force on coordinate 0"),
        (formula(potential="-5*x", contact=[{"gap": "2 - sqrt(0.7 - x)"}]), "gap"),
        (linear(force=[{"formula": "log(0.05 - t)"}]), "the load on coordinate 0"),
        ({**ARM, "body": [{**ARM["body"][0], "force": [{"formula": "sqrt(0.05 - t)"}, 0.0]}]}, "the load on arm"),
    ]
    for problem, what in cases:
        for scheme in ("moreau-jean", "generalized-alpha-ggl"):
            with pytest.raises(percussion.NumericalError) as caught:
                percussion.run(problem, scheme=scheme)
            error = caught.value
            assert error.code == "E203" and what in error.message and "t = " in error.message, error
            assert "formula" in error.help and "reduce" not in error.help, error
            assert error.solution is not None and len(error.solution.t) > 1
