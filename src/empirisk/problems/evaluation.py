"""Loss, gradient and scores of a linear problem in one pass over the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """What one pass over the data tells about a point.

    Parameters
    ----------
    loss : float
        Weighted mean loss (without the penalty).
    grad : array
        Its gradient, in the shape of the parameters.
    scores : array, shape (n,) or (n, k)
        ``X w + b`` in float64.
    """

    loss: float
    grad: Array
    scores: Array


def evaluate(problem: LinearProblem, w: Array) -> Evaluation:
    """One read of X for the scores and one for the gradient, in the precision of X."""
    data, total = problem.data, problem.data.total_weight
    z = problem.scores(w)
    if total == 0.0:
        return Evaluation(0.0, np.zeros(problem.shape), z)
    loss = float(data.weight @ problem.loss.value(data.y, z)) / total
    slope = ((data.weight / total) * problem.loss.grad(data.y, z).T).T
    grad = problem.design.rmatvec(slope.astype(problem.design.dtype, copy=False)).astype(np.float64)
    return Evaluation(loss, problem.join(grad, slope.sum(axis=0)), z)
