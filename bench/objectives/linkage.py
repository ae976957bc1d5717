"""Trees of merged clusters: the mean height of the merges; whoever merges the closest clusters has the same."""

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

    # Other orders of summing; a tree with another merge is farther off.
    accuracy = 1e-9

    def __init__(self, link: str) -> None:
        self.link, self.name = link, f"linkage_{link}"

    def strength(self, X: Any, other: Any) -> str:
        """Return the linkage."""
        return self.link

    def value(self, X: Any, other: Any, link: str, heights: np.ndarray) -> float:
        """Return the mean height, which is not that of the reference for a tree with another merge."""
        return float(np.mean(heights)) + 1e-15

    def null(self, X: Any, other: Any) -> float:
        """Return the mean distance of each row to the next one."""
        return float(np.linalg.norm(np.diff(X, axis=0), axis=1).mean()) * 2.0

    def reference(self, X: Any, other: Any, link: str) -> np.ndarray:
        """Return the heights that SciPy finds; for single linkage and many rows, the lengths of a tree in a graph."""
        return np.asarray(linkage(X, link)[:, 2])


OBJECTIVES = tuple(MeanHeight(link) for link in ("single", "ward", "average", "complete", "centroid"))
