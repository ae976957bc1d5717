"""The exact test-set bound for errors: Clopper and Pearson, one-sided."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.binary_kl import binomial_upper
from empirisk.bounds.sample import assumptions, check_losses, log_share
from empirisk.results import RiskCertificate

__all__ = ["held_out_binomial"]


def held_out_binomial(losses: ArrayLike, delta: float = 0.05, *, candidates: int = 1) -> RiskCertificate:
    """``risk <= max {p : P(Binomial(n, p) <= k) >= delta/K}`` for k errors on n rows.

    Parameters
    ----------
    losses : array, shape (n,)
        1 for an error and 0 otherwise, on rows that had no part in making the model.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    candidates : int, default 1
        K, when the model is one of K fixed ones and was chosen on these rows.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a loss is neither 0 nor 1, or delta or candidates is out of range.

    Notes
    -----
    No bound from the number of errors alone is smaller for every k. Cost O(n). Sources: Clopper and Pearson,
    Biometrika 26 (1934); Langford, Journal of Machine Learning Research 6 (2005), theorem 3.3.

    Examples
    --------
    >>> round(held_out_binomial([1.0] * 10 + [0.0] * 90).value, 4)
    0.1637
    """
    log_tail = log_share(delta, candidates)
    values = check_losses(losses)
    between = np.flatnonzero((values > 0.0) & (values < 1.0))
    if between.size:
        row = int(between[0])
        raise ValueError(
            f"losses must be 0 or 1 here, got {values[row]:g} in row {row}; "
            "use held_out_kl for losses between."
        )
    errors, n = int(values.sum()), values.size
    value = binomial_upper(errors, n, log_tail)
    return RiskCertificate(
        bound="exact binomial on test rows",
        value=value,
        measured=errors / n,
        delta=delta,
        n=n,
        assumptions=assumptions(0.0, 1.0, candidates),
        vacuous=value >= 1.0,
        risk="0-1 loss",
        measured_on="test rows",
    )
