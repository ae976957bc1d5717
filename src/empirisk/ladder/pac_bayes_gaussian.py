"""Rungs: PAC-Bayes for the randomised linear classifier, and for the fitted one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from empirisk.bounds import pac_bayes_linear
from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.linear import LinearForm
from empirisk.ladder.prior import prior_scales
from empirisk.ladder.prior_model import prior_form
from empirisk.results import RiskCertificate

__all__ = ["pac_bayes_gaussian"]

NAME = "PAC-Bayes-kl with a Gaussian"


def pac_bayes_gaussian(problem: Problem) -> RiskCertificate:
    """Return the weights drawn anew for each row from a Gaussian around the fitted ones."""
    kind = "a randomised model"
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str):
        return refuse(problem, NAME, why, kind)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes", kind)
    if not np.any(form.coef):
        return refuse(problem, NAME, "all coefficients are zero: the posterior has no direction", kind)
    prior = prior_scales(problem, form)
    if isinstance(prior, str):
        return refuse(problem, NAME, prior, kind)
    centre = prior_form(problem, form)
    if isinstance(centre, str):
        return refuse(problem, NAME, centre, kind)
    if NAME not in problem.cache:
        problem.cache[NAME] = _bound(problem, form, centre, *prior)
    made: RiskCertificate = problem.cache[NAME]
    return made


def _bound(
    problem: Problem, form: LinearForm, centre: LinearForm | None, scales: Floats, candidates: int
) -> RiskCertificate:
    w, Z = form.coef[0], form.Z
    mean = None if centre is None else centre.coef[0]
    if form.free_intercept or (centre is not None and centre.free_intercept):
        ones = np.ones((problem.n, 1))
        thin = hasattr(Z, "tocsr")
        Z = sparse.hstack([Z, sparse.csr_array(ones)]).tocsr() if thin else np.hstack([Z, ones])
        w = np.append(w, form.intercept)
        mean = None if centre is None else np.append(centre.coef[0], centre.intercept)
        scales = np.hstack([scales, np.ones((len(scales), 1))])
    delta = problem.delta / max(candidates, problem.tuning.class_candidates)
    plain = bool((scales == 1.0).all())
    made = pac_bayes_linear(Z, problem.signs, w, delta, prior_scale=1.0 if plain else scales, prior_mean=mean)
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        assumptions=(*made.assumptions, *rows_of_fit(problem)),
        risk=problem.risk,
    )
