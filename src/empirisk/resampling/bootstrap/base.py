"""What a statistic must tell so that it can be resampled by compiled sums."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats

__all__ = ["RowError", "SumError", "SumStatistic"]


class SumStatistic(Protocol):
    """A statistic that is a function of column sums over the units of a sample.

    Its jackknife is then closed: leaving unit i out is subtracting row i of the table from the sums.
    """

    @property
    def table(self) -> Floats:
        """The columns, (units, columns): centred, so that the differences of large sums keep their digits."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the numbers that the statistic consists of."""
        ...

    def value(self, sums: Floats, units: float) -> Floats:
        """Return the statistic for each row of `sums` (B, columns), over `units` units: (B, numbers).

        NaN where it is undefined.
        """
        ...


@runtime_checkable
class SumError(Protocol):
    """The sums tell the standard error too, for the studentised method."""

    def error(self, sums: Floats, units: float) -> Floats:
        """Return the plain standard error, (B, numbers)."""
        ...


@runtime_checkable
class RowError(Protocol):
    """The standard error needs the rows that were drawn."""

    def with_error(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the values and standard errors, (B, numbers) each, for rows (B, n)."""
        ...
