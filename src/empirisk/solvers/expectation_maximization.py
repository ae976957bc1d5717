"""Expectation-maximisation: parameters that fit the expected sums of hidden parts best, again and again.

Dempster, Laird and Rubin, Journal of the Royal Statistical Society B 39 (1977): no step lowers the
likelihood.  A fall beyond rounding therefore is a fault, of the family or of rows that change, and is an
error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.latent import Expected, LatentProblem
from empirisk.solvers.base import State
from empirisk.typing import Array, Capability

__all__ = ["ExpectationMaximization"]


@dataclass(frozen=True)
class ExpectationMaximization:
    """The step of EM, with a look at the likelihood after each.

    Examples
    --------
    >>> ExpectationMaximization().name
    'expectation_maximization'
    """

    name = "expectation_maximization"
    needs = frozenset({Capability.LATENT})

    def init(self, problem: LatentProblem, w0: Array | None) -> State:
        """Return the start with the expected sums of its pass."""
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        return State(w, problem.evaluate(w), n_passes=1.0)

    def step(self, problem: LatentProblem, state: State) -> State:
        """Return the parameters that fit the expected sums best, with the sums that they expect."""
        e: Expected = state.evaluation
        w = e.improved[0]
        after = problem.evaluate(w)
        refuse_fall(problem, e.loss, after.loss)
        return State(w, after, n_passes=state.n_passes + 1.0)


def refuse_fall(problem: LatentProblem, before: float, after: float) -> None:
    """Refuse a step that lowered the likelihood by more than rounding explains."""
    slack = 64.0 * problem.facts.eps * (problem.data.n_cols + abs(before))
    if not after <= before + slack:
        raise ValueError(
            f"a step of EM lowered the mean log-likelihood from {-before:.12g} to {-after:.12g}, which exact "
            f"steps never do: `maximise` of family {problem.family.name!r} does not find the best parameters "
            "of its sums, or the rows have changed since"
        )
