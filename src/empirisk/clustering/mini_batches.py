"""K-means by batches of rows: each centre is the mean of all rows that it was given so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk.clustering.assign import cluster_sums, middle, nearest
from empirisk.clustering.seedings.base import dense_rows
from empirisk.typing import Array

__all__ = ["CountedCenters", "Plateau"]


@dataclass
class CountedCenters:
    """Centres and the weights of the rows that each was made of.

    Parameters
    ----------
    centers : array of float64, shape (K, p)
    counts : array, shape (K,)
        Weights of the rows that each centre was given; 0 for a seed.

    Notes
    -----
    A batch gives centre k the rows nearest to it, with weights ``s_i`` of sum ``B_k`` and mean ``m_k``:

        ``N_k <- N_k + B_k,   c_k <- c_k + (B_k / N_k) (m_k - c_k)``.

    Rows of a pass are in one batch each, so that all have the same chance, and the factor by which a batch
    stands for all rows is the same for all: it cancels in ``B_k / N_k``.  The weights of a batch are not
    divided by their sum, which would give a light batch the say of a heavy one.

    References
    ----------
    L. Bottou and Y. Bengio, Convergence properties of the k-means algorithms, Advances in Neural Information
    Processing Systems 7, 1995.  D. Sculley, Web-scale k-means clustering, WWW 2010.

    Examples
    --------
    >>> held = CountedCenters(np.array([[0.0], [10.0]]), np.zeros(2))
    >>> held.take(np.array([[1.0], [3.0], [9.0]]), np.array([1.0, 1.0, 2.0])).tolist()
    [1.0, 9.0, 1.0]
    >>> _ = held.take(np.array([[5.0]]), np.array([2.0]))
    >>> held.centers.ravel().tolist(), held.counts.tolist()
    ([3.5, 9.0], [4.0, 2.0])
    """

    centers: Array
    counts: Array

    def take(self, X: Any, weight: Array) -> Array:
        """Move the centres to a batch; returns the squared distances of its rows before.

        Parameters
        ----------
        X : array of float32 or float64 in C order, or CSR matrix, shape (b, p)
        weight : array, shape (b,)
            Weights >= 0.
        """
        shift = middle(X, self.centers)
        square = np.empty(X.shape[0])
        label = nearest(X, self.centers, shift, square=square)
        total, mass = cluster_sums(X, weight, label, shift, len(self.centers))
        self.counts += mass
        live = mass > 0.0
        at = self.centers[live] - (0.0 if shift is None else shift)
        self.centers[live] += (total[live] - mass[live, None] * at) / self.counts[live, None]
        return square

    def replace(self, X: Any, weight: Array, square: Array, ratio: float, rng: np.random.Generator) -> int:
        """Put centres that got next to nothing onto rows of a batch; returns how many.

        Centres with ``N_k < ratio max_j N_j`` are moved, to rows drawn with chances in proportion to weight
        times squared distance, and get the least N of the others, so that they are not moved again at once.
        """
        poor = np.flatnonzero(self.counts < ratio * self.counts.max())
        chance = weight * square
        count = min(len(poor), int(np.count_nonzero(chance)))
        if not count:
            return 0
        poor = poor[np.argsort(self.counts[poor], kind="stable")[:count]]
        rows = rng.choice(len(chance), count, replace=False, p=chance / chance.sum())
        kept = np.setdiff1d(np.arange(len(self.counts)), poor)
        self.centers[poor] = dense_rows(X, rows)
        self.counts[poor] = self.counts[kept].min()
        return count


@dataclass
class Plateau:
    """When batches stop to get better: a smoothed objective that reached no new low for so many batches.

    Parameters
    ----------
    share : float
        What a batch changes of the smoothed objective, in (0, 1].
    patience : int
        Batches without a new low.

    Examples
    --------
    >>> plateau = Plateau(1.0, 2)
    >>> [plateau.reached(value) for value in (3.0, 2.0, 2.5, 2.0)]
    [False, False, False, True]
    """

    share: float
    patience: int
    _smooth: float = field(init=False, default=math.nan)
    _low: float = field(init=False, default=math.inf)
    _since: int = field(init=False, default=0)

    def reached(self, value: float) -> bool:
        """Take the objective of a batch in, and say whether it is time to stop."""
        first = math.isnan(self._smooth)
        self._smooth = value if first else self._smooth + self.share * (value - self._smooth)
        self._since = 0 if self._smooth < self._low else self._since + 1
        self._low = min(self._low, self._smooth)
        return self._since >= self.patience
