"""Lloyd's steps: each row goes to its nearest centre, each centre to the mean of its rows.

Lloyd, IEEE Transactions on Information Theory 28(2), 1982.  The objective is
``J(c) = (1/S) sum_i s_i min_k ||x_i - c_k||^2``.  No step raises it; a point that a step does not change is
one of finitely many partitions, and a local optimum for moves of centres, not of J over all partitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.clustering.assign import Labels, cluster_sums, middle, nearest
from empirisk.clustering.bounds import Bounds
from empirisk.clustering.empty_clusters import fill_empty
from empirisk.data.sums import weighted_sum
from empirisk.typing import Array

__all__ = ["ALGORITHMS", "Lloyd", "LloydRun", "hopeless"]

ALGORITHMS = ("auto", "bounds", "lloyd")
# "auto" begins to keep bounds where so small a share of the rows moves, and forgets them where so large a
# share of the groups must be looked at nevertheless: a pass costs more then than one without bounds.
MOVING = 0.015
LOOKED = 0.6
# Products of a row below which a pass without bounds costs as little as looking at them.
FEW_PRODUCTS = 256
# Centres that did not change are summed afresh so often, since moves of rows leave rounding in the sums.
FRESH = 3
# Runs are given up from this step on, where neither so many steps as good as the last nor so many times what
# the best run gained from there on would reach its end.
EARLIEST = 5
STEPS_AHEAD = 10.0
TIMES_BEST = 2.0


@dataclass(frozen=True)
class LloydRun:
    """What a run of Lloyd's steps ends with.

    Parameters
    ----------
    centers : array of float64, shape (K, p)
        Centres, in the format of the rows.
    label : array of int32, shape (n,)
        Their nearest rows.
    n_iter : int
        Steps.
    step : float
        ``sum_k (S_k/S) ||c_k - mean_k||^2``: so much at least a further step lowers J.
    path : list of float
        J after each step, by the sums of the clusters.
    given_up : bool
        Whether the run was stopped as hopeless.
    """

    centers: Array
    label: Labels
    n_iter: int
    step: float
    path: list[float]
    given_up: bool = False


@dataclass
class Lloyd:
    """Lloyd's steps on some rows.

    Parameters
    ----------
    X : array of float32 or float64 in C order, or CSR matrix, shape (n, p)
        Rows.
    weight : array, shape (n,), optional
        Weights >= 0; None means ones.
    algorithm : {"auto", "bounds", "lloyd"}
        Compare each row with all centres, or leave out those that bounds exclude; the same bits either way.

    Notes
    -----
    O(n K p) a step without bounds, O(n + K p) numbers of memory; bounds keep up to ``n (1 + K/32)`` of four
    bytes more, and a step costs O(n) where no centre moves far.
    """

    X: Any
    weight: Array | None
    algorithm: str = "auto"
    total: float = field(init=False)
    _square: Array | None = field(init=False, default=None)
    _shift: Array | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.total = float(self.X.shape[0] if self.weight is None else self.weight.sum())

    def run(
        self,
        centers: Array,
        tol: float,
        max_iter: int,
        best: list[float] | None = None,
    ) -> LloydRun:
        """Take steps until no row changes its cluster, the next step is within ``tol``, or ``max_iter``.

        Parameters
        ----------
        centers : array, shape (K, p)
            Where to start.
        tol : float
            Bound of ``step``, on the scale of J.
        max_iter : int
            Steps at most.
        best : list of float
            The objectives of a completed run: what will not come near its end is given up.
        """
        X, k = self.X, len(centers)
        c = self._stored(centers)
        shift = middle(X, c)
        square = self._squares(shift)
        spread = float(square.sum() if self.weight is None else weighted_sum(self.weight, square))
        label, before = np.zeros(X.shape[0], dtype=np.int32), np.empty(X.shape[0], dtype=np.int32)
        total: Array = np.zeros((k, X.shape[1]))
        mass: Array = np.zeros(k)
        bounds: Bounds | None = None
        path: list[float] = []
        fresh, moved, n_iter, bar = 0, X.shape[0], 0, MOVING * X.shape[0]
        while True:
            new = bounds is None and self._worth(moved <= bar and n_iter > 0, c.size)
            if new:
                bounds = Bounds.of(X, c, shift, square)
            if n_iter > 0:
                before[:] = label
            if bounds is None:
                nearest(X, c, shift, label=label)
                moved = X.shape[0] if n_iter == 0 else int(np.count_nonzero(label != before))
            else:
                moved = bounds.assign(c, label)
                moved = X.shape[0] if n_iter == 0 else moved
                if not new and self.algorithm == "auto" and bounds.share > LOOKED:
                    bounds, bar = None, moved / 2.0
            _loops.cluster_sums(X, self.weight, label, before if n_iter > 0 else None, shift, total, mass)
            if (mass <= 0.0).any():
                rows = fill_empty(X, self.weight, c, shift, label, total, mass)
                moved += len(rows)
                if bounds is not None:
                    bounds.forget(rows)
            if moved == 0 and fresh < FRESH:
                fresh += 1
                total, mass = cluster_sums(X, self.weight, label, shift, k)
            means = self._stored(total / mass[:, None] + (0.0 if shift is None else shift))
            path.append(max(0.0, spread - self._between(total, mass)) / self.total)
            step = float((mass * ((means - c) ** 2).sum(axis=1)).sum() / self.total)
            if np.array_equal(means, c) or step <= tol or (moved == 0 and fresh >= FRESH):
                return LloydRun(c, label, n_iter, step, path)
            if n_iter >= max_iter or hopeless(path, best):
                return LloydRun(c, label, n_iter, step, path, given_up=n_iter < max_iter)
            if bounds is not None:
                bounds.walk(means - c)
            c = means
            n_iter += 1

    def scale(self) -> float:
        """Return ``J`` of one centre, the mean of all rows."""
        shift = np.zeros(self.X.shape[1]) if self._shift is None else self._shift
        one = np.zeros(self.X.shape[0], dtype=np.int32)
        total, mass = cluster_sums(self.X, self.weight, one, self._shift, 1)
        mean = total[0] / mass[0] + shift
        square = np.empty(self.X.shape[0])
        _loops.nearest_centers(self.X, mean[None], self._shift, one, square)
        return float(square.sum() if self.weight is None else weighted_sum(self.weight, square)) / self.total

    def _stored(self, centers: Array) -> Array:
        """Centres as the format of the rows holds them, in float64."""
        return np.ascontiguousarray(np.asarray(centers, dtype=self.X.dtype), dtype=np.float64)

    def _squares(self, shift: Array | None) -> Array:
        """Return the squared distances of all rows to the shift."""
        at = np.zeros((1, self.X.shape[1])) if shift is None else shift[None]
        square = np.empty(self.X.shape[0])
        _loops.nearest_centers(self.X, at, None, np.empty(self.X.shape[0], dtype=np.int32), square)
        return square

    @staticmethod
    def _between(total: Array, mass: Array) -> float:
        """``sum_k S_k ||mean_k - shift||^2`` from the sums of ``x - shift``."""
        return float(((total**2).sum(axis=1) / mass).sum())

    def _worth(self, calm: bool, products: int) -> bool:
        """Whether bounds are expected to pay from this step on."""
        if self.algorithm == "auto":
            return calm and products >= FEW_PRODUCTS
        return self.algorithm == "bounds"


def hopeless(path: list[float], best: list[float] | None) -> bool:
    """Return whether a run with these objectives is given up against the best one that was completed.

    Examples
    --------
    >>> best = [9.0, 8.0, 7.0, 6.0, 5.5, 5.2, 5.1, 5.0]
    >>> hopeless([9.0, 8.0, 7.0, 6.5, 6.4, 6.39], best), hopeless([9.0, 8.0, 7.0, 6.5, 5.5, 5.3], best)
    (True, False)
    """
    if best is None or len(path) <= EARLIEST:
        return False
    gained = best[min(len(path), len(best)) - 1] - best[-1]
    return path[-1] - max(STEPS_AHEAD * (path[-2] - path[-1]), TIMES_BEST * gained) > best[-1]
