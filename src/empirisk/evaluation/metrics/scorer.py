"""Any scikit-learn scorer: delete-a-block jackknife, Wilson with an effective n when its range is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from empirisk.evaluation.beside import takes
from empirisk.evaluation.intervals.base import MODEL, MODEL_GROUPS, Floats, accept, refuse, too_few
from empirisk.evaluation.intervals.effective import effective_wilson
from empirisk.evaluation.intervals.student import student_limits
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.evaluation.metrics.score import few_units
from empirisk.results import Estimate

Scorer = Callable[[Any, Any, Any], float]
Take = Callable[[NDArray[np.intp]], tuple[Any, Any, Any]]

MIN_ROWS = 100
MIN_CLASS = 10
BLOCKS = 200  # left out one by one, where stored predictions can be scored again
BLOCKS_SLOW = 50  # where the model has to predict again

UNIT = {
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "ndcg_score",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "top_k_accuracy_score",
}
CORRELATION = {"matthews_corrcoef", "cohen_kappa_score"}


@dataclass(frozen=True)
class LastClass:
    """A scorer about the last of two classes (``classes_[-1]``), whatever their labels; scikit-learn wants 1.

    Parameters
    ----------
    scorer : callable
        scikit-learn's, whose function takes ``pos_label`` and was given none.
    positive : label, optional
        The class that it is about in place of the last one, also where there are more than two.
    """

    scorer: Any
    positive: Any = None

    @property
    def _score_func(self) -> Any:
        return self.scorer._score_func

    @property
    def _sign(self) -> int:
        return int(self.scorer._sign)

    def __call__(self, est: Any, X: Any, y: Any, **weights: Any) -> float:
        about = self.about(getattr(est, "classes_", None))
        if about is None:
            return float(self.scorer(est, X, y, **weights))
        told = copy(self.scorer)
        told._kwargs = {**self.scorer._kwargs, "pos_label": about}
        return float(told(est, X, y, **weights))

    def about(self, classes: Any) -> Any:
        """Return the class that the score is about; None where it is about all of several classes."""
        if self.positive is not None or classes is None or len(classes) != 2:
            return self.positive
        return classes[-1]


@dataclass(frozen=True)
class OfPredictions:
    """A user's function ``metric(y, prediction)`` as a scorer; larger values count as better.

    Parameters
    ----------
    function : callable
        Targets and predictions to a number.
    """

    function: Callable[[Any, Any], float]

    def __call__(self, est: Any, X: Any, y: Any, **weights: Any) -> float:
        return one_number(self.function, self.function(y, est.predict(X), **weights))


def find_scorer(metric: Any) -> tuple[str, Scorer]:
    """Return a scorer and its name, from a scikit-learn name, a callable ``scorer(est, X, y)`` or a function
    ``metric(y, prediction)``. A scorer of one class is about the last of two.
    """
    name, found = _named_scorer(metric)
    if isinstance(found, LastClass):
        return name, found
    function = getattr(found, "_score_func", None)
    if function is None:
        return name, OfPredictions(found) if _takes_two(found) else found
    takes = "pos_label" in _parameters(function) and "pos_label" not in getattr(found, "_kwargs", {})
    return name, LastClass(found) if takes else found


def _named_scorer(metric: Any) -> tuple[str, Any]:
    if isinstance(metric, str):
        try:
            return metric, get_scorer(metric)
        except (ValueError, KeyError):
            known = [*import_module("empirisk.evaluation.metrics").METRICS, *get_scorer_names()]
            near = get_close_matches(metric, known, 1)
            meant = f"did you mean {near[0]!r}? All names: " if near else "see "
            raise ValueError(
                f"metric {metric!r} is neither one of ours nor a scikit-learn scorer; {meant}"
                "empirisk.selection.METRICS and sklearn.metrics.get_scorer_names()."
            ) from None
    if not callable(metric):
        raise TypeError(
            "a metric must be a name, one of our metrics, or a callable scorer(est, X, y) or "
            f"metric(y, prediction); got {type(metric).__name__}."
        )
    inner = getattr(metric, "_score_func", metric)
    return str(getattr(inner, "__name__", type(inner).__name__)), metric


def _parameters(function: Any) -> Mapping[str, Parameter]:
    """Return the parameters of a function; none where it does not tell them."""
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _takes_two(function: Any) -> bool:
    """Return whether a function needs exactly two arguments, targets and predictions."""
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    parameters = _parameters(function).values()
    needed = [q for q in parameters if q.default is Parameter.empty and q.kind in by_place]
    return len(needed) == 2 and not any(q.kind is Parameter.VAR_POSITIONAL for q in parameters)


class _Told:
    """Stands in for a fitted estimator: its ``predict`` knows the exposures and offsets of the rows."""

    def __init__(self, est: Any, known: Mapping[str, Any]) -> None:
        self._est, self._known = est, known

    def predict(self, X: Any) -> Any:
        """Return what the estimator predicts with them."""
        return self._est.predict(X, **self._known)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._est, name)


def ask(
    scorer: Scorer,
    est: Any,
    X: Any,
    y: Any,
    weights: Floats | None = None,
    known: Mapping[str, Any] | None = None,
) -> float:
    """Return the score of an estimator by a scorer, which is told the weights of the rows where they have
    any.

    Parameters
    ----------
    scorer : callable
        ``scorer(est, X, y)``, with a `sample_weight` where there are weights.
    est, X, y
        Fitted estimator, rows and targets.
    weights : array of shape (n,), optional
        What each row counts.
    known : mapping, optional
        The exposures and offsets of the rows, which the predictions use.

    Raises
    ------
    TypeError
        Rows have weights, and the scorer takes none.
    """
    told: dict[str, Any] = {}
    if weights is not None:
        function: Any = getattr(scorer, "_score_func", getattr(scorer, "function", scorer))
        if not (takes(scorer, "sample_weight") and takes(function, "sample_weight")):
            raise TypeError(
                f"the metric {getattr(function, '__name__', repr(function))} takes no sample_weight, which "
                "these rows have: leave it out, choose another metric, or give the function that parameter."
            )
        told["sample_weight"] = weights
    return one_number(scorer, scorer(_Told(est, known) if known else est, X, y, **told))


def one_number(metric: Any, found: Any) -> float:
    """Return what a metric answered as a float; refuses what is not one number, such as one for each row.

    Examples
    --------
    >>> one_number(max, 2)
    2.0
    """
    value = np.asarray(found)
    if value.size == 1 and value.dtype.kind in "biuf":
        return float(value.reshape(()))
    what = f"an array of shape {value.shape}" if value.ndim else repr(found)
    name = getattr(metric, "__name__", type(metric).__name__)
    raise TypeError(
        f"the metric {name} returned {what}; it must return one number, such as a mean over rows."
    )


class _Replay(BaseEstimator):
    """Stands in for a fitted estimator: its "X" is a column of row numbers, its answers are stored."""

    def __init__(self, p: Predictions) -> None:
        self._p = p
        if p.classes is not None:
            self.classes_ = p.classes
        if p.proba is not None:
            self.predict_proba = lambda rows: p.output("proba")[rows[:, 0]]
        if p.score is not None:
            self.decision_function = lambda rows: p.output("score")[rows[:, 0]]

    def predict(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        codes = self._p.output("pred")[rows[:, 0]]
        return codes if self._p.classes is None else self._p.classes[codes]

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _ReplayClassifier(ClassifierMixin, _Replay):
    pass


class _ReplayRegressor(RegressorMixin, _Replay):
    pass


def blocks_of(p: Predictions, limit: int) -> NDArray[np.intp]:
    """Return which block each row is deleted with: rows (or whole groups) at random into at most `limit`
    blocks.
    """
    units = p.groups if p.groups is not None else np.arange(p.n)
    count = int(units.max()) + 1
    deal = np.random.default_rng(0).permutation(count) % min(limit, count)
    return deal[units]


def jackknife(score: Callable[[NDArray[np.intp]], float], blocks: NDArray[np.intp]) -> tuple[float, int]:
    """``(B-1)/B sum (s_(b) - mean)^2`` over deleted blocks, and B."""
    count = int(blocks.max()) + 1
    values: Floats = np.array([score(np.flatnonzero(blocks != b)) for b in range(count)], dtype=np.float64)
    return (count - 1) / count * float(np.sum((values - values.mean()) ** 2)), count


def scorer_interval(
    scorer: Scorer,
    est: Any,
    X: Any,
    y: NDArray[Any],
    take: Callable[[Any, NDArray[np.intp]], Any],
    p: Predictions,
    level: float,
    known: Mapping[str, Any] | None = None,
) -> Estimate:
    """Return the estimate of ``scorer(est, X, y)`` on held-out rows.

    The jackknife replays stored predictions; a scorer that looks at X itself gets the real rows (50 blocks).

    Parameters
    ----------
    scorer : callable
        ``scorer(est, X, y)``.
    est, X, y
        The fitted estimator, the rows and their targets (one-dimensional array of labels or numbers).
    take : callable
        ``take(X, rows)`` selects rows.
    p : Predictions
        The same predictions, checked.
    level : float
        Nominal coverage.
    known : mapping, optional
        The exposures and offsets of the rows.

    Notes
    -----
    Scores known to lie in [0, 1] (or [-1, 1]) get Wilson with an effective n, all others t. Groups are
    deleted whole. Cost: 200 calls on stored predictions.
    """
    target = MODEL if p.groups is None else MODEL_GROUPS
    if isinstance(scorer, LastClass) and scorer.about(p.classes) is not None:
        target = f"{target}; about the class {scorer.about(p.classes)}"
    y = np.array(y)  # a scorer that sorts its targets sorts its own
    known = known or {}

    def score(model: Any, rows: Any, r: NDArray[np.intp] | slice) -> float:
        """Return the score of some rows, with what they carry."""
        weights = None if p.weights is None else p.weights[r]
        beside = {} if model is not est else {k: v[r] for k, v in known.items()}
        return ask(scorer, model, rows, y[r].copy(), weights, beside)

    value = score(est, copy(X), slice(None))
    method = "block jackknife"
    reason = _refusal(value, p)
    if reason:
        return refuse(value, level, p.n, method, reason, target)
    replay = (_ReplayRegressor if p.classes is None else _ReplayClassifier)(p)
    stored = _try(lambda: score(replay, np.arange(p.n)[:, None], slice(None)))
    if math.isclose(stored, value, rel_tol=1e-9):
        variance, count = jackknife(lambda r: score(replay, r[:, None], r), blocks_of(p, BLOCKS))
    else:
        variance, count = jackknife(lambda r: score(est, take(X, r), r), blocks_of(p, BLOCKS_SLOW))
    name = str(getattr(getattr(scorer, "_score_func", None), "__name__", ""))
    sign = getattr(scorer, "_sign", 1)
    if sign == 1 and name in UNIT | CORRELATION:
        low = -1.0 if name in CORRELATION else 0.0
        return effective_wilson(value, variance, p.n, count - 1, level, low=low, target=target)
    if not variance > 1e-28 * value**2:
        return refuse(value, level, p.n, method, "leaving out any rows does not change the score", target)
    return accept(
        value, student_limits(value, variance, count - 1, level), level, p.n, f"t, {method}", target=target
    )


def _refusal(value: float, p: Predictions) -> str:
    if not math.isfinite(value):
        return "the scorer did not return a finite number on these rows"
    if p.n < MIN_ROWS:
        return too_few(p.n, MIN_ROWS)
    if p.classes is not None and int(p.class_counts.min()) < MIN_CLASS:
        return f"the smallest class has {int(p.class_counts.min())} rows; at least {MIN_CLASS} are needed"
    return few_units(p)


def _try(call: Callable[[], float]) -> float:
    """Return the value of `call`, NaN when it fails: a custom scorer may need what stored predictions
    lack.
    """
    try:
        return float(call())
    except Exception:
        return math.nan
