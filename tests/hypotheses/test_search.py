"""The searches behind ``fit`` against brute force, and signs that rounding would get wrong."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from empirisk.hypotheses import Balls, Boxes, Halfspaces, PolynomialThresholds, linear
from empirisk.hypotheses.box_search import search
from empirisk.hypotheses.cells import heaviest, labellings
from empirisk.hypotheses.exact import any_null_vector, column_basis, integers, signs, solve
from empirisk.hypotheses.growth import cover
from empirisk.hypotheses.plane_boxes import best_in_plane
from empirisk.hypotheses.polynomial_rule import PolynomialRule


def best_box(X: np.ndarray, gain: np.ndarray) -> float:
    """Over all boxes with sides at points."""
    sides = [[(a, b) for a in c for b in c if a <= b] for c in X.T]
    boxes = (np.array(box).T for box in itertools.product(*sides))
    return max(float(gain[((low <= X) & (high >= X)).all(axis=1)].sum()) for low, high in boxes)


@pytest.mark.full  # brute force
@pytest.mark.parametrize("d", [2, 3])
def test_the_best_box_is_found(d: int) -> None:
    rng = np.random.default_rng(d)
    for _ in range(20 if d == 2 else 8):
        X = np.unique(rng.integers(0, 4, size=(7, d)).astype(float), axis=0)
        gain = rng.normal(size=len(X))
        gain[0] = abs(gain[0])
        inside, most = (best_in_plane(X, gain), None) if d == 2 else search(X, gain, 30.0)[:2]
        assert most is None
        assert gain[inside].sum() == pytest.approx(best_box(X, gain))


def test_a_box_search_that_is_stopped_bounds_what_it_missed() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 5)), rng.integers(0, 2, size=120)
    stopped = Boxes(time_limit=0.0).fit(X, y)
    longer = Boxes(time_limit=1.0).fit(X, y)
    assert stopped.certificate_.value > 0.0
    assert "stopped" in stopped.certificate_.claim
    assert stopped.training_error_ - stopped.certificate_.value <= longer.training_error_
    assert longer.training_error_ <= stopped.training_error_


@pytest.mark.full  # brute force
@pytest.mark.parametrize("c", [Halfspaces(), PolynomialThresholds(2), Balls()])
def test_covers_of_conflicts_agree_with_all_cells(c: object, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    for n in (8, 15, 25):
        X, y, weight = rng.normal(size=(n, 2)), rng.integers(0, 2, size=n), rng.integers(1, 4, size=n)
        cells = type(c)().fit(X, y, weight)
        with monkeypatch.context() as patch:
            patch.setattr(linear, "_CELLS", 0)
            covers = type(c)().fit(X, y, weight)
        assert covers.training_error_ == pytest.approx(cells.training_error_)
        assert covers.certificate_.value == 0.0
        assert "conflicts" in covers.certificate_.claim or covers.training_error_ == 0.0


def test_half_spaces_that_are_stopped_bound_what_they_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_CELLS", 0)
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(80, 6)), rng.integers(0, 2, size=80)
    fitted = Halfspaces(time_limit=0.3).fit(X, y)
    assert fitted.certificate_.value > 0.0
    assert "time limit" in fitted.certificate_.claim
    assert 0.0 <= fitted.training_error_ - fitted.certificate_.value <= fitted.training_error_ <= 0.5


@pytest.mark.full  # many rows
def test_conflicts_in_many_dimensions_stay_cheap() -> None:
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(150, 30)), rng.integers(0, 2, size=150)
    fitted = Halfspaces(time_limit=0.5).fit(X, y)
    assert fitted.certificate_.value > 0.0


def test_signs_that_rounding_would_get_wrong() -> None:
    # On one line exactly: copies of 0.1, 0.2, 0.3 in both coordinates; and not quite, as 0.1 + 0.2 != 0.3.
    on = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    off = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.1 + 0.2]])
    assert len(Halfspaces().restriction(on)) == 6
    assert len(Halfspaces().restriction(off)) == 8
    assert len(Halfspaces().restriction(1e6 + np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0 + 1e-9]]))) == 8
    # Six points on a line, one of them then moved off it by its last digit.
    t = np.sort(np.random.default_rng(9).normal(size=6))
    X = np.column_stack([t, t])
    assert len(Halfspaces().restriction(X)) == 12
    X[3, 1] = np.nextafter(X[3, 1], 9.0)
    assert len(Halfspaces().restriction(X)) == _by_triangles(X)


def _by_triangles(X: np.ndarray) -> int:
    """Labellings of points in the plane: those whose sides no triple or crossing pair contradicts (Radon)."""
    exact = [[Fraction(float(v)) for v in x] for x in X]

    def turn(a: int, b: int, c: int) -> int:
        (p, q), (r, s), (t, u) = exact[a], exact[b], exact[c]
        area = (r - p) * (u - q) - (t - p) * (s - q)
        return (area > 0) - (area < 0)

    def between(a: int, b: int, c: int) -> bool:
        return turn(a, b, c) == 0 and min(exact[a], exact[c]) < exact[b] < max(exact[a], exact[c])

    def separable(y: tuple[int, ...]) -> bool:
        for s in itertools.permutations(range(len(X)), 3):
            if between(*s) and y[s[0]] == y[s[2]] != y[s[1]]:
                return False
        for a, b, c, d in itertools.permutations(range(len(X)), 4):
            inside = turn(a, b, d) == turn(b, c, d) == turn(c, a, d) != 0
            if inside and y[a] == y[b] == y[c] != y[d]:
                return False
            crossing = turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0
            if crossing and y[a] == y[b] != y[c] == y[d]:
                return False
        return True

    return sum(separable(y) for y in itertools.product([0, 1], repeat=len(X)))


def test_labels_of_a_rule_are_exact() -> None:
    rule = PolynomialRule(((0, 0), (1, 0), (0, 1)), (Fraction(0), Fraction(1), Fraction(-1)))
    x = np.array([[0.3, 0.1 + 0.2], [0.3, 0.3], [0.1 + 0.2, 0.3]])
    assert rule(x).tolist() == [False, False, True]
    assert rule(np.array([[1e308, -1e308]])).tolist() == [True]


@pytest.mark.parametrize("p", [1, 2, 3, 4, 6])
def test_cells_of_vectors_in_general_position(p: int) -> None:
    rng = np.random.default_rng(p)
    V, _ = integers(rng.normal(size=(8, p)))
    made = labellings(V)
    assert len(made) == cover(8, p)
    gain = rng.integers(-3, 4, size=8).astype(float)
    value, w = heaviest(V, gain)
    assert value == (made @ gain).max() == gain[signs(V, w) > 0].sum()


def test_integer_linear_algebra() -> None:
    V = np.array([[2, 4, 1], [1, 2, 3], [3, 6, 4]], dtype=object)
    assert column_basis(V) == [0, 2]
    null = any_null_vector(V)
    assert null is not None
    assert not (V @ null).any()
    assert any_null_vector(V[:, [0, 2]]) is None
    w = solve(np.array([[2, 1], [1, 3]], dtype=object), [1, -1])
    assert signs(np.array([[2, 1], [1, 3]], dtype=object), w).tolist() == [1, -1]


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_balls_out_of_time_are_no_worse_than_one_answer(share: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 3)), rng.random(1500) < share
    assert Balls(time_limit=0.0).fit(X, y).training_error_ <= min(y.mean(), 1.0 - y.mean()) + 1e-12
