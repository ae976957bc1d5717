"""Rows that every learner needs although a hypothesis of the class makes no error.

Ehrenfeucht, Haussler, Kearns and Valiant, Information and Computation 82 (1989), theorem 1.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["lower_realizable"]


def lower_realizable(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int,
) -> Guarantee:
    """``n >= max((d-1)/(32 epsilon) if delta <= 1/14, log(1/(2 delta)) / -log(1-epsilon))`` is necessary.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int >= 2
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
    d points that are labelled in every way, one of mass ``1 - 8 epsilon``. With ``(d-1)/(32 epsilon)``
    rows, half of the d - 1 light points are unseen with probability 1/2 (Markov); then the mean risk over
    the labellings is ``2 epsilon`` or more, and it exceeds epsilon with probability ``(2-1)/(8-1)``: 1/14
    in all. The paper states 1/100. The second part is one unseen point of mass epsilon. It needs ``epsilon
    <= 1/8``. Cost O(1). Source: Ehrenfeucht, Haussler, Kearns and Valiant, Information and Computation 82
    (1989), theorem 1.

    Examples
    --------
    >>> lower_realizable(epsilon=0.01, delta=0.01, vc=33).n
    390
    >>> lower_realizable(epsilon=0.01, delta=0.01, vc=321).n
    1000
    """
    d = check_count(vc, "vc", 2)
    theorem = Theorem(
        "lower_realizable",
        "whatever the learner, with fewer than {n} rows some distribution without label noise makes its risk "
        "{epsilon} or more with probability {delta} or more",
        (ZERO_ONE, f"the VC dimension of the class is {d:,}", "nothing is known about the distribution"),
        "Ehrenfeucht, Haussler, Kearns and Valiant (1989), theorem 1",
        necessary=True,
    )

    def epsilon_of(m: int, risk: float) -> float:
        points = min(0.125, (d - 1.0) / (32.0 * m)) if risk <= 1.0 / 14.0 else 0.0
        unseen = -math.expm1(math.log(2.0 * risk) / m) if risk < 0.5 else 0.0
        return max(points, unseen)

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, epsilon_of=epsilon_of)
