"""The plane in which rows are drawn: their two columns, or their two leading principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, svds

from empirisk.typing import Array

__all__ = ["Plane", "plane_of"]

SMALL = 600  # the shorter side up to which the matrix of inner products is made and decomposed


@dataclass(frozen=True, eq=False)
class Plane:
    """Two directions with a centre, and the share of the variance that lies in their plane.

    Parameters
    ----------
    mean : array, shape (p,)
        Weighted means of the columns; zeros where the plane is that of two columns.
    axes : array, shape (k, p)
        Orthonormal directions, k <= 2; of each, the loading of largest size is positive.
    shares : array, shape (k,)
        Of each direction, its share of the variance of all columns; zeros where no column varies.
    columns : bool
        Whether the directions are the columns themselves.
    """

    mean: Array
    axes: Array
    shares: Array
    columns: bool

    @property
    def share(self) -> float:
        """Share of the variance of all columns that the plane shows, at most 1."""
        return min(1.0, float(self.shares.sum()))

    def place(self, X: Any) -> Array:
        """Return where rows lie in the plane, shape (n, k)."""
        return np.asarray(X @ self.axes.T - self.mean @ self.axes.T, dtype=np.float64)


def plane_of(X: Any, weight: Array) -> Plane:
    """Return the plane that shows most of the variance of the rows.

    Parameters
    ----------
    X : ndarray or CSR array, shape (n, p)
        Finite numbers; a sparse matrix is not made dense.
    weight : array, shape (n,)
        Weights >= 0, not all of them 0.

    Notes
    -----
    With at most two columns they are the plane.  Else the leading eigenvectors of the covariance, from the
    matrix of inner products on the shorter side where that has at most 600 rows, O(n p min(n, p)); else by
    Lanczos' method, O(n p) a step.

    Examples
    --------
    >>> plane = plane_of(np.array([[0.0, 0.0, 1.0], [2.0, 2.0, 1.0], [4.0, 4.0, 1.0]]), np.ones(3))
    >>> plane.axes[0].round(3), round(plane.share, 6)
    (array([0.707, 0.707, 0.   ]), 1.0)
    """
    n, p = X.shape
    share = np.asarray(weight / weight.sum(), dtype=np.float64)
    mean = np.asarray(share @ X, dtype=np.float64)
    unit = _unit(X)
    if p <= 2:
        spread = np.sqrt(share) @ np.square((_dense(X) - mean) / unit)
        total = float(spread.sum())
        return Plane(np.zeros(p), np.eye(p), spread / total if total else spread, True)
    root = np.sqrt(share)
    axes, values, total = _leading(X / unit, mean / unit, root, min(2, n))
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    return Plane(mean, axes, values / total if total > 0.0 else 0.0 * values, False)


def _unit(X: Any) -> float:
    """Return the largest absolute number, so that squares neither overflow nor vanish; 1 where all are 0."""
    data = X.data if _sparse(X) else X
    return float(np.abs(data).max(initial=0.0)) or 1.0


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if _sparse(X) else X, dtype=np.float64)


def _leading(X: Any, mean: Array, root: Array, k: int) -> tuple[Array, Array, float]:
    """Return orthonormal directions, their variances, and the variance of all columns."""
    n, p = X.shape
    if _sparse(X):
        scaled: Any = sp.diags_array(root) @ X
        total = float(np.square(scaled.data).sum(dtype=np.float64) - mean @ mean)
    else:
        scaled = root[:, None] * (X - mean)
        total = float(np.square(scaled).sum(dtype=np.float64))
    shift = mean if _sparse(X) else np.zeros(p)
    if min(n, p) > SMALL:
        centred = LinearOperator(
            (n, p),
            matvec=lambda v: scaled @ np.ravel(v) - root * (shift @ np.ravel(v)),
            rmatvec=lambda u: scaled.T @ np.ravel(u) - shift * (root @ np.ravel(u)),
            dtype=np.float64,
        )
        # The start is any vector that no data are orthogonal to by design; it is the same in every run.
        start = np.cos(np.arange(1.0, min(n, p) + 1.0))
        _, values, axes = svds(centred, k=k, v0=start)
        return axes[::-1].copy(), np.square(values[::-1]), total
    if p <= n:
        inner = scaled.T @ scaled
        inner = _dense(inner) - np.outer(shift, shift)
        values, axes = linalg.eigh(inner, subset_by_index=(p - k, p - 1))
        return axes.T[::-1].copy(), np.maximum(values[::-1], 0.0), total
    inner, off = _dense(scaled @ scaled.T), np.outer(scaled @ shift, root)
    inner = inner - off - off.T + (shift @ shift) * np.outer(root, root)
    values, left = linalg.eigh(inner, subset_by_index=(n - k, n - 1))
    back = np.asarray(scaled.T @ left) - np.outer(shift, root @ left)
    # Where the rows span less than a plane, directions are completed to orthonormal ones.
    axes = np.linalg.qr(back)[0]
    return axes.T[::-1].copy(), np.maximum(values[::-1], 0.0), total


def _sparse(X: Any) -> bool:
    return bool(sp.issparse(X))
