"""Which rows are fitted and which are scored: repeated stratified or grouped folds, or given splits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.brief import Brief
from empirisk.data.seeds import check_form, generator_of
from empirisk.evaluation.given_splits import Ties, given_splits

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]

FOLDS = 5
ONE_SPLIT = "one train/test split: the interval is that of its test rows"
NO_REPEATS = (
    "the splits are not repeats of K folds, so the width rests on the few split scores and is noisier"
)


@dataclass(frozen=True, repr=False)
class Plan(Brief):
    """Splits into training and test rows, and what they amount to.

    Parameters
    ----------
    n : int
        Rows of the sample.
    splits : tuple of (train, test)
        Row numbers.
    folds : int or None
        K when the splits are repeats of K-fold cross-validation, else None.
    repeats : int
        How many times every row is tested (0 when `folds` is None).
    note : str
        What is lost with these splits; empty with the default ones.
    """

    n: int
    splits: tuple[Split, ...]
    folds: int | None
    repeats: int
    note: str = ""

    @property
    def test_over_train(self) -> float:
        """Mean of n_test/n_train over the splits."""
        return float(np.mean([test.size / train.size for train, test in self.splits]))

    @cached_property
    def n_train(self) -> int:
        """The number of training rows of a split, on average over the splits."""
        return round(float(np.mean([train.size for train, _ in self.splits])))

    @property
    def n_scored(self) -> int:
        """The number of rows that are in some test part."""
        if self.folds is not None:
            return self.n
        return int(np.unique(np.concatenate([test for _, test in self.splits])).size)

    def repeat(self, r: int) -> tuple[int, ...]:
        """Return the positions of the splits of repeat r."""
        ends = self._ends()
        return tuple(range(ends[r], ends[r + 1]))

    def only(self, j: int) -> Plan:
        """Return the plan of split j alone."""
        return Plan(self.n, (self.splits[j],), None, 0, ONE_SPLIT)

    def first(self, count: int) -> Plan:
        """Return the plan of the first splits alone: of whole repeats where there is at least one.

        Parameters
        ----------
        count : int
            How many splits were done; with K folds those of a repeat that is not whole are left out.
        """
        done = [end for end in self._ends() if end <= count] if self.folds is not None else [0]
        if done[-1] == 0:
            return self.only(0) if count == 1 else Plan(self.n, self.splits[:count], None, 0, NO_REPEATS)
        repeats = len(done) - 1
        note = self.note or _lost(self.n, self.folds or 0, repeats)
        return Plan(self.n, self.splits[: done[-1]], self.folds, repeats, note)

    def _ends(self) -> list[int]:
        covered = np.cumsum([test.size for _, test in self.splits])
        return [0, *(int(i) + 1 for i in np.flatnonzero(covered % self.n == 0))]

    def same_as(self, other: Plan) -> bool:
        """Return whether two plans test the same rows in the same splits."""
        return len(self.splits) == len(other.splits) and all(
            np.array_equal(a[1], b[1]) and np.array_equal(a[0], b[0])
            for a, b in zip(self.splits, other.splits, strict=True)
        )


def plan_folds(
    strata: NDArray[np.intp] | None,
    n: int,
    cv: Any = None,
    groups: NDArray[np.intp] | None = None,
    repeats: int | None = None,
    random_state: int | np.random.Generator | None = None,
    *,
    together: NDArray[np.intp] | None = None,
    time: NDArray[Any] | None = None,
    X: Any = None,
    y: Any = None,
) -> Plan:
    """Make the splits.

    Parameters
    ----------
    strata : int array of shape (n,) or None
        Class codes to spread evenly over the folds.
    n : int
        Rows.
    cv : None, int, splitter or iterable of (train, test)
        Number of folds (5 by default), a scikit-learn splitter, or splits of row numbers.
    groups : int array of shape (n,) or None
        Groups that must stay whole.
    repeats : int, optional
        Repeats of the folds; 5 up to 1000 rows and with groups, 2 above. Only with `cv` None or an int.
    random_state : int, Generator or None
        Seed of the folds.
    together : int array of shape (n,) or None
        Rows that must stay in one fold, and count one by one: copies.
    time : array of shape (n,) or None
        When each row came; given splits must then go forward.
    X, y
        Passed to a splitter.

    Examples
    --------
    >>> plan = plan_folds(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 8, cv=2, repeats=3, random_state=0)
    >>> plan.folds, plan.repeats, [int(test.size) for _, test in plan.splits]
    (2, 3, [4, 4, 4, 4, 4, 4])
    """
    check_form(random_state)
    if cv is None or isinstance(cv, int | np.integer):
        if time is not None:
            raise ValueError(
                f"cv = {FOLDS if cv is None else int(cv)} deals shuffled folds, which predict rows from "
                "later ones, and the rows have a time: leave cv out for five blocks forward in time, or give "
                "a splitter or pairs whose training rows are all earlier than their test rows, such as "
                "scikit-learn's TimeSeriesSplit on rows in order of time."
            )
        return _own_folds(
            strata, n, FOLDS if cv is None else int(cv), groups, repeats, random_state, together
        )
    if repeats is not None:
        raise ValueError("repeats goes with cv=None or a number of folds; a splitter brings its own repeats.")
    moment = None if time is None else np.unique(time, return_inverse=True)[1].astype(np.intp)
    return recognise(n, given_splits(cv, n, Ties(groups, together, moment), X, y))


def _own_folds(
    strata: NDArray[np.intp] | None,
    n: int,
    folds: int,
    groups: NDArray[np.intp] | None,
    repeats: int | None,
    random_state: int | np.random.Generator | None,
    together: NDArray[np.intp] | None,
) -> Plan:
    tied = together if groups is None else groups
    units = n if tied is None else int(tied.max()) + 1
    if not 2 <= folds <= units:
        what = "rows" if tied is None else "groups" if tied is groups else "rows that differ"
        raise ValueError(
            f"cv = {folds} folds cannot be made of {units} {what}; it must lie between 2 and {units}."
        )
    if repeats is None:
        repeats = 5 if n <= 1000 or groups is not None else 2
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}.")
    rng = generator_of(random_state, shared=True)
    codes = np.zeros(n, dtype=np.intp) if strata is None else strata
    splits: list[Split] = []
    for _ in range(repeats):
        if groups is not None:
            fold = _deal_groups(codes, folds, groups, rng)
        elif together is not None:
            fold = deal_units(together, codes, folds, rng)
        else:
            fold = _deal(codes, folds, rng)
        splits += [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]
    return Plan(n, tuple(splits), folds, repeats, _lost(n, folds, repeats))


def _deal(strata: NDArray[np.intp], folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Deal the rows, sorted by stratum and shuffled within it, to the folds in turn."""
    order = np.lexsort((rng.random(strata.size), strata))
    fold = np.empty(strata.size, dtype=np.intp)
    fold[order] = rng.permutation(folds)[np.arange(strata.size) % folds]
    return fold


def _deal_groups(
    strata: NDArray[np.intp], folds: int, groups: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Deal whole groups, large ones first, each to the fold where its classes are scarcest."""
    n_groups, n_strata = int(groups.max()) + 1, int(strata.max()) + 1
    table = np.zeros((n_groups, n_strata))
    np.add.at(table, (groups, strata), 1.0)
    table /= np.maximum(table.sum(axis=0), 1.0)
    order = np.lexsort((rng.random(n_groups), -np.bincount(groups, minlength=n_groups)))
    load, home = np.zeros((folds, n_strata)), np.empty(n_groups, dtype=np.intp)
    for rank, g in enumerate(order):
        empty = np.flatnonzero(load.sum(axis=1) == 0.0)
        if n_groups - rank <= empty.size:  # keep a group for every fold
            home[g] = rng.choice(empty)
        else:
            cost = ((load + table[g]) ** 2).sum(axis=1) - (load**2).sum(axis=1)
            # Costs are sums of shares, equal only up to rounding; ties are drawn by lot.
            home[g] = rng.choice(np.flatnonzero(cost <= cost.min() + 1e-12))
        load[home[g]] += table[g]
    return home[groups]


def deal_units(units: Rows, strata: Rows, k: int, rng: np.random.Generator) -> Rows:
    """Give each row a fold number so that units stay whole and every stratum is spread evenly.

    The units of a stratum (that of their first row) are shuffled and cut into k runs of like numbers of rows;
    each stratum starts at a random fold, so that rare classes do not meet in the first one. With few units
    a fold could stay empty: it then gets a unit of the fold that has most. There must be at least k units.

    Examples
    --------
    >>> import numpy as np
    >>> fold = deal_units(np.arange(6), np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(0))
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


def recognise(n: int, splits: tuple[Split, ...]) -> Plan:
    """Read foreign splits: repeats of K folds when every row is tested once per repeat, else plain splits."""
    if len(splits) == 1:
        return Plan(n, splits, None, 0, ONE_SPLIT)
    seen, sizes, count = np.zeros(n, dtype=bool), [], 0
    for _, test in splits:
        if seen[test].any() or np.bincount(test, minlength=n).max() > 1:
            break
        seen[test] = True
        count += 1
        if seen.all():
            sizes.append(count)
            seen[:], count = False, 0
    if count or not sizes or sum(sizes) != len(splits):
        return Plan(n, splits, None, 0, NO_REPEATS)
    folds, note = min(sizes), _lost(n, min(sizes), len(sizes))
    if any(train.size + test.size < n for train, test in splits):
        note = "the training parts leave rows out, so the score is that of a smaller sample"
    return Plan(n, splits, folds, len(sizes), note)


def _lost(n: int, folds: int, repeats: int) -> str:
    """Return what a thrifty choice of folds costs, from the coverage study."""
    if repeats == 1 and n < 1000:
        return "one split into folds covers nearer 91 % than 95 %; repeat the folds 5 times"
    if folds >= 10 and n < 200:
        return f"{folds} folds cover 1 to 3 points less than 5 folds with as many repeats"
    return ""
