"""Bi-cross-validation: how well the other rows and columns predict a block that was held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.reduction.centred import CentredRows
from empirisk.typing import Array

__all__ = ["bi_cross_validation"]

FOLDS = 2  # of rows and of columns
REPEATS = 3  # of their random division
MOST = 50  # ranks that are tried


def bi_cross_validation(data: CentredRows, rng: np.random.Generator) -> Array:
    """Return the mean squared error of held-out blocks for ranks 0, 1, ...

    For rows and columns divided in ``[[A, B], [C, D]]``, the block A is predicted by ``B D_k^+ C``, where D_k
    is the truncated singular value decomposition of D.

    Parameters
    ----------
    data : CentredRows
        Columns are centred on all rows; weights multiply rows by their root.
    rng : Generator
        Draws the divisions.

    Returns
    -------
    array, shape (ranks,)

    Raises
    ------
    ValueError
        For fewer than four rows or columns, or sparse rows.

    Notes
    -----
    Owen and Perry (2009, Annals of Applied Statistics 3), with halves of the rows and of the columns: their
    2 x 2 holdouts, which they find best where a moderate rank is likely; 3 divisions, O(n p min(n, p)) each.
    """
    n, p = data.shape
    if min(n, p) < 4:
        raise ValueError(
            f'n_components="bcv" divides rows and columns in halves and needs 4 of each, got {n} x {p}'
        )
    if data.sparse:
        raise ValueError('n_components="bcv" needs dense rows; give a number, or "parallel"')
    refuse_memory(f"the centred copy of {n:,} x {p:,} numbers", 24.0 * n * p, 'use n_components="parallel"')
    A = np.vstack([np.sqrt(s)[:, None] * X for block in data.rows for X, s in data.chunks(block)])
    A = A[np.any(A != 0.0, axis=1)]
    ranks = min(MOST, min(len(A), p) // 2) + 1
    errors = np.zeros(ranks)
    for _ in range(REPEATS):
        rows, columns = _halves(len(A), rng), _halves(p, rng)
        for r in range(FOLDS):
            for c in range(FOLDS):
                errors += _errors(A, rows == r, columns == c, ranks)
    return errors / (REPEATS * A.size)


def _halves(n: int, rng: np.random.Generator) -> Any:
    return np.asarray(rng.permutation(n) % FOLDS)


def _errors(A: Array, rows: Any, columns: Any, ranks: int) -> Array:
    """Return the sums of squared errors of one block for all ranks, each from the rank before."""
    held = A[np.ix_(rows, columns)].copy()
    left, above = A[np.ix_(~rows, columns)], A[np.ix_(rows, ~columns)]
    U, size, V = np.linalg.svd(A[np.ix_(~rows, ~columns)], full_matrices=False)
    out = np.zeros(ranks)
    out[0] = float(np.square(held).sum())
    for k in range(1, ranks):
        if k > len(size) or size[k - 1] <= 1e-12 * size[0]:
            out[k:] = out[k - 1]
            break
        held -= np.outer(above @ V[k - 1], (U[:, k - 1] @ left) / size[k - 1])
        out[k] = float(np.square(held).sum())
    return out
