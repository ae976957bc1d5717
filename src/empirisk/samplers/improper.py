"""Refusals of targets that are no densities, in the words that all of them share."""

from __future__ import annotations

from typing import Any

from empirisk.results import Status

__all__ = ["improper", "refuse_no_minimum"]


def improper(title: str, why: str) -> ValueError:
    """Return the refusal of a posterior whose density has no finite mass.

    Examples
    --------
    >>> str(improper("the posterior", "U is flat")).split(":")[0]
    'the posterior is improper, which means that exp(-U) has no finite mass to sample from'
    """
    return ValueError(
        f"{title} is improper, which means that exp(-U) has no finite mass to sample from: {why}; "
        "give the model a penalty (alpha > 0), which is a prior"
    )


def refuse_no_minimum(problem: Any, title: str) -> None:
    """Refuse a problem whose objective falls for ever along some line, such as one of separable classes."""
    refusal = problem.preflight()
    if refusal is not None and refusal.status is Status.UNBOUNDED:
        raise improper(title, f"U has no minimum ({refusal.certificate.claim})")
