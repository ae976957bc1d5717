"""The distribution of y at a row, from the training rows that share its leaves.

Meinshausen, Journal of Machine Learning Research 7 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from empirisk.data.memory import refuse_memory
from empirisk.trees.leaf_matrix import leaf_matrix
from empirisk.trees.structure import Trees

__all__ = ["LeafSample"]

Floats = NDArray[np.float64]
BLOCK = 1 << 22  # pairs (row, training row) that are held at once


@dataclass(frozen=True, eq=False)
class LeafSample:
    """Training rows by leaf: ``w_i(x) = mean over trees of s_i 1[i in leaf(x)] / (sum of s in leaf(x))``.

    ``F(y | x) = sum_i w_i(x) 1[y_i <= y]`` estimates the conditional distribution of y, with all its
    quantiles; its mean is the forest's prediction when each tree counts the rows that it was grown on.

    Parameters
    ----------
    start : array of shape (T + 1,)
        Where the nodes of each tree begin.
    members : CSR matrix of shape (nodes, n)
        Shares of the training rows, in ascending order of y, in each leaf.
    y : array of shape (n,)
        Ascending.
    grown_on : bool
        Whether each tree counts the rows that it was grown on, and no others (`counts` were given).

    Notes
    -----
    Which rows fill the leaves is the caller's choice: with the draws of the trees as `counts` the mean is the
    forest's prediction; without, all rows fill them (Meinshausen), which is a little wider. Leaves without
    rows are passed over. Cost: O(n T)
    once; for each row the sum of the sizes of its leaves, sorted. Rows are worked on in blocks; a dense
    matrix of rows by training rows never exists.

    References
    ----------
    N. Meinshausen, "Quantile regression forests", JMLR 7 (2006).

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=1)
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> sample = LeafSample.of(stump, stump.apply(X), np.array([0.0, 2.0, 4.0, 6.0]))
    >>> sample.quantiles(stump.apply(X[:1]), [0.5, 0.9])
    array([[0., 2.]])
    """

    start: NDArray
    members: sp.csr_array
    y: Floats
    grown_on: bool = False

    @classmethod
    def of(cls, trees: Trees, leaves: NDArray, y: ArrayLike, counts: NDArray | None = None) -> LeafSample:
        """From the leaves of the training rows.

        Parameters
        ----------
        trees : Trees
        leaves : array of shape (n, T)
            ``trees.apply(X)`` of the training rows.
        y : array of shape (n,)
        counts : array of shape (n, T), optional
            How often each tree drew each row; by default every row counts once in every tree.

        Raises
        ------
        MemoryError
            When the leaves would not fit into the free memory.
        """
        y = np.asarray(y, dtype=np.float64)
        filled = leaves.size if counts is None else int(np.count_nonzero(counts))
        refuse_memory("the table of training rows by leaf", 30.0 * filled, "use fewer trees or larger leaves")
        order = np.argsort(y, kind="stable")
        ranked = None if counts is None else counts[order]
        members = leaf_matrix(trees.start, leaves[order], ranked).T.tocsr()
        total = members.sum(axis=1)
        members.data /= np.repeat(total, np.diff(members.indptr))
        return cls(trees.start, members, y[order], counts is not None)

    def blocks(self, leaves: NDArray, use: NDArray | None = None) -> Iterator[tuple[slice, sp.csr_array]]:
        """Return the weights of the training rows (in ascending order of y) for block after block of rows.

        Parameters
        ----------
        leaves : array of shape (m, T)
            ``trees.apply`` of the rows.
        use : bool array of shape (m, T), optional
            Trees that may speak on each row (those that did not see it, for a training row).

        Yields
        ------
        rows : slice
        weights : CSR matrix of shape (rows, n)
            Non-negative, rows sum to 1 (to 0 where no tree may speak), columns sorted.
        """
        filled = np.diff(self.members.indptr)
        mean = float(filled @ filled) / max(1, int(filled.sum()))  # size of the leaf of a row, on average
        step = max(1, int(BLOCK / (mean * leaves.shape[1] + 1.0)))
        full = filled > 0
        for first in range(0, len(leaves), step):
            rows = slice(first, min(first + step, len(leaves)))
            node = leaves[rows] + self.start[:-1]
            speaks = full[node] if use is None else full[node] & use[rows]
            asked = leaf_matrix(self.start, leaves[rows], speaks)
            weights = asked @ self.members
            weights.sort_indices()
            weights.data /= np.repeat(np.maximum(1, speaks.sum(axis=1)), np.diff(weights.indptr))
            yield rows, weights

    def quantiles(self, leaves: NDArray, q: ArrayLike, use: NDArray | None = None) -> Floats:
        """``inf {y : F(y | x) >= q}`` for each row and q, shape (m, len(q)); NaN where no tree may speak.

        Parameters
        ----------
        leaves : array of shape (m, T)
        q : array of shape (k,)
            In (0, 1].
        use : bool array of shape (m, T), optional
            As in :meth:`blocks`.

        Raises
        ------
        ValueError
            When a q is outside of (0, 1].
        """
        q = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if q.ndim != 1 or not ((q > 0) & (q <= 1)).all():
            raise ValueError(f"quantiles must lie in (0, 1], got {q.tolist()}.")
        out = np.full((len(leaves), q.size), np.nan)
        for rows, weights in self.blocks(leaves, use):
            at, size = weights.indptr[:-1], np.diff(weights.indptr)
            some = np.flatnonzero(size)
            if not some.size:
                continue
            # One ascending sequence for all rows: row number + distribution function at each training row.
            total = np.concatenate([[0.0], np.cumsum(weights.data)])
            inside = total[1:] - np.repeat(total[at], size)
            level = np.repeat(np.arange(size.size), size) + np.minimum(inside, 1.0)
            for column, share in enumerate(q):
                found = np.searchsorted(level, some + share - 1e-9, side="left")
                found = np.clip(found, at[some], at[some] + size[some] - 1)
                out[rows.start + some, column] = self.y[weights.indices[found]]
        return out
