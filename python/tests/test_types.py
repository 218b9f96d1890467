"""The stubs, checked by mypy; doctests; the book's page."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import percussion

BOOK = Path(__file__).parents[2] / "docs" / "book"
PAGES = "".join((BOOK / page).read_text() for page in ("python.md", "sweeps.md", "live.md"))


def test_mypy():
    """The package and a user's program against the stubs."""
    pytest.importorskip("mypy")
    program = (
        "import percussion\n"
        "solution = percussion.run('bouncing-ball', scheme='newmark', end=0.1)\n"
        "energy: float = float(solution.energy['energy'][-1])\n"
        "status: str = solution.verdicts['energy'].status\n"
        "r = percussion.solve([[1.0]], [-1.0]).r\n"
    )
    wrong = program + "percussion.run('bouncing-ball', stepp=1.0)\n"
    for source, good in ((program, True), (wrong, False)):
        found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-c", source], capture_output=True, text=True)
        assert (found.returncode == 0) == good, found.stdout
    root = Path(percussion.__file__).parent
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "percussion"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    assert (root / "py.typed").exists()


def test_doctests():
    """What docstrings show."""
    tried = 0
    for module in pkgutil.iter_modules(percussion.__path__, "percussion."):
        if module.name.endswith(("__main__", "_core")):
            continue
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0
        tried += result.attempted
    assert doctest.testmod(percussion).failed == 0 and tried > 0


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", PAGES, re.S))
def test_book(block, tmp_path, monkeypatch):
    """Every program of the book's page runs."""
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "docs/book", "exec"), {"__name__": "book"})


def test_hello_world_has_twelve_lines():
    """The first program of the page, blank lines included; the README's is no longer."""
    first = re.search(r"```python\n(.*?)```", PAGES, re.S).group(1)
    assert len(first.splitlines()) == 12
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    block = re.search(r"```python\n(.*?)```", readme, re.S).group(1)
    assert len(block.splitlines()) <= 12
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})


def test_old_pythons():
    """Nothing newer than Python 3.9 in the sources, as the wheel promises."""
    import ast

    for path in Path(percussion.__file__).parent.glob("*.py*"):
        if path.suffix in (".py", ".pyi"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_every_public_name_is_documented():
    """Docstrings everywhere."""
    for name in percussion.__all__:
        if not name.startswith("_"):
            assert getattr(percussion, name).__doc__, name
