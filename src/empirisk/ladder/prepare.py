"""From what the user passed to what the rungs see: checks, predictions, losses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from empirisk.bounds.base import check_count, check_real
from empirisk.estimators.linear.offsets import refuse_without
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import (
    Predictions,
    check_length,
    classification,
    labels_of,
    regression,
)
from empirisk.evaluation.outputs import n_rows
from empirisk.ladder.base import Declared, Problem
from empirisk.ladder.class_bound import NO_RANGE
from empirisk.ladder.features import FeatureMap, feature_map
from empirisk.ladder.linear import LinearForm, linear_form
from empirisk.ladder.losses import LOSSES, regression_losses
from empirisk.ladder.overlap import overlap_reason
from empirisk.ladder.tuning import find_tuning

__all__ = ["check_declared", "prepare"]


def check_declared(
    radius: float | None,
    loss_range: tuple[float, float] | None,
    prior_scale: Any,
    prior: Any,
    candidates: int | None,
    test_candidates: int,
    lipschitz: float | None,
    bayes_risk: float | None,
) -> Declared:
    """Return the user's knowledge, or a ValueError that names the parameter."""
    if radius is not None:
        radius = check_real(radius, "radius")
    if candidates is not None:
        check_count(candidates, "candidates")
    if isinstance(prior_scale, str) and prior_scale != "alpha":
        raise ValueError(f'prior_scale must be a number, an array or "alpha", got {prior_scale!r}.')
    if loss_range is not None:
        if np.shape(loss_range) != (2,):
            raise ValueError(f"loss_range must be two numbers (lowest, largest), got {loss_range!r}.")
        low = check_real(loss_range[0], "loss_range[0]", -math.inf)
        loss_range = (low, check_real(loss_range[1], "loss_range[1]", low))
    if lipschitz is not None:
        lipschitz = check_real(lipschitz, "lipschitz", 0.0, closed=True)
    if bayes_risk is not None:
        bayes_risk = check_real(bayes_risk, "bayes_risk", 0.0, 1.0, closed=True)
    if prior is not None:
        if not hasattr(prior, "predict"):
            raise TypeError(f"prior must be a fitted linear classifier, got {type(prior).__name__}.")
        check_is_fitted(prior)
    many = check_count(test_candidates, "test_candidates")
    return Declared(radius, loss_range, prior_scale, prior, many, lipschitz, bayes_risk)


def prepare(
    est: Any,
    X: Any,
    y: ArrayLike,
    X_test: Any,
    y_test: ArrayLike | None,
    delta: float,
    declared: Declared,
    candidates: int | None,
    loss: str,
) -> Problem:
    """Return everything that is computed once: predictions, losses, features, the linear form."""
    if not hasattr(est, "predict"):
        raise TypeError(f"{type(est).__name__} has no predict method; give a fitted classifier or regressor.")
    check_is_fitted(est)
    if (X_test is None) != (y_test is None):
        raise ValueError("give both X_test and y_test, or neither.")
    model, tuning = find_tuning(est, candidates)
    refuse_without(model, advice="The theorems here are about rows that are predicted from columns alone.")
    seen = _predict(model, X, y, "X", "y")
    if seen.unseen:
        raise ValueError(
            f"y has {seen.unseen} labels that the model was not fitted to: pass the rows of the fit."
        )
    classes, loss = _loss(model, seen, loss)
    low, high, risk = _range(classes, loss, declared)
    ranged = high < math.inf
    features = feature_map(model, X)
    problem = Problem(
        model,
        X,
        seen.y,
        classes,
        _losses(seen, loss, low, high) if ranged else None,
        low,
        high,
        risk,
        delta,
        declared,
        tuning,
        features,
        _linear(model, features, seen, classes),
    )
    if ranged:
        problem = replace(problem, constant=_constant(problem.y, problem.y, problem, loss))
    return _with_test(problem, X_test, y_test, loss, ranged)


def _linear(model: Any, features: FeatureMap, seen: Predictions, classes: Any) -> LinearForm | str:
    steps = getattr(model, "steps", None)
    return linear_form(steps[-1][1] if steps else model, features, seen.output("pred"), classes)


def _predict(model: Any, X: Any, y: ArrayLike, name: str, target: str) -> Predictions:
    """Return the predictions against targets; a label that the model never saw counts as an error."""
    labels = labels_of(y, target)
    check_length(name, n_rows(X), labels.size)
    said = np.asarray(model.predict(X))
    if not is_classifier(model):
        return regression(labels, said)
    names = getattr(model, "classes_", None)
    if names is None or isinstance(names, list):
        raise TypeError(
            f"{type(model).__name__} is a classifier without one array classes_; one target at a time."
        )
    if (labels.dtype.kind in "OUS") != (np.asarray(names).dtype.kind in "OUS"):
        raise ValueError(
            f"{target} holds {'text' if labels.dtype.kind in 'OUS' else 'numbers'} but the model was fitted "
            "to "
            f"{'text' if np.asarray(names).dtype.kind in 'OUS' else 'numbers'}; give the same labels."
        )
    return classification(labels, pred=said, classes=names)


def _loss(model: Any, seen: Predictions, loss: str) -> tuple[NDArray[Any] | None, str]:
    """Return the classes (None for a regression) and the loss."""
    if seen.classes is not None:
        if loss not in ("auto", "zero_one"):
            raise ValueError(f'loss must be "auto" or "zero_one" for a classifier, got {loss!r}.')
        return np.asarray(model.classes_), "zero_one"
    if loss not in ("auto", *LOSSES):
        raise ValueError(f"loss must be one of {', '.join(LOSSES)} for a regression, got {loss!r}.")
    return None, "squared" if loss == "auto" else loss


def _range(classes: Any, loss: str, declared: Declared) -> tuple[float, float, str]:
    """Return the range of the loss, and its name."""
    if classes is not None:
        return 0.0, 1.0, "0-1 loss"
    if declared.loss_range is None:
        return 0.0, math.inf, f"{loss} error"
    low, high = declared.loss_range
    return low, high, f"{loss} error, clipped to [{low:g}, {high:g}]"


def _losses(p: Predictions, loss: str, low: float, high: float) -> Floats:
    if p.classes is not None:
        return np.asarray(p.output("pred") != p.y, dtype=np.float64)
    return regression_losses(p.y, p.output("pred"), loss, low, high)


def _with_test(problem: Problem, X_test: Any, y_test: Any, loss: str, ranged: bool) -> Problem:
    """Return the problem with its test losses, or with the reason why they are not usable."""
    if X_test is None:
        return problem
    new = _predict(problem.est, X_test, y_test, "X_test", "y_test")
    if not ranged:
        return replace(problem, no_test=NO_RANGE)
    labels = problem.y if problem.classes is None else problem.classes[problem.y]
    why = overlap_reason(problem.X, labels, X_test, labels_of(y_test, "y_test"))
    if why:
        return replace(problem, no_test=why)
    constant = _constant(problem.y, new.y, problem, loss)
    return replace(problem, test_losses=_losses(new, loss, problem.low, problem.high), constant=constant)


def _constant(seen: NDArray[Any], measured: NDArray[Any], problem: Problem, loss: str) -> float:
    """Return the measured risk of always answering with the most frequent class, or the mean, of the rows
    seen.
    """
    if problem.classes is not None:
        return float(np.mean(measured != np.bincount(seen).argmax()))
    answer = np.full(measured.size, np.mean(seen))
    return float(np.mean(regression_losses(measured, answer, loss, problem.low, problem.high)))
