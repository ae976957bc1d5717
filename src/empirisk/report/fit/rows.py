"""Losses of single rows from raw scores: what every estimate of the report is a mean of.

A score is ``z``: log-odds of the positive class, one column a class (up to a constant), or the predicted
value. Losses are computed from scores, not from probabilities, so that nothing is ever clipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

__all__ = [
    "brier_rows",
    "class_rows",
    "constant_scores",
    "fill_classes",
    "loss_rows",
    "prior_scores",
    "probabilities",
]

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


def class_rows(z: Floats) -> Codes:
    """Return the most probable class of each row (ties: the first of them)."""
    return (z > 0.0).astype(np.intp) if z.ndim == 1 else np.argmax(z, axis=1)


def loss_rows(y: NDArray, z: Floats, task: str) -> Floats:
    """Return the loss that models are tuned by: log-loss for classes, squared error for numbers.

    Parameters
    ----------
    y : array of shape (n,)
        Class codes 0..k-1, or the observed values.
    z : array of shape (n,) or (n, k)
        Scores.
    task : {"binary", "multiclass", "regression"}

    Examples
    --------
    >>> import numpy as np
    >>> loss_rows(np.array([1, 0]), np.array([0.0, 0.0]), "binary").round(4)
    array([0.6931, 0.6931])
    """
    if task == "regression":
        return np.asarray(np.square(y - z), dtype=np.float64)
    if z.ndim == 1:
        return np.asarray(np.logaddexp(0.0, np.where(y == 1, -z, z)), dtype=np.float64)
    shares = np.asarray(log_softmax(z, axis=1), dtype=np.float64)
    return np.asarray(-shares[np.arange(y.size), y], dtype=np.float64)


def brier_rows(y: Codes, z: Floats) -> Floats:
    """Return the squared distance of the probabilities from what happened.

    Two classes: ``(p - y)^2``, in [0, 1]; more classes: ``sum_k (p_k - 1[y = k])^2``, in [0, 2].
    """
    if z.ndim == 1:
        return np.square(np.where(y == 1, expit(-z), expit(z)))
    p = probabilities(z)
    p[np.arange(y.size), y] -= 1.0
    return np.asarray(np.sum(p * p, axis=1), dtype=np.float64)


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


def constant_scores(y: NDArray[Any], n_classes: int, n: int) -> Floats:
    """Return the scores of n rows that are all given the mean of `y`, or its class shares
    (:func:`prior_scores`).
    """
    if n_classes == 0:
        return np.full(n, float(y.mean()))
    prior = prior_scores(y, n_classes)
    return np.full(n, prior[1] - prior[0]) if n_classes == 2 else np.tile(prior, (n, 1))


def fill_classes(z: Floats, present: Codes, prior: Floats) -> Floats:
    """Return the scores over all classes from a model that has seen some of them only.

    The classes that it has not seen get their prior probability, the others share the rest.

    Parameters
    ----------
    z : array of shape (n,) or (n, m)
        Scores of the m classes in `present`.
    present : int array of shape (m,)
    prior : array of shape (k,)
        From :func:`prior_scores`.

    Examples
    --------
    >>> import numpy as np
    >>> z = fill_classes(np.zeros(1), np.array([0, 2]), np.log(np.array([0.5, 0.1, 0.4])))
    >>> np.exp(z).round(3)
    array([[0.45, 0.1 , 0.45]])
    """
    if prior.size <= 2 or present.size == prior.size:
        return z
    out = np.tile(prior, (z.shape[0], 1))
    known = z if z.ndim == 2 else np.column_stack([0.0 * z, z])
    out[:, present] = log_softmax(known, axis=1) + np.log(np.exp(prior[present]).sum())
    return out
