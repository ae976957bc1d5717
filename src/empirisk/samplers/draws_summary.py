"""The table of draws: one line for each parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from empirisk.data.tabular import Tabular
from empirisk.typing import Array

__all__ = ["DrawsSummary"]


@dataclass(frozen=True, repr=False)
class DrawsSummary(Tabular):
    """One line for each parameter: mean, its Monte-Carlo error, deviation, quantiles, sizes, R-hat.

    Parameters
    ----------
    names : list of str
    columns : dict of arrays
        By the name of a column.
    sentences : list of str
    """

    names: list[str]
    columns: dict[str, Array]
    sentences: list[str]
    heading: str

    @property
    def title(self) -> str:
        """What was drawn, and how much of it."""
        return self.heading

    def _shown(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {"parameter": list(self.names)}
        for name, values in self.columns.items():
            whole = name.startswith("ess")
            out[name] = [round(float(v)) if whole and math.isfinite(v) else float(v) for v in values]
        return out

    def _columns(self) -> dict[str, list[Any]]:
        return {"parameter": list(self.names), **{k: [float(x) for x in v] for k, v in self.columns.items()}}

    def _notes(self) -> list[str]:
        return self.sentences
