#!/usr/bin/env python3
"""A cube of N³ hexahedra that lands flat on a floor: the mesh and scenario of the sizes in results/linear.md.

    cube.py N COURANT equilibrium|gap|hold [FOLDER]
    percussion run FOLDER/cube.toml --set output.every=50
"""
import math
import sys
from pathlib import Path

YOUNG, POISSON, DENSITY = 1e6, 0.3, 1000.0


def mesh(n, path):
    m = n + 1
    at = lambda i, j, k: 1 + i + m * (j + m * k)
    ring = lambda i, j, k: [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)]
    with path.open("w") as file:
        file.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 "bottom"\n3 2 "cube"\n$EndPhysicalNames\n')
        file.write(f"$Nodes\n{m ** 3}\n")
        for k in range(m):
            for j in range(m):
                file.write("".join(f"{at(i, j, k)} {i / n!r} {j / n!r} {k / n!r}\n" for i in range(m)))
        file.write(f"$EndNodes\n$Elements\n{n * n + n ** 3}\n")
        number = 0
        for i in range(n):
            for j in range(n):
                number += 1
                file.write(f"{number} 3 2 1 1 {' '.join(map(str, ring(i, j, 0)))}\n")
        for k in range(n):
            for j in range(n):
                for i in range(n):
                    number += 1
                    file.write(f"{number} 5 2 2 1 {' '.join(map(str, ring(i, j, k) + ring(i, j, k + 1)))}\n")
        file.write("$EndElements\n")


def scenario(n, courant, law):
    lame = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
    wave = math.sqrt((lame + YOUNG / (1 + POISSON)) / DENSITY)
    h = courant / n / wave
    more = {"equilibrium": "", "gap": "friction = 0.3", "hold": 'mass = "consistent"'}[law]
    return f'''name = "cube {n}"
[model]
kind = "solid"
mesh = "cube.msh"
gravity = [0.0, 0.0, -9.81]
[[model.part]]
group = "cube"
material = {{ young = {YOUNG}, poisson = {POISSON}, density = {DENSITY} }}
velocity = [0.1, 0.0, -1.0]
offset = [0.0, 0.0, {10.5 * h!r}]
[[model.contact]]
surface = "bottom"
against = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }} }}
{more}
[scheme]
name = "moreau-jean"
theta = 0.5
activation = "{law}"
[time]
step = {h!r}
end = {100 * h!r}
'''


if __name__ == "__main__":
    n, courant, law = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    folder = Path(sys.argv[4] if len(sys.argv) > 4 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    mesh(n, folder / "cube.msh")
    (folder / "cube.toml").write_text(scenario(n, courant, law))
