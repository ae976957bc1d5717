"""The table ``cv_results_`` under the names that scikit-learn gives its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.search.result import SearchResult, masked_column


def cv_results(found: SearchResult, n_splits: int) -> dict[str, Any]:
    """Return the columns as in scikit-learn's ``GridSearchCV``, and intervals beside them.

    Scores are in the units of the metric (a log-loss is a positive number; rank 1 is the smallest).
    """
    count = len(found.points)
    seconds = [s if s.size else np.array([np.nan]) for s in found.seconds]
    table: dict[str, Any] = {
        "mean_fit_time": np.array([s.mean() for s in seconds]),
        "std_fit_time": np.array([s.std() for s in seconds]),
    }
    for name in dict.fromkeys(k for p in found.points for k in p):
        table[f"param_{name}"] = masked_column(found.points, name)
    table["params"] = list(found.points)
    scores = np.full((count, n_splits), np.nan)
    for i, values in enumerate(found.fold_scores):
        scores[i, : values.size] = values
    for j in range(n_splits):
        table[f"split{j}_test_score"] = scores[:, j]
    table["mean_test_score"] = _ends(found.scores, "value")
    table["std_test_score"] = np.array([v.std() if v.size else np.nan for v in found.fold_scores])
    table["rank_test_score"] = found.rank.astype(np.int32)
    for end in ("low", "high"):
        table[f"test_score_{end}"] = _ends(found.scores, end)
        table[f"simultaneous_{end}"] = _ends(found.simultaneous, end)
    table["probability_best"] = found.probability_best
    table["state"] = np.array(found.states)
    table["error"] = np.array(found.errors, dtype=object)
    return table


def _ends(estimates: Any, name: str) -> np.ndarray:
    """Return one field of all estimates; NaN where there is none."""
    values = [None if e is None else getattr(e, name) for e in estimates]
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
