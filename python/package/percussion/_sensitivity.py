"""Derivatives of what a run gives by the keys of its scenario: initial values, masses, e, μ, geometry, loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._request import Problem, request
from ._values import number, text, whole

Array = NDArray[np.float64]


class Impact(NamedTuple):
    """An impact with the derivatives of its time."""

    t: float
    contact: int
    #: dt/dp for each parameter.
    derivatives: Array


class Sensitivity:
    """Numbers of a run with their derivatives."""

    def __init__(self, result: dict[str, Any]) -> None:
        rows = result["rows"]
        #: The scheme that moved it.
        self.scheme: str = result["scheme"]
        #: ``"exact"`` (variational equation, events included) or ``"differences"`` (of runs with one history of contacts).
        self.way: str = result["way"]
        #: Why not exactly, where it was not.
        self.remark: Optional[str] = result["remark"]
        #: The keys, and their values.
        self.wrt: list[str] = [key for key, _ in result["wrt"]]
        self.at: Array = np.array([x for _, x in result["wrt"]], dtype=float)
        #: Of each key ``"both"``, or the side on which its derivatives are taken at the end of its range: ``"above"``, ``"below"``.
        self.sides: list[str] = list(result["sides"])
        #: How far each key may go, to first order, until contacts are met in another order; infinite where nothing says so.
        self.reach: Array = np.array([np.inf if x is None else x for x in result["reach"]], dtype=float)
        #: What is differentiated, row by row, and when.
        self.of: list[str] = [row[0] for row in rows]
        self.t: Array = np.array([row[1] for row in rows], dtype=float)
        self.value: Array = np.array([row[2] for row in rows], dtype=float)
        #: One row per number, one column per key.
        self.gradient: Array = np.array([row[3] for row in rows], dtype=float).reshape(len(rows), len(self.wrt))
        #: How far each derivative may be off; zero where it is exact.
        self.error: Array = np.array([row[4] for row in rows], dtype=float).reshape(len(rows), len(self.wrt))
        #: All impacts, where the scheme locates them.
        self.impacts: list[Impact] = [Impact(t, contact, np.array(d)) for t, contact, d in result["impacts"]]

    def of_name(self, name: str) -> tuple[Array, Array, Array]:
        """Times, values and derivatives of one quantity."""
        rows = [k for k, own in enumerate(self.of) if own == name]
        if not rows:
            raise KeyError(f"{name} was not asked for; there are {', '.join(dict.fromkeys(self.of))}")
        return self.t[rows], self.value[rows], self.gradient[rows]

    def __repr__(self) -> str:
        return f"<{len(self.of)} numbers by {', '.join(self.wrt)}, {self.scheme}, {self.way}>"


def sensitivity(
    problem: Problem,
    of: Union[str, Sequence[str]] = (),
    wrt: Union[str, Sequence[str]] = (),
    *,
    times: Sequence[float] = (),
    threads: int = 0,
    **options: Any,
) -> Sensitivity:
    """Derivatives of states, energies and times of impacts with respect to keys of the scenario.

    With ``scheme="event-driven"`` they are exact: the variational equation goes along with the motion and jumps at events. A
    one-step scheme is differentiated as it is, steps of impacts unchanged: that is *not* the derivative of the motion, whose impacts
    move.

    Parameters
    ----------
    of : ``"q0"``, ``"v1"``, ``"energy"``, ``"lost"`` (to contacts), ``"impact 0"`` (its time); by default all coordinates and velocities
    wrt : keys as in `set`, such as ``"model.contact.0.restitution"``
    times : when [s]; by default at the end

    >>> ball = sensitivity("bouncing-ball", "impact 0", "model.q0.0", scheme="event-driven", end=1.0)
    >>> float(ball.gradient[0, 0].round(6))
    0.249844
    """
    when = [number(t, "times") for t in times]
    asked = request(problem, **options)
    return Sensitivity(_core.sensitivity(asked, _list(of, "of"), _list(wrt, "wrt"), when, whole(threads, "threads", 0)))


def _list(words: Union[str, Sequence[str]], field: str) -> list[str]:
    return [words] if isinstance(words, str) else [text(word, field) for word in words]
