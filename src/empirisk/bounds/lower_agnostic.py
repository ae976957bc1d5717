"""The fundamental theorem of statistical learning: rows that every learner needs."""

from __future__ import annotations

import math

from empirisk.bounds.base import ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["lower_agnostic"]


def lower_agnostic(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int,
) -> Guarantee:
    """``n >= max(d / (512 epsilon^2) if delta < 1/8, log(1/(4 delta)) / (2 epsilon^2))`` is necessary.

    With fewer rows every learner has a distribution on which its excess risk is at least epsilon with
    probability delta or more.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The excess risk over the best of the class.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int >= 1
        VC dimension d.

    Returns
    -------
    Guarantee
        Its `n` is the smallest that the theorem does not exclude: fewer are not enough, for any learner.

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Points that the class labels in every way, with labels of bias ``8 epsilon`` (valid for ``epsilon < 1/(8
    sqrt 2)``), and one point with labels of bias epsilon (``epsilon < 1/sqrt 2``); beyond those tolerances
    the theorem says nothing. The book's proof gives 512; the "8 d" printed in a heading there is the constant
    in terms of the bias. Cost O(1) a look. Source: Shalev-Shwartz and Ben-David, Understanding Machine
    Learning (2014), section 28.2.

    Examples
    --------
    >>> lower_agnostic(epsilon=0.01, delta=0.05, vc=11).n
    8048
    >>> lower_agnostic(epsilon=0.01, delta=0.05, vc=100).n
    8048
    >>> lower_agnostic(epsilon=0.01, delta=0.05, vc=1000).n
    19532
    """
    d = check_count(vc, "vc")
    theorem = Theorem(
        "lower_agnostic",
        "whatever the learner, with fewer than {n} rows some distribution makes its excess risk {epsilon} or "
        "more with probability {delta} or more",
        (ZERO_ONE, f"the VC dimension of the class is {d:,}", "nothing is known about the distribution"),
        "Shalev-Shwartz and Ben-David (2014), section 28.2",
        necessary=True,
    )

    def epsilon_of(m: int, risk: float) -> float:
        points = math.sqrt(d / (512.0 * m)) if risk < 0.125 else 0.0
        coin = math.sqrt(-math.log(4.0 * risk) / (2.0 * m)) if risk < 0.25 else 0.0
        return max(min(points, 1.0 / (8.0 * math.sqrt(2.0))), min(coin, math.sqrt(0.5)))

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, epsilon_of=epsilon_of)
