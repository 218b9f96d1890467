"""A pendulum of beam elements in space, Exudyn and Percussion in turn in one run: `beams.py PERCUSSION [OUT.md]`.

1 m along x on a spherical joint at the origin, C = diag(1e5, 4e4, 4e4, 8, 10, 20), rho A = 1, rho J = diag(3, 1, 2)e-4, gravity along -z,
turning about z with 2 rad/s, h = 1 ms. Times are processor time of one core; each program runs three times, in turn, and its best counts.
"""
import json
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np

C = [1e5, 4e4, 4e4, 8.0, 10.0, 20.0]
J = [3e-4, 1e-4, 2e-4]
H = 1e-3


def exudyn_run(n, steps):
    mbs = exu.SystemContainer().AddSystem()
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag(C)
    section.inertia = np.diag(J)
    section.massPerLength = 1.0
    nodes = []
    for k in range(n + 1):
        x = k / n
        node = item.NodeRigidBodyEP(referenceCoordinates=[x, 0, 0, 1, 0, 0, 0], initialVelocities=[0, 2 * x, 0, 0, 0, 0, 1.0])
        nodes.append(mbs.AddNode(node))
        share = (0.5 if k in (0, n) else 1.0) / n
        marker = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[-1]))
        mbs.AddLoad(item.LoadForceVector(markerNumber=marker, loadVector=[0, 0, -9.81 * share]))
    for k in range(n):
        mbs.AddObject(item.ObjectBeamGeometricallyExact(nodeNumbers=nodes[k:k + 2], length=1 / n, sectionData=section))
    ground = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=mbs.AddObject(item.ObjectGround()), localPosition=[0, 0, 0]))
    first = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[0]))
    mbs.AddObject(item.SphericalJoint(markerNumbers=[ground, first]))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * H
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    before = time.process_time()
    mbs.SolveDynamic(settings)
    spent = time.process_time() - before
    return spent, list(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))


def percussion_run(program, n, steps):
    text = f"""[model]
kind = "bodies"
[[body]]
name = "ground"
fixed = true
[[beam]]
name = "rod"
from = [0.0, 0.0, 0.0]
to = [1.0, 0.0, 0.0]
elements = {n}
residual = false
stiffness = {C}
mass_per_length = 1.0
inertia_per_length = {J}
angular_velocity = [0.0, 0.0, 2.0]
[[joint]]
kind = "spherical"
a = "ground"
b = "rod"
anchor = [0.0, 0.0, 0.0]
[scheme]
name = "energy-momentum"
[time]
step = {H}
end = {steps * H}
[output]
every = {steps}
"""
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder) / "pendulum.toml"
        scenario.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", scenario, "--out", f"{folder}/run", "--threads", "1"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        last = (pathlib.Path(folder) / "run/trajectory.csv").read_text().strip().splitlines()[-1].split(",")
        summary = json.loads((pathlib.Path(folder) / "run/summary.json").read_text())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tip = [float(x) for x in last[1 + 7 * (n + 1):][:3]]
    return spent, tip, summary["verdicts"]["energy"]["worst"]


def main():
    program = sys.argv[1]
    lines = ["# Beams beside Exudyn", "", "Written by `bench/rivals/beams.py`: a pendulum in space, both programs in turn in one run.", "",
             f"- machine: {platform.machine()}, {platform.system()} {platform.release()}; load {open('/proc/loadavg').read().split()[0]}",
             f"- Exudyn {exu.__version__}, `ObjectBeamGeometricallyExact`, generalized-alpha with spectral radius 1, modified Newton, sparse, one thread",
             "- Percussion `energy-momentum`, one thread, start of the program and reading included",
             "- processor time of one core; the best of three runs, taken in turn", "",
             "| elements | steps | Exudyn steps/s | Percussion steps/s | tips apart [m] | energy ledger [J] |", "|---:|---:|---:|---:|---:|---:|"]
    for n, steps in [(8, 500), (20, 500), (200, 100), (2000, 20)]:
        # the same span for the tips, and a longer run of the faster one so that its start does not count
        long = 20 * steps if n < 100 else 5 * steps
        best = [float("inf")] * 2
        for _ in range(3):
            spent, theirs = exudyn_run(n, steps)
            best[0] = min(best[0], spent / steps)
            best[1] = min(best[1], percussion_run(program, n, long)[0] / long)
        _, ours, ledger = percussion_run(program, n, steps)
        apart = np.linalg.norm(np.array(ours) - np.array(theirs))
        lines.append(f"| {n} | {steps} | {1 / best[0]:,.0f} | {1 / best[1]:,.0f} | {apart:.1e} | {ledger:.0e} |")
    text = "\n".join(lines) + "\n"
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text)
    print(text)


main()
