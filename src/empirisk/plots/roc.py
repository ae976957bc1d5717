"""The receiver operating characteristic with its band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, on_end
from empirisk.plots.style import colour
from empirisk.wording import brief, count, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RocDisplay"]


@dataclass(frozen=True)
class RocDisplay(Display):
    """True against false positive rate over all thresholds.

    Parameters
    ----------
    curve : dict
        ``report["test"]["roc"]``.
    positive : str
        The positive class.

    Examples
    --------
    >>> curve = {"area": {"value": 0.9062, "low": 0.898, "high": 0.9141}}
    >>> RocDisplay(curve, "yes").title
    'A random yes row ranks above a random other row with probability 0.906 [0.898, 0.914]'
    """

    curve: Json
    positive: str

    @property
    def title(self) -> str:
        chance = brief(self.curve["area"])
        return (
            f"A random {shorten(self.positive)} row ranks above a random other row with probability {chance}"
        )

    @property
    def description(self) -> str:
        at = min(range(len(self.curve["x"])), key=lambda i: abs(self.curve["x"][i] - 0.1))
        false, true = plain(self.curve["x"][at], 2), plain(self.curve["value"][at], 2)
        head = f"ROC curve with band, n = {count(self.curve['n'])}; area {brief(self.curve['area'])}"
        return f"{head}. At a false positive rate of {false} the true positive rate is {true}."

    @property
    def height(self) -> float:
        return 4.4

    def draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        on_end(ax, 0.62, 0.62, "no skill", "baseline", xytext=(6, -8), va="top")
        band(ax, self.curve["x"], self.curve, "test")
        at = len(self.curve["x"]) // 3
        said = "test rows, with band" if self.curve["low"] is not None else "test rows"
        on_end(ax, self.curve["x"][at], self.curve["value"][at], said, "test", xytext=(10, -18), va="top")
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        ax.set_xlabel("false positive rate")
        ax.set_ylabel("true positive rate")
