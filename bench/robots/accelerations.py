"""Accelerations at rest of robots with a fixed root against Pinocchio's articulated-body algorithm.

    python bench/robots/accelerations.py PROGRAM FILE.urdf...

Ours are those of the centres of mass, from velocities after h and h/2 of `event-driven` from rest: v is odd in time there, so
(4 v(h/2)/(h/2) - v(h)/h)/3 is the acceleration up to O(h^4). Joint limits, damping, dry friction and contacts are taken out on both sides.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin

H = 1e-3


def ours(program, path):
    folder = pathlib.Path(tempfile.mkdtemp())
    subprocess.run([program, "new", "robot", "--from", path], cwd=folder, capture_output=True, check=True)
    text = (folder / "robot.toml").read_text()
    text = text.replace("[[body]]\n", "[[body]]\ncontact = false\n")
    text = re.sub(r"^(limits|damping|friction_force) = .*\n", "", text, flags=re.M)
    text = text.replace('name = "moreau-jean"', 'name = "event-driven"')
    text = re.sub(r"# pairs that.*?^\]\n", "", text, flags=re.M | re.S)
    (folder / "robot.toml").write_text(text)
    rates = []
    for h in (H, H / 2):
        out = f"out{h}"
        done = subprocess.run([program, "run", "robot.toml", "--out", out, "--end", repr(h), "--step", repr(h)], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode not in (0, 5):
            raise RuntimeError(done.stdout + done.stderr)
        rows = list(csv.reader(open(folder / out / "trajectory.csv")))
        head, last, first = rows[0], [float(x) for x in rows[-1]], [float(x) for x in rows[1]]
        rates.append((np.array([x for n, x in zip(head, last) if n.startswith("v")]) / h,
                      np.array([x for n, x in zip(head, first) if n.startswith("q")])))
    a = (4.0 * rates[1][0] - rates[0][0]) / 3.0
    return rates[0][1].reshape(-1, 7)[:, :3], a.reshape(-1, 6)


def main():
    program = sys.argv[1]
    for path in sys.argv[2:]:
        try:
            model = pin.buildModelFromUrdf(path)
            data = model.createData()
            q = pin.neutral(model)
            for j in model.joints[1:]:
                if j.nq == 1:
                    low, high = model.lowerPositionLimit[j.idx_q], model.upperPositionLimit[j.idx_q]
                    if low < high:
                        q[j.idx_q] = min(max(0.0, low), high)
            v = np.zeros(model.nv)
            a = pin.aba(model, data, q, v, v)
            pin.forwardKinematics(model, data, q, v, a)
            places, found = ours(program, path)
            worst, scale, matched = 0.0, 9.81, 0
            for k in range(1, model.njoints):
                inertia = model.inertias[k]
                if inertia.mass <= 0.0:
                    continue
                com = data.oMi[k].act(inertia.lever)
                motion = data.a[k]
                linear = data.oMi[k].rotation @ (motion.linear + np.cross(motion.angular, inertia.lever))
                i = int(np.argmin(np.linalg.norm(places - com, axis=1)))
                if np.linalg.norm(places[i] - com) > 1e-9:
                    continue
                matched += 1
                scale = max(scale, np.linalg.norm(linear), np.linalg.norm(motion.angular))
                worst = max(worst, np.linalg.norm(found[i, :3] - linear), np.linalg.norm(found[i, 3:] - motion.angular))
            print(f"| {pathlib.Path(path).name} | {model.nv} | {matched} | {worst / scale:.1e} |", flush=True)
        except Exception as error:  # a robot that one of the two does not read is a row, not the end
            print(f"| {pathlib.Path(path).name} | | | {str(error).strip().splitlines()[0][:120]} |", flush=True)


main()
