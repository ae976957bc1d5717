"""What a linkage is: a distance of clusters that follows from that of their parts.

Lance and Williams, The Computer Journal 9 (1967); Murtagh, The Computer Journal 26 (1983).
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from empirisk.typing import Array

__all__ = ["Linkage"]

# The factors of D(A, C), D(B, C), D(A, B) and |D(A, C) - D(B, C)|.
Coefficients = tuple[Array | float, Array | float, Array | float, float]


class Linkage(Protocol):
    """A distance D of clusters; the two closest ones are merged.

    ``D(A u B, C) = a D(A, C) + b D(B, C) + c D(A, B) + g |D(A, C) - D(B, C)|``.

    Attributes
    ----------
    name : str
        Registry name.
    reducible : bool
        Whether ``D(A u B, C) >= min(D(A, C), D(B, C))``: merges may then be found in any order along chains
        of nearest neighbours, and no merge is lower than those inside it.
    squared : bool
        Whether the recurrence holds for squares of Euclidean distances; heights are their roots.
    vector : bool
        Whether trees of Euclidean rows are found with memory for the rows alone.
    centroids : bool
        Whether a cluster is its centroid, so that the distances of rows must be Euclidean.
    convex : bool
        Whether D is never above the largest distance of two rows.
    one_pair : bool
        Whether D is the distance of one pair of rows, so that trees do not change when distances are squared.
    counts : bool
        Whether the numbers of rows of clusters change their distance, and weights of rows with them.
    """

    name: ClassVar[str]
    reducible: ClassVar[bool]
    squared: ClassVar[bool]
    vector: ClassVar[bool]
    centroids: ClassVar[bool]
    convex: ClassVar[bool]
    one_pair: ClassVar[bool]
    counts: ClassVar[bool]

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        """Return the factors of the recurrence for clusters of a, b and c rows; c may be an array."""
        ...
