"""PyBullet on the scenes: `pybullet_scenes.py scene ...`."""
import sys

import numpy as np
import pybullet as b

from scenes import G, SCENES, Chain, Pile, measure, rotation

LIMIT_S = 40.0


class World:
    def __init__(self, scene, iterations):
        b.connect(b.DIRECT) if not b.isConnected() else b.resetSimulation()
        b.setGravity(0, 0, -G)
        b.setTimeStep(scene.h)
        # restitution counts from any speed on; nothing sleeps
        b.setPhysicsEngineParameter(numSolverIterations=iterations, restitutionVelocityThreshold=0.0, deterministicOverlappingPairs=1)
        self.scene, self.bodies = scene, []
        if isinstance(scene, Chain):
            self.chain(scene)
            return
        # friction and restitution of a pair are products
        law = dict(lateralFriction=scene.mu**0.5, restitution=scene.e**0.5, linearDamping=0, angularDamping=0, rollingFriction=0,
                   spinningFriction=0)
        for point, normal in scene.walls() if isinstance(scene, Pile) else [((0, 0, 0), (0, 0, 1))]:
            plane = b.createMultiBody(0, b.createCollisionShape(b.GEOM_PLANE, planeNormal=normal), basePosition=point)
            b.changeDynamics(plane, -1, **law)
        box = getattr(scene, "size", None)
        shape = (b.createCollisionShape(b.GEOM_BOX, halfExtents=0.5 * box) if box is not None else
                 b.createCollisionShape(b.GEOM_SPHERE, radius=scene.R))
        for x in np.atleast_2d(scene.x):
            body = b.createMultiBody(scene.mass, shape, basePosition=x)
            b.changeDynamics(body, -1, localInertiaDiagonal=list(scene.inertia), **law)
            if not isinstance(scene, Pile):
                b.resetBaseVelocity(body, list(scene.v), list(scene.w))
            self.bodies.append(body)

    def chain(self, scene):
        """Bullet's multibody: one body with 20 links in reduced coordinates."""
        n = scene.n
        self.body = b.createMultiBody(
            0, -1, -1, [0, 0, 0], [0, 0, 0, 1], linkMasses=[scene.mass] * n, linkCollisionShapeIndices=[-1] * n,
            linkVisualShapeIndices=[-1] * n, linkPositions=[[0.0 if k == 0 else scene.length, 0, 0] for k in range(n)],
            linkOrientations=[[0, 0, 0, 1]] * n, linkInertialFramePositions=[[0.5 * scene.length, 0, 0]] * n,
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * n, linkParentIndices=list(range(n)),
            linkJointTypes=[b.JOINT_REVOLUTE] * n, linkJointAxis=[[0, 1, 0]] * n)
        for k in range(n):
            b.changeDynamics(self.body, k, localInertiaDiagonal=list(scene.inertia), linearDamping=0, angularDamping=0,
                             jointDamping=0)
            b.setJointMotorControl2(self.body, k, b.VELOCITY_CONTROL, force=0)

    step = staticmethod(b.stepSimulation)

    def state(self):
        x, v, w = [], [], []
        self.R = []
        if isinstance(self.scene, Chain):
            for s in b.getLinkStates(self.body, range(self.scene.n), computeLinkVelocity=1):
                q = s[1]
                R = rotation((q[3], *q[:3]))
                x.append(s[0]), v.append(s[6]), w.append(R.T @ np.array(s[7])), self.R.append(R)
            return x, v, w
        for body in self.bodies:
            place, q = b.getBasePositionAndOrientation(body)
            linear, angular = b.getBaseVelocity(body)
            x.append(place), v.append(linear)
            if len(self.bodies) == 1:
                R = rotation((q[3], *q[:3]))
                w.append(R.T @ np.array(angular)), self.R.append(R)
            else:
                w.append(angular)
        return x, v, w

    def rotations(self):
        if isinstance(self.scene, Chain):
            return np.array(self.R)
        return self.R[0] if getattr(self.scene, "size", None) is not None else None


for name in sys.argv[1:]:
    scene = SCENES[name]()
    iterations = 50
    settings = "multibody" if name == "chain" else f"{iterations} iterations"
    measure(scene, World(scene, iterations), "PyBullet", settings, LIMIT_S)
