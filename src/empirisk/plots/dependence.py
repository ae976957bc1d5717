"""Partial dependence on one column with its bands, or on two as a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, percent, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DependenceDisplay"]


@dataclass(frozen=True)
class DependenceDisplay(Display):
    """Mean score along one column (both bands, and thin lines of single rows), or over two columns.

    Parameters
    ----------
    dependence : dict
        ``features``, ``grid``, ``labels``, ``categorical``, ``value``, ``low``, ``high`` (pointwise),
        ``band_low``, ``band_high`` (all places together), ``rows`` (curves of rows), ``scale``, ``level`` and
        ``n``.

    Examples
    --------
    >>> d = {"features": ["age"], "grid": [[20.0], [60.0]], "labels": ["20", "60"], "categorical": False,
    ...      "value": [0.1, 0.5], "low": [0.0, 0.4], "high": [0.2, 0.6], "band_low": [-0.1, 0.3],
    ...      "band_high": [0.3, 0.7], "rows": [], "scale": "mean", "level": 0.95, "n": 80}
    >>> DependenceDisplay(d).title
    'The mean is lowest at age 20 (0.1) and highest at 60 (0.5)'
    """

    dependence: Json

    @property
    def title(self) -> str:
        d = self.dependence
        low, high = (d["value"].index(f(d["value"])) for f in (min, max))
        name = " and ".join(shorten(f, 24) for f in d["features"])
        if d["value"][low] == d["value"][high]:
            return f"The {d['scale']} does not depend on {name}"
        lowest = f"{name} {d['labels'][low]} ({plain(d['value'][low], 3)})"
        highest = f"{d['labels'][high]} ({plain(d['value'][high], 3)})"
        return f"The {d['scale']} is lowest at {lowest} and highest at {highest}"

    @property
    def description(self) -> str:
        d = self.dependence
        ends = []
        for g in sorted({0, len(d["value"]) // 2, len(d["value"]) - 1}):
            band = f"{plain(d['band_low'][g], 3)} to {plain(d['band_high'][g], 3)}"
            ends.append(f"{d['labels'][g]}: {plain(d['value'][g], 3)} ({band})")
        return (
            f"Mean {d['scale']} of {count(d['n'])} rows against {' and '.join(d['features'])}, with "
            f"{percent(d['level'])} bands for each place (dark) and for all places together (light). "
            f"{'; '.join(ends)}."
        )

    def draw(self, ax: Axes) -> None:
        if len(self.dependence["features"]) == 2:
            self._map(ax)
        elif self.dependence["categorical"]:
            self._levels(ax)
        else:
            self._curve(ax)

    def _curve(self, ax: Axes) -> None:
        d = self.dependence
        x, hue = [g[0] for g in d["grid"]], colour("test")
        for row in d["rows"]:
            ax.plot(x, row, color=colour("muted"), linewidth=0.6, alpha=0.3)
        ax.fill_between(x, d["band_low"], d["band_high"], color=hue, alpha=0.16, linewidth=0)
        ax.fill_between(x, d["low"], d["high"], color=hue, alpha=0.22, linewidth=0)
        ax.plot(x, d["value"], color=hue, linewidth=2.0)
        self._axes(ax)

    def _levels(self, ax: Axes) -> None:
        d, hue = self.dependence, colour("test")
        for i in range(len(d["value"])):
            ax.plot([i, i], [d["band_low"][i], d["band_high"][i]], color=hue, linewidth=1.4)
            ax.plot([i, i], [d["low"][i], d["high"][i]], color=hue, linewidth=3.2)
        ax.plot(range(len(d["value"])), d["value"], "o", color=hue, markersize=6)
        ax.set_xticks(range(len(d["labels"])), [shorten(name, 14) for name in d["labels"]])
        ax.set_xlim(-0.6, len(d["labels"]) - 0.4)
        self._axes(ax)

    def _axes(self, ax: Axes) -> None:
        d = self.dependence
        thin = "; thin: rows" if d["rows"] and not d["categorical"] else ""
        said = f"{percent(d['level'])} bands at one place, at all places{thin}"
        ax.set_xlabel(f"{shorten(d['features'][0], 50)}\n({said})")
        ax.set_ylabel(shorten(d["scale"], 40))

    def _map(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        d = self.dependence
        x, y = (sorted({g[i] for g in d["grid"]}) for i in (0, 1))
        at = {(g[0], g[1]): v for g, v in zip(d["grid"], d["value"], strict=True)}
        table = [[at.get((a, b), float("nan")) for a in x] for b in y]
        hues = LinearSegmentedColormap.from_list(
            "score", [colour("validation"), colour("paper"), colour("train")]
        )
        shown = ax.pcolormesh(x, y, table, cmap=hues, shading="nearest")
        ax.figure.colorbar(shown, ax=ax, label=shorten(d["scale"], 40))
        ax.set_xlabel(shorten(d["features"][0], 40))
        ax.set_ylabel(shorten(d["features"][1], 40))
