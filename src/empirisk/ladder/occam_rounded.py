"""Rung: Occam's razor for the model with coarsely rounded coefficients."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from empirisk.bounds import occam
from empirisk.bounds.compression import log_choose
from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.linear import LinearForm
from empirisk.ladder.losses import losses_of_scores
from empirisk.ladder.prior import declared_scales, finish
from empirisk.results import RiskCertificate

__all__ = ["occam_rounded"]

NAME = "Occam by rounded coefficients"
WIDTHS = range(2, 25)


def rounded(u: Floats, bits: int) -> tuple[Floats, float]:
    """Return the coefficients as whole numbers of `bits` bits times one scale, and that scale."""
    scale = float(np.abs(u).max()) / (2 ** (bits - 1) - 1)
    return (np.rint(u / scale), scale) if scale > 0.0 else (np.zeros_like(u), 1.0)


def description(q: Floats, form: LinearForm, bits: int, regression: bool) -> float:
    """Return in nats the width, which are not zero, and their values; intercepts (and the scale) in 64
    bits.
    """
    total, kept = q.size, int(np.count_nonzero(q))
    floats = (form.intercept.size if form.free_intercept else 0) + int(regression)
    values = kept * math.log(2.0**bits - 2.0) if kept else 0.0
    which = math.log(total + 1.0) + log_choose(total, kept)
    return math.log(len(WIDTHS)) + which + values + 64 * floats * math.log(2.0)


def occam_rounded(problem: Problem) -> RiskCertificate:
    """Return the best width of 2 to 24 bits, in units of the declared scales; the model is another one by
    then.
    """
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str):
        return refuse(problem, NAME, why, "the rounded model")
    scales = declared_scales(problem, form)
    delta = problem.delta / problem.tuning.class_candidates / len(scales)

    def at(bits: int, d: Floats) -> tuple[RiskCertificate, int, float]:
        q, scale = rounded(form.coef / d, bits)
        losses = losses_of_scores(problem, form.scores(q * scale * d, form.intercept))
        nats = description(q, form, bits, problem.classes is None)
        return occam(losses, nats, delta, low=problem.low, high=problem.high), bits, nats

    tried = [at(bits, d) for bits, d in product(WIDTHS, scales)]
    made, bits, nats = min(tried, key=lambda t: t[0].value)
    words = f"coefficients rounded to {bits} bits: {nats / math.log(2.0):,.0f} bits in all"
    return finish(problem, made, NAME, words, f"the model with coefficients rounded to {bits} bits")
