"""One classification tree: a fitted classifier, judged by its error rate on fresh rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from bench.datasets.interactions import interactions

REFERENCE_ROWS = 20_000


class SingleTree:
    """Error rate on 50,000 fresh rows; counts within 0.02 of the best, as histograms cut elsewhere."""

    name = "tree"
    accuracy = 0.04  # of the null model's error, a half
    depth: int | None = None

    def strength(self, X: Any, y: Any) -> int | None:
        """The largest depth; None grows until leaves are pure."""
        return self.depth

    def value(self, X: Any, y: Any, strength: int | None, result: Any) -> float:
        """Share of fresh rows that are misclassified."""
        new, target = interactions(50_000, X.shape[1], seed=9)
        return float(np.mean(np.asarray(result(new)) != target))

    def null(self, X: Any, y: Any) -> float:
        """Return the error of always predicting the more frequent class."""
        share = float(np.mean(y))
        return min(share, 1.0 - share)

    def reference(self, X: Any, y: Any, strength: int | None) -> Any:
        """scikit-learn's tree; on the first rows only, as all of them take it half a minute."""
        X, y = X[:REFERENCE_ROWS], y[:REFERENCE_ROWS]
        return DecisionTreeClassifier(max_depth=strength, random_state=0).fit(X, y).predict


class ShallowTree(SingleTree):
    """A single tree of at most ten levels."""

    name = "shallow_tree"
    depth = 10


OBJECTIVES = (SingleTree(), ShallowTree())
