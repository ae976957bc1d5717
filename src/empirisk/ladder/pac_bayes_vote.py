"""Rung: the fitted linear classifier as the majority vote of its Gaussian."""

from __future__ import annotations

from dataclasses import replace

from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.pac_bayes_gaussian import pac_bayes_gaussian
from empirisk.results import RiskCertificate

__all__ = ["pac_bayes_vote"]

NAME = "PAC-Bayes-kl doubled"


def pac_bayes_vote(problem: Problem) -> RiskCertificate:
    """Return twice the bound of the Gaussian: where the fitted classifier errs, at least half of its draws
    err.
    """
    one = pac_bayes_gaussian(problem)
    if not one.applies:
        return refuse(problem, NAME, one.reason)
    value = min(1.0, 2.0 * one.value)
    return replace(one, bound=NAME, value=value, vacuous=value >= 1.0, kind="the fitted model")
