"""The contract of an update rule: a pure function from (state, gradient) to (state, step).

A rule turns a *direction* into another; the caller adds the final step, ``w + step``.  The first rule of a
chain is given the gradient.  Rules are frozen dataclasses without hidden state: all that changes lives in
the state that is passed in and out, so that runs can be stopped, copied and resumed, and the same numbers
follow from the same inputs.  Parameters are an array or a tuple of arrays, whose number formats are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from empirisk.typing import Array

__all__ = [
    "Chain",
    "Parameters",
    "Schedule",
    "UpdateRule",
    "apply",
    "check_share",
    "check_size",
    "each",
    "run",
]

Parameters: TypeAlias = Array | tuple[Array, ...]


@runtime_checkable
class Schedule(Protocol):
    """Step size as a function of the step number.

    Those of SCHEDULES say more, so that stochastic solvers take them by name: a class method
    ``of_run(size, steps, mu)``, `needs_horizon` (whether the number of steps must be known) and `sizes`:
    "one" for all steps, a "formula" of an array of steps, or "stairs", an array held between.  They may say
    `of_modulus` (whether the sizes follow from mu alone), `run` (output, sampling, coordinates and intercept
    of a run that leaves them open) and `whole` (whether a step shrinks the columns that a sparse row does not
    store, too).
    """

    @property
    def name(self) -> str: ...

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        ...


@runtime_checkable
class UpdateRule(Protocol):
    """An update rule: ``init`` makes the state before the first step, ``update`` turns a gradient into a
    step.

    A rule may say its `usual_size`, the step size at which networks on standardised columns begin.
    """

    @property
    def name(self) -> str: ...

    def init(self, w: Parameters) -> Any:
        """Return the state before the first step from w."""
        ...

    def update(self, state: Any, grad: Parameters, w: Parameters) -> tuple[Any, Parameters]:
        """Return the next state and the step; neither argument is changed."""
        ...


@dataclass(frozen=True)
class Chain:
    """Rules one after the other: the step of each is the gradient of the next.

    Parameters
    ----------
    rules : tuple of UpdateRule
        First to last.
    """

    rules: tuple[UpdateRule, ...]

    def init(self, w: Parameters) -> tuple[Any, ...]:
        """Return the states of all rules before the first step, in the order of the rules."""
        return tuple(rule.init(w) for rule in self.rules)

    def update(
        self, state: tuple[Any, ...], grad: Parameters, w: Parameters
    ) -> tuple[tuple[Any, ...], Parameters]:
        """Return the next states and the step after the gradient went through all rules in their order."""
        out = []
        for rule, held in zip(self.rules, state, strict=True):
            new, grad = rule.update(held, grad, w)
            out.append(new)
        return tuple(out), grad


def each(f: Callable[..., Array], *parts: Parameters) -> Parameters:
    """``f`` of the arrays at the same place, in the number format of the first."""
    first = parts[0]
    if isinstance(first, tuple):
        return tuple(np.asarray(f(*arrays), dtype=arrays[0].dtype) for arrays in zip(*parts, strict=True))
    return np.asarray(f(*parts), dtype=first.dtype)


def apply(w: Parameters, step: Parameters) -> Parameters:
    """Return the parameters after the step, ``w + step``, in the number format of w."""
    return each(np.add, w, step)


def run(
    rule: UpdateRule | Chain, gradient: Callable[[Parameters], Parameters], w: Parameters, steps: int
) -> Parameters:
    """`steps` steps from w; for tests and teaching (solvers keep the state and certify).

    Examples
    --------
    >>> from empirisk.optimizers import Constant, GradientStep
    >>> run(GradientStep(Constant(0.5)), lambda w: w, np.array([8.0]), 3)
    array([1.])
    """
    state = rule.init(w)
    for _ in range(steps):
        state, step = rule.update(state, gradient(w), w)
        w = apply(w, step)
    return w


def check_size(name: str, value: float, *, zero: bool = False) -> None:
    """Refuse what is not a finite number ``> 0`` (``>= 0`` if `zero`)."""
    if not (math.isfinite(value) and (value >= 0.0 if zero else value > 0.0)):
        raise ValueError(f"{name} must be a finite number {'>=' if zero else '>'} 0, got {value!r}")


def check_share(name: str, value: float) -> None:
    """Refuse what does not lie in [0, 1)."""
    if not 0.0 <= value < 1.0:
        raise ValueError(f"{name} must lie in [0, 1), got {value!r}")
