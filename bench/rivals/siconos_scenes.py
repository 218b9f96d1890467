"""Siconos 4.4 (Debian's python3-siconos, contacts by Bullet) on the scenes: `siconos_scenes.py scene ...`.

Moreau-Jean with theta = 1/2 + 1e-5 where e > 0, theta = 1 for piles; NSGS at 1e-4 for piles, 1e-8 elsewhere.
"""
import sys

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from siconos.mechanics.collision import (RigidBodyDS, SiconosBox, SiconosContactor, SiconosContactorSet, SiconosPlane, SiconosSphere)
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions

from scenes import G, SCENES, Pile, measure, rotation

LIMIT_S = 60.0


class World:
    def __init__(self, scene):
        self.scene = scene
        pile = isinstance(scene, Pile)
        tolerance = 1e-4 if pile else 1e-8
        nsds = sk.NonSmoothDynamicalSystem(0.0, 2 * scene.end)
        box = getattr(scene, "size", None)
        shape = SiconosSphere(scene.R) if box is None else SiconosBox(*scene.size)
        shape.setInsideMargin(0.0 if box is None else 0.005)
        shape.setOutsideMargin(0.0)
        self.bodies = []
        for x in np.atleast_2d(scene.x):
            v = [0.0] * 6 if pile else [*scene.v, *scene.w]
            body = RigidBodyDS([*x, 1, 0, 0, 0], v, scene.mass, np.diag(scene.inertia))
            body.setFExtPtr(np.array([0.0, 0.0, -scene.mass * G]))
            contactors = SiconosContactorSet()
            contactors.append(SiconosContactor(shape))
            body.setContactors(contactors)
            nsds.insertDynamicalSystem(body)
            self.bodies.append(body)
        options = SiconosBulletOptions()
        options.worldScale = 1.0
        options.contactBreakingThreshold = 0.04
        self.manager = SiconosBulletCollisionManager(options)
        self.manager.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(scene.e, 0.0, scene.mu, 3), 0, 0)
        self.keep = []
        for point, n in scene.walls() if pile else [((0, 0, 0), (0, 0, 1))]:
            # Bullet's plane looks along z; the shortest turn takes z to n
            c = np.cross((0, 0, 1), n)
            q = np.array([1.0 + n[2], *c])
            plane, contactors = SiconosPlane(), SiconosContactorSet()
            plane.setInsideMargin(0.0)
            plane.setOutsideMargin(0.0)
            contactors.append(SiconosContactor(plane))
            self.manager.insertStaticContactorSet(contactors, [*point, *(q / np.linalg.norm(q))])
            self.keep.append((plane, contactors))
        theta = 1.0 if pile else 0.50001
        osi = sk.MoreauJeanOSI(theta)
        solver = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
        solver.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000
        solver.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        self.problem = sk.FrictionContact(3, solver)
        self.problem.setMaxSize(30000)
        self.problem.setMStorageType(sn.NM_SPARSE_BLOCK)
        self.problem.setKeepLambdaAndYState(True)
        self.problem.setNumericsVerboseMode(False)
        self.sim = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, scene.h))
        self.sim.insertInteractionManager(self.manager)
        self.sim.insertIntegrator(osi)
        self.sim.insertNonSmoothProblem(self.problem)
        self.sim.setNewtonOptions(sk.SICONOS_TS_LINEAR)
        self.sim.setWarnOnNonConvergence(False)
        self.nsds, self.osi, self.tolerance = nsds, osi, tolerance
        self.worst, self.failed, self.solved = 0.0, 0, 0

    def step(self):
        self.sim.computeOneStep()
        if self.problem.getSizeOutput() > 0:
            error = self.problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_RESIDU]
            self.solved += 1
            self.failed += error > self.tolerance
            self.worst = max(self.worst, error)
        self.sim.nextStep()

    def state(self):
        q = np.array([body.q() for body in self.bodies])
        v = np.array([body.twist() for body in self.bodies])
        self.q = q
        return q[:, :3], v[:, :3], v[:, 3:]

    def rotations(self):
        return rotation(self.q[0][3:]) if getattr(self.scene, "size", None) is not None else None

    def residual(self):
        return self.worst

    def remark(self):
        contacts = self.problem.getSizeOutput() // 3
        return f"{contacts} contacts at the end; {self.failed} of {self.solved} solves not converged"


for name in sys.argv[1:]:
    scene = SCENES[name]()
    measure(scene, World(scene), "Siconos", "NSGS; " + ("1e-4" if isinstance(scene, Pile) else "1e-8"), LIMIT_S)
