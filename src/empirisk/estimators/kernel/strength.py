"""The strength of a kernel model by cross-validation: one path a fold, and the rows left out scored on the
way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.data.sums import weighted_sum
from empirisk.estimators.checks import check_count, check_number, check_rule
from empirisk.estimators.linear.tune import StrengthSelection, fold_pairs, in_own_unit
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_no_kernel
from empirisk.typing import Array

__all__ = ["select_strength", "strengths"]


def select_strength(model: Any, rows: ArrayBlocks) -> tuple[StrengthSelection, KernelProblem]:
    """K-fold cross-validation over a path of falling strengths.

    Rows that are left out have weight 0, and their scores come with every solution.  All folds and strengths
    read the kernel from one place: that of the problem which is returned, too.
    """
    unit = in_own_unit(rows)
    classes = hasattr(model, "classes_")
    splits = list(fold_pairs(unit, model.cv, check_seed(model.random_state), classes))
    first = model._problems(unit, 1.0)
    refuse_no_kernel(first[0])
    grid = strengths(first[0], model.alphas)
    losses = np.empty((len(splits), len(grid)))
    for at, (train, test) in enumerate(splits):
        kept, held = np.zeros_like(unit.weight), np.zeros_like(unit.weight)
        kept[train], held[test] = unit.weight[train], unit.weight[test]
        if not kept.any() or not held.any():
            raise ValueError(f"cv: split {at} leaves no row with positive weight to fit on or to score")
        losses[at] = _path(model, unit, kept, held, grid, first)
    mean = losses.mean(axis=0)
    se = losses.std(axis=0, ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else np.zeros(len(grid))
    rule = check_rule(model.rule)
    method = f"{len(splits)}-fold cross-validation"
    return StrengthSelection(grid, mean, se, losses, rule, method), first[0]


def _path(
    model: Any, rows: ArrayBlocks, kept: Array, held: Array, grid: Array, first: list[KernelProblem]
) -> Array:
    """Return the mean loss on the rows that are held out at each strength, summed over the problems."""
    out = np.zeros(len(grid))
    starts: list[Array | None] = [None] * len(first)
    for k, alpha in enumerate(grid):
        problems = model._problems(replace(rows, weight=kept), float(alpha))
        for problem in problems:
            problem.facts.share(first[0].facts)
        solutions = model._all_solved(problems, starts)
        first[0].facts.share(problems[0].facts)
        starts = [s.w for s in solutions]
        for problem, test, solution in zip(
            problems, model._problems(replace(rows, weight=held), float(alpha)), solutions, strict=True
        ):
            a, b = problem.split(solution.w)
            total = test.data.total_weight
            if total > 0.0:
                lost = test.loss.value(test.data.y, problem.times_kernel(a) + b)
                out[k] += float(weighted_sum(test.data.weight, lost)) / total
    return out


def strengths(problem: KernelProblem, alphas: Any, decades: float = 2.0) -> Array:
    """Return falling strengths: given ones, or that many around the mean of k(x, x) over S, where C is 1.

    They span `decades` to either side.  Of losses whose slope does not grow with the error the middle is in
    the unit of the targets: a row can then move its own score by about the spread of the targets.
    """
    if np.ndim(alphas) == 1:
        if not len(alphas):
            raise ValueError("alphas must hold at least one strength, got an empty list")
        return np.sort(np.array([check_number("alphas", a, 0.0, closed=False) for a in alphas]))[::-1]
    middle = (float(problem.diagonal.mean()) or 1.0) / problem.data.total_weight * _slope_a_unit(problem)
    return np.asarray(middle * np.logspace(decades, -decades, check_count("alphas", alphas, 1)))


def _slope_a_unit(problem: KernelProblem) -> float:
    """Return the mean slope of the loss at a constant score, over the mean distance of the targets from it.

    It is 1 for the squared loss, whatever the unit of the targets, and for labels.
    """
    if not problem.loss.of_difference:
        return 1.0
    y, s = problem.data.y, problem.data.weight
    middle = weighted_sum(s, y) / problem.data.total_weight
    slope = weighted_sum(s, np.abs(problem.loss.grad(y, np.full_like(y, middle))))
    spread = weighted_sum(s, np.abs(y - middle))
    return float(slope / spread) if slope > 0.0 and spread > 0.0 and np.isfinite(slope / spread) else 1.0
