"""Rung: the exact binomial bound from test rows."""

from __future__ import annotations

import numpy as np

from empirisk.bounds import held_out_binomial
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.held_out import from_test_rows
from empirisk.results import RiskCertificate

__all__ = ["exact_binomial"]

NAME = "exact binomial on test rows"


def exact_binomial(problem: Problem) -> RiskCertificate:
    """Return the one-sided bound of Clopper and Pearson: the best that a count of errors can give."""
    losses = problem.test_losses
    if losses is not None and not np.isin(losses, (0.0, 1.0)).all():
        return refuse(problem, NAME, "the losses are not counts of errors")
    return from_test_rows(problem, NAME, held_out_binomial, ranged=False)
