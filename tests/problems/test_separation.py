"""Separation against exact rational enumeration, and on data whose answer is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Logistic, Softmax
from empirisk.penalties import Zero
from empirisk.problems import LinearProblem
from empirisk.problems.separation import Separation, find_separation
from tests.oracles import rational


def binary(X, y, weight=None, intercept=True):
    X = X if sp.issparse(X) else np.asarray(X)
    y = np.asarray(y, dtype=float)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    return LinearProblem(Logistic(), Zero(), ArrayBlocks(Design(X), y, weight), intercept)


def multi(X, y, k, intercept=True):
    data = ArrayBlocks(Design(np.asarray(X, dtype=float)), np.asarray(y), np.ones(len(y)))
    return LinearProblem(Softmax(), Zero(), data, intercept, n_outputs=k)


def margins(problem: LinearProblem, found: Separation) -> np.ndarray:
    """Margin of every row over its rivals under the claimed direction, with nothing of the module."""
    z = problem.scores(found.direction)
    if problem.loss.name == "logistic":
        return (problem.data.y * z)[problem.data.weight > 0]
    own = z[np.arange(len(z)), problem.data.y]
    rivals = np.where(np.arange(z.shape[1]) == problem.data.y[:, None], np.inf, own[:, None] - z)
    return rivals.min(axis=1)


def check(problem: LinearProblem, kind: str) -> Separation:
    found = find_separation(problem)
    assert found.kind == kind
    if kind == "none":
        assert found.direction is None
        assert not found.separable
    else:
        m = margins(problem, found)
        tiny = 1e-9 * np.abs(problem.scores(found.direction)).max()
        assert m.min() > (tiny if kind == "complete" else -tiny)
        if problem.loss.name == "logistic":
            assert m.max() > tiny
            assert int((m <= tiny).sum()) == found.n_boundary
        assert found.sentence.startswith("no finite minimiser")
    return found


# -- against enumeration ----------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_every_labelling_of_five_points_on_a_line(intercept):
    for x in ([0, 1, 2, 3, 4], [-1, 0, 0, 1, 1], [2, 2, 2, 2, 2], [1, -1, 1, -1, 3]):
        X = [[v] for v in x]
        for labels in product([0, 1], repeat=5):
            kind = rational.separation_kind(X, labels, 2, intercept)
            check(binary(np.array(X, float), 2 * np.array(labels) - 1, intercept=intercept), kind)


@pytest.mark.full
@pytest.mark.parametrize("intercept", [True, False])
def test_random_integer_grids_in_the_plane(intercept):
    rng = np.random.default_rng(1)
    seen = {"none": 0, "quasi": 0, "complete": 0}
    for _ in range(250):
        n = int(rng.integers(3, 9))
        X = rng.integers(-2, 3, size=(n, 2))
        labels = rng.integers(0, 2, size=n)
        kind = rational.separation_kind(X.tolist(), labels.tolist(), 2, intercept)
        seen[kind] += 1
        check(binary(X.astype(float), 2 * labels - 1, intercept=intercept), kind)
    assert min(seen.values()) >= 10


@pytest.mark.full  # brute force
def test_random_integer_grids_in_space_with_collinear_columns():
    rng = np.random.default_rng(2)
    for _ in range(80):
        n = int(rng.integers(4, 9))
        X = rng.integers(-1, 2, size=(n, 3))
        X = np.column_stack([X[:, :2], X[:, 0] - 2 * X[:, 1], np.full(n, 7), X[:, 2]])
        labels = rng.integers(0, 2, size=n)
        kind = rational.separation_kind(X.tolist(), labels.tolist(), 2, True)
        check(binary(X.astype(float), 2 * labels - 1), kind)


@pytest.mark.full
@pytest.mark.parametrize("intercept", [True, False])
def test_three_classes_on_integer_grids(intercept):
    rng = np.random.default_rng(3)
    seen = {"none": 0, "quasi": 0, "complete": 0}
    for k in range(60):
        n = int(rng.integers(4, 9))
        X = rng.integers(-2, 3, size=(n, 1))
        # Every third case is nearly sorted, so that complete separation occurs (it is rare by chance).
        labels = (rng.integers(0, 3, size=n) if k % 3 else np.clip(X[:, 0] + 1, 0, 2)).astype(int)
        if len(set(labels.tolist())) < 3:
            continue
        kind = rational.separation_kind(X.tolist(), labels.tolist(), 3, intercept)
        seen[kind] += 1
        check(multi(X, labels, 3, intercept), kind)
    assert seen["none"] >= 5
    assert seen["quasi"] >= 5
    assert not intercept or seen["complete"] >= 3


@pytest.mark.full
def test_four_classes_on_a_line():
    rng = np.random.default_rng(4)
    for _ in range(2):
        X = rng.integers(-2, 3, size=(5, 1))
        labels = np.array([0, 1, 2, 3, int(rng.integers(0, 4))])
        kind = rational.separation_kind(X.tolist(), labels.tolist(), 4, True)
        check(multi(X, labels, 4), kind)


# -- invariances ------------------------------------------------------------------------------------


def test_the_answer_does_not_depend_on_units_origin_or_storage():
    rng = np.random.default_rng(5)
    for kind in ("none", "quasi", "complete"):
        X = rng.integers(-3, 4, size=(60, 3)).astype(float)
        z = X @ np.array([1.0, -2.0, 1.0]) + 0.5 * (kind == "complete")
        y = np.where(z > 0, 1.0, -1.0)
        # Rows on the plane come with both labels, so that no other rule can separate them.
        X, y = np.vstack([X, X[z == 0]]), np.concatenate([y, -y[z == 0]])
        if kind == "none":
            y[rng.permutation(60)[:20]] *= -1.0
        check(binary(X, y), kind)
        check(binary(X * np.array([1e-12, 1.0, 1e12]), y), kind)
        check(binary(X.astype(np.float32), y), kind)
        check(binary(np.asfortranarray(X), y), kind)
        check(binary(sp.csr_array(X), y), kind)
        check(binary(sp.csc_array(X), y), kind)
        check(binary(X + 1024.0, y), kind)


def test_rows_without_weight_are_absent():
    X, y = np.array([[1.0], [2.0], [3.0], [0.0]]), [-1, -1, 1, 1]
    check(binary(X, y), "none")
    check(binary(X, y, [1.0, 0.3, 2.0, 0.0]), "complete")
    check(binary(X, y, [0.0, 0.0, 2.0, 1.0]), "complete")  # one class left


def test_one_class_and_no_columns():
    assert "only one class" in check(binary(np.ones((3, 1)), [1, 1, 1]), "complete").sentence
    check(binary(np.zeros((3, 0)), [1, -1, 1]), "none")
    check(binary(np.array([[1.0], [2.0]]), [1, 1], intercept=False), "complete")
    check(binary(np.array([[1.0], [-2.0]]), [1, 1], intercept=False), "none")


def test_more_columns_than_rows_always_separate():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((30, 400))
    check(binary(X, np.where(rng.random(30) < 0.5, 1, -1)), "complete")


def test_a_tiny_gap_in_one_column_is_seen():
    x = np.concatenate([np.linspace(0, 1, 50), np.nextafter(1.0, 2.0) + np.linspace(0, 1, 50)])
    y = np.repeat([-1, 1], 50)
    found = find_separation(binary(x[:, None], y), ["dose"])
    assert found.kind == "complete"
    assert found.columns == (0,)
    x[50] = 1.0  # the two classes touch
    assert find_separation(binary(x[:, None], y)).kind == "quasi"
    x[50] = np.nextafter(1.0, 0.0)
    x[51] = np.nextafter(x[50], 0.0)
    assert find_separation(binary(x[:, None], y)).kind != "complete"


def test_large_overlap_with_a_separating_rare_dummy_is_quasi():
    rng = np.random.default_rng(7)
    n = 20_000
    X = rng.standard_normal((n, 4))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    rare = np.zeros(n)
    rare[[17, 4000]] = 1.0
    y[[17, 4000]] = 1.0
    found = check(binary(np.column_stack([X, rare]), y), "quasi")
    assert found.columns == (4,)
    assert found.n_boundary == n - 2
    y[17] = -1.0
    check(binary(np.column_stack([X, rare]), y), "none")


def test_large_and_almost_separable_is_none():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((50_000, 3))
    z = X @ np.array([1.0, 1.0, -1.0])
    y = np.where(z > 0, 1.0, -1.0)
    check(binary(X, y), "complete")
    inside = np.argsort(np.abs(z))[:40]
    y[inside] *= -1
    check(binary(X, y), "none")


def test_a_full_set_of_dummies_with_an_intercept():
    rng = np.random.default_rng(9)
    code = rng.integers(0, 6, size=3000)
    y = np.where(rng.random(3000) < 0.3 + 0.1 * (code == 2), 1.0, -1.0)
    check(binary(np.eye(6)[code], y), "none")
    y[code == 3] = 1.0
    found = check(binary(np.eye(6)[code], y), "quasi")
    assert found.n_boundary == int((code != 3).sum())


# -- words ------------------------------------------------------------------------------------------


def test_sentence_names_the_columns_that_take_part():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((200, 5))
    y = np.sign(X[:, 0] + X[:, 2])
    X = X[np.abs(X[:, 0] + X[:, 2]) > 0.4]
    y = np.sign(X[:, 0] + X[:, 2])
    found = find_separation(binary(X, y), ["age", "b", "dose", "d", "e"])
    assert found.sentence.startswith("no finite minimiser: the classes are separable by age and dose")


def test_iris_separates_setosa_from_the_others():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    found = find_separation(multi(X, y, 3), classes=["setosa", "versicolor", "virginica"])
    assert found.kind == "quasi"
    assert "setosa is separable from versicolor and virginica by " in found.sentence
    assert (margins(multi(X, y, 3), found) >= -1e-9).all()


def test_an_unfit_loss_is_refused():
    from empirisk.losses import HalfSquared

    data = ArrayBlocks(Design(np.ones((2, 1))), np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="about classes"):
        find_separation(LinearProblem(HalfSquared(), Zero(), data))
