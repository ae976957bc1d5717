"""Scores of a fitted model on held-out rows, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.data.frames import like_input
from empirisk.estimators.several_targets import target_columns
from empirisk.evaluation.beside import numbers, of_rows, sizes
from empirisk.evaluation.by_group import GroupEvaluation, groups_of_rows
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.intervals.base import group_codes, refuse
from empirisk.evaluation.metrics import (
    CLASSIFICATION,
    METRICS,
    REGRESSION,
    Metric,
    Predictions,
    about_class,
    default_metrics,
    find_metric,
)
from empirisk.evaluation.metrics.of_class import one_versus_rest
from empirisk.evaluation.metrics.predictions import (
    check_length,
    classification,
    labels_of,
    regression,
    relative,
)
from empirisk.evaluation.metrics.scorer import LastClass, Scorer, find_scorer, scorer_interval
from empirisk.evaluation.outputs import model_name, n_rows, outputs_of
from empirisk.evaluation.proba_kinds import may_answer_zero
from empirisk.evaluation.quantile_kinds import quantile_metrics, quantile_of
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.rows_of_fit import are_of_fit
from empirisk.evaluation.targets import models_of_targets
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

One = str | Metric | Scorer
Metrics = One | Iterable[One] | Mapping[str, One]


@like_input
def evaluate(
    est: Any,
    X: Any,
    y: ArrayLike,
    level: float = 0.95,
    groups: ArrayLike | None = None,
    metrics: Metrics | None = None,
    *,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    by: Any = None,
) -> Any:
    """Score a fitted estimator on rows that it has not seen, with an interval for each metric.

    Parameters
    ----------
    est : fitted estimator
        Any scikit-learn-compatible classifier or regressor, or a pipeline that ends in one; of
        :func:`empirisk.conformalize` the coverage, the width or size, and the interval score are reported.
    X : array, sparse matrix or data frame of shape (n, p)
        Held-out rows.
    y : array of shape (n,)
        Their targets. Class labels may be text; the positive class is ``est.classes_[1]``. Of several
        targets, shape (n, k), each is scored by itself, and the names begin with the target's (``"b: r2"``).
    level : float in (0, 1), default 0.95
        Nominal coverage of each interval by itself (no correction for several metrics).
    groups : array of shape (n,), optional
        Which rows belong together (patient, household ...): rows of one group need not be independent.
    metrics : name, scorer, list or mapping of them, optional
        Names of :data:`empirisk.selection.METRICS`, metrics such as ``er.selection.metrics.pinball(0.9)``,
        scikit-learn scorer names, or callables ``scorer(est, X, y)`` or ``metric(y, prediction)``. All
        metrics that fit the task by default; the log-loss only for kinds of models that cannot answer with
        probability 0 (for trees, forests, votes and nearest neighbours it is infinite as soon as one row has
        the class they gave 0; ask for it by name).
    positive : label, optional
        The class that metrics of one class (precision, recall, specificity, F, lift, average precision) are
        about: by default the last of two.
    sample_weight : array of shape (n,), optional
        How many rows of the population each row stands for: the score is the weighted one, such as
        ``sum w l / sum w`` of row losses. A weight of 0 is the row's absence; the scale changes nothing.
    exposure, offset : array of shape (n,), optional
        Exposures, or known parts of the scores, of these rows: ``predict`` gets them. A model that was fitted
        with one and gets none here is refused.
    by : str or array of shape (n,), optional
        A column of the frame X, or the group of each row (sex, region ...): the scores of each group by
        itself, and their differences, as a :class:`GroupEvaluation`. What is not independent goes to
        `groups`.

    Returns
    -------
    Evaluation
        ``ev["accuracy"].value``, ``.low``, ``.high``, ``.n``, ``.method``; where the rows cannot tell, low
        and high are None and ``.reason`` says why.

    Raises
    ------
    ValueError
        Sample sizes that disagree, missing targets, predictions that are not finite.
    TypeError
        `est` cannot predict.

    Notes
    -----
    The estimand is the risk of this fitted model on new rows of the same population; with `groups` on rows of
    new groups, every row counting once (large groups weigh more). An interval of a squared or absolute error
    says where a long tail may make it too short. With `sample_weight` the intervals are about the population
    that the weights stand for: the variance is that of the linearised ratio (Hajek), the degrees of freedom
    are those of the effective number of rows ``(sum w)^2 / sum w^2``, which `method` tells. Cost: one
    prediction and O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = np.where(X[:, 0] + rng.normal(size=400) > 0, "yes", "no")
    >>> est = LogisticRegression().fit(X[:200], y[:200])
    >>> ev = evaluate(est, X[200:], y[200:], metrics=["accuracy", "roc_auc"])
    >>> ev["accuracy"].low < ev["accuracy"].value < ev["accuracy"].high
    True
    >>> list(ev), ev["accuracy"].n, ev["accuracy"].method
    (['accuracy', 'roc_auc'], 200, 'Wilson')
    """
    check_level(level)
    if hasattr(est, "_refuse_other_scale"):  # a formula may predict a function of a column
        est._refuse_other_scale(X, y)
    if by is not None:
        given = {"sample_weight": sample_weight, "exposure": exposure, "offset": offset}
        return in_groups(est, X, y, level, groups, by, metrics=metrics, positive=positive, held=given)
    if hasattr(est, "_evaluate"):  # intervals and sets have scores of their own
        own: Evaluation = est._evaluate(X, y, level, groups, metrics, sample_weight, exposure, offset)
        return own
    columns = target_columns(y)
    if columns is not None:
        models = models_of_targets(est, list(columns))
        rows: dict[str, Any] = {"positive": positive, "sample_weight": sample_weight}
        rows |= {"exposure": exposure, "offset": offset}
        each = {
            name: evaluate(models[name], X, column, level, groups, metrics, **rows)
            for name, column in columns.items()
        }
        seen = any(are_of_fit(model, X) for model in (est, *models.values()))
        title = f"{model_name(est)} on {_which(n_rows(X), seen)}, {len(columns)} targets"
        return Evaluation({f"{name}: {m}": e for name, told in each.items() for m, e in told.items()}, title)
    labels = labels_of(y, "y")
    X, labels, held = with_rows(X, labels, groups, sample_weight, exposure, offset)
    groups, weights = held.pop("groups", None), held.pop("sample_weight", None)
    p = outputs_of(est, X, **held).against(labels, groups, weights)

    def one(metric: One) -> Estimate:
        ours = find_metric(metric)
        if ours is not None:
            return estimate(ours, p, level)
        return scorer_interval(find_scorer(metric)[1], est, X, labels, take_rows, p, level, held)

    title = f"{model_name(est)} on {_which(p.n, are_of_fit(est, X))}"
    wanted = named(metrics, p, est, positive)
    return Evaluation({name: one(m) for name, m in wanted.items()}, title, p)


def _which(n: int, of_fit: bool) -> str:
    """Return in words whether rows are held out, or those of the fit."""
    if of_fit:
        return f"the {n} rows of its own fit, which flatter it (take new rows, or er.cross_evaluate)"
    return f"{n} held-out row{'s' if n != 1 else ''}"


def in_groups(
    est: Any,
    X: Any,
    y: ArrayLike,
    level: float,
    groups: ArrayLike | None,
    by: Any,
    *,
    metrics: Metrics | None,
    positive: Any,
    held: Mapping[str, ArrayLike | None],
) -> GroupEvaluation:
    """Return the evaluation of each group of rows that `by` tells apart."""
    labels = labels_of(y, "y")
    check_length("X", n_rows(X), labels.size)
    name, parts = groups_of_rows(by, X, labels.size)
    beside = {k: None if v is None else np.asarray(v) for k, v in {**held, "groups": groups}.items()}

    def scores(rows: NDArray[np.int64], level: float) -> Evaluation:
        mine = {k: None if v is None else v[rows] for k, v in beside.items()}
        found: Evaluation = evaluate(
            est, take_rows(X, rows), labels[rows], level, metrics=metrics, positive=positive, **mine
        )
        return found

    return GroupEvaluation(name, parts, beside["groups"], level, scores, model_name(est))


def with_rows(
    X: Any,
    y: NDArray[Any],
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None,
    exposure: ArrayLike | None,
    offset: ArrayLike | None,
) -> tuple[Any, NDArray[Any], dict[str, Any]]:
    """Return rows, targets and what they carry, checked; rows of weight 0 are left out."""
    n = y.size
    check_length("X", n_rows(X), n)
    held: dict[str, NDArray[Any] | None] = {
        "groups": None if groups is None else group_codes(groups, n)[0],
        "sample_weight": None if sample_weight is None else sizes("sample_weight", sample_weight, n),
        "exposure": None if exposure is None else sizes("exposure", exposure, n),
        "offset": None if offset is None else numbers("offset", offset, n),
    }
    if held["sample_weight"] is None or held["sample_weight"].all():
        return X, y, of_rows(held, None)
    rows = np.flatnonzero(held["sample_weight"])
    return take_rows(X, rows), y[rows], of_rows(held, rows)


@like_input
def evaluate_predictions(
    y: ArrayLike,
    *,
    pred: ArrayLike | None = None,
    proba: ArrayLike | None = None,
    score: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    metrics: Metrics | None = None,
    level: float = 0.95,
    task: str | None = None,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Evaluation:
    """Return the same from arrays, without an estimator.

    Parameters
    ----------
    y : array of shape (n,)
        Targets: labels or numbers.
    pred : array of shape (n,), optional
        Predicted labels or numbers; by default the most probable class.
    proba : array of shape (n, C) or (n,), optional
        Probabilities, one column for each class; a vector is taken as the probability of ``classes[1]``.
    score : array of shape (n,) or (n, C), optional
        What ranks the rows; by default the probabilities.
    classes : array of shape (C,), optional
        Labels in the order of the columns; by default the sorted labels that occur.
    groups, metrics, level, sample_weight
        As in :func:`evaluate`; our metrics only.
    task : {"classification", "regression"}, optional
        By default classification when `proba`, `score` or `classes` is given or the labels are text or truth
        values, else regression.
    positive : label, optional
        As in :func:`evaluate`.

    Returns
    -------
    Evaluation
        As from :func:`evaluate`.

    Raises
    ------
    ValueError
        Lengths that disagree, probabilities that are none, predictions that are not finite.

    Examples
    --------
    >>> ev = evaluate_predictions([1.0, 2.0, 3.0] * 20, pred=[1.1, 2.1, 2.8] * 20)
    >>> round(ev["mae"].value, 3), list(ev)
    (0.133, ['mse', 'mae', 'r2'])
    """
    check_level(level)
    p = predictions(y, pred=pred, proba=proba, score=score, classes=classes, groups=groups, task=task)
    if sample_weight is not None:
        p = replace(p, weights=relative(sizes("sample_weight", sample_weight, p.n)))
    found = {name: known(m) for name, m in named(metrics, p, positive=positive).items()}
    return Evaluation(
        {name: estimate(m, p, level) for name, m in found.items()}, f"Predictions of {p.n} rows", p
    )


def predictions(
    y: ArrayLike,
    *,
    pred: ArrayLike | None = None,
    proba: ArrayLike | None = None,
    score: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    task: str | None = None,
) -> Predictions:
    """Return the checked predictions from arrays; parameters as in :func:`evaluate_predictions`."""
    if task is None:
        labels = labels_of(y, "y")
        told = proba is not None or score is not None or classes is not None
        task = CLASSIFICATION if told or labels.dtype.kind not in "iuf" else REGRESSION
    if task == REGRESSION:
        if pred is None:
            raise ValueError("pred is missing: give the predicted numbers.")
        return regression(y, pred, groups)
    if task != CLASSIFICATION:
        raise ValueError(f"task must be {CLASSIFICATION!r} or {REGRESSION!r}, got {task!r}.")
    if pred is None and proba is None and score is None:
        raise ValueError("give at least one of pred, proba and score.")
    return classification(y, pred=pred, proba=proba, score=score, classes=classes, groups=groups)


def known(metric: One) -> Metric:
    """Return our metric, or a ValueError that lists the names there are."""
    found = find_metric(metric)
    if found is None:
        raise ValueError(f"metric {metric!r} is unknown here; choose from {', '.join(METRICS)}.")
    return found


def estimate(metric: str | Metric, p: Predictions, level: float) -> Estimate:
    """Return one of our metrics on held-out predictions; not available is an answer, with its reason."""
    ours = known(metric)
    why = ours.unavailable(p)
    if why:
        return refuse(math.nan, level, p.n, "not available", why)
    return ours.interval(p, level)


def named(metrics: Metrics | None, p: Predictions, est: Any = None, positive: Any = None) -> dict[str, One]:
    """Return the wanted metrics by the name that the result will use; by default those that suit the model
    `est`. Those of one class are about the class `positive` where there is one.
    """
    wanted = _named(metrics, p, est)
    if positive is None:
        return wanted
    one_versus_rest(p, positive)  # refuses a label that is no class, before anything is fitted
    return {name: _about(m, positive) for name, m in wanted.items()}


def _about(metric: One, positive: Any) -> One:
    """Return the metric or scorer about the class `positive`, where it is one of a single class."""
    ours = find_metric(metric)
    if ours is not None:
        return about_class(ours, positive)
    scorer = find_scorer(metric)[1]
    return replace(scorer, positive=positive) if isinstance(scorer, LastClass) else metric


def _named(metrics: Metrics | None, p: Predictions, est: Any) -> dict[str, One]:
    if metrics is None:
        q = None if est is None else quantile_of(est)
        if q is not None:
            return {metric.name: metric for metric in quantile_metrics(q)}
        zero = est is not None and hasattr(est, "predict_proba") and may_answer_zero(est)
        return {name: name for name in default_metrics(p, zero)}
    if isinstance(metrics, Mapping):
        return dict(metrics)
    single = isinstance(metrics, str) or callable(metrics) or find_metric(metrics) is not None
    out: dict[str, One] = {}
    for metric in cast("Iterable[One]", [metrics] if single else metrics):
        ours = find_metric(metric)
        name = metric if isinstance(metric, str) else ours.name if ours else find_scorer(metric)[0]
        if name in out:
            raise ValueError(f"metric {name!r} is given twice; use a mapping to name them apart.")
        out[name] = metric
    if not out:
        raise ValueError("metrics is empty; leave it out to get all metrics of the task.")
    return out
