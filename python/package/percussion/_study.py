"""Schemes side by side, and orders of convergence: the studies of the command line, in its words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from . import _core
from ._errors import PercussionError
from ._request import Choice, Problem, plain, request
from ._solution import Drawing, Names, Solution
from ._values import OWN_FOLDER, number, path_text, real, text, whole


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
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            runs = [str(s.save(Path(folder) / str(k))) for k, s in enumerate(self._solutions.values())]
            _core.report(runs, os.fspath(path))
        return Path(path)

    def figure(self, name: str, *, only: Names = None, time: Optional[tuple[float, float]] = None) -> Drawing:
        """A figure of all of them overlaid; as `Solution.figure`."""
        return Drawing(list(self._solutions.values()), str(name), only, time)


def compare(problem: Problem, schemes: Sequence[Choice], *, threads: int = 0, **options: Any) -> Comparison:
    """Runs a problem by several schemes on all cores, with the options of `run`.

    Parameters
    ----------
    schemes : names, words as on the command line such as ``"moreau-jean:theta=1"``, or dictionaries
    threads : how many to use, all cores for 0; results do not depend on it
    out : a folder for the runs, one below it for each scheme

    >>> runs = compare("bouncing-ball", ["moreau-jean", "newmark"], end=0.5)
    >>> [solution.verdicts["energy"].status for solution in runs.values()]
    ['pass', 'pass']
    """
    out = options.pop("out", None)
    threads = whole(threads, "threads", 0)
    solutions: dict[str, Solution] = {}
    failed: dict[str, PercussionError] = {}
    for label, result in _core.compare(request(problem, **options), [_words(scheme) for scheme in _sequence(schemes, "schemes")], threads):
        if isinstance(result, PercussionError):
            # a scheme that does not move this model; anything else is wrong with what was asked
            if result.code != "E155":
                raise result
            failed[label] = result
            continue
        raised = result.pop("raised")
        solution = Solution(result)
        if isinstance(raised, PercussionError):
            raised.solution = solution
            failed[label] = raised
            continue
        solutions[label] = solution
    if out is not None:
        for label, solution in solutions.items():
            solution.save(Path(path_text(out, "out")) / "".join(c if c.isalnum() or c in "-_.=" else "-" for c in label))
    return Comparison(solutions, failed)


class Convergence(NamedTuple):
    """Errors of one scheme over a range of steps and the order fitted to them: error ≈ C hᵖ."""

    scheme: str
    #: h [s], or tolerances.
    steps: list[float]
    #: L1 = Σ h Σ_i |q_i − q(t_i)|; NaN where a run failed.
    l1_q: list[float]
    l1_v: list[float]
    #: p by least squares of logarithms; NaN for fewer than two errors above zero.
    order_q: float
    order_v: float
    #: Standard error of p.
    scatter_q: float
    scatter_v: float
    #: Steps computed, rejected ones too.
    work: list[int]
    #: What errors are measured against.
    reference: str
    #: Hausdorff distances of the filled-in graphs, where they were asked for.
    hausdorff_q: Optional[list[float]]
    hausdorff_v: Optional[list[float]]
    #: Code and words of each run that failed.
    failures: list[str]


def converge(
    problem: Problem,
    schemes: Sequence[Choice],
    steps: Optional[Sequence[float]] = None,
    *,
    tolerances: Optional[Sequence[float]] = None,
    exact: Optional[Callable[[float], tuple[Any, Any]]] = None,
    reference: Choice = None,
    hausdorff: bool = False,
    threads: int = 0,
    **options: Any,
) -> list[Convergence]:
    """Runs a problem by each scheme with each step and fits the order of its error, with its scatter.

    Errors of velocities with jumps are measured in L1: at an impact a velocity is off by O(1) for one step, its
    integral is not.

    Parameters
    ----------
    schemes : names, words as on the command line such as ``"moreau-jean:theta=1"``, or dictionaries
    steps : h [s]; or `tolerances` of adaptive steps
    exact : t → (q, v), the motion to measure against; by default the exact motion where it is known (a bouncing ball, an
        oscillator against a wall, two masses, a bar, a sliding block), else located events with an eighth of the smallest
        step, else the first scheme with that step
    reference : a scheme to measure against instead
    hausdorff : also the Hausdorff distance of the filled-in graphs

    >>> rows = converge("impact-oscillator", ["moreau-jean"], [1e-2, 5e-3, 2.5e-3, 1.25e-3])
    >>> rows[0].reference, 0.5 < rows[0].order_q < 1.6
    ('the exact motion', True)
    """
    found = _core.converge(
        request(problem, **options),
        [_words(scheme) for scheme in _sequence(schemes, "schemes")],
        None if steps is None else [number(h, "steps") for h in _sequence(steps, "steps")],
        None if tolerances is None else [number(x, "tolerances") for x in _sequence(tolerances, "tolerances")],
        None if exact is None else _motion(exact),
        None if reference is None else _words(reference),
        bool(hausdorff),
        whole(threads, "threads", 0),
    )
    nan = float("nan")
    orders = {(variant, measure): fit for variant, measure, fit in found["orders"]}
    rows = []
    for k, label in enumerate(found["labels"]):
        runs = [run for run in found["rows"] if run["scheme"] == k]

        def column(name: str) -> list[float]:
            return [nan if run[name] is None else float(run[name]) for run in runs]

        q, v = (orders[k, measure] or (nan, nan) for measure in ("l1_q", "l1_v"))
        rows.append(
            Convergence(
                label,
                column("level"),
                column("l1_q"),
                column("l1_v"),
                q[0],
                v[0],
                q[1],
                v[1],
                [int(run["work"]) for run in runs],
                found["reference"],
                column("hausdorff_q") if hausdorff else None,
                column("hausdorff_v") if hausdorff else None,
                [run["failure"] for run in runs if run["failure"] is not None],
            )
        )
    return rows


def _words(scheme: Choice) -> tuple[str, list[tuple[str, Any]]]:
    """A scheme as the command line writes it, and its keys where it came as a dictionary."""
    if isinstance(scheme, Mapping):
        keys = dict(scheme)
        name = keys.pop("name", "")
        return text(name, "scheme.name"), [(f"scheme.{key}", plain(x, f"scheme.{key}", None)) for key, x in keys.items()]
    return text(scheme, "scheme.name"), []


def _sequence(x: Any, field: str) -> list[Any]:
    """A list; one name is not a list of letters."""
    if isinstance(x, (str, bytes, Mapping)) or not hasattr(x, "__iter__"):
        raise _core.refusal("E103", field, f"a value of type {type(x).__name__} is no list", "give a list")
    return list(x)


def _motion(exact: Callable[[float], tuple[Any, Any]]) -> Callable[[float], tuple[list[float], list[float]]]:
    def at(t: float) -> tuple[list[float], list[float]]:
        q, v = exact(t)
        return _list(q), _list(v)

    return at


def _list(x: Any) -> list[float]:
    return [float(entry) for entry in np.atleast_1d(real(x, "exact")).reshape(-1)]
