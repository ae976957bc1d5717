"""The function that cross-validates one algorithm, on folds or leaving out one row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.estimators.several_targets import target_columns
from empirisk.evaluation.candidate import Candidate, one_model
from empirisk.evaluation.cross import run
from empirisk.evaluation.cross_targets import cross_targets
from empirisk.evaluation.evaluate import Metrics, named
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.loo.folds import cross_loo
from empirisk.evaluation.sample import Sample
from empirisk.results.estimate import check_level

__all__ = ["cross_evaluate"]


@like_input
def cross_evaluate(
    est: Any,
    X: Any,
    y: ArrayLike | None = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    metrics: Metrics | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    *,
    repeats: int | None = None,
    progress: Progress | None = None,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Any:
    """Score an algorithm by repeated K-fold cross-validation, with an interval for each metric.

    The scores are those of the models fitted here, each on n(K-1)/K of the n rows: a fit on all n rows is not
    scored, and one that still learns is better.

    Parameters
    ----------
    est : estimator or Candidate
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline; or a
        :class:`empirisk.selection.Candidate` without values or with one, whose name the title then tells.
    X : array, sparse matrix or data frame of shape (n, p), or Sample
        Rows; a :class:`empirisk.selection.Sample` holds the targets, and what ties rows together, as well.
    y : array of shape (n,), optional
        Targets; left out where `X` is a sample. Of several targets, shape (n, k), each is scored by itself on
        folds of its own, and the names begin with the target's (``"b: r2"``); models that fit all targets
        together do so in every fold.
    cv : None, int, splitter, iterable of (train, test) or "loo", optional
        Number of folds (5 by default, stratified for classes), a scikit-learn splitter, splits of row
        numbers, or leave-one-out (without refits where that is exact, see
        :func:`empirisk.selection.leave_one_out`). What a choice costs is said in `reason`.
    groups : array of shape (n,), optional
        Which rows belong together; folds then hold whole groups.
    metrics : name, scorer, list or mapping, optional
        As in :func:`evaluate`. Foreign scorers get the corrected resampled t over split scores.
    level : float in (0, 1), default 0.95
        Nominal coverage.
    random_state : int, Generator or None
        Seed of the folds.
    repeats : int, optional
        5 up to 1000 rows and with groups, 2 above.
    progress : callable or bool, optional
        Called with (fits done, fits in all); True counts on the error stream.
    positive : label, optional
        As in :func:`evaluate`: the class that metrics of one class are about.
    sample_weight : array of shape (n,), optional
        What each row counts in the fits and, as in :func:`evaluate`, in the scores.
    exposure, offset : array of shape (n,), optional
        Exposures, or known parts of the scores, of the rows: fits and predictions get those of their rows.

    Returns
    -------
    CrossEvaluation
        Estimates by name; also ``.losses(metric)``, ``.fold_scores(metric)``, ``.out_of_fold``. Of several
        targets an Evaluation: ask one column at a time for losses and folds.

    Raises
    ------
    ValueError
        Sizes that disagree, missing targets, weights below 0, a candidate with several values, splits that
        train on their test rows or tear groups apart.

    Notes
    -----
    The estimand is the mean score, on new rows, of the models that were scored, each trained on n(K-1)/K
    rows; `target` says how many. A fit on all n rows is another model: where it still learns, its score
    lies outside the interval in up to half of the samples (least squares with n/4 columns, nearest
    neighbours, unpruned trees); :func:`empirisk.selection.learning_curve` shows whether it does.
    :func:`evaluate` on rows kept apart scores the one model that will be used. Cost: folds x repeats fits.

    References
    ----------
    Bayle, Bayle, Janson & Mackey 2020 (arXiv 2007.12671) on this estimand.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> ev = cross_evaluate(LinearRegression(), X, y, random_state=0)
    >>> ev["mse"].low < 1.0 < ev["mse"].high
    True
    >>> ev.losses("mse").shape, ev["mse"].target.split(", ")[-1]
    ((5, 100), 'which this algorithm trained on 80 of these 100 rows')
    """
    check_level(level)
    candidate = one_model(est)
    columns = None if isinstance(X, Sample) else target_columns(y)
    if columns is not None:
        more: dict[str, Any] = {"repeats": repeats, "progress": progress, "positive": positive}
        more |= {"sample_weight": sample_weight, "exposure": exposure, "offset": offset}

        def one(recipe: Candidate, column: Any) -> Evaluation:
            found: Evaluation = cross_evaluate(
                recipe, X, column, cv, groups, metrics, level, random_state, **more
            )
            return found

        return cross_targets(candidate, y, columns, one)
    sample = Sample.of(candidate.model, X, y, groups, weights=sample_weight, exposure=exposure, offset=offset)
    if isinstance(cv, str):
        if cv != "loo" or repeats not in (None, 1):
            raise ValueError(f"cv must be a number of folds, a splitter, splits, or 'loo' once; got {cv!r}.")
        wanted = named(metrics, sample.like, candidate.model, positive)
        return cross_loo(candidate, sample, wanted, level, progress)
    plan = sample.plan(cv, repeats, random_state)
    return run(candidate, sample, plan, metrics, level, progress, positive=positive)
