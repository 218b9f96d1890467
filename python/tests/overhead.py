"""What Python adds to a run: the bouncing ball for 10⁶ steps against the same in Rust, in turns, CPU times, best of several.

    cargo build --release -p percussion --example ball-in-memory
    python python/tests/overhead.py target/release/examples/ball-in-memory
"""

import os
import subprocess
import sys
import time

import percussion


def rust(program):
    """CPU seconds of a process that makes the run and ends."""
    process = subprocess.Popen([program, "once"])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def python():
    """CPU seconds of the call."""
    started = time.process_time()
    solution = percussion.run("bouncing-ball", step=2e-6, end=2.0)
    elapsed = time.process_time() - started
    assert solution.q.shape == (1_000_001, 1)
    return elapsed


pairs = [(rust(sys.argv[1]), python()) for _ in range(15)]
best_rust, best_python = (min(column) for column in zip(*pairs))
print(f"{best_rust:.4f} s in Rust, {best_python:.4f} s from Python, ratio {best_python / best_rust:.3f}")
