"""What the stochastic steps read: rows in memory order, and the coordinates in which a step is taken.

Columns of unlike sizes make one step size too long for some and too short for others.  So steps are taken in
the coordinates ``v_j = w_j / scale_j`` of columns that are centred (dense X) and scaled,

    x~_j = (x_j - center_j) scale_j,    scale_j = 1 / max(sd_j, range_j / 5),

which changes neither the problem nor its minimiser: a penalty on w is a weighted one on v.  The range keeps
the rows of a rare column (an indicator that is almost always 0, say) from being longer than the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.losses.base import Loss
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, IndexArray

__all__ = ["SAMPLE", "StochasticRows", "curvature_scale", "random_order", "stochastic_rows"]

# Rows that are looked at for ranges of columns and lengths of rows.
SAMPLE = 4_096
# Data beyond the caches (bytes) are met in blocks of so many consecutive rows: half the time of single rows.
CACHE, BLOCK = 32_000_000, 8
# A column counts as wide when its range is more than this many standard deviations.
WIDE = 5.0


@dataclass(frozen=True)
class StochasticRows:
    """Arrays for :func:`empirisk._loops.stochastic_steps`, and the constants of its coordinates.

    Parameters
    ----------
    X : array or CSR
        Rows contiguous in memory.
    weight : array or None
        ``s_i m / S``, m the number of rows with weight: their mean over those rows is 1.
    active : array
        The rows with weight, the only ones that are drawn.
    center, scale : array or None
        Of the coordinates.
    share : array or None
        Sparse X: m over the number of those rows that store the column.
    kept : array or None
        Sparse X: the columns that are not empty, when few are.  The coordinates are about these alone, so
        that a step, an average and a look cost what the cells cost; an empty column has the coefficient 0.
    longest, typical : float
        Largest and mean ``weight_i (|x~_i|^2 + 1)`` over at most 4096 rows.
    """

    X: Any
    y: Array
    weight: Array | None
    active: IndexArray
    center: Array | None
    scale: Array | None
    share: Array | None
    kept: IndexArray | None
    n_cols: int
    longest: float
    typical: float
    loss: str
    parameter: float
    intercept: bool

    def inside(self, w: Array) -> NDArray[np.float64]:
        """Return the parameters as the steps see them."""
        v = np.array(self._taken(w), dtype=np.float64)
        p = len(v) - int(self.intercept)
        if self.center is not None and self.intercept:
            v[p] += float(self.center @ v[:p])
        if self.scale is not None:
            v[:p] /= self.scale
        return v

    def outside(self, v: Array) -> Array:
        """Return the parameters for the columns as they were given, the inverse of :meth:`inside`."""
        w = np.array(v)
        p = len(w) - int(self.intercept)
        if self.scale is not None:
            w[:p] *= self.scale
        if self.center is not None and self.intercept:
            w[p] -= float(self.center @ w[:p])
        if self.kept is None:
            return w
        full = np.zeros(self.n_cols + int(self.intercept))
        full[self.kept] = w[:p]
        full[self.n_cols :] = w[p:]
        return full

    def scores(self, w: Array, rows: IndexArray) -> NDArray[np.float64]:
        """Return the scores of some rows at the parameters w, in float64."""
        of_kept = self._taken(np.asarray(w))
        p = len(of_kept) - int(self.intercept)
        slopes = np.asarray(self.X[rows] @ of_kept[:p], dtype=np.float64)
        return slopes + (of_kept[p] if self.intercept else 0.0)

    def _taken(self, w: Array) -> Array:
        """Return the parameters that the coordinates are about."""
        if self.kept is None:
            return w
        return np.concatenate([w[self.kept], w[self.n_cols :]])

    def gradient(self, g: Array) -> Array:
        """Return a gradient in w as one in v."""
        out = np.array(self._taken(g), dtype=np.float64)
        p = len(out) - int(self.intercept)
        if self.center is not None and self.intercept:
            out[:p] -= self.center * out[p]
        if self.scale is not None:
            out[:p] *= self.scale
        return out

    def penalty(self, problem: LinearProblem) -> dict[str, Array | None]:
        """Return the strengths of the parts of the penalty per coordinate; None for a part that is not
        there.
        """
        p = int(self.X.shape[1])
        unit = np.ones(p) if self.scale is None else self.scale
        rest = [0.0] * int(self.intercept)
        of = problem.penalty
        low = np.append(np.zeros(p), [-math.inf] * int(self.intercept)) if of.positive else None
        return {
            "l1": np.append(of.l1 * unit, rest) if of.l1 > 0.0 else None,
            "l2": np.append(of.l2 * unit**2, rest) if of.l2 > 0.0 else None,
            "low": low,
        }

    def steps(
        self, v: NDArray[np.float64], order: IndexArray, sizes: Array, *, every: int = 1, **options: Any
    ) -> None:
        """Take one step for each row in `order`, and change the parameters v in place."""
        _loops.stochastic_steps(
            self.X, self.y, self.weight, self.loss, self.parameter, order, sizes, v,
            center=self.center, scale=self.scale, share=self.share, intercept=self.intercept, every=every,
            **options,
        )  # fmt: skip


def random_order(rows: StochasticRows, rng: np.random.Generator) -> IndexArray:
    """Every row with weight once, in a random order; of blocks of 8 neighbours where X exceeds the caches.

    The blocks begin at a random row (the rows count as a circle), so that each row is as likely as any other
    at every place of the order: a step has the full gradient as its mean before the order is known.
    """
    X, m = rows.X, len(rows.active)
    size = X.data.nbytes + X.indices.nbytes if hasattr(X, "indices") else X.nbytes
    if size <= CACHE:
        return np.asarray(rng.permutation(rows.active))
    first = int(rng.integers(m))
    places = (rng.permutation(-(-m // BLOCK))[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    return np.asarray(rows.active[(places[places < m] + first) % m])


def stochastic_rows(
    problem: LinearProblem,
    *,
    precondition: bool = True,
    coordinates: tuple[Array | None, Array | None] | None = None,
    stored_only: bool = False,
) -> StochasticRows:
    """Prepare a problem; reads X once or twice, and copies it only where rows are not contiguous.

    `coordinates` are the centre and the scale to use instead of those of the data.  With `stored_only` the
    coordinates leave out the empty columns of a sparse X when these are more than half of all.
    """
    data, design = problem.data, problem.design
    n, p = design.shape
    X = design.X
    if design.sparse:
        X = X.tocsr()
    elif p > 1 and X.strides[1] != X.itemsize:
        X = np.ascontiguousarray(X)
    kept = _stored_columns(X) if stored_only and design.sparse else None
    if kept is not None:
        X = X[:, kept]
    active = np.flatnonzero(data.weight > 0.0).astype(np.int64)
    weight = None if data.unit_weights else data.weight * (len(active) / data.total_weight)
    sample = active[:: -(-len(active) // SAMPLE)]
    looked = X[sample] if len(sample) < n else X
    if coordinates is not None:
        center, scale = coordinates
    else:
        center, scale = _coordinates(problem, looked, kept) if precondition else (None, None)
    lengths = _lengths(looked, center, scale) + float(problem.intercept)
    if weight is not None:
        lengths = lengths * weight[sample]
    share = None
    if design.sparse:
        stored = np.bincount((X if len(active) == n else X[active]).indices, minlength=X.shape[1])
        share = len(active) / np.maximum(stored, 1.0)
    loss, parameter = problem.loss.name, problem.loss.parameter
    y = np.asarray(data.y, dtype=np.float64)
    longest, typical = float(lengths.max(initial=0.0)), float(lengths.mean())
    return StochasticRows(
        X, y, weight, active, center, scale, share, kept, p, longest, typical, loss, parameter,
        problem.intercept,
    )  # fmt: skip


def _stored_columns(X: Any) -> IndexArray | None:
    """Return the columns of a CSR matrix that hold a cell; None when they are more than half of all."""
    stored = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    return stored if 2 * len(stored) < X.shape[1] else None


def _coordinates(problem: LinearProblem, looked: Any, kept: IndexArray | None) -> tuple[Array | None, Array]:
    """Centres (None for sparse X and without an intercept) and scales of the columns."""
    mean, variance = problem.moments
    if kept is not None:
        mean, variance = mean[kept], variance[kept]
    if problem.design.sparse:
        size, center = np.sqrt(variance + (mean**2 if problem.intercept else 0.0)), None
        top = np.asarray(abs(looked).max(axis=0).todense(), dtype=np.float64).ravel()
        seen = np.asarray(looked.multiply(looked).sum(axis=0), dtype=np.float64).ravel() / looked.shape[0]
    else:
        size, center = np.sqrt(variance), mean if problem.intercept else None
        away = looked - mean
        top, seen = np.abs(away).max(axis=0), np.einsum("ij,ij->j", away, away) / len(looked)
    # A column that the sample missed is rarer than one row of it, and as much larger where it is not 0.
    hidden = np.where(seen < 0.1 * size**2, math.sqrt(looked.shape[0]) * size, 0.0)
    width = np.maximum(size, np.maximum(top, hidden) / WIDE)
    eps = float(np.finfo(problem.design.dtype).eps)
    flat = width <= 4.0 * eps * np.abs(mean)  # constant but for rounding: nothing to learn from it
    return center, np.where(flat | (width == 0.0), 1.0, 1.0 / np.where(width == 0.0, 1.0, width))


def _lengths(looked: Any, center: Array | None, scale: Array | None) -> Array:
    """Squared lengths of the rows in the coordinates."""
    if center is not None:
        looked = looked - center
    if scale is not None:
        looked = looked.multiply(scale).tocsr() if hasattr(looked, "multiply") else looked * scale
    square = looked.multiply(looked) if hasattr(looked, "multiply") else np.square(looked, dtype=np.float64)
    return np.asarray(square.sum(axis=1), dtype=np.float64).ravel()


def curvature_scale(problem: LinearProblem) -> float:
    """c such that ``1 / (c longest)`` is a sensible step: the largest second derivative where there is one.

    Where there is none, the curvature at the null model (counts, positive targets), or, for piecewise linear
    losses, the change of slope over the distance at which the loss matters: 1 for margins, the mean absolute
    deviation of the targets for regression.
    """
    loss: Loss = problem.loss
    if math.isfinite(loss.curvature[1]) and loss.curvature[1] > 0.0:
        return loss.curvature[1]
    curvature = float(np.max(problem.facts.null_curvature))
    if curvature > 0.0:
        return curvature
    if loss.labels:
        return 1.0
    spread = problem.null_loss
    return 1.0 / spread if spread > 0.0 else 1.0
