"""Leading eigenpairs from products with a covariance alone: Lanczos' method with thick restarts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.reduction.centred import CentredRows
from empirisk.reduction.spectrum import Spectrum, signed
from empirisk.typing import Array

__all__ = ["by_lanczos"]

EPS = float(np.finfo(float).eps)
NEXT = 1e-3  # residual of the pair behind those wanted, over the largest eigenvalue: it only tells the gap
LOOK = 6  # directions between two looks at the residuals
BASIS = 60  # directions beyond three times those wanted, before a restart


def by_lanczos(data: CentredRows, k: int, tol: float, max_iter: int, rng: np.random.Generator) -> Spectrum:
    """Return the leading eigenpairs to a residual of ``tol`` times the largest eigenvalue.

    Parameters
    ----------
    data : CentredRows
    k : int
        Eigenpairs wanted.
    tol : float > 0
    max_iter : int
        Products with the covariance, each of them one pass over the rows.
    rng : Generator
        Draws the start.

    Notes
    -----
    Wu and Simon (2000, SIAM J. Matrix Analysis 22): the basis, reorthogonalised in full, holds ``3 k + 60``
    directions at most and restarts from half of them.  A pass and O(p) numbers a direction.  A random start
    has a part in every eigenvector with probability 1, so that missing a larger eigenvalue is unlikely; it
    is proved only where the rest of the trace is too small for one.
    """
    n, p = data.shape
    count = min(k + 1, n, p)
    most = min(p, 3 * count + BASIS)
    refuse_memory(f"{most + 1} directions of {p:,} columns", 8.0 * (most + 1) * p, "lower n_components")
    basis = _Basis(data, most, rng)
    basis.converged = lambda values, slack: _small(values, slack, min(k, count), tol)
    keep, done = 0, False
    while not done:
        values, Y, slack = basis.extended(keep, most, max_iter)
        done = basis.converged(values, slack) or basis.products >= max_iter or basis.whole
        keep = min(len(values) - 1, (len(values) + min(count, len(values))) // 2)
        if not done:
            basis.restart(values, Y, keep)
    return _finished(data, basis, values, Y, slack, k)


def _small(values: Array, slack: Array, k: int, tol: float) -> bool:
    """Return whether the pairs wanted have small residuals, and the one behind them is roughly known."""
    size = max(float(values[0]), 0.0)
    return len(values) >= k and bool(
        np.all(slack[:k] <= tol * size) and np.all(slack[k : k + 1] <= NEXT * size)
    )


class _Basis:
    """Orthonormal directions and the matrix of the covariance on them.

    Attributes
    ----------
    products : int
        Passes so far.
    converged : callable
        Says of Ritz values and residuals whether they are good enough; asked every few directions.
    whole : bool
        Whether the directions span all columns, or a space that the covariance maps into itself and
        outside of which it is 0.
    """

    def __init__(self, data: CentredRows, most: int, rng: np.random.Generator) -> None:
        self.data, self.rng = data, rng
        self.V = np.zeros((most + 1, data.shape[1]))
        self.T = np.zeros((most, most))
        start = data.apply(rng.standard_normal(data.shape[1]))
        self.V[0] = start / (float(np.linalg.norm(start)) or 1.0)
        self.products, self.whole, self.size = 1, False, 0
        self.converged: Callable[[Array, Array], bool] = lambda values, slack: False

    def extended(self, first: int, most: int, limit: int) -> tuple[Array, Array, Array]:
        """Add directions up to `most`, or until `limit` products are made.

        Returns
        -------
        values, vectors, residuals : array
            Of the Ritz pairs, with falling values.
        """
        end = 0.0
        for j in range(first, most):
            if j > first and self.products >= limit:
                break
            self.size = j + 1
            w = self.data.apply(self.V[j])
            self.products += 1
            before = float(np.linalg.norm(w))
            h = self.V[: j + 1] @ w
            w -= h @ self.V[: j + 1]
            end = float(np.linalg.norm(w))
            if end < 0.7 * before:  # what cancelled has left directions of the basis in w
                again = self.V[: j + 1] @ w
                w -= again @ self.V[: j + 1]
                h += again
                end = float(np.linalg.norm(w))
            self.T[: j + 1, j] = self.T[j, : j + 1] = h
            if end <= 4.0 * EPS * max(before, float(np.abs(self.T[: j + 1, : j + 1]).max())):
                end, self.whole = 0.0, True
                break
            self.V[j + 1] = w / end
            if j < most - 1 and (j - first) % LOOK == LOOK - 1:
                found = self._pairs(end)
                if self.converged(found[0], found[2]):
                    return found
        return self._pairs(end)

    def _pairs(self, end: float) -> tuple[Array, Array, Array]:
        values, Y = np.linalg.eigh(self.T[: self.size, : self.size])
        values, Y = values[::-1], Y[:, ::-1]
        return values, Y, end * np.abs(Y[-1])

    def restart(self, values: Array, Y: Array, keep: int) -> None:
        """Keep the leading Ritz vectors and the direction that the last product led to."""
        self.V[:keep] = Y[:, :keep].T @ self.V[: self.size]
        self.V[keep] = self.V[self.size]
        self.T[:] = 0.0
        self.T[:keep, :keep] = np.diag(values[:keep])


def _finished(data: CentredRows, basis: _Basis, values: Array, Y: Array, slack: Array, k: int) -> Spectrum:
    """Return the Ritz pairs with the residual of one more pass, not that of the recurrence."""
    floor = data.total * data.rounding
    level = max(EPS * max(data.shape) * float(values[0]), 0.0)
    kept = min(k, int((values > level).sum())) if values[0] > 0.0 else 0
    Q, _ = np.linalg.qr((Y[:, :kept].T @ basis.V[: basis.size]).T)
    axes = signed(Q.T)
    image = data.apply(axes.T)
    found = np.einsum("kp,pk->k", axes, image)
    residual = float(np.linalg.norm(image - axes.T * found))
    rest, missed = _left(data.total, found, values + slack, kept, basis, floor)
    route = f"{basis.products + 1} products with the covariance"
    return Spectrum(found, axes, rest, residual, floor, route, None, missed, basis.products + 1)


def _left(
    total: float, found: Array, values: Array, kept: int, basis: _Basis, floor: float
) -> tuple[float, str]:
    """Return the next eigenvalue as far as it is known, and what is known of larger ones."""
    ahead = max(0.0, total - float(found.sum())) + floor
    following = float(values[kept]) if kept < len(values) else 0.0
    if kept and ahead < float(found[-1]):
        return min(ahead, max(following, 0.0)) if basis.whole else ahead, "none is larger, by the trace"
    return max(following, 0.0), "that none larger was missed is almost sure from a random start, not proved"
