"""Posteriors of multinomial logistic models, whose rows the loops read themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import helmert

from empirisk import _loops
from empirisk.problems.linear import LinearProblem
from empirisk.samplers.base import Guess
from empirisk.samplers.class_likelihood import ClassLikelihood
from empirisk.samplers.improper import improper
from empirisk.samplers.mode import (
    DENSE,
    inverse_factor,
    laplace_shape,
    newton_mode,
    proximal_mode,
    step_within,
)
from empirisk.samplers.weighted_gram import weighted_gram
from empirisk.typing import Array

__all__ = ["SoftmaxTarget"]


@dataclass(frozen=True, eq=False)
class SoftmaxTarget:
    """The posterior of a softmax loss with an elastic net: ``U = (S / T) F``, F the mean loss and penalty.

    Every class has coefficients of its own, each with its prior (``N(0, T / (S alpha))`` for L2): the rows
    cannot see a number that is added to a column's coefficients in all classes, and along such moves the
    posterior is the prior.  Intercepts have a flat prior and sum to 0 in every draw, because moves of all of
    them together would have no density.

    Parameters
    ----------
    problem : LinearProblem
        With the softmax loss and an L2 or L1 penalty of positive strength.
    temperature : float, default 1.0
        T.
    columns : sequence of str, optional
        Of the columns.
    classes : sequence, optional
        Labels in the order of the codes.
    proximal : bool, default False
        Whether steps follow the proximal map of the penalty, which may have kinks then.
    near : array, shape (p, k) or (p + 1, k), optional
        Parameters near the mode, such as those of a fit; 0 where none are known.
    model : fitted estimator, optional
        Which looks at new rows as it does for its own predictions.

    Raises
    ------
    ValueError
        For other penalties, and without one: U is flat along the moves that the rows cannot see.
    """

    problem: LinearProblem
    temperature: float = 1.0
    columns: Any = None
    classes: Any = None
    proximal: bool = False
    near: Any = None
    model: Any = None

    def __post_init__(self) -> None:
        penalty = self.problem.penalty
        if not penalty.separable or penalty.positive:
            raise ValueError(
                f"the posterior of a softmax loss with penalty {penalty.name!r} is not sampled: take an "
                "elastic net (an L2 or L1 penalty), or give U as er.samplers.FunctionTarget"
            )
        if penalty.l1 > 0.0 and not self.proximal:
            raise ValueError(
                f"penalty {penalty.name!r} has no gradient everywhere: sample with "
                "method='proximal_langevin', or take an L2 penalty"
            )
        if penalty.l2 == 0.0 and penalty.l1 == 0.0:
            raise improper(
                self.title,
                "the likelihood does not change when a number is added to the coefficients of a column in "
                "all classes, so that U is flat along such lines",
            )

        self._refuse_absent_classes()

    def _refuse_absent_classes(self) -> None:
        """Refuse classes without rows, whose intercepts could fall for ever."""
        data, k = self.problem.data, self.problem.n_outputs
        weight = np.bincount(np.asarray(data.y, dtype=np.intp), weights=data.weight, minlength=k)
        if self.problem.intercept and not weight.all():
            absent = int(np.flatnonzero(weight == 0.0)[0])
            raise ValueError(
                f"{self.title} is improper: class {absent} has no rows (or none with weight), so that U "
                "falls for ever with its intercept; leave the class out, or fit without an intercept"
            )

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        return f"the posterior of {self.problem.title}"

    @property
    def size(self) -> int:
        """The number of coordinates: one for each coefficient, and one less than classes for intercepts."""
        k, p = self.problem.n_outputs, self.problem.data.n_cols
        return int(p * k + (k - 1 if self.problem.intercept else 0))

    @property
    def names(self) -> list[str]:
        """The names ``column[class]`` in the order of :meth:`reported`: by column, then by class."""
        problem = self.problem
        p, k = problem.data.n_cols, problem.n_outputs
        columns = [f"x{j}" for j in range(p)] if self.columns is None else [str(c) for c in self.columns]
        classes = range(k) if self.classes is None else self.classes
        rows = [*columns, "intercept"] if problem.intercept else columns
        return [f"{row}[{label}]" for row in rows for label in classes]

    def reported(self, draws: Array) -> Array:
        """Return draws (chains, n, size) as coefficients and intercepts of all classes."""
        if not self.problem.intercept:
            return draws
        free = self.problem.n_outputs - 1
        return np.concatenate([draws[:, :, :-free], draws[:, :, -free:] @ self._basis.T], axis=2)

    @property
    def likelihood(self) -> ClassLikelihood:
        """The law of a class, given the parameters."""
        problem = self.problem
        classes = range(problem.n_outputs) if self.classes is None else self.classes
        return ClassLikelihood(list(classes), problem.data.n_cols, problem.intercept, self.model)

    @property
    def log_concave(self) -> bool:
        """That the density has one mode: the loss and elastic nets are convex."""
        return True

    def tempered(self, temperature: float) -> SoftmaxTarget:
        """Return the target with U divided by a further temperature."""
        return replace(self, temperature=temperature * self.temperature)

    @cached_property
    def _basis(self) -> Array:
        """Orthonormal columns (k, k - 1) whose combinations sum to 0."""
        return np.ascontiguousarray(helmert(self.problem.n_outputs).T)

    @property
    def call(self) -> Any:
        """What the loops take: arrays of the rows, the scales of loss and penalty, and the proximal step."""
        return *self._rows[:-1], self.smoothing if self._rows[-2] > 0.0 else 1.0

    @cached_property
    def smoothing(self) -> float:
        """The t of ``(w - prox_t(w)) / t``, which takes the place of the gradient of an L1 penalty."""
        return step_within(self.hessian(np.zeros(self.size)))

    @cached_property
    def _rows(self) -> tuple[Any, ...]:
        """Arrays of the rows, and the scales of loss and penalty."""
        problem = self.problem
        scale = problem.potential(self.temperature).scale
        weight = None if problem.data.unit_weights else problem.data.weight
        codes = np.asarray(problem.data.y, dtype=np.int64)
        basis = self._basis if problem.intercept else None
        per_row = scale / problem.data.total_weight
        l2, l1 = scale * problem.penalty.l2, scale * problem.penalty.l1
        return problem.design.X, codes, weight, problem.n_outputs, basis, per_row, l2, l1, 1.0

    def value_grad(self, w: Array) -> tuple[float, Array]:
        """Return U, and the gradient of its smooth part, at coordinates w by the loops."""
        grad, u = np.zeros((1, len(w))), np.zeros(1)
        l1 = self._rows[-2]
        _loops.ask_places((*self._rows[:-2], 0.0, 1.0), np.array(w[None]), grad, u)
        return float(u[0]) + l1 * float(np.abs(w[: self._coefficients]).sum()), grad[0]

    @property
    def _start(self) -> Array:
        """Where the search for the mode begins, in coordinates."""
        if self.near is None:
            return np.zeros(self.size)
        rows = np.asarray(self.near, dtype=np.float64)
        p = self.problem.data.n_cols
        last = [rows[p] @ self._basis] if self.problem.intercept else []
        return np.concatenate([rows[:p].ravel(), *last])

    @property
    def _coefficients(self) -> int:
        """How many coordinates are coefficients: the first ones, which have a penalty."""
        return int(self.problem.data.n_cols * self.problem.n_outputs)

    def _prox(self, w: Array, t: float) -> Array:
        """Coefficients drawn towards 0 by t times the L1 penalty; the L2 part stands in the gradient."""
        out, cut = w.copy(), t * self._rows[-2]
        coef = out[: self._coefficients]
        coef[:] = np.sign(coef) * np.maximum(np.abs(coef) - cut, 0.0)
        return out

    def hessian(self, w: Array) -> Array:
        """Return the Hessian of U by the coordinates, made of one matrix of products a pair of classes."""
        problem = self.problem
        X, codes, weight, k, basis, per_row, l2 = self._rows[:7]
        p = problem.data.n_cols
        b = np.zeros(k) if basis is None else basis @ w[p * k :]
        coef = np.ascontiguousarray(w[: p * k].reshape(p, k))
        P = np.asarray(_loops.softmax_pass(X, codes, weight, coef.astype(X.dtype), b, False, False, True)[4])
        s = per_row * problem.data.weight
        rows = p + int(problem.intercept)
        H = np.zeros((rows, k, rows, k))
        for a in range(k):
            for c in range(a + 1):
                # Weights of pairs are negative, and the loop takes roots of them.
                second = s * P[:, a] * ((1.0 - P[:, a]) if a == c else P[:, c])
                block = weighted_gram(problem.design, second, problem.intercept)
                H[:, a, :, c] = H[:, c, :, a] = block if a == c else -block
        H = H.reshape(rows * k, rows * k)
        H[np.arange(p * k), np.arange(p * k)] += l2
        if basis is None:
            return H
        turn = np.zeros((rows * k, self.size))
        turn[: p * k, : p * k] = np.eye(p * k)
        turn[p * k :, p * k :] = basis
        return np.asarray(turn.T @ H @ turn)

    def inside(self, w: Array) -> Array:
        """Return the point itself: all points have a density."""
        return w

    def guess(self) -> Guess:
        """Return the mode, and the factor of the inverse Hessian of U there."""
        start = self._start
        if self.size > DENSE:
            return Guess(start)
        l1 = self._rows[-2]
        if l1 > 0.0:
            w = proximal_mode(start, self.value_grad, self._prox, self.smoothing)
            return laplace_shape(w, self.hessian(w), self._coefficients, l1)
        w, H = newton_mode(start, self.value_grad, self.hessian)
        return Guess(w, inverse_factor(H))
