"""The value, the gradient and the scores of a linear problem at one point."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.data.brief import Brief
from empirisk.typing import Array

__all__ = ["Evaluation"]


@dataclass(frozen=True, repr=False)
class Evaluation(Brief):
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
