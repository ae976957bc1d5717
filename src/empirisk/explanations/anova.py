"""er.anova: tables of tests of nested models, one after the other, or of named groups of columns.

Chambers and Hastie, Statistical Models in S (1992), chapter 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.frames import like_input
from empirisk.data.tabular import Tabular
from empirisk.estimators.formulas.formula_model import FormulaModel, inside
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.factor_columns import columns_named
from empirisk.inference import Fit, TestResult, check_covariance, wald_test
from empirisk.inference.likelihood_ratio import check_nested, deviance_of, drop_between
from empirisk.inference.simultaneous import adjusted, check_adjust

__all__ = ["Anova", "anova"]


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Tabular):
    """Tests of terms, one a row.

    Parameters
    ----------
    what : str
        What the rows are: ``"nested models"`` or ``"terms"``.
    names : list of str
        Of the models or terms.
    df : list of float
        Degrees of freedom: of the residuals of each model, or of each term.
    deviance : list of float
        Deviance of each model (residual sum of squares of least squares); empty for terms.
    tests : list of TestResult or None
        Of each row; None for the first model, which is compared with nothing.
    p : list of float
        p-values, adjusted where that was asked.
    adjust : str or None
        How p-values were adjusted.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> y = X[:, 0] + np.random.default_rng(1).normal(size=50)
    >>> found = er.anova(er.LinearRegression().fit(X, y), terms={"both": ["x0", "x1"]})
    >>> found.tests[0].df, found.names
    (2, ['both'])
    """

    what: str
    names: list[str]
    df: list[float]
    deviance: list[float]
    tests: list[TestResult | None]
    p: list[float]
    adjust: str | None = None

    @property
    def title(self) -> str:
        """The first line above the table: how many tests of what."""
        m = sum(t is not None for t in self.tests)
        how = f", p-values by {self.adjust.capitalize()}" if self.adjust else ""
        return f"{m} test{'s' if m != 1 else ''} of {self.what}{how}"

    def _columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {"model" if self.deviance else "term": self.names}
        if self.deviance:
            out |= {"residual_df": self.df, "deviance": self.deviance}
        known = next(t for t in self.tests if t is not None)
        letter = "F" if math.isfinite(known.df_denominator) else "chi2"
        out["df"] = [math.nan if t is None else float(t.df) for t in self.tests]
        out[letter] = [math.nan if t is None else t.statistic for t in self.tests]
        if letter == "F":
            out["df_denominator"] = [math.nan if t is None else t.df_denominator for t in self.tests]
        return {**out, "p": self.p}

    def _shown(self) -> dict[str, list[Any]]:
        return {name.replace("_", " "): cells for name, cells in self._columns().items()}

    def _notes(self) -> list[str]:
        notes = dict.fromkeys(t.note for t in self.tests if t is not None and t.note)
        return [f"{note[:1].upper()}{note[1:]}." for note in notes]


@like_input
def anova(
    *models: Any,
    terms: Mapping[str, Sequence[str] | str] | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    covariance: str = "classical",
    groups: Any = None,
    weights: str | None = None,
    adjust: str | None = None,
    training: Any = None,
) -> Anova:
    """``(D_small - D_large) / df`` over the dispersion of the largest model: F, or chi squared where it is 1.

    Several models are tested each against the one before it.  With one model and `terms` each named group of
    columns is tested in the presence of all others (type III), by Wald's statistic.

    Parameters
    ----------
    *models : fitted linear models
        Nested, the smallest first, fitted without penalty on the same rows, which they keep (up to 32 MiB);
        or one model with `terms`.
    terms : sequence of str, or mapping from str to sequence of str, optional
        Columns of the one model (or terms, where it has a formula), such as ``["age", "region"]``, in which
        a factor stands for all of its coefficients; or groups of them with a name for each.
    names : sequence of str, optional
        Of the models.
    covariance, groups, weights
        As in ``summary``, for `terms`.
    adjust : {None, "holm", "bonferroni"}
        Adjustment of the p-values for the number of tests.
    training : tuple or mapping, optional
        Rows of the fit of the one model, as in ``wald_test``.

    Returns
    -------
    Anova

    Raises
    ------
    ValueError
        When models are not nested in the order given, or differ in loss, rows or weights; for unknown
        columns; where there is no inference, with the reason.
    TypeError
        When a model is no linear model of empirisk.

    Notes
    -----
    As in R, every F has the dispersion and the residual degrees of freedom of the largest model.

    References
    ----------
    J. M. Chambers, T. J. Hastie (editors), Statistical Models in S (1992), chapter 6.

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> few, more = (er.LinearRegression().fit(X[c], y) for c in (["bmi"], ["bmi", "bp", "s5"]))
    >>> er.anova(few, more)
    1 test of nested models
      model  residual df  deviance   df  F      df denominator  p
      (1)    440          1.72e+06
      (2)    438          1.363e+06  2   57.35  438             7.528e-23
      Exact for normal noise of equal variance.
    """
    check_adjust(adjust)
    if adjust == "simultaneous":
        raise ValueError('adjust must be None, "holm" or "bonferroni" for tests of several coefficients')
    parts: Any = terms
    if terms is not None and not isinstance(terms, Mapping):
        parts = {name: [name] for name in ([terms] if isinstance(terms, str) else terms)}
    parts = _of_formula(models, parts)
    models = tuple(inside(model) for model in models)
    for model in models:
        if not isinstance(model, LinearEstimator):
            raise TypeError(f"models must be fitted linear models of empirisk, got {type(model).__name__}")
    if parts is not None:
        return _of_terms(models, parts, covariance, groups, weights, adjust, training)
    if len(models) < 2:
        raise ValueError(
            "give two nested models or more, the smallest first, or one model and the columns to test, such "
            "as "
            'terms=["age", "region"]'
        )
    if covariance != "classical" or groups is not None or weights is not None or training is not None:
        raise ValueError("covariance, groups, weights and training are for terms= of one model")
    labels = [f"({k + 1})" for k in range(len(models))] if names is None else [str(v) for v in names]
    if len(labels) != len(models):
        raise ValueError(f"names must have {len(models)} entries, got {len(labels)}")
    fits = [model._linearised("analysis of variance", None) for model in models]
    tests: list[TestResult | None] = [None]
    for k in range(1, len(fits)):
        tests.append(_between(fits[k - 1], fits[k], fits[-1], labels[k]))
    df, deviances = [fit.df for fit in fits], [deviance_of(fit) for fit in fits]
    return Anova("nested models", labels, df, deviances, tests, _p_values(tests, adjust), adjust)


def _of_formula(models: Sequence[Any], terms: Any) -> Any:
    """Return the groups of columns, where a term of a formula stands for all of its columns."""
    if terms is None or len(models) != 1 or not isinstance(models[0], FormulaModel):
        return terms
    names, groups = models[0].columns_.names, models[0].terms_groups_
    given = {k: [v] if isinstance(v, str) else list(v) for k, v in terms.items()}
    return {
        k: [name for v in terms for name in ([names[j] for j in groups[v]] if v in groups else [v])]
        for k, terms in given.items()
    }


def _between(small: Fit, large: Fit, last: Fit, name: str) -> TestResult:
    """Return the test of two neighbours, with the dispersion of the last model."""
    check_nested(small, large)
    df = large.rank - small.rank
    if df <= 0:
        raise ValueError(f"{name} has no more free coefficients than the model before it: leave it out")
    drop = drop_between(small, large)
    words = f"{name} against the model before it"
    if last.law.unit_dispersion:
        p = float(stats.chi2.sf(drop, df))
        return TestResult("Likelihood-ratio", words, drop, df, math.inf, p, "it holds for many rows")
    f = drop / df / last.dispersion
    note = "exact for normal noise of equal variance" if last.linear else "it holds for many rows"
    return TestResult("F", words, f, df, last.df, float(stats.f.sf(f, df, last.df)), note)


def _of_terms(
    models: Sequence[Any],
    terms: Mapping[str, Sequence[str]],
    covariance: str,
    groups: Any,
    weights: str | None,
    adjust: str | None,
    training: Any,
) -> Anova:
    """Return Wald's tests of named groups of columns of one model."""
    if len(models) != 1 or not terms:
        raise ValueError("terms= names groups of columns of one model: give one model, and one group or more")
    fit = models[0]._linearised(
        "analysis of variance", training, check_covariance(covariance, groups, weights)
    )
    tests: list[TestResult | None] = []
    for columns in terms.values():
        chosen = [columns] if isinstance(columns, str) else [str(c) for c in columns]
        chosen = columns_named(chosen, models[0])
        tests.append(wald_test(fit, chosen, covariance=covariance, groups=groups))
    df = [float(t.df) for t in tests if t is not None]
    return Anova("terms", [str(t) for t in terms], df, [], tests, _p_values(tests, adjust), adjust)


def _p_values(tests: Sequence[TestResult | None], adjust: str | None) -> list[float]:
    """Return the p-values, adjusted for the number of tests; NaN where nothing is tested."""
    p = np.array([math.nan if t is None else t.p for t in tests])
    if adjust is None:
        return list(p.tolist())
    # The adjustments are of p-values: a normal deviate with the same one carries it.
    t = stats.norm.isf(p / 2.0)
    return list(adjusted(t, np.eye(len(p)), np.full(len(p), np.inf), 0.95, adjust)[1].tolist())
