"""The cut of a score that costs least, which cuts cannot be told from it, and what a cut so chosen costs.

The cost ``C(t) = a P(s >= t, negative) + b P(s < t, positive)`` is a step function of the rows. Its best cut
converges at the rate ``n^(-1/3)`` and to no normal law, so that a bootstrap of the cut itself would not
cover. Its interval is made of tests: cut t stays when no other cut is cheaper by more than chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import student_quantile
from empirisk.evaluation.intervals.grouped import cr2_variance
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.evaluation.pictures.costs import mean_cost

__all__ = ["CutCosts"]

Floats = NDArray[np.float64]

GRID = 50  # cells of like numbers of rows between which cuts are compared
DRAWS = 1000  # of the largest difference; the chance beyond its 95 % point then errs by 0.7 %
BETWEEN = (
    5  # units of each class that two compared cuts have between them, so that their difference is normal
)
FOLDS, REPEATS = 10, 5


@dataclass(frozen=True)
class CutCosts:
    """Held-out rows of two classes, sorted by score, and what each cut of the score costs on them.

    Parameters
    ----------
    p : Predictions
        Of two classes, both among the rows.
    price : (float, float)
        Costs of a false positive and of a false negative.
    """

    p: Predictions
    price: tuple[float, float]

    @cached_property
    def score(self) -> Floats:
        """The probability of the positive class where there is one, else the score, by row."""
        return np.asarray(self.p.score if self.p.proba is None else self.p.proba[:, 1], dtype=np.float64)

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The unit of each row: its group, or itself."""
        return np.arange(self.p.n) if self.p.groups is None else self.p.groups

    @cached_property
    def cuts(self) -> Floats:
        """All cuts that differ: one below all scores, the middles between two scores, one above all."""
        s = np.unique(self.score)
        above = 1.0 if self.p.proba is not None and s[-1] < 1.0 else math.inf
        return np.concatenate([s[:1], 0.5 * (s[:-1] + s[1:]), [np.nextafter(s[-1], above)]])

    @cached_property
    def gain(self) -> Floats:
        """What is saved by each row when it falls below the cut, times its weight: `a` for a negative."""
        a, b = self.price
        return np.asarray(np.where(self.p.positive, -b, a) * self.p.weight)

    def cheapest(self, rows: NDArray[np.bool_] | None = None) -> float:
        """Return the cut of least cost on the rows of a mask (on all): the middle one of several."""
        used = np.ones(self.p.n, dtype=bool) if rows is None else rows
        saved = np.bincount(self._place, np.where(used, self.gain, 0.0), minlength=self.cuts.size)
        total = np.append(0.0, np.cumsum(saved[:-1]))
        best = np.flatnonzero(total >= total.max() - 1e-12 * np.abs(self.gain).sum())
        return float(self.cuts[best[best.size // 2]])

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """The number of the last cut that accepts each row, from 0."""
        return np.searchsorted(self.cuts, self.score, side="right") - 1

    def errors(self, cut: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which rows a cut makes false positives, and which false negatives."""
        called = self.score >= cut
        return called & ~self.p.positive, ~called & self.p.positive

    def priced(
        self, errors: tuple[Floats, Floats], level: float, factor: float = 1.0
    ) -> tuple[float, float, float]:
        """Return the mean cost of errors by row, with its interval for the effective number of rows.

        `factor` multiplies the variance: ``K / (K - 1)`` for errors of folds.
        """
        fp, fn = errors
        p, q = (float(np.average(e, weights=self.p.weights)) for e in (fp, fn))
        cost = self.price[0] * fp + self.price[1] * fn
        n, df = float(self.p.n), math.inf
        if self.p.groups is not None or self.p.weights is not None:
            units = int(self.codes.max()) + 1
            variance, df = cr2_variance(cost, self.codes, units, weights=self.p.weights)
            plain = float(
                np.average((cost - np.average(cost, weights=self.p.weights)) ** 2, weights=self.p.weights)
            )
            n = min(n, plain / variance) if variance > 0.0 else self.p.units
        return mean_cost(p, q, max(n / factor, 1.0), self.price, student_quantile(level, max(1.0, df - 1.0)))

    def crossed(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the errors of each row by cuts that were chosen without its fold, means over repeats."""
        units = int(self.codes.max()) + 1
        fp, fn = np.zeros(self.p.n), np.zeros(self.p.n)
        folds = min(FOLDS, units)
        for _ in range(REPEATS):
            fold = rng.permutation(np.arange(units) % folds)[self.codes]
            for k in range(folds):
                held = fold == k
                false, missed = self.errors(self.cheapest(~held))
                fp[held] += false[held]
                fn[held] += missed[held]
        return fp / REPEATS, fn / REPEATS

    def alike(self, level: float, rng: np.random.Generator) -> tuple[float, float]:
        """Return the ends of the cuts of which no other cut is cheaper by more than chance.

        Cut t is left out where ``max_s (C(t) - C(s)) / se`` exceeds its quantile under equal costs, drawn
        from the normal law with the covariance of the units (cuts that are dearer than t by ``sqrt(log n)``
        standard errors are no rivals). The best cut of the population is therefore left out with probability
        ``1 - level`` at most, however flat the costs are; cells at both ends are added.
        """
        edges = self._edges()
        cell = np.searchsorted(edges[1:-1], self.score, side="right")
        m = edges.size - 1
        below = np.tri(m + 1, m, -1)
        total = np.bincount(cell, self.gain, minlength=m).astype(np.float64)
        saved = below @ total
        root = below @ _root(self._covariance(cell, m, total))
        drawn = rng.standard_normal((DRAWS, root.shape[1])) @ root.T
        enough = self._enough(below, cell, m)
        stays = []
        for t in range(m + 1):
            spread = np.sqrt(np.sum((root - root[t]) ** 2, axis=1))
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(enough[t] & (spread > 0.0), (saved - saved[t]) / spread, -np.inf)
            # Cuts that are dearer than t beyond doubt cannot be the cheaper one that the test looks for.
            others = ratio > -math.sqrt(math.log(self.p.n))
            if not others.any():
                stays.append(t)
                continue
            largest = ((drawn[:, others] - drawn[:, [t]]) / spread[others]).max(axis=1)
            if ratio.max() <= np.quantile(largest, level):
                stays.append(t)
        return float(edges[max(stays[0] - 1, 0)]), float(edges[min(stays[-1] + 1, m)])

    def _edges(self) -> Floats:
        """Return the grid of cuts, like numbers of rows apart, with both ends and the best cut."""
        at = np.unique(np.linspace(0, self.cuts.size - 1, min(self.cuts.size, GRID + 1)).round().astype(int))
        return np.unique(np.append(self.cuts[at], self.cheapest()))

    def _covariance(self, cell: NDArray[np.intp], m: int, total: Floats) -> Floats:
        """Return the covariance of the linearised sums of `gain` in the cells, over units."""
        units, w = int(self.codes.max()) + 1, self.p.weight
        A = sp.csr_array((self.gain, (self.codes, cell)), shape=(units, m))
        size = np.bincount(self.codes, w, minlength=units)
        share = total / w.sum()
        cross = np.outer(A.T @ size, share)
        V = np.asarray((A.T @ A).todense()) - cross - cross.T + (size @ size) * np.outer(share, share)
        return np.asarray(V * (units / (units - 1.0)))

    def _enough(self, below: Floats, cell: NDArray[np.intp], m: int) -> NDArray[np.bool_]:
        """Return which pairs of cuts have enough units of both classes between them."""
        shrink = self.p.units / self.p.n
        each = [below @ np.bincount(cell[rows], minlength=m) for rows in (self.p.positive, ~self.p.positive)]
        return np.asarray(np.all([np.abs(k[:, None] - k[None, :]) * shrink >= BETWEEN for k in each], axis=0))


def _root(V: Floats) -> Floats:
    """Return a square root of a covariance, whose rounding may leave values below zero."""
    values, vectors = np.linalg.eigh(V)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
