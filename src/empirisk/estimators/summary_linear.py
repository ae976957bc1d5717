"""Inference for least squares: classical, HC3 and cluster-robust."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.collinear import find_collinear
from empirisk.estimators.covariance import cluster_covariance, hc3_covariance
from empirisk.estimators.information import Information, term_names
from empirisk.estimators.summary_table import Fact, Summary, blank
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.typing import Array

__all__ = ["check_level", "order_terms", "penalty_reason", "solution_array", "summarise_linear"]

_COVARIANCES = ("classical", "HC3", "cluster")


def summarise_linear(
    problem: LinearProblem,
    w: Array | Solution,
    *,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    level: float = 0.95,
    covariance: str = "classical",
    groups: Any = None,
) -> Summary:
    """Coefficient table of a least-squares fit, ``Var = sigma^2 (X'X)^-1``, ``sigma^2 = RSS / (S - rank)``.

    Parameters
    ----------
    problem : LinearProblem
        With the half squared loss.
    w : Solution or array
        Its solution, in the problem's layout.
    names : sequence of str, optional
        Column names; ``x0, x1, ...`` otherwise.
    outputs : sequence of str, optional
        Names of the targets when there are several.
    level : float
        Confidence level, in (0, 1), default 0.95.
    covariance : str
        ``"classical"`` (equal, independent noise), ``"HC3"`` (independent rows of unequal noise) or
        ``"cluster"`` (dependence within `groups`).
    groups : array, shape (n,), optional
        Group of each row, for ``covariance="cluster"``.

    Returns
    -------
    Summary
        NaN instead of standard errors, with the reason in `notes`, where they would not be valid: a
        penalty or constraint, no residual degrees of freedom, undetermined coefficients, a perfect fit.

    Raises
    ------
    ValueError
        When a Solution is given with rows that it is no solution of, or an argument is out of range.

    Notes
    -----
    Weights count repetitions: S = sum of the weights is the sample size.  O(n p^2).
    """
    if problem.loss.name != "half_squared":
        raise ValueError(f"summarise_linear is for the squared loss; the loss is {problem.loss.name!r}")
    check_level(level)
    if covariance not in _COVARIANCES:
        raise ValueError(f"covariance must be one of {_COVARIANCES}, got {covariance!r}")
    if (covariance == "cluster") != (groups is not None):
        raise ValueError('covariance="cluster" and groups go together: give both or neither')
    terms = term_names(names, problem.data.n_cols, problem.intercept)
    w = solution_array(problem, w)
    columns = w[:, None] if w.ndim == 1 else w
    labels = [""] if w.ndim == 1 else [str(v) for v in outputs or range(columns.shape[1])]
    why_not = penalty_reason(problem)
    info = Information(problem.design, problem.data.weight, problem.intercept)
    fits = [_Fit.of(problem, info, columns[:, k], k if w.ndim > 1 else None) for k in range(columns.shape[1])]
    tables = [_table(f, terms, level, covariance, groups, why_not) for f in fits]
    return _assemble(problem, tables, fits, terms, labels, level, covariance)


@dataclass(frozen=True, eq=False)
class _Fit:
    """One target: coefficients (intercept first), residuals and sums of squares."""

    info: Information
    coef: Array
    residual: Array
    weight: Array
    rss: float
    tss: float
    perfect: bool

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @property
    def df(self) -> float:
        """Residual degrees of freedom, ``S - rank``."""
        return self.total - self.info.rank

    @property
    def sigma(self) -> float:
        return math.sqrt(self.rss / self.df) if self.df > 0.0 else math.nan

    @staticmethod
    def of(problem: LinearProblem, info: Information, w: Array, k: int | None) -> _Fit:
        y = np.asarray(problem.data.y if k is None else problem.data.y[:, k], dtype=np.float64)
        weight = np.asarray(problem.data.weight, dtype=np.float64)
        coef, b = (w[:-1], w[-1]) if problem.intercept else (w, 0.0)
        residual = _residual(problem.design.X, y, coef, b)
        size = np.abs(y) + np.asarray(abs(problem.design.X) @ np.abs(coef)) + abs(b)
        rss = float(weight @ residual**2)
        eps = float(np.finfo(problem.design.dtype).eps)
        perfect = rss <= (4.0 * eps) ** 2 * float(weight @ size**2)
        centre = float(weight @ y) / weight.sum() if problem.intercept and weight.sum() > 0.0 else 0.0
        tss = float(weight @ (y - centre) ** 2)
        terms = np.concatenate([[b], coef]) if problem.intercept else coef
        return _Fit(info, terms, residual, weight, 0.0 if perfect else rss, tss, perfect)


def _residual(X: Any, y: Array, coef: Array, b: float) -> Array:
    """``y - X w - b`` in float64 or better: cancellation must not reach the residual variance."""
    if not hasattr(X, "tocsr") and X.size <= 200_000 and np.finfo(np.longdouble).eps < 1e-18:
        wide = np.longdouble
        z = (X.astype(wide) * coef.astype(wide)).sum(axis=1) + wide(b)
        return np.asarray(y.astype(wide) - z, dtype=np.float64)
    return np.asarray(y - (np.asarray(X @ coef, dtype=np.float64) + b))


@dataclass(frozen=True, eq=False)
class _Table:
    se: Array
    statistic: Array
    p: Array
    low: Array
    high: Array
    covariance: Array | None
    notes: tuple[str, ...]


def _nothing(q: int, *notes: str) -> _Table:
    return _Table(blank(q), blank(q), blank(q), blank(q), blank(q), None, notes)


def _table(
    fit: _Fit, terms: tuple[str, ...], level: float, covariance: str, groups: Any, why_not: str
) -> _Table:
    q = len(terms)
    if why_not:
        return _nothing(q, why_not)
    if not fit.df > 0.0:
        return _nothing(
            q,
            f"no standard errors: the rows (sum of weights {fit.total:g}) and the free coefficients "
            f"({fit.info.rank}) leave no degrees of freedom for the noise; collect more rows, drop "
            "columns, or use a penalty",
        )
    robust = None
    if covariance == "HC3":
        robust = hc3_covariance(fit.info, fit.residual, fit.weight, fit.df)
    elif covariance == "cluster":
        robust = cluster_covariance(fit.info, fit.residual, fit.weight, groups)
    if robust is None:
        half = fit.sigma * fit.info.half
        matrix, se, df = half @ half.T, fit.sigma * fit.info.standard_errors(), np.full(q, fit.df)
        note = "standard errors assume independent rows with noise of equal variance"
    else:
        matrix, df, note = robust.matrix, robust.df, robust.note
        se = np.sqrt(np.diag(matrix))
    notes = [note]
    if fit.perfect:
        se, matrix = np.zeros(q), np.zeros((q, q))
        notes = [
            "the fit is perfect up to rounding: the residual variance is 0, and so is every "
            "standard error; there is no noise to test a coefficient against"
        ]
    known = fit.info.estimable()
    if not known.all():
        notes.append(undetermined_note(terms, known, fit.info))
    coef = np.where(known, fit.coef, math.nan)
    se = np.where(known, se, math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / se
    if fit.perfect:
        t = blank(q)
    width = stats.t.ppf(0.5 + 0.5 * level, df) * se
    p_value = np.asarray(2.0 * stats.t.sf(np.abs(t), df))
    return _Table(se, t, p_value, coef - width, coef + width, matrix, tuple(notes))


def undetermined_note(terms: tuple[str, ...], known: np.ndarray, info: Information) -> str:
    """Which coefficients the columns do not determine, and which relations between columns are to blame."""
    lost = [term for term, ok in zip(terms, known, strict=True) if not ok]
    shown = ", ".join(lost[:8]) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
    names = terms[1:] if info.intercept else terms
    found = find_collinear(info.design, info.weight, info.intercept, names, factor=info.factor)
    because = "; ".join([r.sentence for r in found.relations if r.exact][:5]) or "columns are collinear"
    return (
        f"not determined by the data: {shown} ({because}); many values fit equally well (the fit took those "
        "of smallest norm), so none is given; the other rows are not affected"
    )


def penalty_reason(problem: LinearProblem) -> str:
    """Why a penalised or constrained fit has no standard errors; empty without penalty."""
    penalty = problem.penalty
    tail = "; refit without a penalty on columns chosen beforehand, or use cross-validated scores"
    if penalty.l1 > 0.0:
        return (
            "no standard errors: the L1 penalty chose which coefficients are zero by looking at these rows, "
            f"and shrank the others; a t-test that ignores the choice finds too much{tail}"
        )
    if penalty.l2 > 0.0:
        return (
            "no standard errors: the L2 penalty shrinks the coefficients, so that they are biased; a t-test "
            f"would be about the shrunk coefficient, not about the effect of the column{tail}"
        )
    if penalty.positive:
        return (
            "no standard errors: coefficients are held at or above 0, and an estimate on the boundary "
            "has no normal distribution"
        )
    return ""


def solution_array(problem: LinearProblem, w: Array | Solution) -> Array:
    """The parameters; a Solution is refused on rows that it is no solution of."""
    if not isinstance(w, Solution):
        return np.asarray(w, dtype=np.float64)
    before = w.certificate.relative
    if np.shape(w.w) != problem.shape or problem.certify(w.w).relative > max(100.0 * before, 1e-3):
        raise ValueError(
            "X, y and sample_weight are not the rows that the model was fitted on (the fit is not optimal "
            "for them); standard errors are about the rows of the fit: pass those, or refit"
        )
    return np.asarray(w.w, dtype=np.float64)


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}")


def order_terms(w: Array, intercept: bool) -> Array:
    """From the problem's layout (intercept last) to the table's (intercept first)."""
    return np.concatenate([w[-1:], w[:-1]]) if intercept else np.asarray(w)


def _assemble(
    problem: LinearProblem,
    tables: list[_Table],
    fits: list[_Fit],
    terms: tuple[str, ...],
    labels: list[str],
    level: float,
    covariance: str,
) -> Summary:
    def join(part: str) -> Array:
        return np.concatenate([getattr(t, part) for t in tables])

    several = len(labels) > 1
    facts: list[Fact] = []
    for fit, label in zip(fits, labels, strict=True):
        facts += _facts(problem, fit, f" [{label}]" if several else "", covariance)
    notes = list(dict.fromkeys(note for t in tables for note in t.notes))
    weight = problem.data.weight
    if not np.all((weight == 0.0) | (weight == 1.0)):
        notes.append(
            "weights count repetitions: a row of weight 2 is two rows, and the sample size is their sum"
        )
    valid = any(t.covariance is not None for t in tables)
    return Summary(
        title="Linear regression by least squares"
        if not penalty_reason(problem)
        else "Penalised linear regression",
        terms=terms * len(labels),
        groups=tuple(label for label in labels for _ in terms),
        coef=np.concatenate(
            [np.where(f.info.estimable(), f.coef, math.nan) if valid else f.coef for f in fits]
        ),
        se=join("se"),
        statistic=join("statistic"),
        p=join("p"),
        low=join("low"),
        high=join("high"),
        statistic_name="t",
        level=level,
        facts=tuple(facts),
        notes=tuple(notes),
        valid=valid,
        covariance=tables[0].covariance,
    )


def _facts(problem: LinearProblem, fit: _Fit, suffix: str, covariance: str) -> list[Fact]:
    S, rank, df = fit.total, fit.info.rank, fit.df
    slopes = rank - int(problem.intercept)
    r2 = 1.0 - fit.rss / fit.tss if fit.tss > 0.0 else math.nan
    free = S - int(problem.intercept)
    about = "about the mean of y" if problem.intercept else "about 0, as there is no intercept"
    out = [
        Fact("n", S, "rows (sum of the weights)"),
        Fact("r2", r2, f"share of the variation of y {about} that the fit explains (R squared)"),
    ]
    if not penalty_reason(problem):
        adjusted = 1.0 - (1.0 - r2) * free / df if df > 0.0 else math.nan
        out += [
            Fact("rank", float(rank), "free coefficients, the intercept included"),
            Fact("df", df, "residual degrees of freedom"),
            Fact("sigma", fit.sigma, "standard deviation of the noise (residual standard error)"),
            Fact("adjusted_r2", adjusted, "R squared corrected for the number of coefficients"),
        ]
        out += _f_test(fit, slopes, covariance) + _likelihood(fit)
    return [Fact(f.name + suffix, f.value, f.meaning) for f in out]


def _f_test(fit: _Fit, slopes: int, covariance: str) -> list[Fact]:
    if slopes == 0 or not fit.df > 0.0 or fit.perfect or covariance != "classical":
        return []
    f = (fit.tss - fit.rss) / slopes / (fit.rss / fit.df)
    p = float(stats.f.sf(f, slopes, fit.df))
    return [
        Fact("F", f, f"F statistic on {slopes} and {fit.df:g} degrees of freedom: all slopes are 0"),
        Fact("F_p", p, "how often an F this large would occur if all slopes were 0"),
    ]


def _likelihood(fit: _Fit) -> list[Fact]:
    S = fit.total
    if not fit.rss > 0.0:
        return []
    log_lik = -0.5 * S * (math.log(2.0 * math.pi * fit.rss / S) + 1.0)
    k = fit.info.rank + 1
    return [
        Fact("log_likelihood", log_lik, "Gaussian log-likelihood at its maximum"),
        Fact(
            "aic",
            2.0 * k - 2.0 * log_lik,
            f"Akaike's criterion, {k} parameters (sigma is one); less is better",
        ),
        Fact("bic", k * math.log(S) - 2.0 * log_lik, "Bayesian (Schwarz) criterion; less is better"),
    ]
