"""Conjugate gradients on repeated rows and many columns: directions without curvature are not followed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er


# With seed 42 such a direction made coefficients of 1e16.
@pytest.mark.parametrize("seed", range(40, 45))
def test_repeated_sparse_rows_that_are_fitted_exactly(seed: int) -> None:
    rng = np.random.RandomState(seed)
    X, y = rng.rand(15, 30), (rng.randint(0, 3, 15) == 0).astype(float)
    times = rng.randint(0, 5, 15)
    rows, targets = X.repeat(times, 0), y.repeat(times)
    model = er.LinearRegression().fit(sp.csr_array(rows), targets)
    assert model.solution_.solver == "conjugate_gradient"
    np.testing.assert_allclose(model.predict(rows), targets, atol=1e-7)
    assert np.abs(model.coef_).max() < 10.0
