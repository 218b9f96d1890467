"""A simulation stepped by your program."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._request import Choice, Problem, request
from ._solution import Solution, Start, beginning
from ._values import real

Array = NDArray[np.float64]


class Contact(NamedTuple):
    """A contact of the last step. The normal points from the second body (or surface of a solid) to the first; components are normal, then tangential."""

    name: str
    bodies: Optional[tuple[str, str]]
    place: Optional[Array]
    normal: Optional[Array]
    gap: float
    velocity: Array
    impulse: Array
    force: Array
    status: str


class Joint(NamedTuple):
    """The coordinate of a joint, with whole turns, and its rate."""

    value: float
    rate: float


class Reaction(NamedTuple):
    """What a joint carried in the last step: force and moment on its body b at the anchor, in the world and in b's frame."""

    force: Array
    moment: Array
    body_force: Array
    body_moment: Array


class Event(NamedTuple):
    """What happened in a step: ``impact``, ``close``, ``open``, ``stick``, ``slip`` or ``reverse``."""

    t: float
    step: int
    kind: str
    contact: str
    u_before: Optional[float]
    u_after: Optional[float]
    impulse: float


class Ledger(NamedTuple):
    """The energy account of the last step [J]; works are those of the step."""

    kinetic: float
    potential: float
    algorithmic_energy: float
    work_external: float
    work_damping: float
    work_contact: float
    work_joints: float
    dissipation_numerical: float
    residual: float

    @property
    def energy(self) -> float:
        """kinetic + potential."""
        return self.kinetic + self.potential


class State:
    """A saved state: everything the next steps depend on. Assign it to `Simulation.state`; it can be pickled and compared."""

    __slots__ = ("t", "q", "v", "_bytes")

    def __init__(self, t: float, q: Array, v: Array, data: bytes) -> None:
        self.t, self.q, self.v, self._bytes = t, q, v, data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> Any:
        return (State, (self.t, self.q, self.v, self._bytes))

    def __repr__(self) -> str:
        return f"<state at t = {self.t} s>"


def fixed(array: Array) -> Array:
    """The array, not to be written into: that would change nothing."""
    array.flags.writeable = False
    return array


class Simulation:
    """A simulation stepped by your program.

    >>> ball = Simulation("bouncing-ball", step=1e-3)
    >>> ball.step(100)
    >>> round(ball.t, 12)
    0.1

    Parameters
    ----------
    problem, scheme, step, solver, every, set, project, start : as for `run`; no end is needed
    """

    def __init__(
        self,
        problem: Problem,
        *,
        scheme: Choice = None,
        step: Optional[float] = None,
        solver: Choice = None,
        every: Optional[int] = None,
        set: Optional[Mapping[str, Any]] = None,
        project: bool = False,
        start: Start = None,
    ) -> None:
        # a simulation goes on as long as it is asked to, and needs no end
        end = step if hasattr(problem, "scenario") else None
        if isinstance(problem, Mapping):
            times = problem.get("time", {})
            if isinstance(times, Mapping) and "end" not in times:
                end = step if step is not None else times.get("step")
        if hasattr(problem, "scenario") and step is None:
            raise _core.refusal("E103", "step", "the length of a step is not known", "give step=… [s]")
        with beginning(start) as folder:
            asked = request(problem, scheme, step, end, solver, every, set, project, None, None, folder)
            self._live = _core.LiveSimulation(asked)
        self._on_step: list[Callable[[Simulation], Any]] = []
        self._on_event: list[Callable[[Event], Any]] = []
        self._names = {name: (unit, count) for name, unit, count in self._live.names()}

    def __repr__(self) -> str:
        return f"<simulation at t = {self.t} s, steps of {self.h} s>"

    def __reduce__(self) -> Any:
        message = "a simulation cannot be copied or pickled: keep its .state, and assign it to another one of the same scene"
        raise TypeError(message)

    def step(self, n: int = 1) -> None:
        """Makes n steps. A step that cannot be made raises `NumericalError`; those before it stand."""
        n = operator.index(n)
        if n < 0:
            raise _core.refusal("E150", "n", f"{n} steps cannot be made", "give 0 or more; .state goes back")
        if not (self._on_step or self._on_event):
            self._live.step(n)
            return
        for _ in range(n):
            self._live.step(1)
            if self._on_event:
                for event in self.events:
                    for tell in self._on_event:
                        tell(event)
            for tell_step in self._on_step:
                tell_step(self)

    def advance_to(self, t: float) -> None:
        """Steps until `t` is reached, to a millionth of a step."""
        if not math.isfinite(t):
            raise _core.refusal("E150", "t", f"{t} is not reached", "give a finite time [s]")
        self.step(max(0, math.ceil((t - self.t) / self._live.h - 1e-6)))

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._live.t)

    @property
    def h(self) -> float:
        """Length of a step [s]."""
        return float(self._live.h)

    @property
    def q(self) -> Array:
        """Coordinates, a read-only array of this moment; assign `state` to change them."""
        return fixed(self._live.q)

    @property
    def v(self) -> Array:
        """Velocities, a read-only array of this moment; assign `state` to change them."""
        return fixed(self._live.v)

    @property
    def names(self) -> list[str]:
        """What `set` takes."""
        return list(self._names)

    def set(self, name: str, value: Union[float, Sequence[float], Array]) -> None:
        """Sets a load, torque, drive, gravity or prescribed velocity from now on. Its work is external work.

        ``force[0]`` (matrices), ``force.x`` (formulas), ``BODY.force``, ``BODY.torque``, ``BODY.velocity``,
        ``BODY.angular_velocity`` (bodies that are moved), ``JOINT.motor``, ``gravity``, ``contact[0].offset_rate`` (obstacles of
        matrices), ``GROUP.velocity`` (supports of solids), ``parameters.k`` (formulas), ``SOLID.GROUP.pressure`` (loads of solids
        among bodies): see `names`.
        """
        if isinstance(value, (int, float)):
            self._live.set(name, [value])
        else:
            self._live.set(name, real(value, "value").reshape(-1).tolist())

    def release(self, name: str) -> None:
        """Gives a load or drive back to what the scene says."""
        self._live.release(name)

    @property
    def contacts(self) -> list[Contact]:
        """The contacts of the last step."""
        array = np.asarray
        return [
            Contact(
                name,
                None if bodies is None else (bodies[0], bodies[1]),
                None if place is None else array(place),
                None if normal is None else array(normal),
                gap,
                array(velocity),
                array(impulse),
                array(force),
                status,
            )
            for name, bodies, place, normal, gap, velocity, impulse, force, status in self._live.contacts()
        ]

    @property
    def joints(self) -> dict[str, Joint]:
        """Angles or lengths of the joints that have one, and their rates."""
        return {name: Joint(value, rate) for name, value, rate in self._live.joints()}

    @property
    def reactions(self) -> dict[str, Reaction]:
        """What the joints carried in the last step, motors and springs included [N, N m]; empty before the first."""
        array = np.asarray
        return {
            name: Reaction(array(force), array(moment), array(own[0]), array(own[1]))
            for name, force, moment, own in self._live.reactions()
        }

    @property
    def events(self) -> list[Event]:
        """What happened in the last step."""
        return [Event(*event) for event in self._live.events()]

    @property
    def ledger(self) -> Ledger:
        """The energy account of the last step."""
        return Ledger(*self._live.ledger())

    @property
    def state(self) -> State:
        """Everything the next steps depend on. Assign a saved one to go on from there, to the same bits; or
        ``{"q": …, "v": …}`` to put the bodies elsewhere; with ``"project": True`` onto their joints, however far they miss them. A new record begins
        then."""
        return State(self.t, self.q, self.v, self._live.save())

    @state.setter
    def state(self, state: Union[State, Mapping[str, Any]]) -> None:
        if isinstance(state, State):
            self._live.restore(state._bytes)
            return
        if not isinstance(state, Mapping) or not state.keys() <= {"q", "v", "project"}:
            raise _core.refusal("E103", "state", "is neither a saved state nor {'q': …, 'v': …}", "assign what .state was")
        q, v = (real(state.get(key, present), key).reshape(-1).copy() for key, present in (("q", self.q), ("v", self.v)))
        self._live.place(q, v, bool(state.get("project", False)))

    def reset(self) -> None:
        """Back to the start, nothing set; a new record begins."""
        self._live.reset()

    def on_step(self, tell: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
        """Calls a function after every step; what it raises ends `step`, and what was done stands."""
        self._on_step.append(tell)
        return tell

    def on_event(self, tell: Callable[[Event], Any]) -> Callable[[Event], Any]:
        """Calls a function at every event, before those of `on_step`."""
        self._on_event.append(tell)
        return tell

    def solution(self) -> Solution:
        """The steps since the start, or since a state was assigned: arrays, ledger, verdicts, report."""
        return Solution(self._live.solution())
