"""How fast solvers approach the minimum, beside what theory promises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end, power_of_ten
from empirisk.plots.style import colour
from empirisk.wording import count, plain, power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConvergenceDisplay"]

_ROLES = ("validation", "train", "test", "positive", "reference", "negative")
_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)))
# A letter's width and a line's height as shares of the axes; the height of the axes in points.
_LETTER, _HIGH, _POINTS = 0.02, 0.075, 190.0
_WORDS = {"steps": "steps", "passes": "passes over the data", "seconds": "seconds"}
_ONE = {"steps": "step", "passes": "pass over the data", "seconds": "second"}


@dataclass(frozen=True)
class ConvergenceDisplay(Display):
    """Objective above the minimum along the runs of several solvers; bounds of theory as thin dashes.

    Parameters
    ----------
    convergence : dict
        ``by`` ("steps", "passes" or "seconds"), ``runs`` (each ``name``, ``x`` and ``gap``), ``rates`` (each
        ``name``, ``setting``, ``formula``, ``x`` and ``gap``).

    Examples
    --------
    >>> run = {"name": "newton", "x": [1, 2, 3], "gap": [1e-2, 1e-5, 1e-12]}
    >>> ConvergenceDisplay({"by": "steps", "runs": [run], "rates": []}).title
    'newton ends 1 × 10⁻¹² above the minimum after 3 steps'
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
        by = self.convergence["by"]
        if len(ends) == 1:
            name, x, gap = ends[0]
            unit = _ONE[by] if x == 1 else _WORDS[by]
            return f"{name} ends {plain(gap, 2)} above the minimum after {_amount(x)} {unit}"
        least = max(min(gap for _, _, gap in ends), 1e-300)
        exponent = math.ceil(math.log10(max(max(gap for _, _, gap in ends), least)))
        first = {
            run["name"]: next(
                (x for x, g in zip(run["x"], run["gap"], strict=True) if g <= 10.0**exponent), math.inf
            )
            for run in self.convergence["runs"]
        }
        fast, slow = min(first, key=lambda n: first[n]), max(first, key=lambda n: first[n])
        unit = _ONE[by] if first[fast] == 1 else _WORDS[by]
        return (
            f"{fast} is within {power(exponent)} of the minimum after {_amount(first[fast])} {unit}, "
            f"{slow} after {_amount(first[slow])}"
        )

    @property
    def description(self) -> str:
        unit = _WORDS[self.convergence["by"]]
        said = "; ".join(f"{name}: {plain(gap, 2)} after {_amount(x)} {unit}" for name, x, gap in self._ends)
        rates = self.convergence["rates"]
        theory = "; ".join(f"{r['name']} with {r['setting']} at most {r['formula']}" for r in rates)
        bounds = f" Bounds of theory: {theory}." if theory else ""
        return f"Line chart, logarithmic: objective above the minimum against {unit}. {said}.{bounds}"

    def draw(self, ax: Axes) -> None:
        shown = [g for run in self.convergence["runs"] for g in run["gap"] if math.isfinite(g) and g > 0.0]
        floor = min(shown, default=1e-16)
        from matplotlib.ticker import FuncFormatter, NullFormatter

        ends: list[tuple[str, float, float, str]] = []
        for k, run in enumerate(self.convergence["runs"]):
            role = _ROLES[k % len(_ROLES)]
            x, gap = _known(run, floor)
            if not x:
                continue
            dots = "." if len(x) < 3 else ""
            line = _LINES[k // len(_ROLES) % 3]
            ax.plot(x, gap, color=colour(role), linewidth=1.8, linestyle=line, marker=dots)
            ends.append((run["name"], x[-1], gap[-1], role))
        roles = {name: role for name, _, _, role in ends}
        for rate in self.convergence["rates"]:
            x, gap = _known(rate, -math.inf)
            if x:
                role = roles.get(rate["name"], "baseline")
                ax.plot(x, gap, color=colour(role), linewidth=1.0, linestyle=(0, (4, 3)))
                ends.append(("its bound" if rate["name"] in roles else "bound", x[-1], gap[-1], role))
        ax.set_yscale("log")
        if self.convergence["by"] != "seconds":
            ax.set_xscale("log")
        for axis in (ax.xaxis, ax.yaxis):
            if axis.get_scale() == "log":
                axis.set_major_formatter(FuncFormatter(lambda v, _: power_of_ten(v)))
                axis.set_minor_formatter(NullFormatter())
        self._label(ax, ends)
        ax.set_xlabel(_WORDS[self.convergence["by"]])
        ax.set_ylabel("objective above the minimum")

    def _label(self, ax: Axes, ends: list[tuple[str, float, float, str]]) -> None:
        """Write names on the right of where the runs end, in an axis with room for them, none over
        another.
        """
        scale = math.log if self.convergence["by"] != "seconds" else float
        low, high = (scale(v) for v in ax.get_xlim())
        width = max(
            [high - low, *((scale(x) - low) / max(0.99 - len(name) * _LETTER, 0.3) for name, x, _, _ in ends)]
        )
        ax.set_xlim(right=math.exp(low + width) if scale is math.log else low + width)
        taken: list[tuple[float, float, float]] = []
        for name, x, gap, role in sorted(ends, key=lambda e: e[2]):
            across, up = ax.transAxes.inverted().transform(ax.transData.transform((x, gap)))
            end, shift = across + len(name) * _LETTER, 0.0
            while any(across < b and a < end and abs(up + shift - at) < _HIGH for a, b, at in taken):
                shift += 0.25 * _HIGH
            taken.append((across, end, up + shift))
            on_end(ax, x, gap, name, role, xytext=(5, shift * _POINTS))


def _known(curve: Json, floor: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the places whose gap is a number, and the gaps, none below the floor of the chart."""
    pairs = [(x, max(g, floor)) for x, g in zip(curve["x"], curve["gap"], strict=True) if math.isfinite(g)]
    return tuple(x for x, _ in pairs), tuple(g for _, g in pairs)


def _amount(x: float) -> str:
    if not math.isfinite(x):
        return "never"
    return count(int(x)) if float(x).is_integer() else plain(x, 2)
