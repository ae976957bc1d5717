"""SGD for soft-margin machines, as lecture notes and textbooks print it: one line of a loop after the other.

Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), sections 15.5 and 16.3.  Both minimise
``lam/2 ||w||^2 + mean of max(0, 1 - y_i <w, psi(x_i)>)``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["kernel_steps", "linear_steps"]


def linear_steps(X: np.ndarray, y: np.ndarray, lam: float, draws: Sequence[int]) -> np.ndarray:
    """The mean of ``w_1 ... w_T`` for rows drawn in this order."""
    theta, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for t, i in enumerate(draws, 1):
        w = theta / (lam * t)
        total = total + w
        if y[i] * (w @ X[i]) < 1.0:
            theta = theta + y[i] * X[i]
    return total / len(draws)


def kernel_steps(K: np.ndarray, y: np.ndarray, lam: float, draws: Sequence[int]) -> np.ndarray:
    """The mean of the weights ``alpha_1 ... alpha_T`` of the rows, for rows drawn in this order."""
    beta, total = np.zeros(len(y)), np.zeros(len(y))
    for t, i in enumerate(draws, 1):
        alpha = beta / (lam * t)
        total = total + alpha
        if y[i] * (alpha @ K[:, i]) < 1.0:
            beta[i] += y[i]
    return total / len(draws)
