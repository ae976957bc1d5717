"""Uniform convergence over a finite class: all training errors at once are close to their risks.

Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), corollary 4.6.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.finite_realizable import count, log_size

__all__ = ["finite_uniform"]


def finite_uniform(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    hypotheses: int,
    loss_range: float = 1.0,
) -> Guarantee:
    """``|risk - training error| <= M sqrt(log(2 |H| / delta) / (2 n))`` for all hypotheses at once.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, loss_range), optional
        The largest difference between risk and training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    hypotheses : int >= 1
        Size of the class.
    loss_range : float, default 1
        M, length of the interval that holds the losses.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Hoeffding and the union bound. Cost O(1). Source: Shalev-Shwartz and Ben-David, Understanding Machine
    Learning (2014), corollary 4.6.

    Examples
    --------
    Learning From Data, homework 3, exercise 3:

    >>> finite_uniform(epsilon=0.05, delta=0.03, hypotheses=100).n
    1761
    """
    size, width = log_size(hypotheses), check_real(loss_range, "loss_range")
    theorem = Theorem(
        "finite_uniform",
        f"the risk of each of {count(hypotheses)} hypotheses lies within {{epsilon}} of its mean loss on "
        "{n} rows",
        (IID, f"the losses lie in an interval of length {width:g}", FIXED),
        "Shalev-Shwartz and Ben-David (2014), corollary 4.6",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: width * math.sqrt((math.log(2.0 / d) + size) / (2.0 * m)),
        delta_of=lambda m, e: math.exp(min(0.0, math.log(2.0) + size - 2.0 * m * (e / width) ** 2)),
        guess=lambda e, d: (math.log(2.0 / d) + size) * width**2 / (2.0 * e * e),
        trivial=width,
    )
