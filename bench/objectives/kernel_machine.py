"""Support vector machines with a Gaussian kernel and a free intercept, at scikit-learn's ``C=1``.

The timed call fits, and predicts all rows.  What a solver returns are the weights of its support vectors; F
is computed from them here, in float64, and so is the duality gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

BLOCK = 1000  # rows of the kernel matrix at a time


@dataclass(frozen=True)
class Machine:
    """``f(x) = sum_j weights[j] k(x, x_j) + intercept`` over the rows x_j of `support`."""

    support: Any
    weights: np.ndarray
    intercept: float


def width(X: Any) -> float:
    """Return gamma: 1/(columns * variance of all cells), scikit-learn's "scale"."""
    cells = X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else X.var()
    return float(1.0 / (X.shape[1] * cells))


def kernel_sums(X: Any, found: Machine) -> np.ndarray:
    """Return ``sum_j weights[j] k(x, x_j)`` of all rows, in float64 by NumPy alone."""
    gamma, S = width(X), X[found.support]
    norms = np.asarray(S.multiply(S).sum(axis=1)).ravel() if sp.issparse(S) else np.einsum("ij,ij->i", S, S)
    out = np.empty(X.shape[0])
    for begin in range(0, X.shape[0], BLOCK):
        A = X[begin : begin + BLOCK]
        own = np.asarray(A.multiply(A).sum(axis=1)).ravel() if sp.issparse(A) else np.einsum("ij,ij->i", A, A)
        inner = A @ S.T
        inner = inner.toarray() if sp.issparse(inner) else inner
        distance = np.maximum(own[:, None] + norms - 2.0 * inner, 0.0)
        out[begin : begin + BLOCK] = np.exp(-gamma * distance) @ found.weights
    return out


def parts(X: Any, y: Any, found: Machine) -> tuple[float, float]:
    """Return the mean hinge loss and ``||f||^2``."""
    f = kernel_sums(X, found)
    t = np.where(y > 0, 1.0, -1.0) * (f + found.intercept)
    return float(np.maximum(0.0, 1.0 - t).mean()), float(found.weights @ f[found.support])


def gap(X: Any, y: Any, found: Machine) -> float:
    """Return the duality gap of the weights, which are dual values: ``sum |a| alpha - alpha ||f||^2 / 2``."""
    loss, square = parts(X, y, found)
    alpha = 1.0 / X.shape[0]
    return loss + alpha * square - alpha * float(np.abs(found.weights).sum())


class KernelMachine:
    """The machine ``mean max(0, 1 - y (f(x) + b)) + alpha ||f||^2 / 2`` with the price ``alpha = 1/n``."""

    name = "svc_rbf"

    def strength(self, X: Any, y: Any) -> float:
        """Return ``1 / (n C)``, the strength on the scale of the mean loss."""
        return 1.0 / X.shape[0]

    def value(self, X: Any, y: Any, strength: float, result: Machine) -> float:
        """Return the objective F at what a solver returned."""
        loss, square = parts(X, y, result)
        return loss + 0.5 * strength * square

    def null(self, X: Any, y: Any) -> float:
        """Return the objective of the best constant: that of the rarer class lies on the wrong side."""
        share = float(np.mean(np.asarray(y) > 0))
        return 2.0 * min(share, 1.0 - share)

    def reference(self, X: Any, y: Any, strength: float) -> Machine:
        """LIBSVM far beyond its default tolerance."""
        model = SVC(tol=1e-5, cache_size=2000).fit(X, y)
        return machine(model)


def machine(model: Any) -> Machine:
    """Return what scikit-learn's machine, or one like it, has found."""
    weights = model.dual_coef_
    weights = weights.toarray() if sp.issparse(weights) else weights
    return Machine(
        np.asarray(model.support_), np.asarray(weights).ravel(), float(np.ravel(model.intercept_)[0])
    )
