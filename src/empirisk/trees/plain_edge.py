"""The largest edge of all stumps, by plain NumPy: a second road to what the compiled search says."""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["plain_largest_edge"]


def plain_largest_edge(X: Array, n_categories: IndexArray, signed: Array) -> float:
    """``max over stumps h of |sum_i signed_i h(x_i)|``, h = -1 or 1 on either side of a cut.

    Parameters
    ----------
    X : array, shape (n, p)
        Numbers, NaN where missing, and codes of categories.
    n_categories : array of int, shape (p,)
        Categories of each column, 0 for a number.  Any set of them may go to either side, and so may missing
        values.
    signed : array, shape (n,)
        Weight times label -1 or 1.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> plain_largest_edge(X, np.zeros(1, dtype=int), np.array([0.5, -0.3, -0.2]))
    1.0
    """
    exact = np.asarray(signed, dtype=np.longdouble)
    total = exact.sum()
    most = abs(total)
    for j, c in enumerate(n_categories):
        x = X[:, j]
        gone = np.isnan(x)
        missing = exact[gone].sum()
        x, s = x[~gone], exact[~gone]
        if c:
            sums = np.zeros(int(c), dtype=np.longdouble)
            np.add.at(sums, x.astype(np.int64), s)
            most = max(most, np.abs(sums).sum() + abs(missing))
        elif len(x):
            order = np.argsort(x, kind="stable")
            last = np.append(np.diff(x[order]) > 0.0, True)
            left = np.cumsum(s[order])[last]
            for side in (left, left + missing):
                most = max(most, (np.abs(side) + np.abs(total - side)).max())
    return float(most)
