"""Silhouettes: how much nearer each row is to its own cluster than to the next one."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.seeds import Seed, generator_of
from empirisk.estimators.checks import check_count
from empirisk.evaluation.intervals.base import accept, normal_quantile, refuse
from empirisk.neighbors.metrics import metric_of
from empirisk.neighbors.metrics.precomputed import without_rounding
from empirisk.partitions.indices.base import read
from empirisk.partitions.rows import BLOCK, Rows
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array, IndexArray

__all__ = ["Silhouette"]


@dataclass(frozen=True)
class Silhouette:
    """``mean_i (b_i - a_i) / max(a_i, b_i)``: a_i the mean distance of row i to the other rows of its
    cluster, b_i the smallest mean distance to the rows of another cluster.

    A row alone in its cluster has silhouette 0.  Beyond `max_rows` the mean is taken over so many rows drawn
    at random, each compared with *all* rows, and :meth:`estimate` says how far the mean of all rows can be.

    Parameters
    ----------
    metric : str, metric object or callable, default ``"euclidean"``
        A row of ``er.neighbors.metrics``; ``"precomputed"`` for a square matrix of distances.
    max_rows : int >= 2 or None, default 4000
        None computes all rows, whatever it takes.
    random_state : int, Generator, RandomState or None, default 0
        Draws the rows.

    Notes
    -----
    O(n min(n, max_rows) (p + K)) time; blocks of rows of 32 MB, never a matrix of n x n.
    :meth:`forecast` says the time before the work.  Weights are repetitions in their common unit.
    Rousseeuw (1987), Journal of Computational and Applied Mathematics 20.

    Examples
    --------
    >>> X = [[0.0], [2.0], [9.0], [11.0]]
    >>> Silhouette().rows(X, [0, 0, 1, 1]).round(4).tolist()
    [0.8, 0.75, 0.75, 0.8]
    >>> round(Silhouette().value(X, [0, 0, 1, 1]), 4)
    0.775
    """

    metric: Any = "euclidean"
    max_rows: int | None = 4000
    random_state: Seed = 0

    name = "silhouette"
    label = "silhouette"
    greater_is_better = True
    single = False
    power = 0

    def __post_init__(self) -> None:
        metric_of(self.metric)
        if self.max_rows is not None:
            check_count("max_rows", self.max_rows, 2)

    def value(self, X: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the mean silhouette, over a sample of the rows beyond `max_rows`.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
            Two clusters at least.
        sample_weight : array, shape (n,), optional
        """
        rows, codes, k = read(X, labels, sample_weight, 2, self.name)
        at = self._drawn(rows)
        return float(np.average(self._each(rows, codes, k, at), weights=rows.weight[at]))

    def rows(self, X: Any, labels: Any, sample_weight: Any = None) -> Array:
        """Return the silhouette of every row, whatever `max_rows` says; NaN for rows of weight 0.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
            Two clusters at least.
        sample_weight : array, shape (n,), optional
        """
        rows, codes, k = read(X, labels, sample_weight, 2, self.name)
        out = np.full(len(rows.kept), np.nan)
        out[rows.kept] = self._each(rows, codes, k, np.arange(rows.n))
        return out

    def estimate(self, X: Any, labels: Any, sample_weight: Any = None, level: float = 0.95) -> Estimate:
        """Return the mean over all rows with an interval for what the sample of rows leaves open.

        All rows: the mean is exact, and the interval is refused with that reason.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        labels : array, shape (n,)
            Two clusters at least.
        sample_weight : array, shape (n,), optional
        level : float in (0, 1), default 0.95
        """
        check_level(level)
        rows, codes, k = read(X, labels, sample_weight, 2, self.name)
        at = self._drawn(rows)
        each, weight = self._each(rows, codes, k, at), rows.weight[at]
        value = float(np.average(each, weights=weight))
        target = "the mean silhouette of all these rows"
        m, n = len(at), rows.n
        if m == n:
            return refuse(value, level, n, "all rows", "it is the mean of all rows, computed", target)
        # A ratio of two means under draws without replacement, linearised.
        influence = weight * (each - value) / weight.mean()
        half = normal_quantile(level) * float(influence.std(ddof=1)) * ((1.0 - m / n) / m) ** 0.5
        return accept(
            value, (value - half, value + half), level, m, f"{m:,} of {n:,} rows drawn", target=target
        )

    def forecast(self, X: Any) -> dict[str, float]:
        """Return the rows that are computed, seconds (a block of 64 rows is timed) and bytes of a block.

        Parameters
        ----------
        X : array, frame or CSR matrix, shape (n, p)
        """
        rows, codes, k = read(X, np.zeros(_length(X), dtype=int), None, 1, self.name)
        m = len(self._drawn(rows))
        few = np.arange(min(64, rows.n))
        start = time.perf_counter()
        self._each(rows, codes, k, few)
        seconds = (time.perf_counter() - start) * m / len(few)
        block = 8.0 * max(BLOCK, rows.n)
        return {"rows": float(m), "seconds": seconds, "bytes": block}

    def _drawn(self, rows: Rows) -> IndexArray:
        """Positions of the rows that the mean is taken over, in order."""
        if self.max_rows is None or rows.n <= self.max_rows:
            return np.arange(rows.n)
        rng = generator_of(self.random_state)
        drawn = rng.choice(rows.n, int(self.max_rows), replace=False, shuffle=False)
        return np.asarray(np.sort(drawn), dtype=np.intp)

    def _each(self, rows: Rows, codes: IndexArray, k: int, at: IndexArray) -> Array:
        """Return the silhouettes of the rows `at`, block by block."""
        metric = metric_of(self.metric)
        if metric.precomputed:
            rows = replace(rows, X=without_rounding(rows.X, True))
        metric.check(rows.X, True)
        if metric.precomputed and rows.X.shape[1] != len(rows.kept):
            raise ValueError(
                f"X has shape {rows.X.shape} and metric='precomputed' needs a square matrix of distances"
            )
        other = rows.X if metric.precomputed or sp.issparse(rows.X) else rows.dense(slice(None))
        size = np.bincount(codes, rows.weight, minlength=k)
        members = sp.csr_array((rows.weight, (np.arange(rows.n), codes)), shape=(rows.n, k))
        out = np.empty(len(at))
        step = max(1, BLOCK // max(1, rows.n))
        for start in range(0, len(at), step):
            place = at[start : start + step]
            if metric.precomputed:
                gaps = rows.dense(place)[:, rows.kept]
            else:
                gaps = np.array(metric.distances(other[place], other), dtype=np.float64)
                gaps[np.arange(len(place)), place] = 0.0  # what rounding leaves of the distance to itself
            total = np.asarray((members.T @ gaps.T).T)
            out[start : start + step] = _silhouettes(total, size, codes[place])
        return out


def _silhouettes(total: Any, size: Any, own: IndexArray) -> Array:
    """Return the silhouettes from the sums of distances to each cluster, shape (m, k)."""
    row = np.arange(len(own))
    inside = total[row, own]
    others = size[own] - 1.0  # the row itself, once
    mean = total / size
    mean[row, own] = np.inf
    nearest = mean.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        within = inside / others
        value = (nearest - within) / np.maximum(within, nearest)
    # Alone in its cluster, or on the same point as all of two clusters: neither near nor far.
    return np.where((others > 1e-9) & np.isfinite(value), value, 0.0)


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
