"""Public robots of the packages that are installed: a sample, or with PERCUSSION_LONG=1 all; beside MuJoCo and Pinocchio.

None of the files is kept here. What is not installed is said and skipped.
"""

import csv
import importlib.util
import os
import pathlib
import random
import re
import subprocess
import sys

import pytest

LONG = os.environ.get("PERCUSSION_LONG") == "1"
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "robots"
# files that say nothing a robot is made of, in the words of the refusal
DEFECTS = {
    "ur3.urdf": "0 links",
    "husky.urdf": "is not 3 finite numbers",
    "racecar_differential.urdf": "is not 3 finite numbers",
    "microtaur.urdf": "is not 3 finite numbers",
}


def folder(package, inside=""):
    """Where the files of an installed package lie; the package itself is not imported."""
    found = importlib.util.find_spec(package)
    if not found or not found.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    return pathlib.Path(found.submodule_search_locations[0]) / inside


def example_robot_data():
    for at in map(pathlib.Path, sys.path):
        there = at / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if there.is_dir():
            return there
    pytest.skip("example-robot-data is not installed")


def sample(files, count):
    files = sorted(files)
    assert files, "the package holds no robots"
    return files if LONG else sorted(random.Random(7).sample(files, min(count, len(files))))


def is_model(path):
    return re.search(r"<mujoco\b[^i]", path.read_text(errors="replace")[:3000])


def stands(program, path, tmp_path):
    """Imported, checked and run on a floor; or refused for what the file says."""
    scene = tmp_path / "robot.toml"
    made = program("new", tmp_path / "robot", "--from", path, "--floating", "--floor", "--mend-inertia")
    if made.returncode:
        assert DEFECTS.get(path.name, "no defect known") in made.stderr, f"{path}: {made.stderr}"
        return
    checked = program("check", scene)
    assert checked.returncode == 0, f"{path}: {checked.stderr}"
    done = program("run", scene, "--out", tmp_path / "out", "--end", "1.0" if LONG else "0.02")
    assert done.returncode == 0, f"{path}: {done.stdout[-500:]} {done.stderr[-500:]}"


@pytest.mark.parametrize("package", ["example_robot_data", "gymnasium_robotics", "dm_control", "robosuite", "pybullet_data"])
def test_public_robots_run(program, tmp_path, package):
    there = example_robot_data() if package == "example_robot_data" else folder(package)
    files = [path for path in there.rglob("*.xml") if is_model(path)]
    # without a thousand drawn objects of one kind
    files += [path for path in there.rglob("*.urdf") if "random_urdfs" not in path.parts]
    files += [path for path in there.rglob("*.sdf") if "<model" in path.read_text(errors="replace")]
    for k, path in enumerate(sample(files, 3)):
        here = tmp_path / str(k)
        here.mkdir()
        stands(program, path, here)


def test_a_quadruped_stands(program, tmp_path):
    """Unitree's go1 on springs in its joints, with their dry friction, on its feet: no drift, no velocity, all feet loaded, its weight carried."""
    file = example_robot_data() / "go1_description" / "urdf" / "go1.urdf"
    bent = [f"{leg}_{joint}_joint={angle}" for leg in ("FR", "FL", "RR", "RL") for joint, angle in (("hip", 0), ("thigh", 0.9), ("calf", -1.8))]
    made = program("new", tmp_path / "go1", "--from", file, "--floating", "--floor", "--pose", ",".join(bent))
    assert made.returncode == 0, made.stderr
    scene = tmp_path / "go1.toml"
    text = re.sub(r"^damping = .*\n", "", scene.read_text(), flags=re.M)
    text = text.replace('kind = "revolute"', 'kind = "revolute"\nstiffness = 100.0\ndamping = 2.0')
    # theta above 1/2, or what is left of the velocities changes its sign from step to step for ever
    text = text.replace('name = "moreau-jean"', 'name = "moreau-jean"\ntheta = 0.6\n\n[solver]\ntolerance = 1e-12')
    scene.write_text(text)
    end, out = 10.0 if LONG else 2.0, tmp_path / "out"
    done = program("run", scene, "--out", out, "--end", end)
    assert done.returncode == 0, done.stdout + done.stderr
    weight = 9.81 * sum(float(mass) for mass in re.findall(r"^mass = (.*)", text, flags=re.M))

    def table(name):
        with open(out / name) as file:
            return [row for row in csv.DictReader(file) if float(row["t"]) > 1.0 - 1e-9]

    states = table("trajectory.csv")
    q, v = ([[float(x) for key, x in row.items() if key.startswith(letter)] for row in states] for letter in "qv")
    assert max(abs(x - x0) for row in q for x, x0 in zip(row, q[0])) <= 1e-8
    assert max(abs(x) for x in v[-1]) <= 1e-8
    carried = {}
    for row in table("contacts.csv"):
        if "floor" in (row["body_a"], row["body_b"]):
            carried.setdefault(row["step"], []).append(float(row["p_n"]) / 1e-3)
    assert len(carried) == len(states)
    for feet in carried.values():
        assert sum(force > 5.0 for force in feet) == 4
        assert abs(sum(feet) - weight) <= 1e-9 * weight


def rows(script, *words):
    """The rows of the table that a script prints."""
    where = pathlib.Path(sys.executable).parent / "percussion"
    done = subprocess.run([sys.executable, BENCH / script, where, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [[cell.strip() for cell in line.strip("| \n").split("|")] for line in done.stdout.splitlines() if line.startswith("|")]


def test_free_swing_beside_mujoco():
    """Half a second of free swing: joint angles to 1e-6 rad, energy-momentum of order 2."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    suite = folder("dm_control", "suite")
    names = ["acrobot", "walker"] + (["cheetah", "hopper", "fish", "quadruped", "humanoid", "pendulum", "cartpole"] if LONG else [])
    found = [row for row in rows("swing.py", *[suite / f"{name}.xml" for name in names]) if re.match(r"[0-9.]+e?-?\d*$", row[2])]
    assert len(found) == len(names), found
    for name, _, exact, _, order, *_ in found:
        assert float(exact) <= 1e-6 and abs(float(order) - 2.0) < 0.1, name


def test_accelerations_beside_pinocchio():
    """Forward dynamics at rest to 1e-9 of the largest acceleration."""
    pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    robots = example_robot_data()
    names = ["ur_description/urdf/ur5_robot.urdf", "go1_description/urdf/go1.urdf"]
    if LONG:
        names += ["talos_data/robots/talos_reduced.urdf", "hyq_description/robots/hyq_no_sensors.urdf", "z1_description/urdf/z1.urdf"]
        names += ["xarm_description/urdf/xarm7.urdf", "kinova_description/robots/kinova.urdf", "b1_description/urdf/b1.urdf"]
        names += ["bolt_description/robots/bolt.urdf", "a1_description/urdf/a1.urdf"]
    found = [row for row in rows("accelerations.py", *[robots / name for name in names]) if re.match(r"\d", row[-1])]
    assert len(found) == len(names), found
    for name, *_, apart in found:
        assert float(apart) <= 1e-9, name
