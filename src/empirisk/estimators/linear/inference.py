"""What fitted linear models say about their coefficients: tables, tests, bands, influence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from empirisk.data.frames import like_input
from empirisk.estimators.linear.factor_columns import columns_named
from empirisk.estimators.training import Kept
from empirisk.inference.refusal import still_solves
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution

if TYPE_CHECKING:
    from empirisk.inference import Bands, Fit, Influence, Summary, TestResult

__all__ = ["GONE", "InferenceMixin", "by_name"]


class InferenceMixin:
    """``summary``, ``influence``, ``wald_test`` and ``interval`` of every linear estimator.

    X, y and sample_weight are always the rows of the fit; other rows are refused.  They may be left out: a
    fitted estimator keeps its rows, up to 32 MiB of X and as much of y and weights, in memory alone.
    Pickled, copied and cloned it has none.  An X that is larger is found again while what was passed to
    ``fit`` lives.
    """

    solution_: Solution
    alpha_: float
    _training: Kept | None

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any, **rows: Any) -> LinearProblem:
        """Return the problem on the rows of the fit: given ones, or those that were kept."""
        check_is_fitted(self, "solution_")
        if X is not None and y is not None:
            return self.problem(X, y, sample_weight, **rows)  # type: ignore[attr-defined, no-any-return]
        given = {"X": X, "y": y, "sample_weight": sample_weight, **rows}
        named = [name for name, value in given.items() if value is not None]
        if named:
            raise ValueError(
                f"pass all rows of the fit or none: X and y (and the weights, offsets and exposures that it "
                f"had), got {', '.join(named)}"
            )
        kept = self._training
        columns = None if kept is None else kept.columns(self._design)  # type: ignore[attr-defined]
        if kept is None or columns is None:
            raise ValueError(GONE)
        problem: LinearProblem = self._posed(columns, kept.targets, kept.weight, alpha=self.alpha_)  # type: ignore[attr-defined]
        if kept.changed(problem.moments) or not still_solves(problem, self.solution_, 1e-9):
            raise ValueError(
                "X was changed in memory after the fit: pass X and y as they were then, or fit again"
            )
        return problem

    def _words(self) -> dict[str, Any]:
        """Return the names for the tables; a classifier adds its classes, and why there can be no
        inference.
        """
        return {"names": self._names()}  # type: ignore[attr-defined]

    def _linearised(self, what: str, training: Any, weights: str = "frequency") -> Fit:
        """Return the fit with what inference needs, or the reason why `what` does not exist."""
        from empirisk.inference import fit_for

        problem = self._fitted_problem(**by_name(training))
        return fit_for(what, problem, self.solution_, weights=weights, **self._words())

    @like_input
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
    ) -> Summary:
        """Coefficient table with standard errors, tests and intervals where they are valid.

        Where inference is not valid (a penalty, selection, p >= n, separation) the table says why instead of
        giving numbers, and what to use.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, other rows are refused.  They may be left out while the estimator keeps them
            (up to 32 MiB; never in a pickle or copy), or what was passed to ``fit`` as X lives.
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"``: the model's own noise; ``"HC0"`` to ``"HC3"``: noise that differs between rows;
            ``"cluster"`` (CR2), ``"CR0"``, ``"CR1"``: noise dependent within `groups`.
        groups : array, shape (n,), optional
            Group of each row, for the clustered kinds.
        weights : {"frequency", "sampling", "precision"}, optional
            What the row weights are: repetitions of a row, inverse chances of being drawn, inverse variances
            of the noise.  Default: frequencies for the classical kind, sampling weights for the robust ones.

        Returns
        -------
        empirisk.inference.Summary
        """
        from empirisk.inference import summarise_glm

        problem = self._fitted_problem(X, y, sample_weight)
        options: dict[str, Any] = {"covariance": covariance, "groups": groups, "weights": weights}
        return summarise_glm(problem, self.solution_, level=level, **options, **self._words())

    @like_input
    def influence(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        weights: str = "frequency",
        **rows: Any,
    ) -> Influence:
        """Leverages, studentised residuals, Cook's distances, DFFITS and leave-one-out residuals of the rows.

        Exact for least squares, one Newton step for the other families.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, as in :meth:`summary`.
        weights : {"frequency", "sampling", "precision"}
            Whether one repetition of a row is left out, or the row with its weight.
        **rows
            ``offset=`` and ``exposure=`` where the fit had them.

        Returns
        -------
        empirisk.inference.Influence
        """
        from empirisk.inference import check_covariance, influence_of

        kind = check_covariance("HC3", None, weights)  # any of the three
        training = {"X": X, "y": y, "sample_weight": sample_weight, **rows}
        return influence_of(self._linearised("influence measures", training, kind))

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
            A column, or several (each coefficient is 0 in the hypothesis, all of a factor that is named by
            its column); a mapping from columns to coefficients (one combination, ``{"a": 1, "b": -1}``); or a
            matrix, shape (m, p), or
            (m, p + 1) with the intercept first.
        r : float or array, shape (m,), default 0
            Right-hand side.
        covariance, groups, weights
            As in :meth:`summary`.
        training : tuple or mapping, optional
            ``(X, y)``, ``(X, y, sample_weight)`` or ``{"X": X, "y": y, "exposure": e}`` of the fit, when it
            did not keep them.

        Returns
        -------
        empirisk.inference.TestResult
            F where a variance is estimated, chi squared otherwise.
        """
        from empirisk.inference import check_covariance, wald_test

        kind = check_covariance(covariance, groups, weights)
        fit = self._linearised("test", training, kind)
        return wald_test(fit, columns_named(R, self), r, covariance=covariance, groups=groups)

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
        covariance, groups, weights
            As in :meth:`summary`; prediction needs "classical", and is about a row of weight 1.
        training : tuple or mapping, optional
            As in :meth:`wald_test`.
        **rows
            ``offset=`` and ``exposure=`` of the new rows where the model has them.

        Returns
        -------
        empirisk.inference.Bands
        """
        from empirisk.inference import bands_at, check_covariance

        fit = self._linearised("interval", training, check_covariance(covariance, groups, weights))
        new = self._design(X)  # type: ignore[attr-defined]
        known = self._new_offset(new.shape[0], **rows)
        options = {"kind": kind, "level": level, "covariance": covariance, "groups": groups}
        return bands_at(fit, new, offset=known, **options)

    def _new_offset(self, n: int, **rows: Any) -> Any:
        """Return the offsets of new rows; a model with offsets overrides this."""
        if rows:
            raise TypeError(f"{type(self).__name__} has no {', '.join(rows)}")
        return None


def by_name(training: Any) -> dict[str, Any]:
    """Return the rows of a fit by the names of the parameters of ``fit``, from a tuple or a mapping; or
    none.
    """
    if training is None:
        return {"X": None, "y": None, "sample_weight": None}
    if isinstance(training, Mapping):
        return {"X": None, "y": None, "sample_weight": None, **training}
    names = ("X", "y", "sample_weight", "offset", "exposure")
    return {"sample_weight": None, **dict(zip(names, tuple(training), strict=False))}


GONE = (
    "the rows of the fit are not at hand: a fitted model keeps up to 32 MiB of X, but none in a pickle or "
    "copy; pass X and y of the fit again (and the weights, offsets and exposures that it had)"
)
