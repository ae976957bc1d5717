"""Do test rows also stand among the training rows?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk.data.sparse_cells import canonical
from empirisk.evaluation.outputs import n_rows

__all__ = ["overlap_reason"]

ALARM = 1e-3  # chance of a refusal when the twins are an accident of data that repeat themselves


def overlap_reason(X: Any, y: NDArray[Any], X_test: Any, y_test: NDArray[Any]) -> str:
    """Return why the test rows may not be new; empty when nothing says so.

    A test row equal to a training row (features and target) is suspicious, unless training rows equal each
    other as often: then rows drawn independently do so too (Fisher's exact test, one-sided).
    """
    if X_test is X:
        return "X_test is X: the model has seen these rows"
    train, test = _keys(X, y), _keys(X_test, y_test)
    counts = Counter(train)
    shared = sum(key in counts for key in test)
    if not shared:
        return ""
    repeated = sum(c for c in counts.values() if c > 1)
    table = np.array([[shared, len(test) - shared], [repeated, len(train) - repeated]])
    if repeated and float(stats.fisher_exact(table, alternative="greater").pvalue) > ALARM:
        return ""
    return (
        f"{shared:,} of the {len(test):,} test rows also stand in X with the same target: a test row must "
        "have had no "
        "part in the fit; drop those rows, or fit without them"
    )


def _keys(X: Any, y: NDArray[Any]) -> list[Hashable]:
    """Return one hashable key a row, of its values and its target."""
    targets = [str(v) for v in y] if y.dtype.kind in "OUS" else y.astype(np.float64).tolist()
    if hasattr(X, "tocsr"):
        matrix = canonical(X).tocsr().copy()
        matrix.eliminate_zeros()
        ends = matrix.indptr
        rows: list[Hashable] = [
            (matrix.indices[a:b].tobytes(), matrix.data[a:b].astype(np.float64).tobytes())
            for a, b in pairwise(ends)
        ]
        return list(zip(rows, targets, strict=True))
    if hasattr(X, "columns"):
        columns = [np.asarray(X[name]).tolist() for name in X.columns]
        return list(zip(zip(*columns, strict=True), targets, strict=True))
    values = np.asarray(X)
    if values.dtype.kind in "biuf":
        plain = np.ascontiguousarray(values.reshape(n_rows(X), -1), dtype=np.float64) + 0.0
        return [(row.tobytes(), t) for row, t in zip(plain, targets, strict=True)]
    return [(tuple(np.ravel(row).tolist()), t) for row, t in zip(values, targets, strict=True)]
