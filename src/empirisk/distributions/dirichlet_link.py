"""From the mean logarithms of shares to the concentrations of a Dirichlet law, by Newton's method.

The Hessian of the log-likelihood is a diagonal plus a matrix of equal entries, so that a step costs as many
operations as there are shares (Minka, Estimating a Dirichlet distribution, 2000).
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from empirisk.typing import Array

__all__ = ["concentrations"]

# Most steps, and the relative size of a step whose square is rounding.
_STEPS, _SQUARED = 500, 1e-8


def concentrations(mean_log: Array) -> tuple[Array, float]:
    """Return a with ``psi(a_j) - psi(sum a) = mean_log_j``, and what is left, in standard deviations.

    Parameters
    ----------
    mean_log : array, shape (k,)
        Means of the logarithms of shares that sum to 1 in each row.

    Raises
    ------
    ValueError
        Rows that are all equal, or nearly: the concentrations would be infinite.

    Examples
    --------
    >>> a, left = concentrations(digamma(np.array([2.0, 3.0])) - digamma(5.0))
    >>> a.round(9).tolist(), left < 1e-9
    ([2.0, 3.0], True)
    """
    # By Jensen's inequality the geometric means of shares that vary sum to less than 1.
    slack = -np.expm1(np.logaddexp.reduce(mean_log))
    if not slack > 4e-14:
        raise ValueError(
            "all rows of x are the same shares, or differ by less than rounding: the concentrations would be "
            "infinite and the likelihood has no maximum; look at where x comes from"
        )
    # For many alike rows sum_j exp(mean_log_j) = 1 - (k - 1) / (2 sum a) to first order.
    total = 0.5 * max(len(mean_log) - 1, 1) / slack
    a = np.maximum(total * np.exp(mean_log), 1e-3)

    def value(at: Array) -> float:
        return float(gammaln(at.sum()) - gammaln(at).sum() + at @ mean_log)

    now = value(a)
    for _ in range(_STEPS):
        grad = digamma(a.sum()) - digamma(a) + mean_log
        q, z = -polygamma(1, a), polygamma(1, a.sum())
        b = (grad / q).sum() / (1.0 / z + (1.0 / q).sum())
        step = -(grad - b) / q
        scale = 1.0
        # The function is concave: a step that is halved until it stays inside and climbs reaches the top.
        while scale > 1e-10:
            new = a + scale * step
            if new.min() > 0.0 and value(new) >= now - 1e-14 * abs(now):
                break
            scale *= 0.5
        else:
            break
        # A whole step leaves its square, and rounding may make further ones for ever.
        done = scale == 1.0 and np.abs(step / a).max() <= _SQUARED
        a, now = new, value(new)
        if done:
            break
    grad = digamma(a.sum()) - digamma(a) + mean_log
    return a, float(np.abs(grad / np.sqrt(polygamma(1, a))).max())
