"""The candidates of a search as a map over two of its numbers: what a chart of the grid is drawn from.

A rough grid first, and a finer one around its best: Shalev-Shwartz and Ben-David 2014, Understanding Machine
Learning, section 11.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.search.axes import Axis, axes_of
from empirisk.search.points import Params, same

__all__ = ["grid_section"]

# Positive values that span more than this factor stand on a logarithmic axis.
LOG_SPREAD = 20.0
# The palest shade begins at this share of the losses: one setting without sense does not bleach the others.
PALEST = 0.75


def grid_section(result: Any, over: Sequence[str] | None = None) -> dict[str, Any]:
    """Return what a chart of two numbers needs: the settings, their losses, and who stands within one error.

    Parameters
    ----------
    result : SearchResult
    over : two of the names or labels of its axes, optional
        ``("alpha", "kernel")``, for example; the first two that vary by default.  Of candidates that differ
        in something else, too, those are shown that are like the best there.

    Returns
    -------
    dict
        ``metric``, ``greater_is_better``, ``x`` and ``y`` (label, scale, values), ``settings`` (x, y, value,
        shade from 0 for the best to 1, within, first), ``cells`` (the setting nearest to each place of the
        values of y and x), ``missing`` (x, y, state), ``best``, ``chosen`` (positions, or None), ``rule``,
        ``edge`` and ``rest``.

    Raises
    ------
    ValueError
        With fewer than two numbers that vary, or names that are none of them.
    """
    one, other = _chosen_axes(axes_of(result.points), over)
    centre = result.points[result.lowest]
    alike = [
        i
        for i, p in enumerate(result.points)
        if p.keys() == centre.keys()
        and all(k in (one.name, other.name) or same(p[k], centre[k]) for k in centre)
    ]
    place = {i: k for k, i in enumerate(result.ranked)}
    loss = {i: float(result.standing.loss[place[i]]) for i in alike if i in place}
    shown = [i for i in alike if math.isfinite(loss.get(i, math.inf))]
    error = result.standing.errors(place[result.lowest])
    shade = _shades(np.array([loss[i] for i in shown]))
    settings = []
    for i, dark in zip(shown, shade, strict=True):
        e = result.scores[i]
        above = loss[i] - loss[result.lowest]
        settings.append(
            {
                "x": one.at(result.points[i]),
                "y": other.at(result.points[i]),
                "value": float("nan") if e is None else e.value,
                "shade": float(dark),
                "within": i == result.lowest or bool(above <= error[place[i]]),
                "first": i < (result.n_first or len(result.points)),
            }
        )
    state = {i: "infinite" if i in loss else result.states[i] for i in alike if i not in shown}
    x, y = (_axis(axis, [axis.at(result.points[i]) for i in alike]) for axis in (one, other))
    rest = {k: str(v) for k, v in centre.items() if k not in (one.name, other.name)}
    return {
        "metric": result.metric,
        "greater_is_better": result.greater_is_better,
        "x": x,
        "y": y,
        "settings": settings,
        "cells": _nearest(x, y, settings),
        "missing": [
            {"x": one.at(result.points[i]), "y": other.at(result.points[i]), "state": said}
            for i, said in state.items()
        ],
        "best": shown.index(result.lowest),
        "chosen": shown.index(result.best) if result.best in shown else None,
        "rule": result.rule,
        "edge": _ends((one, other), result.points[result.lowest]),
        "rest": rest,
    }


def _chosen_axes(axes: list[Axis], over: Sequence[str] | None) -> tuple[Axis, Axis]:
    known = ", ".join(axis.label for axis in axes) or "none"
    if over is None:
        if len(axes) < 2:
            raise ValueError(
                f"the map of a search needs two numbers that vary (here: {known}); of kernels, give objects "
                "that differ in one number, such as er.kernels.Gaussian(gamma=...)"
            )
        return axes[0], axes[1]
    found = [next((a for a in axes if name in (a.name, a.label)), None) for name in over]
    if len(found) != 2 or found[0] is None or found[1] is None or found[0] == found[1]:
        raise ValueError(f"over must name two different numbers that vary ({known}), got {over!r}.")
    return found[0], found[1]


def _axis(axis: Axis, tried: Sequence[float | None]) -> dict[str, Any]:
    values = sorted({v for v in tried if v is not None})
    wide = values[0] > 0.0 and values[-1] > LOG_SPREAD * values[0]
    return {"label": axis.label, "scale": "log" if wide else "linear", "values": values}


def _ends(axes: Sequence[Axis], best: Params) -> dict[str, str]:
    """Return the axes at whose lowest or highest value the best one stands."""
    out = {}
    for axis in axes:
        at = axis.at(best)
        if at in (axis.values[0], axis.values[-1]):
            out[axis.label] = "lowest" if at == axis.values[0] else "highest"
    return out


def _shades(loss: Floats) -> Floats:
    """Return 0 for the smallest loss, up to 1 for those of the worst quarter."""
    low, high = float(loss.min()), float(np.quantile(loss, PALEST))
    return np.clip((loss - low) / (high - low), 0.0, 1.0) if high > low else np.zeros(loss.size)


def places(axis: dict[str, Any], values: Sequence[float]) -> Floats:
    """Return where values stand on an axis, in steps of its first grid: their logarithms on a wide one."""
    at = np.asarray(values, dtype=np.float64)
    return np.log10(at) if axis["scale"] == "log" else at


def _nearest(x: dict[str, Any], y: dict[str, Any], settings: Sequence[dict[str, Any]]) -> list[list[int]]:
    """Return the position of the setting that is nearest to each (y, x), in steps of the first grid."""
    distance: Any = 0.0
    for axis, key, shape in ((x, "x", (1, -1, 1)), (y, "y", (-1, 1, 1))):
        grid = places(axis, axis["values"])
        first = sorted({s[key] for s in settings if s["first"]} or {s[key] for s in settings})
        step = float(np.median(np.diff(places(axis, first)))) if len(first) > 1 else 1.0
        own = places(axis, [s[key] for s in settings])
        distance = distance + ((grid.reshape(shape) - own) / step) ** 2
    return [[int(k) for k in line] for line in np.argmin(distance, axis=2)]
