"""What the regressions share that take any loss: its name or object, and predictions by its inverse link."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.checks import check_count, check_flag
from empirisk.estimators.linear.scalar_regression import ScalarRegressor
from empirisk.estimators.loss_names import loss_named, scalar_losses
from empirisk.losses import Loss, check_targets
from empirisk.penalties import ConstraintSet, Penalty
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["AnyLossRegressor"]


class AnyLossRegressor(ScalarRegressor):
    """Base; a subclass says what is added to the mean loss."""

    loss: Any

    def _loss(self) -> Loss:
        given = self.loss
        if isinstance(given, str):
            made = loss_named(given)
            if made is None:
                known = ", ".join(scalar_losses())
                raise ValueError(f"loss must be one of {known}, or a Loss object, got {given!r}")
            return made
        if isinstance(given, type) or not isinstance(given, Loss):
            raise ValueError(
                f"loss must be a name or a Loss object (er.losses, or er.losses.user_loss), got {given!r}"
            )
        if given.vector:
            raise ValueError(f"the loss {given.name!r} needs a vector of scores a row, this model has one")
        return given

    def _targets(self, y: Any, fitting: bool) -> Array:
        targets = super()._targets(y, fitting)
        check_targets(self._loss(), targets)
        return targets

    def _plain(self, design: Design, y: Array, weight: Array, penalty: Penalty) -> LinearProblem:
        """Return the problem on these rows with this penalty, after a check of all parameters."""
        intercept = check_flag("fit_intercept", self.fit_intercept)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        loss, y = self._model(y)
        return LinearProblem(loss, penalty, ArrayBlocks(design, y, weight), intercept)

    def _pack(self, problem: LinearProblem) -> Array:
        w, chosen = super()._pack(problem), problem.penalty
        if problem.design.dtype == np.float64 or not isinstance(chosen, ConstraintSet):
            return w
        # Rounded to float32 they are outside by as much: the point of the set that they stand for.
        coef, b = problem.split(w)
        return problem.join(chosen.project(coef), b)

    def predict(self, X: Any) -> Array:
        """Return the loss' inverse link at each row's score, shape (n,); the score itself where it has
        none.
        """
        z = self._scores(X)
        try:
            mean = self._loss().mean(z)
        except TypeError:
            return z
        return np.asarray(mean, dtype=z.dtype)
