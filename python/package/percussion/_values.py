"""Single values and arrays as Rust takes them, refused with a code where they are something else."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core

#: Folders the package makes for a moment begin with this; no message names them.
OWN_FOLDER = "percussion-own-"


def number(x: Any, field: str) -> float:
    """A float."""
    if isinstance(x, (str, bytes)):
        raise _core.refusal("E103", field, f"{x!r} is not a number", "give a number")
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError):
        raise _core.refusal("E103", field, f"{short(x)} is not a number", "give a number") from None


def whole(x: Any, field: str, least: int) -> int:
    """An integer of at least so much."""
    try:
        k = x.__index__()
    except AttributeError:
        raise _core.refusal("E103", field, f"{short(x)} is not a whole number", "give an integer") from None
    if not least <= k < 2**31:
        raise _core.refusal("E103", field, f"{short(k)} is outside {least}, …, 2147483647", "give another number")
    return int(k)


def text(x: Any, field: str) -> str:
    """A string."""
    if not isinstance(x, str):
        raise _core.refusal("E103", field, f"a value of type {type(x).__name__} is no text", "give a string")
    # lone surrogates have no place in UTF-8
    return x.encode("utf-8", "replace").decode("utf-8")


def path_text(x: Any, field: str) -> str:
    """A path as text."""
    try:
        return os.fsdecode(x)
    except TypeError:
        message = f"a value of type {type(x).__name__} is no path"
        raise _core.refusal("E103", field, message, "give a string or a pathlib.Path") from None


def short(x: Any) -> str:
    """How a message shows a value."""
    try:
        shown = repr(x)
    except Exception:
        shown = f"a value of type {type(x).__name__}"
    return shown if len(shown) <= 60 else shown[:57] + "..."


def real(x: Any, field: str) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """A float64 array, contiguous; complex numbers, text, objects and masked entries are refused."""
    try:
        array = np.asarray(x)
    except (ValueError, TypeError):
        # lists of lists of different lengths
        raise _core.refusal("E111", field, "has rows of different lengths", "give a rectangular array") from None
    if array.dtype.kind not in "fiub":
        raise _core.refusal("E103", field, f"has entries of type {array.dtype}", "give real numbers")
    if isinstance(x, np.ma.MaskedArray) and bool(np.ma.getmaskarray(x).any()):
        raise _core.refusal("E110", field, "has masked entries", "fill them in, or leave them out")
    return np.ascontiguousarray(array, dtype=np.float64)


def triplets(x: Any, field: str) -> tuple[Any, ...]:
    """Shape, rows, columns and entries of a SciPy sparse matrix or array."""
    coo = x.tocoo()
    if len(coo.shape) == 1:
        coo = coo.reshape(1, -1)
    rows, columns = (np.ascontiguousarray(part, dtype=np.int64) for part in (coo.row, coo.col))
    return (tuple(int(k) for k in coo.shape), rows, columns, real(coo.data, field))
