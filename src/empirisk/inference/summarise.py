"""Coefficient tables of least squares and of generalized linear models.

McCullagh and Nelder, Generalized Linear Models (1989), chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from empirisk.inference.covariance import Covariance, check_covariance, covariance_of
from empirisk.inference.facts import facts_of
from empirisk.inference.fit import Fit, fits_of, order_terms
from empirisk.inference.information import term_names
from empirisk.inference.law import not_a_likelihood
from empirisk.inference.multinomial import summarise_multinomial
from empirisk.inference.refusal import border_reason, no_freedom, solution_array, undetermined_note, why_not
from empirisk.inference.table import Fact, Summary, blank
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import Separation
from empirisk.results import Solution
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["summarise_glm"]


def summarise_glm(
    problem: LinearProblem,
    w: Array | Solution,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    classes: Sequence[object] | None = None,
    level: float = 0.95,
    covariance: str = "classical",
    groups: Any = None,
    weights: str | None = None,
    separation: Separation | None = None,
    blocked: str = "",
) -> Summary:
    """Coefficient table of a maximum-likelihood fit, ``Var = phi (X' diag(s f) X)^-1`` or a sandwich.

    f are the Fisher weights (1 for least squares) and phi the dispersion (``RSS / (S - rank)``, Pearson's
    estimate, or 1).  For least squares with normal noise the t-tests are exact; for the others, and for
    sandwiches, they hold for many rows.

    Parameters
    ----------
    problem : LinearProblem
        With a loss that is a negative log-likelihood.
    w : Solution or array
        Its solution, in the problem's layout.
    names : sequence of str, optional
        Column names; ``x0, x1, ...`` otherwise.
    outputs : sequence of str, optional
        Names of the targets when there are several.
    classes : sequence, optional
        Class labels, for the words of the table.
    level : float, default 0.95
        Confidence level, in (0, 1).
    covariance : str, default "classical"
        ``"classical"``; ``"HC0"`` to ``"HC3"`` (independent rows of unequal noise); ``"cluster"``
        (dependence within `groups`: CR2), ``"CR0"``, ``"CR1"``.
    groups : array, shape (n,), optional
        Group of each row, for the clustered kinds.
    weights : {"frequency", "sampling", "precision"}, optional
        What the row weights are: repetitions; inverse chances of being drawn (robust kinds only); inverse
        variances of the noise.  With the last two a row is one observation, and the scale of the weights
        changes nothing.  Default: frequencies for the classical kind, sampling weights for the robust ones,
        which then are those of weighted least squares elsewhere.  Weights of shares are trials.
    separation : Separation, optional
        Result of :func:`find_separation` when it is known already.
    blocked : str, optional
        A reason that the caller knows why there can be no standard errors.

    Returns
    -------
    Summary
        NaN instead of standard errors, with the reason in `notes`, where they would not be valid: a penalty
        or constraint, no residual degrees of freedom, separable classes, undetermined coefficients, a loss
        that is no likelihood, a perfect fit.

    Raises
    ------
    ValueError
        When a Solution is given with rows that it is no solution of, or an argument is out of range.

    Notes
    -----
    O(n p^2).

    References
    ----------
    P. McCullagh, J. A. Nelder, Generalized Linear Models, 2nd edition (1989), chapter 2.
    """
    check_level(level)
    kind = check_covariance(covariance, groups, weights)
    w_array = solution_array(problem, w)
    reason = blocked or why_not(problem, names, classes, separation) or border_reason(problem, w_array)
    if problem.loss.multinomial:
        return summarise_multinomial(
            problem, w_array, names, classes, level, covariance, groups, kind, reason
        )
    if not_a_likelihood(problem.loss):
        return _coefficients_only(problem, w_array, names, classes, level, reason)
    fits = fits_of(problem, w_array, names, kind)
    labels = [""] if w_array.ndim == 1 else [str(v) for v in outputs or range(len(fits))]
    blocks = [
        _Block(fit, label, level, covariance, groups, reason) for fit, label in zip(fits, labels, strict=True)
    ]
    facts: list[Fact] = []
    for block in blocks:
        suffix = f" [{block.label}]" if len(blocks) > 1 else ""
        found = facts_of(problem, block.fit, block.covariance, covariance)
        facts += [Fact(f.name + suffix, f.value, f.meaning) for f in found]
    notes = list(dict.fromkeys(note for block in blocks for note in block.notes))
    notes += _about(problem, w, fits[0], classes)
    return _assemble(blocks, facts, notes, level, bool(reason), problem)


class _Block:
    """The rows of the table for one target."""

    def __init__(self, fit: Fit, label: str, level: float, covariance: str, groups: Any, reason: str) -> None:
        self.fit, self.label = fit, label
        self.notes: list[str] = []
        self.covariance: Covariance | None = None
        q = len(fit.terms)
        self.coef, self.se = fit.coef, blank(q)
        self.t, self.p, self.low, self.high = blank(q), blank(q), blank(q), blank(q)
        if not reason and not fit.df > 0.0:
            reason = no_freedom(fit.total, fit.rank, fit.linear)
        if reason:
            self.notes.append(reason)
        else:
            self._fill(covariance_of(fit, covariance, groups), level)

    def _fill(self, V: Covariance, level: float) -> None:
        fit = self.fit
        self.covariance = V
        self.notes.append(V.note)
        known = fit.info.estimable()
        if not known.all():
            self.notes.append(undetermined_note(fit.terms, known, fit.info))
        self.coef = np.where(known, fit.coef, math.nan)
        self.se = np.where(known, np.sqrt(np.diag(V.matrix)), math.nan)
        half = stats.t.ppf(0.5 + 0.5 * level, V.df) * self.se
        self.low, self.high = self.coef - half, self.coef + half
        if not fit.perfect:
            with np.errstate(divide="ignore", invalid="ignore"):
                self.t = self.coef / self.se
            self.p = np.asarray(2.0 * stats.t.sf(np.abs(self.t), V.df))

    @property
    def inflation(self) -> Array:
        head = [math.nan] * int(self.fit.intercept)
        return np.concatenate([head, self.fit.info.inflation()])


def _assemble(
    blocks: list[_Block],
    facts: list[Fact],
    notes: list[str],
    level: float,
    refused: bool,
    problem: LinearProblem,
) -> Summary:
    def join(part: str) -> Array:
        return np.concatenate([getattr(b, part) for b in blocks])

    first = blocks[0]
    fit, V = first.fit, first.covariance
    title = fit.law.title
    if refused and "penalty" in notes[0]:
        common = title.split()[0] in ("Linear", "Logistic", "Probit", "Negative", "Complementary")
        title = f"Penalised {title[:1].lower() + title[1:] if common else title}"
    several = len(fit.terms) - int(fit.intercept) > 1
    normal = V is not None and np.isinf(V.df).all()
    return Summary(
        title=title,
        terms=fit.terms * len(blocks),
        groups=tuple(b.label for b in blocks for _ in fit.terms),
        coef=join("coef"),
        se=join("se"),
        statistic=join("t"),
        p=join("p"),
        low=join("low"),
        high=join("high"),
        statistic_name="z" if normal or (V is None and fit.law.unit_dispersion) else "t",
        level=level,
        facts=tuple(facts),
        notes=tuple(notes),
        valid=any(b.covariance is not None for b in blocks),
        covariance=V.matrix if V is not None else None,
        inflation=join("inflation") if V is not None and several else None,
        loss=problem.loss.plain(problem.data.y)[0].name,
        ratio=problem.loss.ratio,
    )


def _about(
    problem: LinearProblem, w: Array | Solution, fit: Fit, classes: Sequence[object] | None
) -> list[str]:
    """Return what coefficients, weights and a fit that stopped early mean."""
    out = []
    if isinstance(w, Solution) and not w.status.ok:
        out.append(f"the fit is not certified, so that all numbers are about a point near it: {w.sentence}")
    if fit.law.loss.log_odds:
        of = f"{classes[1]} against {classes[0]}" if classes is not None else "the positive class"
        out.append(f"coefficients are changes of the log odds of {of}")
    if fit.law.loss.nuisances:
        out.append(
            "the extra dispersion was estimated; in expectation it is orthogonal to the coefficients, so "
            "that their standard errors stand (dispersion_interval() has its own interval)"
        )
    scatter = fit.law.unit_dispersion and not fit.law.loss.labels and fit.df > 0.0
    # A level of 0.1 %: the warning is about gross misfit, and tables are read many times.
    if scatter and fit.chi2 > stats.chi2.ppf(0.999, fit.df):
        out.append(
            f"targets scatter more than the family says: Pearson's chi2 is {fit.chi2 / fit.df:.3g} times its "
            'degrees of freedom; use covariance="HC0" (or "HC3"), or the negative binomial family for counts'
        )
    if fit.law.loss.log_link:
        out.append("exp(coef) is the factor on the mean of y for one more unit of the column")
    return [*out, *filter(None, [fit.about_weights])]


def _coefficients_only(
    problem: LinearProblem,
    w: Array,
    names: Sequence[str] | None,
    classes: Sequence[object] | None,
    level: float,
    reason: str,
) -> Summary:
    """Return the table of a loss that is no likelihood: a row for each class or target and term, without
    errors.
    """
    terms = term_names(names, problem.data.n_cols, problem.intercept)
    coef = order_terms(w, problem.intercept).reshape(len(terms), -1)
    k = coef.shape[1]
    labels = [""] if k == 1 else [str(v) for v in (range(k) if classes is None else classes)]
    nothing = blank(coef.size)
    return Summary(
        f"Fit with the loss {problem.loss.name!r}",
        terms * k, tuple(label for label in labels for _ in terms), coef.T.ravel(),
        nothing, nothing, nothing, nothing, nothing,
        level=level,
        facts=(Fact("n", problem.data.total_weight, "rows (sum of the weights)"),),
        notes=(reason,),
        valid=False,
    )  # fmt: skip
