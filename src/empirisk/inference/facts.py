"""Numbers about a whole fit: goodness, dispersion, criteria, and the tests that all slopes are 0."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from empirisk.inference.covariance import Covariance, joint_degrees
from empirisk.inference.fit import Fit
from empirisk.inference.table import Fact
from empirisk.inference.wald import wald_statistic
from empirisk.losses.offset import without_offset
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["criteria", "facts_of"]


def facts_of(problem: LinearProblem, fit: Fit, covariance: Covariance | None, kind: str) -> list[Fact]:
    """Return everything that the coefficient table is followed by; less when standard errors are refused."""
    counted = "sum of the weights" if fit.weights == "frequency" else "those with weight"
    out = [Fact("n", fit.total, f"rows ({counted})")]
    out += _linear(fit, covariance, kind) if fit.linear else _likelihood(problem, fit, covariance)
    if covariance is not None:
        condition = fit.info.factor.condition
        out.append(Fact("condition", condition, "condition number of the standardised columns"))
        if kind != "classical" or not fit.linear:
            out += _wald(fit, covariance, kind)
    return out


def _linear(fit: Fit, covariance: Covariance | None, kind: str) -> list[Fact]:
    tss = _about_constant(fit)
    r2 = 1.0 - fit.chi2 / tss if tss > 0.0 else math.nan
    about = "about the mean of y" if fit.intercept else "about 0, as there is no intercept"
    out = [Fact("r2", r2, f"share of the variation of y {about} that the fit explains (R squared)")]
    if covariance is None:
        return out
    df = fit.df
    adjusted = 1.0 - (1.0 - r2) * (fit.total - int(fit.intercept)) / df if df > 0.0 else math.nan
    out += [
        Fact("rank", float(fit.rank), "free coefficients, the intercept included"),
        Fact("df", df, "residual degrees of freedom"),
        Fact("sigma", math.sqrt(fit.dispersion), "standard deviation of the noise (residual standard error)"),
        Fact("adjusted_r2", adjusted, "R squared corrected for the number of coefficients"),
    ]
    slopes = fit.rank - int(fit.intercept)
    if kind == "classical" and slopes > 0 and fit.chi2 > 0.0:
        f = (tss - fit.chi2) / slopes / fit.dispersion
        out += [
            Fact("F", f, f"F statistic on {slopes} and {df:g} degrees of freedom: all slopes are 0"),
            Fact("F_p", float(stats.f.sf(f, slopes, df)), _IF_ALL_ZERO.format("an F")),
        ]
    if fit.chi2 > 0.0 and not _drawn(fit):
        log_lik = -0.5 * fit.total * (math.log(2.0 * math.pi * fit.chi2 / fit.total) + 1.0)
        log_lik += 0.5 * float(np.log(fit.trials).sum())
        out.append(Fact("log_likelihood", log_lik, "Gaussian log-likelihood at its maximum"))
        out += criteria(log_lik, fit.rank + 1, fit.total, " (sigma is one)")
    return out


_IF_ALL_ZERO = "how often {} this large would occur if all slopes were 0"


def _about_constant(fit: Fit) -> float:
    s = fit.prior
    centre = float(s @ fit.y) / fit.total if fit.intercept and fit.total > 0.0 else 0.0
    return float(s @ (fit.y - centre) ** 2)


def _likelihood(problem: LinearProblem, fit: Fit, covariance: Covariance | None) -> list[Fact]:
    law, s = fit.law, fit.prior
    deviance = float(s @ law.deviance(fit.y, fit.score))
    if covariance is None:
        return [Fact("deviance", deviance, _DEVIANCE)]
    null_scores = without_offset(problem.loss, problem.data.y, problem.null_scores)[2]
    null = float(s @ law.deviance(fit.y, null_scores))
    explained = 1.0 - deviance / null if null > 0.0 else math.nan
    likely = law.loss.likelihood and not _unequal(fit)
    log_lik = law.log_likelihood(fit.y, fit.score, s, fit.dispersion) if likely else math.nan
    parameters = fit.rank + int(not law.unit_dispersion) + law.loss.nuisances
    words = "1 by definition" if law.unit_dispersion else "Pearson's chi2 over df: estimated"
    counted = "" if parameters == fit.rank else " (the dispersion is one)"
    return [
        Fact("rank", float(fit.rank), "free coefficients, the intercept included"),
        Fact("df", fit.df, "residual degrees of freedom"),
        Fact("deviance", deviance, _DEVIANCE),
        Fact("null_deviance", null, "deviance of the model without columns"),
        Fact("pearson_chi2", fit.chi2, "sum of the squared Pearson residuals"),
        Fact("dispersion", fit.dispersion, f"dispersion ({words})"),
        Fact("pseudo_r2", explained, "share of the null deviance that the fit explains"),
        *([Fact("log_likelihood", log_lik, "log-likelihood")] if likely else []),
        *([] if not likely else criteria(log_lik, parameters, fit.total, counted)),
        *([] if _drawn(fit) else _ratio(fit, null - deviance)),
    ]


def _unequal(fit: Fit) -> bool:
    """Return whether weights that are no counts differ: the sum of the log-likelihoods is not that of the
    sample.
    """
    live = fit.trials[fit.weight > 0.0]
    return fit.weights in ("sampling", "precision") and bool(np.ptp(live) > 1e-12)


def _drawn(fit: Fit) -> bool:
    """Return whether unequal sampling weights make the deviance an estimate, which no test may rest on."""
    return fit.weights == "sampling" and _unequal(fit)


_DEVIANCE = "twice the log-likelihood that a parameter for every row would gain, times the dispersion"


def criteria(log_lik: float, k: int, total: float, remark: str = "") -> list[Fact]:
    """Return Akaike's and Schwarz's criteria, which charge each parameter with 2 and with log(sample
    size).
    """
    return [
        Fact("aic", 2.0 * k - 2.0 * log_lik, f"Akaike's criterion, {k} parameters{remark}; less is better"),
        Fact("bic", k * math.log(total) - 2.0 * log_lik, "Bayesian (Schwarz) criterion; less is better"),
    ]


def _ratio(fit: Fit, drop: float) -> list[Fact]:
    """Return the fall of the deviance as a test of all slopes: chi squared, or F where a dispersion is
    estimated.
    """
    slopes = fit.rank - int(fit.intercept)
    if slopes <= 0:
        return []
    ratio = max(drop, 0.0) / fit.dispersion
    if fit.law.unit_dispersion:
        p = float(stats.chi2.sf(ratio, slopes))
        words = f"likelihood-ratio statistic on {slopes} degrees of freedom: all slopes are 0"
        return [Fact("LR", ratio, words), Fact("LR_p", p, _IF_ALL_ZERO.format("an LR"))]
    f = ratio / slopes
    words = f"F statistic of the deviances on {slopes} and {fit.df:g} degrees of freedom: all slopes are 0"
    p = float(stats.f.sf(f, slopes, fit.df))
    return [Fact("F", f, words), Fact("F_p", p, _IF_ALL_ZERO.format("an F"))]


def _wald(fit: Fit, covariance: Covariance, kind: str) -> list[Fact]:
    """Return Wald's test of all slopes with the covariance matrix of the table."""
    first, q = int(fit.intercept), len(fit.terms)
    if q == first or not fit.info.estimable().all() or fit.perfect:
        return []
    R: Array = np.eye(q)[first:]
    df = joint_degrees(fit, kind, covariance, R)
    found = wald_statistic(R @ fit.coef, R @ covariance.matrix @ R.T, df)
    if found is None:
        return []
    name = "Wald_F" if math.isfinite(df) else "Wald"
    return [
        Fact(name, found.statistic, f"Wald statistic, {found.words}: all slopes are 0"),
        Fact(f"{name}_p", found.p, _IF_ALL_ZERO.format("a Wald statistic")),
    ]
