"""From rows to rounds: bins, the scores that a warm start goes on from, and the rounds themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk.data.columns import Table
from empirisk.data.memory import refuse_memory
from empirisk.estimators.trees.boosting_parts import Parts
from empirisk.estimators.trees.boosting_rounds import Callback, Plan, Rows, grow_rounds
from empirisk.inference.early_stop import GIVEN, HELD_OUT, EarlyStop
from empirisk.losses import Loss
from empirisk.results import TracePoint
from empirisk.trees.bins import Bins
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["Fitted", "fit_rounds", "take", "total_losses"]


@dataclass(frozen=True)
class Fitted:
    """The rounds of a fit.

    Parameters
    ----------
    trees : tuple of Trees
        For each output one tree a round; those of a warm start included.
    scores : array, shape (n, k)
        Of the growing rows after all rounds.
    train_loss : tuple of float
        Mean loss of the growing rows before the first new round and after each.
    watch : EarlyStop or None
        What the watched rows saw, from the first round on.
    trace : tuple of TracePoint
    called_off : bool
        Whether the callback ended the growth.
    marked : mapping of int to array, shape (n, k)
        Scores of the growing rows after the rounds that the plan marks.
    """

    trees: tuple[Trees, ...]
    scores: Array
    train_loss: tuple[float, ...]
    watch: EarlyStop | None
    trace: tuple[TracePoint, ...]
    called_off: bool = False
    marked: Mapping[int, Array] = field(default_factory=dict)


def total_losses(losses: Sequence[Loss], y: Array, scores: Array) -> Array:
    """Return the loss of each row, summed over the losses; shape (n,)."""
    if len(losses) > 1:
        return np.asarray(sum(loss.value(y, scores[:, c]) for c, loss in enumerate(losses)))
    (loss,) = losses
    return np.asarray(loss.value(y, scores if loss.vector else scores[:, 0]))


def take(X: Any, rows: IndexArray) -> Any:
    """Return some rows of an array or sparse matrix in their order, without a copy when they are all rows."""
    if len(rows) == X.shape[0]:
        return X
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]


def _unless_ones(weight: Array) -> Array | None:
    """Return the weights, or None where each is 1, which the loops can do without."""
    return None if np.all(weight == 1.0) else weight


def fit_rounds(
    plan: Plan,
    table: Table,
    y: Array,
    weight: Array,
    start: Array,
    parts: Parts,
    stop: bool,
    before: tuple[Trees, ...],
    callback: Callback | None = None,
) -> Fitted:
    """Grow on ``parts.grow``, going on from the rounds `before`; with `stop` watch ``parts.stop``.

    `start` holds each row's score before any tree, shape (n, k).
    """
    refuse_memory(
        f"X as codes of one byte ({table.n_rows} x {table.n_cols}, by rows and by columns)",
        2.0 * table.n_rows * table.n_cols,
        "select columns, or fit on a sample of the rows",
    )
    n = table.n_rows
    by_column = table.X.tocsc() if hasattr(table.X, "tocsc") else table.X
    seen = weight
    if len(parts.grow) < n:
        seen = np.zeros(n)
        seen[parts.grow] = weight[parts.grow]
    bins = Bins.fit(by_column, table.n_categories, _unless_ones(seen), max_bins=plan.max_bins)
    del seen
    codes = bins.transform(by_column)

    def prepared(rows: IndexArray, look: Callable[[Array], object] | None) -> Rows:
        every = len(rows) == n  # then nothing is copied
        which = slice(None) if every else rows
        scores = start[which]
        if before:
            scores = _walk(before, take(table.X, rows), scores, look)
        own = codes if every else codes.take(rows)
        return Rows(own, y[which], _unless_ones(weight[which]), scores)

    grow, watch, watched = prepared(parts.grow, None), None, None
    if stop:
        target = y[parts.stop]
        none = total_losses(plan.losses, target, start[parts.stop])
        whose = GIVEN if parts.given else HELD_OUT
        watch = eye = EarlyStop(weight[parts.stop], none, plan.patience, whose)
        watched = prepared(parts.stop, lambda z: eye.look(total_losses(plan.losses, target, z)))
    grown = grow_rounds(plan, grow, watched, watch, len(before[0]) if before else 0, callback)
    pairs = zip(before, grown.trees, strict=True) if before and grown.trees else ()
    trees = tuple(Trees.concatenate(pair) for pair in pairs) or before or grown.trees
    return Fitted(trees, grown.scores, grown.train_loss, watch, grown.trace, grown.called_off, grown.marked)


def _walk(trees: tuple[Trees, ...], X: Any, start: Array, look: Callable[[Array], object] | None) -> Array:
    """Return the scores after all rounds, added in the order of growth, which gives the bits of growth.

    `look` is called with the scores after each round.
    """
    scores = start.copy()
    for t in range(len(trees[0])):
        for c, of_output in enumerate(trees):
            scores[:, c] += of_output[t].predict(X)[:, 0]
        if look is not None:
            look(scores)
    return scores
