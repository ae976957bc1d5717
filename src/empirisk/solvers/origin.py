"""Solving a problem that lies far from 0 where it loses no digits, and the solution told in its own terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution, Status

__all__ = ["from_near", "judged", "telling_far"]


def judged(solution: Solution, certificate: Certificate, tol: float) -> Solution:
    """The solution with another certificate, and a status that agrees with it."""
    status = solution.status
    if certificate.within(tol) and status in (Status.FLOOR, Status.STALLED, Status.MAX_STEPS):
        status = Status.CERTIFIED
    elif status is Status.CERTIFIED and not certificate.within(tol):
        status = Status.FLOOR
    return replace(solution, status=status, certificate=certificate)


def from_near(problem: LinearProblem, solution: Solution, tol: float) -> Solution:
    """A solution of the moved problem as one of `problem`, certified with the rounded intercept."""
    assert problem.moved is not None
    w = problem.moved[0].to_far(solution.w)
    if solution.certificate.kind is Kind.NONE:
        return replace(solution, w=w)
    return judged(replace(solution, w=w), problem.certify(w, theta=solution.dual), tol)


def telling_far(problem: LinearProblem, callback: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The callback of a solve of the moved problem, which hears of parameters of `problem`."""
    if callback is None or problem.moved is None:
        return callback
    origin = problem.moved[0]
    return lambda step, w, certificate: callback(step, origin.to_far(w), certificate)
