"""A parameter chosen by its losses, as a table and a chart: what the selections of models share."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.tabular import Tabular
from empirisk.results.form import Bar
from empirisk.typing import Array

__all__ = ["ChoiceTable"]

SHOWN = 8  # evenly spaced values in the printed table, beside the chosen one and the best


class ChoiceTable(Tabular):
    """Values of one parameter with the loss of each, and the one that was chosen.

    A subclass has `loss` and `se`, arrays of shape (a,), `rule`, and the four members below.
    """

    loss: Array
    se: Array
    rule: str
    parameter: str = "alpha"

    @property
    def index(self) -> int:
        """The position of the chosen value."""
        raise NotImplementedError

    @property
    def index_min(self) -> int:
        """The position of the smallest loss."""
        raise NotImplementedError

    def _tried(self) -> Array:
        """Return the values that were tried, shape (a,)."""
        raise NotImplementedError

    def _how(self) -> str:
        """Return how the losses were estimated, in words."""
        return "leave-one-out losses"

    @property
    def title(self) -> str:
        """What was chosen, of how many values, by which rule, and its loss."""
        k, tried = self.index, self._tried()
        rule = "the smallest loss" if self.rule == "min" else "one standard error of the smallest loss"
        told = f"{self.parameter} = {tried[k]:.4g} of {len(tried)} tried was chosen by {rule}"
        return f"{told}: {self.loss[k]:.4g}, standard error {self.se[k]:.2g} ({self._how()})"

    def _columns(self) -> dict[str, list[Any]]:
        tried = self._tried()
        return {
            self.parameter: tried.tolist(),
            "loss": self.loss.tolist(),
            "se": self.se.tolist(),
            "chosen": [k == self.index for k in range(len(tried))],
        }

    def _shown(self) -> dict[str, list[Any]]:
        tried, best, chosen = self._tried(), self.index_min, self.index
        spread = np.linspace(0, len(tried) - 1, min(SHOWN, len(tried))).round().astype(int)
        rows = sorted({*spread.tolist(), best, chosen})
        loss, se = self.loss[rows], self.se[rows]
        words = {best: "smallest loss"}
        words[chosen] = "chosen, smallest loss" if best == chosen else "chosen"
        return {
            self.parameter: tried[rows].tolist(),
            "loss": loss.tolist(),
            "se": se.tolist(),
            "": [Bar(*map(float, (v, v - e, v + e))) for v, e in zip(loss, se, strict=True)],
            "which": [words.get(k, "") for k in rows],
        }

    def _notes(self) -> list[str]:
        more = len(self._tried()) - len(self._shown()[self.parameter])
        return [f"... and {more} more; .to_frame() holds them all."] if more else []

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss with one standard error to each side, and the chosen value; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.selection_curve import SelectionCurveDisplay

        tried = self._tried().astype(float)
        kept = np.flatnonzero(np.isfinite(self.loss) & np.isfinite(self.se) & np.isfinite(tried))
        kept = kept[np.argsort(tried[kept], kind="stable")]
        loss, se = self.loss[kept], self.se[kept]
        curve = {
            "parameter": self.parameter,
            "x": tried[kept].tolist(),
            "scale": "log" if len(kept) and tried[kept].min() > 0.0 else "linear",
            "chosen": float(tried[self.index]),
            "minimum": float(tried[self.index_min]),
            "train": None,
            "validation": {
                "value": loss.tolist(),
                "low": (loss - se).tolist(),
                "high": (loss + se).tolist(),
            },
        }
        said = {"label": "held-out loss, band of 1 se", "unit": ""}
        return SelectionCurveDisplay(curve, said, "Choice").plot(ax)
