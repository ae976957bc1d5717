"""Losses at growing numbers of training rows, on the same folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.curves.collect import Collected, collect
from empirisk.curves.learning_result import LearningCurve
from empirisk.curves.moments import LastStep, from_rows, from_splits
from empirisk.curves.sizes import (
    POINTS,
    check_sizes,
    default_sizes,
    nested_order,
    smallest_training_part,
    two_classes,
)
from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.data.seeds import Seed, generator_of
from empirisk.evaluation.candidate import one_model
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import too_few
from empirisk.evaluation.intervals.repeated_kfold import MIN_GROUPS, MIN_ROWS, in_folds
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.row_losses import pick_loss
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.summaries import steady, train_estimate, validation_estimate
from empirisk.results.estimate import check_level

__all__ = ["learning_curve"]

REPEATS, REPEATS_MANY, MANY = 3, 1, 1000  # repeats with few rows and with many, and from where rows are many
PARTS = 2
MIN_DISCORDANT = 10  # rows that change between right and wrong; fewer say nothing about the gain
# A step as small as a quarter says little about the next doubling.
SMALLEST_STEP = 1.25


@like_input
def learning_curve(
    est: Any,
    X: Any,
    y: ArrayLike | None = None,
    sizes: Sequence[float] | int | None = None,
    *,
    loss: Any = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    repeats: int | None = None,
    level: float = 0.95,
    random_state: Seed = None,
    progress: Progress | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> LearningCurve:
    """Expected training and held-out loss against the number of training rows, with intervals.

    In every fold the rows are put in a random order once, and each size takes the first rows of it (nested
    subsets); up to half of the training part the next stretch is fitted too, so that the fall over the last
    doubling is that of two disjoint halves to the whole.

    Parameters
    ----------
    est : estimator or Candidate
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline; or a
        :class:`empirisk.selection.Candidate` without values or with one, by whose name the curve goes.
    X : array, sparse matrix or data frame of shape (n, p), or Sample
        Rows; a :class:`empirisk.selection.Sample` holds the targets, and what ties rows together, as well.
    y : array of shape (n,), optional
        Targets; left out where `X` is a sample.
    sizes : list of int or of float in (0, 1], or int, optional
        Training rows, or shares of the training part of a fold. One number k means up to k halvings that
        leave 20 rows, 5 of the rarest class, and two classes in every part; by default five of them.
    loss : str or metric, optional
        ``"log_loss"`` (the default for classifiers with probabilities; ``"brier_score"`` for kinds that may
        answer with probability 0, such as trees and forests), ``"brier_score"``, ``"accuracy"``
        (its loss is the error rate), ``"mse"`` (the default for regressors) or ``"mae"``.
    cv : None, int, splitter or iterable of (train, test), optional
        As in :func:`empirisk.cross_evaluate`; five folds by default, with `time` the last half of the
        rows in five blocks of whole moments.
    groups : array of shape (n,), optional
        Which rows belong together; folds and subsets then hold whole groups.
    time : array of shape (n,), optional
        When each row came. Rows are then predicted from earlier ones, and subsets are the latest of those.
    repeats : int, optional
        Repeats of the folds: 3 up to 1000 rows, 1 above.
    level : float in (0, 1), default 0.95
        Nominal coverage.
    random_state : int, Generator, RandomState or None
        Seed of folds and orders.
    progress : callable or bool, optional
        Called with (fits done, fits in all); True counts on the error stream.
    exposure, offset : array of shape (n,), optional
        As in :func:`empirisk.cross_evaluate`.

    Returns
    -------
    LearningCurve
        ``.validation``, ``.train``, ``.extrapolate()``, ``.rows_for(gain)``, ``.rows_to_reach(loss)``.

    Raises
    ------
    ValueError
        Sizes beyond the training part, one class only, a loss that is no mean over rows.

    Notes
    -----
    The band of a size is about the expected loss of the algorithm trained on that many rows: the row
    variance within one repeat and one subset, times K/(K-1); never the variance of averages over repeats.
    Cost: folds x repeats x (2 sizes - 1) fits with default sizes, which see at most
    five times the rows that the fits of the largest size alone see. How often band and extrapolation cover
    the truth: ``docs/how-to/curves.md``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = X @ np.ones(10) + rng.normal(size=200)
    >>> curve = learning_curve(er.Ridge(), X, y, random_state=0)
    >>> curve.sizes
    (20, 40, 80, 160)
    >>> curve.extrapolate(2.0).gain[0].low > 0.0
    True
    """
    check_level(level)
    candidate = one_model(est)
    est = candidate.model
    sample = Sample.of(est, X, y, groups, time=time, exposure=exposure, offset=offset)
    metric = pick_loss(est, sample, loss)
    plan = _plan(sample, cv, repeats, random_state)
    most = smallest_training_part(plan)
    counts = None if sample.classes is None else np.bincount(sample.like.y)
    listed = sizes is not None and not isinstance(sizes, int | np.integer)
    wanted = check_sizes(sizes, most) if listed else default_sizes(most, counts, _halvings(sizes))
    rng, parts = generator_of(random_state), PARTS if plan.folds else 1
    orders = [
        nested_order(train, wanted, parts, sample.strata, sample.groups, sample.time, rng)
        for train, _ in plan.splits
    ]
    if not listed:
        wanted = two_classes(wanted, orders, parts, sample.strata)
    got = collect(est, sample, plan, wanted, orders, metric, parts, progress)
    cap = metric.bound(sample.like)
    last, reason = _last_step(got, plan, sample, metric, wanted)
    return LearningCurve(
        sizes=tuple(got.rows),
        validation=tuple(
            steady(validation_estimate(got.test[j], plan, m, sample, metric, level, cap), est, sample.X, m)
            for j, m in enumerate(got.rows)
        ),
        train=tuple(
            train_estimate(got.train[j], got.train_means[j], plan, m, sample, level)
            for j, m in enumerate(got.rows)
        ),
        n=sample.n,
        loss=metric.name,
        label=metric.loss_label,
        level=level,
        method=_words(plan, sample.time is not None),
        n_fits=got.n_fits,
        last=last,
        reason=reason,
        coefficients=got.coefficients,
        name=candidate.name,
    )


def _halvings(sizes: Any) -> int:
    """Return how many halvings are asked for."""
    if sizes is None:
        return POINTS
    if isinstance(sizes, bool) or sizes < 1:
        raise ValueError(f"sizes must list numbers of training rows, or be how many halvings, got {sizes}.")
    return int(sizes)


def _plan(sample: Sample, cv: Any, repeats: int | None, seed: Any) -> Plan:
    """Return the splits: five folds, or forward in time, unless `cv` says otherwise."""
    if repeats is None and sample.repeated(cv):
        repeats = REPEATS if sample.n <= MANY else REPEATS_MANY
    return sample.plan(cv, repeats, seed)


def _last_step(
    got: Collected, plan: Plan, sample: Sample, metric: RowLoss, wanted: list[int]
) -> tuple[LastStep | None, str]:
    """Return the last step of the curve, or why it says nothing about more rows."""
    why = _too_little(got, plan, sample, wanted)
    if why:
        return None, why
    before, after = got.test[-2], got.test[-1]
    sizes = (got.rows[-2], got.rows[-1])
    if not plan.folds:
        if after.shape[0] < 5:
            return None, too_few(after.shape[0], 5, "splits")
        step = from_splits(before[:, 0], after[:, 0], sizes, plan.test_over_train)
    else:
        step = from_rows(before, after[:, 0], sizes, plan.folds, sample.groups)
        discordant = float(np.mean(np.count_nonzero(before - after[:, :1], axis=2)))
        if metric.proportion and discordant < MIN_DISCORDANT:
            return None, (
                f"at {sizes[0]} and {sizes[1]} training rows the labels differ in {discordant:.3g} rows; "
                f"at least {MIN_DISCORDANT} are needed"
            )
    if step.second[2] == 0.0:
        return None, f"the losses at {sizes[0]} and {sizes[1]} training rows do not differ"
    return (None, rising) if (rising := _rising(got, plan, sample)) else (step, "")


def _too_little(got: Collected, plan: Plan, sample: Sample, wanted: list[int]) -> str:
    if len(wanted) < 2:
        return "the curve has one size only"
    if got.rows[-1] < SMALLEST_STEP * got.rows[-2]:
        return f"the last step, from {got.rows[-2]} to {got.rows[-1]} training rows, is too small"
    if any(not np.isfinite(part).all() for part in got.test):
        return "a loss is infinite (probability 0 for the class that occurred); try loss='brier_score'"
    if plan.folds and sample.n < MIN_ROWS:
        return too_few(sample.n, MIN_ROWS)
    if sample.groups is not None and int(sample.groups.max()) + 1 < MIN_GROUPS:
        return too_few(int(sample.groups.max()) + 1, MIN_GROUPS, "groups")
    return ""


def _rising(got: Collected, plan: Plan, sample: Sample) -> str:
    """Return a step along which the loss rises beyond doubt: then returns do not diminish, and no law
    holds.
    """
    if not plan.folds:
        return ""
    for j in range(len(got.rows) - 1):
        pair = (got.rows[j], got.rows[j + 1])
        before, after = got.test[j], got.test[j + 1]
        parts = before if after.shape[1] == 1 else before[:, :1]
        step = from_rows(parts, after[:, 0], pair, plan.folds, sample.groups)
        if step.fall_limits(0.99)[1] < 0.0:
            return f"the loss rises from {pair[0]} to {pair[1]} training rows, so no law carries it on"
    return ""


def _words(plan: Plan, in_time: bool) -> str:
    if plan.folds is None:
        forward = "forward in time, subsets are the latest rows" if in_time else "nested subsets"
        return f"{len(plan.splits)} splits, {forward}"
    dealt = in_folds(plan.folds, plan.repeats)
    return f"{dealt}, nested subsets, two disjoint ones up to half of the rows"
