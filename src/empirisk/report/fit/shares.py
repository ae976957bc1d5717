"""Shares of classes: from the scores of a linear model, and before any column was looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

__all__ = ["prior_scores", "probabilities"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def probabilities(z: Floats) -> Floats:
    """Return class probabilities, shape (n, k), from scores of shape (n,) (log-odds) or (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([0.0]))
    array([[0.5, 0.5]])
    """
    if z.ndim == 1:
        return np.column_stack([expit(-z), expit(z)])
    return np.asarray(softmax(z, axis=1), dtype=np.float64)


def prior_scores(y: Codes, n_classes: int) -> Floats:
    """Log of the class shares with half a row added to each class, so that no class is impossible.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(prior_scores(np.array([0, 0, 1]), 2))
    array([0.625, 0.375])
    """
    counts = np.bincount(y, minlength=n_classes) + 0.5
    return np.asarray(np.log(counts / counts.sum()), dtype=np.float64)
