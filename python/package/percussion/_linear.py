"""A linear model from arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core


class Linear:
    """A linear model: the keys of ``[model]`` with ``kind = "linear"``, as NumPy arrays or SciPy sparse matrices.

        M dv + (K q + C v) dt = F(t) dt + G dI,    g = Gᵀq + w(t) ≥ 0,    J q + c = 0

    Parameters
    ----------
    mass, stiffness, damping : M, K, C, n × n; dense or sparse. Damping may be ``{"mass": a, "stiffness": b}`` for a M + b K or
        ``{"ratios": ζ}`` for the modes
    symmetrize : whether to take ½(A + Aᵀ) of mass and stiffness whose triangles differ by round-off
    fix : coordinates held where q0 puts them, from 0
    condense : whether to take out the coordinates without mass, which follow the others in equilibrium
    force : F, n numbers [N], or ``{"mean": a, "sines": [{"amplitude": A, "omega": ω, "phase": φ}]}`` each
    gravity : an acceleration for each coordinate [m/s²], numbers or signals: the load M a, its constant part booked as a potential
    conservative : whether constant entries of force are potentials too; otherwise their work is external
    q0, v0 : the state at t = 0; zero when absent
    coordinates : names of q, for tables and figures; q0, q1, … where absent
    units : "m", "rad" or "1", one for all coordinates or one each; metres where absent
    mesh : ``{"file": path, "young": E}`` of the Gmsh file that the matrices were made of, for the picture and the names; also scale and poisson
    contact, joint : lists of dictionaries with the keys of ``[[model.contact]]`` and ``[[model.joint]]``

    >>> ball = Linear(mass=[[1.0]], gravity=[-10.0], q0=[1.0]).touch(normal=[1.0], restitution=0.8)
    """

    def __init__(
        self,
        mass: Any,
        stiffness: Any = None,
        damping: Any = None,
        force: Any = None,
        q0: Any = None,
        v0: Any = None,
        contact: Sequence[Any] = (),
        joint: Sequence[Any] = (),
        name: str = "linear",
        gravity: Any = None,
        conservative: bool = False,
        symmetrize: bool = False,
        fix: Any = None,
        condense: bool = False,
        coordinates: Optional[Sequence[str]] = None,
        units: Union[str, Sequence[str], None] = None,
        mesh: Optional[dict[str, Any]] = None,
    ) -> None:
        self.mass, self.stiffness, self.damping = mass, stiffness, damping
        self.force, self.q0, self.v0 = force, q0, v0
        self.gravity, self.conservative = gravity, conservative or None
        self.symmetrize, self.condense = symmetrize or None, condense or None
        self.fix = None if fix is None else [int(i) for i in fix]
        self.coordinates = None if coordinates is None else list(coordinates)
        self.units = units if units is None or isinstance(units, str) else list(units)
        self.mesh = mesh
        self.contact = entries(contact, "model.contact")
        self.joint = entries(joint, "model.joint")
        self.name = name

    def touch(self, normal: Any, offset: Any = 0.0, restitution: float = 0.0, **more: Any) -> Linear:
        """Adds a contact g = normal·q + offset ≥ 0 with Newton's restitution e ∈ [0, 1]; returns the model."""
        self.contact.append({"normal": normal, "offset": offset, "restitution": restitution, **more})
        return self

    def tie(self, row: Any, offset: float = 0.0) -> Linear:
        """Adds a joint row·q + offset = 0; returns the model."""
        self.joint.append({"row": row, "offset": offset})
        return self

    def scenario(self) -> dict[str, Any]:
        """The tables of a scenario."""
        values = ("mass", "stiffness", "damping", "force", "gravity", "conservative", "q0", "v0")
        keys = (*values, "symmetrize", "fix", "condense", "coordinates", "units", "mesh")
        model = {key: getattr(self, key) for key in keys if getattr(self, key) is not None}
        for key in ("contact", "joint"):
            if getattr(self, key):
                model[key] = getattr(self, key)
        return {"name": self.name, "model": {"kind": "linear", **model}}


def entries(x: Any, field: str) -> list[Any]:
    """A list of tables."""
    if isinstance(x, Sequence) and not isinstance(x, (str, bytes)):
        return list(x)
    message = f"a value of type {type(x).__name__} is no list"
    raise _core.refusal("E103", field, message, "give a list of dictionaries, one each")
