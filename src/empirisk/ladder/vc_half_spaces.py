"""Rung: the VC bound of half-spaces."""

from __future__ import annotations

from empirisk.ladder.base import Problem
from empirisk.ladder.known_class import half_spaces, uniform
from empirisk.results import RiskCertificate

__all__ = ["vc_half_spaces"]

NAME = "VC dimension of half-spaces"


def vc_half_spaces(problem: Problem) -> RiskCertificate:
    """Return the uniform bound over every linear classifier of these columns, however it was found."""
    return uniform(problem, NAME, half_spaces(problem))
