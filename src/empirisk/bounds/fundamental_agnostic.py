"""The fundamental theorem of statistical learning: rows that suffice, in closed form."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["fundamental_agnostic"]


def fundamental_agnostic(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int,
) -> Guarantee:
    """``n >= 128 d/e^2 log(64 d/e^2) + 8/e^2 (8 d log(e/d) + 2 log(4/delta))``, ``e = epsilon``.

    In the last bracket e is Euler's number. All risks then lie within epsilon of the training errors, and
    with ``epsilon/2`` the minimiser of the training error has an excess risk of at most epsilon.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The largest difference between risk and training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int >= 1
        VC dimension d.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    The constants C of ``C (d + log(1/delta))/epsilon^2`` made explicit. `vc_uniform` solves the inequality
    behind it instead of bounding its solution, and needs about a tenth of the rows. Cost O(1) a look. Source:
    Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), section 28.1.

    Examples
    --------
    >>> fundamental_agnostic(epsilon=0.05, delta=0.05, vc=11).n
    6701569
    """
    d = check_count(vc, "vc")
    theorem = Theorem(
        "fundamental_agnostic",
        f"the risk of every hypothesis of a class of VC dimension {d:,} lies within {{epsilon}} of its "
        "training error on {n} rows",
        (IID, ZERO_ONE, FIXED),
        "Shalev-Shwartz and Ben-David (2014), section 28.1",
    )

    def rows(e: float, risk: float) -> float:
        inner = 8.0 * d * (1.0 - math.log(d)) + 2.0 * math.log(4.0 / risk)
        return (128.0 * d * math.log(64.0 * d / e**2) + 8.0 * inner) / e**2

    def delta_of(m: int, e: float) -> float:
        inner = (m * e**2 - 128.0 * d * math.log(64.0 * d / e**2)) / 8.0 - 8.0 * d * (1.0 - math.log(d))
        return math.exp(min(0.0, math.log(4.0) - inner / 2.0))

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, delta_of=delta_of, guess=rows)
