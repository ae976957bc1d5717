"""Rung: a bagged vote by C-bound."""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds import c_bound
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.out_of_bag import out_of_bag
from empirisk.results import RiskCertificate

__all__ = ["vote_c_bound"]

NAME = "vote by C-bound"


def vote_c_bound(problem: Problem) -> RiskCertificate:
    """Return the bound the vote's risk from the mean and the variance of its margin."""
    bag = out_of_bag(problem)
    if isinstance(bag, str):
        return refuse(problem, NAME, bag)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes")
    delta = problem.delta / ((problem.tuning.candidates or 1) * bag.sizes)
    made = c_bound(bag.gibbs, bag.disagreement, bag.n, bag.n_pairs, delta)
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        n=problem.n,
        assumptions=bag.words,
        kind=bag.kind,
        risk=problem.risk,
    )
