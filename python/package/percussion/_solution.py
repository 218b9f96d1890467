"""What a run leaves: arrays, ledger, contacts, events, verdicts."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._optional import optional
from ._values import OWN_FOLDER, path_text

Array = NDArray[np.float64]


class Verdict(NamedTuple):
    """One certificate: ``pass``, ``warn``, ``fail``, ``report`` or ``none``, with its worst case."""

    status: str
    worst: float
    t: float
    contact: Optional[str]
    text: str
    contact_id: Optional[int] = None
    level: Optional[str] = None


#: Columns of whole numbers, and of words.
_WHOLE = ("step", "contact", "element")
_WORDS = ("status", "kind", "body_a", "body_b", "joint", "beam", "coordinate", "column", "name", "unit")


class Table(Mapping[str, Any]):
    """Named columns; numbers are read-only views into one array, without a copy."""

    def __init__(self, values: Array, columns: list[str], words: list[str]) -> None:
        values.flags.writeable = False
        self._flat = values
        self._columns = columns
        self._words = words
        #: All cells, one row per row of the table; words as numbers.
        self.array: Array = values.reshape(-1, len(columns)) if columns else values.reshape(0, 0)

    def __getitem__(self, name: str) -> Any:
        try:
            column = self.array[:, self._columns.index(name)]
        except ValueError:
            raise KeyError(f"no column {name}; there are {', '.join(self._columns)}") from None
        if name in _WHOLE:
            return column.astype(np.int64)
        if name in _WORDS:
            # an empty cell is NaN
            places = np.where(np.isnan(column), len(self._words), column).astype(np.int64)
            return np.array([*self._words, ""], dtype=str)[places]
        return column

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.array)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __reduce__(self) -> Any:
        return (Table, (self._flat, self._columns, self._words))

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self._columns)}>"

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return optional("pandas", "frames").DataFrame({name: self[name] for name in self._columns})


#: In the order of the run folder: those of bodies, of joints and of beams, and the names.
_TABLES = ("trajectory", "contacts", "energy", "events", "momentum", "reactions", "joints", "beams", "inputs", "names")


class Solution:
    """A run: what `summary.json` and the tables of a run folder hold.

    Attributes
    ----------
    t : times, rows [s]
    q, v : coordinates and velocities, rows × n; row 0 is the initial state
    energy : the ledger: kinetic, potential, energy, algorithmic_energy, work_external, work_damping, work_contact,
        work_joints, dissipation_numerical, residual [J]; works belong to the step that led to the row
    contacts : the contacts of the index set of each step: step, t, contact, gap, u_n, p_n, status, …
    events : impacts, beginnings and ends of contact
    momentum : the account of linear and angular momentum; None where the model is not made of bodies
    reactions, joints : what the joints of bodies carry, and their coordinates with rates; None without joints
    beams : strains and section forces of the elements of beams and cables; None without them
    inputs : what a program set in a live simulation: step, t, name, axis, value; None where it set nothing
    names : what columns, joints and contacts are called, with units: kind, column, name, unit
    verdicts : energy, gap, cone, joints, solver, momentum (bodies)
    summary : everything of `summary.json`
    """

    def __init__(self, result: dict[str, Any]) -> None:
        self._handle = result["handle"]
        self._size = (result["n_q"], result["n_v"])
        self._tables = {name: Table(*result[name]) for name in _TABLES if name in result}
        n_q, n_v = self._size
        rows = self._tables["trajectory"].array
        self.t: Array = rows[:, 0]
        self.q: Array = rows[:, 1 : 1 + n_q]
        self.v: Array = rows[:, 1 + n_q : 1 + n_q + n_v]
        self.energy, self.contacts, self.events = (self._tables[name] for name in ("energy", "contacts", "events"))
        self.momentum, self.reactions, self.joints, self.beams = (self._tables.get(name) for name in _TABLES[4:8])
        self.inputs = self._tables.get("inputs")
        self.names = self._tables["names"]
        self.summary: dict[str, Any] = json.loads(result["summary"])
        self.verdicts = {name: Verdict(**verdict) for name, verdict in self.summary["verdicts"].items()}

    def __reduce__(self) -> Any:
        tables = {name: (table._flat, table._columns, table._words) for name, table in self._tables.items()}
        return (_restored, (tables, self._size, self._handle.packed()))

    @property
    def scheme(self) -> str:
        """The scheme's name."""
        return str(self.summary["scheme"]["name"])

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.summary["scenario"])

    @property
    def state_hash(self) -> str:
        """Fingerprint of every state of the run, the same as from the command line."""
        return str(self.summary["state_hash"])

    @property
    def warnings(self) -> list[str]:
        """What you should know."""
        return [_core.in_python(warning) for warning in self.summary["warnings"]]

    @property
    def success(self) -> bool:
        """Whether the run reached its end and no certificate failed."""
        failed = any(verdict.status == "fail" for verdict in self.verdicts.values())
        return not (failed or "failure" in self.summary or self.summary.get("interrupted", False))

    @property
    def scenario(self) -> str:
        """The resolved scenario as TOML."""
        return str(self._handle.scenario_text())

    def contact_name(self, contact: int) -> str:
        """What a contact is called: its two bodies and a number, or the node of a solid."""
        found = self.names["name"][(self.names["kind"] == "contact") & (self.names["column"] == str(int(contact)))]
        return str(found[0]) if len(found) else f"contact {int(contact)}"

    def _labels(self, kind: str) -> list[str]:
        """Names with units of the coordinates or velocities that were kept."""
        of_kind = self.names["kind"] == kind
        pairs = zip(self.names["name"][of_kind], self.names["unit"][of_kind])
        return [f"{name} [{unit}]" if unit not in ("", "1") else str(name) for name, unit in pairs]

    def save(self, folder: Union[str, "os.PathLike[str]"], format: str = "csv") -> Path:
        """Writes the folder `percussion run --out` would have written, with ``format="parquet"`` or ``"hdf5"`` as well;
        returns it."""
        check_format(format)
        kept = (self._tables[name] for name in _TABLES if name in self._tables)
        tables = [(table._flat, table._columns, table._words) for table in kept]
        folder = path_text(folder, "folder")
        self._handle.save(folder, tables)
        export(folder, format)
        return Path(folder)

    def report(self, path: Union[str, "os.PathLike[str]"] = "report.html") -> Path:
        """Writes the self-contained HTML report; returns its path."""
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            page = (self.save(Path(folder) / "run") / "report.html").read_bytes()
        Path(path).write_bytes(page)
        return Path(path)

    def play(self, path: Union[str, "os.PathLike[str]"] = "play.html") -> Path:
        """Writes a page that holds this scenario and the simulator, to change and run it in a browser, offline; returns its path."""
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            _core.play(str(self.save(Path(folder) / "run") / "scenario.toml"), os.fspath(path))
        return Path(path)

    def show(self, height: int = 900) -> "Page":
        """The report inside a notebook, as the last expression of a cell or by `IPython.display.display`."""
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            page = self.report(Path(folder) / "report.html").read_text(encoding="utf-8")
        return Page(page, height)

    def gradient(self, of: Any, wrt: Any, **options: Any) -> Array:
        """Derivatives of numbers of this run by keys of its scenario, one row per number; see `percussion.sensitivity`."""
        from ._sensitivity import sensitivity

        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            self.save(folder)
            return sensitivity(Path(folder) / "scenario.toml", of, wrt, **options).gradient

    def plot(self) -> Any:
        """Coordinates, energies and impulses over time, as a matplotlib figure (install ``percussion[plot]``)."""
        pyplot = optional("matplotlib.pyplot", "plot")
        figure, (above, middle, below) = pyplot.subplots(3, 1, sharex=True, figsize=(8, 8), layout="constrained")
        labels = self._labels("coordinate")
        # coordinates that rest, such as those of fixed bodies, only fill the legend
        moving = [i for i in range(self.q.shape[1]) if np.ptp(self.q[:, i]) > 0.0] or list(range(self.q.shape[1]))
        for i in moving[:8]:
            above.plot(self.t, self.q[:, i], label=labels[i] if i < len(labels) else f"q{i}", linewidth=1)
        above.set_ylabel("q")
        for column in ("kinetic", "potential", "energy"):
            middle.plot(self.energy["t"], self.energy[column], label=column, linewidth=1)
        middle.set_ylabel("energy [J]")
        contact, t, p = self.contacts["contact"], self.contacts["t"], self.contacts["p_n"]
        for i in np.unique(contact)[:8]:
            below.plot(t[contact == i], p[contact == i], ".", markersize=3, label=self.contact_name(i))
        below.set_ylabel("impulse p_n [N·s]")
        below.set_xlabel("t [s]")
        for axes in (above, middle, below):
            if axes.get_legend_handles_labels()[0]:
                axes.legend(loc="best", fontsize="small")
        above.set_title(f"{self.name} by {self.scheme}: energy {self.verdicts['energy'].status}")
        return figure

    def to_pandas(self) -> Any:
        """t, q0, …, v0, … as a pandas data frame."""
        return self._tables["trajectory"].to_pandas()

    def to_xarray(self) -> Any:
        """q, v and the ledger over t as an xarray dataset."""
        ledger = {name: ("t", self.energy[name]) for name in self.energy if name not in ("step", "t")}
        states = {"q": (("t", "coordinate"), self.q), "v": (("t", "velocity"), self.v)}
        return optional("xarray", "frames").Dataset({**states, **ledger}, coords={"t": self.t}, attrs={"state_hash": self.state_hash})

    def __repr__(self) -> str:
        marks = ", ".join(f"{name} {verdict.status}" for name, verdict in self.verdicts.items())
        return f"<{self.name} by {self.scheme}: {self.summary['steps']} steps to t = {self.summary['t_end']} s; {marks}>"

    def _repr_html_(self) -> str:
        """A table of verdicts for notebooks."""
        head = f"{self.name} by {self.scheme}: {self.summary['steps']} steps to t = {self.summary['t_end']} s"
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td><b>{html.escape(verdict.status)}</b></td>"
            f"<td style='text-align:left'>{html.escape(verdict.text)}</td></tr>"
            for name, verdict in self.verdicts.items()
        )
        return f"<table><caption>{html.escape(head)}</caption>{rows}</table>"


class Page:
    """A report that a notebook shows in a frame of its own."""

    def __init__(self, text: str, height: int) -> None:
        #: The page.
        self.text = text
        self._height = int(height)

    def _repr_html_(self) -> str:
        # a page of its own inside the notebook: its style and script stay there
        source = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{source}" sandbox="allow-scripts allow-downloads" style="width:100%;height:{self._height}px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<report of {len(self.text)} letters; a notebook shows it>"


class Packed:
    """What a solution keeps beside its tables once it was taken to another process; read again when it is needed."""

    def __init__(self, text: str, matrices: Any, summary: str) -> None:
        self._parts = (text, matrices, summary)

    def packed(self) -> Any:
        """As it came."""
        return self._parts

    def scenario_text(self) -> str:
        """The resolved scenario."""
        return self._parts[0]

    def save(self, folder: str, tables: Any) -> None:
        """Writes the folder; a model of functions has no text."""
        text, matrices, summary = self._parts
        if matrices is None:
            help = "keep the solution in memory, or describe the model by its data"
            raise _core.refusal("E155", "", "a model written as functions cannot be written to a scenario", help)
        _core.Handle.restore(text, matrices, summary).save(folder, tables)


def _restored(tables: dict[str, Any], size: tuple[int, int], packed: tuple[str, Any, str]) -> Solution:
    handle = {"handle": Packed(*packed), "summary": packed[2], "n_q": size[0], "n_v": size[1]}
    return Solution({**tables, **handle})


def check_format(format: str) -> None:
    """Refuses formats of tables that there are not."""
    if format not in ("csv", "parquet", "hdf5"):
        raise _core.refusal("E103", "format", f"there is no format {format!r}", 'use "csv", "parquet" or "hdf5"')


def export(folder: str, format: str) -> None:
    """Writes files of a format beside the tables of a run."""
    if format == "parquet":
        _core.export_parquet(folder, folder)
    elif format == "hdf5":
        _core.export_hdf5(folder, folder)


Start = Union[str, "os.PathLike[str]", Solution, None]


@contextmanager
def beginning(start: Start) -> Iterator[Union[str, "os.PathLike[str]", None]]:
    """The folder of the run another one begins from, for as long as it is needed."""
    if not isinstance(start, Solution):
        yield start
        return
    with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
        yield start.save(Path(folder) / "run")
