"""Bias, variance and noise of a model against its capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, log_ticks, on_end
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BiasVarianceDisplay"]

_ROLES = ("train", "validation", "baseline", "positive")
_SPREAD = 20.0  # a parameter that spans more than this factor gets a logarithmic axis


@dataclass(frozen=True)
class BiasVarianceDisplay(Display):
    """The parts of the expected loss, and their sum, at growing capacity.

    Parameters
    ----------
    curve : dict
        ``parameter`` (its name), ``x`` (its values), ``label`` (the loss), ``parts`` (a mapping of name to
        a band with ``value``, ``low``, ``high``) and ``total`` (a band).

    Examples
    --------
    >>> parts = {"bias squared": {"value": [0.4, 0.1]}, "variance": {"value": [0.1, 0.3]}}
    >>> curve = {"parameter": "degree", "x": [1, 3], "label": "squared error", "parts": parts,
    ...          "total": {"value": [0.5, 0.4]}}
    >>> BiasVarianceDisplay(curve).title
    'Squared error is smallest at degree = 3; variance is its largest part there'
    """

    curve: Json

    def _best(self) -> int:
        total = self.curve["total"]["value"]
        return min(range(len(total)), key=total.__getitem__)

    @property
    def title(self) -> str:
        c, i = self.curve, self._best()
        largest = max(c["parts"], key=lambda name: c["parts"][name]["value"][i])
        label = c["label"][:1].upper() + c["label"][1:]
        return (
            f"{label} is smallest at {c['parameter']} = {plain(c['x'][i])}; "
            f"{largest} is its largest part there"
        )

    @property
    def description(self) -> str:
        c, i = self.curve, self._best()
        said = [f"{name} {plain(part['value'][i], 3)}" for name, part in c["parts"].items()]
        return (
            f"Line chart of the parts of the expected {c['label']} against {c['parameter']}. "
            f"At {plain(c['x'][i])}: {', '.join(said)}, in all {plain(c['total']['value'][i], 3)}."
        )

    def draw(self, ax: Axes) -> None:
        c, x = self.curve, self.curve["x"]
        if min(x) > 0 and max(x) / min(x) > _SPREAD:
            log_ticks(ax)
        ax.margins(y=0.14)
        band(ax, x, c["total"], "ink")
        lines = [("in all", c["total"], "ink")]
        for (name, part), role in zip(c["parts"].items(), _ROLES, strict=False):
            band(ax, x, part, role, line="--")
            lines.append((name, part, role))
        self._labels(ax, lines)
        ax.axvline(x[self._best()], color=colour("muted"), linewidth=0.9, linestyle=(0, (2, 2)))
        ax.set_xlabel(f"{c['parameter']} (capacity)")
        ax.set_ylabel(f"expected {c['label']}")

    def _labels(self, ax: Axes, lines: list[tuple[str, Json, str]]) -> None:
        """Write names at the right end, pushed apart so that none lies on another."""
        low, high = ax.get_ylim()
        last = low - (high - low)
        for name, part, role in sorted(lines, key=lambda line: line[1]["value"][-1]):
            last = max(part["value"][-1], last + (high - low) / 13.0)
            on_end(ax, self.curve["x"][-1], last, name, role)
