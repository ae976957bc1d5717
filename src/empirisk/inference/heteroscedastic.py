"""HC0 to HC3: covariance matrices that let the noise differ between rows.

White, Econometrica 48 (1980); MacKinnon and White, Journal of Econometrics 29 (1985).
"""

from __future__ import annotations

import numpy as np

from empirisk.inference.fit import Fit
from empirisk.typing import Array

__all__ = ["DETERMINES", "effective_rows", "hc_covariance"]

DETERMINES = 1.0 - 1e-10  # leverage at which a row alone determines a coefficient


def hc_covariance(fit: Fit, kind: str) -> tuple[Array, str]:
    """``K^-1 (sum_i s_i f_i x_i x_i' e_i^2 c_i) K^-1`` and a note.

    ``c_i`` is 1 (HC0), ``S / (S - rank)`` (HC1), ``1 / (1 - h_i)`` (HC2) or ``1 / (1 - h_i)^2`` (HC3), h the
    leverages.  HC3 is close to a jackknife and the safest with few rows.  Where a row is one observation, f
    and e carry its weight v (and s is 1), so that ``v_i^2`` stands in the middle: weights are sampling
    weights, and their scale cancels.

    Parameters
    ----------
    fit : Fit
        n rows, q terms.
    kind : {"HC0", "HC1", "HC2", "HC3"}

    Returns
    -------
    matrix : array, shape (q, q)
        NaN for HC2 and HC3 when a row has leverage 1.
    note : str

    References
    ----------
    J. G. MacKinnon, H. White, "Some heteroskedasticity-consistent covariance matrix estimators with
    improved finite sample properties", Journal of Econometrics 29 (1985).
    """
    r = fit.info.half.shape[1]
    meat = np.zeros((r, r))
    power = {"HC2": 1, "HC3": 2}.get(kind, 0)
    for part, E in fit.rows():
        s, e = fit.weight[part], fit.pearson[part]
        leverage, live = (E * E).sum(axis=1), s > 0.0
        if power and float(np.max(leverage[live], initial=0.0)) > DETERMINES:
            nothing = np.full((len(fit.terms), len(fit.terms)), np.nan)
            return nothing, (
                f"{kind} is undefined: some row has leverage 1 (it alone determines a coefficient); "
                "HC0 and HC1 are defined, but give such a row no noise"
            )
        square = np.divide(e * e, (1.0 - leverage) ** power, out=np.zeros_like(e), where=live)
        meat += (E.T * (s * square)) @ E
    if kind == "HC1":
        # The fit takes `rank` degrees of freedom from the residuals, which makes their squares too small on
        # average.
        meat *= fit.total / fit.df
    H = fit.info.half
    return H @ meat @ H.T, (
        f"standard errors are heteroscedasticity-robust ({kind}): the noise may differ between rows, "
        "but rows must be independent"
    )


def effective_rows(fit: Fit, R: Array) -> Array:
    """On how many rows each combination ``R b`` rests, ``(sum_i v_i)^2 / sum_i v_i^2``.

    ``v_i = a_i^2 / (1 - h_i)``, a_i what the residual of row i adds to the combination.  A sum of squares
    with these weights is about chi squared on so many degrees of freedom when the noise is equal
    (Satterthwaite): few where single rows carry a coefficient, and then the normal quantile is too small.

    Parameters
    ----------
    fit : Fit
        n rows, q terms.
    R : array, shape (m, q)
        The combinations.

    Returns
    -------
    array, shape (m,)
        At most the residual degrees of freedom, at least 1.

    Notes
    -----
    O(n m q).

    References
    ----------
    R. M. Bell, D. F. McCaffrey (2002), as in :func:`cluster_covariance`; G. W. Imbens, M. Kolesar, "Robust
    standard errors in small samples", Review of Economics and Statistics 98 (2016).  Their degrees of freedom
    also hold the correlation of the residuals, at the cost of O(n q^2) for each combination; for HC3 the two
    cover alike.
    """
    first, second = np.zeros(len(R)), np.zeros(len(R))
    turned = np.asarray(R @ fit.info.half).T
    for part, E in fit.rows():
        s, leverage = fit.weight[part], (E * E).sum(axis=1)
        v = (E @ turned) ** 2 / np.maximum(1.0 - leverage, 1.0 - DETERMINES)[:, None]
        first, second = first + s @ v, second + s @ (v * v)
    rows = np.divide(first**2, second, out=np.ones(len(R)), where=second > 0.0)
    return np.maximum(np.minimum(rows, fit.df), 1.0)
