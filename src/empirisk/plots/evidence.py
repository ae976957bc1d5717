"""The likelihood of a Gaussian process along one of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, log_ticks
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EvidenceDisplay"]

DEEPEST = -12.0  # nats: what is less likely by more than a factor of 160,000 is not worth the space


@dataclass(frozen=True)
class EvidenceDisplay(Display):
    """How much less likely the targets are at other values of a parameter, the others held.

    Parameters
    ----------
    curve : dict
        ``parameter``, ``x``, ``value`` (nats below the value at the fit, which are negative), ``fitted``
        (where the fit stands) and ``of`` (the title of what is drawn).

    Examples
    --------
    >>> curve = {"parameter": "gamma", "x": [0.1, 1.0, 10.0], "value": [-9.0, 0.0, -0.5], "fitted": 1.0}
    >>> EvidenceDisplay({**curve, "of": "log marginal likelihood"}).title
    'Within 2 nats of the fit: gamma from 1 to 10'
    """

    curve: Json

    @property
    def title(self) -> str:
        c = self.curve
        near = [x for x, v in zip(c["x"], c["value"], strict=True) if v >= -2.0]
        ends = f"{plain(min(near), 2)} to {plain(max(near), 2)}" if near else plain(c["fitted"], 2)
        return f"Within 2 nats of the fit: {c['parameter']} from {ends}"

    @property
    def description(self) -> str:
        c = self.curve
        span = f"from {plain(c['x'][0], 3)} to {plain(c['x'][-1], 3)}"
        return (
            f"Line chart of the {c['of']} against {c['parameter']} {span} on a logarithmic axis, the other "
            f"parameters held; the fit stands at {plain(c['fitted'], 3)}, and the lowest value is "
            f"{plain(-min(c['value']), 3)} nats below."
        )

    def draw(self, ax: Axes) -> None:
        c = self.curve
        log_ticks(ax)
        ax.axhline(-2.0, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.plot(c["x"], c["value"], color=colour("validation"), linewidth=1.8)
        ax.axvline(c["fitted"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        top = max(0.0, *c["value"])
        ax.set_ylim(max(DEEPEST, 1.05 * min(c["value"]) - 0.5), top + 0.5)
        ax.set_xlabel(c["parameter"])
        ax.set_ylabel("minus that of the fit (nats)")
