"""Parameter studies on threads, or on a Dask cluster."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._optional import optional
from ._request import plain
from ._values import path_text, whole


class SweepTable(Mapping[str, Any]):
    """The table of a sweep, one row per run in the order of their numbers.

    `run`, the parameters by their keys, the measures, then seed, status (finished, failed, refused), code, steps, t_end,
    the verdicts, energy_worst, gap_worst, impacts, state_hash and message. Numbers are NaN where a run has none; columns of
    whole numbers are integers where every run has one.
    """

    def __init__(self, text: str, columns: list[tuple[str, str]]) -> None:
        #: The table as CSV, to the byte what `percussion sweep` writes to `sweep.csv`.
        self.text = text
        self._kinds = dict(columns)
        header, *rows = list(csv.reader(io.StringIO(text)))
        self._cells = {name: [row[k] for row in rows] for k, name in enumerate(header)}
        self._rows = len(rows)

    def __getitem__(self, name: str) -> Any:
        cells, kind = self._cells[name], self._kinds[name]
        if kind == "word":
            return np.array(cells, dtype=str)
        if kind == "integer" and all(cells):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        """Number of runs."""
        return self._rows

    def __reduce__(self) -> Any:
        return (SweepTable, (self.text, list(self._kinds.items())))

    def __repr__(self) -> str:
        return f"<{self._rows} runs: {', '.join(self._cells)}>"

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return optional("pandas", "frames").DataFrame({name: self[name] for name in self})

    def to_xarray(self) -> Any:
        """An xarray dataset over `run`."""
        columns = {name: ("run", self[name]) for name in self if name != "run"}
        return optional("xarray", "frames").Dataset(columns, coords={"run": self["run"]})

    def to_parquet(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes one Parquet file, the same bytes as `percussion sweep --format parquet`; returns its path."""
        _core.write_parquet(list(self._kinds.items()), self.text, path_text(path, "path"))
        return Path(path)


def sweep(
    sweep: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    *,
    client: Any = None,
    threads: Optional[int] = None,
    out: Union[str, "os.PathLike[str]", None] = None,
    format: str = "csv",
    chunk: int = 4,
) -> SweepTable:
    """Runs a parameter study.

        row i = f(sweep, i):  the same table on threads, in shards and on a cluster

    Parameters
    ----------
    sweep : a file with ``[sweep]``, or a dictionary with its keys
    client : a ``distributed.Client``; without one the runs are made by threads of this process
    threads : how many; all cores when left out
    out : a folder for `sweep.csv` and for the rows so far, from which a stopped sweep goes on, wherever it goes on
    format : ``"parquet"`` also writes `sweep.parquet` there
    chunk : runs per task of the cluster

    Runs that are refused or fail are rows with a status, a code and a message.
    """
    if format not in ("csv", "parquet"):
        raise _core.refusal("E103", "format", f"there is no format {format!r} of sweeps", 'use "csv" or "parquet"')
    parquet = format == "parquet"
    count = os.cpu_count() or 1 if threads is None else whole(threads, "threads", 1)
    chunk = whole(chunk, "chunk", 1)
    if client is not None and not hasattr(client, "submit"):
        message = f"a value of type {type(client).__name__} is no client"
        raise _core.refusal("E103", "client", message, "give a distributed.Client")
    plan = _plan(sweep)
    if out is not None:
        return _into(plan, Path(path_text(out, "out")), client, count, parquet, chunk)
    with tempfile.TemporaryDirectory() as folder:
        return _into(plan, Path(folder) / "sweep", client, count, False, chunk)


def _plan(sweep: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> _core.SweepPlan:
    if isinstance(sweep, Mapping):
        return _core.SweepPlan(None, "sweep", _core.toml_text(plain(sweep, "", None)), os.getcwd())
    return _core.SweepPlan(path_text(sweep, "sweep"), "", None, None)


def _into(plan: _core.SweepPlan, folder: Path, client: Any, threads: int, parquet: bool, chunk: int) -> SweepTable:
    if client is None:
        plan.run(os.fspath(folder), (1, 1), threads, parquet)
    else:
        _on_cluster(plan, os.fspath(folder), client, chunk)
        plan.gather(os.fspath(folder), parquet)
    return SweepTable((folder / "sweep.csv").read_text(encoding="utf-8"), plan.columns)


def _on_cluster(plan: _core.SweepPlan, folder: str, client: Any, chunk: int) -> None:
    """Every task is pure and named by the sweep and its runs: one that is lost with its worker is made again, and two
    results of one task are one result. Rows are kept as they come."""
    as_completed = optional("distributed", "dask").as_completed
    text, missing = plan.standalone(), plan.missing(folder)
    mark = hashlib.sha256(f"{_core.version}\n{text}".encode()).hexdigest()[:16]
    parts = [missing[k : k + chunk] for k in range(0, len(missing), chunk)]
    place = None if plan.folder is None else os.fspath(plan.folder)
    futures = [client.submit(_rows, text, place, runs, key=_key(mark, runs), retries=5) for runs in parts]
    try:
        for future in as_completed(futures):
            plan.append(folder, future.result())
    finally:
        client.cancel([future for future in futures if not future.done()])


def _key(mark: str, runs: list[int]) -> str:
    return f"percussion-{mark}-" + hashlib.sha256(repr(runs).encode()).hexdigest()[:16]


@lru_cache(maxsize=4)
def _standalone(text: str, folder: Optional[str]) -> _core.SweepPlan:
    return _core.SweepPlan(None, "sweep", text, folder)


def _rows(text: str, folder: Optional[str], runs: list[int]) -> list[str]:
    """The rows of some runs, on a worker."""
    plan = _standalone(text, folder)
    return [plan.row(i) for i in runs]
