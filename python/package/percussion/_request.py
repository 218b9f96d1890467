"""From what users write to what Rust takes: plain tables, and matrices beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._bodies import Bodies
from ._described import Described
from ._linear import Linear
from ._model import Model
from ._values import number, path_text, real, text, triplets

Problem = Union[str, "os.PathLike[str]", Mapping[str, Any], Linear, Bodies, Described, Model]
Choice = Union[str, Mapping[str, Any], None]

#: Keys whose two-dimensional arrays go to Rust as they are.
MATRICES = ("model.mass", "model.stiffness", "model.damping")


def request(
    problem: Problem,
    scheme: Choice = None,
    step: Optional[float] = None,
    end: Optional[float] = None,
    solver: Choice = None,
    every: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    project: bool = False,
    out: Union[str, "os.PathLike[str]", None] = None,
    device: Optional[str] = None,
    start: Union[str, "os.PathLike[str]", None] = None,
) -> dict[str, Any]:
    """The request `_core.run` takes."""
    changes: dict[str, Any] = {}
    scheme_name = None
    if isinstance(scheme, Mapping):
        words = dict(scheme)
        named = words.pop("name", None)
        scheme_name = None if named is None else text(named, "scheme.name")
        changes.update({f"scheme.{key}": x for key, x in words.items()})
    elif scheme is not None:
        scheme_name = text(scheme, "scheme.name")
    if isinstance(solver, Mapping):
        changes.update({f"solver.{key}": x for key, x in solver.items()})
    elif solver is not None:
        changes["solver.name"] = text(solver, "solver.name")
    if every is not None:
        changes["output.every"] = every
    if set is not None:
        if not isinstance(set, Mapping):
            message = f"a value of type {type(set).__name__} names no keys"
            raise _core.refusal("E107", "set", message, 'give a dictionary such as {"scheme.theta": 0.6}')
        changes.update({text(key, "set"): x for key, x in set.items()})

    asked: dict[str, Any] = {
        "source": None,
        "name": "scenario",
        "table": None,
        "dense": [],
        "sparse": [],
        "model": None,
        "scheme": scheme_name,
        "step": None if step is None else number(step, "time.step"),
        "end": None if end is None else number(end, "time.end"),
        "set": [(key, plain(x, key, None)) for key, x in changes.items()],
        "project": bool(project),
        "start": None if start is None else path_text(start, "start"),
        "device": None if device is None else text(device, "solver.device"),
        "out": None if out is None else path_text(out, "out"),
    }
    if isinstance(problem, (str, os.PathLike)):
        asked["source"] = path_text(problem, "problem")
        return asked
    if isinstance(problem, (Linear, Bodies, Described, Model)):
        if isinstance(problem, Model):
            asked["model"] = problem._own
        asked["name"] = text(problem.name, "name")
        problem = problem.scenario()
    if not isinstance(problem, Mapping):
        help = "give a scenario's name or file, a dictionary with its keys, or a model"
        raise _core.refusal("E103", "problem", f"a value of type {type(problem).__name__} is no problem", help)
    asked["table"] = plain(problem, "", asked)
    if "time" not in asked["table"] and step is None and end is None:
        raise _core.refusal("E103", "time", "neither the step nor the end is known", "give step=… and end=… [s]")
    return asked


def plain(x: Any, field: str, asked: Optional[dict[str, Any]]) -> Any:
    """Dictionaries, lists, numbers and text; matrices are put beside them where there is a place for them."""
    if isinstance(x, Mapping):
        return {str(key): plain(part, f"{field}.{key}" if field else str(key), asked) for key, part in x.items()}
    if hasattr(x, "tocoo"):
        return sparse(x, field, asked)
    if isinstance(x, np.ndarray):
        array = real(x, field)
        if asked is not None and field in MATRICES and array.ndim == 2:
            asked["dense"].append((field, array))
            return {"file": field}
        return array.tolist()
    if isinstance(x, np.generic):
        return x.item()
    if hasattr(x, "__array__") and not isinstance(x, type):
        return plain(np.asarray(x), field, asked)
    if isinstance(x, (list, tuple)):
        return [plain(part, f"{field}[{k}]", asked) for k, part in enumerate(x)]
    if isinstance(x, os.PathLike):
        return os.fspath(x)
    return x


def sparse(x: Any, field: str, asked: Optional[dict[str, Any]]) -> Any:
    """A matrix put beside the tables, or a row as { coordinate = entry }."""
    shape, rows, columns, entries = triplets(x, field)
    if asked is not None and field in MATRICES:
        asked["sparse"].append((field, shape, rows, columns, entries))
        return {"file": field}
    if 1 not in shape:
        message = f"is {shape[0]} × {shape[1]}"
        raise _core.refusal("E111", field, message, "give a sparse row or column here")
    row: dict[str, float] = {}
    for k, entry in zip((columns if shape[0] == 1 else rows).tolist(), entries.tolist()):
        row[str(k)] = row.get(str(k), 0.0) + entry
    return row
