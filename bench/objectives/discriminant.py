"""Linear and quadratic discriminants: closed forms, judged by the chances that they give to classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import softmax

JUDGES = 10_000


@dataclass(frozen=True)
class GaussianClasses:
    """Shares (k,), means (k, p) and covariances (k, p, p), all the same where boundaries are linear."""

    shares: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


class ClassChances:
    """How far chances of classes are from those of the formula, on the first rows.

    Parameters
    ----------
    name : str
        Of the row.
    pooled : bool
        Whether classes share one covariance.
    """

    # Divisors of n and of n less the classes differ by less.
    accuracy = 1e-4

    def __init__(self, name: str, pooled: bool) -> None:
        self.name, self.pooled = name, pooled

    def strength(self, X: Any, y: Any) -> None:
        """Do nothing, because nothing is shrunk."""

    def value(self, X: Any, y: Any, strength: None, result: np.ndarray) -> float:
        """Return the mean over the first rows of the largest difference of a chance from the formula's."""
        X = np.asarray(X)
        return float(np.abs(result - self.reference(X, y, None)).max(axis=1).mean())

    def null(self, X: Any, y: Any) -> float:
        """Return 1, because chances have no unit."""
        return 1.0

    def reference(self, X: Any, y: Any, strength: None) -> np.ndarray:
        """Return the chances that moments in plain NumPy lead to."""
        labels = np.unique(y)
        scatter, counts, means = [], [], []
        for label in labels:
            rows = X[y == label].astype(np.float64)
            means.append(rows.mean(axis=0))
            rows -= means[-1]
            scatter.append(rows.T @ rows)
            counts.append(len(rows))
        n = np.array(counts, dtype=np.float64)
        pooled = sum(scatter) / (n.sum() - len(n))
        spread = [pooled if self.pooled else s / (m - 1.0) for s, m in zip(scatter, n, strict=True)]
        return chances(X[:JUDGES], GaussianClasses(n / n.sum(), np.array(means), np.array(spread)))


def chances(X: np.ndarray, law: GaussianClasses) -> np.ndarray:
    """Return the chances of all classes for each row, (n, k), by Bayes' rule."""
    logs = np.empty((len(X), len(law.shares)))
    for k, (share, mean, sigma) in enumerate(zip(law.shares, law.means, law.covariances, strict=True)):
        lower = np.linalg.cholesky(sigma)
        z = solve_triangular(lower, (X.astype(np.float64) - mean).T, lower=True)
        logs[:, k] = np.log(share) - np.log(np.diagonal(lower)).sum() - 0.5 * (z * z).sum(axis=0)
    return softmax(logs, axis=1)


OBJECTIVES = (ClassChances("lda", pooled=True), ClassChances("qda", pooled=False))
