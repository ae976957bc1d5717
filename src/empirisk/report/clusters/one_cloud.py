"""Rows without groups whose columns are like those of a table: one cloud, skewed and cut as they are.

Levels, truth values and counts put rows into lumps, which every method takes for clusters and which no
Gaussian has; skewed columns make a cloud with one long side.  The null here is a Gaussian copula ("normal to
anything"): one Gaussian cloud with the correlations of the rows, whose columns are then given the values of
the file where they take few of them, and else the skewness and the tails of the column by Tukey's g-and-h
distribution, which has one hump.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from empirisk.report.clusters.matrix import Matrix

__all__ = ["OneCloud", "column_blocks", "lumpy"]

Floats = NDArray[np.float64]
FEW = 12  # distinct values up to which a number lies in lumps
ATOM = 0.2  # share of the rows with one value from which it does, too
ROUNDS = 5  # corrections of the correlations for what cutting takes off
SIMULATED = 4_000  # rows by which they are corrected
LARGEST_SKEW, LARGEST_TAIL = 1.5, 0.5
MIDDLE, OUTER, NINETY = 0.6744897501960817, 1.959963984540054, 1.2815515655446004


def column_blocks(matrix: Matrix) -> list[NDArray[np.intp]]:
    """Return the encoded columns of each column of the table."""
    sources = [o.source for o in matrix.origins]
    return [np.flatnonzero([s == name for s in sources]) for name in dict.fromkeys(sources)]


def lumpy(values: Floats) -> bool:
    """Return whether the values of a column lie in lumps: few different ones, or one that is very frequent.

    Examples
    --------
    >>> lumpy(np.arange(50.0)), lumpy(np.arange(50.0) % 4), lumpy(np.r_[np.zeros(20), 1.0:31.0])
    (False, True, True)
    """
    counts = np.unique(values, return_counts=True)[1]
    return bool(len(counts) <= FEW or counts.max() > ATOM * len(values))


@dataclass(frozen=True)
class _Margin:
    """One column of the table: the encoded rows that it can give, in their order, or a smooth distribution.

    `codes` holds the place of each row in `values`, encoded rows of shape (m, width); `smooth` (skewness and
    tail) is None for a column in lumps.
    """

    block: NDArray[np.intp]
    values: Floats
    codes: NDArray[np.intp]
    smooth: tuple[float, float] | None

    @property
    def edges(self) -> Floats:
        """Return where the standard normal line is cut into the values."""
        shares = np.bincount(self.codes, minlength=len(self.values)) / len(self.codes)
        return np.asarray(ndtri(np.cumsum(shares)[:-1]), dtype=np.float64)


class OneCloud:
    """Draws rows from one cloud with the correlations, the values and the shapes of the columns of a table.

    Parameters
    ----------
    matrix : Matrix
    rows : int array
        Those of its rows that the cloud is like.
    seed : int
        Of the rows by which correlations are corrected.
    """

    def __init__(self, matrix: Matrix, rows: NDArray[np.intp], seed: int) -> None:
        X = matrix.X[rows]
        lead = _leading(X)
        self.shape = X.shape
        self.margins = [_margin(X, block, lead) for block in column_blocks(matrix)]
        self.spread = X.std(axis=0)
        self.middle = X.mean(axis=0)
        self.root = self._correlated(seed)

    def draw(self, rng: np.random.Generator) -> Floats:
        """Return as many encoded rows as there are."""
        Z = rng.normal(size=(self.shape[0], len(self.margins))) @ self.root.T
        out = np.empty(self.shape)
        for z, m in zip(Z.T, self.margins, strict=True):
            if m.smooth is None:
                out[:, m.block] = m.values[np.searchsorted(m.edges, z)]
            else:
                x = _g_and_h(z, *m.smooth)
                j = m.block[0]
                out[:, j] = self.middle[j] + (x - x.mean()) * (self.spread[j] / max(float(x.std()), 1e-300))
        return out

    def _correlated(self, seed: int) -> Floats:
        """Return a root of the correlations which, after cutting, are those of the rows."""
        target = np.corrcoef(np.column_stack([_scores(m.codes) for m in self.margins]), rowvar=False)
        target = np.atleast_2d(target)
        rng = np.random.default_rng([seed, 23])
        noise = rng.normal(size=(SIMULATED, len(self.margins)))
        latent, root = target.copy(), _root(target)
        for _ in range(ROUNDS):
            Z = noise @ root.T
            cut = [
                np.searchsorted(m.edges, z) if m.smooth is None else z
                for z, m in zip(Z.T, self.margins, strict=True)
            ]
            seen = np.atleast_2d(np.corrcoef(np.column_stack([_scores(c) for c in cut]), rowvar=False))
            latent = np.clip(latent + np.nan_to_num(target - seen), -0.98, 0.98)
            np.fill_diagonal(latent, 1.0)
            root = _root(latent)
        return root


def _margin(X: Floats, block: NDArray[np.intp], lead: Floats) -> _Margin:
    values, codes = np.unique(X[:, block], axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    if len(block) > 1:  # levels have no order: that of their rows along the first component
        place = np.bincount(codes, weights=lead) / np.bincount(codes)
        order = np.argsort(place, kind="stable")
        values, codes = values[order], np.argsort(order)[codes]
    x = X[:, block[0]]
    return _Margin(block, values, codes, None if len(block) > 1 or lumpy(x) else _shape(x))


def _leading(X: Floats) -> Floats:
    centred = X - X.mean(axis=0)
    return np.asarray(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1])


def _scores(values: NDArray[np.generic]) -> Floats:
    """Return normal scores, equal values sharing one; a constant column gets those of its row numbers."""
    ranks = rankdata(values)
    out = np.asarray(ndtri((ranks - 0.5) / len(ranks)), dtype=np.float64)
    return out if np.ptp(out) > 0.0 else np.asarray(ndtri((np.arange(len(ranks)) + 0.5) / len(ranks)))


def _root(R: Floats) -> Floats:
    """Return a root of the nearest matrix without negative eigenvalues, its diagonal being 1 again."""
    values, vectors = np.linalg.eigh(0.5 * (R + R.T))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root / np.sqrt(np.maximum((root**2).sum(axis=1, keepdims=True), 1e-300)))


def _shape(x: Floats) -> tuple[float, float]:
    """Return g and h from quantiles: how skewed a column is, and how long its tails are."""
    low, middle, high = np.quantile(x, ndtr([-NINETY, 0.0, NINETY]))
    if not low < middle < high:
        return 0.0, 0.0
    g = float(np.clip(np.log((high - middle) / (middle - low)) / NINETY, -LARGEST_SKEW, LARGEST_SKEW))
    spans = []
    for z in (MIDDLE, OUTER):
        a, b = np.quantile(x, ndtr([-z, z]))
        spans.append(np.log(max(b - a, 1e-300) / _span(g, z)))
    h = 2.0 * (spans[1] - spans[0]) / (OUTER**2 - MIDDLE**2)
    return g, float(np.clip(h, 0.0, LARGEST_TAIL))


def _span(g: float, z: float) -> float:
    return 2.0 * z if abs(g) < 1e-6 else (np.exp(g * z) - np.exp(-g * z)) / g


def _g_and_h(z: Floats, g: float, h: float) -> Floats:
    """Return ``(exp(g z) - 1)/g exp(h z^2 / 2)``, which rises with z for h >= 0."""
    core = z if abs(g) < 1e-6 else np.expm1(g * z) / g
    return np.asarray(core * np.exp(0.5 * h * z * z))
