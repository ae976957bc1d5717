"""Sampling variance of a forest's prediction from the trees that were grown anyway.

Wager, Hastie and Efron, Journal of Machine Learning Research 15 (2014).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["ForestVariance", "Jackknife"]

Floats = NDArray[np.float64]
METHODS = ("mean", "infinitesimal", "after")
BLOCK = 1 << 22  # numbers of a block of rows


@dataclass(frozen=True, eq=False)
class ForestVariance:
    """Two variances of the prediction of a forest of T trees.

    Parameters
    ----------
    value : array of shape (m, k)
        The predictions: means over the trees.
    sampling : array of shape (m, k)
        Of the mean over infinitely many trees, over samples of training rows; never negative.
    monte_carlo : array of shape (m, k)
        Of the mean over T trees about that, over seeds.
    clipped : float
        Share of predictions whose corrected variance was negative and was set to 0: where it is more than a
        few per cent, the trees are too few to tell the variance from their noise.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> low, high = ForestVariance(0 * one, 3 * one, one, 0.0).interval(0.95)
    >>> round(float(high[0, 0]), 2)
    3.92
    """

    value: Floats
    sampling: Floats
    monte_carlo: Floats
    clipped: float

    @property
    def standard_error(self) -> Floats:
        """Root of the sum of both, (m, k)."""
        return np.sqrt(self.sampling + self.monte_carlo)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """``value -+ z standard_error``: for the *expected* prediction of this kind of forest at the row.

        It covers the noise of the training sample and of the seed. It does not cover the bias of the forest
        (how far its expected prediction is from the mean of y), nor the noise of y.
        """
        half = special.ndtri(0.5 + 0.5 * level) * self.standard_error
        return self.value - half, self.value + half


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Infinitesimal jackknife and jackknife after bootstrap: quadratic forms in the predictions of the trees.

    With counts ``N_ib`` (how often tree b drew row i), centred over trees, and centred predictions ``t_b``:
    ``V_IJ = sum_i (1/T sum_b N_ib t_b)^2``, and ``V_JB = (n-1)/n sum_i (mean of t_b over the trees without
    i)^2``. Either is ``t' A t`` with a matrix A of T rows that is computed once; no n x T x m array appears.

    Parameters
    ----------
    matrix : array of shape (T, T)
        A.
    noise : float
        What pure luck of T trees adds to ``t' A t``, per unit of variance of the trees.
    ratio, spread : float or None
        Mean over rows of V per unit of variance of the trees, and the variance of this ratio from row to row
        (of :meth:`calibrate`).

    Notes
    -----
    Both are biased upward by the luck of few trees (about ``n/T`` times the variance of a tree, far more than
    the variance itself); the expectation under random pairing of counts and predictions is subtracted. Left
    over is noise of about ``sqrt(2n)/T`` tree variances, with intervals that are too short wherever it is
    negative. :meth:`calibrate` measures on the training rows what V is on average, and draws each V towards
    that as far as the noise says (empirical Bayes). Apart from that the infinitesimal jackknife is too small
    and the jackknife after bootstrap too large for small n; their mean is the default. Without replacement
    the infinitesimal one carries the factor ``(n-1)/n (n/(n-s))^2`` of Wager and Athey, and the other one
    does not apply. Cost: O(n T^2) once, O(T^2) a prediction; memory O(T^2).

    References
    ----------
    S. Wager, T. Hastie, B. Efron, "Confidence intervals for random forests: the jackknife and the
    infinitesimal jackknife", JMLR 15 (2014). S. Wager, S. Athey, "Estimation and inference of heterogeneous
    treatment effects using random forests", JASA 113 (2018). L. Mentch, G. Hooker, "Quantifying uncertainty
    in random forests", JMLR 17 (2016).

    Examples
    --------
    The mean of a sample, bagged: its variance is ``s^2/n``.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=50)
    >>> counts = rng.multinomial(50, np.full(50, 0.02), size=4000).T
    >>> found = Jackknife.from_counts(counts).variance((y @ counts / 50)[None, :])
    >>> bool(abs(found.sampling[0, 0] / (y.var() / 50) - 1) < 0.1)
    True
    """

    matrix: Floats
    noise: float
    ratio: float | None = None
    spread: float = 0.0

    @classmethod
    def from_counts(cls, counts: NDArray, replace: bool = True, method: str = "mean") -> Jackknife:
        """From how often each tree drew each row.

        Parameters
        ----------
        counts : array of shape (n, T)
            Whole numbers.
        replace : bool, default True
            Whether the rows of a tree were drawn with replacement.
        method : {"mean", "infinitesimal", "after"}, default "mean"
            ``"mean"`` averages the two (without replacement: the infinitesimal one).

        Raises
        ------
        ValueError
            When the method is unknown or does not apply, with fewer than two trees, trees that all saw the
            same rows, or (without replacement) all rows.
        """
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
        if not replace and method == "after":
            raise ValueError("the jackknife after bootstrap needs rows drawn with replacement.")
        if counts.ndim != 2 or counts.shape[1] < 2:
            raise ValueError("the variance of a forest needs at least two trees: raise n_estimators.")
        if (counts == counts[:, :1]).all():
            raise ValueError(
                "every tree saw the same rows: the variance needs trees on random samples of rows."
            )
        makers = [_infinitesimal] if method != "after" else []
        makers += [_after] if method != "infinitesimal" and replace else []
        parts = [make(counts, replace) for make in makers]
        matrix = np.mean([A for A, _ in parts], axis=0)
        return cls(matrix, sum(noise for _, noise in parts) / len(parts))

    def calibrate(self, predictions: Floats, unseen: NDArray) -> Jackknife:
        """With the mean and the spread of ``V / variance of the trees`` over some training rows.

        Each row is looked at through the trees that did not see it, whose predictions vary as at a new
        row. A few hundred rows are enough.

        Parameters
        ----------
        predictions : array of shape (m, T) or (m, T, k)
            Of the trees at these rows.
        unseen : bool array of shape (m, T)
            Whether the tree did not see the row.
        """
        P, some = _three(predictions), unseen.astype(np.float64)
        count = some.sum(axis=1)
        P, some, count = P[count > 1], some[count > 1], count[count > 1]
        grow = (len(self.matrix) / count) ** 2
        trace = some @ np.diag(self.matrix) - np.einsum("mt,mt->m", some @ self.matrix, some) / count
        raw, spreads = [], []
        for c in range(P.shape[2]):
            mean = (some * P[:, :, c]).sum(axis=1) / count
            t = some * (P[:, :, c] - mean[:, None])
            square = (t**2).sum(axis=1)
            form = np.einsum("mt,mt->m", t @ self.matrix, t)
            raw.append(grow * (form - trace * square / (count - 1.0)))
            spreads.append(square / count)
        variance, V = np.concatenate(spreads), np.concatenate(raw)
        noise = np.tile(grow * self._noise_variance, P.shape[2])
        # Rows on which all trees agree up to rounding have no ratio of variances.
        use = variance > 1e-12 * variance.max(initial=0.0)
        if np.count_nonzero(use) < 2:
            return self
        ratio = float(V.sum() / variance.sum())
        around = (V[use] / variance[use] - ratio) ** 2
        spread = float(np.mean(around - noise[use] - 4.0 * max(ratio, 0.0) / count.mean()))
        return replace(self, ratio=max(0.0, ratio), spread=max(0.0, spread))

    def variance(self, predictions: Floats) -> ForestVariance:
        """Variances from the predictions of the trees.

        Parameters
        ----------
        predictions : array of shape (m, T) or (m, T, k)
            What each tree predicts for each row.
        """
        P = _three(predictions)
        m, T, k = P.shape
        if len(self.matrix) != T:
            raise ValueError(f"predictions of {T} trees, but the counts are of {len(self.matrix)}.")
        value = P.mean(axis=1)
        sampling, spread = np.empty((m, k)), P.var(axis=1)
        for c in range(k):
            t = P[:, :, c] - value[:, None, c]
            sampling[:, c] = np.einsum("mt,mt->m", t @ self.matrix, t)
        sampling -= self.noise * spread
        if self.ratio is not None:
            noise = self._noise_variance + 4.0 * self.ratio / T
            trust = self.spread / (self.spread + noise)
            sampling = trust * sampling + (1.0 - trust) * self.ratio * spread
        below = sampling < 0.0
        share = float(below.mean()) if m else 0.0
        return ForestVariance(value, np.where(below, 0.0, sampling), spread / (T - 1.0), share)

    @cached_property
    def _noise_variance(self) -> float:
        """Variance of ``t' A t`` for independent t of variance 1, apart from its mean: ``2 tr(A^2)``."""
        A = self.matrix - self.matrix.mean(axis=0) - self.matrix.mean(axis=1)[:, None] + self.matrix.mean()
        return 2.0 * float((A**2).sum() - np.trace(A) ** 2 / max(1, len(A) - 1))


def _three(predictions: Floats) -> Floats:
    P = np.asarray(predictions, dtype=np.float64)
    return P[:, :, None] if P.ndim == 2 else P


def _blocks(counts: NDArray) -> Iterator[Floats]:
    step = max(1, BLOCK // counts.shape[1])
    for first in range(0, len(counts), step):
        yield counts[first : first + step].astype(np.float64)


def _infinitesimal(counts: NDArray, replace: bool) -> tuple[Floats, float]:
    """``sum_i N_i N_i' / T^2`` for centred counts, and its noise."""
    n, T = counts.shape
    A, total = np.zeros((T, T)), 0.0
    for N in _blocks(counts):
        N -= N.mean(axis=1, keepdims=True)
        A += N.T @ N
        total += float((N**2).sum())
    scale = 1.0 if replace else _finite(n, int(counts[:, 0].sum()))
    return scale * A / T**2, scale * total / T / (T - 1.0)


def _after(counts: NDArray, replace: bool) -> tuple[Floats, float]:
    """``sum_i z_i z_i' / |z_i|^2`` with z_i the trees that did not draw row i, and its noise."""
    n, T = counts.shape
    A, noise = np.zeros((T, T)), 0.0
    for N in _blocks(counts):
        without = N == 0
        size = without.sum(axis=1)
        some = size > 0
        mean = without[some] / size[some, None]
        A += mean.T @ mean
        noise += float((1.0 / size[some] - 1.0 / T).sum()) * T / (T - 1.0)
    shrink = (n - 1.0) / n
    return shrink * A, shrink * noise


def _finite(n: int, drawn: int) -> float:
    """``(n-1)/n (n/(n-s))^2`` for samples of s of n rows without replacement."""
    if drawn >= n:
        raise ValueError("every tree saw all rows: the variance needs trees on random samples of rows.")
    return (n - 1.0) / n * (n / (n - drawn)) ** 2
