"""The settings of boosting and forests, searched within the time of a report by the ranges of ``er.tune``.

The search runs on the first repeat of the folds; what it chose is then cross-validated like every other
candidate, on all of them.  The losses of all trials are kept, so that the best score can be corrected for
having been chosen among them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.scoring import Scoring
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.choose import one_standard_error
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.looks import on_all_rows, some_rows
from empirisk.report.fit.recipe import Encoders, recipe
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.tuning import CrossValidated, cross_validate
from empirisk.report.progress import Stages
from empirisk.search.tuning.explored import Explored
from empirisk.search.tuning.ranges import RANGES, ROUNDS, Space
from empirisk.search.tuning.tuner import Budget, Tuner
from empirisk.wording import number, percent

__all__ = ["ESTIMATORS", "Search", "Searched", "space_of"]

Floats = NDArray[np.float64]
ESTIMATORS = {"boosting": "GradientBoosting", "forest": "RandomForest"}  # by the kind of a candidate
# A family is left alone where it is this share of what the best gains over the baseline behind, and beyond
# two standard errors.
FAR = 0.1
# On many rows other settings must be worth this share of it, or take no more rounds than those given, times
# this: folds, the learning curve and the refit all pay for more.
WORTH, CHEAP = 0.005, 1.5


@dataclass(frozen=True)
class Searched:
    """What became of the search for the settings of a candidate.

    Parameters
    ----------
    candidate : Candidate
        With the settings that were chosen.
    drawn : tuple of str
        Parameters whose values were drawn.
    fits, planned : int
        Fits on a fold that were made, and that were planned.
    trials : int
        Different settings that were tried.
    losses : array of shape (n, t)
        Of the rows, of all trials at every number of rounds; NaN for rows that no split tests.
    ends : dict of str to str
        Chosen numbers at an end of their range: "lowest" or "highest".
    why : str
        Why there was no search, "" where there was one.
    rows : int
        Training rows of its fits, 0 where these were all of the folds.
    lost : bool
        Whether what it chose there was no better than the settings as given on all rows.
    """

    candidate: Candidate
    drawn: tuple[str, ...] = ()
    fits: int = 0
    planned: int = 0
    trials: int = 0
    losses: Floats | None = None
    ends: Mapping[str, str] | None = None
    why: str = ""
    rows: int = 0
    lost: bool = False

    @property
    def label(self) -> str:
        """What readers call the candidate in its row."""
        return self.candidate.label


def space_of(candidate: Candidate, task: str) -> Space:
    """Return the ranges of ``er.tune`` for the estimator of a candidate."""
    return RANGES[ESTIMATORS[candidate.kind] + ("Regressor" if task == "regression" else "Classifier")]


@dataclass
class Search:
    """The search for the settings of the candidates of a report.

    Parameters
    ----------
    sample : Sample
        Training rows.
    folds : Folds
        Those that the candidates were cross-validated on.
    scoring : Scoring
        Compares losses.
    encoders : Encoders
        Of the table.
    metric : RowLoss
        What is minimised.
    planned : mapping of str to int
        Fits on a fold, by the name of a candidate.
    n_values : int
        Values of a parameter at most.
    progress : Stages
        Told after every fit.
    seed : int
        Of draws and fits.
    deadline : Deadline
        What cuts the fits.
    on : mapping of str to int
        Training rows of a fit of those searches that do not take all of a fold.
    longest : int
        Rounds of boosting that may be chosen.
    shares : mapping of str to float
        Of the planned fits, by the name of a candidate, where several are searched; all of them by default.
    """

    sample: Sample
    folds: Folds
    scoring: Scoring
    encoders: Encoders
    metric: RowLoss
    planned: Mapping[str, int]
    n_values: int
    progress: Stages
    seed: int
    deadline: Deadline
    on: Mapping[str, int] = field(default_factory=dict)
    longest: int = ROUNDS[-1]
    shares: Mapping[str, float] = field(default_factory=dict)

    def over(
        self, results: Sequence[CrossValidated], seconds: float
    ) -> tuple[list[CrossValidated], tuple[Searched, ...]]:
        """Return the candidates, with the settings that the search chose where it found better ones.

        Parameters
        ----------
        results : sequence of CrossValidated
        seconds : float
            How long all of this may take, infinite without a limit.
        """
        out, searched = list(results), []
        end = self.deadline.left() - seconds if math.isfinite(seconds) else 0.0
        open_ = [i for i, r in enumerate(out) if self.planned.get(r.candidate.name, 0)]
        near = [i for i in open_ if not self._far(out[i], out)]
        fits = {i: self._fits(out[i].candidate.name, len(near)) for i in near}
        for i in open_:
            # What the search before it chose may have left it behind, too.
            if i not in fits or self._far(out[i], out):
                searched.append(Searched(out[i].candidate, why="it is far behind the best candidate"))
                continue
            each = math.inf
            if math.isfinite(seconds):
                each = self.deadline.left(end) * fits[i] / sum(f for j, f in fits.items() if j >= i)
            out[i], told = self._one(out[i], fits[i], each, self._baseline(out))
            searched.append(told)
        return out, tuple(searched)

    def _fits(self, name: str, searches: int) -> int:
        """Return how many fits one of so many searches may make; enough for two settings beside the first."""
        share = self.shares.get(name, 1.0) if searches > 1 else 1.0
        return max(min(self.planned[name], 3 * self.folds.n_folds), int(share * self.planned[name]))

    def _one(
        self, result: CrossValidated, planned: int, seconds: float, baseline: float
    ) -> tuple[CrossValidated, Searched]:
        """Search the settings of one candidate, and cross-validate those that were chosen."""
        candidate, splits = result.candidate, self.folds.n_splits
        try:
            found = self._explored(candidate, planned, seconds * planned / (planned + splits))
        except OutOfTime:
            return result, Searched(candidate, planned=planned, why="the time limit left no time for it")
        space = space_of(candidate, self.sample.task)
        settings = found.settings[found.best]
        values = tuple(float(v) for v in found.along(found.best))[-self.n_values :]
        chosen = replace(candidate, settings=tuple(sorted(settings.items())), tried=values)
        told = Searched(
            candidate,
            tuple(space.draws) if not callable(space.draws) else (),
            found.fits,
            planned,
            found.trials,
            found.losses[0],
            {},
            rows=self.on.get(candidate.name, 0),
        )
        if not settings and not (values and max(values) > result.alphas.max()):
            return result, told  # those that it began with
        if told.rows and (why := self._not_worth(found, baseline)):
            return result, replace(told, why=why)
        rest = max(0.0, seconds * splits / (planned + splits))
        again, kept, _, _ = cross_validate(
            self.sample, self.folds, [chosen], self.encoders, self.metric, self.n_values, self.progress,
            self.seed, self.deadline, rest,
        )  # fmt: skip
        if not again or kept.n_splits < splits:
            return result, replace(
                told, why="the time limit left no time to score what it chose on all folds"
            )
        told = replace(told, losses=self._as_on_all(found, again[0]))
        if told.rows and not self._mean(again[0]) < self._mean(result):
            return result, replace(told, lost=True)
        return again[0], replace(told, candidate=chosen, ends=space.at_ends(settings))

    def _not_worth(self, found: Explored, baseline: float) -> str:
        """Return why the chosen settings are not worth what they cost; "" where they are, or the cost is not
        known.
        """
        means = {int(i): self.scoring.value(found.losses[:, :, j]) for j, i in enumerate(found.ranked)}
        given = [i for i in means if not found.settings[i]]
        if not given or found.values[found.best] is None:
            return ""
        first = min(given, key=means.__getitem__)
        gained, more = baseline - means[first], found.values[found.best] / found.values[first]
        fall = means[first] - means[found.best]
        if more <= CHEAP or not 0.0 <= fall < WORTH * gained:
            return ""
        return (
            f"the best of the others gained only {percent(fall / gained)} more over the baseline than they"
            f" do, with {number(more, 2)} times the rounds"
        )

    def _mean(self, result: CrossValidated) -> float:
        return self.scoring.value(self._least(result))

    def _as_on_all(self, found: Explored, again: CrossValidated) -> Floats:
        """Return the losses of all trials; of fits on fewer rows as those of the chosen settings fell."""
        if not self.on.get(again.candidate.name):
            return np.asarray(found.losses[0])
        best = int(np.flatnonzero(found.ranked == found.best)[0])
        of_all = again.losses.mean(axis=0)
        at = int(np.argmin(of_all.mean(axis=0))) if np.isfinite(of_all).all() else -1
        return on_all_rows(found.losses[0], found.losses[0][:, best], of_all[:, at])

    def _explored(self, candidate: Candidate, fits: int, seconds: float) -> Explored:
        """Return what a search on the first repeat of the folds tried, or on some rows of it."""
        sample, k = self.sample, self.sample.n_classes
        size = self.on.get(candidate.name, sample.n)
        splits = [
            (some_rows(train, sample.y, k, size, self.seed), test)
            for train, test in self.folds.plan.splits[: self.folds.n_folds]
        ]
        tuner = Tuner(
            recipe(candidate, self.encoders.table, 100.0, self.seed, self.encoders),
            space_of(candidate, self.sample.task),
            Budget(fits, seconds, float(fits * ROUNDS[-1]), self.longest),
            metric=self.metric.name,
            cv=splits,
            repeats=None,
            progress=lambda done, planned: self.progress.advance(candidate.label),
            random_state=self.seed,
        )
        with self.deadline.within(seconds):
            return tuner.explore(self.sample.dealt)

    def _far(self, result: CrossValidated, results: Sequence[CrossValidated]) -> bool:
        """Return whether a candidate is so far behind the best that other settings would not mend it."""
        own = [r for r in results if r.candidate.role != "reference"]
        losses = [self._least(r) for r in own]
        means = [self.scoring.value(one) for one in losses]
        best = int(np.argmin(means))
        mine = self._least(result)
        behind = self.scoring.value(mine) - means[best]
        gain = self._baseline(own)
        if own[best] is result or not behind > FAR * max(0.0, gain - means[best]):
            return False
        return bool(behind > 2.0 * self.scoring.standard_error(mine, losses[best]))

    def _baseline(self, results: Sequence[CrossValidated]) -> float:
        """Return the mean loss of the constant prediction, 0 where none was scored."""
        return max((self._mean(r) for r in results if r.candidate.role == "baseline"), default=0.0)

    def _least(self, result: CrossValidated) -> Floats:
        """Return the losses of a candidate at the value with the smallest mean."""
        return result.losses[:, :, one_standard_error(result.losses, self.scoring)[1]]
