"""The ladder of bounds in the report: every theorem about the chosen model, or why it says nothing."""

from __future__ import annotations

from empirisk.ladder import risk_bounds
from empirisk.report.fit.final import FinalModel
from empirisk.report.fit.sample import Sample
from empirisk.report.sections.estimates import Json
from empirisk.wording import percent

__all__ = ["bounds_section"]


def bounds_section(
    model: FinalModel, train: Sample, test: Sample, level: float, absent: dict[str, str]
) -> Json | None:
    """``report["bounds"]``; None where the rows are known to depend on each other.

    Parameters
    ----------
    model : FinalModel
    train, test : Sample
        The test part must have been used for nothing else.
    level : float
        Each bound may fail with probability ``1 - level``.
    absent : dict
        Told why there is no section.
    """
    if test.groups is not None or train.groups is not None:
        absent["bounds"] = "The rows come in groups, and the theorems need rows that are drawn independently."
        return None
    if train.time is not None:
        absent["bounds"] = "The rows come in time, and the theorems need rows that are drawn independently."
        return None
    found = risk_bounds(model.pipeline, train.frame, train.y, test.frame, test.y, delta=1.0 - level)
    sentence = (
        f"Each bound holds by itself with probability at least {percent(level)}, not all of them at once."
    )
    if not any(row.applies for row in found):
        sentence = "No theorem bounds this risk from these rows."
    return found.to_dict() | {"sentence": sentence}
