"""Networks with one hidden layer of rectifiers, trained by Adam: the mean log-loss that is left.

All start at random, with batches in random orders, so that equal recipes end at losses that differ a little;
each row says up to which difference results are taken to be equally good.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import logsumexp

CHUNK = 10_000


@dataclass(frozen=True)
class Recipe:
    """How all solvers train: the strength is of ``alpha ||W||^2 / 2`` beside the mean loss of a batch."""

    hidden: int
    epochs: int
    step: float
    batch: int = 128
    alpha: float = 1e-6


@dataclass(frozen=True)
class Network:
    """Weights (inputs, units) and biases (units,) of each layer."""

    coefs: Any
    intercepts: Any


class NetworkLoss:
    """Mean log-loss of all training rows, plus ``alpha ||W||^2 / 2`` with the weights of all layers.

    Parameters
    ----------
    name : str
        Of the row.
    recipe : Recipe
    accuracy : float
        Up to which losses count as equally good, as a share of the log-loss of equal chances.
    good : float
        A loss that is good enough; where it is above 0, what is below it counts as 0.
    """

    def __init__(self, name: str, recipe: Recipe, accuracy: float, good: float = 0.0) -> None:
        self.name, self.recipe, self.accuracy, self.good = name, recipe, accuracy, good

    def strength(self, X: Any, y: Any) -> Recipe:
        """Return the recipe that all solvers follow."""
        return self.recipe

    def value(self, X: Any, y: Any, recipe: Recipe, result: Network) -> float:
        """Return F in float64, or what F has above a loss that is good enough."""
        y = np.asarray(y)
        total = 0.0
        for a in range(0, len(y), CHUNK):
            z = _forward(X[a : a + CHUNK].astype(np.float64), result)[-1]
            total += float((logsumexp(z, axis=1) - z[np.arange(len(z)), y[a : a + CHUNK]]).sum())
        squares = sum(float((np.asarray(w, dtype=np.float64) ** 2).sum()) for w in result.coefs)
        return max(total / len(y) + 0.5 * recipe.alpha * squares - self.good, 0.0)

    def null(self, X: Any, y: Any) -> float:
        """Return the log-loss of equal chances for all classes."""
        return float(np.log(len(np.unique(y))))

    def reference(self, X: Any, y: Any, recipe: Recipe) -> Network:
        """Return what the same steps in plain NumPy find, from a start of their own."""
        rng = np.random.default_rng(0)
        widths = (X.shape[1], recipe.hidden, int(np.max(y)) + 1)
        w = [(rng.standard_normal((a, b)) * np.sqrt(2.0 / a)).astype(X.dtype) for a, b in pairwise(widths)]
        w += [np.zeros(b, dtype=X.dtype) for b in widths[1:]]
        mean, square = [np.zeros_like(part) for part in w], [np.zeros_like(part) for part in w]
        t = 0
        for _ in range(recipe.epochs):
            order = rng.permutation(len(y))
            for a in range(0, len(y), recipe.batch):
                t += 1
                rows = order[a : a + recipe.batch]
                for part, g, m, v in zip(
                    w, _slopes(X[rows], y[rows], w, recipe.alpha), mean, square, strict=True
                ):
                    m += (1.0 - 0.9) * (g - m)
                    v += (1.0 - 0.999) * (g * g - v)
                    part -= recipe.step * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.999**t)) + 1e-8)
        return Network(w[:2], w[2:])


def _forward(X: np.ndarray, net: Network) -> list[np.ndarray]:
    """Return the outputs of both layers."""
    h = np.maximum(X @ net.coefs[0] + net.intercepts[0], 0.0)
    return [h, h @ net.coefs[1] + net.intercepts[1]]


def _slopes(X: np.ndarray, y: np.ndarray, w: list[np.ndarray], alpha: float) -> list[np.ndarray]:
    """Return the gradient of the mean loss of a batch, and of the penalty."""
    h, z = _forward(X, Network(w[:2], w[2:]))
    d = np.exp(z - logsumexp(z, axis=1, keepdims=True))
    d[np.arange(len(d)), y] -= 1.0
    d /= len(d)
    e = (d @ w[1].T) * (h > 0.0)
    return [X.T @ e + alpha * w[0], h.T @ d + alpha * w[1], e.sum(axis=0), d.sum(axis=0)]


OBJECTIVES = (
    NetworkLoss("mlp_epoch", Recipe(hidden=256, epochs=1, step=1e-3), accuracy=0.02),
    # Few rows, as often as it takes to learn them.
    NetworkLoss("latency_mlp", Recipe(hidden=32, epochs=20, step=5e-3), accuracy=1e-9, good=0.05),
)
