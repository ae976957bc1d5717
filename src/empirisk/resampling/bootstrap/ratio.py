"""Means, weighted means and means over groups: ratios of two sums."""

from __future__ import annotations

import numpy as np

from empirisk.evaluation.intervals.base import Floats

__all__ = ["Ratio"]


class Ratio:
    """``T = sum a_i / sum b_i``: a mean with ``b = 1``, a weighted mean, a mean over groups (sums, sizes).

    Parameters
    ----------
    a : array of shape (units,)
        Numerators.
    b : array of shape (units,), optional
        Denominators, not negative; ones without it.
    label : str
        What the number is called.
    with_error : bool
        Keep the columns that the standard error needs:
        ``se^2 = m/(m-1) sum (a_i - T b_i)^2 / (sum b_i)^2`` for m units.
    """

    def __init__(self, a: Floats, b: Floats | None, label: str, with_error: bool) -> None:
        self.labels = (label,)
        self.plain = b is None
        weight = np.ones_like(a) if b is None else b
        self.centre = float(a.mean() if b is None else a.sum() / b.sum())
        u = a - self.centre * weight
        columns = [u]
        if b is not None:
            columns.append(b)
        if with_error:
            columns.append(u * u)
            if b is not None:
                columns += [u * b, b * b]
        self.table: Floats = np.column_stack(columns)

    def value(self, sums: Floats, units: float) -> Floats:
        """``centre + sum u / sum b``: the ratio, with most of it taken out of the sums to keep digits."""
        return self.centre + self._shift(sums, units)

    def error(self, sums: Floats, units: float) -> Floats:
        """Return the standard errors from ``sum (u - d b)^2 = sum u^2 - 2 d sum u b + d^2 sum b^2`` with ``d
        = T - centre``.
        """
        d = self._shift(sums, units)
        if self.plain:
            squares, total = sums[:, 1:2] - units * d * d, np.full_like(d, units)
        else:
            squares = sums[:, 2:3] - 2.0 * d * sums[:, 3:4] + d * d * sums[:, 4:5]
            total = sums[:, 1:2]
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = np.sqrt(np.maximum(squares, 0.0) * (units / (units - 1.0))) / total
        return out

    def _shift(self, sums: Floats, units: float) -> Floats:
        total = units if self.plain else sums[:, 1:2]
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = sums[:, :1] / total
        return out
