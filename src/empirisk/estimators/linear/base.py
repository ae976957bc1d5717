"""What every estimator shares: validate -> problem -> solve -> unpack, and the words around it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.collinear import find_collinear
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_scores import row_scores
from empirisk.estimators.checks import (
    check_columns,
    check_finite,
    check_flag,
    check_number,
    check_small,
    check_weights,
    is_number,
)
from empirisk.estimators.elsewhere import OF_LINEAR
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.inference import InferenceMixin
from empirisk.estimators.linear.warm_start import fitted_before, no_worse_than_null
from empirisk.estimators.training import Kept, keep
from empirisk.problems.base import judged
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.solvers.by_target import path_by_target
from empirisk.solvers.path import walk_path
from empirisk.solvers.prune import prune
from empirisk.typing import Array

__all__ = ["CertificateWarning", "LinearEstimator"]


class CertificateWarning(ConvergenceWarning):
    """ER001: the fit ended without a certificate within the tolerance."""


class LinearEstimator(FactorColumns, InferenceMixin, Estimator):
    """Base of the linear models; a subclass says how targets become a problem and back.

    After ``fit``: ``coef_``, ``intercept_``, ``alpha_``, ``n_iter_``, ``solution_``, and the property
    ``certificate_``.  Its columns are those of :class:`FactorColumns`.
    """

    solution_: Solution
    coef_: Array
    intercept_: Any
    tol: float | None
    _training: Kept | None = None
    _elsewhere: ClassVar[Mapping[str, str]] = OF_LINEAR

    # -- what a subclass gives ----------------------------------------------------------------------

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        """Return the problem at strength alpha (None: the user's parameter, selected when it is "cv")."""
        raise NotImplementedError

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Encode targets as the loss wants them; learns ``classes_`` when fitting."""
        raise NotImplementedError

    def _extended(self, targets: Array, **more: Any) -> Array:
        """Hook that adds further facts of the rows to the targets."""
        raise NotImplementedError

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows; classifiers multiply them by the weights of the classes here."""
        return weight

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        """Return the minimiser; an iteration may begin at `start`."""
        raise NotImplementedError

    def _start(self, problem: LinearProblem, before: Mapping[str, Any]) -> Array | None:
        """Return where to begin: with `warm_start` at the fit that `before` holds, else None."""
        if not check_flag("warm_start", getattr(self, "warm_start", False)):
            return None
        return no_worse_than_null(problem, fitted_before(self, problem, before))

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        """Set ``coef_`` and ``intercept_`` in the public layout."""
        raise NotImplementedError

    def _pack(self, problem: LinearProblem) -> Array:
        """Return the fitted coefficients in the layout of the problem, the inverse of :meth:`_unpack`."""
        raise NotImplementedError

    # -- the flow -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,) or (n, m)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> Self:
        """`more` are further facts of the rows, for :meth:`_extended`."""
        with as_before(self) as before:
            rows = self._encoded(X, y, sample_weight, fitting=True, **more)
            problem = self._posed(*rows, alpha=None)
            moments = problem.facts.known_moments
            solution = self._solve(problem, self._start(problem, before))
            self._finish(problem, solution)
            self._training = keep(X, *rows, moments)
        self._warn()
        return self

    def _warn(self) -> None:
        """Warn of a fit that ended without a certificate within the tolerance."""
        if not (self.solution_.status.ok or self.solution_.status is Status.COMPLETED):
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are strengths > 0 of the penalty: they are solved along one path."""
        return (
            parameter == "alpha"
            and "alpha" in self.get_params(deep=False)
            and all(is_number(value, 0.0, closed=False) for value in values)
        )

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the models along one path of falling strengths, each begun at the one before.

        The problem is set up once.  In another order than falling, stronger ones are solved before.
        """
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        strengths = np.array([float(value) for value in values])
        first = clone(self).set_params(alpha=float(strengths.max()))
        design, targets, weight = first._encoded(X, y, **{"sample_weight": None, **rows}, fitting=True)
        problem = first._posed(design, targets, weight, alpha=None)
        learned = {k: v for k, v in vars(first).items() if k not in first.get_params(deep=False)}
        kept = keep(X, design, targets, weight, problem.facts.known_moments)

        def walk(part: LinearProblem, alphas: Any, tol: float) -> Iterator[Solution]:
            return walk_path(part, alphas, tol=tol, solver=first.solver, max_steps=first.max_iter)

        falling = np.argsort(-strengths, kind="stable")
        path = zip(
            falling, path_by_target(problem, strengths[falling], walk, tol=first._tolerance()), strict=True
        )
        solved: dict[int, Solution] = {}
        for number, value in enumerate(values):
            while number not in solved:
                at, solution = next(path)
                solved[int(at)] = solution
            model = clone(self).set_params(alpha=value)
            vars(model).update(learned)
            here, solution = problem.with_strength(float(value)), solved.pop(number)
            if not solution.certificate.within(float(first.tol)):
                # A path solves each class just to the tolerance, and the whole may miss it.
                solution = min(
                    solution, first._solve(here, solution.w), key=lambda s: float(s.certificate.value)
                )
            model._finish(here, solution)
            model._training = kept
            model._warn()
            yield model

    def problem(self, X: Any, y: Any, sample_weight: Any = None) -> LinearProblem:
        """The optimisation problem that ``fit`` solves on these data, for inspection.

        On a fitted estimator the penalty has the strength ``alpha_`` that was used.
        """
        return self._problem(X, y, sample_weight)

    def _problem(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> LinearProblem:
        if hasattr(self, "alpha_"):
            return self._prepare(X, y, sample_weight, fitting=False, **more)
        twin = type(self)(**self.get_params(deep=False))
        return twin._prepare(X, y, sample_weight, fitting=True, **more)

    def _prepare(self, X: Any, y: Any, sample_weight: Any, fitting: bool, **more: Any) -> LinearProblem:
        rows = self._encoded(X, y, sample_weight, fitting, **more)
        return self._posed(*rows, alpha=None if fitting else self.alpha_)

    def _encoded(
        self, X: Any, y: Any, sample_weight: Any, fitting: bool, **more: Any
    ) -> tuple[Design, Array, Array]:
        """Return the checked columns, targets as the loss wants them, and weights."""
        self._look_at_targets(y)
        X, y = self._numbers(X, y, sample_weight, fitting)
        with numbers_only((), y):
            design = Design(X)
            check_finite(design, self._names())
            targets = self._targets(y, fitting)
        weight = self._weights(check_weights(sample_weight, design.shape[0]), targets)
        return design, self._extended(targets, **more) if more else targets, weight

    def _posed(self, design: Design, targets: Array, weight: Array, alpha: float | None) -> LinearProblem:
        """Return the problem on checked rows, and refuse columns whose squares overflow."""
        problem = self._build(design, targets, weight, alpha)
        if problem.facts.known_moments is not None or design.size <= 10_000_000:
            check_columns(problem.moments[1], self._names())
            check_small(design.X, problem.moments[1], self._names())
        return problem

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _tolerance(self) -> float:
        return check_number("tol", self.tol, 0.0, closed=False)

    def _y_options(self) -> dict[str, Any]:
        return {}

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        solution = prune(problem, solution)
        self._unpack(problem, solution.w)
        chosen = getattr(self, "selection_", None)
        notes = (solution.note, self._collinear_note(problem, solution), chosen.note if chosen else "")
        solution = replace(solution, note="; ".join(note for note in notes if note))
        certificate = solution.certificate
        if problem.design.dtype == np.float32 and certificate.kind is not Kind.NONE:
            # The certificate is about the returned parameters, so round first.
            near, w = problem.near(solution.w)
            certificate = problem.certify_rounded(self._pack(problem), near, replace(solution, w=w))
        if self.tol is None:  # it took the steps that it was told to take
            solution = replace(solution, certificate=certificate)
        else:
            solution = judged(solution, certificate, float(self.tol))
        # The state (factorisations, scores of all rows) is for resuming; it would keep the data alive.
        self.solution_ = replace(solution, state=None)
        self.n_iter_ = solution.n_steps
        self.alpha_ = getattr(problem.penalty, "alpha", 0.0)

    def _collinear_note(self, problem: LinearProblem, solution: Solution) -> str:
        """Name the columns that leave an unpenalised fit undetermined; empty when none do."""
        rows = int(np.count_nonzero(problem.data.weight)) - int(problem.intercept)
        penalty = problem.penalty
        penalised = penalty.l1 > 0.0 or penalty.l2 > 0.0 or penalty.coercive(problem.data.n_cols)
        if penalised or problem.data.n_cols > rows or not _ill_conditioned(problem, solution):
            return ""
        names = self._names()
        found = find_collinear(problem.design, problem.data.weight, problem.intercept, names)
        listed = [relation.sentence for relation in found.relations]
        if not listed:
            return ""
        more = f" and {len(listed) - 5} more relations" if len(listed) > 5 else ""
        return f"collinear columns: {'; '.join(listed[:5])}{more}; their separate coefficients mean little"

    @property
    def certificate_(self) -> Certificate:
        """How far the fit can be from the optimum, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _scores(self, X: Any) -> Array:
        """Return the scores ``X w + b`` in the public layout: one number a row, or one for each class."""
        X = self._design(X)
        coef = self.coef_ if self.coef_.dtype == X.dtype else self.coef_.astype(X.dtype)
        return np.asarray(row_scores(X, coef.T) + np.asarray(self.intercept_, dtype=X.dtype))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_training", None)
        if "solution_" in state:  # one number a row, which `verify` can find again
            state["solution_"] = replace(state["solution_"], dual=None)
        return state


def _ill_conditioned(problem: LinearProblem, solution: Solution) -> bool:
    """Return whether the factorisation saw a standardised condition number (of X'X) above 1e8, or none was
    made.
    """
    factor = getattr(solution.state, "factor", None)
    return factor is None or factor.condition > 1e8 or factor.rank < problem.data.n_cols
