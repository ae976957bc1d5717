"""What estimators made of neighbours share: the rows that are kept, the search, and votes for every k at
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.brief import Brief
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_flag,
    check_rule,
    is_count,
)
from empirisk.estimators.estimator import Estimator
from empirisk.neighbors import ALGORITHMS, Index, metric_of
from empirisk.results import Certificate, Kind, Solution, Status, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["NeighborSelection", "NeighborsBase", "VotingNeighbors", "weights_of"]

# Rows whose neighbours `verify` looks for again.
VERIFIED = 200
# Numbers of neighbours that "cv" tries at most: a share of the rows, and never more than these.
MOST = 200


@dataclass(frozen=True, repr=False)
class NeighborSelection(Brief):
    """Leave-one-out losses of every number of neighbours, and those that two rules choose.

    Parameters
    ----------
    n_neighbors : int array, shape (a,)
        1, 2, ..., a.
    loss, se : arrays, shape (a,)
        Mean loss of training rows that are predicted by the others, and its standard error.
    rule : str
        ``"min"`` or ``"one_se"``.
    """

    n_neighbors: IndexArray
    loss: Array
    se: Array
    rule: str

    @property
    def index_min(self) -> int:
        """Position of the smallest loss; of equal ones the most neighbours."""
        return int(len(self.loss) - 1 - np.argmin(self.loss[::-1]))

    @property
    def index_one_se(self) -> int:
        """Position of the most neighbours within one standard error of the smallest loss."""
        best = self.index_min
        return int(np.flatnonzero(self.loss <= self.loss[best] + self.se[best])[-1])

    @property
    def best(self) -> int:
        """The number of neighbours that the rule chooses."""
        return int(self.n_neighbors[self.index_one_se if self.rule == "one_se" else self.index_min])


def weights_of(given: Any, distance: Array) -> Array:
    """Return the weights of neighbours by their distances, shape (m, k).

    ``"distance"`` is one over the distance; rows at a distance of 0 then have all the weight.

    Raises
    ------
    ValueError
        For a function whose weights are no finite numbers >= 0.
    """
    if callable(given):
        weight = np.asarray(given(distance), dtype=np.float64)
        if weight.shape != distance.shape or not (np.isfinite(weight) & (weight >= 0.0)).all():
            raise ValueError(
                "weights(distances) must return finite numbers >= 0 in the shape of the distances"
            )
        return weight
    if not check_choice("weights", given, {"uniform": False, "distance": True}):
        return np.ones_like(distance)
    touching = distance == 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Relative to the nearest one, so that no distance is too small or too large for its inverse.
        inverse = np.where(touching, 0.0, np.min(distance, axis=1, keepdims=True) / distance)
    return np.where(touching.any(axis=1, keepdims=True), touching, inverse).astype(np.float64)


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

    def _keep(self, X: Any) -> None:
        """Learn the metric and keep the checked rows."""
        self.metric_ = metric_of(self.metric)
        self.metric_.check(X, True)
        check_choice("algorithm", self.algorithm, dict.fromkeys(ALGORITHMS))
        self._index = Index(X, self.metric_, self.algorithm)
        self.n_samples_fit_ = int(X.shape[0])
        claim = self._index.claim
        self.solution_ = Solution(np.zeros(0), Status.COMPLETED, Certificate(Kind.EXACT, 0.0, 1.0, claim), 0)

    def _rows(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        check_is_fitted(self)
        X = self._checked(X, False)
        self.metric_.check(X, False)
        return X

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
        if X is None:
            check_is_fitted(self)
            return self._index.nearest(self._index.X, k, np.arange(self.n_samples_fit_))
        return self._index.nearest(self._rows(X), k)

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
        kept = self._index.X
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
        return self.certificate_

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

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows, and choose the number of neighbours where it is to be chosen.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; with precomputed distances their matrix on the training rows, (n, n).
        y : array, shape (n,)
            Targets.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        with as_before(self):
            self._learn(X, y)
            self.n_neighbors_ = self._chosen()
        return self

    def _learn(self, X: Any, y: Any) -> None:
        """Keep the checked rows and targets."""
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
        self._keep(X)

    def _chosen(self) -> int:
        """Return the number of neighbours: given, or that of the least leave-one-out loss."""
        if not (isinstance(self.n_neighbors, str) and self.n_neighbors == "cv"):
            if isinstance(self.n_neighbors, str):
                raise ValueError(f'n_neighbors must be an integer >= 1 or "cv", got {self.n_neighbors!r}')
            k = check_count("n_neighbors", self.n_neighbors, 1)
            if k > self.n_samples_fit_:
                raise ValueError(
                    f"n_neighbors = {k} exceeds the number of training rows, n_samples = "
                    f"{self.n_samples_fit_}; ask for fewer"
                )
            return k
        rule = check_rule(self.rule)
        n = self.n_samples_fit_
        if n < 2:
            raise ValueError(f'n_neighbors="cv" needs at least 2 rows for leave-one-out, got n_samples = {n}')
        most = int(min(MOST, n - 1, max(10, n // 2)))
        lost = np.stack([self._losses(mean, self._votes) for mean in self._means(None, range(1, most + 1))])
        se = lost.std(axis=1, ddof=1) / np.sqrt(n)
        self.selection_ = NeighborSelection(np.arange(1, most + 1), lost.mean(axis=1), se, rule)
        return self.selection_.best

    def _means(self, X: Any, numbers: Sequence[int]) -> Iterator[Array]:
        """Yield the weighted mean over the nearest rows for each number of them, rising, from one search."""
        distance, index = self._nearest(X, max(numbers))
        weight = weights_of(self.weights, distance) if not callable(self.weights) else None
        total, mass = np.zeros((len(index), self._votes.shape[1])), np.zeros(len(index))
        done = 0
        for k in numbers:
            if weight is None:  # a function may look at all k distances
                w = weights_of(self.weights, distance[:, :k])
                total, mass = np.einsum("ij,ijc->ic", w, self._votes[index[:, :k]]), w.sum(axis=1)
            else:
                part = slice(done, k)
                total = total + np.einsum("ij,ijc->ic", weight[:, part], self._votes[index[:, part]])
                mass = mass + weight[:, part].sum(axis=1)
                done = k
            yield self._mean(total, mass)

    def _mean(self, total: Array, mass: Array) -> Array:
        """Return the mean; where no neighbour has weight, that of all training rows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / mass[:, None]
        return np.where(mass[:, None] > 0.0, mean, self._votes.mean(axis=0))

    def _answer(self, X: Any) -> Array:
        """Return the mean over the chosen number of neighbours, shape (m, c)."""
        check_is_fitted(self)
        return next(self._means(X, [self.n_neighbors_]))

    # -- values together ----------------------------------------------------------------------------

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are numbers of neighbours: the rows are kept once for all of them."""
        return parameter == "n_neighbors" and all(is_count(value, 1) for value in values)

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the models in the order of the values; they share the rows."""
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        first = clone(self)
        first._learn(X, y)
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
        return found
