"""Tables of numbers only: what is no number is refused by column and row, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, nullcontext
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from empirisk.data.masked import refuse_masked
from empirisk.data.odd_targets import missing_target, refuse_odd_targets

__all__ = ["COMPLEX", "complex_refused", "is_plain", "names_in_order", "numbers_only", "refuse_odd_table"]

COMPLEX = "Complex data not supported"  # how refusals of complex numbers begin in scikit-learn
DATES = ("datetime", "date", "timedelta", "duration", "time", "<m8", ">m8", "timestamp")


@contextmanager
def numbers_only(X: Any, y: Any = None) -> Iterator[None]:
    """Where X (or y) holds what is no number, say in which column and row, and what to do.

    Dates and categories are refused before the conversion: nanoseconds since 1970 and codes of categories
    would be fitted in silence.  So are the tables of :func:`refuse_odd_table`.

    Parameters
    ----------
    X : array, data frame or sparse matrix
        Features, or ``()`` when only y is converted.
    y : array, optional
        Targets.

    Examples
    --------
    >>> with numbers_only([["a", 1.0]]):  # doctest: +ELLIPSIS
    ...     np.asarray([["a", 1.0]], dtype=float)
    Traceback (most recent call last):
    ...
    ValueError: X holds the text 'a' in column 0, row 0; encode the column ...
    """
    plain = is_plain(X) or (type(X) is tuple and not X)
    if not plain:
        refuse_odd_table(X)
        _refuse_kinds(X)
    refuse_odd_targets(y)
    try:
        with nullcontext() if plain else names_in_order():
            yield
    except (TypeError, ValueError) as e:
        if COMPLEX in str(e):
            raise complex_refused("y" if y is not None and not np.iscomplexobj(X) else "X") from None
        if not sp.issparse(X):
            for label, values in _columns(X):
                if (found := _first_other(values)) is not None:
                    raise type(e)(_words(label, *found, e)) from e
        # Text of pandas with a missing value: scikit-learn's message has neither the name nor the row.
        if (
            y is not None
            and str(e).startswith("Input contains NaN")
            and (row := missing_target(y)) is not None
        ):
            raise ValueError(f"y holds no value (NaN) in row {row}; drop the rows without a target") from e
        text = "could not convert string" in str(e)
        if text and y is not None and (found := _first_other(y)) is not None:
            raise ValueError(
                f"y holds the text {found[1]!r} in row {found[0]}, and a regression needs numbers; for "
                "classes take a classifier"
            ) from e
        raise


def is_plain(values: Any) -> bool:
    """Return whether these are an array of NumPy, no subclass of it, that holds numbers or flags.

    Nothing is hidden in it: no mask, no names, no dates, no categories, no text.

    Examples
    --------
    >>> is_plain(np.eye(2)), is_plain([1.0]), is_plain(np.array(["a"]))
    (True, False, False)
    """
    return type(values) is np.ndarray and values.dtype.kind in "fiub"


def complex_refused(name: str) -> ValueError:
    """Return the refusal of complex numbers in a sentence; scikit-learn's is followed by the whole table.

    Examples
    --------
    >>> print(complex_refused("X"))
    Complex data not supported: X holds complex numbers; take real and imaginary parts as columns of their own
    """
    return ValueError(
        f"{COMPLEX}: {name} holds complex numbers; take real and imaginary parts as columns of their own"
    )


def refuse_odd_table(X: Any) -> None:
    """Refuse cells behind a mask, and data frames without columns or with two columns of one name.

    Arrays without columns pass, since scikit-learn refuses those in words.

    Examples
    --------
    >>> import pandas as pd
    >>> refuse_odd_table(pd.DataFrame(index=[0, 1]))
    Traceback (most recent call last):
    ...
    ValueError: X has no columns (its shape is (2, 0)); give at least one
    >>> refuse_odd_table(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    Traceback (most recent call last):
    ...
    ValueError: X has 2 columns called 'a', at 0 and 2: rename or drop all but one
    """
    if is_plain(X):
        return
    _refuse_no_table(X)
    refuse_masked("X", X)
    if not hasattr(X, "columns"):
        return
    shape = tuple(getattr(X, "shape", ()))
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(f"X has no columns (its shape is {shape}); give at least one")
    names = list(getattr(X, "column_names", X.columns))  # the columns of an Arrow table are its cells
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        at = " and ".join(str(j) for j, name in enumerate(names) if name == twice)
        raise ValueError(
            f"X has {names.count(twice)} columns called {twice!r}, at {at}: rename or drop all but one"
        )


def _refuse_no_table(X: Any) -> None:
    """Refuse functions, classes, dictionaries, sets, iterators and lazy frames in the place of rows."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame of polars, which has no rows before it is run: give X.collect()")
    if hasattr(X, "shape") or hasattr(X, "__array__"):
        return
    advice = ""
    if isinstance(X, Mapping):
        advice = ": pd.DataFrame(X), say"
    elif isinstance(X, Iterator | Set):
        advice = ": list(X), say"
    elif not callable(X):
        return
    kind = "a class" if isinstance(X, type) else f"of type {type(X).__name__}"
    raise TypeError(f"X is {kind}; give an array or a data frame, a row for each sample{advice}")


@contextmanager
def names_in_order() -> Iterator[None]:
    """Return a context that says what to do where columns of a fit come in another order.

    Examples
    --------
    >>> with names_in_order():  # doctest: +ELLIPSIS
    ...     raise ValueError("Feature names must be in the same order as they were in fit.\\n")
    Traceback (most recent call last):
    ...
    ValueError: Feature names must be in the same order as they were in fit.
    Reorder them: X[list(model.feature_names_in_)], where model is what was fitted.
    """
    try:
        yield
    except ValueError as e:
        if "Feature names must be in the same order" not in str(e):
            raise
        advice = "Reorder them: X[list(model.feature_names_in_)], where model is what was fitted."
        raise ValueError(f"{e}{advice}") from e


def _words(label: str, row: int, value: Any, error: Exception) -> str:
    where = f"in column {label}, row {row}"
    if isinstance(value, str):
        return (
            f"X holds the text {value!r} {where}; encode the column (for example with "
            "sklearn.preprocessing.OneHotEncoder) or drop it"
        )
    if _is_na(value):
        return f"X holds {value!r}, a missing value, {where}; impute it or drop the row"
    shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
    why = f" ({error})" if isinstance(error, TypeError) else ""
    return (
        f"X holds {shown} of type {type(value).__name__} {where}, which is no number{why}; turn the column "
        "into numbers or drop it"
    )


def _is_na(value: Any) -> bool:
    """Return whether it is the missing value of pandas, without importing pandas."""
    return type(value).__name__ in ("NAType", "NaTType")


def _refuse_kinds(X: Any) -> None:
    """Refuse columns of dates, times and categories, by their type."""
    for label, kind, category in _kinds(X):
        where = f"column {label} of X" if label else "X"
        if category:
            raise ValueError(
                f"{where} is categorical, and its codes are no amounts; encode it (for example with "
                "sklearn.preprocessing.OneHotEncoder), or drop it"
            )
        if kind.lower().startswith(DATES):
            raise ValueError(
                f"{where} holds dates or times ({kind}); turn them into numbers with a unit (days "
                "since a date, say), or drop them"
            )


def _kinds(X: Any) -> Iterator[tuple[str, str, bool]]:
    """Return for each column its name ("" for an array), its type in words, and whether it is a category."""
    if not hasattr(X, "columns"):
        yield "", str(getattr(X, "dtype", "")), False
        return
    frame = _frame(X)
    if frame is None:
        return
    native = [str(d) for d in getattr(X, "dtypes", frame.schema.values())]
    for name, dtype, words in zip(frame.columns, frame.schema.values(), native, strict=True):
        yield repr(str(name)), words, dtype in (nw.Categorical, nw.Enum)


def _frame(X: Any) -> Any:
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        return None


def _columns(X: Any) -> Iterator[tuple[str, Any]]:
    """Return the name and cells of each column of a frame, an array or a list of rows."""
    if hasattr(X, "columns"):
        frame = _frame(X)
        for j, (name, dtype) in enumerate(frame.schema.items() if frame is not None else ()):
            if not (dtype.is_numeric() or dtype == nw.Boolean):
                yield repr(str(name)), frame[:, j].to_list()
        return
    try:
        values = np.asarray(X)
    except ValueError:  # rows of unlike lengths
        values = np.empty(len(X), dtype=object)
        values[:] = list(X)
    if values.ndim == 2:
        for j in range(values.shape[1]):
            yield str(j), values[:, j]


def _first_other(values: Any) -> tuple[int, Any] | None:
    """Return the row and value of the first cell that is no number."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiubc":
        return None
    for row, value in enumerate(
        np.ravel(values).tolist() if isinstance(values, np.ndarray) else list(values)
    ):
        if value is None or isinstance(value, complex):
            continue
        try:
            float(value)
        except (TypeError, ValueError):
            return row, value.item() if isinstance(value, np.generic) else value
    return None
