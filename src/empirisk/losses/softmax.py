"""The multinomial logistic loss for class codes 0 .. k-1: the log-loss of ``softmax(z)``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from empirisk.data.sums import weighted_sum
from empirisk.losses.abilities import Abilities, PassSums
from empirisk.typing import Array, Capability, Interval

__all__ = ["Softmax"]

NOTHING = 40.0  # exp(-40) is 4e-18, less than the rounding of 1


@dataclass(frozen=True)
class Softmax(Abilities):
    """``l(y, z) = log sum_k exp(z_k) - z_y``, ``y`` a class code, ``z`` of shape (n, k).

    Conjugate: ``sum_k q_k log q_k`` with ``q = u + e_y`` in the simplex, else +inf.  Constants are in
    the Euclidean norm of z.

    Examples
    --------
    >>> loss = Softmax()
    >>> loss.value(np.array([0]), np.array([[0.0, 0.0]]))
    array([0.69314718])
    """

    name = "softmax"
    y_domain = Interval(0.0, math.inf)
    convex = True
    vector = True
    labels = False
    multinomial = True
    ratio = "odds ratio"
    title = "Logistic regression"
    unit_dispersion = True
    likelihood = True
    concordance = 1.0
    shifts = False
    offers = frozenset({Capability.GRAD, Capability.HESS, Capability.CONJUGATE})
    escape = "classes"
    curvature = (0.0, 0.5)
    lipschitz = math.sqrt(2.0)

    def value(self, y: Array, z: Array) -> Array:
        e, largest = _exponentials(z)
        # The largest term is exactly 1: without it, log1p keeps what a loss near zero consists of.
        rest = np.where(e == 1.0, 0.0, e).sum(axis=1) + ((e == 1.0).sum(axis=1, dtype=e.dtype) - 1.0)
        own = np.take_along_axis(z, _codes(y), axis=1)[:, 0]
        return np.asarray((largest - own) + np.log1p(rest))

    def grad(self, y: Array, z: Array) -> Array:
        q = _probabilities(z)
        codes = _codes(y)
        np.put_along_axis(q, codes, np.take_along_axis(q, codes, axis=1) - 1.0, axis=1)
        return np.asarray(q)

    def hess(self, y: Array, z: Array) -> Array:
        q = _probabilities(z)
        return np.asarray(q * (1.0 - q))

    def conjugate(self, y: Array, u: Array) -> Array:
        q = u.copy()
        codes = _codes(y)
        np.put_along_axis(q, codes, np.take_along_axis(q, codes, axis=1) + 1.0, axis=1)
        # Sums of k rounded probabilities miss 1 by a few units in the last place.
        slack = 4.0 * q.shape[1] * float(np.finfo(q.dtype).eps)
        inside = (q >= 0.0).all(axis=1) & (np.abs(q.sum(axis=1) - 1.0) <= slack)
        q = np.maximum(q, 0.0)
        return np.where(inside, xlogy(q, q).sum(axis=1), np.inf)

    def mean(self, z: Array) -> Array:
        return _probabilities(z)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        if dispersion != 1.0:
            raise ValueError(f"dispersion must be 1 for the softmax loss, got {dispersion!r}")
        return np.zeros(len(y))

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """``theta' = (1-t) theta + t (e_y - q)`` with q and the smallest t that make class sums vanish.

        A class without weight has probability 0 in every feasible point: it is taken out of theta first.
        """
        k = theta.shape[1]
        class_weight = np.bincount(_codes(y)[:, 0], weights=s, minlength=k)
        if class_weight.any() and not class_weight.all():
            theta = _without(class_weight > 0.0, y, theta)
        r = weighted_sum(s, theta)
        r = r - r.mean()  # the rows of theta sum to zero, and so must r: rounding would turn q negative
        if not np.any(r):
            return theta
        total = s.sum()
        negative = r < 0.0
        c = float(np.min(class_weight[negative] / -r[negative])) if negative.any() else math.inf
        t = 1.0 / (1.0 + c)
        if t < 1e-30:  # the sums are zero but for rounding, and r / t could overflow
            return theta
        q = class_weight / total
        if t < 1.0:
            q = q + (1.0 - t) * r / (t * total)
        q = np.maximum(q, 0.0)
        q = q / q.sum()
        out = (1.0 - t) * theta - t * q
        codes = _codes(y)
        np.put_along_axis(out, codes, np.take_along_axis(out, codes, axis=1) + t, axis=1)
        return np.asarray(out)

    def null_rows(self, y: Array, s: Array, k: int) -> tuple[Array, Array]:
        """Return one row for each class."""
        shares = np.bincount(_codes(y)[:, 0], weights=s, minlength=k)
        return np.arange(k, dtype=np.float64), shares.astype(np.float64)

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return the cost of replacing a share t of theta by ``t (e_y - q)``.

        The conjugate rises by at most ``t log k``.

        The gradient ``v_jk`` moves by at most ``t (|v_jk| + rms_j)``.
        """
        g = sums.slope
        shares = sums.shares(len(g))
        negative = g > 0.0  # class sums of theta = -l' that are negative
        c = float(np.min(shares[negative] / g[negative])) if negative.any() else math.inf
        t = 1.0 / (1.0 + c)
        return t * math.log(len(g)), np.abs(sums.grad) * (1.0 + t) + t * sums.column_rms[:, None]

    def best_constant(self, y: Array, s: Array) -> Array:
        """Centred logarithms of the class shares; a class without weight gets a share below all rounding."""
        k = int(y.max()) + 1
        with np.errstate(divide="ignore"):
            log_share = np.log(np.bincount(_codes(y)[:, 0], weights=s, minlength=k) / s.sum())
        present = np.isfinite(log_share)
        if present.any():
            log_share[~present] = log_share[present].min() - NOTHING
        return np.asarray(log_share - log_share.mean())


def _without(present: NDArray[np.bool_], y: Array, theta: Array) -> Array:
    """theta whose probabilities ``e_y - theta`` are 0 for the absent classes, the others in proportion."""
    codes = _codes(y)
    q = -theta
    np.put_along_axis(q, codes, np.take_along_axis(q, codes, axis=1) + 1.0, axis=1)
    q[:, ~present] = 0.0
    left = q.sum(axis=1)
    q[left <= 0.0] = present  # a row that gave all to absent classes: any probabilities of the others will do
    out = -q / q.sum(axis=1)[:, None]
    np.put_along_axis(out, codes, np.take_along_axis(out, codes, axis=1) + 1.0, axis=1)
    return np.asarray(out)


def _exponentials(z: Array) -> tuple[Array, Array]:
    """``exp(z - max z)`` and the maxima of the rows."""
    largest = z.max(axis=1)
    return np.exp(z - largest[:, None]), largest


def _probabilities(z: Array) -> Array:
    e, _ = _exponentials(z)
    e /= e.sum(axis=1)[:, None]
    return np.asarray(e)


def _codes(y: Array) -> np.ndarray:
    return np.asarray(y, dtype=np.intp)[:, None]
