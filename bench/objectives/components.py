"""Ten principal components: the variance that they leave unexplained."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, svds

WANTED = 10


class Components:
    """``tr C - tr V' C V`` for the ten directions that a solver returns, an array (10, p).

    Parameters
    ----------
    name : str
        Of the row: shapes have rows of their own, because not every peer can do all of them.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def strength(self, X: Any, y: Any) -> int:
        """Return how many components are wanted."""
        return WANTED

    def value(self, X: Any, y: Any, k: int, result: np.ndarray) -> float:
        """Return the variance outside of the directions, made orthonormal first."""
        V = np.linalg.qr(np.asarray(result, dtype=np.float64).T)[0]
        mean = np.asarray(X.mean(axis=0), dtype=np.float64)
        explained = 0.0
        for a in range(0, X.shape[0], 5000):
            Z = np.asarray(X[a : a + 5000] @ V, dtype=np.float64) - mean @ V
            explained += float(np.square(Z).sum())
        return self.null(X, y) - explained / X.shape[0]

    def null(self, X: Any, y: Any) -> float:
        """Return the variance of all columns."""
        mean = np.asarray(X.mean(axis=0), dtype=np.float64)
        if not isinstance(X, np.ndarray):
            return float(np.square(X.data).sum() / X.shape[0] - mean @ mean)
        parts = (X[a : a + 2000] - mean for a in range(0, X.shape[0], 2000))
        return float(sum(np.square(part, dtype=np.float64).sum() for part in parts) / X.shape[0])

    def reference(self, X: Any, y: Any, k: int) -> np.ndarray:
        """Return eigenvectors of the shorter side's products, or ARPACK's for sparse rows."""
        n, p = X.shape
        mean = np.asarray(X.mean(axis=0), dtype=np.float64)
        if not isinstance(X, np.ndarray):
            centred = LinearOperator(
                (n, p),
                matvec=lambda v: X @ np.ravel(v) - mean @ np.ravel(v),
                rmatvec=lambda u: X.T @ np.ravel(u) - mean * u.sum(),
                dtype=np.float64,
            )
            return np.asarray(svds(centred, k=k, ncv=60, v0=np.ones(min(n, p)))[2])
        A = X.astype(np.float64) - mean
        if p <= n:
            return np.asarray(linalg.eigh(A.T @ A, subset_by_index=(p - k, p - 1))[1].T)
        return np.asarray(linalg.eigh(A @ A.T, subset_by_index=(n - k, n - 1))[1].T @ A)


OBJECTIVES = (
    Components("components"),
    Components("components_wide"),
    Components("components_sparse"),
)
