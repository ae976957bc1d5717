"""What regressions with one score a row share, whatever their loss: targets, strength, solve, packing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import (
    check_alpha,
    check_count,
    check_flag,
    check_number,
    check_numeric_targets,
    check_rule,
)
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.tune import StrengthSelection, select_by_folds
from empirisk.losses import Loss
from empirisk.penalties import L1, L2, ElasticNetPenalty, Penalty, Zero
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["ScalarRegressor", "elastic_net"]


def elastic_net(alpha: float, ratio: float) -> Penalty:
    """Return the penalty of this strength and share of L1, by its simplest name."""
    if alpha == 0.0:
        return Zero()
    if ratio in (0.0, 1.0):
        return L2(alpha) if ratio == 0.0 else L1(alpha)
    return ElasticNetPenalty(alpha, ratio)


class ScalarRegressor(RegressorMixin, LinearEstimator):
    """Base of the regressions with one target; a subclass gives the loss."""

    alpha: float | str
    l1_ratio: float
    fit_intercept: bool
    alphas: Any
    cv: Any
    rule: str
    random_state: Any
    solver: Any
    tol: float
    max_iter: int
    selection_: StrengthSelection

    def _loss(self) -> Loss:
        """Return the loss that the parameters name."""
        raise NotImplementedError

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        return np.asarray(y, dtype=np.float64)

    def _model(self, y: Array) -> tuple[Loss, Array]:
        """Return the loss and its targets; hook for targets that carry further facts of the rows."""
        return self._loss(), y

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        intercept = check_flag("fit_intercept", self.fit_intercept)
        ratio = check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        loss, y = self._model(y)
        data = ArrayBlocks(design, y, weight)
        given = check_alpha(self.alpha) if alpha is None else alpha
        start = 1.0 if given == "cv" else 1.0 / data.total_weight if given == "1/n" else float(given)
        problem = LinearProblem(loss, elastic_net(start, ratio), data, intercept)
        problem = self._prepared(problem, fitting=alpha is None)
        return self._with_selection(problem) if given == "cv" else problem

    def _prepared(self, problem: LinearProblem, fitting: bool) -> LinearProblem:
        """Hook for what depends on the data, such as a scale."""
        return problem

    def _with_selection(self, problem: LinearProblem) -> LinearProblem:
        self.selection_ = select_by_folds(
            problem,
            alphas=self.alphas,
            cv=self.cv,
            rule=check_rule(self.rule),
            seed=check_seed(self.random_state),
            tol=self._tolerance(),
        )
        return problem.with_strength(self.selection_.alpha)

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        steps = check_count("max_iter", self.max_iter, 1)
        return solve(problem, self.solver, w0=start, tol=self._tolerance(), max_steps=steps)

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(coef, dtype=dtype)
        self.intercept_ = dtype.type(b)

    def _pack(self, problem: LinearProblem) -> Array:
        return problem.join(np.asarray(self.coef_, dtype=np.float64), self.intercept_)

    def predict(self, X: Any) -> Array:
        """Return the fitted line at each row, shape (n,)."""
        return self._scores(X)
