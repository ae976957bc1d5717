"""What the estimators made of trees share: tables in, labels, weights, and the words around a fit."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.columns import ColumnCoder, Table
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import names_in_order, numbers_only, refuse_odd_table
from empirisk.data.sparse_cells import canonical
from empirisk.data.threads import at_most
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_numeric_targets, check_targets_finite, check_weights
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.label_codes import encode_labels, weigh_classes
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.results import Certificate, Kind, Solution, Status, TracePoint
from empirisk.typing import Array

__all__ = [
    "TreeClassifier",
    "TreeEstimator",
    "TreeRegressor",
    "UnknownCategoryWarning",
    "check_rows",
    "dense",
    "greedy",
]

# Rows are numbered by 32-bit integers in the loops.
MOST_ROWS = 2**31 - 1


class UnknownCategoryWarning(UserWarning):
    """ER003: rows hold categories that training did not have."""


def greedy(claim: str, n_steps: int = 0, trace: tuple[TracePoint, ...] = (), solver: str = "") -> Solution:
    """Return the solution of a procedure that minimises nothing as a whole; `claim` says why and what is
    known.
    """
    certificate = Certificate(Kind.NONE, np.inf, 1.0, f"none: {claim}")
    return Solution(np.zeros(0), Status.COMPLETED, certificate, n_steps, trace=trace, solver=solver)


def dense(table: Table) -> Table:
    """Return the table with a dense matrix, for loops that need one; refused when it does not fit into
    memory.
    """
    if not hasattr(table.X, "toarray"):
        return table
    forecast = float(table.n_rows) * table.n_cols * table.X.dtype.itemsize
    refuse_memory(
        f"a dense copy of X ({table.n_rows} x {table.n_cols})",
        forecast,
        "select columns, or take a linear model",
    )
    return Table(table.X.toarray(order="F"), table.n_categories, table.names)


def check_rows(n: int) -> None:
    """Refuse more rows than the loops can number."""
    if n > MOST_ROWS:
        raise ValueError(f"X has {n} rows; trees take at most {MOST_ROWS}: fit on a sample of the rows")


class TreeEstimator(Estimator):
    """Base of trees and of sums of trees; a subclass says how they grow.

    After ``fit``: ``columns_`` (which columns are categories), ``solution_``, and the property
    ``certificate_``.
    """

    solution_: Solution
    columns_: ColumnCoder
    n_features_in_: int
    categorical_features: Any
    n_jobs: int | None

    # -- what a subclass gives ----------------------------------------------------------------------

    def _grow(self, table: Table, targets: Array, weight: Array) -> None:
        """Fit on encoded rows, class codes or numbers, and weights >= 0; set ``solution_`` and the rest."""
        raise NotImplementedError

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Return the class codes, or numbers; learns ``classes_`` when fitting."""
        raise NotImplementedError

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows; classifiers multiply them by the weights of the classes here."""
        return weight

    def _row_weights(self, sample_weight: Any, n: int) -> Array:
        """Return the weights of n rows as they were given, or ones."""
        return check_weights(sample_weight, n)

    def _note_weight(self, weight: Array) -> None:
        """Note the weights of the rows, for estimators whose answers need their total."""

    # -- the flow -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features: numbers, where NaN is a missing value, and categories (see `categorical_features`).
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; 0 equals the row's absence.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> Self:
        """`more` are further facts of the rows, for a `_grow` that takes them."""
        with as_before(self):
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            table = self._table(X, fitting=True)
            check_consistent_length(table.X, y)
            check_rows(table.n_rows)
            with numbers_only((), y):
                targets = self._targets(y, fitting=True)
            weight = self._weights(self._row_weights(sample_weight, table.n_rows), targets)
            with at_most(self.n_jobs):
                self._grow(table, targets, weight, **more)
        return self

    def _table(self, X: Any, fitting: bool = False) -> Table:
        """Return the checked and encoded rows; new rows are checked against those of the fit."""
        if not fitting:
            check_is_fitted(self)
        X = self._checked(X, fitting)
        if fitting:
            self.columns_ = ColumnCoder.fit(X, self.categorical_features, text=True)
        table = self.columns_.encode(X)
        if not fitting and (unknown := table.unknown()):
            told = ", ".join(f"{table.label(j)} ({count} rows)" for j, count in unknown.items())
            warnings.warn(
                f"ER003: X holds categories that training did not have in column {told}; at every split on "
                "it such a row goes with the child of more training weight, which is a guess",
                UnknownCategoryWarning,
                stacklevel=caller_level(),
            )
        return table

    def _checked(self, X: Any, fitting: bool) -> Any:
        """Return the names and shape; arrays become numbers unless some of their columns are categories."""
        refuse_odd_table(X)
        frame = hasattr(X, "columns")
        named = not frame and not isinstance(self.categorical_features, str | None)
        if frame or (named and np.asarray(X).dtype.kind not in "fiub"):
            with names_in_order():
                validate_data(self, X, reset=fitting, skip_check_array=True)
            if not frame:
                X = np.asarray(X, dtype=object)
            if len(np.shape(X)) != 2 or 0 in np.shape(X):
                raise ValueError(f"X has shape {np.shape(X)}; at least one row and one column are needed")
            return X
        with numbers_only(X):
            return validated(
                self,
                canonical(X),
                reset=fitting,
                accept_sparse=["csr", "csc"],
                dtype=[np.float64, np.float32],
                order=None,
                ensure_all_finite=False,
            )

    # -- words --------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """How far the fit can be from the optimum, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class TreeClassifier(LogProbabilities, ClassifierMixin, TreeEstimator):
    """Base of the classifiers; inside, targets are class codes 0, ..., K - 1 as float64."""

    class_weight: Any
    classes_: Any

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weigh_classes(self.class_weight, self.classes_, targets.astype(np.intp), weight)

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K), in the order of ``classes_``."""
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """Return the class of the largest probability (ties: the first), shape (n,)."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]


class TreeRegressor(RegressorMixin, TreeEstimator):
    """Base of the regressors; targets are finite numbers."""

    def _targets(self, y: Any, fitting: bool) -> Array:
        check_numeric_targets(y)
        targets = np.asarray(column_or_1d(y, warn=True, dtype=np.float64))
        check_targets_finite(targets)
        return targets
