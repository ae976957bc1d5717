"""The elbow of the inertia beside that of uniform rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.labels import move_apart
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GapDisplay"]

STEPS = (
    1.0,
    2.0,
    5.0,
    3.0,
    7.0,
)  # ticks of a decade: the first of them, and more where few decades are drawn


@dataclass(frozen=True)
class GapDisplay(Display):
    """The inertia against the number of clusters, as a share of that of one cluster, beside uniform rows.

    Parameters
    ----------
    choice : dict
        ``KChoice.to_dict()``, with ``gap_null``.

    Examples
    --------
    >>> null = {"ks": [1, 2], "observed": [0.0, -2.0], "mean": [0.0, -0.7], "low": [0.0, -0.9],
    ...         "high": [0.0, -0.5]}
    >>> GapDisplay({"k": 2, "gap_null": null, "parameter": "n_clusters", "p_value": 0.01}).title
    '2 clusters leave 14 % of the inertia, those of uniform rows 50 %'
    """

    choice: Json

    def _curves(self) -> tuple[list[int], list[float], list[float], list[float], list[float]]:
        """Return K, then the shares of the rows, and mean and limits of uniform rows."""
        null = self.choice["gap_null"]
        rows = np.exp(np.subtract(null["observed"], null["observed"][0]))
        uniform = [np.exp(np.subtract(null[end], null["mean"][0])) for end in ("mean", "low", "high")]
        return (null["ks"], rows.tolist(), *(u.tolist() for u in uniform))

    @property
    def title(self) -> str:
        ks, rows, mean, _, _ = self._curves()
        k = self.choice["k"]
        if k in (None, 1) or k not in ks:
            left, uniform = _share(rows[-1]), _share(mean[-1])
            return f"With {ks[-1]} clusters {left} of the inertia is left, {uniform} of that of uniform rows"
        at = ks.index(k)
        return (
            f"{k} clusters leave {_share(rows[at])} of the inertia, those of uniform rows {_share(mean[at])}"
        )

    @property
    def description(self) -> str:
        ks, rows, mean, _, _ = self._curves()
        said = "; ".join(
            f"{k}: {_share(a)} against {_share(b)}" for k, a, b in zip(ks, rows, mean, strict=True)
        )
        return (
            "Within-cluster inertia against the number of clusters, as a share of that of one cluster, on a "
            f"logarithmic axis, beside the mean of uniform rows with the band of 95 % of them. {said}."
        )

    def draw(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        ks, rows, mean, low, high = self._curves()
        ax.fill_between(ks, low, high, color=colour("baseline"), alpha=0.2, linewidth=0)
        ax.plot(ks, mean, color=colour("baseline"), linewidth=1.6, linestyle=(0, (4, 2)))
        ax.plot(ks, rows, "o-", color=colour("validation"), linewidth=1.8, markersize=5)
        ax.set_yscale("log")
        least, most = min(*rows, *low), max(*rows, *high)
        steps = 1 if least <= 0.0 or most > 1e3 * least else 3 if most > 20.0 * least else 5
        ax.yaxis.set_major_locator(LogLocator(subs=STEPS[:steps], numticks=12))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: plain(100.0 * v, 3)))
        ax.margins(y=0.08)
        names = (mean, "uniform rows", "baseline"), (rows, "these rows", "validation")
        move_apart(
            ax, [on_end(ax, ks[-1], curve[-1], said, role, xytext=(7, 0)) for curve, said, role in names]
        )
        if self.choice["k"] in ks:
            ax.axvline(self.choice["k"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set_xticks(ks)
        ax.set_xlabel(f"{self.choice['parameter']} (dashed: the verdict)")
        ax.set_ylabel("share of the inertia (%)")


def _share(part: float) -> str:
    return f"{plain(100.0 * part, 2)} %"
