"""How fast solvers approach the minimum, beside what theory promises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, colour, on_end
from empirisk.plots.wording import count, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConvergenceDisplay"]

_ROLES = ("validation", "train", "test", "positive", "reference", "negative")
_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)))
_WORDS = {"steps": "steps", "passes": "passes over the data", "seconds": "seconds"}


@dataclass(frozen=True)
class ConvergenceDisplay(Display):
    """Objective above the minimum along the runs of several solvers; bounds of theory as thin lines.

    Parameters
    ----------
    convergence : dict
        ``by`` ("steps", "passes" or "seconds"), ``runs`` (each ``name``, ``x`` and ``gap``), ``rates`` (each
        ``name``, ``formula``, ``x`` and ``gap``).

    Examples
    --------
    >>> run = {"name": "newton", "x": [1, 2, 3], "gap": [1e-2, 1e-5, 1e-12]}
    >>> ConvergenceDisplay({"by": "steps", "runs": [run], "rates": []}).title
    'newton ends 1e-12 above the minimum after 3 steps'
    """

    convergence: Json

    @property
    def _ends(self) -> list[tuple[str, float, float]]:
        """Name, last place and last gap of the runs that have one."""
        out = []
        for run in self.convergence["runs"]:
            known = [(x, g) for x, g in zip(run["x"], run["gap"], strict=True) if math.isfinite(g)]
            if known:
                out.append((run["name"], *known[-1]))
        return out

    @property
    def title(self) -> str:
        ends = self._ends
        if not ends:
            return "No solver computed its objective on the way"
        unit = _WORDS[self.convergence["by"]]
        if len(ends) == 1:
            name, x, gap = ends[0]
            return f"{name} ends {gap:.2g} above the minimum after {_amount(x)} {unit}"
        least = max(min(gap for _, _, gap in ends), 1e-300)
        level = 10.0 ** math.ceil(math.log10(max(max(gap for _, _, gap in ends), least)))
        first = {
            run["name"]: next((x for x, g in zip(run["x"], run["gap"], strict=True) if g <= level), math.inf)
            for run in self.convergence["runs"]
        }
        fast, slow = min(first, key=lambda n: first[n]), max(first, key=lambda n: first[n])
        return (
            f"{fast} comes within {level:.0e} of the minimum after {_amount(first[fast])} {unit}, "
            f"{slow} after {_amount(first[slow])}"
        )

    @property
    def description(self) -> str:
        unit = _WORDS[self.convergence["by"]]
        said = "; ".join(f"{name}: {gap:.2g} after {_amount(x)} {unit}" for name, x, gap in self._ends)
        theory = "; ".join(f"{r['name']} at most {r['formula']}" for r in self.convergence["rates"])
        bounds = f" Bounds of theory: {theory}." if theory else ""
        return f"Line chart, logarithmic: objective above the minimum against {unit}. {said}.{bounds}"

    def draw(self, ax: Axes) -> None:
        shown = [g for run in self.convergence["runs"] for g in run["gap"] if math.isfinite(g) and g > 0.0]
        floor = min(shown, default=1e-16)
        for k, run in enumerate(self.convergence["runs"]):
            role = _ROLES[k % len(_ROLES)]
            pairs = [
                (x, max(g, floor)) for x, g in zip(run["x"], run["gap"], strict=True) if math.isfinite(g)
            ]
            if not pairs:
                continue
            x, gap = zip(*pairs, strict=True)
            ax.plot(
                x,
                gap,
                color=colour(role),
                linewidth=1.8,
                linestyle=_LINES[k // len(_ROLES) % 3],
                marker="." if len(x) < 3 else "",
            )
            on_end(ax, x[-1], gap[-1], run["name"], role, va="center" if k % 2 else "bottom")
        for rate in self.convergence["rates"]:
            kept = [(x, g) for x, g in zip(rate["x"], rate["gap"], strict=True) if g >= floor]
            if not kept:
                continue
            x, gap = zip(*kept, strict=True)
            ax.plot(x, gap, color=colour("baseline"), linewidth=1.0, linestyle=(0, (4, 3)))
            on_end(ax, x[-1], gap[-1], f"bound of {rate['name']}", "baseline")
        ax.set_yscale("log")
        if self.convergence["by"] != "seconds":
            ax.set_xscale("log")
        ax.set_xlabel(_WORDS[self.convergence["by"]])
        ax.set_ylabel("objective above the minimum")


def _amount(x: float) -> str:
    if not math.isfinite(x):
        return "never"
    return count(int(x)) if float(x).is_integer() else plain(x, 2)
