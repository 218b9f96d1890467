"""What there is: schemes, solvers, built-in scenarios, error codes."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import _core


class Scheme(NamedTuple):
    """One row of `schemes()`."""

    name: str
    summary: str
    parameters: list[str]
    models: str


def schemes() -> list[Scheme]:
    """Every scheme with its parameters and the models it moves."""
    return [Scheme(*row) for row in _core.schemes()]


def solvers() -> dict[str, str]:
    """Every solver of contact problems and what it is good for."""
    return dict(_core.solvers())


def scenarios() -> dict[str, str]:
    """Every built-in scenario and what it shows."""
    return dict(_core.scenarios())


def scenario_text(scenario: str) -> str:
    """The TOML of a scenario file or of a built-in scenario."""
    return _core.scenario_text(str(scenario))


def schema() -> dict[str, Any]:
    """Every key of scenarios with its kind, default and meaning, as a JSON Schema."""
    return dict(json.loads(_core.schema_text()))


def explain(code: str) -> str:
    """What an error code means and what to do."""
    found = _core.explain(code)
    if found is None:
        raise KeyError(code)
    title, text = found
    return f"{code.strip().upper()}: {title}\n\n{text}"
