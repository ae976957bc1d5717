"""The scaled lasso: a penalty that needs no knowledge of the noise, and the noise with it.

Sun and Zhang, Biometrika 99 (2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses import HalfSquared
from empirisk.penalties import L1
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["ScaledLasso", "lasso_problem", "scaled_lasso", "universal_level"]


@dataclass(frozen=True, eq=False)
class ScaledLasso:
    """Coefficients, residuals, and ``sigma = ||residual|| / sqrt(n)`` that solve the pair of equations."""

    coef: Array
    residual: Array
    sigma: float


def universal_level(n: int, p: int) -> float:
    """``sqrt(2/n) q(k/p)`` with ``k = q^4 + 2 q^2``, q the normal quantile.

    T. Sun, C.-H. Zhang, "Sparse matrix inversion with scaled lasso", Journal of Machine Learning Research
    14 (2013).

    Examples
    --------
    >>> round(universal_level(100, 200), 3)
    0.224
    """
    q, before = 0.1, 0.0
    for _ in range(100):
        if abs(q - before) <= 1e-4:
            break
        k = q**4 + 2.0 * q**2
        before, q = q, 0.5 * (q + float(-norm.ppf(min(k / p, 0.99))))
    bound = math.sqrt(2.0 * math.log(max(p, 2)) / n)
    return min(math.sqrt(2.0 / n) * q, bound) if q > 0.0 else bound


def scaled_lasso(X: Array, y: Array, level: float, tol: float = 1e-7) -> ScaledLasso:
    """``min_{b,s} ||y - X b||^2 / (2 n s) + s/2 + level ||b||_1``, by alternating.

    Parameters
    ----------
    X : array, shape (n, p)
        Centred columns of mean square 1.
    y : array, shape (n,)
        Centred.
    level : float
        > 0.

    Notes
    -----
    Jointly convex; 3 to 8 lasso fits, each from the one before.  With ``level >= 1`` nothing enters.

    References
    ----------
    T. Sun, C.-H. Zhang, "Scaled sparse linear regression", Biometrika 99 (2012).
    """
    problem = lasso_problem(X, y)
    residual, coef = y, np.zeros(X.shape[1])
    sigma = math.sqrt(float(y @ y) / len(y))
    size = sigma
    for _ in range(50):
        if sigma <= 1e-8 * size or X.shape[1] == 0:
            break
        coef = solve(problem.with_strength(level * sigma), w0=coef, tol=tol).w
        residual = y - X @ coef
        before, sigma = sigma, math.sqrt(float(residual @ residual) / len(y))
        if abs(sigma - before) <= 1e-4 * before:
            break
    return ScaledLasso(coef, residual, sigma)


def lasso_problem(X: Array, y: Array) -> LinearProblem:
    """``||y - X b||^2 / (2 n) + ||b||_1``, without an intercept; paths change the strength."""
    data = ArrayBlocks(Design(np.asfortranarray(X)), y, np.ones(len(y)))
    return LinearProblem(HalfSquared(), L1(1.0), data, intercept=False)
