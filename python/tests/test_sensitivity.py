"""Derivatives of runs, and parameters recovered from noisy measurements."""

import numpy as np
import pytest

import percussion

BALL = {
    "model": {
        "kind": "linear",
        "mass": [[2.0]],
        "gravity": [-9.81],
        "q0": [0.7],
        "v0": [0.0],
        "contact": [{"normal": [1.0], "restitution": 0.6}],
    },
    "scheme": {"name": "event-driven"},
    "time": {"end": 0.95, "step": 0.01},
}

#: A block that slides on a rough floor between two stops whose distance is not known.
BLOCK = {
    "model": {
        "kind": "linear",
        "mass": [[1.0, 0.0], [0.0, 1.0]],
        "force": [0.0, -9.81],
        "q0": [0.0, 0.0],
        "v0": [3.0, 0.0],
        "contact": [
            {"normal": [0.0, 1.0], "tangents": [[1.0, 0.0]], "friction": 0.2, "restitution": 0.0},
            {"normal": [-1.0, 0.0], "offset": 0.5, "restitution": 0.7},
            {"normal": [1.0, 0.0], "offset": 0.1, "restitution": 0.7},
        ],
    },
    "scheme": {"name": "event-driven"},
    "time": {"end": 0.7, "step": 0.01},
}


def test_times_of_impacts():
    made = percussion.sensitivity(BALL, ["impact 0", "impact 1"], ["model.q0.0", "model.contact.0.restitution"])
    t0 = np.sqrt(2 * 0.7 / 9.81)
    expected = [[t0 / 1.4, 0.0], [t0 / 1.4 * 2.2, 2.0 * t0]]
    assert made.way == "exact"
    np.testing.assert_allclose(made.gradient, expected, rtol=0, atol=1e-10)
    assert [impact.contact for impact in made.impacts] == [0, 0]


def test_a_solution_has_gradients():
    solution = percussion.run(BALL)
    own = solution.gradient(["q0", "v0"], "model.q0.0")
    direct = percussion.sensitivity(BALL, ["q0", "v0"], "model.q0.0").gradient
    np.testing.assert_array_equal(own, direct)


def test_what_cannot_be_differentiated_says_so():
    with pytest.raises(percussion.InputError, match="impacts"):
        percussion.sensitivity(BALL, "impact 0", "model.q0.0", scheme="moreau-jean")
    with pytest.raises(percussion.InputError, match="no key"):
        percussion.sensitivity(BALL, "q0", "model.contact.3.restitution")
    with pytest.raises(percussion.InputError, match="times"):
        percussion.fit(BALL, {"model.q0.0": 0.7}, times=[0.1, 0.2], data={"q0": [1.0]})
    with pytest.raises(KeyError, match="was not asked for"):
        percussion.sensitivity(BALL, "q0", "model.q0.0").of_name("v0")


@pytest.fixture(scope="module")
def errors():
    """Normalised errors of restitution, friction and clearance in 100 noisy cases."""
    pytest.importorskip("scipy")
    rng = np.random.default_rng(7)
    times = np.arange(0.02, 0.68, 0.02)
    floor, stop = "model.contact.0.friction", "model.contact.1"
    keys = [f"{stop}.restitution", floor, f"{stop}.offset"]
    sigma = 1e-3
    list_of_errors = []
    for _ in range(100):
        truth = np.array([rng.uniform(0.5, 0.9), rng.uniform(0.1, 0.3), rng.uniform(0.35, 0.6)])
        change = dict(zip(keys, map(float, truth)))
        exact = percussion.sensitivity(BLOCK, "q0", floor, times=times, set=change).value
        noisy = exact + sigma * rng.standard_normal(len(times))
        guess = {key: float(x * rng.uniform(0.95, 1.05)) for key, x in zip(keys, truth)}
        found = percussion.fit(BLOCK, guess, times=times, data={"q0": noisy}, sigma={"q0": sigma})
        list_of_errors.append((found.values - truth) / found.deviations)
    return np.array(list_of_errors)


def test_restitution_friction_and_clearance_from_noise(errors):
    """Each within two standard deviations in at least 90 of 100 cases."""
    assert (np.abs(errors) <= 2.0).mean(axis=0).min() >= 0.9


def test_the_mean_error_is_small(errors):
    """The mean normalised error within ±0.3."""
    assert np.abs(errors.mean(axis=0)).max() <= 0.3


def test_a_step_out_of_range_is_shortened():
    """Two impacts of the ball with e = 0.99: the first step from 0.7 goes beyond 1, which no restitution can be."""
    pytest.importorskip("scipy")
    t0 = np.sqrt(2 * 0.7 / 9.81)
    key = "model.contact.0.restitution"
    found = percussion.fit(BALL, {key: 0.7}, impacts=[t0, t0 * (1 + 2 * 0.99)], set={"time.end": 1.2})
    assert abs(found[key] - 0.99) < 1e-9


def test_a_minimum_that_fits_nothing_is_left(errors):
    """Case 81: an iteration from its guess ends 49 standard deviations away, behind the sample that the first impact must not pass."""
    assert np.abs(errors).max() <= 4.5


def test_what_is_not_determined_has_no_deviation():
    """Before the first impact nothing tells the restitution."""
    pytest.importorskip("scipy")
    keys = {"model.q0.0": 0.72, "model.contact.0.restitution": 0.6}
    found = percussion.fit(BALL, keys, times=[0.1, 0.2, 0.3], data={"q0": [0.65095, 0.5038, 0.25855]}, sigma={"q0": 1e-3})
    assert found.deviations[0] < 1e-3 and np.isinf(found.deviations[1])


def test_an_impact_at_the_time_of_a_sample_keeps_its_derivative():
    """x = e g t₀ s − ½ g s² after t₀: dx/de = g t₀ s, also where t₀ itself was asked for."""
    t0 = np.sqrt(2 * 0.7 / 9.81)
    for shift in (-1e-16, 0.0, 1e-16):
        made = percussion.sensitivity(BALL, "q0", "model.contact.0.restitution", times=[t0 + shift, 0.6])
        assert abs(made.gradient[1, 0] - 9.81 * t0 * (0.6 - t0)) < 1e-10


def test_ends_of_ranges_are_one_sided():
    """e = 1 from below: x = e g t0 s - g s^2/2 gives g t0 s, s = T - t0."""
    key = "model.contact.0.restitution"
    made = percussion.sensitivity(BALL, ["q0", "impact 0"], [key, "model.q0.0"], set={key: 1.0, "time.end": 0.6})
    t0 = np.sqrt(2 * 0.7 / 9.81)
    assert made.sides == ["below", "both"] and made.way == "exact"
    np.testing.assert_allclose(made.gradient[:, 0], [9.81 * t0 * (0.6 - t0), 0.0], rtol=0, atol=1e-10)


def test_a_fit_takes_names_and_an_end_of_a_range():
    """A ball without loss, measured by its name: the fit begins at e = 1 and ends there."""
    pytest.importorskip("scipy")
    key = "model.contact.0.restitution"
    ball = {**BALL, "model": {**BALL["model"], "coordinates": ["height"]}}
    times = [0.2, 0.5, 0.7]
    data = percussion.sensitivity(ball, "height", key, times=times, set={key: 1.0}).of_name("height")[1]
    found = percussion.fit(ball, {key: 1.0}, times=times, data={"height": data}, sigma={"height": 1e-3}, bounds={key: (0.0, 1.0)})
    assert abs(found[key] - 1.0) < 1e-9 and 0.0 < found.deviations[0] < 1e-2


E = "model.contact.0.restitution"
GOOD = dict(times=[0.1, 0.2], data={"q0": [0.65, 0.5]}, sigma={"q0": 1e-3})


@pytest.mark.parametrize(
    "parameters, change, code",
    [
        ({}, {}, "E171"),
        ([E], {}, "E171"),
        ({E: "half"}, {}, "E103"),
        ({E: float("nan")}, {}, "E171"),
        ({E: None}, {}, "E103"),
        ({7: 0.5}, {}, "E103"),
        ({E: 0.5}, {"set": {E: 0.4}}, "E171"),
        ({E: 0.5}, {"times": []}, "E171"),
        ({E: 0.5}, {"times": [0.2, 0.1]}, "E171"),
        ({E: 0.5}, {"times": [0.0, 0.1]}, "E171"),
        ({E: 0.5}, {"times": [0.1, 0.1]}, "E171"),
        ({E: 0.5}, {"times": [0.1, float("inf")]}, "E171"),
        ({E: 0.5}, {"times": [0.1, 99.0]}, "E171"),
        ({E: 0.5}, {"times": "soon"}, "E103"),
        ({E: 0.5}, {"times": [[0.1, 0.2]]}, "E171"),
        ({E: 0.5}, {"data": None}, "E171"),
        ({E: 0.5}, {"data": [0.65, 0.5]}, "E171"),
        ({E: 0.5}, {"data": {"q0": [0.65]}}, "E171"),
        ({E: 0.5}, {"data": {"q0": [0.65, float("nan")]}}, "E171"),
        ({E: 0.5}, {"data": {"q0": [0.65, 0.5j]}}, "E103"),
        ({E: 0.5}, {"data": {"q0": ["a", "b"]}}, "E103"),
        ({E: 0.5}, {"data": {"q9": [0.65, 0.5]}, "sigma": None}, "E171"),
        ({E: 0.5}, {"sigma": {"q0": 0.0}}, "E171"),
        ({E: 0.5}, {"sigma": {"q0": float("nan")}}, "E171"),
        ({E: 0.5}, {"sigma": {"v0": 1e-3}}, "E171"),
        ({E: 0.5}, {"sigma": {}}, "E171"),
        ({E: 0.5}, {"sigma": 1e-3}, "E171"),
        ({E: 0.5}, {"bounds": {"model.q0.0": (0, 1)}}, "E171"),
        ({E: 0.5}, {"bounds": {E: (1, 0)}}, "E171"),
        ({E: 0.5}, {"bounds": {E: (0.6, 1)}}, "E171"),
        ({E: 0.5}, {"bounds": {E: 1.0}}, "E171"),
        ({E: 0.5}, {"bounds": {E: (0, float("nan"))}}, "E171"),
        ({E: 0.5}, {"impacts": [0.4, 0.3], "sigma": None}, "E171"),
        ({E: 0.5}, {"impacts": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9], "sigma": None}, "E171"),
        ({"model.contact.3.restitution": 0.5}, {}, "E107"),
        ({E: 1.5}, {}, "E120"),
    ],
)
def test_what_a_fit_cannot_take_is_refused(parameters, change, code):
    pytest.importorskip("scipy")
    with pytest.raises(percussion.InputError) as caught:
        percussion.fit(BALL, parameters, **{**GOOD, **change})
    assert caught.value.code == code and caught.value.help, caught.value


def test_a_fit_without_freedom_knows_no_deviation():
    """One number, one key: without a standard deviation of it nothing says how sure the key is; it was said to be certain."""
    pytest.importorskip("scipy")
    found = percussion.fit(BALL, {"model.q0.0": 0.69}, times=[0.1], data={"q0": [0.65095]})
    assert abs(found["model.q0.0"] - 0.7) < 1e-9 and np.isinf(found.deviations[0]) and np.isnan(found.chi2)
