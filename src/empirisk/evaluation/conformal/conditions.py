"""The categories of rows, and how much likelier they are among new rows than among calibration rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.folds import Rows
from empirisk.evaluation.metrics.predictions import check_length, encode, labels_of
from empirisk.evaluation.outputs import n_rows
from empirisk.typing import Array

__all__ = ["categories", "codes_in", "found_again", "quoted", "ratios", "row_weights"]


def categories(by: Any, X: Any, given: Any = None) -> Any:
    """Return the category of each row of X: a column of it, a function of it, or what is given.

    Parameters
    ----------
    by : str, int, callable or array, shape (n,)
        Name of a column of a frame, number of a column of an array, function of the rows, or the categories
        of the calibration rows.
    X : array, sparse matrix or data frame, shape (m, p)
        Rows.
    given : array, shape (m,), optional
        The categories of these rows, which win.

    Raises
    ------
    ValueError
        No such column, a length that disagrees, missing categories, or none for new rows.
    """
    if given is not None:
        told = given
    elif not found_again(by):
        raise ValueError(
            "by was an array of the calibration rows: give by= for these rows, too, or calibrate with the "
            "name of a column or a function of X."
        )
    else:
        told = by(X) if callable(by) else _column(X, by)
    labels = labels_of(told, "by")
    if labels.size != n_rows(X):
        raise ValueError(f"by has {labels.size} entries for {n_rows(X)} rows; give one for each.")
    return labels


def found_again(by: Any) -> bool:
    """Return whether the entries for new rows follow from the rows: a column or a function."""
    return callable(by) or isinstance(by, str | int | np.integer)


def codes_in(labels: Any, known: Any) -> Rows:
    """Return the position of each category among the known ones.

    Raises
    ------
    ValueError
        A category that no calibration row has, by row.
    """
    codes = encode(labels, known)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"by is {quoted(labels[row])} in row {row}, which no calibration row is; known are "
            f"{', '.join(map(str, known[:8]))}: calibrate with rows of it, or merge it with another."
        )
    return codes


def quoted(label: Any) -> str:
    """Return a label as Python writes it, without the type that NumPy gives it.

    Examples
    --------
    >>> quoted(np.array(["north"])[0]), quoted(np.int64(3))
    ("'north'", '3')
    """
    return repr(label.item() if isinstance(label, np.generic) else label)


def ratios(weights: Any, X: Any, given: Any = None) -> Array:
    """Return how much likelier each row is among new rows than among calibration rows, up to one factor.

    Parameters
    ----------
    weights : callable or array, shape (n,)
        Function of the rows, or the ratios of the calibration rows.
    X : array, sparse matrix or data frame, shape (m, p)
        Rows.
    given : array, shape (m,), optional
        The ratios of these rows, which win.
    """
    if given is None and not callable(weights):
        raise ValueError(
            "weights was an array of the calibration rows: give weights= for these rows in the same unit, or "
            "calibrate with a function of X."
        )
    told = np.asarray(weights(X) if given is None else given)
    if told.dtype.kind not in "biuf" or told.ndim != 1:
        raise ValueError(f"weights must hold one number a row, got {told.dtype} of shape {told.shape}.")
    check_length("weights", told.size, n_rows(X))
    told = told.astype(np.float64)
    bad = ~((told >= 0.0) & np.isfinite(told))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"weights is {told[row]:g} in row {row}; it must be a finite number >= 0.")
    return told


def row_weights(groups: Rows | None, codes: Rows) -> Array | None:
    """Return 1 over the number of rows of the same group (and category), so that each group counts once."""
    if groups is None:
        return None
    _, pair, size = np.unique(
        np.column_stack([groups, codes]), axis=0, return_inverse=True, return_counts=True
    )
    return np.asarray(1.0 / size[pair.ravel()])


def _column(X: Any, by: Any) -> Any:
    """Return a column of a frame by its name, or of an array by its number."""
    if isinstance(by, str):
        names = getattr(X, "columns", None)
        if names is None:
            raise ValueError(
                f"by = {by!r} names a column and X has no names: give a data frame, or a number."
            )
        if by not in list(names):
            more = ", ..." if len(names) > 8 else ""
            raise ValueError(
                f"by = {by!r} is no column of X; it has {', '.join(map(str, list(names)[:8]))}{more}."
            )
        return np.asarray(X[by])
    if hasattr(X, "columns") or not hasattr(X, "shape"):
        raise ValueError(f"by = {by} is a number and X a frame or list: give the name of a column.")
    if not -X.shape[1] <= by < X.shape[1]:
        raise ValueError(f"by = {by} is no column of X, which has {X.shape[1]}.")
    column = X.tocsc()[:, [by]].toarray() if hasattr(X, "tocsc") else X[:, by]
    return np.asarray(column).ravel()
