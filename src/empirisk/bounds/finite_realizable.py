"""A finite class that holds a hypothesis without error: how far the risk of any error-free one can be from 0.

Haussler (1988); Mitchell, Machine Learning (1997), section 7.3.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["finite_realizable"]


def finite_realizable(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    hypotheses: int,
) -> Guarantee:
    """``risk <= log(|H| / delta) / n`` for every hypothesis without an error on the rows.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    hypotheses : int >= 1
        Size of the class.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: Haussler (1988); Mitchell, Machine Learning (1997), section 7.3.

    Examples
    --------
    Conjunctions of up to 10 Boolean literals (Mitchell, section 7.3.2):

    >>> finite_realizable(epsilon=0.1, delta=0.05, hypotheses=3**10).n
    140
    """
    size = log_size(hypotheses)
    theorem = Theorem(
        "finite_realizable",
        f"every hypothesis of a class of {count(hypotheses)} that makes no error on {{n}} rows has a risk of "
        "at most {epsilon}",
        (IID, ZERO_ONE, FIXED, "the learner returns a hypothesis of the class without an error on the rows"),
        "Haussler (1988); Mitchell (1997), section 7.3",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: (size - math.log(d)) / m,
        delta_of=lambda m, e: math.exp(min(0.0, size - m * e)),
        guess=lambda e, d: (size - math.log(d)) / e,
    )


def log_size(hypotheses: int) -> float:
    """``log |H|``; the size may be an integer of any length."""
    return math.log(check_count(hypotheses, "hypotheses", most=None))


def count(hypotheses: int) -> str:
    """Return the size in words: 59,049, or 10^77.1 when it is long."""
    return f"{int(hypotheses):,}" if hypotheses < 10**15 else f"10^{math.log10(hypotheses):.4g}"
