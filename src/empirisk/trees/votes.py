"""What a member of a vote says about the rows of each of its leaves, and how a round reweights the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array, IndexArray

__all__ = ["SMOOTHING", "Vote", "class_mass", "discrete_vote", "real_vote"]

# Added, as a share of the round's weight, to the weight of each class where a leaf (or a member) makes no
# error: its vote would be infinite.
SMOOTHING = 1e-4

# An edge below this is rounding: no member is better than guessing.
NO_EDGE = 1e-12


@dataclass(frozen=True)
class Vote:
    """One member's say.

    Parameters
    ----------
    value : array, shape (L, k)
        Added to the scores of the rows of leaf l; k = 1 for two classes (positive: class 1), else K.
    factor : array, shape (L, K)
        By which the round multiplies the weights of the rows of leaf l and class c.
    weight : float
        The member's weight: ``alpha`` (discrete), 1 (real).
    error : float
        Weighted error of the member under the weights of its round.
    edge : float
        ``1 - error K/(K - 1)``: 0 for guessing, 1 for no error.
    reach : float
        The largest margin that the member can give to a row.
    """

    value: NDArray[np.float64]
    factor: NDArray[np.float64]
    weight: float
    error: float
    edge: float
    reach: float

    @property
    def failed(self) -> bool:
        """Whether the member is no better than guessing."""
        return self.edge <= NO_EDGE or self.reach <= 0.0

    @property
    def perfect(self) -> bool:
        """Whether the member makes no error at all."""
        return self.error == 0.0


def class_mass(leaf: IndexArray, y: IndexArray, weight: Array, n_leaves: int, n_classes: int) -> Array:
    """Weight of each class in each leaf, shape (L, K), of sum 1.

    Examples
    --------
    >>> class_mass(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0]), 2, 2)
    array([[0.25, 0.  ],
           [0.25, 0.5 ]])
    """
    flat = np.bincount(leaf * n_classes + y, weights=weight, minlength=n_leaves * n_classes)
    return np.asarray(flat.reshape(n_leaves, n_classes) / flat.sum())


def discrete_vote(mass: Array, label: IndexArray, learning_rate: float = 1.0) -> Vote:
    """``alpha (1[c = label] - 1/K)``, ``alpha = rate (log((1 - eps)/eps) + log(K - 1))``.

    For two classes this is ``F += alpha h`` with h = -1 or 1 and alpha = rate log((1 - eps)/eps)/2.

    Parameters
    ----------
    mass : array, shape (L, K)
        Weight of each class in each leaf, with sum 1.
    label : array, shape (L,)
        The class that the member names in each leaf.
    learning_rate : float, default 1
        Factor on alpha.

    Notes
    -----
    Freund and Schapire (1997); for K classes SAMME (Zhu, Zou, Rosset and Hastie 2009). Cost O(L K).

    Examples
    --------
    >>> vote = discrete_vote(np.array([[0.3, 0.1], [0.1, 0.5]]), np.array([0, 1]))
    >>> round(vote.error, 3), round(vote.weight, 4)
    (0.2, 0.6931)
    """
    n_leaves, k = mass.shape
    named = np.zeros((n_leaves, k), dtype=bool)
    named[np.arange(n_leaves), label] = True
    error = float(mass[~named].sum())
    edge = 1.0 - error * k / (k - 1.0)
    # The edge is 0 for guessing among k classes, which errs with chance (k - 1) / k, and 1 without errors.
    smooth = SMOOTHING if error == 0.0 else 0.0
    odds = (1.0 - error + smooth) * (k - 1.0) / (error + smooth)
    alpha = learning_rate * math.log(odds) if edge > NO_EDGE else 0.0
    factor = np.exp(np.where(named, -0.5 * alpha, 0.5 * alpha))
    if k == 2:
        value = np.where(named[:, 1:], 0.5 * alpha, -0.5 * alpha)
        return Vote(value, factor, 0.5 * alpha, error, edge, 0.5 * alpha)
    return Vote(alpha * (named - 1.0 / k), factor, alpha, error, edge, 0.5 * alpha)


def real_vote(mass: Array, share: Array | None = None, learning_rate: float = 1.0) -> Vote:
    """``rate (log p_c - mean over classes of log p)``, p the class shares of the leaf under the round's
    weights.

    For two classes this is ``F += rate log(p/(1 - p))/2``, which makes the least
    ``Z = sum over leaves of 2 sqrt(W+ W-)`` of all leaf values.

    Parameters
    ----------
    mass : array, shape (L, K)
        Weight of each class in each leaf, with sum 1.
    share : array, shape (L, K), optional
        Class shares that the member predicts; by default those of the leaf, smoothed.
    learning_rate : float, default 1
        Factor on the values.

    Notes
    -----
    Schapire and Singer (1999), section 4.1 and 4.2; for K classes SAMME.R (Zhu et al. 2009). Cost O(L K).

    Examples
    --------
    >>> vote = real_vote(np.array([[0.4, 0.1], [0.1, 0.4]]))
    >>> vote.value.ravel().round(3)
    array([-0.693,  0.693])
    """
    k = mass.shape[1]
    logs = np.log(mass + SMOOTHING) if share is None else np.log(share * (1.0 - k * SMOOTHING) + SMOOTHING)
    centred = learning_rate * (logs - logs.mean(axis=1, keepdims=True))
    named = np.zeros(mass.shape, dtype=bool)
    named[np.arange(len(mass)), centred.argmax(axis=1)] = True
    error = float(mass[~named].sum())
    reach = 0.5 * float((centred.max(axis=1) - centred.min(axis=1)).max())
    edge = 1.0 - error * k / (k - 1.0)
    value = centred[:, 1:] if k == 2 else centred
    return Vote(value, np.exp(-centred), 1.0, error, edge, reach)
