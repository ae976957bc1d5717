"""The least risk of laws of one number, from the masses of cells that are split where a decision is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["risk_of_cells"]

# Levels of the quantiles that are the first borders; beyond the outermost is less than rounding leaves of 1.
_TAIL = np.array([1e-16, 1e-12, 1e-9, 1e-6, 1e-4])
LEVELS = np.concatenate([_TAIL, np.linspace(1e-3, 0.999, 255), 1.0 - _TAIL[::-1]])
_ROUNDS, _MOST = 60, 50_000  # halvings of one cell, and cells that are halved at a time
_ENOUGH = 1e-15  # what a cell may leave open, as a share of the range of the costs


def risk_of_cells(
    first: Array, cdf: Callable[[Array], Array], chances: Callable[[Array], Array], costs: Array
) -> tuple[float, float]:
    """Return the risk of the best rule that is constant on cells, and what a better rule could save.

    Parameters
    ----------
    first : array
        Borders to begin with, finite and sorted.
    cdf : function of (m,) that returns (m, K)
        ``pi_k P_k(x <= t)``.
    chances : function of (m,) that returns (m, K)
        Posterior chances; zeros where no class has a density.
    costs : array, shape (K, K)
        Of saying the second class for rows of the first.

    Notes
    -----
    On a cell the best constant answer costs ``min_a sum_k c_ka M_k``, M the masses: the sum is the risk of a
    rule, so that the Bayes risk is not above it.  How much better an answer can be inside is bounded with
    posterior costs at the ends and in the middle, which are taken to move in the cell by no more than
    twice what these three show.  Cells where that is most are halved.
    """
    span = float(np.ptp(costs))
    tails = np.stack([cdf(first[:1])[0], (cdf(np.array([np.inf])) - cdf(first[-1:]))[0]])
    said, still = float((tails @ costs).min(axis=1).sum()), float(tails.sum()) * span
    left, right = first[:-1], first[1:]
    for done in range(_ROUNDS):
        middle = left + 0.5 * (right - left)
        mass = np.maximum(cdf(right) - cdf(left), 0.0)
        cost = mass @ costs
        told = [chances(t) @ costs for t in (left, middle, right)]
        stake = mass.sum(axis=1) * savings(np.asarray(cost.argmin(axis=1)), told)
        split = (stake > _ENOUGH * span) & (left < middle) & (middle < right)
        if done == _ROUNDS - 1 or split.sum() > _MOST:
            split[:] = False
        said += float(cost.min(axis=1)[~split].sum())
        still += float(stake[~split].sum())
        if not split.any():
            break
        left, middle, right = left[split], middle[split], right[split]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    return said, still


def savings(best: IndexArray, told: Sequence[Array]) -> Array:
    """Return by how much another answer than `best` can cost less somewhere in a cell, 0 where by nothing.

    Examples
    --------
    Answer 0 costs 0.1 less all along a cell, and in another one between 0.02 less and 0.02 more.

    >>> told = [np.array([[0.2, 0.3], [0.2, 0.2 + gap]]) for gap in (0.02, 0.0, -0.02)]
    >>> savings(np.array([0, 0]), told).round(2).tolist()
    [0.0, 0.06]
    """
    cost = np.stack(told)
    regret = np.take_along_axis(cost, best[None, :, None], axis=2) - cost
    moves = np.abs(np.diff(regret, axis=0)).max(axis=0)
    return np.asarray(np.maximum(regret.max(axis=0) + 2.0 * moves, 0.0).max(axis=1))
