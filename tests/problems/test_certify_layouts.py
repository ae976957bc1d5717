"""Certificates of float32 rows read them in the order in which they lie, and each order says the same."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.penalties import L1, L2
from empirisk.problems import LinearProblem
from empirisk.problems.certify import WIDENED, correlation, plain_scores

UNIT = 0.5 * float(np.finfo(np.float64).eps)
SHAPES = [(400, 700), (3, WIDENED + 5), (WIDENED + 5, 2)]  # several blocks of columns, of rows, one of each


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("penalty", [L1(0.05), L2(0.5)])
def test_scores_and_correlations_are_those_of_float64(rng, shape, penalty):
    X = rng.normal(size=shape).astype(np.float32)
    y, w = rng.normal(size=shape[0]), rng.normal(size=shape[1] + 1) / np.sqrt(shape[1])
    wide = X.astype(np.float64)
    z = wide @ w[:-1] + w[-1]
    theta = y - z
    for laid in (
        np.ascontiguousarray(X),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        X[::-1][::-1],
    ):
        assert np.array_equal(laid, X)
        data = ArrayBlocks(Design(laid), y, np.ones(len(y)))
        problem = LinearProblem(HalfSquared(), penalty, data, intercept=True)
        # A sum of p (or n) products is off by at most p (or n) roundings of the sum of their sizes.
        sizes = np.abs(wide) @ np.abs(w[:-1]) + abs(w[-1])
        assert np.all(np.abs(plain_scores(problem, w) - z) <= 2.0 * (shape[1] + 1) * UNIT * sizes)
        right, sizes = wide.T @ theta / len(y), np.abs(wide).T @ np.abs(theta) / len(y)
        assert np.all(np.abs(correlation(problem, theta) - right) <= 2.0 * (len(y) + 2) * UNIT * sizes)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_rounded_fit_is_certified_as_its_problem_certifies_it(rng, order):
    import empirisk as er

    X = np.asarray(rng.normal(size=(60, 300)) + 3.0, dtype=np.float32, order=order)
    y = X[:, 0].astype(np.float64) + rng.normal(size=60)
    for model in (er.Ridge(alpha=0.1), er.Lasso(alpha=0.1), er.PoissonRegressor(alpha=0.1)):
        target = np.abs(y) if isinstance(model, er.PoissonRegressor) else y
        model.fit(X, target)
        problem = model.problem(X, target)
        alone = problem.certify(np.append(model.coef_.astype(np.float64), float(model.intercept_)))
        # It may know a better dual point than that of its own slopes, and never claims less than is true.
        assert model.certificate_.value <= alone.value * (1.0 + 1e-9)
        assert model.certificate_.scale == pytest.approx(alone.scale, rel=1e-12)
