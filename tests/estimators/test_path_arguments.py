"""Grids of er.path at their ends: odd values of eps and alphas, and targets that have no slope."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(60, 4))
    return X, X[:, 0] + rng.normal(size=60)


@pytest.mark.parametrize("est", [er.Lasso(), er.ElasticNet(), er.Ridge()], ids=repr)
@pytest.mark.parametrize("eps", [0, 0.0, 1, 1.0, 2, -0.1, np.nan, np.inf, -np.inf, True, "a", [0.1]])
def test_eps_that_is_no_share_is_refused_by_name(est: Any, eps: Any, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=r"eps must be a number strictly between 0 and 1, .* got"):
        er.path(est, *table(rng), eps=eps)


@pytest.mark.parametrize("eps", [0.5, np.float32(0.25), 1e-12])
def test_eps_is_the_smallest_strength_over_the_largest(eps: Any, rng: np.random.Generator) -> None:
    found = er.path(er.Lasso(), *table(rng), eps=eps, alphas=5)
    assert found.alphas[-1] / found.alphas[0] == pytest.approx(float(eps), rel=1e-12)


@pytest.mark.parametrize("alphas", [[], [-1.0], [np.nan], [np.inf], 0, -3, 2.5, "a", [[1.0, 2.0]], [None]])
def test_alphas_that_are_no_strengths_are_refused_by_name(alphas: Any, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="alphas must"):
        er.path(er.Lasso(), *table(rng), alphas=alphas)


@pytest.mark.parametrize("level", [0.0, 3.0, 0.1, -1e12])
@pytest.mark.parametrize("est", [er.Lasso(), er.ElasticNet(), er.Ridge()], ids=repr)
def test_a_constant_target_has_coefficients_of_zero_all_along(
    est: Any, level: float, rng: np.random.Generator
) -> None:
    found = er.path(est, table(rng)[0], np.full(60, level), alphas=8)
    assert np.all(np.diff(found.alphas) < 0.0)
    assert np.isfinite(found.alphas).all()
    assert np.abs(found.coefs).max() <= 1e-12 * abs(level)
    np.testing.assert_allclose(found.intercepts, level, rtol=1e-12)
    assert str(found)


def test_a_target_of_one_class_is_refused_in_words(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="y holds one class only"):
        er.path(er.LogisticRegression(), table(rng)[0], np.zeros(60, dtype=int))
