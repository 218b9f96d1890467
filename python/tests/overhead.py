"""What Python adds to a run: the bouncing ball for 10⁶ steps, best of several, against the same in Rust.

    cargo run --release -p percussion --example ball-in-memory; python python/tests/overhead.py
"""

import time

import percussion

best = float("inf")
for _ in range(7):
    started = time.perf_counter()
    solution = percussion.run("bouncing-ball", step=2e-6, end=2.0)
    best = min(best, time.perf_counter() - started)
    assert solution.q.shape == (1_000_001, 1)
    del solution
print(f"{best:.4f} s from Python")
