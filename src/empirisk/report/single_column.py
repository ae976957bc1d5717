"""How well each column predicts the target alone: out-of-fold scores with simultaneous intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy import stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from empirisk.report.checks import Audited
from empirisk.results import Estimate

__all__ = ["ColumnScore", "Screen", "column_scores"]

N_FOLDS = 5
SUSPECT = 0.9  # share of the baseline loss that one honest column rarely takes away
SAFETY = 1.25  # standard errors of out-of-fold losses are too small by about this factor
_MOST_ROWS = 10_000
_MOST_LEVELS = 200
_MIN_LEAF = 5


@dataclass(frozen=True)
class ColumnScore:
    """The share of the baseline's loss that one column alone takes away, with a simultaneous interval.

    `p_value` is against a share of at most 0.9, for this column alone; `losses` are its losses by row of the
    screen.
    """

    name: str
    explained: Estimate
    p_value: float
    losses: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Screen:
    """Training rows on which columns are tried alone (at most 10,000, drawn by the seed), with their
    folds."""

    rows: np.ndarray
    target: np.ndarray
    units: np.ndarray
    folds: np.ndarray
    n_classes: int

    @classmethod
    def of(cls, a: Audited) -> Screen:
        """Draw the rows and the folds; rows of a unit share a fold."""
        rng = np.random.default_rng(a.seed)
        n = len(a.split.train)
        rows = np.sort(rng.permutation(n)[:_MOST_ROWS])
        _, units = np.unique(a.units[rows], return_inverse=True)
        folds = rng.permutation(np.arange(int(units.max()) + 1) % N_FOLDS)[units]
        return cls(rows, a.target[rows], units, folds, len(a.table.classes))

    def baseline(self) -> np.ndarray:
        """Out-of-fold losses of the mean, or of the class shares."""
        return self.losses(lambda inside: np.zeros(len(self.rows), dtype=np.int64))

    def losses(self, cells: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Out-of-fold losses (log-loss, squared error) of cell means, shrunk towards the overall mean by one
        row.

        `cells` gets the mask of the rows to learn from and returns the cell of every row.
        """
        out = np.empty(len(self.rows))
        for fold in range(N_FOLDS):
            inside, outside = self.folds != fold, self.folds == fold
            out[outside] = self._cell_losses(cells(inside), inside, outside)
        return out

    def _cell_losses(self, cell: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
        k = int(cell.max()) + 1
        count = np.bincount(cell[inside], minlength=k).astype(np.float64)
        if self.n_classes == 0:
            y = self.target.astype(np.float64)
            total = np.bincount(cell[inside], y[inside], minlength=k)
            mean = (total + y[inside].mean()) / (count + 1.0)
            return np.asarray((y[outside] - mean[cell[outside]]) ** 2)
        codes = cell[inside] * self.n_classes + self.target[inside]
        counts = np.bincount(codes, minlength=k * self.n_classes).reshape(k, self.n_classes)
        overall = (counts.sum(axis=0) + 1.0 / self.n_classes) / (count.sum() + 1.0)
        shares = (counts + overall) / (count[:, None] + 1.0)
        return np.asarray(-np.log(shares[cell[outside], self.target[outside]]))

    def standard_error(self, values: np.ndarray) -> float:
        """Standard error of a mean over rows that come in units, times 1.25."""
        sums = np.bincount(self.units, weights=values - values.mean())
        m = len(sums)
        return SAFETY * float(np.sqrt(m / max(1, m - 1) * (sums**2).sum())) / len(values)


def column_scores(a: Audited, level: float = 0.95, screen: Screen | None = None) -> list[ColumnScore]:
    """Score every feature alone, out of fold, on training rows, the best first.

    A number is cut by a small decision tree (at most sqrt(n) and 32 leaves, at least five rows each; for a
    numeric target a straight line takes its place where that does better), a column of levels by its levels;
    the prediction is the class shares or the mean of the cell, shrunk by one row towards the overall ones.
    With losses l and l0 of the baseline, the score is ``1 - mean(l)/mean(l0)``; its standard error is ``1.25
    sd(l - (1 - score) l0) / (sqrt(n) mean(l0))``. Intervals hold simultaneously (Bonferroni over the
    columns).
    """
    screen = screen or Screen.of(a)
    baseline, names = screen.baseline(), a.table.features
    mean0, n = float(baseline.mean()), len(screen.rows)
    if mean0 <= 0.0:
        return []
    quantile = stats.t.ppf(1.0 - (1.0 - level) / (2 * max(1, len(names))), n - 1)
    method = "out-of-fold means by level or tree leaf, 1.25 x row standard error, Bonferroni over the columns"
    out = []
    for name in names:
        losses = _losses(a.train[name][screen.rows], screen)
        score = 1.0 - float(losses.mean()) / mean0
        error = screen.standard_error(losses - (1.0 - score) * baseline) / mean0
        low, high = score - quantile * error, min(1.0, score + quantile * error)
        gap = losses - (1.0 - SUSPECT) * baseline
        p = one_sided_p(float(gap.mean()), screen.standard_error(gap), n)
        out.append(ColumnScore(name, Estimate(score, low, high, level, n, method), p, losses))
    return sorted(out, key=lambda s: -s.explained.value)


def one_sided_p(mean: float, error: float, n: int) -> float:
    """p-value of "the mean is at least 0" against "it is below"."""
    return float(stats.t.cdf(mean / error, n - 1)) if error > 0.0 else float(mean >= 0.0)


def _losses(values: pl.Series, screen: Screen) -> np.ndarray:
    if values.dtype in (pl.String, pl.Boolean):
        codes = _merge_rare(values.cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.int64))
        return screen.losses(lambda inside: codes)
    numbers = (values.dt.epoch("us") if values.dtype.is_temporal() else values).cast(pl.Float64).to_numpy()
    if np.isnan(numbers).all():
        return screen.baseline()
    x = _ranked(numbers.reshape(-1, 1))

    def leaves(inside: np.ndarray) -> np.ndarray:
        most = int(min(32, max(2, np.sqrt(inside.sum()))))
        kind = DecisionTreeClassifier if screen.n_classes else DecisionTreeRegressor
        tree = kind(max_leaf_nodes=most, min_samples_leaf=_MIN_LEAF, random_state=0)
        return np.asarray(tree.fit(x[inside], screen.target[inside]).apply(x))

    by_tree = screen.losses(leaves)
    if screen.n_classes:
        return by_tree
    by_line = _line_losses(numbers, screen)
    return by_line if by_line.mean() < by_tree.mean() else by_tree


def _line_losses(x: np.ndarray, screen: Screen) -> np.ndarray:
    """Out-of-fold squared errors of a least-squares line; the mean of the rows without a value for those."""
    y, known = screen.target.astype(np.float64), ~np.isnan(x)
    out = np.empty(len(y))
    for fold in range(N_FOLDS):
        inside, outside = screen.folds != fold, screen.folds == fold
        learn, gaps = inside & known, inside & ~known
        predicted = np.full(len(y), y[gaps].mean() if gaps.any() else y[inside].mean())
        center = x[learn].mean() if learn.any() else 0.0
        spread = float(((x[learn] - center) ** 2).sum())
        slope = float(((x[learn] - center) * y[learn]).sum()) / spread if spread > 0.0 else 0.0
        predicted[known] = (y[learn].mean() if learn.any() else 0.0) + slope * (x[known] - center)
        out[outside] = (y[outside] - predicted[outside]) ** 2
    return out


def _ranked(x: np.ndarray) -> np.ndarray:
    """Ranks instead of values: trees see the order only, and float32 would merge close values."""
    known = ~np.isnan(x)
    out = np.full(x.shape, np.nan, dtype=np.float32)
    out[known] = np.unique(x[known], return_inverse=True)[1]
    return out


def _merge_rare(codes: np.ndarray) -> np.ndarray:
    counts = np.bincount(codes)
    if len(counts) <= _MOST_LEVELS:
        return codes
    keep = np.zeros(len(counts), dtype=bool)
    keep[np.argsort(-counts)[:_MOST_LEVELS]] = True
    return np.where(keep[codes], codes, 0)
