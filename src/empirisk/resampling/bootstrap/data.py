"""From what users pass to checked arrays, strata and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from empirisk.evaluation.intervals.base import Floats, as_rows, group_codes

__all__ = ["Units", "columns_of", "match", "samples_of", "units_of"]


def samples_of(data: Any) -> tuple[Any, ...]:
    """Return the samples: the members of a tuple, else the one array."""
    samples = data if isinstance(data, tuple) else (data,)
    if not samples:
        raise ValueError("data is an empty tuple; pass an array, or a tuple of arrays.")
    return samples


def columns_of(sample: Any, name: str) -> Floats:
    """Return a finite float array with rows first, of one or two dimensions; NaN is named by row."""
    if issparse(sample):
        raise ValueError(f"{name} is sparse; pass a dense array, such as {name}.toarray().ravel().")
    values = np.asarray(sample)
    if values.dtype.kind in "cmM":
        words = "complex numbers" if values.dtype.kind == "c" else "dates or times"
        raise ValueError(f"{name} holds {words}; pass real numbers.")
    if values.dtype == object or values.dtype.kind not in "fiub":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} holds values that are not numbers: {error}.") from None
    if values.ndim == 1:
        return as_rows(values, name)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{name} must have shape (rows,) or (rows, columns), got {values.shape}.")
    out = values.astype(np.float64)
    bad = np.argwhere(~np.isfinite(out))
    if len(bad):
        row, column = (int(k) for k in bad[0])
        raise ValueError(
            f"{name} is {out[row, column]} in row {row}, column {column} ({len(bad)} such values); "
            "remove or mend those rows."
        )
    return out


def match(samples: tuple[Floats, ...]) -> int:
    """Return the common number of rows of paired arrays."""
    sizes = [len(s) for s in samples]
    if len(set(sizes)) > 1:
        raise ValueError(f"rows that belong together need arrays of one length, got {sizes}.")
    return sizes[0]


@dataclass(frozen=True)
class Units:
    """What is drawn: rows, or whole groups, within strata.

    Parameters
    ----------
    sizes : tuple of int
        Units of each stratum.
    order : array
        Rows sorted by stratum and group.
    starts : array or None
        Where each group begins in `order`, and the end; None when the units are rows.
    """

    sizes: tuple[int, ...]
    order: NDArray[np.intp]
    starts: NDArray[np.intp] | None

    @property
    def n(self) -> int:
        """The number of units that are drawn: rows, or whole groups of rows."""
        return sum(self.sizes)

    def totals(self, column: Floats) -> Floats:
        """Return the sum of a column of rows over each unit."""
        ordered = column[self.order]
        return ordered if self.starts is None else np.add.reduceat(ordered, self.starts[:-1], axis=0)

    def rows(self, units: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the rows of the drawn units, one after the other."""
        if self.starts is None:
            return self.order[units]
        return np.concatenate([self.order[self.starts[u] : self.starts[u + 1]] for u in units])


def units_of(n: int, groups: ArrayLike | None, strata: ArrayLike | None) -> Units:
    """Return the units of n rows; every group must lie in one stratum."""
    stratum, n_strata = (np.zeros(n, dtype=np.intp), 1) if strata is None else _codes(strata, n, "strata")
    if groups is None:
        order = np.argsort(stratum, kind="stable") if n_strata > 1 else np.arange(n)
        return Units(tuple(np.bincount(stratum, minlength=n_strata).tolist()), order, None)
    group, n_groups = _codes(groups, n, "groups")
    low, high = np.full(n_groups, n_strata), np.full(n_groups, -1)
    np.minimum.at(low, group, stratum)
    np.maximum.at(high, group, stratum)
    if (low != high).any():
        where = int(np.flatnonzero(low != high)[0])
        label = np.asarray(groups)[np.flatnonzero(group == where)[0]]
        raise ValueError(f"group {label} has rows in several strata; every group must lie in one stratum.")
    order = np.lexsort((group, stratum))
    ordered = group[order]
    starts = np.r_[np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]), n]
    return Units(tuple(np.bincount(low, minlength=n_strata).tolist()), order, starts)


def _codes(labels: ArrayLike, n: int, name: str) -> tuple[NDArray[np.intp], int]:
    try:
        return group_codes(labels, n)
    except ValueError as error:
        raise ValueError(str(error).replace("groups", name)) from None
