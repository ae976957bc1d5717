"""Ordered classes: cut points on the scale of one linear score, with logistic or normal noise.

McCullagh, Journal of the Royal Statistical Society B 42 (1980).  The negative log-likelihood is convex in the
coefficients and the cut points together: Pratt, Journal of the American Statistical Association 76 (1981).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, ndtri

from empirisk.data.brief import Brief
from empirisk.problems.base import Layout, Part
from empirisk.problems.likelihoods.base import Sums
from empirisk.typing import Array, IndexArray

__all__ = ["LINKS", "Ordered", "class_slopes", "log_chances"]

LINKS = ("logit", "probit")


@dataclass(frozen=True, eq=False, repr=False)
class Ordered(Brief):
    """``-log(F(c_k - x.w) - F(c_{k-1} - x.w))`` of a row of class k, with ``c_0 = -inf`` and ``c_K = inf``.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, p)
        Columns in float64.
    codes : array of int, shape (n,)
        Classes 0 .. K-1, each of which has a row with weight.
    weight : array, shape (n,)
        Weights >= 0.
    n_classes : int
        K >= 2.
    link : {"logit", "probit"}
        F is the logistic or the normal distribution.

    Examples
    --------
    >>> import numpy as np
    >>> model = Ordered(np.zeros((4, 1)), np.array([0, 1, 1, 2]), np.ones(4), 3)
    >>> model.start().round(4).tolist(), round(model.sums(model.start(), False).loss, 4)
    ([0.0, -1.0986, 1.0986], 1.0397)
    """

    X: Any
    codes: IndexArray
    weight: Array
    n_classes: int
    link: str = "logit"

    name = "ordered"
    convex = True

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return len(self.codes), self.p

    @cached_property
    def layout(self) -> Layout:
        """The coefficients, then the cut points, which have no penalty."""
        parts = Part("coefficients", self.p), Part("cut points", self.n_classes - 1, penalised=False)
        return Layout((self.p + self.n_classes - 1,), parts)

    @property
    def p(self) -> int:
        """The number of columns, which is that of the coefficients."""
        return int(self.X.shape[1])

    @cached_property
    def total(self) -> float:
        """The sum of the weights of all rows."""
        return float(self.weight.sum())

    def start(self) -> Array:
        """Return the best cut points without columns: quantiles of F at the shares of the classes."""
        count = np.bincount(self.codes, self.weight, self.n_classes)
        below, above = count.cumsum()[:-1], count[::-1].cumsum()[::-1][1:]
        if self.link == "logit":
            cuts = np.log(below) - np.log(above)
        else:
            low = below < above
            cuts = np.where(low, 1.0, -1.0) * ndtri(np.where(low, below, above) / self.total)
        if not (np.diff(cuts) > 0.0).all():  # a class whose share is below the rounding of the others
            cuts = np.maximum.accumulate(cuts) + 1e-6 * np.arange(len(cuts))
        return np.concatenate([np.zeros(self.p), cuts])

    def _ends(self, w: Array) -> tuple[Array, Array]:
        """Return the upper and lower end of the interval of each row, on the scale of the noise."""
        cuts = np.concatenate([[-np.inf], w[self.p :], [np.inf]])
        z = np.asarray(self.X @ w[: self.p])
        return cuts[self.codes + 1] - z, cuts[self.codes] - z

    def _rows(self, w: Array) -> tuple[Array, ...] | None:
        """Return loss, both slopes and three curvatures of each row; None where cut points have no order."""
        if not (np.diff(w[self.p :]) > 0.0).all() or not np.isfinite(w).all():
            return None
        width = np.diff(np.concatenate([[-np.inf], w[self.p :], [np.inf]]))[self.codes]
        rows = _logistic_rows if self.link == "logit" else _normal_rows
        return rows(*self._ends(w), width)

    def sums(self, w: Array, hessian: bool) -> Sums:
        """Return value and derivatives; the value is infinite where the cut points are not increasing."""
        rows = self._rows(w)
        if rows is None:
            return Sums(np.inf, np.zeros(len(w)), None)
        loss, up, down, upup, updown, downdown = (self.weight * r / self.total for r in rows)
        grad = np.concatenate([-(self.X.T @ (up + down)), self._per_cut(up, down)])
        if not hessian:
            return Sums(float(loss.sum()), grad)
        k, p = self.n_classes - 1, self.p
        H = np.zeros((p + k, p + k))
        curve = upup + 2.0 * updown + downdown
        H[:p, :p] = _gram(self.X, curve)
        # The cut above a row of class c has number c, the cut below it c - 1.
        by_cut = np.zeros((len(curve), k))
        inside, above = np.flatnonzero(self.codes < k), np.flatnonzero(self.codes > 0)
        by_cut[inside, self.codes[inside]] += (upup + updown)[inside]
        by_cut[above, self.codes[above] - 1] += (updown + downdown)[above]
        H[:p, p:] = -np.asarray(self.X.T @ by_cut)
        H[p:, :p] = H[:p, p:].T
        H[p:, p:] = np.diag(self._per_cut(upup, downdown))
        both = np.bincount(self.codes, updown, k + 1)[1:k]
        H[p + np.arange(k - 1), p + 1 + np.arange(k - 1)] = both
        H[p + 1 + np.arange(k - 1), p + np.arange(k - 1)] = both
        return Sums(float(loss.sum()), grad, H)

    def _per_cut(self, up: Array, down: Array) -> Array:
        """Return the sums over the rows whose upper, and whose lower end is each cut point."""
        k = self.n_classes
        return np.asarray(np.bincount(self.codes, up, k)[:-1] + np.bincount(self.codes, down, k)[1:])

    def slopes(self, w: Array) -> Array:
        """Return the gradient of the loss of each row."""
        rows = self._rows(w)
        if rows is None:
            return np.full((len(self.codes), len(w)), np.nan)
        _, up, down, *_ = rows
        X = self.X.toarray() if hasattr(self.X, "toarray") else self.X
        cuts = np.zeros((len(up), self.n_classes + 1))
        each = np.arange(len(up))
        cuts[each, self.codes + 1] += up
        cuts[each, self.codes] += down
        return np.hstack([-(up + down)[:, None] * X, cuts[:, 1:-1]])

    def sizes(self, w: Array) -> Array:
        """Return the mean size of the terms whose sums are the gradient."""
        rows = self._rows(w)
        if rows is None:
            return np.full(len(w), np.inf)
        up, down = (self.weight * np.abs(r) / self.total for r in rows[1:3])
        return np.concatenate([abs(self.X).T @ (up + down), self._per_cut(up, down)])

    def moves(self, w: Array, directions: Array) -> Sequence[Array]:
        """Return the moves of both ends of each row, and of the distances of neighbouring cut points."""
        z = np.asarray(self.X @ directions[: self.p])
        edge = np.zeros((1, directions.shape[1]))
        cuts = np.vstack([edge, directions[self.p :], edge])
        live = self.weight > 0.0
        upper, lower = live & (self.codes < self.n_classes - 1), live & (self.codes > 0)
        up = cuts[self.codes[upper] + 1] - z[upper]
        down = cuts[self.codes[lower]] - z[lower]
        return up, down, np.diff(directions[self.p :], axis=0)

    def shrinkage(self, w: Array, reach: Sequence[Array]) -> float:
        """The logistic loss is a sum of convex functions of one number, whose curvatures have closed forms.

        ``-log(F(a) - F(b)) = softplus(-a) + softplus(b) - log(1 - exp(-(a - b)))``: the curvature of softplus
        falls by ``exp(-m)`` at most over a move of m, the last one's is ``1 / (4 sinh^2(d / 2))``.
        """
        if self.link != "logit":
            return 0.0
        up, down, apart = reach
        most = max(up.max(initial=0.0), down.max(initial=0.0))
        width = np.diff(w[self.p :])
        # sinh(a) / sinh(b) without overflow.
        a, b = 0.5 * width, 0.5 * (width + apart)
        ratio = np.exp(a - b) * np.expm1(-2.0 * a) / np.expm1(-2.0 * b)
        return float(min(np.exp(-most), (ratio * ratio).min(initial=1.0)))


def log_chances(cuts: Array, z: Array, link: str) -> Array:
    """Return the logarithms of the probabilities of all classes, shape (n, K).

    Examples
    --------
    >>> np.exp(log_chances(np.array([-1.0, 1.0]), np.array([0.0]), "logit")).round(4).tolist()
    [[0.2689, 0.4621, 0.2689]]
    """
    return np.stack([-rows[0] for rows in _by_class(cuts, z, link)], axis=1)


def class_slopes(cuts: Array, z: Array, link: str) -> tuple[Array, Array]:
    """Return the derivatives of all probabilities: in the score (n, K), in the cuts (n, K, K - 1)."""
    k = len(cuts)
    by_score, by_cut = np.zeros((len(z), k + 1)), np.zeros((len(z), k + 1, k + 2))
    for c, (loss, up, down, *_) in enumerate(_by_class(cuts, z, link)):
        chance = np.exp(-loss)
        by_score[:, c] = chance * (up + down)
        by_cut[:, c, c + 1] -= chance * up
        by_cut[:, c, c] -= chance * down
    return by_score, by_cut[:, :, 1:-1]


def _by_class(cuts: Array, z: Array, link: str) -> Iterator[tuple[Array, ...]]:
    """Yield loss, slopes and curvatures of all rows as if they were of each class."""
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    rows = _logistic_rows if link == "logit" else _normal_rows
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for low, up in pairwise(ends):
            yield rows(up - z, low - z, np.full(len(z), up - low))


def _gram(X: Any, v: Array) -> Array:
    """Return ``X' diag(v) X`` as a dense matrix."""
    product = X.T @ (X.multiply(v[:, None]) if hasattr(X, "multiply") else X * v[:, None])
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


def _logistic_rows(up: Array, low: Array, width: Array) -> tuple[Array, ...]:
    """Return loss, slopes and curvatures in both ends, by terms that do not cancel."""
    over, under = expit(-up), expit(low)
    loss = -log_expit(up) - log_expit(-low) - np.log(-np.expm1(-width))
    gap = np.exp(-width) / -np.expm1(-width)  # 1 / (e^d - 1)
    bend = gap / -np.expm1(-width)
    return (
        loss, -over - gap, under + gap,
        over * expit(up) + bend, -bend, under * expit(-low) + bend,
    )  # fmt: skip


def _normal_rows(up: Array, low: Array, width: Array) -> tuple[Array, ...]:
    """Return the same for normal noise; both ends are taken in the tail where digits are."""
    flip = low + up > 0.0  # then both are turned to the left tail
    a, b = np.where(flip, -low, up), np.where(flip, -up, low)
    top, bottom = log_ndtr(a), log_ndtr(b)
    log_mass = top + np.log1p(-np.exp(bottom - top))
    with np.errstate(over="ignore", invalid="ignore"):
        r = np.where(np.isfinite(a), np.exp(-0.5 * a * a - log_mass), 0.0) / np.sqrt(2.0 * np.pi)
        s = np.where(np.isfinite(b), np.exp(-0.5 * b * b - log_mass), 0.0) / np.sqrt(2.0 * np.pi)
    a0, b0 = np.where(np.isfinite(a), a, 0.0), np.where(np.isfinite(b), b, 0.0)
    up_slope, low_slope = -r, s
    upup, lowlow, cross = r * (r + a0), s * (s - b0), -r * s
    turned = (-low_slope, -up_slope, lowlow, cross, upup)
    plain = (up_slope, low_slope, upup, cross, lowlow)
    return (-log_mass, *(np.where(flip, t, f) for t, f in zip(turned, plain, strict=True)))
