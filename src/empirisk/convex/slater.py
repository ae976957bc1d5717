"""A strictly feasible point, which makes the duality gap close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from empirisk.convex.problem import ConvexProblem
from empirisk.typing import Array

__all__ = ["SlaterPoint", "slater_point"]

DEEP = -1.0  # deep enough inside: minimising further could run off to infinity


@dataclass(frozen=True, eq=False)
class SlaterPoint:
    """The answer to :func:`slater_point`.

    Parameters
    ----------
    x : array or None
        A strictly feasible point; None when none was found.
    largest : float
        Largest inequality at the best point that was found.
    sentence : str
        In words.

    Examples
    --------
    >>> SlaterPoint(None, 0.5, "none found").found
    False
    """

    x: Array | None
    largest: float
    sentence: str

    @property
    def found(self) -> bool:
        """Whether there is a point."""
        return self.x is not None

    def __str__(self) -> str:
        return self.sentence


def slater_point(problem: ConvexProblem, *, tol: float = 1e-9) -> SlaterPoint:
    """``min_{x, t} t`` such that ``g_j(x) <= t``, ``A x = b``, x in D: ``t < 0`` is strictly feasible.

    Then strong duality holds for a convex problem: the best dual value equals the minimum.

    Parameters
    ----------
    problem : ConvexProblem
        The problem.
    tol : float, default 1e-9
        What counts as below 0, and how far an equality may be missed.

    Returns
    -------
    SlaterPoint
        Without a point the sentence tells what the largest inequality came to.

    Notes
    -----
    Sequential quadratic programming from several starts (SciPy's SLSQP): not finding a point proves nothing.
    Problems with affine inequalities alone need no such point (Boyd & Vandenberghe 2004, section 5.2.3).

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x[0], 2, [lambda x: x @ x - 1.0])
    >>> slater_point(p).found
    True
    >>> touching = ConvexProblem(lambda x: x[0], 1, [lambda x: x[0] ** 2])
    >>> slater_point(touching).found
    False
    """
    k = len(problem.inequalities)
    starts = [
        problem.inside(),
        *(problem.inside() + s * np.random.default_rng(0).normal(size=problem.n) for s in (1.0, 10.0)),
    ]
    best, largest = None, np.inf
    for start in starts:
        x = _phase_one(problem, np.clip(start, problem.lower, problem.upper))
        if x is None or np.max(np.abs(problem.residual(x)), initial=0.0) > max(tol, 1e-7):
            continue
        value = float(np.max(problem.slacks(x), initial=-np.inf)) if k else -np.inf
        if best is None or value < largest:
            best, largest = x, value
    if best is None:
        return SlaterPoint(None, np.inf, "no point of the domain that satisfies the equalities was found")
    if largest < -tol:
        said = (
            "strictly feasible: every inequality is below 0" if k else "feasible: there are no inequalities"
        )
        return SlaterPoint(best, largest, f"{said}, so that strong duality holds if the problem is convex")
    which = int(np.argmax(problem.slacks(best)))
    return SlaterPoint(
        None,
        largest,
        f"no strictly feasible point was found: at best inequality {which} comes to {largest:.3g}, not "
        "below 0; this is no proof that there is none",
    )


def _phase_one(problem: ConvexProblem, start: Array) -> Array | None:
    k, n = len(problem.inequalities), problem.n
    A, b = problem.equalities  # type: ignore[misc]
    if k == 0 and len(b) == 0:
        return start
    t0 = float(np.max(problem.slacks(start), initial=0.0)) + 1.0
    constraints: Any = [
        {"type": "ineq", "fun": lambda v, j=j: v[n] - float(problem.inequalities[j](v[:n]))} for j in range(k)
    ]
    if len(b):
        constraints.append({"type": "eq", "fun": lambda v: A @ v[:n] - b})
    box: Any = [*zip(problem.lower, problem.upper, strict=True), (DEEP, None)]
    with np.errstate(all="ignore"):
        found: Any = minimize(  # type: ignore[call-overload]
            lambda v: v[n], np.append(start, t0), bounds=box, constraints=constraints, method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-14},
        )  # fmt: skip
    return np.asarray(found.x[:n]) if np.isfinite(found.x).all() else None
