"""The folds inside the training part: by row, by whole units, or forward in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.sample import Sample

__all__ = ["Fold", "Folds", "deal", "make_folds"]

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
        Seed of the first repeat; the others follow.
    """
    if sample.time is not None:
        return _forward(sample.time, n_folds)
    units = np.arange(sample.n) if sample.units is None else np.unique(sample.units, return_inverse=True)[1]
    k = max(2, min(n_folds, int(units.max()) + 1))
    strata = np.zeros(sample.n, dtype=np.intp) if sample.task == "regression" else sample.y
    items = []
    for repeat in range(n_repeats):
        fold_of = deal(units, strata, k, np.random.default_rng(seed + repeat))
        items += [Fold(repeat, np.flatnonzero(fold_of != i), np.flatnonzero(fold_of == i)) for i in range(k)]
    kind = "folds of whole groups" if sample.groups is not None else "folds"
    kind += "" if sample.task == "regression" else " with like class shares"
    times = f", repeated {n_repeats} times," if n_repeats > 1 else ""
    sentence = f"{k} {kind} inside the training part{times} chose the model."
    return Folds(tuple(items), k, n_repeats, np.arange(sample.n), sentence)


def deal(units: Index, strata: Index, k: int, rng: np.random.Generator) -> Index:
    """Give each row a fold number so that units stay whole and every stratum is spread evenly.

    The units of a stratum (that of their first row) are shuffled and cut into k runs of like numbers of rows;
    each stratum starts at a random fold, so that rare classes do not meet in the first one. With few units
    a fold could stay empty: it then gets a unit of the fold that has most. There must be at least k units.

    Examples
    --------
    >>> import numpy as np
    >>> fold = deal(np.arange(6), np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> np.bincount(fold[:4]), np.bincount(fold[4:])
    (array([2, 2]), array([1, 1]))
    """
    _, first, sizes = np.unique(units, return_index=True, return_counts=True)
    out = np.empty(first.size, dtype=np.intp)
    for stratum in np.unique(strata[first]):
        members = rng.permutation(np.flatnonzero(strata[first] == stratum))
        rows = sizes[members]
        middle = (np.cumsum(rows) - 0.5 * rows) / rows.sum()
        out[members] = (np.floor(k * middle).astype(np.intp) + rng.integers(k)) % k
    filled = np.bincount(out, minlength=k)
    for fold in np.flatnonzero(filled == 0):
        donor = int(np.argmax(filled))
        out[np.flatnonzero(out == donor)[0]] = fold
        filled[donor] -= 1
        filled[fold] += 1
    return out[units]


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
