"""The coefficient table, tests and intervals of quantile regressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.data.frames import like_input
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_count
from empirisk.estimators.linear.inference import by_name
from empirisk.estimators.linear.scalar_regression import ScalarRegressor

if TYPE_CHECKING:
    from empirisk.inference import Bands, Summary, TestResult
    from empirisk.inference.likelihood_table import LikelihoodFit

__all__ = ["QuantileSummary"]


class QuantileSummary(ScalarRegressor):
    """``summary``, ``wald_test`` and ``interval`` of a regression whose loss is that of a quantile."""

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        bandwidth: str = "hall_sheather",
        n_resamples: int = 200,
        random_state: Any = None,
    ) -> Summary:
        """Coefficient table with standard errors, tests and intervals, where there is no penalty.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, other rows are refused.  They may be left out while the estimator keeps them
            (up to 32 MiB; never in a pickle or copy).  Weights are repetitions of a row.
        level : float, default 0.95
            Confidence level.
        covariance : {"classical", "kernel", "bootstrap"}, default "classical"
            ``"classical"``: noise of one law in all rows, by the sparsity (the slope of the quantile function
            of the residuals); ``"kernel"``: noise that differs between rows, by Powell's kernel;
            ``"bootstrap"``: the spread of refits on rows drawn with replacement.
        groups, weights : None
            As in other tables, and refused here: rows are independent, and weights repetitions.
        bandwidth : {"hall_sheather", "bofinger"}, default "hall_sheather"
            How far from q the residuals are read, for the first two.
        n_resamples : int, default 200
            Refits of the bootstrap.
        random_state : int, Generator, RandomState or None, default None
            Seed of the bootstrap.

        Returns
        -------
        empirisk.inference.Summary

        References
        ----------
        Koenker 2005, Quantile Regression, section 3.4; Hall & Sheather 1988 (JRSS-B 50); Bofinger 1975;
        Powell 1991; Efron & Tibshirani 1993.
        """
        from empirisk.inference.quantile_errors import summarise_quantiles

        if groups is not None or weights not in (None, "frequency"):
            raise ValueError(
                "errors of quantiles are about independent rows whose weights are repetitions: leave groups "
                "and weights out, or use er.bootstrap with groups"
            )
        resamples, seed = check_count("n_resamples", n_resamples, 2), check_seed(random_state)
        problem: Any = self._fitted_problem(X, y, sample_weight)
        parts = getattr(problem, "parts", (problem,))
        return summarise_quantiles(
            parts, problem, self.solution_, names=self._names(), level=level, covariance=covariance,
            bandwidth=bandwidth, n_resamples=resamples, seed=seed,
        )  # fmt: skip

    def _inferred(self, what: str, training: Any, **options: Any) -> LikelihoodFit:
        """Return the coefficients of one level with their covariance, or the reason why there is none."""
        from empirisk.inference.likelihood_table import LikelihoodFit

        table = self.summary(**by_name(training), **options)
        if len(set(table.groups)) > 1:
            raise ValueError(f"no {what} for several levels: fit one quantile at a time")
        if table.covariance is None:
            raise ValueError(table.notes[0].replace("no standard errors", f"no {what}", 1))
        rank = int(np.isfinite(table.coef).sum())
        n = float(table["n"])
        return LikelihoodFit(table.terms, table.coef, table.covariance, n - rank, rank, table.notes[0], n)

    def wald_test(
        self,
        R: Any,
        r: Any = 0.0,
        *,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        training: Any = None,
        **options: Any,
    ) -> TestResult:
        """Wald test of the linear hypothesis ``R beta = r`` about one quantile.

        Parameters
        ----------
        R : str, sequence of str, mapping, or array
            A column, or several (each coefficient is 0 in the hypothesis); a mapping from columns to
            coefficients (one combination); or a matrix, shape (m, p), or (m, p + 1) with the intercept first.
        r : float or array, shape (m,), default 0
            Right-hand side.
        covariance, groups, weights
            As in :meth:`summary`.
        training : tuple or mapping, optional
            ``(X, y)`` or ``(X, y, sample_weight)`` of the fit, when it did not keep them.
        **options
            ``bandwidth=``, ``n_resamples=`` and ``random_state=``, as in :meth:`summary`.

        Returns
        -------
        empirisk.inference.TestResult
            F with the residual degrees of freedom; it holds for many rows.

        Raises
        ------
        ValueError
            With a penalty, for several levels in one fit, and where the columns do not determine R beta.
        """
        from empirisk.inference.likelihood_table import wald_likelihood

        options |= {"covariance": covariance, "groups": groups, "weights": weights}
        return wald_likelihood(self._inferred("test", training, **options), R, r, -1)

    @like_input
    def interval(
        self,
        X: Any,
        *,
        kind: str = "confidence",
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
        training: Any = None,
        **options: Any,
    ) -> Bands:
        """Confidence intervals of the quantile at new rows, ``x.w + b +- t se``.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            New rows.
        kind : {"confidence"}
            About the quantile; a new target lies between two quantiles with the chance of their distance.
        level : float, default 0.95
            Coverage of each interval.
        covariance, groups, weights
            As in :meth:`summary`.
        training : tuple or mapping, optional
            As in :meth:`wald_test`.
        **options
            ``bandwidth=``, ``n_resamples=`` and ``random_state=``, as in :meth:`summary`.

        Returns
        -------
        empirisk.inference.Bands

        Raises
        ------
        ValueError
            With a penalty, for several levels in one fit, for collinear columns, and for other kinds.
        """
        from empirisk.inference.quantile_errors import quantile_bands

        if kind != "confidence":
            raise ValueError(
                f"kind must be 'confidence', got {kind!r}: for a new target fit two quantiles, such as "
                "q=[0.05, 0.95], or use er.conformalize"
            )
        options |= {"covariance": covariance, "groups": groups, "weights": weights, "level": level}
        fit = self._inferred("interval", training, **options)
        return quantile_bands(fit, self._design(X), level)
