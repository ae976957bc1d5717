"""What the charts of draws are given: values, ranks, a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["chart_of"]

# Points of a line, and bins of ranks and of a density, that a chart has room for.
_SHOWN, _PARTS, _BINS = 500, 20, 40


def chart_of(draws: Any, j: int, kind: str) -> Any:
    """Return the Display of parameter j: a trace, ranks or a density; or that of the energies.

    Parameters
    ----------
    draws : Draws
    j : int
    kind : {"trace", "ranks", "density", "energy"}
    """
    from empirisk.plots import DensityDisplay, EnergyDisplay, RanksDisplay, TraceDisplay

    x = draws.draws[:, :, j]
    told: dict[str, Any] = {"name": draws.names[j], "r_hat": float(draws.r_hat[j])}
    told["ess"] = float(draws.ess_bulk[j])
    if kind == "trace":
        every = -(-x.shape[1] // _SHOWN)
        lines = {"every": every, "chains": x[:, ::every].tolist()}
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
        ends: dict[str, Any] = {"mean": float(x.mean()), "low": float(low), "high": float(high), "level": 0.9}
        ends["doubt"] = draws.doubts[0] if draws.doubts else ""
        return DensityDisplay({**told, **bars, **ends})
    if kind == "energy":
        return EnergyDisplay(_energies(draws))
    raise ValueError(f"kind must be 'trace', 'ranks', 'density' or 'energy', got {kind!r}")


def _energies(draws: Any) -> dict[str, Any]:
    """Energies about their mean, and their changes, counted in the same bins."""
    energies = draws.told[:, :, 6]
    if not np.isfinite(draws.bfmi).all():
        raise ValueError(
            f"the draws of {draws.method} have no energies that move: kind='energy' is for those of hmc and "
            "nuts"
        )
    about = (energies - energies.mean(axis=1, keepdims=True)).ravel()
    changes = np.diff(energies, axis=1).ravel()
    edges = np.histogram_bin_edges(np.concatenate([about, changes]), _BINS)
    heights = (np.histogram(x, edges, density=True)[0].tolist() for x in (about, changes))
    names = ("edges", "energies", "changes", "bfmi")
    return dict(zip(names, (edges.tolist(), *heights, draws.bfmi.tolist()), strict=True))
