"""A fitted machine as an element of its kernel's space: its norm, its intercept, and how long rows can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.kernels import kernel_of
from empirisk.ladder.base import Problem
from empirisk.ladder.radius import row_norms, why_no_radius

__all__ = ["KernelMachine", "kernel_machine", "learned_kernel"]


@dataclass(frozen=True)
class KernelMachine:
    """``score = <f, phi(x)> + b`` in the space of a kernel that was fixed before the rows were seen.

    Parameters
    ----------
    norm : float
        ``||f||``.
    intercept : float
        b, 0 where there is none.
    free : bool
        Whether there is an intercept.
    scores : array, shape (n,)
        Of the rows.
    radius : float
        Bound on ``||phi(x)|| = sqrt(k(x, x))`` for every row that can occur.
    words : str
        Where the radius is from.
    basis : str
        ``"computed"`` where the kernel itself says it, ``"declared"`` where the user does.
    longest : float
        The largest norm among the rows.
    """

    norm: float
    intercept: float
    free: bool
    scores: Floats
    radius: float
    words: str
    basis: str
    longest: float


def learned_kernel(model: Any) -> str:
    """Return why the kernel of a model depends on the rows; empty when it was fixed before."""
    if model.kernel_.precomputed:
        return "the kernel is known by its values on these rows alone: give the kernel and the rows"
    if kernel_of(model.kernel) != model.kernel_:
        return (
            f"the kernel ({model.kernel_.title}) has numbers that were computed from all rows: give them, as "
            "in kernel=er.kernels.Gaussian(gamma=0.5)"
        )
    return ""


def kernel_machine(problem: Problem) -> KernelMachine | str:
    """Return the machine of two classes, or why it is none whose class was fixed before."""
    model = problem.model
    if not (hasattr(model, "kernel_") and hasattr(model, "margin_")):
        return "the model is neither linear nor a machine over a kernel"
    why = problem.tuning.class_reason or problem.features.fixed or learned_kernel(model)
    if not why and not problem.two_classes:
        why = "the theorem is about two classes"
    if why:
        return why
    kernel = model.kernel_
    norm, b = 1.0 / float(model.margin_[0]), float(model.intercept_[0])
    scores = np.asarray(model.decision_function(problem.features.table), dtype=np.float64)
    if kernel.normalised:
        return KernelMachine(
            norm, b, True, scores, 1.0, f"k(x, x) = 1 for every x ({kernel.title})", "computed", 1.0
        )
    Z = problem.features.Z
    if kernel.explicit(Z) is not Z:
        return (
            f"k(x, x) has no bound for every x that can occur ({kernel.title}); a kernel with k(x, x) = 1, "
            "such as the Gaussian, has one"
        )
    why = why_no_radius(problem)
    if why or problem.declared.radius is None:
        return why
    words = f"||x|| <= {problem.declared.radius:g} for every row that can occur"
    longest = float(row_norms(problem).max())
    return KernelMachine(norm, b, True, scores, problem.declared.radius, words, "declared", longest)
