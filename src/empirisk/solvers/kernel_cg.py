"""Conjugate gradients for least squares over the functions of a kernel, without the kernel matrix.

With ``a = diag(s)^(1/2) c``, ``A = diag(s)^(1/2) K diag(s)^(1/2)`` and P the projection along ``s^(1/2)`` (a
free intercept asks for ``sum a = 0``) the minimiser solves

    (P A P + alpha S I) c = P diag(s)^(1/2) y.

The preconditioner is ``P F F' P + alpha S I`` with a factor ``F F'`` of few columns in the place of A (Diaz,
Epperly, Frangella, Tropp and Webber 2023, arXiv:2304.12465): where the trace of what F misses is at most
``alpha S``, the number of iterations does not depend on n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from empirisk.data.memory import available_memory, refuse_memory
from empirisk.kernels.tiles import Tiles
from empirisk.problems.intercept import best_intercept
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_curved, refuse_no_kernel
from empirisk.solvers.base import State
from empirisk.solvers.pivoted_cholesky import pivoted_cholesky
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["KernelCG", "pays"]

# Iterations in one step at most, and the share of the residual at which it ends: the gap is its square.
BURST = 200
SHARE = 1e-4
# Rows up to which a step goes on to this share, on tiles of float64: it takes milliseconds.
FEW, FINE = 2_000, 1e-9
# Columns of the factor as multiples of the root of n, by the ridge over the mean of the diagonal (`_rank`).
FEWEST, MOST = 2.0, 16.0
# Rows from which, and ridges over the mean of the diagonal down to which, `auto` prefers this solver to
# Cholesky's.  CPU seconds, Gaussian kernel on 20 columns of noise: 6000 rows 0.5, 1.1, 2.8 at ridges of 1,
# 0.01, 0.0001, against 3.0; 2000 rows 0.08 against 0.11; 1000 rows 0.03 against 0.02.
MANY, LEAST = 4_000, 1e-2


@dataclass(frozen=True, eq=False)
class System:
    """The system that is solved, its preconditioner, and where products with K come from.

    Parameters
    ----------
    root : array, shape (n,)
        Roots of the weights.
    ridge : float
        ``alpha S``.
    along : array, shape (n,), or None
        The unit vector that P leaves out.
    factor : array, shape (n, m)
        ``P F``.
    inner : tuple or None
        The Cholesky factor of ``F'P F + alpha S I``; None without a preconditioner.
    tiles : Tiles
        Products with K over `size`, in the format of its tiles.
    """

    root: Array
    ridge: float
    along: Array | None
    factor: Array
    inner: Any
    tiles: Tiles

    def projected(self, v: Array) -> Array:
        """Return P v, the vector without its part along `along`."""
        return v if self.along is None else v - self.along * float(self.along @ v)

    def times(self, v: Array) -> Array:
        """Return ``(P A P + alpha S I) v`` for v in the range of P."""
        out = self.root * self.tiles.product(self.root * v) * self.tiles.size
        return self.projected(out) + self.ridge * v

    def preconditioned(self, r: Array) -> Array:
        """``(P F F' P + alpha S I)^-1 r`` by the formula of Woodbury."""
        if self.inner is None:
            return r / self.ridge
        seen = cho_solve(self.inner, self.factor.T @ r, check_finite=False)
        return self.projected((r - self.factor @ seen) / self.ridge)


@dataclass(frozen=True)
class CGState(State):
    """The point, the residual of the system there, and the value of the objective."""

    system: System = field(kw_only=True)
    residual: Array = field(kw_only=True)
    value: float = field(default=math.inf, kw_only=True)
    stalls: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class KernelCG:
    """Bursts of preconditioned conjugate gradients, each from the true residual in float64.

    Parameters
    ----------
    memory : float, default 2000
        MB for tiles of the kernel matrix, and half of what is free at most; what does not fit is made anew in
        every iteration.

    Notes
    -----
    Half of K once, where it fits into `memory` in float32 (``2 n^2`` bytes), else in each iteration; all of
    it at the end of a step, in float64 as the certificate asks for.  The factor has ``4 sqrt n`` columns
    where the ridge is about the mean of ``s_i k(x_i, x_i)``: ``32 n^1.5`` bytes and some ``32 n^2`` flops.
    Pivots are drawn from a fixed seed.
    """

    memory: float = 2000.0
    name = "kernel_cg"
    stores_kernel = False
    needs = frozenset({Capability.KERNEL, Capability.QUADRATIC})

    def init(self, problem: KernelProblem, w0: Array | None = None) -> CGState:
        """Return the state at the given point, or at the null model."""
        refuse_no_kernel(problem)
        system = _system(problem, self.memory)
        a = np.zeros(problem.n) if w0 is None else problem.split(np.asarray(w0, dtype=np.float64))[0]
        live = system.root > 0.0
        c = np.divide(a, system.root, out=np.zeros(problem.n), where=live)
        return _at(problem, system, system.root * system.projected(c), 0.0)

    def step(self, problem: KernelProblem, state: CGState) -> CGState:
        """Return the state after one burst."""
        system = state.system
        c, used = _burst(system, state.residual, FINE if problem.n <= FEW else SHARE)
        a = problem.split(state.w)[0] + system.root * c
        new = _at(problem, system, a, state.n_passes + used)
        if not new.value < state.value * (1.0 - 1e-15):
            kept = state if new.value > state.value or not math.isfinite(new.value) else new
            new = replace(kept, stalls=state.stalls + 1, n_passes=new.n_passes, check=True)
        slow = float(new.residual @ new.residual) > 0.25 * float(state.residual @ state.residual)
        if slow and system.tiles.dtype != np.float64:  # the rounding of the tiles is as large as the residual
            return replace(
                new, system=replace(system, tiles=_tiles(problem, self.memory, np.float64)), stalls=0
            )
        return replace(new, done=new.stalls >= 3 or used == 0)


def _burst(system: System, residual: Array, share: float) -> tuple[Array, int]:
    """Take conjugate gradients from 0 until a share of the residual is left; return change and iterations."""
    x, r = np.zeros_like(residual), residual.copy()
    square = float(r @ r)
    goal = share**2 * square
    z = system.preconditioned(r)
    p, rz = z, float(r @ z)
    used = 0
    while used < BURST and square > goal and rz > 0.0:
        product = system.times(p)
        used += 1
        curvature = float(p @ product)
        if not curvature > 0.0:
            break
        x += (rz / curvature) * p
        r -= (rz / curvature) * product
        square = float(r @ r)
        z = system.preconditioned(r)
        before, rz = rz, float(r @ z)
        p = z + (rz / before) * p
    return x, used


def pays(problem: KernelProblem) -> bool:
    """Return whether this is a problem for conjugate gradients: they are faster, or K does not fit."""
    free = available_memory()
    if free is not None and 16.0 * float(problem.n) ** 2 > 0.8e9 * free:
        return True
    return problem.n >= MANY and _share(problem) >= LEAST


def _share(problem: KernelProblem) -> float:
    """Return the ridge as a multiple of the mean of ``s_i k(x_i, x_i)``."""
    mean = float(problem.data.weight @ problem.diagonal) / problem.n
    return problem.alpha * problem.data.total_weight / mean if mean > 0.0 else math.inf


def _rank(problem: KernelProblem, diagonal: Array) -> int:
    """Return the columns of the factor: more of them where a small ridge leaves more to see."""
    share = max(_share(problem), 1e-300)
    columns: float = min(max(4.0 * share ** (-1.0 / 8.0), FEWEST), MOST)
    wanted = columns * math.sqrt(problem.n)
    return min(int(np.count_nonzero(diagonal > 0.0)), math.ceil(wanted))


def _tiles(problem: KernelProblem, memory: float, dtype: Any) -> Tiles:
    """Return products with K in a format; problems that differ in their strength share them."""
    known = problem.facts.tiles
    if known is None or known.dtype != dtype:
        free = available_memory()
        limit = 1e6 * memory if free is None else min(1e6 * memory, 0.5e9 * free)
        size = float(problem.diagonal.max(initial=0.0))
        size = size if size > 0.0 and not 1e-20 < size < 1e30 else 1.0
        known = problem.facts.tiles = Tiles(problem.kernel, problem.rows, limit, dtype, size)
    return known


def _system(problem: KernelProblem, memory: float) -> System:
    """Return the system of a problem, with its preconditioner."""
    s = problem.data.weight
    root, ridge = np.sqrt(s), problem.alpha * problem.data.total_weight
    along = root / np.sqrt(problem.data.total_weight) if problem.intercept else None

    def columns(pivots: IndexArray) -> Array:
        block = problem.kernel.block(problem.rows, problem.kernel.centres(problem.rows, pivots))
        out = np.array(block, dtype=np.float64)
        out *= root[:, None]
        out *= root[pivots]
        return out

    diagonal = s * problem.diagonal
    rank = _rank(problem, diagonal)
    refuse_memory(
        f"the preconditioner of a kernel problem with {problem.n} rows",
        12.0 * problem.n * rank,
        "fit on fewer rows, or map the rows by Nystroem or random features and fit a linear model",
    )
    factor = pivoted_cholesky(columns, diagonal, rank, ridge, np.random.default_rng(0)).factor
    if along is not None:
        factor -= np.multiply.outer(along, along @ factor)
    # Roundings of the tiles are a matrix of about this norm beside the ridge.
    rounding = 2.0**-23 * math.sqrt(problem.n) * float(diagonal.max(initial=0.0))
    rough = problem.n > FEW and rounding <= 1e-2 * ridge
    tiles = _tiles(problem, memory, np.dtype(np.float32 if rough else np.float64))
    return System(root, ridge, along, factor, _inner(factor, ridge), tiles)


def _inner(factor: Array, ridge: float) -> Any:
    """Return the Cholesky factor of ``F'F + ridge I``; None where there is none in floating point."""
    inside = factor.T @ factor
    if not len(inside) or not np.isfinite(inside).all():
        return None
    inside[np.diag_indices_from(inside)] += ridge + 1e-15 * float(np.trace(inside))
    try:
        return cho_factor(inside, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None


def _at(problem: KernelProblem, system: System, a: Array, passes: float) -> CGState:
    """Return the state at weights of the rows, with the best intercept; it takes one product in float64."""
    f = problem.times_kernel(a)
    refuse_curved(problem, a, f)
    y, s, b = problem.data.y, problem.data.weight, 0.0
    if problem.intercept and np.isfinite(f).all():
        b = float(best_intercept(problem.loss, y, s, f))
    w = problem.join(a, b)
    evaluation = problem.evaluated(f + b, gradient=False)
    value = problem.objective(w, evaluation)
    live = system.root > 0.0
    c = np.divide(a, system.root, out=np.zeros(problem.n), where=live)
    residual = -system.root * problem.loss.grad(y, f + b) - system.ridge * c
    return CGState(
        w, evaluation, True, False, passes + 1.0, "", hint=problem.dual_of(a), system=system,
        residual=system.projected(residual), value=value if math.isfinite(value) else math.inf,
    )  # fmt: skip
