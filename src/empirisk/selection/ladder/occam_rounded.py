"""Rung: Occam's razor for the model with coarsely rounded coefficients."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from empirisk.bounds import occam
from empirisk.bounds.compression import log_choose
from empirisk.results import Assumption, RiskCertificate
from empirisk.selection.intervals.base import Floats
from empirisk.selection.ladder.base import Problem, refuse, rows_of_fit
from empirisk.selection.ladder.class_bound import why_no_class
from empirisk.selection.ladder.linear import LinearForm
from empirisk.selection.ladder.losses import losses_of_scores

__all__ = ["occam_rounded"]

NAME = "Occam by rounded coefficients"
WIDTHS = range(2, 25)


def rounded(form: LinearForm, bits: int) -> tuple[Floats, float]:
    """Coefficients as whole numbers of `bits` bits times one scale, and that scale."""
    scale = float(np.abs(form.coef).max()) / (2 ** (bits - 1) - 1)
    if scale == 0.0:
        return np.zeros_like(form.coef), 1.0
    return np.rint(form.coef / scale), scale


def description(q: Floats, form: LinearForm, bits: int, regression: bool) -> float:
    """Nats: the width, which are not zero, their values; intercepts (and the scale) in 64 bits."""
    total, kept = q.size, int(np.count_nonzero(q))
    floats = (form.intercept.size if form.free_intercept else 0) + int(regression)
    values = kept * math.log(2.0**bits - 2.0) if kept else 0.0
    which = math.log(total + 1.0) + log_choose(total, kept)
    return math.log(len(WIDTHS)) + which + values + 64 * floats * math.log(2.0)


def occam_rounded(problem: Problem) -> RiskCertificate:
    """The best width of 2 to 24 bits; the statement is about the rounded model, which is another one."""
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str):
        return refuse(problem, NAME, why, "the rounded model")
    delta = problem.delta / problem.tuning.class_candidates
    best: tuple[RiskCertificate, int, float] | None = None
    for bits in WIDTHS:
        q, scale = rounded(form, bits)
        losses = losses_of_scores(problem, form.scores(q * scale, form.intercept))
        nats = description(q, form, bits, problem.classes is None)
        made = occam(losses, nats, delta, low=problem.low, high=problem.high)
        if best is None or made.value < best[0].value:
            best = made, bits, nats
    assert best is not None
    made, bits, nats = best
    words = f"coefficients rounded to {bits} bits: {nats / math.log(2.0):,.0f} bits in all"
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        assumptions=(made.assumptions[0], Assumption(words, "computed"), *rows_of_fit(problem)),
        kind=f"the model with coefficients rounded to {bits} bits",
        risk=problem.risk,
    )
