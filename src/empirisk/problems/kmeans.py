"""K-means as a problem of the one loop: K centres, and one pass over row blocks for all that a step needs.

The objective is ``J(c) = (1/S) sum_i s_i min_k ||x_i - c_k||^2``.  Where no row is equally near to two
centres, ``dJ/dc_k = 2 (S_k/S) (c_k - mean_k)``, with S_k and mean_k of the rows nearest to c_k; and whatever
the rows do next, moving the centres to these means lowers J by at least

    ``step = sum_k (S_k/S) ||c_k - mean_k||^2``.

A point with step 0 is a fixed point of Lloyd's steps.  J is not convex: nothing is claimed about its minimum.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.data.row_checks import check_rows, where
from empirisk.problems.base import Layout, Part, Problem
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["CenterSums", "KMeansProblem", "fixed_point_certificate"]


def fixed_point_certificate(
    step: float, inertia: float, scale: float, centers: Array, eps: float, further: str = ""
) -> Certificate:
    """Return what is certified of centres and the rows nearest to them.

    Parameters
    ----------
    step : float
        ``sum_k (S_k/S) ||c_k - mean_k||^2``.
    inertia : float
        ``J(c)``.
    scale : float
        J of one centre, the mean of all rows.
    centers : array, shape (K, p)
        Centres as they are stored.
    eps : float
        Precision of their format.
    further : str
        What else is known, for the end of the claim.
    """
    floor = float((4.0 * eps) ** 2 * (centers**2).sum(axis=1).max(initial=0.0))
    if inertia == 0.0:
        claim = (
            "every row lies on its centre, or so near that squares vanish: the objective is 0, which "
            "nothing is below"
        )
        return Certificate(Kind.EXACT, 0.0, scale if scale > 0.0 else 1.0, claim)
    if scale <= floor and floor > 0.0:
        claim = (
            f"the centres are rounded to squares of {floor:.2g}, and the weighted mean square of all rows "
            f"about their mean is {scale:.2g}: nothing smaller can be told, because one row outweighs all "
            "others or all lie far from 0; lower its weight, or centre X"
        )
        return Certificate(Kind.STATIONARITY, step, scale if scale > 0.0 else 1.0, claim, 0.0, floor)
    shown = max(step, floor)
    relative = shown / scale if scale > 0.0 else 0.0
    if len(centers) == 1:
        claim = f"one centre is the mean of the rows: J - min J = {shown:.2g}, {relative:.1g} of J"
        return Certificate(Kind.EXACT, step, scale, claim, 0.0, floor)
    fixed = "a fixed point of the steps; " if step <= floor else ""
    claim = (
        f"every row is with its nearest centre, and moving each centre to the mean of its rows lowers J = "
        f"{inertia:.6g} by {shown:.2g} ({relative:.1g} of the total variance), by {Kind.STATIONARITY.value}: "
        f"{fixed}other clusters may have a smaller J{further}"
    )
    return Certificate(Kind.STATIONARITY, step, scale if scale > 0.0 else 1.0, claim, 0.0, floor)


@dataclass(frozen=True)
class CenterSums:
    """What one pass over the rows tells about centres.

    Parameters
    ----------
    loss : float
        ``J(c)``.
    grad : array, shape (K, p)
        ``2 (S_k/S) (c_k - mean_k)``.
    means : array, shape (K, p)
        Means of the rows nearest to each centre; the centre itself where there is none.
    mass : array, shape (K,)
        Weights of these rows.
    """

    loss: float
    grad: Array
    means: Array
    mass: Array

    @property
    def step(self) -> float:
        """How much the next step lowers J at least: ``sum_k (S_k/S) ||c_k - mean_k||^2``."""
        share = self.mass / self.mass.sum()
        live = share > 0.0
        return float(((self.grad[live] / 2.0) ** 2 / share[live, None]).sum())


@dataclass(frozen=True, eq=False, repr=False)
class KMeansProblem(Problem, Brief):
    """``J(c) = (1/S) sum_i s_i min_k ||x_i - c_k||^2`` over row blocks.

    Parameters
    ----------
    data : RowBlocks
        Rows in blocks, such as :class:`empirisk.data.BlockList`; targets are not looked at.
    first : array, shape (K, p)
        Where to start: see :data:`empirisk.clustering.SEEDINGS`.

    Notes
    -----
    Products and differences are made in the format of the rows, sums in float64, block after block in their
    order; no array has a number for each row of all blocks.

    Examples
    --------
    >>> from empirisk.data import BlockList
    >>> rows = BlockList.cut(np.array([[0.0], [1.0], [8.0], [9.0]]), np.zeros(4), rows=3)
    >>> problem = KMeansProblem(rows, np.array([[0.0], [1.0]]))
    >>> e = problem.evaluate(np.array([[0.0], [9.0]]))
    >>> e.loss, e.means.ravel()
    (0.5, array([0.5, 8.5]))
    """

    data: RowBlocks
    first: Array
    _null: list[float] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        first = np.array(self.first, dtype=np.float64)
        if first.ndim != 2 or not len(first) or first.shape[1] != self.data.n_cols:
            raise ValueError(
                f"first must hold K centres of {self.data.n_cols} columns, got shape {first.shape}"
            )
        object.__setattr__(self, "first", first)

    @property
    def title(self) -> str:
        """What errors call the problem, with its number of centres."""
        return f"k-means with {len(self.first)} centres"

    @property
    def layout(self) -> Layout:
        """One row for each centre, none of which is penalised."""
        return Layout(self.first.shape, (Part("centres", len(self.first), penalised=False),))

    @property
    def capabilities(self) -> frozenset[Capability]:
        """A step in closed form: the means of the rows nearest to each centre."""
        return frozenset({Capability.MEANS})

    def start(self) -> Array:
        """Return the centres that were given."""
        return self.first

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> CenterSums:
        """Assign all rows, and sum up the clusters."""
        w = np.ascontiguousarray(w, dtype=np.float64)
        shift = w.mean(axis=0)
        loss, total, mass = self.data.map_sum(lambda block: _pass(block, w, shift))
        live = mass > 0.0
        means = w.copy()
        means[live] = total[live] / mass[live, None]
        whole = float(mass.sum())
        if not whole > 0.0:
            raise ValueError("the weights are zero for every row; at least one must be positive")
        return CenterSums(loss / whole, 2.0 * (mass / whole)[:, None] * (w - means), means, mass)

    def refilled(self, w: Array, evaluation: CenterSums) -> Array:
        """Return the means, with each centre that has no rows on the row that is farthest from its own.

        Each takes the row of positive weight with the largest squared distance to its centre and to the rows
        taken before (of equal ones the first), which leaves its cluster; rows alone in theirs stay.
        """
        means, mass = evaluation.means.copy(), evaluation.mass.copy()
        taken: list[Array] = []
        for k in np.flatnonzero(mass <= 0.0):
            best = _Farthest(w, taken, mass)
            self.data.map_sum(best.see)
            if not best.square > 0.0:
                distinct = int((mass > 0.0).sum())
                raise ValueError(
                    f"{len(w)} clusters are more than the {distinct} distinct rows of positive weight; set "
                    "n_clusters to at most that number"
                )
            old, left = best.label, mass[best.label] - best.weight
            means[old] += (means[old] - best.row) * (best.weight / left)
            mass[old], mass[k], means[k] = left, best.weight, best.row
            taken.append(best.row)
        return means

    def finish(self, solution: Solution, tol: float, /) -> Solution:
        """Return the last point: no step raises J, whatever the certificate does on the way."""
        state = solution.state
        if state is None or state.evaluation is None or not np.isfinite(state.w).all():
            return solution
        return replace(solution, w=state.w, certificate=self.certify(state.w, state.evaluation))

    def objective(self, w: Array, evaluation: CenterSums, /) -> float:
        """The mean of the squared distances, which has no penalty."""
        return evaluation.loss

    def certify(
        self, w: Array, evaluation: Any = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """How far the centres are from a fixed point; nothing is claimed about the minimum."""
        e = self.evaluate(w) if evaluation is None else evaluation
        return fixed_point_certificate(e.step, e.loss, self.scale(), w, float(np.finfo(np.float64).eps))

    def scale(self) -> float:
        """``J`` of the mean of all rows, from two passes that are made once."""
        if not self._null:
            mean = self.evaluate(self.first[:1]).means
            self._null.append(self.evaluate(mean).loss)
        return self._null[0]


class _Farthest:
    """The row that is farthest from its centre and from the rows taken before, over all blocks."""

    def __init__(self, centers: Array, taken: list[Array], mass: Array) -> None:
        self.centers, self.taken, self.mass = centers, taken, mass
        self.square, self.weight, self.label = 0.0, 0.0, 0
        self.row: Array = np.empty(0)

    def see(self, block: Block) -> int:
        """Look at a block; of rows that are equally far the first one seen stays."""
        X, label, square = _nearest(block, self.centers, self.centers.mean(axis=0))
        weight = np.asarray(block.weight, dtype=np.float64)
        for row in self.taken:
            np.minimum(square, _nearest(block, row[None], None)[2], out=square)
        square[(weight <= 0.0) | (self.mass[label] <= weight)] = 0.0
        at = int(np.argmax(square)) if len(square) else 0
        if len(square) and square[at] > self.square:
            here: Any = X[[at]]
            if not isinstance(here, np.ndarray):
                here = here.toarray()
            self.row = np.asarray(here, dtype=np.float64)[0]
            self.square, self.weight, self.label = float(square[at]), float(weight[at]), int(label[at])
        return 0


def _nearest(block: Block, centers: Array, shift: Array | None) -> tuple[Any, Any, Array]:
    """Rows as the loops read them, their nearest centres, and the squared distances."""
    X: Any = block.design.X
    dense = isinstance(X, np.ndarray)
    if dense:
        X = np.ascontiguousarray(X)
    label, square = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
    _loops.nearest_centers(X, centers, shift if dense else None, label, square)
    return X, label, square


def _pass(block: Block, centers: Array, shift: Array) -> tuple[float, Array, Array]:
    """The weighted sum of squares, the sums and the weights of the clusters in a block."""
    check_rows(block, where(0, block))
    X, label, square = _nearest(block, centers, shift)
    dense = isinstance(X, np.ndarray)
    weight = np.ascontiguousarray(block.weight, dtype=np.float64)
    total, mass = np.zeros(centers.shape), np.zeros(len(centers))
    _loops.cluster_sums(X, weight, label, None, shift if dense else None, total, mass)
    if dense:
        total += mass[:, None] * shift
    return float((weight * square).sum()), total, mass
