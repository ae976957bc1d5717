"""Sequential minimal optimisation: steps along pairs of dual values, with the kernel read row by row.

Platt 1999, Advances in Kernel Methods, chapter 12; second-order choice of the pair by Fan, Chen and Lin, JMLR
6 (2005); working sets of many rows by Wen, Shi, Li, He and Chen, JMLR 19 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.kernels.compiled import arguments
from empirisk.losses.dual_rows import DualRows, dual_rows
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_curved
from empirisk.solvers.base import State
from empirisk.solvers.kinked_intercept import kinked_intercept
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["SMO", "refuse_pair", "rows_of", "size_of"]


WIDEST = 1024  # variables of a compiled working set


@dataclass(frozen=True)
class Box:
    """``min 1/2 v'K v + linear.v`` over ``low <= v <= high`` and ``sum v = 0``, several v for a row.

    Parameters
    ----------
    row : int array, shape (m,)
        The row of K of each variable; the weight of a row is the sum of its variables.
    low, high, linear : arrays, shape (m,)
    """

    row: IndexArray
    low: Array
    high: Array
    linear: Array

    @classmethod
    def of(cls, problem: KernelProblem) -> Box:
        """Return the box of a problem whose losses are piecewise linear.

        A tube in which errors are free splits a row into a part that pulls up and one that pulls down.
        """
        rows: DualRows = dual_rows(problem.loss, problem.data.y)
        reach = problem.data.weight * (1.0 if rows.cost is None else rows.cost)
        reach = reach / (problem.data.total_weight * problem.alpha)
        at = np.arange(problem.n, dtype=np.int64)
        low, high = reach * rows.low, reach * rows.high
        if rows.tube == 0.0:
            return cls(at, low, high, -rows.center)
        none = np.zeros(problem.n)
        return cls(
            np.concatenate([at, at]),
            np.concatenate([none, low]),
            np.concatenate([high, none]),
            np.concatenate([rows.tube - rows.center, -rows.tube - rows.center]),
        )

    def spread(self, a: Array) -> Array:
        """Return the variables of given weights of rows, clipped to the box; the heavier side then shrinks
        until the sum is 0.
        """
        n = len(a)
        v = a if len(self.row) == n else np.concatenate([np.maximum(a, 0.0), np.minimum(a, 0.0)])
        v = np.clip(v, self.low, self.high)
        up, down = float(v[v > 0.0].sum()), -float(v[v < 0.0].sum())
        if up > 0.0 and down > 0.0:
            v = np.where(v > 0.0, v * min(1.0, down / up), v * min(1.0, up / down))
        else:
            v = np.zeros_like(v)
        return np.asarray(np.clip(v, self.low, self.high))

    def gather(self, v: Array) -> Array:
        """Return the weights of the rows."""
        n = int(self.row.max(initial=-1)) + 1
        return np.asarray(np.bincount(self.row, v, n))


@dataclass(frozen=True)
class SMOState(State):
    """The variables, ``K a``, the violation that is aimed at, and working sets until the next look.

    `unit` is what values are divided by for the compiled steps, whose squares must not leave the range of
    doubles.
    """

    box: Box = field(kw_only=True)
    value: Array = field(kw_only=True)
    f: Array = field(kw_only=True)
    tolerance: float = field(kw_only=True)
    most: int = field(kw_only=True)
    unit: float = field(kw_only=True)
    rows: Any = field(kw_only=True)


@dataclass(frozen=True)
class SMO:
    """Steps along pairs of dual values until none violates the optimality conditions by much.

    Parameters
    ----------
    cache_bytes : float, default 5e8
        Memory for rows of the kernel matrix, in float32; at least two rows are kept.
    first : float, default 1e-5
        Largest violation that the first look at the certificate waits for, as a share of the problem's scale.
    most_outer : int, default 200
        Working sets until the first look at the certificate, where no look came before; the number doubles.

    Notes
    -----
    Rows are stored in float32, but the certificate is not computed from them: scores are computed anew in
    float64 before it is asked for, and further steps start from these.
    """

    cache_bytes: float = 5e8
    first: float = 1e-5
    most_outer: int = 200
    name = "smo"
    needs = frozenset({Capability.KERNEL, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    @classmethod
    def until(cls, tol: float, cache_bytes: float) -> SMO:
        """Return the steps that look early where a relative gap of `tol` is enough.

        The gap is a tenth of the violation or less, as a rule.
        """
        return cls(cache_bytes, float(np.clip(10.0 * tol, 1e-5, 1e-3)))

    def init(self, problem: KernelProblem, w0: Array | None = None) -> SMOState:
        """Return the state at the given weights, moved into the box, or at none."""
        if not problem.intercept:
            raise ValueError("smo keeps the sum of the dual values: it needs a free intercept")
        box = Box.of(problem)
        a = np.zeros(problem.n) if w0 is None else problem.split(np.asarray(w0, dtype=np.float64))[0]
        value = box.spread(a)
        a = box.gather(value)
        f = problem.times_kernel(a)
        state = SMOState(
            problem.start(), None, False, False, 0.0, "", box=box, value=value, f=f,
            tolerance=self.first * problem.scale(), most=self.most_outer, unit=_unit(problem),
            rows=rows_of(problem, self.cache_bytes),
        )  # fmt: skip
        return _told(problem, state)

    def step(self, problem: KernelProblem, state: SMOState) -> SMOState:
        """Return the state once no pair violates the conditions by more than the tolerance, which then
        falls.
        """
        box, unit = state.box, state.unit
        large = size_of(problem) / unit
        value, f = state.value * large, state.f / unit
        low, high, linear = box.low * large, box.high * large, box.linear / unit
        found = state.rows.run(value, f, box.row, low, high, linear, state.tolerance / unit, state.most)
        if found["witness"] is not None:
            refuse_pair(problem, *found["witness"])
        value = np.clip(value / large, box.low, box.high)
        reached = found["violation"] * unit <= state.tolerance
        new = replace(
            state,
            value=value,
            f=problem.times_kernel(box.gather(value)),
            n_passes=state.n_passes + 1.0,
            # Below this, violations are roundings of the rows that are stored in float32.
            done=reached and state.tolerance <= 1e-11 * problem.scale(),
            tolerance=0.1 * state.tolerance if reached else state.tolerance,
            # A working set that holds all variables is the whole problem: it is not waited for.
            most=min(2 * state.most, (16 if problem.n > WIDEST else 1) * self.most_outer),
        )
        return _told(problem, new)


def refuse_pair(problem: KernelProblem, i: int, j: int) -> None:
    """Refuse a kernel whose values at two rows, in float64, have a negative eigenvalue."""
    pair = np.array([i, j], dtype=np.int64)
    K = np.asarray(
        problem.kernel.block(problem.rows[pair], problem.kernel.centres(problem.rows, pair)), dtype=np.float64
    )
    curved = float(K[0, 0] + K[1, 1] - K[0, 1] - K[1, 0])
    if curved < -1e-12 * float(np.abs(K).max()):
        raise ValueError(
            f"the kernel {problem.kernel.title} is not positive semi-definite: "
            f"k(i, i) + k(j, j) - 2 k(i, j) = {curved:.3g} < 0 for rows {i} and {j}; use a Mercer kernel"
        )


def _told(problem: KernelProblem, state: SMOState) -> SMOState:
    """Return the state with parameters, evaluation and dual values that belong to its variables."""
    a = state.box.gather(state.value)
    refuse_curved(problem, a, state.f)
    y, s = problem.data.y, problem.data.weight
    b = kinked_intercept(problem.loss, y, s, state.f)
    evaluation = problem.evaluated(state.f + b, gradient=False)
    return replace(state, w=problem.join(a, b), evaluation=evaluation, hint=problem.dual_of(a), check=True)


def _unit(problem: KernelProblem) -> float:
    """Return 1, or the scale of the targets where it is extreme."""
    scale = problem.scale()
    return 1.0 if 1e-60 < scale < 1e60 else scale


def size_of(problem: KernelProblem) -> float:
    """Return 1, or what rows of the kernel are divided by where float32 cannot hold them: the largest
    k(x, x).
    """
    largest = float(problem.diagonal.max(initial=0.0))
    return 1.0 if 1e-20 < largest < 1e30 or largest == 0.0 else largest


def rows_of(problem: KernelProblem, cache_bytes: float) -> Any:
    """Return where rows of K are read from; problems that differ in their strength share it."""
    if problem.facts.rows is None:
        X, kernel, size = problem.data.design.X, problem.kernel, size_of(problem)
        if kernel.loop is not None and size == 1.0:
            form, numbers, rows, centre = arguments(kernel.loop, kernel.mapped(X))
            problem.facts.rows = _loops.Smo.of_kernel(form, numbers, rows, centre, cache_bytes)
        else:
            rows = problem.rows

            def block(some: IndexArray, others: IndexArray) -> Array:
                made = kernel.block(rows[some], kernel.centres(rows, others))
                return np.ascontiguousarray(made, dtype=np.float64) / size

            problem.facts.rows = _loops.Smo.of_blocks(
                problem.n, block, np.ascontiguousarray(problem.diagonal) / size, cache_bytes
            )
    return problem.facts.rows
