"""The mutual information of two partitions, corrected for chance and scaled by their entropies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from empirisk.partitions.agreements.base import entropy, margins, mutual_information
from empirisk.typing import Array

__all__ = ["AdjustedMutualInformation", "expected_mutual_information"]


@dataclass(frozen=True)
class AdjustedMutualInformation:
    """``(I - E I) / ((H(A) + H(B))/2 - E I)``: the mutual information I of two partitions, in nats, against
    its exact mean when the labels of one are permuted over the rows.

    1 for equal partitions, 0 on average for labels that are dealt at random.

    Notes
    -----
    O(sqrt(n)) for each pair of different cluster sizes in the mean.  Vinh, Epps and Bailey (2010), Journal of
    Machine Learning Research 11, equation 24a for the mean, with the arithmetic mean of the entropies.

    Examples
    --------
    >>> round(float(AdjustedMutualInformation().of_tables([[3, 0], [0, 3]])), 12)
    1.0
    """

    name = "adjusted_mutual_information"
    label = "adjusted mutual information"
    greater_is_better = True

    def of_tables(self, tables: Any) -> Array:
        """Return the index of each table; tables with the same margins share one mean.

        Parameters
        ----------
        tables : array, shape (..., k, l)
        """
        cells, rows, columns = margins(tables)
        means: dict[tuple[bytes, bytes], float] = {}
        expected = np.empty(rows.shape[:-1])
        for i in np.ndindex(expected.shape):
            key = (np.sort(rows[i]).tobytes(), np.sort(columns[i]).tobytes())
            if key not in means:
                means[key] = expected_mutual_information(rows[i], columns[i])
            expected[i] = means[key]
        return _adjusted(cells, rows, columns, expected)

    def of_counts(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the index of tables by their counts and the margins that all share.

        Parameters
        ----------
        cells : array, shape (..., c)
        rows, columns : array, shapes (k,) and (l,)
        """
        return _adjusted(cells, rows, columns, np.asarray(expected_mutual_information(rows, columns)))

    def of_resampled(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the index of tables by their counts and margins, with the chance mean of the first.

        That of each would take longer than all else; it moves by O(1/n) between resamples, the index by
        1/sqrt(n).

        Parameters
        ----------
        cells : array, shape (B, c)
        rows, columns : array, shapes (B, k) and (B, l)
        """
        mean = expected_mutual_information(rows[0], columns[0])
        return _adjusted(cells, rows, columns, np.asarray(mean))

    def expected(self, table: Any) -> float:
        """Return 0: the mean over all permutations of one partition, by construction; 1 where none differs.

        Parameters
        ----------
        table : array, shape (k, l)
        """
        t = np.asarray(table, dtype=np.float64)
        most = 0.5 * (float(entropy(t.sum(axis=1))) + float(entropy(t.sum(axis=0))))
        return 0.0 if most - expected_mutual_information(t.sum(axis=1), t.sum(axis=0)) > 1e-12 else 1.0


def _adjusted(cells: Any, rows: Any, columns: Any, expected: Array) -> Array:
    information = mutual_information(cells, rows, columns)
    room = 0.5 * (entropy(rows) + entropy(columns)) - expected
    # No room: both partitions are one cluster, or both are single rows, and equal.
    apart = room > 1e-12
    return np.asarray(np.where(apart, (information - expected) / np.where(apart, room, 1.0), 1.0))


def expected_mutual_information(rows: Any, columns: Any) -> float:
    """Return the mean of the mutual information over all permutations of one partition, in nats.

    The counts of two clusters of sizes a and b are hypergeometric: ``P(c) = C(b, c) C(n-b, a-c) / C(n, a)``.

    Parameters
    ----------
    rows, columns : array of whole numbers, shapes (k,) and (l,)
        Sizes of the clusters of both partitions, with the same sum n.

    Examples
    --------
    >>> round(expected_mutual_information([1, 1], [1, 1]), 12) == round(float(np.log(2.0)), 12)
    True
    """
    a, b = (np.asarray(v, dtype=np.float64) for v in (rows, columns))
    a, b = a[a > 0.0], b[b > 0.0]
    n = float(a.sum())
    total = 0.0
    # Clusters of one size have the same law, so that each pair of sizes is worked out once.
    sizes, many = np.unique(a, return_counts=True)
    others, often = np.unique(b, return_counts=True)
    for size, times in zip(sizes, many, strict=True):
        for other, count in zip(others, often, strict=True):
            # Counts farther from their mean have chances below exp(-800) (Hoeffding), which are 0 in float64.
            mean, far = size * other / n, 20.0 * math.sqrt(min(size, other))
            least = max(1.0, size + other - n, math.floor(mean - far))
            c = np.arange(least, min(size, other, math.ceil(mean + far)) + 1.0)
            log_p = (
                _log_choose(other, c) + _log_choose(n - other, size - c) - _log_choose(n, np.asarray(size))
            )
            terms = np.exp(log_p) * (c / n) * (np.log(n * c) - np.log(size * other))
            total += float(times * count) * float(terms.sum())
    return max(total, 0.0)


def _log_choose(n: float, k: Array) -> Array:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))
