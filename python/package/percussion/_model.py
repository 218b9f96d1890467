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
    load : further forces (q, v, t), n, that no potential stands for: controllers, drives. Their work is external, and the
        check leaves them aside
    gap : g(q), or g(q, t) where obstacles move, one number per contact [m]; all contacts in one array. What moves an
        obstacle does external work.
    restitution : e ∈ [0, 1] of each contact, or one for all
    friction : μ ≥ 0 of each contact, or one for all
    tangent : T(q), one row for each contact in the plane or two in space: u_T = T v; one array for all contacts
    joint : one number per joint, zero when satisfied
    potential : V(q) [J] of `force`: where it is given, `force` at rest is −∂V/∂q, and what has no potential goes into `load`
    force_q, force_v, gap_q, joint_q, potential_q : derivatives ∂f/∂q and ∂f/∂v (n × n), one row per contact or
        joint (m × n), ∂V/∂q (n). What is left out is found by central differences, to about ten digits.
    mass_q : ∂M/∂q (n × n × n), the coordinate it is taken by last
    gap_t : ∂g/∂t(q, t), one number per contact
    vectorized : the functions take many places at once, q and v of shape (n, k) and t of shape (k,), and answer with
        k as the last axis; fewer calls, so faster where derivatives are left out
    coordinates : names of q, for tables and the picture; q0, q1, … where absent
    units : "m", "rad" or "1", one for all coordinates or one each; not told where absent
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
        mass_q: Optional[Function] = None,
        load: Optional[Function] = None,
        vectorized: bool = False,
        units: Union[str, Sequence[str], None] = None,
    ) -> None:
        self.name = name
        self.coordinates = None if coordinates is None else list(coordinates)
        self.units = units if units is None or isinstance(units, str) else list(units)
        self.picture = None if picture is None else [dict(shape) for shape in picture]
        self.q0 = real(q0, "q0").reshape(-1).copy()
        n = self.q0.size
        self.v0 = np.zeros(n) if v0 is None else real(v0, "v0").reshape(-1).copy()
        words = {"force": force, "gap": gap, "joint": joint, "potential": potential, "force_q": force_q}
        words.update({"force_v": force_v, "gap_q": gap_q, "joint_q": joint_q, "potential_q": potential_q})
        words.update({"tangent": tangent, "gap_t": gap_t, "mass_q": mass_q, "load": load})
        for word, function in words.items():
            if not (callable(function) or (function is None and word != "force")):
                message = f"a value of type {type(function).__name__} cannot be called"
                raise _core.refusal("E103", word, message, "give a function of arrays")
        moving = gap is not None and takes_time(gap)
        if gap_t is not None and not moving:
            raise _core.refusal("E103", "gap_t", "gap does not depend on time", "give gap as a function of q and t")
        joint, joint_q, gap, gap_q = (in_time(f) for f in (joint, joint_q, gap, gap_q))
        place = (self.q0.copy(), 0.0) if not vectorized else (self.q0.reshape(-1, 1).copy(), np.zeros(1))
        answer = (lambda x: real(spread(x, 1), "gap, joint or tangent")) if vectorized else np.asarray
        joints = 0 if joint is None else np.size(answer(joint(*place)))
        contacts = 0 if gap is None else np.size(answer(gap(*place)))
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
        rows = 0 if tangent is None else np.atleast_2d(answer(tangent(place[0]))).shape[0]
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
        whole = Checked(vectorized)
        functions = {
            "mass": whole(mass if constant is None else lambda q: constant, (n, n), "mass"),
            "mass_q": whole(mass_q, (n, n, n), "mass_q") if constant is None else None,
            "force": whole(force, (n,), "force"),
            "load": whole(load, (n,), "load"),
            "force_q": whole(force_q, (n, n), "force_q"),
            "force_v": whole(force_v, (n, n), "force_v"),
            "potential": whole(potential, (1,), "potential"),
            "potential_q": whole(potential_q, (n,), "potential_q"),
            "constraint": whole.stacked([(g, (m,), word) for g, _, m, word in parts]),
            "constraint_q": whole.stacked([(d, (m, n), f"{word}_q") for _, d, m, word in parts]) if derivatives else None,
            "gap_t": whole(gap_t, (contacts,), "gap_t"),
            "tangent": whole(tangent, (rows, n), "tangent"),
        }
        laws = (e.tolist(), mu.tolist() if (mu > 0.0).any() else [], tangents, moving)
        switches = (constant is not None, bool(check), bool(vectorized))
        self._own = _core.OwnModel(n, joints, laws, switches, functions)

    def check_derivatives(self, q: Any = None, v: Any = None) -> list[str]:
        """What contradicts the rest at random states around q and v; empty where the model is consistent.

        Functions that answer with NaN or infinite numbers at one of these states are named, too.
        """
        q, v = (real(own if x is None else x, word).reshape(-1) for x, own, word in ((q, self.q0, "q"), (v, self.v0, "v")))
        return list(self._own.check(q.tolist(), v.tolist()))

    def scenario(self) -> dict[str, Any]:
        """The tables beside the functions."""
        model: dict[str, Any] = {"kind": "own", "q0": self.q0, "v0": self.v0}
        if self.coordinates is not None:
            model["coordinates"] = self.coordinates
        if self.units is not None:
            model["units"] = self.units
        if self.picture is not None:
            model["picture"] = {"shapes": self.picture}
        return {"name": self.name, "model": model}


Handed = Optional[tuple[Function, Function, tuple[int, ...]]]


class Checked:
    """Functions with what makes a float64 array of that shape of their answers: of one place, or of k places first."""

    def __init__(self, vectorized: bool) -> None:
        self.vectorized = vectorized

    def __call__(self, function: Optional[Function], shape: tuple[int, ...], word: str) -> Handed:
        """The function, its check, the shape of an answer."""
        if function is None:
            return None

        def check(answer: Any) -> Any:
            array = real(answer, word)
            # one row or one number may come without its brackets
            if array.ndim == len(shape) - 1 and shape[0] == 1:
                array = array[np.newaxis]
            if array.shape != shape:
                raise _core.refusal("E111", word, f"answers with shape {array.shape}", f"return an array of shape {shape}")
            return array

        def check_all(answer: Any, k: int) -> Any:
            whole = np.empty(shape + (k,))
            if isinstance(answer, (list, tuple)) and fill(whole, answer):
                return whole
            array = real(spread(answer, k), word)
            if array.shape == shape:
                array = np.broadcast_to(array[..., np.newaxis], shape + (k,))
            elif shape[0] == 1 and array.shape == shape[1:] + (k,):
                array = array[np.newaxis]
            if array.shape != shape + (k,):
                help = f"return an array of shape {shape + (k,)}: the places it is called with are along the last axis"
                raise _core.refusal("E111", word, f"answers with shape {array.shape}", help)
            return array

        return (function, check_all if self.vectorized else check, shape)

    def stacked(self, parts: Sequence[tuple[Optional[Function], tuple[int, ...], str]]) -> Handed:
        """The answers of several functions one after the other."""
        present = [self(*part) for part in parts]
        if len(present) < 2:
            return present[0] if present else None
        shape = (sum(part[1][0] for part in parts), *parts[0][1][1:])
        if self.vectorized:

            def all_of(q: Any, t: Any) -> Any:
                return np.concatenate([handed[1](handed[0](q, t), q.shape[1]) for handed in present if handed is not None])

            return self(all_of, shape, "joint and gap")
        return self(
            lambda q, t: np.concatenate([handed[1](handed[0](q, t)) for handed in present if handed is not None]),
            shape,
            "joint and gap",
        )


def fill(whole: Any, answer: Any) -> bool:
    """Writes nested lists of real numbers and arrays over the places into an array; whether they fit."""
    if isinstance(answer, (list, tuple)):
        return len(answer) == len(whole) and whole.ndim > 1 and all(map(fill, whole, answer))
    real_number = isinstance(answer, (int, float)) or (isinstance(answer, np.ndarray) and answer.dtype == np.float64)
    if not real_number or (whole.ndim > 1 if np.ndim(answer) == 0 else np.shape(answer) != whole.shape):
        return False
    whole[...] = answer
    return True


def spread(answer: Any, k: int) -> Any:
    """An array of nested lists whose entries are arrays over k places, or numbers that hold at all of them."""
    if isinstance(answer, (list, tuple)):
        return [spread(part, k) for part in answer]
    return np.full(k, answer) if np.ndim(answer) == 0 else answer


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
