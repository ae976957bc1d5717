"""A search within a budget: the settings as given, then draws, each along its path, then draws near the best.

Rounds of boosting go on while the last ones are shown to lower the loss: the paired interval of the gain over
the folds must lie above 0.  Candidates race within each batch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import clone

from empirisk.data.deadline import OutOfTime, stopped_here
from empirisk.data.seeds import generator_of
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.parts import Parts, parts_of
from empirisk.evaluation.sample import Sample
from empirisk.search.base import BaseSearch
from empirisk.search.fitting import raise_again
from empirisk.search.ledger import Ledger
from empirisk.search.points import LogUniform, Params, draw_points
from empirisk.search.race import Race
from empirisk.search.rounds import Rounds, Stopped
from empirisk.search.tuning.explored import Explored, alike
from empirisk.search.tuning.ranges import Space
from empirisk.search.verdict import Question, Verdict, judge

__all__ = ["Budget", "Tuner"]

MOST_ROUNDS = 5_000
GROWTH = (1.5, 2.2, 3.3)  # times the last number of rounds
MOST_DRAWS, BATCH = 64, 8  # from the whole ranges, and near the best at a time
# Shares of the step of the best that are tried at last: Friedman, Annals of Statistics 29 (2001), section 5.
SLOWER, STEP = (0.5, 0.25), "learning_rate"
ROOM = 1.2  # forecasts of the time have this much to spare


@dataclass(frozen=True)
class Budget:
    """What a search may spend: fits on a fold, or seconds; the other one is infinite.

    Parameters
    ----------
    fits : float
        Values that are fitted together count once.
    seconds : float
        Of wall time for the fits, that on all rows included.
    rounds : float
        Rounds of boosting in all fits together: what fits cost depends on them.
    longest : int
        Rounds of one fit at most.
    """

    fits: float = math.inf
    seconds: float = math.inf
    rounds: float = math.inf
    longest: int = MOST_ROUNDS


class Tuner(BaseSearch):
    """The search behind :func:`empirisk.tune`; its parameters are those of the function."""

    def __init__(
        self,
        estimator: Any,
        space: Space,
        budget: Budget,
        *,
        metric: Any = None,
        cv: Any = None,
        repeats: int | None = 1,
        rule: str = "min",
        racing: float | None = 0.05,
        level: float = 0.95,
        n_jobs: int | None = None,
        progress: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator, self.space, self.budget = estimator, space, budget
        self.metric, self.cv, self.repeats, self.rule = metric, cv, repeats, rule
        self.racing, self.level, self.n_jobs, self.progress = racing, level, n_jobs, progress
        self.random_state = random_state
        self.complexity, self.refit, self.error_score = None, True, np.nan
        self.time_limit, self.checkpoint = None, None

    # -- what the base asks for ---------------------------------------------------------------------

    def _points(self, rng: np.random.Generator) -> list[Params]:
        return [{}]

    def _search(self, X: Any, y: Any, groups: Any, **rows: Any) -> None:
        self._begin()
        super()._search(X, y, groups, **rows)

    def _begin(self) -> None:
        """Start the clock, and the draws."""
        self._began = time.monotonic()
        self._rng = generator_of(self.random_state)
        self.said_: list[str] = []

    def explore(self, sample: Sample) -> Explored:
        """Return what the search tried on the rows of a sample, and the losses of these rows.

        A block of :meth:`empirisk.data.deadline.Deadline.within` around it may cut it once the settings as
        given are scored; what was scored by then is returned.

        Parameters
        ----------
        sample : Sample
            Rows, and what ties them together; the metric must be a mean of losses of rows.

        Raises
        ------
        empirisk.data.deadline.OutOfTime
            The time was up before the settings as given were scored.
        """
        self._begin()
        self._check()
        q, points = self._question(sample), self._points(self._rng)
        rounds = Rounds(self._job(q), q.plan, Ledger(None, {}), q.ours, self.n_jobs, progress=self.progress)
        self._rounds(rounds, points, q, None)
        models = [rounds.job.configured(p) for p in points]
        verdict = judge(q, rounds.ledger, rounds.out, None, models)
        name = f"{self._parts.prefix}{self.space.path}"
        return Explored(
            tuple(points),
            tuple(self._bare(p) for p in points),
            tuple(p.get(name) for p in points),
            verdict.ranked,
            rounds.losses([int(i) for i in verdict.ranked]),
            verdict.lowest,
            rounds.tasks,
            tuple(dict.fromkeys(self.said_)),
        )

    def _job(self, q: Question) -> Any:
        job = super()._job(q)
        self._parts: Parts = parts_of(self.estimator)
        X, y = q.sample.X, q.sample.y
        self._seen: tuple[Any, ...] = (self._parts.fit_before(X, y)[1], y)
        return job

    def _rounds(self, rounds: Rounds, points: list[Params], q: Question, race: Race | None) -> None:
        points[:] = self._config({})
        rounds.run(points, range(len(points)))
        if all(rounds.ledger.error(i) for i in range(len(points))):
            raise_again(rounds.job, points[0], q.plan.splits[0])
        rounds.deadline = self._began + self.budget.seconds
        try:
            self._batches(rounds, points, q)
        except Stopped:
            self.said_.append(f"The time of {self.budget.seconds:g} s ended a batch before its last fold.")
        except OutOfTime:
            if not stopped_here():
                raise
            self.said_.append("The time was up before the last fold of a batch.")
        self._seen = ()
        self.tasks_ = rounds.tasks

    def _batches(self, rounds: Rounds, points: list[Params], q: Question) -> None:
        """Fit one batch after another until the budget is used up."""
        splits, batch = len(q.plan.splits), 0
        kept = len(SLOWER) if self.space.grows and STEP in self._draws() else 0
        while True:
            spent = time.monotonic() - self._began
            each = spent / max(1, rounds.tasks) * splits * ROOM
            left = (self.budget.seconds - spent - each / splits) / each  # with the fit on all rows
            left = min((self.budget.fits - rounds.tasks) / splits, left)
            if left < 1.0:
                break
            room = (self.budget.rounds - self._grown(rounds, points)) / splits
            verdict = judge(q, rounds.ledger, rounds.out, None, [rounds.job.configured(p) for p in points])
            new = self._longer(points, verdict)
            if not new and batch >= 0 and left >= kept + 1.0:
                some = left - kept
                count = math.ceil(min(some, 2.0 * MOST_DRAWS) / 2.0) if not batch else int(min(BATCH, some))
                some = room - kept * self._last(points[verdict.lowest])
                new = self._within(self._drawn(points, verdict, count, batch), some / (1 if batch else 2))
                batch += 1
            if not new and batch >= 0:
                new, batch = self._slower(points, verdict, int(left) if kept else 0), -1
            new = self._within(new, room)
            if not new:
                break
            start = len(points)
            points.extend(new)
            best = verdict.lowest  # runs along, so that who is behind it leaves
            rounds.run(points, range(start, len(points)), self._race(q, len(new) + 1), [best])

    def _last(self, point: Params) -> float:
        """Return the rounds of a candidate of boosting; 0 of others."""
        return float(point[f"{self._parts.prefix}{self.space.path}"]) if self.space.grows else 0.0

    def _grown(self, rounds: Rounds, points: Sequence[Params]) -> float:
        """Return the rounds of all fits so far: values that are fitted together cost those of the last."""
        if not self.space.grows:
            return 0.0
        most: dict[tuple[int, str], float] = {}
        for i, split in rounds.ledger.records:
            key = split, repr(self._bare(points[i]))
            most[key] = max(most.get(key, 0.0), self._last(points[i]))
        return sum(most.values())

    def _within(self, new: list[Params], room: float) -> list[Params]:
        """Return the settings whose rounds on one split still have room, one after the other."""
        if math.isinf(room) or not self.space.grows:
            return new
        out: list[Params] = []
        for settings in _alike_in_a_row(new, self._bare):
            rounds = max(map(self._last, settings))
            if rounds <= room:
                out, room = out + settings, room - rounds
        return out

    # -- candidates ---------------------------------------------------------------------------------

    def _named(self, settings: Mapping[str, Any]) -> Params:
        return {f"{self._parts.prefix}{k}": v for k, v in settings.items()}

    def _config(self, drawn: Mapping[str, Any], values: Sequence[Any] | None = None) -> list[Params]:
        """Return the candidates of one drawing of settings: one for each value along the path."""
        settings = {**self.space.fixed, **drawn}
        if not self.space.path or self.space.along is None:
            return [self._named(settings)]
        if values is None:
            model = clone(self._parts.model).set_params(**clone(settings, safe=False))
            values = self.space.along(model, *self._seen)
        return [self._named({**settings, self.space.path: v}) for v in values]

    def _bare(self, point: Params) -> dict[str, Any]:
        """Return what was drawn of a candidate: without its place on the path, and what is fixed."""
        head = len(self._parts.prefix)
        kept = {k[head:]: v for k, v in point.items()}
        return {k: v for k, v in kept.items() if k != self.space.path and k not in self.space.fixed}

    def _draws(self) -> Mapping[str, Any]:
        draws = self.space.draws
        return draws(self._parts.model, *self._seen) if callable(draws) else draws

    def _drawn(self, points: list[Params], verdict: Verdict, count: int, batch: int) -> list[Params]:
        """Return new candidates: drawn from the whole ranges in the first batch, near the best after it."""
        draws = self._draws()
        if not draws:
            return []
        given = self._parts.model.get_params(deep=False)
        before = [{k: self._bare(p).get(k, given.get(k)) for k in draws} for p in points]
        best = before[verdict.lowest]
        new: list[Params] = []
        for _ in range(8 * count):
            drawn = draw_points(draws, 1, self._rng)[0]
            if batch:
                drawn = {k: self._near(k, v, best, draws[k], batch) for k, v in drawn.items()}
            if any(alike(drawn, other) for other in before):
                continue
            before.append(drawn)
            values = self._rounds_like(points[verdict.lowest], best, drawn) if self.space.grows else None
            new += self._config(drawn, values)
            count -= 1
            if not count:
                break
        return new

    def _near(self, name: str, drawn: Any, best: Mapping[str, Any], source: Any, batch: int) -> Any:
        """Return a value near the best one: its range shrinks with each batch."""
        if isinstance(source, LogUniform) and isinstance(best[name], int | float):
            reach = 0.5 * math.log(source.high / source.low) * 0.7**batch
            moved = best[name] * math.exp(self._rng.uniform(-reach, reach))
            moved = min(max(moved, source.low), source.high)
            return round(moved) if source.integer else float(moved)
        return best[name] if self._rng.random() < 0.5 else drawn

    def _slower(self, points: list[Params], verdict: Verdict, count: int) -> list[Params]:
        """Return the best settings with shorter steps, and as many times more rounds: seldom worse, and what
        draws of all settings at once find late.
        """
        given = self._parts.model.get_params(deep=False)
        own = self._bare(points[verdict.lowest])
        best = {**given, **own}
        new: list[Params] = []
        for share in SLOWER[:count]:
            drawn = {**own, STEP: share * float(best[STEP])}
            new += self._config(drawn, self._rounds_like(points[verdict.lowest], best, drawn))
        return new

    # -- rounds -------------------------------------------------------------------------------------

    def _rounds_like(self, point: Params, best: Mapping[str, Any], drawn: Mapping[str, Any]) -> list[int]:
        """Return the rounds for new settings: around those of the best, as many times more as steps are
        shorter.
        """
        rate = float(best.get("learning_rate", getattr(self._parts.model, "learning_rate", 0.1)))
        at = float(point[f"{self._parts.prefix}{self.space.path}"])
        at *= rate / float(drawn.get("learning_rate", rate))
        tried = {
            min(self.budget.longest, max(3, round(at * f)))
            for f in (0.12, 0.25, 0.4, 0.6, 0.8, 1.0, 1.3, 1.7)
        }
        return sorted(tried)

    def _longer(self, points: list[Params], verdict: Verdict) -> list[Params]:
        """Return more rounds of the best settings, where its last ones are the best, beyond doubt."""
        if not self.space.grows:
            return []
        name = f"{self._parts.prefix}{self.space.path}"
        place = {int(i): k for k, i in enumerate(verdict.ranked)}
        best, own = verdict.lowest, self._bare(points[verdict.lowest])
        line = [i for i in place if alike(self._bare(points[i]), own)]
        most = max(points[i][name] for i, p in enumerate(points) if alike(self._bare(p), own))
        last = points[best][name]
        fewer = [i for i in line if points[i][name] < last]
        if last < most or last >= self.budget.longest or not fewer:
            return []
        before = max(fewer, key=lambda i: points[i][name])
        a, b, standing = place[before], place[best], verdict.standing
        gain, error = float(standing.loss[a] - standing.loss[b]), standing.error(a, b)
        lower = gain - float(special.stdtrit(standing.df, 0.5 + 0.5 * self.level)) * error
        if not lower > 0.0:
            self.said_.append(
                f"Rounds ended at {last:,}: the step from {points[before][name]:,} lowered the loss by"
                f" {gain:.2g}, and the interval of that begins at {lower:.2g}."
            )
            return []
        values = sorted({min(self.budget.longest, round(last * f)) for f in GROWTH})
        return self._config(own, values)

    def _race(self, q: Question, count: int) -> Race | None:
        if self.racing is None or not isinstance(q.ours, RowLoss) or q.plan.folds is None or count < 2:
            return None
        return Race(q.plan, count, self.racing)

    def _space(self) -> Any:
        return self.space


def _alike_in_a_row(points: Sequence[Params], bare: Callable[[Params], dict[str, Any]]) -> list[list[Params]]:
    """Return the candidates with the same settings together; they follow each other."""
    out: list[list[Params]] = []
    for point in points:
        if out and alike(bare(out[-1][0]), bare(point)):
            out[-1].append(point)
        else:
            out.append([point])
    return out
