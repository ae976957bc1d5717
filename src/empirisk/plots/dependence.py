"""Partial dependence on one column with its bands, or on two as a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, percent_ticks
from empirisk.plots.style import colour
from empirisk.wording import count, percent, plain, shorten, years

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
        lowest = f"{name} {d['labels'][low]} ({self._said(d['value'][low])})"
        highest = f"{d['labels'][high]} ({self._said(d['value'][high])})"
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

    @property
    def height(self) -> float:
        d = self.dependence
        rows = d["categorical"] and len(d["features"]) == 1
        return 0.9 + 0.4 * len(d["labels"]) if rows else super().height

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
        if not years([x[0], x[-1]]):
            ax.xaxis.set_major_formatter(lambda v, _: plain(v))
        if self._share:
            percent_ticks(ax.yaxis)
        ax.set_xlabel(f"{shorten(d['features'][0], 50)}\n({self._bands})")
        ax.set_ylabel(shorten(d["scale"], 40))

    def _levels(self, ax: Axes) -> None:
        d, hue = self.dependence, colour("test")
        ends = zip(d["labels"], d["value"], d["band_low"], d["band_high"], strict=True)
        rows = [IntervalRow(name, {"value": v, "low": a, "high": b}, "test") for name, v, a, b in ends]
        interval_rows(ax, rows, [self._said(v) for v in d["value"]], f"{d['scale']}\n({self._bands})")
        for i, place in enumerate(zip(d["low"], d["high"], strict=True)):
            ax.plot(place, [i, i], color=hue, linewidth=3.2)
        if self._share:
            percent_ticks(ax.xaxis)

    @property
    def _share(self) -> bool:
        """Whether what is predicted is a probability, which is told in per cent."""
        return str(self.dependence["scale"]).startswith("probability")

    @property
    def _bands(self) -> str:
        d = self.dependence
        thin = "; thin: rows" if d["rows"] and not d["categorical"] else ""
        return f"{percent(d['level'])} bands at one place, at all places{thin}"

    def _said(self, value: float) -> str:
        return percent(value) if self._share else plain(value, 3)

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
