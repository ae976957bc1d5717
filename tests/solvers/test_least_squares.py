"""Direct least squares: ill-conditioned ridge problems are refined to the answer in fifty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.solvers import solve


@pytest.mark.parametrize("l2", [1e-6, 1e-4])
def test_refinement_ends_at_the_answer(l2: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(25, 3))
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]  # two columns that are nearly one
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=25)
    problem = LinearProblem(HalfSquared(), L2(l2), ArrayBlocks(Design(X), y, np.ones(25)), False)
    with mpmath.workdps(50):
        A = mpmath.matrix(X.tolist())
        H = A.T * A / 25 + mpmath.mpf(l2) * mpmath.eye(3)
        exact = mpmath.lu_solve(H, A.T * mpmath.matrix(y.tolist()) / 25)
        best = np.array([float(v) for v in exact])
    # Steps beyond the first are refinements: they stay at the answer.
    for tol in (1e-8, 0.0):
        found = solve(problem, "least_squares", tol=tol)
        np.testing.assert_allclose(found.w, best, rtol=1e-9)
