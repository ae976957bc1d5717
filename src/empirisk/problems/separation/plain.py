"""The same question without offsets and without shares: it is about labels and zeros only."""

from __future__ import annotations

from dataclasses import replace

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear_objective import LinearObjective

__all__ = ["plain_problem"]


def plain_problem(problem: LinearObjective) -> LinearObjective:
    """A problem whose loss escapes in the same directions, with labels as targets.

    A finite offset bends no direction.  A share strictly between 0 and 1 holds its row on both sides: it
    counts as a success and a failure.
    """
    data, loss = problem.data, problem.loss
    if loss.offset(data.y) is not None:
        base, y = loss.plain(data.y)
        return plain_problem(replace(problem, loss=base, data=ArrayBlocks(data.design, y, data.weight)))
    found = loss.labelled(data.y)
    if found is None:
        return problem
    base, rows, labels = found
    if rows is None:
        return replace(problem, loss=base, data=ArrayBlocks(data.design, labels, data.weight))
    stacked = ArrayBlocks(data.design.rows(rows), labels, data.weight[rows])
    return replace(problem, loss=base, data=stacked)
