"""What rounds of boosting take besides the rows they learn from, show on the way and give."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.trees.bins import Binned
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Boosted", "Round", "Validation"]


@dataclass(frozen=True)
class Validation:
    """Rows that are watched and not learnt from.

    Parameters
    ----------
    binned : Binned
        Their codes, under the bins of the training rows.
    y : array, shape (m,) or (m, 2)
        Targets, as the loss wants them.
    weight : array, shape (m,), optional
        Row weights, default 1.
    scores : array, shape (m, k), optional
        Scores before the first round; default the initial constant.
    """

    binned: Binned
    y: Array
    weight: Array | None = None
    scores: Array | None = None


@dataclass(frozen=True)
class Round:
    """What `on_round` sees after each round; the arrays are overwritten by the next one.

    Attributes
    ----------
    number : int
        Rounds done, from 1 on (plus `first_round`).
    train_loss : float
        Weighted mean loss of the training rows after this round's trees.
    scores : array, shape (n, k)
        Scores of the training rows.
    validation_scores, validation_losses : array, shape (m, k) and (m,), or None
        Scores and losses of the watched rows, after this round's trees.
    """

    number: int
    train_loss: float
    scores: Array
    validation_scores: Array | None
    validation_losses: Array | None


@dataclass(frozen=True)
class Boosted:
    """A fitted sum of trees: ``score_c(x) = initial_c + sum_t trees[c]_t(x)``.

    Attributes
    ----------
    initial : array, shape (k,)
        Constant scores to begin with.
    trees : tuple of Trees, length k
        For each output one tree a round, with cuts in the units of X and values that hold the learning rate.
    train_loss : array, shape (rounds + 1,)
        Weighted mean loss of the training rows before the first round and after each.
    validation_loss : array, shape (rounds + 1,), or None
        The same of the watched rows.
    scores : array, shape (n, k)
        Scores of the training rows, for a later call to go on from.
    """

    initial: Array
    trees: tuple[Trees, ...]
    train_loss: Array
    validation_loss: Array | None
    scores: Array
