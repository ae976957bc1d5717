"""One iteration of the locally optimal block preconditioned conjugate gradients (LOBPCG).

Knyazev 2001, SIAM Journal on Scientific Computing 23; the basis is made orthonormal in every iteration, as
Hetmaniuk and Lehoucq 2006, Journal of Computational Physics 218, found to be needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from empirisk.typing import Array

__all__ = ["Block", "across", "advance", "first_block", "orthonormal"]

# Directions whose squared size is below this share of the largest are rounding.
LOST = 1e-13
# A vector whose residual is below this share of the largest one waits for the others.
WAITS = 1e-2

Product = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Block:
    """Vectors on the way to eigenvectors.

    Parameters
    ----------
    X, AX : array, shape (n, m)
        Orthonormal vectors and their products with the operator.
    values : array, shape (m,)
        Their Rayleigh-Ritz values, rising.
    P : array, shape (n, q) or None
        The directions of the last iteration.
    """

    X: Array
    AX: Array
    values: Array
    P: Array | None = None

    @property
    def residual(self) -> Array:
        """The residuals ``A X - X diag(values)``, one column a vector."""
        return np.asarray(self.AX - self.X * self.values)


def across(V: Array, Q: Any) -> Array:
    """Return the columns of V without their parts in the span of the orthonormal columns of Q."""
    return np.asarray(V - Q @ (Q.T @ V)) if Q.shape[1] else V


def orthonormal(V: Array) -> Array:
    """Return an orthonormal basis of the span of V, without directions that are rounding."""
    for _ in range(2):  # the second round removes what the first one's rounding leaves
        size = np.sqrt(np.einsum("ij,ij->j", V, V))
        V = V[:, size > 0.0] / size[size > 0.0]
        G = V.T @ V
        values, turn = eigh(G, check_finite=False)
        kept = values > LOST * max(float(values[-1]), 1e-300) if len(values) else values > 0.0
        V = V @ (turn[:, kept] / np.sqrt(values[kept]))
    return np.asarray(V)


def first_block(product: Product, V: Array) -> Block:
    """Return the block of the span of V, turned to its Rayleigh-Ritz vectors."""
    X = orthonormal(V)
    return _turned(X, product(X))


def _turned(X: Array, AX: Array) -> Block:
    H = X.T @ AX
    values, turn = eigh(0.5 * (H + H.T), check_finite=False)
    return Block(X @ turn, AX @ turn, values)


def advance(
    product: Product, block: Block, wanted: int, null: Any, inverse: Product | None, afresh: bool
) -> Block:
    """Return the block of the smallest Rayleigh-Ritz vectors of X, preconditioned residuals and P.

    Parameters
    ----------
    product : callable
        The operator times columns.
    block : Block
        Where the iteration is.
    wanted : int
        The vectors that count; the others of the block speed them up.
    null : sparse matrix, shape (n, c)
        Orthonormal vectors that the search keeps away from.
    inverse : callable or None
        The preconditioner.
    afresh : bool
        Whether products of X are computed and not updated, so that rounding does not pile up.
    """
    X, AX = block.X, block.AX
    if afresh:
        X = orthonormal(across(X, null))
        block = _turned(X, product(X))
        X, AX = block.X, block.AX
    R = block.residual
    size = np.linalg.norm(R, axis=0)
    R = R[:, size > WAITS * float(size[:wanted].max())]
    W = R if inverse is None else inverse(R)
    S = W if block.P is None or afresh else np.hstack([W, block.P])
    S = S / np.maximum(np.linalg.norm(S, axis=0), 1e-300)
    S = orthonormal(across(across(S, null), X))
    S = across(across(S, null), X)
    S = orthonormal(S)
    if S.shape[1] == 0:
        return block
    AS = product(S)
    m = X.shape[1]
    corner = X.T @ AS
    H = np.block([[np.diag(block.values), corner], [corner.T, S.T @ AS]])
    values, turn = eigh(0.5 * (H + H.T), subset_by_index=[0, m - 1], check_finite=False)
    P = S @ turn[m:]
    return Block(X @ turn[:m] + P, AX @ turn[:m] + AS @ turn[m:], values, P)
