"""Parameters of a scenario from measured motions and times of impacts, by Gauss–Newton on exact gradients.

Σ((model − data)/σ)² is smooth only as long as no impact passes the time of a sample: beyond such a kink the sum can have a minimum that
fits nothing, and an iteration that starts on the far side ends there. Where the residuals that are left are no noise, the motion is
therefore fitted again from its beginning: a quarter of the time, half, three quarters, all of it, each from what the part before found. The
first impacts, which the early samples fix, are then on their own side of the kinks before later samples count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError, NumericalError, PercussionError
from ._measured import IMPACTS, Measured, guesses, measured, ranges, refuse
from ._optional import optional
from ._request import Problem
from ._sensitivity import sensitivity

Array = NDArray[np.float64]


class Fit:
    """Parameters that fit, and how sure they are."""

    def __init__(self, keys: list[str], found: Any, scaled: bool) -> None:
        #: The keys and what was found for them.
        self.keys = keys
        self.values: Array = np.array(found.x, dtype=float)
        #: (model − data)/σ, at the solution.
        self.residuals: Array = found.fun
        #: Whether the iteration ended well, and in how many evaluations.
        self.success: bool = bool(found.success)
        self.evaluations: int = int(found.nfev)
        freedom = len(found.fun) - len(keys)
        #: Σ residual² over the degrees of freedom: about 1 where σ is right; NaN where there are no more measurements than keys.
        self.chi2: float = float(found.fun @ found.fun) / freedom if freedom > 0 else np.nan
        #: (JᵀJ)⁻¹, times χ² where σ was not given; infinite for what the measurements do not determine.
        self.covariance: Array = _covariance(np.asarray(found.jac, dtype=float))
        if scaled:
            # what a fit without freedom leaves says nothing of what was measured
            self.covariance *= self.chi2 if freedom > 0 else np.inf
            self.covariance[np.isnan(self.covariance)] = np.inf
        #: Standard deviations.
        self.deviations: Array = np.sqrt(np.diag(self.covariance))

    def __getitem__(self, key: str) -> float:
        return float(self.values[self.keys.index(key)])

    def __repr__(self) -> str:
        rows = zip(self.keys, self.values, self.deviations)
        return "\n".join(f"{key} = {x:.8g} ± {deviation:.2g}" for key, x, deviation in rows)


def _covariance(jacobian: Array) -> Array:
    """(JᵀJ)⁻¹ by the singular values of J with columns of length 1."""
    length = np.linalg.norm(jacobian, axis=0)
    unit = jacobian / np.where(length > 0.0, length, 1.0)
    _, sizes, directions = np.linalg.svd(unit, full_matrices=False)
    lost = sizes <= 1e-12 * sizes.max(initial=0.0)
    inverse = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, sizes) ** 2)
    covariance: Array = (directions.T * inverse) @ directions / np.outer(length, length).clip(min=np.finfo(float).tiny)
    free = (length == 0.0) | (np.abs(directions[lost]).max(axis=0, initial=0.0) > 1e-6)
    covariance[np.diag_indices_from(covariance)] = np.where(free, np.inf, np.diag(covariance))
    return covariance


def fit(
    problem: Problem,
    parameters: Mapping[str, float],
    *,
    times: Sequence[float] = (),
    data: Optional[Mapping[str, Any]] = None,
    impacts: Sequence[float] = (),
    sigma: Optional[Mapping[str, float]] = None,
    bounds: Optional[Mapping[str, tuple[float, float]]] = None,
    **options: Any,
) -> Fit:
    """Fits keys of a scenario to measurements.

    Parameters
    ----------
    parameters : keys with first guesses, such as ``{"model.contact.0.restitution": 0.7}``
    times, data : when was measured, and what: ``{"q0": [...], "v1": [...]}``
    impacts : measured times of the first impacts [s]
    sigma : standard deviations, ``{"q0": 1e-3, "impacts": 1e-4}``, of all that was measured; without, all are taken as equal and found
        from the fit
    bounds : least and greatest value of a key
    options : as of `run`: ``set``, ``end``, ``scheme``

    The motion is computed event-driven, with exact derivatives; SciPy's trust-region method does the rest. The first guess must
    meet the contacts in the order of the measurement.
    """
    optimize = optional("scipy.optimize", "fit")
    seen = measured(times, data, impacts, sigma)
    keys, start = guesses(parameters, options.get("set") or {})
    bounded = ranges(bounds, keys, start)
    model = _Model(problem, keys, seen, options)
    model.begin(start)
    search = _Search(optimize.least_squares, model, bounded, start)
    found = search.end(start)
    if not _is_noise(found, seen.known):
        grown = search.grow(start)
        found = grown if grown is not None and grown.cost < found.cost else found
    return Fit(keys, found, not seen.known)


def _is_noise(found: Any, known: bool) -> bool:
    """Whether Σ residual² is within five of its standard deviations, √(2ν), of its mean ν; unknown where σ is not given."""
    freedom = max(found.fun.size - found.x.size, 1)
    return known and 2.0 * found.cost <= freedom + 5.0 * np.sqrt(2.0 * freedom)


class _Search:
    """The ways to a minimum."""

    #: Parts of the time that was measured.
    PARTS = (0.25, 0.5, 0.75)

    def __init__(self, least_squares: Any, model: _Model, bounds: tuple[Array, Array], guess: Array) -> None:
        self.least_squares, self.model, self.bounds, self.guess = least_squares, model, bounds, guess
        self.size = np.where(guess == 0.0, 1.0, np.abs(guess))

    def end(self, start: Array) -> Any:
        """The minimum that an iteration from here ends in."""
        return self.least_squares(
            self.model.residuals, start, jac=self.model.jacobian, bounds=self.bounds, x_scale=self.size, xtol=1e-12, ftol=1e-12,
            gtol=1e-12,
        )

    def grow(self, start: Array) -> Optional[Any]:
        """The same after the beginning of the motion has been fitted; nothing where a part of it leads nowhere."""
        last = self.model.seen.last_time
        n = len(start)
        # what a beginning does not determine stays near its guess: a standard deviation of its own size
        held = np.diag(1.0 / self.size)
        for part in self.PARTS:
            rows = self.model.seen.until(part * last)
            if not rows.any():
                continue
            try:
                start = self.least_squares(
                    lambda x: np.concatenate([self.model.residuals(x)[rows], held @ (x - self.guess)]), start,
                    jac=lambda x: np.concatenate([self.model.jacobian(x)[rows], held]), bounds=self.bounds, x_scale=self.size,
                    max_nfev=20 * n,
                ).x
            except PercussionError:
                return None
        try:
            return self.end(start)
        except PercussionError:
            return None


class _Model:
    """Residuals and their derivatives at a point; the last one is kept."""

    def __init__(self, problem: Problem, keys: list[str], seen: Measured, options: dict[str, Any]) -> None:
        self.problem, self.keys, self.seen = problem, keys, seen
        self.options = {"scheme": "event-driven", **options}
        self.set: dict[str, Any] = dict(self.options.pop("set", None) or {})
        self.last: Optional[tuple[Array, Array, Array]] = None

    def begin(self, start: Array) -> None:
        """At the first guess, whose motion must have what was measured."""
        try:
            self.evaluate(start)
        except InputError as error:
            count = len(self.seen.impacts)
            if error.code == "E171" and "impacts" in error.message and count:
                message = f"{count} impacts were measured; at the first guess {error.message}"
                refuse("impacts", message, "begin nearer, or let the run last longer: set={\"time.end\": ...}")
            raise

    def evaluate(self, x: Array) -> tuple[Array, Array]:
        if self.last is not None and np.array_equal(self.last[0], x):
            return self.last[1], self.last[2]
        struck = [f"impact {k}" for k in range(len(self.seen.impacts))]
        changed = {**self.set, **dict(zip(self.keys, map(float, x)))}
        try:
            made = sensitivity(
                self.problem, [*self.seen.data, *struck], self.keys, times=self.seen.times, set=changed, **self.options
            )
        except NumericalError as error:
            error.add_note(f"while fitting, at {changed}") if hasattr(error, "add_note") else None
            raise
        series = [(name, values, self.seen.sigma[name]) for name, values in self.seen.data.items()]
        series += [(name, t, self.seen.sigma[IMPACTS]) for name, t in zip(struck, self.seen.impacts)]
        residuals, rows = [], []
        for name, values, sigma in series:
            _, model, gradient = made.of_name(name)
            residuals.append((model - values) / sigma)
            rows.append(gradient / sigma)
        self.last = (x.copy(), np.concatenate(residuals), np.concatenate(rows))
        return self.last[1], self.last[2]

    def residuals(self, x: Array) -> Array:
        """Residuals; infinite, so that the iteration takes a shorter step, where a step led out of what a model can be."""
        try:
            return self.evaluate(x)[0]
        except PercussionError:
            if self.last is None:
                raise
            return np.full_like(self.last[1], np.inf)

    def jacobian(self, x: Array) -> Array:
        return self.evaluate(x)[1]
