"""Where the members of a boosted vote come from: stumps, deeper trees, or any classifier."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from empirisk.data.columns import Table
from empirisk.estimators.training import release
from empirisk.trees.criteria import Gini
from empirisk.trees.exact import ExactLimits, grow_exact
from empirisk.trees.structure import Trees
from empirisk.trees.stumps import Stump, StumpSearch, stump_trees
from empirisk.trees.votes import Vote, class_mass, discrete_vote, real_vote
from empirisk.typing import Array, IndexArray

__all__ = ["ClassifierMembers", "Members", "StumpMembers", "TreeMembers", "mean_importances", "member_scores"]

Leaves = NDArray[np.int32]


class Members(Protocol):
    """A weak learner: one member for the weights of each round."""

    def next(self, weight: Array) -> tuple[Leaves, Vote]:
        """Return the member for these weights (of sum 1): each row's leaf, and what it says there."""
        ...

    def keep(self, vote: Vote) -> None:
        """Take the last member into the vote."""
        ...

    def say(self, X: Any) -> Array:
        """Return what the member kept last adds to the scores of these rows, shape (m, k)."""
        ...

    def largest_edge(self, weight: Array) -> float | None:
        """Return the largest edge of all possible members under these weights; None where it is not known."""
        ...


class StumpMembers:
    """The best stump of all, by an exact search."""

    def __init__(self, table: Table, y: Leaves, n_classes: int, real: bool, learning_rate: float) -> None:
        self.n_categories, self.n_classes = table.n_categories, n_classes
        self.real, self.learning_rate = real, learning_rate
        self.search = StumpSearch(table.X, table.n_categories, y, n_classes)
        self.stumps: list[Stump] = []
        self.values: list[Array] = []

    def next(self, weight: Array) -> tuple[Leaves, Vote]:
        self._last = self.search.best(weight, self.real)
        mass = self._last.mass
        if self.real:
            return self.search.leaf, real_vote(mass, learning_rate=self.learning_rate)
        return self.search.leaf, discrete_vote(mass, mass.argmax(axis=1), self.learning_rate)

    def keep(self, vote: Vote) -> None:
        self.stumps.append(self._last)
        self.values.append(vote.value)

    def say(self, X: Any) -> Array:
        return stump_trees(self.stumps[-1:], self.values[-1:], self.n_categories).predict(X)

    def trees(self, n: int) -> Trees:
        """Return the first n members; a leaf that says nothing when there are none."""
        if n == 0:
            mass = self._last.mass.sum(axis=0, keepdims=True)
            none = Stump(-1, 0.0, False, self._last.words[:0], mass, self._last.count.sum(keepdims=True))
            return stump_trees([none], [np.zeros((1, outputs(self.n_classes)))], self.n_categories)
        return stump_trees(self.stumps[:n], self.values[:n], self.n_categories)

    def largest_edge(self, weight: Array) -> float | None:
        if self.n_classes > 2:
            return None
        mass = self.search.best(weight).mass
        return float(np.abs(mass[:, 1] - mass[:, 0]).sum())


class TreeMembers:
    """Trees of a limited depth, grown by the best exact cut for Gini's measure at each node."""

    def __init__(
        self, table: Table, y: Leaves, n_classes: int, real: bool, learning_rate: float, max_depth: int
    ) -> None:
        self.table, self.y, self.n_classes = table, y, n_classes
        self.real, self.learning_rate = real, learning_rate
        self.limits = ExactLimits(max_depth=max_depth)
        self.kept: list[Trees] = []

    def next(self, weight: Array) -> tuple[Leaves, Vote]:
        # Weights of mean 1: what is small for the growing engine does not depend on the number of rows.
        criterion, labels = Gini(self.n_classes), self.y.astype(np.float64)
        self._last = grow_exact(self.table, criterion, labels, weight * len(weight), self.limits)
        leaf = np.ascontiguousarray(self._last.apply(self.table.X)[:, 0], dtype=np.int32)
        mass = class_mass(leaf, self.y, weight, len(self._last.feature), self.n_classes)
        if self.real:
            return leaf, real_vote(mass, learning_rate=self.learning_rate)
        return leaf, discrete_vote(mass, mass.argmax(axis=1), self.learning_rate)

    def keep(self, vote: Vote) -> None:
        self.kept.append(self._last.with_values(vote.value))

    def say(self, X: Any) -> Array:
        return self.kept[-1].predict(X)

    def trees(self, n: int) -> Trees:
        """Return the first n members; a tree that says nothing when there are none."""
        if n == 0:
            return self._last.with_values(np.zeros((len(self._last.feature), outputs(self.n_classes))))
        return Trees.concatenate(self.kept[:n])

    def largest_edge(self, weight: Array) -> float | None:
        return None


def outputs(n_classes: int) -> int:
    """Return how many scores a row has: one for two classes, else one for each class."""
    return 1 if n_classes == 2 else n_classes


class ClassifierMembers:
    """Clones of a classifier that takes ``sample_weight``, each fitted with the weights of its round."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Leaves,
        classes: Any,
        real: bool,
        learning_rate: float,
        seeds: IndexArray,
    ) -> None:
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"estimator must take sample_weight in fit, which {type(estimator).__name__} does not: "
                "boosting moves the weights of the rows (BaggingClassifier draws rows instead)"
            )
        if real and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f'variant="real" needs class probabilities, and {type(estimator).__name__} has no '
                'predict_proba; take variant="discrete"'
            )
        self.estimator, self.X, self.y, self.classes = estimator, X, y, classes
        self.real, self.learning_rate, self.seeds = real, learning_rate, iter(seeds)
        self.fitted: list[Any] = []
        self.votes: list[Vote] = []

    def next(self, weight: Array) -> tuple[Leaves, Vote]:
        member = clone(self.estimator)
        seed = int(next(self.seeds))
        if "random_state" in member.get_params(deep=False):
            member.set_params(random_state=seed)
        try:
            member.fit(self.X, self.classes[self.y], sample_weight=weight * len(weight))
        except Exception as e:
            e.add_note(f"while fitting member {len(self.fitted)} of the vote, a {type(member).__name__}")
            raise
        self._last = release(member)
        k = len(self.classes)
        if self.real:
            mass: Array = np.zeros((len(weight), k))
            mass[np.arange(len(weight)), self.y] = weight
            leaf = np.arange(len(weight), dtype=np.int32)
            return leaf, real_vote(mass, _shares(member, self.X, self.classes), self.learning_rate)
        leaf = _codes(member, self.X, self.classes)
        mass = class_mass(leaf, self.y, weight, k, k)
        return leaf, discrete_vote(mass, np.arange(k), self.learning_rate)

    def keep(self, vote: Vote) -> None:
        self.fitted.append(self._last)
        self.votes.append(vote)

    def say(self, X: Any) -> Array:
        return member_scores(
            self.fitted[-1], self.votes[-1].weight, X, self.classes, self.real, self.learning_rate
        )

    def largest_edge(self, weight: Array) -> float | None:
        return None


def member_scores(
    member: Any, weight: float, X: Any, classes: Any, real: bool, learning_rate: float
) -> Array:
    """Return what a fitted classifier adds to the scores of rows, shape (m, k)."""
    k = len(classes)
    if real:
        shares = _shares(member, X, classes)
        return real_vote(np.full(shares.shape, 1.0 / shares.size), shares, learning_rate).value
    named = np.eye(k)[_codes(member, X, classes)]
    return weight * (2.0 * named[:, 1:] - 1.0) if k == 2 else weight * (named - 1.0 / k)


def mean_importances(members: list[Any], votes: Array) -> Array:
    """Return the mean of ``feature_importances_`` by the sizes of the votes; refused where there are none."""
    lacking = next((m for m in members if not hasattr(m, "feature_importances_")), None)
    if lacking is not None or not members:
        of = "there is no member" if lacking is None else f"{type(lacking).__name__} has none"
        raise AttributeError(f"feature_importances_ is the mean of those of the members, and {of}")
    size = np.abs(votes)
    share = size / size.sum() if size.sum() > 0.0 else np.full(len(size), 1.0 / len(size))
    return np.asarray(share @ np.stack([m.feature_importances_ for m in members]))


def _codes(member: Any, X: Any, classes: Any) -> Leaves:
    said = np.asarray(member.predict(X))
    return np.searchsorted(classes, said).astype(np.int32)


def _shares(member: Any, X: Any, classes: Any) -> Array:
    """Return the class probabilities with a column for each class, also for those that the member never
    saw.
    """
    out = np.zeros((np.shape(X)[0], len(classes)))
    out[:, np.searchsorted(classes, member.classes_)] = member.predict_proba(X)
    return out
