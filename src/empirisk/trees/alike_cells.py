"""Cells of rows that are alike in the other columns, as far as these tell about a column.

Strobl and others, BMC Bioinformatics 9 (2008).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.trees.bins import Bins
from empirisk.trees.forest import Bag, ForestGrowth, grow_forest

__all__ = ["alike_cells"]

MOST_CELLS = 64  # of alike rows
ROWS_OF_CELL = 20  # at least; smaller cells leave little to exchange


def alike_cells(X: NDArray, n_categories: NDArray, columns: NDArray | None = None) -> NDArray[np.int32]:
    """Return the leaf of each row in a tree that predicts a column from the others, for each column.

    Within a leaf the column is nearly independent of the others, as far as a tree of up to 64 leaves sees
    it; to exchange its values there is to draw it anew given the others.

    Parameters
    ----------
    X : array of shape (n, p)
        Encoded rows; NaN is missing.
    n_categories : array of shape (p,)
        Number of categories of each column; 0 for a number.
    columns : int array of shape (g,), optional
        All columns by default.

    Returns
    -------
    array of int32, shape (n, g)
        Rows where the column is missing are a cell of their own.

    Notes
    -----
    Cells have at least 20 rows, so that correlation within them remains when rows are few. Cost: one small
    tree a column.

    References
    ----------
    C. Strobl et al., "Conditional variable importance for random forests", BMC Bioinformatics 9 (2008). C.
    Molnar et al., "Model-agnostic feature importance and effects with dependent features", Data Mining and
    Knowledge Discovery 38 (2023).

    Examples
    --------
    >>> x = np.repeat([0.0, 1.0, 2.0], 50)
    >>> cells = alike_cells(np.column_stack([x, 3.0 * x]), np.zeros(2, dtype=int))
    >>> len(np.unique(cells[:, 0])), len(np.unique(cells[:, 0] + 10 * x))
    (3, 3)
    """
    n, p = X.shape
    wanted = np.arange(p) if columns is None else np.asarray(columns)
    cells = np.zeros((n, wanted.size), dtype=np.int32)
    for g, j in enumerate(wanted):
        rows = np.flatnonzero(~np.isnan(X[:, j]))
        if p < 2 or rows.size < 2 * ROWS_OF_CELL or np.ptp(X[rows, j]) == 0.0:
            continue
        rest = np.delete(np.arange(p), j)
        codes, classes = X[rows, j], 0
        if n_categories[j] > 0:
            present, codes = np.unique(codes, return_inverse=True)
            classes = len(present)
        growth = ForestGrowth(
            "gini" if classes else "squared_error",
            max_leaves=min(MOST_CELLS, max(2, rows.size // (2 * ROWS_OF_CELL))),
            min_rows_leaf=ROWS_OF_CELL,
        )
        others = X[:, rest]
        bins = Bins.fit(others[rows], n_categories[rest])
        tree = grow_forest(
            bins.transform(others[rows]),
            codes.astype(np.float64),
            growth,
            Bag(rows.size, 0),
            n_classes=classes,
            n_trees=1,
        ).trees
        cells[rows, g] = 1 + tree.apply(others[rows])[:, 0]
    return cells
