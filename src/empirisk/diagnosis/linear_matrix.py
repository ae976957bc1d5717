"""The matrix that a linear model multiplies with its coefficients: X, or what a pipeline makes of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from empirisk.data.design import Design
from empirisk.data.sparse_cells import canonical
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import is_linear, last_step
from empirisk.evaluation.outputs import unpenalised

__all__ = ["LinearMatrix", "linear_matrix"]

MOST_CELLS = 50_000_000  # of a dense copy: 400 MB


@dataclass(frozen=True, eq=False)
class LinearMatrix:
    """Columns of a linear model.

    Parameters
    ----------
    design : Design
        All n rows, in float64.
    names : tuple of str
        Of the columns.
    intercept : bool
        Whether the model adds a constant.
    penalised : bool
        Whether something holds the coefficients back.
    """

    design: Design
    names: tuple[str, ...]
    intercept: bool
    penalised: bool

    @property
    def p(self) -> int:
        """The number of columns of the matrix that the linear model sees."""
        return self.design.shape[1]

    def dense(self) -> np.ndarray:
        """Return the columns as a dense array."""
        X = self.design.X
        return np.asarray(X.toarray() if self.design.sparse else X)


def linear_matrix(ctx: Context) -> LinearMatrix:
    """Return the columns that the model's coefficients belong to; the steps before the model are fitted on
    all rows.

    Raises
    ------
    NotRun
        A model without coefficients, or columns that are no finite numbers.
    """
    if "linear matrix" not in ctx.cache:
        ctx.cache["linear matrix"] = _linear_matrix(ctx)
    made: LinearMatrix = ctx.cache["linear matrix"]
    return made


def _linear_matrix(ctx: Context) -> LinearMatrix:
    if not is_linear(ctx.est):
        raise NotRun(f"{ctx.name} has no coefficients that are read")
    table, names = ctx.X, ctx.columns
    est = ctx.est
    while hasattr(est, "steps"):
        if len(est.steps) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                before = clone(est[:-1])
                table = before.fit_transform(table, ctx.y)
            names = _names(before, table, names)
        est = est.steps[-1][1]
    X = _numbers(table)
    if X.shape[0] * X.shape[1] > MOST_CELLS and not sp.issparse(X):
        raise NotRun(f"{X.shape[0]:,} x {X.shape[1]:,} cells are too many for this check")
    last = last_step(ctx.est)
    intercept = bool(getattr(last, "fit_intercept", True))
    if len(names) != X.shape[1]:
        names = tuple(f"x{j}" for j in range(X.shape[1]))
    return LinearMatrix(Design(X), names, intercept, not unpenalised(last))


def _numbers(table: Any) -> Any:
    if sp.issparse(table):
        stored: Any = canonical(table)
        X: Any = sp.csr_array(stored).astype(np.float64)
        cells = X.data
    else:
        try:
            X = np.ascontiguousarray(table, dtype=np.float64)
        except (TypeError, ValueError):
            raise NotRun("the columns hold values that are no numbers") from None
        cells = X
    if X.ndim != 2 or not np.isfinite(cells).all():
        raise NotRun("the columns of the model have missing or infinite values")
    return X


def _names(before: Any, table: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    if hasattr(table, "columns"):
        return tuple(str(c) for c in table.columns)
    try:
        made = before.get_feature_names_out()
    except Exception:  # some step does not name its columns
        try:
            made = before.get_feature_names_out(list(names))
        except Exception:
            return ()
    return tuple(str(name).removeprefix("remainder__") for name in made)
