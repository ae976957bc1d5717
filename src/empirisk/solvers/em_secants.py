"""Quasi-Newton directions whose first matrix is the step of EM itself.

A step f of EM at a point with gradient g is nearly ``-H0 g``, H0 the inverse information of complete data.
Differences of two points therefore hold ``H0 y = -(f' - f)`` for ``y = g' - g``, and the inverse Hessian of
BFGS can be built on H0 without its ever being formed.  That steers EM towards Newton's method, as in Lange,
Statistica Sinica 5 (1995); the last pairs alone are kept, in the two loops of L-BFGS (Nocedal, Mathematics of
Computation 35, 1980).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from empirisk.typing import Array

__all__ = ["Secants"]

# Pairs that are kept: each costs the memory of three sets of parameters, and older ones are of other places.
KEPT = 10


@dataclass(frozen=True)
class Secants:
    """The last pairs of differences, and the point that the next difference is taken from.

    Parameters
    ----------
    pairs : tuple of (s, y, f' - f)
        Differences of points, gradients and steps of EM, the oldest first.
    last : tuple of (w, f, g) or None
        A point with its step of EM and its gradient.

    Examples
    --------
    On a quadratic with Hessian 2 whose steps of EM go half the way, one pair finds the minimum.

    >>> import numpy as np
    >>> at = lambda w: (np.array([w]), np.array([-0.5 * w]), np.array([2.0 * w]))
    >>> known = Secants().after(*at(4.0)).after(*at(2.0))
    >>> known.direction(*at(2.0)[1:]).tolist()
    [-2.0]
    """

    pairs: tuple[tuple[Array, Array, Array], ...] = ()
    last: tuple[Array, Array, Array] | None = None

    def after(self, w: Array, step: Array, grad: Array) -> Secants:
        """Return the secants with one more point; a pair without positive curvature is left out."""
        pairs = self.pairs
        if self.last is not None:
            s, f, y = w - self.last[0], step - self.last[1], grad - self.last[2]
            if s @ y > 0.0 and y @ f < 0.0:
                pairs = (*pairs, (s, y, f))[-KEPT:]
        return replace(self, pairs=pairs, last=(w, step, grad))

    def direction(self, step: Array, grad: Array) -> Array:
        """Return minus the inverse Hessian times the gradient; the step of EM where there is no pair."""
        shares = []
        for s, y, f in reversed(self.pairs):
            share = float(s @ grad) / float(s @ y)
            grad, step = grad - share * y, step - share * f
            shares.append(share)
        for (s, y, _), share in zip(self.pairs, reversed(shares), strict=True):
            step = step - (share + float(y @ step) / float(s @ y)) * s
        return step
