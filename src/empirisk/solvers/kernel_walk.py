"""SGD for soft-margin machines over the functions of a kernel: steps on the weights of the rows.

    ``beta_1 = 0``, ``a_t = beta_t / (alpha t)``;  i at random;  ``beta_i -= l'(y_i, (K a_t)_i)``

which for the hinge is ``beta_i += y_i`` where ``y_i (K a_t)_i < 1``; the output is the mean of
``a_1 ... a_T``.
Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127 (2011), section 4; Shalev-Shwartz and
Ben-David, Understanding Machine Learning (2014), section 16.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from empirisk import _loops
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_curved
from empirisk.results import Certificate, Solution, Status
from empirisk.typing import Array, IndexArray

__all__ = ["KernelWalk", "best_certificate", "kernel_walk", "walked"]

# Draws whose kernel is computed at once: the scores that the weights before the block give to all of them are
# one product, and each step inside moves the scores of the block.
BLOCK = 512
# Steps between two looks at the keyboard, where the matrix is stored.
STRETCH = 16_384


@dataclass(frozen=True, eq=False)
class KernelWalk:
    """What the steps leave.

    Parameters
    ----------
    mean : array, shape (n,)
        The mean of the weights of the rows over the steps.
    slope : array, shape (n,)
        Minus the mean slope of the loss of each row at its draws: it lies in the domain of the conjugate, and
        nears the dual optimum as the mean nears the optimum.
    """

    mean: Array
    slope: Array


def kernel_walk(
    problems: Sequence[KernelProblem], steps: int, seed: int, cache_bytes: float = 5e8
) -> list[KernelWalk]:
    """Return where the steps of each problem lead; all meet the same draws.

    Parameters
    ----------
    problems : sequence of KernelProblem
        On the same rows, with the same kernel, strength and weights, and without an intercept; their losses
        have compiled slopes.
    steps : int
        T, >= 1.
    seed : int
        Of the draws: row i with probability ``s_i / S``.
    cache_bytes : float
        The kernel matrix is stored where it takes no more and there are as many steps as rows.

    Notes
    -----
    O(steps) rows of the kernel, each against the rows that have been added so far; or, with the matrix
    stored, n^2 values of the kernel and O(steps n) flops.
    """
    first = problems[0]
    if first.intercept:
        raise ValueError("the steps have no intercept: a free constant needs another solver")
    stored = _store(first, steps, cache_bytes)
    rows = _Stored(problems) if stored else _Drawn(problems)
    draw = _draws(first, np.random.default_rng(seed))
    beta, total = np.zeros((first.n, len(problems))), np.zeros((first.n, len(problems)))
    drawn_often = np.zeros(first.n)
    for begin in range(0, steps, rows.stretch):
        count = min(rows.stretch, steps - begin)
        drawn = draw(count)
        added = rows.steps(drawn, begin + 1, beta)
        drawn_often += np.bincount(drawn, minlength=first.n)
        np.add.at(beta, drawn, added.T)
        # What step t adds stands in a_(t+1), a_(t+2), ...: 1/(t+1) + ... + 1/T of it counts.
        later = digamma(steps + 1.0) - digamma(begin + 2.0 + np.arange(count))
        np.add.at(total, drawn, (added * later).T)
    # A row that only the last step added to has no weight in the mean, and no dual value then.
    theta = np.where(total == 0.0, 0.0, beta / np.maximum(drawn_often, 1.0)[:, None])
    return [KernelWalk(a / (first.alpha * steps), t) for a, t in zip(total.T, theta.T, strict=True)]


class _Stored:
    """Steps with the kernel matrix in memory: the scores of all rows are kept up to date."""

    stretch = STRETCH

    def __init__(self, problems: Sequence[KernelProblem]) -> None:
        self.problem = problems[0]
        self.y = _labels(problems)
        self.score = np.zeros_like(self.y)

    def steps(self, drawn: IndexArray, first: int, beta: Array) -> NDArray[np.float64]:
        """Return what each step adds to the weight of its row, shape (problems, steps)."""
        return _steps(self.problem, self.problem.gram.matrix(), self.y, drawn, first, self.score)


class _Drawn:
    """Steps with the kernel of a block of draws, against each other and against the rows with a weight."""

    stretch = BLOCK

    def __init__(self, problems: Sequence[KernelProblem]) -> None:
        self.problem = problems[0]
        self.y = _labels(problems)

    def steps(self, drawn: IndexArray, first: int, beta: Array) -> NDArray[np.float64]:
        """Return what each step adds to the weight of its row, shape (problems, steps)."""
        kernel, rows = self.problem.kernel, self.problem.rows
        some = rows[drawn]
        support = np.flatnonzero(beta.any(axis=1))
        score = np.zeros((len(self.y), len(drawn)))
        if len(support):
            score += kernel.product(some, kernel.centres(rows, support), beta[support]).T
        matrix = kernel.block(some, kernel.centres(rows, drawn))
        order = np.arange(len(drawn), dtype=np.int64)
        return _steps(self.problem, matrix, self.y[:, drawn], order, first, score)


def _steps(
    problem: KernelProblem, matrix: Any, y: Array, order: IndexArray, first: int, score: NDArray[np.float64]
) -> NDArray[np.float64]:
    added = np.empty((len(y), len(order)))
    _loops.kernel_stochastic_steps(
        np.ascontiguousarray(matrix, dtype=np.float64), y, order, problem.loss.name, problem.loss.parameter,
        problem.alpha, first, score, added,
    )  # fmt: skip
    return added


def _labels(problems: Sequence[KernelProblem]) -> NDArray[np.float64]:
    return np.stack([np.asarray(p.data.y, dtype=np.float64) for p in problems])


def _draws(problem: KernelProblem, rng: np.random.Generator) -> Callable[[int], IndexArray]:
    """Return a function that draws rows, each with its share of the weight."""
    weight = problem.data.weight
    live = np.flatnonzero(weight > 0.0).astype(np.int64)
    edges = np.cumsum(weight[live])

    def draw(count: int) -> IndexArray:
        place = np.searchsorted(edges, rng.random(count) * edges[-1], side="right")
        return np.asarray(live[np.minimum(place, len(live) - 1)])

    return draw


def _store(problem: KernelProblem, steps: int, cache_bytes: float) -> bool:
    """Keep the kernel matrix where it fits and is worth it, and return whether it is there."""
    if problem.gram.whole is None and steps >= problem.n and 8.0 * problem.n**2 <= cache_bytes:
        problem.gram.matrix()
    return problem.gram.whole is not None


def walked(problem: KernelProblem, walk: KernelWalk, steps: int) -> Solution:
    """Return the mean as a solution, with the certificate of this point."""
    w = problem.join(walk.mean, 0.0)
    certificate = best_certificate(problem, w, walk.slope)
    passes = steps / max(int(np.count_nonzero(problem.data.weight)), 1)
    return Solution(
        w,
        Status.COMPLETED,
        certificate,
        n_steps=steps,
        n_passes=float(passes),
        solver="kernel_walk",
        dual=walk.slope,
    )


def best_certificate(problem: KernelProblem, w: Array, slope: Array) -> Certificate:
    """Return the smaller gap of two dual points: the mean slopes of the walk, or the slopes at w.

    Each of them is true.  Slopes at w are 0 or 1 for the hinge, also for rows on its kink, which have values
    between at the optimum; their gap is the smaller one early in a run.
    """
    a, b = problem.split(w)
    f = problem.times_kernel(a)
    refuse_curved(problem, a, f)
    evaluation = problem.evaluated(f + b, gradient=False)
    found = [problem.certify(w, evaluation, 0.0, theta) for theta in (slope, None)]
    return min(found, key=lambda c: c.value)
