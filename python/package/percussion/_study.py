"""Schemes side by side, and orders of convergence: loops over `run`, in the words of the command line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from . import _core
from ._errors import PercussionError
from ._request import Problem
from ._run import run
from ._solution import Solution


class Comparison(Mapping[str, Solution]):
    """One solution per scheme; schemes that could not run are in `failed`."""

    def __init__(self, solutions: dict[str, Solution], failed: dict[str, PercussionError]) -> None:
        self._solutions = solutions
        #: Why a scheme is missing.
        self.failed = failed

    def __getitem__(self, scheme: str) -> Solution:
        return self._solutions[scheme]

    def __iter__(self) -> Iterator[str]:
        return iter(self._solutions)

    def __len__(self) -> int:
        return len(self._solutions)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._solutions.values()))

    def _repr_html_(self) -> str:
        return "".join(solution._repr_html_() for solution in self._solutions.values())

    def report(self, path: Union[str, "os.PathLike[str]"] = "percussion-report.html") -> Path:
        """Writes one page about all of them; returns its path."""
        with tempfile.TemporaryDirectory() as folder:
            runs = [str(s.save(Path(folder) / str(k))) for k, s in enumerate(self._solutions.values())]
            _core.report(runs, os.fspath(path))
        return Path(path)


def compare(problem: Problem, schemes: Sequence[Any], **options: Any) -> Comparison:
    """Runs a problem by several schemes, with the options of `run`.

    >>> runs = compare("bouncing-ball", ["moreau-jean", "newmark"], end=0.5)
    >>> [solution.verdicts["energy"].status for solution in runs.values()]
    ['pass', 'pass']
    """
    solutions: dict[str, Solution] = {}
    failed: dict[str, PercussionError] = {}
    for scheme in schemes:
        name = str(scheme.get("name", scheme)) if isinstance(scheme, Mapping) else str(scheme)
        while name in solutions or name in failed:
            name += "'"
        try:
            solutions[name] = run(problem, scheme=scheme, **options)
        except PercussionError as error:
            if not error.code.startswith(("E155", "E2")):
                raise
            failed[name] = error
    return Comparison(solutions, failed)


class Convergence(NamedTuple):
    """Errors of one scheme over a range of steps and the order fitted to them: error ≈ C hᵖ."""

    scheme: str
    #: h [s].
    steps: list[float]
    #: L1 = Σ h Σ_i |q_i − q(t_i)|.
    l1_q: list[float]
    l1_v: list[float]
    #: p by least squares of logarithms; NaN for fewer than two errors above zero.
    order_q: float
    order_v: float


def converge(
    problem: Problem,
    schemes: Sequence[Any],
    steps: Sequence[float],
    *,
    exact: Optional[Callable[[float], tuple[Any, Any]]] = None,
    **options: Any,
) -> list[Convergence]:
    """Runs a problem by each scheme with each step and fits the order of its error.

    Errors of velocities with jumps are measured in L1: at an impact a velocity is off by O(1) for one step, its
    integral is not.

    Parameters
    ----------
    exact : t → (q, v), the motion to measure against; by default the same scheme with an eighth of the smallest step,
        between whose rows values are interpolated
    """
    rows = []
    for scheme in schemes:
        if exact is None:
            finest = run(problem, scheme=scheme, step=min(steps) / 8, **options)
            reference = _interpolated(finest)
        else:
            reference = _evaluated(exact)
        errors = []
        for h in steps:
            found = run(problem, scheme=scheme, step=h, **options)
            q, v = reference(found.t)
            errors.append((h * np.abs(found.q - q).sum(), h * np.abs(found.v - v).sum()))
        l1_q, l1_v = ([float(error[k]) for error in errors] for k in (0, 1))
        name = str(scheme.get("name", scheme)) if isinstance(scheme, Mapping) else str(scheme)
        orders = (fit_order(steps, l1_q), fit_order(steps, l1_v))
        rows.append(Convergence(name, [float(h) for h in steps], l1_q, l1_v, *orders))
    return rows


def fit_order(steps: Sequence[float], errors: Sequence[float]) -> float:
    """p of error ≈ C hᵖ by least squares of logarithms."""
    points = [(np.log(h), np.log(error)) for h, error in zip(steps, errors) if h > 0.0 and error > 0.0]
    if len({x for x, _ in points}) < 2:
        return float("nan")
    x, y = np.array(points).T
    return float(np.polyfit(x, y, 1)[0])


def _interpolated(finest: Solution) -> Callable[[Any], tuple[Any, Any]]:
    def at(t: Any) -> tuple[Any, Any]:
        columns = ([np.interp(t, finest.t, x) for x in part.T] for part in (finest.q, finest.v))
        q, v = (np.stack(list(part), axis=1) for part in columns)
        return q, v

    return at


def _evaluated(exact: Callable[[float], tuple[Any, Any]]) -> Callable[[Any], tuple[Any, Any]]:
    def at(t: Any) -> tuple[Any, Any]:
        values = [exact(float(x)) for x in t]
        q, v = (np.array([np.atleast_1d(value[k]) for value in values], dtype=np.float64) for k in (0, 1))
        return q, v

    return at
