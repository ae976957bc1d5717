"""The plane of a map: shares and directions against NumPy's singular values, however it is found."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.reduction import plane as module
from empirisk.reduction.plane import plane_of


@pytest.mark.parametrize("small", [600, 0], ids=["products", "lanczos"])
@pytest.mark.parametrize("shape", [(40, 6), (7, 30)])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_plane_is_that_of_the_singular_vectors(
    shape: tuple[int, int],
    small: int,
    sparse: bool,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SMALL", small)
    X = rng.normal(size=shape) * np.linspace(3.0, 0.5, shape[1]) + 2.0
    weight = rng.integers(1, 4, shape[0]).astype(float)
    plane = plane_of(sp.csr_array(X) if sparse else X, weight)
    again = np.repeat(X, weight.astype(int), axis=0)
    again -= again.mean(axis=0)
    _, s, V = np.linalg.svd(again, full_matrices=False)
    np.testing.assert_allclose(plane.shares, (s**2 / (s**2).sum())[:2], rtol=1e-8)
    np.testing.assert_allclose(np.abs(np.sum(plane.axes * V[:2], axis=1)), 1.0, rtol=1e-8)
    np.testing.assert_allclose(plane.place(X), (X - again.mean(0) - plane.mean) @ plane.axes.T, atol=1e-9)
    assert all(axis[np.abs(axis).argmax()] > 0.0 for axis in plane.axes)


def test_one_and_two_columns_are_the_plane_themselves(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2)) + 5.0
    plane = plane_of(X, np.ones(20))
    np.testing.assert_array_equal(plane.place(X), X)
    assert plane.share == pytest.approx(1.0)
    np.testing.assert_allclose(plane.shares, X.var(axis=0) / X.var(axis=0).sum())
    assert plane_of(X[:, :1], np.ones(20)).place(X[:, :1]).shape == (20, 1)


@pytest.mark.parametrize("X", [np.ones((5, 3)), np.ones((1, 4)), np.zeros((3, 9))])
def test_rows_without_variance_have_a_plane_that_shows_none(X: np.ndarray) -> None:
    plane = plane_of(X, np.ones(len(X)))
    assert plane.share == 0.0
    np.testing.assert_allclose(plane.place(X), 0.0, atol=1e-12)
