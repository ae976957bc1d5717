"""Rounds of gradient boosting on binned columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.losses import Loss
from empirisk.trees.bins import Binned
from empirisk.trees.growth import Growth
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Boosted", "Round", "Validation", "boost"]


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
        Weighted mean loss of the training rows **before** this round's trees (it comes with the gradients).
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


def boost(
    binned: Binned,
    y: Array,
    weight: Array | None,
    loss: Loss,
    *,
    rounds: int = 100,
    learning_rate: float = 0.1,
    growth: Growth | None = None,
    subsample: float = 1.0,
    seed: int = 0,
    first_round: int = 0,
    scores: Array | None = None,
    validation: Validation | None = None,
    on_round: Callable[[Round], bool | None] | None = None,
) -> Boosted:
    """Functional gradient descent with trees (Friedman 2001), second order where the loss has a curvature.

    Round t fits a tree to ``g = w l'(y, z)`` and ``h = w l''(y, z)`` by the gain ``a^2/(b + l2)``, ``a = -sum g``,
    ``b = sum h``, and adds ``learning_rate * a/(b + l2)`` to the scores z of each leaf.  Losses of y - z with a kink or
    flat ends (absolute, quantile, Huber, ...) have h = 1 for the tree and as leaf value the minimiser of the leaf's loss.
    A vector loss has one tree for each output and round.

    Parameters
    ----------
    binned : Binned
        The training rows, n x p.
    y : array, shape (n,) or (n, 2)
        Targets, as the loss wants them: labels -1/+1, class codes 0 .. k-1, numbers, or (target, offset).
    weight : array, shape (n,), or None
        Row weights >= 0.
    loss : Loss
        Of `empirisk.losses`, scalar or vector.
    rounds : int, default 100
        Rounds at most.
    learning_rate : float, default 0.1
        Factor of the leaf values.
    growth : Growth, optional
        Limits of the trees.
    subsample : float in (0, 1], default 1.0
        Share of the rows that each round learns from, drawn without replacement.
    seed : int, default 0
        Of rows and columns drawn; round t draws by (seed, t), so that going on equals one longer run.
    first_round : int, default 0
        Number of rounds that `scores` already holds.
    scores : array, shape (n, k), optional
        Scores to go on from; default the best constant (`loss.best_constant`).
    validation : Validation, optional
        Rows to watch.
    on_round : callable, optional
        Called after each round; a true answer stops.

    Returns
    -------
    Boosted

    Raises
    ------
    ValueError
        The best constant is infinite (one class alone, no event at all), scores overflow, or the shapes differ.

    Notes
    -----
    Same bits for any number of threads.

    References
    ----------
    Friedman 2001, Annals of Statistics 29; Chen & Guestrin 2016.
    """
    raise NotImplementedError
