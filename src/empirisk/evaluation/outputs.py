"""What a fitted estimator says about rows: labels, probabilities, ranking scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_expit, log_softmax, softmax
from sklearn.base import is_classifier

from empirisk.evaluation.beside import to_predict
from empirisk.evaluation.metrics.predictions import Predictions, classification, encode, regression

LINK = 1e-5  # how far a probability may be from the link of its score: rounding of single precision
LEAST = 5e-324  # the smallest double


@dataclass(frozen=True)
class Outputs:
    """Predictions of one fitted estimator on some rows, before they meet the targets."""

    pred: NDArray[Any]
    proba: NDArray[Any] | None = None
    score: NDArray[Any] | None = None
    classes: NDArray[Any] | None = None
    missing: dict[str, str] = field(default_factory=dict)
    log_proba: NDArray[np.float64] | None = None  # where scores tell more than the doubles of `proba` hold

    def against(
        self, y: ArrayLike, groups: ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> Predictions:
        """Check these outputs against the targets `y`."""
        if self.classes is None:
            return regression(y, self.pred, groups, weights)
        return classification(
            y,
            pred=self.pred,
            proba=self.proba,
            score=self.score,
            classes=self.classes,
            groups=groups,
            missing=self.missing,
            log_proba=self.log_proba,
            weights=weights,
        )

    def over(self, classes: NDArray[Any] | None) -> Outputs:
        """Return these outputs with a place for each of `classes`: one that the model never saw has the
        probability 0.
        """
        if classes is None or self.classes is None or np.asarray(self.classes).size >= classes.size:
            return self
        rows = [(np.arange(self.pred.size), self)]
        proba = spread(rows, "proba", self.pred.size, classes, 0.0)
        score = spread(rows, "score", self.pred.size, classes, -np.inf)
        logs = spread_logs(rows, self.pred.size, classes)
        return Outputs(self.pred, proba, score, classes, self.missing, logs)


def spread(
    parts: list[tuple[NDArray[np.intp], Outputs]], name: str, n: int, classes: NDArray[Any], absent: float
) -> NDArray[np.float64] | None:
    """Return the outputs of some fits in one table of n rows; a class that a fit never saw gets the value
    `absent`.
    """
    if any(getattr(out, name) is None for _, out in parts):
        return None
    if name == "score" and classes.size == 2:
        scores = np.empty(n)
        for rows, out in parts:
            scores[rows] = getattr(out, name)
        return scores
    table = np.full((n, classes.size), absent)
    for rows, out in parts:
        values, known = np.asarray(getattr(out, name)), np.asarray(out.classes)
        columns = encode(known, classes)
        if values.ndim == 1:  # a fit that saw two of several classes gives one score
            values = np.column_stack([-values, values])
        table[np.ix_(rows, columns)] = values
    return table


def spread_logs(
    parts: list[tuple[NDArray[np.intp], Outputs]], n: int, classes: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Return the logarithms of the probabilities of some fits in one table; None where no fit has any."""
    if all(out.log_proba is None for _, out in parts) or any(out.proba is None for _, out in parts):
        return None
    with np.errstate(divide="ignore"):
        told = [
            (rows, replace(out, log_proba=np.log(np.asarray(out.proba, dtype=np.float64))))
            if out.log_proba is None
            else (rows, out)
            for rows, out in parts
        ]
    return spread(told, "log_proba", n, classes, -np.inf)


def n_rows(X: Any) -> int:
    """Return the number of rows of an array, sparse matrix or data frame."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape is not None else len(X)


def model_name(est: Any) -> str:
    """Return the class name of an estimator; of the last step of a pipeline."""
    steps = getattr(est, "steps", None)
    return model_name(steps[-1][1]) if steps else type(est).__name__


def unpenalised(est: Any) -> bool:
    """Return whether nothing holds the coefficients of this (linear) model back.

    Least squares, ``alpha=0``, ``penalty=None`` and ``C=inf``; of a pipeline the last step counts.
    """
    steps = getattr(est, "steps", None)
    if steps:
        return unpenalised(steps[-1][1])
    if type(est).__name__ == "LinearRegression":
        return True
    settings = est.get_params(deep=False) if hasattr(est, "get_params") else {}
    if "fit_intercept" not in settings:  # of trees and networks alpha = 0 says nothing about coefficients
        return False
    alpha, strength = settings.get("alpha"), settings.get("C")
    none = "penalty" in settings and settings["penalty"] is None
    return none or (isinstance(alpha, int | float) and alpha == 0.0) or strength == np.inf


def outputs_of(est: Any, X: Any, need: str = "score", **rows: Any) -> Outputs:
    """Ask a fitted estimator for everything that metrics use, or for what one metric needs.

    Parameters
    ----------
    est : fitted scikit-learn-compatible estimator or pipeline
        Classifiers may lack `predict_proba` and `decision_function`; what is missing is written down.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows to predict.
    need : {"score", "proba", "pred"}
        Stop at this output: each is another pass over X. With "proba" the label is the most probable class.
    **rows
        What ``predict`` takes of the rows beside X, `exposure` and `offset`; a model that was fitted with one
        and gets none is refused, and so is one that takes none.
    """
    if not hasattr(est, "predict"):
        raise TypeError(f"{type(est).__name__} has no predict method; give a fitted classifier or regressor.")
    if n_rows(X) == 0:
        raise ValueError("X has no rows; there is nothing to evaluate.")
    if need == "proba" and is_classifier(est) and hasattr(est, "predict_proba"):
        return _probable(est, X, to_predict(est, "predict_proba", rows))
    pred = np.asarray(est.predict(X, **to_predict(est, "predict", rows)))
    if pred.ndim == 2 and pred.shape[1] == 1:
        pred = pred[:, 0]
    if not is_classifier(est):
        if pred.ndim != 1:
            raise ValueError(
                f"{model_name(est)} predicts an array of shape {pred.shape}, several numbers a row; what is "
                "measured here needs one number a row: evaluate one quantile or target at a time."
            )
        return Outputs(pred)  # a regression has no other output
    name, classes = model_name(est), _classes(est)
    missing: dict[str, str] = {}
    if need == "pred":
        return Outputs(pred, classes=classes)
    proba = np.asarray(est.predict_proba(X, **rows)) if hasattr(est, "predict_proba") else None
    asked = need == "score" or proba is None
    score = np.asarray(est.decision_function(X)) if asked and hasattr(est, "decision_function") else None
    logs = None
    if proba is not None and too_small(proba).any() and hasattr(est, "decision_function"):
        proba, logs = never_zero(proba, np.asarray(est.decision_function(X)) if score is None else score)
    if proba is None:
        missing["proba"] = f"{name} has no predict_proba"
    names = classes
    if names.size > 2 and proba is not None:
        score = None  # the score of one class ranks it against the rest only after normalisation
    if score is not None and score.shape[1:] != (() if names.size <= 2 else (names.size,)):
        score = None  # for example one-vs-one scores: not one column for each class
    if score is None and proba is None:
        missing["score"] = (
            f"{name} has neither predict_proba nor a decision_function with one score for each class"
        )
    return Outputs(pred, proba, score, names, missing, logs)


def too_small(proba: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which probabilities are 0, or so small that their type holds fewer digits of them."""
    kind: Any = proba.dtype if proba.dtype.kind == "f" else np.float64
    return np.asarray(proba < np.finfo(kind).tiny)


def never_zero(proba: NDArray[Any], score: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Return probabilities that are 0 only where the score says so, and their logarithms where doubles end.

    A model with a softmax or logistic link may compute ``1 - p``, or in single precision, and round to 0 what
    its finite score makes small.  Where all rows follow that link, those with a 0 (or fewer digits than the
    type holds) are computed anew from their scores, ``expit(-z)`` for the rarer of two classes.  Below the
    smallest double that double stands, and the logarithms of all rows, ``-log(1 + exp(z))`` for that class,
    come beside.

    Parameters
    ----------
    proba : array of shape (n, C)
        What the model says.
    score : array of shape (n,) or (n, C)
        Its decision function.

    Examples
    --------
    >>> p, logs = never_zero(np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([50.0, 0.0]))
    >>> float(-np.log(p[0, 0]).round(12)), logs is None
    (50.0, True)
    >>> never_zero(np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([1000.0, 0.0]))[1][0]
    array([-1000.,     0.])
    """
    z = np.asarray(score, dtype=np.float64)
    if z.ndim == 1:
        z = np.column_stack([np.zeros_like(z), z])
    if proba.shape != z.shape or not np.isfinite(z).all():
        return proba, None
    # Of several classes each against the rest, the logistic probabilities are made to sum to 1.
    links = ((softmax(to, axis=1), to) for to in (z, log_expit(z)))
    near = [(p, to) for p, to in links if np.allclose(p, proba, rtol=0.0, atol=LINK)]
    if not near:
        return proba, None
    small = too_small(proba)
    if len(near) > 1:  # the small probabilities tell the two links apart
        told = np.log(proba[~small].astype(np.float64))
        near.sort(key=lambda link: not np.allclose(np.log(link[0][~small]), told, rtol=1e-3, atol=1e-3))
    (linked, to), rounded = near[0], small.any(axis=1)
    out = proba.astype(np.float64)
    out[rounded] = np.maximum(linked[rounded], LEAST)
    ends = (out[rounded] < np.finfo(np.float64).tiny).any()
    return out, log_softmax(to, axis=1) if ends else None


def _classes(est: Any) -> NDArray[Any]:
    """Return the classes of a fitted classifier of one target."""
    name, classes = model_name(est), getattr(est, "classes_", None)
    if classes is None:
        raise TypeError(f"{name} is a classifier without classes_; it is not fitted or not compatible.")
    if isinstance(classes, list):
        raise ValueError(f"{name} predicts several targets at once; evaluate one target at a time.")
    return np.asarray(classes)


def _probable(est: Any, X: Any, rows: dict[str, Any]) -> Outputs:
    """Return the probabilities of classes, from one pass over X."""
    classes = _classes(est)
    proba = np.asarray(est.predict_proba(X, **rows))
    label = classes[proba.argmax(axis=1)]
    logs = None
    if too_small(proba).any() and hasattr(est, "decision_function"):
        proba, logs = never_zero(proba, np.asarray(est.decision_function(X)))
    return Outputs(label, proba, None, classes, log_proba=logs)
