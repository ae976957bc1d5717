"""Standard errors, tests and the table of a maximum-likelihood fit in any parameters.

Huber, Proceedings of the Fifth Berkeley Symposium (1967); White, Econometrica 50 (1982), for the sandwich.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from empirisk.inference.bands import Bands
from empirisk.inference.cluster import cluster_rows
from empirisk.inference.covariance import check_covariance
from empirisk.inference.facts import criteria
from empirisk.inference.refusal import SHRUNK
from empirisk.inference.table import Fact, Summary
from empirisk.inference.wald import TestResult, hypothesis_matrix, wald_statistic
from empirisk.inference.weights import observations, weights_words
from empirisk.problems.base import Want
from empirisk.problems.likelihood import LikelihoodProblem, half_inverse
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["LikelihoodFit", "bands_of_means", "summarise_likelihood", "wald_likelihood"]

SANDWICHES = ("classical", "HC0", "HC1", "CR0", "CR1", "cluster")


@dataclass(frozen=True, eq=False)
class LikelihoodFit:
    """Parameters as users see them, with their covariance matrix.

    Parameters
    ----------
    terms : tuple of str
        Names of the m parameters.
    coef : array, shape (m,)
        Their values, NaN where the rows do not determine them.
    matrix : array, shape (m, m)
        Their covariance.
    df : float
        Degrees of freedom of each t; infinite where the normal law is used.
    rank : int
        Parameters that the rows determine.
    note : str
        What the standard errors rest on.
    units : float
        Sample size: the sum of the weights of the units.
    """

    terms: tuple[str, ...]
    coef: Array
    matrix: Array
    df: float
    rank: int
    note: str
    units: float

    @classmethod
    def of(
        cls,
        problem: LikelihoodProblem,
        w: Array,
        terms: Sequence[str],
        coef: Array,
        jacobian: Array,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        unit: str = "row",
    ) -> LikelihoodFit:
        """Return the fit at w.

        Parameters
        ----------
        problem : LikelihoodProblem
        w : array, shape (q,)
            Its minimiser.
        terms, coef
            Names and values of the parameters that users see.
        jacobian : array, shape (m, q)
            Their derivatives in w.
        covariance, groups, weights
            As in ``summary``; leverages of units with several scores are matrices, so that of the sandwiches
            only HC0, HC1, CR0 and CR1 exist (``"cluster"`` is CR1).
        unit : str
            What is independent of others, in words.

        Raises
        ------
        ValueError
            For a penalty, with the reason, and for kinds that do not exist here.
        """
        kind = check_covariance(covariance, groups, weights)
        if covariance not in SANDWICHES:
            raise ValueError(f"covariance must be one of {SANDWICHES} for this model, got {covariance!r}")
        if problem.alpha > 0.0:
            raise ValueError(SHRUNK.format(""))
        weight = observations(problem.likelihood.weight, kind)
        S = float(weight.sum())
        H = problem.information(problem.evaluate(w, (Want.HESSIAN,)))
        half, free = half_inverse(H)
        bread = half @ half.T / S
        V, df, note = _covariance(problem, w, weight, bread, covariance, groups, kind, unit)
        # Directions have length 1 in units of the curvature of each parameter.
        size = np.abs(jacobian) @ (1.0 / np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0)))
        lost = (np.abs(jacobian @ free) > 1e-6 * size[:, None]).any(axis=1)
        matrix = jacobian @ V @ jacobian.T
        matrix[lost] = matrix[:, lost] = math.nan
        words = weights_words(weight, kind)
        note = "; ".join(part for part in (note, words) if part)
        return cls(tuple(terms), np.where(lost, math.nan, coef), matrix, df, half.shape[1], note, S)


def _covariance(
    problem: LikelihoodProblem,
    w: Array,
    weight: Array,
    bread: Array,
    covariance: str,
    groups: Any,
    weights: str,
    unit: str,
) -> tuple[Array, float, str]:
    """Return the matrix in the parameters of the problem, degrees of freedom, and what it rests on."""
    if covariance == "classical":
        return bread, math.inf, (
            f"standard errors come from the observed information: they hold for many {unit}s, independent, "
            "when the model is right"
        )  # fmt: skip
    U, S, q = problem.likelihood.slopes(w), float(weight.sum()), bread.shape[0]
    if covariance in ("HC0", "HC1"):
        once = weight if weights == "frequency" else weight * weight
        meat = (U.T * once) @ U * (S / (S - q) if covariance == "HC1" else 1.0)
        note = f"standard errors are a sandwich ({covariance}): {unit}s must be independent, and many"
        return bread @ meat @ bread, math.inf, note
    live, parts = cluster_rows(groups, weight)
    sums = np.array([(weight[live, None] * U[live])[rows].sum(axis=0) for rows in parts])
    G, small = len(parts), covariance != "CR0"
    meat = sums.T @ sums * (G / (G - 1.0) * (S - 1.0) / (S - q) if small else 1.0)
    note = (
        f"standard errors allow any dependence within the {G} groups ({'CR1' if small else 'CR0'}, t with "
        f"{G - 1} degrees of freedom); groups must be many, and independent of each other"
    )
    return bread @ meat @ bread, G - 1.0, note


def summarise_likelihood(
    fit: LikelihoodFit | str,
    base: Summary,
    *,
    log_likelihood: float,
    null: float = math.nan,
    free_null: int = 0,
    unit: str = "row",
) -> Summary:
    """Return the table of coefficients with standard errors, tests, intervals and facts of the fit.

    Parameters
    ----------
    fit : LikelihoodFit or str
        The fit, or the reason why there are no standard errors.
    base : Summary
        Title, names, values and words; its numbers of inference are replaced.
    log_likelihood, null : float
        Of the fit, and of the model without columns (NaN where that was not fitted).
    free_null : int
        Parameters of the model without columns.
    unit : str
        What is counted, in words.
    """
    check_level(base.level)
    if isinstance(fit, str):
        return replace(base, notes=(fit, *base.notes), valid=False)
    se = np.sqrt(np.diag(fit.matrix))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = fit.coef / se
    width = float(stats.t.ppf(0.5 + 0.5 * base.level, fit.df)) * se
    facts = [
        Fact("n", fit.units, f"{unit}s (sum of the weights)"),
        Fact("rank", float(fit.rank), "free parameters"),
        Fact("log_likelihood", log_likelihood, "log-likelihood"),
        Fact("deviance", -2.0 * log_likelihood, "minus twice the log-likelihood"),
        *criteria(log_likelihood, fit.rank, fit.units),
    ]
    df = fit.rank - free_null
    if math.isfinite(null) and df > 0:
        ratio = max(2.0 * (log_likelihood - null), 0.0)
        p = float(stats.chi2.sf(ratio, df))
        facts += [
            Fact(
                "pseudo_r2", 1.0 - log_likelihood / null if null else math.nan, "McFadden's pseudo R squared"
            ),
            Fact("LR", ratio, f"likelihood-ratio statistic on {df} degrees of freedom: all slopes are 0"),
            Fact("LR_p", p, "how often an LR this large would occur if all slopes were 0"),
        ]
    lost = [t for t, v in zip(fit.terms, se, strict=True) if math.isnan(v)]
    notes = [fit.note, *base.notes]
    if lost:
        notes.append(f"not determined by the rows: {', '.join(lost[:8])} (collinear columns); drop columns")
    return replace(
        base, coef=fit.coef, se=se, statistic=z, p=np.asarray(2.0 * stats.t.sf(np.abs(z), fit.df)),
        low=fit.coef - width, high=fit.coef + width, statistic_name="z" if math.isinf(fit.df) else "t",
        facts=tuple(facts), notes=tuple(notes), covariance=fit.matrix,
    )  # fmt: skip


def bands_of_means(
    fit: LikelihoodFit, value: Array, gradient: Array, level: float, classes: Sequence[Any] = ()
) -> Bands:
    """Return confidence intervals of means > 0, or of probabilities, from their derivatives in the terms.

    ``m exp(+- t se / m)`` for means; for probabilities p the same with the odds, ``se / (p (1 - p))``.

    Parameters
    ----------
    fit : LikelihoodFit
    value : array, shape (n, K)
        Means (K = 1), or probabilities of K classes.
    gradient : array, shape (n, K, m)
        Their derivatives in the terms.
    level : float
        Of each interval.
    classes : sequence
        The K classes; empty for means.
    """
    lost = [t for t, v in zip(fit.terms, fit.coef, strict=True) if math.isnan(v)]
    if lost:
        raise ValueError(
            f"no interval: the rows do not determine {', '.join(lost[:8])} (collinear columns); drop columns"
        )
    se = np.sqrt(np.maximum(np.einsum("nka,ab,nkb->nk", gradient, fit.matrix, gradient), 0.0))
    rest = 1.0 - value if len(classes) else np.ones_like(value)
    room = value * rest
    width = np.divide(se, room, out=np.zeros_like(se), where=room > 0.0)
    factor = np.exp(float(stats.t.ppf(0.5 + 0.5 * level, fit.df)) * width)
    low, high = value / (value + rest * factor), value * factor / (value * factor + rest)
    if not len(classes):
        low, high = value / factor, value * factor
        value, low, high, se = value[:, 0], low[:, 0], high[:, 0], se[:, 0]
    about = "the probability of each class" if len(classes) else ""
    return Bands("confidence", level, value, low, high, se, fit.note, about, tuple(classes))


def wald_likelihood(fit: LikelihoodFit, R: Any, r: Any, columns: int) -> TestResult:
    """Test ``R beta = r``, as :func:`empirisk.inference.wald_test` does.

    Parameters
    ----------
    fit : LikelihoodFit
    R : str, sequence of str, mapping, or array
        Over all terms, or a matrix over the first `columns` alone.
    r : float or array
        Right-hand side.
    columns : int
        How many terms are effects of columns.
    """
    given = R
    if not isinstance(R, str) and not hasattr(R, "keys") and np.asarray(R).dtype.kind in "fiub":
        short = np.atleast_2d(np.asarray(R, dtype=np.float64))
        if short.ndim == 2 and short.shape[1] == columns:
            given = np.hstack([short, np.zeros((len(short), len(fit.terms) - columns))])
    matrix, words = hypothesis_matrix(fit.terms, given)
    right = np.broadcast_to(np.asarray(r, dtype=np.float64), (len(matrix),))
    if not np.isfinite(right).all():
        raise ValueError("r must be finite: it holds NaN or infinity")
    used = np.any(matrix != 0.0, axis=0)
    lost = [t for t, v, u in zip(fit.terms, fit.coef, used, strict=True) if u and math.isnan(v)]
    if lost:
        raise ValueError(
            f"the columns do not determine {', '.join(lost)} (they are collinear): there is nothing to test; "
            "drop columns"
        )
    sides = [f"{w} = {v:g}" for w, v in zip(words, right, strict=True)]
    shown = ", ".join(sides[:6]) + (f" and {len(sides) - 6} more" if len(sides) > 6 else "")
    part = matrix[:, used]
    V = np.asarray(part @ fit.matrix[np.ix_(used, used)] @ part.T)
    found = wald_statistic(part @ fit.coef[used] - right, V, fit.df, "Wald", shown)
    if found is None:
        raise ValueError(
            f"the covariance matrix of these {len(matrix)} combinations is singular: give independent "
            "restrictions, or test fewer at once (a clustered matrix has at most groups - 1 directions)"
        )
    return replace(found, note=fit.note)
