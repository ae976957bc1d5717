"""What conformal scores ask of a fitted model: numbers, spreads, quantiles, probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from empirisk.estimators.linear.offsets import refuse_without
from empirisk.evaluation.metrics.predictions import check_proba, encode
from empirisk.evaluation.outputs import model_name, n_rows
from empirisk.typing import Array

__all__ = ["STANDARD_DEVIATION", "Fitted", "LogSpread"]

STANDARD_DEVIATION = "predict_std"  # the spread that the model itself gives


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model with what stands beside it.

    Parameters
    ----------
    model : estimator, or tuple of estimators
        Several give one quantile each.
    spread : estimator, callable, "predict_std" or None
        How far targets are from predictions, by row.
    classes : array, shape (K,), optional
        Columns that probabilities shall have; those of the model by default.
    """

    model: Any
    spread: Any = None
    classes: Any = None

    @property
    def name(self) -> str:
        """The class of the model, for messages."""
        models = self.model if isinstance(self.model, tuple) else (self.model,)
        return " and ".join(dict.fromkeys(model_name(m) for m in models))

    def predicted(self, X: Any, **rows: Any) -> Array:
        """Return the predictions as they come, finite numbers of shape (m,) or (m, k)."""
        models = self.model if isinstance(self.model, tuple) else (self.model,)
        columns = [np.asarray(self._asked(m, X, **rows)) for m in models]
        told = np.column_stack(columns) if len(columns) > 1 else columns[0]
        return self._checked(told, X, "prediction")

    def numbers(self, X: Any, **rows: Any) -> Array:
        """Return one prediction a row.

        Raises
        ------
        ValueError
            The model gives several numbers a row, of which two are no quantiles of one target.
        """
        told = self.predicted(X, **rows)
        if told.ndim == 2 and told.shape[1] == 1:
            told = told[:, 0]
        if told.ndim != 1:
            raise ValueError(
                f"{self.name} predicts {told.shape[1]} numbers a row and this score needs one: where they "
                "are "
                'quantiles of one target take score="quantile", else give a model of one target.'
            )
        return told

    def quantiles(self, X: Any, **rows: Any) -> Array:
        """Return the predictions as two or more quantiles a row, shape (m, k)."""
        told = self.predicted(X, **rows)
        if told.ndim != 2 or told.shape[1] < 2:
            raise ValueError(
                f'score="quantile" needs two quantiles a row and {self.name} predicts one number: give a '
                "model of several quantiles, such as er.GradientBoostingRegressor('quantile', q=[0.05, "
                "0.95]), or a pair of models (low, high)."
            )
        return told

    def with_spread(self, X: Any, **rows: Any) -> tuple[Array, Array]:
        """Return the predictions and the spreads, which must be finite and above 0."""
        if self.spread is None:
            raise ValueError(
                'score="normalized" needs spread: a fitted regressor of absolute residuals, a function of X, '
                f'or "{STANDARD_DEVIATION}" for models whose predict takes return_std.'
            )
        if isinstance(self.spread, str):
            value, told = self._asked(self.model, X, return_std=True, **rows)
            value = self._checked(np.asarray(value), X, "prediction")
        else:
            value = self.numbers(X, **rows)
            told = self.spread.predict(X) if hasattr(self.spread, "predict") else self.spread(X)
        unit = self._checked(np.asarray(told), X, "spread")
        if unit.shape != value.shape:
            raise ValueError(f"spread has shape {unit.shape} and must have one number a row, {value.shape}.")
        if not (unit > 0.0).all():
            row = int(np.argmin(unit > 0.0))
            raise ValueError(
                f"spread is {unit[row]:.4g} in row {row}; it must be above 0 everywhere: model its logarithm."
            )
        return value, unit

    def probabilities(self, X: Any, **rows: Any) -> Array:
        """Return the probability of each class, shape (m, K); a class that the model never saw has 0."""
        if not hasattr(self.model, "predict_proba"):
            raise TypeError(
                f"{self.name} has no predict_proba, which sets of classes are made of: calibrate it first, "
                "for example by scikit-learn's CalibratedClassifierCV, or take a classifier with "
                "probabilities."
            )
        try:
            told = self.model.predict_proba(X, **rows)
        except NotFittedError:
            raise _unfitted(self.name) from None
        known = np.asarray(self.model.classes_)
        table = check_proba(told, n_rows(X), known.size)
        if self.classes is None or len(self.classes) == known.size:
            return table
        full = np.zeros((len(table), len(self.classes)))
        full[:, encode(known, np.asarray(self.classes))] = table
        return full

    def _asked(self, model: Any, X: Any, **rows: Any) -> Any:
        if not hasattr(model, "predict"):
            raise TypeError(
                f"{type(model).__name__} has no predict method; give a regressor or a classifier."
            )
        refuse_without(model, rows.get("exposure"), rows.get("offset"))
        try:
            return model.predict(X, **rows)
        except NotFittedError:
            raise _unfitted(self.name) from None

    def _checked(self, told: Array, X: Any, what: str) -> Array:
        """Return finite numbers with a row for each of X."""
        if told.dtype.kind not in "biuf":
            raise TypeError(
                f"the {what}s of {self.name} are no numbers (type {told.dtype}): a model of text labels "
                "must be a classifier."
            )
        if len(told) != n_rows(X):
            raise ValueError(f"{self.name} gave {len(told)} {what}s for {n_rows(X)} rows.")
        told = told.astype(np.float64)
        bad = ~np.isfinite(told)
        if bad.any():
            row = int(np.argwhere(bad)[0][0])
            raise ValueError(f"the {what} of {self.name} is {told[bad][0]} in row {row}.")
        return told


class LogSpread:
    """``exp(g(x))`` with g fitted to ``log(|y - f(x)| + c)``: a spread that is above 0 everywhere.

    Parameters
    ----------
    model : regressor
        Unfitted; g.
    X : array, sparse matrix or data frame, shape (n, p)
        Training rows of f.
    residuals : array, shape (n,)
        Of f at these rows.
    """

    def __init__(self, model: Any, X: Any, residuals: Array) -> None:
        size = np.abs(residuals)
        self.model = model.fit(X, np.log(size + max(1e-3 * float(size.mean()), np.finfo(float).tiny)))

    def predict(self, X: Any) -> Array:
        """Return the spread of each row, shape (m,)."""
        return np.asarray(np.exp(np.asarray(self.model.predict(X), dtype=np.float64)))


def _unfitted(name: str) -> NotFittedError:
    return NotFittedError(
        f"{name} is not fitted: fit it on other rows than the calibration rows first, or give cv=5, which "
        "fits it here on parts of these rows."
    )
