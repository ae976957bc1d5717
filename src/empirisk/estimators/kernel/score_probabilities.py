"""Probabilities that rise with scores and name the class that the scores name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax

from empirisk.estimators.log_probabilities import softmax_logs
from empirisk.typing import Array, IndexArray

__all__ = ["ScoreProbabilities"]

# Golden section over the logarithm of a slope: this many steps narrow e^40 to a relative 1e-9.
STEPS = 60
STEEPEST = 1e6


@dataclass(frozen=True)
class ScoreProbabilities:
    """``1 / (1 + exp(-A z))`` for two classes, ``softmax(A z)`` for more.

    Parameters
    ----------
    above, below : float
        A for scores above and below 0; more than two classes have one.

    Examples
    --------
    >>> made = ScoreProbabilities.learned(np.array([[2.0], [-2.0]]), np.array([1, 0]), np.array([50.0, 50.0]))
    >>> made.probabilities(np.array([[2.0], [0.0]])).round(2)
    array([[0.02, 0.98],
           [0.5 , 0.5 ]])
    """

    above: float
    below: float

    @classmethod
    def learned(cls, scores: Array, codes: IndexArray, weight: Array) -> Self:
        """Return the slopes of the largest likelihood of labels, as Platt (1999) smooths them.

        A class of n rows counts as ``(n + 1) / (n + 2)`` of itself: separable scores have finite slopes.

        Parameters
        ----------
        scores : array, shape (n, 1) or (n, K)
            Of rows that the model has not seen.
        codes : int array, shape (n,)
        weight : array, shape (n,)
        """
        if not len(scores):
            return cls(1.0, 1.0)
        if scores.shape[1] > 1:
            mass = np.bincount(codes, weight, scores.shape[1])[codes]
            sure = (mass + 1.0) / (mass + 2.0)
            k = scores.shape[1]

            def lost(a: float) -> float:
                logs = log_softmax(a * scores, axis=1)
                own = logs[np.arange(len(codes)), codes]
                rest = (logs.sum(axis=1) - own) / (k - 1)
                return -float(weight @ (sure * own + (1.0 - sure) * rest))

            slope = _smallest(lost)
            return cls(slope, slope)
        z = scores[:, 0]
        mass = np.bincount(codes, weight, 2)
        target = np.where(codes == 1, (mass[1] + 1.0) / (mass[1] + 2.0), 1.0 / (mass[0] + 2.0))

        def side(part: NDArray[np.bool_]) -> float:
            if not part.any():
                return 1.0
            zs, t, w = z[part], target[part], weight[part]
            return _smallest(lambda a: -float(w @ (t * log_expit(a * zs) + (1.0 - t) * log_expit(-a * zs))))

        return cls(side(z > 0.0), side(z < 0.0))

    def probabilities(self, scores: Array) -> Array:
        """Return the probabilities of the classes, shape (n, K)."""
        score = self._stretched(scores)
        if score.shape[1] > 1:
            return np.asarray(softmax(score, axis=1))
        return np.concatenate([expit(-score), expit(score)], axis=1)

    def logarithms(self, scores: Array) -> Array:
        """Return the logarithms of the probabilities, exact far into the tails, shape (n, K)."""
        return softmax_logs(self._stretched(scores))

    def _stretched(self, z: Array) -> Array:
        """Return the scores times their slopes, which are the log-odds of two classes."""
        if z.shape[1] > 1:
            return self.above * z
        with np.errstate(over="ignore"):
            return np.asarray(np.where(z > 0.0, self.above, self.below) * z)


def _smallest(lost: object) -> float:
    """Return the slope in [1e-9, 1e6] that loses least, by golden section over its logarithm."""
    f = lost
    assert callable(f)
    low, high, golden = np.log(1e-9), np.log(STEEPEST), (5.0**0.5 - 1.0) / 2.0
    a, b = high - golden * (high - low), low + golden * (high - low)
    fa, fb = f(np.exp(a)), f(np.exp(b))
    for _ in range(STEPS):
        if fa <= fb:
            high, b, fb = b, a, fa
            a = high - golden * (high - low)
            fa = f(np.exp(a))
        else:
            low, a, fa = a, b, fb
            b = low + golden * (high - low)
            fb = f(np.exp(b))
    return float(np.exp(0.5 * (low + high)))
