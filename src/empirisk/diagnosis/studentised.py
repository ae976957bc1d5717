"""Residuals in units of their own standard error, estimated without the row itself.

Cook and Weisberg, Residuals and Influence in Regression (1982), section 2.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
from numpy.typing import NDArray
from scipy import special

from empirisk.typing import Array

__all__ = ["Studentised", "heavy_tails", "studentise"]


@dataclass(frozen=True, eq=False)
class Studentised:
    """Externally studentised residuals.

    Parameters
    ----------
    t : array, shape (n,)
        ``e_i / (s_(i) sqrt(1 - h_i))``, Student's t with `df` degrees of freedom for normal errors; 0 where a
        row determines its own fit.
    leverage : array, shape (n,)
        Diagonal of the hat matrix (1/n when the residuals come from other folds).
    df : int
        Degrees of freedom.
    """

    t: Array
    leverage: Array
    df: int

    @property
    def p(self) -> Array:
        """Two-sided p-value of each row, Bonferroni over all n."""
        return np.asarray(np.minimum(1.0, len(self.t) * 2.0 * special.stdtr(self.df, -np.abs(self.t))))

    @property
    def dffits(self) -> Array:
        """``t_i sqrt(h_i/(1 - h_i))``: by how many standard errors the row moves its own fitted value."""
        # A row of leverage 1 determines its own fit: ``h / (1 - h)`` would divide by 0.
        h = np.minimum(self.leverage, 1.0 - 1e-12)
        return np.asarray(self.t * np.sqrt(h / (1.0 - h)))


def studentise(X: Array | None, y: Array, intercept: bool = True) -> Studentised:
    """Studentise the residuals of least squares of y on X (X may be rank deficient), or y itself without X.

    Parameters
    ----------
    X : array, shape (n, p), or None
        Columns.  None: y holds out-of-fold residuals, studentised by their spread without the row.
    y : array, shape (n,)
        Targets.
    intercept : bool, default True
        Whether a constant is among the columns.

    Returns
    -------
    Studentised

    Raises
    ------
    ValueError
        No degrees of freedom are left.

    Notes
    -----
    O(n p^2), one QR factorisation.  ``s_(i)^2 = (SSE - e_i^2/(1 - h_i))/(n - rank - 1)``.

    References
    ----------
    R. D. Cook, S. Weisberg, "Residuals and influence in regression" (1982), section 2.2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 2))
    >>> y = X @ [1.0, 2.0] + rng.normal(size=50)
    >>> y[7] += 8.0
    >>> int(studentise(X, y).p.argmin()), bool(studentise(X, y).p.min() < 1e-4)
    (7, True)
    """
    n = len(y)
    if X is None:
        leverage, rank, e = np.full(n, 1.0 / n), 1, np.asarray(y, dtype=np.float64)
        e = e - e.mean()
    else:
        basis = _basis(X, intercept)
        leverage, rank = (basis**2).sum(axis=1), basis.shape[1]
        e = y - basis @ (basis.T @ y)
    df = n - rank - 1
    if df < 1:
        raise ValueError(f"{n} rows leave no degrees of freedom beside {rank} columns.")
    slack = 1.0 - leverage
    free = slack > 1e-10  # elsewhere the row determines its own fit
    own = np.where(free, e**2 / np.where(free, slack, 1.0), 0.0)
    left = np.maximum(float(e @ e) - own, 0.0)
    scale = np.sqrt(left / df * np.where(free, slack, 1.0))
    rounding = 1e-10 * float(np.abs(y).max(initial=0.0))
    known = free & (scale > rounding)
    t = np.where(known, e / np.where(known, scale, 1.0), 0.0)
    return Studentised(t, np.minimum(leverage, 1.0), df)


def _basis(X: Array, intercept: bool) -> Array:
    """Return orthonormal basis of the span of the columns (and the constant)."""
    A = np.asarray(X, dtype=np.float64)
    if intercept:
        A = A - A.mean(axis=0)
    norm = np.sqrt((A**2).sum(axis=0))
    size = np.abs(X).max(axis=0, initial=0.0) * math.sqrt(len(A))
    A = A[:, norm > 1e-12 * size] / norm[norm > 1e-12 * size]
    Q, R, _ = sla.qr(A, mode="economic", pivoting=True) if A.shape[1] else (A, np.zeros((0, 0)), None)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > 1e-10 * diagonal.max(initial=0.0)).sum())
    one = np.full((len(A), 1), 1.0 / math.sqrt(len(A)))
    return np.column_stack([one, Q[:, :rank]]) if intercept else np.asarray(Q[:, :rank])


def heavy_tails(t: Array, beyond: NDArray[Any]) -> bool:
    """Whether the residuals have heavy tails as a whole, so that single rows are not the story.

    Too many rows beyond the limit (more than 3 and 1 %), or the others have a kurtosis that normal values
    exceed in 5 % of the samples.

    Parameters
    ----------
    t : array, shape (n,)
        Studentised residuals.
    beyond : int array
        Rows beyond the limit.

    References
    ----------
    F. J. Anscombe, W. J. Glynn, "Distribution of the kurtosis statistic b2 for normal samples", Biometrika 70
    (1983).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> none = np.array([], dtype=int)
    >>> heavy_tails(rng.standard_t(3, size=500), none), heavy_tails(rng.normal(size=500), none)
    (True, False)
    """
    from scipy.stats import kurtosistest

    n = len(t)
    if len(beyond) > max(3, n / 100):
        return True
    rest = np.delete(t, np.asarray(beyond, dtype=np.intp))
    return (
        n >= 30
        and float(np.ptp(rest)) > 0.0
        and bool(kurtosistest(rest, alternative="greater").pvalue <= 0.05)
    )
