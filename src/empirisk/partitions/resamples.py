"""Subsamples of the rows, grouped again: how stable partitions are, and how far indices move."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse as sp

from empirisk.evaluation.intervals.base import accept, refuse, student_quantile
from empirisk.partitions.agreements import AdjustedRand
from empirisk.partitions.grouping import Grouping
from empirisk.partitions.indices import CalinskiHarabasz, Inertia, Silhouette
from empirisk.partitions.indices.base import Index
from empirisk.partitions.rows import Rows
from empirisk.results import Estimate
from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["Resamples", "adjusted_rand", "resample", "subsample_size"]

SHARE = 0.8  # of the rows in a subsample
# Silhouettes of subsamples are means over so many rows.
INDICES: tuple[Index, ...] = (Inertia(), Silhouette(max_rows=400), CalinskiHarabasz())


@dataclass
class Resamples:
    """Pairs of subsamples without replacement, each grouped into every K.

    Parameters
    ----------
    ks : tuple of int
    n, m : int
        Rows in all, and rows of a subsample.
    agreement : dict of int to list of float
        Adjusted Rand index of the two partitions of a pair on the rows that both hold, by K.
    values : dict of str to dict of int to list of float
        Values of the indices, by their name and K: two a pair.
    """

    ks: tuple[int, ...]
    n: int
    m: int
    agreement: dict[int, list[float]] = field(default_factory=dict)
    values: dict[str, dict[int, list[float]]] = field(default_factory=dict)

    def interval(self, index: Index, k: int, value: float, level: float) -> Estimate:
        """Return a value of an index of all rows with an interval.

        Its variance is ``m/(n-m)`` times that of the subsamples (delete-d jackknife, Shao and Wu 1989, Annals
        of Statistics 17); an index that sums over rows is scaled to n first.
        """
        seen = np.asarray(self.values.get(index.name, {}).get(k, []))
        method = f"delete-{self.n - self.m} jackknife, {len(seen)} subsamples, grouped anew"
        target = f"the {index.label} of {counted(k, 'cluster')}, on rows drawn like these"
        seen = seen[np.isfinite(seen)] * (self.n / self.m) ** index.power
        if len(seen) < 10 or not math.isfinite(value):
            return refuse(value, level, self.n, method, "fewer than 10 subsamples have a value", target)
        half = student_quantile(level, len(seen) - 1.0) * float(seen.std(ddof=1))
        half *= (self.m / (self.n - self.m)) ** 0.5
        return accept(value, (value - half, value + half), level, self.n, method, target=target)


def subsample_size(n: int) -> int:
    """Return the number of rows of a subsample."""
    return min(n - 1, max(2, round(SHARE * n)))


def adjusted_rand(a: IndexArray, b: IndexArray) -> float:
    """Return the adjusted Rand index of two arrays of codes."""
    k, l_ = int(a.max()) + 1, int(b.max()) + 1
    table = sp.coo_array((np.ones(len(a)), (a, b)), shape=(k, l_)).toarray()
    return float(AdjustedRand().of_tables(table))


def _pair(grouping: Grouping, rows: Rows, ks: Sequence[int], m: int, seed: Sequence[int]) -> Any:
    """Return the agreements and the index values of one pair of subsamples, by K."""
    rng = np.random.default_rng(seed)
    at = [np.sort(rng.permutation(rows.n)[:m]) for _ in range(2)]
    both, one, other = np.intersect1d(at[0], at[1], assume_unique=True, return_indices=True)
    parts = [rows.take(place) for place in at]
    refused: dict[int, str] = {}
    found = [grouping.partitions(part, ks, int(rng.integers(1 << 31)), False, refused) for part in parts]
    ks = [k for k in ks if k not in refused and len(both)]
    agreement = {k: adjusted_rand(found[0][k].codes[one], found[1][k].codes[other]) for k in ks}
    values: dict[str, dict[int, list[float]]] = {}
    for index in INDICES:
        of_index = values[index.name] = {}
        for k in ks:
            for part, f in zip(parts, found, strict=True):
                if f[k].found >= (1 if index.single else 2) and f[k].found < part.total:
                    of_index.setdefault(k, []).append(index.value(part, f[k].codes))
    return agreement, values


def resample(
    grouping: Grouping,
    rows: Rows,
    ks: Sequence[int],
    times: int,
    seed: int,
    n_jobs: int | None,
    tell: Callable[[], Any],
    out: Resamples,
) -> Resamples:
    """Add `times` pairs of subsamples to `out`, one by one, so that what is done when time runs out is
    kept.
    """
    calls = (delayed(_pair)(grouping, rows, ks, out.m, [seed, 11, r]) for r in range(times))
    for agreement, values in Parallel(n_jobs=n_jobs or 1, return_as="generator")(calls):
        for k, value in agreement.items():
            out.agreement.setdefault(k, []).append(value)
        for name, of_index in values.items():
            for k, seen in of_index.items():
                out.values.setdefault(name, {}).setdefault(k, []).extend(seen)
        tell()
    return out


def mean_agreement(found: Resamples, k: int, level: float) -> Estimate:
    """Return the mean agreement of pairs, with the error that the number of pairs leaves."""
    seen: Array = np.asarray(found.agreement.get(k, []))
    method = f"t over {len(seen)} pairs of subsamples of {found.m:,} rows: the error of the draws alone"
    target = f"the mean adjusted Rand index of two groupings into {k} of {100 * SHARE:g} % of these rows"
    if len(seen) < 5:
        value = float(seen.mean()) if len(seen) else math.nan
        return refuse(value, level, found.n, method, "fewer than 5 pairs of subsamples were grouped", target)
    value = float(seen.mean())
    if not float(seen.std()) > 0.0:
        # All alike: the share of pairs that are, by Clopper and Pearson, times their value.
        low = value * (0.5 * (1.0 - level)) ** (1.0 / len(seen))
        method = f"all {len(seen)} pairs of subsamples of {found.m:,} rows alike, Clopper-Pearson"
        return accept(value, (low, value), level, found.n, method, target=target)
    half = student_quantile(level, len(seen) - 1.0) * float(seen.std(ddof=1)) / len(seen) ** 0.5
    limits = (value - half, min(1.0, value + half))
    return accept(value, limits, level, found.n, method, target=target)
