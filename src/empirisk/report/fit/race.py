"""The race on few rows: which candidates are fitted on all of them, and which leave before, where, by how
much.

Every candidate is judged on a few training rows of two folds, then on twice as many, and so on, against the
one that leads on the same rows.  One leaves where its paired difference says that it is behind, at a level
that all looks and candidates share, unless the line through its last two looks (over the logarithm of the
rows) may still cross that of the leader before all rows, and the time suffices to see.  Doubled rows are
those of successive halving (Jamieson and Talwalkar 2016), paired tests those of the races of Maron and Moore
(1994); the difference is for the leader, so that the best candidate leaves by chance in at most 5 % of races.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.data.deadline import Deadline
from empirisk.evaluation.folds import Plan as Splits
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.report.fit.behind import apart
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.left import Left
from empirisk.report.fit.looks import RACED_FOLDS, TESTED, look_sizes, some_rows
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.recipe import Encoders
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.tuning import CrossValidated, cross_validate
from empirisk.report.progress import Stages
from empirisk.results import Estimate

__all__ = ["Race", "Raced"]

Floats = NDArray[np.float64]
RACING = 0.3  # share of the time of the cross-validation that the race may take
RIVALS = 0.25  # share of the time of a report, or of the cross-validation, for those that are not left behind
WRONG = 0.05  # chance that the best candidate is taken to be behind


@dataclass(frozen=True)
class Raced:
    """What a race leaves: the candidates to fit on all rows, in their order, and those that left."""

    rows: list[Candidate]
    left: tuple[Left, ...] = ()


@dataclass(frozen=True)
class _Standing:
    """Where a candidate stands at a look, and whether it is behind, and may still cross before all rows."""

    left: Left
    behind: bool
    crosses: bool


@dataclass(frozen=True)
class Race:
    """What the looks of a race share.

    Parameters
    ----------
    sample : Sample
        Training rows.
    folds : Folds
        Those of the cross-validation, of whose first two the looks take rows.
    encoders : Encoders
        Of the table.
    metric : RowLoss
        What candidates are judged by.
    n_alphas : int
        Values of each parameter.
    progress : Stages
        Told after every fit.
    seed : int
    deadline : Deadline
    """

    sample: Sample
    folds: Folds
    encoders: Encoders
    metric: RowLoss
    n_alphas: int
    progress: Stages
    seed: int
    deadline: Deadline

    def over(
        self, rows: Sequence[Candidate], cost: Mapping[str, float], room: float, seconds: float = math.inf
    ) -> Raced:
        """Return who stays of the candidates.

        The leader stays, and the simplest of the linear models that are as good as the best of them, which
        pages compare with.  Of the others those that are not behind come first, then those whose curves may
        cross, the cheapest first, as far as the room goes.

        Parameters
        ----------
        rows : sequence of Candidate
        cost : mapping of str to float
            Predicted seconds of all fits of each on all rows, by name.
        room : float
            Seconds for the fits of those that stay beside the leader and the linear model.
        seconds : float
            How long the race may take.
        """
        fewest = min(len(train) for train, _ in self.folds.plan.splits)
        sizes = look_sizes(fewest)
        live = [c for c in rows if c.role == "candidate"]
        if not sizes or len(live) < 2:
            return Raced(list(rows))
        level = WRONG / ((len(live) - 1) * len(sizes))
        end = self.deadline.left() - seconds if math.isfinite(seconds) else 0.0
        left: dict[str, Left] = {}
        before: dict[str, Floats] = {}
        for k, size in enumerate(sizes):
            if len(live) < 2:
                break
            each = self.deadline.left(end) / (len(sizes) - k) if math.isfinite(seconds) else math.inf
            found, late = self._look([*(c for c in rows if c.role == "baseline"), *live], size, each)
            left |= {c.name: Left(c, size, "time", late[c.name]) for c in live if c.name in late}
            live = [c for c in live if c.name in found]
            ahead = math.log2(fewest / size)
            if not live:
                break
            leader = min(live, key=lambda c: self._mean(found[c.name]))
            stays = {leader.name, self._simple(live, found, size, level)}
            at = {
                c.name: self._standing(c, leader, found, before, size, level, ahead)
                for c in live
                if c.name not in stays
            }
            gone = [name for name, one in at.items() if one.behind and not one.crosses]
            if k == len(sizes) - 1:
                left |= _late([one for name, one in at.items() if name not in gone], cost, room)
            left |= {name: at[name].left for name in gone}
            live = [c for c in live if c.name not in left]
            before = found
        if all(c.name in left for c in rows if c.role == "candidate"):  # each was too slow for its look
            return Raced(list(rows))
        kept = [c for c in rows if c.name not in left]
        return Raced(kept, tuple(left[c.name] for c in rows if c.name in left))

    def _look(
        self, live: Sequence[Candidate], size: int, seconds: float
    ) -> tuple[dict[str, Floats], dict[str, str]]:
        """Return the losses of rows of each candidate, fitted on so many rows, and who took too long."""
        y, k, splits = self.sample.y, self.sample.n_classes, []
        for train, test in self.folds.plan.splits[:RACED_FOLDS]:
            splits.append((some_rows(train, y, k, size, self.seed), some_rows(test, y, k, TESTED, self.seed)))
        few = Folds(Splits(self.sample.n, tuple(splits), None, 0), len(splits), 1, "")
        results, _, late, _ = cross_validate(
            self.sample, few, live, self.encoders.on(size), self.metric, self.n_alphas, _Steps(self.progress),
            self.seed, self.deadline, seconds, look=True,
        )  # fmt: skip
        names = {c.label: c.name for c in live}
        return {r.candidate.name: self._best(r) for r in results}, {names[k]: why for k, why in late.items()}

    def _best(self, result: CrossValidated) -> Floats:
        """Return the losses at the value with the smallest mean, shape (n,), NaN for rows without one."""
        means = [self._mean(result.losses[0, :, i]) for i in range(result.alphas.size)]
        return np.asarray(result.losses[0, :, int(np.argmin(means))])

    def _mean(self, losses: Floats) -> float:
        """Return the mean of the losses that there are; infinite where one is."""
        scored = ~np.isnan(losses)
        w = None if self.sample.weights is None else self.sample.weights[scored]
        mean = float(np.average(losses[scored], weights=w)) if scored.any() else math.inf
        return mean if math.isfinite(mean) else math.inf

    def _interval(self, values: Floats, size: int, level: float, method: str) -> Estimate:
        """Return the mean of losses or differences of rows with its interval."""
        scored = ~np.isnan(values)
        own, groups = values[scored], self.sample.groups
        if self.sample.weights is not None:
            w = self.sample.weights[scored]
            own = own * (w / w.mean())
        mean, error, m = apart(own, float(size), None if groups is None else groups[scored])
        half = float(special.stdtrit(max(1, m - 1), 1.0 - level)) * error
        known = math.isfinite(half)
        low, high = (mean - half, mean + half) if known else (None, None)
        return Estimate(mean, low, high, 1.0 - WRONG, m, method)

    def _simple(self, live: Sequence[Candidate], found: Mapping[str, Floats], size: int, level: float) -> str:
        """Return the name of the linear model that stays, "" where there is none."""
        linear = [c for c in live if c.linear]
        if not linear:
            return ""
        best = min(linear, key=lambda c: self._mean(found[c.name]))
        for c in sorted(linear, key=lambda c: (bool(c.step), bool(c.l1_ratio))):
            more = self._interval(found[c.name] - found[best.name], size, level, "")
            if c is best or more.low is None or more.low <= 0.0:
                return c.name
        return best.name

    def _standing(
        self,
        c: Candidate,
        leader: Candidate,
        found: Mapping[str, Floats],
        before: Mapping[str, Floats],
        size: int,
        level: float,
        ahead: float,
    ) -> _Standing:
        """Return where a candidate stands that does not lead; at the first look no curve is known."""
        own, first = found[c.name], found[leader.name]
        how = "t interval of the rows of two folds, at a level that all looks and candidates share"
        gap = self._interval(own - first, size, level, f"paired {how}")
        score = self._interval(own, size, level, how)
        behind = not math.isfinite(gap.value) or (gap.low is not None and gap.low > 0.0)
        crosses = not before
        if behind and before and math.isfinite(gap.value):
            fall = (before[c.name] - before[leader.name]) - (own - first)
            end = self._interval(own - first - ahead * fall, size, level, "")
            crosses = end.low is not None and end.low <= 0.0
        return _Standing(Left(c, size, "behind", "", leader.label, score, gap, own, first), behind, crosses)


def _late(rest: Sequence[_Standing], cost: Mapping[str, float], room: float) -> dict[str, Left]:
    """Return who leaves for want of time after the last look: the dearest first, of those that are behind."""
    out: dict[str, Left] = {}
    for one in sorted(rest, key=lambda one: (one.behind, cost.get(one.left.candidate.name, 0.0))):
        name = one.left.candidate.name
        need = cost.get(name, 0.0)
        if need > room:
            how = (
                "more rows may still bring it to the front" if one.behind else "it was not seen to be behind"
            )
            said = f"{how}, and its fits on all rows would take about {max(1.0, need):.0f} s"
            out[name] = replace(one.left, why="time", said=said)
        else:
            room -= need
    return out


def race(
    sample: Sample,
    folds: Folds,
    plan: Plan,
    encoders: Encoders,
    metric: RowLoss,
    progress: Stages,
    seed: int,
    deadline: Deadline,
    seconds: float,
) -> Raced:
    """Return the candidates that a race on few rows leaves, all of them where the plan has none.

    There is none either where the time limit does not leave the seconds that it is predicted to take.

    Parameters
    ----------
    sample, folds, encoders, metric, progress, seed, deadline
        As in :class:`Race`.
    plan : Plan
        Whose candidates race.
    seconds : float
        Of the race and the cross-validation after it, infinite without a limit.
    """
    short = math.isfinite(seconds) and plan.race_seconds * deadline.slowness > RACING * seconds
    if not plan.looks or short:  # the clock would end more fits than the race could
        return Raced(plan.rows)
    progress.stage("Racing", RACED_FOLDS * len(plan.looks) * len(plan.rows), plan.race_seconds)
    run = Race(sample, folds, encoders, metric, plan.n_alphas, progress, seed, deadline)
    cost = {c.name: folds.n_splits * plan.cost(c) for c in plan.rows}
    room = RIVALS * (plan.budget if math.isinf(seconds) else seconds)
    return run.over(plan.rows, cost, room, RACING * seconds)


class _Steps:
    """Passes the steps of a stage on, and no forecast: one fold of a look says little about all."""

    def __init__(self, of: Stages) -> None:
        self.of = of

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """Pass a stage on that begins."""
        self.of.stage(name, steps, seconds)

    def advance(self, note: str = "") -> None:
        """Pass a step on that is done."""
        self.of.advance(note)

    def forecast(self, seconds: float) -> None:
        """Keep a forecast of the time back, which is of one look alone."""
