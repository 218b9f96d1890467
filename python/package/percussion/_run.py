"""One run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from . import _core
from ._errors import PercussionError
from ._request import Choice, Problem, request
from ._progress import Bar, Progress, teller
from ._solution import Solution, Start, beginning, check_format, export


def run(
    problem: Problem,
    *,
    scheme: Choice = None,
    step: Optional[float] = None,
    end: Optional[float] = None,
    solver: Choice = None,
    every: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    project: bool = False,
    out: Union[str, "os.PathLike[str]", None] = None,
    format: str = "csv",
    progress: Progress = None,
    device: Optional[str] = None,
    start: Start = None,
) -> Solution:
    """Runs a problem from t = 0 to its end.

        M dv + (K q + C v) dt = F(t) dt + G dI,    0 ≤ g ⟂ dI ≥ 0 with u⁺ = −e u⁻ at impacts

    Parameters
    ----------
    problem : a scenario file, the name of a built-in scenario, a dictionary with the keys of a scenario file (arrays
        welcome), a `Linear`, `Bodies`, `Bar`, `Beam`, `Pendulum`, `RockingBlock`, or a `Model`
    scheme : a name, or a dictionary such as ``{"name": "moreau-jean", "theta": 0.6}``
    step, end : h and T [s]
    solver : a name, or a dictionary such as ``{"tolerance": 1e-12}``
    every : one row of every table in so many steps; works and impulses in between are summed
    set : other keys of the scenario, dotted: ``{"model.contact.0.restitution": 0.5}``
    start : begin where another run ended: its `Solution`, its folder, or ``"folder@0.5"`` for a time. Bodies that move are
        taken by name, whatever else differs; other models need as many coordinates. The clock begins at zero
    project : move an initial state that penetrates to the nearest admissible one
    out : a folder for the same files `percussion run --out` writes
    device : where many contacts are swept, ``"cpu"``, ``"gpu"`` or ``"auto"``; results do not depend on it
    format : of the tables there; ``"parquet"`` and ``"hdf5"`` write such files beside the text
    progress : a bar on what takes longer than a second, by default on terminals and in notebooks; False for none, or a
        function of the step, the number of steps and t

    Returns
    -------
    Solution : t, q, v, the energy ledger, contacts, events and verdicts

    Raises
    ------
    InputError : the problem cannot be run as it is
    NumericalError : a step could not be made; the steps before it are in its `.solution`
    KeyboardInterrupt : Ctrl-C; the step under way is finished, files of `out` are complete
    """
    check_format(format)
    tell = teller(progress)
    with beginning(start) as folder:
        asked = request(problem, scheme, step, end, solver, every, set, project, out, device, folder)
        try:
            result = _core.run(asked, tell)
        finally:
            if isinstance(tell, Bar):
                tell.clear()
    if out is not None:
        export(asked["out"], format)
    raised = result.pop("raised")
    solution = Solution(result)
    if raised is not None:
        if isinstance(raised, PercussionError):
            raised.solution = solution
        raise raised
    return solution


def check(problem: Problem, **options: Any) -> list[str]:
    """Validates a problem without running it, with the options of `run`; its warnings."""
    _, warnings = _core.check(request(problem, **options))
    return warnings
