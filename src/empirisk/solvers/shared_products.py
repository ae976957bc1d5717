"""What regressions of several targets on the same rows share: products of the columns, and their eigenbasis.

The Gram matrix costs O(n p min(n, p)) and depends on no target and no strength; what is left of each target
costs O(n p), and a Cholesky factorisation for each strength.
"""

from __future__ import annotations

import math

from empirisk.problems.facts import Facts, NormalEquations
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.normal_equations import cross_products, keep_products
from empirisk.solvers.ridge_path import RidgeBasis, ridge_basis

__all__ = ["SharedProducts"]

# The side from which solvers make no such matrix, as in solvers/auto.py.
DIRECT = 8_000


class SharedProducts:
    """The products of the columns that the problem of the first target has, lent to those of the others."""

    def __init__(self) -> None:
        self._facts: Facts | None = None
        self._basis: RidgeBasis | None = None

    def lend(self, problem: LinearProblem) -> LinearProblem:
        """Return the problem, which knows the products by now; as it is where a solver would not use them.

        That is so for sparse X, penalties with kinks or signs, more than 8000 rows and columns, and for rows
        that are measured from elsewhere (:mod:`problems.origin`), which differ from target to target.
        """
        quadratic = problem.loss.quadratic and math.isfinite(problem.penalty.smoothness)
        if not quadratic or problem.design.sparse or min(problem.design.shape) > DIRECT:
            return problem
        if self._facts is not None:
            problem.facts.known_moments = self._facts.known_moments
        if problem.moved is not None or not min(problem.design.shape):
            return problem
        if self._facts is None:
            keep_products(problem)
            self._facts = problem.facts
        elif self._facts.normal is not None:
            problem.facts.normal = NormalEquations(self._facts.normal.gram, *cross_products(problem))
        else:
            problem.facts.row_gram = self._facts.row_gram
        return problem

    def basis(self, problem: LinearProblem) -> RidgeBasis:
        """Return the eigenbasis in which the fits at all strengths are divisions, computed once."""
        if self._basis is None:
            self._basis = ridge_basis(problem)
        return self._basis
