"""Fit an estimator on every split and collect what it says about the test rows."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.data.threads import one_thread
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import Predictions, classification, encode, regression
from empirisk.evaluation.metrics.scorer import Scorer
from empirisk.evaluation.outputs import Outputs, outputs_of
from empirisk.evaluation.progress import Progress, teller
from empirisk.evaluation.rows import take_rows

# Cells of X below which linear algebra runs on one thread: on two cores that was 3 to 25 times faster for
# logistic regression, because the thread pools of numpy and SciPy wait for each other.
SMALL = 2_000_000


@dataclass(frozen=True)
class Fitted:
    """Outputs of one algorithm on the test rows of every split.

    Parameters
    ----------
    plan : Plan
        The splits.
    outputs : tuple of Outputs
        One for each split.
    scores : mapping of str to array of shape (J,)
        Values of foreign scorers, one for each split.
    seconds : array of shape (J,)
        Fitting times.
    kept : tuple
        What `keep` took from the model of each split.
    """

    plan: Plan
    outputs: tuple[Outputs, ...]
    scores: Mapping[str, Floats]
    seconds: Floats
    kept: tuple[Any, ...] = ()


def fit_folds(
    est: Any,
    X: Any,
    y: NDArray[Any],
    plan: Plan,
    scorers: Mapping[str, Scorer] | None = None,
    progress: Progress | None = None,
    *,
    groups: NDArray[np.intp] | None = None,
    keep: Callable[[Any], Any] | None = None,
) -> Fitted:
    """Clone, fit and predict once for each split; `progress` is called with (done, all).

    `groups` go to estimators whose ``fit`` takes them (a search splits by them inside each fold);
    ``keep(model)`` says what to keep of each fitted model.
    """
    scorers, tell = scorers or {}, teller(progress)
    outputs: list[Outputs] = []
    kept: list[Any] = []
    seconds = np.empty(len(plan.splits))
    values: dict[str, list[float]] = {name: [] for name in scorers}
    with one_thread_if_small(X):
        for j, (train, test) in enumerate(plan.splits):
            start = time.perf_counter()
            try:
                model = fit_rows(est, X, y, train, groups)
            except Exception as error:
                error.add_note(
                    f"This happened while fitting split {j} of {len(plan.splits)} ({train.size} rows)."
                )
                raise
            seconds[j] = time.perf_counter() - start
            held_out = take_rows(X, test)
            outputs.append(outputs_of(model, held_out))
            for name, scorer in scorers.items():
                values[name].append(float(scorer(model, held_out, y[test])))
            if keep is not None:
                kept.append(keep(model))
            tell(j + 1, len(plan.splits))
    scores = {k: np.array(v) for k, v in values.items()}
    return Fitted(plan, tuple(outputs), scores, seconds, tuple(kept))


def one_thread_if_small(X: Any) -> AbstractContextManager[Any]:
    """Return a context with one BLAS thread for tables below :data:`SMALL` cells."""
    small = int(np.prod(getattr(X, "shape", (0,)))) < SMALL
    return one_thread() if small else nullcontext()


def fit_rows(
    est: Any, X: Any, y: NDArray[Any], rows: NDArray[np.intp], groups: NDArray[np.intp] | None = None
) -> Any:
    """Return a clone of `est` fitted on some rows; it gets their groups when its ``fit`` takes groups."""
    part = None if groups is None else groups[rows]
    return clone(est).fit(take_rows(X, rows), y[rows], **group_argument(est, part))


def group_argument(est: Any, groups: NDArray[np.intp] | None) -> dict[str, Any]:
    """``{"groups": groups}`` for an estimator whose ``fit`` takes them, else nothing."""
    takes = groups is not None and "groups" in inspect.signature(est.fit).parameters
    return {"groups": groups} if takes else {}


def assemble(
    fitted: Fitted, y: NDArray[Any], classes: NDArray[Any] | None, groups: NDArray[np.intp] | None
) -> tuple[Predictions, ...]:
    """Return one Predictions for each repeat of K folds: the out-of-fold outputs of all rows."""
    return tuple(_join(fitted, fitted.plan.repeat(r), y, classes, groups) for r in range(fitted.plan.repeats))


def _join(
    fitted: Fitted,
    members: tuple[int, ...],
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    groups: NDArray[np.intp] | None,
) -> Predictions:
    parts = [(fitted.plan.splits[j][1], fitted.outputs[j]) for j in members]
    n = y.size
    if classes is None:
        numbers = np.empty(n)
        for rows, out in parts:
            numbers[rows] = out.pred
        return regression(y, numbers, groups)
    codes = np.empty(n, dtype=np.intp)
    for rows, out in parts:
        codes[rows] = encode(out.pred, classes)
    return classification(
        y,
        pred=classes[codes],
        proba=spread(parts, "proba", n, classes, 0.0),
        score=spread(parts, "score", n, classes, -np.inf),
        classes=classes,
        groups=groups,
        missing=parts[0][1].missing,
    )


def spread(
    parts: list[tuple[NDArray[np.intp], Outputs]], name: str, n: int, classes: NDArray[Any], absent: float
) -> Floats | None:
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
