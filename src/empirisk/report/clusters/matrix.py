"""From the columns that take part to the numbers whose distances make the clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from empirisk.report.fit.encode import Origin, feature_origin, make_encoder, model_frame
from empirisk.report.read.table import Table

__all__ = ["LEVEL_WEIGHT", "Matrix", "column_shares", "encode_rows", "raw_rows", "weighted"]

Floats = NDArray[np.float64]

# Two rows of different levels are then as far apart as two numbers that differ by one standard deviation.
# A column of levels has at most half the variance of a column of numbers: levels lie in lumps by themselves,
# so that with equal variances groups would be found along levels wherever there are any.
LEVEL_WEIGHT = math.sqrt(0.5)


@dataclass(frozen=True)
class Matrix:
    """Rows as clusters see them.

    Parameters
    ----------
    frame : polars.DataFrame
        As the encoder takes them.
    encoder : ColumnTransformer
        Fitted on these rows.
    X : array of shape (n, q)
    origins : list of Origin
        What each encoded column is.
    """

    frame: pl.DataFrame
    encoder: ColumnTransformer
    X: Floats
    origins: list[Origin]

    @property
    def names(self) -> list[str]:
        """Readable names of the encoded columns."""
        return [o.name for o in self.origins]


def cluster_encoder(table: Table) -> ColumnTransformer:
    """Return an unfitted encoder: numbers standardised, truth values 0/1, levels 0 or :data:`LEVEL_WEIGHT`.

    A missing number is the median and a missing truth value the more frequent one, without a mark; a missing
    level is a level of its own.
    """
    return make_encoder(table, marks=False, weights={"levels": LEVEL_WEIGHT})


def encode_rows(table: Table) -> Matrix:
    """Return all rows of a table as clusters see them.

    Parameters
    ----------
    table : Table
        From :func:`empirisk.report.clusters.columns.take_part`.
    """
    frame, encoder = model_frame(table), cluster_encoder(table)
    X = np.ascontiguousarray(encoder.fit_transform(frame), dtype=np.float64)
    return Matrix(frame, encoder, X, feature_origin(encoder, X))


def weighted(origin: Origin) -> float:
    """Return the weight that the encoded column carries."""
    return LEVEL_WEIGHT if origin.kind == "level" else 1.0


def column_shares(matrix: Matrix) -> dict[str, float]:
    """Return the share that each column of the table has in the total variance: how much it counts."""
    total = float(matrix.X.var(axis=0).sum())
    out: dict[str, float] = {}
    for origin, variance in zip(matrix.origins, matrix.X.var(axis=0), strict=True):
        out[origin.source] = out.get(origin.source, 0.0) + float(variance) / (total or 1.0)
    return out


def raw_rows(matrix: Matrix) -> Floats:
    """Return the rows with numbers in their own units: what distances would be without standardising."""
    scale = np.array([o.scale if o.kind == "number" else 1.0 for o in matrix.origins])
    return np.ascontiguousarray(matrix.X * scale)


def _numbers(matrix: Matrix) -> NDArray[Any]:
    return np.array([o.kind == "number" for o in matrix.origins])


def ranked_rows(matrix: Matrix) -> Floats:
    """Return the rows with each number by its normal score: the outermost rows come no further out."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    X = matrix.X.copy()
    for j in np.flatnonzero(_numbers(matrix)):
        X[:, j] = ndtri((rankdata(X[:, j]) - 0.5) / len(X))
    return X


def numbers_only(matrix: Matrix) -> Floats | None:
    """Return the columns of numbers alone; None where there are no others, or nothing else."""
    own = _numbers(matrix)
    return None if own.all() or not own.any() else np.ascontiguousarray(matrix.X[:, own])
