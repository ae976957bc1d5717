"""Rung: uniform stability of the algorithm, in expectation."""

from __future__ import annotations

import math

from empirisk.bounds import stability
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.regularised import constants
from empirisk.results import Assumption, RiskCertificate

__all__ = ["stability_expected"]

NAME = "expected stability"
KIND = "the algorithm, in expectation"


def stability_expected(problem: Problem) -> RiskCertificate:
    """Return the stability bound in expectation over samples, for which the training loss of this one stands
    in.
    """
    c = constants(problem, expectation=True)
    if isinstance(c, str):
        return refuse(problem, NAME, c, KIND)
    excess = stability(n=problem.n, rho=c.rho, alpha=c.alpha, gap=c.gap).epsilon
    value = (c.mean_loss + excess) / math.log(2.0)
    stands = Assumption("the training loss of this sample stands for its expectation over samples")
    return RiskCertificate(
        NAME,
        min(1.0, value),
        None,
        None,
        problem.n,
        (*c.words, stands),
        value >= 1.0,
        kind=KIND,
        risk=problem.risk,
    )
