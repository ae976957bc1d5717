"""Classical scaling against the principal components of rows that have these distances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from empirisk.reduction.plane import plane_of
from empirisk.reduction.scaling import classical_scaling


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_lie_where_their_principal_components_do(weighted: bool, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 6)) * [5.0, 3.0, 1.0, 1.0, 0.5, 0.1]
    weight = rng.integers(0, 3, 40).astype(float) if weighted else np.ones(40)
    found, plane = classical_scaling(cdist(X, X), weight), plane_of(X, weight)
    at = plane.place(X)
    np.testing.assert_allclose(np.abs(found.points), np.abs(at), atol=1e-8)
    np.testing.assert_allclose(found.shares, plane.shares, rtol=1e-9)
    assert found.euclidean
    assert (found.points.max(axis=0) >= -found.points.min(axis=0)).all()


def test_distances_of_points_in_a_plane_are_kept_in_any_unit(rng: np.random.Generator) -> None:
    X = rng.normal(size=(15, 2))
    for power in (-400, 0, 400):
        D = np.ldexp(cdist(X, X), power)
        found = classical_scaling(D, np.ones(15))
        np.testing.assert_allclose(cdist(found.points, found.points), D, rtol=1e-9)
        assert found.shares.sum() == pytest.approx(1.0)


def test_distances_that_no_points_have_are_said_to_be_none() -> None:
    # Four points that are all 2 apart, and a fifth at 1 of each: their middle is further away in any space.
    D = 2.0 * (1.0 - np.eye(5))
    D[4, :4] = D[:4, 4] = 1.0
    found = classical_scaling(D, np.ones(5))
    assert not found.euclidean
    B = -0.5 * (np.eye(5) - 0.2) @ D**2 @ (np.eye(5) - 0.2)
    values = np.linalg.eigvalsh(B)
    np.testing.assert_allclose(found.shares, values[:-3:-1] / np.abs(values).sum(), rtol=1e-9)


def test_rows_at_one_place_and_one_row_are_placed() -> None:
    for n in (1, 3):
        found = classical_scaling(np.zeros((n, n)), np.ones(n))
        assert not found.points.any()
        assert not found.shares.any()
