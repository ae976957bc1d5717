"""How far the exponential loss of a vote is from the least that votes can have."""

from __future__ import annotations

import math

from empirisk.results import Certificate, Kind

__all__ = ["vote_certificate"]

EPS = math.ulp(1.0)


def vote_certificate(
    loss: float, least_margin: float, tilt: float, reach: float, edge: float | None, n_classes: int
) -> Certificate:
    """Two classes: ``log f(F) - log f(G) <= edge * reach - sum_i D_i y_i F_i`` for every vote G of stumps.

    f is the exponential loss ``sum_i s_i exp(-y_i F(x_i))``, D the weights that it gives to the rows, F the
    vote, ``reach`` the sum of the absolute weights of its stumps, and ``edge = max over stumps of |sum_i
    D_i y_i h(x_i)|`` the largest slope of log f.  G ranges over votes whose absolute weights sum to `reach`
    or less. log f is convex, so the inequality is the gradient inequality maximised over G (the gap of
    Frank and Wolfe).

    Where the vote classifies every row correctly, ``f(c F) -> 0`` for c -> infinity: the infimum is 0 and
    the loss itself is the gap, exactly.

    Parameters
    ----------
    loss : float
        f(F).
    least_margin : float
        Smallest normalised margin of the vote.
    tilt : float
        ``sum_i D_i y_i F_i``.
    reach : float
        Sum of the absolute weights.
    edge : float or None
        The largest edge of all stumps under D; None where it is not known (members that were searched for
        greedily).
    n_classes : int
        For more than two classes there is no convex objective that the rounds descend with certainty.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> vote_certificate(0.5, -0.1, 0.02, 3.0, 0.01, 2).claim
    'exponential loss 0.5 <= 0.00498 + the least of any vote of stumps with total weight 3 (Frank-Wolfe gap)'
    """
    if n_classes > 2:
        return _none("the rounds for more than two classes minimise no convex function over votes")
    if least_margin > 0.0:
        claim = (
            f"exponential loss {loss:.3g} = its gap to the infimum 0: the vote separates the training rows"
        )
        return Certificate(Kind.EXACT, loss, 1.0, claim)
    if edge is None:
        return _none(f"greedy members; the exponential loss itself, {loss:.3g}, bounds its gap")
    gap = max(0.0, edge * reach - tilt)
    floor = 8.0 * EPS * loss * (edge * reach + abs(tilt))  # rounding of the difference
    value = max(-loss * math.expm1(-gap), floor)
    claim = (
        f"exponential loss {loss:.3g} <= {value:.3g} + the least of any vote of stumps with total weight "
        f"{reach:.3g} (Frank-Wolfe gap)"
    )
    return Certificate(Kind.DUALITY_GAP, value, loss, claim, floor=floor)


def _none(why: str) -> Certificate:
    return Certificate(Kind.NONE, math.inf, 1.0, f"none: {why}")
