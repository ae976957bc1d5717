"""Silhouettes of the rows, sorted within their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from empirisk.plots.display import Display
from empirisk.plots.groups import hue_of, numbers_of
from empirisk.plots.style import FONT, colour
from empirisk.wording import count, plain, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SilhouettesDisplay"]

_POINTS = 400  # points of the outline of a cluster


@dataclass(frozen=True)
class SilhouettesDisplay(Display):
    """How much nearer each row is to its own cluster than to the next one, cluster by cluster.

    Parameters
    ----------
    values : sequence of float, length n
        Silhouettes of the rows, as ``er.partitions.Silhouette().rows(X, labels)`` gives them.
    labels : sequence, length n
        Clusters of the rows; cluster k has the colour that it has in a map of clusters.

    Examples
    --------
    >>> SilhouettesDisplay([0.8, 0.7, 0.9, -0.1], [0, 0, 1, 1]).title
    '25 % of the rows are nearer to another cluster; the mean silhouette is 0.575'
    """

    values: Sequence[float]
    labels: Sequence[object]

    def _groups(self) -> list[tuple[str, list[float], str]]:
        """Return name, sorted silhouettes and colour of each cluster; rows without a value are left out."""
        values, labels = np.asarray(self.values, dtype=float), np.asarray(self.labels)
        live, names = np.isfinite(values), np.unique(labels).tolist()
        found = []
        for name, k in zip(names, numbers_of(names), strict=True):
            own = values[live & (labels == name)]
            if len(own):
                found.append((str(name), np.sort(own)[::-1].tolist(), hue_of(k)))
        return found

    @property
    def title(self) -> str:
        every = [v for _, values, _ in self._groups() for v in values]
        wrong = sum(v < 0.0 for v in every) / len(every)
        return (
            f"{share(wrong)} of the rows are nearer to another cluster; the mean silhouette is "
            f"{plain(float(np.mean(every)), 3)}"
        )

    @property
    def description(self) -> str:
        said = "; ".join(
            f"{name}: {count(len(v))} rows, mean {plain(float(np.mean(v)), 3)}"
            for name, v, _ in self._groups()
        )
        return f"Silhouettes of the rows, sorted in each cluster, from -1 to 1. {said}."

    @property
    def height(self) -> float:
        return min(6.0, 2.4 + 0.35 * len(self._groups()))

    def draw(self, ax: Axes) -> None:
        groups = self._groups()
        total = sum(len(v) for _, v, _ in groups)
        space, at = 0.03 * total, 0.0
        ticks, names = [], []
        for name, values, hue in groups:
            place = np.linspace(0, len(values) - 1, min(len(values), _POINTS))
            x = np.interp(place, np.arange(len(values)), values)
            low, high = at, at + len(values)
            y = low + (high - low) * (place + 0.5) / len(values)
            ax.fill_betweenx([low, *y, high], 0.0, [x[0], *x, x[-1]], color=hue, alpha=0.55, linewidth=0)
            ticks.append(0.5 * (low + high))
            names.append(name)
            at = high + space
        mean = float(np.mean([v for _, values, _ in groups for v in values]))
        ax.axvline(mean, color=colour("baseline"), linewidth=1.1, linestyle=(0, (3, 2)))
        ax.axvline(0.0, color=colour("muted"), linewidth=0.8)
        step = 1 + len(names) // 25
        ax.set_yticks(ticks[::step], names[::step], fontsize=FONT - 1)
        ax.set_ylim(at, -space)
        ax.set_xlabel("silhouette (dashed: the mean)")
        ax.set_ylabel("cluster")
