"""Forests of scikit-learn with the rows that each tree drew: what the inference for forests is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._forest import _generate_sample_indices

from empirisk.trees import Trees
from tests.oracles.sklearn_trees import from_sklearn

__all__ = ["Grown", "draw_counts", "grown", "smooth"]


@dataclass(frozen=True)
class Grown:
    """A fitted forest with its training rows."""

    forest: Any
    X: NDArray
    y: NDArray

    @cached_property
    def trees(self) -> Trees:
        return from_sklearn(self.forest)

    @cached_property
    def counts(self) -> NDArray:
        return draw_counts(self.forest, len(self.y))

    @cached_property
    def leaves(self) -> NDArray:
        return self.trees.apply(self.X)

    @property
    def unseen(self) -> NDArray:
        return np.asarray(self.counts == 0)

    def by_tree(self, leaves: NDArray) -> NDArray:
        """Predictions of the trees, (m, T, k)."""
        return np.asarray(self.trees.value[self.trees.start[:-1] + leaves])

    def out_of_bag(self) -> NDArray:
        """Return the out-of-bag predictions, shape (n, k), by their definition."""
        count = self.unseen.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.einsum("nt,ntk->nk", self.unseen, self.by_tree(self.leaves)) / count[:, None]


def draw_counts(forest: Any, n: int) -> NDArray:
    """How often each tree drew each row, (n, T)."""
    rows = (_generate_sample_indices(t.random_state, n, n, None) for t in forest.estimators_)
    return np.stack([np.bincount(r, minlength=n) for r in rows], axis=1)


def grown(make: Any, X: NDArray, y: NDArray) -> Grown:
    """Fit on numbers that float32 holds exactly, as scikit-learn's trees see them."""
    X = X.astype(np.float32).astype(np.float64)
    return Grown(make.fit(X, y), X, y)


def smooth(n: int, rng: np.random.Generator, p: int = 5) -> tuple[NDArray, NDArray]:
    """Uniform columns, a curve in the first two, noise of variance 1."""
    X = rng.uniform(-1.0, 1.0, size=(n, p))
    return X, 2.0 * np.sin(3.0 * X[:, 0]) + 2.0 * X[:, 1] ** 2 + rng.normal(size=n)
