"""Rung: the Chernoff-kl bound from test rows."""

from __future__ import annotations

from empirisk.bounds import held_out_kl
from empirisk.ladder.base import Problem
from empirisk.ladder.held_out import from_test_rows
from empirisk.results import RiskCertificate

__all__ = ["chernoff"]


def chernoff(problem: Problem) -> RiskCertificate:
    """Return the Chernoff bound from test rows, for losses in a known range."""
    return from_test_rows(problem, "Chernoff-kl on test rows", held_out_kl)
