"""What estimators made of neighbours share: the rows that are kept, and the search."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_flag,
    pair_noun,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.neighbors.vote_weights import VoteWeights
from empirisk.neighbors import ALGORITHMS, Index, metric_of
from empirisk.neighbors.metrics.precomputed import without_rounding
from empirisk.results import Certificate, Kind, Solution, Status, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["NeighborsBase"]

# Rows whose neighbours `verify` looks for again.
VERIFIED = 200


class NeighborsBase(Estimator):
    """Base of the estimators that keep training rows and search among them.

    After ``fit``: ``n_samples_fit_``, ``n_neighbors_``, ``metric_``, and the property ``certificate_``.
    """

    n_neighbors: Any
    metric: Any
    algorithm: str
    n_neighbors_: int
    metric_: Any
    n_samples_fit_: int
    n_features_in_: int
    solution_: Solution
    _index: Index
    _row_weights: VoteWeights
    _absent: Any
    # A weight of 2 is one row with two votes, where the row twice takes two of the k places.
    _weight_is_repetition = False

    def _keep(self, X: Any, weights: VoteWeights | None = None) -> None:
        """Learn the metric and keep the checked rows, those without weight only to ask."""
        self.metric_ = metric_of(self.metric)
        given = self.metric_.precomputed
        self._row_weights = weights or VoteWeights(None, None)
        kept = self._row_weights.kept(X, given)
        self.metric_.check(X if given else kept, True)
        check_choice("algorithm", self.algorithm, dict.fromkeys(ALGORITHMS))
        self._index, self._absent = (
            Index(kept, self.metric_, self.algorithm),
            self._row_weights.absent(X, given),
        )
        self.n_samples_fit_ = int(kept.shape[0])
        self.solution_ = Solution(np.zeros(0), Status.COMPLETED, self._exact(), 0)

    def _exact(self) -> Certificate:
        """Return the certificate of an exact search among the rows that are kept."""
        return Certificate(Kind.EXACT, 0.0, 1.0, self._index.claim)

    def _rows(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        check_is_fitted(self)
        X = self._checked(X, False)
        self.metric_.check(X, False)
        return self._row_weights.columns(X) if self.metric_.precomputed else X

    def _checked(self, X: Any, fitting: bool) -> Any:
        with numbers_only(X):
            X = validated(
                self, canonical(X), reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
        return without_rounding(X, fitting) if pair_noun(self) == "distance" else X

    def _nearest(self, X: Any, k: int) -> tuple[Array, IndexArray]:
        """Return the k nearest training rows: of new rows, or of the training rows without themselves."""
        check_is_fitted(self)
        index, weights = self._index, self._row_weights
        if X is not None:
            distance, found = index.nearest(self._rows(X), k)
            return distance, weights.numbered(found)
        own = index.nearest(index.X, k, np.arange(index.n_rows))
        if self._absent is None:
            return own
        n = index.n_rows + self._absent.shape[0]
        other = index.nearest(self._absent, k)
        distance, found = weights.in_order(own[0], other[0], n), weights.in_order(own[1], other[1], n)
        return distance, weights.numbered(found)

    def _within(self, X: Any, radius: float) -> tuple[IndexArray, IndexArray, Array]:
        """Return the training rows within a radius of new rows, or of the training rows but themselves."""
        check_is_fitted(self)
        if X is None:
            return self._index.within_others(radius)
        return self._index.within(self._rows(X), radius)

    def _count(self, given: int | None) -> int:
        """Return a number of neighbours: that of the fit by default."""
        check_is_fitted(self)
        return self.n_neighbors_ if given is None else check_count("n_neighbors", given, 1)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Array, IndexArray] | IndexArray:
        """Return distances and numbers of the nearest training rows, by distance and then by number.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), optional
            New rows; by default the training rows, each without itself.
        n_neighbors : int, optional
            That of the fit by default.
        return_distance : bool, default True
            False returns the numbers alone.

        Returns
        -------
        distances, numbers : arrays, shape (m, n_neighbors)
        """
        both = check_flag("return_distance", return_distance)
        distance, rows = self._nearest(X, self._count(n_neighbors))
        return (distance, rows) if both else rows

    @property
    def certificate_(self) -> Certificate:
        """What is known of the search: it is exact."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify_search(self, X: Any, k: int) -> Certificate:
        """Return whether the kept rows are X, and their neighbours those of plain NumPy, for some rows."""
        X = self._checked(X, False)
        n = self._index.n_rows + (0 if self._absent is None else self._absent.shape[0])
        X, kept = self._row_weights.kept(X, self.metric_.precomputed) if X.shape[0] == n else X, self._index.X
        same = kept.shape == X.shape and not (kept != X).sum()
        if not same:
            return unconfirmed("the rows that the model keeps are not these rows")
        some = np.unique(np.linspace(0, X.shape[0] - 1, min(VERIFIED, X.shape[0])).astype(int))
        distance, _ = self._index.nearest(X[some], k)
        plain = np.sort(self.metric_.distances(X[some], X), axis=1)[:, :k]
        off = np.abs(distance - plain) > 1e-6 * np.maximum(plain, 1e-12 * plain.max(initial=0.0))
        if off.any():
            row = int(some[np.argwhere(off)[0, 0]])
            return unconfirmed(f"row {row} has other neighbours than those that are found")
        return self._exact()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags
