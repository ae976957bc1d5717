"""One cloud with columns like those of the rows: skewed and cut as they are.

Levels, truth values and counts put rows into lumps, which every method takes for clusters and which no
Gaussian has; skewed columns make a cloud with one long side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.margins import Margin, level_blocks, read_margin
from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["OneCloudNull"]

ROUNDS = 5  # corrections of the correlations for what cutting takes off
SIMULATED = 4_000  # rows by which they are corrected
WIDE = 200  # columns from which they are not


@dataclass(frozen=True)
class OneCloudNull:
    """Rows ``F_j^{-1}(Phi(z_j))`` with z from one Gaussian: a Gaussian copula with the correlations of the
    normal scores of the rows, whose columns get the values of the rows where they take few of them, and else
    their skewness and tails by Tukey's g-and-h distribution, which has one hump.

    A column in lumps has at most twelve different values, or one value in a fifth of the rows.  Neighbouring
    columns of two values that give each row exactly one level (one-hot) are drawn as one column of levels.

    Parameters
    ----------
    margins : tuple of Margin, optional
        The columns of the rows; read from them when None.
    root : array, shape (m, r), optional
        ``root root'`` are the correlations of z.

    Notes
    -----
    Two humps of a column of many values become one, so that groups in it are not repeated.  Groups that are
    lumps of a single column are: one column of few values is never more grouped than itself.  Cutting weakens
    correlations; those of z are raised in 5 rounds until 4,000 drawn rows have those of the rows, where there
    are columns in lumps and no more than 200.  With more columns than rows the root is made of their scores.
    Reading the rows costs O(n p log n + min(n p^2, n^2 p)), a draw O(n p min(n, p)).

    "Normal to anything": Cario and Nelson (1997), Modeling and generating random vectors with arbitrary
    marginal distributions and correlation matrix, Northwestern University.  g and h: Hoaglin (1985), in
    Exploring Data Tables, Trends, and Shapes, chapter 11.

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows(np.arange(40.0).reshape(20, 2) % 3))
    >>> np.unique(OneCloudNull().draw(axes, np.random.default_rng(0)))
    array([0., 1., 2.])
    """

    margins: tuple[Margin, ...] | None = None
    root: Array | None = None

    name = "one_cloud"
    label = "one cloud with columns like these"
    tested = True

    def prepared(self, axes: Axes) -> OneCloudNull:
        """Return the law of these rows, which all draws share.

        Parameters
        ----------
        axes : Axes
        """
        X, weight = axes.cells, axes.weight
        margins = tuple(read_margin(X, b, axes.scores[:, 0], weight) for b in level_blocks(X))
        return OneCloudNull(margins, _correlated(margins, weight))

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from one cloud.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        if self.margins is None or self.root is None:
            return self.prepared(axes).draw(axes, rng)
        Z = rng.standard_normal((len(axes.cells), self.root.shape[1])) @ self.root.T
        out = np.empty(axes.cells.shape, dtype=axes.dtype)
        for z, margin in zip(Z.T, self.margins, strict=True):
            out[:, margin.block] = margin.cells(z)
        return out


def _correlated(margins: tuple[Margin, ...], weight: Array) -> Array:
    """Return a root of the correlations which, after cutting, are those of the rows."""
    scores = np.column_stack([_standard(m.scores[m.codes], weight) for m in margins])
    if len(margins) > min(WIDE, len(weight)):
        return _unit_rows((scores * np.sqrt(weight / weight.sum())[:, None]).T)
    target = _correlations(scores, weight)
    root = _root(target)
    if all(m.smooth is not None for m in margins):
        return root
    noise = np.random.default_rng(23).standard_normal((SIMULATED, len(margins)))
    latent, alike = target.copy(), np.ones(SIMULATED)
    for _ in range(ROUNDS):
        cut = [
            z if m.smooth is not None else m.scores[np.searchsorted(m.edges, z)]
            for z, m in zip((noise @ root.T).T, margins, strict=True)
        ]
        seen = _correlations(np.column_stack([_standard(c, alike) for c in cut]), alike)
        latent = np.clip(latent + target - seen, -0.98, 0.98)
        np.fill_diagonal(latent, 1.0)
        root = _root(latent)
    return root


def _standard(scores: Array, weight: Array) -> Array:
    """Return scores with mean 0 and variance 1; those of a constant column are 0."""
    share = weight / weight.sum()
    scores = scores - share @ scores
    spread = float(share @ np.square(scores)) ** 0.5
    return scores / spread if spread > 1e-12 else 0.0 * scores


def _correlations(scores: Array, weight: Array) -> Array:
    R = np.asarray(scores.T @ (scores * (weight / weight.sum())[:, None]))
    np.fill_diagonal(R, 1.0)
    return R


def _root(R: Array) -> Array:
    """Return a root of the nearest matrix without negative eigenvalues, its diagonal being 1 again."""
    values, vectors = np.linalg.eigh(0.5 * (R + R.T))
    return _unit_rows(vectors * np.sqrt(np.maximum(values, 0.0)))


def _unit_rows(root: Array) -> Array:
    length = np.sqrt(np.square(root).sum(axis=1, keepdims=True))
    return np.asarray(root / np.maximum(length, 1e-150))
