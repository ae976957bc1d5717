"""Score against the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, log_ticks, on_end
from empirisk.plots.style import colour
from empirisk.wording import brief, count, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LearningCurveDisplay"]


@dataclass(frozen=True)
class LearningCurveDisplay(Display):
    """Training and held-out score as rows are added.

    Parameters
    ----------
    curve : dict
        ``report["learning_curve"]``.

    Examples
    --------
    >>> curve = {"label": "error", "x": [50, 100], "validation": {"value": [0.4, 0.3]}, "extrapolation": None}
    >>> LearningCurveDisplay(curve).title
    'The held-out error goes from 0.4 at 50 rows to 0.3 at 100'
    """

    curve: Json

    @property
    def title(self) -> str:
        more = self.curve["extrapolation"]
        gain = more["gain"] if more else None
        if gain is not None and gain["low"] is not None and gain["high"] is not None:
            unit = f" {self.curve['unit']}" if self.curve["unit"] else ""
            at, name = f"At {count(more['n_rows'])} rows", self.curve["label"]
            if gain["low"] > 0:
                return f"{at} the {name} would be better by {brief(gain)}{unit}"
            if gain["high"] <= 0:
                return f"{at} the {name} would be no better: {brief(gain, sign=True)}{unit}"
            return f"Whether more rows would help cannot be told: {brief(gain, sign=True)}{unit} in {name}"
        value, x = self.curve["validation"]["value"], self.curve["x"]
        return (
            f"The held-out {self.curve['label']} goes from {plain(value[0], 3)} at {count(x[0])} rows "
            f"to {plain(value[-1], 3)} at {count(x[-1])}"
        )

    @property
    def description(self) -> str:
        x, value = self.curve["x"], self.curve["validation"]["value"]
        pairs = zip(x, value, strict=True)
        said = ", ".join(f"{plain(v, 3)} at {count(n)} rows" for n, v in pairs)
        return f"Line chart with bands of the held-out {self.curve['label']}: {said}."

    def draw(self, ax: Axes) -> None:
        c, x = self.curve, self.curve["x"]
        log_ticks(ax)
        ax.margins(y=0.14)
        more = c["extrapolation"]
        ahead = more["n_rows"] if more and more["score"] and more["score"]["value"] is not None else None
        ends = [x[-1]] if ahead is None else [x[-1], ahead]
        ax.set_xticks([*x[:: max(1, (len(x) + 3) // 4)][:-1], *ends], minor=False)
        ax.xaxis.set_major_formatter(lambda v, _: count(round(v)))
        ax.minorticks_off()
        held = c["validation"]["value"][0]
        if c["train"] is not None:
            band(ax, x, c["train"], "train")
            train = c["train"]["value"][0]
            up = train > held
            on_end(
                ax,
                x[0],
                train,
                "training",
                "train",
                xytext=(8, 7 if up else -7),
                va="bottom" if up else "top",
            )
        band(ax, x, c["validation"], "validation")
        ax.plot(x, c["validation"]["value"], "o", color=colour("validation"), markersize=4)
        up = c["train"] is None or held > c["train"]["value"][0]
        on_end(
            ax,
            x[0],
            held,
            "held out",
            "validation",
            xytext=(8, 7 if up else -7),
            va="bottom" if up else "top",
        )
        if ahead is not None:
            self._further(ax, more)
        unit = f" ({c['unit']})" if c["unit"] else ""
        ax.set_xlabel("training rows")
        ax.set_ylabel(f"{c['label']}{unit}")

    def _further(self, ax: Axes, more: Json) -> None:
        x, value = self.curve["x"][-1], self.curve["validation"]["value"][-1]
        n, e, hue = more["n_rows"], more["score"], colour("validation")
        ax.plot([x, n], [value, e["value"]], color=hue, linewidth=1.4, linestyle=(0, (2, 2)))
        if e["low"] is not None and e["high"] is not None:
            ax.plot([n, n], [e["low"], e["high"]], color=hue, linewidth=1.6)
        ax.plot(n, e["value"], "o", markersize=5, markerfacecolor="none", color=hue)
        on_end(
            ax, n, e["high"] or e["value"], "expected", "validation", xytext=(0, 4), ha="right", va="bottom"
        )
