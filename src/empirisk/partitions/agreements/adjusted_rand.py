"""The Rand index of two partitions, corrected for chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.partitions.agreements.base import margins
from empirisk.typing import Array

__all__ = ["AdjustedRand"]


@dataclass(frozen=True)
class AdjustedRand:
    """``(P - E) / ((A + B)/2 - E)`` with ``E = A B / C(n, 2)``: pairs of rows that both partitions keep
    together (P), over the pairs that one (A) and the other (B) keeps together.

    1 for equal partitions, 0 on average for labels that are dealt at random, negative below that.

    Notes
    -----
    O(k l) a table.  Hubert and Arabie (1985), Journal of Classification 2, equation 5.

    Examples
    --------
    >>> AdjustedRand().of_tables([[[2, 0], [0, 2]], [[1, 1], [1, 1]]]).round(9).tolist()
    [1.0, -0.5]
    """

    name = "adjusted_rand"
    label = "adjusted Rand index"
    greater_is_better = True

    def of_tables(self, tables: Any) -> Array:
        """Return the index of each table of counts.

        Parameters
        ----------
        tables : array, shape (..., k, l)
        """
        return self.of_counts(*margins(tables))

    def of_counts(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the index of tables by their counts and margins.

        Parameters
        ----------
        cells : array, shape (..., c)
        rows, columns : array, shapes (..., k) and (..., l)
        """
        c, a, b = (np.asarray(v, dtype=np.float64) for v in (cells, rows, columns))
        both, one, other = (_pairs(v).sum(axis=-1) for v in (c, a, b))
        every = _pairs(a.sum(axis=-1))
        chance = np.divide(one * other, every, out=np.zeros_like(one), where=every > 0.0)
        most = 0.5 * (one + other) - chance
        # Both partitions are one cluster, or both are single rows: they are equal.
        return np.asarray(
            np.where(most > 1e-12 * every, (both - chance) / np.where(most > 0, most, 1.0), 1.0)
        )

    def of_resampled(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the same as :meth:`of_counts`: nothing in it is slow.

        Parameters
        ----------
        cells : array, shape (..., c)
        rows, columns : array, shapes (..., k) and (..., l)
        """
        return self.of_counts(cells, rows, columns)

    def expected(self, table: Any) -> float:
        """Return 0: the mean over all permutations of one partition, by construction; 1 where none differs.

        Parameters
        ----------
        table : array, shape (k, l)
        """
        t = np.asarray(table, dtype=np.float64)
        one, other = _pairs(t.sum(axis=1)).sum(), _pairs(t.sum(axis=0)).sum()
        every = _pairs(t.sum())
        if not every > 0.0:
            return 1.0
        return 1.0 if not 0.5 * (one + other) - one * other / every > 1e-12 * every else 0.0


def _pairs(count: Any) -> Any:
    return count * (count - 1.0) / 2.0
