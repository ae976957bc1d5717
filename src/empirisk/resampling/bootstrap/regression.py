"""Least-squares coefficients as functions of sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats

__all__ = ["Regression"]

# A column that others explain but for this share of its variance is collinear in double precision.
COLLINEAR = 1e-10


class Regression:
    """``(b_0, b) = argmin sum (y_i - b_0 - x_i'b)^2``; rows (x_i, y_i) are resampled together.

    Parameters
    ----------
    X : array of shape (n, p)
        Columns, none constant and none a combination of others.
    y : array of shape (n,)
        Target.
    names : sequence of str
        Names of the columns.

    Notes
    -----
    The table holds the products of all pairs of columns: ``(p + 1)(p + 4)/2`` numbers a row.
    """

    def __init__(self, X: Floats, y: Floats, names: tuple[str, ...]) -> None:
        self.labels = ("intercept", *names)
        n, p = X.shape
        self.centre, self.scale = X.mean(axis=0), X.std(axis=0)
        self.y_centre, self.y_scale = float(y.mean()), float(y.std()) or 1.0
        Z = np.column_stack([np.ones(n), (X - self.centre) / self.scale])
        t = (y - self.y_centre) / self.y_scale
        self.first, self.second = np.triu_indices(p + 1)
        self.p, self.target = p, t
        self.table: Floats = np.column_stack([Z[:, self.first] * Z[:, self.second], Z * t[:, None]])

    def value(self, sums: Floats, units: float) -> Floats:
        """Solve the normal equations of the standardised columns; NaN where they are singular."""
        k = self.p + 1
        gram = np.empty((len(sums), k, k))
        pairs = sums[:, : self.first.size] / units
        gram[:, self.first, self.second] = pairs
        gram[:, self.second, self.first] = pairs
        inverse = _inverses(gram)
        w = np.einsum("bij,bj->bi", inverse, sums[:, self.first.size :] / units)
        slope = w[:, 1:] * (self.y_scale / self.scale)
        intercept = self.y_centre + self.y_scale * w[:, 0] - slope @ self.centre
        return np.column_stack([intercept, slope])

    def with_error(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return White's sandwich with the factor ``n/(n - p - 1)`` (HC1), for each resample in turn."""
        n, k = rows.shape[1], self.p + 1
        values = self.value(np.array([self.table[r].sum(axis=0) for r in rows]), n)
        errors = np.full_like(values, np.nan)
        Z, t = self.table[:, :k], self.target
        # A slope moves the intercept by minus the column's centre.
        back = np.eye(k) * np.r_[self.y_scale, self.y_scale / self.scale]
        back[0, 1:] = -self.y_scale / self.scale * self.centre
        for b, r in enumerate(rows):
            if np.isfinite(values[b]).all():
                z = Z[r]
                inverse = np.linalg.inv(z.T @ z)
                residual = t[r] - z @ (inverse @ (z.T @ t[r]))
                parts = (z @ inverse) @ back.T * residual[:, None]
                errors[b] = np.sqrt(np.sum(parts**2, axis=0) * (n / max(n - k, 1)))
        return values, errors


def _inverses(gram: Floats) -> Floats:
    """Return the inverses of many small matrices with diagonals of about 1; NaN where one is singular."""
    try:
        out = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    except np.linalg.LinAlgError:
        out = np.full_like(gram, np.nan)
        for i, g in enumerate(gram):
            try:
                out[i] = np.linalg.inv(g)
            except np.linalg.LinAlgError:
                continue
    # 1/(inverse diagonal) is the share of a column that the others leave unexplained.
    inflation = np.diagonal(out, axis1=1, axis2=2)
    singular = ~((inflation > 0.0) & (inflation < 1.0 / COLLINEAR)).all(axis=1)
    out[singular] = np.nan
    return out
