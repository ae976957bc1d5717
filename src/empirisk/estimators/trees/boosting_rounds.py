"""Rounds of boosting for one loss or several side by side, with one choice of their number."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk.inference.early_stop import EarlyStop
from empirisk.losses import Loss
from empirisk.results import TracePoint
from empirisk.trees.bins import Binned
from empirisk.trees.boost import Round, Validation, boost
from empirisk.trees.growth import Growth
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Callback", "Grown", "Plan", "Rows", "check_callback", "grow_rounds"]

# (round, mean training loss, mean validation loss or None) -> whether to stop
Callback = Callable[[int, float, float | None], Any]


def check_callback(callback: Any) -> Callback | None:
    """Return what is called after each round; anything but None and callables is refused."""
    if callback is None or callable(callback):
        return callback  # type: ignore[no-any-return]
    raise TypeError(
        "callback must be None or a callable of (round, training loss, validation loss or None), got "
        f"{callback!r}"
    )


@dataclass(frozen=True)
class Plan:
    """How the trees of a fit grow.

    Parameters
    ----------
    losses : sequence of Loss
        One scalar or vector loss, or several scalar ones (quantiles), each with its own trees.
    growth : Growth
        Limits of a tree.
    max_bins : int
        Bins of a column.
    rounds : int
        Rounds in all.
    learning_rate, subsample, seed
        As in :func:`empirisk.trees.boost.boost`.
    patience : int
        Rounds that may bring nothing new on the watched rows.
    marks : frozenset of int
        Rounds after which the scores of the growing rows are kept.
    """

    losses: Sequence[Loss]
    growth: Growth
    max_bins: int
    rounds: int
    learning_rate: float
    subsample: float
    seed: int
    patience: int
    marks: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Rows:
    """Codes, targets and weights (None: 1) of the rows of a part, and their scores before what is grown."""

    binned: Binned
    y: Array
    weight: Array | None
    scores: Array


@dataclass(frozen=True)
class Grown:
    """What the rounds made.

    Attributes
    ----------
    trees : tuple of Trees
        For each output one tree a round; empty without rounds.
    scores : array, shape (n, k)
        Of the rows that the trees grew on, after all of them.
    train_loss : tuple of float
        Mean loss of these rows before the first of these rounds and after each, summed over the losses.
    trace : tuple of TracePoint
    called_off : bool
        Whether the callback ended the growth.
    marked : mapping of int to array, shape (n, k)
        Scores of the growing rows after the rounds that the plan marks.
    """

    trees: tuple[Trees, ...]
    scores: Array
    train_loss: tuple[float, ...]
    trace: tuple[TracePoint, ...]
    called_off: bool = False
    marked: Mapping[int, Array] = field(default_factory=dict)


_Look = Callable[
    [int, float, Array | None], bool
]  # of a round: number, training loss, losses of watched rows


class _Strand:
    """The trees of one loss; several losses take turns."""

    def __init__(self, plan: Plan, loss: Loss, rows: Rows, watched: Rows | None, own: slice) -> None:
        self.plan, self.loss, self.rows, self.watched = plan, loss, rows, watched
        self.scores = rows.scores[:, own]
        self.seen = watched.scores[:, own] if watched is not None else None
        self.parts: list[tuple[Trees, ...]] = []
        self.train_loss: list[float] = []
        self.times: list[float] = []
        self.marked: dict[int, Array] = {}

    def advance(self, done: int, step: int, look: _Look | None) -> list[Array | None]:
        """Grow at most `step` rounds; row losses of the watched rows after each."""
        losses: list[Array | None] = []
        validation = None
        if self.watched is not None:
            watched = self.watched
            validation = Validation(watched.binned, watched.y, watched.weight, self.seen)

        def on_round(r: Round) -> bool:
            self.times.append(time.perf_counter())
            if r.number in self.plan.marks:
                self.marked[r.number] = r.scores.copy()
            losses.append(None if r.validation_losses is None else r.validation_losses.copy())
            if r.validation_scores is not None and r.number == done + step:
                self.seen = r.validation_scores.copy()
            return look is not None and look(r.number, r.train_loss, losses[-1])

        plan = self.plan
        made = boost(
            self.rows.binned, self.rows.y, self.rows.weight, self.loss,
            rounds=step, learning_rate=plan.learning_rate, growth=plan.growth, subsample=plan.subsample,
            seed=plan.seed, first_round=done, scores=self.scores, validation=validation, on_round=on_round,
        )  # fmt: skip
        self.scores = made.scores
        self.parts.append(made.trees)
        self.train_loss += [float(v) for v in made.train_loss[len(self.train_loss) > 0 :]]
        return losses

    def trees(self) -> tuple[Trees, ...]:
        """Return the trees of all rounds, one sequence for each output."""
        return tuple(Trees.concatenate(of_output) for of_output in zip(*self.parts, strict=True))


def grow_rounds(
    plan: Plan,
    rows: Rows,
    watched: Rows | None,
    watch: EarlyStop | None,
    done: int,
    callback: Callback | None = None,
) -> Grown:
    """Grow rounds ``done + 1, ..., plan.rounds``, or fewer when the watched rows or the callback say so.

    A single loss stops at the round that shows it; several losses grow in turns of `patience` rounds, and
    what they grew beyond the stop is for the caller to drop (``watch.rounds`` counts what was looked at).
    With a callback the turns are single rounds, after which nothing is to be dropped.
    """
    began, alone, called_off = time.perf_counter(), len(plan.losses) == 1, False
    strands = [
        _Strand(plan, loss, rows, watched, slice(None) if alone else slice(c, c + 1))
        for c, loss in enumerate(plan.losses)
    ]

    def look(number: int, train: float, losses: Array | None) -> bool:
        nonlocal called_off
        over = watch is not None and losses is not None and watch.look(losses)
        if callback is not None:
            called_off = bool(callback(number, float(train), watch.losses[-1].value if watch else None))
        return over or called_off

    turn = plan.rounds if alone else 1 if callback is not None else plan.patience if watch else plan.rounds
    while done < plan.rounds and not (called_off or (watch is not None and watch.over)):
        step = min(turn, plan.rounds - done)
        seen = [s.advance(done, step, look if alone else None) for s in strands]
        if not alone:
            for number, of_round in enumerate(zip(*seen, strict=True), done + 1):
                losses = None if watch is None else np.sum(of_round, axis=0)
                if look(number, sum(s.train_loss[-1] for s in strands), losses):
                    break
        done += step
    if not strands[0].parts:
        return Grown((), rows.scores, (), ())
    train_loss = tuple(np.sum([s.train_loss for s in strands], axis=0).tolist())
    trace = tuple(
        TracePoint(t + 1, value, np.inf, t + 1.0, at - began)
        for t, (value, at) in enumerate(zip(train_loss[1:], strands[-1].times, strict=True))
    )
    trees = tuple(of_output for s in strands for of_output in s.trees())
    marked = {number: np.column_stack([s.marked[number] for s in strands]) for number in strands[0].marked}
    scores = strands[0].scores if alone else np.column_stack([s.scores for s in strands])
    return Grown(trees, scores, train_loss, trace, called_off, marked)
