"""ER205: the folds differ by more than which rows fell where."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.permutation import permutation_test
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.ratio import weighted
from empirisk.wording import number, p_value

__all__ = ["CODE", "unstable_folds"]

CODE = "ER205"
MIN_UNITS = 20  # rows or groups that are exchanged
MOST_UNITS = 20_000  # beyond, blocks of rows are exchanged


def unstable_folds(ctx: Context) -> Answer:
    """Permute the row losses over the folds.

    ``T = sum_k (sum of l in fold k)^2 / n_k`` with l centred; classes are permuted among themselves (the
    folds are stratified), groups as wholes, and so copies of a row that lie in one fold.  Null: the fold
    losses differ only by which rows fell where.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> unstable_folds(context(Ridge(), X, X[:, 0] + rng.normal(size=300), random_state=0)).outcome.value
    'clear'
    """
    rng = np.random.default_rng(ctx.seed)
    totals, sizes, home, strata = _units(ctx, rng)
    if totals.size < MIN_UNITS:
        raise NotRun(f"{totals.size} {'groups' if ctx.groups is not None else 'rows'} are too few to permute")
    folds = len(ctx.plan.splits)

    def statistic(homes: NDArray[np.intp]) -> Floats:
        sums, counts = np.bincount(homes, totals, folds), np.bincount(homes, sizes, folds)
        return np.array([(sums**2 / np.maximum(counts, 1.0)).sum()])

    def draw(k: int) -> Floats:
        return np.vstack([statistic(_permuted(home, strata, rng)) for _ in range(k)])

    test = permutation_test(statistic(home), draw)
    each = np.array([_fold_loss(ctx, split) for _, split in ctx.plan.splits])
    unit = "groups" if ctx.groups is not None else "rows"
    shown = (
        f"{ctx.loss_name} of the folds {', '.join(map(number, each))}; between-fold sum of squares "
        f"against {test.draws} permutations of the {unit}, {p_value(test.p)}"
    )
    if test.p > ctx.level:
        sentence = "The folds differ no more than chance makes them differ."
        return Answer(CODE, Outcome.CLEAR, sentence, test.p, None, shown)
    worst = int(np.abs(each - np.median(each)).argmax())
    kind = "worse" if each[worst] > np.median(each) else "better"
    rows = ctx.plan.splits[worst][1]
    sentence = (
        f"Fold {worst} is {kind} than chance allows: {ctx.loss_name} {number(each[worst])} against "
        f"{number(np.delete(each, worst).mean())} in the others ({p_value(test.p)})."
    )
    advice = (
        f"Look at its {rows.size} rows (first {', '.join(map(str, rows[:5]))}): another group, period "
        "or site? Then split by that."
    )
    return Answer(CODE, Outcome.FIRES, sentence, test.p, None, shown, advice, (f"fold {worst}",))


def _fold_loss(ctx: Context, rows: NDArray[np.intp]) -> float:
    """Return the mean loss of the rows of a fold, weighted where rows have weights."""
    return weighted(ctx.losses[rows], None if ctx.weights is None else ctx.weights[rows])


def _units(
    ctx: Context, rng: np.random.Generator
) -> tuple[Floats, Floats, NDArray[np.intp], list[NDArray[np.intp]]]:
    """Return the centred loss, size and fold of every row, block of rows or group, and which may change
    places.
    """
    counted = np.ones(ctx.n) if ctx.weights is None else ctx.weights / ctx.weights.mean()
    centred = counted * (ctx.losses - ctx.mean(ctx.losses))
    if ctx.groups is not None:
        first, unit = np.unique(ctx.groups, return_index=True, return_inverse=True)[1:]
        kind = np.zeros(first.size, dtype=np.intp)
    else:
        first, unit, kind = _rows(ctx)
    totals = np.asarray(np.bincount(unit, centred), dtype=np.float64)
    sizes = np.asarray(np.bincount(unit, counted), dtype=np.float64)
    home = ctx.fold[first]
    if ctx.groups is None and first.size > MOST_UNITS:
        dealt = blocks(home, kind, -(-first.size // MOST_UNITS), rng)
        totals, sizes = totals[dealt].sum(axis=1), sizes[dealt].sum(axis=1)
        home, kind = home[dealt[:, 0]], kind[dealt[:, 0]]
    return totals, sizes, home, [np.flatnonzero(kind == k) for k in np.unique(kind)]


def _rows(ctx: Context) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the first row of each unit, the unit of each row, and which units are of one kind.

    Copies of a row in one fold have the same loss and are one unit, which changes places with units of as
    many copies, because how many of them are left to train on decides their loss.
    """
    cell = ctx.copies.astype(np.intp) * len(ctx.plan.splits) + ctx.fold
    first, unit, copies = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)[1:]
    label = 0 if ctx.classes is None else ctx.oof.y.astype(np.intp)[first]
    return first, unit, label * (int(copies.max()) + 1) + copies


def blocks(
    fold: NDArray[np.intp], stratum: NDArray[np.intp], size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the rows dealt at random into blocks of `size` within fold and stratum, (blocks, size); a rest
    is left out.

    Exchangeable rows make exchangeable blocks, and the statistic sees sums over folds only: with many rows
    the blocks cost less and lose nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> blocks(np.array([0, 0, 0, 1, 1, 1]), np.zeros(6, dtype=int), 3, rng).sum(axis=1)
    array([ 3, 12])
    """
    made = []
    for k in np.unique(fold):
        for s in np.unique(stratum):
            rows = rng.permutation(np.flatnonzero((fold == k) & (stratum == s)))
            made.append(rows[: rows.size // size * size].reshape(-1, size))
    return np.vstack(made)


def _permuted(
    home: NDArray[np.intp], strata: list[NDArray[np.intp]], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the folds of the rows after a random permutation within every stratum."""
    out = home.copy()
    for rows in strata:
        out[rows] = rng.permutation(home[rows])
    return out
