"""Columns of numbers and of categories: tables in, one numeric matrix with category codes out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from empirisk.data.brief import Brief
from empirisk.data.caller_line import caller_level
from empirisk.data.distinct_numbers import distinct_numbers
from empirisk.typing import Array, IndexArray

__all__ = ["ColumnCoder", "NumbersAsTextWarning", "Table"]


class NumbersAsTextWarning(UserWarning):
    """ER007: a column of text reads as numbers, and is taken as categories."""


# Codes travel as float64 and are used as int32.
MOST_CATEGORIES = 2**31 - 1


@dataclass(frozen=True, repr=False)
class Table(Brief):
    """Rows as the loops of the trees read them.

    Parameters
    ----------
    X : array or CSR/CSC matrix, shape (n, p)
        float64 or float32; NaN is a missing value; categorical columns hold the codes 0, 1, ..., c - 1, and
        c for categories that training did not have.
    n_categories : array of int64, shape (p,)
        c of each column, 0 for a number.
    names : tuple of str or None
        Column names, for messages.
    """

    X: Any
    n_categories: IndexArray
    names: tuple[str, ...] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows of the table, n."""
        return int(self.X.shape[0])

    @property
    def n_cols(self) -> int:
        """The number of columns of the table, p."""
        return int(self.X.shape[1])

    def unknown(self) -> dict[int, int]:
        """Return the columns that hold categories which training did not have, and in how many rows."""
        rows = {
            int(j): int((self.X[:, j] == self.n_categories[j]).sum())
            for j in np.flatnonzero(self.n_categories)
        }
        return {j: count for j, count in rows.items() if count}

    def label(self, column: int) -> str:
        """Return how messages call a column: by its quoted name, or by its number when it has none."""
        return repr(self.names[column]) if self.names is not None else str(column)


@dataclass(frozen=True, repr=False)
class ColumnCoder(Brief):
    """Which columns are categorical, and the code of each category.

    Numbers stay numbers.  A categorical column becomes the codes 0, 1, ..., c - 1 of its sorted training
    categories; a category that training did not have becomes c, an empty cell NaN (missing).

    Parameters
    ----------
    categories : tuple
        For each column None (a number), or its categories in the order of the codes.
    names : tuple of str or None
        Column names of the frame that it was fitted on.

    Examples
    --------
    >>> X = np.array([["a", 1.5], ["b", 2.5], ["a", 3.5]], dtype=object)
    >>> coder = ColumnCoder.fit(X, categorical_features=[0])
    >>> coder.encode(np.array([["b", 0.0], ["c", 1.0]], dtype=object)).X
    array([[1., 0.],
           [2., 1.]])
    """

    categories: tuple[tuple[Any, ...] | None, ...]
    names: tuple[str, ...] | None = None

    @classmethod
    def fit(
        cls, X: Any, categorical_features: Any = "from_dtype", *, text: bool = False, spared: Any = ()
    ) -> ColumnCoder:
        """Learn the categories.

        Parameters
        ----------
        X : data frame, array or sparse matrix, shape (n, p)
            Training rows.
        categorical_features : "from_dtype", None, or a list of names, numbers or booleans
            Which columns are categories; "from_dtype" takes the categorical and enum columns of a pandas or
            polars frame, and none of an array.
        text : bool, default False
            Whether "from_dtype" takes columns of text, too; one whose levels are numbers, more than ten, is
            told by a warning (ER007).
        spared : collection of names and numbers
            Columns without that warning, because they were named.

        Raises
        ------
        ValueError
            For a name or number that X does not have, for categories in a sparse matrix.
        """
        frame = _frame(X)
        names = tuple(map(str, frame.columns)) if frame is not None else None
        n_columns = len(names) if names is not None else int(np.shape(X)[1])
        chosen = _chosen(frame, n_columns, names, categorical_features, text)
        if _is_sparse(X) and chosen.any():
            raise ValueError("categorical_features: a sparse X holds numbers only; pass a data frame instead")
        categories = tuple(
            _levels(_column(X, frame, j), _label(names, j)) if chosen[j] else None for j in range(n_columns)
        )
        if text and isinstance(categorical_features, str) and frame is not None:
            _tell_numbers(frame, categories, spared)
        return cls(categories, names)

    @property
    def n_categories(self) -> IndexArray:
        """Categories of each column, 0 for a number."""
        return np.array([0 if c is None else len(c) for c in self.categories], dtype=np.int64)

    def encode(self, X: Any) -> Table:
        """Numbers and codes; floating-point arrays without categories are passed on as they are.

        Raises
        ------
        ValueError
            For infinite numbers, and for text in a column that is not categorical, by column and row.
        """
        frame = _frame(X)
        matrix: Any
        if _is_sparse(X):
            matrix = X
        elif frame is None and np.asarray(X).dtype.kind == "f" and not self.n_categories.any():
            matrix = np.asarray(X)
        else:
            matrix = np.empty(np.shape(X), dtype=_precision(X, frame), order="F")
            for j, levels in enumerate(self.categories):
                column, label = _column(X, frame, j), _label(self.names, j)
                matrix[:, j] = _numbers(column, label) if levels is None else _codes(column, levels, label)
        _refuse_infinite(matrix, self.names)
        return Table(matrix, self.n_categories, self.names)


def _tell_numbers(frame: Any, categories: Sequence[Any], spared: Any) -> None:
    """Warn of columns of text whose levels read as numbers: one odd cell makes such a column of numbers."""
    for j, (name, dtype) in enumerate(frame.schema.items()):
        levels = categories[j]
        if levels is None or dtype != nw.String or len(levels) <= 10 or name in spared or j in spared:
            continue
        odd = [level for level in levels if not _reads_as_number(level)]
        if 10 * len(odd) <= len(levels):
            others = f" but for {odd[0]!r}" if odd else ""
            warnings.warn(
                f"ER007: column {name!r} of X holds text that reads as numbers{others}, and is taken as "
                f"{len(levels)} categories: turn it into numbers (pd.to_numeric(X[{name!r}], "
                "errors='coerce'), say), or name it in categorical_features",
                NumbersAsTextWarning,
                stacklevel=caller_level(),
            )


def _reads_as_number(level: Any) -> bool:
    """Return whether a level of text is a number in writing."""
    try:
        return math.isfinite(float(level))
    except (TypeError, ValueError):
        return False


def _frame(X: Any) -> Any:
    """X as a narwhals frame, or None for arrays and lists."""
    if isinstance(X, np.ndarray) or _is_sparse(X) or not hasattr(X, "columns"):
        return None
    return nw.from_native(X, eager_only=True, pass_through=False)


def _is_sparse(X: Any) -> bool:
    return bool(sp.issparse(X))


def _label(names: Sequence[str] | None, column: int) -> str:
    return repr(names[column]) if names is not None else str(column)


def _column(X: Any, frame: Any, column: int) -> Any:
    """Return a narwhals series, or a one-dimensional array."""
    return np.asarray(X)[:, column] if frame is None else frame[:, column]


def _precision(X: Any, frame: Any) -> Any:
    """float32 if every column is; else float64."""
    if frame is None:
        return np.float32 if np.asarray(X).dtype == np.float32 else np.float64
    narrow = len(frame.columns) > 0 and all(dtype == nw.Float32 for dtype in frame.schema.values())
    return np.float32 if narrow else np.float64


def _chosen(frame: Any, n_columns: int, names: Sequence[str] | None, asked: Any, text: bool) -> Any:
    """Return which columns are categorical, shape (p,)."""
    chosen = np.zeros(n_columns, dtype=bool)
    if asked is None:
        return chosen
    if isinstance(asked, str):
        if asked != "from_dtype":
            raise ValueError(
                f'categorical_features must be "from_dtype", None or a list of columns, got {asked!r}'
            )
        if frame is not None:
            kinds = (nw.Categorical, nw.Enum, *((nw.String,) if text else ()))
            chosen[:] = [dtype in kinds for dtype in frame.schema.values()]
        return chosen
    asked = list(np.atleast_1d(np.asarray(asked, dtype=object)))
    if asked and all(isinstance(a, bool | np.bool_) for a in asked):
        if len(asked) != n_columns:
            raise ValueError(
                f"categorical_features has {len(asked)} flags, X has {n_columns} columns: give one for each"
            )
        return np.array(asked, dtype=bool)
    for a in asked:
        if isinstance(a, str) and names is not None and a in names:
            chosen[list(names).index(a)] = True
        elif not isinstance(a, str | bool) and 0 <= int(a) < n_columns and int(a) == a:
            chosen[int(a)] = True
        else:
            known = f"names among {list(names)[:8]}" if names is not None else "numbers"
            raise ValueError(
                f"categorical_features names {a!r}, which X does not have; give {known} or 0..{n_columns - 1}"
            )
    return chosen


def _physical(column: Any) -> tuple[list[Any], IndexArray]:
    """Declared categories of a series or array, and each row's number among them (-1: missing)."""
    if isinstance(column, np.ndarray):
        return _distinct(column)
    native = column.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):
        return native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.int64)
    if column.dtype in (nw.Categorical, nw.Enum) and hasattr(native, "to_physical"):
        levels = native.drop_nulls().unique()
        numbers = levels.to_physical().to_numpy().astype(np.int64)
        order = np.argsort(numbers)
        names = nw.from_native(levels, series_only=True).cast(nw.String).to_list()
        rows = native.to_physical().cast(int).fill_null(-1).to_numpy()
        codes = np.where(rows < 0, -1, np.searchsorted(numbers[order], rows))
        return [names[i] for i in order], codes
    return _distinct(np.asarray(column.to_list(), dtype=object))


def _distinct(values: Any) -> tuple[list[Any], IndexArray]:
    """Return the distinct values in the order of appearance (numbers: sorted), and each row's number among
    them (-1: missing).
    """
    if values.dtype.kind in "fiub":
        levels, codes = distinct_numbers(values)
        known = len(levels) - int(len(levels) > 0 and values.dtype.kind == "f" and np.isnan(levels[-1]))
        return levels.tolist(), np.where(codes < known, codes, -1)
    number: dict[Any, int] = {}
    codes = np.fromiter(
        (-1 if v is None or v != v else number.setdefault(v, len(number)) for v in values.tolist()),
        dtype=np.int64,
        count=len(values),
    )
    return list(number), codes


def _levels(column: Any, label: str) -> tuple[Any, ...]:
    """Return the categories that occur, sorted (numbers by size, other values as text)."""
    declared, codes = _physical(column)
    _refuse_complex(declared, label)
    present = [declared[c] for c in np.flatnonzero(np.bincount(codes[codes >= 0]))]
    if len(present) > MOST_CATEGORIES:
        raise ValueError(f"column {label} of X has {len(present)} categories, more than {MOST_CATEGORIES}")
    try:
        return tuple(sorted(present))
    except TypeError:  # numbers among text
        return tuple(sorted(present, key=lambda v: (type(v).__name__, str(v))))


def _refuse_complex(values: Sequence[Any], label: str) -> None:
    """Refuse complex numbers, which have no order and are no amounts, in a column of either."""
    for value in values:
        if isinstance(value, complex):
            raise ValueError(
                f"Complex data not supported: column {label} of X holds {value!r}; take real and imaginary "
                "parts as two columns"
            )


def _codes(column: Any, levels: Sequence[Any], label: str) -> Array:
    """Return the code of each row's category: NaN when missing, the number of levels when not among them."""
    declared, physical = _physical(column)
    _refuse_complex(declared, label)
    kinds = {isinstance(v, str) for v in levels}, {isinstance(v, str) for v in declared}
    if all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
        then, now = ("text", "numbers") if True in kinds[0] else ("numbers", "text")
        raise ValueError(
            f"column {label} of X had {then} as categories in training ({levels[0]!r}, ...) and holds {now} "
            f"now ({declared[0]!r}, ...): pass the same categories"
        )
    number = {level: float(code) for code, level in enumerate(levels)}
    of_declared = np.array([*(number.get(v, float(len(levels))) for v in declared), np.nan])
    return np.asarray(of_declared[physical])


def _numbers(column: Any, label: str) -> Array:
    """Return a column of numbers as float64, NaN where missing."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "c":
            _refuse_complex(column.tolist(), label)
        if column.dtype.kind != "O":
            return np.asarray(column, dtype=np.float64)
        values: Any = column.tolist()
    else:
        dtype = column.dtype
        if dtype.is_temporal():
            raise ValueError(
                f"column {label} of X holds dates or times ({dtype}); turn them into numbers with a unit "
                "(days since a date, say), or drop them"
            )
        if dtype.is_numeric() or dtype == nw.Boolean:
            return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
        if dtype in (nw.Categorical, nw.Enum):
            raise ValueError(
                f"column {label} of X is categorical, but categorical_features does not name it; name it, or "
                "encode it as numbers"
            )
        values = column.to_list()
    out = np.empty(len(values))
    for row, v in enumerate(values):
        try:
            out[row] = np.nan if v is None else float(v)
        except (TypeError, ValueError):
            _refuse_complex([v], label)
            kind = "text" if isinstance(v, str) else type(v).__name__
            raise ValueError(
                f"X holds the {kind} {v!r} in column {label}, row {row}; name the column in "
                "categorical_features (or make it categorical), encode it, or drop it"
            ) from None
    return out


def _refuse_infinite(matrix: Any, names: Sequence[str] | None) -> None:
    data = matrix.data if _is_sparse(matrix) else matrix
    # A finite sum proves finite terms; NaN and infinities are looked at one by one.
    with np.errstate(all="ignore"):
        total = data.sum(dtype=np.float64)
    if np.isfinite(total) or not (bad := np.isinf(data)).any():
        return
    if _is_sparse(matrix):
        coo, at = matrix.tocoo(), int(np.flatnonzero(np.isinf(matrix.tocoo().data))[0])
        row, column = int(coo.row[at]), int(coo.col[at])
    else:
        column = int(np.flatnonzero(bad.any(axis=0))[0])
        row = int(np.flatnonzero(bad[:, column])[0])
    raise ValueError(
        f"X contains infinity (inf) in column {_label(names, column)}, row {row} ({int(bad.sum())} such "
        "values in all); replace infinite values by a number, or by NaN for missing"
    )
