"""How wide clusters are against the distance to the cluster that they are worst told apart from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.partitions.indices.base import moments, read

__all__ = ["DaviesBouldin"]


@dataclass(frozen=True)
class DaviesBouldin:
    """``mean_k max_{l != k} (S_k + S_l) / ||m_k - m_l||``, with S_k the mean distance to the centre m_k.

    Smaller is better.  Two clusters on the same centre are infinitely bad, but for clusters that have no
    width either: those count 0 against each other.

    Notes
    -----
    O(n p + K^2 p).  Davies and Bouldin (1979), IEEE Transactions on Pattern Analysis and Machine
    Intelligence 1, with q = 1 and p = 2 there.

    Examples
    --------
    >>> DaviesBouldin().value([[0.0], [2.0], [9.0], [11.0]], [0, 0, 1, 1])
    0.2222222222222222
    """

    name = "davies_bouldin"
    label = "Davies-Bouldin"
    greater_is_better = False
    single = False
    power = 0

    def value(self, X: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the index of a partition of the rows.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
            Two clusters at least.
        sample_weight : array, shape (n,), optional
        """
        rows, codes, k = read(X, labels, sample_weight, 2, self.name)
        m = moments(rows, codes, k)
        width = np.bincount(codes, rows.weight * m.distances, minlength=k) / m.weight
        apart = cdist(m.centres, m.centres)
        both = width[:, None] + width[None, :]
        ratio = np.divide(both, apart, out=np.where(both > 0.0, math.inf, 0.0), where=apart > 0.0)
        np.fill_diagonal(ratio, -math.inf)
        return float(ratio.max(axis=1).mean())
