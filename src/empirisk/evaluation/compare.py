"""Which of two models is better: paired differences with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import is_classifier

from empirisk.evaluation.candidate import one_model
from empirisk.evaluation.cross import CrossEvaluation, run, unseen_class
from empirisk.evaluation.evaluate import estimate, with_rows
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import scored_target
from empirisk.evaluation.metrics import METRICS, Metric, Predictions
from empirisk.evaluation.metrics.predictions import labels_of
from empirisk.evaluation.metrics.row_loss import with_note
from empirisk.evaluation.outputs import model_name, outputs_of
from empirisk.evaluation.proba_kinds import probability_metric
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate
from empirisk.results.estimate import check_level


@dataclass(frozen=True)
class Comparison:
    """Difference of two models on the same rows.

    Parameters
    ----------
    metric : str
        What was compared.
    names : tuple of str
        The two models.
    a, b : Estimate
        Score of each model by itself.
    difference : Estimate
        ``metric(a) - metric(b)``, paired row by row.
    probability_a_better : float or None
        Student-t confidence that a is the better one; None when the rows cannot tell.
    greater_is_better : bool
        Direction of the metric.
    rows : tuple of int, optional
        Rows that a cross-validated model was trained on, and rows in all; None for fitted models.

    Notes
    -----
    After a cross-validation all of this is about models of ``rows[0]`` rows. `may_cross` says when more rows
    could turn the verdict around: the learning curves of two models may cross.

    ``P = T_df(+-difference/se)`` is the confidence distribution of the difference: one minus the one-sided
    p-value, and the posterior probability under a flat prior for difference and log-variance when the
    difference is normal with that standard error. It is not a prior-informed probability that the models
    differ by an amount that matters.
    """

    metric: str
    names: tuple[str, str]
    a: Estimate
    b: Estimate
    difference: Estimate
    probability_a_better: float | None
    greater_is_better: bool
    rows: tuple[int, int] | None = None

    @property
    def better(self) -> str | None:
        """``"a"`` or ``"b"`` when the interval of the difference excludes 0, else None."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0.0 <= high:
            return None
        return "a" if (low > 0.0) == self.greater_is_better else "b"

    @property
    def may_cross(self) -> bool:
        """Whether the verdict may be another one when both models are trained on all rows.

        A loss that falls no faster than the inverse of the number of rows m (a parametric model falls so
        down to the noise, others more slowly) is still above ``m/n`` of what it was. Where that is
        below the loss of the better model, the curves may cross on the way to n rows. Scores that grow count
        as their distance from 1.
        """
        if self.rows is None or self.better is None:
            return False
        best, other = (self.a, self.b) if self.better == "a" else (self.b, self.a)
        low, high = best.value, other.value
        if self.greater_is_better:
            low, high = 1.0 - low, 1.0 - high
        return bool(high * self.rows[0] / self.rows[1] < low)

    @property
    def sentence(self) -> str:
        """The result in words, with the number of rows that it is about."""
        first, second = self.names
        d = self.difference
        if d.low is None:
            return f"{self.metric}: cannot tell {first} and {second} apart ({d.reason})."
        head = f"{self.metric} of {first} minus that of {second}: {d}"
        if self.better is None:
            return f"{head}. These rows do not show which is better{self._size()}."
        told = f"{head}. {first if self.better == 'a' else second} is better{self._size()}"
        if self.rows is not None and self.may_cross:
            return f"{told}; the curves may cross before {self.rows[1]:,} rows, because the gap is small."
        return f"{told}."

    def _size(self) -> str:
        """Return the number of rows that a verdict is about, as the end of a sentence."""
        return "" if self.rows is None else f" when trained on {self.rows[0]:,} rows"

    def __repr__(self) -> str:
        first, second = self.names
        d = self.difference
        lines = [self.sentence, f"  {first}: {self.a}", f"  {second}: {self.b}"]
        if self.probability_a_better is not None:
            lines.append(f"  Confidence that {first} is better: {_chance(self.probability_a_better)}")
        lines.append(f"  {100 * d.level:g} %, n = {d.n}, {d.method}" + (f" ({d.reason})" if d.reason else ""))
        return "\n".join(lines)


def compare(
    a: Any,
    b: Any,
    X: Any,
    y: ArrayLike | None = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    metric: str | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    *,
    repeats: int | None = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Comparison:
    """Cross-validate two algorithms on the same folds and give the paired difference with its interval.

    The difference is that of the models fitted here, each on n(K-1)/K of the n rows; the sentence names that
    number, and says when the learning curves may cross before n.

    Parameters
    ----------
    a, b : estimators or Candidates
        Both classifiers or both regressors; they are cloned. A :class:`empirisk.selection.Candidate` holds no
        values or one, and is called by its name.
    X, y
        Rows and targets, or a :class:`empirisk.selection.Sample` of both.
    cv, groups, level, random_state
        As in :func:`cross_evaluate`.
    metric : str, optional
        A name of :data:`empirisk.selection.METRICS`; by default log_loss (brier_score where one of the models
        is of a kind that may answer with probability 0, such as trees and forests; accuracy where a model
        gives no probabilities) or mse.
    repeats : int, optional
        3 below 200 rows, 2 above (more make the interval of a difference too wide).
    sample_weight, exposure, offset : array of shape (n,), optional
        As in :func:`cross_evaluate`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        Unknown metric, or what :func:`cross_evaluate` raises.

    Notes
    -----
    Row differences, variance within one repeat times K/(K-1), t. With 0-1 losses and
    fewer than 10 rows on which the models differ the answer is "cannot tell".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 2))
    >>> y = X[:, 0] + rng.normal(size=120)
    >>> c = compare(LinearRegression(), DummyRegressor(), X, y, random_state=0)
    >>> c.better, c.metric
    ('a', 'mse')
    """
    one, other = one_model(a), one_model(b)
    if is_classifier(one.model) != is_classifier(other.model):
        raise TypeError("a classifier cannot be compared with a regressor.")
    if metric is None:
        metric = default_metric(one.model, other.model)
    _known(metric)
    sample = Sample.of(one.model, X, y, groups, weights=sample_weight, exposure=exposure, offset=offset)
    if sample.repeated(cv) and repeats is None:
        repeats = 3 if sample.n < 200 else 2
    plan = sample.plan(cv, repeats, random_state)
    first, second = (run(c, sample, plan, metric, level) for c in (one, other))
    return compare_cross(first, second, metric, level, names=_apart(one.name, other.name))


def compare_cross(
    a: CrossEvaluation,
    b: CrossEvaluation,
    metric: str,
    level: float = 0.95,
    *,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Paired difference of two cross-evaluations that used the same splits; nothing is fitted.

    Parameters
    ----------
    a, b : CrossEvaluation
        Made with the same rows, `cv` and `random_state`.
    metric : str
        A name of :data:`empirisk.selection.METRICS`.
    level : float, default 0.95
        Nominal coverage.
    names : tuple of str
        What to call the models.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        The two were not scored on the same splits, or lack the metric.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from empirisk.selection import cross_evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> weak, strong = (cross_evaluate(Ridge(a), X, y, random_state=0) for a in (1.0, 1e4))
    >>> compare_cross(weak, strong, "mse", names=("weak", "strong")).better
    'a'
    """
    check_level(level)
    if not a.plan.same_as(b.plan):
        raise ValueError("the two models were scored on different folds; use the same cv and random_state.")
    m, plan = _known(metric), a.plan
    if not (a.out_of_fold and b.out_of_fold):
        if len(plan.splits) == 1:
            one = _compared(metric, names, list(a.held_out), list(b.held_out), None, level, plan.note)
            return replace(one, rows=(plan.n_train, plan.n))
        scores = a.fold_scores(metric) - b.fold_scores(metric)
        target = scored_target(plan.n_train, plan.n, what="difference", who="each algorithm")
        d = nadeau_bengio(scores, plan.test_over_train, plan.n_scored, level, target=target)
        d = with_note(d, plan.note)
        se = math.sqrt(float(scores.var(ddof=1)) * (1.0 / scores.size + plan.test_over_train))
        chance = _confidence(d, se, scores.size - 1, m.greater_is_better)
        rows = (plan.n_train, plan.n)
        return Comparison(metric, names, a[metric], b[metric], d, chance, m.greater_is_better, rows)
    found = _compared(metric, names, list(a.out_of_fold), list(b.out_of_fold), plan.folds, level)
    return _about(found, plan, a.out_of_fold[0])


def compare_fitted(
    a: Any,
    b: Any,
    X: Any,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    metric: str | None = None,
    level: float = 0.95,
    *,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Comparison:
    """Paired difference of two *fitted* models on held-out rows.

    Parameters
    ----------
    a, b : fitted estimators
        Both classifiers or both regressors.
    X, y, groups, level, sample_weight, exposure, offset
        As in :func:`evaluate`.
    metric : str, optional
        As in :func:`compare`.

    Returns
    -------
    Comparison
        0-1 losses by Tango's interval, other row losses by t on row differences, scores such as AUC by
        t on differences of influence values (for AUC that is DeLong's paired test).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> weak, strong = (Ridge(a).fit(X[:100], y[:100]) for a in (1.0, 1e4))
    >>> compare_fitted(weak, strong, X[100:], y[100:]).better
    'a'
    """
    check_level(level)
    metric = default_metric(a, b) if metric is None else metric
    X, labels, held = with_rows(X, labels_of(y, "y"), groups, sample_weight, exposure, offset)
    groups, weights = held.pop("groups", None), held.pop("sample_weight", None)
    first, second = (outputs_of(m, X, **held).against(labels, groups, weights) for m in (a, b))
    return _compared(metric, _apart(model_name(a), model_name(b)), [first], [second], None, level)


def _compared(
    metric: str,
    names: tuple[str, str],
    a: list[Predictions],
    b: list[Predictions],
    folds: int | None,
    level: float,
    note: str = "",
) -> Comparison:
    m = _known(metric)
    for p in (a[0], b[0]):
        if m.unavailable(p):
            raise ValueError(f"{metric} cannot be compared: {m.unavailable(p)}.")
    difference, se = m.difference(a, b, folds, level)
    p = a[0]
    each = [
        m.crossed(x, folds, level) if folds is not None else estimate(metric, x[0], level) for x in (a, b)
    ]
    chance = _confidence(difference, se, p.counted().units - 1.0, m.greater_is_better)
    return Comparison(
        metric, names, each[0], each[1], with_note(difference, note), chance, m.greater_is_better
    )


def _about(c: Comparison, plan: Plan, p: Predictions) -> Comparison:
    """Return the comparison with the number of rows that these folds train on, and classes they never saw."""
    grouped = "new groups" in c.difference.target

    def told(e: Estimate, what: str, who: str) -> Estimate:
        return replace(e, target=scored_target(plan.n_train, plan.n, grouped, what=what, who=who))

    def seen(e: Estimate) -> Estimate:
        return with_note(e, unseen_class(_known(c.metric), e, p, plan))

    return replace(
        c,
        a=told(seen(c.a), "score", "this algorithm"),
        b=told(seen(c.b), "score", "this algorithm"),
        difference=told(c.difference, "difference", "each algorithm"),
        rows=(plan.n_train, plan.n),
    )


def _known(metric: str) -> Metric:
    """Return our metric of that name; foreign scorers have no row losses to pair."""
    if metric not in METRICS:
        raise ValueError(f"metric {metric!r} is unknown here; choose from {', '.join(METRICS)}.")
    return METRICS[metric]


def _confidence(d: Estimate, se: float, df: float, greater_is_better: bool) -> float | None:
    """``T_df(difference/se)`` in the direction of "a is better"; None when there is no interval."""
    if d.low is None or not se > 0.0:
        return None
    return float(special.stdtr(df, (d.value if greater_is_better else -d.value) / se))


def _chance(p: float) -> str:
    """Return a confidence in words that claim no more than a t distribution can."""
    return "over 0.999" if p > 0.999 else "under 0.001" if p < 0.001 else f"{p:.3f}"


def default_metric(a: Any, b: Any) -> str:
    """Return what two models are compared by when nobody says.

    The log-loss; the Brier score where the kind of one of them may answer with probability 0; accuracy
    without probabilities; the squared error of numbers.
    """
    if not is_classifier(a):
        return "mse"
    known = hasattr(a, "predict_proba") and hasattr(b, "predict_proba")
    return probability_metric(a, b) if known else "accuracy"


def _apart(first: str, second: str) -> tuple[str, str]:
    """Return the names of two models, told apart where they are the same."""
    return (first, second) if first != second else (f"{first} (a)", f"{second} (b)")
