"""Packages that are only needed for some exports."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def optional(name: str, extra: str) -> Any:
    """The package, or an ImportError that says how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise ImportError(f"this needs {package}: pip install {package}, or percussion[{extra}]", name=package) from error
