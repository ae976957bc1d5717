"""A primal-dual interior point for quantiles whose lines may not cross at the rows.

Each order ``x_i.w_j <= x_i.w_{j+1}`` is one more kink: ``max(-reach r, 0)`` at ``r = x_i.(w_{j+1} - w_j)``,
an exact penalty as soon as `reach` is above every multiplier.  With an intercept the equations of the
multipliers bound those of an order by the number of levels; without one `reach` is raised until no lines
cross at the optimum, where it has been high enough.
The steps (`central_path.py`) and the exact end (`crossover.py`) are those of one quantile (Portnoy & Koenker
1997, Statistical Science 12; Bondell, Reich and Wang 2010, Biometrika 97).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.problems.ordered_quantiles import OrderedQuantiles
from empirisk.results import Solution
from empirisk.solvers.base import State
from empirisk.solvers.central_path import Point, advance, start
from empirisk.solvers.crossover import crossover
from empirisk.solvers.kinked_rows import KinkedRows, kinked_rows
from empirisk.solvers.newton import weighted_block
from empirisk.solvers.solve import solve
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["OrderedKinks", "solve_ordered"]

NEAR = 1e-4  # share of the null models' loss that is open, from which the crossover is tried,
SMALL = 1e-13  # and at which iterates are as good as rounding lets them be
HIGHEST = 1e6  # reach at which the search for one ends
CROSSED = 1e-10  # crossing, as a share of the targets' deviation, that is rounding and no price worth paying


@dataclass(frozen=True, eq=False)
class OrderedKinks:
    """The kinks of all levels, then those of the orders; parameters level by level, standardised.

    Parameters
    ----------
    each : tuple of KinkedRows
        The kinks of each level, on the same rows of positive weight.
    reach : float
        The largest multiplier that an order may have.
    """

    each: tuple[KinkedRows, ...]
    reach: float

    @cached_property
    def at(self) -> Array:
        """The places of the kinks; orders have theirs at 0."""
        return np.concatenate([*[one.at for one in self.each], np.zeros(self._n_orders)])

    @cached_property
    def low(self) -> Array:
        """The slopes below the kinks, as steep as `reach` for orders."""
        return np.concatenate([*[one.low for one in self.each], np.full(self._n_orders, -self.reach)])

    @cached_property
    def high(self) -> Array:
        """The slopes above the kinks; an order that is kept costs nothing."""
        return np.concatenate([*[one.high for one in self.each], np.zeros(self._n_orders)])

    @cached_property
    def ridge(self) -> Array:
        """The L2 strengths of the standardised parameters."""
        return np.concatenate([one.ridge for one in self.each])

    @cached_property
    def offset(self) -> Array:
        """The linear function that is added to the kinks, which is 0."""
        return np.zeros(len(self.ridge))

    @property
    def _n_orders(self) -> int:
        return (len(self.each) - 1) * self.each[0].n

    def _levels(self, u: Array) -> Array:
        return u.reshape(len(self.each), -1)

    def _kinks(self, v: Array) -> tuple[Array, Array]:
        """Return a vector over the kinks as levels, shape (k, kinks of one), and orders, shape (k - 1, n)."""
        k, size = len(self.each), len(self.each[0].at)
        return v[: k * size].reshape(k, size), v[k * size :].reshape(k - 1, self.each[0].n)

    def scores(self, u: Array) -> Array:
        """Return the scores of all levels, then how far each is above the one before."""
        levels = [one.scores(part) for one, part in zip(self.each, self._levels(u), strict=True)]
        lines = np.stack([z[: self.each[0].n] for z in levels])
        return np.concatenate([*levels, np.diff(lines, axis=0).ravel()])

    def adjoint(self, v: Array) -> Array:
        """Return the transpose of :meth:`scores` applied to a vector over the kinks."""
        levels, orders = self._kinks(v)
        levels = levels.copy()
        levels[1:, : self.each[0].n] += orders
        levels[:-1, : self.each[0].n] -= orders
        return np.concatenate([one.adjoint(part) for one, part in zip(self.each, levels, strict=True)])

    def gram(self, d: Array) -> Array:
        """``A' diag(d) A + ridge``, whose blocks of neighbouring levels alone are not 0."""
        levels, orders = self._kinks(d)
        levels = levels.copy()
        levels[1:, : self.each[0].n] += orders
        levels[:-1, : self.each[0].n] += orders
        k, size = len(self.each), len(self.ridge) // len(self.each)
        H = np.zeros((k, size, k, size))
        for j, one in enumerate(self.each):
            H[j, :, j] = one.gram(levels[j])
            if j:
                beside = weighted_block(one.problem, one.standard, orders[j - 1])
                H[j - 1, :, j] = H[j, :, j - 1] = -beside
        return H.reshape(k * size, k * size)

    def select(self, index: IndexArray) -> Array:
        """Return the rows of A that belong to these kinks, dense."""
        k, kinks, n = len(self.each), len(self.each[0].at), self.each[0].n
        out = np.zeros((len(index), k, len(self.ridge) // k))
        for j, one in enumerate(self.each):
            mine = index // kinks == j
            mine &= index < k * kinks
            out[mine, j] = one.select(index[mine] % kinks)
        between = np.flatnonzero(index >= k * kinks)
        order, row = np.divmod(index[between] - k * kinks, n)
        rows = self.each[0].select(row)
        out[between, order] = -rows
        out[between, order + 1] = rows
        return out.reshape(len(index), -1)

    def own(self, on: IndexArray) -> IndexArray:
        """Return the coefficients that have one of these kinks for themselves."""
        k, kinks = len(self.each), len(self.each[0].at)
        level, place = np.divmod(on[on < k * kinks], kinks)
        mine = place >= self.each[0].n
        return level[mine] * (len(self.ridge) // k) + place[mine] - self.each[0].n

    def constant(self, on: IndexArray, w: Array) -> Array:
        """Return w: several levels have no one constant."""
        return w

    def to_w(self, u: Array) -> Array:
        """Return parameters in the layout of the problem, shape (p + 1, k)."""
        pairs = zip(self.each, self._levels(u), strict=True)
        return np.stack([one.standard.to_w(part) for one, part in pairs], axis=1)

    def theta(self, u: Array) -> Array:
        """Return the multipliers of rows and orders in the layout of the problem, shape (n, 2k - 1)."""
        levels, orders = self._kinks(u)
        mine = [one.theta(part) for one, part in zip(self.each, levels, strict=True)]
        blank = np.zeros(len(self.each[0].at) - self.each[0].n)
        return np.stack([*mine, *(self.each[0].theta(np.concatenate([v, blank])) for v in orders)], axis=1)


@dataclass(frozen=True)
class _State(State):
    """The kinks and the iterate; `basis` spans the columns when they are dependent."""

    rows: OrderedKinks | None = None
    point: Point | None = None
    basis: Array | None = None


@dataclass(frozen=True)
class _Together:
    """The levels one by one; where their lines cross at a row, steps of an interior point for all together.

    Parameters
    ----------
    tol : float, default 1e-8
        Relative certificate of the levels that are solved alone first.

    Notes
    -----
    O(k n p^2 + (k p)^3) a step, some 15 to 40 steps.
    """

    tol: float = 1e-8

    name = "interior_point"
    needs = frozenset({Capability.PIECEWISE_LINEAR, Capability.DESIGN})

    def init(self, problem: OrderedQuantiles, w0: Array | None = None) -> State:
        """Return the levels solved one by one, and the end where their lines are in order."""
        alone = [solve(part, tol=self.tol) for part in problem.parts]
        w = np.stack([solution.w for solution in alone], axis=1)
        dual = [
            part.loss.grad(part.data.y, part.scores(s.w)) * -1.0 if s.dual is None else s.dual
            for part, s in zip(problem.parts, alone, strict=True)
        ]
        theta = np.hstack([np.stack(dual, axis=1), np.zeros((problem.data.n_rows, len(dual) - 1))])
        passes = float(sum(s.n_passes for s in alone))
        if problem.crossing(w) <= 1e-13 or problem.data.total_weight == 0.0:
            return State(w, None, True, True, passes, hint=theta)
        each = tuple(kinked_rows(part) for part in problem.parts)
        return _State(w, None, False, False, passes, rows=OrderedKinks(each, 2.0 * len(each) + 1.0))

    def step(self, problem: OrderedQuantiles, state: Any) -> State:
        """Return the point after one step, or the exact optimum where the crossover finds it."""
        if state.done:
            return state  # type: ignore[no-any-return]
        rows, basis, point = state.rows, state.basis, state.point
        if point is None:
            basis, point = start(rows, _parallel(rows))
        point = advance(rows, point, basis)
        gap = _open(rows, point) / problem.scale()
        after: _State = replace(
            state, w=rows.to_w(point.w), hint=rows.theta(point.u), point=point, basis=basis,
            check=gap <= SMALL, done=gap <= SMALL or not np.isfinite(gap), n_passes=state.n_passes + 5.0,
        )  # fmt: skip
        if after.done and rows.reach < HIGHEST and problem.crossing(after.w) > CROSSED:
            return replace(after, rows=replace(rows, reach=30.0 * rows.reach), point=None, done=False)
        found = crossover(rows, point.w, point.u) if gap <= NEAR else None
        if found is not None and problem.crossing(rows.to_w(found[0])) > CROSSED:
            found = None
        if found is None:
            return after
        return replace(after, w=rows.to_w(found[0]), hint=rows.theta(found[1]), check=True, done=True)


def solve_ordered(problem: OrderedQuantiles, *, tol: float = 1e-6, max_steps: int = 10_000) -> Solution:
    """Return the quantiles in order: the levels one by one where their lines do not cross, else all together.

    Parameters
    ----------
    problem : OrderedQuantiles
        What to minimise.
    tol : float
        Relative certificate that is asked for.
    max_steps : int
        Step limit.

    Returns
    -------
    Solution
        Its `dual` holds the multipliers of rows and orders, shape (n, 2k - 1).
    """
    return solve(problem, _Together(tol), tol=tol, max_steps=max_steps)


def _parallel(rows: OrderedKinks) -> Array:
    """Return the least-squares line of the rows, moved to the quantiles of its residuals where it is free to
    be: lines that are in order with room between them.
    """
    first, n = rows.each[0], rows.each[0].n
    width = first.high - first.low
    H = first.gram(width)
    line = np.linalg.lstsq(H, first.adjoint(width * first.at), rcond=1e-12)[0]
    out = np.tile(line, (len(rows.each), 1))
    if first.problem.intercept:
        data = first.problem.data
        left = np.asarray(data.y, dtype=np.float64) - first.scores(line)[:n]
        moved = [float(one.problem.loss.best_constant(left, data.weight)) for one in rows.each]
        room = 1e-3 * (max(moved) - min(moved)) * np.arange(len(moved))
        out[:, -1] += np.asarray(moved) + room
    return out.ravel()


def _open(rows: OrderedKinks, x: Point) -> float:
    """Return the sum of the products of parts and multipliers, which is the gap of a feasible point."""
    return float(x.up @ (rows.high - x.u) + x.down @ (x.u - rows.low))
