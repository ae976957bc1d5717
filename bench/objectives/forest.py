"""A forest of 100 classification trees of full depth, judged by its error rate on fresh rows."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from bench.objectives.single_tree import SingleTree

TREES = 100
REFERENCE_ROWS = 20_000


class Forest(SingleTree):
    """Error rate on 50,000 fresh rows; counts within 0.005 of the reference."""

    name = "forest"
    accuracy = 0.01  # of the null model's error, a half
    _peer: Any = RandomForestClassifier

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of trees, which stands in for a strength."""
        return TREES

    def reference(self, X: Any, y: Any, strength: int | None) -> Any:
        """scikit-learn's forest; on the first rows only, as all of them take it half a minute."""
        X, y = X[:REFERENCE_ROWS], y[:REFERENCE_ROWS]
        return self._peer(strength, random_state=0).fit(X, y).predict


class ExtraTrees(Forest):
    """One random cut of each column."""

    name = "extra_trees"
    _peer = ExtraTreesClassifier


OBJECTIVES = (Forest(), ExtraTrees())
