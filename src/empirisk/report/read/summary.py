"""A column in counts: a histogram or its most frequent levels, never a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

__all__ = ["summarise"]

_MAX_BINS = 40  # of a histogram
_MAX_LEVELS = 12  # that are counted one by one


def summarise(values: pl.Series, kind: str) -> dict[str, Any]:
    """Return the counts that a report may show of a column.

    Parameters
    ----------
    values : polars.Series
        Parsed values with nulls.
    kind : str
        Kind of the column; ids and texts get lengths only, because their values name rows.

    Returns
    -------
    dict
        ``{"type": "histogram", "edges", "counts", "mean", "sd", "whole", "quantiles"}`` (quantiles
        0, 25, 50, 75, 100 %; those of dates as ISO strings, with edges in days),
        ``{"type": "levels", "levels": [[level, count], ...], "other", "n_other_levels"}``, ``{"type":
        "lengths", "min", "max"}`` or ``{"type": "none"}``.

    Examples
    --------
    >>> summarise(pl.Series([1.0, 2.0, 2.0]), "number")["counts"]
    [1, 2]
    """
    some = values.drop_nulls()
    if some.is_empty() or kind in ("empty", "constant"):
        return {"type": "none"}
    if kind in ("id", "text"):
        lengths = some.cast(pl.String).str.len_chars()
        shortest, longest = (
            int(v) for v in lengths.to_numpy()[[lengths.arg_min() or 0, lengths.arg_max() or 0]]
        )
        return {"type": "lengths", "min": shortest, "max": longest}
    if kind == "number":
        return _histogram(some.to_numpy())
    if kind == "date":
        days = some.dt.epoch("us").to_numpy() / 86_400e6
        out = _histogram(days)
        text = [str(np.datetime64(0, "D") + np.timedelta64(int(d), "D")) for d in out["quantiles"]]
        return out | {"quantiles": text, "mean": None, "unit": "days since 1970-01-01"}
    counts = some.cast(pl.String).alias("v").value_counts().sort(["count", "v"], descending=[True, False])
    rows = [(str(v), int(c)) for v, c in counts.iter_rows()]
    shown, rest = rows[:_MAX_LEVELS], rows[_MAX_LEVELS:]
    return {
        "type": "levels",
        "levels": [[v, c] for v, c in shown],
        "other": sum(c for _, c in rest),
        "n_other_levels": len(rest),
    }


def _histogram(values: np.ndarray) -> dict[str, Any]:
    """Return at most 40 bins of equal width; whole numbers over a short range get a bin each."""
    low, high = float(values.min()), float(values.max())
    if 0 < high - low < _MAX_BINS and bool(np.all(values == np.rint(values))):
        edges = np.arange(low - 0.5, high + 1.0)
        counts = np.histogram(values, bins=edges)[0]
    else:
        edges, counts = _equal_bins(values)
    scale = float(np.abs(values).max()) or 1.0  # squares of very large numbers overflow
    return {
        "type": "histogram",
        "edges": [float(e) for e in edges],
        "counts": [int(c) for c in counts],
        "mean": float((values / scale).mean() * scale),
        "sd": float((values / scale).std(ddof=1) * scale) if len(values) > 1 else 0.0,
        "whole": bool(np.all(values == np.rint(values))),
        "quantiles": [float(q) for q in np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0])],
    }


def _equal_bins(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return bins by the rule of Freedman and Diaconis, computed on values scaled into [-1, 1]."""
    scale = float(np.abs(values).max()) or 1.0
    scaled = values / scale
    low, high = float(scaled.min()), float(scaled.max())
    q25, q75 = np.quantile(scaled, [0.25, 0.75])
    width, step = high - low, 2.0 * float(q75 - q25) / len(values) ** (1.0 / 3.0)
    if step <= 0.0:
        n_bins = 10
    else:
        n_bins = _MAX_BINS if step * _MAX_BINS <= width else max(1, int(np.ceil(width / step)))
    edges = np.linspace(low, high, n_bins + 1)
    if not np.all(np.diff(edges * scale) > 0.0):
        # The values are equal, or so close that bins between them cannot be told apart: one bin around them.
        outer = np.array([np.nextafter(values.min(), -np.inf), np.nextafter(values.max(), np.inf)])
        return outer, np.array([len(values)])
    return edges * scale, np.histogram(scaled, bins=edges)[0]
