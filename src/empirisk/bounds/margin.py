"""The margin bound of linear and kernel classifiers."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_real, solve_for

__all__ = ["margin"]


def margin(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    margin: float,
    weight_norm: float = 1.0,
    row_norm: float = 1.0,
    any_margin: bool = False,
) -> Guarantee:
    """``risk <= share of rows with y w.x < margin + 2 B R/(margin sqrt n) + sqrt(log(1/delta)/(2 n))``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        How far the risk may exceed the share of rows inside the margin.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    margin : float in (0, weight_norm * row_norm]
        The margin, in units of the score.
    weight_norm, row_norm : float > 0, default 1
        Bounds B on ``||w||`` and R on ``||x||``, known beforehand (norms in the space of the kernel, for
        one).
    any_margin : bool, default False
        Whether the margin may be chosen after the rows were seen. The two terms then are ``4 B R/(margin
        sqrt n) + sqrt(log log2(2 B R/margin)/n)`` and ``sqrt(log(2/delta)/(2 n))``.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: Koltchinskii and Panchenko (2002); Mohri, Rostamizadeh and Talwalkar, Foundations of
    Machine Learning (2018), theorem 5.8, corollary 5.11 and theorem 5.9.

    Examples
    --------
    >>> round(margin(n=10_000, delta=0.05, margin=0.2).epsilon, 5)
    0.11224
    """
    largest = check_real(weight_norm, "weight_norm") * check_real(row_norm, "row_norm")
    gap = check_real(margin, "margin")
    if gap > largest * (1.0 + 1e-12):
        raise ValueError(
            f"margin must be at most weight_norm * row_norm = {largest:g}, the largest score, got {gap:g}."
        )
    ratio = max(1.0, largest / gap)
    factor, events = (4.0, 2.0) if any_margin else (2.0, 1.0)
    main = factor * ratio + (math.sqrt(math.log(math.log2(2.0 * ratio))) if any_margin else 0.0)
    theorem = Theorem(
        "margin",
        f"the risk of every w of norm {weight_norm:g} or less exceeds the share of {{n}} rows with y w.x "
        f"below {gap:g} by at most {{epsilon}}",
        (
            IID,
            ZERO_ONE,
            f"the norm of every row is at most {row_norm:g}, known beforehand",
            *(() if any_margin else ("the margin was fixed before the rows were seen",)),
            FIXED,
        ),
        "Mohri, Rostamizadeh and Talwalkar (2018), " + ("theorem 5.9" if any_margin else "corollary 5.11"),
    )

    def epsilon_of(m: int, d: float) -> float:
        return (main + math.sqrt(math.log(events / d) / 2.0)) / math.sqrt(m)

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        delta_of=lambda m, e: events * math.exp(-2.0 * max(0.0, e * math.sqrt(m) - main) ** 2),
        guess=lambda e, d: (epsilon_of(1, d) / e) ** 2,
    )
