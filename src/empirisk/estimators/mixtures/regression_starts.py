"""Starts of mixtures of regressions: chances that look drawn, row by row, or given lines.

Chances without any order in them begin with lines that are all near the one of all rows, and leave it to EM
which part each of them takes.  Lines through few rows would be the other way; many of those end on rows that
they fit exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.estimators.checks import given_numbers
from empirisk.estimators.clusters.mixture_fit import by_stretches
from empirisk.mixtures.base import log_sum
from empirisk.mixtures.regression import LinearRegressions
from empirisk.problems.latent import LatentProblem
from empirisk.typing import Array

__all__ = ["line_starts"]

# Waves of the chances over a deviation of the rows: so many that neighbours have chances of their own.
WAVES = 20.0
HEIGHT = 4.0  # of the waves, in logarithms of chances


def line_starts(problem: LatentProblem, init: Any, n_init: int, seed: int) -> list[Callable[[], Array]]:
    """Return functions that make one start each.

    Parameters
    ----------
    problem : LatentProblem
        Of the family :class:`empirisk.mixtures.LinearRegressions`.
    init : "random" or array, shape (n_parts, p + 1)
        Given lines, the constant first, are one start, whatever n_init is.
    n_init, seed : int
    """
    k, q = problem.n_parts, problem.data.n_cols + 1
    if isinstance(init, str):
        if init != "random":
            raise ValueError(f'init must be "random", or an array of lines, got {init!r}')
        return [partial(_random, problem, seed, s) for s in range(n_init)]
    given = given_numbers("init", init, '"random", or an array of lines')
    if given.shape != (k, q):
        raise ValueError(
            f"init must have shape (n_components, 1 + columns) = {(k, q)}, the constant first, got "
            f"{given.shape}"
        )
    if not np.isfinite(given).all():
        raise ValueError("init holds NaN or infinity; give finite lines")
    return [partial(_given, problem, given)]


def _random(problem: LatentProblem, seed: int, number: int) -> Array:
    """Return the parameters that fit chances which a row's values alone decide, as if they were drawn.

    Copies of a row have the same chances, and the order of the rows has no part in them.
    """
    rng, family = np.random.default_rng([seed, number]), cast(LinearRegressions, problem.family)
    q, k = problem.data.n_cols + 1, problem.n_parts
    way, phase = rng.standard_normal((q, k)) * WAVES, rng.uniform(0.0, 2.0 * np.pi, k)

    def chances(X: Any, y: Array) -> Array:
        Z = np.column_stack([family.of_rows(X)[:, 1:], family.of_targets(y)])
        return log_sum(HEIGHT * np.sin(Z @ way + phase))[1]

    return problem.from_chances(lambda block: by_stretches(block, chances))


def _given(problem: LatentProblem, lines: Array) -> Array:
    """Return parts around lines in the units of x and y, with the shares of the rows nearest to each."""
    family, k = cast(LinearRegressions, problem.family), len(lines)
    slopes = lines[:, 1:] * family.unit / family.spread
    heights = (lines[:, 0] + (lines[:, 1:] * family.centre).sum(axis=1) - family.middle) / family.spread
    inner = np.column_stack([heights, slopes])

    def nearest(block: Block) -> tuple[Array, float]:
        square = (family.of_targets(block.y)[:, None] - family.of_rows(block.design.X) @ inner.T) ** 2
        weight = np.asarray(block.weight)
        mass = np.bincount(square.argmin(axis=1), weight, k).astype(np.float64)
        return mass, float(weight @ square.min(axis=1))

    mass, square = problem.data.map_sum(nearest)
    total = problem.facts.total
    share = (mass + 1e-3 * total / k) / (1.001 * total)
    deviation = np.sqrt(max(square / total, 1e-6))
    return problem.pack(np.log(share), {"coefficients": inner, "deviations": np.full((k, 1), deviation)})
