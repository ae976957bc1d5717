"""The matrix of a kernel on some rows, sorted, so that its blocks show what the kernel thinks alike.

A kernel serves a classification when rows of one class are more alike to it than rows of two: Cristianini,
Shawe-Taylor, Elisseeff and Kandola 2001, NIPS 14 (kernel-target alignment).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.table import read_table
from empirisk.estimators.checks import check_count
from empirisk.kernels import check_psd, kernel_of
from empirisk.kernels.likeness import likeness_note
from empirisk.kernels.psd import PSDCheck
from empirisk.typing import Array, IndexArray

__all__ = ["KernelMatrix", "kernel_matrix"]

# More different values of y than this are numbers, not classes.
MOST_CLASSES = 20
# Of kernels that know no largest value, this share of the pairs sets the darkest shade.
DARKEST = 0.98


@dataclass(frozen=True, eq=False, repr=False)
class KernelMatrix(Brief):
    """The values of a kernel on sorted rows, what they say about classes, and the smallest eigenvalue.

    Parameters
    ----------
    title : str
        The kernel, with its numbers.
    rows : int array, shape (m,)
        Numbers of the rows of X that are shown, in the order of the matrix.
    values : array, shape (m, m)
        ``k(x_i, x_j)``.
    classes : list of str
        Names of the classes, in the order of the blocks; one block without a name where no y was given.
    sizes : int array, shape (K,)
        Rows of each class.
    likeness : array, shape (K, K)
        Mean value over pairs of different rows, of one class on the diagonal; NaN for a class of one row.
    check : PSDCheck
        The smallest eigenvalue of `values`, with its witness in the order of `rows`.
    note : str
        Said where the kernel tells no two rows apart, or no two rows are alike to it.
    n_given : int
        Rows of X; more than are shown where X has many.
    normalised : bool
        Whether every row is alike to itself by 1.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0], [3.0], [0.5], [3.5]]), ["a", "b", "a", "b"]
    >>> found = er.kernel_matrix(er.kernels.Gaussian(gamma=1.0), X, y)
    >>> found.likeness.round(3).tolist(), round(found.within, 3)
    ([[0.779, 0.001], [0.001, 0.779]], 0.779)
    """

    title: str
    rows: IndexArray
    values: Array
    classes: list[str]
    sizes: IndexArray
    likeness: Array
    check: PSDCheck
    note: str
    n_given: int
    normalised: bool

    @property
    def within(self) -> float:
        """Mean value over all pairs of different rows of one class."""
        return _pooled(self.likeness, self.sizes, same=True)

    @property
    def between(self) -> float:
        """Mean value over all pairs of rows of different classes; NaN with one class."""
        return _pooled(self.likeness, self.sizes, same=False)

    @property
    def most_weighed(self) -> list[int]:
        """Numbers of the three rows of X that the witness of the smallest eigenvalue weighs most."""
        return [int(self.rows[i]) for i in self._weighed()]

    def plot(self, ax: Any = None) -> Any:
        """Draw the sorted matrix with its blocks and their means.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import KernelMatrixDisplay

        off = np.abs(self.values[~np.eye(len(self.rows), dtype=bool)])
        cap = (
            1.0 if self.normalised or not off.any() else float(np.quantile(off, DARKEST)) or float(off.max())
        )
        means = [[None if np.isnan(v) else float(v) for v in line] for line in self.likeness]
        return KernelMatrixDisplay(
            {
                "kernel": self.title,
                "shade": np.clip(self.values / cap, -1.0, 1.0).tolist(),
                "range": [float(self.values.min()), float(self.values.max())],
                "classes": self.classes,
                "sizes": self.sizes.tolist(),
                "likeness": means,
                "within": None if np.isnan(self.within) else self.within,
                "between": None if np.isnan(self.between) else self.between,
                "note": self.note,
                "n_given": self.n_given,
                "eigenvalue": {
                    "smallest": self.check.smallest,
                    "error": self.check.error,
                    "holds": self.check.holds,
                    "rows": self.most_weighed,
                    "places": self._weighed(),
                },
            }
        ).plot(ax)

    def _weighed(self) -> list[int]:
        """Return the places of the three rows that the witness weighs most, the heaviest first."""
        return [int(i) for i in np.argsort(-np.abs(self.check.witness))[:3]]


def kernel_matrix(
    kernel: Any, X: Any, y: Any = None, *, order: Any = None, max_rows: int = 500
) -> KernelMatrix:
    """``K[i, j] = k(x_i, x_j)`` with the rows sorted by class, or in a given order.

    Parameters
    ----------
    kernel : str, Kernel or function
        As estimators take it; words such as "scale" are learned from all rows of X.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows; with a precomputed kernel its matrix, (n, n).
    y : array, shape (n,), optional
        Classes, 20 at most.  For a target of numbers give ``order=np.argsort(y)``.
    order : int array, optional
        Numbers of the rows in the order to show, each at most once; with `y` the order inside the classes.
    max_rows : int, default 500
        Of more rows, so many are shown and counted, evenly spaced in the sorted order.

    Returns
    -------
    KernelMatrix
        ``within``, ``between``, ``likeness``, ``check``, and ``plot()``.

    Raises
    ------
    ValueError
        For rows that the kernel refuses, NaN, more than 20 classes, or an order that is none.

    Notes
    -----
    ``O(m^2 p + m^3)`` for m rows shown: the smallest eigenvalue takes a full decomposition.  The means
    describe these rows; they promise nothing about a fit.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [3.0], [0.5], [3.5]])
    >>> found = er.kernel_matrix("gaussian", X, ["a", "b", "a", "b"])
    >>> found.rows.tolist(), found.within > found.between, found.check.holds
    ([0, 2, 1, 3], True, True)
    """
    check_count("max_rows", max_rows, 2)
    given = kernel_of(kernel)
    table = read_table(X, least=2)
    n = int(table.shape[0])
    given.check(table)
    made = given.resolved(table)
    labels, codes = _classes(y, n)
    chosen = _order(order, n)
    chosen = chosen[np.argsort(codes[chosen], kind="stable")]
    if len(chosen) > max_rows:
        chosen = chosen[np.linspace(0, len(chosen) - 1, max_rows).round().astype(np.intp)]
    m = len(chosen)
    refuse_memory(f"the kernel matrix of {m:,} rows", 32.0 * float(m) ** 2, "lower max_rows")
    some = table[chosen][:, chosen] if made.precomputed else table[chosen]
    values = np.asarray(made.block(some), dtype=np.float64)
    kept = np.unique(codes[chosen])
    sizes = np.bincount(codes[chosen], minlength=len(labels))[kept]
    return KernelMatrix(
        made.title,
        chosen,
        values,
        [labels[k] for k in kept],
        sizes,
        _means(values, sizes),
        replace(check_psd(made, some), rows=chosen),
        likeness_note(made, some),
        n,
        made.normalised,
    )


def _classes(y: Any, n: int) -> tuple[list[str], IndexArray]:
    """Return the names of the classes and the position of each row's class; one class without a name."""
    if y is None:
        return [""], np.zeros(n, dtype=np.intp)
    given = np.asarray(y)
    if given.shape != (n,):
        raise ValueError(f"y must hold one class for each of the {n} rows of X, got shape {given.shape}")
    found, codes = np.unique(given, return_inverse=True)
    if len(found) > MOST_CLASSES:
        raise ValueError(
            f"y holds {len(found)} different values, more than {MOST_CLASSES} classes: for a target of "
            "numbers give order=np.argsort(y)"
        )
    return [str(c) for c in found], codes.astype(np.intp)


def _order(order: Any, n: int) -> IndexArray:
    if order is None:
        return np.arange(n)
    given = np.asarray(order)
    whole = given.ndim == 1 and np.issubdtype(given.dtype, np.integer) and len(given) >= 2
    if not whole or given.min() < 0 or given.max() >= n or len(np.unique(given)) < len(given):
        raise ValueError(
            f"order must be two or more different numbers of rows from 0 to {n - 1}, such as np.argsort(y)"
        )
    return given.astype(np.intp)


def _means(values: Array, sizes: IndexArray) -> Array:
    """Return the mean value of each block, without the diagonal of the matrix."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    sums = np.add.reduceat(np.add.reduceat(values, ends[:-1], axis=0), ends[:-1], axis=1)
    own = np.add.reduceat(np.diagonal(values), ends[:-1])
    pairs = np.outer(sizes, sizes).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray((sums - np.diag(own)) / (pairs - np.diag(sizes)))


def _pooled(likeness: Array, sizes: IndexArray, same: bool) -> float:
    """Return the mean over all pairs of rows of one class (`same`) or of two."""
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    wanted = np.eye(len(sizes), dtype=bool) if same else ~np.eye(len(sizes), dtype=bool)
    wanted &= pairs > 0
    count = float(pairs[wanted].sum())
    return float((likeness[wanted] * pairs[wanted]).sum() / count) if count else float("nan")
