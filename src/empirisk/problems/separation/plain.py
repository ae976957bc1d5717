"""The same question without offsets and without shares: it is about labels and zeros only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses import Bernoulli, Offset

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["plain_problem"]


def plain_problem(problem: LinearProblem) -> LinearProblem:
    """A problem whose loss escapes in the same directions, with labels as targets.

    A finite offset bends no direction.  A share strictly between 0 and 1 holds its row on both sides: it
    counts as a success and a failure.
    """
    data, loss = problem.data, problem.loss
    if isinstance(loss, Offset):
        base, y = loss.plain(data.y)
        return plain_problem(replace(problem, loss=base, data=ArrayBlocks(data.design, y, data.weight)))
    if not isinstance(loss, Bernoulli):
        return problem
    success, failure = np.flatnonzero(data.y > 0.0), np.flatnonzero(data.y < 1.0)
    if len(success) + len(failure) == len(data.y):
        labels = np.where(data.y > 0.0, 1.0, -1.0)
        return replace(problem, loss=loss.base, data=ArrayBlocks(data.design, labels, data.weight))
    rows = np.concatenate([success, failure])
    labels = np.repeat([1.0, -1.0], [len(success), len(failure)])
    stacked = ArrayBlocks(data.design.rows(rows), labels, data.weight[rows])
    return replace(problem, loss=loss.base, data=stacked)
