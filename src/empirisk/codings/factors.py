"""Factors of a linear model: columns of categories become columns of numbers, each with a name.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from empirisk.codings.base import Coding
from empirisk.codings.indicators import Indicators
from empirisk.codings.treatment import Treatment, shown
from empirisk.data.brief import Brief
from empirisk.data.columns import ColumnCoder
from empirisk.typing import Array

__all__ = ["Factors"]

# Sparse columns pay where a row fills at most this share of at least so many columns.
SHARE, MANY = 0.1, 100
# A coding is a matrix of so many rows and columns: 200 MB at this number of levels.
MOST_LEVELS = 5_000


@dataclass(frozen=True, repr=False)
class Factors(Brief):
    """The levels and the coding of each factor among the columns of a table.

    Parameters
    ----------
    coder : ColumnCoder
        Which columns are factors, and their levels in order.
    contrasts : tuple
        For each column None (a number), or the matrix of its coding, of shape (levels, columns).
    terms : tuple of str
        Names of the columns that :meth:`matrix` makes.
    groups : mapping
        The positions of the columns that each column of the table becomes, by its name.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30.0, 40.0, 50.0], "sex": ["male", "female", "female"]})
    >>> factors = Factors.fit(X, "from_dtype")
    >>> factors.terms
    ('age', 'sex[male]')
    >>> factors.matrix(X)
    array([[30.,  1.],
           [40.,  0.],
           [50.,  0.]])
    """

    coder: ColumnCoder
    contrasts: tuple[Array | None, ...]
    terms: tuple[str, ...]
    groups: Mapping[str, tuple[int, ...]]

    @classmethod
    def fit(cls, X: Any, asked: Any, weight: Array | None = None, intercept: bool = True) -> Factors | None:
        """Learn the levels; None where no column is a factor.

        Parameters
        ----------
        X : data frame or array, shape (n, p)
            Training rows.
        asked : "from_dtype", None, list or mapping
            What ``categorical_features`` says.
        weight : array, shape (n,), optional
            Weights of the rows; levels of rows without weight are no levels.
        intercept : bool, default True
            Without one the first factor keeps all levels, where treatment coding was not asked for by name.

        Raises
        ------
        ValueError
            For columns that X does not have, empty cells, and factors that leave no column.
        """
        given = dict(asked) if isinstance(asked, Mapping) else {}
        if asked is None or sp.issparse(X) or not _may_hold(X, asked):
            return None
        coder = _coder(X, asked, given, weight)
        if all(levels is None for levels in coder.categories):
            return None
        codes = coder.encode(X).X
        if not len(codes):
            raise ValueError(f"X has no rows (its shape is {codes.shape}); give at least one")
        _refuse_missing(codes, coder)
        named = {_position(key, coder): choice for key, choice in given.items()}
        contrasts: list[Array | None] = []
        terms: list[str] = []
        groups: dict[str, tuple[int, ...]] = {}
        for j, levels in enumerate(coder.categories):
            name = _name(coder, j)
            C, labels = None, [""]
            if levels is not None:
                _refuse_many(name, len(levels), len(codes))
                first = not intercept and all(c is None for c in contrasts)
                coding = _coding(named.get(j), Indicators() if first else Treatment())
                try:
                    C, labels = coding.contrasts(levels, _frequency(codes[:, j], len(levels), weight))
                except ValueError as e:
                    raise ValueError(f"categorical_features, column {name!r}: {e}") from None
            groups[name] = tuple(range(len(terms), len(terms) + len(labels)))
            contrasts.append(C)
            terms.extend(f"{name}[{label}]" if levels is not None else name for label in labels)
        _refuse_names(terms)
        return cls(coder, tuple(contrasts), tuple(terms), groups)

    def matrix(self, X: Any, weight: Array | None = None) -> Any:
        """Return the columns as numbers: a Fortran-ordered array, or CSR where there are many levels.

        Parameters
        ----------
        X : data frame or array, shape (n, p)
            Rows with the columns of the fit.
        weight : array, shape (n,), optional
            Weights; at rows without weight a level may be new.

        Raises
        ------
        ValueError
            For levels that training did not have and for empty cells, by column and row.
        """
        table = self.coder.encode(X)
        _refuse_missing(table.X, self.coder)
        codes = self._known(X, table.X, weight)
        parts = [codes[:, j] if C is None else (C, codes[:, j]) for j, C in enumerate(self.contrasts)]
        narrow = _all_single(X, self.contrasts)
        filled = sum(1.0 if C is None else float((C != 0.0).sum()) / len(C) for C in self.contrasts)
        if len(self.terms) >= MANY and filled <= SHARE * len(self.terms):
            made = [_csr(part) if isinstance(part, tuple) else sp.csr_array(part[:, None]) for part in parts]
            whole = sp.hstack(made, format="csr")
            whole.sort_indices()
            return whole.astype(np.float32) if narrow else whole
        out = np.empty((len(codes), len(self.terms)), dtype=np.float32 if narrow else np.float64, order="F")
        for part, at in zip(parts, self.groups.values(), strict=True):
            if at:
                block = part[0][part[1].astype(np.intp)] if isinstance(part, tuple) else part[:, None]
                out[:, at[0] : at[-1] + 1] = block
        return out

    def _known(self, X: Any, codes: Array, weight: Array | None) -> Array:
        """Return the codes; a level that is new is refused, and the first one in rows without weight."""
        for j, levels in enumerate(self.coder.categories):
            if levels is None or not (new := codes[:, j] == len(levels)).any():
                continue
            if weight is not None:
                codes[new & (weight == 0.0), j] = 0.0
                new &= weight > 0.0
            if new.any():
                row = int(np.argmax(new))
                rows = f"row {row}" if new.sum() == 1 else f"row {row} ({int(new.sum())} such rows in all)"
                raise ValueError(
                    f"column {_name(self.coder, j)!r} of X holds the level {_cell(X, row, j)!r} in {rows}, "
                    f"which training did not have (its levels: {shown(levels)}); drop those rows, give them "
                    "a known level, or fit on rows that have it"
                )
        return codes


def _may_hold(X: Any, asked: Any) -> bool:
    """Return whether X is a frame that is read by types, or columns were named."""
    if not hasattr(X, "columns"):
        return not (isinstance(asked, str) and asked == "from_dtype")
    try:
        nw.from_native(X, eager_only=True)
    except TypeError:  # a frame that is not known
        return False
    return True


def _cell(X: Any, row: int, column: int) -> Any:
    """Return one cell of a frame or an array, as a plain object of Python."""
    cell = nw.from_native(X, eager_only=True)[row, column] if hasattr(X, "columns") else X[row][column]
    return cell.item() if isinstance(cell, np.generic) else cell


def _coder(X: Any, asked: Any, given: Mapping[Any, Any], weight: Array | None) -> ColumnCoder:
    """Return the coder of the factors: levels of rows with weight, in the order that their type declares."""
    rows = X if weight is None or bool(np.all(weight > 0.0)) else _where(X, weight > 0.0)
    coder = ColumnCoder.fit(rows, asked if not given else "from_dtype", text=True, spared=given)
    if given:
        named = ColumnCoder.fit(rows, list(given))
        both = zip(coder.categories, named.categories, strict=True)
        coder = ColumnCoder(tuple(a if b is None else b for a, b in both), coder.names)
    declared = (_in_order(X, j, levels) for j, levels in enumerate(coder.categories))
    return ColumnCoder(tuple(declared), coder.names)


def _where(X: Any, kept: Any) -> Any:
    """Return the rows of a table that a mask names."""
    if not hasattr(X, "columns"):
        return np.asarray(X)[kept]
    return nw.from_native(X, eager_only=True).filter(kept.tolist()).to_native()


def _in_order(X: Any, column: int, levels: Any) -> Any:
    """Return the levels in the order that the type of the column declares; others stay sorted."""
    if levels is None or not hasattr(X, "columns"):
        return levels
    series = nw.from_native(X, eager_only=True)[:, column]
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        declared = native.cat.categories.tolist()
    elif isinstance(series.dtype, nw.Enum):
        declared = list(series.dtype.categories)
    else:
        return levels
    return tuple(v for v in declared if v in set(levels))


def _position(key: Any, coder: ColumnCoder) -> int:
    """Return the number of a column that is known to exist, named or by number."""
    return coder.names.index(key) if isinstance(key, str) and coder.names is not None else int(key)


def _name(coder: ColumnCoder, column: int) -> str:
    """Return the name of a column, x0, x1, ... where a table has none."""
    return coder.names[column] if coder.names is not None else f"x{column}"


def _coding(choice: Any, default: Coding) -> Coding:
    """Return the coding that a value of the mapping means: itself, a reference level, or none."""
    if isinstance(choice, type) and issubclass(choice, Coding):
        return choice()
    if isinstance(choice, Coding):
        return choice
    return default if choice is None else Treatment(choice)


def _frequency(codes: Array, k: int, weight: Array | None) -> Array:
    """Return the weight of the rows at each level."""
    known = codes < k
    counted = None if weight is None else weight[known]
    return np.bincount(codes[known].astype(np.intp), counted, minlength=k).astype(np.float64)


def _csr(part: tuple[Array, Array]) -> Any:
    """Return the rows of a coding that the codes name, as CSR without a dense matrix of all rows."""
    C, codes = part
    return sp.csr_array(C)[codes.astype(np.intp)]


def _all_single(X: Any, contrasts: Sequence[Array | None]) -> bool:
    """Return whether there are columns of numbers and all are float32."""
    if not hasattr(X, "columns"):
        return False
    dtypes = list(nw.from_native(X, eager_only=True).schema.values())
    numbers = [dtype for dtype, C in zip(dtypes, contrasts, strict=True) if C is None]
    return bool(numbers) and all(dtype == nw.Float32 for dtype in numbers)


def _refuse_missing(codes: Array, coder: ColumnCoder) -> None:
    """Refuse empty cells of factors, by column and row."""
    for j in (j for j, levels in enumerate(coder.categories) if levels is not None):
        empty = np.isnan(codes[:, j])
        if empty.any():
            raise ValueError(
                f"X has an empty cell in column {_name(coder, j)!r}, row {int(np.argmax(empty))} "
                f"({int(empty.sum())} such values in all), and the column is a factor; drop those rows, or "
                "make missing a level of its own"
            )


def _refuse_many(name: str, k: int, n: int) -> None:
    """Refuse columns of more levels than a coding holds, which are mostly names of rows."""
    if k > MOST_LEVELS:
        raise ValueError(
            f"column {name!r} of X has {k:,} levels on {n:,} rows, more than {MOST_LEVELS:,}: drop it if it "
            "names rows, or put rare levels together"
        )


def _refuse_names(terms: Sequence[str]) -> None:
    """Refuse columns of one name, and factors that leave nothing to fit."""
    if not terms:
        raise ValueError("every column of X is a factor of one level, which tells no rows apart; drop them")
    twice = (
        [name for name in dict.fromkeys(terms) if list(terms).count(name) > 1]
        if len(set(terms)) < len(terms)
        else []
    )
    if twice:
        raise ValueError(f"two columns would be called {twice[0]!r}; rename the column or the level")
