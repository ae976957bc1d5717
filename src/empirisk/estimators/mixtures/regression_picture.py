"""What the picture of a mixture of regressions shows: rows by line, over the column that tells most."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["picture"]

MOST_POINTS = 2_000


def picture(model: Any, X: Array, y: Array, chance: Array, column: int | None) -> dict[str, Any]:
    """Return the numbers of the picture.

    Parameters
    ----------
    model : RegressionMixture
    X : array, shape (m, p)
    y : array, shape (m,)
    chance : array, shape (m, K)
        Of the lines.
    column : int or None
        None: the one in which the slopes differ most for its spread.
    """
    p, slopes = X.shape[1], np.asarray(model.coef_, dtype=np.float64)
    middle = X.mean(axis=0, dtype=np.float64)
    if column is None:
        across = slopes.std(axis=0) if len(slopes) > 1 else np.abs(slopes[0])
        column = int(np.argmax(across * X.std(axis=0, dtype=np.float64)))
    if column >= p:
        raise ValueError(f"column must be a number below {p}, got {column}")
    keep = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_POINTS)).astype(int))
    x, label = X[:, column].astype(np.float64), chance.argmax(axis=1)
    ends = np.array([x.min(), x.max()])
    base = model.intercept_ + slopes @ middle - slopes[:, column] * middle[column]
    names = getattr(model, "feature_names_in_", None)
    return {
        "feature": f"column {column}" if names is None else str(names[column]),
        "rows": [[float(a), float(b), int(k)] for a, b, k in zip(x[keep], y[keep], label[keep], strict=True)],
        "n": len(X),
        "others": p - 1,
        "weights": [float(w) for w in model.weights_],
        "sigma": [float(s) for s in model.sigma_],
        "slopes": [float(s) for s in slopes[:, column]],
        "lines": [
            [[float(a), float(c + b * a)] for a in ends] for b, c in zip(slopes[:, column], base, strict=True)
        ],
        "sure": float(chance.max(axis=1).mean()),
    }
