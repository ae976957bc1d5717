"""Trees of merged clusters: the mean height of the merges, which all who merge the closest clusters share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage


class MeanHeight:
    """The mean height of the merges of one linkage.

    Parameters
    ----------
    link : str
        The linkage.
    """

    # Sums in other orders; a tree with another merge is farther off.
    accuracy = 1e-9

    def __init__(self, link: str) -> None:
        self.link, self.name = link, f"linkage_{link}"

    def strength(self, X: Any, other: Any) -> str:
        """Return the linkage, which the solvers take in the place of a strength."""
        return self.link

    def value(self, X: Any, other: Any, link: str, heights: np.ndarray) -> float:
        """Return the mean height, or infinity where merges are missing."""
        return float(np.mean(heights)) if len(heights) == len(X) - 1 else np.inf

    def null(self, X: Any, other: Any) -> float:
        """Return the mean distance of each row to the next one."""
        return float(np.linalg.norm(np.diff(X, axis=0), axis=1).mean())

    def reference(self, X: Any, other: Any, link: str) -> np.ndarray:
        """Return the heights that SciPy finds in the matrix of distances, up to 30,000 rows."""
        return np.asarray(linkage(X, link)[:, 2]) if len(X) <= 30_000 else np.empty(0)


OBJECTIVES = tuple(MeanHeight(link) for link in ("single", "ward", "average", "complete"))
