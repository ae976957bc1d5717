"""Choosing the strength of a penalty: a warm-started path on every fold, and two rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.data.choice_table import ChoiceTable
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_count, check_number
from empirisk.estimators.folds import assign_folds, weight_of_copies
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.by_target import path_by_target
from empirisk.solvers.path import solve_path
from empirisk.solvers.ridge_path import RidgeBasis, ridge_path
from empirisk.typing import Array, IndexArray

__all__ = ["StrengthSelection", "alpha_grid", "fold_pairs", "in_own_unit", "select_by_folds", "select_by_loo"]


@dataclass(frozen=True, repr=False)
class StrengthSelection(ChoiceTable):
    """Validation losses along a path and the strengths that two rules choose.

    Parameters
    ----------
    alphas : array, shape (a,)
        Decreasing strengths.
    loss, se : arrays, shape (a,)
        Mean validation loss (the model's own loss, unpenalised) and its standard error.
    fold_loss : array, shape (k, a)
        Mean loss on each fold (empty for leave-one-out).
    rule : str
        ``"min"`` or ``"one_se"``.
    method : str
        How the losses were estimated.
    """

    alphas: Array
    loss: Array
    se: Array
    fold_loss: Array
    rule: str
    method: str

    def _tried(self) -> Array:
        return self.alphas

    def _how(self) -> str:
        return self.method

    def _notes(self) -> list[str]:
        said = f"{self.note[:1].upper()}{self.note[1:]}." if self.note else ""
        return [*super()._notes(), *([said] if said else [])]

    @property
    def index_min(self) -> int:
        """Position of the smallest loss; of equal ones the strongest penalty."""
        return int(np.argmin(self.loss))

    @property
    def index_one_se(self) -> int:
        """Position of the strongest penalty within one standard error of the smallest loss."""
        best = self.index_min
        return int(np.flatnonzero(self.loss <= self.loss[best] + self.se[best])[0])

    @property
    def index(self) -> int:
        """The position on the grid of the strength that the rule chooses."""
        return self.index_one_se if self.rule == "one_se" else self.index_min

    @property
    def note(self) -> str:
        """What the user should know about the choice; empty when there is nothing."""
        if len(self.alphas) > 1 and self.index == len(self.alphas) - 1:
            return (
                f"the smallest of the {len(self.alphas)} strengths tried ({self.alpha:.3g}) was chosen: "
                "smaller ones may do better; give `alphas` to try them"
            )
        return ""

    @property
    def alpha(self) -> float:
        """The strength that the rule chooses."""
        return float(self.alphas[self.index])


def alpha_grid(problem: LinearProblem, alphas: Any = 100, eps: float | None = None) -> Array:
    """Decreasing strengths: given ones sorted, or a geometric grid of that many.

    With an L1 part the grid starts at the smallest alpha that sets every coefficient to zero (where that is
    0, at the largest slope of the loss) and spans three decades (two when n < p).  For L2 it spans ten
    decades around the mean column variance times the curvature of the loss.
    """
    if np.ndim(alphas) == 1:
        grid = np.sort(np.array([check_number("alphas", a, 0.0) for a in alphas]))[::-1]
        if len(grid) == 0:
            raise ValueError("alphas must hold at least one strength, got an empty list")
        return grid
    if np.ndim(alphas) > 1:
        raise ValueError(f"alphas must be a count or a list of strengths, got {np.ndim(alphas)} dimensions")
    count = check_count("alphas", alphas, 1)
    n, p = problem.design.shape
    top = problem.critical_strength()
    if top == 0.0:
        # No strength lets a coefficient in (w >= 0 and all slopes the other way, say).
        top = float(np.abs(problem.split(problem.null_evaluation.grad)[0]).max(initial=0.0))
    if np.isfinite(top) and top > 0.0:
        decades = np.log10(float(eps)) if eps is not None else (-3.0 if n >= p else -2.0)
        return np.asarray(top * np.logspace(0.0, decades, count))
    _, variance = problem.moments
    curvature = float(np.mean(problem.facts.null_curvature)) or 1.0  # 0 for losses with kinks
    middle = float(variance.mean()) * curvature if len(variance) else 1.0
    middle = middle if middle > 0.0 else 1.0
    return np.asarray(middle * np.logspace(3.0, -7.0, count))


def select_by_folds(
    problem: LinearProblem, *, alphas: Any, cv: Any, rule: str, seed: int, tol: float
) -> StrengthSelection:
    """K-fold cross-validation over a warm-started path.

    A fold is left out by giving its rows weight 0, so no data are copied.

    Parameters
    ----------
    problem : LinearProblem
        At any strength.
    alphas : int or list of floats
        See :func:`alpha_grid`.
    cv : None, int, splitter or list of (train, test) pairs
        Folds; an int (5 for None) deals rows out by content, see :mod:`empirisk.estimators.folds`.
    rule, seed, tol
        See :class:`StrengthSelection`, :func:`assign_folds`, :func:`empirisk.solvers.solve`.
    """
    splits = list(fold_pairs(problem.data, cv, seed, not problem.loss.quadratic))
    problem = _in_own_unit(problem if problem.moved is None else problem.moved[1])
    data = problem.data
    grid = alpha_grid(problem, alphas)
    losses = np.empty((len(splits), len(grid)))
    for row, (train, test) in enumerate(splits):
        kept = np.zeros_like(data.weight)
        kept[train] = data.weight[train]
        held = np.zeros_like(data.weight)
        held[test] = data.weight[test]
        if not kept.any() or not held.any():
            raise ValueError(f"cv: split {row} leaves no row with positive weight to fit on or to score")
        fold_problem = replace(problem, data=ArrayBlocks(data.design, data.y, kept))
        solutions = path_by_target(fold_problem, grid, solve_path, tol=tol)
        losses[row] = _held_out_losses(problem, [solution.w for solution in solutions], held)
    mean = losses.mean(axis=0)
    se = losses.std(axis=0, ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else np.zeros(len(grid))
    return StrengthSelection(grid, mean, se, losses, rule, f"{len(splits)}-fold cross-validation")


def in_own_unit(data: ArrayBlocks) -> ArrayBlocks:
    """Return the same rows, their weights in their own unit: rounding of their scale moves no choice."""
    if data.unit_weights or not data.weight.any():
        return data
    multiple = WeightUnit.of(data.weight).multiple
    weight = np.ones_like(data.weight) if multiple is None else multiple.astype(data.weight.dtype, copy=False)
    return ArrayBlocks(data.design, data.y, weight)


def _in_own_unit(problem: LinearProblem) -> LinearProblem:
    """Return the same problem on the rows in their own unit."""
    data = in_own_unit(problem.data)
    return problem if data is problem.data else replace(problem, data=data)


def fold_pairs(
    data: ArrayBlocks, cv: Any, seed: int, stratify: bool
) -> Iterable[tuple[IndexArray, IndexArray]]:
    """Yield the rows to fit on and to score, for each fold that `cv` stands for.

    Parameters
    ----------
    data : ArrayBlocks
    cv : None, int, splitter or list of (train, test) pairs
        An int (5 for None) deals rows out by content.
    seed : int
        Of the dealing.
    stratify : bool
        Whether each value of y is dealt out by itself.
    """
    if cv is None or isinstance(cv, Integral | str | float | bool):
        k = check_count("cv", 5 if cv is None else cv, 2)
        fold = assign_folds(data.design, data.y, data.weight, k, seed, stratify=stratify)
        for number in np.unique(fold[fold >= 0]):
            yield np.flatnonzero((fold >= 0) & (fold != number)), np.flatnonzero(fold == number)
    elif hasattr(cv, "split"):
        yield from cv.split(data.design.X, data.y)
    elif isinstance(cv, Iterable):
        for at, pair in enumerate(cv):
            if not hasattr(pair, "__len__") or len(pair) != 2:
                raise ValueError(f"cv must hold pairs (train, test) of row numbers, got {pair!r} at {at}")
            yield pair
    else:
        raise ValueError(
            f"cv must be an integer >= 2, a splitter or a list of (train, test) pairs, got {cv!r}"
        )


def _held_out_losses(problem: LinearProblem, ws: list[Array], held: Array) -> Array:
    """Return the mean loss of each parameter array on the held-out rows, which are read once."""
    rows = np.flatnonzero(held)
    block = problem.data.take(rows)
    share = held[rows] / held[rows].sum()
    coefs = np.stack([problem.split(w)[0].reshape(problem.data.n_cols, -1) for w in ws], axis=1)
    scores = block.design.matvec(coefs.reshape(len(coefs), -1).astype(problem.design.dtype, copy=False))
    scores = np.asarray(scores, dtype=np.float64).reshape(len(rows), len(ws), -1)
    out = np.empty(len(ws))
    for k, w in enumerate(ws):
        z = scores[:, k] + problem.split(w)[1]
        out[k] = float(weighted_sum(share, problem.loss.value(block.y, z if problem.n_outputs else z[:, 0])))
    return out


def select_by_loo(
    problem: LinearProblem,
    *,
    alphas: Any,
    rule: str,
    basis_of: Callable[[LinearProblem], RidgeBasis] | None = None,
) -> StrengthSelection:
    """Exact leave-one-out errors of ridge for all strengths from one eigendecomposition.

    A row is left out with all its weight and all its copies.  `basis_of` answers with an eigenbasis that
    targets on the same rows share.
    """
    problem = _in_own_unit(problem if problem.moved is None else problem.moved[1])
    data = problem.data
    live = int(np.count_nonzero(data.weight))
    together = weight_of_copies(data.design, data.y, data.weight)
    if live < 2 or together.max() >= data.total_weight * (1.0 - 1e-12):
        raise ValueError(
            f'alpha="cv" needs at least 2 distinct rows for leave-one-out, got n_samples = {live}'
        )
    grid = alpha_grid(problem, alphas)
    path = ridge_path(problem, grid, together, basis_of(problem) if basis_of else None)
    return StrengthSelection(
        grid, path.loo_loss, path.loo_se, np.empty((0, len(grid))), rule, "exact leave-one-out"
    )
