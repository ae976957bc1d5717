"""Rungs: PAC-Bayes for the randomised linear classifier, and for the fitted one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from empirisk.bounds import pac_bayes_linear
from empirisk.results import RiskCertificate
from empirisk.selection.ladder.base import Problem, refuse, rows_of_fit
from empirisk.selection.ladder.class_bound import why_no_class
from empirisk.selection.ladder.linear import LinearForm

__all__ = ["pac_bayes_gaussian"]

NAME = "PAC-Bayes-kl with a Gaussian"


def pac_bayes_gaussian(problem: Problem) -> RiskCertificate:
    """Weights drawn anew for each row from a Gaussian around the fitted ones."""
    kind = "a randomised model"
    why = why_no_class(problem) or _why_no_prior(problem)
    form = problem.linear
    if why or isinstance(form, str):
        return refuse(problem, NAME, why, kind)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes", kind)
    if not np.any(form.coef):
        return refuse(problem, NAME, "all coefficients are zero: the posterior has no direction", kind)
    if NAME not in problem.cache:
        problem.cache[NAME] = _bound(problem, form)
    made: RiskCertificate = problem.cache[NAME]
    return made


def _bound(problem: Problem, form: LinearForm) -> RiskCertificate:
    w, Z = form.coef[0], form.Z
    scale = _scale(problem, form)
    if form.free_intercept:
        ones = np.ones((problem.n, 1))
        Z = (
            sparse.hstack([Z, sparse.csr_array(ones)]).tocsr()
            if hasattr(Z, "tocsr")
            else np.hstack([Z, ones])
        )
        w = np.append(w, form.intercept)
        if np.ndim(scale):
            scale = np.concatenate([scale, np.ones((*np.shape(scale)[:-1], 1))], axis=-1)
    made = pac_bayes_linear(
        Z, problem.signs, w, problem.delta / problem.tuning.class_candidates, prior_scale=scale
    )
    return replace(
        made,
        bound=NAME,
        delta=problem.delta,
        assumptions=(*made.assumptions, *rows_of_fit(problem)),
        risk=problem.risk,
    )


def _scale(problem: Problem, form: LinearForm) -> Any:
    """Standard deviations of the prior for the columns (that of the intercept is 1)."""
    scale = problem.declared.prior_scale
    if isinstance(scale, str):
        scale = 1.0 / math.sqrt(problem.n * problem.model.alpha_)
    columns = int(form.coef.shape[1])
    if np.ndim(scale) == 0:
        return np.full(columns, float(scale)) if scale != 1.0 else 1.0
    out = np.asarray(scale, dtype=np.float64)
    if out.shape[-1] != columns or out.ndim > 2:
        raise ValueError(
            f"prior_scale must be a number or hold one for each of the {columns} columns (K rows of them "
            "for a "
            f"grid of K priors), got shape {out.shape}."
        )
    return out


def _why_no_prior(problem: Problem) -> str:
    """Why the prior that the penalty stands for is no prior; empty when it is one."""
    if not isinstance(problem.declared.prior_scale, str):
        return ""
    if not getattr(problem.model, "alpha_", 0.0) > 0.0:
        return 'prior_scale="alpha" reads the prior from the penalty, and the model has no alpha_ > 0'
    if problem.tuning.what and not problem.tuning.declared:
        return (
            "the prior variance was chosen by cross-validation on these rows (alpha_ was tuned): the bound "
            "needs it "
            "fixed before the rows are seen"
        )
    return problem.features.fixed
