"""What the losses of rows amount to: the numbers of ``cross_evaluate`` and ``compare``, without predictions.

A comparison of many recipes keeps one number for each row and fit. An estimate that is a mean over rows needs
no more, and it is made here by the same functions, from the same numbers, in the same order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.cross import over_plan, steady
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import scored_target
from empirisk.evaluation.metrics import Predictions
from empirisk.evaluation.metrics.predictions import relative
from empirisk.evaluation.metrics.row_loss import RowLoss, always, mean_error, with_note
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate

__all__ = ["Scoring"]


@dataclass(frozen=True)
class Scoring:
    """How out-of-fold losses of rows become estimates.

    Losses have the shape (repeats, n) where the plan repeats K folds. Else they have the shape (1, n), NaN
    where a row was in no test part; every row is in one at most.

    Parameters
    ----------
    sample : Sample
        The rows.
    plan : Plan
        The splits that were fitted.
    metric : RowLoss
        What the losses are of.
    level : float
        Nominal coverage of the intervals.
    """

    sample: Sample
    plan: Plan
    metric: RowLoss
    level: float

    @property
    def rows(self) -> tuple[int, int]:
        """Training rows of a split, on average, and rows in all."""
        return self.plan.n_train, self.plan.n

    def target(self, what: str = "score", who: str = "this algorithm") -> str:
        """Return what an estimate is about, with the number of training rows."""
        return scored_target(*self.rows, self.sample.groups is not None, what=what, who=who)

    def value(self, losses: Floats) -> float:
        """Return the mean loss: over rows and repeats of K folds, else over the means of the splits."""
        if self.plan.folds is None:
            return float(self.of_splits(losses).mean())
        return float(np.average(losses.mean(axis=0), weights=self.sample.weights))

    def of_splits(self, losses: Floats) -> Floats:
        """Return the mean loss of the test rows of each split, shape (J,), of losses of shape (1, n)."""
        w = self.sample.like.weight
        return np.array([np.average(losses[0, test], weights=w[test]) for _, test in self.plan.splits])

    def loss(self, losses: Floats, est: Any = None) -> Estimate:
        """Return the estimate that :func:`empirisk.cross_evaluate` gives for the algorithm of these losses.

        Parameters
        ----------
        losses : array
        est : estimator, optional
            The algorithm; an interval is refused where it is too unstable on these rows.
        """
        repeats, held_out = self._parts(losses)
        e = over_plan(self._given, self.plan, repeats, held_out, self.level)
        return e if est is None else steady(e, est, self.sample, self.plan)

    def difference(self, a: Floats, b: Floats) -> Estimate:
        """Return the paired difference of two algorithms that :func:`empirisk.compare` gives."""
        plan, target = self.plan, self.target("difference", "each algorithm")
        (first, first_splits), (second, second_splits) = self._parts(a), self._parts(b)
        if plan.folds is not None:
            found, _ = self._given.difference(first, second, plan.folds, self.level)
            return replace(found, target=target)
        if len(plan.splits) == 1:
            found, _ = self._given.difference(first_splits, second_splits, None, self.level)
            return with_note(found, plan.note)
        scores = self.of_splits(a) - self.of_splits(b)
        found = nadeau_bengio(scores, plan.test_over_train, plan.n_scored, self.level, target=target)
        return with_note(found, plan.note)

    def standard_error(self, a: Floats, b: Floats) -> float:
        """Return the standard error of the mean difference of two algorithms; NaN where it is not known."""
        plan = self.plan
        if not math.isfinite(self.value(a)) or not math.isfinite(self.value(b)):
            return math.nan
        if plan.folds is None and len(plan.splits) > 1:
            scores = self.of_splits(a) - self.of_splits(b)
            return math.sqrt(float(scores.var(ddof=1)) * (1.0 / scores.size + plan.test_over_train))
        tested = slice(None) if plan.folds is not None else plan.splits[0][1]
        return mean_error(a[:, tested] - b[:, tested], plan.folds, self.like(tested))

    def like(self, tested: Any = slice(None)) -> Predictions:
        """Return the targets and groups of some rows, as metrics take them; it holds no outputs."""
        like, groups = self.sample.like, self.sample.groups
        part = None if groups is None else _numbered(groups[tested])
        counted = None if like.weights is None else relative(like.weights[tested])
        return replace(like, y=like.y[tested], pred=None, groups=part, weights=counted)

    @property
    def _given(self) -> RowLoss:
        """The metric, of rows whose losses are known already."""
        return replace(self.metric, needs="score", loss=lambda p: p.output("score"), refusal=always)

    def _parts(self, losses: Floats) -> tuple[tuple[Predictions, ...], tuple[Predictions, ...]]:
        """Return the losses of each repeat of K folds, or of each split, beside their targets and groups."""
        if self.plan.folds is not None:
            like = self.like()
            return tuple(replace(like, score=row) for row in losses), ()
        tests = [test for _, test in self.plan.splits]
        return (), tuple(replace(self.like(test), score=losses[0, test]) for test in tests)


def _numbered(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the groups of a part of the rows, numbered from 0."""
    return np.unique(groups, return_inverse=True)[1].astype(np.intp)
