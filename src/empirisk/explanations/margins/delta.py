"""Average predictions of linear models with their gradients in the coefficients: the delta method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import softmax

from empirisk.estimators.formulas.formula_model import FormulaModel
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.inference import check_covariance, summarise_glm
from empirisk.inference.covariance import covariance_of, joint_degrees
from empirisk.typing import Array

__all__ = ["LikelihoodMeans", "LinearScores", "linear_part"]

MODELS = (LinearEstimator, LikelihoodEstimator)


def linear_part(model: Any) -> tuple[Any, Any]:
    """Return the steps before a linear model (None without any) and the model; (None, None) for others."""
    if isinstance(model, MODELS):
        return None, model
    if isinstance(model, FormulaModel) and isinstance(model.estimator_, MODELS):
        return model.columns_, model.estimator_
    steps = getattr(model, "steps", None)
    if steps and isinstance(steps[-1][1], MODELS):
        return (model[:-1] if len(steps) > 1 else None), steps[-1][1]
    return None, None


def columns_of(before: Any, X: Any, rows: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Return the columns of the model, and the offset and exposure of the rows, which a formula may hold."""
    made = X if before is None else before.transform(X)
    if isinstance(made, tuple):
        return made[0], {**made[1], **rows}
    return made, rows


class LikelihoodMeans:
    """Means and probabilities of a maximum-likelihood fit, which has their gradients and a covariance matrix.

    Parameters
    ----------
    before, model, training, covariance, groups, weights, rows
        As in :class:`LinearScores`.

    Raises
    ------
    ValueError
        With the reason why the parameters have no covariance matrix.
    """

    def __init__(
        self,
        before: Any,
        model: Any,
        training: Mapping[str, Any],
        covariance: str,
        groups: Any,
        weights: str | None,
        rows: Mapping[str, Any],
    ) -> None:
        self.before, self.model, self.rows = before, model, rows
        given = {"X": None, "y": None, **training}
        if before is not None and given["X"] is not None:
            given["X"] = columns_of(before, given["X"], {})[0]
        fit = model._inferred(given, covariance, groups, weights)
        _refuse_undetermined(fit.terms, ~np.isnan(fit.coef))
        self.matrix, self.note, self.df = fit.matrix, fit.note, fit.df
        self.outputs = [str(c) for c in getattr(model, "classes_", [""])]

    def averages(self, X: Any, shares: Array) -> tuple[Array, Array]:
        """Return averages (G, K) of the means of X by the shares (G, n), and gradients (G, K, q)."""
        X, rows = columns_of(self.before, X, self.rows)
        found: tuple[Array, Array] = self.model._averages(X, shares, **rows)
        return found

    def degrees(self, gradient: Array) -> Array:
        """Return the degrees of freedom of the t of each combination (rows of `gradient`)."""
        return np.full(len(gradient), self.df)


class LinearScores:
    """A model whose scores are ``D(x) b`` and whose means are ``m(D(x) b + o)``, with the covariance of b.

    An average of means over rows has the gradient ``sum_i w_i m'(z_i) D(x_i)`` in b.

    Parameters
    ----------
    before : transformer or None
        Fitted steps that make the columns of the model.
    model : fitted linear estimator
    training : mapping
        Rows of the fit, by the names of the parameters of ``fit``; empty when the model has them.
    covariance, groups, weights
        As in ``summary``.
    rows : mapping
        Offset and exposure of the rows that are averaged over.

    Raises
    ------
    ValueError
        With the reason why the coefficients have no covariance matrix.
    """

    def __init__(
        self,
        before: Any,
        model: Any,
        training: Mapping[str, Any],
        covariance: str,
        groups: Any,
        weights: str | None,
        rows: Mapping[str, Any],
    ) -> None:
        self.before, self.model, self.rows = before, model, rows
        kind = check_covariance(covariance, groups, weights)
        given = {"X": None, "y": None, "sample_weight": None, **training}
        if before is not None and given["X"] is not None:
            given["X"] = columns_of(before, given["X"], {})[0]
        problem = model._fitted_problem(**given)
        self.classes = [str(c) for c in getattr(model, "classes_", [])]
        if problem.loss.multinomial:
            self._several(problem, covariance, groups, weights)
            return
        fit = model._linearised("margins", given, kind)
        _refuse_undetermined(fit.terms, fit.info.estimable())
        V = covariance_of(fit, covariance, groups)
        self.law, self.intercept, self.coef = fit.law, fit.intercept, fit.coef[None, :]
        self.matrix, self.fit, self.kind, self.V = V.matrix, fit, covariance, V
        self.note = "; ".join(filter(None, [V.note, fit.about_weights]))
        self.outputs = self.classes[1:] if len(self.classes) == 2 else [""]
        self.n_fit = fit.total

    def _several(self, problem: Any, covariance: str, groups: Any, weights: str | None) -> None:
        """Read the table of several classes: log odds of each against the first."""
        options: dict[str, Any] = {"covariance": covariance, "groups": groups, "weights": weights}
        table = summarise_glm(problem, self.model.solution_, **options, **self.model._words())
        if table.covariance is None:
            raise ValueError(table.notes[0])
        _refuse_undetermined(table.terms, ~np.isnan(table.coef))
        self.law, self.intercept = None, problem.intercept
        self.coef = table.coef.reshape(len(self.classes) - 1, -1)
        self.matrix, self.outputs = table.covariance, self.classes
        self.note, self.n_fit = table.notes[0], table["n"]
        few = math.inf if groups is None else len(np.unique(np.asarray(groups))) - 1.0
        self.df = few if table.statistic_name == "t" else math.inf

    def averages(self, X: Any, shares: Array) -> tuple[Array, Array]:
        """Return averages (G, K) of the means of X by the shares (G, n), and gradients (G, K, size of b)."""
        X, rows = columns_of(self.before, X, self.rows)
        D = self.model._design(X).astype(np.float64)
        first = int(self.intercept)
        z = np.asarray(D @ self.coef[:, first:].T) + (self.coef[:, 0] if first else 0.0)
        known = self.model._new_offset(z.shape[0], **rows)
        z = z if known is None else z + np.asarray(known)[:, None]
        if self.law is None:
            mean = softmax(np.column_stack([np.zeros(len(z)), z]), axis=1)
            slope = mean[:, :, None] * (np.eye(mean.shape[1])[None] - mean[:, None, :])[:, :, 1:]
        else:
            mean = np.asarray(self.law.loss.mean(z[:, 0]), dtype=np.float64)[:, None]
            slope = self.law.mean_slope(z[:, 0])[:, None, None]
        groups, outputs, parts = len(shares), mean.shape[1], slope.shape[2]
        gradient = np.empty((groups, outputs, parts, self.coef.shape[1]))
        for g, share in enumerate(shares):
            by = (share[:, None, None] * slope).reshape(len(z), -1)
            gradient[g, ..., first:] = np.asarray(D.T @ by).T.reshape(outputs, parts, -1)
            if first:
                gradient[g, ..., 0] = by.sum(axis=0).reshape(outputs, parts)
        return shares @ mean, gradient.reshape(groups, outputs, -1)

    def degrees(self, gradient: Array) -> Array:
        """Return the degrees of freedom of the t of each combination (rows of `gradient`)."""
        if self.law is None:
            return np.full(len(gradient), self.df)
        moved = np.count_nonzero(gradient, axis=1) > 0
        rows = [
            joint_degrees(self.fit, self.kind, self.V, row[None, :]) if any_moved else self.V.joint_df
            for row, any_moved in zip(gradient, moved, strict=True)
        ]
        return np.array(rows, dtype=np.float64)


def _refuse_undetermined(terms: Any, known: np.ndarray) -> None:
    """Refuse collinear columns: averages at new places are not determined by the rows of the fit."""
    lost = [str(term) for term, ok in zip(terms, known, strict=True) if not ok]
    if lost:
        raise ValueError(
            f"the columns do not determine {', '.join(lost[:8])} (they are collinear), so that predictions "
            "at changed rows are not determined; drop columns"
        )
