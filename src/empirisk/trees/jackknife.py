"""Sampling variance of a forest's prediction from the trees that were grown anyway."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["ForestVariance", "Jackknife"]

Floats = NDArray[np.float64]
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
    """Infinitesimal jackknife and jackknife after bootstrap, as quadratic forms in the predictions of the trees.

    With counts ``N_ib`` (how often tree b drew row i), centred over trees, and centred predictions ``t_b``:
    ``V_IJ = sum_i (1/T sum_b N_ib t_b)^2``, and ``V_JB = (n-1)/n sum_i (mean of t_b over the trees without
    i)^2``. Either is ``t' A t`` with a matrix A of T rows that is computed once; no n x T x m array appears.

    Parameters
    ----------
    infinitesimal, after : array of shape (T, T)
        The two matrices.
    noise_infinitesimal, noise_after : float
        What pure luck of T trees adds to each per unit of variance of the trees.
    n : int
        Training rows.

    Notes
    -----
    Both are biased upward by the luck of few trees (about ``n/T`` times the variance of a tree, far more than
    the variance itself); the expectation under random pairing of counts and predictions is subtracted. Left over
    is noise of about ``sqrt(2n)/T`` tree variances. Apart from that the infinitesimal jackknife is too small
    and the jackknife after bootstrap too large for small n; their mean is recommended. Without replacement
    the infinitesimal one carries the factor ``(n-1)/n (n/(n-s))^2`` of Wager and Athey, and the other one
    does not apply. Cost: O(n T^2) once, O(T^2) a prediction; memory O(T^2).

    References
    ----------
    S. Wager, T. Hastie, B. Efron, "Confidence intervals for random forests: the jackknife and the
    infinitesimal jackknife", JMLR 15 (2014). S. Wager, S. Athey, "Estimation and inference of heterogeneous
    treatment effects using random forests", JASA 113 (2018). L. Mentch, G. Hooker, JMLR 17 (2016).

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

    infinitesimal: Floats
    after: Floats | None
    noise_infinitesimal: float
    noise_after: float
    n: int

    @classmethod
    def from_counts(cls, counts: NDArray, replace: bool = True) -> Jackknife:
        """From how often each tree drew each row.

        Parameters
        ----------
        counts : array of shape (n, T)
            Whole numbers.
        replace : bool, default True
            Whether the rows of a tree were drawn with replacement.

        Raises
        ------
        ValueError
            With fewer than two trees, trees that all saw the same rows, or (without replacement) all rows.
        """
        n, T = counts.shape
        if T < 2:
            raise ValueError(f"the variance of a forest needs at least two trees, got {T}.")
        first, second, after = np.zeros((T, T)), 0.0, np.zeros((T, T)) if replace else None
        noise_after = 0.0
        for at in range(0, n, max(1, BLOCK // T)):
            block = counts[at : at + max(1, BLOCK // T)].astype(np.float64)
            if after is not None:
                out = block == 0
                alone = out.sum(axis=1)
                out, alone = out[alone > 0], alone[alone > 0, None]
                mean = out / alone
                after += mean.T @ mean
                noise_after += float((1.0 / alone - 1.0 / T).sum())
            block -= block.mean(axis=1, keepdims=True)
            first += block.T @ block
            second += float((block**2).sum())
        if second == 0.0:
            raise ValueError(
                "every tree saw the same rows: the variance needs trees on random samples of rows"
            )
        scale = 1.0 if replace else _finite(n, int(counts[:, 0].sum()))
        shrink = (n - 1.0) / n
        return cls(
            scale * first / T**2,
            None if after is None else shrink * after,
            scale * second / T / (T - 1.0),
            shrink * noise_after,
            n,
        )

    def variance(self, predictions: Floats, method: str = "mean") -> ForestVariance:
        """Variances from the predictions of the trees.

        Parameters
        ----------
        predictions : array of shape (m, T) or (m, T, k)
            What each tree predicts for each row.
        method : {"mean", "infinitesimal", "after"}, default "mean"
            ``"mean"`` averages the two (without replacement: the infinitesimal one).
        """
        if method not in ("mean", "infinitesimal", "after"):
            raise ValueError(f'method must be "mean", "infinitesimal" or "after", got {method!r}.')
        if self.after is None and method == "after":
            raise ValueError("the jackknife after bootstrap needs rows drawn with replacement")
        parts = [
            p for p in ("infinitesimal", "after") if method in (p, "mean") and getattr(self, p) is not None
        ]
        A = sum(getattr(self, p) for p in parts) / len(parts)
        noise = sum(getattr(self, f"noise_{p}") for p in parts) / len(parts)
        P = np.asarray(predictions, dtype=np.float64)
        P = P[:, :, None] if P.ndim == 2 else P
        m, T, k = P.shape
        if T != len(self.infinitesimal):
            raise ValueError(f"predictions of {T} trees, but the counts are of {len(self.infinitesimal)}.")
        value = P.mean(axis=1)
        sampling, spread = np.empty((m, k)), P.var(axis=1)
        for c in range(k):
            centred = P[:, :, c] - value[:, None, c]
            sampling[:, c] = np.einsum("mt,mt->m", centred @ A, centred)
        sampling -= noise * spread
        below = sampling < 0.0
        return ForestVariance(
            value, np.where(below, 0.0, sampling), spread / (T - 1.0), float(below.mean()) if m else 0.0
        )


def _finite(n: int, drawn: int) -> float:
    """``(n-1)/n (n/(n-s))^2`` for samples of s of n rows without replacement."""
    if drawn >= n:
        raise ValueError("every tree saw all rows: the variance needs trees on random samples of rows")
    return (n - 1.0) / n * (n / (n - drawn)) ** 2
