"""Expectation-maximisation: parameters that fit the expected sums of hidden parts best, again and again.

Dempster, Laird and Rubin, Journal of the Royal Statistical Society B 39 (1977): no step lowers the
likelihood.  A fall beyond rounding therefore is a fault, of the family or of rows that change, and is an
error.

Two steps ``w -> w1 -> w2`` are extrapolated along ``w - 2 a r + a^2 v``, ``r = w1 - w``, ``v = w2 - w1 - r``,
``a = -||r|| / ||v||`` (SQUAREM: Varadhan and Roland, Scandinavian Journal of Statistics 35, 2008, scheme S3),
in units of the spread of the columns.  The point is taken only where its likelihood is at least what theory
promises of w2, so that ascent stays monotone; else w2 is.

From a gradient norm of 0.1 on, quasi-Newton directions are tried first (:mod:`empirisk.solvers.em_secants`),
one pass each, and taken where the likelihood rises by a share of what their slope promises.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from empirisk.mixtures.base import DegenerateError
from empirisk.problems.latent import Expected, LatentProblem
from empirisk.solvers.base import State
from empirisk.solvers.em_secants import Secants
from empirisk.typing import Array, Capability

__all__ = ["ExpectationMaximization"]

# How far the first extrapolation may reach, in steps; each that reaches its limit and is taken raises it.
REACH = 4.0
# Gradient norm from which on directions are made of secants: farther away these lead to other maxima.
NEAR = 0.1
# Lengths of a direction that are tried before a pair of steps is, and Armijo's share of the promised rise.
LENGTHS = (1.0, 0.25)
ARMIJO = 1e-4


@dataclass(frozen=True)
class _Reaching(State):
    """A state that knows how far the next extrapolation may reach, and the secants of the last points."""

    reach: float = field(default=REACH, kw_only=True)
    secants: Secants = field(default=Secants(), kw_only=True)


@dataclass(frozen=True)
class ExpectationMaximization:
    """Steps of EM, with a look at the likelihood after each.

    Parameters
    ----------
    accelerate : bool, default True
        Whether pairs of steps are extrapolated, where the family can take other points than those of steps.
    secants : bool, default True
        Whether quasi-Newton directions are tried, too, once the gradient norm is at most 0.1.

    Examples
    --------
    >>> ExpectationMaximization().name
    'expectation_maximization'
    """

    accelerate: bool = True
    secants: bool = True

    name = "expectation_maximization"
    needs = frozenset({Capability.LATENT})

    def init(self, problem: LatentProblem, w0: Array | None) -> State:
        """Return the start with the expected sums of its pass."""
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        return _Reaching(w, problem.evaluate(w), n_passes=1.0)

    def step(self, problem: LatentProblem, state: _Reaching) -> State:
        """Return the state after a step, after two that are extrapolated, or along a direction of secants."""
        gain = state.evaluation.improved[1]
        if not (self.accelerate and problem.family.extrapolates) or gain <= 0.0:
            return _stepped(problem, state)
        if not self.secants or 2.0 * gain > NEAR**2:
            return _pair(problem, state)
        return _along_secants(problem, state)


def _pair(problem: LatentProblem, state: _Reaching) -> _Reaching:
    """Return the state after two steps that are extrapolated where this keeps the ascent."""
    first = replace(_stepped(problem, state), secants=Secants())
    one: Expected = first.evaluation
    if one.improved[1] <= 0.0:
        return first
    length, far = _extrapolated(problem, state.evaluation.w, one.w, one.improved[0], state.reach)
    if far is None:
        return _stepped(problem, first)
    tried = replace(first, n_passes=first.n_passes + 1.0)
    taken = _accepted(problem, far, one.loss - one.improved[1])
    if taken is None:
        return replace(_stepped(problem, tried), reach=max(2.0, 0.5 * state.reach))
    reach = 4.0 * state.reach if length >= state.reach else state.reach
    return replace(tried, w=far, evaluation=taken, reach=reach)


def _along_secants(problem: LatentProblem, state: _Reaching) -> _Reaching:
    """Return the state along the direction of the secants; after a pair of steps where that fails."""
    e: Expected = state.evaluation
    w = _normalised(problem, e.w)
    step = _normalised(problem, e.improved[0]) - w
    known = state.secants.after(w, step, e.grad)
    if not known.pairs and state.secants.last is None:  # the first point: a step gives the second
        return replace(_stepped(problem, state), secants=known)
    way = known.direction(step, e.grad)
    slope = float(e.grad @ way)
    for length in LENGTHS if known.pairs and slope < 0.0 else ():
        far = w + length * way
        if not problem.family.inside(problem.parts(far)):
            continue
        state = replace(state, n_passes=state.n_passes + 1.0)
        taken = _accepted(problem, far, e.loss + ARMIJO * length * slope)
        if taken is not None:
            return replace(state, w=far, evaluation=taken, secants=known)
    return _pair(problem, state)


def _stepped(problem: LatentProblem, state: _Reaching) -> _Reaching:
    """Return the state at the parameters that fit the expected sums best."""
    e: Expected = state.evaluation
    w = e.improved[0]
    after = problem.evaluate(w)
    _refuse_fall(problem, e.loss, after.loss)
    return replace(state, w=w, evaluation=after, n_passes=state.n_passes + 1.0)


def _extrapolated(
    problem: LatentProblem, w: Array, w1: Array, w2: Array, reach: float
) -> tuple[float, Array | None]:
    """Return the length of the extrapolation in steps, and its point; None where that is no longer."""
    unit = problem.units
    w, w1, w2 = (_normalised(problem, x) for x in (w, w1, w2))
    r = (w1 - w) / unit
    v = (w2 - w1) / unit - r
    bend = float(np.linalg.norm(v))
    length = min(reach, float(np.linalg.norm(r)) / bend) if bend > 0.0 else reach
    if not length > 1.0:
        return length, None
    far = w + unit * (2.0 * length * r + length**2 * v)
    return length, far if problem.family.inside(problem.parts(far)) else None


def _normalised(problem: LatentProblem, w: Array) -> Array:
    """Return w with weights that sum to 1: a common constant of their logarithms is no part of a way."""
    return np.concatenate([problem.log_weights(w), w[problem.n_parts :]])


def _accepted(problem: LatentProblem, w: Array, limit: float) -> Expected | None:
    """Return the pass at an extrapolated point whose value is at most `limit`, or None."""
    with np.errstate(all="ignore"):
        found = problem.evaluate(w)
        if not found.loss <= limit:
            return None
        try:
            gain = found.improved[1]
        except DegenerateError:
            return None
    return found if gain >= 0.0 else None


def _refuse_fall(problem: LatentProblem, before: float, after: float) -> None:
    """Refuse a step that lowered the likelihood by more than rounding explains."""
    slack = 64.0 * problem.facts.eps * (problem.data.n_cols + abs(before))
    if not after <= before + slack:
        raise ValueError(
            f"a step of EM lowered the mean log-likelihood from {-before:.12g} to {-after:.12g}, which exact "
            f"steps never do: `maximise` of family {problem.family.name!r} does not find the best parameters "
            "of its sums, or the rows have changed since"
        )
