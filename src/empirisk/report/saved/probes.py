"""Synthetic rows that a model file carries to check itself: every column is drawn by itself."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from empirisk.report.fit.encode import is_text
from empirisk.report.read.words import spelled

__all__ = ["draw_probes"]

N_PROBES = 20
MIN_COUNT = 5  # a level that fewer training rows have could point at a person
LONG = 8  # words of a text
UNSEEN = "(none of the levels)"


def draw_probes(frame: pl.DataFrame, seed: int = 0, n: int = N_PROBES) -> pl.DataFrame:
    """Draw rows whose columns are independent of one another, so that no row of the data is repeated.

    Numbers are interpolated between the 2 % and 98 % quantiles and rounded to three digits; levels are drawn
    by frequency from those that at least five rows have. Missing values come with the share that they have
    in `frame`; free texts are made of words that at least five rows have.

    Parameters
    ----------
    frame : polars.DataFrame
        Training rows as the encoder takes them: Float64 with NaN, and String.
    seed : int, default 0
        Seed of the draws.
    n : int, default 20
        Number of rows.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"a": [float(i) for i in range(100)], "b": ["x"] * 60 + ["y"] * 40})
    >>> draw_probes(frame, seed=1, n=3).shape
    (3, 2)
    """
    rng = np.random.default_rng(seed)
    return pl.DataFrame([_draw(frame[name], rng, n) for name in frame.columns])


def _draw(column: pl.Series, rng: np.random.Generator, n: int) -> pl.Series:
    u = rng.uniform(0.02, 0.98, size=n)
    if is_text(column.name):
        return pl.Series(column.name, _sentences(column, rng, n), dtype=pl.String)
    if column.dtype == pl.String:
        return pl.Series(column.name, _levels(column, u), dtype=pl.String)
    known = column.drop_nans()
    hidden = rng.random(n) >= known.len() / max(1, column.len())
    values = [math.nan] * n if known.is_empty() else [_round(v) for v in np.quantile(known.to_numpy(), u)]
    return pl.Series(column.name, np.where(hidden, math.nan, values), dtype=pl.Float64)


def _levels(column: pl.Series, u: np.ndarray) -> list[str]:
    counts = column.value_counts().filter(pl.col("count") >= MIN_COUNT).sort("count", column.name)
    if counts.is_empty():
        return [UNSEEN] * u.size
    edges = np.cumsum(counts["count"].to_numpy())
    return [str(counts[column.name][int(i)]) for i in np.searchsorted(edges, u * edges[-1])]


def _sentences(column: pl.Series, rng: np.random.Generator, n: int) -> list[str]:
    """Return sentences of common words, in no order that a row has them in but by chance."""
    words = pl.Series(spelled(column)).str.split(" ").list.unique().explode().drop_nulls()
    counts = words.value_counts().filter(pl.col("count") >= MIN_COUNT).sort("count", words.name)
    common = counts[words.name].to_list()
    if not common:
        return [UNSEEN] * n
    return [" ".join(common[int(i)] for i in rng.integers(0, len(common), LONG)) for _ in range(n)]


def _round(value: float, digits: int = 3) -> float:
    if value == 0.0 or not math.isfinite(value):
        return 0.0
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))
