"""The prediction of every row by a model that never saw it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.evaluation.candidate import one_model
from empirisk.evaluation.evaluate import Metrics, named
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.folds import FOLDS
from empirisk.evaluation.intervals.base import Floats, refuse
from empirisk.evaluation.intervals.repeated_kfold import in_folds, repeated_kfold, scored_target
from empirisk.evaluation.loo.refit import refit_all
from empirisk.evaluation.loo.shortcuts import shortcut_for
from empirisk.evaluation.metrics import METRICS, Metric, Predictions, find_metric
from empirisk.evaluation.metrics.row_loss import RowLoss, with_note
from empirisk.evaluation.outputs import Outputs, model_name
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.summaries import infinite_loss, steady
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

__all__ = ["LeaveOneOut", "leave_one_out", "loo_estimate", "loo_outputs"]

MAX_SECONDS = 600.0  # forecast; longer runs are refused unless the caller allows them
NOTE = "leave-one-out cannot be repeated; five repeated folds cover more reliably"


class LeaveOneOut(Evaluation):
    """Estimates from leave-one-out predictions.

    Parameters
    ----------
    estimates, title
        As in :class:`empirisk.selection.Evaluation`.
    predictions : Predictions
        What the models without each row say about it.
    shortcut : str
        How they were found without refits; empty when n models were fitted.
    why_not : str
        Why there was no shortcut.
    """

    def __init__(
        self,
        estimates: dict[str, Estimate],
        title: str,
        predictions: Predictions,
        shortcut: str,
        why_not: str,
    ) -> None:
        super().__init__(estimates, title)
        self.predictions = predictions
        self.shortcut = shortcut
        self.why_not = why_not

    def losses(self, metric: str) -> Floats:
        """Return the loss of each row, shape (n,); smaller is better (accuracy: errors)."""
        rows = METRICS[metric].losses(self.predictions)
        if rows is None:
            raise ValueError(f"{metric} is no mean of row losses; use the values and intervals instead.")
        return rows

    def __repr__(self) -> str:
        how = f"shortcut: {self.shortcut}" if self.shortcut else f"n fits, because {self.why_not}"
        return f"{super().__repr__()}\n  How: {how}."


def loo_outputs(
    est: Any, sample: Sample, max_seconds: float = MAX_SECONDS, progress: Progress | None = None
) -> tuple[Outputs, Floats, str, str]:
    """Return the outputs of all rows, seconds of each fit (one number with a shortcut), the shortcut, or why
    not.
    """
    check_single_rows(sample)
    if sample.n < 3:
        raise ValueError(f"leave-one-out needs at least 3 rows, got {sample.n}.")
    if sample.classes is not None and sample.n - int(sample.like.class_counts.max()) < 2:
        label = sample.classes[int(np.argmin(sample.like.class_counts))]
        raise ValueError(f"class {label} has one row: without it the other rows hold one class only.")
    shortcut = shortcut_for(est)
    whole = "the steps of a pipeline see one row fewer each time"
    why = whole if hasattr(est, "steps") else f"no shortcut is known for {model_name(est)}"
    if shortcut is not None:
        found = shortcut(est, sample.X, sample.y)
        if not isinstance(found, str):
            outputs, how = found
            if outputs.classes is not None or np.isfinite(outputs.pred).all():
                return outputs, np.empty(0), how, ""
            found = "some row is alone responsible for a direction of the fit (leverage 1)"
        why = found
    outputs, seconds = refit_all(est, sample, max_seconds, progress)
    return outputs, seconds, "", why


def check_single_rows(sample: Sample) -> None:
    """Refuse rows that leave-one-out would part from those that they are tied to."""
    if sample.groups is not None:
        raise ValueError("cv='loo' leaves single rows out; with groups give a number of folds instead.")
    if not sample.plain:
        raise ValueError(
            "cv='loo' has no times, weights, exposures or offsets; give a number of folds instead."
        )
    if sample.together is not None:
        shared = np.flatnonzero(np.bincount(sample.together)[sample.together] > 1)
        if shared.size:
            raise ValueError(
                f"cv='loo' leaves single rows out, and `together` keeps row {int(shared[0])} with others, on "
                "which its model would be fitted: give a number of folds instead, or leave together out."
            )


@like_input
def leave_one_out(
    est: Any,
    X: Any,
    y: ArrayLike,
    *,
    metrics: Metrics | None = None,
    level: float = 0.95,
    max_seconds: float = MAX_SECONDS,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Predict every row by the model fitted on the others, without refits where that is exact.

    Shortcuts: least squares and ridge (ours and scikit-learn's) by ``y_i - (y_i - yhat_i)/(1 - H_ii)``,
    scikit-learn's ``KernelRidge`` by ``y_i - c_i/(G^-1)_ii``, and its nearest neighbours by asking each row's
    neighbours without itself. All equal n refits up to rounding; our neighbours and windows leave a row
    out with its copies, which would answer for it.

    Parameters
    ----------
    est : estimator or Candidate
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline; or a
        :class:`empirisk.selection.Candidate` without values or with one.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets.
    metrics : name, list or mapping, optional
        Names of our metrics; all that fit the task by default.
    level : float in (0, 1), default 0.95
        Nominal coverage.
    max_seconds : float, default 600
        Longest forecast of n fits that is accepted.
    progress : callable or bool, optional
        Called with (fits done, fits in all) when there is no shortcut; True counts on the error stream.

    Returns
    -------
    LeaveOneOut
        Estimates by name; ``.predictions``, ``.losses(metric)``, ``.shortcut``, ``.why_not``.

    Raises
    ------
    ValueError
        Fewer than 3 rows, a class with one row besides a single other class, a foreign scorer, or a forecast
        above `max_seconds`.

    Notes
    -----
    A pipeline is refitted: its scaler sees one row fewer each time, and that is part of the algorithm.
    The intervals take the row variance times 5/4, as with five folds, and correct losses for skewness: 91 %
    at 50 rows, 94 to 96 % from 100 (ridge). Cost with a shortcut: one decomposition, or one search for
    neighbours.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> loo = leave_one_out(er.Ridge(), X, y, metrics="mse")
    >>> loo.shortcut, loo["mse"].low < 1.0 < loo["mse"].high
    ('hat matrix of ridge, residual/(1 - leverage)', True)
    """
    check_level(level)
    candidate = one_model(est)
    est = candidate.model
    sample = Sample.of(est, X, y)
    wanted = named(metrics, sample.like, est)
    ours = {name: o for name, m in wanted.items() if (o := find_metric(m)) is not None}
    if len(ours) < len(wanted):
        foreign = ", ".join(sorted(set(wanted) - set(ours)))
        raise ValueError(f"a single row has no score by {foreign}; use our metrics, or cross_evaluate.")
    outputs, seconds, how, why = loo_outputs(est, sample, max_seconds, progress)
    p = outputs.against(sample.y)
    estimates = {name: loo_estimate(est, sample, m, p, level) for name, m in ours.items()}
    fits = f"{seconds.size} fits" if seconds.size else "no refits"
    title = f"{candidate.name}, leave-one-out on {sample.n} rows ({fits})"
    return LeaveOneOut(estimates, title, p, how, why)


def loo_estimate(est: Any, sample: Sample, metric: Metric, p: Predictions, level: float) -> Estimate:
    """Return a metric of leave-one-out predictions, with the variance of five folds (row variance times
    5/4).

    n/(n-1) in its place covers 82 to 94 %: leaving one row out hides the luck of the training rows.
    """
    why = metric.unavailable(p)
    if why:
        return refuse(math.nan, level, sample.n, "not available", why)
    target = scored_target(sample.n - 1, sample.n)
    if not isinstance(metric, RowLoss):
        e = replace(metric.crossed((p,), FOLDS, level), target=target)
    elif not np.isfinite(metric.losses(p)).all():
        why = infinite_loss(metric.losses(p))
        e = refuse(math.inf, level, sample.n, "none: infinite loss, not clipped", why, target)
    elif metric.proportion:
        e = repeated_kfold(1.0 - metric.losses(p), FOLDS, level, kind="proportion", target=target)
    else:
        losses, bound = metric.losses(p)[None, :], metric.bound(p)
        e = repeated_kfold(losses, FOLDS, level, bound=bound, errors=metric.errors, target=target)
    words = e.method.replace(in_folds(FOLDS, 1), "leave-one-out")
    return steady(with_note(replace(e, method=words), NOTE), est, sample.X, sample.n - 1)
