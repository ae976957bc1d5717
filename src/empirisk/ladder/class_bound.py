"""What the rungs about a class of linear models share."""

from __future__ import annotations

from empirisk.ladder.base import Problem

__all__ = ["NO_RANGE", "why_no_class"]

NO_RANGE = (
    "the loss has no upper limit that is known before the rows are seen: declare loss_range=(0, largest), "
    "and the loss is clipped there"
)


def why_no_class(problem: Problem) -> str:
    """Return why the model is no member of a class of linear models that was fixed before; empty when it
    is.
    """
    if isinstance(problem.linear, str):
        return problem.linear
    if problem.tuning.class_reason:
        return problem.tuning.class_reason
    return NO_RANGE if problem.losses is None else ""
