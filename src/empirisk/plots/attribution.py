"""Where the error comes from: optimisation, estimation, approximation, noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, plate
from empirisk.plots.style import FONT, colour
from empirisk.wording import brief, plain, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AttributionDisplay"]

_UNKNOWN = "not identifiable"


@dataclass(frozen=True)
class AttributionDisplay(Display):
    """The parts of the risk with their intervals, and the word for how far each is known.

    Parameters
    ----------
    parts : list of dict
        ``part``, ``value``, ``low``, ``high`` (None where open) and ``standing``: "known", "bounded" or "not
        identifiable".
    label : str
        The loss.
    risk : dict
        The estimate of the whole risk.

    Examples
    --------
    >>> parts = [{"part": "estimation", "value": None, "low": 0.01, "high": 0.05, "standing": "bounded"},
    ...          {"part": "noise", "value": None, "low": None, "high": 0.3, "standing": "bounded"}]
    >>> AttributionDisplay(parts, "log-loss", {"value": 0.32, "low": 0.3, "high": 0.34}).title
    'Of a log-loss of 0.320: estimation 0.01 to 0.05, noise at most 0.3'
    >>> parts = [{"part": "noise", "value": None, "low": None, "high": 0.46, "standing": "bounded"}]
    >>> AttributionDisplay(parts, "Brier score", {"value": 0.35, "low": 0.24, "high": 0.46}).title
    'Of a Brier score of 0.35: noise up to all of it'
    """

    parts: list[Json]
    label: str
    risk: Json

    @property
    def title(self) -> str:
        told = [f"{p['part']} {self._said(p)}" for p in self.parts if p["standing"] != _UNKNOWN]
        return f"Of a {self.label} of {text(self.risk)}: " + (", ".join(told) or "no part can be told")

    @property
    def description(self) -> str:
        said = [f"{p['part']}: {self._said(p)}, {p['standing']}" for p in self.parts]
        return f"Bars of the parts of the {self.label} {brief(self.risk)}. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.5 * len(self.parts)

    def draw(self, ax: Axes) -> None:
        top = 1.05 * max([self.risk["high"] or self.risk["value"], *(p["high"] or 0.0 for p in self.parts)])
        place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
        for i, p in enumerate(self.parts):
            low, high = p["low"] or 0.0, top if p["high"] is None else p["high"]
            unknown = p["standing"] == _UNKNOWN
            hue = colour("baseline" if unknown else "validation")
            ax.plot([low, high], [i, i], color=hue, linewidth=4.0, alpha=0.45 if unknown else 1.0)
            if p["value"] is not None:
                ax.plot(p["value"], i, "o", color=hue, markersize=6)
            plate(ax, i - 0.66, i - 0.2)
            ax.text(0.0, i - 0.42, f"{p['part']} ({p['standing']})", color=colour("ink"), **place)
            ax.text(1.0, i - 0.42, self._said(p), color=colour("muted"), ha="right", **place)
        ax.set_xlim(0.0, top)
        ax.set_ylim(len(self.parts) - 0.6, -0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x", linewidth=0.7)
        ax.set_xlabel(f"{self.label}, of {brief(self.risk)} in all")

    def _said(self, p: Json) -> str:
        """Return how large a part is; an end above the whole, which is an estimate too, is the whole."""
        low, high = p["low"] or None, p["high"]
        if low is None and high is None:
            return "unknown"
        whole = self.risk["value"]
        if high is not None and high >= whole:
            if low is None:
                return "up to all of it"
            return "all of it" if low >= whole else f"{plain(low, 2)} or more"
        if low is None:
            return f"at most {plain(high, 2)}"
        return f"at least {plain(low, 2)}" if high is None else f"{plain(low, 2)} to {plain(high, 2)}"
