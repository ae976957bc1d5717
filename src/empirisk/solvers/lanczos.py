"""Lanczos' method with thick restarts, for graphs whose smallest eigenvalues stand apart from the others.

Wu and Simon 2000, SIAM Journal on Matrix Analysis and Applications 22.  A Krylov space of one vector holds
each eigenvalue once, so that copies are missed: what is found is asked again with another random vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from empirisk.solvers.locally_optimal import Product, across
from empirisk.typing import Array

__all__ = ["Ritz", "second_look", "thick_lanczos"]

# Vectors of the space, and rounds: graphs of many dimensions take 1 to 3, others are left to the block
# iteration, to which the vectors are a start.  CPU seconds, ten neighbours, 8 eigenvalues: 10,000 rows of 8
# groups in 10 columns 0.05 (block 0.5), 20,000 normal rows in 3 columns 0.8 in 7 rounds (block 0.9).
SPACE, ROUNDS = 60, 3
# Residual over the bound of the spectrum at which the rounds end.
FINE = 1e-8
# Largest residual over the last wanted value, after 20 vectors and after the first round, above which the
# rest is left to the block iteration; and over the bound after the second.  Measured after the first round: 0
# to 0.4 where two more rounds suffice, 0.6 for 10,000 normal rows in 3 columns, 11 for moons of 20,000 rows.
PROBE, UNCLEAR, UNSETTLED, HOPELESS = 20, 1.0, 0.5, 1e-3


@dataclass(frozen=True, eq=False)
class Ritz:
    """Orthonormal vectors of a Krylov space.

    Parameters
    ----------
    values : array, shape (m,)
        Rising.
    vectors : array, shape (n, m)
    error : float
        The largest residual of the wanted ones.
    """

    values: Array
    vectors: Array
    error: float


def thick_lanczos(
    product: Product, start: Array, known: Any, wanted: int, bound: float, rounds: int = ROUNDS
) -> Ritz:
    """Return the smallest Ritz pairs across known vectors, from one starting vector.

    Parameters
    ----------
    product : callable
        The operator times columns.
    start : array, shape (n,)
        Not in the span of the known vectors.
    known : sparse matrix or array, shape (n, c)
        Orthonormal eigenvectors that the space keeps away from.
    wanted : int
        Pairs whose residuals count; some more are kept and returned.
    bound : float
        No eigenvalue is larger.
    rounds : int, default 3
        Restarts at most.
    """
    n, keep = len(start), min(wanted + 8, SPACE - 10)
    Q, H = np.zeros((n, SPACE + 1), order="F"), np.zeros((SPACE + 1, SPACE + 1))
    Q[:, 0] = _unit(across(start[:, None], known)[:, 0])
    size, left = 0, 0.0
    if rounds > 1 and wanted < PROBE // 2:
        size, left = _grown(product, Q, H, 0, PROBE, known, bound)
        values, _, error = _pairs(H, size, left, wanted)
        if size < PROBE or error > UNCLEAR * abs(values[wanted - 1]):
            return _ritz(Q, H, size, left, wanted, keep)
    for done in range(rounds):
        size, left = _grown(product, Q, H, size, SPACE, known, bound)
        values, turn, error = _pairs(H, size, left, wanted)
        last = error <= FINE * bound or size < SPACE or done == rounds - 1
        if last or error > (UNSETTLED * abs(values[wanted - 1]), HOPELESS * bound, bound)[min(done, 2)]:
            break
        Q[:, :keep] = Q[:, :SPACE] @ turn[:, :keep]
        # The next vector couples to each kept one by its residual.
        Q[:, keep] = Q[:, SPACE]
        H[:] = 0.0
        H[np.arange(keep), np.arange(keep)] = values[:keep]
        size = keep
    return _ritz(Q, H, size, left, wanted, keep)


def _pairs(H: Array, size: int, left: float, wanted: int) -> tuple[Array, Array, float]:
    """Return the values of a space, the turns to their vectors, and the largest residual that counts."""
    values, turn = eigh(H[:size, :size], check_finite=False)
    return values, turn, left * float(np.abs(turn[size - 1, :wanted]).max(initial=0.0))


def _ritz(Q: Array, H: Array, size: int, left: float, wanted: int, keep: int) -> Ritz:
    """Return the smallest Ritz pairs of the space."""
    values, turn, error = _pairs(H, size, left, wanted)
    few = min(keep, size)
    return Ritz(values[:few], np.ascontiguousarray(Q[:, :size] @ turn[:, :few]), error)


def _grown(
    product: Product, Q: Array, H: Array, size: int, goal: int, known: Any, bound: float
) -> tuple[int, float]:
    """Fill the space from vector `size` up to a goal; return how many it has, and the length of the rest."""
    left = 0.0
    for j in range(size, goal):
        v = Q[:, j : j + 1]
        # Known vectors go to the top of the spectrum: projected away they would stay at its lower end, where
        # rounding makes them grow.
        w = (product(v) + bound * (known @ (known.T @ v)))[:, 0]
        h = np.zeros(j + 1)
        for _ in range(2):  # once more, because the first projection leaves rounding of the size of w
            more = Q[:, : j + 1].T @ w
            w = w - Q[:, : j + 1] @ more
            h += more
        H[: j + 1, j] = H[j, : j + 1] = h
        left = float(np.linalg.norm(w))
        if left <= 1e-13 * bound:  # the space is invariant: it holds no more from this vector
            return j + 1, 0.0
        Q[:, j + 1] = w / left
    return goal, left


def second_look(product: Product, start: Array, known: Any, found: Ritz, wanted: int, bound: float) -> Ritz:
    """Return the smallest Ritz pairs across what was found, from another vector, in one round.

    When one of its values is below the last wanted one, an eigenvalue was missed.
    """
    V = found.vectors[:, :wanted]
    every = np.hstack([known.toarray(), V]) if known.shape[1] else V
    return thick_lanczos(product, start, every, 1, bound, 1)


def _unit(v: Array) -> Array:
    """Return a vector over its length."""
    return np.asarray(v / np.linalg.norm(v))
