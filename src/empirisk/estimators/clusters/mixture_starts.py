"""Starts of mixtures: seeds by k-means++ with a few Lloyd steps, random chances, or given centres.

A start from seeds is a point in the parameters: each part lies around its seed with the spread that the rows
have about their nearest seeds, which never is degenerate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from empirisk.clustering.assign import assigned, cluster_sums, middle, nearest
from empirisk.clustering.seedings import KMeansPlusPlus
from empirisk.data.sparse_cells import is_sparse
from empirisk.estimators.checks import given_numbers
from empirisk.estimators.clusters.mixture_fit import by_stretches
from empirisk.mixtures.base import DegenerateError, log_sum
from empirisk.problems.latent import LatentProblem
from empirisk.typing import Array

__all__ = ["starts_of"]

# Rows among which seeds are looked for; those of larger tables are drawn.
MOST_ROWS = 20_000
MOST_CELLS = 10_000_000  # that are an array at once, of sparse rows too
LLOYD = 10


def starts_of(problem: LatentProblem, init: Any, n_init: int, seed: int) -> list[Callable[[], Array]]:
    """Return functions that make one start each.

    Parameters
    ----------
    problem : LatentProblem
    init : {"k-means++", "random"} or array, shape (n_parts, p)
        Given centres are one start, whatever n_init is.
    n_init : int
    seed : int
    """
    k, p = problem.n_parts, problem.data.n_cols
    if not isinstance(init, str):
        centres = given_numbers("init", init, '"k-means++", "random", or an array of means')
        if centres.shape != (k, p):
            raise ValueError(f"init must have shape (n_components, columns) = {(k, p)}, got {centres.shape}")
        if not np.isfinite(centres).all():
            raise ValueError("init holds NaN or infinity; give finite means")
        return [partial(_around, problem, centres)]
    if init == "random":
        return [partial(_random, problem, seed, s) for s in range(n_init)]
    if init == "k-means++":
        rows = _some_rows(problem, seed)
        return [partial(_seeded, problem, rows, seed, s) for s in range(n_init)]
    raise ValueError(f'init must be "k-means++", "random", or an array of means, got {init!r}')


def _random(problem: LatentProblem, seed: int, number: int) -> Array:
    """Return the parameters that fit chances which change softly along random directions.

    Chances are a function of the row, so that copies have the same and the order of rows has no part in them.
    """
    rng = np.random.default_rng([seed, number])
    facts, k = problem.facts, problem.n_parts
    unit = facts.deviations
    way = rng.standard_normal((len(unit), k)) * (3.0 / np.sqrt(len(unit))) / unit[:, None]

    def chances(X: Any, y: Array) -> Array:
        away = X @ way - facts.mean @ way if is_sparse(X) else (_filled(X, facts.mean) - facts.mean) @ way
        return log_sum(away)[1]

    return problem.from_chances(lambda block: by_stretches(block, chances))


def _seeded(problem: LatentProblem, rows: tuple[Array, Array], seed: int, number: int) -> Array:
    """Return parts around seeds that a few steps of k-means have moved."""
    rng = np.random.default_rng([seed, number])
    Z, weight = rows
    centres = _lloyd(Z, weight, _seeds(Z, weight, problem.n_parts, rng))
    return _around(problem, centres * _unit(problem) + problem.facts.mean)


def _unit(problem: LatentProblem) -> Array:
    """Return what distances are measured in: deviations of the columns, one for all where parts are balls."""
    unit = problem.facts.deviations
    return np.full(len(unit), unit.max()) if getattr(problem.family, "isotropic", False) else unit


def _some_rows(problem: LatentProblem, seed: int) -> tuple[Array, Array]:
    """Return standardised rows of positive weight, in an order that their values make, and their weights.

    Sorted rows give the same seeds in whatever order the table has them, and whether copies or weights say
    how often each is there.  Of more than 20,000 rows, or 1e7 cells, so many are drawn.
    """
    n = problem.data.n_rows or 0
    most = max(50 * problem.n_parts, min(MOST_ROWS, MOST_CELLS // problem.data.n_cols))
    block, _ = problem.data.draw(np.random.default_rng(seed), min(n, most))
    live = block.weight > 0.0
    X, weight = _filled(block.design.X[live], problem.facts.mean), np.asarray(block.weight[live])
    order = np.lexsort(X.T)
    return (X[order] - problem.facts.mean) / _unit(problem), weight[order]


def _seeds(Z: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
    """Return rows drawn by k-means++; fewer distinct rows than parts leave one without."""
    try:
        return KMeansPlusPlus().centers(Z, weight, k, rng)
    except ValueError:
        raise DegenerateError(k - 1, f"has no row of its own: X has fewer than {k} distinct rows") from None


def _lloyd(Z: Array, weight: Array, centres: Array) -> Array:
    """Return the centres after a few steps; one without rows stays where it is."""
    for _ in range(LLOYD):
        total, mass = cluster_sums(Z, weight, nearest(Z, centres, middle(Z, centres)), None, len(centres))
        moved = np.where(mass[:, None] > 0.0, total / np.where(mass > 0.0, mass, 1.0)[:, None], centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _around(problem: LatentProblem, centres: Array) -> Array:
    """Return parts around centres, with the spread and the shares of the rows nearest to each."""
    facts, k = problem.facts, problem.n_parts
    unit = facts.deviations
    mass, square = np.zeros(k), np.zeros(len(unit))
    for X, weight in _stretches(problem):
        label = assigned((X - facts.mean) / unit, (centres - facts.mean) / unit)[0]
        mass += np.bincount(label, weight, k)
        square += (weight[:, None] * (X - centres[label]) ** 2).sum(axis=0)
    within = np.maximum(square / facts.total, 1e-6 * facts.variance)
    parts = problem.family.about(centres, replace(facts, variance=within))
    share = (mass + 1e-3 * facts.total / k) / (1.001 * facts.total)
    return problem.pack(np.log(share), parts)


def _stretches(problem: LatentProblem) -> Iterator[tuple[Array, Array]]:
    """Yield all rows as arrays in float64, some thousands at a time."""
    step = max(1, min(16_384, MOST_CELLS // problem.data.n_cols))
    for block in problem.data:
        for a in range(0, len(block.weight), step):
            at = slice(a, a + step)
            yield _filled(block.design.X[at], problem.facts.mean), np.asarray(block.weight[at])


def _filled(X: Any, mean: Array) -> Array:
    """Return rows as an array in float64, with the means of the columns where cells are missing."""
    X = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    gap = np.isnan(X)
    return np.where(gap, mean, X) if gap.any() else X
