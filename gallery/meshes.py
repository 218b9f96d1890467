"""Writes the meshes of the elastic solids in this folder, as Gmsh 2.2 text: python3 meshes.py"""

import cmath
import math
import os

LINE, TRI, QUAD, HEX, TET10, TRI6, POINT = 1, 2, 3, 5, 11, 9, 15


class Mesh:
    """Nodes and elements by physical group."""

    def __init__(self):
        self.nodes, self.groups = [], {}

    def node(self, x, y, z=0.0):
        self.nodes.append((x, y, z))
        return len(self.nodes)

    def add(self, name, dimension, kind, nodes):
        self.groups.setdefault(name, (dimension, []))[1].append((kind, nodes))

    def block(self, name, low, size, n):
        """n[0] x n[1] quadrilaterals on a rectangle, with groups for its sides."""
        at = [
            [self.node(low[0] + size[0] * i / n[0], low[1] + size[1] * j / n[1]) for i in range(n[0] + 1)]
            for j in range(n[1] + 1)
        ]
        for j in range(n[1]):
            for i in range(n[0]):
                self.add(name, 2, QUAD, [at[j][i], at[j][i + 1], at[j + 1][i + 1], at[j + 1][i]])
        for i in range(n[0]):
            self.add(name + " bottom", 1, LINE, [at[0][i], at[0][i + 1]])
            self.add(name + " top", 1, LINE, [at[n[1]][i], at[n[1]][i + 1]])
        for j in range(n[1]):
            self.add(name + " left", 1, LINE, [at[j][0], at[j + 1][0]])
            self.add(name + " right", 1, LINE, [at[j][n[0]], at[j + 1][n[0]]])
        return at

    def box(self, name, low, size, n):
        """n[0] x n[1] x n[2] hexahedra, with groups for its faces and its points."""
        at = {}
        for k in range(n[2] + 1):
            for j in range(n[1] + 1):
                for i in range(n[0] + 1):
                    at[i, j, k] = self.node(*(low[a] + size[a] * q / n[a] for a, q in enumerate((i, j, k))))
        ring = lambda i, j, k: [at[i, j, k], at[i + 1, j, k], at[i + 1, j + 1, k], at[i, j + 1, k]]
        for k in range(n[2]):
            for j in range(n[1]):
                for i in range(n[0]):
                    self.add(name, 3, HEX, ring(i, j, k) + ring(i, j, k + 1))
        for j in range(n[1]):
            for i in range(n[0]):
                self.add("bottom", 2, QUAD, ring(i, j, 0))
                self.add("top", 2, QUAD, ring(i, j, n[2]))
        return at

    def write(self, scene):
        number = lambda x: repr(round(x, 15) + 0.0)
        names = list(self.groups)
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names))]
        lines += [f'{self.groups[name][0]} {k + 1} "{name}"' for k, name in enumerate(names)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.nodes))]
        lines += [f"{k + 1} " + " ".join(map(number, x)) for k, x in enumerate(self.nodes)]
        elements = [(kind, k + 1, nodes) for k, name in enumerate(names) for kind, nodes in self.groups[name][1]]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        lines += [f"{k + 1} {kind} 2 {tag} {tag} " + " ".join(map(str, nodes)) for k, (kind, tag, nodes) in enumerate(elements)]
        lines += ["$EndElements", ""]
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), scene)
        with open(os.path.join(folder, "mesh.msh"), "w") as file:
            file.write("\n".join(lines))


def rings(mesh, n, place, whole, name="solid"):
    """n rings of triangles on the unit disc, or on its right half; `place` puts a point of it somewhere."""
    share = 6 if whole else 3
    ring = []
    for k in range(n + 1):
        count = share * k if whole else share * k + 1
        angle = lambda i: -math.pi / 2 + (2 * math.pi if whole else math.pi) * (i / (share * k) if k else 0.0)
        if k == 0:
            ring.append([mesh.node(*place(0.0j))])
            continue
        ring.append([mesh.node(*place(k / n * cmath.exp(1j * angle(i)))) for i in range(count)])
    for k in range(1, n + 1):
        inner, outer = ring[k - 1], ring[k]
        at = lambda list, i: list[i % len(list)] if whole else list[min(i, len(list) - 1)]
        for sector in range(share):
            for i in range(k):
                a, b = at(outer, sector * k + i), at(outer, sector * k + i + 1)
                c = at(inner, sector * (k - 1) + i)
                mesh.add(name, 2, TRI, [a, b, c])
                if i < k - 1:
                    mesh.add(name, 2, TRI, [b, at(inner, sector * (k - 1) + i + 1), c])
    return ring


def periodic_bar():
    mesh = Mesh()
    mesh.block("bar", (0.0, 0.0), (1.0, 0.05), (20, 1))
    mesh.write("periodic-bar")


def two_bars():
    mesh = Mesh()
    mesh.block("left", (0.0, 0.0), (1.0, 0.02), (50, 1))
    mesh.block("right", (1.01, 0.0), (1.0, 0.02), (80, 1))
    mesh.write("two-bars")


def elastic_block():
    mesh = Mesh()
    mesh.block("block", (0.0, 0.0), (0.3, 0.1), (12, 4))
    mesh.write("elastic-block")


def disc():
    mesh, n = Mesh(), 8
    ring = rings(mesh, n, lambda z: (0.2 * z.real, 0.2 + 0.2 * z.imag), True)
    for i in range(-6, 6):
        mesh.add("foot", 1, LINE, [ring[n][i % (6 * n)], ring[n][(i + 1) % (6 * n)]])
    mesh.write("elastic-disc")


def whole_disc(mesh, n, centre, name, rim):
    """A disc of radius 0.2 with its rim as a group."""
    ring = rings(mesh, n, lambda z: (centre[0] + 0.2 * z.real, centre[1] + 0.2 * z.imag), True, name)[n]
    for i in range(6 * n):
        mesh.add(rim, 1, LINE, [ring[i], ring[(i + 1) % (6 * n)]])


def rolling_disc():
    mesh = Mesh()
    whole_disc(mesh, 6, (0.0, 0.204), "solid", "rim")
    mesh.write("rolling-disc")


def two_discs():
    mesh = Mesh()
    whole_disc(mesh, 6, (0.0, 0.0), "left", "left rim")
    whole_disc(mesh, 5, (0.41, 0.12), "right", "right rim")
    mesh.write("two-discs")


def hertz():
    """Half a disc, its points drawn to the lowest one by a map of the disc onto itself, which keeps angles."""
    mesh, n, a = Mesh(), 14, 0.6
    drawn = lambda z: -1j * (1j * z + a) / (1 + a * 1j * z)
    ring = rings(mesh, n, lambda z: (drawn(z).real, 1.0 + drawn(z).imag), False)
    for k in range(n):
        mesh.add("axis", 1, LINE, [ring[k][0], ring[k + 1][0]])
    for i in range(12):
        mesh.add("foot", 1, LINE, [ring[n][i], ring[n][i + 1]])
    mesh.write("hertz-impact")


def tuning_fork():
    """Two prongs of 100 mm on a yoke with a stem; nodes on a grid of 2 mm across and 4 mm along."""
    mesh, place = Mesh(), {}

    def at(i, j):
        if (i, j) not in place:
            place[i, j] = mesh.node(2e-3 * i, 4e-3 * j)
        return place[i, j]

    def fill(columns, rows):
        for j in rows:
            for i in columns:
                mesh.add("fork", 2, QUAD, [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)])

    fill(range(3, 5), range(0, 5))
    fill(range(0, 8), range(5, 7))
    fill(range(0, 2), range(7, 32))
    fill(range(6, 8), range(7, 32))
    for i in range(3, 5):
        mesh.add("stem", 1, LINE, [at(i, 0), at(i + 1, 0)])
    for j in range(26, 32):
        mesh.add("side", 1, LINE, [at(0, j), at(0, j + 1)])
    mesh.write("tuning-fork")


def bracket():
    """An angle of two plates, each cube of the grid cut into six tetrahedra of ten nodes."""
    mesh, place, a = Mesh(), {}, 0.01

    def at(p):
        if p not in place:
            place[p] = mesh.node(*(0.5 * a * x for x in p))
        return place[p]

    middle = lambda p, q: tuple((x + y) // 2 for x, y in zip(p, q))
    paths = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    cells = [(i, j, 0) for i in range(5) for j in range(2)] + [(0, j, k) for k in range(1, 5) for j in range(2)]
    for cell in cells:
        for path in paths:
            corners = [tuple(2 * x for x in cell)]
            for axis in path:
                corners.append(tuple(x + 2 * (k == axis) for k, x in enumerate(corners[-1])))
            if path in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
                corners[1], corners[2] = corners[2], corners[1]
            edges = [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)]
            nodes = [at(p) for p in corners] + [at(middle(corners[i], corners[j])) for i, j in edges]
            mesh.add("bracket", 3, TET10, nodes)
            for face in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)):
                if all(corners[i][2] == 0 for i in face):
                    p, q, r = (corners[i] for i in face)
                    nodes = [at(x) for x in (p, q, r, middle(p, q), middle(q, r), middle(p, r))]
                    mesh.add("sole", 2, TRI6, nodes)
    mesh.write("bracket")


def struck_plate():
    mesh, n = Mesh(), (8, 8, 2)
    at = mesh.box("plate", (-0.1, -0.1, -0.01), (0.2, 0.2, 0.02), n)
    for (i, j, k), node in at.items():
        if i in (0, n[0]) or j in (0, n[1]):
            mesh.add("rim", 0, POINT, [node])
    mesh.add("centre", 0, POINT, [at[n[0] // 2, n[1] // 2, n[2]]])
    mesh.write("struck-plate")


for scene in (periodic_bar, two_bars, elastic_block, disc, rolling_disc, two_discs, hertz, tuning_fork, bracket, struck_plate):
    scene()
