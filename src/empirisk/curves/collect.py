"""Fit every size of every split and keep the losses of rows inside and outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.curves.sizes import parts_of
from empirisk.data.progress import Progress, teller
from empirisk.data.side_by_side import Stop, side_by_side
from empirisk.evaluation.before import Before
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.row_losses import fit_on, growing, row_losses
from empirisk.evaluation.sample import Sample

__all__ = ["Collected", "collect"]


@dataclass(frozen=True)
class Collected:
    """Losses at every size.

    Parameters
    ----------
    rows : list of int
        Training rows at each size: means over fits, because groups do not fit exactly.
    test : list of array of shape (r, parts, n), or (J, 1) when the splits are not repeats of K folds
        Out-of-fold loss of each row, or mean loss of each split.
    train : list of array of shape (r, n)
        Mean loss of each row in the fits that it was part of; NaN where there was none.
    train_means : list of array
        Mean training loss of each fit.
    n_fits : int
        Models fitted.
    coefficients : float or None
        Mean number of non-zero coefficients at the largest size.
    """

    rows: list[int]
    test: list[Floats]
    train: list[Floats]
    train_means: list[Floats]
    n_fits: int
    coefficients: float | None


def collect(
    est: Any,
    sample: Sample,
    plan: Plan,
    sizes: list[int],
    orders: Sequence[NDArray[np.intp]],
    metric: RowLoss,
    parts: int,
    progress: Progress | None,
) -> Collected:
    """Fit all sizes on all splits; up to `parts` disjoint subsets of a size.

    ``orders[j]`` holds the training rows of split j in the order in which they are taken.
    """
    repeat_of = {j: r for r in range(plan.repeats) for j in plan.repeat(r)}
    work = [
        [(i, k, rows) for i, size in enumerate(sizes) for k, rows in enumerate(parts_of(order, size, parts))]
        for order in orders
    ]
    counts = [1 + max(k for of in work for i, k, _ in of if i == s) for s in range(len(sizes))]
    fits = sum(map(len, work))
    keep, tell, done, telling = _Losses(sample.n, plan, counts), teller(progress), count(1), Lock()

    def fitted(j: int, stop: Stop) -> Iterator[tuple[Any, Floats, Floats]]:
        # Each split for itself, so that no fold's numbers depend on another's.
        test, warm, before = plan.splits[j][1], growing(est), Before()
        for _, _, rows in work[j]:
            if stop():
                return
            model = fit_on(est, sample, rows, warm, before)
            inside, outside = (row_losses(model, sample, of, metric, before) for of in (rows, test))
            yield _nonzero(model), inside, outside
            with telling:
                tell(next(done), fits)

    with one_thread_if_small(sample.X):
        for j, found in enumerate(side_by_side(lambda j, stop: list(fitted(j, stop)), range(len(work)))):
            for (i, k, rows), (coefficients, inside, outside) in zip(work[j], found, strict=True):
                keep.add(i, j, repeat_of.get(j, 0), k, rows, plan.splits[j][1], inside, outside)
                if i == len(sizes) - 1:
                    keep.coefficients.append(coefficients)
    return keep.finish(fits)


class _Losses:
    """Tables that fill up fit by fit."""

    def __init__(self, n: int, plan: Plan, counts: list[int]) -> None:
        self.folds = plan.folds is not None
        shapes = [(plan.repeats, c, n) if self.folds else (len(plan.splits), 1) for c in counts]
        self.test = [np.full(shape, np.nan) for shape in shapes]
        self.sums = [np.zeros((max(1, plan.repeats), n)) for _ in counts]
        self.seen = [np.zeros((max(1, plan.repeats), n)) for _ in counts]
        self.means: list[list[float]] = [[] for _ in counts]
        self.rows: list[list[int]] = [[] for _ in counts]
        self.coefficients: list[float | None] = []

    def add(
        self,
        i: int,
        split: int,
        repeat: int,
        part: int,
        rows: NDArray[np.intp],
        test: NDArray[np.intp],
        inside: Floats,
        outside: Floats,
    ) -> None:
        if self.folds:
            self.test[i][repeat, part, test] = outside
        else:
            self.test[i][split, part] = outside.mean()
        self.sums[i][repeat, rows] += inside
        self.seen[i][repeat, rows] += 1.0
        self.means[i].append(float(inside.mean()))
        self.rows[i].append(rows.size)

    def finish(self, n_fits: int) -> Collected:
        train = [
            np.divide(s, c, out=np.full_like(s, np.nan), where=c > 0.0)
            for s, c in zip(self.sums, self.seen, strict=True)
        ]
        known = [c for c in self.coefficients if c is not None]
        return Collected(
            [round(float(np.mean(r))) for r in self.rows],
            self.test,
            train,
            [np.array(m) for m in self.means],
            n_fits,
            float(np.mean(known)) if known else None,
        )


def _nonzero(model: Any) -> float | None:
    """Return the non-zero coefficients of a fitted linear model (of the last step of a pipeline), None
    without any.
    """
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    coef = getattr(last, "coef_", None)
    return None if coef is None else float(np.count_nonzero(np.asarray(coef)))
