"""Tables of counts that chance draws: with the margins of a table, or from a part of its rows.

Patefield, Applied Statistics 30 (1981), for the first; the delete-d jackknife of Shao and Wu, Annals of
Statistics 17 (1989), for the second.  A resample with repeated rows would not do: copies of a row agree in
both partitions, so that agreements of many small clusters rise in every resample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import random_table

from empirisk.evaluation.intervals.base import accept, refuse, student_quantile, too_few
from empirisk.partitions.agreements import REGISTRY, Agreement
from empirisk.partitions.resamples import subsample_size
from empirisk.results import Estimate
from empirisk.typing import Array, IndexArray

__all__ = ["MANY", "Subsampled", "permuted", "subsampled"]

CELLS = 8_000_000  # numbers of the tables that are held at once
LEAST = 10  # rows for an interval
MANY = 10**9  # rows from which NumPy draws none without replacement, and SciPy's loop over tables overflows


def permuted(count: IndexArray, times: int, rng: np.random.Generator) -> dict[str, Array]:
    """Return each agreement of tables with the same margins, drawn as permutations of labels draw them."""
    rows, columns = count.sum(axis=1), count.sum(axis=0)
    parts: dict[str, list[Array]] = {name: [] for name in REGISTRY}
    # One cluster leaves one table, for which SciPy's law returns negative counts.
    law = random_table(rows, columns) if min(count.shape) > 1 else None
    for size in _sizes(times, count.size):
        drawn: Any = np.tile(count, (size, 1, 1)) if law is None else law.rvs(size=size, random_state=rng)
        cells = _filled(drawn.reshape(size, count.size))
        for name, kind in REGISTRY.items():
            parts[name].append(np.broadcast_to(kind().of_counts(cells, rows, columns), size))
    return {name: np.concatenate(values) for name, values in parts.items()}


@dataclass(frozen=True)
class Subsampled:
    """Agreements on subsamples of the rows.

    Parameters
    ----------
    values : dict of str to array, shape (times,)
        By registry name of the agreement.
    n, m : int
        Rows in all, and rows of a subsample.
    """

    values: dict[str, Array]
    n: int
    m: int

    def interval(self, agreement: Agreement, value: float, level: float) -> Estimate:
        """Return a value with ``t sd sqrt(m/(n-m))`` to both sides, cut at the value of equal partitions."""
        seen = self.values[agreement.name]
        target = f"the mean of this agreement over samples of {self.n:,} rows like these"
        method = f"delete-{self.n - self.m} jackknife, {len(seen)} subsamples"
        if self.n < LEAST:
            return refuse(value, level, self.n, method, too_few(self.n, LEAST), target)
        spread = float(seen.std(ddof=1))
        if spread <= 1e-12 * max(1.0, abs(value)):
            spread = 0.0  # rounding of sums in another order; such an interval is refused
        half = student_quantile(level, len(seen) - 1.0) * spread * math.sqrt(self.m / (self.n - self.m))
        low, high = value - half, value + half
        ends = (low, min(high, 1.0)) if agreement.greater_is_better else (max(low, 0.0), high)
        return accept(value, ends, level, self.n, method, target=target)


def subsampled(count: IndexArray, times: int, rng: np.random.Generator) -> Subsampled:
    """Return each agreement on parts of the rows, drawn without replacement."""
    n = int(count.sum())
    if n < LEAST:
        return Subsampled({name: np.empty(0) for name in REGISTRY}, n, n)
    m = subsample_size(n)
    at, to = np.nonzero(count)
    filled = count[at, to]
    across = np.argsort(to, kind="stable")
    row_starts, column_starts = (np.flatnonzero(np.diff(v, prepend=-1)) for v in (at, to[across]))
    parts: dict[str, list[Array]] = {name: [] for name in REGISTRY}
    for size in _sizes(times, len(filled)):
        cells = rng.multivariate_hypergeometric(filled, m, size=size, method="marginals")
        rows = np.add.reduceat(cells, row_starts, axis=1)
        columns = np.add.reduceat(cells[:, across], column_starts, axis=1)
        for name, kind in REGISTRY.items():
            parts[name].append(kind().of_resampled(cells, rows, columns))
    return Subsampled({name: np.concatenate(values) for name, values in parts.items()}, n, m)


def _filled(tables: IndexArray) -> IndexArray:
    """Return the counts that are not 0 of each flat table, in as many columns as the fullest needs."""
    draw, cell = np.nonzero(tables)
    held = np.bincount(draw, minlength=len(tables))
    width = int(held.max())
    if 2 * width > tables.shape[1]:
        return tables
    place = np.arange(len(draw)) - np.repeat(np.cumsum(held) - held, held)
    out = np.zeros((len(tables), width), dtype=tables.dtype)
    out[draw, place] = tables[draw, cell]
    return out


def _sizes(times: int, cells: int) -> list[int]:
    """Cut the draws into parts whose tables are small."""
    step = max(1, min(times, CELLS // max(1, cells)))
    return [min(step, times - at) for at in range(0, times, step)]
