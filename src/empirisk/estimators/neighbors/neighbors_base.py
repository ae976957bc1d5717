"""What estimators made of neighbours share: the rows that are kept, the search, and votes for every k at
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_flag,
    check_rule,
    check_weights,
    is_count,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.neighbors.selection import NeighborSelection
from empirisk.estimators.neighbors.vote_weights import VoteWeights, weights_of
from empirisk.neighbors import ALGORITHMS, Index, Remembered, metric_of
from empirisk.results import Certificate, Kind, Solution, Status, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["NeighborsBase", "VotingNeighbors"]

# Rows whose neighbours `verify` looks for again.
VERIFIED = 200
# Numbers of neighbours that "cv" tries at most: a share of the rows, and never more than these.
MOST = 200


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
            X = validate_data(
                self, canonical(X), reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        return X

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


class VotingNeighbors(NeighborsBase):
    """Base of the classifier and the regressor: a weighted mean over the nearest rows, for any k."""

    weights: Any
    rule: str
    selection_: NeighborSelection
    _votes: Array

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Return what is averaged, shape (n, m): indicators of classes, or numbers."""
        raise NotImplementedError

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _losses(self, mean: Array, rows: Array) -> Array:
        """Return the loss of each row whose mean over neighbours is given."""
        raise NotImplementedError

    def _y_options(self) -> dict[str, Any]:
        return {}

    def _weights(self, weight: Array, votes: Array) -> Array:
        """Return the weights of the rows; the classifier multiplies them by those of the classes here."""
        return weight

    def _without(self, total: Array) -> Array:
        """Hook for votes of leave-one-out whose weights depend on the row that is left out."""
        return total

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows, and choose the number of neighbours where it is to be chosen.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; with precomputed distances their matrix on the training rows, (n, n).
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0 of the votes, beside those by distance, and of the losses with ``"cv"``.  Their scale
            changes nothing, and a row of weight 0 is absent: it is no row's neighbour.  A weight of 2 is not
            the row twice, which would take two of the k places.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        with as_before(self):
            self._learn(X, y, sample_weight)
            self.n_neighbors_ = self._chosen()
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Keep the checked rows, targets and weights."""
        if not callable(self.weights):
            check_choice("weights", self.weights, {"uniform": False, "distance": True})
        self._look_at_targets(y)
        with numbers_only(X, y):
            X, y = validate_data(
                self, canonical(X), y, reset=True, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False, **self._y_options(),
            )  # fmt: skip
            check_finite(Design(X), getattr(self, "feature_names_in_", None))
            self._votes = self._targets(y, True)
        self._keep(X, VoteWeights.of(self._weights(check_weights(sample_weight, X.shape[0]), self._votes)))

    def _chosen(self) -> int:
        """Return the number of neighbours: given, or that of the least leave-one-out loss."""
        if not (isinstance(self.n_neighbors, str) and self.n_neighbors == "cv"):
            if isinstance(self.n_neighbors, str):
                raise ValueError(f'n_neighbors must be an integer >= 1 or "cv", got {self.n_neighbors!r}')
            k = check_count("n_neighbors", self.n_neighbors, 1)
            if k > self.n_samples_fit_:
                alive = "" if self._absent is None else " with positive weight"
                raise ValueError(
                    f"n_neighbors = {k} exceeds the number of training rows{alive}, n_samples = "
                    f"{self.n_samples_fit_}; ask for fewer"
                )
            return k
        rule = check_rule(self.rule)
        n = self.n_samples_fit_
        if n < 2:
            raise ValueError(f'n_neighbors="cv" needs at least 2 rows for leave-one-out, got n_samples = {n}')
        most = int(min(MOST, n - 1, max(10, n // 2)))
        lost = np.stack([self._losses(mean, self._votes) for mean in self._means(None, range(1, most + 1))])
        loss, se = self._row_weights.mean_and_se(lost)
        self.selection_ = NeighborSelection(np.arange(1, most + 1), loss, se, rule)
        return self.selection_.best

    def _means(self, X: Any, numbers: Sequence[int]) -> Iterator[Array]:
        """Yield the weighted mean over the nearest rows for each number of them, rising, from one search."""
        distance, index = self._nearest(X, max(numbers))
        weight = weights_of(self.weights, distance) if not callable(self.weights) else None
        counts = None if self._row_weights.multiple is None else self._row_weights.multiple[index]
        votes = self._counted()
        total, done = np.zeros((len(index), votes.shape[1])), 0
        for k in numbers:
            if weight is None:  # a function may look at all k distances
                total, done = np.zeros_like(total), 0
            part = slice(done, k)
            w = weights_of(self.weights, distance[:, :k]) if weight is None else weight[:, part]
            w = w if counts is None else w * counts[:, part]
            total = total + np.einsum("ij,ijc->ic", w, votes[index[:, part]])
            done = k
            yield self._mean(total, X is None)

    def _counted(self) -> Array:
        """Return the votes with a last column of ones, whose sum is that of the weights."""
        return np.column_stack([self._votes, np.ones(len(self._votes))])

    def _mean(self, total: Array, left_out: bool) -> Array:
        """Return the mean from sums of votes and of weights; where no neighbour has weight, that of all
        training rows, of the others where a row is left out.
        """
        total = self._without(total) if left_out else total
        empty = ~(total[:, -1] > 0.0)
        if empty.any():
            votes = self._counted() * self._row_weights.ones(len(self._votes))[:, None]
            everyone = votes.sum(axis=0)
            rest = self._without(everyone - votes)[empty] if left_out else everyone
            total = total.copy()
            total[empty] = rest
        return np.asarray(total[:, :-1] / total[:, -1:])

    def _answer(self, X: Any) -> Array:
        """Return the mean over the chosen number of neighbours, shape (m, c)."""
        check_is_fitted(self)
        return next(self._means(X, [self.n_neighbors_]))

    # -- values together ----------------------------------------------------------------------------

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are numbers of neighbours: the rows are kept once for all of them."""
        return parameter == "n_neighbors" and all(is_count(value, 1) for value in values)

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the models in the order of the values; they share the rows, and their searches."""
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        first = clone(self)
        first._learn(X, y, rows.get("sample_weight"))
        index = first._index
        first._index = Remembered(index.X, index.metric, index.algorithm, max(values, default=1))
        learned = {k: v for k, v in vars(first).items() if k not in first.get_params(deep=False)}
        for value in values:
            model = clone(self).set_params(n_neighbors=value)
            vars(model).update(learned)
            model.n_neighbors_ = model._chosen()
            yield model

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return whether rows and targets are those that the model keeps, and the search is exact."""
        found = self._verify_search(X, self.n_neighbors_)
        if found.kind is Kind.NONE:
            return found
        votes = self._targets(y, False)
        if votes.shape != self._votes.shape or (votes != self._votes).any():
            return unconfirmed("the targets that the model keeps are not these targets")
        weight = VoteWeights.of(self._weights(check_weights(sample_weight, len(votes)), votes)).ones(
            len(votes)
        )
        if not np.allclose(weight, self._row_weights.ones(len(votes)), rtol=1e-9, atol=0.0):
            return unconfirmed("the weights that the model keeps are not these weights")
        return found
