"""Contact problems on arrays and files."""

import numpy as np
import pytest
import scipy.sparse as sp

import percussion


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_complementarity(make):
    """Random positive definite problems: p ≥ 0, w ≥ 0, p·w = 0, by every solver that claims it."""
    random = np.random.default_rng(7)
    A = random.normal(size=(12, 12))
    W, b = A @ A.T + np.eye(12), random.normal(size=12)
    found = percussion.solve(make(W), b)
    w = W @ found.r + b
    assert found.success and found.kind == "lcp" and found.contacts == 12
    assert found.r.min() >= 0 and w.min() > -1e-9 and abs(found.r @ w) < 1e-8
    assert percussion.solve(W, b, solver="lemke").r == pytest.approx(found.r, abs=1e-8)
    with pytest.raises(ValueError):
        found.r[0] = 1.0


def test_friction():
    """One block on a plane: it sticks under a small tangential velocity and slides under a large one."""
    W = np.eye(3)
    stick = percussion.solve(W, [-1.0, 0.2, 0.0], mu=[0.5])
    assert stick.r == pytest.approx(np.array([[1.0, -0.2, 0.0]]), abs=1e-9)
    slip = percussion.solve(W, [-1.0, 3.0, 0.0], mu=0.5)
    assert slip.r[0] == pytest.approx([1.0, -0.5, 0.0], abs=1e-9) and slip.kind == "fc3d"
    plane = percussion.solve(np.eye(2), [-1.0, 3.0], mu=[0.5])
    assert plane.r[0] == pytest.approx([1.0, -0.5], abs=1e-9) and plane.kind == "fc2d"


def test_file(tmp_path):
    """A problem in a file, the same as on arrays."""
    path = tmp_path / "problem.dat"
    path.write_text("2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n")
    found = percussion.solve(path)
    assert found.success and found.kind == "lcp" and found.contacts == 2
    assert found.r == pytest.approx([4 / 3, 7 / 3], abs=1e-12)


def test_refusals(tmp_path):
    """Sizes, numbers, names."""
    for code, arguments, options in [
        ("E111", (np.eye(2), [1.0]), {}),
        ("E111", (np.ones(3), [1.0]), {}),
        ("E111", (np.eye(4), np.ones(4)), {"mu": [0.1, 0.2, 0.3]}),
        ("E110", (np.array([[np.nan]]), [1.0]), {}),
        ("E110", (np.eye(1), [np.inf]), {}),
        ("E103", (np.eye(1), ["a"]), {}),
        ("E103", (np.eye(1),), {}),
        ("E122", (np.eye(3), np.ones(3)), {"mu": [-0.1]}),
        ("E105", (np.eye(1), [1.0]), {"solver": "lemk"}),
        ("E153", (np.eye(1), [1.0]), {"tolerance": 2.0}),
        ("E153", (np.eye(1), [1.0]), {"time_limit": -1.0}),
        ("E100", (tmp_path / "none.dat",), {}),
    ]:
        with pytest.raises(percussion.InputError) as caught:
            percussion.solve(*arguments, **options)
        assert caught.value.code == code, (arguments, options)


def test_no_solution_is_an_answer():
    """w = −p − 1 is never ≥ 0 with p ≥ 0."""
    assert percussion.solve([[-1.0]], [-1.0]).status == "no_solution"
