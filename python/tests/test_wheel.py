"""What `python/check-aarch64` asks of the wheel for the other machine, asked of this one."""

import platform
import subprocess
import sys
from pathlib import Path


def test_wheel(tmp_path):
    script = Path(__file__).parent.parent / "check_wheel.py"
    done = subprocess.run(
        [sys.executable, str(script), platform.machine(), str(tmp_path / "run")], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("portable ") == 5 and f"works on {platform.machine()}" in done.stdout
