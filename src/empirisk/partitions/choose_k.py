"""er.choose_k: how many clusters, by six criteria with intervals, and a test of whether there are any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.data.seeds import Seed, check_seed
from empirisk.data.threads import check_jobs, one_thread
from empirisk.estimators.checks import check_count, check_number
from empirisk.evaluation.fit_folds import SMALL
from empirisk.partitions.criteria import REGISTRY
from empirisk.partitions.criteria.base import Evidence, Judged
from empirisk.partitions.criteria.bic import bic_of
from empirisk.partitions.criteria.gap import NULL as GAP_NULL
from empirisk.partitions.grouping import Grouping, Partition
from empirisk.partitions.indices.base import moments
from empirisk.partitions.k_choice import KChoice
from empirisk.partitions.no_clusters import Draws, UngroupedError, tested_nulls
from empirisk.partitions.numbers import tried_numbers
from empirisk.partitions.resamples import Resamples, resample, subsample_size
from empirisk.partitions.rows import Rows, read_rows
from empirisk.results.estimate import check_level
from empirisk.typing import IndexArray

__all__ = ["choose_k"]

GAP_DRAWS = 39  # uniform draws of the gap statistic


@like_input
def choose_k(
    estimator: Any,
    X: Any,
    ks: Iterable[int] | None = None,
    *,
    sample_weight: Any = None,
    penalty: float | None = None,
    n_draws: int = 99,
    n_subsamples: int = 20,
    max_rows: int = 2000,
    level: float = 0.95,
    random_state: Seed = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> KChoice:
    """Choose the number of clusters K: ``argmin W_K + penalty K`` and five other criteria, or no clusters at
    all.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with ``fit_predict`` and ``n_clusters`` or ``n_components``.  One with ``cut(n_clusters)``
        is fitted once for all numbers.
    X : array, frame or CSR matrix, shape (n, p)
        At least 10 rows.
    ks : iterable of int >= 1, optional
        Numbers to try, one of them above 1; 1 to 10 by default, no more than there are different rows.
    sample_weight : array, shape (n,), optional
        Weights >= 0, for estimators that take them.
    penalty : float >= 0, optional
        The price of a cluster in squared units of X; by the slope of W_K when None.
    n_draws : int >= 19, default 99
        Draws of each null; a null that plainly holds is left after 19.
    n_subsamples : int >= 5, default 20
        Pairs of subsamples of 80 % of the rows.
    max_rows : int >= 50, default 2000
        The test and the subsamples use at most so many rows, drawn at random.
    level : float in (0, 1), default 0.95
        Of the intervals; no clusters are refuted at ``1 - level``.
    random_state : int, Generator, RandomState or None, default None
        None is seed 0.  An estimator that has a random_state of its own keeps it on the rows themselves.
    n_jobs : int, optional
        Processes, as in joblib.  Results do not depend on it.
    time_limit : float > 0, optional
        Seconds; criteria that are not done by then say so.
    progress : callable or bool, optional
        Called with (steps done, steps in all); True counts on the error stream.

    Returns
    -------
    KChoice
        ``.verdict`` is a sentence, ``.k`` the number (1: no clusters), ``.to_frame()`` the table.

    Raises
    ------
    TypeError
        An estimator without ``fit_predict`` or without a number of clusters.
    ValueError
        NaN by column and row; no number above 1; more clusters than different rows; equal rows.
    MemoryError
        When the principal axes do not fit.

    Notes
    -----
    "No clusters" is refuted only where the inertia falls faster than for rows from *each* null: two uniform
    boxes, one Gaussian, an elliptical cloud with the tails of the rows, and one cloud with columns like
    theirs: as skewed, and with the values of columns that take few (see docs/maths/partitions.md, and the
    page of measured false claims).  One column that takes few values makes no clusters by itself.  Then the
    number is that which most criteria recommend, the smaller of equals.  Cost: one fit for each K, then at
    most 5 n_draws + 2 n_subsamples fits for each K on at most `max_rows` rows.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = 9.0 * np.eye(3, 2)[np.arange(60) % 3] + rng.normal(size=(60, 2))
    >>> found = er.choose_k(KMeans(n_init=3), X, range(1, 6), n_subsamples=5)
    >>> found.k
    3
    >>> er.choose_k(KMeans(n_init=3), rng.normal(size=(60, 2)), range(1, 6), n_subsamples=5).k
    1
    """
    check_level(level)
    check_count("n_draws", n_draws, 19)
    check_count("n_subsamples", n_subsamples, 5)
    check_count("max_rows", max_rows, 50)
    check_jobs(n_jobs)
    if penalty is not None:
        check_number("penalty", penalty, 0.0)
    if time_limit is not None:
        check_number("time_limit", time_limit, 0.0, closed=False)
    grouping = Grouping(estimator)
    given = read_rows(X, sample_weight)
    grouping.check_weights(given)
    rows = given.alone()
    tried, one = tried_numbers(ks, rows)
    run = _Run(
        grouping, rows, tried, check_seed(random_state), int(n_draws), int(n_subsamples), int(max_rows),
        level, n_jobs, teller(progress), Deadline(time_limit),
    )  # fmt: skip
    if rows.X.shape[0] * rows.X.shape[1] < SMALL:
        with one_thread():
            run.work()
    else:
        run.work()
    return run.choice(one, penalty, given.kept)


@dataclass
class _Run:
    """The work, part by part, so that what is done when time runs out is kept."""

    grouping: Grouping
    rows: Rows
    tried: tuple[int, ...]
    seed: int
    n_draws: int
    n_subsamples: int
    max_rows: int
    level: float
    n_jobs: int | None
    tell: Any
    deadline: Deadline

    def work(self) -> None:
        """Fit every number, then test for clusters, then group subsamples."""
        self.done = 0
        self.total = 1 + GAP_DRAWS + len(tested_nulls()) * self.n_draws + self.n_subsamples
        self.draws: Draws | None = None
        self.refused: dict[int, str] = {}
        self.late = ""
        n = self.rows.n
        self.few = min(n, self.max_rows)
        self.resamples = Resamples(self.tried, n, subsample_size(self.few))
        try:
            with self.deadline.within(self.deadline.left()):
                self.found = self._fit()
                self._step()
                part = self._part()
                of_part = self.found if part is self.rows else self._group(part)
                while not self._compared(part, of_part):
                    pass
                resample(
                    self.grouping, part, self.tried, self.n_subsamples, self.seed, self.n_jobs, self._step,
                    self.resamples,
                )  # fmt: skip
            self.tell(self.total, self.total)
        except OutOfTime:
            if not hasattr(self, "found"):
                raise TimeoutError(
                    "time_limit ran out before the rows were grouped once into each number; allow more time "
                    "or give fewer ks"
                ) from None
            self.late = f"the time limit of {self.deadline.limit:g} s ran out"

    def _compared(self, part: Rows, of_part: dict[int, Partition]) -> bool:
        """Compare with rows without clusters; numbers into which those cannot be grouped leave, and the
        answer is no: once more with the others.
        """
        self.resamples.ks = self.tried
        self.draws = Draws(self.grouping, part, of_part, self.seed, self.n_jobs, self._step)
        try:
            self.draws.test(self.n_draws, 1.0 - self.level)
            self.draws.draw(GAP_NULL, GAP_DRAWS)
        except UngroupedError as error:
            left = tuple(k for k in self.tried if k not in error.ks)
            if len(left) == 1:
                raise ValueError(
                    f"{self.grouping.name}: {error.why}; {self.grouping.parameter} = {error.ks[0]} was the "
                    "smallest number: take a form of it with fewer parameters (covariance='tied', a ridge), "
                    "or more rows"
                ) from error
            self.tried = left
            for k in error.ks:
                self.refused[k] = error.why
                of_part.pop(k)
                self.found.pop(k, None)
            return False
        return True

    def _fit(self) -> dict[int, Partition]:
        found = self._group(self.rows)
        # A likelihood has a value for one component, too, and needs its fit.
        if any(bic_of(f.model, self.rows.X) is not None for f in found.values() if f.model is not None):
            found[1] = self.grouping.partition(self.rows, 1, self.seed)
        return found

    def _group(self, rows: Rows) -> dict[int, Partition]:
        refused: dict[int, str] = {}
        found = self.grouping.partitions(rows, self.tried, self.seed, refused=refused)
        self.refused.update(refused)
        if len(found) == 1:
            k, why = next(iter(refused.items()))
            raise ValueError(f"{self.grouping.name} groups these rows into no number of ks; {k}: {why}")
        self.tried = tuple(found)
        return found

    def _part(self) -> Rows:
        """Return the rows, or a sample of them where they are many."""
        if self.rows.n <= self.max_rows:
            return self.rows
        rng = np.random.default_rng([self.seed, 3])
        return self.rows.take(np.sort(rng.choice(self.rows.n, self.max_rows, replace=False)))

    def _step(self) -> None:
        """Tell of a step; the last one is told at the end, because a null that holds ends early."""
        self.done += 1
        if self.done < self.total:
            self.tell(self.done, self.total)

    def choice(self, one: bool, penalty: float | None, kept: Any) -> KChoice:
        """Return what the criteria and the test make of the work."""
        inertia = {
            k: float(moments(self.rows, f.codes, f.found).squares.sum()) for k, f in self.found.items()
        }
        falls = {} if self.draws is None else self.draws.falls
        observed = None if self.draws is None else self.draws.observed
        tests = [] if self.draws is None else self.draws.tests
        evidence = Evidence(
            self.rows, self.found, inertia, self.resamples, falls, observed, one,
            None if penalty is None else float(penalty), self.level, self.late,
        )  # fmt: skip
        criteria = {name: kind().judge(evidence) for name, kind in REGISTRY.items()}
        p = max((t.p_value for t in tests), default=None)
        refuted = p is not None and p <= 1.0 - self.level + 1e-12
        # One null that is not refuted settles it; clusters need all of them refuted.
        done = p is not None and (not refuted or len(tests) == len(tested_nulls()))
        k = (_most_votes(criteria) if refuted else 1) if done else None
        return KChoice(
            k, self.tried[1:], criteria, tuple(tests), p if done else None, self._labels(kept),
            self.rows.n, self.few, self.level, self.grouping.name, self.grouping.parameter,
            tuple(self._remarks()), self._gap_null(),
        )  # fmt: skip

    def _labels(self, kept: Any) -> dict[int, IndexArray]:
        out: dict[int, IndexArray] = {}
        for k, f in self.found.items():
            labels = np.full(len(kept), -1, dtype=np.intp)
            labels[kept] = f.codes
            out[k] = labels
        return out

    def _remarks(self) -> list[str]:
        said = []
        if self.late:
            said.append(f"Incomplete: {self.late}.")
        if self.few < self.rows.n:
            said.append(
                f"The test and the subsamples used {self.few:,} of {self.rows.n:,} rows, drawn at random."
            )
        said += [f"{self.grouping.parameter} = {k} was refused: {why}." for k, why in self.refused.items()]
        short = [f"{k} gave {f.found}" for k, f in self.found.items() if f.found < k]
        if short:
            said.append(f"Fewer clusters hold rows than were asked for: {', '.join(short)}.")
        return said

    def _gap_null(self) -> dict[str, Any]:
        null = None if self.draws is None else self.draws.falls.get(GAP_NULL)
        if self.draws is None or null is None or not null.logs:
            return {}
        logs = np.vstack(null.logs)
        return {
            "ks": list(null.ks),
            "observed": self.draws.observed.tolist(),
            "mean": logs.mean(axis=0).tolist(),
            "low": np.quantile(logs, 0.025, axis=0).tolist(),
            "high": np.quantile(logs, 0.975, axis=0).tolist(),
        }


def _most_votes(criteria: dict[str, Judged]) -> int:
    """Return the number above 1 that most criteria recommend, the smaller of equals."""
    votes: dict[int, int] = {}
    for judged in criteria.values():
        if judged.k is not None and judged.k > 1:
            votes[judged.k] = votes.get(judged.k, 0) + 1
    return min(votes, key=lambda k: (-votes[k], k), default=1)
