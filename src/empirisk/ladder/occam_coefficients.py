"""Rung: Occam's razor, a linear model as the bits of its coefficients."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds import occam
from empirisk.bounds.compression import log_choose
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.linear import LinearForm
from empirisk.ladder.prior import finish
from empirisk.results import RiskCertificate

__all__ = ["occam_coefficients"]

NAME = "Occam by stored coefficients"


def description(form: LinearForm) -> float:
    """Return in nats how many coefficients are not zero, which, and their bits; intercepts in 64 bits."""
    total, kept = form.coef.size, int(np.count_nonzero(form.coef))
    which = math.log(total + 1.0) + log_choose(total, kept)
    intercepts = form.intercept.size if form.free_intercept else 0
    return which + (form.bits * kept + 64 * intercepts) * math.log(2.0)


def occam_coefficients(problem: Problem) -> RiskCertificate:
    """Return Occam's bound: only so many models fit into the memory of a computer."""
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str) or problem.losses is None:
        return refuse(problem, NAME, why)
    nats = description(form)
    delta = problem.delta / problem.tuning.class_candidates
    made = occam(problem.losses, nats, delta, low=problem.low, high=problem.high)
    words = (
        f"{form.coef.size:,} coefficients of {form.bits} bits, zeros apart: {nats / math.log(2.0):,.0f} "
        "bits in all"
    )
    return finish(problem, made, NAME, words, "the fitted model")
