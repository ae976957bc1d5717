"""Of many minimisers of least squares the one of smallest norm, from dense and from sparse rows alike.

The right value is NumPy's pseudo-inverse of the rows about their weighted means; the intercept follows from
it and has no part in the norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.typing import Array

KINDS = {
    "wide": (20, 60),
    "square": (24, 24),
    "tall": (80, 20),
    "copies of columns": (60, 20),
    "one of each dozen": (48, 12),
    "a constant column": (40, 8),
    "many cells a row": (400, 240),
}


def table(kind: str, rng: np.random.Generator) -> Array:
    """Return rows with many zeros whose columns are of unlike sizes."""
    n, p = KINDS[kind]
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.4) * np.geomspace(0.3, 3.0, p)
    if kind.startswith(("copies", "many")):
        X[:, p // 2 :] = 3.0 * X[:, : p // 2]
    if kind.startswith("one"):  # they sum to the intercept
        X = np.eye(p)[rng.permutation(n) % p]
    if kind.startswith("a constant"):
        X[:, 0] = 2.0
    return X


def smallest(X: Array, y: Array, weight: Array, intercept: bool) -> tuple[Array, Any]:
    """Return the coefficients and the intercept by the pseudo-inverse."""
    s = weight / weight.sum()
    mean, level = (s @ X, s @ y) if intercept else (np.zeros(X.shape[1]), np.zeros(np.shape(y)[1:]))
    root = np.sqrt(s)
    moved = (root * (y - level).T).T
    w = np.linalg.pinv(root[:, None] * (X - mean), rcond=1e-10) @ moved
    return w.T, level - mean @ w


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_dense_and_sparse_rows_have_the_pseudo_inverse(
    kind: str, intercept: bool, weighted: bool, targets: int, rng: np.random.Generator
) -> None:
    X = table(kind, rng)
    n = len(X)
    y = rng.normal(size=n if targets == 1 else (n, targets)) + 2.0
    s = rng.integers(0, 3, n).astype(float) if weighted else np.ones(n)
    w, b = smallest(X, y, s, intercept)
    # The condition of the rows, squared by the normal equations, that rounding is multiplied by.
    root = np.sqrt(s / s.sum())[:, None] * (X - (s / s.sum()) @ X * intercept)
    size = np.linalg.svd(root, compute_uv=False)
    slack = 1e-13 * (size[0] / size[size > 1e-10 * size[0]][-1]) ** 2
    for rows in (X, sp.csr_array(X), sp.csc_array(X)):
        model = er.LinearRegression(fit_intercept=intercept, tol=1e-14).fit(rows, y, s)
        np.testing.assert_allclose(model.coef_, w, rtol=0.0, atol=max(1e-11, slack) * np.abs(w).max())
        level = max(1e-11, slack) * (np.abs(w).sum(axis=-1).max() * np.abs(X).max() + 1.0)
        np.testing.assert_allclose(model.intercept_, b, rtol=0.0, atol=level)


def test_columns_of_unlike_sizes_are_scaled_where_one_minimiser_is_there(rng: np.random.Generator) -> None:
    """Without units of their own these columns would take thousands of steps."""
    X = sp.random_array((400, 30), density=0.3, rng=rng, format="csr") * np.geomspace(1e-6, 1e6, 30)
    y = X @ np.geomspace(1e6, 1e-6, 30) + 0.1 * rng.normal(size=400)
    model = er.LinearRegression().fit(sp.csr_array(X), y)
    assert model.solution_.certificate.within(1e-8)
    assert model.n_iter_ <= 4
