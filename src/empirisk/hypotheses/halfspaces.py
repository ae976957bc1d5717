"""Half-spaces through the origin, and any half-spaces."""

from __future__ import annotations

from empirisk.hypotheses.growth import Growth, cover
from empirisk.hypotheses.linear import LinearClass

__all__ = ["Halfspaces"]


class Halfspaces(LinearClass):
    """``h(x) = 1[w . x + b > 0]``; without intercept ``h(x) = 1[w . x > 0]``, w not zero.

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.
    intercept : bool, default True
        Whether the boundary may miss the origin.
    time_limit : float, default 60.0
        Seconds for the integer programme of ``fit``.

    Notes
    -----
    VC dimension d + 1, without intercept d.  Growth function ``2 sum_{k <= d} C(n - 1, k)``, without
    intercept up to d - 1 (Cover); points in general position attain it.  ``fit``: a linear programme when the
    labels are separable; else all cells of the arrangement are compared when these are few (d = 2 up to 600
    distinct points, d = 3 up to 150); else an integer programme over conflicts, which proves optimality or,
    at the time limit, says how far the half-space can be from it.  Signs are decided without rounding.

    References
    ----------
    Cover 1965, IEEE Transactions on Electronic Computers 14.  Johnson and Preparata 1978, Theoretical
    Computer Science 6 (the fewest errors are hard to find in high dimension).

    Examples
    --------
    >>> Halfspaces(2).vc_dimension(), [int(Halfspaces(2).growth(n)) for n in (3, 4, 5, 6)]
    (3, [8, 14, 22, 32])
    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Halfspaces().restriction(square).shape
    (14, 4)
    >>> Halfspaces().shatters(square).witness.astype(int)  # exclusive or
    array([0, 1, 1, 0])
    >>> Halfspaces().fit(square, [0, 1, 1, 0]).training_error_
    0.25
    """

    name = "halfspaces"
    words = "half-spaces"

    def __init__(
        self, n_features: int | None = None, intercept: bool = True, time_limit: float = 60.0
    ) -> None:
        self.n_features = n_features
        self.intercept = intercept
        self.time_limit = time_limit

    def vc_dimension(self) -> int:
        """Return d + 1, or d without an intercept: by Radon's theorem no half-spaces cut d + 2 points in
        every way.
        """
        return self._d() + int(self.intercept)

    def _growth(self, n: int) -> Growth:
        return Growth(cover(n, self.vc_dimension()), True, "Cover's count of dichotomies")

    def _exponents(self, d: int) -> list[tuple[int, ...]]:
        units = [tuple(int(i == j) for i in range(d)) for j in range(d)]
        return [(0,) * d, *units] if self.intercept else units
