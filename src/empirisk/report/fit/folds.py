"""The folds inside the training part: by row, by whole units, or forward in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.sample import Sample

__all__ = ["Fold", "Folds", "make_folds"]

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Fold:
    """Rows to fit on and rows to score, of one fold in one repeat."""

    repeat: int
    fit: Index
    score: Index


@dataclass(frozen=True)
class Folds:
    """All folds of all repeats.

    Parameters
    ----------
    items : tuple of Fold
        Repeat by repeat.
    n_folds, n_repeats : int
    scored : int array
        Rows that are scored once in every repeat (all of them, except with time).
    sentence : str
        What was done, for the page.
    """

    items: tuple[Fold, ...]
    n_folds: int
    n_repeats: int
    scored: Index
    sentence: str

    def positions(self, fold: Fold) -> Index:
        """Return where the scored rows of a fold stand within :attr:`scored`."""
        return np.searchsorted(self.scored, fold.score)

    def first(self, done: int) -> Folds:
        """Return the first folds alone: whole repeats where there is at least one, else the folds of the
        first.
        """
        if done >= len(self.items):
            return self
        repeats = done // self.n_folds
        if repeats:
            done = repeats * self.n_folds
            said = f" The time limit left {repeats} of {self.n_repeats} repeats."
            scored = self.scored
        else:
            said = f" The time limit left {done} of {self.n_folds} folds."
            scored = np.sort(np.concatenate([f.score for f in self.items[:done]]))
        return Folds(self.items[:done], self.n_folds, max(1, repeats), scored, self.sentence + said)


def make_folds(sample: Sample, n_folds: int, n_repeats: int, seed: int) -> Folds:
    """Cut the training part into folds.

    Parameters
    ----------
    sample : Sample
        Training rows. Units stay together; with a time column every fold is scored by a model of its past.
    n_folds, n_repeats : int
        Wanted numbers; there are never more folds than units, and one repeat only with time.
    seed : int
        Seed of the folds, which are those of :func:`empirisk.cross_evaluate` with the same seed.
    """
    if sample.time is not None:
        return _forward(sample.time, n_folds)
    rows = sample.dealt
    tied = rows.together if rows.groups is None else rows.groups
    k = max(2, min(n_folds, sample.n if tied is None else int(tied.max()) + 1))
    plan = rows.plan(k, n_repeats, seed)
    items = [Fold(r, *plan.splits[j]) for r in range(plan.repeats) for j in plan.repeat(r)]
    kind = "folds of whole groups" if sample.groups is not None else "folds"
    kind += "" if sample.task == "regression" else " with like class shares"
    times = f", repeated {n_repeats} times," if n_repeats > 1 else ""
    sentence = f"{k} {kind} inside the training part{times} chose the model."
    return Folds(tuple(items), k, n_repeats, np.arange(sample.n), sentence)


def _forward(time: NDArray[np.float64], n_folds: int) -> Folds:
    """Return the blocks of equal numbers of rows in order of time; each but the first is scored by all before
    it.
    """
    order = np.argsort(time, kind="stable")
    blocks = [b for b in np.array_split(order, max(2, min(n_folds + 1, time.size))) if b.size]
    items = [Fold(0, np.sort(np.concatenate(blocks[:i])), np.sort(blocks[i])) for i in range(1, len(blocks))]
    sentence = (
        f"{len(items)} folds forward in time inside the training part chose the model: "
        "each is scored by a model of its past."
    )
    return Folds(tuple(items), max(2, len(items)), 1, np.sort(np.concatenate(blocks[1:])), sentence)
