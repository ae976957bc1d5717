"""Which of two models is better: paired differences with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer_names

from empirisk.data.frames import like_input
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.compare_many import candidates_of, compare_many, with_baseline
from empirisk.evaluation.cross import CrossEvaluation, run, unseen_class
from empirisk.evaluation.evaluate import Metrics, estimate, known, with_rows
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import scored_target
from empirisk.evaluation.metrics import Metric, Predictions, find_metric
from empirisk.evaluation.metrics.base import whose
from empirisk.evaluation.metrics.predictions import labels_of
from empirisk.evaluation.metrics.row_loss import with_note
from empirisk.evaluation.outputs import model_name, outputs_of
from empirisk.evaluation.proba_kinds import probability_metric
from empirisk.evaluation.quantile_kinds import quantile_metrics, quantile_of
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate
from empirisk.results.estimate import check_level


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
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

    @property
    def title(self) -> str:
        """The result in words, as `sentence`."""
        return self.sentence

    def _rows(self) -> tuple[list[str], list[Estimate]]:
        first, second = self.names
        return [first, second, f"{first} minus {second}"], [self.a, self.b, self.difference]

    def _shown(self) -> dict[str, list[Any]]:
        names, estimates = self._rows()
        return {"model": names, self.metric: list(estimates)}

    def _columns(self) -> dict[str, list[Any]]:
        names, estimates = self._rows()
        chance = None if self.probability_a_better is None else 1.0 - self.probability_a_better
        return {
            "metric": [self.metric] * 3,
            "model": names,
            **estimate_columns(estimates),
            "probability_better": [self.probability_a_better, chance, None],
        }

    def _notes(self) -> list[str]:
        d, told = self.difference, []
        if self.probability_a_better is not None:
            told = [f"Confidence that {self.names[0]} is better: {_chance(self.probability_a_better)}"]
        return [*told, f"{100 * d.level:g} %, n = {d.n}, {d.method}" + (f" ({d.reason})" if d.reason else "")]

    def plot(self, ax: Any = None) -> Any:
        """Draw the paired difference with its interval, and a line at 0.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import EffectsDisplay

        names, estimates = self._rows()
        rows = [{"label": names[2], "value": estimates[2].to_dict()}]
        return EffectsDisplay(rows, f"difference of {self.metric}", self.difference.level).plot(ax)


@like_input
def compare(
    a: Any,
    b: Any = None,
    X: Any = None,
    y: ArrayLike | None = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    metric: Metrics | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    *,
    repeats: int | None = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    baseline: Any = None,
    positive: Any = None,
) -> Any:
    """Cross-validate two algorithms, or any number, on the same folds; paired differences with intervals.

    ``compare(a, b, X, y)`` gives the paired difference of two models. ``compare(models, X, y)`` with a list
    or a mapping of names to models gives a table of all: scores, differences to the best and to a baseline
    with simultaneous intervals, and the probability of being best.

    The difference is that of the models fitted here, each on n(K-1)/K of the n rows; the sentence names that
    number, and says when the learning curves may cross before n.

    Parameters
    ----------
    a, b : estimators or Candidates
        Both classifiers or both regressors; they are cloned. A :class:`empirisk.selection.Candidate` holds no
        values or one, and is called by its name. With a list or mapping of models in the place of `a` there
        is no `b`: the rows follow.
    X, y
        Rows and targets, or a :class:`empirisk.selection.Sample` of both.
    cv, groups, level, random_state
        As in :func:`cross_evaluate`.
    metric : name, metric, scorer, or list of them, optional
        As `metrics` of :func:`evaluate`; by default log_loss (brier_score where one of the models is of a
        kind that may answer with probability 0, such as trees and forests; accuracy where a model gives no
        probabilities) or mse. What is no single name of :data:`empirisk.selection.METRICS` gives the table.
    repeats : int, optional
        3 below 200 rows, 2 above (more make the interval of a difference too wide).
    sample_weight, exposure, offset : array of shape (n,), optional
        As in :func:`cross_evaluate`.
    baseline : name, estimator or False, optional
        What a table compares with besides the best: the name of one of the models, or another model. By
        default a constant prediction (the shares of the classes, the mean), unless one of the models is one;
        none where rows have an exposure or offset, which a constant cannot take.
    positive : label, optional
        As in :func:`evaluate`: the class that metrics of one class are about.

    Returns
    -------
    Comparison or ModelComparison
        The pair view of two models by one of our metrics, else the table.

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
    >>> table = compare([LinearRegression(), DummyRegressor()], X, y, random_state=0)
    >>> table.names[table["mse"].best], table.baseline
    ('LinearRegression', 'DummyRegressor')
    """
    several = isinstance(a, list | tuple | Mapping)
    if several:
        X, y = _rows_after_models(b, X, y)
        models = candidates_of(a)
    else:
        models = candidates_of([a, b])
    if metric is None:
        metric = default_metric(*(c.model for c in models.values()))
    pair = not several and baseline is None and (isinstance(metric, str) or find_metric(metric) is not None)
    if pair:
        _known(metric)
    rows = {"weights": sample_weight, "exposure": exposure, "offset": offset}
    sample = Sample.of(next(iter(models.values())).model, X, y, groups, **rows)
    if sample.repeated(cv) and repeats is None:
        repeats = 3 if sample.n < 200 else 2
    plan = sample.plan(cv, repeats, random_state)
    if pair:
        first, second = (run(c, sample, plan, metric, level, positive=positive) for c in models.values())
        return compare_cross(first, second, _name(metric), level, names=_names(models))
    models, base = with_baseline(models, baseline, sample)
    found = {name: run(c, sample, plan, metric, level, positive=positive) for name, c in models.items()}
    return compare_many(found, base, level)


def _rows_after_models(b: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return the rows and targets of ``compare(models, X, y)``, which the signature calls b and X."""
    if b is None:
        return X, y
    if X is not None and y is not None:
        raise TypeError("after a list of models come X and y; give cv, groups and the others by name.")
    return b, X if y is None else y


def _names(models: Mapping[str, Candidate]) -> tuple[str, str]:
    """Return the names of two models."""
    first, second = models
    return first, second


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
    m, plan = _known(metric, a), a.plan
    if not (a.out_of_fold and b.out_of_fold):
        if len(plan.splits) == 1:
            one = _compared(m, metric, names, list(a.held_out), list(b.held_out), None, level, plan.note)
            return replace(one, rows=(plan.n_train, plan.n))
        scores = a.fold_scores(metric) - b.fold_scores(metric)
        target = scored_target(plan.n_train, plan.n, what="difference", who="each algorithm")
        d = nadeau_bengio(scores, plan.test_over_train, plan.n_scored, level, target=target)
        d = with_note(d, plan.note)
        se = math.sqrt(float(scores.var(ddof=1)) * (1.0 / scores.size + plan.test_over_train))
        chance = _confidence(d, se, scores.size - 1, m.greater_is_better)
        rows = (plan.n_train, plan.n)
        return Comparison(metric, names, a[metric], b[metric], d, chance, m.greater_is_better, rows)
    found = _compared(m, metric, names, list(a.out_of_fold), list(b.out_of_fold), plan.folds, level)
    return _about(found, m, plan, a.out_of_fold[0])


@like_input
def compare_fitted(
    a: Any,
    b: Any,
    X: Any,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    metric: str | Metric | None = None,
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
    metric : str or metric, optional
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
    chosen = default_metric(a, b) if metric is None else metric
    X, labels, held = with_rows(X, labels_of(y, "y"), groups, sample_weight, exposure, offset)
    groups, weights = held.pop("groups", None), held.pop("sample_weight", None)
    first, second = (outputs_of(m, X, **held).against(labels, groups, weights) for m in (a, b))
    return _compared(
        _known(chosen), _name(chosen), _apart(model_name(a), model_name(b)), [first], [second], None, level
    )


def _compared(
    m: Metric,
    metric: str,
    names: tuple[str, str],
    a: list[Predictions],
    b: list[Predictions],
    folds: int | None,
    level: float,
    note: str = "",
) -> Comparison:
    for p in (a[0], b[0]):
        if m.unavailable(p):
            raise ValueError(f"{metric} cannot be compared: {m.unavailable(p)}.")
    difference, se = m.difference(a, b, folds, level)
    p = a[0]
    each = [m.crossed(x, folds, level) if folds is not None else estimate(m, x[0], level) for x in (a, b)]
    chance = _confidence(difference, se, p.counted().units - 1.0, m.greater_is_better)
    return Comparison(
        metric, names, each[0], each[1], with_note(difference, note), chance, m.greater_is_better
    )


def _about(c: Comparison, m: Metric, plan: Plan, p: Predictions) -> Comparison:
    """Return the comparison with the number of rows that these folds train on, and classes they never saw."""
    grouped = "new groups" in c.difference.target

    def told(e: Estimate, what: str, who: str) -> Estimate:
        target = scored_target(plan.n_train, plan.n, grouped, what=what, who=who)
        return replace(e, target=target + whose(m, p))

    def seen(e: Estimate) -> Estimate:
        return with_note(e, unseen_class(m, e, p, plan))

    return replace(
        c,
        a=told(seen(c.a), "score", "this algorithm"),
        b=told(seen(c.b), "score", "this algorithm"),
        difference=told(c.difference, "difference", "each algorithm"),
        rows=(plan.n_train, plan.n),
    )


def _name(metric: Any) -> str:
    """Return the name under which results hold a metric of ours."""
    return metric if isinstance(metric, str) else _known(metric).name


def _known(metric: Any, by: CrossEvaluation | None = None) -> Metric:
    """Return our metric of that name; foreign scorers have no row losses to pair."""
    found = metric if by is None else by.metrics.get(metric, metric)
    if find_metric(found) is None and (callable(found) or found in get_scorer_names()):
        raise ValueError(
            f"metric {getattr(found, '__name__', found)!r} has no value for each row to "
            "pair two models by; write compare([a, b], ...), whose table takes any scorer"
        )
    return known(found)


def _confidence(d: Estimate, se: float, df: float, greater_is_better: bool) -> float | None:
    """``T_df(difference/se)`` in the direction of "a is better"; None when there is no interval."""
    if d.low is None or not se > 0.0:
        return None
    return float(special.stdtr(df, (d.value if greater_is_better else -d.value) / se))


def _chance(p: float) -> str:
    """Return a confidence in words that claim no more than a t distribution can."""
    return "over 0.999" if p > 0.999 else "under 0.001" if p < 0.001 else f"{p:.3f}"


def default_metric(*models: Any) -> str | Metric:
    """Return what models are compared by when nobody says.

    The log-loss; the Brier score where the kind of one of them may answer with probability 0; accuracy
    without probabilities; the squared error of numbers; the pinball loss of models of one quantile.
    """
    if not is_classifier(models[0]):
        quantiles = {quantile_of(m) for m in models}
        q = quantiles.pop() if len(quantiles) == 1 else None
        return "mse" if q is None else quantile_metrics(q)[0]
    told = all(hasattr(m, "predict_proba") for m in models)
    return probability_metric(*models) if told else "accuracy"


def _apart(first: str, second: str) -> tuple[str, str]:
    """Return the names of two models, told apart where they are the same."""
    return (first, second) if first != second else (f"{first} (a)", f"{second} (b)")
