"""ER208: do the errors depend on the order of the rows, or on time?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.row_exchange import OrderTest, order_of, order_test
from empirisk.typing import Array
from empirisk.wording import number, p_value

__all__ = ["CODE", "row_order"]

CODE = "ER208"
_FEWEST = 30  # rows, or groups of rows
SMALL = 0.2  # a correlation that explains less than 4 %

_TOLD = {
    "drift": "predictions are too low at one end and too high at the other (rank correlation {drift:+.2f}); "
    "they may be further off for later rows",
    "neighbours": "errors of rows that follow each other are {alike} (correlation {neighbours:+.2f}); the "
    "score may be optimistic for rows that follow none of these",
    "loss": "later rows have {larger} errors (rank correlation of order and loss {loss:+.2f}); the score may "
    "be {slanted} for later rows",
}


def row_order(ctx: Context) -> Answer:
    """Null: out-of-fold residuals are exchangeable over the order of the rows (or over `time`).

    Permutation test of three statistics (:func:`empirisk.diagnosis.row_exchange.order_test`); no fits.
    Where it fires, it is made again with one row of each set of copies, which decides.  CLEAR when all three
    correlations are below 0.2 with 95 % confidence.
    """
    order = np.arange(ctx.n, dtype=np.float64) if ctx.time is None else order_of(ctx.time, "time")
    if ctx.time is None and _sorted_by_target(ctx.oof.y, ctx.classes is not None):
        raise NotRun("the rows are sorted by the target, so their order is no time (give `time`)")
    known = np.flatnonzero(~np.isnan(order))
    if len(known) and np.ptp(order[known]) == 0.0:
        raise NotRun("all rows have the same time")
    _dealt_at_random(ctx, order)
    residual, loss = _residuals(ctx)
    residual, loss, order = residual[known], loss[known], order[known]
    unit = "rows"
    if ctx.groups is not None:
        residual, loss, order = _by_group(ctx.groups[known], residual, loss, order)
        unit = "groups"
    if len(order) < _FEWEST:
        raise NotRun(f"{len(order)} {unit} are fewer than {_FEWEST}")
    if not np.ptp(residual, axis=0).any():
        raise NotRun("the residuals are constant")
    found = order_test(residual, loss, order, np.random.default_rng(ctx.seed))
    copies = ""
    # Copies that follow each other err alike without any time.
    if found.p <= ctx.level and ctx.groups is None:
        once = _once(ctx, known)
        if len(once) < _FEWEST:
            raise NotRun(f"{len(once)} rows that are no copies of each other are fewer than {_FEWEST}")
        if len(once) < len(order) and np.ptp(residual[once], axis=0).any():
            found = order_test(residual[once], loss[once], order[once], np.random.default_rng(ctx.seed))
            copies = f" ({len(order) - len(once):,} copies of others left out)"
    along = "the order of the rows" if ctx.time is None else "time"
    evidence = (
        f"permutation test on {found.n:,} {unit}{copies}, {p_value(found.p)}; rank correlation of residual "
        f"and order {found.drift:+.3f}, of loss and order {found.loss:+.3f}, of residuals that follow each "
        f"other {found.neighbours:+.3f}"
    )
    if found.p <= ctx.level:
        sentence = f"Errors depend on {along} ({p_value(found.p)}): {_told(found)}."
        advice = "Give the model the time or what changes with it, and judge it on later rows alone."
        if ctx.time is None:
            advice = "Split by time or by group, and give the model the time or what changes with it."
        slight = _largest(found) < SMALL
        return Answer(CODE, Outcome.FIRES, sentence, found.p, evidence=evidence, advice=advice, slight=slight)
    return _quiet(found, along, evidence, unit)


def _told(found: OrderTest) -> str:
    """Return how the errors depend on the order, and what that means for rows to come."""
    return _TOLD[found.kind].format(
        alike="alike" if found.neighbours > 0.0 else "opposite",
        larger="larger" if found.loss > 0.0 else "smaller",
        slanted="optimistic" if found.loss > 0.0 else "pessimistic",
        **vars(found),
    )


def _once(ctx: Context, rows: NDArray[Any]) -> NDArray[Any]:
    """Return the places of one row, drawn at random, of each set of copies (equal in columns and target).

    Which of them is left must not depend on the order, or the rest would not be exchangeable.
    """
    mixed = np.random.default_rng(ctx.seed).permutation(len(rows))
    return np.sort(mixed[np.unique(ctx.copies[rows][mixed], return_index=True)[1]])


def _largest(found: OrderTest) -> float:
    return max(abs(found.drift), abs(found.neighbours), abs(found.loss))


def _quiet(found: OrderTest, along: str, evidence: str, unit: str) -> Answer:
    bound = _largest(found) + 1.645 / math.sqrt(found.n)
    if bound < SMALL:
        sentence = f"Errors do not go with {along}: every correlation looked at is below {number(bound, 2)}."
        return Answer(CODE, Outcome.CLEAR, sentence, found.p, evidence=evidence)
    need = int(math.ceil((1.645 / SMALL) ** 2 * 4 / 100) * 100)
    sentence = f"No dependence of the errors on {along} was seen, which {found.n:,} {unit} cannot exclude."
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, found.p, evidence=evidence, rows_needed=need)


def _sorted_by_target(y: NDArray[Any], classes: bool) -> bool:
    """Return whether each class is one block of rows, or the targets rise or fall all the way."""
    steps = np.diff(y.astype(np.float64))
    if classes:
        return int(np.count_nonzero(steps)) == len(np.unique(y)) - 1
    return bool(np.all(steps >= 0.0) or np.all(steps <= 0.0))


def _dealt_at_random(ctx: Context, order: Array) -> None:
    """Refuse folds that are blocks of the order: they have errors of their own, and rows are not
    exchangeable.
    """
    fold = ctx.fold[np.argsort(order, kind="stable")]
    changes = int(np.count_nonzero(np.diff(fold)))
    if changes < 2 * len(ctx.plan.splits):
        raise NotRun("the folds are blocks of this order; the test needs rows dealt to folds at random")


def _residuals(ctx: Context) -> tuple[Array, Array]:
    """Return the signed residuals (one column a class but the first) and losses, from labels where nothing
    else is.
    """
    p = ctx.oof
    if ctx.classes is None:
        mean = p.output("pred")
        e = np.asarray(p.y - mean)
        if ctx.rates and (mean > 0.0).all():  # counts of long exposures spread more, whenever they were made
            e = e / np.sqrt(mean)
        return e[:, None], e**2
    count = p.n_classes
    mark = np.eye(count)[p.y]
    if p.proba is not None:
        return (mark - p.proba)[:, 1:], ctx.losses
    wrong = p.y != p.output("pred")
    return (mark - np.eye(count)[p.output("pred")])[:, 1:], wrong.astype(np.float64)


def _by_group(groups: NDArray[Any], residual: Array, loss: Array, order: Array) -> tuple[Array, Array, Array]:
    """Return the means by group: rows of a group are alike, so that only groups can be exchanged."""
    codes = np.unique(groups, return_inverse=True)[1]
    count = np.bincount(codes)

    def mean(v: Array) -> Array:
        return np.asarray(np.bincount(codes, weights=v) / count)

    return np.column_stack([mean(v) for v in residual.T]), mean(loss), mean(order)
