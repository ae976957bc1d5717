"""Linear problems that end before their first step: a perfect fit at 0, or no minimum at all."""

from __future__ import annotations

import math

import numpy as np

from empirisk.losses.base import check_targets
from empirisk.penalties.base import ConstraintSet
from empirisk.problems.certify import certify
from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.separation import find_separation, only_zeros, zeros_run_off
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Capability

__all__ = ["preflight"]


def preflight(problem: LinearObjective, here: bool) -> Solution | None:
    """Return the solution of a problem that needs no solver, or None; refuse targets that are not the loss'.

    Parameters
    ----------
    problem : LinearObjective
        Any linear problem.
    here : bool
        Whether it is solved as it is: a moved problem is looked at near its rows, after it was moved.
    """
    check_targets(problem.loss, problem.data.y)
    if not here:
        return None
    return _at_zero(problem) or _unbounded(problem)


def _at_zero(problem: LinearObjective) -> Solution | None:
    """Return the solution 0 when all targets are 0 and fitted there without loss or penalty."""
    if not getattr(problem.loss, "of_difference", False) or problem.data.y.any():
        return None
    if problem.penalty.value(np.zeros(problem.shape)[: problem.data.n_cols]) != 0.0:
        return None
    w, kinks = problem.zeros(), Capability.PIECEWISE_LINEAR in problem.capabilities
    dual = np.zeros(len(problem.data.y)) if kinks else None
    return Solution(w, Status.CERTIFIED, certify(problem, w, theta=dual), n_steps=1, dual=dual)


def _unbounded(problem: LinearObjective) -> Solution | None:
    """Return a solution that says so when a penalty or events are wanting, so that no minimiser is finite."""
    penalty, escape = problem.penalty, problem.loss.escape
    penalised = penalty.coercive(problem.data.n_cols)
    if not escape or (penalised and escape == "classes"):
        return None
    if isinstance(penalty, ConstraintSet) and not penalised:
        return None  # whether the direction that separates stays in the set is for the solver to see
    if penalised:
        sentence = only_zeros(problem)
    elif escape == "classes":
        separation = find_separation(problem)
        sentence = separation.sentence if separation.separable else ""
    else:
        sentence = zeros_run_off(problem)
    if not sentence:
        return None
    certificate = Certificate(Kind.NONE, math.inf, 1.0, "none: there is no minimum to be near to")
    return Solution(problem.null, Status.UNBOUNDED, certificate, note=sentence)
