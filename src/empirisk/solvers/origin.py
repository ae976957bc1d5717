"""Solving a problem that lies far from 0 where it loses no digits, and the solution told in its own terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.problems.certify import sharpened, slopes
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["from_near", "judged", "of_rounded", "telling_far"]


def judged(solution: Solution, certificate: Certificate, tol: float) -> Solution:
    """Return the solution with another certificate, and a status that agrees with it."""
    status = solution.status
    if certificate.within(tol) and status in (Status.FLOOR, Status.STALLED, Status.MAX_STEPS):
        status = Status.CERTIFIED
    elif status is Status.CERTIFIED and not certificate.within(tol):
        status = Status.FLOOR
    return replace(solution, status=status, certificate=certificate)


def from_near(problem: LinearProblem, solution: Solution, tol: float) -> Solution:
    """Return a solution of the moved problem as one of `problem`, certified with the rounded intercept."""
    assert problem.moved is not None
    w = problem.moved[0].to_far(solution.w)
    if solution.certificate.kind is Kind.NONE:
        return replace(solution, w=w)
    certificate = of_rounded(problem, w, problem.moved[1], solution)
    return judged(replace(solution, w=w), certificate, tol)


def of_rounded(problem: LinearProblem, w: Array, solved: LinearProblem, solution: Solution) -> Certificate:
    """The certificate of w, which a solution of `solved` (the problem, or it moved) was rounded to.

    A dual point proves the same for every w.  That of the solution is as good as it was; that of w has lost
    digits, which a weak penalty multiplies.
    """
    own = problem.certify(w, theta=solution.dual)
    if solution.dual is not None or own.kind is not Kind.DUALITY_GAP or own.at_floor:
        return own
    theta = slopes(solved, solution.w)
    if not np.isfinite(theta).all():
        return own
    return sharpened(problem, w, min(own, problem.certify(w, theta=theta), key=lambda c: c.value))


def telling_far(problem: LinearProblem, callback: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Return the callback of a solve of the moved problem, which hears of parameters of `problem`."""
    if callback is None or problem.moved is None:
        return callback
    origin = problem.moved[0]
    return lambda step, w, certificate: callback(step, origin.to_far(w), certificate)
