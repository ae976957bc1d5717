"""One-class machines by sequential minimal optimisation: pairs of weights move, their sum stays 1.

Scholkopf, Platt, Shawe-Taylor, Smola and Williamson, Neural Computation 13 (2001), section 4.
"""

from __future__ import annotations

import numpy as np

from empirisk.problems.one_class import OneClassProblem
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.solvers.smo import refuse_pair, rows_of, size_of
from empirisk.typing import Array

__all__ = ["solve_one_class"]

# The largest violation that the first look waits for, as a share of the mean of k(x, x), and the last one
# that rows in float32 can tell.
FIRST, LAST = 1e-4, 1e-11
# Working sets until the first look; the number doubles up to the longest stretch.
OUTER, LONGEST = 200, 3_200


def solve_one_class(problem: OneClassProblem, cache_bytes: float, tol: float, max_iter: int) -> Solution:
    """Return the weights of the rows, followed by the offset.

    Parameters
    ----------
    problem : OneClassProblem
    cache_bytes : float
        Memory for rows of the kernel, in float32.
    tol : float
        Largest accepted certificate over its scale.
    max_iter : int
        Most looks at the certificate.
    """
    space = problem.space
    # Steps see K over its size, so that their squares stay in the range of doubles; the weights are the same.
    size, rows = size_of(space), rows_of(space, cache_bytes)
    aim, outer = FIRST * (float(space.diagonal.mean()) or 1.0), OUTER
    last = LAST / FIRST * aim
    order, zeros = np.arange(problem.n, dtype=np.int64), np.zeros(problem.n)
    a = problem.start()
    f = space.times_kernel(a)
    found = _judged(problem, a, f)
    status, steps, made = Status.MAX_STEPS, 0, 0
    while not found.within(tol) and steps < max_iter:
        told = rows.run(a, f / size, order, zeros, problem.high, zeros, aim / size, outer)
        if told["witness"] is not None:
            refuse_pair(space, *told["witness"])
        steps, made = steps + 1, told["rows"]
        a = problem.feasible(a)
        f = space.times_kernel(a)
        found = _judged(problem, a, f)
        if told["violation"] * size <= aim:
            if aim <= last:
                status = Status.STALLED
                break
            aim *= 0.1
        outer = min(2 * outer, LONGEST)
    if found.within(tol):
        status = Status.CERTIFIED
    elif found.value <= found.floor:
        status = Status.FLOOR
    w = np.append(a, problem.offset(f))
    return Solution(w, status, found, n_steps=steps, n_passes=made / problem.n, solver="smo")


def _judged(problem: OneClassProblem, a: Array, f: Array) -> Certificate:
    """Return the certificate; a kernel that is none is refused."""
    found = problem.certify(a, f)
    if found.kind is Kind.NONE:
        raise ValueError(
            f"{found.claim.removeprefix('none: ')}; use a Mercer kernel on rows of moderate size"
        )
    return found
