"""MuJoCo on the scenes: `mujoco_scenes.py scene ...`.

MuJoCo has no coefficient of restitution: where e > 0 the contact is a spring and damper (`solref`) of w = 200/s with the damping ratio of
that e, as its documentation proposes.
"""
import math
import sys

import mujoco
import numpy as np

from scenes import G, SCENES, Chain, Pile, measure

LIMIT_S = 40.0


def bounce(e):
    """solref and solimp of a contact of restitution e."""
    if e == 0.0:
        return ""
    omega, d = 200.0, 0.99
    zeta = -math.log(e) / math.hypot(math.pi, math.log(e))
    return f'solref="{-omega**2 / d} {-2 * zeta * omega / d}" solimp="{d} {d} 0.001"'


def model(scene, option):
    if isinstance(scene, Chain):
        i = scene.inertia
        inner = ""
        for k in reversed(range(scene.n)):
            inner = (f'<body pos="{0 if k == 0 else scene.length} 0 0"><joint type="hinge" axis="0 1 0"/>'
                     f'<inertial pos="{0.5 * scene.length} 0 0" mass="{scene.mass}" diaginertia="{i[0]} {i[1]} {i[2]}"/>{inner}</body>')
        return f'<mujoco><option gravity="0 0 {-G}" timestep="{scene.h}" {option}/><worldbody>{inner}</worldbody></mujoco>'
    contact = f'friction="{scene.mu} 0 0" condim="3" {bounce(scene.e)}'
    walls = scene.walls() if isinstance(scene, Pile) else [((0, 0, 0), (0, 0, 1))]
    geoms = "".join(f'<geom type="plane" size="50 50 1" pos="{p[0]} {p[1]} {p[2]}" zaxis="{n[0]} {n[1]} {n[2]}" {contact}/>'
                    for p, n in walls)
    box = getattr(scene, "size", None)
    shape = f'type="sphere" size="{scene.R}"' if box is None else f'type="box" size="{box[0] / 2} {box[1] / 2} {box[2] / 2}"'
    bodies = "".join(f'<body pos="{x[0]} {x[1]} {x[2]}"><freejoint/><geom {shape} mass="{scene.mass}" {contact}/></body>'
                     for x in np.atleast_2d(scene.x))
    memory = '<size memory="1G"/>' if isinstance(scene, Pile) else ""
    return (f'<mujoco>{memory}<option gravity="0 0 {-G}" timestep="{scene.h}" {option}/><worldbody>{geoms}{bodies}</worldbody></mujoco>')


class World:
    def __init__(self, scene, option):
        self.scene = scene
        self.model = mujoco.MjModel.from_xml_string(model(scene, option))
        self.data = mujoco.MjData(self.model)
        if hasattr(scene, "v") and not isinstance(scene, (Chain, Pile)):
            self.data.qvel[:] = [*scene.v, *scene.w]

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def state(self):
        if isinstance(self.scene, Chain):
            mujoco.mj_forward(self.model, self.data)
            x, v, w, self.R = [], [], [], []
            six = np.zeros(6)
            for k in range(1, self.scene.n + 1):
                mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, k, six, 0)
                R = self.data.ximat[k].reshape(3, 3).copy()
                x.append(self.data.xipos[k].copy()), v.append(six[3:].copy()), w.append(R.T @ six[:3]), self.R.append(R)
            return x, v, w
        q, v = self.data.qpos.reshape(-1, 7), self.data.qvel.reshape(-1, 6)
        self.R = [self.data.xmat[1].reshape(3, 3)]
        return q[:, :3].copy(), v[:, :3].copy(), v[:, 3:].copy()

    def rotations(self):
        if isinstance(self.scene, Chain):
            return np.array(self.R)
        if getattr(self.scene, "size", None) is None:
            return None
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, self.data.qpos[3:7])
        return turn.reshape(3, 3)


VARIANTS = {
    "chain": [("Euler", 'integrator="Euler"'), ("RK4", 'integrator="RK4"')],
    "brick": [("Euler elliptic", 'cone="elliptic"')],
    "pile1000": [("pyramid CG", 'solver="CG" cone="pyramidal"'), ("elliptic Newton", 'solver="Newton" cone="elliptic"')],
    "pile200": [("pyramid CG", 'solver="CG" cone="pyramidal"')],
}
for name in sys.argv[1:]:
    for settings, option in VARIANTS.get(name, [("Euler elliptic", 'cone="elliptic"')]):
        scene = SCENES[name]()
        measure(scene, World(scene, option), "MuJoCo", settings, LIMIT_S)
