"""What fitted linear models say about their coefficients: tables, tests, bands, influence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.training import Remembered, recall
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution

if TYPE_CHECKING:
    from empirisk.inference.table import Summary

__all__ = ["InferenceMixin"]


class InferenceMixin:
    """``summary`` of every linear estimator.

    X, y and sample_weight are always the rows of the fit; other rows are refused.  They may be left out while
    the arrays or frames that were passed to ``fit`` are still in memory: the estimator itself keeps no data.
    """

    solution_: Solution
    _training: Remembered

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any) -> LinearProblem:
        check_is_fitted(self, "solution_")
        return self.problem(*recall(self._training, X, y, sample_weight))  # type: ignore[attr-defined, no-any-return]

    def _words(self) -> dict[str, Any]:
        """Names for the tables; a classifier adds its classes, and why there can be no inference."""
        return {"names": getattr(self, "feature_names_in_", None)}

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
    ) -> Summary:
        """Coefficient table with standard errors, tests and intervals where they are valid.

        Where inference is not valid (a penalty, selection, p >= n, separation) the table says why instead of
        giving numbers, and what to use.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, other rows are refused.  They may be left out while the arrays or frames
            that were passed to ``fit`` are still in memory: the estimator itself keeps no data.
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"``: the model's own noise; ``"HC0"`` to ``"HC3"``: noise that differs between rows;
            ``"cluster"`` (CR2), ``"CR0"``, ``"CR1"``: noise dependent within `groups`.
        groups : array, shape (n,), optional
            Group of each row, for the clustered kinds.

        Returns
        -------
        empirisk.inference.Summary
        """
        from empirisk.inference import summarise_glm

        problem = self._fitted_problem(X, y, sample_weight)
        return summarise_glm(
            problem, self.solution_, level=level, covariance=covariance, groups=groups, **self._words()
        )
