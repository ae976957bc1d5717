"""Rung: the growth function of a hypothesis class."""

from __future__ import annotations

from empirisk.results import RiskCertificate
from empirisk.selection.ladder.base import Problem
from empirisk.selection.ladder.known_class import hypothesis_class, uniform

__all__ = ["class_growth"]

NAME = "growth function of the class"


def class_growth(problem: Problem) -> RiskCertificate:
    """Uniform over every member of a class of :mod:`empirisk.hypotheses`."""
    return uniform(problem, NAME, hypothesis_class(problem))
