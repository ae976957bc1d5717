"""What fitted linear models say about their coefficients: tables, tests, bands, influence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.training import Remembered, recall
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution

if TYPE_CHECKING:
    from empirisk.inference import Bands, Fit, Influence, Summary, TestResult

__all__ = ["InferenceMixin"]


class InferenceMixin:
    """``summary``, ``influence``, ``wald_test`` and ``interval`` of every linear estimator.

    X, y and sample_weight are always the rows of the fit; other rows are refused.  They may be left out while
    the arrays or frames that were passed to ``fit`` are still in memory: the estimator itself keeps no data.
    """

    solution_: Solution
    _training: Remembered

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any, **rows: Any) -> LinearProblem:
        check_is_fitted(self, "solution_")
        more = (rows.get("offset"), rows.get("exposure")) if rows else ()
        return self.problem(*recall(self._training, X, y, sample_weight, *more))  # type: ignore[attr-defined, no-any-return]

    def _words(self) -> dict[str, Any]:
        """Names for the tables; a classifier adds its classes, and why there can be no inference."""
        return {"names": getattr(self, "feature_names_in_", None)}

    def _linearised(self, what: str, training: Any) -> Fit:
        """The fit with what inference needs, or the reason why `what` does not exist."""
        from empirisk.inference import fit_for

        rows = (None, None, None) if training is None else tuple(training)
        more = dict(zip(("offset", "exposure"), rows[3:], strict=False))
        problem = self._fitted_problem(rows[0], rows[1], rows[2] if len(rows) > 2 else None, **more)
        return fit_for(what, problem, self.solution_, **self._words())

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

    def influence(self, X: Any = None, y: Any = None, sample_weight: Any = None, **rows: Any) -> Influence:
        """Leverages, studentised residuals, Cook's distances, DFFITS and leave-one-out residuals of the rows.

        Exact for least squares, one Newton step for the other families.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, as in :meth:`summary`.
        **rows
            ``offset=`` and ``exposure=`` where the fit had them.

        Returns
        -------
        empirisk.inference.Influence
        """
        from empirisk.inference import influence_of

        training = None if X is None and y is None else (X, y, sample_weight, *rows.values())
        return influence_of(self._linearised("influence measures", training))

    def wald_test(
        self, R: Any, r: Any = 0.0, *, covariance: str = "classical", groups: Any = None, training: Any = None
    ) -> TestResult:
        """Wald test of the linear hypothesis ``R beta = r``.

        Parameters
        ----------
        R : str, sequence of str, mapping, or array
            A column, or several (each coefficient is 0 in the hypothesis); a mapping from columns to
            coefficients (one combination, ``{"a": 1, "b": -1}``); or a matrix, shape (m, p), or
            (m, p + 1) with the intercept first.
        r : float or array, shape (m,), default 0
            Right-hand side.
        covariance, groups
            As in :meth:`summary`.
        training : tuple, optional
            ``(X, y)`` or ``(X, y, sample_weight)`` of the fit, when they are no longer in memory.

        Returns
        -------
        empirisk.inference.TestResult
            F where a variance is estimated, chi squared otherwise.
        """
        from empirisk.inference import wald_test

        fit = self._linearised("test", training)
        return wald_test(fit, R, r, covariance=covariance, groups=groups)

    def interval(
        self,
        X: Any,
        *,
        kind: str = "confidence",
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        training: Any = None,
        **rows: Any,
    ) -> Bands:
        """Confidence intervals of the mean, or prediction intervals of a new target, at new rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            New rows.
        kind : {"confidence", "prediction"}
            About the mean (delta method on the score, carried through the link), or about one new target,
            where the law of the noise says how it scatters.
        level : float, default 0.95
            Coverage of each interval.
        covariance, groups
            As in :meth:`summary`; prediction needs "classical".
        training : tuple, optional
            ``(X, y)`` or ``(X, y, sample_weight)`` of the fit, when they are no longer in memory.
        **rows
            ``offset=`` and ``exposure=`` of the new rows where the model has them.

        Returns
        -------
        empirisk.inference.Bands
        """
        from empirisk.inference import bands_at

        fit = self._linearised("interval", training)
        new = self._design(X)  # type: ignore[attr-defined]
        known = self._new_offset(new.shape[0], **rows)
        options = {"kind": kind, "level": level, "covariance": covariance, "groups": groups}
        return bands_at(fit, new, offset=known, **options)

    def _new_offset(self, n: int, **rows: Any) -> Any:
        """Offsets of new rows; a model with offsets overrides this."""
        if rows:
            raise TypeError(f"{type(self).__name__} has no {', '.join(rows)}")
        return None
