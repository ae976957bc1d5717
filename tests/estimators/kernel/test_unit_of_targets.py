"""A strength is chosen whatever the unit of the targets, and an end of the grid is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

import empirisk as er

# Rows are dealt by their content, targets included, unless folds are given.
FOLDS = KFold(5)
MODELS: dict[str, Any] = {
    "SVR": lambda unit: er.SVR("cv", epsilon=0.1 * unit, cv=FOLDS),
    "KernelQuantile": lambda unit: er.KernelQuantile(alpha="cv", cv=FOLDS),
    "KernelRidge": lambda unit: er.KernelRidge("cv"),
    "KernelRidge by folds": lambda unit: er.KernelRidge("cv", cv=FOLDS),
}


def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 2))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("power", [-30, 30])
def test_the_same_model_in_every_unit(name: str, power: int) -> None:
    """Powers of two change no digit, so that the same place of the grid is chosen."""
    (X, y), unit = rows(), 2.0**power
    one, other = MODELS[name](1.0).fit(X, y), MODELS[name](unit).fit(X, unit * y)
    assert other.selection_.index == one.selection_.index
    np.testing.assert_allclose(
        other.selection_.loss / other.selection_.loss[0],
        one.selection_.loss / one.selection_.loss[0],
        rtol=1e-3,
    )
    np.testing.assert_allclose(other.predict(X) / unit, one.predict(X), atol=2e-3)


def test_the_end_of_a_grid_is_told() -> None:
    X, y = rows()
    assert "strengths tried" in er.SVR("cv", alphas=[10.0, 1.0], epsilon=0.1).fit(X, y).solution_.note
    assert "strengths tried" not in er.SVR("cv", epsilon=0.1).fit(X, y).solution_.note
