"""Exudyn on the scenes: `exudyn_scenes.py scene ...`.

Contacts are springs and dampers (k = 1e6 N/m, impact model 2 for e); the solver shortens its step where Newton's method fails. Its spheres on
many walls and its boxes are penalty contacts too and were not set up.
"""
import sys
import time

import exudyn as exu
import numpy as np
from exudyn.utilities import InertiaSphere, RigidBodyInertia

from scenes import G, SCENES, Chain, measure, row

OUT = exu.OutputVariableType


def build(scene):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.CreateGround()
    bodies = []
    if isinstance(scene, Chain):
        last = ground
        for k in range(scene.n):
            inertia = RigidBodyInertia(mass=scene.mass, inertiaTensor=np.diag(scene.inertia))
            body = mbs.CreateRigidBody(referencePosition=[scene.length * (k + 0.5), 0, 0], inertia=inertia, gravity=[0, 0, -G])
            mbs.CreateRevoluteJoint(itemNumbers=[last, body], position=[scene.length * k, 0, 0], axis=[0, 1, 0])
            bodies.append(body)
            last = body
    else:
        body = mbs.CreateRigidBody(referencePosition=list(scene.x), initialVelocity=list(scene.v), initialAngularVelocity=list(scene.w),
                                   inertia=InertiaSphere(scene.mass, scene.R), gravity=[0, 0, -G])
        s = 50.0
        mbs.CreateSphereQuadContact(itemNumbers=[body, ground], sphereRadius=scene.R,
                                    quadPoints=[[-s, -s, 0], [s, -s, 0], [s, s, 0], [-s, s, 0]], contactStiffness=1e6,
                                    dynamicFriction=scene.mu, restitutionCoefficient=scene.e, impactModel=2)
        bodies.append(body)
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = round(scene.end / scene.h)
    integration.endTime = scene.end
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.solution.file.write = False
    if isinstance(scene, Chain):
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        integration.newton.useModifiedNewton = True
    settings.parallel.numberOfThreads = 1
    return container, mbs, settings, bodies


class Replay:
    """A run for its time, and one whose states are kept at the planned instants."""

    def __init__(self, scene):
        container, mbs, settings, _ = build(scene)
        start = time.process_time()
        self.fine = mbs.SolveDynamic(settings, showHints=False)
        self.speed = round(scene.end / scene.h) / (time.process_time() - start)
        container, mbs, settings, bodies = build(scene)
        self.frames, self.at = [], 0

        def look(mbs, t):
            if t >= len(self.frames) * scene.h - 1e-9:
                get = lambda what: [mbs.GetObjectOutputBody(b, what) for b in bodies]
                turns = [np.array(R).reshape(3, 3) for R in get(OUT.RotationMatrix)]
                self.frames.append((get(OUT.Position), get(OUT.Velocity), get(OUT.AngularVelocityLocal), turns))
            return True

        mbs.SetPreStepUserFunction(look)
        mbs.SolveDynamic(settings, showHints=False)
        look(mbs, scene.end)
        self.chain = isinstance(scene, Chain)

    def step(self):
        self.at = min(self.at + 1, len(self.frames) - 1)

    def state(self):
        return self.frames[self.at][:3]

    def rotations(self):
        return np.array(self.frames[self.at][3]) if self.chain else None

    def remark(self):
        return "" if self.fine else "solver gave up"


for name in sys.argv[1:]:
    scene = SCENES[name]()
    if name.startswith("pile") or name == "brick":
        row(scene.name, "Exudyn", "", 0, 0.0, "", "", "", "", "", "not set up: penalty contacts only")
        continue
    measure(scene, Replay(scene), "Exudyn", "implicit; rho 0.9" + ("" if name == "chain" else "; k = 1e6 N/m"), 1e9)
