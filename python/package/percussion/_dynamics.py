"""Sections, spectra, bifurcation diagrams, basins, periodic orbits and exponents: studies of ``[dynamics]``."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._optional import optional
from ._request import plain
from ._values import OWN_FOLDER, path_text, text, whole

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Dynamics(Mapping[str, Any]):
    """What a study made: its tables by name, each a dictionary of columns.

    >>> made = dynamics("two.toml")            # doctest: +SKIP
    >>> made["bifurcation"]["q0"]              # doctest: +SKIP
    """

    def __init__(self, kind: str, files: list[Path]) -> None:
        #: section, spectrum, bifurcation, basin, orbit or exponent
        self.kind = kind
        #: Tables, figures and pages.
        self.files = files
        self._tables = {path.stem: _table(path) for path in files if path.suffix == ".csv"}

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        """Number of tables."""
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<{self.kind}: {', '.join(self._tables)}>"

    def to_pandas(self, table: Optional[str] = None) -> Any:
        """A table, the first when none is named, as a pandas data frame."""
        return optional("pandas", "frames").DataFrame(self._tables[table or next(iter(self._tables))])


def dynamics(
    scenario: Scenario,
    *,
    client: Any = None,
    shards: int = 16,
    threads: Optional[int] = None,
    out: Union[str, "os.PathLike[str]", None] = None,
    format: str = "csv",
    scheme: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
) -> Dynamics:
    """Makes what ``[dynamics]`` of a scenario asks for, as ``percussion dynamics`` does.

    Parameters
    ----------
    scenario : a file, the name of a built-in scenario, or a dictionary with the same keys
    client : a ``distributed.Client`` that shares out the starts of a basin, the values of exponents, or those of a
        diagram with ``carry = false``
    shards : into how many parts
    threads : how many; all cores when left out
    out : a folder for tables, figures and the page, where a study that was stopped goes on; without it the tables alone are kept
    format : ``"parquet"`` also writes the tables as Parquet
    scheme : another one than the scenario's
    set : any keys, dotted: ``{"dynamics.points": 100}``
    """
    if format not in ("csv", "parquet"):
        raise _core.refusal("E103", "format", f"there is no format {format!r} of studies", 'use "csv" or "parquet"')
    count = os.cpu_count() or 1 if threads is None else whole(threads, "threads", 1)
    changes = [f"{key}={_value(value)}" for key, value in (set or {}).items()]
    name = None if scheme is None else text(scheme, "scheme")
    with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as own:
        study = (_path(scenario, Path(own)), changes, name)
        kind, rows = _core.dynamics_kind(study)
        folder = Path(own) / "study" if out is None else Path(path_text(out, "out"))
        if client is not None and rows:
            _on_cluster(client, study, folder, whole(shards, "shards", 1))
        files, _ = _core.dynamics(study, os.fspath(folder), (1, 1), count, format == "parquet")
        made = Dynamics(kind, [Path(file) for file in files])
        if out is None:
            made.files = []
        return made


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value, "set", None))


def _path(scenario: Scenario, own: Path) -> str:
    if not isinstance(scenario, Mapping):
        return path_text(scenario, "scenario")
    path = own / "scenario.toml"
    path.write_text(_core.toml_text(plain(scenario, "", None)), encoding="utf-8")
    return os.fspath(path)


def _table(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    return {name: _column([row[k] for row in rows]) for k, name in enumerate(header)}


def _column(cells: list[str]) -> Any:
    """Numbers, NaN where a cell is empty; words where any is none."""
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=str)


def _on_cluster(client: Any, study: tuple[str, list[str], Optional[str]], folder: Path, shards: int) -> None:
    """Each part is made in a folder of its worker and comes back as text; the rows do not depend on who made them."""
    if not hasattr(client, "submit"):
        message = f"a value of type {type(client).__name__} is no client"
        raise _core.refusal("E103", "client", message, "give a distributed.Client")
    # before the parts of another study are written over
    _core.dynamics_begin(study, os.fspath(folder))
    path, changes, scheme = study
    file = Path(path)
    source = file.read_text(encoding="utf-8") if file.is_file() else None
    parts = [client.submit(_part, path, source, changes, scheme, (i, shards), pure=False) for i in range(1, shards + 1)]
    for i, part in enumerate(parts, start=1):
        (folder / f"part-{i}-of-{shards}.csv").write_text(part.result(), encoding="utf-8")


def _part(path: str, source: Optional[str], changes: list[str], scheme: Optional[str], shard: tuple[int, int]) -> str:
    """The rows of a shard, on a worker."""
    with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as own:
        if source is not None and not Path(path).is_file():
            path = os.fspath(Path(own) / Path(path).name)
            Path(path).write_text(source, encoding="utf-8")
        folder = Path(own) / "study"
        _core.dynamics((path, changes, scheme), os.fspath(folder), shard, 1, False)
        return (folder / f"part-{shard[0]}-of-{shard[1]}.csv").read_text(encoding="utf-8")
