"""Wald tests of linear hypotheses ``R beta = r``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy import stats

from empirisk.inference.covariance import covariance_of, joint_degrees
from empirisk.inference.fit import Fit
from empirisk.results.form import Form, Formed
from empirisk.typing import Array

__all__ = ["TestResult", "hypothesis_matrix", "wald_statistic", "wald_test"]


@dataclass(frozen=True, repr=False)
class TestResult(Formed):
    """A test: statistic, its law under the hypothesis, and the p-value.

    Parameters
    ----------
    name : str
        Of the test.
    hypothesis : str
        In words.
    statistic : float
        Chi squared, or F when `df_denominator` is finite.
    df : int
        Restrictions tested.
    df_denominator : float
        Denominator degrees of freedom; infinite for chi squared.
    p : float
        Probability of a statistic at least as large if the hypothesis is true.
    note : str
        What the test rests on.

    Examples
    --------
    >>> TestResult("Wald", "a = 0", 4.0, 1, math.inf, 0.0455003)
    Wald test of a = 0: chi2 = 4 on 1 degree of freedom, p = 0.046.
    """

    __test__ = False  # not a test for pytest to collect

    name: str
    hypothesis: str
    statistic: float
    df: int
    df_denominator: float
    p: float
    note: str = ""

    @property
    def words(self) -> str:
        """The law of the statistic under the hypothesis, in words."""
        if math.isfinite(self.df_denominator):
            return f"F on {self.df} and {self.df_denominator:.4g} degrees of freedom"
        return f"chi squared on {self.df} degree{'s' if self.df != 1 else ''} of freedom"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields; an infinite denominator is None."""
        finite = math.isfinite(self.df_denominator)
        return {**self.__dict__, "df_denominator": self.df_denominator if finite else None}

    def __repr__(self) -> str:
        kind, law = self.words.split(" on ")
        letter = "F" if kind == "F" else "chi2"
        p = "p < 1e-16" if self.p < 1e-16 else f"p = {self.p:.2g}"
        note = f" {self.note[:1].upper()}{self.note[1:]}." if self.note else ""
        return f"{self.name} test of {self.hypothesis}: {letter} = {self.statistic:.4g} on {law}, {p}.{note}"

    def _form(self) -> Form:
        kind, law = self.words.split(" on ")
        columns: dict[str, list[Any]] = {
            "hypothesis": [self.hypothesis],
            "F" if kind == "F" else "chi2": [float(self.statistic)],
            "law": [f"{kind} on {law}"],
            "p": ["< 1e-16" if self.p < 1e-16 else f"{self.p:.2g}"],
        }
        return Form(repr(self), columns)


def wald_statistic(
    difference: Array, covariance: Array, joint_df: float, name: str = "Wald", hypothesis: str = ""
) -> TestResult | None:
    """``d' V^-1 d``, over its restrictions and as F when `joint_df` is finite; None when V is singular."""
    m = len(difference)
    scale = np.sqrt(np.diag(covariance))
    if not np.isfinite(covariance).all() or not np.all(scale > 0.0):
        return None
    unit = covariance / np.outer(scale, scale)
    value, vector = sla.eigh(unit)
    # So small an eigenvalue of a correlation matrix is rounding: the restrictions repeat each other.
    if value[0] <= 1e-12 * max(m, 10) * value[-1]:
        return None
    turned = vector.T @ (difference / scale)
    w = float(turned @ (turned / value))
    if math.isfinite(joint_df):
        p = float(stats.f.sf(w / m, m, joint_df)) if joint_df > 0.0 else math.nan
        return TestResult(name, hypothesis, w / m, m, joint_df, p)
    return TestResult(name, hypothesis, w, m, math.inf, float(stats.chi2.sf(w, m)))


def wald_test(
    fit: Fit, R: Any, r: Any = 0.0, *, covariance: str = "classical", groups: Any = None
) -> TestResult:
    """Test ``R beta = r`` by ``(R b - r)' (R V R')^-1 (R b - r)``.

    Parameters
    ----------
    fit : Fit
        q terms.
    R : str, sequence of str, mapping, or array
        See :func:`hypothesis_matrix`.
    r : float or array, shape (m,)
        Right-hand side.
    covariance, groups
        As in :func:`covariance_of`.

    Returns
    -------
    TestResult
        F where a variance is estimated (m and the residual degrees of freedom; with HC2 and HC3 the effective
        ones; groups - 1 when clustered), chi squared otherwise.

    Raises
    ------
    ValueError
        Unknown terms, wrong shapes, restrictions that repeat each other, or that the columns leave
        undetermined.
    """
    matrix, words = hypothesis_matrix(fit.terms, R)
    right = np.broadcast_to(np.asarray(r, dtype=np.float64), (len(matrix),))
    if not np.isfinite(right).all():
        raise ValueError("r must be finite: it holds NaN or infinity")
    lost = [t for t, ok in zip(fit.terms, fit.info.estimable(), strict=True) if not ok]
    used = [t for t, column in zip(fit.terms, matrix.T, strict=True) if np.any(column)]
    if set(lost) & set(used):
        raise ValueError(
            f"the columns do not determine {', '.join(sorted(set(lost) & set(used)))} (they are collinear): "
            "there is nothing to test; drop columns"
        )
    if fit.perfect:
        raise ValueError("the fit is perfect up to rounding: there is no noise to test against")
    if np.linalg.matrix_rank(matrix) < len(matrix):
        raise ValueError(f"the {len(matrix)} rows of R repeat each other: give independent restrictions")
    V = covariance_of(fit, covariance, groups)
    sides = [f"{w} = {v:g}" for w, v in zip(words, right, strict=True)]
    shown = ", ".join(sides[:6]) + (f" and {len(sides) - 6} more" if len(sides) > 6 else "")
    difference, df = matrix @ fit.coef - right, joint_degrees(fit, covariance, V, matrix)
    found = wald_statistic(difference, matrix @ V.matrix @ matrix.T, df, "Wald", shown)
    if found is None:
        raise ValueError(
            f"the covariance matrix ({covariance}) of these {len(matrix)} combinations is singular or "
            "undefined: test fewer at once (a clustered one has at most groups - 1 directions)"
        )
    return TestResult(**{**found.__dict__, "note": "; ".join(filter(None, [V.note, fit.about_weights]))})


def hypothesis_matrix(terms: Sequence[str], R: Any) -> tuple[Array, list[str]]:
    """Return the matrix R over the terms, and each row in words.

    Parameters
    ----------
    terms : sequence of str
        ``"intercept"`` first where there is one.
    R : str, sequence of str, mapping, or array
        A term, or several (each is 0); a mapping from terms to coefficients (one combination); or a matrix,
        shape (m, q) over all terms or (m, q - 1) over the columns alone.

    Examples
    --------
    >>> hypothesis_matrix(["intercept", "a", "b"], {"a": 1.0, "b": -1.0})
    (array([[ 0.,  1., -1.]]), ['a - b'])
    """
    q = len(terms)
    if isinstance(R, str):
        R = [R]
    if isinstance(R, Mapping):
        matrix = np.zeros((1, q))
        for name, value in R.items():
            matrix[0, _position(terms, name)] = value
    elif len(R) and all(isinstance(name, str) for name in R):
        matrix = np.zeros((len(R), q))
        for row, name in enumerate(R):
            matrix[row, _position(terms, name)] = 1.0
    else:
        matrix = np.atleast_2d(np.asarray(R, dtype=np.float64))
        if matrix.shape[1] == q - 1 and terms[0] == "intercept":
            matrix = np.column_stack([np.zeros(len(matrix)), matrix])
        if matrix.ndim != 2 or matrix.shape[1] != q:
            raise ValueError(
                f"R has {matrix.shape[1]} columns, but there are {q} terms: {', '.join(terms[:8])}"
            )
    if not np.isfinite(matrix).all():
        raise ValueError("R must be finite: it holds NaN or infinity")
    if not matrix.size or not np.any(matrix, axis=1).all():
        raise ValueError("R holds a row of zeros: it restricts nothing")
    return matrix, [_words(terms, row) for row in matrix]


def _position(terms: Sequence[str], name: str) -> int:
    if name not in terms:
        raise ValueError(f"no term {name!r}; there are {', '.join(terms[:12])}")
    return list(terms).index(name)


def _words(terms: Sequence[str], row: Array) -> str:
    out = ""
    for term, value in zip(terms, row, strict=True):
        if value != 0.0:
            sign = ("-" if value < 0.0 else "") if not out else (" - " if value < 0.0 else " + ")
            size = "" if abs(value) == 1.0 else f"{abs(value):g} "
            out += f"{sign}{size}{term}"
    return out
