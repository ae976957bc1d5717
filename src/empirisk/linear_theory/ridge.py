"""Bias, variance and the best strength of ridge regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from empirisk.data.brief import Brief
from empirisk.linear_theory.checks import check_design, non_negative
from empirisk.typing import Array

__all__ = ["RidgeRisk", "optimal_alpha", "ridge_bound", "ridge_risk"]

CRITERIA = ("risk", "bound")
_GRID = 400  # starts of the search: the risk may have several minima


@dataclass(frozen=True, repr=False)
class RidgeRisk(Brief):
    """Excess risk of ridge regression in its two parts.

    Parameters
    ----------
    bias2 : float
        ``sum_j t_j^2 l_j / (1 + l_j/alpha)^2``: what shrinkage costs.
    variance : float
        ``(sigma^2/n) sum_j l_j^2 / (l_j + alpha)^2``: what the noise costs.
    alpha : float
        Strength.

    Examples
    --------
    >>> RidgeRisk(0.01, 0.02, 0.1).risk
    0.03
    """

    bias2: float
    variance: float
    alpha: float

    @property
    def risk(self) -> float:
        """The excess risk, which is the sum of its two parts ``bias2 + variance``."""
        return self.bias2 + self.variance


def _spectrum(X: Any, theta: Any) -> tuple[Array, Array, int]:
    """Return the eigenvalues l of ``X'X/n``, coordinates t of theta in the eigenbasis, and n."""
    X, theta = check_design(X), np.asarray(theta, dtype=np.float64)
    n, p = X.shape
    if theta.shape != (p,) or not np.isfinite(theta).all():
        raise ValueError(f"theta must be {p} finite numbers, one a column of X; got shape {theta.shape}")
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    return s * s / n, Vt @ theta, n


def ridge_risk(X: Any, theta: Any, sigma: float, alpha: float) -> RidgeRisk:
    """``sum_j t_j^2 l_j / (1 + l_j/alpha)^2 + (sigma^2/n) sum_j l_j^2 / (l_j + alpha)^2``.

    l and t are the eigenvalues of ``X'X/n`` and theta in its eigenbasis.  With ``alpha = 0`` it is the risk
    of least squares, ``sigma^2 rank / n``; with infinite alpha that of predicting 0.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows of the fit, without an intercept (centre the columns when there is one).
    theta : array, shape (p,)
        True coefficients.
    sigma : float
        Standard deviation of the noise, >= 0.
    alpha : float
        Strength as in :class:`empirisk.Ridge`, >= 0; may be infinite.

    Returns
    -------
    RidgeRisk
        ``.bias2``, ``.variance`` and their sum ``.risk``.

    References
    ----------
    A. E. Hoerl, R. W. Kennard, "Ridge regression: biased estimation for nonorthogonal problems",
    Technometrics 12 (1970).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> er.linear_theory.ridge_risk(np.eye(4) * 2, [1.0, 0.0, 0.0, 0.0], 1.0, 1.0)  # all eigenvalues are 1
    RidgeRisk(bias2=0.25, variance=0.25, alpha=1.0)
    """
    sigma = non_negative("sigma", sigma)
    if alpha != math.inf:
        alpha = non_negative("alpha", alpha)
    values, t, n = _spectrum(X, theta)
    return _risk(values, t, n, sigma, alpha)


def _risk(values: Array, t: Array, n: int, sigma: float, alpha: float) -> RidgeRisk:
    if alpha == math.inf:
        return RidgeRisk(float(t**2 @ values), 0.0, alpha)
    # Least squares divides by every eigenvalue that it keeps: those that are 0 up to rounding must not count,
    # while a positive strength makes them harmless.
    live = values > 1e-14 * values.max(initial=0.0) if alpha == 0.0 else values > 0.0
    v, t = values[live], t[live]
    kept = v / (v + alpha)
    return RidgeRisk(float(t**2 @ (v * (1.0 - kept) ** 2)), sigma**2 / n * float(kept @ kept), alpha)


def optimal_alpha(X: Any, theta: Any, sigma: float, *, criterion: str = "risk") -> float:
    """Return the strength that minimises the excess risk of ridge regression, or the bound of the notes.

    Parameters
    ----------
    X, theta, sigma
        As in :func:`ridge_risk`.
    criterion : {"risk", "bound"}, default "risk"
        The exact risk, by a search between ``sigma^2 / (n max t_j^2)`` and ``sigma^2 / (n min t_j^2)``, which
        enclose every minimum; or the minimiser ``sigma sqrt(tr(X'X/n)) / (||theta|| sqrt n)`` of the bound
        ``alpha ||theta||^2 / 4 + sigma^2 tr(X'X/n) / (4 n alpha)``.

    Returns
    -------
    float
        0 without noise, infinite for ``theta = 0``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.eye(4) * 2
    >>> er.linear_theory.optimal_alpha(X, [1.0, 1.0, 1.0, 1.0], 1.0)  # sigma^2 / (n t^2)
    0.25
    >>> er.linear_theory.optimal_alpha(X, [1.0, 1.0, 1.0, 1.0], 1.0, criterion="bound")
    0.5
    """
    sigma = non_negative("sigma", sigma)
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be one of {CRITERIA}, got {criterion!r}")
    values, t, n = _spectrum(X, theta)
    size = float(np.linalg.norm(np.asarray(theta, dtype=np.float64)))
    if sigma == 0.0:
        return 0.0
    if size == 0.0:
        return math.inf
    if criterion == "bound":
        return sigma * math.sqrt(float(values.sum())) / (size * math.sqrt(n))
    # A direction in which X does not vary has no risk at any strength: it must not widen the search.
    live = values > 1e-14 * float(values.max())
    return _search(values[live], t[live], n, sigma)


def _search(values: Array, t: Array, n: int, sigma: float) -> float:
    noise = sigma**2 / n
    largest = float((t * t).max())
    if largest * float(values.max()) <= 1e-300:
        return math.inf
    low = noise / largest
    high = min(noise / max(float((t * t).min()), 1e-300), 1e12 * max(low, float(values.max())))
    if high <= low * (1.0 + 1e-12):
        return low

    def at(u: float) -> float:
        return _risk(values, t, n, sigma, math.exp(u)).risk

    grid = np.linspace(math.log(low), math.log(high), _GRID)
    best = int(np.argmin([at(u) for u in grid]))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(at, bounds=ends, method="bounded", options={"xatol": 1e-10})
    return math.exp(float(found.x))


def ridge_bound(X: Any, theta: Any, sigma: float) -> float:
    """``sigma ||theta|| sqrt(tr(X'X/n)) / (2 sqrt n)``: the risk at the best alpha is at most this.

    It depends on the columns through their size alone, not on how many there are.

    Parameters
    ----------
    X, theta, sigma
        As in :func:`ridge_risk`.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> er.linear_theory.ridge_bound(np.eye(4) * 2, [1.0, 0.0, 0.0, 0.0], 1.0)
    0.5
    """
    sigma = non_negative("sigma", sigma)
    values, _, n = _spectrum(X, theta)
    size = float(np.linalg.norm(np.asarray(theta, dtype=np.float64)))
    return sigma * size * math.sqrt(float(values.sum())) / (2.0 * math.sqrt(n))
