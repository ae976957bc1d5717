"""What regressions of a mean share: inverse link, offsets and exposures, deviance, dispersion."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from empirisk.data.frames import like_input
from empirisk.data.sums import weighted_sum
from empirisk.estimators.checks import check_weights
from empirisk.estimators.linear.link_range import refuse_without_null, warn_outside
from empirisk.estimators.linear.offsets import check_offset, refuse_without
from empirisk.estimators.linear.scalar_regression import ScalarRegressor
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.inference import Summary, summarise_glm
from empirisk.inference.law import Law
from empirisk.inference.refusal import border_sentence
from empirisk.losses import Loss, check_targets, with_offset, without_offset
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation, zeros_run_off
from empirisk.problems.separation.plain import plain_problem
from empirisk.results import Solution, Status
from empirisk.solvers.from_inside import solve_from_inside
from empirisk.typing import Array

__all__ = ["MeanRegressor"]


class MeanRegressor(ScalarRegressor):
    """Base of the generalized linear models; a subclass gives the loss and says what exposures mean."""

    deviance_: float
    null_deviance_: float
    dispersion_: float
    _took_offset: bool = False

    def _rates(self) -> bool:
        """Return whether the link turns a factor of the mean into a term of the score."""
        return True

    # -- fit ----------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.
        offset : array, shape (n,), optional
            A known part o of the scores, ``x.w + b + o``.
        exposure : array, shape (n,), optional
            A known factor > 0 of the means (time, area, population): its logarithm is added to the offset.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, offset=offset, exposure=exposure)

    def problem(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> LinearProblem:
        """The optimisation problem that ``fit`` solves on these data, for inspection.

        On a fitted estimator the penalty has the strength ``alpha_`` that was used.
        """
        return self._problem(X, y, sample_weight, offset=offset, exposure=exposure)

    def _targets(self, y: Any, fitting: bool) -> Array:
        targets = np.asarray(y, dtype=np.float64)
        check_targets(self._loss(), targets)
        return targets

    def _extended(self, targets: Array, **more: Any) -> Array:
        offset = check_offset(more.get("offset"), more.get("exposure"), len(targets), self._rates())
        return targets if offset is None else np.asfortranarray(np.column_stack([targets, offset]))

    def _plain_model(self, y: Array) -> tuple[Loss, Array]:
        """Return the loss and the targets as they are without offsets or exposures."""
        return self._loss(), y

    def _model(self, y: Array) -> tuple[Loss, Array]:
        if y.ndim == 1:
            return self._plain_model(y)
        return with_offset(*self._plain_model(y[:, 0]), y[:, 1])

    def _prepared(self, problem: LinearProblem, fitting: bool) -> LinearProblem:
        refuse_without_null(problem)
        return problem

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        solution = super()._solve(problem, start)
        if not solution.status.ok and solution.status is not Status.UNBOUNDED:
            solution = self._at_the_border(problem, solution)
        if solution.status is Status.UNBOUNDED:
            raise SeparationError(self._why_unbounded(problem) or solution.note)
        return solution

    def _at_the_border(self, problem: LinearProblem, solution: Solution) -> Solution:
        """Return the certified minimum on the end of the link's range, or what was found with the reason."""
        why = border_sentence(problem, solution.w)
        if not why:
            return solution
        found = solve_from_inside(problem, self._tolerance(), self.max_iter)
        if found is not None:
            return replace(found, note=why)
        advice = "where the derivative need not vanish; use a link with every score, such as 'log'"
        return replace(solution, note=f"{why}, {advice}")

    def _why_unbounded(self, problem: LinearProblem) -> str:
        """Return the sentence again, with the names of the columns and what to do; "" with a penalty."""
        if problem.penalty.l1 > 0.0 or problem.penalty.l2 > 0.0:
            return ""
        names = self._names()
        classes = problem.loss.escape == "classes"
        why = find_separation(problem, names).sentence if classes else zeros_run_off(problem, names)
        data = plain_problem(problem).data
        targets = data.y[data.weight > 0.0]
        if problem.intercept and targets.min() == targets.max():  # which neither penalty nor columns change
            return f"{why} (no penalty holds it: predict that class)" if classes else why
        return f"{why}; add a penalty (alpha > 0), or drop the columns that tell these rows apart"

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        last = solution.state
        super()._finish(problem, solution)
        self._took_offset = problem.loss.offset(problem.data.y) is not None
        problem, w = problem.near(self.solution_.w)
        known = last is not None and last.evaluation is not None and np.array_equal(last.w, w)
        z = last.evaluation.scores if known else problem.scores(w)
        loss = last.evaluation.loss if known else problem.mean_loss(z)
        total = problem.data.total_weight
        self.deviance_ = max(2.0 * total * (loss - problem.facts.saturated), 0.0)
        self.null_deviance_ = 2.0 * total * problem.null_excess
        base, y, z = without_offset(problem.loss, problem.data.y, z)
        law = Law(base)
        rows = law.pearson(y, z, law.fisher(z))
        # The weights of shares are trials: a row is one observation.
        n = np.count_nonzero(problem.data.weight) if base.shares else total
        free = n - np.count_nonzero(self.coef_) - int(problem.intercept)
        chi2 = float(weighted_sum(problem.data.weight, rows * rows))
        self.dispersion_ = chi2 / free if free > 0.0 else math.nan

    # -- predictions --------------------------------------------------------------------------------

    def predict_linear(self, X: Any, offset: Any = None, exposure: Any = None) -> Array:
        """Return the scores ``x.w + b + offset + log(exposure)``, one for each row."""
        z = self._scores(X)
        known = check_offset(offset, exposure, len(z), self._rates())
        return z if known is None else np.asarray(z + known.astype(z.dtype))

    def predict(self, X: Any, offset: Any = None, exposure: Any = None) -> Array:
        """Return the expected target of each row, shape (n,)."""
        z, loss = self.predict_linear(X, offset, exposure), self._loss()
        warn_outside(loss, z)
        return np.asarray(loss.mean(z))

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> float:
        """Share of the deviance that the model explains, ``D2 = 1 - deviance / null deviance``.

        The null model is the best constant for the rows that are given; for the normal family D2 is R2.
        Where the fit had an offset or exposure, that of these rows is wanted.
        """
        z = np.asarray(self.predict_linear(X), dtype=np.float64)
        y = self._targets(column_or_1d(y, warn=True), fitting=False)
        check_consistent_length(z, y)
        s = check_weights(sample_weight, len(z))
        known = check_offset(offset, exposure, len(z), self._rates())
        refuse_without(self, known)
        loss, y = with_offset(*self._plain_model(y), known)
        constant = float(loss.best_constant(y, s))
        null = np.full(len(z), constant)
        least = -loss.conjugate(y, np.zeros(len(z)))
        rows = loss.value(y, null) - least if math.isfinite(constant) else np.zeros(len(z))
        unexplained, whole = float(s @ (loss.value(y, z) - least)), float(s @ rows)
        if whole <= 0.0:
            return 1.0 if unexplained <= 0.0 else 0.0
        return 1.0 - unexplained / whole

    @like_input
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
        """Coefficient table with standard errors, tests and intervals where they are valid.

        Where inference is not valid (a penalty, selection, p >= n) the table says why instead of giving
        numbers.

        Parameters
        ----------
        X, y, sample_weight, offset, exposure
            The rows of the fit, other rows are refused.  They may be left out while the estimator keeps them
            (up to 32 MiB; never in a pickle or copy), or what was passed to ``fit`` as X lives.
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"``, ``"HC0"`` to ``"HC3"``, or ``"cluster"`` with `groups`: with the expected
            information; ``"observed"``, ``"HC0-observed"`` ... with the observed one, which differs for links
            that are not canonical.
        groups : array, shape (n,), optional
            Group of each row.
        weights : {"frequency", "sampling", "precision"}, optional
            What the row weights are; frequencies for the classical kind by default, sampling weights for the
            robust ones.  Weights of shares are trials.

        Returns
        -------
        empirisk.inference.Summary
        """
        problem = self._fitted_problem(X, y, sample_weight, offset=offset, exposure=exposure)
        options: dict[str, Any] = {"covariance": covariance, "groups": groups, "weights": weights}
        return summarise_glm(problem, self.solution_, level=level, **options, **self._words())

    def _new_offset(self, n: int, **rows: Any) -> Array | None:
        unknown = rows.keys() - {"offset", "exposure"}
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        return check_offset(rows.get("offset"), rows.get("exposure"), n, self._rates())
