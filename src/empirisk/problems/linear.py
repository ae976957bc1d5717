"""The one objective: a weighted mean loss of linear scores plus a penalty on the coefficients."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.penalties.base import ConstraintSet, Penalty
from empirisk.problems.certify import certify
from empirisk.problems.constants import Constants, constants
from empirisk.problems.evaluation import Evaluation, evaluate
from empirisk.problems.intercept import best_intercept
from empirisk.problems.origin import Origin, find_origin
from empirisk.problems.potential import Potential
from empirisk.results import Certificate
from empirisk.typing import Array, Capability

__all__ = ["LinearProblem"]

# Cached properties that do not depend on the penalty.
_FACTS_OF_DATA = frozenset(
    {
        "moments",
        "normal",
        "null",
        "null_curvature",
        "null_evaluation",
        "null_excess",
        "null_loss",
        "null_rows",
        "null_slope",
        "null_slope_terms",
        "saturated",
        "row_gram",
        "target_products",
        "target_square",
    }
)


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """``F(w) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + penalty(w)``, ``S = sum_i s_i``.

    One frozen description; solvers optimise it, :meth:`potential` samples it.

    Parameters
    ----------
    loss : Loss
        Pointwise loss.
    penalty : Penalty
        Penalty on the coefficients; the intercept is never penalised.
    data : ArrayBlocks
        Design, targets (labels -1/+1 for the logistic loss, class codes for softmax), weights.
    intercept : bool
        Whether there is a free constant b.
    dispersion : float
        Dispersion of the likelihood that the loss stands for; only :meth:`potential` uses it.
    n_outputs : int
        Number of scores per row when they form a vector (classes or targets), else 0.

    Notes
    -----
    Parameters are one array ``w``: coefficients (p rows), then the intercept as the last row; shape
    (p + 1,) for one score per row, (p + 1, n_outputs) for a vector of scores; without an intercept
    there are p rows.
    """

    loss: Loss
    penalty: Penalty
    data: ArrayBlocks
    intercept: bool = True
    dispersion: float = 1.0
    n_outputs: int = 0

    # -- shapes ---------------------------------------------------------------------------------

    @property
    def design(self) -> Design:
        """The design matrix without the constant column."""
        return self.data.design

    @property
    def n_params(self) -> int:
        """Rows of the parameter array: p, plus 1 with an intercept."""
        return self.data.n_cols + int(self.intercept)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameter array."""
        return (self.n_params, self.n_outputs) if self.n_outputs else (self.n_params,)

    def split(self, w: Array) -> tuple[Array, Array]:
        """Coefficients and intercept (0 without one)."""
        p = self.data.n_cols
        if self.intercept:
            return w[:p], w[p]
        return w, np.zeros(w.shape[1:], dtype=w.dtype)

    def join(self, coef: Array, b: Array | float) -> Array:
        """The inverse of :meth:`split`."""
        if not self.intercept:
            return coef
        row = np.broadcast_to(np.asarray(b, dtype=coef.dtype), coef.shape[1:])
        return np.concatenate([coef, row[None]])

    def zeros(self) -> Array:
        """All parameters zero, in float64."""
        return np.zeros(self.shape)

    # -- origin ---------------------------------------------------------------------------------

    @cached_property
    def moved(self) -> tuple[Origin, LinearProblem] | None:
        """The same problem measured from near its rows, when they are far from 0: :mod:`problems.origin`."""
        return find_origin(self)

    def near(self, w: Array) -> tuple[LinearProblem, Array]:
        """The problem and w, both measured from where rounding harms least."""
        return (self, w) if self.moved is None else (self.moved[1], self.moved[0].to_near(w))

    # -- values ---------------------------------------------------------------------------------

    def scores(self, w: Array) -> Array:
        """``X w + b`` in float64, shape (n,) or (n, n_outputs); 0 for rows of weight 0."""
        coef, b = self.split(w)
        z = np.asarray(self.design.matvec(coef.astype(self.design.dtype, copy=False)) + b, dtype=np.float64)
        return self.data.without_absent(z)

    def evaluate(self, w: Array) -> Evaluation:
        """Mean loss, its gradient and the scores, in one pass over the data."""
        return evaluate(self, w)

    def smooth(self, w: Array) -> tuple[float, Array]:
        """Mean loss and its gradient (without the penalty)."""
        e = self.evaluate(w)
        return e.loss, e.grad

    def mean_loss(self, z: Array) -> float:
        """Weighted mean loss of given scores."""
        if self.data.total_weight == 0.0:
            return 0.0
        return float(weighted_sum(self.data.weight, self.loss.value(self.data.y, z))) / self.data.total_weight

    def value(self, w: Array) -> float:
        """``F(w)``."""
        return self.mean_loss(self.scores(w)) + self.penalty.value(self.split(w)[0])

    @cached_property
    def null_rows(self) -> tuple[Array, Array]:
        """Targets and weights of the rows as the null model sees them: one row per class for class labels."""
        return self.loss.null_rows(self.data.y, self.data.weight, self.n_outputs)

    @cached_property
    def null(self) -> Array:
        """Parameters of the null model: no coefficients, the best intercept."""
        w = self.zeros()
        if self.moved is not None:
            return self.moved[0].to_far(self.moved[1].null)
        if self.intercept and self.data.total_weight > 0.0:
            y, s = self.null_rows
            w[-1] = best_intercept(self.loss, y, s, np.zeros((len(y), *self.shape[1:])))
        return w

    def _at_null(self, y: Array) -> Array:
        b = self.null[-1] if self.intercept else np.zeros(self.shape[1:])
        return np.broadcast_to(b, (len(y), *self.shape[1:]))

    @property
    def null_scores(self) -> Array:
        """Scores of the null model, without a pass over X."""
        return self._at_null(self.data.y)

    @cached_property
    def null_evaluation(self) -> Evaluation:
        """Loss, gradient and scores of the null model, whose scores need no pass over X."""
        z, total = self.null_scores, self.data.total_weight
        if total == 0.0:
            return Evaluation(0.0, self.zeros(), z)
        slope = ((self.data.weight / total) * self.loss.grad(self.data.y, z).T).T
        grad = np.asarray(self.design.rmatvec(slope), dtype=np.float64)
        return Evaluation(self.null_loss, self.join(grad, slope.sum(axis=0)), z)

    @cached_property
    def null_loss(self) -> float:
        """Mean loss of the null model: what certificates are compared with."""
        if self.data.total_weight == 0.0:
            return 0.0
        y, s = self.null_rows
        return float(weighted_sum(s, self.loss.value(y, self._at_null(y)))) / self.data.total_weight

    @cached_property
    def saturated(self) -> float:
        """Weighted mean of the least loss of each row alone, ``inf_z l = -l*(0)``; nan where not known."""
        y, s = self.null_rows
        least = -self.loss.conjugate(y, np.zeros((len(y), *self.shape[1:])))
        return (
            float(weighted_sum(s, least)) / self.data.total_weight if np.isfinite(least).all() else math.nan
        )

    @cached_property
    def null_excess(self) -> float:
        """How far the null model is from fitting every row: half a deviance; never negative.

        It is the mean loss itself for losses whose least value is 0.  Where that is not known it is the size
        of the mean loss.  A difference within its own rounding is 0: the null model is perfect.
        """
        if self.data.total_weight == 0.0:
            return 0.0
        null, least = self.null_loss, self.saturated
        if not math.isfinite(least):
            return abs(null)
        rounding = 8.0 * float(np.finfo(np.float64).eps) * abs(least)
        return null - least if null - least > rounding else 0.0

    @cached_property
    def null_curvature(self) -> Array:
        """Weighted mean second derivative of the loss at the null model, per score."""
        y, s = self.null_rows
        return np.asarray(weighted_sum(s, self.loss.hess(y, self._at_null(y))) / self.data.total_weight)

    @cached_property
    def null_slope(self) -> float:
        """Root mean square of the loss' derivative at the null model."""
        y, s = self.null_rows
        slope = self.loss.grad(y, self._at_null(y)).reshape(len(y), -1)
        return math.sqrt(float(weighted_sum(s, (slope**2).sum(axis=1))) / self.data.total_weight)

    @cached_property
    def null_slope_terms(self) -> float:
        """Size of what rounding acts on in the derivative: the root mean square of ``|l'| + |l'' z|`` there.

        It has the units of the derivative: those of the targets for the squared loss, none with a log link.
        """
        y, s = self.null_rows
        z = self._at_null(y)
        terms = np.abs(self.loss.grad(y, z)) + np.abs(self.loss.hess(y, z) * z)
        rows = (terms.reshape(len(y), -1) ** 2).sum(axis=1)
        return math.sqrt(float(weighted_sum(s, rows)) / self.data.total_weight)

    @cached_property
    def target_square(self) -> float:
        """Weighted mean square of the targets."""
        y, s = self.null_rows
        return float(weighted_sum(s, (y.reshape(len(y), -1) ** 2).sum(axis=1))) / self.data.total_weight

    @cached_property
    def target_products(self) -> Array:
        """``(1/S) sum_i s_i y_i x_i`` of a single target, offsets left out."""
        y = self.data.y if self.data.y.ndim == 1 else self.data.y[:, 0]
        return np.asarray(
            self.design.rmatvec(self.data.weight / self.data.total_weight * y), dtype=np.float64
        )

    # -- certificate, views ---------------------------------------------------------------------

    def certify(
        self,
        w: Array,
        evaluation: Evaluation | None = None,
        target: float = 0.0,
        theta: Array | None = None,
    ) -> Certificate:
        """Duality gap where a dual point exists, else the KKT residual; see :mod:`problems.certify`."""
        return certify(self, w, evaluation, target, theta)

    @cached_property
    def constants(self) -> Constants:
        """Smoothness, strong convexity and Lipschitz constants; see :mod:`problems.constants`."""
        return constants(self)

    def critical_strength(self) -> float:
        """The smallest alpha for which all coefficients are zero."""
        if self.moved is not None:
            return self.moved[1].critical_strength()
        return self.penalty.critical_strength(self.split(self.null_evaluation.grad)[0])

    def with_strength(self, alpha: float) -> Self:
        """The same problem with another penalty strength; cached facts of the data are kept."""
        other = replace(self, penalty=self.penalty.with_strength(alpha))
        for name in _FACTS_OF_DATA & self.__dict__.keys():
            other.__dict__[name] = self.__dict__[name]
        moved = self.__dict__.get("moved")
        p = self.data.n_cols  # what counts as a constant column hangs on whether there is a penalty
        if moved is not None and self.penalty.coercive(p) == other.penalty.coercive(p):
            other.__dict__["moved"] = moved[0], moved[1].with_strength(alpha)
        elif moved is None and "moved" in self.__dict__:
            other.__dict__["moved"] = None
        return other

    def remember_moments(self, mean: Array, variance: Array) -> None:
        """Keep moments that a solver has computed on its way."""
        self.__dict__["moments"] = (mean, variance)

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Weighted mean and mean square deviation of each column; about 0 without an intercept."""
        mean, variance = self.design.moments(self.data.weight)
        if self.intercept:
            return mean, variance
        return np.zeros_like(mean), variance + mean**2

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this problem offers to solvers."""
        out = {Capability.COLUMNS, *self.loss.offers}
        if Capability.GRAD in out and math.isfinite(self.loss.curvature[1]):
            out.add(Capability.BOUNDED_CURVATURE)
        if self.loss.quadratic:
            out.add(Capability.QUADRATIC)
        if math.isfinite(self.penalty.smoothness):
            out.add(Capability.SMOOTH_PENALTY)
        if self.penalty.separable:
            out.add(Capability.SEPARABLE_PENALTY)
            if self.penalty.l2 == 0.0:
                out.add(Capability.POLYHEDRAL)
        if not self.penalty.positive:
            out.add(Capability.FREE_SIGNS)
        if self.penalty.l2 > 0.0:
            out.add(Capability.L2_PENALTY)
        if isinstance(self.penalty, ConstraintSet):
            out.add(Capability.CONSTRAINT)
            if self.penalty.smooth_border:
                out.add(Capability.SMOOTH_BORDER)
        if callable(getattr(self.penalty, "linear_minimizer", None)) and self.penalty.coercive(
            self.data.n_cols
        ):
            out.add(Capability.LINEAR_ORACLE)
        bounded = isinstance(self.penalty, ConstraintSet) and self.penalty.coercive(self.data.n_cols)
        if self.penalty.l2 > 0.0 or bounded:
            out.add(Capability.CURBED)
        if self.penalty.grouped:
            out.add(Capability.GROUPS)
        if self.loss.row_slope:
            out.add(Capability.ROW_SLOPE)
        if self.loss.convex:
            out.add(Capability.CONVEX)
        if not self.n_outputs:
            out.add(Capability.SCALAR_SCORE)
            if self.n_params <= 3:
                out.add(Capability.FEW_WEIGHTS)
        if not self.design.sparse:
            out.add(Capability.DENSE)
        return frozenset(out)

    def potential(self, temperature: float = 1.0) -> Potential:
        """``U(w) = (S / (dispersion * temperature)) F(w)``: the only place that multiplies by S."""
        return Potential(self, self.data.total_weight / (self.dispersion * temperature))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the description, not the cached facts."""
        keep = ("loss", "penalty", "data", "intercept", "dispersion", "n_outputs")
        return {k: self.__dict__[k] for k in keep}
