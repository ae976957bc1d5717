"""Rung: Hoeffding's bound from test rows."""

from __future__ import annotations

from empirisk.bounds import held_out_hoeffding
from empirisk.ladder.base import Problem
from empirisk.ladder.held_out import from_test_rows
from empirisk.results import RiskCertificate

__all__ = ["hoeffding"]


def hoeffding(problem: Problem) -> RiskCertificate:
    """Return Hoeffding's bound: the one that everybody knows; it is never the shortest here."""
    return from_test_rows(problem, "Hoeffding on test rows", held_out_hoeffding)
