"""Naive Bayes on tables with categories: text becomes codes, empty cells stay empty, streams add levels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.columns import ColumnCoder
from empirisk.data.plain_numbers import names_in_order, numbers_only, refuse_odd_table
from empirisk.data.row_blocks import RowBlocks, check_blocks
from empirisk.data.validated import validated
from empirisk.estimators.label_codes import refuse_mixed
from empirisk.estimators.naive_bayes.base import NaiveBayes
from empirisk.estimators.trees.tree_base import UnknownCategoryWarning
from empirisk.typing import Array

__all__ = ["CodedColumns", "padded"]


class CodedColumns(NaiveBayes):
    """Base of the naive Bayes classifiers that read categories; a subclass says which columns hold some."""

    columns_: ColumnCoder

    def _categorical(self, X: Any, reset: bool) -> Sequence[bool]:
        """Return for each column of a table whether it holds categories."""
        raise NotImplementedError

    def _laid_out(self, kept: Any, old: ColumnCoder, new: ColumnCoder) -> Any:
        """Return the sums that were kept with places for categories that further rows have."""
        raise NotImplementedError

    # -- rows as codes ------------------------------------------------------------------------------

    def _table(self, X: Any, reset: bool) -> Any:
        """Return checked rows before they are coded: a frame, or an array of numbers or of objects."""
        if hasattr(X, "columns") or (not hasattr(X, "tocsr") and np.asarray(X).dtype.kind not in "fiub"):
            refuse_odd_table(X)
            with names_in_order():
                validate_data(self, X, reset=reset, skip_check_array=True)
            X = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
            if len(np.shape(X)) != 2 or 0 in np.shape(X):
                raise ValueError(f"X has shape {np.shape(X)}; at least one row and one column are needed")
            return X
        with numbers_only(X):
            return validated(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _coder(self, X: Any, reset: bool) -> ColumnCoder:
        """Return the categories of the columns that hold some."""
        flags = self._categorical(X, reset)
        try:
            return ColumnCoder.fit(X, flags)
        except TypeError as e:
            told = "X holds what is no category: each argument must be a string or a number"
            raise TypeError(f"{told} ({e})") from e

    def _codes(self, X: Any) -> Any:
        """Return a table as numbers and codes."""
        return self.columns_.encode(X)

    def _checked_pair(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        refuse_mixed(y)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X = self._table(X, reset)
        if reset:
            self.columns_ = self._coder(X, True)
        codes = np.asarray(self._codes(X).X, dtype=np.float64)
        check_consistent_length(codes, y)
        return codes, y

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        table = self._codes(self._table(X, False))
        if unknown := table.unknown():
            told = ", ".join(f"{table.label(j)} ({count} rows)" for j, count in unknown.items())
            warnings.warn(
                f"ER003: X holds categories that training did not have in column {told}; such cells are left "
                "out of the product, as if they were empty",
                UnknownCategoryWarning,
                stacklevel=caller_level(),
            )
        return np.asarray(table.X, dtype=np.float64)

    # -- streams ------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take further rows into account: what follows is the fit of all rows so far, new categories too.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Rows, as ``fit`` takes them.
        y : array, shape (n,)
            Labels.
        classes : array, optional
            All labels that will ever come; needed at the first call.
        sample_weight : array, shape (n,), optional
            Weights >= 0, which are repetitions.

        Returns
        -------
        self
        """
        with as_before(self):
            if hasattr(self, "_kept"):
                old = self.columns_
                new = _widened(old, self._coder(self._table(X, False), False))
                self._kept, self.columns_ = self._laid_out(self._kept, old, new), new
            super().partial_fit(X, y, classes, sample_weight)
        return self

    def fit_blocks(self, rows: RowBlocks) -> Self:
        """Fit to rows that are read block by block: the sums of the blocks, one after the other.

        Parameters
        ----------
        rows : RowBlocks
            Their targets are the labels, as numbers, and their features numbers, which may name categories.

        Returns
        -------
        self
        """
        check_blocks(rows)
        with as_before(self):
            if not rows.total_weight > 0.0:
                raise ValueError("weight is zero in every row of the blocks: nothing is left to fit")
            labels = np.unique(np.concatenate([np.unique(block.y) for block in rows]))
            for name in ("_kept", "feature_names_in_"):
                self.__dict__.pop(name, None)
            for block in rows:
                if block.design.sparse:
                    raise ValueError(f"X is sparse, and {type(self).__name__} needs dense rows: X.toarray()")
                if block.weight.any():
                    self.partial_fit(block.design.X, block.y, labels, block.weight)
            if (self.class_weight_sums_ > 0.0).sum() < 2:
                raise ValueError("only one class has rows with positive weight; 2 classes are needed")
            if self._waiting:
                raise ValueError(self._waiting)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def padded(count: Array, old: ColumnCoder, new: ColumnCoder) -> Array:
    """Return counts, shape (K, all categories), with columns of zeros for those that `old` did not have."""
    parts, at = [], 0
    for c, more in zip(old.n_categories, new.n_categories, strict=True):
        parts.append(np.pad(count[:, at : at + c], ((0, 0), (0, more - c))))
        at += c
    return np.concatenate(parts, axis=1)


def _widened(old: ColumnCoder, more: ColumnCoder) -> ColumnCoder:
    """Return the categories of both, those of `old` first; columns of numbers stay some."""
    both: list[tuple[Any, ...] | None] = []
    for here, there in zip(old.categories, more.categories, strict=True):
        seen = set(here or ())
        both.append(None if here is None else (*here, *(c for c in there or () if c not in seen)))
    return ColumnCoder(tuple(both), old.names)
