"""Mixtures of full Gaussians: the mean loss of twenty steps of EM, or of the best of four fits.

Where steps are counted, all solvers start at the given means with equal weights and the covariance that is
the diagonal matrix of the variances of the columns, so that exact steps end at the same parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp

STEPS = 20
Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


class GaussianMixtureSteps:
    """A number of steps of EM; the second array of the data holds the first means.

    Parameters
    ----------
    name : str
        Of the row.
    accuracy : float
        Up to which results count as equally good, as a share of the loss of the start.
    """

    def __init__(self, name: str, accuracy: float = 1e-6) -> None:
        self.name, self.accuracy = name, accuracy

    def strength(self, X: Any, means: Any) -> int:
        """Return the number of steps that each solver takes."""
        return STEPS if len(X) > 5000 else 1  # few rows leave a part with too few after some steps

    def value(self, X: Any, means: Any, steps: int, result: Parts) -> float:
        """Return the mean negative log-likelihood of the parameters, in float64."""
        return -float(logsumexp(_logs(X.astype(np.float64), result), axis=1).mean())

    def null(self, X: Any, means: Any) -> float:
        """Return the mean negative log-likelihood of the start."""
        return self.value(X, means, 0, start(X, means))

    def reference(self, X: Any, means: Any, steps: int) -> Parts:
        """Return what the same steps in plain NumPy find."""
        X, parts = X.astype(np.float64), start(X, means)
        for _ in range(steps):
            logs = _logs(X, parts)
            r = np.exp(logs - logsumexp(logs, axis=1)[:, None])
            mass = r.sum(axis=0)
            middle = r.T @ X / mass[:, None]
            spread = []
            for k in range(len(mass)):
                d = X - middle[k]
                spread.append((r[:, k, None] * d).T @ d / mass[k])
            parts = mass / len(X), middle, np.stack(spread)
        return parts


def start(X: Any, means: Any) -> Parts:
    """Return equal weights, the given means, and the variances of the columns."""
    k = len(means)
    spread = np.diag(X.astype(np.float64).var(axis=0))
    return np.full(k, 1.0 / k), means.astype(np.float64), np.broadcast_to(spread, (k, *spread.shape)).copy()


def _logs(X: np.ndarray, parts: Parts) -> np.ndarray:
    out = np.empty((len(X), len(parts[0])))
    for k, (weight, mean, sigma) in enumerate(zip(*parts, strict=True)):
        lower = np.linalg.cholesky(np.asarray(sigma, dtype=np.float64))
        z = solve_triangular(lower, (X - mean).T, lower=True)
        volume = np.log(np.diagonal(lower)).sum() + 0.5 * X.shape[1] * np.log(2.0 * np.pi)
        out[:, k] = np.log(weight) - volume - 0.5 * (z * z).sum(axis=0)
    return out


OBJECTIVES = (
    GaussianMixtureSteps("gmm_full"),
    # Starts end in different maxima, and peers stop at changes of other sizes.
    GaussianMixtureSteps("gmm_4_starts", 0.01),
)
