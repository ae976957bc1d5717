"""One line for each of several quantiles, fitted together so that they keep their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.checks import check_weights, is_number
from empirisk.estimators.linear.quantile_summary import QuantileSummary
from empirisk.losses import Loss, Quantile
from empirisk.problems.ordered_quantiles import OrderedQuantiles
from empirisk.results import Solution
from empirisk.solvers.crossover import multipliers
from empirisk.solvers.ordered_quantiles import solve_ordered
from empirisk.typing import Array

__all__ = ["QuantileLines"]


class QuantileLines(QuantileSummary):
    """Base of the quantile regression: one level q as any regression, several as one problem.

    Bondell, Reich and Wang (2010, Biometrika 97) keep the lines in order at the rows of the fit.  New rows
    outside their convex hull get their predictions sorted (Chernozhukov, Fernandez-Val and Galichon 2010,
    Econometrica 78).
    """

    q: Any

    def _several(self) -> tuple[float, ...] | None:
        """Return the levels where there are several; None where q is one number."""
        q: Any = self.q
        if isinstance(q, str | bytes) or not hasattr(q, "__len__") or np.ndim(q) == 0:
            return None
        levels = list(q)
        if not levels or not all(
            is_number(level, 0.0, 1.0, closed=False) and level < 1.0 for level in levels
        ):
            raise ValueError(f"every level of q must be a number strictly between 0 and 1, got {self.q!r}")
        found = tuple(float(level) for level in levels)
        if any(a >= b for a, b in pairwise(found)):
            raise ValueError(f"the levels of q must rise, as in [0.1, 0.5, 0.9], got {self.q!r}")
        return found

    def _loss(self) -> Loss:
        """Return the loss of the level, or of the first of several."""
        levels = self._several()
        if levels is not None:
            return Quantile(levels[0])
        if not is_number(self.q, -np.inf):
            raise ValueError(
                f"q must be a number strictly between 0 and 1, or a rising sequence of them, got {self.q!r}"
            )
        return Quantile(float(self.q))

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> Any:
        levels = self._several()
        if levels is not None and isinstance(self.alpha, str) and self.alpha == "cv":
            raise ValueError(
                'alpha="cv" chooses the strength for one level q; with several levels give alpha as a '
                'number or as "1/n"'
            )
        alone = super()._build(design, y, weight, alpha)
        if levels is None:
            return alone
        return OrderedQuantiles(levels, alone.penalty, alone.data, alone.intercept)

    def _solve(self, problem: Any, start: Array | None) -> Solution:
        if not isinstance(problem, OrderedQuantiles):
            return super()._solve(problem, start)
        if self.solver not in ("auto", "interior_point"):
            raise ValueError(
                'several quantiles are fitted by solver="interior_point" alone (or "auto"), got '
                f"{self.solver!r}"
            )
        tol = self._tolerance()
        return solve_ordered(problem, tol=tol, max_steps=self.max_iter)

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        return self._several() is None and super()._values_together(parameter, values)

    def _unpack(self, problem: Any, w: Array) -> None:
        if not isinstance(problem, OrderedQuantiles):
            super()._unpack(problem, w)
            return
        coef, b = problem.split(w)
        self.coef_ = np.ascontiguousarray(coef.T, dtype=problem.design.dtype)
        self.intercept_ = np.asarray(b, dtype=problem.design.dtype)

    def _pack(self, problem: Any) -> Array:
        if not isinstance(problem, OrderedQuantiles):
            return super()._pack(problem)
        return problem.join(np.asarray(self.coef_, dtype=np.float64).T, self.intercept_)

    def _multipliers(self, problem: Any, w: Array) -> Array | None:
        """Return dual values for parameters whose own were forgotten with a pickle."""
        if isinstance(problem, OrderedQuantiles):
            found: Array = self._solve(problem, None).dual
            return found
        return multipliers(problem, w)

    def predict(self, X: Any) -> Array:
        """Return the fitted quantile of each row, shape (n,); with several levels (n, k), in rising order.

        In the convex hull of the rows of the fit the lines are in order by themselves, up to rounding.
        Elsewhere lines may cross: there the k values of a row are sorted, which never takes them farther from
        the true quantiles.
        """
        scores = self._scores(X)
        return np.sort(scores, axis=1) if scores.ndim == 2 else scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R2 for one level, and for several the mean share of the pinball loss that they explain.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0.

        Returns
        -------
        float
            ``mean_j 1 - loss_j / (loss_j of the best constant)`` with several levels.
        """
        levels = self._several()
        if levels is None:
            return float(super().score(X, y, sample_weight))
        lines, y = self.predict(X), np.asarray(y, dtype=np.float64)
        weight = check_weights(sample_weight, len(y))
        shares = []
        for q, line in zip(levels, lines.T, strict=True):
            loss = Quantile(q)
            constant = np.full(len(y), float(loss.best_constant(y, weight)))
            null = float(weight @ loss.value(y, constant))
            shares.append(1.0 - float(weight @ loss.value(y, line)) / null if null > 0.0 else 0.0)
        return float(np.mean(shares))
