"""Several linear quantiles whose lines may not cross at the rows of the fit.

    min_W  sum_j [ (1/S) sum_i s_i rho_j(y_i - x_i.w_j - b_j) + P(w_j) ]
    subject to   x_i.w_j + b_j  <=  x_i.w_{j+1} + b_{j+1}   for every row i of positive weight

rho_j is the pinball loss at level q_j.  A line that is above another one at two points is above it between
them, so that lines that are in order at the rows are in order everywhere on their convex hull (Bondell, Reich
and Wang 2010, Biometrika 97, section 2).

With multipliers ``v_ij >= 0`` of the orders, ``theta_ij`` of the rows, and ``t_j = theta_j + v_{j-1} - v_j``,

    D(theta, v) = - sum_j [ (1/S) sum_i s_i rho_j*(y_i, -theta_ij) + P*((1/S) sum_i s_i t_ij x_i) ],
                  sum_i s_i t_ij = 0

is a lower bound of the objective over all lines in order, whatever W is.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses import Quantile
from empirisk.penalties import Penalty
from empirisk.problems.base import Layout, Problem
from empirisk.problems.certify import correlation, gap_scale, kkt_residual, plain_scores
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.problems.proofs import gap_certificate
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["OrderedQuantiles"]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class OrderedQuantiles(Problem):
    """The sum of k penalised quantile regressions, their lines in order at every row.

    Parameters
    ----------
    levels : tuple of float
        Levels of the quantiles, rising.
    penalty : Penalty
        Penalty on the coefficients of each level.
    data : ArrayBlocks
        Design, targets, weights.
    intercept : bool
        Whether each level has a free constant.

    Notes
    -----
    Parameters are one array, shape (p + 1, k): coefficients, then the intercepts as the last row.
    Multipliers are one array, shape (n, 2k - 1): those of the rows at each level, then those of each order.
    """

    levels: tuple[float, ...]
    penalty: Penalty
    data: ArrayBlocks
    intercept: bool = True

    @cached_property
    def parts(self) -> tuple[LinearProblem, ...]:
        """The quantile regressions of the levels, each alone."""
        return tuple(LinearProblem(Quantile(q), self.penalty, self.data, self.intercept) for q in self.levels)

    # -- what the loop asks ---------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What errors call the problem: quantiles in order, and the penalty."""
        return f"quantiles in order, penalty {self.penalty.name!r}"

    @property
    def layout(self) -> Layout:
        """Coefficients first, then the intercepts, which are never penalised."""
        return Layout(self.shape, self.parts[0].layout.parts)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What a solver may use: kinks, and the design matrix."""
        return frozenset({Capability.PIECEWISE_LINEAR, Capability.DESIGN})

    def start(self) -> Array:
        """Return the null models: no coefficients, the quantiles of the targets."""
        return np.stack([part.start() for part in self.parts], axis=1)

    def preflight(self) -> Solution | None:
        """Refuse rows that are no data for the loss; a minimum exists always."""
        self.parts[0].preflight()
        return None

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> Evaluation:
        """Return the sum of the mean losses, its subgradient and the scores."""
        each = [part.evaluate(w[:, j], want) for j, part in enumerate(self.parts)]
        return Evaluation(
            sum(e.loss for e in each),
            np.stack([e.grad for e in each], axis=1),
            np.stack([e.scores for e in each], axis=1),
        )

    def objective(self, w: Array, evaluation: Any, /) -> float:
        """Return the sum of losses and penalties; the orders are no part of it."""
        return float(evaluation.loss) + sum(self.penalty.value(c) for c in self.split(w)[0].T)

    def value(self, w: Array) -> float:
        """Return the objective at w by plain NumPy."""
        return sum(part.value(w[:, j]) for j, part in enumerate(self.parts))

    def scale(self) -> float:
        """Return what gaps are compared with: the excess losses of the null models, summed."""
        return sum(gap_scale(part) for part in self.parts)

    # -- shapes and facts, as those of a linear problem --------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the parameters, (p + 1, k)."""
        return self.parts[0].n_params, len(self.levels)

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row, which is one for each level."""
        return len(self.levels)

    @property
    def design(self) -> Design:
        """The design matrix without the constant column."""
        return self.data.design

    @property
    def precision(self) -> np.dtype[Any]:
        """The format of the design matrix, in which products are made."""
        return self.design.dtype

    @property
    def loss(self) -> Quantile:
        """The loss of the first level, for questions about the kind of loss."""
        return Quantile(self.levels[0])

    @property
    def facts(self) -> Any:
        """Facts of the columns, those of the first level."""
        return self.parts[0].facts

    @property
    def moments(self) -> tuple[Array, Array]:
        """Weighted mean and mean square deviation of each column."""
        return self.parts[0].moments

    def split(self, w: Array) -> tuple[Array, Array]:
        """Return coefficients, shape (p, k), and intercepts, shape (k,)."""
        return self.parts[0].split(w)

    def join(self, coef: Array, b: Array | float) -> Array:
        """Return the parameters of these coefficients and intercepts."""
        return self.parts[0].join(coef, b)

    def near(self, w: Array) -> tuple[OrderedQuantiles, Array]:
        """Return the problem and w: levels find their own origin when they are certified."""
        return self, w

    def critical_strength(self) -> float:
        """Refuse: paths of strengths are about one level."""
        raise ValueError("a path of strengths is about one quantile: give one level q, or fit at each alpha")

    # -- certificate ----------------------------------------------------------------------------

    def certify(
        self, w: Array, evaluation: Any = None, target: float = 0.0, theta: Array | None = None
    ) -> Certificate:
        """The duality gap where the penalty grows in every direction, else the KKT residual and the Fenchel
        gap; in both with the largest crossing at a row, as a share of the deviation of the targets.
        """
        if self.data.total_weight == 0.0 or self.parts[0].n_params == 0:
            return Certificate(Kind.EXACT, 0.0, 1.0, "nothing to fit: no parameters or no rows with weight")
        if not np.isfinite(w).all():
            return Certificate(Kind.NONE, math.inf, 1.0, "none: the parameters are not finite")
        k, at = len(self.levels), [_Level(part, w[:, j], self.levels[j]) for j, part in enumerate(self.parts)]
        if theta is None or np.shape(theta) != (self.data.n_rows, 2 * k - 1):
            theta = np.zeros((self.data.n_rows, 2 * k - 1))
            theta[:, :k] = np.stack([level.slopes for level in at], axis=1)
        rows, orders = np.asarray(theta[:, :k], dtype=np.float64), np.maximum(theta[:, k:], 0.0)
        crossing = self.crossing(w)
        if self.penalty.coercive(self.data.n_cols):
            return self._gap(at, rows, orders, crossing)
        return self._residual(at, rows, orders, self._differences(w), crossing)

    def certify_rounded(self, w: Array, solved: Any, solution: Solution) -> Certificate:
        """Return the certificate of w, which a solution rounds to, with the multipliers of the solution."""
        return self.certify(w, None, 0.0, solution.dual)

    def sharpened(self, w: Array, own: Certificate, enough: float = 0.0) -> Certificate:
        """Return the certificate as it is: the multipliers of the solver are the best there are."""
        return own

    def _differences(self, w: Array) -> Array:
        """Return how far each line is above the one before, shape (n, k - 1); 0 at rows without weight."""
        coef, b = self.split(np.diff(np.asarray(w, dtype=np.float64), axis=1))
        D = np.asarray(self.design.X @ coef, dtype=np.float64) + b
        D[self.data.weight == 0.0] = 0.0
        return D

    def crossing(self, w: Array) -> float:
        """Return by how much lines cross at most at a row, as a share of the deviation of the targets."""
        y, s = np.asarray(self.data.y, dtype=np.float64), self.data.weight
        centred = y - weighted_sum(s, y) / self.data.total_weight
        sd = math.sqrt(float(weighted_sum(s, centred**2)) / self.data.total_weight)
        deepest = float(-np.min(self._differences(w), initial=0.0))
        return deepest / (sd or float(np.abs(y).max(initial=0.0)) or 1.0)

    def _gap(self, at: list[_Level], rows: Array, orders: Array, crossing: float) -> Certificate:
        """``F(W) - D(theta, v)`` at the nearest feasible multipliers."""
        shift = _shift(orders)
        if self.intercept:
            rows = np.stack([a.balanced(rows[:, j], shift[:, j]) for j, a in enumerate(at)], axis=1)
        V = np.stack([correlation(a.problem, rows[:, j] + shift[:, j]) for j, a in enumerate(at)], axis=1)
        # One factor for all levels, whose multipliers of orders are shared.
        factor = min(1.0, *(self.penalty.feasible_scale(v) for v in V.T))
        rows, V = rows * factor, V * factor
        primal = sum(a.primal for a in at)
        conjugate = sum(a.mean(a.conjugates(rows[:, j])) for j, a in enumerate(at))
        squares = sum(self.penalty.conjugate(v) for v in V.T)
        gap = primal + conjugate + squares
        scale = self.scale()
        size = abs(primal) + abs(conjugate) + abs(squares) + sum(a.terms for a in at)
        found = gap_certificate(
            max(gap, 0.0) if math.isfinite(gap) else math.inf,
            size,
            scale,
            True,
            self.penalty.strong_convexity,
        )
        value = max(found.value, crossing * scale)
        claim = f"{found.claim}; {_crossed(crossing)}"
        return Certificate(Kind.DUALITY_GAP, value, scale, claim, found.strong_convexity, found.floor)

    def _residual(
        self, at: list[_Level], rows: Array, orders: Array, D: Array, crossing: float
    ) -> Certificate:
        """What the multipliers prove without a penalty: for all W' in order,
        ``F(W) - F(W') <= gap + g.(W - W')``, g what is left of the gradient.
        """
        shift, scale = _shift(orders), self.scale()
        fenchel = sum(a.fenchel(rows[:, j]) for j, a in enumerate(at))
        fenchel += float(weighted_sum(self.data.weight, (orders * np.maximum(D, 0.0)).sum(axis=1))) / (
            self.data.total_weight
        )
        left = [a.left(rows[:, j] + shift[:, j]) for j, a in enumerate(at)]
        if not math.isfinite(fenchel) or any(c.kind is Kind.NONE for c in left):
            return Certificate(
                Kind.NONE, math.inf, 1.0, "none: the multipliers are not feasible at this point"
            )
        size = sum(a.primal + a.terms for a in at)
        floor = max(8.0 * EPS * size / scale, *(c.floor / c.scale for c in left))
        gradient, gap = max(c.relative for c in left), max(fenchel / scale, floor)
        claim = (
            f"with the multipliers of rows and orders the gradient is at most {gradient:.1g} of its size at "
            f"the null models and their Fenchel gap {gap:.1g} of their excess loss, by "
            f"{Kind.KKT_RESIDUAL.value}; {_crossed(crossing)}; without a penalty there is no finite duality "
            "gap"
        )
        return Certificate(Kind.KKT_RESIDUAL, max(gradient, gap, crossing), 1.0, claim, 0.0, floor)


class _Level:
    """One level at its parameters, measured from near its rows: what its rows add to the certificate."""

    def __init__(self, part: LinearProblem, w: Array, q: float) -> None:
        self.q = q
        self.problem, self.w = part.near(np.asarray(w, dtype=np.float64))
        self.y, self.z = self.problem.data.y, plain_scores(self.problem, self.w)
        coef, b = self.problem.split(self.w)
        self.primal = self.problem.mean_loss(self.z) + self.problem.penalty.value(coef)
        mean, variance = self.problem.moments
        self.terms = float(np.sqrt(variance + mean**2) @ np.abs(coef)) + abs(float(b))

    @property
    def slopes(self) -> Array:
        """Minus the derivative of the loss at each score, 0 on a kink."""
        return -self.problem.loss.grad(self.y, self.z)

    def mean(self, rows: Array) -> float:
        """Return the weighted mean of a number for each row."""
        data = self.problem.data
        return float(weighted_sum(data.weight, rows)) / data.total_weight

    def conjugates(self, theta: Array) -> Array:
        """Return the conjugate of each row; rounding beyond the end of its domain is forgiven."""
        q = self.q
        inside = (theta <= q + 1e-12) & (theta >= q - 1.0 - 1e-12)
        return np.where(inside, -np.clip(theta, q - 1.0, q) * self.y, np.inf)

    def fenchel(self, theta: Array) -> float:
        """Return the mean of loss, conjugate and product, which is 0 at matching multipliers."""
        loss = self.problem.loss.value(self.y, self.z)
        return self.mean(loss + self.conjugates(theta) + theta * self.z)

    def left(self, t: Array) -> Certificate:
        """Return the KKT residual with these values in place of minus the derivatives."""
        gradient = self.problem.join(-correlation(self.problem, t), -self.mean(t))
        at = Evaluation(self.primal, gradient, self.z)
        return kkt_residual(self.problem, self.w, at)

    def balanced(self, theta: Array, shift: Array) -> Array:
        """Return multipliers inside their interval with the mean of ``-shift``, moved towards one end."""
        q = self.q
        theta = np.clip(theta, q - 1.0, q)
        excess = self.mean(theta) + self.mean(shift)
        end = q - 1.0 if excess > 0.0 else q
        room = self.mean(theta) - end
        share = excess / room if room else 0.0
        return np.asarray(theta - min(share, 1.0) * (theta - end))


def _shift(orders: Array) -> Array:
    """Return ``v_{j-1} - v_j`` of each row and level, 0 outside: what orders take from the multipliers."""
    zero = np.zeros((len(orders), 1))
    return np.diff(-np.hstack([zero, orders, zero]), axis=1)


def _crossed(crossing: float) -> str:
    """Return the words about the order of the lines at the rows."""
    if crossing == 0.0:
        return "the lines are in order at every row, and on the convex hull of the rows"
    return f"lines cross at a row by {crossing:.1g} of the deviation of the targets at most"
