"""What the charts of draws are given: values, ranks, a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["chart_of"]

# Points of a line, and bins of ranks and of a density, that a chart has room for.
_SHOWN, _PARTS, _BINS = 500, 20, 40


def chart_of(draws: Any, j: int, kind: str) -> Any:
    """Return the Display of parameter j: a trace, ranks, or a density.

    Parameters
    ----------
    draws : Draws
    j : int
    kind : {"trace", "ranks", "density"}
    """
    from empirisk.plots import DensityDisplay, RanksDisplay, TraceDisplay

    x = draws.draws[:, :, j]
    told: dict[str, Any] = {"name": draws.names[j], "r_hat": float(draws.r_hat[j])}
    if kind == "trace":
        every = -(-x.shape[1] // _SHOWN)
        lines = {"every": every, "chains": x[:, ::every].tolist(), "ess": float(draws.ess_bulk[j])}
        return TraceDisplay({**told, **lines})
    if kind == "ranks":
        places = np.argsort(np.argsort(x, axis=None, kind="stable"), kind="stable").reshape(x.shape)
        parts = min(_PARTS, max(1, x.shape[1] // 4))
        counts = [np.bincount(row, minlength=parts).tolist() for row in places * parts // x.size]
        return RanksDisplay({**told, "counts": counts})
    if kind == "density":
        heights, edges = np.histogram(x, bins=_BINS, density=True)
        low, high = np.quantile(x, [0.05, 0.95])
        bars = {"edges": edges.tolist(), "density": heights.tolist(), "n": x.size}
        ends = {"mean": float(x.mean()), "low": float(low), "high": float(high), "level": 0.9}
        return DensityDisplay({**told, **bars, **ends})
    raise ValueError(f"kind must be 'trace', 'ranks' or 'density', got {kind!r}")
