"""A bar on what takes longer than a second, on terminals and in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Optional, Union

#: Told of the step made, the number of steps (a guess where they are adaptive) and t [s].
Tell = Callable[[int, int, float], Any]
Progress = Union[bool, Tell, None]

_WIDTH = 30


class Bar:
    """Steps made, drawn over itself; nothing in the first second."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._started = time.monotonic()
        self._drawn = False

    def __call__(self, step: int, steps: int, t: float) -> None:
        passed = time.monotonic() - self._started
        if passed < 1.0:
            return
        part = min(step / max(steps, 1), 1.0)
        full = round(_WIDTH * part)
        left = passed * (1 - part) / part if part > 0 else 0.0
        bar = "█" * full + "·" * (_WIDTH - full)
        self._stream.write(f"\r{bar} {100 * part:3.0f} %  t = {t:.4g} s, {left:.0f} s left  ")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Takes the bar away."""
        if self._drawn:
            self._stream.write("\r" + " " * (_WIDTH + 40) + "\r")
            self._stream.flush()


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def teller(progress: Progress) -> Optional[Tell]:
    """The function that is told: a bar where somebody looks, unless it is asked for or away."""
    if callable(progress):
        return progress
    stream = sys.stderr
    if progress is None:
        progress = in_notebook() or bool(getattr(stream, "isatty", lambda: False)())
    return Bar(stream) if progress and stream is not None else None
