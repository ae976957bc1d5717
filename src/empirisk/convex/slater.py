"""A strictly feasible point, which makes the duality gap close."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize, nnls

from empirisk.convex.constraints import as_convex_problem
from empirisk.convex.lagrangian import dual_function
from empirisk.convex.problem import ConvexProblem
from empirisk.data.brief import Brief
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["SlaterPoint", "slater_point"]

DEEP = -1.0  # deep enough inside: minimising further could run off to infinity


@dataclass(frozen=True, eq=False, repr=False)
class SlaterPoint(Brief):
    """The answer to :func:`slater_point`.

    Parameters
    ----------
    x : array or None
        A strictly feasible point; None when none was found.
    largest : float
        Largest inequality at the best point that was found.
    sentence : str
        In words.
    exists : bool or None
        True: here it is.  False: proved by `lam` and `nu` that there is none.  None: neither.
    lam, nu : arrays or None
        ``lam >= 0`` with sum 1 and ``lam.g(x) + nu.(A x - b) >= 0`` for all x of the domain: then no x with
        ``A x = b`` has all ``g_j(x) < 0``.

    Examples
    --------
    >>> SlaterPoint(None, 0.5, "none found").found
    False
    """

    x: Array | None
    largest: float
    sentence: str
    exists: bool | None = None
    lam: Array | None = None
    nu: Array | None = None

    @property
    def found(self) -> bool:
        """Whether a strictly feasible point was found; when not, the sentence says whether there can be
        one.
        """
        return self.x is not None

    def __str__(self) -> str:
        return self.sentence


def slater_point(problem: ConvexProblem | LinearProblem, *, tol: float = 1e-9) -> SlaterPoint:
    """``min_{x, t} t`` such that ``g_j(x) <= t``, ``A x = b``, x in D: ``t < 0`` is strictly feasible.

    Then strong duality holds for a convex problem: the best dual value equals the minimum.

    Parameters
    ----------
    problem : ConvexProblem or LinearProblem
        The problem; a linear one as :func:`as_convex_problem` writes it out.
    tol : float, default 1e-9
        What counts as below 0, and how far an equality may be missed.

    Returns
    -------
    SlaterPoint
        Without a point: multipliers that exclude one, or the sentence that this is no proof.

    Notes
    -----
    Sequential quadratic programming from several starts (SciPy's SLSQP).  Not finding a point proves nothing
    by itself; multipliers of the programme above do, by weak duality: the least value of ``lam.g(x) + nu.(A x
    - b)`` over D is computed as :func:`dual_function` does, with its proof or without.
    Problems with affine inequalities alone need no such point (Boyd & Vandenberghe 2004, section 5.2.3).

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x[0], 2, [lambda x: x @ x - 1.0])
    >>> slater_point(p).found
    True
    >>> touching = ConvexProblem(lambda x: x[0], 1, [lambda x: x[0] ** 2])
    >>> print(slater_point(touching))
    there is no strictly feasible point: 1 g_0 >= 0 on the whole domain
    """
    problem = as_convex_problem(problem) if isinstance(problem, LinearProblem) else problem
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
        return SlaterPoint(
            best, largest, f"{said}, so that strong duality holds if the problem is convex", True
        )
    excluded = _excluded(problem, best, largest, tol)
    if excluded is not None:
        return excluded
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
        {"type": "ineq", "fun": lambda v, j=j: v[n] - problem.value_of(j + 1, v[:n])} for j in range(k)
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


def _excluded(problem: ConvexProblem, x: Array, largest: float, tol: float) -> SlaterPoint | None:
    """Return the multipliers from the gradients at the best point; kept when weak duality confirms them."""
    slacks, (A, _) = problem.slacks(x), problem.equalities  # type: ignore[misc]
    # SLSQP leaves an error in x, so that inequalities this close count as active; weak duality then decides
    # whether the multipliers prove anything.
    active = np.flatnonzero(slacks >= largest - 1e-5 * max(1.0, abs(largest)))
    slopes = np.array([problem.gradient_of(int(j) + 1, x) for j in active])
    low, high = x <= problem.lower + 1e-9, x >= problem.upper - 1e-9
    # Of the sum of the gradients a border takes what pushes outwards: -e_j at a lower end, e_j at an upper.
    eye = np.eye(problem.n)
    columns = np.vstack([slopes, A, -A, -eye[low], eye[high]]).T
    weights = np.append(np.ones(len(active)), np.zeros(columns.shape[1] - len(active)))
    size = max(float(np.abs(slopes).max(initial=0.0)), 1e-12)
    found = nnls(np.vstack([columns / size, weights]), np.append(np.zeros(problem.n), 1.0))[0]
    total = float(found[: len(active)].sum())
    if total <= 0.0:
        return None
    found = found / total
    lam = np.zeros(len(slacks))
    lam[active] = found[: len(active)]
    nu = found[len(active) : len(active) + len(A)] - found[len(active) + len(A) : len(active) + 2 * len(A)]
    alone = replace(problem, objective=lambda x: 0.0, gradient=np.zeros_like, strong_convexity=0.0)
    least = dual_function(alone, lam, nu, x0=x)
    if not least.value >= -tol:
        return None
    parts = [f"{v:.3g} g_{j}" for j, v in enumerate(lam) if v > 1e-9]
    parts += [f"{v:.3g} h_{i}" for i, v in enumerate(nu) if abs(v) > 1e-9]
    bound = least.lower if least.proved else least.value
    what = "the constraints contradict each other" if bound > tol else "there is no strictly feasible point"
    shown = f"{bound:.3g}" if abs(bound) > tol else "0"
    how = "" if least.proved else " (found by minimising it, not proved)"
    said = f"{what}: {' + '.join(parts)} >= {shown} on the whole domain{how}"
    return SlaterPoint(None, largest, said.replace("+ -", "- "), False if least.proved else None, lam, nu)
