#!/usr/bin/python3
"""An elastic disc strikes a plane: GetFEM (Debian's python3-getfem) and Percussion on the same meshes and steps, in one go.

    getfem_disc.py [PROGRAM]

R = 0.2 m, density 6000 kg/m³, Lamé's numbers 1e6 and 5e5 Pa, plane strain, 1 m/s, 5 mm above the plane, no gravity, 85 ms, steps of half the
time a wave takes through an element, n rings of linear triangles. GetFEM: consistent mass, its nodal contact brick at the end of the step, elastic
forces by the midpoint rule. Percussion: the same model under `hold` with e = 0, and its defaults. Printed for each: loss of energy and momentum
given by the plane, largest force, total variation of the force over its largest value (2: a single push that rises and falls),
deepest overlap, and processor seconds a step, without the start of the program.
"""
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

R, DENSITY, LAMBDA, MU, HEIGHT, SPEED, END = 0.2, 6000.0, 1e6, 5e5, 0.005, 1.0, 0.085
YOUNG = MU * (3 * LAMBDA + 2 * MU) / (LAMBDA + MU)
POISSON = LAMBDA / (2 * (LAMBDA + MU))
HERE = Path(__file__).resolve().parent


def disc(n):
    """Nodes, triangles and rim of n rings, the lowest node at y = 0."""
    first = [0] + [1 + 3 * k * (k - 1) for k in range(1, n + 1)]
    places = [(0.0, R)]
    for k in range(1, n + 1):
        for i in range(6 * k):
            angle = 2 * math.pi * i / (6 * k) - math.pi / 2
            places.append((R * k / n * math.cos(angle), R + R * k / n * math.sin(angle)))
    at = lambda k, i: first[k] + (i % (6 * k) if k else 0)
    triangles = []
    for k in range(n):
        for sector in range(6):
            for i in range(k + 1):
                inner, outer = sector * k + i, sector * (k + 1) + i
                triangles.append((at(k, inner), at(k + 1, outer), at(k + 1, outer + 1)))
                if i < k:
                    triangles.append((at(k, inner), at(k + 1, outer + 1), at(k, inner + 1)))
    rim = [(at(n, i), at(n, i + 1)) for i in range(6 * n)]
    return np.array(places), triangles, rim


def step_of(n):
    wave = math.sqrt((LAMBDA + 2 * MU) / DENSITY)
    return END / round(END / (0.5 * (R / n) / wave))


def judged(name, n, h, energies, forces, overlap, seconds):
    forces = np.array(forces)
    loss = (energies[0] - energies[-1]) / energies[0]
    print(f"| {n} | {name} | {loss:.3g} | {h * forces.sum():.2f} | {forces.max():.0f} | "
          f"{np.abs(np.diff(np.append(0.0, forces))).sum() / forces.max():.2f} | {overlap:.1e} | {1e3 * seconds / len(forces):.2f} |",
          flush=True)


def getfem(n, h):
    import getfem as gf
    gf.util_trace_level(0)
    places, triangles, _ = disc(n)
    mesh = gf.Mesh("empty", 2)
    for t in triangles:
        mesh.add_convex(gf.GeoTrans("GT_PK(2,1)"), places[list(t)].T)
    rim = mesh.outer_faces()
    mesh.set_region(1, rim)
    field, scalar = gf.MeshFem(mesh, 2), gf.MeshFem(mesh, 1)
    field.set_fem(gf.Fem("FEM_PK(2,1)"))
    scalar.set_fem(gf.Fem("FEM_PK(2,1)"))
    integral = gf.MeshIm(mesh, gf.Integ("IM_TRIANGLE(4)"))
    on_rim = field.basic_dof_on_region(1)
    m = len(on_rim) // 2
    model = gf.Model("real")
    model.add_fem_variable("u", field)
    for name in ["u0", "v0"]:
        model.add_fem_data(name, field)
    for name, value in [("h", h), ("rho", DENSITY), ("la", LAMBDA), ("mu", MU), ("r", YOUNG)]:
        model.add_initialized_data(name, [value])
    model.add_linear_term(integral, "(2*rho/(h*h))*(u-u0-h*v0).Test_u"
                                    "+(la*Trace(Grad_u+Grad_u0)/2)*Trace(Grad_Test_u)"
                                    "+(mu*(Grad_u+Grad_u'+Grad_u0+Grad_u0')/2):Grad_Test_u")
    model.add_variable("p", m)
    model.add_nodal_contact_with_rigid_obstacle_brick(integral, "u", "p", "r", 1, f"y+{HEIGHT}")
    mass = gf.asm_mass_matrix(integral, field)
    stiffness = gf.asm_linear_elasticity(integral, field, scalar, LAMBDA * np.ones(scalar.nbdof()),
                                         MU * np.ones(scalar.nbdof()))
    u, v = np.zeros(field.nbdof()), np.tile([0.0, -SPEED], field.nbdof() // 2)
    heights = np.asarray(field.basic_dof_nodes())[1]

    def energy():
        return 0.5 * DENSITY * v @ mass.mult(v) + 0.5 * u @ stiffness.mult(u)

    energies, forces, overlap = [energy()], [], 0.0
    start = time.process_time()
    for _ in range(round(END / h)):
        model.set_variable("u0", u)
        model.set_variable("v0", v)
        said = model.solve("max_res", 1e-13, "max_iter", 100, "lsearch", "simplest")
        after = model.variable("u")
        forces.append(abs(model.variable("p").sum()))
        v = 2 * (after - u) / h - v
        u = after
        energies.append(energy())
        y = HEIGHT + heights + u
        overlap = max(overlap, -y[1::2].min())
    judged("GetFEM, nodal contact, consistent mass", n, h, energies, forces, overlap, time.process_time() - start)


def percussion(program, n, h, name, keys):
    places, triangles, rim = disc(n)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '1 1 "rim"', '2 2 "solid"', "$EndPhysicalNames",
                 "$Nodes", str(len(places))]
        lines += [f"{i + 1} {x!r} {y!r} 0" for i, (x, y) in enumerate(places.tolist())]
        lines += ["$EndNodes", "$Elements", str(len(rim) + len(triangles))]
        cells = [(1, 1, e) for e in rim] + [(2, 2, e) for e in triangles]
        lines += [f"{k + 1} {kind} 2 {group} {group} " + " ".join(str(i + 1) for i in nodes)
                  for k, (kind, group, nodes) in enumerate(cells)]
        (folder / "disc.msh").write_text("\n".join(lines + ["$EndElements", ""]))
        (folder / "disc.toml").write_text(f'''name = "disc"
[model]
kind = "solid"
mesh = "disc.msh"
plane = "strain"
[[model.part]]
group = "solid"
material = {{ young = {YOUNG!r}, poisson = {POISSON!r}, density = {DENSITY!r} }}
velocity = [0.0, {-SPEED!r}]
[[model.contact]]
surface = "rim"
against = {{ plane = {{ point = [0.0, {-HEIGHT!r}], normal = [0.0, 1.0] }} }}
{keys[0]}
[scheme]
name = "moreau-jean"
{keys[1]}
[time]
step = {h!r}
end = {END!r}
''')
        run = [program, "run", str(folder / "disc.toml"), "--quiet", "--threads", "1", "--out"]

        def seconds(out, more=()):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(run + [str(folder / out), *more], capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode not in (0, 5):
                raise SystemExit(done.stderr)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        spent = seconds("whole") - seconds("begun", ["--end", repr(h)])
        table = lambda file: [row.split(",") for row in (folder / "whole" / file).read_text().split()]
        ledger = table("ledger.csv")
        energies = [float(row[4]) for row in ledger[1:]]
        forces = np.zeros(len(energies) - 1)
        contacts = table("contacts.csv")
        column = contacts[0].index("p_n")
        for row in contacts[1:]:
            forces[int(row[0]) - 1] += float(row[column]) / h
        verdict = json.loads((folder / "whole" / "summary.json").read_text())["verdicts"]["gap"]
        judged(f"Percussion, {name}", n, h, energies, forces, float(verdict["worst"]), spent)


if __name__ == "__main__":
    program = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent.parent / "target" / "release" / "percussion")
    print("| rings | program | loss | impulse [N s] | largest force [N] | variation | deepest [m] | CPU ms a step |\n"
          "|---:|---|---:|---:|---:|---:|---:|---:|")
    for n in [8, 16]:
        h = step_of(n)
        getfem(n, h)
        percussion(program, n, h, "consistent mass, hold", ('mass = "consistent"', 'theta = 0.5\nactivation = "hold"'))
        percussion(program, n, h, "its defaults", ("", ""))
