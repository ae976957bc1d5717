"""One task of a search: fit the candidates of a bundle on one split and note what they say."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from empirisk.evaluation.before import Before
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.folds import Split
from empirisk.evaluation.metrics.scorer import Scorer, ask
from empirisk.evaluation.parts import parts_of
from empirisk.evaluation.sample import Sample
from empirisk.search.bundle import Bundle
from empirisk.search.points import Params
from empirisk.search.record import Record, record_of


@dataclass(frozen=True)
class Job:
    """What all tasks of a search share.

    Parameters
    ----------
    est : estimator
        Unfitted.
    sample : Sample
        All rows.
    need : str
        Output that the metric is computed from.
    scorer : callable or None
        A foreign scorer.
    raises : bool
        Let an error through instead of noting it.
    heard : bool
        Whether warnings that a fit did not converge go into its record; not where fits run side by side on
        threads, which share Python's filters.
    """

    est: Any
    sample: Sample
    need: str
    scorer: Scorer | None
    raises: bool = False
    heard: bool = True

    def configured(self, point: Params) -> Any:
        """Return a fresh estimator with the settings of a candidate."""
        return clone(self.est).set_params(**clone(point, safe=False))

    def behind_steps(self, point: Params) -> Any:
        """Return the same with the unfitted steps before the model as they are, where the candidate changes
        none of them: candidates that hold the same steps share one fit of these.
        """
        parts = parts_of(self.est)
        if not parts.steps or not all(name.startswith(parts.prefix) for name in point):
            return self.configured(point)
        own = {name.removeprefix(parts.prefix): value for name, value in clone(point, safe=False).items()}
        steps = tuple(pipeline.steps[:-1] for pipeline in parts.pipelines)
        return parts.whole(steps, clone(parts.model).set_params(**own))


def fit_task(
    job: Job, bundle: Bundle, points: Sequence[Params], split: Split, before: Before | None = None
) -> list[Record]:
    """Return the records of the members of a bundle on one split.

    Parameters
    ----------
    job : Job
    bundle : Bundle
    points : sequence of dict
        Settings of its members.
    split : (train, test)
    before : Before, optional
        Fitted steps before the model that other tasks on the same split share.
    """
    with warnings.catch_warnings() if job.heard else nullcontext():
        # Parallel workers and repeated folds would say the same thing hundreds of times; what concerns
        # convergence goes into the records, the rest is said again by the fit on all rows.
        if job.heard:
            warnings.simplefilter("ignore")
        if bundle.parameter:
            values = [point[bundle.parameter] for point in points]
            try:
                model = job.behind_steps(points[0])
                records = _fit(job, Candidate(model, bundle.parameter, values), split, before)
            except Exception:  # a path stops at its first bad member: fit each by itself to see which
                pass
            else:
                mean = sum(r.seconds for r in records) / len(records)
                return [replace(r, seconds=mean) for r in records]
        return [_one(job, point, split, before) for point in points]


def fit_elsewhere(job: Job, bundle: Bundle, points: Sequence[Params], split: Split) -> list[Record]:
    """:func:`fit_task` in a process of its own, which has yet to limit its threads."""
    with one_thread_if_small(job.sample.X):
        return fit_task(job, bundle, points, split)


def _fit(job: Job, candidate: Candidate, split: Split, before: Before | None) -> list[Record]:
    """Return the records of all values of a candidate on one split."""
    train, test = split
    if before is None or not _same_steps(parts_of(candidate.estimator).steps, parts_of(job.est).steps):
        before = Before()  # steps of its own would only be kept in the other one
    records = []
    models = candidate.fits(job.sample, train, before)
    for _ in range(candidate.n_values):
        start = time.perf_counter()
        model, unsure = _heard(models) if job.heard else (next(models), [])
        seconds = time.perf_counter() - start
        record = _score(job, model, before, test, seconds)
        records.append(replace(record, warning=" ".join(unsure[0].split())) if unsure else record)
    return records


def _heard(models: Iterator[Any]) -> tuple[Any, list[str]]:
    """Return the next model, and what its fit said about convergence."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        model = next(models)
    return model, [str(w.message) for w in said if issubclass(w.category, ConvergenceWarning)]


def _same_steps(steps: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether these are the same unfitted steps, object by object."""
    return len(steps) == len(others) and all(a is b for a, b in zip(steps, others, strict=True))


def _one(job: Job, point: Params, split: Split, before: Before | None = None) -> Record:
    start = time.perf_counter()
    try:
        return _fit(job, Candidate(job.behind_steps(point)), split, before)[0]
    except Exception as error:
        if job.raises:
            raise
        return Record(error=f"{type(error).__name__}: {error}", seconds=time.perf_counter() - start)


def raise_again(job: Job, point: Params, split: Split) -> None:
    """Repeat a fit that failed, so that its own error reaches the user.

    Raises
    ------
    Exception
        Whatever the fit raises, with the remark that all candidates failed.
    """
    try:
        _one(replace(job, raises=True), point, split)
    except Exception as error:
        error.add_note("Every candidate failed; this is the error of the first.")
        raise


def _score(job: Job, model: Any, before: Before, test: NDArray[np.intp], seconds: float) -> Record:
    y_new, value = job.sample.y[test], float("nan")
    if job.scorer is not None:
        weights = None if job.sample.weights is None else job.sample.weights[test]
        held_out = job.sample.rows_for(model, test)
        value = ask(job.scorer, model, held_out, y_new, weights, job.sample.known(test))
    out = before.outputs(model, job.sample, test, job.need or "pred")
    out.against(y_new)  # refuses outputs that are not finite, or no probabilities
    return record_of(out, job.sample.classes, job.need, value, seconds)
