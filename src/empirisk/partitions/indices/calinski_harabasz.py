"""The ratio of the variance between clusters to that within them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.partitions.indices.base import moments, read

__all__ = ["CalinskiHarabasz"]


@dataclass(frozen=True)
class CalinskiHarabasz:
    """``(B/(K-1)) / (W/(n-K))``: the between and the within inertia, each over its degrees of freedom.

    B is ``sum_k n_k ||m_k - m||^2`` and W the inertia; n counts rows with their repetitions.  It is infinite
    where every row is on its centre, and 0 where all rows are equal.

    Notes
    -----
    O(n p).  Calinski and Harabasz (1974), Communications in Statistics 3.

    Examples
    --------
    >>> round(CalinskiHarabasz().value([[0.0], [2.0], [9.0], [11.0]], [0, 0, 1, 1]), 9)
    40.5
    """

    name = "calinski_harabasz"
    label = "Calinski-Harabasz"
    greater_is_better = True
    single = False
    power = 1

    def value(self, X: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the ratio for a partition of the rows.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
            Two clusters at least, and fewer than rows.
        sample_weight : array, shape (n,), optional
        """
        rows, codes, k = read(X, labels, sample_weight, 2, self.name)
        if not rows.total > k:
            raise ValueError(
                f"labels holds {k} clusters for {rows.total:g} rows, and {self.name} needs more rows than "
                "clusters; group the rows into fewer"
            )
        m = moments(rows, codes, k)
        centre = m.weight @ m.centres / m.weight.sum()
        between = float(m.weight @ np.einsum("kj,kj->k", m.centres - centre, m.centres - centre))
        within = float(m.squares.sum())
        if within <= 0.0:
            return math.inf if between > 0.0 else 0.0
        return between / (k - 1.0) / (within / (rows.total - k))
