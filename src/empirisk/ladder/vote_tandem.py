"""Rung: a bagged vote by tandem loss."""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds import tandem_vote
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.out_of_bag import out_of_bag
from empirisk.results import RiskCertificate

__all__ = ["vote_tandem"]

NAME = "vote by tandem loss"


def vote_tandem(problem: Problem) -> RiskCertificate:
    """Return a bound of four times how often two members err together."""
    bag = out_of_bag(problem)
    if isinstance(bag, str):
        return refuse(problem, NAME, bag)
    delta = problem.delta / ((problem.tuning.candidates or 1) * bag.sizes)
    made = tandem_vote(bag.tandem, bag.n_pairs, delta)
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        n=problem.n,
        assumptions=bag.words,
        kind=bag.kind,
        risk=problem.risk,
    )
