"""The mistake bound of the perceptron: on separable rows it makes at most ``(R / margin)^2`` updates.

Novikoff (1962); Freund and Schapire, Machine Learning 37 (1999), theorem 2.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import check_real

__all__ = ["perceptron"]


def perceptron(*, radius: float, margin: float, deviation: float = 0.0) -> int:
    """At most ``((R + D)/margin)^2`` updates, whatever the order; for D = 0 over any number of passes.

    Start at w = 0 and add ``y x`` when ``y w.x <= 0``. R bounds ``||x||``, and some unit vector u has ``y u.x
    >= margin`` on every row. With ``D = sqrt(sum_i max(0, margin - y_i u.x_i)^2)`` the rows need not be
    separable, and the bound is about one pass.

    Parameters
    ----------
    radius : float > 0
        R. Append a column of ones for an intercept; it counts in the norm.
    margin : float > 0
        With B the smallest ``||w||`` such that ``y_i w.x_i >= 1`` for all i, this is 1/B.
    deviation : float >= 0, default 0
        D.

    Returns
    -------
    int
        Largest possible number of updates.

    Raises
    ------
    ValueError
        When a number is out of range, or the margin exceeds the radius.

    Notes
    -----
    Each update raises ``u.w`` by at least the margin and ``||w||^2`` by at most R^2, so that ``updates margin
    <= u.w <= ||w|| <= R sqrt(updates)``. Cost O(1). Sources: Novikoff (1962); Freund and Schapire, Machine
    Learning 37 (1999), theorem 2; Shalev-Shwartz and Ben-David (2014), theorem 9.1.

    Examples
    --------
    >>> perceptron(radius=1.0, margin=0.1)
    100
    """
    radius, margin = check_real(radius, "radius"), check_real(margin, "margin")
    deviation = check_real(deviation, "deviation", 0.0, closed=True)
    if margin > radius and deviation == 0.0:
        raise ValueError(f"margin must be at most radius = {radius:g}, got {margin:g}: |u.x| <= ||x||.")
    # A whole number must not be lost to rounding, and rounding up keeps the bound valid.
    return math.floor(((radius + deviation) / margin) ** 2 * (1.0 + 1e-12))
