"""Predicted against observed, and residuals against predicted: bins of rows with quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import FONT, Display, Json, colour, on_end
from empirisk.plots.wording import brief, count, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ObservedDisplay", "ResidualsDisplay"]


def _bins(ax: Axes, bins: list[Json]) -> None:
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


def _outside(bins: list[Json], target: str | float) -> int:
    off = 0
    for b in bins:
        goal = b[target] if isinstance(target, str) else target
        e = b["mean"]
        off += e["low"] is not None and not e["low"] <= goal <= e["high"]
    return off


def _chance(bins: list[Json]) -> str:
    """How many bins would be off although nothing is wrong, where the intervals are for one bin each."""
    e = bins[0]["mean"]
    if any(word in e["method"].lower() for word in ("simultaneous", "bonferroni")):
        return ""
    return f" (chance alone: about {len(bins) * (1 - e['level']):.1f})"


def _said(bins: list[Json]) -> str:
    return "; ".join(
        f"at {plain(b['predicted'], 3)}: mean {brief(b['mean'])}, n = {count(b['n'])}" for b in bins
    )


@dataclass(frozen=True)
class ObservedDisplay(Display):
    """Observed values by predicted value.

    Parameters
    ----------
    spread : dict
        ``report["test"]["observed"]``.
    target : str
        The target with its unit, for the axes.

    Examples
    --------
    >>> mean = {"value": 4.2, "low": 4.0, "high": 4.4}
    >>> ObservedDisplay({"bins": [{"predicted": 4.1, "mean": mean}]}, "quality").title
    'In all 1 bins the mean observed value agrees with the prediction'
    """

    spread: Json
    target: str

    @property
    def title(self) -> str:
        off, bins = _outside(self.spread["bins"], "predicted"), len(self.spread["bins"])
        if off == 0:
            return f"In all {bins} bins the mean observed value agrees with the prediction"
        chance = _chance(self.spread["bins"])
        return f"In {off} of {bins} bins the mean observed value differs from the prediction{chance}"

    @property
    def description(self) -> str:
        return f"Observed {self.target} by predicted value, in bins. {_said(self.spread['bins'])}."

    @property
    def height(self) -> float:
        return 4.2

    def draw(self, ax: Axes) -> None:
        bins = self.spread["bins"]
        ends = [bins[0]["predicted"], bins[-1]["predicted"]]
        ax.plot(ends, ends, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        _bins(ax, bins)
        ax.set_xlabel(f"predicted {shorten(self.target, 36)}")
        ax.set_ylabel(f"observed {shorten(self.target, 28)}")


@dataclass(frozen=True)
class ResidualsDisplay(Display):
    """Residuals (observed minus predicted) by predicted value.

    Parameters
    ----------
    spread : dict
        ``report["test"]["residuals"]``.
    target : str
        The target with its unit, for the axes.

    Examples
    --------
    >>> mean = {"value": 0.3, "low": 0.1, "high": 0.5, "level": 0.95, "method": "Student t"}
    >>> ResidualsDisplay({"bins": [{"predicted": 4.1, "mean": mean}]}, "quality").title
    'In 1 of 1 bins the mean residual differs from zero (chance alone: about 0.1)'
    """

    spread: Json
    target: str

    @property
    def title(self) -> str:
        bins = self.spread["bins"]
        off = _outside(bins, 0.0)
        if off:
            return f"In {off} of {len(bins)} bins the mean residual differs from zero{_chance(bins)}"
        return f"Residuals are compatible with a mean of zero in all {len(bins)} bins"

    @property
    def description(self) -> str:
        said = _said(self.spread["bins"])
        return f"Observed minus predicted {self.target} by predicted value, in bins. {said}."

    def draw(self, ax: Axes) -> None:
        ax.axhline(0, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        _bins(ax, self.spread["bins"])
        ax.set_xlabel(f"predicted {shorten(self.target, 36)}")
        ax.set_ylabel("observed − predicted")
