"""What the picture of a mixture shows: rows, means, and ellipses that hold given shares of each part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["picture"]

SHARES = (0.5, 0.9)
MOST_POINTS = 2_000
CORNERS = 72


def picture(
    X: Array, labels: IndexArray, weights: Array, means: Array, matrices: Array, columns: Any, names: Any
) -> dict[str, Any]:
    """Return the numbers of the picture.

    Parameters
    ----------
    X : array, shape (m, p)
    labels : array of int, shape (m,)
    weights : array, shape (K,)
    means : array, shape (K, p)
    matrices : array, shape (K, p, p)
        Covariances.
    columns : pair of int or None
        None: the two along which the means differ most for their spread.
    names : sequence of str or None
        Of the columns.
    """
    p = X.shape[1]
    if columns is None:
        columns = _telling(weights, means, matrices)
    if len(columns) != min(2, p) or max(columns) >= p:
        raise ValueError(f"columns must be {min(2, p)} numbers below {p}, got {list(columns)!r}")
    keep = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_POINTS)).astype(int))
    shown = np.asarray(X[np.ix_(keep, columns)], dtype=np.float64)
    angle = np.linspace(0.0, 2.0 * math.pi, CORNERS)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    ellipses = []
    for mean, sigma in zip(means, matrices, strict=True):
        sub = sigma[np.ix_(columns, columns)]
        if p > 1:
            value, axes = np.linalg.eigh(sub)
            # The squared length of a standard normal pair is exponential of mean 2.
            radii = [math.sqrt(-2.0 * math.log1p(-share)) for share in SHARES]
            root = axes * np.sqrt(np.maximum(value, 0.0))
            ellipses.append([(mean[list(columns)][:, None] + r * root @ circle).T.tolist() for r in radii])
        else:
            ellipses.append([float(mean[0]), math.sqrt(float(sub[0, 0]))])
    label = [f"column {c}" if names is None else str(names[c]) for c in columns]
    return {
        "features": label,
        "rows": [[*row, int(k)] for row, k in zip(shown.tolist(), labels[keep], strict=True)],
        "n": len(X),
        "weights": [float(w) for w in weights],
        "means": means[:, list(columns)].tolist(),
        "ellipses": ellipses,
        "shares": list(SHARES),
        "apart": _apart(weights, means, matrices),
    }


def _telling(weights: Array, means: Array, matrices: Array) -> list[int]:
    """Return the columns whose means vary most, for the spread within the parts."""
    within = weights @ np.diagonal(matrices, axis1=1, axis2=2)
    middle = weights @ means
    between = weights @ (means - middle) ** 2
    order = np.argsort(-between / within, kind="stable")[: min(2, means.shape[1])]
    return sorted(int(j) for j in order)


def _apart(weights: Array, means: Array, matrices: Array) -> float | None:
    """Return the least distance of two means in deviations of their mean covariance; None for one part."""
    k = len(means)
    if k < 2:
        return None
    out = math.inf
    for a in range(k):
        for b in range(a):
            sigma, d = 0.5 * (matrices[a] + matrices[b]), means[a] - means[b]
            scale = np.sqrt(np.diagonal(sigma))
            square = float((d / scale) @ np.linalg.solve(sigma / scale[:, None] / scale, d / scale))
            out = min(out, math.sqrt(max(square, 0.0)))
    return out
