"""What was measured, as `fit` takes it: checked once, so that an iteration never meets what it cannot use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._values import number, real, short, text

Array = NDArray[np.float64]

#: What `sigma` calls the times of impacts.
IMPACTS = "impacts"


def refuse(field: str, message: str, help: str) -> NoReturn:
    raise _core.refusal("E171", field, message, help)


class Measured(NamedTuple):
    """Numbers with their standard deviations, 1 where these are not known."""

    #: When motions were measured [s].
    times: list[float]
    #: What was, by name.
    data: dict[str, Array]
    #: Times of impacts [s].
    impacts: Array
    #: Of each name, and of `IMPACTS`.
    sigma: dict[str, float]
    #: Whether they were given.
    known: bool

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(len(values) for values in self.data.values()) + len(self.impacts)

    @property
    def last_time(self) -> float:
        """The time of the last one."""
        return float(max([*self.times, *self.impacts]))

    def until(self, t: float) -> NDArray[np.bool_]:
        """Which residuals are of measurements up to a time."""
        when = np.concatenate([*(np.array(self.times) for _ in self.data), self.impacts])
        return when <= t


def measured(times: Any, data: Any, impacts: Any, sigma: Any) -> Measured:
    """The measurements, refused where they are none."""
    when = _row(times, "times")
    _rising(when, "times")
    values = {} if data is None else _named(data, "data")
    series = {name: _row(own, f"data: {name}") for name, own in values.items()}
    for name, own in series.items():
        if len(own) != len(when):
            refuse("data", f"{name} has {len(own)} values for {len(when)} times", "give one value for each time")
    if len(when) and not series:
        refuse("times", "there are times, and no data that were measured then", 'give data={"q0": [...]}, or leave out times')
    struck = _row(impacts, "impacts")
    _rising(struck, "impacts")
    if not len(struck) and not any(len(own) for own in series.values()):
        refuse("data", "there is nothing to fit to", "give times and data, or impacts")
    names = [*series, *([IMPACTS] if len(struck) else [])]
    return Measured(list(map(float, when)), series, struck, _deviations(sigma, names), sigma is not None)


def ranges(bounds: Any, keys: list[str], start: Array) -> tuple[Array, Array]:
    """Least and greatest values of the keys; the first guess lies between them."""
    lower, upper = np.full(len(keys), -np.inf), np.full(len(keys), np.inf)
    for key, pair in ({} if bounds is None else _named(bounds, "bounds")).items():
        field = f"bounds: {key}"
        if key not in keys:
            refuse(field, f"{key} is none of the keys that are fitted", f"use one of {', '.join(keys)}")
        try:
            least, most = pair
        except (TypeError, ValueError):
            refuse(field, f"{short(pair)} is no pair", "give the least and the greatest value")
        low, high = number(least, field), number(most, field)
        if not low < high:
            refuse(field, f"from {low} to {high} there is nothing", "give the smaller value first")
        k = keys.index(key)
        if not low <= start[k] <= high:
            refuse(field, f"the first guess {start[k]} is not between {low} and {high}", "begin within the bounds")
        lower[k], upper[k] = low, high
    return lower, upper


def guesses(parameters: Any, fixed: Mapping[str, Any]) -> tuple[list[str], Array]:
    """The keys with their first guesses."""
    named = _named(parameters, "parameters")
    if not named:
        refuse("parameters", "there is no key to fit", 'name keys with first guesses: {"model.q0.0": 0.5}')
    for key in named:
        if key in fixed:
            refuse("set", f"{key} is set and fitted", "leave it out of set or of parameters")
    start = np.array([number(x, f"parameters: {key}") for key, x in named.items()])
    for key, x in zip(named, start):
        if not np.isfinite(x):
            refuse(f"parameters: {key}", f"{x} is no first guess", "give a finite number")
    return list(named), start


def _named(values: Any, field: str) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        refuse(field, f"a value of type {type(values).__name__} has no names", "give a dictionary")
    return {text(name, field): own for name, own in values.items()}


def _row(values: Any, field: str) -> Array:
    """Finite numbers in one row."""
    row = real(list(values) if isinstance(values, (range, set, frozenset)) else values, field)
    if row.ndim != 1:
        refuse(field, f"has {row.ndim} dimensions", "give one row of numbers")
    if not np.isfinite(row).all():
        refuse(field, f"entry {int(np.argmin(np.isfinite(row)))} is {row[~np.isfinite(row)][0]}", "leave out what was not measured")
    return row


def _rising(row: Array, field: str) -> None:
    if len(row) and not (row[0] > 0.0 and (np.diff(row) > 0.0).all()):
        refuse(field, "do not rise from above 0", "give the times in order, each once; at 0 is the start itself")


def _deviations(sigma: Optional[Any], names: list[str]) -> dict[str, float]:
    if sigma is None:
        return dict.fromkeys(names, 1.0)
    given = {name: number(x, f"sigma: {name}") for name, x in _named(sigma, "sigma").items()}
    for name, x in given.items():
        if name not in names:
            refuse(f"sigma: {name}", f"{name} was not measured", f"there are {', '.join(names)}")
        if not (0.0 < x < np.inf):
            refuse(f"sigma: {name}", f"{x} is no standard deviation", "give a positive number")
    for name in names:
        if name not in given:
            refuse("sigma", f"there is none of {name}", "give that of all that was measured, or of nothing")
    return given
