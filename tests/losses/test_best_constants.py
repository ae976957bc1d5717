"""Best constants that are formulas, against the search for the change of sign of the slopes."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.losses import REGISTRY
from empirisk.losses.base import ScalarLoss


@pytest.mark.parametrize("plus", [0, 1, 2, 3, 4, 9, 10])
def test_hinge_constant_is_what_the_search_finds(plus: int, rng: np.random.Generator) -> None:
    hinge = REGISTRY["hinge"]()
    y = np.where(np.arange(10) < plus, 1.0, -1.0)
    for s in (np.ones(10), 1e-3 * np.ones(10), rng.uniform(0.0, 3.0, size=10), np.arange(10.0)):
        found = hinge.best_constant(y, s)
        assert found == ScalarLoss.best_constant(hinge, y, s)
        grid = np.array([s @ hinge.value(y, np.full(10, b)) for b in np.linspace(-3.0, 3.0, 61)])
        assert s @ hinge.value(y, np.full(10, float(found))) <= grid.min() + 1e-12


def test_hinge_constant_of_equal_classes_is_zero() -> None:
    y, s = np.array([1.0, 1.0, -1.0]), np.array([0.1, 0.2, 0.3])  # 0.1 + 0.2 is not 0.3 in floats
    assert REGISTRY["hinge"]().best_constant(y, s) == 0.0
