"""Empirical risk minimisation over a finite class: one union over the class, one mean for the best."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.base import FIXED, IID, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.finite_realizable import count, log_size

__all__ = ["finite_excess"]

# The share of epsilon that the best hypothesis may take.
SHARES = np.linspace(0.005, 0.5, 100)


def finite_excess(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    hypotheses: int,
    loss_range: float = 1.0,
) -> Guarantee:
    """``P(excess > epsilon) <= min over u of K exp(-2 n (epsilon-u)^2/M^2) + exp(-2 n u^2/M^2)``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, loss_range), optional
        The excess risk of the hypothesis with the smallest training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    hypotheses : int >= 1
        Size K of the class.
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
    The excess is at most ``sup (R - R_n) + R_n(h*) - R(h*)``. Only the first part needs the union over the
    class, and only on one side; the best hypothesis h* is one mean. `finite_agnostic` takes the union for
    both, on both sides, and asks for up to four times the rows when K is large. Cost: 100 terms for each of
    about 60 looks. Source: Hoeffding (1963), theorem 2; the decomposition as in Bousquet, Boucheron and
    Lugosi (2004), section 3.

    Examples
    --------
    >>> finite_excess(epsilon=0.1, delta=0.05, hypotheses=3**10).n
    1641
    """
    size, width = log_size(hypotheses), check_real(loss_range, "loss_range")
    theorem = Theorem(
        "finite_excess",
        f"the hypothesis with the smallest mean loss on {{n}} rows has a risk at most {{epsilon}} above the "
        f"smallest risk of the {count(hypotheses)} hypotheses",
        (
            IID,
            f"the losses lie in an interval of length {width:g}",
            FIXED,
            "the mean loss is minimised exactly",
        ),
        "Hoeffding (1963), theorem 2; Bousquet, Boucheron and Lugosi (2004), section 3",
    )

    def delta_of(m: int, e: float) -> float:
        # Each share proves a bound by itself and none looks at the rows: the smallest of them is valid, too,
        # and a coarse grid only costs some rows.
        u, scale = SHARES * e, 2.0 * m / width**2
        total = np.logaddexp(size - scale * (e - u) ** 2, -scale * u * u)
        return math.exp(min(0.0, float(total.min())))

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        delta_of=delta_of,
        guess=lambda e, d: (size - math.log(d)) * 2.0 * (width / e) ** 2,
        trivial=width,
    )
