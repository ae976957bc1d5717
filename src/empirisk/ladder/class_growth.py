"""Rung: the growth function of a hypothesis class."""

from __future__ import annotations

from empirisk.ladder.base import Problem
from empirisk.ladder.known_class import hypothesis_class, uniform
from empirisk.results import RiskCertificate

__all__ = ["class_growth"]

NAME = "growth function of the class"


def class_growth(problem: Problem) -> RiskCertificate:
    """Return the uniform bound over every member of a class of :mod:`empirisk.hypotheses`."""
    return uniform(problem, NAME, hypothesis_class(problem))
