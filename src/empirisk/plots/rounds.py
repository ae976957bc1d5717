"""The loss of gradient boosting round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, on_end
from empirisk.plots.style import colour
from empirisk.wording import brief, counted, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RoundsDisplay"]


@dataclass(frozen=True)
class RoundsDisplay(Display):
    """Training loss after each round; where rows were held out, their loss with its band and the rounds kept.

    Parameters
    ----------
    curve : dict
        ``curve()`` of a boosting estimator: `train`, `validation` (a band, or None), `kept`, `against_none`.

    Examples
    --------
    >>> RoundsDisplay({"train": [0.7, 0.5, 0.4], "validation": None, "kept": 2}).title
    'Training loss falls from 0.7 to 0.4 in 2 rounds; no rows were held out to check it'
    """

    curve: Json

    @property
    def title(self) -> str:
        train, kept = self.curve["train"], self.curve["kept"]
        rounds = f"{kept} {'round' if kept == 1 else 'rounds'}"
        if self.curve["validation"] is None:
            return (
                f"Training loss falls from {plain(train[0], 3)} to {plain(train[-1], 3)} in {rounds}; no "
                "rows were held out to check it"
            )
        gain = self.curve["against_none"]
        if gain["low"] is None:
            return f"{rounds} have the least validation loss; whether they help cannot be told"
        if gain["high"] < 0.0:
            return f"{rounds} have the least validation loss, {brief(gain, sign=True)} against none"
        return f"Whether boosting helps cannot be told: {brief(gain, sign=True)} of loss with {rounds}"

    @property
    def description(self) -> str:
        train, held = self.curve["train"], self.curve["validation"]
        said = f"Line chart: training loss from {plain(train[0], 3)} to {plain(train[-1], 3)}"
        if held is not None:
            low = plain(min(held["value"]), 3)
            said += f", validation loss with a band from {plain(held['value'][0], 3)} to {low} at its least"
        return f"{said}, over {counted(len(train) - 1, 'round')}."

    def draw(self, ax: Axes) -> None:
        train, held, kept = self.curve["train"], self.curve["validation"], self.curve["kept"]
        last = len(train) - 1
        ax.plot(range(len(train)), train, color=colour("train"), linewidth=1.8)
        apart = 0.0 if held is None else held["value"][-1] - train[-1]
        on_end(ax, last, train[-1], "training", "train", xytext=(4, -6 if apart >= 0.0 else 6))
        if held is not None:
            band(ax, range(len(held["value"])), held, "test")
            on_end(ax, last, held["value"][-1], "held out", "test", xytext=(4, 6 if apart >= 0.0 else -6))
            ax.axvline(kept, color=colour("baseline"), linewidth=1.1, linestyle=(0, (3, 2)))
        ax.margins(y=0.1)
        ax.set_xlabel("rounds")
        ax.set_ylabel("mean loss")
