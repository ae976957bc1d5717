"""Balls in R^d: on the points lifted to the paraboloid ``(x, ||x||^2)`` they are half-spaces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best
from empirisk.hypotheses.growth import Growth, binomial_sum
from empirisk.hypotheses.lift import BallLift, Lift
from empirisk.hypotheses.linear import LinearClass
from empirisk.hypotheses.points import Labelled
from empirisk.hypotheses.polynomial_rule import PolynomialRule
from empirisk.typing import Array

__all__ = ["Ball", "Balls"]


@dataclass(frozen=True)
class Ball:
    """``1[||x - c|| < r]``, as the polynomial that is positive inside, exact for floating-point points."""

    rule: PolynomialRule

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        return self.rule(points)

    def __str__(self) -> str:
        constant, *rest = self.rule.weights
        d = len(rest) // 2
        a = -rest[-1]
        if a == 0:
            return "no x"
        centre = [w / (2 * a) for w in rest[:d]]
        square = constant / a + sum((c * c for c in centre), Fraction(0))
        if square <= 0:
            return "no x"
        told = ", ".join(f"{float(c):.4g}" for c in centre)
        return f"||x - ({told})|| < {math.sqrt(square):.4g}"


class Balls(LinearClass):
    """``h(x) = 1[||x - c|| < r]`` for c in R^d and r >= 0.

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.
    time_limit : float, default 60.0
        Seconds for the integer programme of ``fit``.

    Notes
    -----
    VC dimension d + 1; growth function ``sum_{i <= d + 1} C(n, i)``, the largest that Sauer's lemma allows:
    balls are the half-spaces of ``(x, ||x||^2)`` that open one way, so twice their number is that of the
    dichotomies by spheres and by hyperplanes together, both counted by Cover.  Open and closed balls label
    finitely many points alike.  ``fit`` as in :class:`Halfspaces`.

    References
    ----------
    Cover 1965, IEEE Transactions on Electronic Computers 14.  Dudley 1979, Discrete Mathematics 28 (balls).

    Examples
    --------
    >>> Balls(2).vc_dimension(), int(Balls(2).growth(4))
    (3, 15)
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [0.0, -3.0]])
    >>> fitted = Balls().fit(X, [1, 1, 1, 0, 0])
    >>> fitted.training_error_, fitted.predict([[0.3, 0.3], [9.0, 9.0]])
    (0.0, array([1, 0]))
    """

    name = "balls"
    words = "balls"

    def __init__(self, n_features: int | None = None, time_limit: float = 60.0) -> None:
        self.n_features = n_features
        self.time_limit = time_limit

    def vc_dimension(self) -> int:
        """Return d + 1, the value for half-spaces too: no more points can be cut in every way by balls
        (Dudley 1979).
        """
        return self._d() + 1

    def _growth(self, n: int) -> Growth:
        return Growth(binomial_sum(n, self.vc_dimension()), True, "spheres and hyperplanes, by Cover's count")

    def _lift(self, points: Array) -> Lift:
        return BallLift(points)

    def _best(self, data: Labelled) -> Best:
        rule, most, argument = self._heaviest(data)
        return Best(Ball(rule), most, argument)

    def _realising(self, data: Labelled) -> Ball | None:
        found = self._separating(data)
        return None if found is None else Ball(found)
