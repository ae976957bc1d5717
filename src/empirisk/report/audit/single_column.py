"""How well each column predicts the target alone: out-of-fold scores with simultaneous intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy import stats

from empirisk.diagnosis.alone import Alone, one_sided_p
from empirisk.report.audit.checks import Audited
from empirisk.results import Estimate

__all__ = ["ColumnScore", "Screen", "column_scores"]

N_FOLDS = 5
SUSPECT = 0.9  # share of the baseline loss that one honest column rarely takes away
_MOST_ROWS = 10_000  # enough to see whether one column tells the target


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


@dataclass(frozen=True, eq=False)
class Screen(Alone):
    """Training rows on which columns are tried alone (at most 10,000, drawn by the seed), with their
    folds."""

    rows: np.ndarray = field(default_factory=lambda: np.arange(0))

    @classmethod
    def of(cls, a: Audited) -> Screen:
        """Draw the rows and the folds; rows of a unit share a fold."""
        rng = np.random.default_rng(a.seed)
        n = len(a.split.train)
        rows = np.sort(rng.permutation(n)[:_MOST_ROWS])
        _, units = np.unique(a.units[rows], return_inverse=True)
        folds = rng.permutation(np.arange(int(units.max()) + 1) % N_FOLDS)[units]
        return cls(a.target[rows], units, folds, len(a.table.classes), rows=rows)


def column_scores(a: Audited, level: float = 0.95, screen: Screen | None = None) -> list[ColumnScore]:
    """Score every feature alone, out of fold, on training rows, the best first.

    A number is cut by a small decision tree (at most sqrt(n) and 32 leaves, at least five rows each; a
    straight line, of the log-odds for classes, takes its place where that does better), a column of levels by
    its levels; the prediction is the class shares or the mean of the cell, shrunk by one row towards the
    overall ones. With losses l and l0 of the baseline, the score is ``1 - mean(l)/mean(l0)``; its standard
    error is ``1.25 sd(l - (1 - score) l0) / (sqrt(n) mean(l0))``, turned into an interval of ``log(1 -
    score)``, so that no share is above 1. Intervals hold simultaneously (Bonferroni over the columns).
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
        losses = screen.losses(_cells(a.train[name][screen.rows]))
        score = 1.0 - float(losses.mean()) / mean0
        error = screen.standard_error(losses - (1.0 - score) * baseline) / mean0
        # The ratio of the two mean losses is positive: its interval stands on the scale of its logarithm.
        half = quantile * error / (1.0 - score) if score < 1.0 else 0.0
        low, high = (1.0 - (1.0 - score) * math.exp(min(side, 50.0)) for side in (half, -half))
        gap = losses - (1.0 - SUSPECT) * baseline
        p = one_sided_p(float(gap.mean()), screen.standard_error(gap), n)
        out.append(ColumnScore(name, Estimate(score, low, high, level, n, method), p, losses))
    return sorted(out, key=lambda s: -s.explained.value)


def _cells(values: pl.Series) -> np.ndarray:
    """Return floats for numbers and dates, objects for levels."""
    if values.dtype in (pl.String, pl.Boolean):
        return np.array(values.to_list(), dtype=object)
    return (values.dt.epoch("us") if values.dtype.is_temporal() else values).cast(pl.Float64).to_numpy()
