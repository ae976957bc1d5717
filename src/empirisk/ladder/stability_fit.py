"""Rung: uniform stability of the fitted model, with high probability."""

from __future__ import annotations

import math

from empirisk.bounds import stability_deviation
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.regularised import constants
from empirisk.results import RiskCertificate

__all__ = ["stability_fit"]

NAME = "uniform stability"


def stability_fit(problem: Problem) -> RiskCertificate:
    """Return the stability bound of Bousquet and Elisseeff, through the logistic loss."""
    c = constants(problem)
    if isinstance(c, str):
        return refuse(problem, NAME, c)
    largest = c.at_zero + c.rho**2 / c.alpha
    excess = stability_deviation(
        n=problem.n,
        delta=problem.delta,
        rho=c.rho,
        alpha=c.alpha,
        gap=c.gap,
        largest_loss=largest,
        candidates=problem.tuning.candidates or 1,
    ).epsilon
    value = (c.mean_loss + excess) / math.log(2.0)
    return RiskCertificate(
        NAME, min(1.0, value), None, problem.delta, problem.n, c.words, value >= 1.0, risk=problem.risk
    )
