"""Models described by a few numbers or a mesh: bars, beams and solids in finite elements, a pendulum, a rocking block."""

from __future__ import annotations

from typing import Any, ClassVar


class Described:
    """A model of one of the kinds below; its keys are those of ``[model]`` in scenario files."""

    kind: ClassVar[str] = ""

    def __init__(self, name: str = "", **keys: Any) -> None:
        self.name = name or self.kind
        self.keys = keys

    def scenario(self) -> dict[str, Any]:
        """The tables of a scenario."""
        return {"name": self.name, "model": {**self.keys, "kind": self.kind}}


class Bar(Described):
    """An elastic bar in linear finite elements, M q'' + K q = F + G di, q the displacements of its nodes.

    Keys: young, density, area, length, elements, mass (``"consistent"`` or ``"lumped"``), force, q0, v0 (one number or one per
    node), contact (dictionaries with node, direction, offset, restitution).

    >>> bar = Bar(young=900.0, density=1.0, area=1.0, length=10.0, elements=50, v0=-1.0, q0=0.1,
    ...           contact=[{"node": 0, "restitution": 0.0}])
    """

    kind = "bar"


class Beam(Described):
    """A geometrically exact beam, pinned at one end, its tip before a wall.

    Keys: length, width, depth, young, poisson, density, gravity, elements, wall, restitution, friction, joints, q0, v0.
    """

    kind = "beam"


class Pendulum(Described):
    """A rigid pendulum with coordinates (x, y, θ), two joints and a wall.

    Keys: mass, inertia, length, gravity, wall, restitution, friction, angle or q0, v0.
    """

    kind = "pendulum"


class RockingBlock(Described):
    """A block that rocks on its two corners.

    Keys: mass, width, height, gravity, restitution, friction, q0, v0.
    """

    kind = "rocking-block"


class Solid(Described):
    """An elastic solid in finite elements on a Gmsh mesh, q the displacements of its free coordinates.

    Keys: mesh (the path of a Gmsh file), scale, kinematics, plane, thickness, gravity, mass, damping (ratios), part (dictionaries with group,
    material, damping, offset, displacement, gradient, velocity, angular_velocity), support (group, fix, normal, motion), load
    (group, pressure, traction, force), contact (surface, against, method, reach, mass, restitution, friction), q0, v0.

    >>> disc = Solid(mesh="disc.msh", plane="strain",
    ...              part=[{"group": "solid", "material": {"young": 1e6, "poisson": 0.3, "density": 6000.0},
    ...                     "velocity": [0.0, -1.0]}],
    ...              contact=[{"surface": "rim", "against": {"plane": {"point": [0.0, 0.0], "normal": [0.0, 1.0]}}}])
    """

    kind = "solid"


class Formula(Described):
    """A nonlinear model as formulas of named coordinates; the rate of ``x`` is ``x_dot``, and every derivative is automatic.

    Keys: coordinates, units, parameters (a dictionary), kinetic or mass, potential, force, q0, v0, contact (dictionaries with gap,
    tangent, friction, restitution), picture (a dictionary with shapes).

    >>> pendulum = Formula(coordinates=["phi"], parameters={"l": 1.0}, kinetic="0.5*l^2*phi_dot^2",
    ...                    potential="-9.81*l*cos(phi)", q0=[0.5], contact=[{"gap": "phi", "restitution": 0.5}])
    """

    kind = "formula"
