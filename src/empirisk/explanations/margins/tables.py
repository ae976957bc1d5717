"""Tables of rows with some columns set or moved: what margins average predictions over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp

from empirisk.typing import Array

__all__ = ["Change", "RowTable", "is_flag", "shares_by", "weights_of"]


@dataclass(frozen=True)
class Change:
    """A column that is set to a value, or moved by a number.

    Parameters
    ----------
    column : str or int
        Its name, or its number in an array.
    value : object
        What every row gets, or the number that is added.
    moved : bool
        Whether the value is added to what is there.
    """

    column: Any
    value: Any
    moved: bool = False


class RowTable:
    """Rows of the user, a frame or an array, whose columns can be read and changed.

    Parameters
    ----------
    X : array, data frame or sparse matrix, shape (n, p)

    Examples
    --------
    >>> table = RowTable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> table.changed([Change(1, 0.5, moved=True)])
    array([[1. , 2.5],
           [3. , 4.5]])
    """

    def __init__(self, X: Any) -> None:
        self.frame = nw.from_native(X, eager_only=True) if hasattr(X, "columns") else None
        if self.frame is not None:
            self.names: list[Any] = list(self.frame.columns)
            self.n = len(self.frame)
        else:
            given: Any = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
            if given.ndim != 2:
                raise ValueError(f"X must have two dimensions, got shape {given.shape}")
            # Small moves of a column need all digits of float64.
            self.array: Any = given.astype(np.float64) if given.dtype.kind in "fiub" else given
            self.n = given.shape[0]
            self.names = list(range(given.shape[1]))
        if self.n == 0:
            raise ValueError("X has no rows: there is nothing to average over")

    def label(self, column: Any) -> str:
        """Return the name of a column; columns of arrays are x0, x1, ..."""
        return str(column) if self.frame is not None else f"x{column}"

    def column(self, given: Any, parameter: str) -> Any:
        """Return a column by its name, or by its number; arrays take the names x0, x1, ... too."""
        labels = [self.label(name) for name in self.names]
        if isinstance(given, str) and given in labels:
            return self.names[labels.index(given)]
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if whole and -len(labels) <= given < len(labels):
            return self.names[int(given)]
        shown = ", ".join(labels[:8])
        raise ValueError(f"{parameter} names {given!r}, which X does not have; there are {shown}")

    def values(self, column: Any) -> np.ndarray:
        """Return the cells of a column: numbers as float64, others as they are."""
        if self.frame is not None:
            cells = self.frame[column]
            if cells.dtype.is_numeric() or cells.dtype == nw.Boolean:
                return np.asarray(cells.to_numpy(), dtype=np.float64)
            return np.array([None if v is None or v != v else str(v) for v in cells.to_list()], dtype=object)
        part = self.array[:, [column]]
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part)[:, 0]

    def changed(self, changes: Sequence[Change]) -> Any:
        """Return the rows with the columns changed, one change after the other, in the kind of the user."""
        if self.frame is None:
            return self._changed_array(changes)
        out = self.frame
        for change in changes:
            old = out[change.column]
            if change.moved:
                new = old.cast(nw.Float64) + float(change.value)
            else:
                # A Series of the same type: categories keep their order, and numbers their width.
                cells = [change.value] * self.n
                new = nw.new_series(change.column, cells, backend=nw.get_native_namespace(out))
                numeric = old.dtype.is_numeric() or old.dtype == nw.Boolean
                new = new.cast(nw.Float64) if numeric else new.cast(old.dtype)
            out = out.with_columns(new.alias(change.column))
        return out.to_native()

    def _changed_array(self, changes: Sequence[Change]) -> Any:
        sparse = sp.issparse(self.array)
        out: Any = self.array.tolil() if sparse else self.array.copy()
        for change in changes:
            j = change.column
            if sparse:
                cells = (
                    self.values(j) + change.value if change.moved else np.full(self.n, float(change.value))
                )
                out[:, [j]] = cells[:, None]
            else:
                out[:, j] = out[:, j] + change.value if change.moved else change.value
        return out.tocsr() if sparse else out


def is_flag(values: np.ndarray) -> bool:
    """Return whether a column holds the numbers 0 and 1 alone."""
    return values.dtype.kind in "fiub" and bool(np.isin(values, (0.0, 1.0)).all())


def weights_of(given: Any, n: int) -> Array:
    """Return the weights of the rows in averages, checked; 1 where none are given."""
    if given is None:
        return np.ones(n)
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (n,) or not np.isfinite(weight).all() or (weight < 0.0).any() or weight.sum() <= 0.0:
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0 with a positive sum")
    return weight


def shares_by(table: RowTable, weight: Array, by: Any) -> tuple[list[dict[str, Any]], Array]:
    """Return the words of each group of rows and the share of each row in its average."""
    if by is None:
        return [{}], (weight / weight.sum())[None, :]
    if isinstance(by, str | int | np.integer):
        by = [by]
    if not isinstance(by, list):
        given = np.asarray(by)
        if given.shape != (table.n,):
            raise ValueError(f"by must name columns or have {table.n} entries, got shape {given.shape}")
        keys = {"group": given.astype(str) if given.dtype.kind == "O" else given}
    else:
        keys = {table.label(c): table.values(c) for c in (table.column(name, "by") for name in by)}
    cells = list(zip(*(list(v) for v in keys.values()), strict=True))
    labels, shares = [], []
    for at in sorted(set(cells), key=lambda k: tuple(map(_order, k))):
        part = np.array([c == at for c in cells]) * weight
        if part.sum() > 0.0:
            plain = [v.item() if isinstance(v, np.generic) else v for v in at]
            labels.append(dict(zip(keys, plain, strict=True)))
            shares.append(part / part.sum())
    return labels, np.stack(shares)


def _order(value: Any) -> tuple[bool, Any]:
    """Return a key that sorts numbers by size and words by letter, missing values last."""
    return (value is None, "" if value is None else value)
