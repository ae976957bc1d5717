"""er.anova: tables of tests of nested models, one after the other, or of named groups of columns.

Chambers and Hastie, Statistical Models in S (1992), chapter 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.frames import like_input
from empirisk.data.tabular import Tabular
from empirisk.estimators.formulas.formula_model import FormulaModel, inside
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.factor_columns import columns_named
from empirisk.explanations.tests_by_refits import tests_by_refits
from empirisk.inference import Fit, TestResult, check_covariance, wald_test
from empirisk.inference.likelihood_ratio import check_nested, deviance_of, drop_between, test_of_fall
from empirisk.inference.simultaneous import adjusted, check_adjust

__all__ = ["Anova", "anova"]


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Tabular):
    """Tests of terms, one a row.

    Parameters
    ----------
    what : str
        What the rows are: ``"nested models"``, ``"terms"``, or ``"terms (type II, by refits)"``.
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
    falls : list of float
        By how much each term makes the deviance smaller, where that was found by refits; else empty.

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
    falls: list[float] = field(default_factory=list)

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
        if self.falls:
            out["fall_of_deviance"] = self.falls
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
    kind: str | None = None,
    terms: Mapping[str, Sequence[str] | str] | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    covariance: str = "classical",
    groups: Any = None,
    weights: str | None = None,
    adjust: str | None = None,
    training: Any = None,
) -> Anova:
    """``(D_small - D_large) / df`` over the dispersion of the largest model: F, or chi squared where it is 1.

    Several models are tested each against the one before it.  With one model and `kind` every term is tested
    by a fit without it; with `terms` each named group of columns in the presence of all others (type III), by
    Wald's statistic.

    Parameters
    ----------
    *models : fitted linear models, or ordered, matched or two-part models by maximum likelihood
        Nested, the smallest first, fitted without penalty on the same rows, which they keep (up to 32 MiB);
        or one model with `kind` or `terms`.
    kind : {"II", "III"}, optional
        For one model, with a formula or without: "II" tests a term in the presence of all terms that do not
        contain it (``a`` beside ``b`` and not beside ``a:b``), so that no test depends on the coding; "III"
        in the presence of all others, which for terms that others contain depends on it (under treatment
        coding it is about the reference levels of the others).
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
        columns; for a term that the others determine; where there is no inference, with the reason.
    TypeError
        When a model is no linear model of empirisk.

    Notes
    -----
    As in R, every F has the dispersion and the residual degrees of freedom of the largest model.  With `kind`
    one fit more for each term (two for one that another contains), as ``Anova`` of R's package car does.

    References
    ----------
    J. M. Chambers, T. J. Hastie (editors), Statistical Models in S (1992), chapter 6.
    J. Fox, Applied Regression Analysis and Generalized Linear Models, 3rd edition (2016), section 8.2.

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
    whole = models
    parts: Any = terms
    if terms is not None and not isinstance(terms, Mapping):
        parts = {name: [name] for name in ([terms] if isinstance(terms, str) else terms)}
    parts = _of_formula(models, parts)
    models = tuple(inside(model) for model in models)
    by_likelihood = bool(models) and all(isinstance(model, LikelihoodEstimator) for model in models)
    for model in models:
        if not (by_likelihood or isinstance(model, LinearEstimator)):
            raise TypeError(f"models must be fitted linear models of empirisk, got {type(model).__name__}")
    if by_likelihood and (kind is not None or terms is not None):
        raise ValueError(
            "kind= and terms= are for linear models and GLMs: give two nested models, or use wald_test"
        )
    options = (covariance != "classical", groups is not None, weights is not None)
    if kind is not None:
        return _of_kind(whole, kind, terms is not None or names is not None or any(options), adjust, training)
    if parts is not None:
        return _of_terms(models, parts, covariance, groups, weights, adjust, training)
    if len(models) < 2:
        raise ValueError(
            "give two nested models or more, the smallest first, or one model with kind='II' or the columns "
            'to test, such as terms=["age", "region"]'
        )
    if any(options) or training is not None:
        raise ValueError("covariance, groups, weights and training are for terms= of one model")
    labels = [f"({k + 1})" for k in range(len(models))] if names is None else [str(v) for v in names]
    if len(labels) != len(models):
        raise ValueError(f"names must have {len(models)} entries, got {len(labels)}")
    if by_likelihood:
        return _of_likelihoods(models, labels, adjust)
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


def _of_likelihoods(models: Sequence[Any], labels: list[str], adjust: str | None) -> Anova:
    """Return the likelihood-ratio tests of models by maximum likelihood, each against the one before it."""
    fits = [model._inferred(None, "classical", None, None) for model in models]
    tests: list[TestResult | None] = [None]
    tests += [large.likelihood_ratio_to(small) for small, large in pairwise(models)]
    df, deviances = [fit.units - fit.rank for fit in fits], [-2.0 * m.log_likelihood_ for m in models]
    return Anova("nested models", labels, df, deviances, tests, _p_values(tests, adjust), adjust)


def _between(small: Fit, large: Fit, last: Fit, name: str) -> TestResult:
    """Return the test of two neighbours, with the dispersion of the last model."""
    check_nested(small, large)
    df = large.rank - small.rank
    if df <= 0:
        raise ValueError(f"{name} has no more free coefficients than the model before it: leave it out")
    drop = drop_between(small, large)
    return test_of_fall(f"{name} against the model before it", drop, df, last)


def _of_kind(models: Sequence[Any], kind: str, more: bool, adjust: str | None, training: Any) -> Anova:
    """Return the tests of all terms of one model by fits without them."""
    if len(models) != 1 or more:
        raise ValueError(
            "kind= tests all terms of one model by refits: give one model, without names, terms, covariance, "
            "groups and weights (terms= takes robust covariances, by Wald's statistic)"
        )
    names, tests, falls = tests_by_refits(models[0], kind, training)
    df = [float(t.df) for t in tests]
    found: list[TestResult | None] = [*tests]
    what = f"terms (type {kind}, by refits)"
    return Anova(what, names, df, [], found, _p_values(found, adjust), adjust, falls)


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
