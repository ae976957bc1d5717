"""What a linear problem says of itself: loss, penalty, rows, and how its parameters lie in their array.

Certificates, constants and refusals are computed from this; :class:`problems.linear.LinearProblem` adds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.penalties.base import Penalty
from empirisk.problems.base import Layout, Part
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.facts import Facts
from empirisk.problems.linear_scores import offered
from empirisk.typing import Array, Capability

__all__ = ["LinearObjective"]


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """``F(w) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + penalty(w)``, described and valued.

    The parameters are those of :class:`problems.linear.LinearProblem`.
    """

    loss: Loss
    penalty: Penalty
    data: ArrayBlocks
    intercept: bool = True
    dispersion: float = 1.0
    n_outputs: int = 0
    facts: Facts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        facts = Facts(self.loss, self.data, self.intercept, self.n_outputs)
        object.__setattr__(self, "facts", facts)

    # -- shapes ---------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What errors call the problem: its loss and its penalty by name."""
        return f"loss {self.loss.name!r}, penalty {self.penalty.name!r}"

    @property
    def design(self) -> Design:
        """The design matrix without the constant column."""
        return self.data.design

    @property
    def precision(self) -> np.dtype[Any]:
        """The format of the design matrix, in which products with it are made."""
        return self.design.dtype

    @property
    def n_params(self) -> int:
        """Rows of the parameter array: p, plus 1 with an intercept."""
        return self.data.n_cols + int(self.intercept)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the parameter array: (n_params,) or (n_params, n_outputs)."""
        return (self.n_params, self.n_outputs) if self.n_outputs else (self.n_params,)

    @property
    def layout(self) -> Layout:
        """Coefficients first, then the intercept, which is never penalised."""
        last = (Part("intercept", 1, penalised=False),) if self.intercept else ()
        return Layout(self.shape, (Part("coefficients", self.data.n_cols), *last))

    def split(self, w: Array) -> tuple[Array, Array]:
        """Return coefficients and intercept (0 without one)."""
        p = self.data.n_cols
        if self.intercept:
            return w[:p], w[p]
        return w, np.zeros(w.shape[1:], dtype=w.dtype)

    def join(self, coef: Array, b: Array | float) -> Array:
        """Return the parameters of these coefficients and this intercept, the inverse of :meth:`split`."""
        if not self.intercept:
            return coef
        out = np.empty((len(coef) + 1, *coef.shape[1:]), dtype=coef.dtype)
        out[:-1], out[-1] = coef, b
        return out

    def zeros(self) -> Array:
        """Return parameters that are all zero, in float64."""
        return np.zeros(self.shape)

    # -- values ---------------------------------------------------------------------------------

    def scores(self, w: Array) -> Array:
        """``X w + b`` in float64, shape (n,) or (n, n_outputs); 0 for rows of weight 0."""
        coef, b = self.split(w)
        z = np.asarray(self.design.matvec(coef.astype(self.design.dtype, copy=False)) + b, dtype=np.float64)
        return self.data.without_absent(z)

    def mean_loss(self, z: Array) -> float:
        """Return the weighted mean loss of given scores."""
        if self.data.total_weight == 0.0:
            return 0.0
        return float(weighted_sum(self.data.weight, self.loss.value(self.data.y, z))) / self.data.total_weight

    def value(self, w: Array) -> float:
        """``F(w)``, the mean loss of its scores and the penalty."""
        return self.mean_loss(self.scores(w)) + self.penalty.value(self.split(w)[0])

    def objective(self, w: Array, evaluation: Evaluation) -> float:
        """``F(w)`` from the evaluation of w, without a pass over the rows."""
        return evaluation.loss + self.penalty.value(self.split(w)[0])

    def gradient(self, w: Array, evaluation: Evaluation) -> Array:
        """Return the gradient of the mean loss plus the L2 part, from the evaluation of w."""
        coef, _ = self.split(w)
        out = evaluation.grad.copy()
        out[: len(coef)] += self.penalty.l2 * coef
        return out

    def gram_product(self, v: Array) -> Array:
        """``(X - m)' diag(s) (X - m) v / S``, with the means m of the columns; 0 without an intercept."""
        design, mean = self.design, self.moments[0]
        share = self.data.weight / self.data.total_weight
        z = np.asarray(design.matvec(v.astype(design.dtype, copy=False)), dtype=np.float64)
        u = share * (z - (mean @ v if self.intercept else 0.0))
        out = np.asarray(design.rmatvec(u.astype(design.dtype, copy=False)), dtype=np.float64)
        out -= mean * u.sum() if self.intercept else 0.0
        return out

    # -- facts ----------------------------------------------------------------------------------

    @property
    def moments(self) -> tuple[Array, Array]:
        """Weighted mean and mean square deviation of each column; about 0 without an intercept."""
        return self.facts.moments

    @property
    def null(self) -> Array:
        """Parameters of the null model: no coefficients, the best intercept."""
        return self.facts.null

    @property
    def null_scores(self) -> Array:
        """Scores of the null model, without a pass over X."""
        return self.facts.null_scores

    @property
    def null_evaluation(self) -> Evaluation:
        """Loss, gradient and scores of the null model, whose scores need no pass over X."""
        return self.facts.null_evaluation

    @property
    def null_loss(self) -> float:
        """Mean loss of the null model: what certificates are compared with."""
        return self.facts.null_loss

    @property
    def null_excess(self) -> float:
        """How far the null model is from fitting every row: half a deviance; never negative."""
        return self.facts.null_excess

    # -- what solvers may use -------------------------------------------------------------------

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        """What this problem offers to solvers."""
        out = {Capability.DESIGN, Capability.COLUMNS, *offered(self.loss, self.penalty, self.data.n_cols)}
        if not self.n_outputs:
            out.add(Capability.SCALAR_SCORE)
            if self.n_params <= 3:
                out.add(Capability.FEW_WEIGHTS)
        if not self.design.sparse:
            out.add(Capability.DENSE)
        return frozenset(out)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the description, not the facts of the data."""
        keep = ("loss", "penalty", "data", "intercept", "dispersion", "n_outputs")
        return {k: self.__dict__[k] for k in keep}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()
