"""The smallest eigenvalues of an operator: dense for few rows, else Lanczos' method, and a block iteration.

Lanczos' method is several times sooner where the wanted eigenvalues stand apart, and gives up soon where they
do not; the block iteration with the operator's approximate inverse goes on from its vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import eigh

from empirisk.problems.spectral import SEED, SpectralProblem
from empirisk.solvers.base import State
from empirisk.solvers.lanczos import second_look, thick_lanczos
from empirisk.solvers.locally_optimal import Block, Product, across, advance, first_block
from empirisk.typing import Array, Capability

__all__ = ["Eigen"]

# Rows up to which all eigenvalues are computed: 0.05 s, and none is missed.
FEW = 500
# Vectors beside the wanted ones, which tell where the next eigenvalues are and speed up the last wanted ones.
GUARD = 4
# Residual over the bound of the spectrum from which Lanczos' vectors are believed.
BELIEVED = 1e-6
# Iterations in one step, and iterations after which products are computed afresh.
BURST, AFRESH = 2, 12


@dataclass(frozen=True)
class EigenState(State):
    """The block of the iteration, what it is preconditioned with, and whether nothing was tried yet."""

    block: Block | None = field(default=None, kw_only=True)
    inverse: Product | None = field(default=None, kw_only=True)
    count: int = field(default=0, kw_only=True)
    fresh: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Eigen:
    """Lanczos' method across the known null space, and a locally optimal block iteration after it.

    Notes
    -----
    Lanczos' space has 60 vectors and one product each; it is believed when another random vector finds no
    smaller eigenvalue.  An iteration of the block multiplies the operator with two vectors for each wanted
    one, and makes them orthonormal: O(n k^2).  The block has 4 vectors more than are wanted, so that an
    eigenvalue that occurs several times is found as often as it is wanted.  Up to 500 rows all eigenvalues
    are computed.
    """

    name = "eigen"
    needs: frozenset[Capability] = frozenset({Capability.OPERATOR})

    def init(self, problem: SpectralProblem, w0: Array | None) -> EigenState:
        """Return the first state; given vectors are where the block iteration starts."""
        w = problem.start() if w0 is None else np.asarray(w0, dtype=np.float64)
        n, k = problem.operator.n, problem.k
        if k <= problem.operator.null.shape[1] or n <= max(FEW, 4 * (k + GUARD)):
            return EigenState(w)
        return EigenState(w, fresh=True) if w0 is None else self._with_block(problem, w)

    def step(self, problem: SpectralProblem, state: EigenState) -> EigenState:
        """Return the state after Lanczos' rounds or a few iterations, or the exact answer for few rows."""
        known = problem.operator.null
        wanted = problem.k - known.shape[1]
        if wanted <= 0:
            return replace(state, w=known[:, : problem.k].toarray(), done=True)
        if state.fresh:
            return self._krylov(problem, wanted)
        if state.block is None and state.count:
            state = self._with_block(problem, state.w)
        if state.block is None:
            w, further = _dense(problem, wanted)
            return replace(state, w=w, hint=further, done=True)
        block, count = state.block, state.count
        for _ in range(BURST):
            block = advance(
                problem.operator.product, block, wanted, known, state.inverse, count % AFRESH == AFRESH - 1
            )
            count += 1
        w = np.hstack([known.toarray(), block.X[:, :wanted]])
        return replace(
            state, w=w, hint=block.X[:, wanted:], block=block, count=count, n_passes=float(2 * count)
        )

    def _with_block(self, problem: SpectralProblem, w: Array) -> EigenState:
        """Return a state whose block holds given vectors and some random ones."""
        known, n = problem.operator.null, problem.operator.n
        size = problem.k - known.shape[1] + GUARD
        more = np.random.default_rng(SEED + 1).standard_normal((n, size))
        more = np.hstack([w, 1e-3 * more * np.linalg.norm(w, axis=0).mean() / np.sqrt(n)])
        apart = across(more, known)
        # What is left of a known vector is rounding, and points back to it.
        apart = apart[:, np.linalg.norm(apart, axis=0) > 1e-8 * np.linalg.norm(more, axis=0)]
        block = first_block(problem.operator.product, across(apart, known))
        if block.X.shape[1] > size:
            block = Block(block.X[:, :size], block.AX[:, :size], block.values[:size])
        return EigenState(w, block=block, inverse=problem.operator.approximate_inverse(), count=1)

    def _krylov(self, problem: SpectralProblem, wanted: int) -> EigenState:
        """Return what Lanczos' method finds, twice; where it finds too little, the start of a block."""
        operator, known = problem.operator, problem.operator.null
        starts = np.random.default_rng(SEED + 2).standard_normal((2, operator.n))
        found = thick_lanczos(operator.product, starts[0], known, wanted, operator.bound)
        V = found.vectors
        w = np.hstack([known.toarray(), V[:, :wanted]])
        if found.error > BELIEVED * operator.bound or V.shape[1] < wanted:
            if V.shape[1] < wanted:  # the space was invariant: random vectors take the empty places
                return self._with_block(problem, problem.start())
            return self._with_block(problem, w)
        look = second_look(operator.product, starts[1], known, found, wanted, operator.bound)
        if look.values[0] < found.values[wanted - 1]:  # a copy, or one that the first vector did not hold
            return self._with_block(problem, np.hstack([w, look.vectors[:, :1]]))
        return EigenState(w, hint=np.hstack([V[:, wanted : wanted + 2], look.vectors[:, :1]]), count=1)


def _dense(problem: SpectralProblem, wanted: int) -> tuple[Array, Array]:
    """Return the wanted vectors and the next one, from all eigenvalues."""
    operator = problem.operator
    known = operator.null.toarray()
    A = operator.dense()
    # Known vectors go to the top of the spectrum, so that their exact form is kept.
    A = 0.5 * (A + A.T) + (2.0 * operator.bound + 1.0) * (known @ known.T)
    last = min(wanted, operator.n - known.shape[1] - 1)
    _, V = eigh(A, subset_by_index=[0, last], check_finite=False)
    return np.hstack([known, V[:, :wanted]]), V[:, wanted:]
