#!/usr/bin/env python3
"""All engines through all scenes in one go: installs what is missing, writes ../results/rivals.csv and the tables of rivals.md.

    run.py [FOLDER] [scene ...]

FOLDER (default ../../target/rivals) keeps the virtual environment and Rapier's build. Rapier comes from crates.io, MuJoCo, PyBullet and
Exudyn from PyPI, Siconos is Debian's python3-siconos under /usr/bin/python3. An engine that does not install, or a scene it does not
survive, is a row that says so. One core each, one after the other; under 15 minutes on a quiet machine.
"""
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCENES = ["ball", "spin3", "spin5", "spin10", "brick", "chain", "pile200", "pile1000"]
NAMES = {"ball": "bouncing-ball", "spin3": "spinning-sphere-0.3", "spin5": "spinning-sphere-0.5", "spin10": "spinning-sphere-1",
         "brick": "brick", "chain": "chain-20", "pile200": "pile-200", "pile1000": "pile-1000"}
# Siconos takes 0.4 s a step for 200 spheres; its rods are not set up
SKIP = {("Siconos", "pile1000"): "not run: 0.4 s a step for 200 spheres already",
        ("Siconos", "chain"): "not set up"}
ONE_CORE = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")


def call(command, limit=900, **more):
    """(succeeded, last lines of what was said)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return done.returncode == 0, (done.stdout + done.stderr)


def install(folder):
    """The command of each engine, or why there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    engines = {}
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    fine, said = call(["cargo", "build", "--release", "-p", "percussion-bench", "--bin", "rival_scenes"], cwd=ROOT)
    engines["Percussion"] = [str(target / "release" / "rival_scenes")] if fine else said
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CARGO_")}
    rapier = folder / "rapier-target"
    fine, said = call(["cargo", "build", "--release", "--target-dir", str(rapier)], cwd=HERE / "rapier", env=environment)
    engines["Rapier"] = [str(rapier / "release" / "rapier-scenes")] if fine else said
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        call([sys.executable, "-m", "venv", str(folder / "venv")])
    for name, package in [("MuJoCo", "mujoco"), ("PyBullet", "pybullet"), ("Exudyn", "exudyn")]:
        fine, said = call([str(python), "-m", "pip", "install", "-q", package])
        engines[name] = [str(python), "-W", "ignore", str(HERE / f"{package}_scenes.py")] if fine else said
    fine, said = call(["/usr/bin/python3", "-c", "import siconos.mechanics.collision.bullet"])
    engines["Siconos"] = ["/usr/bin/python3", str(HERE / "siconos_scenes.py")] if fine else said
    return engines, versions(python)


def versions(python):
    found = {"Percussion": "this tree"}
    lock = HERE / "rapier" / "Cargo.lock"
    lines = lock.read_text().splitlines() if lock.exists() else []
    for name, version in zip(lines, lines[1:]):
        if name == 'name = "rapier3d-f64"':
            found["Rapier"] = version.split('"')[1]
    for line in call([str(python), "-m", "pip", "list", "--format=freeze"])[1].splitlines():
        package, _, version = line.partition("==")
        name = {"mujoco": "MuJoCo", "pybullet": "PyBullet", "exudyn": "Exudyn"}.get(package)
        if name:
            found[name] = version
    fine, said = call(["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"])
    found["Siconos"] = said.strip() if fine else "?"
    return found


def run(engine, command, scene, steps=""):
    """The rows of an engine on a scene."""
    name = NAMES[scene]
    empty = lambda why: [f"{name},{engine},,0,,,,,,,{why}"]
    if (engine, scene) in SKIP:
        return empty(SKIP[engine, scene])
    if isinstance(command, str):
        return empty("not installed: " + command.strip().splitlines()[-1][:100].replace(",", ";"))
    fine, said = call(command + [scene + steps], limit=1200, env=ONE_CORE, cwd=HERE)
    rows = [line for line in said.splitlines() if line.startswith(name + ",") and line.count(",") == 10]
    if not rows:
        return empty("failed: " + (said.strip().splitlines() or ["no output"])[-1][:100].replace(",", ";"))
    return rows


def main():
    arguments = sys.argv[1:]
    folder = Path(arguments.pop(0)) if arguments and arguments[0] not in SCENES else ROOT / "target" / "rivals"
    scenes = arguments or SCENES
    engines, known = install(folder.resolve())
    rows = []
    for scene in scenes:
        cut = None
        for engine, command in sorted(engines.items(), key=lambda e: e[0] == "Percussion"):
            for line in run(engine, command, scene):
                rows.append(line)
                print(line, flush=True)
                if engine == "Siconos" and "cut after" in line:
                    cut = line.split(",")[3]
        # what Siconos had time for, once more by ours: the same steps
        if cut:
            for line in run("Percussion", engines["Percussion"], scene, f"={cut}"):
                rows.append(line)
                print(line, flush=True)
    header = "scene,engine,settings,steps,steps_per_s,deepest_m,deepest_end_m,energy_change,energy_created,residual,remark"
    results = ROOT / "bench" / "results"
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    machine = f"{os.cpu_count()} x {processor}; Linux {platform.release()}; load {os.getloadavg()[0]:.1f}"
    (results / "rivals.csv").write_text("\n".join([f"# machine: {machine}", "# versions: " + "; ".join(
        f"{engine} {version}" for engine, version in known.items()), header, *rows]) + "\n")
    call([sys.executable, str(HERE / "table.py"), str(results / "rivals.csv"), str(results / "rivals.md")])


if __name__ == "__main__":
    main()
