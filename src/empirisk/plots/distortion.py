"""Squared distances after a projection over those before: how many are off by more than was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DistortionDisplay"]

BINS = 40


@dataclass(frozen=True)
class DistortionDisplay(Display):
    """A histogram of the ratios of squared distances, with the band that counts as kept.

    Parameters
    ----------
    report : dict
        ``ratios`` (rising), ``epsilon``, ``share`` (outside, with its interval), ``width``, ``all_pairs`` and
        ``theorem``.

    Examples
    --------
    >>> share = {"value": 0.02, "low": 0.01, "high": 0.03, "level": 0.95, "n": 900, "method": "m"}
    >>> report = {"ratios": [0.9, 1.0, 1.1], "epsilon": 0.2, "share": share, "width": 50, "all_pairs": False}
    >>> DistortionDisplay({**report, "theorem": "none"}).title
    'Of 900 pairs, 2 % are off by more than 20 % (95 % interval 1 % to 3 %)'
    """

    report: Json

    @property
    def title(self) -> str:
        e, epsilon = self.report["share"], _percent(self.report["epsilon"])
        head = f"Of {'all ' if self.report['all_pairs'] else ''}{count(e['n'])} pairs, {_percent(e['value'])}"
        said = f"{head} are off by more than {epsilon}"
        if self.report["all_pairs"]:
            return said
        span = f"{_percent(e['low'])} to {_percent(e['high'])}"
        return f"{said} ({100 * e['level']:.3g} % interval {span})"

    @property
    def description(self) -> str:
        r = self.report["ratios"]
        return (
            f"Histogram of squared distances after over before a projection to {count(self.report['width'])} "
            f"columns; ratios from {plain(r[0], 3)} to {plain(r[-1], 3)}, half of them between "
            f"{plain(r[len(r) // 4], 3)} and {plain(r[(3 * len(r)) // 4], 3)}. {self.title}. Theorem: "
            f"{self.report['theorem']}."
        )

    def draw(self, ax: Axes) -> None:
        r, epsilon = self.report["ratios"], self.report["epsilon"]
        low, high = min(r[0], 1.0 - 1.15 * epsilon), max(r[-1], 1.0 + 1.15 * epsilon)
        ax.axvspan(1.0 - epsilon, 1.0 + epsilon, color=colour("baseline"), alpha=0.12, linewidth=0)
        counts, _, _ = ax.hist(r, bins=BINS, range=(low, high), color=colour("validation"), alpha=0.75)
        ax.axvline(1.0, color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set_ylim(0.0, 1.08 * float(max(counts)))
        ax.set_xlabel(f"squared distance after over before (grey: kept, 1 \u2213 {epsilon:.3g})")
        ax.set_ylabel("pairs")


def _percent(share: float) -> str:
    """Return a share in per cent, to three digits."""
    return f"{100.0 * share:.3g} %"
