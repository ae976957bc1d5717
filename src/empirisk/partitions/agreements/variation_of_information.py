"""The variation of information: a distance between partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.partitions.agreements.adjusted_mutual_information import expected_mutual_information
from empirisk.partitions.agreements.base import entropy, margins, mutual_information
from empirisk.typing import Array

__all__ = ["VariationOfInformation"]


@dataclass(frozen=True)
class VariationOfInformation:
    """``H(A) + H(B) - 2 I(A, B)`` in nats: what one partition leaves open of the other, both ways.

    A distance on partitions: 0 for equal ones, symmetric, with the triangle inequality, at most log n.

    Notes
    -----
    O(k l) a table.  Meila (2007), Journal of Multivariate Analysis 98.

    Examples
    --------
    >>> float(VariationOfInformation().of_tables([[2, 0], [0, 2]]))
    0.0
    """

    name = "variation_of_information"
    label = "variation of information"
    greater_is_better = False

    def of_tables(self, tables: Any) -> Array:
        """Return the distance of each table of counts.

        Parameters
        ----------
        tables : array, shape (..., k, l)
        """
        return self.of_counts(*margins(tables))

    def of_counts(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the distance of tables by their counts and margins.

        Parameters
        ----------
        cells : array, shape (..., c)
        rows, columns : array, shapes (..., k) and (..., l)
        """
        ends = entropy(rows) + entropy(columns)
        out = ends - 2.0 * mutual_information(cells, rows, columns)
        return np.asarray(np.where(out > 1e-14 * np.maximum(ends, 1.0), out, 0.0))

    def of_resampled(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the same as :meth:`of_counts`: nothing in it is slow.

        Parameters
        ----------
        cells : array, shape (..., c)
        rows, columns : array, shapes (..., k) and (..., l)
        """
        return self.of_counts(cells, rows, columns)

    def expected(self, table: Any) -> float:
        """Return the mean over all permutations of one partition, from the hypergeometric law.

        Parameters
        ----------
        table : array, shape (k, l)
        """
        t = np.asarray(table, dtype=np.float64)
        rows, columns = t.sum(axis=1), t.sum(axis=0)
        return float(entropy(rows) + entropy(columns)) - 2.0 * expected_mutual_information(rows, columns)
