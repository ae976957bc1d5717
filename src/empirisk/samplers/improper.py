"""Refusals of targets that are no densities, in the words that all of them share."""

from __future__ import annotations

from typing import Any

from empirisk.results import Status

__all__ = ["improper", "refuse_no_minimum"]


def improper(title: str, why: str, penalised: bool = False) -> ValueError:
    """Return the refusal of a posterior whose density has no finite mass.

    Where it is `penalised`, the intercept alone has no prior.

    Examples
    --------
    >>> str(improper("the posterior", "U is flat")).split(":")[0]
    'the posterior is improper, which means that exp(-U) has no finite mass to sample from'
    """
    advice = (
        "the penalty leaves the intercept free: fit without one, or give rows that decide it"
        if penalised
        else "give the model a penalty (alpha > 0), which is a prior"
    )
    return ValueError(
        f"{title} is improper, which means that exp(-U) has no finite mass to sample from: {why}; {advice}"
    )


def refuse_no_minimum(problem: Any, title: str) -> None:
    """Refuse a problem whose objective falls for ever along some line, such as one of separable classes."""
    refusal = problem.preflight()
    if refusal is not None and refusal.status is Status.UNBOUNDED:
        why = f"U has no minimum ({refusal.certificate.claim})"
        raise improper(title, why, problem.penalty.coercive(problem.data.n_cols))
