"""The loss of a curve: one number a row, of one fit on some rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.scalar_regression import ScalarRegressor
from empirisk.estimators.stochastic.stochastic import StochasticEstimator
from empirisk.evaluation.before import Before
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics import METRICS, find_metric
from empirisk.evaluation.metrics.predictions import regression
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.outputs import Outputs
from empirisk.evaluation.parts import parts_of
from empirisk.evaluation.proba_kinds import probability_metric
from empirisk.evaluation.sample import Sample

__all__ = ["fit_on", "growing", "losses_of", "losses_over", "pick_loss", "row_losses"]

Rows = NDArray[np.intp]


def pick_loss(est: Any, sample: Sample, loss: str | RowLoss | None) -> RowLoss:
    """Return the metric behind a name, or itself; by default log-loss (labels only: the error rate) or the
    squared error.

    The Brier score takes the place of the log-loss where the kind of model may answer with probability 0.

    Raises
    ------
    ValueError
        No metric of ours, one that is no mean over rows, or one for another task.
    """
    if loss is None:
        proba = hasattr(est, "predict_proba")
        loss = "mse" if sample.classes is None else probability_metric(est) if proba else "accuracy"
    known = [name for name, m in METRICS.items() if isinstance(m, RowLoss) and m.task == sample.like.task]
    metric = find_metric(loss)
    if not isinstance(metric, RowLoss) or metric.task != sample.like.task:
        raise ValueError(
            f"loss must be a mean over rows for {sample.like.task}: one of {', '.join(known)}; got {loss!r}."
        )
    return metric


def growing(est: Any) -> Any:
    """Return a clone whose fits begin where the last one ended, for growing rows; None where none can (or
    may).

    Only a penalised linear model of ours with a convex loss may: its minimum is certified and does not depend
    on the start.
    What `warm_start` means for trees, forests and boosting is another model, old trees and new ones together,
    and a stochastic fit depends on where it began.
    """
    model = clone(est)
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    certified = isinstance(last, LinearEstimator) and not isinstance(last, StochasticEstimator)
    params = last.get_params(deep=False) if certified else {}
    if "warm_start" not in params or params.get("alpha", 0.0) in (0.0, None) or not _convex(last):
        return None
    last.set_params(warm_start=True)
    return model


def _convex(est: LinearEstimator) -> bool:
    """Return whether the loss of a linear model is convex; only regressions by a named loss have others."""
    return not isinstance(est, ScalarRegressor) or est._loss().convex


def fit_on(est: Any, sample: Sample, rows: Rows, warm: Any = None, before: Before | None = None) -> Any:
    """Return a clone (or `warm`, from :func:`growing`), fitted on these rows; an error says on how many.

    The steps before its model are fitted by `before`, which then knows these rows as the model gets them.
    """
    if sample.classes is not None and np.all(sample.y[rows] == sample.y[rows[0]]):
        raise ValueError(
            f"{rows.size} training rows hold one class only ({sample.y[rows[0]]}); use larger sizes."
        )
    try:
        if before is not None:
            return _fit_behind(clone(est) if warm is None else warm, sample, rows, before)
        return sample.fit(clone(est) if warm is None else warm, rows)
    except Exception as error:
        error.add_note(f"This happened while fitting {rows.size} rows.")
        raise


def _fit_behind(est: Any, sample: Sample, rows: Rows, before: Before) -> Any:
    """Fit the model of an estimator itself on rows as steps leave them, and return it behind these steps."""
    parts, told = parts_of(est), sample.arguments(est, rows)
    steps, X = before.fitted(parts, sample, rows)
    model = parts.model.fit(
        X, sample.y[rows], **{name.removeprefix(parts.prefix): v for name, v in told.items()}
    )
    fitted = parts.whole(steps, model)
    sample.fitted_on(fitted, rows)
    return fitted


def row_losses(
    model: Any, sample: Sample, rows: Rows, metric: RowLoss, before: Before | None = None
) -> Floats:
    """Return the loss of a fitted model on these rows, shape (rows,); `before` as in :func:`fit_on`."""
    asked = sample.outputs if before is None else partial(before.outputs, sample=sample)
    return losses_of(asked(model, rows=rows, need=metric.needs), sample, rows, metric)


def losses_of(outputs: Outputs, sample: Sample, rows: Rows, metric: RowLoss) -> Floats:
    """Return the losses of what a model says about these rows, over all classes of the sample, shape (rows,).

    A class that the model never saw has the probability 0, as in the out-of-fold predictions of
    :func:`empirisk.cross_evaluate`.
    """
    p = outputs.over(sample.classes).against(sample.y[rows])
    why = metric.unavailable(p)
    if why:
        raise ValueError(f"loss = {metric.name!r} cannot be computed: {why}.")
    return metric.losses(p)


def losses_over(outputs: Outputs, sample: Sample, rows: Rows, metric: RowLoss) -> Floats:
    """Return :func:`losses_of`, where a predicted number that overflowed has an infinite loss."""
    if sample.classes is not None:
        return losses_of(outputs, sample, rows, metric)
    known = np.isfinite(outputs.pred)
    losses = np.full(rows.size, np.inf)
    if known.any():
        losses[known] = metric.losses(regression(sample.y[rows[known]], outputs.pred[known]))
    return losses
