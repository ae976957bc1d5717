"""Uniform stability with high probability, for the fitted model."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.stability import RLM, gap_slack

__all__ = ["stability_deviation"]


def stability_deviation(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float,
    alpha: float,
    largest_loss: float,
    gap: float = 0.0,
    candidates: int = 1,
) -> Guarantee:
    """``L_D - L_S <= b + (2 n b + M) sqrt(log(K/delta)/(2 n)) + 2 rho sqrt(2 gap/alpha)``.

    Here ``b = 2 rho^2/(alpha n)`` is the stability: how far one replaced row moves any loss.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float > 0, optional
        By how much the expected may exceed the training loss.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    rho, alpha, gap
        As in :func:`empirisk.bounds.stability`.
    largest_loss : float > 0
        M, an upper bound on the (non-negative) loss of the minimiser on every row that can occur. For an L2
        penalty ``||w|| <= rho/alpha`` at the minimiser, so that ``loss at w = 0, plus rho^2/alpha`` is one.
    candidates : int, default 1
        K strengths fixed before, of which one was chosen on the rows.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two of n, epsilon and delta are given, or a number is out of range.

    Notes
    -----
    Replacing one row moves ``L_D - L_S`` by at most ``2 b + M/n``: McDiarmid's inequality around the
    expectation, which is at most b (see :func:`empirisk.bounds.stability`). With the removal constant b/2
    this is theorem 12 of Bousquet and Elisseeff, Journal of Machine Learning Research 2 (2002). Cost O(1).

    Examples
    --------
    >>> round(stability_deviation(n=10_000, delta=0.05, rho=1.0, alpha=0.5, largest_loss=3.0).epsilon, 4)
    0.135
    """
    rho, alpha = check_real(rho, "rho"), check_real(alpha, "alpha")
    largest = check_real(largest_loss, "largest_loss")
    slack = 2.0 * gap_slack(rho, alpha, gap)

    def epsilon_of(m: int, d: float) -> float:
        b = 2.0 * rho**2 / (alpha * m)
        return b + (2.0 * m * b + largest) * math.sqrt(-math.log(d) / (2.0 * m)) + slack

    theorem = Theorem(
        "stability_deviation",
        "the expected loss of the model fitted to {n} rows exceeds its training loss by at most {epsilon}",
        (*RLM, f"the loss of the minimiser lies in [0, {largest:g}]"),
        "Bousquet and Elisseeff (2002), theorem 12",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        candidates=candidates,
        trivial=math.inf,
    )
