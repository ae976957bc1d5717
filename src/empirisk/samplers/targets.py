"""What can be sampled: functions of Python, and linear problems, whose rows the loops read themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from empirisk import _loops
from empirisk.problems.fused import fused_call
from empirisk.problems.linear import LinearProblem
from empirisk.problems.potential import Potential
from empirisk.results import Status
from empirisk.samplers.base import Guess, Target
from empirisk.typing import Array

__all__ = ["FunctionTarget", "LinearTarget", "as_target"]

# Parameters up to which the covariance near the mode is formed.
DENSE = 500
# Newton steps to the mode, and the decrement of U, in nats, at which it is near enough.
_NEWTON, _CLOSE = 100, 1e-8


@dataclass(frozen=True, eq=False)
class FunctionTarget:
    """A density proportional to ``exp(-U(w))``, U a function of Python.

    Parameters
    ----------
    function : callable(w) -> (float, array of shape (d,))
        U and its gradient at w of shape (d,); U may be infinite outside of the support.
    start : array, shape (d,)
        Where chains begin: a point of the support.
    names : sequence of str, optional
        Of the parameters; ``w0, w1, ...`` by default.

    Examples
    --------
    >>> FunctionTarget(lambda w: (0.5 * w @ w, w), np.zeros(2)).names
    ['w0', 'w1']
    """

    function: Callable[[Array], tuple[float, Array]]
    start: Array
    names: Any = None

    def __post_init__(self) -> None:
        start = np.array(self.start, dtype=np.float64)
        if start.ndim != 1 or not len(start) or not np.isfinite(start).all():
            raise ValueError("start must be an array of d finite numbers, one for each parameter")
        object.__setattr__(self, "start", start)
        names = [f"w{j}" for j in range(len(start))] if self.names is None else [str(n) for n in self.names]
        if len(names) != len(start):
            raise ValueError(
                f"names has {len(names)} entries and start {len(start)}; give one for each parameter"
            )
        object.__setattr__(self, "names", names)

    @property
    def size(self) -> int:
        """The number of parameters."""
        return len(self.start)

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        return "a potential given as a function"

    @property
    def call(self) -> Callable[[Array], tuple[float, Array]]:
        """The function, whose answers are looked at: the loops get a number and d numbers."""

        def checked(w: Array) -> tuple[float, Array]:
            value, grad = self.function(w)
            out = np.asarray(grad, dtype=np.float64)
            if out.shape != (self.size,):
                raise ValueError(
                    f"the gradient of the potential has shape {out.shape}, and there are {self.size} "
                    "parameters"
                )
            u = float(value)
            if math.isfinite(u) and not np.isfinite(out).all():
                raise ValueError(
                    f"the gradient of the potential holds NaN or infinity where U = {u:.6g} is finite, at w "
                    f"= {np.array2string(w, threshold=6, precision=4)}"
                )
            return (math.inf if math.isnan(u) else u), out

        return checked

    def guess(self) -> Guess:
        """Return the given start; of the shape nothing is known."""
        return Guess(self.start)


@dataclass(frozen=True, eq=False)
class LinearTarget:
    """The posterior of a linear problem with a compiled loss and an L2 penalty, or none.

    ``U(w) = (S / (dispersion T)) F(w)``: the mode of the density is the minimum of F.

    Parameters
    ----------
    problem : LinearProblem
    temperature : float, default 1.0
        T.
    columns : sequence of str, optional
        Of the columns.
    """

    problem: LinearProblem
    temperature: float = 1.0
    columns: Any = None

    def __post_init__(self) -> None:
        problem = self.problem
        if problem.loss.vector or fused_call(problem.loss, problem.data.y) is None:
            raise ValueError(
                f"loss {problem.loss.name!r} has no compiled potential of one score a row; give its "
                "potential as er.samplers.FunctionTarget"
            )
        if not problem.penalty.smoothness < math.inf:
            raise ValueError(
                f"penalty {problem.penalty.name!r} has no gradient at 0: sample with "
                "method='proximal_langevin', or take an L2 penalty"
            )

    @property
    def potential(self) -> Potential:
        """U, as the problem says it: only there is the mean loss multiplied by the sum of the weights."""
        return self.problem.potential(self.temperature)

    @property
    def size(self) -> int:
        """The number of parameters."""
        return int(self.problem.n_params)

    @property
    def names(self) -> list[str]:
        """The names of the columns, and the intercept."""
        problem = self.problem
        p = problem.data.n_cols
        columns = [f"x{j}" for j in range(p)] if self.columns is None else [str(c) for c in self.columns]
        return [*columns, "intercept"] if problem.intercept else columns

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        return f"the posterior of {self.problem.title}"

    @property
    def call(self) -> Any:
        """The arrays that the loops take."""
        problem, scale = self.problem, self.potential.scale
        loss, parameter, y, offset = fused_call(problem.loss, problem.data.y)  # type: ignore[misc]
        weight = None if problem.data.unit_weights else problem.data.weight
        y = np.asarray(y, dtype=np.float64)
        per_row = scale / problem.data.total_weight
        l2 = scale * problem.penalty.l2
        return problem.design.X, y, weight, offset, loss, parameter, problem.intercept, per_row, l2

    def guess(self) -> Guess:
        """Return the mode, by Newton's method, and the factor of the inverse Hessian of U there.

        Raises
        ------
        ValueError
            Where U has no minimum, so that its density may have no finite mass.
        """
        problem = self.problem
        if problem.n_params > DENSE:
            return Guess(problem.start())
        refusal = problem.preflight()
        if refusal is not None and refusal.status is Status.UNBOUNDED:
            raise ValueError(
                f"{self.title} has no mode, so that exp(-U) is no density that could be sampled: "
                f"{refusal.certificate.claim}; give the model a penalty, which is a prior"
            )
        return Guess(*mode_of(self))

    def hessian(self, w: Array) -> Array:
        """Return the Hessian of U at w."""
        X, y, weight, offset, loss, parameter, intercept, per_row, l2 = self.call
        p = X.shape[1]
        b = float(w[p]) if intercept else 0.0
        told = _loops.linear_pass(
            X,
            y,
            weight,
            w[:p].astype(X.dtype),
            b,
            loss,
            parameter,
            offset,
            want_grad=False,
            want_derivatives=True,
        )
        second = per_row * (told[5] if weight is None else weight * told[5])
        design = self.problem.design
        H = np.zeros((len(w), len(w)))
        if design.sparse:
            H[:p, :p] = (X.T @ (sp.diags_array(second) @ X)).toarray()
        else:
            H[:p, :p] = _loops.gram(X, second)
        H[:p, :p] += l2 * np.eye(p)
        if intercept:
            H[p, :p] = H[:p, p] = design.rmatvec(second.astype(design.dtype))
            H[p, p] = second.sum()
        return H


def mode_of(target: LinearTarget) -> tuple[Array, Array | None]:
    """Return the minimum of U, by Newton steps that are halved until U falls, and the factor of its inverse
    Hessian.

    The mode is where chains start and what shapes their steps: nothing that is claimed rests on it.
    """
    w = np.asarray(target.problem.start(), dtype=np.float64)
    value, grad = target.potential.value_grad(w)
    for _ in range(_NEWTON):
        try:
            factor = cho_factor(target.hessian(w), lower=True)
        except LinAlgError:
            return w, None
        step = cho_solve(factor, grad)
        decrement = float(step @ grad)
        if not decrement > _CLOSE:
            break
        size = 1.0
        while size > 1e-6:
            there = w - size * step
            new, new_grad = target.potential.value_grad(there)
            if new <= value - 1e-4 * size * decrement:
                break
            size *= 0.5
        else:
            break
        w, value, grad = there, new, new_grad
    inverse = cho_solve(cho_factor(target.hessian(w), lower=True), np.eye(len(w)))
    return w, np.linalg.cholesky(0.5 * (inverse + inverse.T))


def as_target(thing: Any, dispersion: float | None = None, temperature: float = 1.0) -> Target:
    """Return what is to be sampled as a target: targets are themselves, problems and fitted models are
    posteriors.

    Parameters
    ----------
    thing : Target, LinearProblem, or fitted linear model that keeps its rows
    dispersion : float > 0, optional
        Of losses that have one, such as the variance of the noise of a squared loss.
    temperature : float > 0, default 1.0
    """
    if callable(getattr(thing, "guess", None)) and hasattr(thing, "call"):
        return thing  # type: ignore[no-any-return]
    columns = None
    if hasattr(thing, "_fitted_problem"):
        columns = getattr(thing, "feature_names_in_", None)
        thing = thing._fitted_problem(None, None, None)
    if not isinstance(thing, LinearProblem):
        raise TypeError(
            f"a {type(thing).__name__} cannot be sampled: give a linear problem, a fitted linear model, or "
            "er.samplers.FunctionTarget(function, start)"
        )
    if dispersion is None and not thing.loss.unit_dispersion and thing.dispersion == 1.0:
        raise ValueError(
            f"loss {thing.loss.name!r} has a dispersion (the variance of the noise), which this problem "
            "leaves at 1 and which scales the posterior: give dispersion="
        )
    if dispersion is not None:
        thing = replace(thing, dispersion=dispersion)
    return LinearTarget(thing, temperature, columns)
