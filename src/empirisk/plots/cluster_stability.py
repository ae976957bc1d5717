"""How much of each cluster comes back when the rows are drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClusterStabilityDisplay"]

STABLE, DISSOLVED = 0.75, 0.5  # Hennig's limits
_MOST = 20  # more clusters leave no room for their rows


@dataclass(frozen=True)
class ClusterStabilityDisplay(Display):
    """The Jaccard similarity of each cluster to its likest one in resamples.

    Parameters
    ----------
    stability : dict
        ``PartitionStability.to_dict()``.

    Examples
    --------
    >>> one = {"cluster": 0, "rows": 40, "jaccard": {"value": 0.9, "low": 0.85, "high": 0.95}}
    >>> two = {"cluster": 1, "rows": 12, "jaccard": {"value": 0.4, "low": 0.3, "high": 0.5}}
    >>> ClusterStabilityDisplay({"clusters": [one, two], "n_resamples": 50}).title
    '1 of 2 clusters comes back in resamples; 1 dissolves'
    """

    stability: Json

    def _worst(self) -> list[Json]:
        """Return the clusters by their similarity, the least stable ones where there are too many."""
        rows = sorted(self.stability["clusters"], key=lambda c: (c["jaccard"]["value"] or 0.0, c["cluster"]))
        return list(rows[:_MOST])[::-1]

    @property
    def title(self) -> str:
        values = [c["jaccard"]["value"] or 0.0 for c in self.stability["clusters"]]
        stable, lost = sum(v >= STABLE for v in values), sum(v <= DISSOLVED for v in values)
        said = f"{stable} of {len(values)} clusters {'comes' if stable == 1 else 'come'} back in resamples"
        return f"{said}; {lost} {'dissolves' if lost == 1 else 'dissolve'}" if lost else said

    @property
    def description(self) -> str:
        said = "; ".join(f"cluster {c['cluster']}: {brief(c['jaccard'])}" for c in self.stability["clusters"])
        return (
            "Dots with intervals of the Jaccard similarity of each cluster to the likest one of a resample, "
            f"over {self.stability['n_resamples']} resamples. {said}."
        )

    @property
    def height(self) -> float:
        return 1.1 + 0.5 * (len(self._worst()) + 1)

    def draw(self, ax: Axes) -> None:
        worst = self._worst()
        rows = [
            IntervalRow(
                f"cluster {c['cluster']} ({counted(c['rows'], 'row')})",
                c["jaccard"],
                "validation" if (c["jaccard"]["value"] or 0.0) >= STABLE else "baseline",
            )
            for c in worst
        ]
        interval_rows(ax, rows, [brief(r.estimate) for r in rows], "mean Jaccard similarity (dashed: 0.75)")
        reference_line(ax, STABLE, len(rows))
        ax.set_xlim(0.0, 1.04)
