"""Prediction intervals and sets of classes for any model, with a stated coverage: `er.conformalize`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.seeds import check_seed
from empirisk.data.sparse_cells import canonical
from empirisk.evaluation.conformal.claims import Claim
from empirisk.evaluation.conformal.conditions import (
    categories,
    codes_in,
    found_again,
    quoted,
    ratios,
    row_weights,
)
from empirisk.evaluation.conformal.ends import Calibrated
from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.fold_parts import classifies, fit_parts, one_part
from empirisk.evaluation.conformal.predictor import ConformalPredictor
from empirisk.evaluation.conformal.scores import REGISTRY, ConformalScore
from empirisk.evaluation.conformal.shares import row_shares
from empirisk.evaluation.intervals.base import group_codes
from empirisk.evaluation.metrics.predictions import (
    CLASSIFICATION,
    REGRESSION,
    check_length,
    classes_of,
    encode,
    finite,
    labels_of,
)
from empirisk.evaluation.outputs import n_rows
from empirisk.evaluation.rows import take_rows
from empirisk.results.estimate import check_level

__all__ = ["conformalize"]


@like_input
def conformalize(
    model: Any,
    X_cal: Any,
    y_cal: ArrayLike,
    *,
    level: float = 0.9,
    score: str = "auto",
    spread: Any = None,
    cv: Any = None,
    by: Any = None,
    weights: Any = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    infinite: bool = False,
    random_state: Any = None,
    **rows: Any,
) -> ConformalPredictor:
    """Give a model intervals, or sets of classes, that cover new targets with probability `level`.

    ``{y : S(x, y) <= s_(k)}`` with the scores ``s_i = S(x_i, y_i)`` of n rows that the model has not
    seen, ``k = ceil((n + 1) level)``: the rank of a new score among n + 1 exchangeable ones is uniform,
    whatever the model.

    Parameters
    ----------
    model : estimator, or tuple of two or three of them
        Any regressor with ``predict``, classifier with ``predict_proba``, or pipeline; fitted where `cv` is
        None. A tuple holds regressors of one quantile each.
    X_cal : array, sparse matrix or data frame, shape (n, p)
        Rows that the model has not seen; with `cv` the rows that it is fitted on, too.
    y_cal : array, shape (n,)
        Their targets: numbers or labels of any kind.
    level : float, default 0.9
        Coverage, strictly between 0 and 1; every question may name another.
    score : {"auto", "absolute", "normalized", "quantile", "lac", "aps"}, default "auto"
        ``"absolute"``: ``|y - f(x)|``, one width for all rows.  ``"normalized"``: that over `spread`.
        ``"quantile"``: the distance from the band of two fitted quantiles.  ``"lac"``: ``1 - p_y(x)``, the
        smallest sets on average, some of them empty.  ``"aps"``: adaptive sets, larger where the classes are
        hard to tell apart, drawn by `random_state`.  ``"auto"``: quantile where the model gives several,
        normalized with a spread, lac for classifiers, else absolute.
    spread : regressor, callable, "predict_std" or None, default None
        Size of the residuals at x, > 0: a fitted regressor or function of X; with `cv` an unfitted regressor,
        fitted to the logarithms of the residuals of each fit; ``"predict_std"`` asks ``predict(X,
        return_std=True)``.
    cv : int, "leave-one-out", splitter or iterable of (train, test), optional
        Folds on which the unfitted model is fitted, each row being scored by the fit that has not seen it:
        CV+, and with one row or group a fold jackknife+.  Every row must be tested once.
    by : str, int, callable or array, shape (n,), optional
        Categories with a coverage of their own (Mondrian): a column of X, a function of X, or an entry for
        each row.
    weights : callable or array, shape (n,), optional
        How much likelier a row is among new rows than here (any factor), where their law of x differs and
        that of y given x does not.
    groups : array, shape (n,), optional
        Which rows belong together: folds keep them whole, each group counts once, and the guarantee is about
        a row of a new group.
    sample_weight : array, shape (n,), optional
        For the fits of the folds; scores count once.
    infinite : bool, default False
        Whether rows that are too few for the level give endless intervals and full sets, in place of an
        error.
    random_state : int, Generator, RandomState or None, default None
        Of the folds and of adaptive sets; None is 0.
    **rows
        What ``predict`` takes of the calibration rows beside X, such as `exposure`; with `cv` only that.

    Returns
    -------
    ConformalPredictor
        ``.predict(X)``, ``.interval(X)`` or ``.sets(X)`` (tables), ``.coverage(X, y)``, ``.guarantee()``.

    Raises
    ------
    ValueError
        Too few rows for the level, missing targets, labels that the model never saw, folds that do not test
        every row once.
    TypeError
        A classifier without probabilities, a model without ``predict``.
    NotFittedError
        An unfitted model without `cv`.

    Notes
    -----
    Split (`cv` None): ``level <= P(covered) <= level + 1/(n + 1)``, the second without ties, over
    calibration sets and new rows; not for each x.  Jackknife+: ``P(covered) >= 2 level - 1``, about `level`
    in practice; CV+ with K folds loses ``min(2 (1 - 1/K)/(n/K + 1), (1 - K/n)/(K + 1))`` more at most.  With
    `by` within each category. ``guarantee()`` says it with its numbers.  No theorem holds for rows that the
    model was fitted on.  Cost: one prediction and a sort; with K folds K + 1 fits, and O(m n) for m new rows.

    References
    ----------
    Vovk, Gammerman, Shafer 2005, Algorithmic learning in a random world; Lei et al. 2018, JASA 113 (split,
    normalized); Romano, Patterson, Candes 2019, NeurIPS 32 (quantile); Romano, Sesia, Candes 2020, NeurIPS
    33 (aps); Sadinle, Lei, Wasserman 2019, JASA 114 (lac); Barber, Candes, Ramdas, Tibshirani 2021, Annals
    of Statistics 49 (jackknife+, CV+); Tibshirani, Barber, Candes, Ramdas 2019, NeurIPS 32 (weights).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = X[:, 0] + rng.normal(size=500)
    >>> fitted = er.Ridge().fit(X[:200], y[:200])
    >>> model = er.conformalize(fitted, X[200:400], y[200:400])
    >>> model.interval([[0.0, 0.0], [2.0, 0.0]]).high.round(1)
    array([1.8, 3.9])
    >>> bool(model.coverage(X[400:], y[400:]).low < 0.9)
    True
    """
    check_level(level)
    of_classes = _check_models(model)
    X_cal, labels = canonical(X_cal), labels_of(y_cal, "y_cal")
    check_length("X_cal", n_rows(X_cal), labels.size)
    if not of_classes:
        labels = finite(labels, "y_cal")
    seed = check_seed(random_state)
    tied = None if groups is None else group_codes(groups, labels.size)[0]
    if cv is None:
        _check_split(spread, sample_weight, weights, tied)
        made = one_part(model, spread, of_classes)
    else:
        if weights is not None:
            raise ValueError(
                "weights goes with a fitted model, no theorem is known here for folds: leave cv out."
            )
        made = fit_parts(model, spread, X_cal, labels, tied, sample_weight, rows, cv, seed)
    kind = _kind(score, of_classes, made.whole, spread, X_cal, rows)
    targets = _codes(labels, made.whole) if of_classes else labels
    scores, fold = made.scored(kind, X_cal, targets, row_shares(X_cal, seed) if of_classes else None, rows)
    known, codes = None, np.zeros(labels.size, dtype=np.intp)
    if by is not None:
        told = categories(by, X_cal, None if found_again(by) else by)
        known = classes_of(told)
        codes = codes_in(told, known)
    weight, effective = row_weights(tied, codes), 0.0
    if weights is not None:
        weight = ratios(weights, X_cal, None if callable(weights) else weights)
        if not weight.any():
            raise ValueError("weights is 0 in all calibration rows, which then say nothing about new rows.")
        effective = float(weight.sum()) ** 2 / float((weight**2).sum())
    claim = Claim(
        labels.size,
        len(made.parts),
        0 if tied is None else int(tied.max()) + 1,
        0 if known is None else len(known),
        effective,
    )
    predictor = ConformalPredictor(
        kind, made.whole, made.parts, Calibrated(scores, fold, weight), codes, claim, float(level), by,
        weights, known, bool(infinite), seed,
    )  # fmt: skip
    if not infinite and weights is None:
        for code in np.unique(codes):
            rows_of = predictor.rows if known is None else predictor.rows.part(codes == code)
            predictor.refuse_few(rows_of, level, 1.0, int(code))
    return predictor


def _check_models(model: Any) -> bool:
    """Return whether the model is a classifier; refuse what is no model."""
    several = isinstance(model, tuple)
    for one in model if several else (model,):
        if isinstance(one, type):
            raise TypeError(
                f"a model is wanted and the class {one.__name__} was given: write {one.__name__}()."
            )
        if not hasattr(one, "predict"):
            raise TypeError(f"a model is wanted and {type(one).__name__} has no predict method.")
    if several and not 2 <= len(model) <= 3:
        raise ValueError(f"a tuple of models is (low, high) or (low, middle, high), got {len(model)}.")
    if not several:
        return classifies(model)
    if any(classifies(one) for one in model):
        raise TypeError("a tuple of models holds regressors of quantiles, and one of them is a classifier.")
    return False


def _check_split(spread: Any, sample_weight: Any, weights: Any, tied: Any) -> None:
    """Refuse what a fitted model has no use for."""
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is for fits, and without cv the model is fitted already; how much likelier rows "
            "are among new rows than here is `weights`."
        )
    if weights is not None and tied is not None:
        raise ValueError("give weights or groups: no theorem is known here for both.")


def _kind(score: str, of_classes: bool, whole: Fitted, spread: Any, X: Any, rows: Any) -> ConformalScore:
    """Return the score by its name, or the one that suits the model."""
    task = CLASSIFICATION if of_classes else REGRESSION
    known = [name for name, kind in REGISTRY.items() if kind.task == task]
    if score != "auto" and score not in REGISTRY:
        raise ValueError(f'score must be "auto" or one of {", ".join(REGISTRY)}, got {score!r}.')
    if score != "auto" and score not in known:
        raise ValueError(
            f"score = {score!r} is not for {task}, which is what {whole.name} does: {', '.join(known)}."
        )
    if (spread is not None and score not in ("auto", "normalized")) or (spread is not None and of_classes):
        raise ValueError('spread is the unit of score="normalized" and has no use here; leave it out.')
    if score == "auto":
        score = "lac" if of_classes else "normalized" if spread is not None else "absolute"
        if not of_classes and spread is None:
            few = np.arange(min(2, n_rows(X)))
            told = whole.predicted(take_rows(X, few), **{k: np.asarray(v)[few] for k, v in rows.items()})
            score = "quantile" if told.ndim == 2 and told.shape[1] > 1 else score
    return REGISTRY[score]()


def _codes(labels: Any, whole: Fitted) -> Any:
    """Return the position of each label among the classes; refuse one that the model never saw."""
    classes = np.asarray(whole.classes)
    codes = encode(labels, classes)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"y_cal is {quoted(labels[row])} in row {row}, a class that {whole.name} never saw (it knows "
            f"{', '.join(map(str, classes[:8]))}); fit on rows of all classes, or leave those rows out and "
            "say so."
        )
    return codes
