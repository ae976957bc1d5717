"""The fast path: statistics of column sums, resampled by a compiled loop in O(n) memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.data.progress import blocks_of, teller
from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.bootstrap.base import RowError, SumError, SumStatistic
from empirisk.resampling.bootstrap.data import Units
from empirisk.resampling.bootstrap.distribution import Draws
from empirisk.resampling.bootstrap.plan import Plan
from empirisk.resampling.bootstrap.resampled import Resampled

__all__ = ["SumSample", "resample_sums"]

BLOCK = 1 << 21  # numbers that are held at once: 16 MB


@dataclass(frozen=True)
class SumSample:
    """One sample of a statistic of sums.

    Parameters
    ----------
    statistic : SumStatistic
        Its table has one row for each row of the data, or for each unit (then `per_unit`).
    units : Units
        What is drawn.
    key : int
        Of the random streams.
    per_unit : bool
        Whether the rows of the table are units already, in their order.
    """

    statistic: SumStatistic
    units: Units
    key: int
    per_unit: bool = False

    @property
    def plan(self) -> Plan:
        """The plan by which units are drawn, the same for every statistic of these data."""
        return Plan(self.units.sizes, self.key)

    def table(self) -> Floats:
        """Return the totals of the units; for groups whose rows are to be counted, with the sizes as a last
        column.
        """
        table = self.statistic.table
        if self.per_unit:
            return table
        if self.units.starts is None:
            return self.units.totals(table)
        return np.column_stack([self.units.totals(table), np.diff(self.units.starts)])

    def value(self, sums: Floats, units: int) -> Floats:
        """Return the statistic of sums over `units` units, in blocks of bounded memory."""
        return self._blocks(self.statistic.value, sums, units)

    def error(self, sums: Floats, units: int) -> Floats:
        """Return the standard errors that the statistic computes from these sums."""
        if not isinstance(self.statistic, SumError):
            raise TypeError("the sums of this statistic do not tell its standard error")
        return self._blocks(self.statistic.error, sums, units)

    def _blocks(self, function: Callable[..., Floats], sums: Floats, units: int) -> Floats:
        counted = self.units.starts is not None and not self.per_unit
        step = max(1, BLOCK // sums.shape[1])
        parts = []
        for at in range(0, len(sums), step):
            block = sums[at : at + step]
            parts.append(function(block[:, :-1], block[:, -1:]) if counted else function(block, units))
        return np.concatenate(parts)

    def left_out(self) -> list[Floats]:
        """Return the statistic without each unit, by stratum: the sums less one row of the table."""
        table = self.table()
        values = self.value(table.sum(axis=0) - table, self.units.n - 1)
        return np.split(values, np.cumsum(self.units.sizes)[:-1])

    def with_error(self, n_resamples: int) -> tuple[Floats, Floats]:
        """Return the values and standard errors of the resamples."""
        if isinstance(self.statistic, SumError):
            sums = self.plan.sums(self.table(), n_resamples)
            return self.value(sums, self.units.n), self.error(sums, self.units.n)
        return self._from_rows(n_resamples)

    def _from_rows(self, n_resamples: int) -> tuple[Floats, Floats]:
        if not isinstance(self.statistic, RowError):
            raise TypeError("this statistic has no standard error")
        step = max(1, BLOCK // self.statistic.table.size)
        parts = [
            self.statistic.with_error(self.plan.rows(first, count))
            for first, count in blocks_of(n_resamples, step, teller(None))
        ]
        return np.concatenate([v for v, _ in parts]), np.concatenate([e for _, e in parts])


def resample_sums(
    samples: list[SumSample], labels: tuple[str, ...], n_resamples: int, studentised: bool
) -> Resampled:
    """``T`` of one sample, or the difference ``T(first) - T(second)`` of two independent ones."""
    signs = (1.0, -1.0)[: len(samples)]
    totals = [s.table().sum(axis=0)[None, :] for s in samples]
    value = sum(sign * s.value(t, s.units.n)[0] for sign, s, t in zip(signs, samples, totals, strict=True))
    errors = None
    if studentised:
        pairs = [s.with_error(n_resamples) for s in samples]
        draws = sum(sign * v for sign, (v, _) in zip(signs, pairs, strict=True))
        squares = sum(e * e for _, e in pairs)
        errors = (_own_error(samples, totals), np.sqrt(squares))
    else:
        draws = sum(
            sign * s.value(s.plan.sums(s.table(), n_resamples), s.units.n)
            for sign, s in zip(signs, samples, strict=True)
        )

    def left_out() -> list[Floats]:
        return [sign * part for sign, s in zip(signs, samples, strict=True) for part in s.left_out()]

    return Resampled(
        labels,
        np.asarray(value),
        [Draws(column) for column in np.asarray(draws).T],
        left_out,
        tuple(s.units.n for s in samples),
        grouped=samples[0].units.starts is not None,
        errors=errors,
    )


def _own_error(samples: list[SumSample], totals: list[Floats]) -> Floats:
    """Return the standard error of the value on the data."""
    square = np.zeros(1)
    for s, total in zip(samples, totals, strict=True):
        if isinstance(s.statistic, SumError):
            error = s.error(total, s.units.n)[0]
        elif isinstance(s.statistic, RowError):
            error = s.statistic.with_error(np.arange(s.units.n)[None, :])[1][0]
        square = square + error**2
    out: Floats = np.sqrt(square)
    return out
