"""Half a second of free swing of MJCF models against MuJoCo, contacts off: the largest angle between the two programs' bodies.

    python bench/robots/swing.py PROGRAM FILE.xml...

MuJoCo by RK4 at 0.1 ms without contacts, limits, dry friction, actuators, tendons and air; ours by `event-driven`, and by `energy-momentum` at two
steps for the order. What floats, and roots on sliders, are held where they are: let go they would fall and not swing.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

END = 0.5


def bent(model):
    """An angle for every hinge, inside its range."""
    pose = {}
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE and name:
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-1.0, 1.0)
            angle = model.qpos0[model.jnt_qposadr[j]] + 0.3 * np.cos(1.7 * j)
            pose[name] = float(np.clip(angle, low + 0.1 * (high - low), high - 0.1 * (high - low)))
    return pose


def theirs(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    # tendons are not taken over: neither what couples nor what pulls them
    model.tendon_stiffness[:] = model.tendon_damping[:] = 0.0
    of_tendons = model.eq_type == mujoco.mjtEq.mjEQ_TENDON
    model.eq_active0[of_tendons] = 0
    model.opt.viscosity = model.opt.density = 0.0
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 1e-4
    data = mujoco.MjData(model)
    pose = bent(model)
    offsets = {}
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        if name in pose:
            data.qpos[model.jnt_qposadr[j]] = pose[name]
            offsets[name] = float(pose[name] - model.qpos0[model.jnt_qposadr[j]])
    mujoco.mj_forward(model, data)
    start = data.xquat.copy()
    for _ in range(round(END / 1e-4)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i) for i in range(model.nbody)]
    return {n: (start[i], data.xquat[i].copy()) for i, n in enumerate(names) if n}, offsets


def ours(program, path, scheme, step, pose):
    folder = pathlib.Path(tempfile.mkdtemp())
    made = subprocess.run([program, "new", "robot", "--from", str(path), "--pose", ",".join(f"{j}={x!r}" for j, x in pose.items())], cwd=folder, capture_output=True, text=True)
    if made.returncode != 0:
        raise RuntimeError(made.stderr)
    text = (folder / "robot.toml").read_text()
    text = text.replace("[[body]]\n", "[[body]]\ncontact = false\n")
    text = re.sub(r"^(limits|friction_force|motor) = .*\n", "", text, flags=re.M)
    text = re.sub(r"# pairs that.*?^\]\n", "", text, flags=re.M | re.S)
    text = text.replace('name = "moreau-jean"', f'name = "{scheme}"')
    (folder / "robot.toml").write_text(text)
    done = subprocess.run([program, "run", "robot.toml", "--out", "out", "--end", repr(END), "--step", repr(step)], cwd=folder,
                          capture_output=True, text=True, timeout=150)
    if done.returncode not in (0, 5):
        raise RuntimeError(next((l for l in (done.stdout + done.stderr).splitlines() if l.startswith((" = ", "error"))), "no word"))
    rows = list(csv.reader(open(folder / "out" / "trajectory.csv")))
    last = [float(x) for n, x in zip(rows[0], rows[-1]) if n.startswith("q")]
    names = re.findall(r'\[\[body\]\]\n(?:contact = false\n)?name = "(.*)"', text)
    return {n: np.array(last[7 * i + 3:7 * i + 7]) for i, n in enumerate(names)}


def held(path):
    """The file itself, or a copy beside it whose roots do not move."""
    text = path.read_text()
    still = re.sub(r"<freejoint[^>]*/>|<freejoint[^>]*>\s*</freejoint>|<joint[^>]*(?:type=\"free\"|name=\"root[^\"]*\")[^>]*/>", "", text)
    # keyframes have places for them, sensors and actuators their names
    still = re.sub(r"<(keyframe|sensor|actuator)>.*?</\1>", "", still, flags=re.S)
    if still == text:
        return path
    copy = path.with_name("held-" + path.name)
    copy.write_text(still)
    return copy


def apart(p, q):
    return 2.0 * np.arcsin(min(1.0, 0.5 * min(np.linalg.norm(p - q), np.linalg.norm(p + q))))


def main():
    program = sys.argv[1]
    for path in map(pathlib.Path, sys.argv[2:]):
        name, path = path.name, held(path)
        try:
            want, pose = theirs(path)
            moved = max((apart(a, b) for a, b in want.values()), default=0.0)
            row = []
            for scheme, step in (("event-driven", 1e-3), ("energy-momentum", 1e-3), ("energy-momentum", 5e-4)):
                found = ours(program, path, scheme, step, pose)
                row.append(max((apart(found[n], want[n][1]) for n in want if n in found), default=float("nan")))
            order = np.log2(row[1] / row[2]) if row[2] > 0 else float("nan")
            print(f"| {name} | {moved:.2f} | {row[0]:.1e} | {row[1]:.1e} | {order:.2f} |", flush=True)
        except Exception as error:
            print(f"| {name} | | {str(error).strip().splitlines()[0][:110]} | | |", flush=True)
        if path.name.startswith("held-"):
            path.unlink()


main()
