"""Principal components of a stream: every row is seen once, and the answer is that of all."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from empirisk.data.as_before import as_before
from empirisk.data.memory import refuse_memory
from empirisk.estimators.checks import check_weights
from empirisk.estimators.features.base import FeatureMap
from empirisk.reduction.centred import CentredRows, ColumnMoments, blocks_of
from empirisk.reduction.exact import covariance, from_covariance
from empirisk.typing import Array

__all__ = ["ComponentStream"]


class ComponentStream(FeatureMap):
    """``partial_fit`` of components: the sums of squares about the means are kept, p x p numbers."""

    n_features_in_: int
    choice_: dict[str, Any] | None

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take further rows into account; after the last batch the components are those of all rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0, which are repetitions.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For other columns than before, or a rule for ``n_components`` that needs the rows.
        MemoryError
            p x p numbers do not fit.

        Notes
        -----
        Batches are combined as Chan, Golub and LeVeque (1983) combine moments: exact up to rounding, whatever
        the order. O(n p^2) for the sums and O(p^3) for the components of every call; ``fit`` starts anew.
        """
        with as_before(self):
            first = not hasattr(self, "_scatter")
            X = self._read(X, reset=first)
            weight = check_weights(sample_weight, X.shape[0]).astype(np.float64)
            p = X.shape[1]
            refuse_memory(f"the covariance of {p:,} columns", 40.0 * p * p, "use fit on row blocks")
            data = CentredRows.read(blocks_of(X, weight))
            scatter = covariance(data) * (data.weight * data.unit**2)
            moments = data.moments
            if not first:
                old, self_scatter = self._moments, self._scatter
                apart = moments.mean - old.mean
                share = old.weight * moments.weight / (old.weight + moments.weight)
                scatter = self_scatter + scatter + share * np.outer(apart, apart)
                moments = old + moments
            self._moments: ColumnMoments = moments
            self._scatter: Array = scatter
            self._refresh(data)
        return self

    def _refresh(self, last: CentredRows) -> None:
        """Set the components of all rows so far; one row alone has none yet."""
        moments = self._moments
        if not moments.weight > 1.0 or not moments.square.sum() > 0.0:
            return
        unit = 2.0 ** round(0.5 * np.log2(moments.square.mean() / moments.weight))
        data = CentredRows(last.rows, moments, float(unit))
        C = self._scatter / (unit * unit) / moments.weight
        wanted = self._wanted()
        if not isinstance(wanted, int) and wanted is not None:
            raise ValueError(
                f"partial_fit keeps sums alone, and n_components={wanted!r} needs all rows: give a number"
            )
        most = len(C)
        count = most if wanted is None else min(wanted, most)
        floor = data.total * (data.rounding + float(np.finfo(float).eps) * moments.weight / 256.0)
        found = from_covariance(C, count, floor, "the covariance of the stream", count == most)
        self.choice_ = None
        self._keep(found, data, wanted)
