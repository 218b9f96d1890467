"""The notebooks of `examples`, cell by cell as a notebook runs them; what a cell shows must be showable."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def test_there_are_eleven():
    """First steps, schemes, a model, a sweep, Monte Carlo, a controlled arm, an inverted pendulum, a lecture, an environment, a hand, a fit."""
    assert len(NOTEBOOKS) == 11


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch):
    """Runs; the last expression of a cell has a picture in words or HTML; no outputs are stored."""
    monkeypatch.chdir(tmp_path)
    if "gymnasium" in path.stem:
        pytest.importorskip("gymnasium")
    if "fit" in path.stem:
        pytest.importorskip("scipy")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = {"__name__": "__main__"}
    shown = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            # a figure of matplotlib has the method and answers with nothing: it shows itself another way
            html = getattr(value, "_repr_html_", lambda: None)()
            assert html is None or html.startswith(("<table>", "<iframe srcdoc="))
            assert repr(value)
            shown += 1
    assert names and (shown > 0 or "custom" not in path.stem)
