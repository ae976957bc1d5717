"""The leave-one-out error of nearest neighbours is close to their risk, whatever the distribution.

Rogers and Wagner, Annals of Statistics 6 (1978); Devroye, Gyorfi and Lugosi, A Probabilistic Theory of
Pattern Recognition (1996), theorem 24.2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.base import check_count, check_real
from empirisk.bounds.sample import INDEPENDENT, check_losses, log_share
from empirisk.results import Assumption, RiskCertificate

__all__ = ["neighbors_leave_one_out"]


def neighbors_leave_one_out(
    losses: ArrayLike, k: int, delta: float = 0.05, *, candidates: int = 1
) -> RiskCertificate:
    """``risk <= leave-one-out error + sqrt((6 k + 1) K/(n delta))`` for k nearest neighbours.

    Parameters
    ----------
    losses : array, shape (n,)
        1 where the row is misclassified by its k nearest other rows, else 0.
    k : int
        Number of neighbours.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    candidates : int, default 1
        K settings (numbers of neighbours, distances) fixed before, of which one was chosen on the rows.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a loss lies outside [0, 1] or a number is out of range.

    Notes
    -----
    Proof. With A the leave-one-out error and L the risk, ``E(A - L)^2 <= 1/n + |P(a a') - P(a b)| + |P(a b) -
    P(b b')|``, where a, a' are leave-one-out errors of two rows and b, b' errors of the full rule on two
    fresh points. Each difference takes three changes of one training row for another point, or its removal,
    and a change matters only when that row is among the k nearest: probability k/n. In all ``(6 k + 1)/n``,
    and Chebyshev's inequality. It falls like ``1/sqrt(delta)`` only, but assumes nothing of the distribution.
    Cost O(n). Source: Rogers and Wagner, Annals of Statistics 6 (1978); Devroye, Gyorfi and Lugosi (1996),
    theorem 24.2 and corollary 24.1.

    Examples
    --------
    >>> round(neighbors_leave_one_out([1.0] * 500 + [0.0] * 9500, k=5).value, 4)
    0.299
    """
    k = check_count(k, "k")
    values = check_losses(losses)
    n, many = values.size, check_count(candidates, "candidates")
    log_share(check_real(delta, "delta", 0.0, 1.0))
    mean = float(np.mean(values))
    value = mean + math.sqrt((6.0 * k + 1.0) * many / (n * delta))
    tried = () if many == 1 else (Assumption(f"at most {many:,} settings were tried", "declared"),)
    fixed = Assumption("k and the distance were fixed before the rows were seen")
    ties = Assumption("no two distances are equal, or ties are broken at random")
    return RiskCertificate(
        bound="leave-one-out of nearest neighbours",
        value=value,
        measured=mean,
        delta=delta,
        n=n,
        assumptions=(INDEPENDENT, *(tried or (fixed,)), ties),
        vacuous=value >= 1.0,
        risk="0-1 loss",
        measured_on="training rows, left out in turn",
    )
