"""The fold engine: fit a candidate on every split, and collect what the models say about the test rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.progress import Progress, teller
from empirisk.data.threads import one_thread
from empirisk.evaluation.before import Before
from empirisk.evaluation.candidate import Candidate, one_model
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import Predictions, classification, encode, regression
from empirisk.evaluation.metrics.scorer import Scorer, ask
from empirisk.evaluation.outputs import Outputs, spread, spread_logs
from empirisk.evaluation.rows import numbered
from empirisk.evaluation.sample import Sample

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


@dataclass(frozen=True)
class Fit:
    """One fitted model of a candidate, and where it stands among all fits.

    Parameters
    ----------
    split, value : int
        Positions of the split and of the value of the parameter.
    train, test : int arrays
        Rows that were fitted on, and rows that it is asked about.
    model : fitted estimator
        It may share arrays with the models of other values.
    seconds : float
        Time of the fit; of values that are fitted together the first one may bear the time of all.
    sample : Sample
        What the rows are rows of.
    before : Before
        Rows as the steps before the model leave them.
    """

    split: int
    value: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    model: Any
    seconds: float
    sample: Sample
    before: Before

    def outputs(self, need: str = "score") -> Outputs:
        """Return what the model says about the test rows."""
        return self.before.outputs(self.model, self.sample, self.test, need)

    def train_outputs(self, need: str = "score") -> Outputs:
        """Return what the model says about the rows that it was fitted on."""
        return self.before.outputs(self.model, self.sample, self.train, need)


def each_fit(candidate: Candidate, sample: Sample, plan: Plan, before: Before | None = None) -> Iterator[Fit]:
    """Fit a candidate on the training rows of every split, split by split and value by value.

    This is the one loop over folds: scores, comparisons, curves and the diagnosis read what it yields.
    Several candidates run split by split on ``plan.only(j)`` for each j, with one `before`: those that hold
    the same step objects before their models then cost one fit of these steps for each split.

    Parameters
    ----------
    candidate : Candidate
        What is fitted.
    sample : Sample
        The rows.
    plan : Plan
        The splits.
    before : Before, optional
        Fitted steps that are shared with other candidates.

    Raises
    ------
    Exception
        What a fit raises, with the number of the split and of its rows added.
    """
    before = Before() if before is None else before
    for j, (train, test) in enumerate(plan.splits):
        models = candidate.fits(sample, train, before)
        for v in range(candidate.n_values):
            start = time.perf_counter()
            try:
                model = next(models)
            except Exception as error:
                error.add_note(
                    f"This happened while fitting split {j} of {len(plan.splits)} ({train.size} rows)."
                    + numbered(error, train)
                )
                raise
            yield Fit(j, v, train, test, model, time.perf_counter() - start, sample, before)


def fit_folds(
    est: Any,
    sample: Sample,
    plan: Plan,
    scorers: Mapping[str, Scorer] | None = None,
    progress: Progress | None = None,
    *,
    keep: Callable[[Any], Any] | None = None,
) -> Fitted:
    """Fit one estimator (or a candidate of one model) on every split and ask it about the test rows.

    `progress` is called with (done, all); ``keep(model)`` says what to keep of each fitted model.
    """
    candidate = one_model(est)
    scorers, tell = scorers or {}, teller(progress)
    outputs: list[Outputs] = []
    kept: list[Any] = []
    seconds = np.empty(len(plan.splits))
    values: dict[str, list[float]] = {name: [] for name in scorers}
    with one_thread_if_small(sample.X):
        for fit in each_fit(candidate, sample, plan):
            seconds[fit.split] = fit.seconds
            outputs.append(fit.outputs())
            for name, scorer in scorers.items():
                held_out = sample.rows_for(fit.model, fit.test)
                weights = None if sample.weights is None else sample.weights[fit.test]
                y, known = sample.y[fit.test], sample.known(fit.test)
                values[name].append(ask(scorer, fit.model, held_out, y, weights, known))
            if keep is not None:
                kept.append(keep(fit.model))
            tell(fit.split + 1, len(plan.splits))
    scores = {k: np.array(v) for k, v in values.items()}
    return Fitted(plan, tuple(outputs), scores, seconds, tuple(kept))


def one_thread_if_small(X: Any) -> AbstractContextManager[Any]:
    """Return a context with one BLAS thread for tables below :data:`SMALL` cells."""
    small = int(np.prod(getattr(X, "shape", (0,)))) < SMALL
    return one_thread() if small else nullcontext()


def assemble(
    fitted: Fitted,
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    groups: NDArray[np.intp] | None,
    weights: Floats | None = None,
) -> tuple[Predictions, ...]:
    """Return one Predictions for each repeat of K folds: the out-of-fold outputs of all rows."""
    return tuple(
        _join(fitted, fitted.plan.repeat(r), y, classes, groups, weights) for r in range(fitted.plan.repeats)
    )


def _join(
    fitted: Fitted,
    members: tuple[int, ...],
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    groups: NDArray[np.intp] | None,
    weights: Floats | None,
) -> Predictions:
    parts = [(fitted.plan.splits[j][1], fitted.outputs[j]) for j in members]
    n = y.size
    if classes is None:
        numbers = np.empty(n)
        for rows, out in parts:
            numbers[rows] = out.pred
        return regression(y, numbers, groups, weights)
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
        log_proba=spread_logs(parts, n, classes),
        weights=weights,
    )
