"""Rung: a bagged vote by twice the mean error."""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds import first_order_vote
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.out_of_bag import out_of_bag
from empirisk.results import RiskCertificate

__all__ = ["vote_mean_error"]

NAME = "vote by twice the mean error"


def vote_mean_error(problem: Problem) -> RiskCertificate:
    """Return a bound of twice the mean error of the members: the vote errs at most twice as often as
    they do.
    """
    bag = out_of_bag(problem)
    if isinstance(bag, str):
        return refuse(problem, NAME, bag)
    delta = problem.delta / ((problem.tuning.candidates or 1) * bag.sizes)
    made = first_order_vote(bag.gibbs, bag.n, delta)
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        n=problem.n,
        assumptions=bag.words,
        kind=bag.kind,
        risk=problem.risk,
    )
