"""The loop of a search: split by split over the candidates still in, with racing and a time limit."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from empirisk.data.progress import Progress, Steps, teller
from empirisk.data.side_by_side import side_by_side, threads_of_pieces
from empirisk.evaluation.before import Before
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics import Metric
from empirisk.search.bundle import Bundle, bundles
from empirisk.search.fitting import Job, fit_elsewhere, fit_task
from empirisk.search.ledger import Ledger, Task
from empirisk.search.points import Params
from empirisk.search.race import Race
from empirisk.search.record import Record


class Stopped(Exception):  # noqa: N818  an event of the loop, no error
    """The event that ends the loop when the limit of time is reached."""


@dataclass
class Rounds:
    """Fit candidates split by split.

    Parameters
    ----------
    job : Job
        What is fitted on what.
    plan : Plan
        The splits.
    ledger : Ledger
        Where records go, and come from in a resumed run.
    metric : Metric or None
        The metric (for racing).
    n_jobs : int or None
        Processes, as in joblib.
    deadline : float
        Reading of ``time.monotonic()`` after which no task is started.
    progress : callable, bool or None
        Told (fits done, fits planned).

    Attributes
    ----------
    tasks : int
        What was fitted: candidates that are fitted together on a split count once.
    before : Before
        The steps before the model, which candidates that change none of them share.
    """

    job: Job
    plan: Plan
    ledger: Ledger
    metric: Metric | None
    n_jobs: int | None = None
    deadline: float = math.inf
    progress: Progress | None = None
    out: dict[int, int] = field(default_factory=dict)
    done: int = 0
    planned: int = 0
    tasks: int = 0
    before: Before = field(default_factory=Before)

    def run(
        self,
        points: Sequence[Params],
        new: Sequence[int],
        race: Race | None = None,
        rivals: Sequence[int] = (),
    ) -> None:
        """Fit the candidates at positions `new` on every split; raises Stopped when the time is up.

        A candidate leaves when a fit of it fails, or when `race` says so, in which `rivals` run along: those
        that were fitted on every split before, and stay.
        """
        live = list(new)
        self.planned += len(live) * len(self.plan.splits)
        together = bundles(self.job.est, points, live)
        # Nobody can leave between splits where there is no race, unless a fit fails: all are fitted at once.
        at_once = self._side_by_side and race is None
        if self._side_by_side:
            # As many splits as fits are under way at once: a fit whose steps had been let go would ask its
            # rows anew, and sums of trees that begin anew differ in their last bit.
            self.before.most = max(self.before.most, threads_of_pieces() + 1)
        for number in range(len(self.plan.splits)):
            if not (at_once and number):
                splits = range(len(self.plan.splits)) if at_once else (number,)
                self._fit(points, [(j, b) for j in splits for b in together])
            failed = [i for i in live if self.ledger.records[i, number].error]
            out = [i for i in live if i not in failed]
            beaten = [] if race is None else self._beaten(race, number + 1, out, rivals)
            for i in [*failed, *beaten]:
                live.remove(i)
                self.out[i] = number + 1
                self.planned -= len(self.plan.splits) - number - 1
            if failed or beaten:
                together = bundles(self.job.est, points, live)

    @property
    def _side_by_side(self) -> bool:
        """Whether fits run on the threads of this process, side by side: no clock ends them between two."""
        return self.n_jobs in (None, 1) and threads_of_pieces() > 1 and math.isinf(self.deadline)

    def _fit(self, points: Sequence[Params], tasks: Sequence[tuple[int, Bundle]]) -> None:
        waiting = []
        for number, bundle in tasks:
            task = (number, bundle.members)
            if self.ledger.load(task):
                self._tell(len(bundle.members))
            else:
                waiting.append((task, bundle))
        for task, records in self._fitted(points, waiting):
            self.ledger.put(task, records)
            self.tasks += 1
            self._tell(len(task[1]))

    def _fitted(
        self, points: Sequence[Params], waiting: Sequence[tuple[Task, Bundle]]
    ) -> Iterator[tuple[Task, list[Record]]]:
        """Finished tasks in order; the clock is read before each, or before each batch of processes."""

        def arguments(task: Task, bundle: Bundle) -> tuple[Any, ...]:
            return bundle, [points[i] for i in bundle.members], self.plan.splits[task[0]], self.before

        if self._side_by_side and len(waiting) > 1:
            job = replace(self.job, heard=False)
            with one_thread_if_small(self.job.sample.X), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = side_by_side(lambda item, stop: fit_task(job, *arguments(*item)), waiting)
                yield from zip((task for task, _ in waiting), found, strict=True)
            return
        if self.n_jobs in (None, 1):
            with one_thread_if_small(self.job.sample.X):  # once for all: it takes as long as a small fit
                for task, bundle in waiting:
                    self._check_clock()
                    yield task, fit_task(self.job, *arguments(task, bundle))
            return
        size = 2 * effective_n_jobs(self.n_jobs) if math.isfinite(self.deadline) else max(1, len(waiting))
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            self._check_clock()
            pool = Parallel(n_jobs=self.n_jobs, return_as="generator")
            found = pool(delayed(fit_elsewhere)(self.job, *arguments(*item)[:-1]) for item in batch)
            yield from zip((task for task, _ in batch), found, strict=True)

    def _check_clock(self) -> None:
        if time.monotonic() > self.deadline:
            raise Stopped

    def _tell(self, count: int) -> None:
        self.done += count
        self._teller(self.done, self.planned)

    @cached_property
    def _teller(self) -> Steps:
        """What is told of each step; made once, so that one bar knows when the work began."""
        return teller(self.progress)

    def _beaten(self, race: Race, finished: int, live: list[int], rivals: Sequence[int]) -> list[int]:
        left = [*live, *rivals]
        if finished not in race.looks or len(left) < 2:
            return []
        folds = int(self.plan.folds or 1)
        repeats = max(1, finished // folds)
        used = [self.plan.repeat(r)[: finished if repeats == 1 else folds] for r in range(repeats)]
        losses = np.stack([[self._losses(i, splits) for splits in used] for i in left])
        weights = None
        if self.job.sample.weights is not None:
            weights = np.stack([self._weights(splits) for splits in used])
        finite = np.isfinite(losses).all(axis=(1, 2))
        if finite.sum() < 2:
            return []
        units = None
        if self.job.sample.groups is not None:
            rows = np.concatenate([self.plan.splits[j][1] for j in used[0]])
            units = self.job.sample.groups[np.sort(rows)]
        at = np.flatnonzero(finite)
        return [left[at[k]] for k in race.dropped(losses[finite], units, weights) if left[at[k]] in live]

    def _weights(self, splits: Sequence[int]) -> Floats:
        """Return the weights of the test rows of some splits, in the order of the rows."""
        rows = np.sort(np.concatenate([self.plan.splits[j][1] for j in splits]))
        weights: Floats = np.asarray(self.job.sample.weights)[rows]
        return weights

    def losses(self, candidates: Sequence[int]) -> Floats:
        """Return the losses of candidates that were fitted on all splits, shape (repeats, n, candidates).

        Rows that no split tests have none (NaN).
        """
        n, plan = self.job.sample.n, self.plan
        repeats = [plan.repeat(r) for r in range(plan.repeats)] if plan.folds else [range(len(plan.splits))]
        out = np.full((len(repeats), n, len(candidates)), np.nan)
        for r, splits in enumerate(repeats):
            rows = np.sort(np.concatenate([plan.splits[j][1] for j in splits]))
            for k, i in enumerate(candidates):
                out[r, rows, k] = self._losses(i, splits)
        return out

    def _losses(self, i: int, splits: Sequence[int]) -> Floats:
        """Return the losses of candidate i on the test rows of some splits, in the order of the rows."""
        metric, parts, rows = cast("Metric", self.metric), [], []
        for j in splits:
            test = self.plan.splits[j][1]
            out = self.ledger.records[i, j].outputs(self.job.sample.classes)
            values = metric.losses(out.against(self.job.sample.y[test]))
            parts.append(np.asarray(values))
            rows.append(test)
        return np.concatenate(parts)[np.argsort(np.concatenate(rows))]
