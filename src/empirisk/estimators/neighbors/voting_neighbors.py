"""Votes of the nearest rows, for every number of them at once: the base of classifier and regressor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_rule,
    check_weights,
    is_count,
    pair_noun,
)
from empirisk.estimators.folds import left_together
from empirisk.estimators.neighbors.neighbors_base import NeighborsBase
from empirisk.estimators.neighbors.selection import NeighborSelection
from empirisk.estimators.neighbors.vote_weights import VoteWeights, weights_of
from empirisk.estimators.neighbors.without_copies import nearest_without_copies
from empirisk.neighbors import Remembered
from empirisk.neighbors.metrics.precomputed import without_rounding
from empirisk.results import Certificate, Kind, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["VotingNeighbors"]

# Numbers of neighbours that "cv" tries at most: a share of the rows, and never more than these.
MOST = 200


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

    def _without(self, total: Array, gone: Array) -> Array:
        """Hook for votes of leave-one-out whose weights depend on the votes that are left out, `gone`."""
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
            X, y = validated(
                self, canonical(X), y, reset=True, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False, **self._y_options(),
            )  # fmt: skip
            check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
            X = without_rounding(X, True) if pair_noun(self) == "distance" else X
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
        most = int(min(MOST, n - np.bincount(self._kinds()).max(), max(10, n // 2)))
        lost = np.stack([self._losses(mean, self._votes) for mean in self._means(None, range(1, most + 1))])
        loss, se = self._row_weights.mean_and_se(lost)
        self.selection_ = NeighborSelection(np.arange(1, most + 1), loss, se, rule)
        return self.selection_.best

    def _kinds(self) -> IndexArray:
        """Return the kind of each training row, shape (n,): those of one kind are left out together."""
        kept, live = self._index.X, self._row_weights.live
        if live is None:
            return left_together(Design(kept), self._votes, np.ones(len(self._votes)))
        of_live = left_together(Design(kept), self._votes[live], np.ones(len(live)))
        absent = len(self._votes) - len(live)
        made: IndexArray = self._row_weights.in_order(
            of_live, len(live) + np.arange(absent), len(self._votes)
        )
        return made

    def _others(self, k: int, kind: IndexArray) -> tuple[Array, IndexArray]:
        """Return the k nearest training rows of each of them, without itself and its copies."""
        index, weights = self._index, self._row_weights
        if self._absent is None:
            return nearest_without_copies(index, k, kind)
        own, other = nearest_without_copies(index, k, kind[weights.live]), index.nearest(self._absent, k)
        distance, found = (weights.in_order(own[i], other[i], len(kind)) for i in (0, 1))
        return distance, weights.numbered(found)

    def _means(self, X: Any, numbers: Sequence[int]) -> Iterator[Array]:
        """Yield the weighted mean over the nearest rows for each number of them, rising, from one search."""
        check_is_fitted(self)
        kind = self._kinds() if X is None else None
        gone = None if kind is None else self._gone(kind)
        distance, index = self._nearest(X, max(numbers)) if kind is None else self._others(max(numbers), kind)
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
            yield self._mean(total, gone)

    def _counted(self) -> Array:
        """Return the votes with a last column of ones, whose sum is that of the weights."""
        return np.column_stack([self._votes, np.ones(len(self._votes))])

    def _cast(self) -> Array:
        """Return the votes of all training rows with their weights, and the weights as the last column."""
        return np.asarray(self._counted() * self._row_weights.ones(len(self._votes))[:, None])

    def _gone(self, kind: IndexArray) -> Array:
        """Return the votes that are left out together with each training row, of the shape of all votes."""
        votes = self._cast()
        sums = np.zeros((int(kind.max()) + 1, votes.shape[1]))
        np.add.at(sums, kind, votes)
        return np.asarray(sums[kind])

    def _mean(self, total: Array, gone: Array | None) -> Array:
        """Return the mean from sums of votes and of weights; where no neighbour has weight, that of all
        training rows, without those votes that are `gone` where rows are left out.
        """
        total = total if gone is None else self._without(total, gone)
        empty = ~(total[:, -1] > 0.0)
        if empty.any():
            everyone = self._cast().sum(axis=0)
            rest = everyone if gone is None else self._without(everyone - gone, gone)[empty]
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
