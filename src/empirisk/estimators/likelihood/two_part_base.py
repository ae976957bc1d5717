"""Regressions of counts in two parts: one score for the counts, one for the zeros.

Cameron and Trivedi, Regression Analysis of Count Data (2013), chapter 4.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.estimators.checks import check_count, check_numeric_targets, check_targets_finite
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.likelihood.centred import centred
from empirisk.estimators.linear.offsets import check_offset, refuse_without
from empirisk.inference import Summary
from empirisk.problems.likelihood import LikelihoodProblem
from empirisk.problems.likelihoods.two_part import TwoPart
from empirisk.results import Solution
from empirisk.solvers.solve import solve
from empirisk.typing import Array, IndexArray

__all__ = ["FAMILIES", "TwoPartRegressor"]

FAMILIES = {"poisson": False, "negative_binomial": True}
# Scores of zeros below which structural zeros are gone, and log dispersions below which counts are Poisson.
# A fit that stalled was on its way there.
GONE, STALLED = -8.0, -5.0


class TwoPartRegressor(RegressorMixin, LikelihoodEstimator):
    """Base of hurdles and zero-inflated counts; a subclass names the likelihood.

    After ``fit``: ``coef_``, ``intercept_``, ``zero_coef_``, ``zero_intercept_``, ``dispersion_``.
    """

    family: str
    zero_columns: Any
    n_init: int
    intercept_: float
    zero_coef_: Array
    zero_intercept_: float
    dispersion_: float
    starts_: Array
    _likelihood: ClassVar[type[TwoPart]]
    _kind: ClassVar[str]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,)
            Counts >= 0, some of them 0.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.
        offset : array, shape (n,), optional
            A known part of the score of the counts.
        exposure : array, shape (n,), optional
            A known factor > 0 of the mean of the counts: its logarithm is added to the offset.

        Returns
        -------
        self
        """
        fitted = self._fit(X, y, sample_weight, offset=offset, exposure=exposure)
        fitted._took_offset = offset is not None or exposure is not None
        return fitted

    def problem(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> LikelihoodProblem:
        """Return the optimisation problem that ``fit`` solves on these data, for inspection."""
        return self._problem(X, y, sample_weight, offset=offset, exposure=exposure)

    # -- the problem --------------------------------------------------------------------------------

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _read_targets(self, y: Any, fitting: bool, n: int, **more: Any) -> Array:
        y = np.asarray(y, dtype=np.float64)
        check_targets_finite(y)
        if (y < 0.0).any():
            row = int(np.argmax(y < 0.0))
            raise ValueError(f"y must hold counts >= 0, got {y[row]:g} in row {row}")
        live = more["weight"] > 0.0
        if fitting and not (y[live] == 0.0).any():
            raise ValueError(
                "y holds no zero: there is nothing for a part of zeros to explain; use PoissonRegressor, or "
                "GeneralizedLinearModel('negative_binomial')"
            )
        if fitting and not (y[live] > 0.0).any():
            raise ValueError("y holds zeros alone: the counts above 0 have no mean that could be fitted")
        offset = check_offset(more.get("offset"), more.get("exposure"), n, True)
        return np.column_stack([y, np.zeros(n) if offset is None else offset])

    def _pose(self, design: Design, targets: Array, weight: Array, alpha: float) -> LikelihoodProblem:
        if self.family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(map(repr, FAMILIES))}, got {self.family!r}")
        X, self._mean = centred(design, weight)
        self._zero_at = self._positions(X.shape[1])
        y, offset = targets[:, 0], targets[:, 1]
        V, dispersed = X[:, self._zero_at], FAMILIES[self.family]
        return LikelihoodProblem(self._likelihood(X, V, y, weight, offset, dispersed), alpha)

    def _positions(self, p: int) -> IndexArray:
        """Return the positions of the columns of the zero part among the coded columns."""
        if self.zero_columns is None:
            return np.arange(p)
        groups = self.terms_groups_
        names = list(groups)
        out: list[int] = []
        for given in self.zero_columns:
            name = names[given] if isinstance(given, int | np.integer) and given < len(names) else given
            if name not in groups:
                raise ValueError(
                    f"zero_columns names {given!r}, which is no column; there are {', '.join(names[:12])}"
                )
            out.extend(groups[name])
        return np.array(out, dtype=np.intp)

    def _solve(self, problem: LikelihoodProblem, tol: float, steps: int) -> Solution:
        """Return the best end of several starts: fewer and more zeros, and slopes that are drawn."""
        first = problem.start()
        X, V, *_ = problem.likelihood._live  # type: ignore[attr-defined]
        p, q = X.shape[1], V.shape[1]
        rng = np.random.default_rng(0)
        found = []
        for number in range(check_count("n_init", self.n_init, 1)):
            w = first.copy()
            if number:
                w[p + q - 1] += (-2.0, 2.0)[number - 1] if number < 3 else rng.normal()
            if number > 2:
                w[: p - 1] += 0.5 * rng.normal(size=p - 1) / np.maximum(X[:, :-1].std(axis=0), 1e-300)
                w[p : p + q - 1] += rng.normal(size=q - 1) / np.maximum(V[:, :-1].std(axis=0), 1e-300)
            found.append(solve(problem, w0=w, tol=tol, max_steps=steps))
        ended = [s for s in found if s.status.ok] or found
        values = np.array([problem.objective(s.w, problem.evaluate(s.w)) for s in ended])
        self.starts_ = np.sort(values) * float(problem.likelihood.weight.sum())
        return ended[int(np.nanargmin(values))]

    def _why_not(self, problem: LikelihoodProblem, w: Array, ok: bool) -> str:
        """Return which part has run off to the border, from where the best start ended."""
        layout, gone = problem.layout, GONE if ok else STALLED
        if self.family == "negative_binomial" and layout.part(w, "log dispersion")[0] < gone:
            return (
                "the likelihood has no maximum: the dispersion runs off to 0, the counts scatter no more "
                "than Poisson counts; use family='poisson'"
            )
        if layout.part(w, "zero intercept")[0] < gone:
            return (
                "the likelihood has no maximum: the chance of additional zeros runs off to 0, the counts "
                "have no more zeros than their law; use PoissonRegressor or GeneralizedLinearModel"
            )
        return ""

    # -- public numbers -----------------------------------------------------------------------------

    def _set_numbers(self, problem: LikelihoodProblem, w: Array, dtype: Any) -> None:
        layout, m = problem.layout, self._mean
        coef, zero = layout.part(w, "coefficients"), layout.part(w, "zero coefficients")
        self.coef_, self.zero_coef_ = coef.astype(dtype), zero.astype(dtype)
        self.intercept_ = float(layout.part(w, "intercept")[0] - m @ coef)
        self.zero_intercept_ = float(layout.part(w, "zero intercept")[0] - m[self._zero_at] @ zero)
        self.dispersion_ = float(np.exp(w[-1])) if FAMILIES[self.family] else 0.0

    def _pack(self, problem: LikelihoodProblem) -> Array:
        coef, zero = (np.asarray(v, dtype=np.float64) for v in (self.coef_, self.zero_coef_))
        m = self._mean
        return np.concatenate([
            coef, [self.intercept_ + m @ coef], zero, [self.zero_intercept_ + m[self._zero_at] @ zero],
            [np.log(self.dispersion_)] if FAMILIES[self.family] else [],
        ])  # fmt: skip

    def _public(self, problem: LikelihoodProblem) -> tuple[list[str], Array, Array]:
        p, q = len(self.coef_), len(self.zero_coef_)
        names = self._terms_of(p)
        terms = [*names, "intercept", *(f"zero: {names[j]}" for j in self._zero_at), "zero: intercept"]
        more = FAMILIES[self.family]
        terms += ["log(dispersion)"] if more else []
        J = np.eye(p + q + 2 + int(more))
        J[p, :p] = -self._mean
        J[p + 1 + q, p + 1 : p + 1 + q] = -self._mean[self._zero_at]
        parts: list[Any] = [self.coef_, [self.intercept_], self.zero_coef_, [self.zero_intercept_]]
        parts += [[np.log(self.dispersion_)]] if more else []
        return terms, np.concatenate(parts).astype(np.float64), J

    def _about(self) -> dict[str, Any]:
        law = {"poisson": "Poisson", "negative_binomial": "negative binomial"}[self.family]
        return {
            "title": f"{self._kind} {law} regression",
            "notes": (
                "exp(coef) is the factor on the mean of the counts for one more unit of the column; in the "
                f"rows that begin with 'zero:' it is the factor on the odds of {self._zero_words}",
            ),
            "constants": ("intercept", "zero: intercept", "log(dispersion)"),
            "loss": self._likelihood.name, "ratio": "mean or odds ratio",
        }  # fmt: skip

    _zero_words: ClassVar[str] = "0"

    def _null(self, problem: LikelihoodProblem) -> tuple[float, int]:
        L: Any = problem.likelihood
        empty = LikelihoodProblem(type(L)(L.X[:, :0], L.V[:, :0], L.y, L.weight, L.offset, L.dispersed), 0.0)
        found = solve(empty, tol=self.tol, max_steps=self.max_iter)
        if not found.status.ok:
            return float("nan"), 0
        return self._log_likelihood(empty, found.w), 2 + int(L.dispersed)

    # -- answers ------------------------------------------------------------------------------------

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        exposure: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
    ) -> Summary:
        """Coefficients of both parts with standard errors, tests and intervals.

        Parameters
        ----------
        X, y, sample_weight, offset, exposure
            The rows of the fit, other rows are refused.  They may be left out while the estimator keeps them
            (up to 32 MiB; never in a pickle or copy).
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"`` (observed information), ``"HC0"`` or ``"HC1"`` (rows whose law is another one),
            ``"cluster"`` (CR1) or ``"CR0"``, with `groups`.
        groups : array, shape (n,), optional
            Group of each row.
        weights : {"frequency", "sampling", "precision"}, optional
            What the row weights are, as for the other linear models.

        Returns
        -------
        empirisk.inference.Summary
        """
        problem = self._fitted_problem(X, y, sample_weight, offset=offset, exposure=exposure)
        return self._summary(problem, level, covariance, groups, weights)

    def _scores(
        self, X: Any, offset: Any = None, exposure: Any = None
    ) -> tuple[Any, Array, Array, float | None]:
        """Return the columns, both scores of new rows, and the log dispersion."""
        check_is_fitted(self, "coef_")
        D = self._design(X)
        z = np.asarray(D @ self.coef_.astype(D.dtype), dtype=np.float64) + self.intercept_
        V = D[:, self._zero_at]
        t = np.asarray(V @ self.zero_coef_.astype(D.dtype), dtype=np.float64) + self.zero_intercept_
        known = check_offset(offset, exposure, len(z), True)
        k = float(np.log(self.dispersion_)) if FAMILIES[self.family] else None
        return D, z if known is None else z + known, t, k

    def _law(self) -> TwoPart:
        """Return the likelihood without rows, for its means."""
        none = np.empty((0, 0))
        return self._likelihood(none, none, np.empty(0), np.empty(0), np.empty(0), FAMILIES[self.family])

    def predict(self, X: Any, offset: Any = None, exposure: Any = None) -> Array:
        """Return the expected count of each row, shape (m,), zeros included.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            Rows.
        offset, exposure : array, shape (m,), optional
            As in ``fit``.
        """
        D, z, t, k = self._scores(X, offset, exposure)
        return np.asarray(self._law().mean(z, t, k)[0], dtype=D.dtype)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> float:
        """R^2 of the expected counts; the offset or exposure of the rows is wanted where the fit had one."""
        refuse_without(self, offset, exposure)
        return float(r2_score(y, self.predict(X, offset, exposure), sample_weight=sample_weight))

    def predict_zero(self, X: Any, offset: Any = None, exposure: Any = None) -> Array:
        """Return the probability that the count of each row is 0, shape (m,).

        Parameters
        ----------
        X, offset, exposure
            As in :meth:`predict`.
        """
        D, z, t, k = self._scores(X, offset, exposure)
        return np.asarray(self._law().chance_of_zero(z, t, k), dtype=D.dtype)

    def _averages(self, X: Any, shares: Array, **rows: Any) -> tuple[Array, Array]:
        """Return averages (G, 1) of the means by the shares (G, n), and gradients in the terms."""
        mean, gradient = self._means(X, **rows)
        return shares @ mean, (shares @ gradient[:, 0])[:, None, :]

    def _means(self, X: Any, **rows: Any) -> tuple[Array, Array]:
        """Return the means (n, 1) of the rows, and their derivatives (n, 1, m) in the terms."""
        D, z, t, k = self._scores(X, **rows)
        D = (D.toarray() if hasattr(D, "toarray") else D).astype(np.float64)
        mean, by_z, by_t, by_k = self._law().mean(z, t, k)
        one = np.ones((len(D), 1))
        parts = [by_z[:, None] * np.hstack([D, one]), by_t[:, None] * np.hstack([D[:, self._zero_at], one])]
        parts += [by_k[:, None]] if k is not None else []
        return mean[:, None], np.hstack(parts)[:, None, :]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
