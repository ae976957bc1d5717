"""The fundamental theorem of statistical learning without noise: rows that suffice, in closed form."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["fundamental_realizable"]


def fundamental_realizable(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int,
) -> Guarantee:
    """``n >= (8/epsilon) (2 d log(16 e/epsilon) + log(2/delta))``, with Euler's e.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk of every hypothesis without an error on the rows.
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
    The rows then are an epsilon-net of the symmetric differences with the true labelling. The book states it
    for ``delta < 1/4``; for a larger delta it holds all the more. `vc_realizable` is smaller. Cost O(1) a
    look. Source: Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), theorem 28.3.

    Examples
    --------
    >>> fundamental_realizable(epsilon=0.05, delta=0.05, vc=11).n
    24415
    """
    d = check_count(vc, "vc")
    theorem = Theorem(
        "fundamental_realizable",
        f"every hypothesis of a class of VC dimension {d:,} that makes no error on {{n}} rows has a risk of "
        "at most {epsilon}",
        (IID, ZERO_ONE, FIXED, "the learner returns a hypothesis of the class without an error on the rows"),
        "Shalev-Shwartz and Ben-David (2014), theorem 28.3",
    )

    def delta_of(m: int, e: float) -> float:
        exponent = m * e / 8.0 - 2.0 * d * math.log(16.0 * math.e / e)
        return math.exp(min(0.0, math.log(2.0) - exponent))

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        delta_of=delta_of,
        guess=lambda e, r: 8.0 / e * (2.0 * d * math.log(16.0 * math.e / e) + math.log(2.0 / r)),
    )
