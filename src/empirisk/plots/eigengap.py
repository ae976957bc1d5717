"""The smallest eigenvalues of a graph Laplacian, and the gap behind the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import counted, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EigengapDisplay"]

FLAT = 1e-9  # eigenvalues below it are 0 but for rounding, which no axis should show


@dataclass(frozen=True)
class EigengapDisplay(Display):
    """Eigenvalues in rising order, with the gap between the K-th and the next one.

    Parameters
    ----------
    view : dict
        ``values`` (the smallest eigenvalues, rising), ``estimated`` (whether the last one is what further
        vectors found, and may be too large), ``chosen`` (K), ``by_gap`` (whether K was chosen here),
        ``laplacian`` (its name), ``interval`` (two numbers of clusters, or None) and ``resamples``.

    Examples
    --------
    >>> view = {"values": [0.0, 0.01, 0.4, 0.5], "estimated": False, "chosen": 2, "by_gap": True,
    ...         "laplacian": "random_walk", "interval": [2, 3], "resamples": 20}
    >>> EigengapDisplay(view).title
    '2 clusters by the largest gap, 0.39; 90 % of 20 parts of the rows say 2 to 3'
    """

    view: Json

    @property
    def _gap(self) -> float | None:
        """The difference behind the K-th eigenvalue, where the next one is known."""
        values, k = self.view["values"], self.view["chosen"]
        return values[k] - values[k - 1] if k < len(values) else None

    @property
    def title(self) -> str:
        v, gap = self.view, self._gap
        head = counted(v["chosen"], "cluster")
        if gap is None:
            return f"{head}: no eigenvalue follows"
        if not v["by_gap"]:
            return f"{head} as asked: the gap behind eigenvalue {v['chosen']} is {plain(gap, 2)}"
        said = f"{head} by the largest gap, {plain(gap, 2)}"
        if v["interval"] is None:
            return said
        low, high = v["interval"]
        told = f"{low}" if low == high else f"{low} to {high}"
        return f"{said}; 90 % of {v['resamples']} parts of the rows say {told}"

    @property
    def description(self) -> str:
        v = self.view
        listed = ", ".join(plain(value, 3) for value in v["values"])
        last = " The last one is an estimate from above." if v["estimated"] else ""
        return (
            f"The {len(v['values'])} smallest eigenvalues of the {v['laplacian']} Laplacian: {listed}.{last} "
            f"{self.title}."
        )

    def draw(self, ax: Axes) -> None:
        v = self.view
        values, k, n = v["values"], v["chosen"], len(v["values"])
        sure = n - 1 if v["estimated"] else n
        ax.plot(range(1, k + 1), values[:k], "o", color=colour("validation"), markersize=7)
        ax.plot(range(k + 1, sure + 1), values[k:sure], "o", color=colour("baseline"), markersize=6)
        if v["estimated"]:
            ax.plot([n], values[-1:], "o", color=colour("baseline"), markersize=6, fillstyle="none")
        gap = self._gap
        if gap is not None:
            ax.vlines(k + 0.5, values[k - 1], values[k], color=colour("validation"), linewidth=2.4)
            ax.annotate(
                f"gap {plain(gap, 2)}",
                (k + 0.5, 0.5 * (values[k - 1] + values[k])),
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                color=colour("validation"),
                fontsize=FONT - 0.5,
            )
        ax.set_xlim(0.4, n + 0.6)
        ax.set_xticks(range(1, n + 1, max(1, n // 12)))
        reach = values[-1] if values[-1] > FLAT else 1.0
        ax.set_ylim(min(0.0, values[0]) - 0.06 * reach, 1.06 * reach)
        ax.grid(axis="y", linewidth=0.7)
        ax.set_xlabel("number of the eigenvalue")
        ax.set_ylabel("eigenvalue")
