"""What estimators by maximum likelihood share: rows -> likelihood -> solve -> numbers, tables and tests."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.frames import like_input
from empirisk.data.plain_numbers import numbers_only
from empirisk.estimators.checks import (
    check_alpha,
    check_count,
    check_finite,
    check_number,
    check_weights,
    naming_lone_weight,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.linear.factor_columns import FactorColumns, columns_named
from empirisk.estimators.linear.inference import GONE, by_name
from empirisk.estimators.training import Kept, keep
from empirisk.inference import Bands, Summary, TestResult, nested_likelihoods
from empirisk.inference.likelihood_table import (
    LikelihoodFit,
    bands_of_means,
    summarise_likelihood,
    wald_likelihood,
)
from empirisk.inference.table import blank
from empirisk.problems.base import judged
from empirisk.problems.likelihood import LikelihoodProblem
from empirisk.results import Certificate, Solution
from empirisk.results.estimate import check_level
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["LikelihoodEstimator"]

# Newton's method takes 4 to 10 steps; without a maximum it would take all that it may, each with many trials.
TRIAL = 25


class LikelihoodEstimator(FactorColumns, Estimator):
    """Base of the estimators of this folder; a subclass says what the likelihood of checked rows is.

    After ``fit``: ``coef_``, ``alpha_``, ``log_likelihood_``, ``n_iter_``, ``solution_``, and the property
    ``certificate_``.
    """

    alpha: Any = 0.0
    tol: float
    max_iter: int
    solution_: Solution
    coef_: Array
    alpha_: float
    log_likelihood_: float
    n_iter_: int
    _training: Kept | None = None
    _unit: ClassVar[str] = "row"

    # -- what a subclass gives ----------------------------------------------------------------------

    def _read_targets(self, y: Any, fitting: bool, n: int, **more: Any) -> Array:
        """Return the targets as numbers, one column or several; learns labels when fitting."""
        raise NotImplementedError

    def _pose(self, design: Design, targets: Array, weight: Array, alpha: float) -> LikelihoodProblem:
        """Return the problem on checked rows."""
        raise NotImplementedError

    def _set_numbers(self, problem: LikelihoodProblem, w: Array, dtype: Any) -> None:
        """Set ``coef_`` and the other parameters in their public form."""
        raise NotImplementedError

    def _pack(self, problem: LikelihoodProblem) -> Array:
        """Return the public numbers in the layout of the problem, the inverse of :meth:`_set_numbers`."""
        raise NotImplementedError

    def _public(self, problem: LikelihoodProblem) -> tuple[list[str], Array, Array]:
        """Return names and values of the public parameters, and their derivatives in those of the problem."""
        raise NotImplementedError

    def _about(self) -> dict[str, Any]:
        """Return the title, the constants and the ratio of the table of coefficients, and its notes."""
        raise NotImplementedError

    def _why_not(self, problem: LikelihoodProblem, w: Array, ok: bool) -> str:
        """Return why there is no maximum of the likelihood; empty where nothing is known."""
        return ""

    # -- fit ----------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> Self:
        tol = check_number("tol", self.tol, 0.0, closed=False)
        steps = check_count("max_iter", self.max_iter, 1)
        with as_before(self), naming_lone_weight(sample_weight):
            rows = self._checked(X, y, sample_weight, fitting=True, **more)
            given = check_alpha(self.alpha, ("1/n",))
            alpha = 1.0 / float(rows[2].sum()) if given == "1/n" else float(given)
            problem = self._pose(*rows, alpha=alpha)
            solution = self._solve(problem, tol, steps)
            if why := self._why_not(problem, solution.w, solution.status.ok):
                raise self._no_maximum(why)
            self._set_numbers(problem, solution.w, rows[0].dtype)
            self.alpha_ = alpha
            self.solution_ = replace(
                judged(solution, problem.certify(self._pack(problem)), tol), state=None, dual=None
            )
            self.n_iter_ = solution.n_steps
            self.log_likelihood_ = self._log_likelihood(problem, self._pack(problem))
            self._training = keep(X, *rows, rows[0].moments(rows[2]))
        if not self.solution_.status.ok:
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())
        return self

    def _solve(self, problem: LikelihoodProblem, tol: float, steps: int) -> Solution:
        """Return the minimum of the problem; one with several minima tries several starts."""
        first = solve(problem, tol=tol, max_steps=min(steps, TRIAL))
        if first.status.ok or steps <= TRIAL or self._why_not(problem, first.w, False):
            return first
        return solve(problem, tol=tol, max_steps=steps)

    def _no_maximum(self, why: str) -> ValueError:
        """Return the error that says that the likelihood has no maximum."""
        return ValueError(why)

    @staticmethod
    def _log_likelihood(problem: LikelihoodProblem, w: Array) -> float:
        return -float(problem.evaluate(w).loss) * float(problem.likelihood.weight.sum())

    def _checked(
        self, X: Any, y: Any, sample_weight: Any, fitting: bool, **more: Any
    ) -> tuple[Design, Array, Array]:
        """Return checked columns, targets and weights."""
        self._look_at_targets(y)
        ordered = getattr(y, "dtype", None)
        X, y = self._numbers(X, y, sample_weight, fitting)
        with numbers_only((), y):
            design = Design(X)
            check_finite(design, self._names())
            n = design.shape[0]
            weight = check_weights(sample_weight, n)
            targets = self._read_targets(y, fitting, n, weight=weight, dtype=ordered, **more)
        return design, targets, weight

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _y_options(self) -> dict[str, Any]:
        return {}

    def _problem(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> LikelihoodProblem:
        """Return the problem on given rows, with the strength of the fit where there was one."""
        if hasattr(self, "alpha_"):
            return self._pose(*self._checked(X, y, sample_weight, False, **more), alpha=self.alpha_)
        twin = type(self)(**self.get_params(deep=False))
        rows = twin._checked(X, y, sample_weight, True, **more)
        given = check_alpha(self.alpha, ("1/n",))
        return twin._pose(*rows, alpha=1.0 / float(rows[2].sum()) if given == "1/n" else float(given))

    @property
    def certificate_(self) -> Certificate:
        """How far the fit can be from the optimum, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None, **rows: Any) -> Certificate:
        """Compute the certificate again, of the public numbers on given rows."""
        problem = self._problem(X, y, sample_weight, **rows)
        return problem.certify(self._pack(problem))

    # -- inference ----------------------------------------------------------------------------------

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any = None, **rows: Any) -> LikelihoodProblem:
        """Return the problem on the rows of the fit: given ones, or those that were kept."""
        check_is_fitted(self, "solution_")
        if X is not None and y is not None:
            problem = self._problem(X, y, sample_weight, **rows)
        else:
            given = {"X": X, "y": y, "sample_weight": sample_weight, **rows}
            named = [name for name, value in given.items() if value is not None]
            if named:
                raise ValueError(f"pass all rows of the fit or none: X and y, got {', '.join(named)}")
            kept = self._training
            columns = None if kept is None else kept.columns(self._design)
            if kept is None or columns is None:
                raise ValueError(GONE)
            problem = self._pose(columns, kept.targets, kept.weight, alpha=self.alpha_)
        # Slack for single precision: given rows may differ from those of the fit by rounding.
        most = max(100.0 * self.certificate_.relative, 1e-6)
        if not problem.certify(self._pack(problem)).relative <= most:
            raise ValueError(
                "X, y and sample_weight are not the rows that the model was fitted on (the fit is not "
                "optimal for them); standard errors are about the rows of the fit: pass those, or refit"
            )
        return problem

    def _inferred(self, training: Any, covariance: str, groups: Any, weights: str | None) -> LikelihoodFit:
        """Return the fit with its covariance matrix, or raise with the reason why there is none."""
        problem = self._fitted_problem(**by_name(training))
        return self._fit_of(problem, covariance, groups, weights)

    def _fit_of(
        self, problem: LikelihoodProblem, covariance: str, groups: Any, weights: str | None
    ) -> LikelihoodFit:
        terms, coef, jacobian = self._public(problem)
        groups = self._unit_groups(problem, groups)
        return LikelihoodFit.of(
            problem, self._pack(problem), terms, coef, jacobian, covariance, groups, weights, self._unit
        )

    def _terms_of(self, p: int) -> list[str]:
        """Return the names of p columns, x0, x1, ... where they have none."""
        named = self._names()
        return [f"x{j}" for j in range(p)] if named is None else [str(v) for v in named]

    def _unit_groups(self, problem: LikelihoodProblem, groups: Any) -> Any:
        """Return the group of each unit from those of the rows; units are rows unless a subclass says so."""
        return groups

    def _averages(self, X: Any, shares: Array, **rows: Any) -> tuple[Array, Array]:
        """Return averages of the means by the shares, and gradients in the terms, where there are means."""
        raise ValueError(
            f"there are no average predictions of {type(self).__name__}: it compares rows of a set, and says "
            "nothing of the level of a row; use summary().ratios()"
        )

    def _means(self, X: Any, **rows: Any) -> tuple[Array, Array]:
        """Return the means (n, K) of new rows and their derivatives (n, K, m) in the terms."""
        raise ValueError(
            f"there is no interval of a mean of {type(self).__name__}: it compares rows of a set, and says "
            "nothing of the level of a row; use summary().ratios()"
        )

    @like_input
    def interval(
        self,
        X: Any,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        training: Any = None,
        **rows: Any,
    ) -> Bands:
        """Confidence intervals of the mean, or of the probability of each class, at new rows.

        By the delta method, on the logarithm of means and on the log odds of probabilities, so that no
        interval leaves their range.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            New rows.
        level : float, default 0.95
            Coverage of each interval, of one row and class.
        covariance, groups, weights
            As in ``summary``.
        training : tuple or mapping, optional
            As in :meth:`wald_test`.
        **rows
            ``offset=`` and ``exposure=`` of the new rows where the model has them.

        Returns
        -------
        empirisk.inference.Bands
            With a column for each of ``classes_`` where the model has classes.

        Raises
        ------
        ValueError
            With a penalty, for collinear columns, and for models that say nothing of a single row.
        """
        check_level(level)
        value, gradient = self._means(X, **rows)
        fit = self._inferred(training, covariance, groups, weights)
        return bands_of_means(fit, value, gradient, level, getattr(self, "classes_", ()))

    def _null(self, problem: LikelihoodProblem) -> tuple[float, int]:
        """Return the log-likelihood of the model without columns, and its number of parameters."""
        return math.nan, 0

    def _summary(
        self, problem: LikelihoodProblem, level: float, covariance: str, groups: Any, weights: str | None
    ) -> Summary:
        """Return the table of coefficients, for ``summary`` of a subclass."""
        terms, coef, _ = self._public(problem)
        fit: LikelihoodFit | str
        if problem.alpha > 0.0:
            fit = _reason(lambda: self._fit_of(problem, covariance, groups, weights))
        else:
            fit = self._fit_of(problem, covariance, groups, weights)
        nothing = blank(len(terms))
        base = Summary(
            terms=tuple(terms), groups=("",) * len(terms), coef=coef, se=nothing, statistic=nothing,
            p=nothing, low=nothing, high=nothing, level=level, **self._about(),
        )  # fmt: skip
        null, free = self._null(problem)
        w = self._pack(problem)
        return summarise_likelihood(
            fit,
            base,
            log_likelihood=self._log_likelihood(problem, w),
            null=null,
            free_null=free,
            unit=self._unit,
        )

    def wald_test(
        self,
        R: Any,
        r: Any = 0.0,
        *,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        training: Any = None,
    ) -> TestResult:
        """Wald test of the linear hypothesis ``R beta = r``.

        Parameters
        ----------
        R : str, sequence of str, mapping, or array
            A term of the table, or several (each is 0 in the hypothesis), or a factor by its column (all of
            its coefficients are 0); a mapping from terms to factors
            (one combination, ``{"a": 1, "b": -1}``); or a matrix with a column for each term, or for each
            column of the design alone.
        r : float or array, shape (m,), default 0
            Right-hand side.
        covariance, groups, weights
            As in ``summary``.
        training : tuple or mapping, optional
            ``(X, y)``, or ``{"X": X, "y": y, ...}`` of the fit, when it did not keep them.

        Returns
        -------
        empirisk.inference.TestResult
        """
        fit = self._inferred(training, covariance, groups, weights)
        return wald_likelihood(fit, columns_named(R, self), r, int(np.size(self.coef_)))

    def likelihood_ratio_to(self, small: LikelihoodEstimator) -> TestResult:
        """Return the test against a fit of the same kind on fewer columns; both keep the rows of the fit."""
        both = (small, self)
        problems = [model._fitted_problem(None, None) for model in both]
        fits = [model._fit_of(p, "classical", None, None) for model, p in zip(both, problems, strict=True)]
        lost = [t for t in fits[1].terms if t not in fits[0].terms]
        return nested_likelihoods(
            problems[0],
            problems[1],
            (small.log_likelihood_, self.log_likelihood_),
            (fits[0].rank, fits[1].rank),
            lost,
            self._unit,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_training", None)
        return state


def _reason(ask: Any) -> Any:
    """Return what `ask` gives, or the sentence of its error where there are no standard errors."""
    try:
        return ask()
    except ValueError as error:
        if not str(error).startswith("no standard errors"):
            raise
        return str(error)
