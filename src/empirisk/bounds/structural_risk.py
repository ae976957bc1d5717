"""Structural risk minimisation over classes of growing VC dimension."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_count, check_real, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["structural_risk"]


def structural_risk(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    classes: int = 1,
    weight: float | None = None,
) -> Guarantee:
    """``risk <= training error + sqrt(2 log S_n/n) + sqrt(log(1/(weight delta))/(2 n))`` in all classes.

    Structural risk minimisation takes the hypothesis with the smallest right side. `epsilon` is the penalty
    of the class whose dimension is given.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The penalty: how far a risk in this class may exceed the training error.
    delta : float in (0, 1), optional
        Probability of failure, in any class. Two of the three are given.
    vc : int, optional
        VC dimension of the class; ``S_n`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function ``S_n``, instead of `vc`.
    classes : int, default 1
        Number M of classes that compete; their weights are ``1/M``.
    weight : float in (0, 1], optional
        Share of delta that this class may use, instead of ``1/classes``; for infinitely many classes
        for example ``6/(pi^2 k^2)`` for the k-th.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    One-sided: the comparison with the training error of the chosen hypothesis needs no more. The chosen
    risk then is at most ``min over classes of (smallest risk + penalty) + sqrt(log(1/delta')/(2 n))`` but
    for ``delta + delta'``. Cost O(vc) for each of about 60 evaluations. Source: Vapnik and Chervonenkis
    (1974); Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), theorem 7.4.

    Examples
    --------
    >>> [round(structural_risk(n=10_000, delta=0.05, vc=d, classes=3).epsilon, 4) for d in (2, 5, 20)]
    [0.0739, 0.1052, 0.1827]
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    share = 1.0 / check_count(classes, "classes")
    if weight is not None:
        share = check_real(weight, "weight", 0.0, 1.0 + 1e-12)
    theorem = Theorem(
        "structural_risk",
        f"the risk of every hypothesis of {words} exceeds its training error on {{n}} rows by at most "
        "{epsilon}, and every other class keeps its penalty",
        (IID, ZERO_ONE, FIXED, "the weights of the classes sum to at most 1 and were fixed beforehand"),
        "Shalev-Shwartz and Ben-David (2014), theorem 7.4",
    )

    def epsilon_of(m: int, d: float) -> float:
        return math.sqrt(2.0 * log_s(m) / m) + math.sqrt(-math.log(share * d) / (2.0 * m))

    def delta_of(m: int, e: float) -> float:
        rest = max(0.0, e - math.sqrt(2.0 * log_s(m) / m))
        return math.exp(-2.0 * m * rest**2) / share

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, epsilon_of=epsilon_of, delta_of=delta_of)
