"""The smallest eigenvalues of an operator: dense for few rows, else a preconditioned block iteration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import eigh

from empirisk.problems.spectral import SEED, SpectralProblem
from empirisk.solvers.base import State
from empirisk.solvers.locally_optimal import Block, Product, across, advance, first_block
from empirisk.typing import Array, Capability

__all__ = ["Eigen"]

# Rows up to which all eigenvalues are computed: 0.05 s, and none is missed.
FEW = 500
# Vectors beside the wanted ones, which tell where the next eigenvalues are and speed up the last wanted ones.
GUARD = 4
# Iterations in one step, and iterations after which products are computed afresh.
BURST, AFRESH = 2, 12


@dataclass(frozen=True)
class EigenState(State):
    """The block of the iteration, and what it is preconditioned with."""

    block: Block | None = field(default=None, kw_only=True)
    inverse: Product | None = field(default=None, kw_only=True)
    count: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Eigen:
    """Locally optimal block iteration across the known null space, with the operator's approximate inverse.

    Notes
    -----
    An iteration multiplies the operator with two vectors for each wanted one, and makes them orthonormal:
    O(n k^2).  The block has 4 vectors more than are wanted, so that an eigenvalue that occurs several times
    is found as often as it is wanted.  Up to 500 rows all eigenvalues are computed.
    """

    name = "eigen"
    needs: frozenset[Capability] = frozenset({Capability.OPERATOR})

    def init(self, problem: SpectralProblem, w0: Array | None) -> EigenState:
        """Return random vectors, or given ones with random vectors beside them."""
        n, k = problem.operator.n, problem.k
        w = problem.start() if w0 is None else np.asarray(w0, dtype=np.float64)
        known = problem.operator.null
        wanted = k - known.shape[1]
        if wanted <= 0 or n <= max(FEW, 4 * (k + GUARD)):
            return EigenState(w)
        more = np.random.default_rng(SEED + 1).standard_normal((n, wanted + GUARD))
        if w0 is not None:
            more = np.hstack([w, 1e-3 * more * np.linalg.norm(w, axis=0).mean() / np.sqrt(n)])
        block = first_block(problem.operator.product, across(across(more, known), known))
        if block.X.shape[1] > wanted + GUARD:
            size = wanted + GUARD
            block = Block(block.X[:, :size], block.AX[:, :size], block.values[:size])
        return EigenState(w, block=block, inverse=problem.operator.approximate_inverse())

    def step(self, problem: SpectralProblem, state: EigenState) -> EigenState:
        """Return the state after a few iterations, or the exact answer for few rows."""
        known = problem.operator.null
        wanted = problem.k - known.shape[1]
        if wanted <= 0:
            return replace(state, w=known[:, : problem.k].toarray(), done=True)
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
