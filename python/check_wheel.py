"""What an installed wheel has to do wherever it was built: `python check_wheel.py MACHINE FOLDER`. A line `portable NAME HASH` for each
scene whose states have to be the same bits on every machine."""

import json
import platform
import shutil
import sys
from pathlib import Path

import numpy as np
import percussion
from percussion import _core

machine, folder = sys.argv[1], Path(sys.argv[2])
assert platform.machine() == machine, platform.machine()
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

# the ball comes to rest on its floor, and no energy is created
ball = percussion.run("bouncing-ball", scheme="moreau-jean", out=folder / "ball", format="parquet")
assert ball.verdicts["energy"].status == "pass" and abs(ball.q[-1, 0] - 0.2) < 1e-3, ball.q[-1]
assert (folder / "ball" / "trajectory.parquet").read_bytes()[:4] == b"PAR1"
assert isinstance(ball.t, np.ndarray) and ball.t[-1] == 5.0

# bodies with joints and friction; every format of tables
crank = percussion.run("slider-crank", end=0.02, out=folder / "crank", format="hdf5")
assert crank.verdicts["energy"].status == "pass" and crank.verdicts["joints"].status == "pass"
assert (folder / "crank" / "run.h5").read_bytes()[1:4] == b"HDF"

# an error is an exception that says what it is
try:
    percussion.run("bouncing-ball", set={"model.contact.0.restitution": 1.8})
    raise SystemExit("a restitution of 1.8 was taken")
except percussion.InputError as error:
    assert "E120" in str(error), error

# the portable arithmetic: the same states on every machine
for name, end in [("bouncing-ball", "5"), ("slider-crank", "0.02"), ("box-pile", "0.1"), ("elastic-bar", "0.5"), ("pendulum", "1")]:
    out = folder / name
    assert _core.command_line(["percussion", "run", name, "--end", end, "--portable", "--quiet", "--out", str(out)]) in (0, 5)
    print("portable", name, json.loads((out / "summary.json").read_text())["state_hash"], flush=True)
print("the wheel works on", machine)
