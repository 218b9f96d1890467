"""Mechanical systems with contact, impact and friction, with an energy ledger that closes.

The same nouns as in Rust and in scenario files: a *problem* says what, a *scheme* how in time, a *solver* how at an
instant.

    M dv + (K q + C v) dt = F(t) dt + G dI,    g = Gᵀq + w(t) ≥ 0

>>> import percussion
>>> solution = percussion.run("bouncing-ball", end=0.5)
>>> solution.verdicts["energy"].status
'pass'
"""

from ._core import version as __version__
from ._bodies import Bodies
from ._described import Bar, Beam, Formula, Pendulum, RockingBlock, Solid
from ._errors import CallbackError, FileError, InputError, NumericalError, PercussionError
from ._linear import Linear
from ._dynamics import Dynamics, dynamics
from ._fit import Fit, fit
from ._listing import Scheme, explain, scenario_text, scenarios, schema, schemes, solvers
from ._model import Model
from ._run import check, run
from ._sensitivity import Impact, Sensitivity, sensitivity
from ._simulation import Contact, Event, Joint, Ledger, Reaction, Simulation, State
from ._solution import Solution, Table, Verdict
from ._solve import ContactSolution, solve
from ._study import Comparison, Convergence, compare, converge
from ._sweep import SweepTable, sweep

__all__ = [
    "Bar",
    "Beam",
    "Bodies",
    "CallbackError",
    "Comparison",
    "Contact",
    "ContactSolution",
    "Convergence",
    "Dynamics",
    "Event",
    "FileError",
    "Fit",
    "Formula",
    "Impact",
    "InputError",
    "Joint",
    "Ledger",
    "Linear",
    "Model",
    "NumericalError",
    "Pendulum",
    "PercussionError",
    "Reaction",
    "RockingBlock",
    "Scheme",
    "Sensitivity",
    "Simulation",
    "Solid",
    "Solution",
    "State",
    "SweepTable",
    "Table",
    "Verdict",
    "__version__",
    "check",
    "compare",
    "converge",
    "dynamics",
    "explain",
    "fit",
    "run",
    "scenario_text",
    "scenarios",
    "schema",
    "schemes",
    "sensitivity",
    "solve",
    "solvers",
    "sweep",
]
