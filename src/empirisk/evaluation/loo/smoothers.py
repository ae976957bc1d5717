"""Leave-one-out predictions of penalised least squares from one decomposition.

A minimiser of ``sum_i (y_i - f(x_i))^2 + J(f)`` with J quadratic fits ``yhat = H y``. Without row i it says

    y_i - (y_i - yhat_i) / (1 - H_ii)

there, exactly, as long as the penalty J stays what it is (Allen 1974, Technometrics 16; Golub, Heath and
Wahba 1979, Technometrics 21). Our ``alpha`` multiplies a mean over rows, so that a fit on n-1 rows has the
total strength (n-1) alpha: the decomposition uses that strength.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, svd

from empirisk.evaluation.intervals.base import Floats

__all__ = ["loo_from_hat", "ridge_loo"]

# Above this leverage 1 - H_ii is a difference of nearly equal numbers, and the row is refitted.
LEVERAGE = 1.0 - 1e-8


def loo_from_hat(y: ArrayLike, fitted: ArrayLike, leverage: ArrayLike) -> Floats:
    """``y_i - (y_i - fitted_i)/(1 - H_ii)``: leave-one-out predictions of a penalised least-squares smoother.

    Parameters
    ----------
    y, fitted : arrays of shape (n,) or (n, m)
        Targets and ``H y``.
    leverage : array of shape (n,)
        Diagonal of H, in [0, 1]. A row with leverage 1 gets NaN: without it the fit is not determined there.

    Returns
    -------
    array like y

    Raises
    ------
    ValueError
        Shapes that disagree, or a leverage outside [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 6.0])
    >>> loo_from_hat(y, np.full(3, 3.0), np.full(3, 1 / 3))      # the mean: of the two others
    array([4. , 3.5, 1.5])
    """
    target, at = np.asarray(y, dtype=np.float64), np.asarray(fitted, dtype=np.float64)
    h = np.asarray(leverage, dtype=np.float64)
    if target.shape != at.shape or h.shape != target.shape[:1]:
        raise ValueError(
            f"y, fitted and leverage must agree row by row, got shapes {target.shape}, {at.shape}, {h.shape}."
        )
    if h.size and (h.min() < -1e-9 or h.max() > 1.0 + 1e-9):
        row = int(np.argmax(np.abs(h - 0.5)))
        raise ValueError(f"leverage is {h[row]:.4g} in row {row}; that of a penalised fit lies in [0, 1].")
    rest = np.where(h < LEVERAGE, 1.0 - h, np.nan).reshape(-1, *([1] * (target.ndim - 1)))
    return np.asarray(target - (target - at) / rest)


def ridge_loo(X: Floats, y: Floats, strength: float, intercept: bool) -> Floats:
    """Leave-one-out predictions of ``min sum_i (y_i - x_i.w - b)^2 + strength ||w||^2``.

    Parameters
    ----------
    X : array of shape (n, p)
        Dense rows.
    y : array of shape (n,) or (n, m)
        Targets.
    strength : float >= 0
        Total strength; 0 is least squares.
    intercept : bool
        Whether b is free.

    Notes
    -----
    O(n p min(n, p)): an eigendecomposition of the smaller Gram matrix, for least squares a singular value
    decomposition.
    """
    mean = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    y_mean = y.mean(axis=0) if intercept else np.zeros(y.shape[1:])
    A, t = X - mean, y - y_mean
    n, p = A.shape
    if strength == 0.0:
        U, d, _ = svd(A, full_matrices=False, check_finite=False)
        U = U[:, d > (d[0] if d.size else 0.0) * max(n, p) * np.finfo(np.float64).eps]
        fit, leverage = U @ (U.T @ t), np.einsum("ij,ij->i", U, U)
    elif p <= n:
        values, V = eigh(A.T @ A, check_finite=False)
        U = A @ V
        share = 1.0 / (np.maximum(values, 0.0) + strength)
        fit = U @ (share * (U.T @ t).T).T
        leverage = (U * U) @ share
    else:
        values, U = eigh(A @ A.T, check_finite=False)
        share = np.maximum(values, 0.0) / (np.maximum(values, 0.0) + strength)
        fit, leverage = U @ (share * (U.T @ t).T).T, (U * U) @ share
    if intercept:
        leverage = leverage + 1.0 / n
    return loo_from_hat(y, fit + y_mean, np.minimum(leverage, 1.0))
