"""Rung: the empirical Bernstein bound from test rows."""

from __future__ import annotations

from empirisk.bounds import held_out_bernstein
from empirisk.ladder.base import Problem
from empirisk.ladder.held_out import from_test_rows
from empirisk.results import RiskCertificate

__all__ = ["bernstein"]


def bernstein(problem: Problem) -> RiskCertificate:
    """Return the empirical Bernstein bound, which is short where the losses vary much less than their
    range.
    """
    return from_test_rows(problem, "empirical Bernstein on test rows", held_out_bernstein, least=2)
