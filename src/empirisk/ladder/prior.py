"""The scales of the columns that the user knew before the rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem, rows_of_fit
from empirisk.ladder.linear import LinearForm
from empirisk.results import Assumption, RiskCertificate

__all__ = ["declared_scales", "finish", "prior_scales"]


def declared_scales(problem: Problem, form: LinearForm) -> Floats:
    """Return the typical sizes of the coefficients, shape (K, columns): K candidates, all ones unless
    declared.
    """
    scale, columns = problem.declared.prior_scale, int(form.coef.shape[1])
    if isinstance(scale, str):
        return np.ones((1, columns))
    out = np.atleast_2d(np.asarray(scale, dtype=np.float64))
    if np.ndim(scale) == 0:
        out = np.full((1, columns), float(scale))
    if out.shape[1] != columns or out.ndim > 2:
        raise ValueError(
            f"prior_scale must be a number or hold one for each of the {columns} columns (a row of them for "
            "each "
            f"prior of a grid), got shape {np.shape(scale)}."
        )
    if not (np.isfinite(out).all() and (out > 0.0).all()):
        raise ValueError("prior_scale must hold positive, finite standard deviations.")
    return out


def prior_scales(problem: Problem, form: LinearForm) -> tuple[Floats, int] | str:
    """Return the standard deviations of the prior, and among how many priors it was chosen; or why it is no
    prior.
    """
    if not isinstance(problem.declared.prior_scale, str):
        return declared_scales(problem, form), 1
    if not getattr(problem.model, "alpha_", 0.0) > 0.0:
        return 'prior_scale="alpha" reads the prior from the penalty, and the model has no alpha_ > 0'
    if problem.tuning.candidates is None:
        return (
            "the prior variance was chosen by cross-validation on these rows (alpha_ was tuned): the bound "
            "needs it "
            "fixed before, or chosen among K fixed values"
        )
    if problem.features.fixed:
        return problem.features.fixed
    deviation = 1.0 / math.sqrt(problem.n * problem.model.alpha_)
    return np.full((1, int(form.coef.shape[1])), deviation), problem.tuning.candidates


def finish(problem: Problem, made: RiskCertificate, name: str, words: str, kind: str) -> RiskCertificate:
    """Return the row of a bound about a code: its own delta again, and what the code is."""
    return replace(
        made,
        bound=name,
        delta=problem.delta,
        assumptions=(made.assumptions[0], Assumption(words, "computed"), *rows_of_fit(problem)),
        kind=kind,
        risk=problem.risk,
    )
