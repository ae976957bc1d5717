"""Zooming in on the best of a grid: halve the step around it until the step is below the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from empirisk.search.points import Params, same
from empirisk.search.standing import Standing


def numeric_axes(points: Sequence[Params]) -> dict[str, list[float]]:
    """Return the sorted distinct values of every parameter that takes at least two, all of them numbers."""
    axes = {}
    for name in {k: None for p in points for k in p}:
        values = [p[name] for p in points if name in p]
        if all(_is_number(v) for v in values) and len(set(values)) > 1:
            axes[name] = sorted(set(values))
    return axes


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def edges(points: Sequence[Params], best: int) -> dict[str, str]:
    """Return the numeric parameters whose best value is the "lowest" or the "highest" that was tried."""
    out = {}
    for name, values in numeric_axes(points).items():
        if name in points[best] and points[best][name] in (values[0], values[-1]):
            out[name] = "lowest" if points[best][name] == values[0] else "highest"
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
    """New candidates half-way between the best and its neighbours along each numeric parameter.

    A neighbour whose loss is within one standard error (of the paired difference) of the best shows nothing
    that a smaller step could resolve, and a parameter both of whose neighbours are like that is left alone.

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
    out: list[Params] = []
    for name in numeric_axes(points):
        if name not in centre:
            continue
        line = _line(points, centre, name)
        values = sorted(line)
        at = values.index(centre[name])
        near = [values[k] for k in (at - 1, at + 1) if 0 <= k < len(values)]
        if all(_within_noise(standing, best, line[v]) for v in near):
            continue
        for value in near:
            middle = between(centre[name], value)
            if middle not in line:
                out.append({**centre, name: middle})
    return out


def _line(points: Sequence[Params], centre: Params, name: str) -> dict[float, int]:
    """Return the candidates that differ from the centre in one parameter at most: its value to their
    position.
    """
    return {
        p[name]: i
        for i, p in enumerate(points)
        if p.keys() == centre.keys() and all(k == name or same(p[k], centre[k]) for k in p)
    }


def _within_noise(standing: Standing, best: int, i: int) -> bool:
    """Return whether the loss of candidate i cannot be told from that of the best."""
    d = standing.loss[i] - standing.loss[best]
    return bool(np.isfinite(d) and d <= standing.error(i, best))
