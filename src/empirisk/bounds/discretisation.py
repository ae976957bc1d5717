"""The discretisation trick: what a computer stores is a finite class."""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds.base import Guarantee, check_count
from empirisk.bounds.finite_agnostic import finite_agnostic

__all__ = ["discretisation"]


def discretisation(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    parameters: int,
    bits: int = 64,
    loss_range: float = 1.0,
) -> Guarantee:
    """``excess risk <= M sqrt(2 (b d log 2 + log(2/delta)) / n)`` for d parameters of b bits.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, loss_range), optional
        The excess risk of the hypothesis with the smallest training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    parameters : int >= 1
        Number d of numbers that name a hypothesis.
    bits : int, default 64
        Bits b of each number.
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
    `finite_agnostic` with ``|H| = 2^(b d)``. Cost O(1). Source: Shalev-Shwartz and Ben-David, Understanding
    Machine Learning (2014), remark 4.1.

    Examples
    --------
    >>> discretisation(epsilon=0.1, delta=0.05, parameters=10).n
    89461
    """
    d, b = check_count(parameters, "parameters"), check_count(bits, "bits")
    if d * b > 10**7:
        raise ValueError(f"parameters times bits must be at most 10^7, got {d * b:,}.")
    found = finite_agnostic(n=n, epsilon=epsilon, delta=delta, hypotheses=2 ** (b * d), loss_range=loss_range)
    return replace(
        found,
        theorem="discretisation",
        assumptions=(*found.assumptions, f"a hypothesis is {d:,} numbers of {b} bits"),
        source="Shalev-Shwartz and Ben-David (2014), remark 4.1",
    )
