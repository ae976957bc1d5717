"""Rung: the growth function of decision trees with as many cuts."""

from __future__ import annotations

import math

from empirisk.bounds import ghost_training_error
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.tree_shape import tree_shape
from empirisk.results import Assumption, RiskCertificate

__all__ = ["growth_tree"]

NAME = "growth function of trees"


def growth_tree(problem: Problem) -> RiskCertificate:
    """Return the bound of structural risk minimisation over the number of cuts, for errors of a
    classification.
    """
    shape = tree_shape(problem)
    if isinstance(shape, str):
        return refuse(problem, NAME, shape)
    if problem.classes is None or problem.losses is None:
        return refuse(problem, NAME, "the theorem is about errors of a classification")
    delta = problem.delta / problem.tuning.class_candidates
    rate = float(problem.losses.mean())
    if rate >= 1.0:
        return refuse(problem, NAME, "the model errs on every training row")
    share = delta * math.exp(-shape.log_prior)
    value = rate + ghost_training_error(n=problem.n, delta=share, hypotheses=shape, rate=rate).epsilon
    words = f"a tree with {shape.cuts:,} cuts over {shape.columns:,} columns"
    return RiskCertificate(
        NAME,
        min(1.0, value),
        None,
        problem.delta,
        problem.n,
        (
            Assumption("the rows are drawn independently"),
            Assumption(words, "computed"),
            *rows_of_fit(problem),
        ),
        value >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )
