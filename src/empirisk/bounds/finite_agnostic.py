"""Empirical risk minimisation over a finite class, whatever the noise: how far it stays behind the best.

Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), corollary 4.6.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.finite_realizable import count, log_size

__all__ = ["finite_agnostic"]


def finite_agnostic(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    hypotheses: int,
    loss_range: float = 1.0,
) -> Guarantee:
    """``risk of the minimiser - smallest risk <= M sqrt(2 log(2 |H| / delta) / n)``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, loss_range), optional
        The excess risk.
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
    Twice the uniform deviation. Cost O(1). Source: Shalev-Shwartz and Ben-David, Understanding Machine
    Learning (2014), corollary 4.6.

    Examples
    --------
    >>> finite_agnostic(epsilon=0.1, delta=0.05, hypotheses=3**10).n
    2936
    """
    size, width = log_size(hypotheses), check_real(loss_range, "loss_range")
    theorem = Theorem(
        "finite_agnostic",
        f"the hypothesis with the smallest mean loss on {{n}} rows has a risk at most {{epsilon}} above the "
        f"smallest risk of the {count(hypotheses)} hypotheses",
        (
            IID,
            f"the losses lie in an interval of length {width:g}",
            FIXED,
            "the mean loss is minimised exactly",
        ),
        "Shalev-Shwartz and Ben-David (2014), corollary 4.6",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: width * math.sqrt(2.0 * (math.log(2.0 / d) + size) / m),
        delta_of=lambda m, e: math.exp(min(0.0, math.log(2.0) + size - m * (e / width) ** 2 / 2.0)),
        guess=lambda e, d: (math.log(2.0 / d) + size) * 2.0 * (width / e) ** 2,
        trivial=width,
    )
