"""Within-cluster inertia: what k-means minimises, with a price for each cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.estimators.checks import check_number
from empirisk.partitions.indices.base import moments, read

__all__ = ["Inertia"]


@dataclass(frozen=True)
class Inertia:
    """``J = sum_k sum_{i in k} w_i ||x_i - m_k||^2 + penalty * K``, with m_k the mean of cluster k.

    Without a price J falls with every cluster that is added, down to 0 for as many clusters as rows; which
    price is right is what :func:`choose_k` asks.

    Parameters
    ----------
    penalty : float >= 0, default 0.0
        The price of a cluster, in squared units of X.

    Notes
    -----
    O(n p).  Weights are repetitions in their common unit.  Lloyd (1982), IEEE Transactions on Information
    Theory 28; the penalised form is that of textbooks on k-means.

    Examples
    --------
    >>> Inertia().value([[0.0], [2.0], [9.0]], [0, 0, 1])
    2.0
    >>> Inertia(penalty=1.5).value([[0.0], [2.0], [9.0]], [0, 0, 1])
    5.0
    """

    penalty: float = 0.0

    name = "inertia"
    label = "within-cluster inertia"
    greater_is_better = False
    single = True
    power = 1

    def __post_init__(self) -> None:
        check_number("penalty", self.penalty, 0.0)

    def value(self, X: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the inertia of a partition of the rows, with the price of its clusters.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
        sample_weight : array, shape (n,), optional
        """
        rows, codes, k = read(X, labels, sample_weight, 1, self.name)
        return float(moments(rows, codes, k).squares.sum() + self.penalty * k)
