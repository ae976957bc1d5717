"""The flow of a search: plan, rounds, verdict, refit; what GridSearch and RandomSearch share."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags

from empirisk.data.caller_line import caller_level
from empirisk.data.kept import fingerprint
from empirisk.data.seeds import generator_of
from empirisk.data.threads import check_jobs
from empirisk.estimators.estimator import Estimator
from empirisk.evaluation.compare import default_metric
from empirisk.evaluation.cross import foreign_scorers
from empirisk.evaluation.evaluate import named
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.metrics import Metric, find_metric
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.rows import table_and_target
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.tags import inherit
from empirisk.results.estimate import check_level
from empirisk.search.answers import Answers
from empirisk.search.columns import cv_results
from empirisk.search.fitting import Job, raise_again
from empirisk.search.ledger import Ledger
from empirisk.search.points import Params
from empirisk.search.race import Race
from empirisk.search.result import SearchResult
from empirisk.search.rounds import Rounds, Stopped
from empirisk.search.rules import check_rule, complexities
from empirisk.search.verdict import Question, Verdict, corrected_score, judge
from empirisk.search.zoom import edges


class SearchWarning(UserWarning):
    """ER002: a search was cut short, or some candidates failed."""


class BaseSearch(Answers, MetaEstimatorMixin, Estimator):
    """Base of the searches; a subclass says which candidates there are."""

    estimator: Any
    metric: Any
    cv: Any
    repeats: int | None
    rule: str
    complexity: Any
    racing: float | None
    refit: bool
    level: float
    error_score: Any
    time_limit: float | None
    checkpoint: str | os.PathLike[str] | None
    n_jobs: int | None
    progress: Any
    random_state: Any

    # -- what a subclass gives ----------------------------------------------------------------------

    def _points(self, rng: np.random.Generator) -> list[Params]:
        """Return the candidates of the first round."""
        raise NotImplementedError

    def _wants_more(self, done: int) -> bool:
        """Return whether to look for further candidates after `done` further rounds."""
        return False

    def _more(self, points: Sequence[Params], verdict: Verdict) -> list[Params]:
        """Return the candidates of a further round; none ends the search."""
        return []

    def _space(self) -> Any:
        """Return what the candidates come from, for the fingerprint of a checkpoint."""
        raise NotImplementedError

    # -- fit ------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Score all candidates on the same folds, choose one, and fit it on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, p)
            Rows.
        y : array of shape (n,)
            Targets.
        groups : array of shape (n,), optional
            Which rows belong together; folds then hold whole groups.
        sample_weight : array of shape (n,), optional
            Weights of the rows, in fits and in scores alike, as in :func:`empirisk.cross_evaluate`.
        exposure, offset : array of shape (n,), optional
            Exposures, or known parts of the scores, of the rows: fits and predictions get them.

        Returns
        -------
        self
            When the first fit of a search is interrupted, what was scored by then is kept; a later fit that
            fails or is interrupted leaves the search as it was.

        Raises
        ------
        ValueError
            Parameters out of range, all candidates fail (with the first error), or a checkpoint of
            another search.
        TypeError
            Weights, exposures or offsets, and an estimator whose fit takes none.
        TimeoutError
            The time limit passed before anything was scored.
        """
        before = dict(self.__dict__)
        try:
            self._search(X, y, groups, weights=sample_weight, exposure=exposure, offset=offset)
        except BaseException as error:
            if "result_" in before or not isinstance(error, KeyboardInterrupt):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise
        return self

    def _search(self, X: Any, y: ArrayLike, groups: ArrayLike | None, **rows: ArrayLike | None) -> None:
        started = time.monotonic()
        self._check()
        X, y = table_and_target(type(self).__name__, X, y)
        points = self._points(generator_of(self.random_state))
        n_first = len(points)
        for point in points:
            clone(self.estimator).set_params(**clone(point, safe=False))  # names that do not exist, at once
        sample = Sample.of(self.estimator, X, y, groups, **rows)
        q = self._question(sample)
        job = self._job(q)
        ledger = Ledger(self.checkpoint, self._facts(q, X, sample))
        deadline = math.inf if self.time_limit is None else started + self.time_limit
        rounds = Rounds(job, q.plan, ledger, q.ours, self.n_jobs, deadline, self.progress)
        race = None
        if self.racing is not None:
            race = Race(q.plan, len(points), self.racing)
            if not isinstance(q.ours, RowLoss):
                raise ValueError(
                    f"racing needs a metric that is a mean of row losses, and {q.metric} is none."
                )
        note = ""
        try:
            self._rounds(rounds, points, q, race)
        except Stopped:
            note = f"Stopped by the time limit of {self.time_limit:g} s after {rounds.done} fits."
        except KeyboardInterrupt:
            if not hasattr(self, "result_"):
                with suppress(TimeoutError, ValueError):  # nothing was scored yet
                    self._finish(q, rounds, points, n_first, f"Interrupted after {rounds.done} fits.")
            raise
        self._finish(q, rounds, points, n_first, note)
        if self.refit:
            self._refit(job, sample)

    def _rounds(self, rounds: Rounds, points: list[Params], q: Question, race: Race | None) -> None:
        """Fit the first candidates, then what further rounds add to `points`."""
        rounds.run(points, range(len(points)), race)
        if all(rounds.ledger.error(i) for i in range(len(points))):
            raise_again(rounds.job, points[0], q.plan.splits[0])
        done = 0
        while self._wants_more(done):
            order = complexities(points, self.complexity, self.rule == "one_se")
            models = [rounds.job.configured(p) for p in points]
            verdict = judge(q, rounds.ledger, rounds.out, order, models)
            new = self._more(points, verdict)
            if not new:
                return
            done += 1
            points.extend(new)
            rounds.run(points, range(len(points) - len(new), len(points)))

    def _finish(self, q: Question, rounds: Rounds, points: list[Params], n_first: int, note: str) -> None:
        ledger = rounds.ledger
        order = complexities(points, self.complexity, self.rule == "one_se")
        dropped = {i: at for i, at in rounds.out.items() if not ledger.error(i)}
        v = judge(q, ledger, dropped, order, [rounds.job.configured(p) for p in points])
        notes = [note] if note else []
        failed = [i for i, state in enumerate(v.states) if state == "failed"]
        if failed:
            notes.append(
                f"{len(failed)} of {len(points)} candidates failed, the first: {ledger.error(failed[0])}"
            )
        unsure = [r.warning for _, r in sorted(ledger.records.items()) if r.warning]
        if unsure:
            notes.append(
                f"{len(unsure)} of {len(ledger.records)} fits did not converge, the first: {unsure[0]}"
            )
        chance = np.zeros(len(points))
        chance[v.ranked] = v.standing.probability_best(q.seed)
        metric = q.metric
        fits = [
            [ledger.records[i, j] for j in range(len(q.plan.splits)) if ledger.has(i, j)]
            for i in range(len(points))
        ]
        self.__dict__.pop("best_estimator_", None)  # of an earlier fit
        self.result_ = SearchResult(
            metric=metric,
            points=tuple(points),
            states=tuple(v.states),
            errors=tuple(ledger.error(i) for i in range(len(points))),
            scores=tuple(None if e is None else e[metric] for e in v.scored),
            simultaneous=tuple(v.wide),
            probability_best=chance,
            best=v.best,
            lowest=v.lowest,
            score=corrected_score(q, v, order),
            rule=self.rule,
            edge=edges([points[i] for i in v.ranked], int(np.flatnonzero(v.ranked == v.best)[0])),
            standing=v.standing,
            ranked=tuple(int(i) for i in v.ranked),
            fold_scores=tuple(np.empty(0) if e is None else e.fold_scores(metric) for e in v.scored),
            seconds=tuple(np.array([r.seconds for r in records]) for records in fits),
            note=" ".join(notes),
            n_first=n_first,
            greater_is_better=q.sign < 0.0,
        )
        self.cv_results_ = cv_results(self.result_, len(q.plan.splits))
        self.n_splits_ = len(q.plan.splits)
        self.multimetric_ = False
        if notes:
            warnings.warn(f"ER002: {self.result_.note}", SearchWarning, stacklevel=caller_level())

    def _refit(self, job: Job, sample: Sample) -> None:
        started = time.perf_counter()
        model = job.configured(self.best_params_)
        self.best_estimator_ = sample.fit(model)
        self.refit_time_ = time.perf_counter() - started
        self._learn_columns(self.best_estimator_)

    # -- preparation ----------------------------------------------------------------------------------

    def _check(self) -> None:
        check_rule(self.rule)
        check_level(self.level)
        check_jobs(self.n_jobs)
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise TypeError(f"estimator must be an estimator instance with fit, got {self.estimator!r}.")
        if self.time_limit is not None and not self.time_limit > 0.0:
            raise ValueError(f"time_limit must be None or a number of seconds > 0, got {self.time_limit!r}.")
        recorded = isinstance(self.error_score, float) and math.isnan(self.error_score)
        if not recorded and self.error_score != "raise":
            raise ValueError(
                f'error_score must be nan (note the error) or "raise", got {self.error_score!r}.'
            )
        if self.checkpoint is not None and not isinstance(self.random_state, int | np.integer):
            raise ValueError(
                "checkpoint: give random_state an integer, so that a resumed run has the same folds."
            )

    def _default_metric(self) -> str | Metric:
        """That of the estimator and of every model that a grid puts in the place of one of its steps."""
        space = getattr(self, "param_grid", None) or getattr(self, "param_distributions", None) or {}
        maps = [space] if isinstance(space, Mapping) else list(space)
        lists = [v for m in maps for v in m.values() if isinstance(v, list | tuple)]
        steps = [m for values in lists for m in values if hasattr(m, "predict_proba")]
        found = {default_metric(self.estimator, other) for other in (self.estimator, *steps)}
        return "brier_score" if "brier_score" in found else found.pop()

    def _question(self, sample: Sample) -> Question:
        metric = self.metric if self.metric is not None else self._default_metric()
        wanted = named(metric, sample.like)
        if len(wanted) != 1:
            raise ValueError(f"metric must be one metric to choose by, got {', '.join(wanted)}.")
        name = next(iter(wanted))
        ours = find_metric(wanted[name])
        greater = ours is None or ours.greater_is_better
        plan: Plan = sample.plan(self.cv, self.repeats, self.random_state)
        seed = int(self.random_state) if isinstance(self.random_state, int | np.integer) else 0
        sign = -1.0 if greater else 1.0
        return Question(sample, plan, name, wanted, sign, self.level, self.rule, seed)

    def _job(self, q: Question) -> Job:
        foreign = foreign_scorers(q.wanted)
        need = "" if q.ours is None else q.ours.needs
        raises = self.error_score == "raise"
        return Job(self.estimator, q.sample, need, foreign.get(q.metric), raises)

    def _facts(self, q: Question, X: Any, sample: Sample) -> dict[str, str]:
        if self.checkpoint is None:
            return {}
        return {
            "rows": fingerprint((X, sample.y, sample.groups, sample.weights, *sample.known().values())),
            "estimator": fingerprint(self.estimator),
            "candidates": fingerprint(self._space()),
            "folds": fingerprint(q.plan.splits),
            "metric": q.metric,
            "racing": repr(self.racing),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        with suppress(Exception):  # an estimator that is none is refused by fit, in words
            tags = inherit(tags, get_tags(self.estimator))
        return tags

    def _headline(self) -> str:
        return self.result_.headline if hasattr(self, "result_") else ""

    def _html_repr(self) -> str:
        inner = str(super()._html_repr())
        return inner + self.result_._repr_html_() if hasattr(self, "result_") else inner
