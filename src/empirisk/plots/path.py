"""The chart of a regularisation path: how coefficients enter the model as the strength falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.plots.display import Display, log_ticks
from empirisk.plots.style import colour
from empirisk.wording import counted, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PathDisplay"]

# More labels than this would lie on one another.
LABELS = 6


@dataclass(frozen=True)
class PathDisplay(Display):
    """Each coefficient against the strength of the penalty.

    Parameters
    ----------
    path : Path
        What :func:`empirisk.path` returns.
    """

    path: Any

    @property
    def coefs(self) -> np.ndarray:
        """The coefficients, shape (strengths, lines); those of several classes stand beside each other."""
        c = np.asarray(self.path.coefs)
        return c.reshape(len(c), -1)

    @property
    def title(self) -> str:
        active = np.count_nonzero(self.coefs[[0, -1]], axis=1)
        lines = self.coefs.shape[1]
        return f"From {active[0]} to {active[1]} of {counted(lines, 'coefficient')} as alpha falls"

    @property
    def description(self) -> str:
        worst = float(np.max(self.path.gaps)) / self.path.scale
        ends = f"{plain(self.coefs[-1].min(), 3)} to {plain(self.coefs[-1].max(), 3)}"
        return (
            f"Line chart of {counted(self.coefs.shape[1], 'coefficient')} against alpha on a log axis; "
            f"at the smallest alpha they run from {ends}. Largest relative gap {plain(worst, 1)}."
        )

    def draw(self, ax: Axes) -> None:
        alphas, coefs = np.asarray(self.path.alphas), self.coefs
        log_ticks(ax)
        ax.axhline(0.0, color=colour("muted"), linewidth=0.8)
        largest = set(np.argsort(-np.abs(coefs[-1]))[:LABELS].tolist())
        for j in np.flatnonzero(np.any(coefs != 0.0, axis=0)):
            strong = int(j) in largest
            hue = colour("validation" if strong else "baseline")
            ax.plot(
                alphas, coefs[:, j], color=hue, linewidth=1.4 if strong else 0.7, alpha=1.0 if strong else 0.6
            )
        self._labels(ax, sorted(largest, key=lambda j: coefs[-1, j]))
        ax.invert_xaxis()
        ax.set_xlabel("alpha (strength of the penalty, falling to the right)")
        ax.set_ylabel("coefficient")

    def _labels(self, ax: Axes, columns: list[int]) -> None:
        """Write names at the right end, pushed apart so that none lies on another."""
        names, per_line = self.path.feature_names, len(self.path.feature_names)
        low, high = ax.get_ylim()
        step, last = (high - low) / 14.0, -np.inf
        for j in columns:
            y = max(float(self.coefs[-1, j]), last + step)
            last = y
            label = shorten(names[j % per_line], 18)
            if self.coefs.shape[1] > per_line:
                label = f"{label} [{j // per_line}]"
            ax.annotate(
                label,
                (float(self.path.alphas[-1]), y),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                color=colour("validation"),
                annotation_clip=False,
            )
