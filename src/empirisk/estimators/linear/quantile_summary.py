"""The coefficient table of quantile regressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_count
from empirisk.estimators.linear.scalar_regression import ScalarRegressor

if TYPE_CHECKING:
    from empirisk.inference import Summary

__all__ = ["QuantileSummary"]


class QuantileSummary(ScalarRegressor):
    """``summary`` of a regression whose loss is that of a quantile."""

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
