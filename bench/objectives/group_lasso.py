"""Group lasso at a tenth of the critical strength, groups of ten columns, without intercept."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.datasets.grouped import SIZE
from bench.objectives.base import Fit, half_squared, logistic, scores


def norms(w: np.ndarray) -> np.ndarray:
    """Return ``sqrt(10) ||w_g||`` for each group of ten coefficients."""
    return np.sqrt(SIZE) * np.linalg.norm(w.reshape(-1, SIZE), axis=1)


class GroupLasso:
    """The group lasso of numbers, in groups of ten columns: ``mean (x.w - y)^2 / 2 + alpha sum_g sqrt(10)
    ||w_g||``.
    """

    name = "group_lasso"

    def strength(self, X: Any, y: Any) -> float:
        """A tenth of the smallest strength at which every coefficient is zero."""
        return float(norms(X.T @ self.pull(y)).max()) / (SIZE * len(y)) / 10.0

    def pull(self, y: Any) -> np.ndarray:
        """Minus the derivative of the loss at 0, row by row."""
        return np.asarray(y)

    def loss(self, y: Any, z: np.ndarray) -> float:
        """Return the mean loss of the scores z, half the squared error."""
        return half_squared(y, z)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return self.loss(y, scores(X, result)) + strength * float(norms(result.coef).sum())

    def null(self, X: Any, y: Any) -> float:
        """Return the objective where all coefficients are 0."""
        return self.loss(y, np.zeros(len(y)))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """celer far beyond its default tolerance."""
        from celer import GroupLasso as Peer

        weights = np.full(X.shape[1] // SIZE, np.sqrt(SIZE))
        model = Peer(groups=SIZE, alpha=strength, weights=weights, tol=1e-12, fit_intercept=False)
        return Fit(model.fit(X, y).coef_)


class GroupLogistic(GroupLasso):
    """The group lasso of labels: ``mean log(1 + exp(-t x.w)) + alpha sum_g sqrt(10) ||w_g||``, t the label as
    -1, +1.
    """

    name = "group_logistic"

    def pull(self, y: Any) -> np.ndarray:
        """Minus the derivative of the loss at 0."""
        return np.where(y > 0, 0.5, -0.5)

    def loss(self, y: Any, z: np.ndarray) -> float:
        """Return the mean loss of the scores z, the logistic one."""
        return logistic(y, z)

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """skglm far beyond its default tolerance."""
        from bench.solvers.skglm import grouped

        return grouped(X, y, strength, tol=1e-10, binary=True)
