"""Cross-validation of models of several targets: each target is scored on folds of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.evaluation.before import Before
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.outputs import n_rows
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.targets import models_of_targets

__all__ = ["cross_targets"]


class FitOfAll(Candidate):
    """A recipe that fits all targets of the rows, and gives what the model says about one of them.

    Parameters
    ----------
    whole : Candidate
        Fits y of shape (n, k).
    y : array or data frame, shape (n, k)
        All targets.
    names : list
        Their names, in the order of the columns.
    target : object
        Which of them is asked about.
    """

    of_all = True

    def __init__(self, whole: Candidate, y: Any, names: list[Any], target: Any) -> None:
        super().__init__(whole.model, name=whole.name)
        self.y = y if hasattr(y, "shape") else np.asarray(y)
        self.names, self.target = names, target

    def fits(self, sample: Sample, rows: NDArray[np.intp], before: Before | None = None) -> Iterator[Any]:
        """Yield the one model of these rows, as a model of the target."""
        told = sample.arguments(self.estimator, rows)
        X = sample.rows_to_fit(self.estimator, rows)
        fitted = clone(self.estimator).fit(X, take_rows(self.y, rows), **told)
        yield models_of_targets(fitted, self.names)[self.target]


def cross_targets(
    candidate: Candidate, y: Any, columns: Mapping[Any, Any], score: Callable[[Candidate, Any], Evaluation]
) -> Evaluation:
    """Return the scores of all targets, whose names begin with that of the target.

    Parameters
    ----------
    candidate : Candidate
        One model.
    y : array, data frame or list of rows, shape (n, k)
        All targets.
    columns : mapping
        The targets by name.
    score : callable
        ``score(candidate, column)`` is the cross-validation of one target.
    """
    apart = _apart(candidate.model)
    each = {
        name: score(candidate if apart else FitOfAll(candidate, y, list(columns), name), column)
        for name, column in columns.items()
    }
    n = n_rows(next(iter(columns.values())))
    title = f"{candidate.name} cross-validated on {n} rows, {len(columns)} targets, each on folds of its own"
    return Evaluation({f"{name}: {m}": e for name, told in each.items() for m, e in told.items()}, title)


def _apart(est: Any) -> bool:
    """Return whether a fit on one column is what a fit on all columns makes of it."""
    steps = getattr(est, "steps", None)
    return bool(getattr(steps[-1][1] if steps else est, "_targets_apart", False))
