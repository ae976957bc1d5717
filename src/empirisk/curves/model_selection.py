"""Training and held-out loss against one parameter, with the best and the one-standard-error choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.curves.model_selection_result import ModelSelectionCurve
from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.fit_folds import each_fit, one_thread_if_small
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats, refuse
from empirisk.evaluation.intervals.bbc import best_of
from empirisk.evaluation.intervals.repeated_kfold import in_folds
from empirisk.evaluation.metrics.row_loss import RowLoss, mean_error
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.row_losses import losses_of, pick_loss
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.summaries import train_estimate, validation_estimate
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

__all__ = ["model_selection_curve"]

REPEATS, REPEATS_MANY, MANY = 3, 1, 1000  # repeats with few rows and with many, and from where rows are many


@like_input
def model_selection_curve(
    est: Any,
    X: Any,
    y: ArrayLike,
    param: str,
    values: Sequence[Any],
    *,
    loss: Any = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    repeats: int | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    progress: Progress | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> ModelSelectionCurve:
    """Return the expected training and held-out loss against one parameter, all values on the same folds.

    Parameters
    ----------
    est : estimator
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets.
    param : str
        Name of the parameter, as in ``set_params`` (``"step__name"`` in a pipeline).
    values : sequence
        Values to try. Those that a model fits together cost one fit in each fold, or one
        warm-started path: ``alpha`` of linear models and of trees, ``n_estimators`` of boosting.
    loss, cv, groups, level, random_state
        As in :func:`learning_curve`.
    repeats : int, optional
        Repeats of the folds: 3 up to 1000 rows, 1 above.
    progress : callable or bool, optional
        Called with (fits done, fits in all); True counts on the error stream.
    exposure, offset : array of shape (n,), optional
        As in :func:`empirisk.cross_evaluate`.

    Returns
    -------
    ModelSelectionCurve
        ``.best`` and ``.one_se`` are positions in ``.values``; ``.best_loss`` is corrected for the choice.

    Raises
    ------
    ValueError
        No values, an unknown parameter, splits that do not test every row once in each repeat.

    Notes
    -----
    The interval of each value is right for that value had it been chosen in advance. The smallest of them is
    too good: ``best_loss`` (BBC-CV) is the loss to expect from this way of choosing. Cost: folds x
    repeats fits a value, or folds x repeats paths.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 8))
    >>> y = X[:, 0] + rng.normal(size=120)
    >>> curve = model_selection_curve(er.Ridge(), X, y, "alpha", [1e-3, 1e-1, 10.0], random_state=0)
    >>> curve.values[curve.best], len(curve.validation)
    (0.1, 3)
    """
    check_level(level)
    sample = Sample.of(est, X, y, groups, exposure=exposure, offset=offset)
    metric = pick_loss(est, sample, loss)
    candidate = Candidate(est, param, values)
    tried = candidate.values
    if repeats is None and sample.repeated(cv):
        repeats = REPEATS if sample.n <= MANY else REPEATS_MANY
    plan = sample.plan(cv, repeats, random_state)
    if plan.folds is None:
        raise ValueError("model_selection_curve needs folds that test every row once in each repeat.")
    test, train, means = _collect(candidate, sample, plan, metric, progress)
    cap = metric.bound(sample.like)
    size = plan.n_train
    validation = tuple(validation_estimate(t, plan, size, sample, metric, level, cap) for t in test)
    training = tuple(
        train_estimate(rows, m, plan, size, sample, level) for rows, m in zip(train, means, strict=True)
    )
    best, one_se, error = _choose(test, means, plan, sample)
    return ModelSelectionCurve(
        param,
        tried,
        validation,
        training,
        best,
        one_se,
        error,
        _corrected(test, plan, sample, metric.errors, level, random_state),
        sample.n,
        metric.name,
        metric.loss_label,
        level,
        in_folds(plan.folds, plan.repeats) + (", values fitted together" if candidate.together else ""),
        model_name(est),
    )


def _collect(
    candidate: Candidate, sample: Sample, plan: Plan, metric: RowLoss, progress: Progress | None
) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Out-of-fold losses (r, 1, n), training losses (r, n) and mean training losses (fits,) of each value."""
    count, n = candidate.n_values, sample.n
    test = np.full((count, plan.repeats, 1, n), np.nan)
    sums, seen = np.zeros((count, plan.repeats, n)), np.zeros((plan.repeats, n))
    means = np.empty((count, len(plan.splits)))
    repeat_of = {j: r for r in range(plan.repeats) for j in plan.repeat(r)}
    for j, (rows, _) in enumerate(plan.splits):
        seen[repeat_of[j], rows] += 1.0
    tell = teller(progress)
    with one_thread_if_small(sample.X):
        for done, fit in enumerate(each_fit(candidate, sample, plan), 1):
            v, r = fit.value, repeat_of[fit.split]
            test[v, r, 0, fit.test] = losses_of(fit.outputs(), sample, fit.test, metric)
            inside = losses_of(fit.train_outputs(), sample, fit.train, metric)
            sums[v, r, fit.train] += inside
            means[v, fit.split] = inside.mean()
            tell(done, count * len(plan.splits))
    train = np.divide(sums, seen, out=np.full_like(sums, np.nan), where=seen > 0.0)
    return list(test), list(train), list(means)


def _choose(test: list[Floats], means: list[Floats], plan: Plan, sample: Sample) -> tuple[int, int, float]:
    """Return the positions of the best and of the simplest within one standard error; that standard error."""
    losses = np.array([t.mean() for t in test])
    if not np.isfinite(losses).any():
        raise ValueError("every value has an infinite loss; try loss='brier_score' or another loss.")
    best = int(np.argmin(losses))
    p = replace(sample.like, groups=sample.groups, weights=None)
    error = mean_error(test[best][:, 0], plan.folds, p)
    close = np.flatnonzero(losses <= losses[best] + error) if np.isfinite(error) else np.array([best])
    fit = np.array([means[j].mean() for j in close])
    return best, int(close[int(np.argmax(fit))]), float(error)


def _corrected(
    test: list[Floats],
    plan: Plan,
    sample: Sample,
    errors: bool,
    level: float,
    seed: int | np.random.Generator | None,
) -> Estimate:
    """Return the loss of the winner by BBC-CV on the first repeat."""
    table = np.column_stack([t[0, 0] for t in test])
    if not np.isfinite(table).all():
        value = float(min(t.mean() for t in test))
        reason = "a loss is infinite, so the winner cannot be corrected"
        return refuse(value, level, sample.n, "none", reason, "loss of the best value")
    return best_of(table, plan.folds or 2, level, random_state=seed, groups=sample.groups, errors=errors)
