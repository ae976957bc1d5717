"""Uniform convergence by Rademacher averages: how well a class fits random signs bounds how far it can
overfit.

Bartlett and Mendelson, Journal of Machine Learning Research 3 (2002), theorem 8.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, Guarantee, Theorem, check_real, solve_for

__all__ = ["rademacher"]


def rademacher(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    radius: float,
    lipschitz: float = 1.0,
    loss_range: float = 1.0,
    observed: bool = False,
) -> Guarantee:
    """``risk <= mean loss + 2 rho A/sqrt n + M sqrt(log(1/delta)/(2 n))`` for all functions at once.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, loss_range), optional
        How far a risk may exceed the mean loss on the rows.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    radius : float > 0
        A: the Rademacher average of the scores on n rows is at most ``A / sqrt n``. ``||w||_2 <= B``,
        ``||x||_2 <= R``: ``A = B R``; ``||w||_1 <= B``, ``|x_j| <= R`` in p columns: ``A = B R sqrt(2 log(2
        p))``; a kernel with ``k(x,x) <= R^2``, norm at most B: ``A = B R``; rows at hand:
        `Complexity.radius`.
    lipschitz : float > 0, default 1
        rho: the loss is rho-Lipschitz in the score.
    loss_range : float > 0, default 1
        M, length of the interval that holds the losses.
    observed : bool, default False
        Whether the radius was computed on these rows; the last term then is
        ``3 M sqrt(log(2/delta)/(2 n))``.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: Bartlett and Mendelson (2002), theorem 8; Mohri, Rostamizadeh and Talwalkar (2018),
    theorem 3.3; contraction: Shalev-Shwartz and Ben-David (2014), lemma 26.9.

    Examples
    --------
    >>> round(rademacher(n=10_000, delta=0.05, radius=5.0).epsilon, 5)
    0.11224
    """
    a, rho = check_real(radius, "radius"), check_real(lipschitz, "lipschitz")
    width = check_real(loss_range, "loss_range")
    factor, events = (3.0, 2.0) if observed else (1.0, 1.0)
    theorem = Theorem(
        "rademacher",
        "the risk of every function of the class exceeds its mean loss on {n} rows by at most {epsilon}",
        (
            IID,
            f"the losses lie in an interval of length {width:g} and are {rho:g}-Lipschitz in the score",
            f"the Rademacher average of the class is at most {a:g}/sqrt(n)"
            + (" on these rows" if observed else ", for every sample or in expectation"),
            FIXED,
        ),
        "Bartlett and Mendelson (2002), theorem 8",
    )

    def delta_of(m: int, e: float) -> float:
        rest = max(0.0, e - 2.0 * rho * a / math.sqrt(m)) / (factor * width)
        return events * math.exp(-2.0 * m * rest**2)

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: (
            (2.0 * rho * a + factor * width * math.sqrt(math.log(events / d) / 2.0)) / math.sqrt(m)
        ),
        delta_of=delta_of,
        guess=lambda e, d: (
            ((2.0 * rho * a + factor * width * math.sqrt(math.log(events / d) / 2.0)) / e) ** 2
        ),
        trivial=width,
    )
