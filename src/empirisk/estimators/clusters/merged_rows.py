"""Rows as a metric takes them; matrices that hold no distances and rows without a direction are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from empirisk.data.across import unequal_tiles
from empirisk.data.memory import refuse_memory
from empirisk.typing import Array, IndexArray

__all__ = ["METRICS", "check_distances", "graph_for", "rows_for", "share_of_largest"]

METRICS = {name: name for name in ("euclidean", "manhattan", "cosine", "precomputed")}

# Relative difference of two entries that rounding explains: distances may have been computed both ways.
SYMMETRY = 1e-8
LARGEST_POWER = 1023  # of two that is a float64


def check_distances(X: Array) -> None:
    """Refuse a matrix that is no matrix of distances, by its entry."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "with metric='precomputed' X is the matrix of distances of the rows, (n, n); got "
            f"{X.shape[0]} x {X.shape[1]}"
        )
    if float(X.min(initial=0.0)) < 0.0:
        i, j = (int(v) for v in np.argwhere(X < 0.0)[0])
        raise ValueError(f"distances are not negative, and X[{i}, {j}] is {X[i, j]:g}")
    if any(_apart(tile, across).any() for tile, across in unequal_tiles(X)):
        _refuse_asymmetry(X)
    diagonal = np.diagonal(X)
    if not diagonal.any():
        return
    # What rounding leaves of a distance of 0, in cosine distances say, is no similarity.
    bad = np.flatnonzero(diagonal > SYMMETRY * np.max(X))
    if len(bad):
        raise ValueError(
            f"the distance of a row to itself is 0, and X[{bad[0]}, {bad[0]}] is {diagonal[bad[0]]:g}; "
            "similarities are no distances, and what rounding left becomes 0 by np.fill_diagonal(X, 0)"
        )


def _apart(block: Array, across: Array) -> NDArray[np.bool_]:
    """Return where two tiles differ by more than rounding explains."""
    return np.abs(block - across) > SYMMETRY * np.maximum(block, across)


def _refuse_asymmetry(X: Array) -> None:
    """Name the first entry, row by row, that is not that across the diagonal."""
    for start in range(0, len(X), 512):
        block, across = X[start : start + 512], X[:, start : start + 512].T
        apart = _apart(block, across)
        if apart.any():
            i, j = (int(v) for v in np.argwhere(apart)[0])
            raise ValueError(
                f"distances are symmetric, and X[{start + i}, {j}] is {block[i, j]:.6g} while X[{j}, "
                f"{start + i}] is {across[i, j]:.6g}, a difference of {abs(block[i, j] - across[i, j]):.2g}; "
                "give (X + X.T) / 2 if both are meant"
            )


def rows_for(X: Array, metric: str, named: IndexArray) -> tuple[Array, int]:
    """Return float64 rows for the loops, and the power of two by which heights are to be multiplied.

    Rows and distances are divided by a power of two, so that no square overflows or vanishes; cosine
    distances are half the squared distances of rows of length one.
    """
    n = len(X)
    if metric == "precomputed":
        refuse_memory(
            f"the distances of {n:,} rows", 8.0 * n * n if X.dtype != np.float64 else 0.0, "take fewer"
        )
    top = float(np.max(np.abs(X), initial=0.0))
    exponent = min(math.frexp(top)[1], LARGEST_POWER) if top > 0.0 else 0
    if metric == "precomputed" and X.dtype == np.float64 and abs(exponent) < 400:
        return X, 0
    if metric == "cosine":
        return _directions(np.asarray(X, dtype=np.float64), named), 0
    return np.asarray(X, dtype=np.float64) / 2.0**exponent, exponent


def _directions(X: Array, named: IndexArray) -> Array:
    """Return rows of length one, each from a unit of its own; rows of zeros are refused by number."""
    top = np.abs(X).max(axis=1, initial=0.0)
    none = np.flatnonzero(top == 0.0)
    if len(none):
        raise ValueError(
            f"row {named[none[0]]} of X has no direction, so that its cosine distance is not defined: all "
            "its entries are zero; drop such rows, or take another metric"
        )
    out = np.ldexp(X, -np.frexp(top)[1][:, None])
    return np.asarray(out / np.sqrt(np.einsum("ij,ij->i", out, out))[:, None])


def share_of_largest(X: Array, metric: str, share: float) -> float:
    """Return a share of the largest distance of two rows, found in blocks."""
    from empirisk.linkage.plain_greedy import distances

    if metric == "precomputed":
        return share * float(X.max(initial=0.0))
    X, exponent = rows_for(X, metric, np.arange(len(X)))
    step = max(1, 2**21 // max(1, len(X)))
    everyone = np.arange(len(X))
    largest = max(
        float(distances(X, everyone[i : i + step], everyone[i:], metric).max(initial=0.0))
        for i in range(0, len(X), step)
    )
    with np.errstate(over="ignore"):
        return float(np.ldexp(share * largest, exponent))


def graph_for(connectivity: Any, n: int, leaves: IndexArray) -> Any:
    """Return the graph of the rows of positive weight as CSR, or None without one."""
    if connectivity is None:
        return None
    try:
        graph = sp.csr_array(connectivity)
    except (TypeError, ValueError):
        raise ValueError(
            "connectivity must be None or a matrix with a row and a column for each row of X"
        ) from None
    if graph.shape != (n, n):
        raise ValueError(f"connectivity has shape {graph.shape}, and X has {n} rows: expected {(n, n)}")
    bad = np.flatnonzero(~np.isfinite(graph.data))
    if len(bad):
        row = int(np.searchsorted(graph.indptr, bad[0], side="right")) - 1
        raise ValueError(
            f"connectivity[{row}, {graph.indices[bad[0]]}] is {graph.data[bad[0]]:g}; give 0 or 1"
        )
    if sp.issparse(connectivity):
        _refuse_stored_zeros(graph)
    return graph if len(leaves) == n else graph[leaves][:, leaves]


def _refuse_stored_zeros(graph: Any) -> None:
    """Refuse cells that are stored as 0: a graph of distances would lose the edges of equal rows."""
    for at in np.flatnonzero(graph.data == 0):
        i, j = int(np.searchsorted(graph.indptr, at, side="right")) - 1, int(graph.indices[at])
        if i != j:
            raise ValueError(
                f"connectivity[{i}, {j}] is stored as 0, and cells of 0 are no edges: where cells are "
                "distances put 1 in the place of each, and where no edge is meant call eliminate_zeros()"
            )
