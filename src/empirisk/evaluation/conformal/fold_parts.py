"""The models that calibration rows are scored by: one that is fitted already, or one for each fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from empirisk.evaluation.conformal.fitted import STANDARD_DEVIATION, Fitted, LogSpread
from empirisk.evaluation.conformal.scores import ConformalScore
from empirisk.evaluation.folds import Rows, Split
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, REGRESSION
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.sample import Sample, check_estimator
from empirisk.evaluation.tags import of_pairs
from empirisk.typing import Array

__all__ = ["Parts", "classifies", "fit_parts", "one_part"]

LEAVE_ONE_OUT = "leave-one-out"


@dataclass(frozen=True, eq=False)
class Parts:
    """Fitted models, and the rows that each has not seen.

    Parameters
    ----------
    whole : Fitted
        The model that predicts.
    parts : tuple of Fitted
        The models that score.
    tests : tuple of arrays of int, or None
        Rows that each scores; None for one model that scores all.
    """

    whole: Fitted
    parts: tuple[Fitted, ...]
    tests: tuple[Rows, ...] | None = None

    def scored(
        self, kind: ConformalScore, X: Any, targets: Any, share: Array | None, rows: dict[str, Any]
    ) -> tuple[Array, Rows]:
        """Return the score of each row and the number of the model that gave it."""
        n = len(targets)
        if self.tests is None:
            read: Any = kind.read(self.whole, X, share, **rows)
            return read.scores(targets), np.zeros(n, dtype=np.intp)
        scores, fold = np.empty(n), np.empty(n, dtype=np.intp)
        for k, (part, test) in enumerate(zip(self.parts, self.tests, strict=True)):
            beside = {name: np.asarray(values)[test] for name, values in rows.items()}
            read = kind.read(part, take_rows(X, test), None if share is None else share[test], **beside)
            scores[test], fold[test] = read.scores(targets[test]), k
        return scores, fold


def classifies(model: Any) -> bool:
    """Return whether a model predicts classes: by its tags, or where it has none by its probabilities."""
    try:
        return bool(is_classifier(model))
    except (AttributeError, TypeError):
        return hasattr(model, "predict_proba")


def one_part(model: Any, spread: Any, of_classes: bool) -> Parts:
    """Return a fitted model as the one that predicts and scores.

    Raises
    ------
    NotFittedError
        A classifier without classes.
    TypeError, ValueError
        A spread that is none.
    """
    asked = hasattr(spread, "predict") or (callable(spread) and not isinstance(spread, type))
    if not (spread is None or asked or spread == STANDARD_DEVIATION):
        raise ValueError(
            f'spread must be a fitted regressor, a function of X or "{STANDARD_DEVIATION}", got {spread!r}.'
        )
    classes = getattr(model, "classes_", None) if of_classes else None
    if of_classes and classes is None:
        raise NotFittedError(
            f"{model_name(model)} is not fitted: fit it on other rows than the calibration rows first, or "
            "give cv=5, which fits it here on parts of these rows."
        )
    if isinstance(classes, list):
        raise ValueError(f"{model_name(model)} predicts several targets at once; give one target at a time.")
    whole = Fitted(model, spread, None if classes is None else np.asarray(classes))
    return Parts(whole, (whole,))


def fit_parts(
    model: Any,
    spread: Any,
    X: Any,
    y: Any,
    groups: Rows | None,
    sample_weight: ArrayLike | None,
    rows: dict[str, Any],
    cv: Any,
    seed: int,
) -> Parts:
    """Fit copies of a model on the training rows of each fold, and one on all rows.

    Raises
    ------
    ValueError
        Folds that do not test each row once; a spread that cannot be fitted.
    TypeError
        What is no estimator, and arguments of rows that folds do not carry.
    """
    models = model if isinstance(model, tuple) else (model,)
    for one in models:
        check_estimator(one)
    if other := [name for name in rows if name != "exposure"]:
        raise TypeError(
            f"folds carry the exposure of rows alone, got {other[0]}: fit first and leave cv out."
        )
    if of_pairs(models[0], X):
        raise ValueError(
            "X is a matrix of pairs of rows, of which new rows have no folds: fit first, leave cv out."
        )
    if (
        spread is not None
        and not hasattr(spread, "fit")
        and spread != STANDARD_DEVIATION
        and not callable(spread)
    ):
        raise ValueError(
            f'spread must be a regressor, a function of X or "{STANDARD_DEVIATION}" with cv, got {spread!r}.'
        )
    task = CLASSIFICATION if classifies(models[0]) else REGRESSION
    sample = Sample(X, y, task=task, groups=groups, weights=sample_weight, exposure=rows.get("exposure"))

    def fit(train: Rows | None) -> Fitted:
        fitted = tuple(sample.fit(clone(one), train) for one in models)
        made = Fitted(fitted if isinstance(model, tuple) else fitted[0], spread, sample.classes)
        if not hasattr(spread, "fit"):
            return made
        mine = np.arange(sample.n) if train is None else train
        beside = {name: np.asarray(values)[mine] for name, values in rows.items()}
        part = take_rows(X, mine)
        residuals = sample.y[mine] - made.numbers(part, **beside)
        return Fitted(made.model, LogSpread(clone(spread), part, residuals), None)

    splits = _splits(sample, cv, seed)
    parts = tuple(fit(train) for train, _ in splits)
    return Parts(fit(None), parts, tuple(test for _, test in splits))


def _splits(sample: Sample, cv: Any, seed: int) -> list[Split]:
    """Return splits that test each row once."""
    n = sample.n
    if isinstance(cv, str):
        if cv != LEAVE_ONE_OUT:
            raise ValueError(
                f'cv must be a number of folds, "{LEAVE_ONE_OUT}", a splitter or splits, got {cv!r}.'
            )
        units = np.arange(n) if sample.groups is None else sample.groups
        if int(units.max()) < 1:
            raise ValueError("one row or group cannot be left out of itself; at least 2 are needed.")
        return [(np.flatnonzero(units != u), np.flatnonzero(units == u)) for u in range(int(units.max()) + 1)]
    if isinstance(cv, bool):
        raise ValueError(f"cv must be a number of folds, a splitter or splits, got {cv}.")
    once = sample.repeated(cv)
    splits = list(sample.plan(cv, 1 if once else None, seed if once else None).splits)
    tested = np.bincount(np.concatenate([test for _, test in splits]), minlength=n)
    if (tested != 1).any():
        row = int(np.argmax(tested != 1))
        raise ValueError(
            f"cv must test every row once, and tests row {row} {tested[row]} times: folds without repeats do."
        )
    return splits
