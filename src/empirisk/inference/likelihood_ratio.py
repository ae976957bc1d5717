"""The likelihood-ratio test between nested models."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg as sla
from scipy import stats

from empirisk.inference.fit import Fit
from empirisk.inference.wald import TestResult
from empirisk.typing import Array

__all__ = ["check_nested", "deviance_of", "drop_between", "likelihood_ratio_test", "test_of_fall"]


def likelihood_ratio_test(small: Fit, large: Fit) -> TestResult:
    """``2 (log-lik of the large - log-lik of the small)``; F where a dispersion is estimated.

    For least squares F is exact under normal noise, and is the square of t for one column.

    Parameters
    ----------
    small, large : Fit
        Of the same targets and family; the columns of the small model are combinations of the large one's.

    Returns
    -------
    TestResult

    Raises
    ------
    ValueError
        When rows or families differ, the models are not nested, or nothing is left to test.
    """
    check_nested(small, large)
    df = large.rank - small.rank
    if df <= 0:
        raise ValueError("both models have the same free coefficients: there is nothing to test")
    if large.perfect or not large.df > 0.0:
        raise ValueError("the large model leaves no noise to test against: use fewer columns or more rows")
    drop = drop_between(small, large)
    lost = [t for t in large.terms if t not in small.terms]
    words = f"no effect of {', '.join(lost[:6]) or 'the further columns'}"
    words += f" and {len(lost) - 6} more" if len(lost) > 6 else ""
    return test_of_fall(words, drop, df, large)


def test_of_fall(words: str, fall: float, df: int, reference: Fit) -> TestResult:
    """Return the test of a fall of the deviance by df coefficients: chi squared, or F over a dispersion.

    Parameters
    ----------
    words : str
        The hypothesis.
    fall : float
        Of the deviance, >= 0.
    df : int
        How many coefficients are tested.
    reference : Fit
        Whose dispersion and residual degrees of freedom are those of F.
    """
    if reference.law.unit_dispersion:
        p = float(stats.chi2.sf(fall, df))
        return TestResult("Likelihood-ratio", words, fall, df, math.inf, p, "it holds for many rows")
    f = fall / df / reference.dispersion
    note = "exact for normal noise of equal variance" if reference.linear else "it holds for many rows"
    return TestResult("F", words, f, df, reference.df, float(stats.f.sf(f, df, reference.df)), note)


def drop_between(small: Fit, large: Fit) -> float:
    """Return twice the gain in log-likelihood, times the dispersion: the fall of the deviance.

    Where a number of the law was estimated beside the coefficients (the extra dispersion of a negative
    binomial), each fit has its own, and the deviances have different zeros.
    """
    if small.law == large.law:
        return max(deviance_of(small) - deviance_of(large), 0.0)
    least, most = (f.law.log_likelihood(f.y, f.score, f.prior, f.dispersion) for f in (small, large))
    return max(2.0 * (most - least), 0.0)


def deviance_of(fit: Fit) -> float:
    """Return the deviance of a fit, for least squares the residual sum of squares."""
    if fit.linear:
        return fit.chi2
    return float(fit.prior @ fit.law.deviance(fit.y, fit.score))


def check_nested(small: Fit, large: Fit) -> None:
    """Refuse models of different losses, rows or weights, and those that are not nested.

    A column of the small model, its constant, and what its offsets have beyond those of the large one, must
    be combinations of the columns of the large one.
    """
    if small.law != large.law:
        a, b = small.law.loss, large.law.loss
        if a.name != b.name:
            raise ValueError(
                f"the models have different losses ({a.name!r} and {b.name!r}): their "
                "likelihoods are not comparable; use er.compare on held-out rows"
            )
        if not (a.nuisances and b.nuisances):
            raise ValueError(
                f"the models have the loss {a.name!r} with different parameters ({a!r} and {b!r}): fit both "
                "with "
                'the same, or estimate them in both (extra_dispersion="ml")'
            )
    same = len(small.y) == len(large.y) and np.allclose(small.y, large.y, rtol=1e-12, atol=0.0)
    if not same or not np.array_equal(small.prior, large.prior):
        raise ValueError("the models were fitted on different rows or weights: refit both on the same")
    live = np.flatnonzero(large.weight > 0.0)
    A, B = _columns(large, live), _columns(small, live)
    Q, _, _ = sla.qr(A, mode="economic", pivoting=True)
    Q = Q[:, : large.rank]
    rest = np.linalg.norm(B - Q @ (Q.T @ B), axis=0)
    bad = np.flatnonzero(rest > 1e-7 * np.maximum(np.linalg.norm(B, axis=0), 1e-300))
    if len(bad):
        raise ValueError(
            f"the models are not nested: {small.terms[bad[0]]!r} of the small model is no combination of "
            "the columns "
            "of the large one; use er.compare on held-out rows"
        )
    known, further = _offsets(large, live), _offsets(small, live) - _offsets(large, live)
    size = np.linalg.norm(known) + np.linalg.norm(small.score[live]) + np.linalg.norm(large.score[live])
    if np.linalg.norm(further - Q @ (Q.T @ further)) > 1e-7 * size:
        raise ValueError(
            "the models were fitted with different offsets or exposures: refit both with the same"
        )


def _offsets(fit: Fit, rows: np.ndarray) -> Array:
    """Return the part of the scores that was known before the fit, up to rounding."""
    slopes = np.asarray(fit.info.design.rows(rows).X @ fit.coef[int(fit.intercept) :], dtype=np.float64)
    return np.asarray(fit.score[rows] - slopes - (fit.coef[0] if fit.intercept else 0.0))


def _columns(fit: Fit, rows: np.ndarray) -> Array:
    X = fit.info.design.rows(rows).X
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    scale = np.maximum(np.abs(dense).max(axis=0, initial=0.0), 1e-300)
    return np.column_stack([np.ones(len(dense)), dense / scale]) if fit.intercept else dense / scale
