"""The scenes every engine runs, and how they are judged: from places and velocities alone, by one function.

An engine is an object with `step()`, `state()` -> x, v, w (rows of bodies; w in the frame of the body), and optionally `residual()`.
Columns: scene, engine, settings, steps, steps_per_s (CPU time of the steps alone), deepest_m and deepest_end_m (overlap, or violation of
joints), energy_change and energy_created (end and maximum against the start), residual, remark.
"""
import math
import time

import numpy as np

G = 9.81
COLUMNS = "scene,engine,settings,steps,steps_per_s,deepest_m,deepest_end_m,energy_change,energy_created,residual,remark"


class Pile:
    """R = 0.1, density 1000, spacing 0.22, jitter ±9 mm, inside five walls; mu = 0.5, e = 0, h = 2 ms."""
    R, mu, e, h, end = 0.1, 0.5, 0.0, 2e-3, 2.0
    mass = 1000.0 * 4.0 / 3.0 * math.pi * R**3
    inertia = np.full(3, 0.4 * mass * R * R)

    def __init__(self, nx, ny, nz):
        self.name = f"pile-{nx * ny * nz}"
        self.half = (0.11 * nx, 0.11 * ny)
        seed = 1
        places = []

        def dice():
            nonlocal seed
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            return 0.009 * ((seed >> 11) / 2**52 - 1.0)

        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    x = 0.22 * (i - 0.5 * (nx - 1)) + dice()
                    y = 0.22 * (j - 0.5 * (ny - 1)) + dice()
                    places.append([x, y, 0.12 + 0.22 * k])
        self.x = np.array(places)
        self.every = 20

    def walls(self):
        """Point and inward normal of each."""
        a, b = self.half
        return [((0, 0, 0), (0, 0, 1)), ((-a, 0, 0), (1, 0, 0)), ((a, 0, 0), (-1, 0, 0)), ((0, -b, 0), (0, 1, 0)),
                ((0, b, 0), (0, -1, 0))]

    def overlap(self, x):
        deepest = -np.inf
        for i in range(len(x) - 1):
            d = x[i + 1:] - x[i]
            deepest = max(deepest, 4 * self.R**2 - np.min(np.einsum("ij,ij->i", d, d)))
        pairs = 2 * self.R - math.sqrt(max(0.0, 4 * self.R**2 - deepest))
        walls = max(np.max(self.R - (x - np.array(p)) @ np.array(n)) for p, n in self.walls())
        return max(pairs, walls)

    def energy(self, x, v, w):
        return float(0.5 * self.mass * np.sum(v * v) + 0.5 * np.sum(w * w * self.inertia) + self.mass * G * np.sum(x[:, 2]))


class Ball:
    """A sphere of 1 kg, R = 0.2 m, 0.8 m above the floor."""
    R, h, mass, every = 0.2, 2e-3, 1.0, 1
    inertia = np.full(3, 0.016)
    x, v, w = np.array([0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3)
    size = None

    def __init__(self, name, e, mu, end, v=(0, 0, 0), w=(0, 0, 0)):
        self.name, self.e, self.mu, self.end = name, e, mu, end
        self.v, self.w = np.array(v, float), np.array(w, float)

    def overlap(self, x):
        return float(self.R - x[0][2])

    def energy(self, x, v, w):
        return float(0.5 * self.mass * np.sum(v * v) + 0.5 * np.sum(w * w * self.inertia) + self.mass * G * (x[0][2] - self.R))

    def remark(self, states):
        """What the first impact left."""
        # contacts that take several steps end at the greatest speed upwards
        x, v, w, E = max(states, key=lambda s: s[1][0][2])
        if v[0][2] <= 0:
            return "never rises"
        if self.e < 1:
            return f"rebound {100 * (v[0][2] / (self.e * math.sqrt(2 * G * 0.8)) - 1):+.2f} %"
        return f"v_x {v[0][0]:.3f}; w_y {w[0][1]:.2f}; E {E:.2f} J"


class Brick:
    """0.4 x 0.2 x 0.1 m, 1 kg, thrown with spin; e = 1, mu = 0.5, 5 s."""
    name, h, end, mass, e, mu, every = "brick", 2e-3, 5.0, 1.0, 1.0, 0.5, 1
    size = np.array([0.4, 0.2, 0.1])
    inertia = np.array([0.05 / 12, 0.17 / 12, 0.2 / 12])
    x, v, w = np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.5, 0.0]), np.array([5.0, 7.0, 3.0])

    def overlap(self, x, R=None):
        return float("nan") if R is None else float(0.5 * np.abs(R[2]) @ self.size - x[0][2])

    def energy(self, x, v, w):
        return float(0.5 * self.mass * np.sum(v * v) + 0.5 * np.sum(w * w * self.inertia) + self.mass * G * x[0][2])


class Chain:
    """Twenty rods of 0.5 m and 1 kg, level, hinged about y; h = 1 ms, 5 s."""
    name, n, h, end, mass, length, every = "chain-20", 20, 1e-3, 5.0, 1.0, 0.5, 10
    inertia = np.array([6e-4, 0.25 / 12, 0.25 / 12])
    scale = 9.81 * 0.25 * 20 * 20

    def energy(self, x, v, w):
        return float(0.5 * self.mass * np.sum(v * v) + 0.5 * np.sum(w * w * self.inertia) + self.mass * G * np.sum(x[:, 2]))

    def overlap(self, x, R=None):
        """The widest gap of a hinge; R the rotations of the rods."""
        if R is None:
            return float("nan")
        half = 0.25 * R[:, :, 0]
        ends = np.vstack([np.zeros((1, 3)), x + half])
        return float(np.max(np.linalg.norm(x - half - ends[:-1], axis=1)))


SCENES = {
    "ball": lambda: Ball("bouncing-ball", 0.8, 0.0, 1.0),
    "spin3": lambda: Ball("spinning-sphere-0.3", 1.0, 0.3, 0.6, (1, 0, 0), (0, -60, 0)),
    "spin5": lambda: Ball("spinning-sphere-0.5", 1.0, 0.5, 0.6, (1, 0, 0), (0, -60, 0)),
    "spin10": lambda: Ball("spinning-sphere-1", 1.0, 1.0, 0.6, (1, 0, 0), (0, -60, 0)),
    "brick": Brick,
    "chain": Chain,
    "pile200": lambda: Pile(5, 5, 8),
    "pile1000": lambda: Pile(10, 10, 10),
}


def rotation(q):
    """R of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def measure(scene, engine, name, settings, limit_s, steps=None):
    """Runs an engine through a scene, at most `limit_s` CPU seconds, and prints its row."""
    planned = steps or round(scene.end / scene.h)
    spent, made, states, deepest = 0.0, 0, [], -math.inf

    def look():
        nonlocal deepest
        x, v, w = (np.asarray(a, float).reshape(-1, 3) for a in engine.state())
        E = scene.energy(x, v, w)
        turns = engine.rotations() if hasattr(engine, "rotations") else None
        now = scene.overlap(x) if turns is None else scene.overlap(x, turns)
        deepest = max(deepest, now)
        states.append((x, v, w, E))
        return now

    now = look()
    while made < planned and spent < limit_s:
        n = min(scene.every, planned - made)
        start = time.process_time()
        for _ in range(n):
            engine.step()
        spent += time.process_time() - start
        made += n
        now = look()
    E = [s[3] for s in states]
    scale = getattr(scene, "scale", E[0])
    residual = engine.residual() if hasattr(engine, "residual") else ""
    remark = scene.remark(states) if hasattr(scene, "remark") else ""
    if hasattr(engine, "remark"):
        remark = "; ".join(filter(None, [remark, engine.remark()]))
    if made < planned:
        remark = "; ".join(filter(None, [remark, f"cut after {made} of {planned} steps"]))
    speed = getattr(engine, "speed", made / max(spent, 1e-9))
    row(scene.name, name, settings, made, speed, deepest, now, (E[-1] - E[0]) / scale,
        (max(E) - E[0]) / scale, residual, remark)


def row(scene, engine, settings, steps, speed, deepest, end, change, created, residual, remark):
    number = lambda x: x if isinstance(x, str) else f"{x:.3g}"
    print(",".join([scene, engine, settings, str(steps), f"{speed:.4g}", number(deepest), number(end), number(change),
                    number(created), number(residual), remark.replace(",", ";")]), flush=True)
