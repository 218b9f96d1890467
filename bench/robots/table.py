"""Which public robots are imported, checked and run 1 s on a floor, and how fast (CPU time): a row per file.

    python bench/robots/table.py PROGRAM [--limit=S] [--sample=N,SEED] FOLDER... > table.md

With --sample N of each folder, drawn by this seed; S are the CPU seconds that one command may take. Every .urdf, every .sdf with a model, and every .xml that begins with <mujoco, below the folders. Nothing is copied; scenarios are made in a scratch folder.
"""

import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

# CPU seconds of one command: other work on the machine does not count
OPTIONS = {"limit": "60", "sample": ""}


def run(program, arguments, folder):
    limit = int(OPTIONS["limit"])

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, preexec_fn=bound)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ("time" if done.returncode < 0 else done.returncode), done.stdout + done.stderr, took


def robots(folder):
    for path in sorted(pathlib.Path(folder).resolve().rglob("*")):
        # a thousand drawn objects of one kind in pybullet_data
        if "random_urdfs" in path.parts:
            continue
        if path.suffix == ".urdf" or path.suffix == ".sdf" and "<model" in path.read_text(errors="replace"):
            yield path
        elif path.suffix == ".xml" and re.search(r"<mujoco\b[^i]", path.read_text(errors="replace")[:3000]):
            yield path


def reached(folder):
    """How far a run got that was cut off."""
    rows = pathlib.Path(folder, "out", "ledger.csv")
    last = rows.read_text().splitlines()[-1].split(",") if rows.is_file() else []
    return f" ({float(last[1]):.2f} s of motion)" if len(last) > 2 and re.match(r"[0-9.e+-]+$", last[1]) else ""


def row(program, path):
    folder = tempfile.mkdtemp()
    try:
        code, said, _ = run(program, ["new", "robot", "--from", str(path), "--floating", "--floor", "--mend-inertia"], folder)
        if code != 0:
            return "refused", said.strip().splitlines()[0][:150] if said.strip() else "", None
        code, said, _ = run(program, ["check", "robot.toml"], folder)
        if code != 0:
            return "imports", said.strip().splitlines()[0][:150], None
        code, said, took = run(program, ["run", "robot.toml", "--out", "out", "--end", "1.0"], folder)
        if code == "time":
            return "checks", f"not done in {OPTIONS['limit']} CPU s{reached(folder)}", None
        summary = pathlib.Path(folder, "out", "summary.json")
        rate = 1.0 / took
        if code in (0, 5):
            failed = ""
            if summary.is_file():
                verdicts = json.loads(summary.read_text()).get("verdicts", {})
                failed = ", ".join(k for k, v in verdicts.items() if isinstance(v, dict) and v.get("status") == "fail")
            return "runs", failed, rate
        words = [line for line in said.splitlines() if "E2" in line or "error" in line]
        return "checks", (words or said.strip().splitlines() or [""])[0][:150], None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    program, *words = sys.argv[1:]
    OPTIONS.update(word[2:].split("=", 1) for word in words if word.startswith("--"))
    folders = [word for word in words if not word.startswith("--")]
    sample = [int(x) for x in OPTIONS["sample"].split(",")] if OPTIONS["sample"] else None
    counts = {}
    print("| robot | what it does | of real time | remark |\n|---|---|---|---|")
    for folder in folders:
        paths = list(robots(folder))
        if sample:
            random.Random(sample[1]).shuffle(paths)
            paths = sorted(paths[: sample[0]])
        for path in paths:
            what, remark, rate = row(program, path)
            counts[what] = counts.get(what, 0) + 1
            shown = path.relative_to(pathlib.Path(folder).resolve())
            print(f"| {shown} | {what} | {'' if rate is None else f'{rate:.2f}'} | {remark.replace('|', '/')} |", flush=True)
    print("\n" + ", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))


main()
