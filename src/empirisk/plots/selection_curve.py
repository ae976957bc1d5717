"""Score against a tuned parameter, on training and held-out folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, log_ticks, on_end
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SelectionCurveDisplay"]


@dataclass(frozen=True)
class SelectionCurveDisplay(Display):
    """The model-selection curve of one family.

    Parameters
    ----------
    curve : dict
        One of ``report["selection_curves"]``.
    selection : dict
        ``report["selection"]``.
    label : str
        The candidate in words.

    Examples
    --------
    >>> SelectionCurveDisplay({"parameter": "alpha", "chosen": 0.1, "minimum": 0.01}, {}, "Ridge").title
    'Ridge: alpha = 0.1 was chosen, the best mean is at 0.01'
    """

    curve: Json
    selection: Json
    label: str

    @property
    def title(self) -> str:
        c = self.curve
        said = f"{self.label}: {c['parameter']} = {plain(c['chosen'], 2)} was chosen"
        if c["minimum"] is None or c["minimum"] == c["chosen"]:
            return said
        return f"{said}, the best mean is at {plain(c['minimum'], 2)}"

    @property
    def description(self) -> str:
        c, v = self.curve, self.curve["validation"]["value"]
        axes = f"{self.selection['label']} against {c['parameter']}"
        span = f"from {plain(c['x'][0], 2)} to {plain(c['x'][-1], 2)}"
        ends = f"{plain(v[0], 3)} to {plain(v[-1], 3)}, between {plain(min(v), 3)} and {plain(max(v), 3)}"
        return f"Line chart with bands of {axes} {span}; on held-out folds it runs from {ends}."

    def draw(self, ax: Axes) -> None:
        c, x = self.curve, self.curve["x"]
        if c["scale"] == "log":
            log_ticks(ax)
        validation = c["validation"]["value"][-1]
        if c["train"] is not None:
            band(ax, x, c["train"], "train")
            train = c["train"]["value"][-1]
            on_end(ax, x[-1], train, "training", "train", va="bottom" if train > validation else "top")
        band(ax, x, c["validation"], "validation")
        beside = c["train"] is not None and c["train"]["value"][-1] > validation
        on_end(ax, x[-1], validation, "held out", "validation", va="top" if beside else "bottom")
        ax.axvline(c["chosen"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        place: Json = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top"}
        ax.annotate("chosen", (c["chosen"], 1), xytext=(3, -2), **place)
        unit = f" ({self.selection['unit']})" if self.selection["unit"] else ""
        more = {"alpha": " (penalty strength)"}.get(c["parameter"], "")
        ax.set_xlabel(f"{c['parameter']}{more}")
        ax.set_ylabel(f"{self.selection['label']}{unit}")
