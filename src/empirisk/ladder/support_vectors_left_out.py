"""Rung: the expected risk of a support vector machine by the number of its support vectors.

Vapnik 1998, Statistical Learning Theory, section 10.2: without a row that supports nothing the machine is
the same, so that only support vectors can be errors of leave-one-out, whose mean is that of n - 1 rows.
"""

from __future__ import annotations

from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.support_vectors import support_of, why_no_support
from empirisk.results import Assumption, RiskCertificate

__all__ = ["support_vectors_left_out"]

NAME = "leave-one-out by support vectors"
KIND = "the algorithm, in expectation"


def support_vectors_left_out(problem: Problem) -> RiskCertificate:
    """Return the share of support vectors, which bounds the expected risk of machines of n - 1 rows."""
    why = problem.tuning.expectation_reason or why_no_support(problem)
    if why:
        return refuse(problem, NAME, why, KIND)
    value = support_of(problem).size / problem.n
    words = (
        Assumption("the rows are drawn independently"),
        Assumption("a machine of n - 1 rows has the same price for each row (the same C)"),
        Assumption("the share of support vectors of this sample stands for its expectation over samples"),
        *rows_of_fit(problem),
    )
    return RiskCertificate(
        NAME, min(1.0, value), None, None, problem.n, words, value >= 1.0, kind=KIND, risk=problem.risk
    )
