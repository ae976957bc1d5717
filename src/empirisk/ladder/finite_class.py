"""Rung: the union over the members of a finite class."""

from __future__ import annotations

import math
from dataclasses import replace

from empirisk.bounds.binary_kl import binomial_upper
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.known_class import certify, hypothesis_class, size_of
from empirisk.results import Assumption, RiskCertificate

__all__ = ["finite_class"]

NAME = "finite class"


def finite_class(problem: Problem) -> RiskCertificate:
    """``max {p : P(Binomial(n, p) <= k) >= delta/K}``: the exact binomial limit of each of K members.

    Never above the textbook's ``k/n + sqrt(log(K/delta)/(2n))``, nor above ``log(K/delta)/n`` for k = 0.
    """
    log_size = size_of(problem.model)
    if math.isinf(log_size):
        return refuse(problem, NAME, "the model is not a member of a finite class")
    known = hypothesis_class(problem)
    if isinstance(known, str) or problem.losses is None:
        return refuse(problem, NAME, str(known))
    share = math.log(problem.delta / problem.tuning.class_candidates) - log_size
    size = f"{math.exp(log_size):,.0f}" if log_size < 34.0 else f"10^{log_size / math.log(10.0):.4g}"
    about = (known.about[0], Assumption(f"the class has {size} members", "computed"))
    value = binomial_upper(int(problem.losses.sum()), problem.n, share)
    return certify(problem, NAME, replace(known, about=about), value)
