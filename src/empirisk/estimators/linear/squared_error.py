"""What the squared-error regressions share: targets, problem, strength selection, solve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_alpha, check_count, check_flag, check_numeric_targets, check_rule
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.tune import StrengthSelection, select_by_folds, select_by_loo
from empirisk.losses import HalfSquared
from empirisk.penalties import Penalty
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.by_target import solve_by_target
from empirisk.solvers.shared_products import SharedProducts
from empirisk.typing import Array

__all__ = ["SquaredErrorEstimator"]


class SquaredErrorEstimator(MultiOutputMixin, RegressorMixin, LinearEstimator):
    """What the four regressions share; a subclass gives the penalty."""

    alpha: float | str
    fit_intercept: bool
    positive: bool
    alphas: Any
    cv: Any
    rule: str
    random_state: Any
    solver: Any
    tol: float
    max_iter: int
    selection_: StrengthSelection

    _alpha_words: ClassVar[tuple[str, ...]] = ("1/n", "cv")
    _lent: SharedProducts | None = None

    def _penalty(self, alpha: float) -> Penalty:
        raise NotImplementedError

    # -- a strength for each target ---------------------------------------------------------------------

    @property
    def _fits_together(self) -> bool:  # type: ignore[override]
        """Whether all targets are one problem, as they are with one strength for all."""
        return self._own_strengths() is None

    @property
    def _targets_apart(self) -> bool:
        # One fit makes the models of all targets, and strengths of their own belong to no column alone.
        return False

    def _own_strengths(self) -> list[Any] | None:
        """Return the strengths of the targets where each has its own; None for one strength."""
        alpha: Any = getattr(self, "alpha", 0.0)
        several = not isinstance(alpha, str) and hasattr(alpha, "__len__") and np.ndim(alpha) > 0
        return list(alpha) if several else None

    def _prepare_target(self, model: Any, number: int, count: int, lent: dict[str, Any]) -> None:
        given = self._own_strengths() or []
        if len(given) != count:
            raise ValueError(_one_for_each(len(given), count))
        model.set_params(alpha=given[number])
        model._lent = lent.setdefault("products", SharedProducts())

    def _put_together(self, models: Sequence[Any]) -> None:
        for model in models:
            model.__dict__.pop("_lent", None)
        self.coef_ = np.stack([model.coef_ for model in models])
        self.intercept_ = np.array([model.intercept_ for model in models])
        strengths: Any = np.array([model.alpha_ for model in models])
        self.alpha_ = strengths

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True, "multi_output": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        return np.asarray(y, dtype=np.float64)

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        outputs = y.shape[1] if y.ndim == 2 else 0
        intercept = check_flag("fit_intercept", self.fit_intercept)
        check_flag("positive", self.positive)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        data = ArrayBlocks(design, y, weight)

        def at(strength: float) -> LinearProblem:
            made = LinearProblem(HalfSquared(), self._penalty(strength), data, intercept, 1.0, outputs)
            return made if self._lent is None else self._lent.lend(made)

        if alpha is not None:
            return at(alpha)
        several = self._own_strengths()
        if several is not None:
            raise ValueError(_one_for_each(len(several), max(outputs, 1)))
        given = check_alpha(getattr(self, "alpha", 0.0), self._alpha_words)
        if given == "1/n":
            return at(1.0 / data.total_weight)
        if given == "cv":
            self.selection_ = self._select(at(1.0))
            return at(self.selection_.alpha)
        return at(float(given))

    def _select(self, problem: LinearProblem) -> StrengthSelection:
        rule = check_rule(self.rule)
        alphas, k = self.alphas, self.cv
        smooth = np.isfinite(problem.penalty.smoothness)
        if k is None and smooth and not problem.design.sparse:
            basis = None if self._lent is None or problem.moved is not None else self._lent.basis
            return select_by_loo(problem, alphas=alphas, rule=rule, basis_of=basis)
        seed = check_seed(self.random_state)
        return select_by_folds(problem, alphas=alphas, cv=k, rule=rule, seed=seed, tol=self._tolerance())

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        tol, steps = self._tolerance(), check_count("max_iter", self.max_iter, 1)
        return solve_by_target(problem, self.solver, w0=start, tol=tol, max_steps=steps)

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
        self.intercept_ = np.asarray(b, dtype=dtype) if problem.n_outputs else dtype.type(b)

    def _pack(self, problem: LinearProblem) -> Array:
        return problem.join(np.asarray(self.coef_, dtype=np.float64).T, self.intercept_)

    def predict(self, X: Any) -> Array:
        """Return the expected target of each row, shape (n,) or (n, m)."""
        return self._scores(X)


def _one_for_each(given: int, targets: int) -> str:
    """Return why a sequence of strengths does not do: it needs one for each of several targets."""
    strengths = "1 strength" if given == 1 else f"{given} strengths"
    if targets == 1:
        return f"alpha holds {strengths} and y is 1 target: give alpha as a number"
    if given == targets:  # asked for one problem of all
        return (
            f"alpha holds {strengths}, of as many problems: ask for that of each target, with its own alpha"
        )
    return (
        f"alpha holds {strengths} and y {targets} targets: give one for each column of y, or a number for all"
    )
