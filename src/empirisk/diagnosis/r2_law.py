"""The law of the squared multiple correlation of normal columns, for any value in the population.

Fisher, Proceedings of the Royal Society A 121 (1928).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

__all__ = ["r2_survival"]

_REACH = 12.0  # standard deviations; the terms beyond weigh less than 1e-12


def r2_survival(r2: float, population: float, n: int, q: int) -> float:
    """``P(R^2 >= r2)`` for n rows, q explaining columns and an intercept, population value ``rho^2``.

    ``R^2 | K ~ Beta(q/2 + K, (n - 1 - q)/2)`` with K negative binomial, ``P(K = k) = Gamma(m + k)/(Gamma(m)
    k!) (1 - rho^2)^m rho^(2k)``, ``m = (n - 1)/2`` (Fisher 1928): the same law as ``N/(N + chi2_{n-1-q})``,
    ``N = (Z + sqrt(chi2_{n-1} rho^2/(1 - rho^2)))^2 + chi2_{q-1}``, without drawing.

    Parameters
    ----------
    r2 : float in [0, 1]
        Observed value.
    population : float in [0, 1)
        Value in the population.
    n : int
        Rows.
    q : int
        Explaining columns, ``1 <= q <= n - 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When no degrees of freedom are left for the residual, or the population value is not in [0, 1).

    Notes
    -----
    Sums the terms within 12 standard deviations of the mean of K: O(sqrt(n)) terms, error below 1e-12.

    References
    ----------
    R. A. Fisher, "The general sampling distribution of the multiple correlation coefficient", Proceedings of
    the Royal Society A 121 (1928); R. J. Muirhead, "Aspects of multivariate statistical theory" (1982),
    theorem 5.2.5.

    Examples
    --------
    With population value 0 it is the F-test of the regression:

    >>> from scipy.stats import f
    >>> round(r2_survival(0.3, 0.0, 30, 4), 10) == round(float(f.sf(0.3 / 0.7 * 25 / 4, 4, 25)), 10)
    True
    """
    if not 0.0 <= population < 1.0:
        raise ValueError(f"population must lie in [0, 1), got {population}.")
    if not 1 <= q <= n - 2:
        raise ValueError(f"q = {q} explaining columns need at least {q + 2} rows, got {n}.")
    a, b = 0.5 * q, 0.5 * (n - 1 - q)
    if population == 0.0:
        return float(special.betaincc(a, b, r2))
    m = 0.5 * (n - 1)
    mean = m * population / (1.0 - population)
    spread = math.sqrt(mean / (1.0 - population))
    # A gamma-like tail: a few more terms above, where small m makes the law skewed.
    last = mean + _REACH * spread + 60.0 / -math.log(population)
    k = np.arange(max(0, math.floor(mean - _REACH * spread)), math.ceil(last) + 1, dtype=np.float64)
    log_weight = special.gammaln(m + k) - special.gammaln(m) - special.gammaln(k + 1.0)
    log_weight += m * math.log1p(-population) + k * math.log(population)
    return min(1.0, float(np.exp(log_weight) @ special.betaincc(a + k, b, r2)))
