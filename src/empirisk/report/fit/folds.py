"""Which fits choose the model: the splits of the training part, and how they are told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empirisk.evaluation.folds import Plan, recognise
from empirisk.evaluation.sample import FORWARD
from empirisk.report.errors import DataError
from empirisk.report.fit.sample import Sample

__all__ = ["AT_RANDOM", "Folds", "judged_by", "make_folds"]

AT_RANDOM = "folds dealt at random, in which rows are predicted from later ones, too"


@dataclass(frozen=True)
class Folds:
    """The splits, and the sentences that tell them.

    Parameters
    ----------
    plan : Plan
        The splits of :func:`empirisk.cross_evaluate` with the same numbers and seed.
    n_folds, n_repeats : int
        Splits of one repeat, and repeats.
    sentence : str
        What was done, for the page.
    """

    plan: Plan
    n_folds: int
    n_repeats: int
    sentence: str

    @property
    def n_splits(self) -> int:
        """The number of splits of all repeats."""
        return len(self.plan.splits)

    def first(self, done: int) -> Folds:
        """Return the first splits alone: whole repeats where there is at least one, else as many as there
        are.
        """
        if done >= self.n_splits:
            return self
        repeats = done // self.n_folds
        if repeats:
            done = repeats * self.n_folds
            said = f" The time limit left {repeats} of {self.n_repeats} repeats."
        else:
            said = f" The time limit left {done} of {self.n_folds} folds."
        return replace(
            self, plan=self.plan.first(done), n_repeats=max(1, repeats), sentence=self.sentence + said
        )


def make_folds(
    sample: Sample,
    n_folds: int,
    n_repeats: int,
    seed: int,
    gap: float = 0.0,
    past: str = "all rows of earlier moments",
) -> Folds:
    """Cut the training part into folds.

    Parameters
    ----------
    sample : Sample
        Training rows. Units stay together; with a time column every block of rows is scored by a model of its
        past.
    n_folds, n_repeats : int
        Wanted numbers; there are never more folds than units; with time, one repeat of at most five blocks.
    seed : int
        Seed of the folds, which are those of :func:`empirisk.cross_evaluate` with the same seed.
    gap : float
        Time between the rows to fit on and each block, in the unit of the times of the sample.
    past : str
        Which rows a block is predicted from, in words.

    Raises
    ------
    DataError
        Every training part holds one class only, or there are too few rows or moments for blocks in time.
    """
    rows = sample.dealt
    if sample.time is not None:
        if sample.n - sample.n // 2 < FORWARD:
            raise DataError(
                f"--time leaves {sample.n} rows for training: at least 10 are needed, whose last half is"
                f" scored in {FORWARD} blocks forward in time"
            )
        try:
            plan = rows.plan()
        except ValueError as error:
            raise DataError(f"--time, inside the training part: {error}") from error
        plan = _with_gap(sample, plan, gap)
    else:
        tied = rows.together if rows.groups is None else rows.groups
        k = max(2, min(n_folds, sample.n if tied is None else int(tied.max()) + 1))
        plan = rows.plan(k, n_repeats, seed)
    kept = [split for split in plan.splits if sample.n_classes == 0 or np.unique(sample.y[split[0]]).size > 1]
    if not kept:
        raise DataError(
            "no part of the training rows that a fold leaves holds two classes: give more rows, or split them"
            " otherwise (--group, --time, --test)"
        )
    lost = len(plan.splits) - len(kept)
    k = plan.folds or len(kept)
    if lost:
        plan, k = recognise(sample.n, tuple(kept)), len(kept)
    return Folds(plan, k, max(1, plan.repeats), _told(sample, plan, k, past) + _left_out(lost))


def _with_gap(sample: Sample, plan: Plan, gap: float) -> Plan:
    """Return the splits without the rows to fit on that lie less than the gap before their block."""
    if gap <= 0.0:
        return plan
    times = sample.time
    assert times is not None
    splits = [(fit[times[fit] <= times[test].min() - gap], test) for fit, test in plan.splits]
    splits = [(fit, test) for fit, test in splits if fit.size > 1]
    if not splits:
        raise DataError(
            "--gap leaves no row to fit on before any block of the training part: give a smaller gap"
        )
    return recognise(sample.n, tuple(splits))


def _told(sample: Sample, plan: Plan, k: int, past: str) -> str:
    """Return in a sentence what the splits are."""
    if sample.time is not None:
        tested = sum(test.size for _, test in plan.splits)
        last = (
            "the last half of its rows" if tested == sample.n - sample.n // 2 else f"{tested:,} of its rows"
        )
        return (
            f"{k} block{'' if k == 1 else 's'} forward in time inside the training part chose the model:"
            f" {last}, each block scored by a model of {past}"
            f"{'' if sample.groups is None else ', whatever their group'}. The findings rest on {AT_RANDOM}."
        )
    kind = "folds of whole groups" if sample.groups is not None else "folds"
    kind += "" if sample.task == "regression" else " with like class shares"
    times = f", repeated {plan.repeats} times," if plan.repeats > 1 else ""
    return f"{k} {kind} inside the training part{times} chose the model."


def _left_out(lost: int) -> str:
    if not lost:
        return ""
    return f" {lost} more {'was' if lost == 1 else 'were'} left out: the rows to fit on hold one class only."


def judged_by(sample: Sample, plan: Plan) -> str:
    """Return the name of the metric that candidates are judged by.

    The squared error of numbers; the Poisson deviance of counts over exposures, whose variance grows with
    the exposure, so that squares would be about the rows of large exposures alone; the log-loss of classes;
    the Brier score where a training part lacks a class, because a model that never saw a class gives it the
    probability 0, and its log-loss is infinite.
    """
    if sample.task == "regression":
        return "mse" if sample.exposure is None else "poisson_deviance"
    held = np.unique(sample.y).size
    whole = all(np.unique(sample.y[train]).size == held for train, _ in plan.splits)
    return "log_loss" if whole else "brier_score"
