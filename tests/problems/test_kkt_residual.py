"""The KKT residual of a problem without a penalty, by its definition: columns against residuals."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.penalties import Zero
from empirisk.problems import LinearProblem
from empirisk.results import Kind


@pytest.mark.parametrize("intercept", [False, True])
def test_the_residual_of_least_squares(intercept: bool, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3)) * [1.0, 4.0, 0.1] + [0.0, 3.0, -1.0]
    y, s = rng.normal(size=50), rng.uniform(0.5, 2.0, 50)
    problem = LinearProblem(HalfSquared(), Zero(), ArrayBlocks(Design(X), y, s), intercept)
    share = s / s.sum()
    mean = share @ X if intercept else np.zeros(3)
    size = np.sqrt(share @ (X - mean) ** 2)
    for _ in range(10):
        w = rng.normal(size=4 if intercept else 3)
        r = X @ w[:3] + (w[3] if intercept else 0.0) - y
        wanted = np.abs((X - mean).T @ (share * r) / size).max()
        if intercept:
            wanted = max(wanted, abs(share @ r))
        certificate = problem.certify(w)
        assert certificate.kind is Kind.KKT_RESIDUAL
        assert certificate.value == pytest.approx(wanted, rel=1e-9)
