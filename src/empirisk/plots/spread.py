"""Bins of rows by predicted value, with the mean and quantiles of what is observed in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from empirisk.plots.display import Json, on_end
from empirisk.plots.style import FONT, colour
from empirisk.wording import brief, count, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bins_outside", "by_chance", "draw_bins", "say_bins"]


def draw_bins(ax: Axes, bins: list[Json]) -> None:
    """Draw means with intervals, over bands that hold half and nine tenths of the rows of each bin."""
    x = [b["predicted"] for b in bins]
    for low, high, alpha in (("q05", "q95", 0.13), ("q25", "q75", 0.2)):
        ax.fill_between(
            x, [b[low] for b in bins], [b[high] for b in bins], color=colour("test"), alpha=alpha, linewidth=0
        )
    for b in bins:
        if b["mean"]["low"] is not None:
            ax.vlines(
                b["predicted"], b["mean"]["low"], b["mean"]["high"], color=colour("test"), linewidth=1.8
            )
    ax.plot(x, [b["mean"]["value"] for b in bins], "o", color=colour("test"), markersize=5)
    last = bins[-1]
    bottom, top = ax.get_ylim()
    half = 0.5 * (last["q50"] + last["q75"])
    most = max(0.5 * (last["q75"] + last["q95"]), half + 0.07 * (top - bottom))
    on_end(ax, x[-1], half, "50 % of rows", "test", fontsize=FONT - 1)
    on_end(ax, x[-1], most, "90 % of rows", "test", fontsize=FONT - 1)


def bins_outside(bins: list[Json], target: str | float) -> tuple[int, int]:
    """Return how many bins have a mean whose interval excludes the target, and how many have an interval."""
    known = [b for b in bins if b["mean"]["low"] is not None and b["mean"]["high"] is not None]
    goals = [b[target] if isinstance(target, str) else target for b in known]
    means = [b["mean"] for b in known]
    off = sum(not e["low"] <= goal <= e["high"] for e, goal in zip(means, goals, strict=True))
    return off, len(known)


def by_chance(bins: list[Json], known: int) -> str:
    """Return how many bins would be off although nothing is wrong, where the intervals are for one bin
    each.
    """
    e = next(b["mean"] for b in bins if b["mean"]["low"] is not None)
    if any(word in e["method"].lower() for word in ("simultaneous", "bonferroni")):
        return ""
    return f" (chance alone: about {known * (1 - e['level']):.1f})"


def say_bins(bins: list[Json]) -> str:
    """Return a phrase for each bin: what was predicted, what was observed, and in how many rows."""
    return "; ".join(
        f"at {plain(b['predicted'], 3)}: mean {brief(b['mean'])}, n = {count(b['n'])}" for b in bins
    )
