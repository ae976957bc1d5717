"""Do two sets of rows follow one law?  A permutation test that sees means, spreads, shapes and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
from numpy.typing import NDArray

from empirisk.diagnosis.features import Features
from empirisk.diagnosis.permutation import permutation_test
from empirisk.typing import Array

__all__ = ["TwoSample", "two_sample"]

_FOLDS = 5
_BLOCK = 8_000_000  # numbers that are held at once: 64 MB


@dataclass(frozen=True, eq=False)
class TwoSample:
    """Whether two samples differ, and in what most.

    Parameters
    ----------
    p : float
        Of the three statistics together.
    where : str
        The feature that moved most.
    shift : float
        Difference of its means (second sample minus first), in pooled standard deviations.
    score : array, shape (n,)
        Cross-fitted discriminant of each row; large values look like the second sample.
    auc : float
        Chance that a row of the second sample has the larger discriminant (0.5: no difference seen).
    draws : int
        Permutations drawn.
    """

    p: float
    where: str
    shift: float
    score: Array
    auc: float
    draws: int


def two_sample(
    features: Features, second: NDArray[Any], rng: np.random.Generator, units: NDArray[Any] | None = None
) -> TwoSample:
    """Permutation test of three statistics, combined by their smallest p-value.

    (i) A cross-fitted ridge discriminant on the single-column features, ``sum over folds of s_i (g_i - mean
    g)``; (ii) the largest difference of means over all features, products of pairs among them; (iii) the
    largest Kolmogorov-Smirnov distance of a numeric column.

    Parameters
    ----------
    features : Features
        Of the pooled rows.
    second : boolean array, shape (n,)
        Which rows are of the second sample.
    rng : Generator
        Of folds and permutations.
    units : int array, shape (n,), optional
        Rows with one number belong together: whole units are permuted.

    Returns
    -------
    TwoSample

    Notes
    -----
    The folds are dealt without a look at the labels, and the labels enter each statistic linearly (before
    absolute values), so that all permutations share one factorisation a fold.  Exact under exchangeability of
    the units. A discriminant on all products would drown a change of one pair in the noise of the others; the
    largest difference does not.  O(n q^2 + n (q + d) B).

    Examples
    --------
    >>> from empirisk.diagnosis.features import features_of
    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(size=200), rng.normal(1.0, size=200)])
    >>> found = two_sample(features_of([x], ["dose"]), np.arange(400) >= 200, rng)
    >>> found.p, found.where
    (0.0005, "mean of 'dose'")
    """
    g = np.asarray(second, dtype=np.float64)
    n = len(g)
    unit = np.arange(n) if units is None else np.unique(units, return_inverse=True)[1]
    label = _label_of_units(g, unit)
    statistic = _Statistics(features, rng.permutation(np.arange(int(unit.max()) + 1) % _FOLDS)[unit])

    def draw(k: int) -> Array:
        step = max(1, _BLOCK // n)
        sizes = [min(step, k - start) for start in range(0, k, step)]
        return np.vstack([statistic(rng.permuted(np.tile(label, (b, 1)), axis=1)[:, unit].T) for b in sizes])

    test = permutation_test(statistic(g[:, None])[0], draw)
    shift = statistic.differences(g[:, None])[:, 0]
    top = int(np.abs(shift).argmax())
    score = statistic.scores(g)
    return TwoSample(test.p, features.names[top], float(shift[top]), score, _auc(score, second), test.draws)


def _label_of_units(g: Array, unit: NDArray[Any]) -> Array:
    count = np.bincount(unit)
    label = np.bincount(unit, weights=g) / count
    mixed = np.flatnonzero((label > 0.0) & (label < 1.0))
    if len(mixed):
        raise ValueError(
            f"{len(mixed)} groups have rows in both samples; whole groups cannot be exchanged then: leave "
            "the groups out."
        )
    return np.asarray(label)


class _Statistics:
    """The three statistics for many labellings at once, labels as columns."""

    def __init__(self, features: Features, fold: NDArray[Any]) -> None:
        self.features, self.fold = features, fold
        self.maps: list[tuple[NDArray[Any], NDArray[Any], Array, Array]] = []
        Q = features.values[:, : features.n_linear]
        for k in np.unique(fold):
            inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            mean = Q[inside].mean(axis=0)
            Z, Z_out = Q[inside] - mean, Q[outside] - mean
            A = Z.T @ Z
            A[np.diag_indices_from(A)] += 1.0
            self.maps.append((inside, outside, Z, np.asarray(sla.solve(A, Z_out.T, assume_a="pos").T)))
        self.sorted = np.argsort(features.ranks, axis=0, kind="stable")
        ordered = np.take_along_axis(features.ranks, self.sorted, axis=0)
        self.ends = np.vstack([np.diff(ordered, axis=0) > 1e-12, np.ones((1, ordered.shape[1]), dtype=bool)])

    def __call__(self, G: Array) -> Array:
        n = len(G)
        share = G.mean(axis=0)
        scale = np.sqrt(n * np.maximum(share * (1.0 - share), 1e-12))
        apart = np.abs(self.differences(G)).max(axis=0, initial=0.0) * scale
        discriminant = np.zeros(G.shape[1])
        for inside, outside, Z, back in self.maps:
            mean = G[inside].mean(axis=0)
            score = back @ (Z.T @ (G[inside] - mean))
            discriminant += (score * (G[outside] - mean)).sum(axis=0)
        distance = np.zeros(G.shape[1])
        for order, ends in zip(self.sorted.T, self.ends.T, strict=True):
            walk = np.cumsum(G[order] - share, axis=0)[ends]
            distance = np.maximum(distance, np.abs(walk).max(axis=0, initial=0.0))
        return np.column_stack([discriminant, apart, distance / scale])

    def differences(self, G: Array) -> Array:
        """Return the differences of the feature means between the two samples, shape (q, k)."""
        m = G.sum(axis=0)
        n = len(G)
        return np.asarray((self.features.values.T @ G) * (n / (m * (n - m))))

    def scores(self, g: Array) -> Array:
        """Return the discriminant of every row, fitted on rows outside the fold of the row."""
        out = np.empty(len(g))
        for inside, outside, Z, back in self.maps:
            out[outside] = back @ (Z.T @ (g[inside] - g[inside].mean()))
        return out


def _auc(score: Array, second: NDArray[Any]) -> float:
    from scipy.stats import rankdata

    ranks, m = rankdata(score), int(np.sum(second))
    return float((ranks[np.asarray(second, dtype=bool)].sum() - m * (m + 1) / 2) / (m * (len(score) - m)))
