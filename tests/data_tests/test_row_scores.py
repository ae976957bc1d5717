"""The scores of rows are those of the plain product, whatever layout, precision and size the rows have."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import sparse

from empirisk.data.row_scores import LARGE, NARROW, row_scores
from empirisk.data.threads import SERIAL_DOT

SHAPES = [(3, 2), (0, 4), (2_000, 40), (300, 3_000), (40_000, 101)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_product_is_that_of_extended_precision(
    shape: tuple[int, int], dtype: type, rng: np.random.Generator
) -> None:
    X, w = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[1]).astype(dtype)
    right = X.astype(np.longdouble) @ w.astype(np.longdouble)
    size = np.abs(X).astype(np.longdouble) @ np.abs(w).astype(np.longdouble)
    wide = rng.normal(size=(shape[0], 2 * shape[1])).astype(dtype)
    wide[:, ::2] = X
    backwards = w[::-1].copy()[::-1]
    for rows in (X, np.asfortranarray(X), wide[:, ::2], sparse.csr_array(X)):
        for coef in (w, backwards):
            found = row_scores(rows, coef)
            assert found.dtype == dtype
            assert found.shape == (shape[0],)
            assert (np.abs(found - right) <= 2.0 * shape[1] * np.finfo(dtype).eps * size).all()


def test_the_shapes_are_on_both_sides_of_each_bound() -> None:
    sizes = [n * p for n, p in SHAPES]
    assert min(sizes) < SERIAL_DOT < 2_000 * 40 < LARGE < max(sizes)
    assert any(p > NARROW and SERIAL_DOT < n * p < LARGE for n, p in SHAPES)


def test_several_scores_a_row_are_a_matrix(rng: np.random.Generator) -> None:
    X, W = rng.normal(size=(500, 30)), rng.normal(size=(30, 3))
    exact = mpmath.mpf(0)
    for x, w in zip(X[7].tolist(), W[:, 2].tolist(), strict=True):
        exact += mpmath.mpf(x) * mpmath.mpf(w)
    assert row_scores(X, W)[7, 2] == pytest.approx(float(exact), rel=1e-13)
