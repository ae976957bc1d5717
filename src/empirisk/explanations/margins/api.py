"""er.margins: average predictions, marginal effects and contrasts of a fitted model, with intervals.

Arel-Bundock, Greifer and Heiss, Journal of Statistical Software 111 (2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.frames import like_input
from empirisk.data.seeds import Seed
from empirisk.estimators.checks import check_count, check_number
from empirisk.estimators.formulas.formula_model import FormulaModel
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.offsets import took_offset
from empirisk.estimators.several_targets import refuse_several
from empirisk.explanations.margins.delta import LikelihoodMeans, LinearScores, linear_part
from empirisk.explanations.margins.plan import plan_of
from empirisk.explanations.margins.refits import Predictions, refitted
from empirisk.explanations.margins.result import Margins
from empirisk.explanations.margins.tables import RowTable, shares_by, weights_of
from empirisk.inference.covariance import check_covariance
from empirisk.inference.simultaneous import adjusted, check_adjust
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["margins"]

COMPARE = ("difference", "ratio")
METHODS = ("delta", "bootstrap")


@like_input
def margins(
    model: Any,
    X: Any,
    *,
    effects: Any = None,
    at: Any = None,
    by: Any = None,
    contrast: Any = None,
    compare: str = "difference",
    pairs: bool = False,
    step: float | None = None,
    level: float = 0.95,
    adjust: str | None = None,
    covariance: str = "classical",
    groups: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    training: Any = None,
    method: str | None = None,
    n_boot: int = 200,
    random_state: Seed = 0,
    **rows: Any,
) -> Margins:
    """``mean_i f(x_i)`` with columns set or moved: average predictions, effects and contrasts.

    Predictions f are means of regressions and probabilities of classes.  Without `effects` and `contrast` the
    result is the average prediction at each place of `at`.

    Parameters
    ----------
    model : fitted estimator
        Linear models (and pipelines that end in one) have standard errors by the delta method; all others,
        scikit-learn's too, by refits on resampled rows of `training`.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows to average over; they are taken as fixed.
    effects : str, int, list of them, or "all", optional
        Columns whose average marginal effects are wanted: the derivative for numbers, the difference of 1 and
        0 for flags, differences to the first level for words.
    at : mapping, or "mean", optional
        Values that columns are set to, ``{"age": [30, 50], "sex": "male"}``: all combinations, one after the
        other.  ``"mean"`` sets every column to its mean.  By default the rows stay as they are.
    by : str, int, array of shape (n,), or list of columns, optional
        Groups of rows that are averaged over one by one.
    contrast : str, int, list, or mapping, optional
        Columns whose values are compared, all other columns as they are: each value with the first,
        ``{"age": [30, 50]}``; values may be left out for words and flags.
    compare : {"difference", "ratio"}
        What contrasts are; a ratio is one of averages, its interval is made on the logarithm.
    pairs : bool, default False
        Whether every two values are compared, instead of each with the first.
    step : float, optional
        Effects as ``(f(x + step/2) - f(x - step/2)) / step``.  The default is the derivative where f has one,
        and one standard deviation for other models, whose derivative may be 0 everywhere.
    level : float, default 0.95
        Coverage of each interval, or of all together with `adjust`.
    adjust : {None, "simultaneous", "holm", "bonferroni"}
        How intervals and p-values hold for all rows of the table together; see
        :func:`empirisk.inference.simultaneous.adjusted`.
    covariance, groups, weights
        As in ``summary``, about the rows of the fit.  With the bootstrap `groups` are drawn whole.
    sample_weight : array, shape (n,), optional
        Weights of the rows of X in the averages.
    training : tuple or mapping, optional
        ``(X, y)``, ``(X, y, sample_weight)`` or ``{"X": X, "y": y, "exposure": e}`` of the fit; linear models
        keep theirs up to 32 MiB.
    method : {None, "delta", "bootstrap"}
        None takes the delta method where the model supports it.
    n_boot : int, default 200
        Refits of the bootstrap, at least 20.
    random_state : int, Generator, RandomState or None, default 0
        Of the resamples.
    **rows
        ``offset=`` and ``exposure=`` of the rows of X where the model had them: averages are then those of
        counts. Without them they are rates, of one unit of exposure, which a note says.

    Returns
    -------
    Margins

    Raises
    ------
    ValueError
        For unknown columns, rows that are no rows of the fit, and models without a covariance whose training
        rows are not given, with the reason.
    TypeError
        When the model is not fitted or has no predictions that can be averaged.

    Notes
    -----
    The delta method uses the gradient of the averages in the coefficients, ``sum_i w_i m'(z_i) x_i``;
    derivatives along a column are five-point differences, whose error is below 1e-9 of the effect for smooth
    links.  Cost: a pass over the rows for each place and value, four for each slope; times n_boot, and n_boot
    fits, for the bootstrap.

    References
    ----------
    V. Arel-Bundock, N. Greifer, A. Heiss, "How to interpret statistical models using marginaleffects for R
    and Python", Journal of Statistical Software 111 (2024).  R. Williams, "Using the margins command to
    estimate and interpret adjusted predictions and marginal effects", Stata Journal 12 (2012).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> treated, cured = np.repeat([0.0, 1.0], 100)[:, None], np.repeat([0, 1, 0, 1], [80, 20, 50, 50])
    >>> model = er.LogisticRegression(alpha=0).fit(treated, cured)
    >>> er.margins(model, treated, effects="all").value.round(4)
    array([0.3])
    >>> er.margins(model, treated, contrast="x0", compare="ratio").value.round(3)
    array([2.5])
    """
    check_level(level)
    check_adjust(adjust)
    check_covariance(covariance, groups if method != "bootstrap" else None, weights)
    _check_choices(effects, contrast, compare, step, method)
    check_count("n_boot", n_boot, 20)
    check_is_fitted(model)
    refuse_several(model, "er.margins")
    table = RowTable(X)
    if isinstance(model, FormulaModel) and isinstance(effects, str) and effects == "all":
        effects = [name for name in model.columns_.variables if name in table.names]
    weight = weights_of(sample_weight, table.n)
    labels, shares = shares_by(table, weight, by)
    given, known = _training(training), {name: v for name, v in rows.items() if v is not None}
    linear: LinearScores | LikelihoodMeans | None = None
    why = ""
    if method != "bootstrap":
        linear, why = _linear(model, given, covariance, groups, weights, known)
        if linear is None and (method == "delta" or not given):
            raise ValueError(
                f"{why}. For intervals by refits on resampled rows pass training=(X, y) of the fit"
            )
    plan = plan_of(
        table, weight, effects=effects, at=at, contrast=contrast, compare=compare, pairs=pairs, step=step,
        smooth=linear is not None,
    )  # fmt: skip
    ratio = contrast is not None and compare == "ratio"
    changed = [table.changed(changes) for changes in plan.tables]
    if linear is not None:
        found = [linear.averages(Z, shares) for Z in changed]
        outputs, note = linear.outputs, linear.note
        value, gradient = plan.combined([f[0] for f in found], ratio, [f[1] for f in found])
        V, df = gradient @ linear.matrix @ gradient.T, linear.degrees(gradient)
        how = "delta method"
    else:
        if not given:
            raise ValueError("the bootstrap refits the model: pass training=(X, y) of its fit")
        asked = Predictions(model, known)

        def answer(fitted: Any) -> Array:
            one = Predictions(fitted, known, asked.classes)
            return plan.combined([one.averages(Z, shares) for Z in changed], ratio)[0]

        value, outputs = answer(model), asked.outputs
        draws, failed = refitted(model, given, groups, n_boot, random_state, answer)
        V = np.atleast_2d(np.cov(draws, rowvar=False))
        df = np.full(len(value), np.inf)
        how, note = "bootstrap of refits", _about(len(draws), failed, groups, why)
    where = plan.where(labels, outputs)
    kind = _kind(effects, contrast, compare)
    unit = "the model was fitted with an exposure or offset: averages are those of one unit"
    unit = unit if took_offset(model) and not known else ""
    told = (note, unit, "The rows that are averaged over are taken as fixed")
    rest = (level, adjust, table.n, how, told)
    return _table(kind, where, value, V, df, ratio, rest)


def _check_choices(effects: Any, contrast: Any, compare: str, step: Any, method: Any) -> None:
    """Refuse words that are no choice, and choices that exclude each other."""
    if effects is not None and contrast is not None:
        raise ValueError("give effects or contrast: a table is about one of them")
    if compare not in COMPARE:
        raise ValueError(f"compare must be one of {COMPARE}, got {compare!r}")
    if compare == "ratio" and contrast is None:
        raise ValueError('compare="ratio" is about contrasts: give contrast= as well')
    if method is not None and method not in METHODS:
        raise ValueError(f"method must be None or one of {METHODS}, got {method!r}")
    if step is not None:
        check_number("step", step, 0.0, closed=False)


def _training(training: Any) -> dict[str, Any]:
    """Return the rows of the fit by the names of the parameters of ``fit``; empty when none are given."""
    if training is None:
        return {}
    names = ("X", "y", "sample_weight", "offset", "exposure")
    given = training if isinstance(training, Mapping) else dict(zip(names, tuple(training), strict=False))
    if "X" not in given or "y" not in given:
        raise ValueError("training must hold X and y of the fit: (X, y), or {'X': X, 'y': y}")
    return {name: value for name, value in given.items() if value is not None}


def _linear(
    model: Any, given: Any, covariance: str, groups: Any, weights: str | None, rows: Any
) -> tuple[LinearScores | LikelihoodMeans | None, str]:
    """Return the means of a model whose coefficients have a covariance, or None and the reason."""
    before, last = linear_part(model)
    if last is None:
        return None, f"{type(model).__name__} has no covariance matrix of coefficients"
    kind = LikelihoodMeans if isinstance(last, LikelihoodEstimator) else LinearScores
    try:
        return kind(before, last, given, covariance, groups, weights, rows), ""
    except ValueError as error:
        return None, str(error)


def _kind(effects: Any, contrast: Any, compare: str) -> str:
    if contrast is not None:
        return compare
    return "average prediction" if effects is None else "average effect"


def _about(done: int, failed: int, groups: Any, why: str) -> str:
    """Return what the standard errors of refits rest on."""
    unit = "rows" if groups is None else "groups"
    lost = f"; {failed} more refits failed" if failed else ""
    because = f"; {why}" if why and "coefficients" not in why else ""
    return (
        f"standard errors are the spread of {done} refits on resampled {unit}{lost}: they do not see a "
        f"bias of the model{because}"
    )


def _table(
    kind: str, where: dict[str, list[Any]], value: Array, V: Array, df: Array, ratio: bool, rest: Any
) -> Margins:
    """Return the result: intervals, tests, and ratios carried back from their logarithms."""
    level, adjust, n, how, notes = rest
    se = np.sqrt(np.maximum(np.diag(V), 0.0))
    tested = kind != "average prediction"
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0.0, value / se, np.nan)
    critical, p = adjusted(t, V, df, level, adjust)
    low, high = value - critical * se, value + critical * se
    if ratio:
        value, low, high = np.exp(value), np.exp(low), np.exp(high)
        se = se * value
    p = p if tested else np.full(len(value), np.nan)
    return Margins(kind, where, value, se, low, high, p, V, level, adjust, n, how, notes)
