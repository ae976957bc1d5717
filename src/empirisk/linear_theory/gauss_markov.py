"""The Gauss-Markov theorem, checked for a given linear estimator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.linear_theory.checks import check_design, non_negative
from empirisk.typing import Array

__all__ = ["GaussMarkov", "gauss_markov"]


@dataclass(frozen=True, eq=False, repr=False)
class GaussMarkov(Brief):
    """How a linear estimator ``w = A y`` compares with least squares.

    Parameters
    ----------
    unbiased : bool
        Whether ``A X = I``: right on average for every theta.
    covariance : array, shape (p, p)
        ``sigma^2 A A'``.
    excess : array, shape (p, p)
        Its difference from the covariance of least squares, ``sigma^2 (X'X)^-1``.
    smallest : float
        Smallest eigenvalue of `excess`: never negative (but for rounding) when the estimator is unbiased.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [1.0]])
    >>> round(gauss_markov(X, np.array([[1.0, 0.0]])).smallest, 12)  # the first row alone against the mean
    0.5
    """

    unbiased: bool
    covariance: Array = field(repr=False)
    excess: Array = field(repr=False)
    smallest: float


def gauss_markov(X: Any, A: Any, sigma: float = 1.0) -> GaussMarkov:
    """``A X = I`` implies ``Cov(A y) - Cov(H y) = sigma^2 (A - H)(A - H)' >= 0``, H least squares.

    So least squares is the best among *linear unbiased* estimators when the noise is uncorrelated and of
    equal variance, normal or not; biased estimators (ridge, James-Stein) may beat it.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows, of full column rank.
    A : array, shape (p, n)
        The estimator.
    sigma : float, default 1.0
        Standard deviation of the noise.

    Returns
    -------
    GaussMarkov

    Raises
    ------
    ValueError
        Wrong shapes, or columns of X that are collinear: then no linear estimator of theta is unbiased.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.column_stack([np.ones(4), np.arange(4.0)])
    >>> ends = np.array([[1.0, 0.0, 0.0, 0.0], [-1 / 3, 0.0, 0.0, 1 / 3]])  # the line through both ends
    >>> found = er.linear_theory.gauss_markov(X, ends)
    >>> found.unbiased, found.smallest >= -1e-12
    (True, True)
    """
    X, A, sigma = check_design(X), np.asarray(A, dtype=np.float64), non_negative("sigma", sigma)
    n, p = X.shape
    if A.shape != (p, n):
        raise ValueError(f"A maps {n} targets to {p} coefficients: its shape must be {(p, n)}, got {A.shape}")
    if np.linalg.matrix_rank(X) < p:
        raise ValueError(
            "the columns of X are collinear: no linear estimator of theta is unbiased; drop columns"
        )
    H = np.linalg.pinv(X)
    gap = A @ X - np.eye(p)
    unbiased = bool(np.abs(gap).max() <= 1e-9 * max(1.0, float(np.abs(A).max() * np.abs(X).max())))
    covariance = sigma**2 * (A @ A.T)
    excess = covariance - sigma**2 * (H @ H.T)
    return GaussMarkov(unbiased, covariance, excess, float(np.linalg.eigvalsh(excess)[0]))
