"""The one objective of linear scores: a weighted mean loss plus a penalty on the coefficients."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from empirisk.data.row_checks import check_features, check_rows
from empirisk.problems.base import Problem, Rewriting, judged
from empirisk.problems.certify import certify, gap_scale, plain_scores, sharpened, slopes
from empirisk.problems.constants import Constants, constants
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.linear_pass import evaluate
from empirisk.problems.origin import Origin
from empirisk.problems.potential import Potential
from empirisk.problems.preflight import preflight
from empirisk.problems.proofs import Constant
from empirisk.problems.shift import find_shift
from empirisk.problems.vertex import to_vertex
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.results.form import Form, Formed
from empirisk.typing import Array

__all__ = ["LinearProblem"]


@dataclass(frozen=True, eq=False)
class LinearProblem(LinearObjective, Problem, Formed):
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

    def __repr__(self) -> str:
        n, p = self.design.shape
        more = ", intercept" if self.intercept else ""
        outputs = f", {self.n_outputs} outputs" if self.n_outputs else ""
        return f"LinearProblem({self.loss!r} + {self.penalty!r}, {n} rows x {p} columns{more}{outputs})"

    def _form(self) -> Form:
        n, p = self.design.shape
        constant = " + b" if self.intercept else ""
        told: dict[str, Any] = {
            "rows n": n,
            "columns p": p,
            "loss": repr(self.loss),
            "penalty P": repr(self.penalty),
            "strength": getattr(self.penalty, "alpha", None),
            "intercept b": "free, not penalised" if self.intercept else "none",
            "scores a row": self.n_outputs or 1,
        }
        shown = {name: value for name, value in told.items() if value is not None}
        objective = f"F(w) = (1/S) sum_i s_i loss(y_i, x_i.w{constant}) + P(w), S = sum_i s_i"
        return Form(f"Minimise {objective}", {"part": list(shown), "it is": list(shown.values())})

    # -- origin ---------------------------------------------------------------------------------

    @cached_property
    def moved(self) -> tuple[Origin, LinearProblem] | None:
        """The same problem measured from near its rows, when they are far from 0: :mod:`problems.origin`."""
        shift = find_shift(self.facts, self.penalty.coercive(self.data.n_cols))
        if shift is None:
            return None
        near = replace(self, data=shift.facts.data)
        object.__setattr__(near, "facts", shift.facts)
        return shift.origin, near

    def near(self, w: Array) -> tuple[LinearProblem, Array]:
        """Return the problem and w, both measured from where rounding harms least."""
        return (self, w) if self.moved is None else (self.moved[1], self.moved[0].to_near(w))

    def from_near(self, solution: Solution, tol: float) -> Solution:
        """Return a solution of the moved problem as one of this, certified with the rounded intercept."""
        assert self.moved is not None
        w = self.moved[0].to_far(solution.w)
        if solution.certificate.kind is Kind.NONE:
            return replace(solution, w=w)
        certificate = self.certify_rounded(w, self.moved[1], solution)
        return judged(replace(solution, w=w), certificate, tol)

    # -- what the loop asks ---------------------------------------------------------------------

    def start(self) -> Array:
        """Return the parameters of the null model: no coefficients, the best intercept."""
        return self.null.copy()

    def preflight(self) -> Solution | None:
        """Return the solution that needs no solver, or says that there is no minimum; else None.

        Rows that are no data for any loss are refused before: weights and targets are looked at, and a sum
        over X is kept with the design, so that estimators and further strengths pay for it once.
        """
        if not self.facts.settled:
            check_rows(self.data)
            check_features(self.data)
            if not self.data.total_weight > 0.0:
                raise ValueError("weight is 0 for every row; a problem needs one row with weight at least")
        return preflight(self, self.moved is None)

    def rewritten(self) -> Rewriting | None:
        """Return the problem measured from near its rows, or None when it lies there already."""
        if self.moved is None:
            return None
        origin, near = self.moved
        return Rewriting(near, origin.to_near, origin.to_far, self.from_near)

    def evaluate(self, w: Array, want: Collection[str] = ()) -> Evaluation:
        """Return mean loss, its gradient and the scores, in one pass over the data."""
        return evaluate(self, w)

    def smooth(self, w: Array) -> tuple[float, Array]:
        """Return mean loss and its gradient (without the penalty)."""
        e = self.evaluate(w)
        return e.loss, e.grad

    def scale(self) -> float:
        """Return what gaps are compared with: the null model's loss above that of a perfect fit."""
        return gap_scale(self)

    # -- certificate, views ---------------------------------------------------------------------

    def certify(
        self,
        w: Array,
        evaluation: Evaluation | None = None,
        target: float = 0.0,
        theta: Array | None = None,
    ) -> Certificate:
        """Duality gap where a dual point exists, else the KKT residual; see :mod:`problems.certify`."""
        if self.moved is None:
            return certify(self, w, evaluation, target, theta)
        origin, near = self.moved
        return certify(near, origin.to_near(w), None, target, theta)

    def certify_rounded(self, w: Array, solved: LinearProblem, solution: Solution) -> Certificate:
        """Return the certificate of w, which a solution of `solved` (this problem, or it moved) rounds to.

        A dual point proves the same for every w.  That of the solution is as good as it was; that of w has
        lost digits, which a weak penalty multiplies.
        """
        near, there = self.near(w)
        scores = plain_scores(near, there)  # every certificate of this w reads them
        own = certify(near, there, theta=solution.dual, scores=scores)
        if solution.dual is not None or own.kind is not Kind.DUALITY_GAP or own.at_floor:
            return own
        theta = slopes(solved, solution.w)
        if not np.isfinite(theta).all():
            return own
        own = min(own, certify(near, there, theta=theta, scores=scores), key=lambda c: c.value)
        return sharpened(near, there, own, scores=scores)

    def sharpened(self, w: Array, own: Certificate, enough: float = 0.0) -> Certificate:
        """Return the certificate of w (`own` so far) with the best of dual points near the optimum, or the
        first whose relative gap is `enough`.
        """
        near, there = self.near(w)
        return sharpened(near, there, own, enough)

    def sharpen(
        self, w: Array, certificate: Certificate, theta: Array | None, tol: float
    ) -> tuple[Array, Certificate, Array | None]:
        """Return w with a better dual point, or a vertex of the same scores when that is proved better."""
        certificate = self.sharpened(w, certificate)
        vertex = to_vertex(self, w)
        if vertex is not None and not certificate.within(tol):
            there = self.sharpened(vertex, self.certify(vertex))
            if there.value < certificate.value:
                return vertex, there, None
        return w, certificate, theta

    def finish(self, solution: Solution, tol: float) -> Solution:
        """Judge a floor of passes in float32 again: in float64 there may be more to be seen."""
        if solution.status is not Status.FLOOR or self.design.dtype == np.float64:
            return solution
        sharper = self.certify(solution.w, theta=solution.dual)
        return judged(solution, sharper, tol) if sharper.within(tol) else solution

    @cached_property
    def constants(self) -> Constants:
        """Smoothness, strong convexity and Lipschitz constants; see :mod:`problems.constants`."""
        return constants(self)

    @property
    def smoothness(self) -> Constant:
        """A Lipschitz constant of the gradient of the mean loss plus the L2 part, one of `constants`."""
        return self.constants.L

    def critical_strength(self) -> float:
        """Return the smallest alpha for which all coefficients are zero."""
        if self.moved is not None:
            return self.moved[1].critical_strength()
        return self.penalty.critical_strength(self.split(self.null_evaluation.grad)[0])

    def with_strength(self, alpha: float) -> Self:
        """Return the same problem with another penalty strength; facts of the data are handed on."""
        other = replace(self, penalty=self.penalty.with_strength(alpha))
        object.__setattr__(other, "facts", self.facts.handed_on())
        return other

    def potential(self, temperature: float = 1.0) -> Potential:
        """``U(w) = (S / (dispersion * temperature)) F(w)``: the only place that multiplies by S."""
        return Potential(self, self.data.total_weight / (self.dispersion * temperature))
