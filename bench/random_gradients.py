"""Gradients and Floquet multipliers of random scenes beside Richardson-extrapolated differences of event-driven runs.

    python bench/random_gradients.py PROGRAM gradients 0 240
    python bench/random_gradients.py PROGRAM multipliers 0 220      (needs numpy)

A derivative is compared with (4 D(δ/2) − D(δ))/3, δ from 1e-4 to 1e-7 of the parameter: motions that rattle are smooth on short intervals
only, and the shorter δ, the noisier a difference. An error counts beside the larger of the derivative, a tenth of the largest of its
parameter, and 0.1. `unsure`: off by less than three times the distance of D(δ/2) from D(δ). `narrow`: the derivative says itself that it holds
over less than 1e-6 of the parameter (`reach`); δ is a fifth of that, and an error counts by the round-off of the runs, 1e-13/δ, too.
"""

import collections
import csv
import math
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WORK = Path(tempfile.mkdtemp(prefix="gradients-"))
FLOOR = '[[body]]\nname = "floor"\nfixed = true\nshape = { kind = "plane" }\n'


def bodies(gravity, restitution, friction):
    return (
        f'[model]\nkind = "bodies"\ndimension = 2\ngravity = [{gravity[0]!r}, {gravity[1]!r}]\n'
        f"restitution = {restitution!r}\nfriction = {friction!r}\n"
    )


def body(name, shape, mass, place, angle=0.0, v=(0.0, 0.0), w=0.0, more=""):
    return (
        f'[[body]]\nname = "{name}"\nshape = {{ {shape} }}\nmass = {mass!r}\n{more}position = [{place[0]!r}, {place[1]!r}]\n'
        f"angle = {angle!r}\nvelocity = [{v[0]!r}, {v[1]!r}]\nangular_velocity = [{w!r}]\n"
    )


def end(t):
    return f'[scheme]\nname = "event-driven"\n[time]\nend = {t!r}\nstep = 0.01\n'


def columns(*n):
    return [f"q{i}" for i in n] + [f"v{i}" for i in n] + ["energy", "lost"]


def box(r):
    """Thrown on a floor; it rocks from corner to corner until it rests."""
    turn, h, w = r.uniform(0.05, 0.8), r.uniform(0.1, 0.8), r.uniform(0.3, 1.0)
    y = 0.5 * (w * math.sin(turn) + h * math.cos(turn)) + r.uniform(0.0, 0.3) + 0.01
    text = bodies((0.0, -9.81), r.uniform(0.05, 0.7), r.uniform(0.05, 1.0)) + FLOOR
    v = (r.uniform(-1, 1), r.uniform(-1, 0))
    text += body("box", f'kind = "box", size = [{w!r}, {h!r}]', r.uniform(0.5, 3), (0.0, y), turn, v, r.uniform(-2, 2))
    keys = ["model.gravity.1", "model.restitution", "model.friction", "body.1.position.1", "body.1.angle", "body.1.velocity.0"]
    return text + end(r.uniform(0.4, 1.2)), columns(3, 4, 5), keys


def discs(r):
    """One rests on a floor, another falls on it from the side."""
    low, top = r.uniform(0.1, 0.3), r.uniform(0.05, 0.2)
    x = r.uniform(-0.8, 0.8) * (low + top)
    y = low + math.sqrt((low + top) ** 2 - x * x) + r.uniform(0.05, 0.4)
    text = bodies((0.0, -9.81), r.uniform(0.1, 0.7), r.uniform(0.05, 0.9)) + FLOOR
    inertia = [f"inertia = [{size * r.uniform(0.5, 2)!r}]\n" for size in (0.01, 0.002)]
    text += body("low", f'kind = "sphere", radius = {low!r}', r.uniform(0.5, 4), (0.0, low), more=inertia[0])
    shape, v = f'kind = "sphere", radius = {top!r}', (r.uniform(-0.5, 0.5), 0.0)
    text += body("ball", shape, r.uniform(0.1, 1), (x, y), 0.0, v, r.uniform(-3, 3), inertia[1])
    of = ["q3", "v3", "v5", "q6", "q7", "q8", "v6", "v7", "v8", "energy", "lost"]
    keys = ["model.gravity.1", "model.restitution", "model.friction", "body.2.position.1", "body.2.position.0", "body.1.mass"]
    return text + end(r.uniform(0.4, 0.9)), of, keys


def slope(r):
    """A box lies on an inclined floor, slides and strikes a wall."""
    turn, w, h = r.uniform(0.1, 0.6), r.uniform(0.3, 1), r.uniform(0.2, 0.5)
    gravity = (9.81 * math.sin(turn), -9.81 * math.cos(turn))
    text = bodies(gravity, r.uniform(0.1, 0.7), r.uniform(0.1, 0.9)) + FLOOR
    wall = 'shape = { kind = "plane" }\nposition = [%r, 0.0]\nangle = 1.5707963267948966\n' % r.uniform(0.7, 1.1)
    text += f'[[body]]\nname = "wall"\nfixed = true\n{wall}'
    text += body("box", f'kind = "box", size = [{w!r}, {h!r}]', r.uniform(0.5, 3), (0.0, h / 2), v=(r.uniform(0.5, 3), 0.0))
    keys = ["model.gravity.0", "model.restitution", "model.friction", "body.2.mass", "body.1.position.0", "body.2.velocity.0"]
    return text + end(r.uniform(0.3, 0.9)), columns(6, 7, 8), keys


def pendulum(r):
    """A bob on a damped hinge strikes a rough wall."""
    length, turn = r.uniform(0.4, 0.8), r.uniform(-1.2, -0.3)
    text = bodies((0.0, -9.81), r.uniform(0.2, 0.8), r.uniform(0.05, 0.6))
    text += FLOOR + "position = [%r, 0.0]\nangle = 1.5707963267948966\n" % r.uniform(0.15, 0.4)
    text += '[[body]]\nname = "base"\nfixed = true\ncontact = false\nshape = { kind = "sphere", radius = 0.01 }\n'
    place = (length * math.sin(turn), -length * math.cos(turn))
    text += body("bob", 'kind = "sphere", radius = 0.1', r.uniform(0.5, 2), place)
    text += f'[[joint]]\nname = "pin"\nkind = "revolute"\na = "base"\nb = "bob"\nanchor = [0.0, 0.0]\ndamping = {r.uniform(0, 0.3)!r}\n'
    keys = ["model.gravity.1", "model.restitution", "model.friction", "joint.0.damping", "body.0.position.0", "body.2.mass"]
    return text + end(r.uniform(0.6, 2.0)), columns(6, 7, 8), keys


def chain(r, drive, load, damping, starts, contacts):
    """Two masses between springs, the first driven."""
    k, m = [r.uniform(*starts) for _ in range(3)], [r.uniform(0.5, 2) for _ in range(2)]
    return (
        f'[model]\nkind = "linear"\nmass = [[{m[0]!r}, 0.0], [0.0, {m[1]!r}]]\n'
        f"stiffness = [[{k[0] + k[1]!r}, {-k[1]!r}], [{-k[1]!r}, {k[1] + k[2]!r}]]\ndamping = [[{damping!r}, 0.0], [0.0, {damping!r}]]\n"
        f"force = [{{ sines = [{{ amplitude = {drive[0]!r}, omega = {drive[1]!r}, phase = 0.3 }}] }}, {load!r}]\n{contacts}"
    )


def linear(r):
    """A driven chain with two stops, on one of which it rests in half of the scenes."""
    rests = r.random() < 0.5
    load = -r.uniform(5, 30) if rests else r.uniform(-5, 5)
    contacts = (
        f"q0 = [0.0, {0.0 if rests else 0.05}]\nv0 = [{r.uniform(-1, 1)!r}, 0.0]\n"
        f"[[model.contact]]\nnormal = [-1.0, {r.choice([0.0, 1.0])}]\noffset = {r.uniform(0.02, 0.1)!r}\nrestitution = {r.uniform(0.2, 0.9)!r}\n"
        f"[[model.contact]]\nnormal = [0.0, 1.0]\noffset = 0.0\nrestitution = {r.uniform(0.2, 0.9)!r}\n"
    )
    text = chain(r, (r.uniform(5, 30), r.uniform(3, 15)), load, r.uniform(0.1, 2), (50, 500), contacts)
    keys = ["model.mass.0.0", "model.stiffness.1.1", "model.contact.0.restitution", "model.contact.1.restitution"]
    keys += ["model.contact.0.offset", "model.force.0.sines.0.amplitude", "model.force.0.sines.0.omega"]
    return text + end(r.uniform(1, 3)), columns(0, 1), keys


def table(r):
    """A mass stands on, or falls at the start on, a table that begins to rise and stops."""
    first, last = r.uniform(0.2, 0.6), r.uniform(0.7, 1.0)
    text = (
        f'[model]\nkind = "linear"\nmass = [[{r.uniform(0.5, 2)!r}]]\ngravity = [-9.81]\nq0 = [0.0]\nv0 = [{r.choice([0.0, -1.3])!r}]\n'
        f"[[model.contact]]\nnormal = [1.0]\nrestitution = {r.uniform(0.2, 0.8)!r}\n"
        f"offset = {{ ramp = {{ start = {first!r}, end = {last!r}, from = 0.0, to = {-r.uniform(0.1, 0.6)!r} }} }}\n"
    )
    ramp = "model.contact.0.offset.ramp"
    keys = [f"{ramp}.start", f"{ramp}.to", "model.contact.0.restitution", "model.gravity.0"]
    return text + end(r.uniform(0.9, 1.3)), columns(0), keys


KINDS = [box, box, discs, slope, pendulum, linear, linear, table]


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def run(scene, sets):
    """The last row of a run, with its energy and what contacts took; none where it fails."""
    out = WORK / "run"
    shutil.rmtree(out, ignore_errors=True)
    command = [PROGRAM, "run", scene, "--out", out, "--quiet"]
    for item in sets:
        command += ["--set", item]
    if subprocess.run(command, capture_output=True).returncode not in (0, 5):
        return None
    ledger = rows(out / "ledger.csv")
    last = {name: float(x) for name, x in rows(out / "trajectory.csv")[-1].items()}
    lost = -sum(float(row["work_contact"]) for row in ledger)
    return {**last, "energy": float(ledger[-1]["energy"]), "lost": lost}


def slope_at_the_end(places, values):
    """The derivative at the first place of the polynomial through these."""
    total = 0.0
    for i, x in enumerate(places):
        others = [y for j, y in enumerate(places) if j != i]
        for j, other in enumerate(others):
            rest = math.prod((places[0] - y) / (x - y) for k, y in enumerate(others) if k != j)
            total += values[i] * rest / (x - other)
    return total


def gradient(scene, base, key, of):
    """What became of the derivatives by a key: a word, a line where it is not good."""
    out = WORK / "made"
    shutil.rmtree(out, ignore_errors=True)
    command = [PROGRAM, "sensitivity", scene, "--of", ",".join(of), "--wrt", key, "--out", out]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        lines = [line.strip() for line in made.stderr.splitlines()]
        return lines[0][6:10], next((line[2:] for line in lines if line.startswith("= ")), "")
    found = rows(out / "sensitivity.csv")
    at, side, way = float(found[0]["at"]), found[0]["side"], found[0]["way"]
    largest, best = max(abs(float(row["derivative"])) for row in found), None
    size, narrow = abs(at) or 1.0, float(found[0]["reach"] or "inf")
    is_narrow = narrow < 1e-6 * size
    for part in [0.2 * narrow / size] if is_narrow else (1e-4, 1e-5, 1e-6, 1e-7):
        d = part * size
        signs = {"both": [1, -1, 0.5, -0.5], "above": [0.25, 0.5, 1, 2], "below": [-0.25, -0.5, -1, -2]}[side]
        ends = [run(scene, [f"{key}={at + sign * d!r}", "scheme.cut=1e-11"]) for sign in signs]
        if any(one is None for one in ends):
            continue
        worst = (0.0, 0.0, "")
        for row in found:
            name = row["quantity"]
            values = [one[name] for one in ends]
            if side == "both":
                coarse, fine = (values[0] - values[1]) / (2 * d), (values[2] - values[3]) / d
                expected, spread = (4 * fine - coarse) / 3, abs(coarse - fine)
            else:
                places, list_of = [0.0] + [sign * d for sign in signs], [base[name]] + values
                expected = slope_at_the_end(places, list_of)
                spread = abs(expected - slope_at_the_end(places[:4], list_of[:4]))
            size = max(abs(expected), 0.1 * largest, 0.1)
            error = abs(expected - float(row["derivative"])) / size
            if error > worst[0]:
                worst = (error, spread / size, f"{name}: {row['derivative']}, differences {expected!r}")
        if best is None or worst[0] < best[0]:
            best = worst
        if best[0] <= 1e-6:
            break
    if best is None:
        return "no difference", ""
    error, spread, which = best
    if is_narrow:
        word = "narrow" if error <= 1e-6 + 1e-13 / d else "narrow, OFF"
        return f"{word} ({way})", f"reach {narrow:.0e}: {error:.1e} {which}"
    word = "1e-6" if error <= 1e-6 else "1e-5" if error <= 1e-5 else "unsure" if error <= 3 * spread else "OFF"
    return f"{word} ({way}{'' if side == 'both' else ', one-sided'})", f"{error:.1e} {which}"


def gradients(first, last):
    count = collections.Counter()
    for seed in range(first, last):
        kind = KINDS[seed % len(KINDS)]
        text, of, keys = kind(random.Random(seed))
        scene = WORK / f"{seed}.toml"
        scene.write_text(text)
        base = run(scene, [])
        if base is None:
            count[kind.__name__, "the run fails"] += 1
            continue
        for key in keys:
            word, line = gradient(scene, base, key, of)
            count[kind.__name__, word] += 1
            if not word.startswith("1e-6"):
                print(seed, kind.__name__, key, word, line, flush=True)
    return count


def oscillator(r):
    """One driven mass, or two, before a stop or two."""
    omega = r.uniform(0.6, 3)
    if r.random() < 0.4:
        text = (
            f'[model]\nkind = "linear"\nmass = [[{r.uniform(0.5, 2)!r}]]\nstiffness = [[{r.uniform(0.5, 4)!r}]]\n'
            f"damping = [[{r.uniform(0.05, 0.4)!r}]]\nq0 = [0.0]\nv0 = [0.0]\n"
            f"force = [{{ sines = [{{ amplitude = {r.uniform(0.5, 3)!r}, omega = {omega!r}, phase = 0.0 }}] }}]\n"
            f"[[model.contact]]\nnormal = [1.0]\noffset = {r.uniform(0.0, 0.5)!r}\nrestitution = {r.uniform(0.1, 0.9)!r}\n"
        )
        return text, omega, 1
    stop = "[[model.contact]]\nnormal = [{}, {}]\noffset = {!r}\nrestitution = {!r}\n"
    contacts = "q0 = [0.0, 0.0]\nv0 = [0.0, 0.0]\n"
    contacts += stop.format(-1.0, r.choice([0.0, 1.0]), r.uniform(0.05, 0.5), r.uniform(0.1, 0.9))
    if r.random() < 0.5:
        contacts += stop.format(0.0, r.choice([1.0, -1.0]), r.uniform(0.05, 0.6), r.uniform(0.1, 0.9))
    return chain(r, (r.uniform(0.5, 3), omega), 0.0, r.uniform(0.1, 0.4), (0.5, 3), contacts), omega, 2


def multipliers(first, last):
    """Coefficients of the characteristic polynomial, which is smooth where multipliers are double."""
    import numpy as np

    count = collections.Counter()
    for seed in range(first, last):
        text, omega, n = oscillator(random.Random(10_000 + seed))
        scene, out = WORK / "orbit.toml", WORK / "orbit"
        orbit = '[time]\nend = 1.0\nstep = 0.01\n[dynamics]\nkind = "orbit"\ntransient = 200\n'
        scene.write_text(text + orbit)
        shutil.rmtree(out, ignore_errors=True)
        made = subprocess.run([PROGRAM, "dynamics", scene, "--out", out, "--threads", "1"], capture_output=True, text=True)
        if made.returncode:
            count[made.stderr[6:10]] += 1
            continue
        row = rows(out / "orbit.csv")[0]
        period = int(row["periods"]) * 2 * math.pi / omega
        start = np.array([float(row[f"{letter}{i}"]) for letter in "qv" for i in range(n)])
        names = [name for name in row if name.startswith("multiplier") and name.endswith("_re") and row[name]]
        found = [complex(float(row[name]), float(row[name.replace("_re", "_im")])) for name in names]
        scene.write_text(text + f'[scheme]\nname = "event-driven"\n[time]\nend = {period!r}\nstep = {period / 50!r}\n')

        def at(x):
            listed = [", ".join(repr(float(a)) for a in part) for part in (x[:n], x[n:])]
            end_of = run(scene, [f"model.q0=[{listed[0]}]", f"model.v0=[{listed[1]}]"])
            return None if end_of is None else np.array([end_of[f"{letter}{i}"] for letter in "qv" for i in range(n)])

        best = math.inf
        for d in (1e-4, 1e-5):
            units = d * np.eye(2 * n)
            ends = [[at(start + part * unit) for part in (0.5, -0.5, 1.0, -1.0)] for unit in units]
            if any(one is None for four in ends for one in four):
                continue
            M = np.array([(8 * (a - b) - (c - e)) / (6 * d) for a, b, c, e in ends]).T
            ours, expected = np.real(np.poly(found + [0.0] * (2 * n - len(found)))), np.poly(M)
            best = min(best, np.max(np.abs(ours - expected)) / max(1.0, np.max(np.abs(expected))))
        word = "no difference" if best == math.inf else "1e-6" if best <= 1e-6 else "OFF"
        count[word, "impacts" if row["impacts"] != "0" else "no impacts"] += 1
        if word == "OFF":
            print(seed, f"{best:.1e}", found, flush=True)
    return count


if __name__ == "__main__":
    PROGRAM, what, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for words, number in sorted({"gradients": gradients, "multipliers": multipliers}[what](first, last).items(), key=str):
        print(number, *(words if isinstance(words, tuple) else (words,)))
    shutil.rmtree(WORK, ignore_errors=True)
