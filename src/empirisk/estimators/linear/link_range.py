"""What a link leaves without a mean: problems that have no null model, and scores of new rows."""

from __future__ import annotations

import math
import warnings

import numpy as np

from empirisk.data.caller_line import caller_level
from empirisk.losses import Loss
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["refuse_without_null", "warn_outside"]


def refuse_without_null(problem: LinearProblem) -> None:
    """Refuse a problem whose null model has a score without a mean, and say why."""
    loss = problem.loss.plain(problem.data.y)[0]
    y, s = problem.data.y, problem.data.weight
    # Families with every score lack a null model for targets of 0 alone, which the solver says; the one that
    # takes negative targets lacks it for means <= 0 as well.
    told = loss.escape and not (loss.log_link and y.min(initial=0.0) < 0.0)
    if problem.data.total_weight == 0.0 or told or loss.quadratic or not loss.title:
        return
    offset = problem.loss.offset(y) is not None
    if math.isfinite(problem.facts.null_loss) and (offset or math.isfinite(float(loss.best_constant(y, s)))):
        return
    where = f"under the loss {loss.name!r}"
    if not problem.intercept:
        raise ValueError(
            f"{where} a score of 0 has no mean, so that there is no model without columns to compare with: "
            "use fit_intercept=True, or a link with every score, such as 'log'"
        )
    if offset:
        raise ValueError(
            f"{where} no constant gives every row a mean beside its offset: the offsets differ too much"
        )
    raise ValueError(
        f"y has the mean {float(s @ y) / float(s.sum()):g}, which has no score {where}: there is no model "
        "without columns; another link or family is needed"
    )


def warn_outside(loss: Loss, z: Array) -> None:
    """Warn of scores that have no mean under the link; their means are those of the nearest scores."""
    out = loss.outside(z) != 0.0
    if out.any():
        row = int(np.argmax(out))
        warnings.warn(
            f"row {row} has the score {z[row]:g}, for which the loss {loss.name!r} has no mean "
            f"({int(out.sum())} such rows in all): the mean of the nearest score is given; columns far from "
            "the rows of the fit, or a link that does not suit them",
            UserWarning,
            stacklevel=caller_level(),
        )
