"""The map of clusters: which plane, which rows are drawn, and where the centres lie.

Rows are drawn in a plane of their columns; where only distances are known, in that of classical scaling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.reduction.plane import plane_of
from empirisk.reduction.scaling import classical_scaling
from empirisk.typing import Array, IndexArray

__all__ = ["cluster_map", "scaled_map"]

MOST = 2000  # rows that are drawn
LEAST = 10  # of them of each cluster, where it has so many


def cluster_map(X: Any, labels: IndexArray, weight: Array, centres: Any = None, names: Any = None) -> Any:
    """Return what :class:`~empirisk.plots.cluster_map.ClusterMapDisplay` draws.

    Parameters
    ----------
    X : array or CSR array, shape (n, p)
        Finite numbers.
    labels : array of int, shape (n,)
        Numbers of clusters 0, 1, ..., and -1 for rows of none.
    weight : array, shape (n,)
        Weights of the rows in the plane's means and variances; sizes count rows.
    centres : array, shape (k, p), optional
    names : sequence of str, optional
        Of the columns; said where the plane is that of columns.

    Returns
    -------
    dict

    Notes
    -----
    Up to 2,000 rows are all drawn.  Of more, each cluster gives the same share, evenly spaced in the order of
    its rows, but 10 rows at least where it has them.
    """
    plane = plane_of(X, weight)
    drawn = _drawn(labels)
    middle = None if centres is None else plane.place(np.asarray(centres, dtype=np.float64))
    axes = _axes(plane, names)
    return {
        **_rows_and_sizes(plane.place(X[drawn]), drawn, labels),
        "centres": None if middle is None else [_pair(row, k) for k, row in enumerate(middle)],
        "axes": axes if len(axes) > 1 else [*axes, "number of the cluster"],
        "numbered": len(axes) == 1,
        "share": plane.share if plane.share > 0.0 else None,
        "columns": plane.columns,
    }


def scaled_map(D: Array, labels: IndexArray, weight: Array, medoids: Any = None) -> Any:
    """Return what the display draws of rows whose distances alone are known.

    Parameters
    ----------
    D : array, shape (n, n)
        Distances, symmetric.
    labels, weight
        As in :func:`cluster_map`.
    medoids : array of int, optional
        Rows that stand for their clusters, drawn as centres.

    Notes
    -----
    The rows that are drawn, 2,000 and the medoids, are scaled among each other.
    """
    middle = np.empty(0, dtype=np.intp) if medoids is None else np.asarray(medoids, dtype=np.intp)
    drawn = np.union1d(_drawn(labels), middle)
    live = weight[drawn] if weight[drawn].any() else np.ones(len(drawn))
    found = classical_scaling(D[np.ix_(drawn, drawn)], live)
    at = found.points[np.searchsorted(drawn, middle)].tolist()
    share = min(1.0, float(found.shares.sum()))
    return {
        **_rows_and_sizes(found.points, drawn, labels),
        "centres": at or None,
        "axes": [
            f"axis {j + 1} ({s:.3g} % of the squared distances)" for j, s in enumerate(100.0 * found.shares)
        ],
        "share": share if share > 0.0 else None,
        "columns": False,
        "plane": "classical scaling of their distances"
        + (
            ""
            if found.euclidean
            else " (which no points in space have: shares are of the sizes of eigenvalues)"
        ),
        "of": "the squared distances",
        "centre": "medoid",
    }


def _rows_and_sizes(at: Array, drawn: IndexArray, labels: IndexArray) -> dict[str, Any]:
    """Return the entries of a map that tell rows, sizes, and which rows are drawn."""
    count = int(labels.max(initial=-1)) + 1
    return {
        "rows": [[*_pair(row, k), int(k)] for row, k in zip(at, labels[drawn], strict=True)],
        "sizes": np.bincount(labels[labels >= 0], minlength=count).tolist(),
        "outside": int((labels < 0).sum()),
        "n": len(labels),
        "rule": _rule(len(drawn), len(labels)),
    }


def _drawn(labels: IndexArray) -> IndexArray:
    """Return the numbers of the rows that are drawn."""
    n = len(labels)
    if n <= MOST:
        return np.arange(n)
    kept = []
    for k in np.unique(labels):
        own = np.flatnonzero(labels == k)
        size = max(min(LEAST, own.size), round(own.size * MOST / n))
        kept.append(own[np.arange(size) * own.size // size])
    return np.sort(np.concatenate(kept))


def _rule(drawn: int, n: int) -> str:
    if drawn == n:
        return ""
    return (
        f"{drawn:,} of {n:,} rows are drawn: of each cluster the same share, evenly spaced in the order of "
        f"its rows, and {LEAST} at least."
    )


def _pair(row: Array, k: int) -> list[float]:
    """Return two coordinates: one column alone is drawn against the number of the cluster."""
    return [float(row[0]), float(row[1]) if len(row) > 1 else float(k)]


def _axes(plane: Any, names: Any) -> list[str]:
    if plane.columns:
        said = [str(names[j]) if names is not None else f"column {j}" for j in range(len(plane.axes))]
    else:
        said = [f"component {j + 1} ({s:.3g} % of the variance)" for j, s in enumerate(100.0 * plane.shares)]
    return said
