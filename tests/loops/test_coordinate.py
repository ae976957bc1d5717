"""Coordinate descent and the products with chosen columns, against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk import _loops
from tests.loops.layouts import DENSE, DTYPES, matrix

COLUMN_FORMS = [*DENSE, "csc32", "csc64"]
SHAPES = [(1, 1), (3, 7), (65, 20), (300, 130), (2051, 61)]


def soft(v: float, l1: float, positive: bool) -> float:
    return max(v - l1, 0.0) - (0.0 if positive else max(-v - l1, 0.0))


def twin(
    A: np.ndarray, h: np.ndarray, r: np.ndarray, w: np.ndarray, pen: tuple[float, float, bool], epochs: int
) -> np.ndarray:
    """Cyclic coordinate descent on ``sum h r^2 / 2 + l1 |w|_1 + l2 w^2 / 2``, without acceleration."""
    l1, l2, positive = pen
    w, r = w.copy(), r.copy()
    for _ in range(epochs):
        for j in range(A.shape[1]):
            curvature = float(h @ A[:, j] ** 2)
            if curvature == 0.0:
                continue
            new = soft(float(h @ (A[:, j] * r)) + curvature * w[j], l1, positive) / (curvature + l2)
            r -= (new - w[j]) * A[:, j]
            w[j] = new
    return w


def case(shape: tuple[int, int], form: str, dtype: type, centred: bool) -> tuple[Any, ...]:
    rng = np.random.default_rng(7)
    X, A = matrix(rng, shape, dtype, form)
    h = rng.random(shape[0]) + 0.1
    h[rng.random(shape[0]) < 0.2] = 0.0
    h[0] = 1.0
    mean = (h @ A) / h.sum() if centred else np.zeros(shape[1])
    r = rng.standard_normal(shape[0])
    if centred:
        r -= (h @ r) / h.sum()
    return X, A, h, mean, r, rng


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", COLUMN_FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape: tuple[int, int], form: str, dtype: type) -> None:
    X, A, _h, _mean, r, rng = case(shape, form, dtype, False)
    index = rng.permutation(shape[1])[: max(1, shape[1] // 2)]
    w = rng.standard_normal(len(index))
    size = np.abs(A).sum()
    assert np.abs(_loops.columns_rmatvec(X, index, r) - A[:, index].T @ r).max() <= 1e-15 * size * 4
    assert np.abs(_loops.columns_rmatvec(X, None, r) - A.T @ r).max() <= 1e-15 * size * 4
    assert np.abs(_loops.columns_matvec(X, index, w) - A[:, index] @ w).max() <= 1e-15 * size * 4


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", list(DENSE))
@pytest.mark.parametrize("shape", SHAPES)
def test_gram_columns_grow(shape: tuple[int, int], form: str, dtype: type) -> None:
    X, A, h, mean, _r, rng = case(shape, form, dtype, True)
    index = rng.permutation(shape[1])
    B = A[:, index] - mean[index]
    wanted = (B * h[:, None]).T @ B
    G = np.full((shape[1] + 2, shape[1] + 3), np.nan)
    held = 0
    for total in sorted({1, shape[1] // 3, shape[1]} - {0}):
        _loops.gram_columns(X, index[:total], h, mean[index[:total]], held, G)
        held = total
    k = shape[1]
    assert np.abs(G[:k, :k] - wanted).max() <= 1e-14 * np.abs(wanted).max() * 10
    assert np.isnan(G[k:]).all()
    assert np.isnan(G[:, k:]).all()


@pytest.mark.parametrize("pen", [(0.3, 0.0, False), (0.1, 0.2, False), (0.1, 0.0, True), (0.0, 0.3, True)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", COLUMN_FORMS)
@pytest.mark.parametrize("centred", [True, False])
def test_one_epoch_is_the_twin(pen: tuple[float, float, bool], dtype: type, form: str, centred: bool) -> None:
    X, A, h, mean, r, rng = case((65, 20), form, dtype, centred)
    index = rng.permutation(20)[:12]
    B = A[:, index] - mean[index]
    wanted = twin(B, h, r, np.zeros(12), pen, 1)
    curvature = h @ B**2
    w, u = np.zeros(12), np.append(h * r, 0.0)
    _loops.descend_columns(X, index, h, mean[index] if centred else None, curvature, u, w, *pen, 1, 0.0, 0.0)
    assert np.abs(w - wanted).max() <= 1e-12
    assert np.abs(u[:-1] - h * (r - B @ w)).max() <= 1e-12
    w, q = np.zeros(12), B.T @ (h * r)
    G = np.ascontiguousarray((B * h[:, None]).T @ B)
    _, _, _, r_square = _loops.descend_gram(G, float(h @ r**2), q, w, *pen, 1, 0.0, 0.0)
    assert np.abs(w - wanted).max() <= 1e-12
    assert np.abs(q - B.T @ (h * (r - B @ w))).max() <= 1e-11
    assert r_square == pytest.approx(float(h @ (r - B @ w) ** 2), rel=1e-10)


@pytest.mark.parametrize("pen", [(0.3, 0.0, False), (1e-4, 0.0, False), (0.1, 0.2, False), (0.1, 0.0, True)])
@pytest.mark.parametrize("form", ["gram", "F", "csc32"])
def test_gap_bounds_the_distance_to_the_optimum(pen: tuple[float, float, bool], form: str) -> None:
    X, A, h, mean, r, _ = case((65, 20), "F" if form == "gram" else form, np.float64, True)
    B, index = A - mean, np.arange(20)
    l1, l2, _positive = pen

    def value(w: np.ndarray) -> float:
        return float(0.5 * h @ (r - B @ w) ** 2 + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w)

    best = value(twin(B, h, r, np.zeros(20), pen, 3000))
    start = np.zeros(20)
    start[3] = 0.7
    G = np.ascontiguousarray((B * h[:, None]).T @ B)
    for epochs in (1, 3, 7, 25, 400):
        w = start.copy()
        u = h * (r - B @ start)
        if form == "gram":
            q = B.T @ u
            _, gap, _, _ = _loops.descend_gram(G, float(u @ (r - B @ start)), q, w, *pen, epochs, 0.0, 0.0)
        else:
            _, gap, _, _ = _loops.descend_columns(
                X, index, h, mean, h @ B**2, np.append(u, 0.0), w, *pen, epochs, 0.0, 0.0
            )
        excess = value(w) - best
        assert -1e-12 <= excess <= gap + 1e-12
    assert gap <= 1e-10


def test_acceleration_beats_the_plain_cycle() -> None:
    # Strongly correlated columns: where the accelerated cycle has finished, the plain one is far away.
    rng = np.random.default_rng(0)
    A = rng.standard_normal((200, 1)) + 0.05 * rng.standard_normal((200, 15))
    h, r = np.ones(200), A @ rng.standard_normal(15)
    pen = (1e-3, 0.0, False)
    w = np.zeros(15)
    epochs, gap, _, _ = _loops.descend_columns(
        np.asfortranarray(A), np.arange(15), h, None, h @ A**2, np.append(r, 0.0), w, *pen, 5000, 1e-8, 0.0
    )
    assert gap <= 1e-8
    plain = twin(A, h, r, np.zeros(15), pen, epochs)

    def value(w: np.ndarray) -> float:
        return float(0.5 * h @ (r - A @ w) ** 2 + pen[0] * np.abs(w).sum())

    assert value(plain) - value(w) > 1e-7


def test_duplicated_and_zero_columns() -> None:
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 3))[:, [0, 1, 1, 2, 2]]
    A[:, 3] = 0.0
    r = rng.standard_normal(30)
    G, q, w = np.ascontiguousarray(A.T @ A), A.T @ r, np.zeros(5)
    w[3] = 2.0
    _, gap, _, _ = _loops.descend_gram(G, float(r @ r), q, w, 0.5, 0.0, False, 1000, 1e-12, 0.0)
    assert gap <= 1e-12
    assert w[3] == 0.0
    assert np.abs(A.T @ (r - A @ w)).max() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": np.array([0, 20])}, "column that X does not have"),
        ({"index": np.array([-1])}, "column that X does not have"),
        ({"u": np.zeros(3)}, r"u has shape \(3,\)"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    arguments = {"X": np.zeros((4, 20)), "index": np.arange(2), "u": np.zeros(4)} | change
    with pytest.raises(ValueError, match=message):
        _loops.columns_rmatvec(**arguments)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("l2", [0.0, 1e-8])
@pytest.mark.parametrize("form", ["csc32", "csc64", "F", "C"])
def test_conjugate_gradients_between_epochs_find_the_same_minimum(
    form: str, l2: float, centred: bool
) -> None:
    """Almost as many coefficients as rows, from the strength before.

    Short calls have epochs alone; the answer of both is that of an exact step on a Gram matrix.
    """
    rng = np.random.default_rng(3)
    n, k = 600, 900
    A = rng.standard_normal((n, k)) * (rng.random((n, k)) < 0.03)
    X: Any = {"csc32": sp.csc_array(A.astype(np.float32)), "csc64": sp.csc_array(A)}.get(form)
    X = np.array(A, order="C" if form == "C" else "F") if X is None else X
    A = X.toarray().astype(np.float64) if form == "csc32" else A
    h = np.full(n, 1.0 / n)
    mean = h @ A if centred else np.zeros(k)
    B = A - mean
    r = B[:, :400] @ rng.standard_normal(400) + 0.1 * rng.standard_normal(n)
    r -= h @ r if centred else 0.0
    l1, index, curvature = 1e-3 * float(np.abs(B.T @ (h * r)).max()), np.arange(k), h @ B**2
    tol = 1e-9 * float(h @ r**2)
    G = np.ascontiguousarray((B * h[:, None]).T @ B)

    def exact(l1: float) -> np.ndarray:
        q, v = B.T @ (h * r), np.zeros(k)
        _loops.descend_gram(G, float(h @ r**2), q, v, l1, l2, False, 20_000, 1e-3 * tol, 0.0)
        return v

    def epochs(w: np.ndarray, most: int) -> int:
        u, total, gap = np.append(h * (r - B @ w), 0.0), 0, np.inf
        while gap > tol:
            done, gap, _, _ = _loops.descend_columns(
                X, index, h, mean if centred else None, curvature, u, w, l1, l2, False, most, tol, 0.0
            )
            total += done
        assert np.abs(u[:-1] - h * (r - B @ w)).max() <= 1e-10 * np.abs(h * r).max()  # of a thousand epochs
        return total

    def value(w: np.ndarray) -> float:
        return float(0.5 * h @ (r - B @ w) ** 2 + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w)

    start, best = exact(1.05 * l1), value(exact(l1))
    with_both, alone = start.copy(), start.copy()
    assert epochs(with_both, 20_000) <= 1.5 * epochs(alone, 10)
    for w in (with_both, alone):
        assert -1e-2 * tol <= value(w) - best <= tol
    assert np.count_nonzero(with_both) > 0.8 * n
