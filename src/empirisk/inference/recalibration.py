"""Maps from scores to probabilities, learned on rows that the model has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import brentq, isotonic_regression
from scipy.special import log_softmax

from empirisk.data.sums import weighted_sum
from empirisk.losses.softmax import Softmax
from empirisk.typing import Array, IndexArray

__all__ = ["Isotonic", "Recalibration", "Temperature", "fit_isotonic", "fit_temperature"]

COLDEST, HOTTEST = 1e-3, 1e3  # beyond, probabilities are 0 and 1, or all equal


class Recalibration(Protocol):
    """Probabilities in, better ones out; the classes keep their columns."""

    def __call__(self, z: Array) -> Array:
        """Return the probabilities, shape (n, K), of scores of shape (n, K)."""
        ...

    def logarithm(self, z: Array) -> Array:
        """Return the logarithms of these probabilities, shape (n, K); -inf where one is 0."""
        ...


@dataclass(frozen=True)
class Temperature:
    """``softmax(z / T)``: one number for all classes, which leaves the most probable class where it is.

    Parameters
    ----------
    value : float
        T, > 0; above 1 the scores were too sure of themselves.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger 2017, ICML.

    Examples
    --------
    >>> Temperature(2.0)(np.array([[0.0, 2.0 * np.log(3.0)]])).round(6).tolist()
    [[0.25, 0.75]]
    """

    value: float

    def __call__(self, z: Array) -> Array:
        return Softmax().mean(z / self.value)

    def logarithm(self, z: Array) -> Array:
        """Return the logarithms of the probabilities, exact far into the tails, shape (n, K)."""
        return np.asarray(log_softmax(z / self.value, axis=1))


def fit_temperature(z: Array, codes: IndexArray, weight: Array) -> Temperature:
    """Return the T that minimises ``-sum_i s_i log softmax(z_i / T)_{y_i}``, within [0.001, 1000].

    The sum is convex in ``b = 1/T`` with the slope ``sum_i s_i (E_p[z_i] - z_{i, y_i})``, whose root is
    bracketed.

    Examples
    --------
    >>> z = np.tile([0.0, 2.0 * np.log(3.0)], (4, 1))  # says 9 to 1 where 3 of 4 are right
    >>> round(fit_temperature(z, np.array([1, 1, 1, 0]), np.ones(4)).value, 9)
    2.0
    """
    own = np.take_along_axis(z, codes[:, None].astype(np.intp), axis=1)[:, 0]

    def slope(log_b: float) -> float:
        p = Softmax().mean(np.exp(log_b) * z)
        return float(weighted_sum(weight, (p * z).sum(axis=1) - own))

    low, high = -np.log(HOTTEST), -np.log(COLDEST)
    if slope(low) >= 0.0:
        return Temperature(HOTTEST)
    if slope(high) <= 0.0:
        return Temperature(COLDEST)
    return Temperature(float(np.exp(-brentq(slope, low, high, xtol=1e-12, rtol=1e-14))))


@dataclass(frozen=True)
class Isotonic:
    """For each class a non-decreasing step function of its probability, then a division by the sum.

    With two classes one function, of the probability of the second.

    Parameters
    ----------
    knots, levels : tuple of arrays
        Where each function is known, and its values there; straight lines between, constant outside.

    References
    ----------
    Zadrozny & Elkan 2002, KDD.

    Examples
    --------
    >>> half = Isotonic((np.array([0.0, 1.0]),), (np.array([0.25, 0.75]),))
    >>> half(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    knots: tuple[Array, ...]
    levels: tuple[Array, ...]

    def __call__(self, z: Array) -> Array:
        p = Softmax().mean(z)
        if len(self.knots) == 1:
            second = np.interp(p[:, 1], self.knots[0], self.levels[0])
            return np.column_stack([1.0 - second, second])
        q = np.column_stack(
            [np.interp(p[:, k], x, v) for k, (x, v) in enumerate(zip(self.knots, self.levels, strict=True))]
        )
        total = q.sum(axis=1)
        # Where every function says 0 the classes keep the probabilities that they had.
        return np.where(total[:, None] > 0.0, q / np.where(total > 0.0, total, 1.0)[:, None], p)

    def logarithm(self, z: Array) -> Array:
        """Return the logarithms of the probabilities, shape (n, K); -inf where a step has level 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self(z)))


def fit_isotonic(z: Array, codes: IndexArray, weight: Array) -> Isotonic:
    """Return the least-squares isotonic regression of "is this class" on its probability, one for each
    class.

    Rows with the same probability are pooled first, so that the result does not depend on their order.  The
    values stay ``1/(n + 2)`` away from 0 and 1: n rows never show that something cannot happen, and one such
    row would make a log-loss infinite.

    Examples
    --------
    >>> z = np.column_stack([np.zeros(4), [-2.0, -1.0, 1.0, 2.0]])
    >>> fit_isotonic(z, np.array([0, 1, 0, 1]), np.ones(4)).levels[0].tolist()
    [0.16666666666666666, 0.5, 0.5, 0.8333333333333334]
    """
    p = Softmax().mean(z)
    columns = [1] if p.shape[1] == 2 else range(p.shape[1])
    least = 1.0 / (len(p) + 2.0)
    knots, levels = [], []
    for k in columns:
        x, where = np.unique(p[:, k], return_inverse=True)
        mass = np.bincount(where, weights=weight)
        hit = np.bincount(where, weights=weight * (codes == k)) / mass
        knots.append(x)
        levels.append(np.clip(isotonic_regression(hit, weights=mass).x, least, 1.0 - least))
    return Isotonic(tuple(knots), tuple(levels))
