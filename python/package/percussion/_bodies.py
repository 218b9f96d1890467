"""Rigid bodies with shapes, joints, springs and materials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional


class Bodies:
    """A scene of rigid bodies: the tables of a scenario with ``kind = "bodies"``, keys as in scenario files.

        m dv = F dt + H_vᵀdp,    I dw + w × (I w) dt = τ dt + H_wᵀdp,    0 ≤ g ⟂ p_n ≥ 0,  |p_t| ≤ μ p_n

    Parameters
    ----------
    model : keys of ``[model]``: dimension (2 or 3), gravity, restitution, friction and rolling of pairs that are not named, …

    >>> scene = Bodies(restitution=0.5, friction=0.3)
    >>> scene = scene.body("floor", {"kind": "plane"}, fixed=True)
    >>> scene = scene.body("ball", {"kind": "sphere", "radius": 0.1}, density=1000.0, position=[0.0, 0.0, 1.0])
    """

    def __init__(self, name: str = "bodies", **model: Any) -> None:
        self.name = name
        self.model: dict[str, Any] = model
        self.tables: dict[str, list[dict[str, Any]]] = {}

    def body(self, name: str, shape: Optional[Mapping[str, Any]] = None, **more: Any) -> Bodies:
        """Adds ``[[body]]``: density or mass and inertia, position, rotation (w, x, y, z), velocity, fixed, …"""
        return self._add("body", {"name": name, "shape": shape, **more})

    def joint(self, kind: str, a: Optional[str] = None, b: Optional[str] = None, **more: Any) -> Bodies:
        """Adds ``[[joint]]`` between bodies a and b: anchor, axis, limits, motor, stiffness, damping, clearance, …"""
        return self._add("joint", {"kind": kind, "a": a, "b": b, **more})

    def spring(self, a: str, b: str, stiffness: float, length: float, **more: Any) -> Bodies:
        """Adds ``[[spring]]`` between bodies a and b: stiffness [N/m], length at rest [m], damping, point_a, point_b."""
        return self._add("spring", {"a": a, "b": b, "stiffness": stiffness, "length": length, **more})

    def material(self, name: str, **more: Any) -> Bodies:
        """Adds ``[[material]]``."""
        return self._add("material", {"name": name, **more})

    def pair(
        self, a: str, b: str, restitution: float = 0.0, friction: float = 0.0, rolling: float = 0.0
    ) -> Bodies:
        """Adds ``[[pair]]``: restitution, friction and rolling friction [m] where materials a and b meet."""
        keys = {"materials": [a, b], "restitution": restitution, "friction": friction, "rolling": rolling}
        return self._add("pair", keys)

    def _add(self, table: str, entry: Mapping[str, Any]) -> Bodies:
        self.tables.setdefault(table, []).append({key: x for key, x in entry.items() if x is not None})
        return self

    def scenario(self) -> dict[str, Any]:
        """The tables of a scenario."""
        return {"name": self.name, "model": {"kind": "bodies", **self.model}, **self.tables}
