"""A model of your own: mass, force and gaps as Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _core
from ._values import real

Function = Callable[..., Any]


class Model:
    """A mechanical system whose parts are functions of NumPy arrays.

        M(q) dv = f(q, v, t) dt + g_qᵀ di,    joints g(q) = 0,    contacts g(q, t) ≥ 0

    Parameters
    ----------
    mass : M(q), n × n, or a constant array
    force : f(q, v, t), n: all forces, those of the potential included [N]; for a mass that depends on q also
        −(Ṁ v − ½ ∂(vᵀM v)/∂q)
    gap : g(q), or g(q, t) where obstacles move, one number per contact [m]; all contacts in one array. What moves an
        obstacle does external work.
    restitution : e ∈ [0, 1] of each contact, or one for all
    friction : μ ≥ 0 of each contact, or one for all
    tangent : T(q), one row for each contact in the plane or two in space: u_T = T v; one array for all contacts
    joint : one number per joint, zero when satisfied
    potential : V(q) [J] of those forces that have one; the rest is counted as work
    force_q, force_v, gap_q, joint_q, potential_q : derivatives ∂f/∂q and ∂f/∂v (n × n), one row per contact or
        joint (m × n), ∂V/∂q (n). What is left out is found by central differences, to about ten digits.
    gap_t : ∂g/∂t(q, t), one number per contact
    coordinates : names of q, for tables and the picture; q0, q1, … where absent
    picture : what the report draws: a list of shapes, whose places are formulas of the coordinates and t, such as
        {"kind": "disc", "radius": 0.2, "position": [0, "q0"]}; also "box", "line", "spring" and "wall"
    check : compare forces, energies and derivatives with each other at random states before a run, and refuse a model
        that contradicts itself (E159)

    >>> ball = Model(mass=[[1.0]], force=lambda q, v, t: [-10.0], potential=lambda q: 10.0 * q[0],
    ...              gap=lambda q: q, restitution=0.8, q0=[1.0])
    """

    def __init__(
        self,
        mass: Union[Function, Any],
        force: Function,
        q0: Any,
        v0: Any = None,
        gap: Optional[Function] = None,
        restitution: Union[float, Sequence[float]] = 0.0,
        joint: Optional[Function] = None,
        potential: Optional[Function] = None,
        force_q: Optional[Function] = None,
        force_v: Optional[Function] = None,
        gap_q: Optional[Function] = None,
        joint_q: Optional[Function] = None,
        potential_q: Optional[Function] = None,
        name: str = "model",
        friction: Union[float, Sequence[float]] = 0.0,
        tangent: Optional[Function] = None,
        check: bool = True,
        gap_t: Optional[Function] = None,
        coordinates: Optional[Sequence[str]] = None,
        picture: Optional[Sequence[dict[str, Any]]] = None,
    ) -> None:
        self.name = name
        self.coordinates = None if coordinates is None else list(coordinates)
        self.picture = None if picture is None else [dict(shape) for shape in picture]
        self.q0 = real(q0, "q0").reshape(-1).copy()
        n = self.q0.size
        self.v0 = np.zeros(n) if v0 is None else real(v0, "v0").reshape(-1).copy()
        words = {"force": force, "gap": gap, "joint": joint, "potential": potential, "force_q": force_q}
        words.update({"force_v": force_v, "gap_q": gap_q, "joint_q": joint_q, "potential_q": potential_q})
        words.update({"tangent": tangent, "gap_t": gap_t})
        for word, function in words.items():
            if not (callable(function) or (function is None and word != "force")):
                message = f"a value of type {type(function).__name__} cannot be called"
                raise _core.refusal("E103", word, message, "give a function of arrays")
        moving = gap is not None and takes_time(gap)
        if gap_t is not None and not moving:
            raise _core.refusal("E103", "gap_t", "gap does not depend on time", "give gap as a function of q and t")
        joint, joint_q, gap, gap_q = (in_time(f) for f in (joint, joint_q, gap, gap_q))
        joints = 0 if joint is None else np.size(joint(self.q0.copy(), 0.0))
        contacts = 0 if gap is None else np.size(gap(self.q0.copy(), 0.0))
        e = real(restitution, "restitution").reshape(-1)
        if e.size == 1:
            e = np.repeat(e, contacts)
        if e.size != contacts:
            raise _core.refusal("E111", "restitution", f"has {e.size} entries for {contacts} contacts", "give one each")
        for i, x in enumerate(e.tolist()):
            if not 0.0 <= x <= 1.0:
                help = "0 keeps nothing of the approach velocity, 1 all of it"
                raise _core.refusal("E120", f"restitution[{i}]", f"restitution = {x} is outside [0, 1]", help)

        mu = real(friction, "friction").reshape(-1)
        mu = np.repeat(mu, contacts) if mu.size == 1 else mu
        if mu.size != contacts or (mu < 0.0).any():
            message = f"{mu.tolist()} for {contacts} contacts"
            raise _core.refusal("E122", "friction", message, "give one number of 0 or more for each contact, or one for all")
        rows = 0 if tangent is None else np.atleast_2d(tangent(self.q0.copy())).shape[0]
        tangents = rows // contacts if contacts else 0
        if (mu > 0.0).any() and (tangents not in (1, 2) or rows != tangents * contacts):
            message = f"{rows} tangents for {contacts} contacts"
            raise _core.refusal("E122", "tangent", message, "give one row for each contact in the plane, two in space")

        constant = None if callable(mass) else real(mass, "mass").copy()
        if constant is not None and constant.shape != (n, n):
            message = f"has shape {constant.shape} for {n} coordinates"
            raise _core.refusal("E111", "mass", message, f"give an array of shape {(n, n)}")
        parts = [(joint, joint_q, joints, "joint"), (gap, gap_q, contacts, "gap")]
        parts = [part for part in parts if part[2] > 0]
        derivatives = parts and all(part[1] is not None for part in parts)
        functions = {
            "mass": checked(mass if constant is None else lambda q: constant, (n, n), "mass"),
            "force": checked(force, (n,), "force"),
            "force_q": checked(force_q, (n, n), "force_q"),
            "force_v": checked(force_v, (n, n), "force_v"),
            "potential": checked(potential, (1,), "potential"),
            "potential_q": checked(potential_q, (n,), "potential_q"),
            "constraint": stacked([checked(g, (m,), word) for g, _, m, word in parts]),
            "constraint_q": stacked([checked(d, (m, n), f"{word}_q") for _, d, m, word in parts])
            if derivatives
            else None,
            "gap_t": checked(gap_t, (contacts,), "gap_t"),
            "tangent": None if tangent is None else checked(lambda q: np.atleast_2d(tangent(q)), (rows, n), "tangent"),
        }
        laws = (e.tolist(), mu.tolist() if (mu > 0.0).any() else [], tangents, moving)
        self._own = _core.OwnModel(n, joints, laws, constant is not None, bool(check), functions)

    def check_derivatives(self, q: Any = None, v: Any = None) -> list[str]:
        """What contradicts the rest at random states about q and v; nothing where the model agrees with itself."""
        q, v = (real(own if x is None else x, word).reshape(-1) for x, own, word in ((q, self.q0, "q"), (v, self.v0, "v")))
        return list(self._own.check(q.tolist(), v.tolist()))

    def scenario(self) -> dict[str, Any]:
        """The tables beside the functions."""
        model: dict[str, Any] = {"kind": "own", "q0": self.q0, "v0": self.v0}
        if self.coordinates is not None:
            model["coordinates"] = self.coordinates
        if self.picture is not None:
            model["picture"] = {"shapes": self.picture}
        return {"name": self.name, "model": model}


def checked(function: Optional[Function], shape: tuple[int, ...], word: str) -> Optional[Function]:
    """The function with its answer as a float64 array of that shape."""
    if function is None:
        return None
    f = function

    def call(*arguments: Any) -> Any:
        answer = real(f(*arguments), word)
        if answer.ndim == 0:
            answer = answer.reshape(1)
        if answer.shape != shape:
            raise _core.refusal("E111", word, f"answers with shape {answer.shape}", f"return an array of shape {shape}")
        return answer

    return call


def stacked(functions: Sequence[Optional[Function]]) -> Optional[Function]:
    """The answers of several functions one after the other."""
    present = [f for f in functions if f is not None]
    if len(present) < 2:
        return present[0] if present else None
    return lambda q, t: np.concatenate([f(q, t) for f in present])


def takes_time(function: Function) -> bool:
    """Whether a function of places asks for the time too."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    asked = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(asked) >= 2


def in_time(function: Optional[Function]) -> Optional[Function]:
    """A function of q and t."""
    if function is None or takes_time(function):
        return function
    f = function
    return lambda q, t: f(q)
