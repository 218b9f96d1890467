"""What a run leaves: arrays, ledger, contacts, events, verdicts."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._optional import optional
from ._values import OWN_FOLDER, path_text

Array = NDArray[np.float64]
#: One name, or several.
Names = Union[str, Sequence[str], None]


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
_WHOLE = ("step", "contact", "element", "axis")
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

    @property
    def gaps(self) -> Table:
        """Contacts that approach beside those of the index set: step, t, contact, gap, u_n, as in `gaps.csv`; no rows where none does."""
        columns = ["step", "t", "contact", "gap", "u_n"]
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            path = self.save(Path(folder) / "run") / "gaps.csv"
            lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
        return Table(np.array([float(cell) for line in lines for cell in line.split(",")]), columns, [])

    def plot(
        self,
        y: Names = None,
        x: str = "t",
        *,
        only: Names = None,
        time: Optional[tuple[float, float]] = None,
        out: Union[str, "os.PathLike[str]", None] = None,
    ) -> Any:
        """Any columns over any other, as a matplotlib figure (install ``percussion[plot]``) with a panel for each unit.

        Without `y`: what moves, the energies and the impulses of contacts over time.

        Parameters
        ----------
        y, x : columns of the tables or names of coordinates, such as ``plot("ball.v_x", "ball.x")`` or ``plot("reactions.fx")``;
            ``"table.column"`` where two tables have it
        only : coordinates, contacts and joints by name, as in ``output.select``; ``*`` matches any characters
        time : the part that is shown, ``(from, to)`` [s]
        out : a file to write as well: .pdf, .svg, .png
        """
        pyplot = optional("matplotlib.pyplot", "plot")
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            run = str(self.save(Path(folder) / "run"))
            shown, panels = _core.curves(self._handle.opened(), run, _words(y, "y"), str(x), _words(only, "only"), _window(time))
        count = max(len(panels), 1)
        size = (7.0, 4.2) if count == 1 else (7.0, 2.6 * count)
        share = x == "t"
        figure, grid = pyplot.subplots(count, 1, sharex=share, figsize=size, layout="constrained", squeeze=False)
        for axes, (x_label, y_label, note, lines) in zip(grid[:, 0], panels):
            for name, xs, ys, marks in lines:
                # a force of one step has no line to either side
                alone = np.isfinite(ys) & ~np.isfinite(np.r_[np.nan, ys[:-1]]) & ~np.isfinite(np.r_[ys[1:], np.nan])
                style = {"linestyle": "none", "marker": ".", "markersize": 3} if marks else {"linewidth": 1}
                (line,) = axes.plot(xs, ys, label=name, **style)
                if not marks and alone.any():
                    axes.plot(xs[alone], ys[alone], ".", markersize=3, color=line.get_color())
            # the legend names what would not fit beside the axis
            axes.set_ylabel(y_label if len(y_label) <= 32 else y_label[y_label.rfind("[") :] if "[" in y_label else "")
            if not share or axes is grid[-1, 0]:
                axes.set_xlabel(x_label)
            axes.grid(alpha=0.25)
            if note:
                axes.set_title(note, fontsize="small", loc="right")
            if len(lines) > 1:
                axes.legend(loc="best", fontsize="small")
        told = f"; t from {shown[0]:.4g} s to {shown[1]:.4g} s, time=(…) shows another part" if shown else ""
        figure.suptitle(f"{self.name} by {self.scheme}: energy {self.verdicts['energy'].status}{told}", fontsize="medium")
        if out is not None:
            figure.savefig(out)
        return figure

    def figure(self, name: str, *, only: Names = None, time: Optional[tuple[float, float]] = None) -> "Drawing":
        """A figure as the report draws it and `percussion plot` writes it; a notebook shows it, `save` writes SVG, PNG or PDF.

        `name` is positions, velocities, gaps, energy, works, residual or impulses, with friction sliding or friction, with joints
        reactions or joints; `only` and `time` as in `plot`.

        >>> import percussion
        >>> figure = percussion.run("bouncing-ball", end=0.5).figure("energy", time=(0.3, 0.5))
        """
        return Drawing([self], str(name), only, time)

    def _names_of(self, kind: str) -> list[str]:
        return [str(name) for name in self.names["name"][self.names["kind"] == kind]]

    def to_pandas(self, *, named: bool = False) -> Any:
        """t, q0, …, v0, … as a pandas data frame; `named=True` heads the columns with what they are called, such as ball.x.

        >>> import percussion
        >>> list(percussion.run("pendulum", end=0.01).to_pandas(named=True).columns[:4])
        ['t', 'x', 'y', 'theta']
        """
        frame = self._tables["trajectory"].to_pandas()
        called = dict(zip(self.names["column"], self.names["name"])) if named else {}
        return frame.rename(columns={column: called.get(column, column) for column in frame.columns})

    def to_xarray(self) -> Any:
        """q, v and the ledger over t as an xarray dataset, coordinates and velocities by name: `.sel(coordinate="ball.x")`."""
        ledger = {name: ("t", self.energy[name]) for name in self.energy if name not in ("step", "t")}
        states = {"q": (("t", "coordinate"), self.q), "v": (("t", "velocity"), self.v)}
        coords: dict[str, Any] = {"t": self.t}
        for kind, values in (("coordinate", self.q), ("velocity", self.v)):
            names = self._names_of(kind)
            if len(names) == values.shape[1]:
                coords[kind] = names
        return optional("xarray", "frames").Dataset({**states, **ledger}, coords=coords, attrs={"state_hash": self.state_hash})

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


class Drawing:
    """A figure of the report: a notebook shows it, `save` writes it."""

    def __init__(self, solutions: list[Solution], name: str, only: Names, time: Optional[tuple[float, float]]) -> None:
        self._of = (solutions, name, _words(only, "only"), _window(time))
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            path = self.save(Path(folder) / "figure.svg")
            #: As SVG.
            self.svg = path.read_text(encoding="utf-8")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes a file that ends in .svg, .png or .pdf; returns its path."""
        solutions, name, only, time = self._of
        with tempfile.TemporaryDirectory(prefix=OWN_FOLDER) as folder:
            runs = [(s._handle.opened(), str(s.save(Path(folder) / str(k)))) for k, s in enumerate(solutions)]
            #: The part of the time that was chosen for a vibration that could not be seen otherwise [s].
            self.shown = _core.figure(runs, name, only, time, path_text(path, "path"))
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        solutions, name, _, _ = self._of
        schemes = ", ".join(solution.scheme for solution in solutions)
        return f"<{name} of {solutions[0].name} by {schemes}; a notebook shows it>"


class Packed:
    """What a solution keeps beside its tables once it was taken to another process; read again when it is needed."""

    def __init__(self, text: str, matrices: Any, summary: str, end: bytes) -> None:
        self._parts = (text, matrices, summary, end)

    def packed(self) -> Any:
        """As it came."""
        return self._parts

    def scenario_text(self) -> str:
        """The resolved scenario."""
        return self._parts[0]

    def opened(self) -> _core.Handle:
        """As it was; a model of functions has no text."""
        text, matrices, summary, end = self._parts
        if matrices is None:
            help = "keep the solution in memory, or describe the model by its data"
            raise _core.refusal("E155", "", "a model written as functions cannot be written to a scenario", help)
        return _core.Handle.restore(text, matrices, summary, end)

    def save(self, folder: str, tables: Any) -> None:
        """Writes the folder."""
        self.opened().save(folder, tables)


def _restored(tables: dict[str, Any], size: tuple[int, int], packed: tuple[str, Any, str, bytes]) -> Solution:
    handle = {"handle": Packed(*packed), "summary": packed[2], "n_q": size[0], "n_v": size[1]}
    return Solution({**tables, **handle})


def _words(names: Names, field: str) -> list[str]:
    """Names as a list; a text may hold several, between commas."""
    if names is None:
        return []
    if isinstance(names, str):
        return [word for word in (part.strip() for part in names.split(",")) if word]
    words = list(names)
    if not all(isinstance(word, str) for word in words):
        raise _core.refusal("E103", field, f"{names!r} are no names", f'write {field}="ball.x" or {field}=["ball.x", "ball.z"]')
    return words


def _window(time: Optional[tuple[float, float]]) -> Optional[tuple[float, float]]:
    """The part of the time that is shown."""
    if time is None:
        return None
    try:
        start, end = (float(t) for t in time)
    except (TypeError, ValueError):
        start, end = np.nan, np.nan
    if not start < end:
        raise _core.refusal("E172", "time", f"{time!r} is no part of the time", "write time=(0.2, 0.6), in seconds")
    return (start, end)


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
