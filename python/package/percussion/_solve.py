"""Contact problems on files and arrays."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._values import number, path_text, real, text, triplets, whole


class ContactSolution(NamedTuple):
    """The answer to a contact problem, with the words of `percussion solve --json`."""

    #: p of a complementarity problem, or reactions with one row per contact: r_n, r_t1[, r_t2[, r_r1, r_r2]].
    r: NDArray[np.float64]
    #: ``solved``, ``not_converged``, ``no_solution`` (proved) or ``time_limit``.
    status: str
    solver: str
    #: The two residuals every solver is judged by.
    residual: float
    residual_scaled: float
    iterations: int
    time_s: float
    kind: str
    contacts: int
    notes: list[str]

    @property
    def success(self) -> bool:
        """Whether both residuals are below the tolerance."""
        return self.status == "solved"


def solve(
    problem: Any,
    b: Any = None,
    mu: Any = None,
    mu_rolling: Any = None,
    *,
    solver: str = "auto",
    kind: Optional[str] = None,
    tolerance: Optional[float] = None,
    max_iterations: Optional[int] = None,
    time_limit: Optional[float] = None,
) -> ContactSolution:
    """Solves a contact problem given as a file, or as W and b.

        0 ≤ W p + b ⟂ p ≥ 0;    with μ: K*_μ ∋ u + μ|u_T| n ⟂ r ∈ K_μ,  u = W r + b

    Parameters
    ----------
    problem : a ``.dat`` or FCLIB ``.hdf5`` file (LCP, MLCP, friction local or global, rolling), or W, dense or sparse
    b : the velocities at zero impulse [m/s], for W
    mu : friction of each contact, or one for all; W then has 2, 3 or (with `mu_rolling`) 5 rows per contact, the
        normal first
    solver : a name of `percussion.solvers()`
    kind : of a file, where its structure leaves it open: lcp, mlcp, fc2d, fc3d, gfc2d, gfc3d, rolling
    tolerance : of both residuals, 1e-10 when left out
    time_limit : seconds; without it the number of iterations is limited
    """
    options = {
        "solver": text(solver, "solver"),
        "tolerance": None if tolerance is None else number(tolerance, "tolerance"),
        "max_iterations": None if max_iterations is None else whole(max_iterations, "max_iterations", 0),
        "time_limit": None if time_limit is None else number(time_limit, "time_limit"),
    }
    if isinstance(problem, (str, os.PathLike)):
        answer = _core.solve_file(path_text(problem, "problem"), None if kind is None else text(kind, "kind"), options)
    else:
        if b is None:
            raise _core.refusal("E103", "b", "is missing", "give solve(W, b)")
        vector = real(b, "b").reshape(-1)
        dense, sparse = None, None
        if hasattr(problem, "tocoo"):
            sparse = triplets(problem, "W")
        else:
            dense = real(problem, "W")
            if dense.ndim != 2:
                raise _core.refusal("E111", "W", f"has {dense.ndim} dimensions", "give a square matrix")
        coefficients: Union[list[float], None] = None
        rolling: list[float] = []
        if mu is not None:
            given = real(mu, "mu")
            if given.ndim == 0:
                width = 5 if mu_rolling is not None else 3
                given = np.repeat(given, max(1, vector.size // width))
            coefficients = given.reshape(-1).tolist()
            if mu_rolling is not None:
                given = real(mu_rolling, "mu_rolling").reshape(-1)
                if given.size not in (1, len(coefficients)):
                    message = f"has {given.size} entries for {len(coefficients)} contacts"
                    raise _core.refusal("E111", "mu_rolling", message, "give one each, or one for all")
                rolling = np.broadcast_to(given, (len(coefficients),)).tolist()
        answer = _core.solve_arrays(dense, sparse, vector.tolist(), coefficients, rolling, options)
    solution = answer["solution"]
    if answer["width"] > 1:
        solution = solution.reshape(-1, answer["width"])
    solution.flags.writeable = False
    names = ("status", "solver", "residual", "residual_scaled", "iterations", "time_s", "kind", "contacts")
    return ContactSolution(r=solution, notes=answer.get("notes", []), **{name: answer[name] for name in names})
