#!/usr/bin/env python3
"""rivals.csv as tables: `table.py rivals.csv rivals.md`. Nothing is added that is not in the file."""
import sys

TITLES = {
    "bouncing-ball": "Bouncing ball: e = 0.8, R = 0.2 m, 0.8 m above the floor, h = 2 ms, 1 s",
    "spinning-sphere-0.3": "Spinning sphere: v = (1, 0, 0), w = (0, -60, 0), e = 1, mu = 0.3 (exact: v_x -1.377, w_y -30.29, E 16.13 J)",
    "spinning-sphere-0.5": "Spinning sphere, mu = 0.5 (exact: v_x -2.714, w_y -13.57, E 13.01 J)",
    "spinning-sphere-1": "Spinning sphere, mu = 1 (exact: as for 0.5)",
    "brick": "Thrown brick: e = 1, mu = 0.5, h = 2 ms, 5 s",
    "chain-20": "Chain of 20 rods, h = 1 ms, 5 s; energies in parts of 981 J, depth is the widest gap of a hinge",
    "pile-200": "Pile of 200 spheres, 5 x 5 x 8, h = 2 ms, 2 s",
    "pile-1000": "Pile of 1000 spheres, 10 x 10 x 10, h = 2 ms, 2 s",
}


def number(text, form="{:.3g}"):
    try:
        return form.format(float(text))
    except ValueError:
        return text


def main():
    lines = open(sys.argv[1]).read().splitlines()
    notes = [line[2:] for line in lines if line.startswith("#")]
    rows = [line.split(",") for line in lines if not line.startswith("#")][1:]
    out = ["# Beside the rivals", "", "Written by `bench/rivals/run.py`; the numbers are in `rivals.csv`, opinions in `COMPARE.md`.", ""]
    out += [f"- {note}" for note in notes]
    out += ["- steps per second of CPU time of one core; other programs ran on the machine, so compare rows of one table",
            "- deepest: overlap of bodies computed from their places by one function, over the run (piles and the chain: looked at",
            "  every 20th and 10th step) and at its end; negative: never touched",
            "- energy: kinetic and potential, computed from places and velocities; change at the end, highest above the start", ""]
    for scene, title in TITLES.items():
        of = [row for row in rows if row[0] == scene]
        if not of:
            continue
        out += [f"## {title}", "", "| engine | settings | steps | steps/s | deepest [m] | at the end [m] | energy change | created | residual | remark |",
                "|---|---|---:|---:|---:|---:|---:|---:|---:|---|"]
        for row in of:
            percent = lambda x: number(x) if x == "" else (f"{100 * float(x):+.2f} %" if abs(float(x)) >= 1e-4 else number(x, "{:.0e}"))
            out.append(f"| {row[1]} | {row[2]} | {row[3]} | {number(row[4], '{:,.0f}') if row[4] and float(row[4]) >= 100 else number(row[4])} | "
                       f"{number(row[5], '{:.1e}')} | {number(row[6], '{:.1e}')} | {percent(row[7])} | {percent(row[8])} | {number(row[9], '{:.1e}')} | {row[10]} |")
        out.append("")
    open(sys.argv[2], "w").write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    main()
