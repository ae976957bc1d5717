"""HC0 to HC3: covariance matrices that let the noise differ between rows."""

from __future__ import annotations

import numpy as np

from empirisk.inference.fit import Fit
from empirisk.typing import Array

__all__ = ["DETERMINES", "hc_covariance"]

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
        meat *= fit.total / fit.df
    H = fit.info.half
    return H @ meat @ H.T, (
        f"standard errors are heteroscedasticity-robust ({kind}): the noise may differ between rows, "
        "but rows must be independent"
    )
