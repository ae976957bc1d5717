"""Working sets of groups for smooth convex losses with a group lasso penalty.

Qin, Scheinberg and Goldfarb, Mathematical Programming Computation 5 (2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.penalties.group_lasso import GroupLasso
from empirisk.penalties.zero import Zero
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.newton_block import NewtonBlocks
from empirisk.solvers.prox_newton import SWEEPS, ProxNewton, ProxNewtonState
from empirisk.solvers.screening import safely_zero
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["BlockCoordinate"]

FIRST_SET = 20  # groups
MARGIN = 5  # groups beyond those that violate their constraint: they may do so after the next solve


@dataclass(frozen=True)
class BlockCoordinate(ProxNewton):
    """Quadratic models of the loss on working sets of groups, minimised one group at a time, each exactly.

    With ``v_g = X_g'theta``, theta a feasible dual point with gap g, a group is zero at the optimum if
    ``||v_g|| + 2 sqrt(2 gamma g) ||X_g||_F < alpha c_g``, gamma the largest curvature of the loss: then it is
    screened.  The working set holds the groups in use and those nearest to their constraint
    ``||v_g|| <= alpha c_g``.

    Parameters
    ----------
    accuracy : float, default 0
        Relative gap to which each working set is solved at least; 0 leaves it to the gap of the whole.
    warm : ProxNewtonState, optional
        Where a solve of the same data at another strength ended.

    Notes
    -----
    A step reads X once, or only its unscreened columns.  A working set of k <= n/2 columns has its Gram
    matrix, O(n k^2), and costs O(k^2) a cycle over its groups; a larger one O(n k).

    References
    ----------
    Yuan & Lin 2006 (JRSS-B 68); Qin, Scheinberg & Goldfarb 2013 (Math. Prog. Comp. 5); Ndiaye, Fercoq,
    Gramfort & Salmon 2017 (JMLR 18).

    Examples
    --------
    >>> from dataclasses import replace
    >>> import empirisk as er
    >>> from empirisk.penalties import GroupLasso
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3) * 3**0.5, [9.0, 12.0, 1.0])
    >>> penalty = GroupLasso(1.0, [[0, 1], [2]], [3**0.5, 3**0.5])
    >>> er.solve(replace(ridge, penalty=penalty), "block_coordinate").w.round(6)
    array([4.156922, 5.542563, 0.      ])
    """

    name = "block_coordinate"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.HESS,
            Capability.CONJUGATE,
            Capability.GROUPS,
            Capability.SCALAR_SCORE,
            Capability.CONVEX,
        }
    )

    def working_set(
        self, problem: LinearProblem, state: ProxNewtonState, blocks: NewtonBlocks, support: IndexArray
    ) -> tuple[IndexArray, bool, int]:
        """Whole groups: those held, those that violate most, a few that come close."""
        assert state.v is not None
        layout = _Layout.of(problem, state)
        owner = layout.labels
        held = blocks.reusable(support)
        if not np.isin(support, held).all():
            held = support
        in_set = np.unique(np.concatenate([owner[held], owner[support], layout.free]))
        if len(held) != int(layout.sizes[np.unique(owner[held])].sum()):
            held = np.empty(0, dtype=np.int64)  # not whole groups: a new order
        size = layout.norms(state.v) / layout.strength
        alive = np.unique(owner[state.alive])
        rest = alive[~np.isin(alive, in_set)]
        violating = int(np.count_nonzero(size[rest] > 1.0))
        distance = (1.0 - state.scale * size[rest]) / layout.reach[rest]
        wanted = max(FIRST_SET, len(in_set)), max(violating + MARGIN, FIRST_SET - len(in_set))
        rest = rest[np.argsort(distance, kind="stable")[: min(*wanted)]]
        new = np.concatenate([np.setdiff1d(in_set, owner[held]), rest])
        index = np.concatenate([held, layout.columns_of(new)])
        if len(index) == 0:
            blocks.work_on(index, Zero())
            return index, False, SWEEPS
        part, starts = owner[index], np.flatnonzero(np.diff(owner[index], prepend=-1))
        groups = np.split(np.arange(len(index)), starts[1:])
        blocks.work_on(index, GroupLasso(1.0, [g.tolist() for g in groups], layout.strength0[part[starts]]))
        return index, bool(np.any(size[rest] > 1.0)), SWEEPS

    def screened(
        self, problem: LinearProblem, state: ProxNewtonState, v: Array, gap: float, coef: Array
    ) -> IndexArray:
        """Return the columns of the groups that may be nonzero."""
        assert state.alive is not None
        layout = _Layout.of(problem, state)
        size = layout.norms(v) / layout.strength
        zero = safely_zero(size, layout.reach, 1.0, gap, problem.loss.curvature[1])
        zero &= (layout.norms(coef) == 0.0) & (layout.strength0 > 0.0)
        return state.alive[~zero[layout.labels[state.alive]]]


@dataclass(frozen=True, eq=False)
class _Layout:
    """Which columns belong to which group, and the size of each group."""

    labels: IndexArray
    order: IndexArray  # columns, group by group
    sizes: IndexArray
    strength0: Array  # alpha c_g, 0 for free coefficients
    scale: Array  # Frobenius norms of the centred groups

    @classmethod
    def of(cls, problem: LinearProblem, state: Any) -> _Layout:
        labels, strength = problem.penalty.blocks(problem.data.n_cols)
        squares = np.bincount(labels, weights=state.columns.norm**2, minlength=len(strength))
        order = np.argsort(labels, kind="stable")
        scale = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        return cls(labels, order, np.bincount(labels, minlength=len(strength)), strength, scale)

    @property
    def strength(self) -> Array:
        """The strengths; tiny for free coefficients, which then violate whatever v is."""
        return np.maximum(self.strength0, math.sqrt(np.finfo(float).tiny))

    @property
    def reach(self) -> Array:
        """By how much ``||v_g|| / strength_g`` moves with theta, at most."""
        return self.scale / self.strength

    @property
    def free(self) -> IndexArray:
        """The indices of the groups of strength 0, which no threshold keeps at 0."""
        return np.flatnonzero(self.strength0 == 0.0)

    def norms(self, v: Array) -> Array:
        """Return the length ``||v_g||`` of every group of coefficients."""
        return np.sqrt(np.bincount(self.labels, weights=v**2, minlength=len(self.sizes)))

    def columns_of(self, groups: IndexArray) -> IndexArray:
        """Return the columns of some groups, one group after the other."""
        ends = np.cumsum(self.sizes)
        parts = [self.order[ends[g] - self.sizes[g] : ends[g]] for g in groups]
        return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, dtype=np.int64)
