"""Tests of the terms of one model by fits without them: type II, which keeps margins, and type III.

Nelder, Journal of the Royal Statistical Society A 140 (1977), on marginality; Fox, Applied Regression
Analysis and Generalized Linear Models (2016), sections 8.2 and 15.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.formulas.formula_model import FormulaModel, inside
from empirisk.estimators.linear.inference import by_name
from empirisk.inference import Fit, TestResult
from empirisk.inference.fit import fits_of
from empirisk.inference.likelihood_ratio import deviance_of, test_of_fall
from empirisk.losses.offset import without_offset
from empirisk.problems.linear import LinearProblem

__all__ = ["TermTests", "tests_by_refits"]

KINDS = ("II", "III")


class TermTests(NamedTuple):
    """The tests of all terms, and how much smaller each makes the deviance."""

    names: list[str]
    tests: list[TestResult]
    falls: list[float]


class _Size(NamedTuple):
    """Free coefficients of a fit, and its deviance."""

    rank: int
    deviance: float


def tests_by_refits(model: Any, kind: str, training: Any) -> TermTests:
    """Return a test of every term of a model: the fall of the deviance from the fit without it.

    Type II fits, for a term, all terms that do not contain it, with and without it; type III all other terms.
    The dispersion, and the degrees of freedom of F, are those of the whole model.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be 'II' or 'III', got {kind!r}")
    groups, factors = _terms(model)
    fitted = inside(model)
    whole = fitted._linearised("analysis of variance", training)
    refits = _Refits(fitted, fitted._fitted_problem(**by_name(training)), whole)
    found = TermTests([], [], [])
    for term, columns in groups.items():
        beside = [t for t in groups if t != term and not (kind == "II" and factors[term] < factors[t])]
        base = [j for t in beside for j in groups[t]]
        small, large = refits.of(base), refits.of([*base, *columns])
        df, fall = large.rank - small.rank, max(small.deviance - large.deviance, 0.0)
        if df <= 0:
            raise ValueError(
                f"the term {term!r} has no free coefficient beside the others: its columns are combinations "
                "of theirs; leave it out"
            )
        found.names.append(term)
        found.falls.append(fall)
        found.tests.append(test_of_fall(f"no effect of {term}", fall, df, whole))
    return found


def _terms(model: Any) -> tuple[Mapping[str, Sequence[int]], Mapping[str, frozenset[str]]]:
    """Return the columns of each term, and the factors that it is the product of."""
    if isinstance(model, FormulaModel):
        return model.terms_groups_, model.columns_.factors
    groups = model.terms_groups_
    return groups, {term: frozenset({term}) for term in groups}


class _Refits:
    """Fits to some of the columns of a model, each made once."""

    def __init__(self, model: Any, problem: LinearProblem, whole: Fit) -> None:
        self.model, self.problem, self.whole = model, problem, whole
        everything = frozenset(range(problem.data.n_cols))
        self.known = {everything: _Size(whole.rank, deviance_of(whole))}

    def of(self, columns: Sequence[int]) -> _Size:
        """Return the size of the fit to these columns."""
        key = frozenset(columns)
        if key not in self.known:
            self.known[key] = self._fitted(sorted(key)) if key else self._null()
        return self.known[key]

    def _fitted(self, columns: Sequence[int]) -> _Size:
        design = Design(self.problem.design.X[:, columns])
        part = replace(self.problem, data=replace(self.problem.data, design=design))
        solution = self.model._solve(part, None)
        if not (solution.status.ok and math.isfinite(solution.certificate.value)):
            names = [self.whole.terms[j + int(self.whole.intercept)] for j in columns]
            raise ValueError(f"the fit to {', '.join(names)} did not end well: {solution.sentence}")
        fit = fits_of(part, solution.w, None)[0]
        return _Size(fit.rank, deviance_of(fit))

    def _null(self) -> _Size:
        """Return the size of the model without columns."""
        problem, whole = self.problem, self.whole
        scores = without_offset(problem.loss, problem.data.y, problem.null_scores)[2]
        rows = whole.law.deviance(whole.y, np.asarray(scores, dtype=np.float64))
        return _Size(int(problem.intercept), float(whole.prior @ rows))
