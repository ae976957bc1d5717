"""The weighted median of regressors, and how a round of AdaBoost.R2 moves the weights of the rows.

Drucker, "Improving regressors using boosting techniques", ICML 14 (1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.losses.quantile import share_to_reach
from empirisk.typing import Array

__all__ = ["LOSSES", "MedianRound", "exceedance_bound", "median_round", "weighted_median"]

# Of the absolute error as a share of the largest one of the round: all rise from 0 to 1 at most.
LOSSES: dict[str, Callable[[Array], Array]] = {
    "linear": lambda u: u,
    "square": np.square,
    "exponential": lambda u: -np.expm1(-u),
}


@dataclass(frozen=True)
class MedianRound:
    """What one member did to the rows of its round.

    Parameters
    ----------
    loss : float
        Weighted mean loss, from 0 to 1.
    largest : float
        Largest absolute error, in the unit of the targets.
    vote : float
        ``log((1 - loss)/loss)`` times the learning rate; 0 for a loss of 1/2 or more, infinite for 0.
    log_sum : float
        Logarithm of the sum of the new weights, when the old ones sum to 1.
    """

    loss: float
    largest: float
    vote: float
    log_sum: float


def median_round(
    error: Array, weight: Array, loss: Callable[[Array], Array], rate: float
) -> tuple[MedianRound, Array]:
    """Return what a round did, and the weights ``w_i beta^(rate (1 - L_i))`` over their sum.

    Parameters
    ----------
    error : array, shape (n,)
        Absolute errors of the member.
    weight : array, shape (n,)
        Weights of the rows, of sum 1.
    loss : callable
        One of `LOSSES`.
    rate : float
        The learning rate.

    Examples
    --------
    >>> found, weight = median_round(np.array([0.0, 0.0, 0.0, 2.0]), np.full(4, 0.25), LOSSES["linear"], 1.0)
    >>> found.loss, found.largest, round(found.vote, 4), weight.round(4).tolist()
    (0.25, 2.0, 1.0986, [0.1667, 0.1667, 0.1667, 0.5])
    """
    largest = float(error.max())
    if largest == 0.0:
        return MedianRound(0.0, 0.0, math.inf, 0.0), weight
    each = loss(error / largest)
    mean = float(weight @ each)
    if mean >= 0.5:
        return MedianRound(mean, largest, 0.0, 0.0), weight
    if mean == 0.0:
        return MedianRound(0.0, largest, math.inf, 0.0), weight
    vote = rate * (math.log1p(-mean) - math.log(mean))
    moved = weight * np.exp(-vote * (1.0 - each))
    total = float(moved.sum())
    return MedianRound(mean, largest, vote, math.log(total)), moved / total


def weighted_median(predictions: Array, votes: Array) -> Array:
    """Return for each row the least prediction up to which half of the votes lie, shape (m,).

    Parameters
    ----------
    predictions : array, shape (m, T)
        What each member says.
    votes : array, shape (T,)
        Their weights > 0.

    Examples
    --------
    >>> weighted_median(np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 5.0]]), np.array([1.0, 1.0, 4.0])).tolist()
    [2.0, 5.0]
    """
    order = np.argsort(predictions, axis=1, kind="stable")
    below = np.cumsum((votes / votes.max())[order], axis=1)
    half = share_to_reach(0.5, len(votes)) * below[:, -1:]
    place = (below >= half).argmax(axis=1)
    rows = np.arange(len(predictions))
    return np.asarray(predictions[rows, order[rows, place]])


def exceedance_bound(rounds: list[MedianRound], tau: float, loss: Callable[[Array], Array]) -> float:
    """Return what the weighted share of training rows that the median misses by `tau` or more is at most.

    ``prod_t Z_t beta_t^(-rate (1 - r/2))`` with Z_t the sum of the new weights of round t and r the loss of
    an error tau in the round of the largest errors.  The weight of a row after all rounds is ``w_i prod_t
    beta_t^(rate (1 - L_ti))``.  Where the median misses by tau, members with half of the votes miss by as
    much on its side of the target, and their losses are r at least.  The argument is that of Freund and
    Schapire (1997, theorem 6) for classes; at most 1 is returned.

    Examples
    --------
    >>> exceedance_bound([MedianRound(0.1, 1.0, math.log(9.0), math.log(0.2))], 1.0, LOSSES["linear"])
    0.6000000000000001
    """
    if not rounds or not all(0.0 < r.vote < math.inf for r in rounds):
        return 1.0
    least = float(loss(np.array([min(1.0, tau / max(r.largest for r in rounds))]))[0])
    # vote = -rate log beta
    total = math.fsum(r.log_sum + r.vote * (1.0 - 0.5 * least) for r in rounds)
    return min(1.0, math.exp(min(0.0, total)))
