"""What prints as a table in a terminal and in a notebook, and turns into a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.data.frames import as_frame
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed

__all__ = ["Tabular", "band", "estimate_columns"]


def estimate_columns(estimates: Sequence[Estimate], prefix: str = "") -> dict[str, list[Any]]:
    """Return the value, low and high of estimates as columns; with a prefix ``<prefix>``, ``<prefix>_low``
    ...
    """
    head = prefix or "value"
    tail = f"{prefix}_" if prefix else ""
    return {
        head: [e.value for e in estimates],
        f"{tail}low": [e.low for e in estimates],
        f"{tail}high": [e.high for e in estimates],
    }


def band(points: Sequence[Estimate]) -> dict[str, Any]:
    """Return the estimates along an axis as a chart takes them; without ends when one of them has none."""
    known = all(e.low is not None for e in points)
    return {
        "value": [e.value for e in points],
        "low": [e.low for e in points] if known else None,
        "high": [e.high for e in points] if known else None,
        "level": points[0].level,
        "n": points[0].n,
        "method": points[0].method,
    }


class Tabular(Formed):
    """A result with a title, columns, and sentences below them; a subclass gives the three."""

    @property
    def title(self) -> str:
        """The first line above the table: what was measured, and on what."""
        raise NotImplementedError

    def _shown(self) -> dict[str, list[Any]]:
        """Return the columns for readers: estimates and words."""
        raise NotImplementedError

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns for programs: numbers and names without formatting, by column name."""
        raise NotImplementedError

    def _notes(self) -> list[str]:
        """Return the sentences that stand below the table; by default there are none."""
        return []

    def to_frame(self) -> Any:
        """Return the table as a data frame: polars where the rows came in one, else pandas.

        Where pandas is not installed it is polars too, and a dict of lists without either.
        """
        return as_frame(self._columns(), self._like)

    def _form(self) -> Form:
        return Form(self.title, self._shown(), self._notes())

    def __repr__(self) -> str:
        return self._form().text()
