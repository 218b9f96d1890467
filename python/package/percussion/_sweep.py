"""Parameter studies on threads, or on a Dask cluster."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._request import plain


class SweepTable(Mapping[str, Any]):
    """The table of a sweep, one row per run in the order of their numbers.

    `run`, the parameters by their keys, the measures, then seed, status (finished, failed, refused), code, steps, t_end,
    the verdicts, energy_worst, gap_worst, impacts, state_hash and message.
    """

    def __init__(self, text: str) -> None:
        #: The table as CSV, to the byte what `percussion sweep` writes to `sweep.csv`.
        self.text = text
        header, *rows = list(csv.reader(io.StringIO(text)))
        self._columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
        self._rows = len(rows)

    def __getitem__(self, name: str) -> Any:
        cells = self._columns[name]
        try:
            return np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            return np.array(cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of runs."""
        return self._rows

    def __repr__(self) -> str:
        return f"<{self._rows} runs: {', '.join(self._columns)}>"

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return import_module("pandas").DataFrame({name: self[name] for name in self})

    def to_parquet(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes one Parquet file (needs pyarrow)."""
        table = import_module("pyarrow").table({name: self[name] for name in self})
        import_module("pyarrow.parquet").write_table(table, os.fspath(path))


def sweep(
    sweep: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    *,
    client: Any = None,
    threads: Optional[int] = None,
    out: Union[str, "os.PathLike[str]", None] = None,
    chunk: int = 4,
) -> SweepTable:
    """Runs a parameter study.

        row i = f(sweep, i):  the same table on threads, in shards and on a cluster

    Parameters
    ----------
    sweep : a file with ``[sweep]``, or a dictionary with its keys
    client : a ``distributed.Client``; without one the runs are made by threads of this process
    threads : how many; all cores when left out
    out : a folder for `sweep.csv`; on threads also for the rows so far, from which a stopped sweep goes on
    chunk : runs per task of the cluster

    Runs that are refused or fail are rows with a status, a code and a message.
    """
    plan = _plan(sweep)
    if client is not None:
        text = _on_cluster(plan, client, chunk)
        if out is not None:
            Path(out).mkdir(parents=True, exist_ok=True)
            (Path(out) / "sweep.csv").write_text(text)
        return SweepTable(text)
    workers = threads or os.cpu_count() or 1
    if out is not None:
        return _on_threads(plan, Path(out), workers)
    with tempfile.TemporaryDirectory() as folder:
        return _on_threads(plan, Path(folder) / "sweep", workers)


def _plan(sweep: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> _core.SweepPlan:
    if isinstance(sweep, Mapping):
        return _core.SweepPlan(None, "sweep", _core.toml_text(plain(sweep, "", None)), os.getcwd())
    return _core.SweepPlan(os.fspath(sweep), "", None, None)


def _on_threads(plan: _core.SweepPlan, folder: Path, threads: int) -> SweepTable:
    plan.run(os.fspath(folder), (1, 1), threads)
    return SweepTable((folder / "sweep.csv").read_text())


def _on_cluster(plan: _core.SweepPlan, client: Any, chunk: int) -> str:
    """Every task is pure and named by the sweep and its runs: one that is lost with its worker is made again, and two
    results of one task are one result."""
    text = plan.standalone()
    mark = hashlib.sha256(f"{_core.version}\n{text}".encode()).hexdigest()[:16]
    ranges = [(i, min(i + chunk, plan.count)) for i in range(0, plan.count, max(1, chunk))]
    futures = [client.submit(_rows, text, *r, key=f"percussion-{mark}-{r[0]}-{r[1]}", retries=5) for r in ranges]
    rows = [row for part in client.gather(futures) for row in part]
    return "\n".join([plan.header, *rows]) + "\n"


@lru_cache(maxsize=4)
def _standalone(text: str) -> _core.SweepPlan:
    return _core.SweepPlan(None, "sweep", text, os.getcwd())


def _rows(text: str, begin: int, end: int) -> list[str]:
    """The rows of some runs, on a worker."""
    plan = _standalone(text)
    return [plan.row(i) for i in range(begin, end)]
