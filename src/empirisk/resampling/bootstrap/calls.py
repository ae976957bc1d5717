"""The slow path: any Python callable, on blocks of resamples of bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.progress import Progress, blocks_of, teller
from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.bootstrap.data import Units
from empirisk.resampling.bootstrap.distribution import Draws
from empirisk.resampling.bootstrap.plan import Plan
from empirisk.resampling.bootstrap.resampled import Resampled

__all__ = ["CallStatistic", "resample_calls"]

# Numbers that a block of resampled data holds, and evaluations that the jackknife may cost.
BLOCK = 1 << 21
MAX_LEAVE_OUT = 2000  # calls for the acceleration; beyond, blocks are left out


@dataclass(frozen=True)
class CallStatistic:
    """A callable on samples whose rows are chosen by index arrays of shape (b, n)."""

    function: Callable[..., Any]
    samples: tuple[Floats, ...]
    vectorized: bool

    def __call__(self, rows: list[NDArray[np.intp]]) -> Floats:
        """Return the statistic of each resample, (b, numbers)."""
        if self.vectorized:
            drawn = [s[r] for s, r in zip(self.samples, rows, strict=True)]
            return self._checked(self.function(*drawn, axis=1), len(rows[0]))
        values = [
            self.function(*(s[r[b]] for s, r in zip(self.samples, rows, strict=True)))
            for b in range(len(rows[0]))
        ]
        return self._checked(values, len(values))

    def _checked(self, values: Any, b: int) -> Floats:
        try:
            out = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"statistic must return one number, or as many numbers for every resample: {error}"
            ) from None
        if out.ndim == 0 or out.shape[0] != b or out.ndim > 2:
            wanted = f"({b},) or ({b}, k) for {b} resamples" if self.vectorized else "() or (k,)"
            got = out.shape if self.vectorized else out.shape[1:]
            raise ValueError(f"statistic must return shape {wanted}, got {got}.")
        return out[:, None] if out.ndim == 1 else out


def resample_calls(
    statistic: CallStatistic,
    units: list[Units],
    key: int,
    n_resamples: int,
    label: str,
    progress: Progress | None = None,
) -> Resampled:
    """Return the resamples of a callable; one entry of `units` for all samples (paired), or one for each."""
    whole = [u.order[None, :] for u in units]
    value = statistic(_spread(whole, statistic))[0]
    if not np.isfinite(value).all():
        raise ValueError(f"statistic returned {value if value.size > 1 else value[0]} on the data itself.")
    size = sum(s.size for s in statistic.samples)
    grouped = units[0].starts is not None
    step = 1 if grouped else max(1, BLOCK // size)
    if not statistic.vectorized:  # so that who watches hears of a hundred steps
        step = min(step, -(-n_resamples // 100))
    plans = [Plan(u.sizes, key + k) for k, u in enumerate(units)]
    parts = []
    for first, count in blocks_of(n_resamples, step, teller(progress)):
        drawn = [p.rows(first, count) for p in plans]
        rows = [u.rows(d[0])[None, :] if grouped else u.rows(d) for u, d in zip(units, drawn, strict=True)]
        parts.append(_same_count(statistic(_spread(rows, statistic)), value.size, f"resample {first}"))
    draws = np.concatenate(parts)
    labels = (label,) if value.size == 1 else tuple(f"{label}[{k}]" for k in range(value.size))
    note = ""
    if max(u.n for u in units) > MAX_LEAVE_OUT:
        note = f"acceleration from {MAX_LEAVE_OUT} blocks of rows instead of single rows"
    return Resampled(
        labels,
        value,
        [Draws(column) for column in draws.T],
        lambda: _jackknife(statistic, units, key, value.size),
        tuple(u.n for u in units),
        grouped=grouped,
        note=note,
    )


def _spread(rows: list[NDArray[np.intp]], statistic: CallStatistic) -> list[NDArray[np.intp]]:
    """Return the drawn rows for each sample of the statistic; paired samples share their rows."""
    return rows * len(statistic.samples) if len(rows) == 1 else rows


def _same_count(values: Floats, count: int, where: str) -> Floats:
    """Return the values, when they hold as many numbers as the statistic of the data."""
    if values.shape[1] != count:
        raise ValueError(f"statistic returned {count} numbers on the data and {values.shape[1]} on {where}.")
    return values


def _jackknife(statistic: CallStatistic, units: list[Units], key: int, count: int) -> list[Floats]:
    """Return the values without each unit, or without each of MAX_LEAVE_OUT random blocks of units, by
    stratum.
    """
    whole = [u.order[None, :] for u in units]
    out = []
    for k, u in enumerate(units):
        for at, size in zip(np.r_[0, np.cumsum(u.sizes)[:-1]], u.sizes, strict=True):
            values = []
            rng = np.random.default_rng([key % (1 << 32), k])
            for left in np.array_split(rng.permutation(size), min(size, MAX_LEAVE_OUT)):
                keep = np.ones(u.n, dtype=bool)
                keep[at + left] = False
                rows = [*whole]
                rows[k] = u.rows(np.flatnonzero(keep))[None, :]
                found = statistic(_spread(rows, statistic))
                values.append(_same_count(found, count, "the data without some rows")[0])
            out.append(np.array(values))
    return out
