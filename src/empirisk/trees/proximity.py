"""How alike two rows are for a forest: how often they meet in a leaf.

Breiman and Cutler (2003); Rhodes, Cutler and Moon, IEEE Transactions on Pattern Analysis and Machine
Intelligence 45 (2023).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from empirisk.data.memory import refuse_memory
from empirisk.trees.leaf_matrix import leaf_matrix

__all__ = ["outlyingness", "proximity", "proximity_memory"]

Floats = NDArray[np.float64]
KINDS = ("all", "out-of-bag", "gap")


def proximity(
    start: NDArray,
    leaves: NDArray,
    counts: NDArray | None = None,
    kind: str = "gap",
    new: NDArray | None = None,
) -> sp.csr_array:
    """Proximities of rows to training rows.

    ``"all"``: the share of trees in which the two rows lie in one leaf. ``"out-of-bag"``: the same among the
    trees that saw neither. ``"gap"``: ``1/|S_i| sum over t in S_i of c_jt/(sum of c_t in the leaf)``, with
    S_i the trees that did not see row i and c the draws of the trees: the weight of row j in the out-of-bag
    prediction of row i, so that ``P y`` is that prediction (trees that average), and rows sum to 1.

    Parameters
    ----------
    start : array of shape (T + 1,)
        ``trees.start``.
    leaves : array of shape (n, T)
        ``trees.apply(X)`` of the training rows.
    counts : array of shape (n, T), optional
        How often each tree drew each row; needed by all kinds but ``"all"``.
    kind : {"gap", "out-of-bag", "all"}, default "gap"
    new : array of shape (m, T), optional
        Leaves of other rows, whose proximities to the training rows are wanted: no tree saw them.

    Returns
    -------
    CSR matrix of shape (n, n), or (m, n)
        "gap" is not symmetric and has no entry on the diagonal; the others have ones there (or 0: a row that
        every tree saw).

    Raises
    ------
    MemoryError
        When the pairs that meet would not fit into the free memory.
    ValueError
        When the kind is unknown, or counts are missing.

    Notes
    -----
    Only pairs that meet are stored. Cost and memory: the sum over rows of the sizes of their leaves, at most
    ``n^2``; shallow trees with large leaves let all pairs meet.

    References
    ----------
    L. Breiman, A. Cutler, "Random forests" (manual, 2003). J. Rhodes, A. Cutler, K. Moon, "Geometry- and
    accuracy-preserving random forest proximities", IEEE TPAMI 45 (2023).

    Examples
    --------
    >>> start, leaves = np.array([0, 3, 6]), np.array([[1, 1], [1, 2], [2, 2]])
    >>> proximity(start, leaves, kind="all").toarray()
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
    if counts is None and kind != "all":
        raise ValueError(f"{kind} proximities need to know which rows each tree drew: give counts.")
    refuse_memory(
        "the matrix of proximities",
        proximity_memory(start, leaves, new),
        "ask for fewer rows, or grow trees with smaller leaves",
    )
    asked = leaves if new is None else new
    if kind == "all" or counts is None:
        trees = np.full(len(asked), leaves.shape[1])
        return _scaled(leaf_matrix(start, asked), leaf_matrix(start, leaves), trees)
    unseen = counts == 0
    speaks = unseen if new is None else np.ones(new.shape, dtype=bool)
    if kind == "gap":
        held = leaf_matrix(start, leaves, counts)
        total = held.sum(axis=0)
        held.data /= total[held.indices]
        return _scaled(leaf_matrix(start, asked, speaks), held, speaks.sum(axis=1))
    out = sp.csr_array(leaf_matrix(start, asked, speaks) @ leaf_matrix(start, leaves, unseen).T)
    out.sort_indices()
    for i in range(len(asked)):  # the number of trees that saw neither, for the pairs that meet
        some = slice(out.indptr[i], out.indptr[i + 1])
        out.data[some] /= np.count_nonzero(unseen[out.indices[some]] & speaks[i], axis=1)
    return out


def _scaled(left: sp.csr_array, right: sp.csr_array, trees: NDArray) -> sp.csr_array:
    out = sp.csr_array(left @ right.T)
    out.sort_indices()
    out.data /= np.repeat(np.maximum(trees, 1), np.diff(out.indptr))
    return out


def proximity_memory(start: NDArray, leaves: NDArray, new: NDArray | None = None) -> float:
    """Return the upper bound on the bytes of :func:`proximity`: pairs that meet, counted once a tree, at most
    all pairs.

    Examples
    --------
    >>> proximity_memory(np.array([0, 3]), np.array([[1], [1], [2]]))
    204.0
    """
    size = int(start[-1])
    held = np.bincount((leaves + start[:-1]).ravel(), minlength=size).astype(np.float64)
    asked = held if new is None else np.bincount((new + start[:-1]).ravel(), minlength=size)
    rows = len(leaves if new is None else new)
    pairs = min(float(held @ asked), float(rows) * len(leaves))
    return 12.0 * pairs + 24.0 * leaves.size * (2 if new is None else 1)


def outlyingness(P: sp.csr_array, groups: NDArray | None = None) -> Floats:
    """Return how far each row is from the rows of its group: ``1 / sum_j p_ij^2`` over j in the group,
    standardised.

    Minus the median of the group, over the mean absolute deviation from it; above 10 is worth a look.

    Parameters
    ----------
    P : sparse matrix of shape (n, n)
        Proximities.
    groups : array of shape (n,), optional
        Classes; one group by default.

    Returns
    -------
    array of shape (n,)
        Infinite for a row that meets no row of its group.

    Examples
    --------
    >>> P = sp.csr_array(np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.1, 1.0]]))
    >>> outlyingness(P).round(2)
    array([0., 0., 3.])
    """
    pairs = sp.coo_array(P)
    row, column = pairs.coords
    groups = (
        np.zeros(P.shape[0], dtype=np.intp) if groups is None else np.unique(groups, return_inverse=True)[1]
    )
    use = (groups[row] == groups[column]) & (row != column)
    near = np.bincount(row[use], pairs.data[use] ** 2, minlength=P.shape[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = 1.0 / near
        for g in range(int(groups.max(initial=-1)) + 1):
            mine = groups == g
            middle = np.median(raw[mine])
            away = np.abs(raw[mine] - middle)
            scale = away[np.isfinite(away)].mean() if np.isfinite(away).any() else 0.0
            raw[mine] = np.where(raw[mine] == middle, 0.0, (raw[mine] - middle) / scale)
    return np.asarray(np.nan_to_num(raw, nan=np.inf, posinf=np.inf))
