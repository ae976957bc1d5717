"""Posteriors of linear problems, whose rows the loops read themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.fused import fused_call
from empirisk.problems.linear import LinearProblem
from empirisk.problems.potential import Potential
from empirisk.samplers.base import Guess
from empirisk.samplers.improper import improper, refuse_no_minimum
from empirisk.samplers.likelihood import Likelihood
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

__all__ = ["LinearTarget"]

# Rows of a tenth from which its mode is looked for first: with fewer all of them cost little.
_MANY_ROWS = 2000


@dataclass(frozen=True, eq=False)
class LinearTarget:
    """The posterior of a linear problem with a compiled loss: ``U(w) = (S / (dispersion T)) F(w)``.

    The mode of the density is the minimum of F.

    Parameters
    ----------
    problem : LinearProblem
    temperature : float, default 1.0
        T.
    columns : sequence of str, optional
        Of the columns.
    proximal : bool, default False
        Whether steps follow the proximal map of the penalty, which may have kinks then.
    near : array, optional
        Parameters near the mode, such as those of a fit; those of the null model where none are known.
    classes : sequence of two labels, optional
        What the labels -1 and +1 stand for.
    model : fitted estimator, optional
        Which looks at new rows as it does for its own predictions.
    """

    problem: LinearProblem
    temperature: float = 1.0
    columns: Any = None
    proximal: bool = False
    near: Any = None
    classes: Any = None
    model: Any = None

    def __post_init__(self) -> None:
        problem = self.problem
        if problem.n_outputs and not problem.loss.vector:
            raise ValueError(
                f"{self.title} has {problem.n_outputs} targets a row, whose posteriors are independent "
                "given X: sample one model for each column of y"
            )
        if problem.loss.vector or fused_call(problem.loss, problem.data.y) is None:
            raise ValueError(
                f"loss {self._plain.name!r} has no compiled potential of one "
                "score a row; give its potential as er.samplers.FunctionTarget"
            )
        if not (self.proximal or (self._formula and problem.penalty.l1 == 0.0)):
            why = "is infinite where a coefficient is negative"
            raise ValueError(
                f"penalty {problem.penalty.name!r} "
                f"{why if problem.penalty.positive else 'has no gradient everywhere'}: sample with "
                "method='proximal_langevin', or take an L2 penalty without bounds"
            )

    @property
    def _plain(self) -> Any:
        """The loss itself, asked without the offsets of its rows."""
        return self.problem.loss.plain(self.problem.data.y)[0]

    @property
    def _formula(self) -> bool:
        """Whether the penalty is an elastic net, which the loops know."""
        return self.problem.penalty.separable and not self.problem.penalty.positive

    @property
    def start(self) -> Array:
        """Where the search for the mode begins."""
        return np.asarray(self.problem.start() if self.near is None else self.near, dtype=np.float64)

    @property
    def potential(self) -> Potential:
        """U, as the problem says it: only there is the mean loss multiplied by the sum of the weights."""
        return self.problem.potential(self.temperature)

    @property
    def size(self) -> int:
        """The number of parameters that each draw has, in their order."""
        return int(self.problem.n_params)

    @property
    def names(self) -> list[str]:
        """The names of the columns, and the intercept."""
        problem = self.problem
        p = problem.data.n_cols
        columns = [f"x{j}" for j in range(p)] if self.columns is None else [str(c) for c in self.columns]
        free = "intercept"
        while free in columns:  # a column may be called so
            free = f"({free})"
        return [*columns, free] if problem.intercept else columns

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        problem, loss = self.problem, self._plain
        known = "" if problem.loss.offset(problem.data.y) is None else " with offsets"
        what = "posterior" if loss.likelihood else "Gibbs posterior (the loss is no likelihood)"
        return f"the {what} of loss {loss.name!r}{known}, penalty {problem.penalty.name!r}"

    @property
    def likelihood(self) -> Likelihood:
        """The law of a target, given coefficients."""
        problem = self.problem
        return Likelihood(
            self._plain,
            problem.dispersion,
            problem.data.n_cols,
            problem.intercept,
            self.classes,
            self.model,
        )

    @property
    def log_concave(self) -> bool:
        """Whether loss and penalty are convex, so that the density has one mode."""
        return bool(self.problem.loss.convex and self.problem.penalty.convex)

    def tempered(self, temperature: float) -> LinearTarget:
        """Return the target with U divided by a further temperature."""
        return replace(self, temperature=temperature * self.temperature)

    @cached_property
    def smoothing(self) -> float:
        """The t of ``(w - prox_t(w)) / t``, which takes the place of the gradient of the penalty: one over
        the largest curvature of the rest.
        """
        return step_within(self.hessian(np.asarray(self.problem.start(), dtype=np.float64)))

    @cached_property
    def _rows(self) -> tuple[Any, ...]:
        """The arrays that the loops take."""
        problem, scale = self.problem, self.potential.scale
        loss, parameter, y, offset = fused_call(problem.loss, problem.data.y)  # type: ignore[misc]
        weight = None if problem.data.unit_weights else problem.data.weight
        y = np.asarray(y, dtype=np.float64)
        per_row = scale / problem.data.total_weight
        l2, l1 = scale * problem.penalty.l2, scale * problem.penalty.l1
        rows = (problem.design.X, y, weight, offset, loss, parameter, problem.intercept, per_row)
        return *rows, l2, l1, 1.0

    @property
    def call(self) -> Any:
        """What the loops take: arrays, or a function where they do not know the penalty."""
        if not self._formula:
            return self._through_prox()
        return *self._rows[:-1], self.smoothing if self._rows[-2] > 0.0 else 1.0

    def _through_prox(self) -> Callable[[Array], tuple[float, Array]]:
        """U, and the gradient of its smooth part plus ``(w - prox_t(w)) / t``."""
        potential, t = self.potential, self.smoothing

        def call(w: Array) -> tuple[float, Array]:
            value, grad = potential.value_grad(w)
            return value, grad + (w - potential.prox(w, t)) / t

        return call

    def inside(self, w: Array) -> Array:
        """Return the nearest point where the penalty is finite: its proximal map for a step of about 0."""
        return w if self._formula else self.potential.prox(w, 1e-9 * self.smoothing)

    def guess(self) -> Guess:
        """Return where chains start, and the shape of their steps."""
        return self._guess

    @cached_property
    def _guess(self) -> Guess:
        """The mode, or a point near it, and the factor of the inverse Hessian of U there.

        Raises
        ------
        ValueError
            Where U has no minimum or is flat along a line, so that its density has no finite mass.
        """
        problem = self.problem
        refuse_no_minimum(problem, self.title)
        flat = problem.penalty.l2 == 0.0 and self._formula and problem.penalty.l1 == 0.0
        if flat and problem.data.n_rows < problem.n_params:
            raise improper(
                self.title,
                f"there are {problem.data.n_rows} rows for {problem.n_params} parameters, so that U is flat "
                "along some line",
            )
        start = self.start
        if problem.n_params > DENSE:
            return Guess(start)
        if self.proximal and not (self._formula and problem.penalty.l1 == 0.0):
            potential, l1 = self.potential, self.potential.scale * float(problem.penalty.l1)
            # The L2 part stands in the gradient and in the proximal map: near enough for a start.
            w = proximal_mode(self.inside(start), potential.value_grad, potential.prox, self.smoothing)
            return laplace_shape(w, self.hessian(w), problem.data.n_cols, l1)
        w, H = newton_mode(self._nearer(start), self.potential.value_grad, self.hessian, at_end=flat)
        factor = inverse_factor(H)
        if factor is None and flat:
            factor = self._wide_factor(H)
        return Guess(w, factor)

    def _nearer(self, start: Array) -> Array:
        """The mode of a tenth of the rows, drawn at random, where rows are many and U is smaller there."""
        data = self.problem.data
        count = data.n_rows // 10
        if self.near is not None or count < max(_MANY_ROWS, 10 * self.size):
            return start
        few = data.take(np.sort(np.random.default_rng(0).choice(data.n_rows, count, replace=False)))
        if not few.weight.sum() > 0.0:
            return start
        part = replace(self, problem=replace(self.problem, data=ArrayBlocks(few.design, few.y, few.weight)))
        w = newton_mode(start, part.potential.value_grad, part.hessian)[0]
        value = self.potential.value_grad
        return w if np.isfinite(w).all() and value(w)[0] < value(start)[0] else start

    def _wide_factor(self, H: Array) -> Array:
        """The factor of a shape where the Hessian H at the mode is singular; flat potentials are refused.

        A loss of differences grows on both sides, so that U grows along every line on which scores move: rows
        on its straight parts have no curvature, and are given a tenth of one.
        """
        if self._plain.of_difference:
            per_row, weight = self._rows[7], self._rows[2]
            rows = np.ones(self.problem.data.n_rows) if weight is None else weight
            wide = weighted_gram(self.problem.design, 0.1 * per_row * rows, self.problem.intercept)
            H = H + wide
            factor = inverse_factor(H)
            if factor is not None:
                return factor
        mean, variance = self.problem.moments
        still = np.flatnonzero(~(np.asarray(variance) + np.asarray(mean) ** 2 > 0.0))
        if len(still):
            raise improper(
                self.title,
                f"U has no curvature along {self.names[still[0]]!r}, which is a column of zeros, or of "
                "numbers too small to be squared",
            )
        raise improper(
            self.title,
            "U is flat along some line, such as that of collinear columns, or where no row has a loss",
        )

    def anchor(self) -> tuple[Array, Array, Array]:
        """Return the mode, the gradient of U there, and the weighted slope of each row's loss there."""
        w = self._guess.place
        slope = self._derivatives(w)[0]
        weight = self._rows[2]
        return (
            w,
            self.potential.value_grad(w)[1],
            (slope if weight is None else np.where(weight > 0.0, weight * slope, 0.0)),
        )

    def _derivatives(self, w: Array) -> tuple[Array, Array]:
        """First and second derivatives of each row's loss by its score, without weights."""
        X, y, weight, offset, loss, parameter, intercept = self._rows[:7]
        p = X.shape[1]
        row = (
            X,
            y,
            weight,
            w[:p].astype(X.dtype),
            float(w[p]) if intercept else 0.0,
            loss,
            parameter,
            offset,
        )
        told = _loops.linear_pass(*row, want_grad=False, want_derivatives=True)
        return np.asarray(told[4]), np.asarray(told[5])

    def hessian(self, w: Array) -> Array:
        """Return the Hessian at w of the part of U that has one."""
        weight, intercept, per_row, l2 = (self._rows[i] for i in (2, 6, 7, 8))
        second = per_row * self._derivatives(w)[1]
        # A row of weight 0 is absent, though its derivative may be infinite.
        second = second if weight is None else np.where(weight > 0.0, weight * second, 0.0)
        H = weighted_gram(self.problem.design, second, intercept)
        p = self.problem.data.n_cols
        H[np.arange(p), np.arange(p)] += l2
        return H
