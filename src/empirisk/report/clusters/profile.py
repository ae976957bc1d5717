"""What the rows of each cluster are like: shares and means with intervals, beside those of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.evaluation.intervals import student, wilson
from empirisk.evaluation.intervals.r2 import r2_interval
from empirisk.report.clusters.columns import set_aside
from empirisk.report.clusters.engine import Clustered
from empirisk.report.fit.encode import MISSING
from empirisk.report.read.table import Column
from empirisk.results import Estimate

__all__ = ["Line", "Trait", "lines_of", "sizes", "traits"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
LEVELS = 6  # of a column that are shown, the most frequent ones
NOTABLE = 0.4  # standard deviations between the mean of a cluster and of all rows that are worth a word
MOST_TRAITS = 3
SHARE = "share of the variance that the clusters explain, on rows grouped by this rule"


@dataclass(frozen=True)
class Line:
    """One number or one level, in all rows and in each cluster.

    Parameters
    ----------
    column : Column
    level : str
        "" for a number.
    takes_part : bool
        Whether the column chose the clusters.
    effect : Estimate
        Share of the variance of the column that lies between the clusters (the same for all levels of one).
    whole : Estimate
        Mean, or share of the level, in all rows.
    parts : list of Estimate
        The same in each cluster.
    distances : list of float
        ``(part - whole) / sd``: how far a cluster is from all rows; NaN where it cannot be told.
    """

    column: Column
    level: str
    takes_part: bool
    effect: Estimate
    whole: Estimate
    parts: list[Estimate]
    distances: list[float]


@dataclass(frozen=True)
class Trait:
    """What stands out in a cluster: a number above or below that of all rows, or a level."""

    line: Line
    cluster: int

    @property
    def distance(self) -> float:
        """Return how far the cluster is from all rows, in standard deviations, with its sign."""
        return self.line.distances[self.cluster]


def sizes(labels: Codes, k: int, level: float) -> list[Estimate]:
    """Return the share of the rows in each cluster, with Wilson's interval: the rule is taken as fixed."""
    target = "share of rows like these that this rule puts into the cluster"
    counts = np.bincount(labels, minlength=k)
    return [wilson(int(c), len(labels), level, target=target) for c in counts]


def lines_of(a: Clustered) -> list[Line]:
    """Return a line for each number and for the frequent levels, those that tell the clusters apart first."""
    table, level = a.prepared.table, a.prepared.level
    taking = [(c, True) for c in table.columns if c.role == "feature"]
    aside = [(c, False) for c in set_aside(table)]
    out: list[list[Line]] = []
    for column, takes_part in (*taking, *aside):
        values = table.frame[column.name]
        made = _number if column.kind == "number" else _levels
        lines = made(column, values, a.labels, a.k, level, takes_part)
        if lines:
            out.append(lines)
    out.sort(key=lambda lines: (not lines[0].takes_part, -_or_zero(lines[0].effect.value)))
    return [line for lines in out for line in lines]


def traits(lines: Sequence[Line], cluster: int) -> list[Trait]:
    """Return what stands out most in a cluster, of each column the most telling line, the farthest first."""
    best: dict[str, Trait] = {}
    for line in lines:
        here = Trait(line, cluster)
        told = best.get(line.column.name)
        # A level that is more frequent says more than one that is rarer.
        if line.takes_part and abs(here.distance) >= NOTABLE and (told is None or _telling(here, told)):
            best[line.column.name] = here
    return sorted(best.values(), key=lambda t: -abs(t.distance))[:MOST_TRAITS]


def _telling(new: Trait, old: Trait) -> bool:
    if new.line.level and (new.distance > 0.0) != (old.distance > 0.0):
        return new.distance > 0.0
    return abs(new.distance) > abs(old.distance)


def _or_zero(value: float) -> float:
    return value if np.isfinite(value) else 0.0


def _number(
    column: Column, values: pl.Series, labels: Codes, k: int, level: float, takes_part: bool
) -> list[Line]:
    known = values.is_not_null().to_numpy()
    x = values.filter(values.is_not_null()).to_numpy().astype(np.float64)
    if x.size < 2 or np.ptp(x) == 0.0:
        return []
    own = labels[known]
    parts = [_mean(x[own == c], level, len(labels)) for c in range(k)]
    centres = np.array([p.value for p in parts])
    effect = _share_explained(r2_interval(x, centres[own], level, target=SHARE))
    sd = float(x.std())
    distances = [float((p.value - x.mean()) / sd) if np.isfinite(p.value) else float("nan") for p in parts]
    return [Line(column, "", takes_part, effect, _mean(x, level, x.size), parts, distances)]


def _mean(x: Floats, level: float, n: int) -> Estimate:
    """Return a mean with Student's interval; a cluster without a value has none."""
    if x.size == 0:
        return Estimate(float("nan"), None, None, level, 0, "Student t", "no row of it has a value")
    return student(x, level, target="mean of rows like these that this rule puts there")


def _levels(
    column: Column, values: pl.Series, labels: Codes, k: int, level: float, takes_part: bool
) -> list[Line]:
    words = _words(column, values)
    names, codes = np.unique(words, return_inverse=True)
    counts = np.bincount(codes)
    if len(names) < 2:
        return []
    effect = _explained(codes, labels, level)
    shown = np.argsort(-counts, kind="stable")
    if column.kind == "boolean":
        shown = np.flatnonzero(names == column.truth[1])
    elif len(names) == 2:
        shown = shown[:1]  # the other one is what is left
    out = []
    for j in shown[:LEVELS]:
        hit = codes == j
        parts = [_share(hit[labels == c], level) for c in range(k)]
        p = float(hit.mean())
        sd = max(np.sqrt(p * (1.0 - p)), 1e-12)
        distances = [(e.value - p) / sd for e in parts]
        out.append(Line(column, str(names[j]), takes_part, effect, _share(hit, level), parts, distances))
    return out


def _words(column: Column, values: pl.Series) -> NDArray[np.str_]:
    if values.dtype == pl.Boolean:
        no, yes = column.truth
        return np.array([MISSING if v is None else yes if v else no for v in values.to_list()])
    return values.cast(pl.String).fill_null(MISSING).to_numpy().astype(str)


def _share(hit: NDArray[np.bool_], level: float) -> Estimate:
    if hit.size == 0:
        return Estimate(float("nan"), None, None, level, 0, "Wilson", "the cluster has no row")
    return wilson(
        int(hit.sum()), hit.size, level, target="share of rows like these that this rule puts there"
    )


def _explained(codes: Codes, labels: Codes, level: float) -> Estimate:
    """Return the share of the variance of 0/1 columns that clusters explain (Goodman and Kruskal's tau).

    The squares of all levels are stacked: ``sum_j SSE_j / sum_j SST_j``, whose value is the same as that of
    the levels one by one, weighted by their variances; rows are the units of the jackknife.
    """
    n, m = len(codes), int(codes.max()) + 1
    hits = np.zeros((n, m))
    hits[np.arange(n), codes] = 1.0
    k = int(labels.max()) + 1
    sums = np.zeros((k, m))
    np.add.at(sums, labels, hits)
    centres = sums / np.maximum(np.bincount(labels, minlength=k), 1)[:, None]
    # A level's own mean is taken off, so that all stacked columns have the mean 0.
    y = (hits - hits.mean(axis=0)).ravel()
    pred = (centres[labels] - hits.mean(axis=0)).ravel()
    return _share_explained(r2_interval(y, pred, level, groups=np.repeat(np.arange(n), m), target=SHARE))


def _share_explained(e: Estimate) -> Estimate:
    """Return the estimate with its lower end at 0 or above: clusters explain no negative share."""
    return e if e.low is None or e.low >= 0.0 else replace(e, low=min(0.0, e.value))
