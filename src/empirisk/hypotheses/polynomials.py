"""The positive sides of polynomials of bounded degree."""

from __future__ import annotations

import itertools
from math import comb

from empirisk.hypotheses.growth import Growth, cover
from empirisk.hypotheses.linear import LinearClass
from empirisk.hypotheses.points import check_integer

__all__ = ["PolynomialThresholds"]


class PolynomialThresholds(LinearClass):
    """``h(x) = 1[p(x) > 0]`` for the polynomials p of degree at most r in d coordinates.

    Parameters
    ----------
    degree : int, default 2
        The degree r, >= 0.
    n_features : int, optional
        Number of coordinates d; by default that of the points.
    time_limit : float, default 60.0
        Seconds for the integer programme of ``fit``.

    Notes
    -----
    VC dimension ``D = C(d + r, r)``, the number of monomials; growth function ``2 sum_{k < D} C(n - 1, k)``,
    as of half-spaces through the origin in R^D, which points in general position attain.  ``fit`` as in
    :class:`Halfspaces`, on the monomials, which are computed without rounding.

    References
    ----------
    Cover 1965, IEEE Transactions on Electronic Computers 14.  Anthony 1995, Discrete Applied Mathematics 61.

    Examples
    --------
    >>> PolynomialThresholds(2, n_features=2).vc_dimension()
    6
    >>> [int(PolynomialThresholds(3, n_features=1).growth(n)) for n in (3, 4, 5)]
    [8, 16, 30]
    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> bool(PolynomialThresholds(2).shatters(square))
    True
    """

    name = "polynomial_thresholds"
    words = "polynomial thresholds"

    def __init__(self, degree: int = 2, n_features: int | None = None, time_limit: float = 60.0) -> None:
        self.degree = degree
        self.n_features = n_features
        self.time_limit = time_limit

    def vc_dimension(self) -> int:
        """Return ``C(d + r, r)``, the number of monomials: the class is that of half-spaces through 0 among
        them.
        """
        r = check_integer("degree", self.degree, 0)
        return comb(self._d() + r, r)

    def _growth(self, n: int) -> Growth:
        return Growth(cover(n, self.vc_dimension()), True, "Cover's count of dichotomies of the monomials")

    def _exponents(self, d: int) -> list[tuple[int, ...]]:
        r = check_integer("degree", self.degree, 0)
        sets = (s for k in range(r + 1) for s in itertools.combinations_with_replacement(range(d), k))
        return [tuple(s.count(j) for j in range(d)) for s in sets]
