"""Zooming in on the best of a grid: halve the step around it until the step is below the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from empirisk.evaluation.standing import Standing
from empirisk.search.axes import Axis, axes_of
from empirisk.search.points import Params, same


def edges(points: Sequence[Params], best: int) -> dict[str, str]:
    """Return the numbers whose best value is the "lowest" or the "highest" that was tried."""
    out = {}
    for axis in axes_of(points):
        at = axis.at(points[best])
        if at in (axis.values[0], axis.values[-1]):
            out[axis.label] = "lowest" if at == axis.values[0] else "highest"
    return out


def between(a: float, b: float) -> float:
    """Return the middle of two values of a parameter: geometric when both are positive and a factor 2 apart
    or more, else arithmetic; whole numbers stay whole.
    """
    low, high = min(a, b), max(a, b)
    whole = isinstance(a, int) and isinstance(b, int)
    middle = math.sqrt(low) * math.sqrt(high) if low > 0.0 and high >= 2.0 * low else low + 0.5 * (high - low)
    return round(middle) if whole else middle


def refine(points: Sequence[Params], best: int, standing: Standing) -> list[Params]:
    """New candidates around the best: a grid of half the step along each number, and each two numbers.

    A neighbour whose loss is within one standard error (of the paired difference) of the best shows nothing
    that a smaller step could resolve, and a number both of whose neighbours are like that is left alone.
    The corners of two numbers are tried, too: along a slanted valley of the loss (a stronger penalty with a
    narrower kernel, say) neither number alone leads on.

    Parameters
    ----------
    points : sequence of dict
        What was tried.
    best : int
        The best of them.
    standing : Standing
        Losses and errors of `points`.
    """
    centre = points[best]
    steps: list[tuple[Axis, list[float]]] = []
    for axis in axes_of(points):
        at = axis.at(centre)
        if at is None:
            continue
        k, line = axis.values.index(at), _line(points, centre, axis)
        near = [axis.values[j] for j in (k - 1, k + 1) if 0 <= j < len(axis.values)]
        if all(v in line and _within_noise(standing, best, line[v]) for v in near):
            continue
        middles = [m for v in near if (m := between(at, v)) not in axis.values]
        if middles:
            steps.append((axis, middles))
    out = [axis.moved(centre, m) for axis, middles in steps for m in middles]
    for (one, mine), (other, yours) in combinations(steps, 2):
        out += [other.moved(one.moved(centre, a), b) for a, b in product(mine, yours)]
    return out


def _line(points: Sequence[Params], centre: Params, axis: Axis) -> dict[float, int]:
    """Return the candidates that differ from the centre on one axis at most: their number to their
    position.
    """
    out = {}
    for i, p in enumerate(points):
        at = axis.at(p)
        rest = p.keys() == centre.keys() and all(k == axis.name or same(p[k], centre[k]) for k in p)
        if at is not None and rest:
            out[at] = i
    return out


def _within_noise(standing: Standing, best: int, i: int) -> bool:
    """Return whether the loss of candidate i cannot be told from that of the best."""
    d = standing.loss[i] - standing.loss[best]
    return bool(np.isfinite(d) and d <= standing.error(i, best))
