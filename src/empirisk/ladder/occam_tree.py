"""Rung: Occam's razor for a decision tree."""

from __future__ import annotations

import math

from empirisk.bounds import occam
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.class_bound import NO_RANGE
from empirisk.ladder.prior import finish
from empirisk.ladder.tree_shape import tree_shape
from empirisk.results import RiskCertificate

__all__ = ["occam_tree"]

NAME = "Occam by tree size"


def occam_tree(problem: Problem) -> RiskCertificate:
    """Return the bits that write the tree down: its shape, columns, thresholds and leaves."""
    shape = tree_shape(problem)
    if isinstance(shape, str):
        return refuse(problem, NAME, shape)
    if problem.losses is None:
        return refuse(problem, NAME, NO_RANGE)
    delta = problem.delta / problem.tuning.class_candidates
    made = occam(problem.losses, shape.nats, delta, low=problem.low, high=problem.high)
    words = f"a tree with {shape.cuts:,} cuts takes {shape.nats / math.log(2.0):,.0f} bits"
    return finish(problem, made, NAME, words, "the fitted model")
