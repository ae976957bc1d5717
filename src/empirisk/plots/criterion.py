"""One criterion for the number of clusters, with its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import brief, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CriterionDisplay"]


@dataclass(frozen=True)
class CriterionDisplay(Display):
    """The values of a criterion against the number of clusters: silhouettes, stability, and the others.

    Parameters
    ----------
    choice : dict
        ``KChoice.to_dict()``.
    name : str
        Key of ``choice["criteria"]``.

    Examples
    --------
    >>> values = [{"value": 0.4, "low": 0.3, "high": 0.5}, {"value": 0.8, "low": 0.7, "high": 0.9}]
    >>> found = {"label": "silhouette", "k": 3, "why": "the largest value", "ks": [2, 3], "values": values}
    >>> choice = {"k": 1, "parameter": "n_clusters", "criteria": {"silhouette": found}}
    >>> CriterionDisplay(choice, "silhouette").title
    'The silhouette recommends 3 clusters (0.80); the verdict is no clusters'
    """

    choice: Json
    name: str

    @property
    def _criterion(self) -> Json:
        found: Json = self.choice["criteria"][self.name]
        return found

    @property
    def title(self) -> str:
        c, k = self._criterion, self.choice["k"]
        verdict = {None: "open", 1: "no clusters"}.get(k, f"{k} clusters")
        if c["k"] is None:
            return f"The {c['label']} recommends no number; the verdict is {verdict}"
        at = c["ks"].index(c["k"]) if c["k"] in c["ks"] else None
        value = "" if at is None else f" ({text(c['values'][at])})"
        word = "cluster" if c["k"] == 1 else "clusters"
        agreed = c["k"] == k
        said = f"The {c['label']} recommends {c['k']} {word}{value}"
        return f"{said}, and so does the verdict" if agreed else f"{said}; the verdict is {verdict}"

    @property
    def description(self) -> str:
        c = self._criterion
        said = "; ".join(f"{k}: {brief(e)}" for k, e in zip(c["ks"], c["values"], strict=True))
        return f"Dots with intervals of the {c['label']} against the number of clusters. {said}."

    def draw(self, ax: Axes) -> None:
        c = self._criterion
        for k, e in zip(c["ks"], c["values"], strict=True):
            strong = k == c["k"]
            hue = colour("validation" if strong else "baseline")
            if e["low"] is not None and e["high"] is not None:
                ax.vlines(k, e["low"], e["high"], color=hue, linewidth=2.6 if strong else 1.6)
            ax.plot(k, e["value"], "o", color=hue, markersize=6.5 if strong else 5)
        ax.plot(c["ks"], [e["value"] for e in c["values"]], color=colour("rule"), linewidth=1.0, zorder=0.5)
        if self.choice["k"] in c["ks"]:
            ax.axvline(self.choice["k"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set_xticks(c["ks"])
        ax.margins(x=0.06)
        ax.set_xlabel(f"{self.choice['parameter']} (dashed: the verdict)")
        ax.set_ylabel(c["label"])
