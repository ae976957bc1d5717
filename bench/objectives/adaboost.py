"""A hundred boosted stumps: the result is a fitted classifier, its value the error on fresh rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bench.datasets.spheres import nested_spheres
from bench.objectives.bootstrap import _Key

ROUNDS = 100


class PlainVote:
    """AdaBoost in plain NumPy: every column sorted once, every cut looked at in every round."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> PlainVote:
        """A hundred rounds on columns without ties."""
        sign, w, self.cuts = np.where(y > 0, 1.0, -1.0), np.full(len(y), 1.0 / len(y)), []
        order = np.argsort(X, axis=0)
        for _ in range(ROUNDS):
            best = (0.0, 0, 0)
            total = float(w @ sign)
            for j in range(X.shape[1]):
                edge = np.abs(2.0 * np.cumsum((w * sign)[order[:, j]]) - total)
                k = int(edge[:-1].argmax())
                best = max(best, (float(edge[k]), j, k))
            edge, j, k = best
            cut = X[order[k : k + 2, j], j].mean()
            h = np.where(X[:, j] <= cut, 1.0, -1.0)
            h = h if w @ (h * sign) > 0 else -h
            alpha = 0.5 * np.log((1.0 + edge) / (1.0 - edge))
            self.cuts.append((j, cut, alpha if h[X[:, j].argmin()] > 0 else -alpha))
            w = w * np.exp(-alpha * sign * h)
            w /= w.sum()
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return 1 for the rows where the vote is positive, else 0."""
        votes = sum(alpha * np.where(X[:, j] <= cut, 1.0, -1.0) for j, cut, alpha in self.cuts)
        return (np.asarray(votes) > 0).astype(np.int64)


class AdaBoost:
    """Error rate on 50,000 fresh rows, as far as it exceeds that of AdaBoost in plain NumPy."""

    name = "adaboost"
    accuracy = 0.02  # of the null model's error, a half: an error rate at most 0.01 larger counts

    def __init__(self) -> None:
        self._plain = lru_cache(maxsize=2)(lambda key: PlainVote().fit(*key.arrays))

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of rounds, which stands in for a strength."""
        return ROUNDS

    def value(self, X: Any, y: Any, strength: int, result: Any) -> float:
        """0 where the error is that of the reference or less."""
        new, target = nested_spheres(50_000, X.shape[1], seed=7)
        errors = [np.mean(model.predict(new) != target) for model in (result, self.reference(X, y, strength))]
        return max(0.0, float(errors[0] - errors[1]))

    def null(self, X: Any, y: Any) -> float:
        """Return the error of always predicting the more frequent class."""
        share = float(np.mean(y))
        return min(share, 1.0 - share)

    def reference(self, X: Any, y: Any, strength: int) -> Any:
        """Return the vote that plain NumPy finds."""
        return self._plain(_Key(X, y))
