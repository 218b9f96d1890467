#!/usr/bin/env python3
"""A block of A × B × C hexahedra as matrices of another program: M and K as Matrix Market files, contacts of the nodes of its bottom.

    matrices.py A B C FOLDER [lumped]        25 24 25: 50 700 coordinates, 650 contacts
    percussion run FOLDER/block.toml
"""
import itertools
import math
import sys
from pathlib import Path

YOUNG, POISSON, DENSITY = 1e6, 0.3, 1000.0
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def element(d):
    """k and consistent m of a cube of edge d, 2 × 2 × 2 points."""
    lame, mu = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    k = [[0.0] * 24 for _ in range(24)]
    m = [[0.0] * 8 for _ in range(8)]
    half = 0.5 / math.sqrt(3.0)
    for point in itertools.product((0.5 - half, 0.5 + half), repeat=3):
        one = lambda c, x: x if c else 1.0 - x
        slope = lambda c: (1.0 if c else -1.0) / d
        N = [math.prod(one(c, x) for c, x in zip(corner, point)) for corner in CORNERS]
        dN = [
            [slope(corner[a]) * math.prod(one(corner[b], point[b]) for b in range(3) if b != a) for a in range(3)]
            for corner in CORNERS
        ]
        w = d**3 / 8
        for a in range(8):
            for b in range(8):
                m[a][b] += DENSITY * w * N[a] * N[b]
                dots = sum(x * y for x, y in zip(dN[a], dN[b]))
                for i in range(3):
                    for j in range(3):
                        k[3 * a + i][3 * b + j] += w * (
                            lame * dN[a][i] * dN[b][j] + mu * dN[a][j] * dN[b][i] + (mu * dots if i == j else 0.0)
                        )
    return k, m


def write(path, n, rows):
    with path.open("w") as file:
        entries = sum(1 for row in rows.values() for x in row.values() if x != 0.0)
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {entries}\n")
        for i, row in rows.items():
            file.write("".join(f"{i + 1} {j + 1} {x!r}\n" for j, x in row.items() if x != 0.0))


if __name__ == "__main__":
    cells = [int(x) for x in sys.argv[1:4]]
    folder, lumped = Path(sys.argv[4]), sys.argv[5:] == ["lumped"]
    folder.mkdir(parents=True, exist_ok=True)
    d = 1.0 / max(cells)
    k, m = element(d)
    if lumped:
        m = [[sum(row) if a == b else 0.0 for b in range(8)] for a, row in enumerate(m)]
    nx, ny = cells[0] + 1, cells[1] + 1
    at = lambda i, j, l: i + nx * (j + ny * l)
    n = 3 * nx * ny * (cells[2] + 1)
    K, M = {i: {} for i in range(n)}, {i: {} for i in range(n)}
    for cell in itertools.product(*map(range, cells)):
        nodes = [at(*(x + c for x, c in zip(cell, corner))) for corner in CORNERS]
        for a, p in enumerate(nodes):
            for b, q in enumerate(nodes):
                for i in range(3):
                    for j in range(3):
                        if 3 * p + i >= 3 * q + j:
                            row = K[3 * p + i]
                            row[3 * q + j] = row.get(3 * q + j, 0.0) + k[3 * a + i][3 * b + j]
                    if p >= q:
                        row = M[3 * p + i]
                        row[3 * q + i] = row.get(3 * q + i, 0.0) + m[a][b]
    write(folder / "K.mtx", n, K)
    write(folder / "M.mtx", n, M)
    wave = math.sqrt(YOUNG * (1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON)) / DENSITY)
    h = 0.5 * d / wave
    head = f"%%MatrixMarket matrix array real general\n{n} 1\n"
    (folder / "v0.mtx").write_text(head + "0.0\n0.0\n-1.0\n" * (n // 3))
    bottom = [3 * at(i, j, 0) + 2 for j in range(ny) for i in range(nx)]
    contacts = "".join(
        f"[[model.contact]]\nnormal = {{ {i} = 1.0 }}\noffset = {10.5 * h!r}\nrestitution = 0.0\n" for i in bottom
    )
    (folder / "block.toml").write_text(
        f'''name = "block of {n} coordinates as matrices"
[model]
kind = "linear"
mass = {{ file = "M.mtx" }}
stiffness = {{ file = "K.mtx" }}
v0 = {{ file = "v0.mtx" }}
{contacts}[scheme]
name = "moreau-jean"
[time]
step = {h!r}
end = {100 * h!r}
'''
    )
